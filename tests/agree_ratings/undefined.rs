//! Too little to measure: null with the reason, never a made-up number, exit 0.

use serde_json::{Value, json};

use crate::agree_ratings::data::{
    COEFFICIENTS, NOMINAL, measured, near, report, undefined, with_csv,
};

const HEADER: &str = "item,rater,value\n";

#[track_caller]
fn all_undefined(report: &Value, why: &str) {
    for key in COEFFICIENTS {
        undefined(report, key, why);
    }
}

#[test]
fn an_empty_file_and_a_header_alone_are_no_input() {
    for text in ["", "\n\n", "\u{feff}", HEADER, "item,rater,value"] {
        let place = with_csv(text);
        let ran = place.judica(&format!("{NOMINAL} --out r.json")).exits(2);
        assert_eq!(ran.stdout, "");
        ran.complains(&["r.csv: there is no row in it"]);
        assert_eq!(place.names("."), ["r.csv"]);
    }
    let place = with_csv("");
    for (name, text) in [("r.jsonl", ""), ("r.json", "[]"), ("r.json", "")] {
        place.write(name, text);
        let line = NOMINAL.replace("r.csv", name);
        place.judica(&line).exits(2).complains(&[name, "no row"]);
    }
}

#[test]
fn one_rater() {
    let report = measured(&format!("{HEADER}1,a,x\n2,a,y\n"));
    all_undefined(&report, "two raters");
    assert_eq!(
        (&report["raters"], &report["items"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn one_category_is_agreement_but_not_beyond_chance() {
    let report = measured(&format!("{HEADER}1,a,x\n1,b,x\n2,a,x\n2,b,x\n"));
    near(&report, "percent_agreement", 1.0);
    for key in &COEFFICIENTS[1..] {
        undefined(&report, key, "one category");
    }
}

#[test]
fn an_item_without_any_rating_is_named_and_counts_for_nothing() {
    let rated = "1,a,x\n1,b,y\n3,a,y\n3,b,y\n";
    let plain = measured(&format!("{HEADER}{rated}"));
    let report = measured(&format!("{HEADER}2,a,\n{rated}2,b,\n"));
    assert_eq!(
        report["unrated_items"],
        json!({"count": 1, "examples": ["2"]})
    );
    assert_eq!(
        (&report["items"], &report["missing"]),
        (&json!(3), &json!(2))
    );
    for key in COEFFICIENTS {
        assert_eq!(report[key], plain[key], "{key}");
    }
}

#[test]
fn a_rater_who_rated_nothing_is_named_and_is_no_rater() {
    let rated = "1,a,x\n1,b,y\n3,a,y\n3,b,y\n";
    let plain = measured(&format!("{HEADER}{rated}"));
    let report = measured(&format!("{HEADER}1,silent,\n3,silent,\n{rated}"));
    assert_eq!(
        report["silent_raters"],
        json!({"count": 1, "examples": ["silent"]})
    );
    assert_eq!(
        (&report["raters"], &report["missing"]),
        (&json!(3), &json!(2))
    );
    // Two raters are left, so that what needs two is still defined.
    for key in COEFFICIENTS {
        assert_eq!(report[key], plain[key], "{key}");
    }
}

#[test]
fn nothing_but_missing_ratings() {
    let place = with_csv(&format!("{HEADER}1,a,\n1,b,\n2,a, \n,c,x\n"));
    let ran = place.judica(&format!("{NOMINAL} --out out/r.json"));
    ran.exits(2)
        .complains(&["r.csv: not one rating; 3 rows say that there is none"])
        .complains(&["refused rows: out/rejects.jsonl"]);
    assert_eq!(place.names("out"), ["rejects.jsonl"]);
}

#[test]
fn raters_without_a_common_item() {
    let report = measured(&format!("{HEADER}1,a,x\n2,b,y\n"));
    undefined(&report, "percent_agreement", "two ratings");
    undefined(&report, "cohen_kappa", "both raters");
    undefined(&report, "fleiss_kappa", "two ratings");
    undefined(&report, "krippendorff_alpha", "two ratings");
    undefined(&report, "gwet_ac1", "two ratings");
    assert_eq!(report["pairwise"][0]["cohen_kappa"]["value"], Value::Null);
}

#[test]
fn fleiss_needs_equally_many_ratings_and_not_the_same_raters() {
    let rows = format!("{HEADER}1,a,x\n1,b,x\n2,b,y\n2,c,y\n3,a,x\n3,c,y\n");
    let unequal = measured(&format!("{rows}3,b,x\n"));
    undefined(&unequal, "fleiss_kappa", "equally many ratings");
    let report = measured(&rows);
    near(&report, "fleiss_kappa", 1.0 / 3.0);
    near(&report, "percent_agreement", 2.0 / 3.0);
    assert!(report["krippendorff_alpha"]["value"].is_f64());
    assert_eq!(report["krippendorff_alpha"]["n"], 3);
}

#[test]
fn a_single_item_has_a_value_and_a_word_on_its_interval() {
    let report = measured(&format!("{HEADER}1,a,x\n1,b,y\n"));
    near(&report, "percent_agreement", 0.0);
    for key in COEFFICIENTS {
        let metric = &report[key];
        let told = metric["ci"].is_array()
            || metric["ci_undefined"].is_string()
            || metric["undefined"].is_string();
        assert!(told, "{key}: {metric}");
    }
}

#[test]
fn no_number_is_ever_not_a_number() {
    for values in [
        ["0", "0"],
        ["1", "-1"],
        ["1e308", "-1e308"],
        ["5e-324", "0"],
        ["1e-300", "1e300"],
    ] {
        let text = format!(
            "{HEADER}1,a,{0}\n1,b,{1}\n2,a,{1}\n2,b,{1}\n3,a,{0}\n3,b,{0}\n",
            values[0], values[1]
        );
        let place = with_csv(&text);
        for level in ["ordinal", "interval", "ratio"] {
            let ran = place.judica(&NOMINAL.replace("nominal", level)).exits(0);
            let report = report(&ran);
            for key in COEFFICIENTS {
                let metric = &report[key];
                assert!(
                    metric["value"].is_f64() || metric["undefined"].is_string(),
                    "{level} {key}: {metric}"
                );
            }
        }
    }
}
