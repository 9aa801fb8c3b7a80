//! What follows from the votes as a whole: what the panel is worth, and a label per item.

use serde_json::{Value, json};

use crate::data::{JUDGES, is, measured, panel, rows};
use crate::support::Place;

/// A judge who is right but for the items that a rule picks.
fn erring(truth: &str, errs: impl Fn(usize) -> bool) -> String {
    let flip = |letter| if letter == 'y' { 'n' } else { 'y' };
    let said = truth.chars().enumerate();
    said.map(|(item, letter)| if errs(item) { flip(letter) } else { letter })
        .collect()
}

/// 120 items, yes and no in no simple order.
fn truth() -> String {
    (0..120)
        .map(|item| if item * item % 7 < 3 { 'y' } else { 'n' })
        .collect()
}

/// Six judges of whom three copy one and three another.
fn copies() -> Place {
    let (one, two) = (
        erring(&truth(), |item| item % 5 == 0),
        erring(&truth(), |item| item % 4 == 1),
    );
    let said = ["a1", "a2", "a3"].map(|name| (name, one.as_str()));
    let more = ["b1", "b2", "b3"].map(|name| (name, two.as_str()));
    let place = panel(&[said, more].concat());
    place.write("human.json", json!(rows(&truth())).to_string());
    place
}

#[test]
fn six_judges_who_vote_like_two_are_worth_two() {
    let worth = measured(&copies(), "")["effective_judges"].clone();
    let value = worth["value"].as_f64().expect("a number");
    assert!((value - 2.0).abs() < 0.1, "{value}");
    assert_eq!([&worth["judges"], &worth["n"]], [6, 120]);
    assert_eq!(worth["basis"], "panel");
    assert_eq!(worth["experimental"], true);
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [15, 15]);
    assert_eq!(
        worth["voices"],
        json!([["a1", "a2", "a3"], ["b1", "b2", "b3"]])
    );
    let least = worth["at_least"].as_f64().expect("a number");
    assert!((1.0..=value).contains(&least), "{least}");
    copies().judica(JUDGES).exits(0).says(&[
        "6 judges are worth 2.0",
        "Vote as one (experimental): a1, a2, a3; b1, b2, b3.",
    ]);
}

/// Against people the number follows from the correlations: J² over their sum, which is
/// J / (1 + (J − 1) ρ̄) where all pairs are known.
#[test]
fn against_people_errors_are_known() {
    let place = copies();
    let worth = measured(&place, "--human human.json")["effective_judges"].clone();
    assert_eq!(worth["basis"], "human");
    assert_eq!(worth["experimental"], false);
    let [lo, hi] = [0, 1].map(|end| worth["ci"][end].as_f64().expect("an end"));
    assert!(
        (1.0..2.0).contains(&lo) && hi > 2.0 && hi <= 6.0,
        "{lo} {hi}"
    );
    let rows = worth["error_correlation"].as_array().expect("rows");
    let cells = rows.iter().flat_map(|row| row.as_array().expect("cells"));
    let sum: f64 = cells.map(|cell| cell.as_f64().expect("a number")).sum();
    is(&worth, 36.0 / sum);
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.as_array().expect("cells").iter().enumerate() {
            let cell = cell.as_f64().expect("a number");
            if row / 3 == column / 3 {
                assert!((cell - 1.0).abs() < 1e-12, "{row} {column}: {cell}");
            } else {
                // 24 and 30 errors of 120, on 5, 25, … both: 6/120 is just 0.2 · 0.25.
                assert!(cell.abs() < 1e-12, "{row} {column}: {cell}");
            }
        }
    }
    is(&worth, 2.0);
}

/// 60 items of which the last judge saw `seen`, and votes on these like the first two.
fn through_a_third(seen: usize) -> Place {
    let truth: String = truth().chars().take(60).collect();
    let one = erring(&truth, |item| item % 5 == 0);
    let few: String = one
        .chars()
        .enumerate()
        .map(|(item, letter)| if item < seen { letter } else { '-' })
        .collect();
    let two = erring(&truth, |item| item % 4 == 1);
    let three = erring(&truth, |item| item % 3 == 2);
    panel(&[
        ("a1", &one),
        ("a2", &one),
        ("few", &few),
        ("b", &two),
        ("c", &three),
    ])
}

/// A judge who shares few items with others is one of its own: nothing is known of it.
#[test]
fn judges_who_share_few_items_are_unknown_and_not_joined() {
    let place = through_a_third(12);
    let worth = measured(&place, "")["effective_judges"].clone();
    assert_eq!(worth["min_common"], 20);
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [10, 6]);
    let voices = worth["voices"].as_array().expect("voices");
    assert!(voices.contains(&json!(["a1", "a2"])), "{voices:?}");
    assert!(voices.contains(&json!(["few"])), "{voices:?}");
    // Judges are in the order of their names: a1, a2, b, c, few.
    for other in 0..4 {
        assert_eq!(worth["error_correlation"][4][other], Value::Null);
    }
    place.judica(JUDGES).exits(0).says(&[
        "Of 10 pairs of judges 4 are left out",
        "Vote as one (experimental): a1, a2.",
    ]);
    // Twelve are enough if the user says so.
    let worth = measured(&place, "--min-common 12")["effective_judges"].clone();
    let voices = worth["voices"].as_array().expect("voices");
    assert!(voices.contains(&json!(["a1", "a2", "few"])), "{voices:?}");
    for bad in ["0", "-1", "nan", "1.5"] {
        let line = format!("{JUDGES} --min-common={bad}");
        place.judica(&line).exits(2).complains(&["--min-common"]);
    }
}

/// Less than half of the pairs are known: there is no number, and it says why.
#[test]
fn too_few_known_pairs_have_no_worth() {
    let place = panel(&[("ana", "ynyynn"), ("ben", "yynnyn"), ("cal", "nynyyn")]);
    let report = measured(&place, "");
    let worth = &report["effective_judges"];
    is(worth, None);
    let why = worth["undefined"].as_str().expect("a reason");
    assert!(why.contains("--min-common") && why.contains("20"), "{why}");
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [3, 0]);
    assert!(measured(&place, "--min-common 6")["effective_judges"]["undefined"].is_null());
}

#[test]
fn independent_judges_are_worth_themselves() {
    let errs: [fn(usize) -> bool; 4] = [
        |item| item % 5 == 0,
        |item| item % 4 == 1,
        |item| item % 3 == 2,
        |item| item % 7 == 3,
    ];
    let said = errs.map(|errs| erring(&truth(), errs));
    let names = ["ana", "ben", "cal", "dan"];
    let named: Vec<(&str, &str)> = names
        .iter()
        .zip(&said)
        .map(|(name, said)| (*name, said.as_str()))
        .collect();
    let place = panel(&named);
    place.write("human.json", json!(rows(&truth())).to_string());
    let worth = measured(&place, "--human human.json")["effective_judges"]["value"].as_f64();
    assert!(
        worth.is_some_and(|worth| worth > 3.5 && worth <= 4.0),
        "{worth:?}"
    );
    let worth = measured(&place, "")["effective_judges"]["value"].as_f64();
    assert!(
        worth.is_some_and(|worth| worth > 3.0 && worth <= 4.0),
        "{worth:?}"
    );
}

#[test]
fn two_judges_alone_cannot_tell() {
    let report = measured(&panel(&[("ana", "ynyn"), ("ben", "yynn")]), "");
    is(&report["effective_judges"], None);
    let why = report["effective_judges"]["undefined"].as_str();
    assert!(why.is_some_and(|why| why.contains('3')), "{why:?}");
}

/// Three judges of different skill, one of whom skips items.
fn skilled() -> Place {
    let good = erring(&truth(), |item| item % 20 == 3);
    let fair = erring(&truth(), |item| item % 6 == 1);
    let poor = erring(&truth(), |item| item % 3 == 2);
    let poor: String = poor
        .chars()
        .enumerate()
        .map(|(item, letter)| if item % 11 == 0 { '-' } else { letter })
        .collect();
    let place = panel(&[("good", &good), ("fair", &fair), ("poor", &poor)]);
    place.write("human.json", json!(rows(&truth())).to_string());
    place
}

#[test]
fn dawid_skene_finds_who_errs() {
    let report = measured(&skilled(), "--aggregate dawid-skene --human human.json");
    let found = &report["aggregate"];
    assert_eq!(found["method"], "dawid-skene");
    assert_eq!(found["converged"], true);
    assert!(found["iterations"].as_u64().is_some_and(|n| n > 0));
    let skill = |at: usize| {
        let judge = &found["judges"][at];
        let of = |key: &str| judge[key].as_f64().expect("a rate");
        (
            judge["judge"].clone(),
            (of("sensitivity") + of("specificity")) / 2.0,
        )
    };
    let [(fair, middling), (good, best), (poor, least)] = [0, 1, 2].map(skill);
    assert_eq!([fair, good, poor], ["fair", "good", "poor"]);
    assert!(
        best > middling && middling > least,
        "{best} {middling} {least}"
    );
    let human = &found["human"];
    assert_eq!(human["n"], 120);
    assert!(
        human["accuracy"]["value"]
            .as_f64()
            .is_some_and(|share| share > 0.85),
        "{human}"
    );
    let labels = ["no", "yes", "even"].map(|key| found["labels"][key].as_u64().expect("a count"));
    assert_eq!(labels.iter().sum::<u64>(), 120);
}

/// At rest, the rates give the beliefs and the beliefs give the rates.
#[test]
fn dawid_skene_is_at_rest() {
    let found = measured(&skilled(), "--aggregate dawid-skene")["aggregate"].clone();
    let items = found["items"].as_array().expect("items");
    let judges = found["judges"].as_array().expect("judges");
    let number = |value: &Value| value.as_f64().expect("a number");
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");

    let mut log_likelihood = 0.0;
    for item in items {
        let joint = ["no", "yes"].map(|truth| {
            let said = judges.iter().filter_map(|judge| {
                let vote = item["votes"][judge["judge"].as_str()?].as_str()?;
                Some(number(
                    &judge["confusion"][usize::from(truth == "yes")][vote],
                ))
            });
            number(&found["priors"][truth]) * said.product::<f64>()
        });
        let sum = joint[0] + joint[1];
        log_likelihood += sum.ln();
        let yes = number(&item["yes_probability"]);
        close(yes, joint[1] / sum);
        assert_eq!(item["label"], if yes > 0.5 { "yes" } else { "no" });
    }
    close(number(&found["log_likelihood"]), log_likelihood);

    let belief = |item: &Value| number(&item["yes_probability"]);
    close(
        number(&found["priors"]["yes"]),
        items.iter().map(belief).sum::<f64>() / 120.0,
    );
    for judge in judges {
        let name = judge["judge"].as_str().expect("a name");
        let seen = || {
            items
                .iter()
                .filter(|item| item["votes"].get(name).is_some())
        };
        assert_eq!(judge["n"], seen().count());
        let all: f64 = seen().map(belief).sum();
        let yes: f64 = seen()
            .filter(|item| item["votes"][name] == "yes")
            .map(belief)
            .sum();
        close(number(&judge["sensitivity"]), yes / all);
        close(
            number(&judge["sensitivity"]),
            number(&judge["confusion"][1]["yes"]),
        );
        close(
            number(&judge["specificity"]),
            number(&judge["confusion"][0]["no"]),
        );
    }
}

#[test]
fn every_item_gets_a_label_in_order() {
    let place = crate::data::three();
    let report = measured(&place, "--aggregate dawid-skene");
    let items = report["aggregate"]["items"].as_array().expect("items");
    let named: Vec<String> = items
        .iter()
        .map(|item| format!("{} {}", item["source"], item["input"]).replace('"', ""))
        .collect();
    let expected: Vec<String> = (0..6)
        .map(|at| format!("one input {at}"))
        .chain((0..4).map(|at| format!("two input {at}")))
        .collect();
    assert_eq!(named, expected);
    assert_eq!(items[5]["votes"], json!({"ana": "yes", "ben": "yes"}));
    let ran = place
        .judica(&format!("{JUDGES} --aggregate dawid-skene"))
        .exits(0);
    ran.says(&[
        "Estimated from all votes",
        "sensitivity",
        "came to rest after",
    ]);
}

/// People's verdicts are kept out of the estimate that is compared with them.
#[test]
fn people_do_not_vote_in_the_estimate() {
    let place = skilled();
    let with = measured(&place, "--aggregate dawid-skene --human human.json");
    let without = measured(&place, "--aggregate dawid-skene");
    for key in ["priors", "judges", "items", "log_likelihood"] {
        assert_eq!(with["aggregate"][key], without["aggregate"][key], "{key}");
    }
}
