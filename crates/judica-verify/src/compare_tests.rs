//! Answers of every kind against their gold, by hand.

use serde_json::{Value as Json, json};

use super::*;
use crate::checks::Checks;
use crate::protocol::file::ExtraKeys;
use crate::protocol::{Task, load};
use crate::response::{EXTRA_KEYS, FieldSink, FieldState, ResponseReader};
use crate::test_support::protocol;

struct Read {
    states: Vec<FieldState>,
    numbers: Vec<f64>,
    values: Vec<Value>,
    texts: Vec<(u32, Box<str>)>,
}

fn read(protocol: &Protocol, answer: &Json) -> Read {
    read_text(protocol, &answer.to_string())
}

fn read_text(protocol: &Protocol, answer: &str) -> Read {
    let task: &Task = &protocol.tasks[0];
    let fields = protocol.fields.len();
    let mut read = Read {
        states: vec![FieldState::Missing; fields],
        numbers: vec![f64::NAN; fields * task.horizon],
        values: vec![Value::Nothing; fields * task.horizon],
        texts: Vec::new(),
    };
    let mut sink = FieldSink {
        states: &mut read.states,
        values: &mut read.numbers,
        held: &mut read.values,
        texts: &mut read.texts,
        texts_before: 0,
    };
    let outcome = ResponseReader::new(protocol).read(answer, task, &mut sink);
    assert!(outcome.succeeded(), "{answer}");
    read
}

fn outcomes(protocol: &Protocol, answer: &Json, gold: &Json) -> Compared {
    outcomes_of(protocol, answer, gold, 1)
}

fn outcomes_of(protocol: &Protocol, answer: &Json, gold: &Json, horizon: usize) -> Compared {
    let (answer, gold) = (read(protocol, answer), read(protocol, gold));
    let known =
        |read: &'_ Read| -> (Vec<f64>, Vec<Value>) { (read.numbers.clone(), read.values.clone()) };
    let ((a, b), (c, d)) = (known(&answer), known(&gold));
    let (answer, gold) = (
        Known {
            numbers: &a,
            values: &b,
        },
        Known {
            numbers: &c,
            values: &d,
        },
    );
    compare(protocol, answer, gold, horizon)
}

#[test]
fn every_kind_has_its_error() {
    let protocol = protocol(
        r#"
[[field]]
name = "n"
limit = [0, 10]
[[field]]
name = "s"
kind = "text"
compare = "text"
[[field]]
name = "e"
kind = "text"
compare = "edit"
[[field]]
name = "k"
kind = "enum"
values = ["lo", "mid", "hi"]
order = true
aliases = { L = "lo" }
[[field]]
name = "b"
kind = "boolean"
spellings = { true = ["ja"], false = ["nein"] }
[[field]]
name = "d"
kind = "date"
format = "%d.%m.%Y"
scale = 10
[[field]]
name = "m"
kind = "datetime"
scale = 60
[[field]]
name = "x"
kind = "list"
of = "text"
[[field]]
name = "y"
kind = "list"
of = "linear"
by = "position"
scale = 4
"#,
    );
    let gold = json!({"n": 5, "s": "Große  Straße", "e": "abcd", "k": "hi", "b": true,
        "d": "01.03.2024", "m": "2024-01-01T00:00:00", "x": ["a", "a", "b"], "y": [1, 2]});
    let errors = |answer: Json| -> Vec<f64> {
        let compared = outcomes(&protocol, &answer, &gold);
        compared.fields.iter().map(|field| field.error).collect()
    };
    assert_eq!(errors(gold.clone()), [0.0; 9]);
    let answer = json!({"n": 7, "s": "GROSSE strasse", "e": "abxd", "k": "L", "b": "nein",
        "d": "29.02.2024", "m": "2024-01-01T01:00:30+01:00", "x": ["a", "c", "b"], "y": [1, 3, 9]});
    let found = errors(answer);
    let expected = [0.4, 0.0, 0.25, 1.0, 1.0, 0.1, 0.5, 1.0 / 3.0, 1.25 / 3.0];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    // Far off is at most wholly wrong; what is not of its kind was not given.
    let answer = json!({"n": 700, "s": 5, "e": null, "k": "HI", "b": "Ja", "d": "30.02.2024",
        "m": "soon", "x": "a", "y": [null]});
    assert_eq!(errors(answer), [1.0; 9]);
}

#[test]
fn nulls_are_right_invented_or_missed() {
    let protocol = protocol(
        "[[field]]\nname = \"s\"\nkind = \"text\"\nnullable = true\n[[field]]\nname = \"n\"\nnullable = true\n",
    );
    for (answer, gold, error, [right, given, wanted]) in [
        (json!({"s": null}), json!({"s": null}), 0.0, [0.0, 0.0, 0.0]),
        (json!({}), json!({"s": null}), 0.0, [0.0, 0.0, 0.0]),
        (json!({"s": "x"}), json!({"s": null}), 1.0, [0.0, 1.0, 0.0]),
        (json!({"s": null}), json!({"s": "x"}), 1.0, [0.0, 0.0, 1.0]),
        (json!({}), json!({"s": "x"}), 1.0, [0.0, 0.0, 1.0]),
        (json!({"s": "x"}), json!({"s": "x"}), 0.0, [1.0, 1.0, 1.0]),
    ] {
        let field = outcomes(&protocol, &answer, &gold).fields[0];
        assert_eq!(field.error, error, "{answer} {gold}");
        assert_eq!(
            [field.right, field.given, field.wanted],
            [right, given, wanted]
        );
    }
    // Gold that leaves a field out says nothing of it.
    let compared = outcomes(&protocol, &json!({"s": "x", "n": 1}), &json!({"n": null}));
    assert!(compared.fields[0].error.is_nan());
    assert_eq!(compared.compared, 1);
    assert_eq!(compared.wholly_right(), Some(false));
    let nothing = outcomes(&protocol, &json!({"s": "x"}), &json!({"q": 1}));
    assert_eq!(nothing.wholly_right(), None);
}

#[test]
fn a_number_that_is_missed_invented_or_garbled_is_wrong_though_it_has_no_error_of_its_own_unit() {
    let mut protocol = protocol(
        "[[field]]\nname = \"x\"\nnullable = true\n[[field]]\nname = \"c\"\nkind = \"text\"\n",
    );
    protocol.errors = Errors::Raw;
    let one = json!({"x": 1, "c": "a"});
    let none = json!({"x": null, "c": "a"});
    for (answer, gold, compared_values, right) in [
        (&one, &one, 2, true),
        (&json!({"x": 2, "c": "a"}), &one, 2, false),
        (&none, &one, 1, false),
        (&json!({"c": "a"}), &one, 1, false),
        (&json!({"x": "dunno", "c": "a"}), &one, 1, false),
        (&one, &none, 1, false),
        (&none, &none, 1, true),
    ] {
        let compared = outcomes(&protocol, answer, gold);
        let found = (compared.compared, compared.wholly_right());
        assert_eq!(found, (compared_values, Some(right)), "{answer} {gold}");
    }
    // The error that counts is the distance, whatever is right.
    let far = outcomes(&protocol, &json!({"x": 8, "c": "a"}), &one);
    assert_eq!(far.sums, [7.0, 49.0, 2.0]);
}

#[test]
fn what_is_not_of_its_kind_was_given_in_objects_of_a_list_too() {
    let protocol = protocol(
        "[[field]]\nname = \"qty\"\nat = \"/items/*/qty\"\nkind = \"integer\"\nrequired = false\n",
    );
    let gold = json!({"items": [{"qty": 14}, {"qty": 15}]});
    for (first, precision) in [(json!({"qty": "lots"}), 0.5), (json!({}), 1.0)] {
        let answer = json!({"items": [first, {"qty": 15}]});
        let qty = outcomes(&protocol, &answer, &gold).fields[0];
        assert_eq!(
            (qty.precision(), qty.recall()),
            (precision, 0.5),
            "{answer}"
        );
    }
}

#[test]
fn objects_are_matched_before_they_are_compared() {
    let fields = |key: &str| {
        format!(
            "[[field]]\nname = \"i\"\nat = \"/l/*/id\"\nkind = \"text\"\n{key}\n\
             [[field]]\nname = \"v\"\nat = \"/l/*/v\"\nkind = \"integer\"\n"
        )
    };
    let (best, keyed) = (protocol(&fields("")), protocol(&fields("key = \"id\"")));
    let gold = json!({"l": [{"id": "a", "v": 1}, {"id": "b", "v": 2}]});
    for (answer, of_best, of_keyed) in [
        (
            json!({"l": [{"id": "b", "v": 2}, {"id": "a", "v": 1}]}),
            [0.0, 0.0],
            [0.0, 0.0],
        ),
        // By key each is what it says; the best assignment makes one error less.
        (
            json!({"l": [{"id": "b", "v": 1}, {"id": "c", "v": 2}]}),
            [1.0, 0.0],
            [0.5, 1.0],
        ),
        (json!({"l": []}), [1.0, 1.0], [1.0, 1.0]),
        (
            json!({"l": [{"id": "a", "v": 1}]}),
            [1.0 / 3.0; 2],
            [1.0 / 3.0; 2],
        ),
    ] {
        let errors = |protocol: &Protocol| -> Vec<f64> {
            let compared = outcomes(protocol, &answer, &gold);
            compared.fields.iter().map(|field| field.error).collect()
        };
        let close = |found: Vec<f64>, expected: [f64; 2]| {
            let pairs = found.iter().zip(expected);
            pairs.map(|(a, b)| (a - b).abs()).all(|off| off < 1e-12)
        };
        assert!(
            close(errors(&best), of_best),
            "{answer} {:?}",
            errors(&best)
        );
        assert!(
            close(errors(&keyed), of_keyed),
            "{answer} {:?}",
            errors(&keyed)
        );
    }
}

#[test]
fn where_fields_stand() {
    let protocol = protocol(
        r#"
[[field]]
name = "n"
at = "/patient/labs/0/value"
[[field]]
name = "all"
at = "/patient/labs/*/value"
[[field]]
name = "slash"
at = "/a~1b/c~0d"
kind = "text"
required = false
[[field]]
name = "o"
kind = "object"
schema = '{"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": false}'
when = "n > 1"
"#,
    );
    let states = |answer: Json| read(&protocol, &answer).states;
    use FieldState::{Invalid, Missing, NotAsked, Null, Valid, WrongShape};
    let labs = |labs: Json| json!({"patient": {"labs": labs}, "o": {"x": 1}});
    assert_eq!(
        states(labs(json!([{"value": 2}, {"value": 3}]))),
        [Valid, Valid, Missing, Valid]
    );
    assert_eq!(
        states(
            json!({"patient": "{\"labs\": [{\"value\": 2}]}", "o": "{\"x\": 1}", "a/b": {"c~d": "t"}})
        ),
        [Valid, Valid, Valid, Valid]
    );
    assert_eq!(
        states(labs(json!([{"value": 1}, {}]))),
        [Valid, Invalid, Missing, NotAsked]
    );
    assert_eq!(
        states(labs(json!(5))),
        [WrongShape, WrongShape, Missing, NotAsked]
    );
    assert_eq!(states(labs(json!([]))), [Missing, Valid, Missing, NotAsked]);
    assert_eq!(states(labs(json!(null))), [Null, Null, Missing, NotAsked]);
    assert_eq!(
        states(json!({"patient": {"labs": [{"value": 2}]}, "o": {"x": 1.5}})),
        [Valid, Valid, Missing, Invalid]
    );
    // The last of equal keys counts, with all that stands below it.
    let text = r#"{"patient": {"labs": [{"value": 2}]}, "patient": {}}"#;
    let twice: Vec<FieldState> = {
        let mut read = read(&protocol, &json!({}));
        let mut sink = FieldSink {
            states: &mut read.states,
            values: &mut read.numbers,
            held: &mut read.values,
            texts: &mut read.texts,
            texts_before: 0,
        };
        ResponseReader::new(&protocol).read(text, &protocol.tasks[0], &mut sink);
        read.states
    };
    assert_eq!(twice, [Missing, Missing, Missing, NotAsked]);
}

#[test]
fn ten_thousand_elements_are_read_and_compared() {
    let protocol = protocol(
        "[[field]]\nname = \"x\"\nkind = \"list\"\nof = \"integer\"\nmax_items = 20000\n[[field]]\nname = \"v\"\nat = \"/l/*/v\"\nkind = \"integer\"\n",
    );
    let many: Vec<u32> = (0..10_000).collect();
    let objects: Vec<Json> = many.iter().map(|v| json!({"v": v})).collect();
    let answer = json!({"x": many, "l": objects});
    let compared = outcomes(&protocol, &answer, &answer);
    assert_eq!(compared.wholly_right(), Some(true));
    Checks::new(&protocol).expect("few checks");
}

#[test]
fn what_fields_cannot_be() {
    let mistakes = |fields: &str| -> Vec<String> {
        let source = format!(
            "[protocol]\nname=\"p\"\nversion=\"1\"\n[[task]]\nname=\"t\"\nshape=\"scalar\"\n{fields}\n[scores]\nweights = {{ availability = 0, constraint_satisfaction = 0, conditional_error = 1 }}\nmae_weight = 1\nrmse_weight = 0\nmae_curve = [[0, 100], [1, 0]]\nrmse_curve = [[0, 100], [1, 0]]\n"
        );
        match load::parse(&source, "p.toml") {
            Ok(_) => Vec::new(),
            Err(errors) => errors.0.into_iter().map(|error| error.message).collect(),
        }
    };
    for (field, message) in [
        (
            "name = \"a\"\nkind = \"text\"\npattern = \"(?=x)\"",
            "no pattern: look-around",
        ),
        (
            "name = \"a\"\nkind = \"text\"\nlimit = [0, 1]",
            "`limit` is for kind linear, angle, integer, not text",
        ),
        (
            "name = \"a\"\nkind = \"enum\"",
            "an enum needs its `values`",
        ),
        (
            "name = \"a\"\nkind = \"enum\"\nvalues = []",
            "an empty list allows nothing",
        ),
        (
            "name = \"a\"\nkind = \"enum\"\nvalues = [\"x\"]\naliases = { y = \"z\" }",
            "`z` is none of the values",
        ),
        (
            "name = \"a\"\nkind = \"enum\"\nvalues = [\"x\", \"y\"]\norder = [\"x\"]",
            "`order` must name every value once",
        ),
        (
            "name = \"a\"\nkind = \"date\"\nearliest = \"2023-02-29\"",
            "`2023-02-29` is no date",
        ),
        (
            "name = \"a\"\nkind = \"date\"\nformat = \"%Q\"",
            "no format of strftime",
        ),
        (
            "name = \"a\"\nkind = \"date\"\nformat = \"%d/%m\"",
            "no date can be read by this format: it needs year, month and day",
        ),
        (
            "name = \"a\"\nkind = \"datetime\"\nformat = \"%d.%m.%Y\"",
            "no datetime can be read by this format",
        ),
        ("name = \"a\"\nkind = \"list\"", "a list needs `of`"),
        (
            "name = \"a\"\nkind = \"list\"\nof = \"list\"",
            "a list of lists",
        ),
        (
            "name = \"a\"\nkind = \"object\"",
            "an object needs its `schema`",
        ),
        (
            "name = \"a\"\nkind = \"object\"\nschema = \"no.json\"",
            "`no.json` is no JSON file",
        ),
        (
            "name = \"a\"\nkind = \"object\"\nschema = '{\"type\": 5}'",
            "no JSON Schema",
        ),
        (
            "name = \"a\"\nat = \"b/c\"",
            "a JSON pointer begins with `/`",
        ),
        ("name = \"a\"\nat = \"/b/*/c/*\"", "`*` can stand once"),
        (
            "name = \"a\"\nat = \"/b/*/c\"\nkey = \"id\"",
            "no field stands at key `id`",
        ),
        ("name = \"a b\"", "the field needs an `alias`"),
        (
            "name = \"a\"\nmin_items = 1",
            "`min_items` is for kind list",
        ),
        (
            "name = \"a\"\nkind = \"text\"\ncompare = \"txt\"",
            "no comparison is called `txt`",
        ),
        (
            "name = \"a\"\nscale = 0",
            "`scale` must be a positive number",
        ),
        (
            "name = \"a\"\nkind = \"boolean\"\nspellings = { true = [\"y\"], false = [\"y\"] }",
            "cannot be both",
        ),
    ] {
        let found = mistakes(&format!("[[field]]\n{field}"));
        assert!(
            found.iter().any(|told| told.contains(message)),
            "{field}: {found:?}"
        );
    }
}

#[test]
fn null_in_the_objects_of_a_list_is_an_answer_only_where_it_may_be_one() {
    let state = |required: bool, nullable: bool, element: Json| {
        let fields = format!(
            "[[field]]\nname = \"v\"\nat = \"/labs/*/v\"\nrequired = {required}\nnullable = \
             {nullable}\n[[field]]\nname = \"n\"\nat = \"/labs/*/n\"\nkind = \"text\"\n"
        );
        read(&protocol(&fields), &json!({"labs": [element]})).states[0]
    };
    let (null, absent) = (json!({"n": "a", "v": null}), json!({"n": "a"}));
    for required in [false, true] {
        assert_eq!(state(required, false, null.clone()), FieldState::Invalid);
        assert_eq!(state(required, true, null.clone()), FieldState::Valid);
    }
    for nullable in [false, true] {
        assert_eq!(state(true, nullable, absent.clone()), FieldState::Invalid);
        assert_eq!(state(false, nullable, absent.clone()), FieldState::Valid);
    }
}

#[test]
fn null_in_place_of_steps_has_the_wrong_shape() {
    let mut protocol = protocol("[[field]]\nname = \"x\"\nkind = \"integer\"\n");
    protocol.tasks[0].shape = crate::protocol::Shape::Array;
    protocol.tasks[0].horizon = 3;
    let found = read(&protocol, &json!({"x": null}));
    assert_eq!(found.states, [FieldState::WrongShape]);
    protocol.fields[0].nullable = true;
    let found = read(&protocol, &json!({"x": null}));
    assert_eq!(found.states, [FieldState::Null]);
}

#[test]
fn what_the_elements_of_a_list_should_be_names_their_limit() {
    let fields = "[[field]]\nname = \"v\"\nkind = \"list\"\nof = \"integer\"\nlimit = [0, 100]\n";
    let field = &protocol(fields).fields[0];
    assert_eq!(
        field.expected(),
        "a list of items, each a whole number from 0 to 100"
    );
}

#[test]
fn null_among_steps_is_an_answer_where_it_may_be_one() {
    let mut protocol = protocol("[[field]]\nname = \"x\"\nnullable = true\n");
    protocol.tasks[0].shape = crate::protocol::Shape::Array;
    protocol.tasks[0].horizon = 3;
    let gold = json!({"x": [1, null, 3]});
    let found = read(&protocol, &gold);
    assert_eq!(found.states, [FieldState::Valid]);
    assert!(found.texts.is_empty());
    let against = |answer: Json| {
        let compared = outcomes_of(&protocol, &json!({"x": answer}), &gold, 3);
        let field = compared.fields[0];
        (field.right, field.given, field.wanted, field.error)
    };
    assert_eq!(against(json!([1, null, 3])), (2.0, 2.0, 2.0, 0.0));
    // Invented, and missed.
    assert_eq!(against(json!([1, 2, 3])), (2.0, 3.0, 2.0, 1.0 / 3.0));
    assert_eq!(against(json!([null, null, 3])), (1.0, 1.0, 2.0, 1.0 / 3.0));
    protocol.fields[0].nullable = false;
    assert_eq!(read(&protocol, &gold).states, [FieldState::Invalid]);
}

#[test]
fn a_list_of_objects_that_is_not_there_is_missed_also_where_the_gold_is_empty() {
    let protocol = protocol(
        "[[field]]\nname = \"v\"\nat = \"/os/*/v\"\nrequired = false\n[[field]]\nname = \
         \"l\"\nkind = \"list\"\nof = \"integer\"\nrequired = false\n",
    );
    let gold = json!({"os": [], "l": []});
    for answer in [json!({}), json!({"os": null, "l": null})] {
        let compared = outcomes(&protocol, &answer, &gold);
        let errors: Vec<f64> = compared.fields.iter().map(|field| field.error).collect();
        assert_eq!(errors, [1.0, 1.0], "{answer}");
        assert_eq!(compared.wholly_right(), Some(false), "{answer}");
    }
    let compared = outcomes(&protocol, &gold, &gold);
    assert_eq!(compared.wholly_right(), Some(true));
}

#[test]
fn objects_without_a_key_meet_each_other() {
    let protocol = protocol(
        "[[field]]\nname = \"id\"\nat = \"/xs/*/id\"\nkind = \"text\"\nrequired = false\n[[field]]\n\
         name = \"v\"\nat = \"/xs/*/v\"\nkey = \"id\"\n",
    );
    let gold = json!({"xs": [{"id": null, "v": 1}, {"id": "b", "v": 2}, {"v": 3}]});
    let answer = json!({"xs": [{"id": "b", "v": 2}, {"v": 1}, {"id": null, "v": 3}]});
    for said in [&gold, &answer] {
        let compared = outcomes(&protocol, said, &gold);
        assert_eq!(compared.wholly_right(), Some(true), "{said}");
    }
}

#[test]
fn there_is_no_recall_of_a_list_of_objects_without_a_value() {
    let protocol = protocol("[[field]]\nname = \"o\"\nat = \"/os/*/o\"\nnullable = true\n");
    let gold = json!({"os": [{"o": null}]});
    let compared = outcomes(&protocol, &json!({"os": 5}), &gold);
    assert!(compared.fields[0].recall().is_nan());
    assert_eq!(compared.fields[0].precision(), 0.0);
}

#[test]
fn elements_of_the_gold_that_cannot_be_used_count_against_nobody() {
    let of = |by: &str| {
        protocol(&format!(
            "[[field]]\nname = \"l\"\nkind = \"list\"\nof = \"integer\"\nby = \"{by}\"\n[[field]]\nname \
             = \"v\"\nat = \"/os/*/v\"\n[[field]]\nname = \"w\"\nat = \"/os/*/w\"\n"
        ))
    };
    let objects = |v: Json, w: Json| json!([{"v": 1, "w": 5}, {"v": v, "w": w}]);
    let gold = json!({"l": [1, "?", 3], "os": objects(json!("?"), json!(7))});
    for (by, list) in [("set", json!([3, 1])), ("position", json!([1, 2, 3]))] {
        let answer = json!({"l": list, "os": objects(json!(2), json!(7))});
        let compared = outcomes(&of(by), &answer, &gold);
        assert_eq!(compared.wholly_right(), Some(true), "{by}: {compared:?}");
        let counts = |field: usize| {
            let field = compared.fields[field];
            (field.right, field.given, field.wanted)
        };
        assert_eq!(counts(0), (2.0, 2.0, 2.0), "{by}");
        assert_eq!(counts(1), (1.0, 1.0, 1.0), "{by}");
        assert_eq!(counts(2), (2.0, 2.0, 2.0), "{by}");
    }
    // What can be used is still missed.
    let compared = outcomes(&of("set"), &json!({"l": [1], "os": []}), &gold);
    assert_eq!(compared.fields[0].recall(), 0.5);
    assert_eq!(compared.fields[1].error, 1.0);
    // Of no use at all: nothing is compared.
    let gold = json!({"l": ["?"], "os": [{"v": null, "w": 1}]});
    let compared = outcomes(
        &of("set"),
        &json!({"l": [1], "os": [{"v": 3, "w": 1}]}),
        &gold,
    );
    assert!(compared.fields[0].error.is_nan() && compared.fields[1].error.is_nan());
    assert_eq!(compared.wholly_right(), Some(true));
}

#[test]
fn a_null_in_a_set_counts_the_same_wherever_it_stands() {
    let protocol = protocol("[[field]]\nname = \"l\"\nkind = \"list\"\nof = \"text\"\n");
    let gold = json!({"l": [null, "a"]});
    for answer in [json!({"l": [null, "a"]}), json!({"l": ["a", null]})] {
        let list = outcomes(&protocol, &answer, &gold).fields[0];
        assert_eq!([list.right, list.given, list.wanted], [1.0, 2.0, 1.0]);
        assert_eq!(list.error, 1.0 - 2.0 / 3.0, "{answer}");
    }
}

#[test]
fn keys_that_nobody_knows_go_with_the_object_that_a_later_one_replaces() {
    let mut protocol = protocol(
        "[[field]]\nname = \"x\"\nat = \"/p/x\"\n[[field]]\nname = \"y\"\nat = \"/l/*/o/y\"\n",
    );
    protocol.extra_keys = ExtraKeys::Critical;
    for (answer, extra) in [
        (r#"{"p": {"x": 1, "q": 1}, "p": {"x": 1}}"#, None),
        (r#"{"p": {"x": 1, "q": 1}, "p": null}"#, None),
        (r#"{"p": {"x": 1, "q": 1}, "r": 2}"#, Some("/p/q, r")),
        (r#"{"p": {"q": 1}, "p": {"s": 1}}"#, Some("/p/s")),
        (
            r#"{"l": [{"o": {"q": 1}}, {"o": {}, "o": {"y": 1}}]}"#,
            Some("/l/o/q"),
        ),
        (r#"{"l": [{"o": {"q": 1}, "o": {}}], "p": {}}"#, None),
    ] {
        let read = read_text(&protocol, answer);
        let told = read.texts.iter().find(|(slot, _)| *slot == EXTRA_KEYS);
        assert_eq!(told.map(|(_, text)| &**text), extra, "{answer}");
    }
}
