//! Whatever is wrong with a gates file or a report is named with its place: exit code 2.

use serde_json::json;

use crate::gate::data::{CHECK, check, gates_file};
use crate::support::Place;

const GOOD: &str = "name = \"good\"\nmetric = \"/metrics/kappa\"\nop = \">=\"\nthreshold = 0.1";

fn with_gates(gates: &str) -> Place {
    check(
        &json!({"metrics": {"kappa": {"value": 0.5, "n": 10}, "text": "x"}}),
        gates,
    )
}

/// The second gate is wrong; the place and the words that must be told.
#[track_caller]
fn refuses(gate: &str, words: &[&str]) {
    let place = with_gates(&gates_file(&[GOOD, gate]));
    let outputs = "--out o.json --junit o.xml --markdown o.md";
    let ran = place
        .judica(&format!("{CHECK} {outputs}"))
        .exits(2)
        .complains(words);
    assert_eq!(ran.stdout, "");
    for name in ["o.json", "o.xml", "o.md"] {
        assert!(!place.path(name).exists(), "{name} was written");
    }
}

#[test]
fn metrics_that_are_not_there() {
    let over =
        |pointer: &str| format!("name = \"g\"\nmetric = \"{pointer}\"\nop = \">=\"\nthreshold = 0");
    let at = "g.toml:11:10: gate `g`: ";
    refuses(
        &over("/metrics/kapa"),
        &[
            at,
            "no metric at `/metrics/kapa` in r.json",
            "did you mean `/metrics/kappa`?",
        ],
    );
    refuses(&over("/kappa"), &[at, "did you mean `/metrics/kappa`?"]);
    refuses(&over("/metrics"), &[at, "did you mean `/metrics/kappa`?"]);
    refuses(
        &over("/metrics/text"),
        &[
            at,
            "is a string",
            "a number or an object with `value` is needed",
        ],
    );
    refuses(
        &over("/nothing/like/it"),
        &[at, "no metric at `/nothing/like/it`"],
    );
    refuses(
        &over("metrics.kappa"),
        &[at, "not a JSON pointer", "did you mean `/metrics/kappa`?"],
    );
    refuses(&over("/metrics~kappa"), &[at, "not a JSON pointer", "`~0`"]);
}

#[test]
fn a_selector_that_fits_twice() {
    let gate = "name = \"g\"\nmetric = \"/l[m=y]/a\"\nop = \">=\"\nthreshold = 0";
    let elements = json!({"l": [{"m": "y", "a": 1}, {"m": "y", "a": 2}]});
    let place = check(&elements, &gates_file(&[gate]));
    let ran = place.judica(CHECK).exits(2);
    let ran = ran.complains(&["`/l[m=y]/a` in r.json selects 2 elements"]);
    assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
}

/// What a gate names is read, and stays as it is.
#[test]
fn outputs_over_what_a_gate_names() {
    let gate =
        "name = \"g\"\nmetric = \"/m\"\nreport = \"o.json\"\nmax_drop = 1\nbaseline = \"b.json\"";
    for output in ["--out o.json", "--markdown b.json", "--junit ./b.json"] {
        let place = check(&json!({}), &gates_file(&[gate]));
        for name in ["o.json", "b.json"] {
            place.write(name, "{\"m\": 1}");
        }
        let ran = place.judica(&format!("{CHECK} {output}")).exits(2);
        ran.complains(&["would overwrite the input"]);
        for name in ["o.json", "b.json"] {
            assert_eq!(place.text(name), "{\"m\": 1}", "{output}");
        }
    }
}

#[test]
fn operators_and_thresholds_that_are_not_known() {
    let with = |lines: &str| format!("name = \"g\"\nmetric = \"/metrics/kappa\"\n{lines}");
    for (lines, words) in [
        (
            "op = \">\"\nthreshold = 0",
            &["g.toml:12:6", "unknown operator `>`"][..],
        ),
        (
            "op = \"max_dorp\"\nthreshold = 0",
            &["g.toml:12:6", "did you mean `max_drop`?"],
        ),
        (
            "threshold = 0",
            &["g.toml:9:1", "`op` is missing", "no_significant_drop"],
        ),
        (
            "op = 3\nthreshold = 0",
            &["g.toml:12:6", "`op` is a string, not an integer"],
        ),
        ("op = \">=\"", &["g.toml:9:1", "`threshold` is missing"]),
        (
            "op = \">=\"\nthreshold = \"0.5\"",
            &["g.toml:13:13", "not a string"],
        ),
        ("op = \">=\"\nthreshold = nan", &["g.toml:13:13", "nan"]),
        (
            "op = \">=\"\nthreshold = inf",
            &["g.toml:13:13", "infinite"],
        ),
        (
            "op = \"between\"\nthreshold = 0.5",
            &["g.toml:13:13", "[lo, hi]"],
        ),
        (
            "op = \"between\"\nthreshold = [1, 0]",
            &["g.toml:13:13", "did you mean [0, 1]?"],
        ),
        (
            "op = \"max_drop\"\nthreshold = -0.1",
            &["g.toml:13:13", "did you mean 0.1?"],
        ),
        (
            "op = \"==\"\nthreshold = 0\ntolerance = -1",
            &["g.toml:14:13", "negative"],
        ),
        (
            "op = \"no_significant_drop\"\nalpha = 5",
            &["g.toml:13:9", "between 0 and 1"],
        ),
        (
            "op = \"no_significant_drop\"\nthreshold = 5",
            &["g.toml:13:1", "`alpha`"],
        ),
    ] {
        refuses(&with(lines), words);
    }
}

#[test]
fn keys_that_are_not_known_or_mean_nothing() {
    let with = |line: &str| {
        format!("name = \"g\"\nmetric = \"/metrics/kappa\"\nop = \">=\"\nthreshold = 0\n{line}")
    };
    refuses(
        &with("treshold = 1"),
        &[
            "g.toml:14:1",
            "unknown key `treshold`",
            "did you mean `threshold`?",
        ],
    );
    refuses(
        &with("tolerance = 1"),
        &[
            "g.toml:14:1",
            "`tolerance` means nothing to `>=`",
            "it belongs to ==",
        ],
    );
    refuses(
        &with("items = \"/x\""),
        &["g.toml:14:1", "it belongs to no_significant_drop"],
    );
    refuses(&with("baseline = \"x\""), &["g.toml:14:1", "max_drop"]);
    refuses(&with("threshold = 2"), &["g.toml:14:1", "duplicate key"]);
}

#[test]
fn names_are_unique_and_there() {
    let named =
        |name: &str| format!("{name}metric = \"/metrics/kappa\"\nop = \">=\"\nthreshold = 0");
    refuses(
        &named("name = \"good\"\n"),
        &["g.toml:10:8", "two gates called `good`"],
    );
    refuses(
        &named("name = \" \"\n"),
        &["g.toml:10:8", "cannot be empty"],
    );
    refuses(&named("name = 7\n"), &["g.toml:10:8", "not an integer"]);
    refuses(&named(""), &["g.toml:9:1", "`name` is missing"]);
}

#[test]
fn a_file_that_is_no_gates_file() {
    for (text, words) in [
        ("", &["g.toml:1:1", "`version = 1`", "no [[gate]]"][..]),
        ("version = 1\n", &["g.toml:1:1", "no [[gate]]"]),
        (
            "version = 2\n[[gate]]\nname = \"g\"\nmetric = \"/m\"\nop = \">=\"\nthreshold = 0",
            &["g.toml:1:11", "version 2"],
        ),
        ("version = 1\ngate = 3\n", &["g.toml:2:8", "[[gate]]"]),
        (
            "version = 1\ngates = []\n",
            &["g.toml:2:1", "unknown key `gates`", "did you mean `gate`?"],
        ),
        ("version = 1\n[[gate]\n", &["g.toml:2:"]),
        ("version = 1\nname = \"é\" x\n", &["g.toml:2:12"]),
    ] {
        with_gates(text).judica(CHECK).exits(2).complains(words);
    }
    let place = with_gates("");
    place.write("g.toml", b"version = 1\n# \xff\n");
    place
        .judica(CHECK)
        .exits(2)
        .complains(&["g.toml", "not UTF-8"]);
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let gates = gates_file(&[
        "name = \"a\"\nmetric = \"/metrics/kapa\"\nop = \">=\"\nthreshold = 0",
        GOOD,
        "name = \"b\"\nmetric = \"/metrics/kapa\"\nop = \">=\"\nthreshold = 0",
    ]);
    let ran = with_gates(&gates).judica(CHECK).exits(2);
    let ran = ran.complains(&["g.toml:5:10: gate `a`", "g.toml:17:10: gate `b`"]);
    assert_eq!(ran.stderr.matches("no metric at").count(), 2);
    assert!(!ran.stderr.contains("gate `good`"));
}

#[test]
fn reports_that_cannot_be_read() {
    let place = with_gates(&gates_file(&[GOOD]));
    place.write("r.json", "{\"metrics\":\n {\"kappa\": 0.5,}}");
    place
        .judica(CHECK)
        .exits(2)
        .complains(&["r.json:2:", "one JSON document"]);
    place.write("r.json", "{} {}");
    place.judica(CHECK).exits(2).complains(&["r.json:1:4"]);
    std::fs::remove_file(place.path("r.json")).expect("removed");
    place
        .judica(CHECK)
        .exits(3)
        .complains(&["r.json", "SYSTEM_ERROR"]);
    place.write("r.json", "{\"metrics\": {\"kappa\": 1}}");
    std::fs::remove_file(place.path("g.toml")).expect("removed");
    place
        .judica(CHECK)
        .exits(3)
        .complains(&["g.toml", "SYSTEM_ERROR"]);
}

#[test]
fn nothing_is_written_over_an_input() {
    let place = with_gates(&gates_file(&[GOOD]));
    for (option, input) in [
        ("--out", "r.json"),
        ("--junit", "g.toml"),
        ("--markdown", "./r.json"),
    ] {
        let before = place.read(input);
        place
            .judica(&format!("{CHECK} {option} {input}"))
            .exits(2)
            .complains(&["overwrite"]);
        assert_eq!(place.read(input), before);
    }
    place
        .judica("gate check --report r.json")
        .exits(2)
        .complains(&["--gates"]);
}
