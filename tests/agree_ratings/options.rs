//! `--order`, `--weights`, and how intervals are made.

use serde_json::{Value, json};

use crate::agree_ratings::data::{COEFFICIENTS, NOMINAL, fifty, krippendorff, near, place, report};

/// Krippendorff's example with words for its numbers.
fn words() -> Vec<(String, String, String)> {
    let names = ["awful", "poor", "fair", "good", "great"];
    let mut rows = krippendorff();
    for row in &mut rows {
        let number: usize = row.2.parse().expect("a number");
        row.2 = names[number - 1].to_owned();
    }
    rows
}

fn ordinal(more: &str) -> String {
    format!("{NOMINAL} {more}").replace("nominal", "ordinal")
}

#[test]
fn an_order_makes_ranks_of_words() {
    let numbers = report(&place(&krippendorff()).judica(&ordinal("")).exits(0));
    let place = place(&words());
    let ranked = report(
        &place
            .judica(&ordinal("--order awful,poor,fair,good,great"))
            .exits(0),
    );
    assert_eq!(
        ranked["labels"],
        json!(["awful", "poor", "fair", "good", "great"])
    );
    for key in COEFFICIENTS {
        assert_eq!(ranked[key], numbers[key], "{key}");
    }
    // Turned round, every distance is the same.
    let turned = report(
        &place
            .judica(&ordinal("--order great,good,fair,poor,awful"))
            .exits(0),
    );
    for key in COEFFICIENTS {
        let (one, other) = (&turned[key]["value"], &numbers[key]["value"]);
        match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => assert!((one - other).abs() < 1e-12, "{key}"),
            _ => assert_eq!(one, other, "{key}"),
        }
    }
    let mixed = report(
        &place
            .judica(&ordinal("--order fair,awful,great,poor,good"))
            .exits(0),
    );
    assert_ne!(
        mixed["krippendorff_alpha"]["value"],
        numbers["krippendorff_alpha"]["value"]
    );
}

#[test]
fn values_outside_the_order_are_refused_and_unused_ones_are_named() {
    let place = place(&words());
    let report = report(
        &place
            .judica(&ordinal("--order never,awful,poor,fair,good"))
            .exits(0),
    );
    let refused = &report["refused"][0];
    assert_eq!(
        (&refused["reason"], &refused["count"]),
        (&json!("unknown_value"), &json!(3))
    );
    assert!(
        report["notes"].to_string().contains("`never`"),
        "{}",
        report["notes"]
    );
}

#[test]
fn blanks_around_listed_values_do_not_matter() {
    let mut rows = words();
    rows[0].2.push(' ');
    let place = place(&rows);
    let listed = |option: &str, list: &str| {
        let mut command = place.command(&NOMINAL.replace("--json", "--json --run"));
        command.args(["run", option, list]);
        let measured = report(&crate::support::ran(command).exits(0));
        assert_eq!(measured["refused"], json!([]), "{option}");
        measured["labels"].clone()
    };
    let order = ["awful", "poor", "fair", "good", "great"];
    assert_eq!(
        listed("--order", "awful, poor, fair , good,great"),
        json!(order)
    );
    place.judica("reproduce run").exits(0).says(&["identical"]);
    let mut sorted = order;
    sorted.sort_unstable();
    assert_eq!(
        listed("--categories", "awful, poor, fair , good,great"),
        json!(sorted)
    );
}

#[test]
fn weights_change_ac2_and_nothing_else() {
    let place = place(&krippendorff());
    let plain = report(
        &place
            .judica(&NOMINAL.replace("nominal", "interval"))
            .exits(0),
    );
    let mut seen: Vec<Value> = Vec::new();
    for weights in [
        "identity",
        "linear",
        "quadratic",
        "ordinal",
        "radical",
        "ratio",
        "circular",
        "bipolar",
    ] {
        let arguments = format!("{NOMINAL} --weights {weights}").replace("nominal", "interval");
        let report = report(&place.judica(&arguments).exits(0));
        assert_eq!(report["weights"], weights);
        for key in &COEFFICIENTS[..8] {
            assert_eq!(report[key], plain[key], "{weights} {key}");
        }
        let value = report["gwet_ac2"]["value"].clone();
        assert!(
            value.is_f64() && !seen.contains(&value),
            "{weights}: {value}"
        );
        seen.push(value);
    }
    // Without partial credit AC2 is AC1.
    assert_eq!(seen[0], plain["gwet_ac1"]["value"]);
    assert_eq!(seen[2], plain["gwet_ac2"]["value"]);
}

#[test]
fn without_resamples_only_shares_have_intervals() {
    for (resamples, why) in [
        (0, "no resamples were asked for"),
        (1, "one resample is too few for an interval"),
    ] {
        let line = NOMINAL.replace("--resamples 50", &format!("--resamples {resamples}"));
        let report = report(&place(&fifty()).judica(&line).exits(0));
        for key in &COEFFICIENTS[1..] {
            assert_eq!(report[key]["ci"], Value::Null, "{key}");
            assert_eq!(report[key]["ci_undefined"], why, "{key}");
        }
        assert!(report["percent_agreement"]["ci"].is_array());
        near(&report, "cohen_kappa", 0.4);
    }
}

#[test]
fn intervals_are_what_was_asked_for() {
    let place = place(&fifty());
    let run = |more: &str| report(&place.judica(&format!("{NOMINAL} {more}")).exits(0));
    let plain = run("");
    assert_eq!(
        plain["bootstrap"],
        json!({"resamples": 50, "seed": 20250119, "confidence": 0.95})
    );
    assert_eq!(run("--seed 20250119"), plain);
    let width = |report: &Value| {
        let ci = &report["cohen_kappa"]["ci"];
        ci[1].as_f64().expect("an end") - ci[0].as_f64().expect("an end")
    };
    assert!(width(&run("--confidence 0.5")) < width(&plain));
    let other = run("--seed 1");
    assert_eq!(other["cohen_kappa"]["value"], plain["cohen_kappa"]["value"]);
    assert_ne!(other["cohen_kappa"]["ci"], plain["cohen_kappa"]["ci"]);
    let value = plain["cohen_kappa"]["value"].as_f64().expect("a value");
    let ends = [0, 1].map(|end| plain["cohen_kappa"]["ci"][end].as_f64().expect("an end"));
    assert!(ends[0] < value && value < ends[1], "{ends:?}");
}

/// Everybody chose the same: whether that is agreement depends on what they could choose.
#[test]
fn declared_categories_count() {
    let rows: Vec<_> = (0..4)
        .flat_map(|item| ["a", "b"].map(|who| (format!("i{item}"), who.to_owned(), "ok".into())))
        .collect();
    let place = place(&rows);
    let run = |more: &str| report(&place.judica(&format!("{NOMINAL} {more}")).exits(0));
    let plain = run("");
    assert_eq!(plain["categories"], 1);
    assert_eq!(plain["categories_declared"], false);
    assert_eq!(plain["gwet_ac1"]["undefined"], "only one category was used");
    let declared = run("--categories ok,bad,worse");
    assert_eq!(declared["categories"], 3);
    assert_eq!(declared["categories_declared"], true);
    assert_eq!(declared["labels"], json!(["bad", "ok", "worse"]));
    assert_eq!(declared["gwet_ac1"]["value"], 1.0);
    let why = "no variation among 4 items";
    assert_eq!(declared["gwet_ac1"]["ci_undefined"], why);
    assert_eq!(
        declared["cohen_kappa"]["undefined"],
        "only one category was used"
    );
    let note = declared["notes"][0].as_str().expect("a note");
    assert!(note.starts_with("nobody chose `bad`, `worse`"), "{note}");
    // A value that was not declared is refused.
    place
        .judica(&format!("{NOMINAL} --categories bad,worse"))
        .exits(2);
}

#[test]
fn pairs_of_many_raters_are_compared_when_asked_for() {
    let rows: Vec<_> = (0..12)
        .flat_map(|rater| {
            (0..5).map(move |item| {
                (
                    format!("i{item}"),
                    format!("r{rater:02}"),
                    format!("{}", (item * rater) % 3),
                )
            })
        })
        .collect();
    let place = place(&rows);
    assert_eq!(
        report(&place.judica(NOMINAL).exits(0)).get("pairwise"),
        None
    );
    let pairs = report(&place.judica(&format!("{NOMINAL} --pairwise")).exits(0));
    assert_eq!(pairs["pairwise"].as_array().map(Vec::len), Some(66));
}
