//! Gates files, good and bad.

use super::*;
use judica_data::toml_file::all_of;

fn gates(source: &str) -> Result<Vec<Gate>, String> {
    parse(&Place::new("g.toml", source)).map_err(|problems| all_of(problems).to_string())
}

fn one(body: &str) -> Result<Gate, String> {
    let source = format!("version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/m\"\n{body}\n");
    gates(&source).map(|mut gates| gates.remove(0))
}

#[test]
fn every_operator_is_read() {
    for operator in OPERATORS {
        let threshold = match operator {
            "between" => "threshold = [0, 1.5]",
            NO_SIGNIFICANT_DROP => "",
            _ => "threshold = 1_0",
        };
        let gate = one(&format!("op = \"{operator}\"\n{threshold}")).unwrap();
        assert_eq!(gate.rule.operator(), operator);
        let shown = gate.rule.threshold().to_string();
        assert!(["0 and 1.5", "0.05", "10"].contains(&shown.as_str()));
    }
    let gate = one("op = \"==\"\nthreshold = 0x10\ntolerance = 1e-9\nnote = 'why'").unwrap();
    let equal = Rule::Equal {
        target: 16.0,
        tolerance: 1e-9,
    };
    assert_eq!((gate.rule, gate.note.as_deref()), (equal, Some("why")));
    let body =
        "op = \"no_significant_drop\"\nitems = \"/i\"\nalpha = 0.01\nhigher_is_better = false";
    let test = Significance {
        alpha: 0.01,
        higher_is_better: Some(false),
        items: Some("/i".to_owned()),
    };
    assert_eq!(one(body).unwrap().rule, Rule::NoSignificantDrop(test));
}

#[test]
fn a_metric_of_a_run_is_named_with_whose_it_is() {
    let source = "version = 1\n[[gate]]\nname = 'g'\nmetric = 'matched'\nsubject = 'm'\n\
                  dataset = 'd'\nop = 'no_worse_than'\nthreshold = 0.02\n";
    let gate = gates(source).unwrap().remove(0);
    assert!(gate.is_named() && gate.rule.compares());
    assert_eq!(gate.shown(), "matched[subject=m][dataset=d]");
}

#[test]
fn mistakes_in_a_gate_are_named_with_their_place() {
    for (body, says) in [
        (
            "op = \">\"\nthreshold = 1",
            "g.toml:5:6: gate `g`: unknown operator `>` (did you mean",
        ),
        (
            "op = \"max_dorp\"\nthreshold = 1",
            "unknown operator `max_dorp` (did you mean `max_drop`?)",
        ),
        (
            "op = \"about\"\nthreshold = 1",
            "unknown operator `about` (known: >=, <=, ==",
        ),
        (
            "op = \">=\"\ntreshold = 1",
            "g.toml:6:1: gate `g`: unknown key `treshold` (did you mean `threshold`?)",
        ),
        (
            "op = \">=\"",
            "g.toml:2:1: gate `g`: `threshold` is missing: a number",
        ),
        (
            "op = \">=\"\nthreshold = \"0.9\"",
            "g.toml:6:13: gate `g`: `threshold` is a finite number, not a string",
        ),
        ("op = \">=\"\nthreshold = nan", "not nan"),
        ("op = \">=\"\nthreshold = -inf", "not infinite"),
        (
            "op = \">=\"\nthreshold = [0, 1]",
            "`threshold` is a finite number, not such an array",
        ),
        (
            "op = \"between\"\nthreshold = 0.5",
            "`threshold` is two numbers, [lo, hi], not a number",
        ),
        (
            "op = \"between\"\nthreshold = [0]",
            "`threshold` is two numbers",
        ),
        (
            "op = \"between\"\nthreshold = [1, 0]",
            "nothing lies between 1 and 0 (did you mean [0, 1]?)",
        ),
        (
            "op = \"max_drop\"\nthreshold = -0.1",
            "cannot be negative (did you mean 0.1?)",
        ),
        (
            "op = \"==\"\nthreshold = 1\ntolerance = -1",
            "a tolerance cannot be negative",
        ),
        (
            "op = \">=\"\nthreshold = 1\ntolerance = 1",
            "`tolerance` means nothing to `>=` (it belongs to ==)",
        ),
        (
            "op = \">=\"\nthreshold = 1\nbaseline = 'b'",
            "(it belongs to max_drop, max_rise, no_significant_drop, no_worse_than)",
        ),
        (
            "op = \"no_significant_drop\"\nthreshold = 1",
            "(its level is `alpha`, 0.05 unless given)",
        ),
        (
            "op = \"no_significant_drop\"\nalpha = 1.0",
            "lies between 0 and 1",
        ),
        (
            "op = \"no_significant_drop\"\nitems = \"per.item\"",
            "`per.item` is not a JSON pointer (did you mean `/per/item`?)",
        ),
        (
            "op = \"no_significant_drop\"\nhigher_is_better = 1",
            "is true or false, not an integer",
        ),
        ("op = 3\nthreshold = 1", "`op` is a string, not an integer"),
        ("threshold = 1", "`op` is missing: one of >=, <=, =="),
    ] {
        let message = one(body).unwrap_err();
        assert!(message.contains(says), "{message}\nshould say\n{says}");
    }
}

#[test]
fn mistakes_in_the_file_are_named_with_their_place() {
    let good = "[[gate]]\nname = 'a'\nmetric = ''\nop = '>='\nthreshold = 1\n";
    for (source, says) in [
        (
            format!("version = 1\n{good}{good}"),
            "g.toml:8:8: there are two gates called `a`",
        ),
        (
            good.to_owned(),
            "g.toml:1:1: a gates file begins with `version = 1`",
        ),
        (
            format!("version = 2\n{good}"),
            "g.toml:1:11: version 2 of gates files",
        ),
        (
            format!("version = '1'\n{good}"),
            "g.toml:1:11: `version` is a finite number",
        ),
        ("version = 1".to_owned(), "there is no [[gate]]"),
        ("version = 1\ngate = []".to_owned(), "there is no [[gate]]"),
        (
            "version = 1\ngate = [3]".to_owned(),
            "g.toml:2:9: a gate is a table",
        ),
        (
            "version = 1\n[gate]\nname = 'a'".to_owned(),
            "gates are written under [[gate]]",
        ),
        (
            format!("version = 1\n{}", good.replace("[[gate]]", "[[gates]]")),
            "unknown key `gates` (did you mean `gate`?)",
        ),
        (
            format!("version = 1\n{}", good.replace("''", "'/m~'")),
            "`/m~` is not a JSON pointer",
        ),
        (
            format!("version = 1\n{good}subject = 's'\n"),
            "`subject` belongs to a metric that is named, not pointed to",
        ),
        (
            format!("version = 1\n{}", good.replace("'a'", "' '")),
            "a gate's name cannot be empty",
        ),
        (
            format!("version = 1\n{}", good.replace("name = 'a'\n", "")),
            "g.toml:2:1: a gate: `name` is missing",
        ),
        (format!("version = 1\n{good}x = \n"), "g.toml:7:"),
    ] {
        let message = gates(&source).unwrap_err();
        assert!(message.contains(says), "{message}\nshould say\n{says}");
    }
}

#[test]
fn all_gates_with_a_mistake_are_named_in_the_order_of_the_file() {
    let bad = "[[gate]]\nname = 'a'\n[[gate]]\nname = 'b'\nmetric = '/~'\n";
    let message = gates(bad).unwrap_err();
    let places: Vec<&str> = message.lines().map(|line| &line[..10]).collect();
    assert_eq!(places, ["g.toml:1:1", "g.toml:1:1", "g.toml:5:1"]);
}
