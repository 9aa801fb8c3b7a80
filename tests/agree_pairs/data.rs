//! Small judgments to measure, and the way to measure them.

use serde_json::{Value, json};

use crate::support::{Place, with};
pub use crate::support::{gzip, refused, report, zstd};

/// Measures the merged file `p.jsonl`; everything it writes goes to `out`.
pub const PAIRS: &str =
    "agree pairs --pairs p.jsonl --tsv out/d.tsv --resamples 50 --allow-undefined";
/// The same with the gates as they are; of a few labels that are all alike κ is undefined,
/// which is beside the point of most tests.
pub const GATED: &str = "agree pairs --pairs p.jsonl --tsv out/d.tsv --resamples 50";
/// Measures the files `s.jsonl` and `a.jsonl`.
pub const SEPARATE: &str = "agree pairs --scholar s.jsonl --auditor a.jsonl --tsv out/d.tsv \
    --resamples 50 --allow-undefined";
/// The first line of the table of disagreements.
pub const HEADER: &str = "qid\tscholar\tauditor\tfinal\twhy\n";

/// A merged line.
pub fn pair(qid: &str, scholar: &str, auditor: &str) -> String {
    pair_with(qid, scholar, auditor, json!({}))
}

/// A merged line with more keys.
pub fn pair_with(qid: &str, scholar: &str, auditor: &str, more: Value) -> String {
    let line = json!({"qid": qid, "scholar": {"label": scholar}, "auditor": {"label": auditor}});
    with(line, &more).to_string()
}

/// A line of one validator's file.
pub fn judgment(qid: &str, label: &str) -> String {
    json!({"qid": qid, "label": label, "reason": "as read"}).to_string()
}

/// Ten pairs, of which both validators say the same of seven:
///
/// ```text
///                  VALID  NOT_IN_CONTEXT  REJECT  ABSTAIN
/// VALID              4          0            1        0     5
/// NOT_IN_CONTEXT     1          2            0        0     3
/// REJECT             0          0            1        0     1
/// ABSTAIN            1          0            0        0     1
///                    6          2            2        0    10
/// ```
///
/// Agreement is 0.7, by chance (5·6 + 3·2 + 1·2 + 1·0) / 100 = 0.38, so κ is
/// 0.32 / 0.62 = 0.5161.
pub const TEN: [(&str, &str, &str); 10] = [
    ("q01", "VALID", "VALID"),
    ("q02", "VALID", "REJECT"),
    ("q03", "NOT_IN_CONTEXT", "NOT_IN_CONTEXT"),
    ("q04", "VALID", "VALID"),
    ("q05", "ABSTAIN", "VALID"),
    ("q06", "REJECT", "REJECT"),
    ("q07", "NOT_IN_CONTEXT", "VALID"),
    ("q08", "VALID", "VALID"),
    ("q09", "NOT_IN_CONTEXT", "NOT_IN_CONTEXT"),
    ("q10", "VALID", "VALID"),
];

/// The ten pairs as merged lines.
pub fn ten() -> Vec<String> {
    TEN.map(|(qid, scholar, auditor)| pair(qid, scholar, auditor))
        .to_vec()
}

/// The table of disagreements that the ten pairs give.
pub fn ten_tsv() -> String {
    format!(
        "{HEADER}q02\tVALID\tREJECT\tREJECT\tauditor_veto\n\
         q05\tABSTAIN\tVALID\tREJECT\tincoherent_pair\n\
         q07\tNOT_IN_CONTEXT\tVALID\tVALID\tauditor_ok\n"
    )
}

/// A place with the lines as its merged file.
pub fn merged<S: AsRef<str>>(lines: &[S]) -> Place {
    let place = Place::new();
    place.write_lines("p.jsonl", lines);
    place
}

/// Measures the lines as a merged file; the report.
#[track_caller]
pub fn measured<S: AsRef<str>>(lines: &[S]) -> Value {
    let ran = merged(lines).judica(&format!("{PAIRS} --json"));
    assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
    report(&ran)
}

/// The gate with this name.
#[track_caller]
pub fn gate<'r>(report: &'r Value, name: &str) -> &'r Value {
    let gates = report["gate_results"].as_array().expect("gates");
    let found = gates.iter().find(|gate| gate["name"] == name);
    found.expect("a gate with that name")
}
