//! The ordinary case: the keys of the contract, their shapes, and numbers from books.

use serde_json::{Value, json};

use crate::agree_ratings::data::{
    COEFFICIENTS, LEVELS, NOMINAL, fifty, krippendorff, near, place, report, undefined,
};
use crate::support::keys;

#[test]
fn every_coefficient_has_a_value_an_interval_and_a_count() {
    let report = report(&place(&fifty()).judica(NOMINAL).exits(0));
    let names = keys(&report);
    let at = names
        .iter()
        .position(|name| *name == COEFFICIENTS[0])
        .expect("coefficients");
    assert_eq!(names[at..at + 9], COEFFICIENTS);
    for key in COEFFICIENTS {
        let metric = &report[key];
        let value = metric["value"].as_f64().expect("a value");
        let ci = metric["ci"].as_array().expect("an interval");
        let ends: Vec<f64> = ci.iter().filter_map(|end| end.as_f64()).collect();
        assert!(
            ends.len() == 2 && ends[0] <= value && value <= ends[1],
            "{key}: {metric}"
        );
        assert_eq!(metric["n"], 50, "{key}");
    }
    assert_eq!(report["level"], "nominal");
    assert_eq!(report["labels"], json!(["no", "yes"]));
    for (key, count) in [
        ("rows", 100),
        ("ratings", 100),
        ("missing", 0),
        ("items", 50),
        ("raters", 2),
        ("categories", 2),
    ] {
        assert_eq!(report[key], count, "{key}");
    }
}

/// With 25 and 30 times yes, chance gives 0.5 to Cohen, 0.55² + 0.45² = 0.505 to Scott and
/// 2 · 0.55 · 0.45 = 0.495 to Gwet; α adds (1 − π) / 100 to Scott's π.
#[test]
fn two_raters_give_the_numbers_of_the_book() {
    let report = report(&place(&fifty()).judica(NOMINAL).exits(0));
    near(&report, "percent_agreement", 0.7);
    near(&report, "cohen_kappa", 0.4);
    near(&report, "cohen_kappa_linear", 0.4);
    near(&report, "cohen_kappa_quadratic", 0.4);
    near(&report, "scott_pi", 0.195 / 0.495);
    near(&report, "fleiss_kappa", 0.195 / 0.495);
    near(&report, "krippendorff_alpha", 0.4);
    near(&report, "gwet_ac1", 0.205 / 0.505);
    near(&report, "gwet_ac2", 0.205 / 0.505);
    let pair = &report["pairwise"][0];
    assert_eq!(pair["raters"], json!(["a", "b"]));
    assert_eq!(pair["labels"], json!(["no", "yes"]));
    assert_eq!(pair["confusion"], json!([[15, 10], [5, 20]]));
    assert_eq!(pair["cohen_kappa"]["value"], report["cohen_kappa"]["value"]);
}

#[test]
fn krippendorffs_example_at_all_four_levels() {
    let place = place(&krippendorff());
    for (level, alpha) in LEVELS.iter().zip([0.743, 0.815, 0.849, 0.797]) {
        let ran = place.judica(&NOMINAL.replace("nominal", level)).exits(0);
        let report = report(&ran);
        assert_eq!(report["level"], *level);
        let found = report["krippendorff_alpha"]["value"]
            .as_f64()
            .expect("a value");
        assert!((found - alpha).abs() < 5e-4, "{level}: {found}");
        // One unit has a single rating; eight were rated by all.
        assert_eq!(report["krippendorff_alpha"]["n"], 11);
        undefined(&report, "fleiss_kappa", "equally many ratings");
        for key in [
            "cohen_kappa",
            "cohen_kappa_linear",
            "cohen_kappa_quadratic",
            "scott_pi",
        ] {
            undefined(&report, key, "two raters");
        }
        assert_eq!(report["pairwise"].as_array().map(Vec::len), Some(6));
    }
}

#[test]
fn the_weights_of_ac2_follow_the_level() {
    let place = place(&krippendorff());
    for (level, weights) in LEVELS
        .iter()
        .zip(["identity", "ordinal", "quadratic", "ratio"])
    {
        let plain = place.judica(&NOMINAL.replace("nominal", level)).exits(0);
        let named = format!("{NOMINAL} --weights {weights}").replace("nominal", level);
        assert_eq!(report(&plain)["weights"], weights);
        assert_eq!(place.judica(&named).exits(0).stdout, plain.stdout);
    }
}

#[test]
fn perfect_agreement_is_one_everywhere() {
    let rows: Vec<_> = (0..12)
        .flat_map(|i| {
            ["a", "b"].map(|rater| (format!("i{i}"), rater.to_owned(), format!("{}", i % 3 + 1)))
        })
        .collect();
    for level in LEVELS {
        let report = report(
            &place(&rows)
                .judica(&NOMINAL.replace("nominal", level))
                .exits(0),
        );
        for key in COEFFICIENTS {
            near(&report, key, 1.0);
            // Twelve items are no proof.
            if key == "percent_agreement" {
                let low = report[key]["ci"][0].as_f64().expect("an end");
                assert!((low - 0.757_506).abs() < 1e-6, "{low}");
            } else {
                assert_eq!(report[key]["ci"], Value::Null, "{key}");
                let why = "no variation among 12 items";
                assert_eq!(report[key]["ci_undefined"], why, "{key}");
            }
        }
    }
}

#[test]
fn people_see_tables_and_the_account_of_rows() {
    let place = place(&fifty());
    let ran = place.judica(&NOMINAL.replace(" --json", "")).exits(0);
    let ran = ran.says(&[
        "Agreement, nominal values",
        "Cohen's kappa",
        "Krippendorff's alpha, nominal",
        "0.4000 [",
        "inputs 100 = records 100 + rejects 0",
    ]);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    // Nothing is written that was not asked for.
    assert_eq!(place.names("."), ["r.csv"]);
}
