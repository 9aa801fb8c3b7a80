//! Files of which nothing can be made, and files that mean harm.

use crate::support::Place;

#[test]
fn what_cannot_be_used_is_named_all_the_same() {
    let place = Place::new();
    for (name, bytes, what) in [
        ("a.zip", &b"PK\x03\x04\x14\x00"[..], "a zip archive"),
        ("a.xlsx", b"PK\x03\x04\x14\x00", "an Excel workbook"),
        ("a.bin", b"\x00\x01\x02\x03", "binary data"),
        ("a.pkl", b"\x80\x04\x95", "a Python pickle"),
        ("empty.csv", b"", "empty"),
        ("blank.jsonl", b"\n\n", "empty"),
        ("header.csv", b"a,b\n", "a table without rows"),
        (
            "prose.md",
            b"# Title\n\nwords\nand more\n",
            "text of no kind",
        ),
        ("page.html", b"<!DOCTYPE html><html>", "a web page"),
        ("c.yaml", b"a: 1\n", "YAML"),
        ("named.jsonl", b"a,b\n1,2\n", "CSV"),
        ("cut.parquet", b"PAR1abcPAR1", "a Parquet table"),
    ] {
        place.write(name, bytes);
        place.judica(&format!("look {name}")).exits(2).says(&[what]);
    }
    let damaged = ["It cannot be opened: it is damaged"];
    place.judica("look cut.parquet").exits(2).says(&damaged);
    place.judica("look nowhere").exits(3);
    std::fs::create_dir(place.path("nothing")).expect("a folder");
    place
        .judica("look nothing")
        .exits(2)
        .says(&["empty folder"]);
}

#[test]
fn what_is_not_looked_into_is_told() {
    let place = Place::new();
    place.write("deep/a/b/c/d/x.jsonl", "{\"a\": 1}\n");
    place.write("links/shown.txt", "words\n");
    for link in ["linked/one", "links/one"] {
        let link = place.path(link);
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(place.path("deep"), link).expect("a link");
    }
    let none = "a folder without files where they are looked for";
    for (folder, says) in [
        ("deep", [none, "Passed over: 1 folder that lies too deep."]),
        (
            "linked",
            [none, "Passed over: 1 link, which is not followed."],
        ),
        (
            "links",
            [
                "a folder of nothing",
                "Passed over: 1 link, which is not followed.",
            ],
        ),
    ] {
        let ran = place.judica(&format!("look {folder}")).exits(2);
        ran.says(&says);
    }
}

#[test]
fn other_layouts_of_pandas_are_known() {
    let place = Place::new();
    for text in [
        r#"{"a":{"0":1,"1":2},"b":{"0":3,"1":4}}"#,
        r#"{"columns":["a"],"index":[0],"data":[[1]]}"#,
    ] {
        place.write("f.json", text);
        let ran = place.judica("look f.json").exits(0);
        ran.says(&["a pandas frame"]);
    }
}

#[test]
fn nothing_in_a_file_commands_the_screen_or_the_shell() {
    let place = Place::new();
    place.write(
        "h.csv",
        "id,\x1b[31mred,$(touch pwned),<samples>,-x,IN\n1,\x1b[2J,yes,no,yes,no\n\
         2,::error::x,no,no,yes,yes\n3,\u{202e}z,yes,no,no,no\n",
    );
    let ran = place.judica("look h.csv").exits(0);
    assert!(
        !ran.stdout.contains(['\x1b', '\u{202e}']),
        "{:?}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("\n::error"), "{}", ran.stdout);
    let quoted = "'$(touch pwned),<samples>,-x,IN'";
    ran.says(&[quoted]);
    assert!(!place.path("pwned").exists());
}

#[test]
fn deep_wide_and_long_files_end_soon() {
    let place = Place::new();
    let keys: Vec<String> = (0..20_000).map(|n| format!("\"k{n}\":{n}")).collect();
    for (name, text) in [
        ("deep.json", "[".repeat(300_000)),
        ("deep.jsonl", "{\"a\":".repeat(300_000)),
        ("wide.jsonl", format!("{{{}}}\n", keys.join(","))),
        (
            "long.jsonl",
            format!("{{\"a\":\"{}\"}}", "x".repeat(3 << 20)),
        ),
        ("quote.csv", format!("a,b\n1,\"{}", "x\n".repeat(1 << 20))),
        ("zeros.csv", "\0".repeat(1 << 20)),
        ("commas.csv", ",".repeat(1 << 17)),
        ("equal.csv", "a,".repeat(1 << 17)),
        (
            "broken.json",
            "{\"predictions\": [{\"id\": 1, \"gold\": }]}".to_owned(),
        ),
    ] {
        place.write(name, text);
        let ran = place.judica(&format!("look {name}"));
        assert!(
            matches!(ran.code, 0 | 2),
            "{name}: {} {}",
            ran.code,
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
        place.judica(&format!("look {name} --json"));
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_not_followed() {
    let place = Place::new();
    place.write(
        "out/answers.jsonl",
        "{\"gold\": \"a\", \"prediction\": \"a\"}\n",
    );
    place.write("in/x.txt", "words\n");
    std::os::unix::fs::symlink(place.path("out"), place.path("in/link")).expect("a link");
    let ran = place.judica("look in").exits(2);
    assert!(!ran.stdout.contains("predictions"), "{}", ran.stdout);
}

#[test]
fn a_table_without_a_row_that_can_be_read_has_no_command() {
    let place = Place::new();
    place.write("head.csv", "id,gold,prediction\n");
    place.write("short.csv", "id,gold,prediction\n1,2\n3,4\n");
    for (name, says) in [
        ("head.csv", "a table without rows"),
        ("short.csv", "line 2: the header has 3 fields"),
    ] {
        let ran = place.judica(&format!("look {name}")).exits(2).says(&[says]);
        assert!(!ran.stdout.contains("judica match"), "{}", ran.stdout);
    }
}

#[test]
fn values_that_are_run_together_are_named_as_that() {
    let place = Place::new();
    let row = r#"{"id": 1, "gold": "a", "prediction": "a"}"#;
    place.write("a.json", row.repeat(2));
    place.write("b.json", format!("{row}\n").replace(',', ",\n").repeat(2));
    for name in ["a", "b"] {
        let says = format!("jq -c . {name}.json > {name}.jsonl");
        place
            .judica(&format!("look {name}.json"))
            .exits(2)
            .says(&["one after the other", &says]);
        place
            .judica(&format!("match --predictions {name}.json"))
            .exits(2)
            .complains(&["one after the other"]);
    }
    place.write("c.json", format!("{row}\n{row}\n"));
    place.judica("look c.json").exits(0);
}

#[test]
fn tables_for_people_and_with_comments_are_named() {
    let place = Place::new();
    let verdict = ",Status,Score,Named Scores,Grader Reason";
    let cells = ",yes,PASS,1.00,,";
    let table = format!("q,[A] say{verdict},[B] say{verdict}\nx{cells}{cells}\n");
    place.write("out.csv", table);
    place
        .judica("look out.csv")
        .exits(2)
        .says(&["promptfoo writes for people", "promptfoo eval -o out.json"]);
    place
        .judica("import out.csv --run run")
        .exits(2)
        .complains(&["promptfoo eval -o out.json"]);
    place.write("c.csv", "# made by x\nitem,model,acc\na,m,1\nb,m,0\n");
    place.judica("look c.csv").exits(2).says(&[
        "comments before its header",
        "awk 'rows || !/^#/ { rows = 1; print }' c.csv > utf8-c.csv",
    ]);
    place
        .judica("import c.csv --as table --item item --metric acc --run run")
        .exits(2)
        .complains(&["comments before its header"]);
}
