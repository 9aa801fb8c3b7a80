use super::*;
use proptest::prelude::*;

fn texts(level: Level, values: &[&str]) -> (Vec<Result<u32, NoCode>>, Categories) {
    let mut scale = Scale::new(level, None).unwrap();
    let codes = values
        .iter()
        .map(|text| scale.code(Field::text(text), &mut String::new()))
        .collect();
    let used: Vec<u32> = (0..scale.codes() as u32).collect();
    (codes, scale.finish(&used))
}

#[test]
fn names_are_in_the_order_of_their_code_points() {
    let (codes, found) = texts(Level::Nominal, &["no", "Yes", "no", "10", "\u{e9}"]);
    assert_eq!(codes, [Ok(0), Ok(1), Ok(0), Ok(2), Ok(3)]);
    assert_eq!(found.labels, ["10", "Yes", "no", "\u{e9}"]);
    assert_eq!(found.recoded, [2, 1, 0, 3]);
    assert_eq!(found.values, [1.0, 2.0, 3.0, 4.0]);
    assert!(!found.ordered && !found.merged);
}

#[test]
fn names_that_are_all_numbers_are_in_the_order_of_the_numbers() {
    let (_, found) = texts(Level::Nominal, &["10", "9", "1.0", "1", "-2.50"]);
    assert_eq!(found.labels, ["-2.50", "1", "9", "10"]);
    assert_eq!(found.recoded, [3, 2, 1, 1, 0]);
    assert_eq!(found.values, [-2.5, 1.0, 9.0, 10.0]);
    assert!(found.ordered && found.merged);
    let (_, found) = texts(Level::Nominal, &["1", "1.0", "x"]);
    assert_eq!(found.labels, ["1", "1.0", "x"]);
}

#[test]
fn long_identifiers_are_not_rounded_together() {
    let ids = ["9007199254740993", "9007199254740992", "9007199254740995"];
    let (_, found) = texts(Level::Nominal, &ids);
    assert_eq!(found.count, 3);
    assert_eq!(found.values, [1.0, 2.0, 3.0]);
    // Nor are they called so, however often each is written.
    let labels = ["0.5", "9007199254740992.0", "9007199254740993"];
    let mut spelt = ["993", "992.0", "993.0", "992"].map(|end| format!("9007199254740{end}"));
    for _ in 0..2 {
        let all: Vec<&str> = spelt.iter().map(String::as_str).chain(["0.5"]).collect();
        assert_eq!(texts(Level::Nominal, &all).1.labels, labels, "{all:?}");
        spelt.reverse();
    }
}

#[test]
fn numbers_and_what_is_none() {
    for level in [Level::Interval, Level::Ratio] {
        let values = [
            "2", "1e0", " 2.0 ", "-0", "0", "nan", "-Inf", "1e999", "NA", "x",
        ];
        let (codes, found) = texts(level, &values);
        assert_eq!(codes[..5], [Ok(0), Ok(1), Ok(0), Ok(2), Ok(2)]);
        for code in &codes[5..8] {
            assert!(
                matches!(code, Err(NoCode::Refused("not_finite", _))),
                "{code:?}"
            );
        }
        for code in &codes[8..] {
            assert!(
                matches!(code, Err(NoCode::Refused("not_a_number", _))),
                "{code:?}"
            );
        }
        assert_eq!(found.labels, ["0", "1", "2"]);
        assert_eq!(found.recoded, [2, 1, 0]);
    }
}

#[test]
fn text_has_no_order_of_its_own() {
    let (codes, _) = texts(Level::Ordinal, &["1", "high", "NaN"]);
    assert_eq!(codes[..2], [Ok(0), Err(NoCode::NeedsOrder)]);
    assert!(matches!(codes[2], Err(NoCode::Refused("not_finite", _))));
    let mut scale = Scale::new(Level::Ordinal, None).unwrap();
    let code = scale.code(Field::Boolean(true), &mut String::new());
    assert_eq!(code, Err(NoCode::NeedsOrder));
}

#[test]
fn an_order_refuses_what_is_not_in_it() {
    let order = ["low", "high"].map(str::to_owned);
    for level in [Level::Nominal, Level::Ordinal] {
        let mut scale = Scale::new(level, Some(Listed::Order(&order))).unwrap();
        let mut code = |text| scale.code(Field::text(text), &mut String::new());
        assert_eq!(code("high"), Ok(1));
        assert!(matches!(
            code("mid"),
            Err(NoCode::Refused("unknown_value", _))
        ));
        let found = scale.finish(&[1]);
        assert_eq!((found.labels, found.recoded), (order.to_vec(), vec![0, 1]));
    }
    assert!(Scale::new(Level::Interval, Some(Listed::Order(&order))).is_err());
}

#[test]
fn json_values() {
    let mut scale = Scale::new(Level::Nominal, None).unwrap();
    let mut code = |field| scale.code(field, &mut String::new());
    assert_eq!(code(Field::Number(1.0, "1")), Ok(0));
    assert_eq!(code(Field::Number(1.0, "1.0")), Ok(0));
    assert_eq!(code(Field::Text("1")), Ok(0));
    assert_eq!(code(Field::Boolean(false)), Ok(1));
    assert_eq!(code(Field::Text("false")), Ok(1));
    assert!(matches!(
        code(Field::Nested("an array")),
        Err(NoCode::Refused("wrong_type", _))
    ));
    let nan = code(Field::Number(f64::NAN, "NaN"));
    assert!(matches!(nan, Err(NoCode::Refused("not_finite", _))));
    let mut scale = Scale::new(Level::Ratio, None).unwrap();
    let truth = scale.code(Field::Boolean(true), &mut String::new());
    assert!(matches!(truth, Err(NoCode::Refused("not_a_number", _))));
}

#[test]
fn the_same_value_under_two_codes() {
    let mut scale = Scale::new(Level::Nominal, None).unwrap();
    let codes = ["1", "1.0", "x", "y"].map(|t| scale.code(Field::text(t), &mut String::new()));
    let [one, one_point, x, y] = codes.map(|code| code.unwrap());
    assert!(scale.same(one, one_point) && scale.same(x, x));
    assert!(!scale.same(one, x) && !scale.same(x, y));
    assert_eq!(scale.label(one_point), "1.0");
}

#[test]
fn a_value_that_was_never_taken_is_no_category() {
    let mut scale = Scale::new(Level::Nominal, None).unwrap();
    for text in ["10", "x", "9"] {
        scale.code(Field::text(text), &mut String::new()).unwrap();
    }
    let found = scale.finish(&[0, 2]);
    assert_eq!(found.labels, ["9", "10"]);
    assert_eq!((found.recoded[0], found.recoded[2]), (1, 0));
}

#[test]
fn many_categories_are_not_named() {
    let values: Vec<String> = (0..51).map(|v| v.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    for level in [Level::Nominal, Level::Interval] {
        let (_, found) = texts(level, &values);
        assert_eq!((found.count, found.labels.len()), (51, 0));
    }
}

proptest! {
    #[test]
    fn categories_do_not_depend_on_the_order_of_rows(
        (values, shuffled) in prop::collection::vec(
            prop_oneof!["[0-3](\\.0)?", "[a-c]", "-?[0-9]{1,3}"], 1..20,
        ).prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle())),
        mixed: bool,
    ) {
        let keep = |v: &&String| mixed || people_number(v).is_some();
        let read = |values: &[String]| {
            let kept: Vec<&str> = values.iter().filter(keep).map(String::as_str).collect();
            let (codes, found) = texts(Level::Nominal, &kept);
            let places: std::collections::BTreeMap<String, u32> = kept
                .iter()
                .zip(codes)
                .map(|(text, code)| (text.to_string(), found.recoded[code.unwrap() as usize]))
                .collect();
            (found.labels, found.values, places)
        };
        let (labels, values, places) = read(&values);
        prop_assert!(values.is_sorted_by(|a, b| a < b));
        prop_assert_eq!((labels, values, places), read(&shuffled));
    }
}

#[test]
fn whole_numbers_that_no_double_holds_are_refused() {
    let mut scale = Scale::new(Level::Ordinal, None).unwrap();
    let mut code = |written: &str| {
        let number = written.trim().parse().unwrap();
        let code = scale.code(Field::Number(number, written), &mut String::new());
        assert_eq!(code, scale.code(Field::Text(written), &mut String::new()));
        code
    };
    // 2^53 and the double after it; what lies between is neither.
    assert_eq!(code("9007199254740992"), Ok(0));
    assert_eq!(code("9007199254740994.00"), Ok(1));
    assert_eq!(code(" 009007199254740992. "), Ok(0));
    for written in [
        "9007199254740993",
        "-9007199254740993.0",
        "9007199254740992.5",
    ] {
        let NoCode::Refused(reason, detail) = code(written).unwrap_err() else {
            panic!("{written}");
        };
        assert_eq!(reason, "inexact_number");
        assert!(detail.contains(written), "{detail}");
    }
    // Whoever writes an exponent means a double.
    assert_eq!(code("1e300"), Ok(2));
    assert_eq!(code("9007199254740991"), Ok(3));
}

#[test]
fn an_order_takes_no_neighbour_for_a_value() {
    let listed = ["9007199254740992", "9007199254740993"].map(str::to_owned);
    let mut scale = Scale::new(Level::Ordinal, Some(Listed::Order(&listed))).unwrap();
    let mut code = |text: &str| scale.code(Field::Text(text), &mut String::new());
    assert_eq!((code(&listed[0]), code(&listed[1])), (Ok(0), Ok(1)));
    assert_eq!(code("9007199254740993.0"), Ok(1));
    assert!(code("9007199254740994").is_err());
    assert_eq!(scale.finish(&[0, 1]).values, [1.0, 2.0]);
}
