use super::*;
use proptest::prelude::*;

static FIELDS: [Field; 3] = [
    Field {
        name: "gold",
        aliases: &["expected", "gold", "reference"],
        missing: "missing_gold",
    },
    field("prediction", &["generated", "prediction"]),
    field("subject", &["model", "author"]),
];

#[test]
fn names_of_several_parts_are_told_apart() {
    assert_eq!(joined(&["q", "1"]), "q/1");
    assert_eq!(joined(&["x/y", "~z"]), "x~1y/~0z");
    let names = [
        ["x/y", "z"],
        ["x", "y/z"],
        ["x/", "y"],
        ["x", "/y"],
        ["x~1", "y"],
    ];
    for one in names {
        let alike = names.iter().filter(|other| joined(*other) == joined(&one));
        assert_eq!(alike.count(), 1, "{one:?}");
    }
}

#[test]
fn an_epoch_is_a_whole_number_from_1_or_is_not_told() {
    static EPOCH: [Field; 1] = [field("epoch", &["epoch"])];
    let door = Door::new(&EPOCH);
    let told = |value: &str| {
        let row = format!(r#"{{"epoch": {value}}}"#);
        let row = door.read(row.as_bytes()).unwrap();
        row.epoch(0).map_err(|refusal| refusal.reason)
    };
    for (value, epoch) in [
        ("null", 1),
        (r#"" ""#, 1),
        ("2", 2),
        (r#""3""#, 3),
        ("2.0", 2),
    ] {
        assert_eq!(told(value), Ok(epoch), "{value}");
    }
    for value in [
        "0",
        "-3",
        "2.5",
        "2147483648",
        "true",
        "[2]",
        r#""first""#,
        r#""0""#,
        "NaN",
    ] {
        assert_eq!(told(value), Err("bad_epoch"), "{value}");
    }
    let long = bad_epoch(&"é".repeat(5000)).detail;
    assert!(long.len() < 200, "{long}");
}

fn texts(door: &Door<3>, text: &str) -> Result<[Option<String>; 3], &'static str> {
    let row = door
        .read(text.as_bytes())
        .map_err(|refusal| refusal.reason)?;
    Ok([0, 1, 2].map(|slot| row.get(slot).map(|value| value.text().into_owned())))
}

#[test]
fn the_first_name_whose_value_is_not_null_counts_and_of_equal_keys_the_last() {
    let door = Door::new(&FIELDS);
    let gold = |text: &str| texts(&door, text).map(|[gold, ..]| gold.unwrap_or_default());
    for (text, expected) in [
        (r#"{"reference": "r", "gold": "g"}"#, "g"),
        (r#"{"gold": "g", "expected": null, "reference": "r"}"#, "g"),
        (r#"{"gold": "a", "gold": "b"}"#, "b"),
        (r#"{"expected": "a", "gold": "b", "expected": null}"#, "b"),
        (r#"{"expected": null, "gold": "b", "expected": "a"}"#, "a"),
        (r#"{"expected": "a", "expected": null}"#, ""),
        (r#"{"gold": 1.50}"#, "1.50"),
        (r#"{"\u0067old": true}"#, "true"),
        ("{}", ""),
    ] {
        assert_eq!(gold(text), Ok(expected.to_owned()), "{text}");
    }
    for (text, reason) in [
        ("", "malformed_json"),
        ("{\"gold\": 1} x", "malformed_json"),
        ("[1]", "not_an_object"),
        ("[1", "malformed_json"),
    ] {
        assert_eq!(gold(text), Err(reason), "{text}");
    }
    let deep = |n: usize| format!("{{\"x\": {}{}}}", "[".repeat(n), "]".repeat(n));
    assert!(gold(&deep(DEPTH - 1)).is_ok());
    assert_eq!(gold(&deep(DEPTH)), Err("too_deep"));
    assert_eq!(
        door.missing(&[0]).detail,
        "no gold: expected it under `expected`, `gold`, `reference`; --column gold=NAME says where it stands"
    );
}

#[test]
fn a_field_stands_where_the_user_says() {
    let mut door = Door::new(&FIELDS);
    door.set(0, "generated");
    door.set(2, "/meta/models/1/na~1me");
    let row = r#"{"generated": "g", "gold": "x", "prediction": "p", "model": "y",
        "meta": {"models": [{}, {"na/me": "m"}]}}"#;
    let found = ["g", "p", "m"].map(|text| Some(text.to_owned()));
    assert_eq!(texts(&door, row), Ok(found));
    assert_eq!(texts(&door, r#"{"meta": [1]}"#), Ok([None, None, None]));
    assert_eq!(door.names_of(2), ["/meta/models/1/na~1me"]);
    assert!(door.is_given(0) && !door.is_given(1));
    assert_eq!(door.slot("model"), Ok(2));
    assert!(
        door.slot("colour")
            .unwrap_err()
            .ends_with("there are gold, prediction, subject")
    );
}

#[test]
fn what_users_say_of_columns_is_taken_apart() {
    let said = |said: &[&str]| {
        let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
        chosen_columns(&said).map(|found| found.len())
    };
    assert_eq!(said(&["gold=label", "input = a=b"]), Ok(2));
    for bad in [
        &["gold"][..],
        &["gold="],
        &["=x"],
        &["gold=x", "prediction=x"],
    ] {
        assert!(said(bad).is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn every_name_is_looked_at(keys in prop::collection::vec((0usize..7, 0u8..3), 0..8)) {
        const NAMES: [&str; 7] =
            ["expected", "gold", "reference", "generated", "prediction", "model", "author"];
        let members: Vec<String> = keys.iter().enumerate().map(|(at, (key, kind))| {
            let value = if *kind == 0 { "null".to_owned() } else { at.to_string() };
            format!("{:?}: {value}", NAMES[*key])
        }).collect();
        let text = format!("{{{}}}", members.join(", "));
        let last = |name: &str| {
            let at = keys.iter().rposition(|(key, _)| NAMES[*key] == name)?;
            (keys[at].1 != 0).then(|| at.to_string())
        };
        let expected = FIELDS.map(|field| field.aliases.iter().find_map(|name| last(name)));
        prop_assert_eq!(texts(&Door::new(&FIELDS), &text), Ok(expected));
    }
}
