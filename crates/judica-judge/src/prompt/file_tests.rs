//! Template files that are right, and what is said of those that are not.

use proptest::prelude::*;

use super::*;

fn refused(text: &str) -> String {
    parse(text, "p.txt").unwrap_err().to_string()
}

#[test]
fn sections_version_and_comments() {
    let text = "# mine\n\nversion: strict-v2 \n[system]\n\n Be strict.\n# not a comment\n\n\
                [user]\n{{gold}} or {{prediction}}?\n\n";
    let file = parse(text, "p.txt").unwrap();
    assert_eq!(file.version, "strict-v2");
    assert_eq!(file.system, " Be strict.\n# not a comment");
    assert_eq!(
        file.user,
        [
            Piece::Hole(Field::Gold),
            Piece::Text(" or ".to_owned()),
            Piece::Hole(Field::Prediction),
            Piece::Text("?".to_owned()),
        ]
    );
}

#[test]
fn line_ends_and_byte_order_mark_change_nothing() {
    let text = "version: a\n[system]\nB\nc\n[user]\n{{gold}}\n{{prediction}}\n";
    let other = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(
        parse(text, "p.txt").unwrap(),
        parse(&other, "p.txt").unwrap()
    );
}

#[test]
fn version_and_system_may_be_left_out() {
    let file = parse("[user]\n{{prediction}}{{gold}}", "p.txt").unwrap();
    assert_eq!(
        (file.version.as_str(), file.system.as_str()),
        ("custom", "")
    );
}

#[test]
fn brackets_in_text_are_text() {
    let text = "[user]\n[1]\n[the gold]\n [user]\n[]\n{{gold}}{{prediction}}";
    assert!(parse(text, "p.txt").is_ok());
}

#[test]
fn mistakes_are_named_with_their_line() {
    let cases = [
        ("", "p.txt:1: there is no section `[user]`"),
        ("[system]\nx\n", "p.txt:2: there is no section `[user]`"),
        (
            "[user]\nx {{gold}}",
            "p.txt:1: `[user]` has no `{{prediction}}`",
        ),
        (
            "\n[user]\n{{prediction}}",
            "p.txt:2: `[user]` has no `{{gold}}`",
        ),
        (
            "[user]\n\n\na\n{{gld}}",
            "p.txt:5: unknown placeholder `{{gld}}` (did you mean `{{gold}}`?)",
        ),
        (
            "[user]\n{{gold}}\n{{prediction",
            "p.txt:3: `{{` opens a placeholder",
        ),
        (
            "[system]\na\nb {{gold}}\n[user]\n{{gold}}{{prediction}}",
            "p.txt:3: data belong in `[user]`",
        ),
        (
            "[usr]\n",
            "p.txt:1: unknown section `[usr]` (did you mean `[user]`?",
        ),
        (
            "[system]\n[User]\n",
            "p.txt:2: unknown section `[User]` (did you mean `[user]`?",
        ),
        (
            "[example]\n",
            "p.txt:1: unknown section `[example]` (known: `[system]`, `[user]`)",
        ),
        ("[user]\n[user]\n", "p.txt:2: a second section `[user]`"),
        (
            "Judge this.\n",
            "p.txt:1: found \"Judge this.\" before the first section",
        ),
        (
            "version:\n",
            "p.txt:1: a version is 1 to 80 printable characters",
        ),
        ("version: a\nversion: b\n", "p.txt:2: a second `version:`"),
    ];
    for (text, expected) in cases {
        let message = refused(text);
        assert!(message.starts_with(expected), "{text:?}: {message}");
    }
}

#[test]
fn files_that_cannot_be_templates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.txt");
    let missing = read(&path).unwrap_err();
    assert!(missing.to_string().contains("no such file"), "{missing}");
    assert_eq!(missing.exit_code().code(), 3);
    std::fs::write(&path, b"[user]\n\xff").unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(
        message.ends_with("p.txt: not UTF-8 (at byte 7)"),
        "{message}"
    );
    std::fs::write(&path, vec![b'x'; 1 + (1 << 20)]).unwrap();
    let large = read(&path).unwrap_err();
    assert!(large.to_string().contains("larger than 1 MiB"), "{large}");
    assert_eq!(large.exit_code().code(), 2);
    std::fs::write(&path, "[user]\n{{gold}}{{prediction}}").unwrap();
    assert_eq!(read(&path).unwrap().user.len(), 2);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        text in "(\\[user\\]\n|\\[system\\]\n|\\{\\{|gold|prediction|\\}\\}|version: |#|é|\n|\\[|.){0,30}",
    ) {
        let _ = parse(&text, "p.txt");
    }
}
