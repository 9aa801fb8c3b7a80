//! Three judges and two data sets, worked by hand.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, is, measured, row_with, rows, three};
use crate::support::{Place, keys};

#[test]
fn every_two_judges() {
    let report = measured(&three(), "");
    let pairs = report["pairwise"].as_array().expect("pairs");
    // Rows are what the first says, columns what the second says: no, then yes.
    // ana and ben: observed 7/10; ana says yes to 6 and ben to 5 of 10, by chance 1/2.
    // ana and cal: observed 6/8; both say yes to 5 of 8, by chance 34/64.
    // ben and cal: observed 4/8; yes to 3 and to 5 of 8, by chance 30/64.
    let expected = [
        (["ana", "ben"], 10, 0.7, 0.4, [[3, 1], [2, 4]], [0.6, 0.5]),
        (
            ["ana", "cal"],
            8,
            0.75,
            14.0 / 30.0,
            [[2, 1], [1, 4]],
            [0.625, 0.625],
        ),
        (
            ["ben", "cal"],
            8,
            0.5,
            2.0 / 34.0,
            [[2, 3], [1, 2]],
            [0.375, 0.625],
        ),
    ];
    assert_eq!(pairs.len(), expected.len());
    for (pair, (raters, n, agree, kappa, confusion, yes)) in pairs.iter().zip(expected) {
        assert_eq!(pair["raters"], json!(raters));
        assert_eq!(pair["n"], n);
        is(&pair["percent_agreement"], agree);
        is(&pair["cohen_kappa"], kappa);
        assert_eq!(pair["cohen_kappa"]["n"], n);
        assert_eq!(pair["labels"], json!(["no", "yes"]));
        assert_eq!(pair["confusion"], json!(confusion), "{raters:?}");
        assert_eq!(pair["rates"], json!(yes.map(|yes| [1.0 - yes, yes])));
    }
}

#[test]
fn the_panel() {
    let report = measured(&three(), "");
    assert_eq!(report["items"], 10);
    assert_eq!(report["sources"], 2);
    let overall = &report["overall"];
    // Of the eight items that all judged, four are unanimous, and four have a pair of
    // three; two more items have two verdicts, equal and different.
    is(
        &overall["percent_agreement"],
        (4.0 + 4.0 / 3.0 + 1.0) / 10.0,
    );
    assert_eq!(overall["percent_agreement"]["n"], 10);
    let why = "needs equally many ratings of every item, and there are 2 to 3";
    assert_eq!(overall["fleiss_kappa"]["undefined"], why);
    // 28 verdicts, 16 of them yes: 2·16·12/27 unequal pairs expected, 4·2 + 2 observed.
    is(&overall["krippendorff_alpha"], 1.0 - 10.0 * 27.0 / 384.0);
    // An item is yes 7/12 of the time, by chance 2·7/12·5/12 = 35/72.
    is(&overall["gwet_ac1"], 53.0 / 185.0);
    // For two raters only.
    is(&overall["cohen_kappa"], None);
    is(&overall["scott_pi"], None);
    assert_eq!(report["judges_only"], Value::Null);
    assert_eq!(report["human"], Value::Null);
    assert_eq!(report["aggregate"], Value::Null);
}

#[test]
fn by_data_set_and_by_number_of_raters() {
    let report = measured(&three(), "");
    let [one, two] = report["per_source"].as_array().expect("sources").as_slice() else {
        panic!("{}", report["per_source"]);
    };
    assert_eq!([&one["source"], &one["items"]], [&json!("one"), &json!(6)]);
    is(&one["coefficients"]["percent_agreement"], 2.0 / 3.0);
    is(&one["coefficients"]["fleiss_kappa"], None);
    is(&one["coefficients"]["krippendorff_alpha"], 11.0 / 35.0);
    assert_eq!([&two["source"], &two["items"]], [&json!("two"), &json!(4)]);
    is(&two["coefficients"]["percent_agreement"], 7.0 / 12.0);
    is(&two["coefficients"]["fleiss_kappa"], None);
    is(&two["coefficients"]["krippendorff_alpha"], 1.0 / 3.0);

    let [two, three] = report["coverage"].as_array().expect("groups").as_slice() else {
        panic!("{}", report["coverage"]);
    };
    assert_eq!([&two["raters"], &two["items"]], [2, 2]);
    is(&two["percent_agreement"], 0.5);
    is(&two["krippendorff_alpha"], 0.0);
    assert_eq!([&three["raters"], &three["items"]], [3, 8]);
    is(&three["percent_agreement"], 2.0 / 3.0);
    is(&three["krippendorff_alpha"], 102.0 / 286.0);
}

#[test]
fn what_each_judge_did() {
    let report = measured(&three(), "");
    let judges = report["judges"].as_array().expect("judges");
    let counted: Vec<Value> = judges
        .iter()
        .map(|judge| {
            let keys = ["name", "judge_model", "files", "rows", "used", "yes"];
            keys.map(|key| judge[key].clone()).to_vec().into()
        })
        .collect();
    assert_eq!(
        Value::Array(counted),
        json!([
            ["ana", "ana-model", 2, 10, 10, 6],
            ["ben", "ben-model", 2, 10, 10, 5],
            ["cal", "cal-model", 2, 8, 8, 5]
        ])
    );
    is(&judges[2]["yes_rate"], 0.625);
    assert_eq!(judges[2]["yes_rate"]["n"], 8);
}

#[test]
fn the_most_evenly_split_disagreements_come_first() {
    let place = three();
    let shown = |options: &str| {
        let report = measured(&place, options);
        assert_eq!(report["disagreement_items"], 5);
        let shown = report["disagreements"].as_array().expect("items").clone();
        let named = |item: &Value| format!("{} {}", item["source"], item["input"]).replace('"', "");
        (shown.iter().map(named).collect::<Vec<_>>(), shown)
    };
    let (all, items) = shown("");
    assert_eq!(
        all,
        [
            "two input 1",
            "one input 1",
            "one input 2",
            "one input 4",
            "two input 3"
        ]
    );
    assert_eq!(
        items[0],
        json!({
            "source": "two",
            "id": null,
            "input": "input 1",
            "gold": "<<A>>F p1",
            "prediction": "<<A>>G p1",
            "votes": {"ana": "no", "ben": "yes"},
            "reasoning": {"ana": "as read", "ben": "as read"},
        })
    );
    assert_eq!(items[1]["votes"]["cal"], "no");
    assert_eq!(shown("--disagreements 2").0, all[..2]);
    assert_eq!(shown("--disagreements 0").0, [""; 0]);
    assert_eq!(shown("--disagreements 1000").0, all);
}

#[test]
fn ten_disagreements_are_shown_unless_another_number_is_asked_for() {
    let place =
        crate::agree_judges::data::panel(&[("ana", &"y".repeat(30)), ("ben", &"n".repeat(30))]);
    let report = measured(&place, "");
    assert_eq!(report["disagreement_items"], 30);
    assert_eq!(report["disagreements"].as_array().map(Vec::len), Some(10));
}

#[test]
fn the_report_is_in_the_file_and_on_the_screen() {
    let place = three();
    let ran = place.judica(&format!("{JUDGES} --json")).exits(0);
    assert_eq!(ran.stdout, place.text("out/report.json"));
    assert_eq!(ran.stderr, "");
    assert_eq!(
        keys(&place.json("out/report.json")),
        [
            "schema_version",
            "eval_dir",
            "judges",
            "categories",
            "categories_declared",
            "items",
            "sources",
            "overall",
            "judges_only",
            "pairwise",
            "per_source",
            "coverage",
            "human",
            "effective_judges",
            "panels",
            "aggregate",
            "disagreement_items",
            "disagreements",
            "bootstrap",
            "refused",
            "notes"
        ]
    );
    place.judica(JUDGES).exits(0).says(&[
        "Agreement on 10 items",
        "Krippendorff's alpha",
        "By data set",
        "By number of raters",
        "inputs 28 = records 28 + rejects 0   (used 28, left out 0)",
        "10 items; raters disagree on 5",
        "report: out/report.json",
    ]);
}

#[test]
fn intervals_lie_around_their_values() {
    let place = three();
    let alpha = |options: &str| {
        let line = JUDGES.replace("--resamples 50", options);
        let report =
            crate::agree_judges::data::report(&place.judica(&format!("{line} --json")).exits(0));
        report["overall"]["krippendorff_alpha"].clone()
    };
    let width = |alpha: &Value| {
        let [low, high] = [0, 1].map(|at| alpha["ci"][at].as_f64().expect("an end"));
        let value = alpha["value"].as_f64().expect("a number");
        assert!(low <= value && value <= high, "{alpha}");
        high - low
    };
    let usual = alpha("--resamples 400");
    assert_eq!(alpha("--resamples 400"), usual);
    assert!(width(&alpha("--resamples 400 --confidence 0.5")) < width(&usual));
    assert_ne!(alpha("--resamples 400 --seed 7"), usual);
    let none = alpha("--resamples 0");
    assert_eq!(none["value"], usual["value"]);
    assert_eq!(none["ci"], Value::Null);
    assert_eq!(none["ci_undefined"], "no resamples were asked for");
}

/// Like texts in one data set are told apart by an id, numbers and texts alike.
#[test]
fn ids_tell_like_rows_apart() {
    let place = Place::new();
    for (judge, said) in [("ana", ["yes", "no"]), ("ben", ["yes", "yes"])] {
        let named = [
            row_with(0, said[0], json!({"id": 7})),
            row_with(0, said[1], json!({"id": "8"})),
        ];
        crate::agree_judges::data::judge(&place, judge, "one", &named);
    }
    let report = measured(&place, "");
    assert_eq!(report["items"], 2);
    assert_eq!(report["refused"], json!([]));
    assert_eq!(report["disagreements"][0]["id"], "8");
}

#[test]
fn ids_that_only_one_judge_writes_are_pointed_out() {
    let place = Place::new();
    crate::agree_judges::data::judge(&place, "ana", "one", &rows("yn"));
    let named = [
        row_with(0, "yes", json!({"id": 7})),
        row_with(1, "no", json!({"id": 8})),
    ];
    crate::agree_judges::data::judge(&place, "ben", "one", &named);
    let report = measured(&place, "");
    assert_eq!(report["items"], 4);
    assert!(
        crate::agree_judges::data::notes(&report, "2 items stand in some rows with an id"),
        "{}",
        report["notes"]
    );
}

#[test]
fn the_same_texts_in_two_data_sets_are_two_items() {
    let place = Place::new();
    for (dataset, said) in [("one", "yn"), ("two", "ny")] {
        crate::agree_judges::data::judge(&place, "ana", dataset, &rows(said));
        crate::agree_judges::data::judge(&place, "ben", dataset, &rows(said));
    }
    let report = measured(&place, "");
    assert_eq!([&report["items"], &report["sources"]], [4, 2]);
    assert_eq!(report["disagreement_items"], 0);
    is(&report["overall"]["fleiss_kappa"], 1.0);
}
