//! What a person sees at 80 columns, and in colour.

use std::collections::BTreeSet;

use crate::support::{JUDICA, Place, Ran, note, ran};

/// Runs a line on a screen that is so wide.
fn seen(place: &Place, line: &str, columns: usize) -> Ran {
    let mut command = place.command(line);
    command.env("COLUMNS", columns.to_string());
    ran(command)
}

/// Runs that have tables of every kind.
fn runs() -> Place {
    let place = Place::new();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    place.judica("demo --samples 60").exits(0);
    place
        .judica(&format!(
            "match --predictions {docs}/answers/predictions --run answers"
        ))
        .exits(0);
    let judges = format!(
        "agree judges --eval-dir {docs}/agreement/judges --human {docs}/agreement/human.json --run judges"
    );
    place.judica(&judges).exits(0);
    place.write("report.json", r#"{"a": 1, "b": 2}"#);
    place.write(
        "gates.toml",
        "version = 1\n[[gate]]\nname = \"a\"\nmetric = \"/a\"\nop = \">=\"\nthreshold = 1\n\
         [[gate]]\nname = \"b\"\nmetric = \"/b\"\nop = \"<=\"\nthreshold = 1\n",
    );
    place
}

#[test]
fn tables_fit_80_columns_and_break_no_word() {
    let place = runs();
    for line in [
        "show judica-demo/run",
        "show judica-demo/run S1_000000 --subject unsafe-1",
        "show judica-demo/run S1_000000 --subject unsafe-1 --all",
        "show answers",
        "show judges",
        "compare judica-demo/run --subjects rate-limited-1,format-breaking-1",
        "rules --protocol flight",
    ] {
        let shown = seen(&place, line, 80).exits(0).stdout;
        let wide = shown.lines().find(|line| line.chars().count() > 80);
        // A command that can be pasted, and a path, stay whole.
        assert!(
            wide.is_none_or(|wide| !wide.starts_with(['│', '┌'])),
            "{line}: {wide:?}"
        );
        // Every word of the table stands there whole.
        let unlimited = seen(&place, line, 2000).exits(0).stdout;
        let words = |text: &str| -> BTreeSet<String> {
            let letters = text.split(|c: char| !c.is_alphanumeric());
            letters.map(str::to_owned).collect()
        };
        assert_eq!(words(&shown), words(&unlimited), "{line}");
    }
}

#[test]
fn small_probabilities_are_not_zero() {
    let place = Place::new();
    let rows = |right: &str| -> Vec<String> {
        let row = |at| format!(r#"{{"id": {at}, "gold": "a", "prediction": "{right}"}}"#);
        (0..60).map(row).collect()
    };
    for (name, says) in [("a", "a"), ("b", "b")] {
        place.write_lines(&format!("{name}.jsonl"), &rows(says));
        let line = format!("match --predictions {name}.jsonl --dataset d --subject s --run {name}");
        place.judica(&line).exits(0);
    }
    let shown = place
        .judica("compare a b")
        .exits(0)
        .says(&["<0.0001"])
        .stdout;
    assert!(!shown.contains(" 0.0000 │ worse"), "{shown}");
    let csv = place.judica("compare a b --format csv").exits(0).stdout;
    assert!(!csv.contains('<'), "programs get the number: {csv}");
}

/// On a terminal, which `script` makes, and nowhere else.
#[test]
fn progress_says_which_part_is_done_and_what_is_left() {
    let place = Place::new();
    let line = "synth flight --samples 4000 --models 5 --out data";
    let quiet = place.judica(line).exits(0).stderr;
    assert!(!quiet.contains("left"), "{quiet}");
    let program = format!("{JUDICA} {line}");
    let shown = std::process::Command::new("script")
        .args(["-qec", &program, "/dev/null"])
        .current_dir(place.path("."))
        .env("TERM", "xterm")
        .output();
    let Ok(shown) = shown else {
        return note("script is not here, progress was not seen");
    };
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.contains(" %  ") && shown.contains(" left"), "{shown}");
}

#[test]
fn colour_is_there_where_it_was_asked_for() {
    let place = runs();
    let line = "gate check --report report.json --gates gates.toml --markdown gates.md";
    let forced = |names: &[(&str, &str)]| {
        let mut command = place.command(line);
        command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        for (name, value) in names {
            command.env(name, value);
        }
        ran(command).exits(1).stdout
    };
    let plain = place.judica(line).exits(1).stdout;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let shown = forced(&[]);
    for words in ["\u{1b}[31mFAIL\u{1b}[0m", "\u{1b}[32mpass\u{1b}[0m"] {
        assert!(shown.contains(words), "{shown}");
    }
    assert!(shown.ends_with("\n\u{1b}[31mFAIL\u{1b}[0m\n"), "{shown}");
    assert_eq!(forced(&[("NO_COLOR", "1")]), plain);
    assert!(!place.text("gates.md").contains('\u{1b}'));
    let mut wrong = place.command("show nowhere");
    wrong.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
    let said = ran(wrong).exits(3).stderr;
    assert!(said.starts_with("\u{1b}[31mjudica:\u{1b}[0m "), "{said}");
}

#[test]
fn a_wrong_command_line_is_coloured_as_everything_else_is() {
    let place = Place::new();
    for (name, value, colored) in [
        ("CLICOLOR_FORCE", "0", false),
        ("CLICOLOR", "0", false),
        ("CLICOLOR_FORCE", "1", true),
    ] {
        for (line, code) in [("compare --no-such", 2), ("compare --help", 0)] {
            let mut command = place.command(line);
            command.env_remove("NO_COLOR").env(name, value);
            let ran = ran(command).exits(code);
            let said = ran.stdout + &ran.stderr;
            assert_eq!(said.contains('\u{1b}'), colored, "{name}={value}: {said}");
            assert!(said.contains("Usage:"), "{said}");
        }
    }
}
