//! Small tables of ratings to measure, and the way to measure them.

use serde_json::Value;

use crate::support::Place;
pub use crate::support::{gzip, refused, report, zstd};

/// Measures `r.csv` as names, and prints JSON.
pub const NOMINAL: &str = "agree ratings --input r.csv --level nominal --resamples 50 --json";
/// The coefficients, in the order of the contract.
pub const COEFFICIENTS: [&str; 9] = [
    "percent_agreement",
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "scott_pi",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "gwet_ac2",
];
pub const LEVELS: [&str; 4] = ["nominal", "ordinal", "interval", "ratio"];

/// Item, rater, value.
pub type Row = (String, String, String);

/// Ratings of fifty proposals by two readers (Cohen's classical table): both say yes to 20
/// and no to 15; only the first says yes to 5, only the second to 10.
pub fn fifty() -> Vec<Row> {
    let kinds = [
        ("yes", "yes", 20),
        ("yes", "no", 5),
        ("no", "yes", 10),
        ("no", "no", 15),
    ];
    let pairs = kinds
        .iter()
        .flat_map(|&(a, b, count)| (0..count).map(move |_| (a, b)));
    let rows = pairs.enumerate().flat_map(|(i, (a, b))| {
        let row = |rater: &str, value: &str| (format!("i{i}"), rater.to_owned(), value.to_owned());
        [row("a", a), row("b", b)]
    });
    rows.collect()
}

/// Krippendorff's example of four observers and twelve units, some not rated (Computing
/// Krippendorff's Alpha-Reliability, 2011).
pub fn krippendorff() -> Vec<Row> {
    let observers = [
        ("A", "1 2 3 3 2 1 4 1 2 . . ."),
        ("B", "1 2 3 3 2 2 4 1 2 5 . 3"),
        ("C", ". 3 3 3 2 3 4 2 2 5 1 ."),
        ("D", "1 2 3 3 2 4 4 1 2 5 1 ."),
    ];
    let mut rows = Vec::new();
    for (rater, values) in observers {
        let rated = values
            .split(' ')
            .enumerate()
            .filter(|(_, value)| *value != ".");
        rows.extend(
            rated.map(|(unit, value)| {
                (format!("u{}", unit + 1), rater.to_owned(), value.to_owned())
            }),
        );
    }
    rows
}

/// The rows as CSV, every field quoted.
pub fn csv(rows: &[Row]) -> String {
    let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |(item, rater, value): &Row| [item, rater, value].map(quoted).join(",");
    let lines: Vec<String> = rows.iter().map(line).collect();
    format!("item,rater,value\n{}\n", lines.join("\n"))
}

/// A place with the rows in `r.csv`.
pub fn place(rows: &[Row]) -> Place {
    with_csv(&csv(rows))
}

/// A place with this text in `r.csv`.
pub fn with_csv(text: &str) -> Place {
    let place = Place::new();
    place.write("r.csv", text);
    place
}

/// Measures this text as names; the report.
#[track_caller]
pub fn measured(text: &str) -> Value {
    report(&with_csv(text).judica(NOMINAL).exits(0))
}

/// Insists on a defined value.
#[track_caller]
pub fn near(report: &Value, key: &str, expected: f64) {
    let value = report[key]["value"].as_f64();
    assert!(
        value.is_some_and(|value| (value - expected).abs() < 1e-9),
        "{key}: {} and not {expected}",
        report[key]
    );
}

/// Insists that a coefficient is undefined, and says why.
#[track_caller]
pub fn undefined(report: &Value, key: &str, why: &str) {
    let metric = &report[key];
    assert_eq!(metric["value"], Value::Null, "{key}: {metric}");
    let reason = metric["undefined"].as_str().unwrap_or_default();
    assert!(reason.contains(why), "{key}: {metric}");
    assert_eq!(metric.get("ci"), None, "{key}: {metric}");
}
