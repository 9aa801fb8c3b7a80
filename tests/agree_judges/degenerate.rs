//! Panels of which little can be said: no number is made up.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, is, measured, panel};

/// Insists that nothing in a report is a number that JSON cannot write, and that every
/// undefined one says why.
fn honest(value: &Value) {
    match value {
        Value::Object(keys) => {
            if keys.contains_key("value") && keys["value"].is_null() {
                assert!(keys["undefined"].is_string(), "{value}");
            }
            keys.values().for_each(honest);
        }
        Value::Array(elements) => elements.iter().for_each(honest),
        Value::Number(number) => assert!(number.as_f64().is_some_and(f64::is_finite)),
        _ => {}
    }
}

#[test]
fn one_judge() {
    let place = panel(&[("ana", "yn")]);
    let report = measured(&place, "");
    honest(&report);
    for coefficient in report["overall"]
        .as_object()
        .expect("coefficients")
        .values()
    {
        is(coefficient, None);
        let why = coefficient["undefined"].as_str().expect("a reason");
        assert!(why.contains("two raters"), "{why}");
    }
    assert_eq!(report["pairwise"], json!([]));
    is(&report["effective_judges"], None);
    place
        .judica(JUDGES)
        .exits(0)
        .says(&["needs at least two raters"]);
}

#[test]
fn one_judge_and_people() {
    let place = panel(&[("ana", "yyn")]);
    place.write(
        "human.json",
        json!(crate::agree_judges::data::rows("yny")).to_string(),
    );
    let report = measured(&place, "--human human.json");
    honest(&report);
    is(&report["overall"]["percent_agreement"], 1.0 / 3.0);
    is(&report["judges_only"]["percent_agreement"], None);
    assert_eq!(report["human"]["accuracy"][0]["correct"], 1);
    // A single judge casts no vote.
    assert_eq!(report["human"]["majority_vote"]["n"], 0);
    is(&report["human"]["majority_vote"]["accuracy"], None);
    assert_eq!(report["human"]["pair_tests"], json!([]));
}

#[test]
fn everybody_says_yes() {
    let report = measured(
        &panel(&[("ana", "yyy"), ("ben", "yyy"), ("cal", "yyy")]),
        "",
    );
    honest(&report);
    is(&report["overall"]["percent_agreement"], 1.0);
    for key in ["fleiss_kappa", "krippendorff_alpha"] {
        is(&report["overall"][key], None);
        assert_eq!(
            report["overall"][key]["undefined"],
            "only one category was used"
        );
    }
    for pair in report["pairwise"].as_array().expect("pairs") {
        is(&pair["cohen_kappa"], None);
        assert_eq!(pair["confusion"], json!([[0, 0], [0, 3]]));
    }
}

#[test]
fn judges_who_share_no_item() {
    let place = panel(&[("ana", "yn--"), ("ben", "--yn")]);
    let report = measured(&place, "");
    honest(&report);
    assert_eq!([&report["items"], &report["disagreement_items"]], [4, 0]);
    is(&report["overall"]["krippendorff_alpha"], None);
    let pair = &report["pairwise"][0];
    assert_eq!(pair["n"], 0);
    is(&pair["cohen_kappa"], None);
    assert_eq!(pair["confusion"], json!([[0, 0], [0, 0]]));
    assert_eq!(report["coverage"][0]["raters"], 1);
    is(&report["coverage"][0]["percent_agreement"], None);
    place
        .judica(JUDGES)
        .exits(0)
        .says(&["no item was rated by both raters"]);
}

#[test]
fn no_item_that_all_judged() {
    let report = measured(
        &panel(&[("ana", "yn-"), ("ben", "-ny"), ("cal", "y-n")]),
        "",
    );
    honest(&report);
    // Every item has two verdicts, whosoever: observed 2/3, by chance 1/2.
    is(&report["overall"]["fleiss_kappa"], 1.0 / 3.0);
    // Equal, equal, different; 6 verdicts, half of them yes: 2·3·3/5 unequal pairs are
    // expected, 2 observed.
    is(
        &report["overall"]["krippendorff_alpha"],
        1.0 - 2.0 * 5.0 / 18.0,
    );
}

#[test]
fn two_judges_who_always_differ() {
    let report = measured(&panel(&[("ana", "ynyn"), ("ben", "nyny")]), "");
    honest(&report);
    is(&report["overall"]["cohen_kappa"], -1.0);
    is(&report["overall"]["scott_pi"], -1.0);
    is(&report["overall"]["fleiss_kappa"], -1.0);
    // 2·4·4/7 unequal pairs are expected, 8 observed.
    is(
        &report["overall"]["krippendorff_alpha"],
        1.0 - 8.0 * 7.0 / 32.0,
    );
}

#[test]
fn a_perfect_panel() {
    let report = measured(
        &panel(&[("ana", "ynyn"), ("ben", "ynyn"), ("cal", "ynyn")]),
        "",
    );
    honest(&report);
    for key in [
        "percent_agreement",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1",
    ] {
        is(&report["overall"][key], 1.0);
    }
    assert_eq!(report["disagreements"], json!([]));
}

#[test]
fn a_judge_called_human_is_people() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    let file =
        crate::agree_judges::data::judged("human", "one", &crate::agree_judges::data::rows("nn"));
    place.write("eval/by name.json", file);
    place.write(
        "human.json",
        json!(crate::agree_judges::data::rows("yy")).to_string(),
    );
    let report = measured(&place, "");
    assert_eq!(report["judges"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["human"]["matched_items"], 2);
    let votes = report["disagreements"][0]["votes"].as_object();
    assert_eq!(votes.map(serde_json::Map::len), Some(3), "{votes:?}");
    let ran = place.judica(&format!("{JUDGES} --human human.json --json"));
    ran.exits(2)
        .complains(&["by name.json", "human.json", "come twice"]);
}
