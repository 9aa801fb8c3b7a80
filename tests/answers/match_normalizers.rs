//! When two answers are the same, by the name of the normaliser.

use crate::answers::data::{matched, method, row};
use crate::support::Place;

/// Decides many pairs in one run.
#[track_caller]
fn decides(options: &str, cases: &[(&str, &str, &str)]) {
    let rows: Vec<_> = cases
        .iter()
        .map(|(gold, said, _)| row(*gold, *said))
        .collect();
    let (_, methods) = matched(&Place::new(), &rows, options);
    for ((gold, prediction, expected), method) in cases.iter().zip(&methods) {
        assert_eq!(method, expected, "{gold:?} and {prediction:?} {options}");
    }
    assert_eq!(methods.len(), cases.len());
}

#[test]
fn atl_spellings_of_the_seed() {
    decides(
        "",
        &[
            ("<<A>>F p", "<<a>>\u{a0}f\tP\n", "exact"),
            ("p ∧ q ∨ ¬r", "p&&q||!r", "exact"),
            ("p → q", "p -> q", "exact"),
            ("p ⇒ q", "p->q", "exact"),
            ("p ↔ q", "p<->q", "exact"),
            ("p ⇔ q", "p <-> q", "exact"),
            ("p AND q Or r", "p && q || r", "exact"),
            // Words, not letters: `and` inside a name stays.
            ("android", "&&roid", "undecided"),
            ("p_and_q", "p_&&_q", "undecided"),
            ("order", "||der", "undecided"),
            ("p", "q", "undecided"),
            ("p", "", "undecided"),
        ],
    );
}

#[test]
fn atl_structure_is_the_same_up_to_parentheses_and_order() {
    decides(
        "",
        &[
            ("<<A>>F(p && q)", "<<A>>F((q && p))", "structural"),
            ("(p || q) || r", "r || (q || p)", "structural"),
            ("<<A>>F p", "(<<A>>(F (p)))", "structural"),
            ("<<A>>(p U q)", "<<A>>((p) U (q))", "structural"),
            ("p -> (q -> r)", "p -> q -> r", "structural"),
            (
                "<<A>>G(p -> <<B>>F(q && r))",
                "<<A>>G(p -> <<B>>F(r && q))",
                "structural",
            ),
        ],
    );
}

#[test]
fn atl_structure_changes_with_operator_scope_or_coalition() {
    decides(
        "",
        &[
            ("<<A>>F p", "<<A>>G p", "undecided"),
            ("<<A>>F p", "[[A]]F p", "undecided"),
            ("<<A>>F p", "<<B>>F p", "undecided"),
            ("<<A>>F p", "<<A,B>>F p", "undecided"),
            ("<<A,B>>F p", "<<B,A>>F p", "undecided"),
            ("<<A>>F(p && q)", "(<<A>>F p) && q", "undecided"),
            ("!(p && q)", "!p && q", "undecided"),
            ("p && q || r", "p && (q || r)", "undecided"),
            ("p -> q -> r", "(p -> q) -> r", "undecided"),
            ("p -> q", "q -> p", "undecided"),
            ("p U q", "q U p", "undecided"),
            ("p && p", "p", "undecided"),
            ("!!p", "p", "undecided"),
            ("p && q", "p || q", "undecided"),
            ("p", "((p)", "undecided"),
        ],
    );
}

#[test]
fn only_atl_knows_structure() {
    for normalizer in ["text", "exact", "json", "number"] {
        let options = format!("--normalizer {normalizer}");
        assert_eq!(method("p && q", "(p && q)", &options), "undecided");
    }
}

#[test]
fn text_knows_unicode_case_and_space() {
    decides(
        "--normalizer text",
        &[
            ("Caf\u{e9}", "CAFE\u{301}", "exact"),
            ("Straße", "STRASSE", "exact"),
            ("a  b\n c", " A b\u{a0}C ", "exact"),
            ("Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "exact"),
            ("ab", "a b", "undecided"),
            ("cafe", "café", "undecided"),
            ("p ∧ q", "p && q", "undecided"),
        ],
    );
}

#[test]
fn exact_knows_nothing() {
    decides(
        "--normalizer exact",
        &[
            ("p", "p", "exact"),
            ("p", "p ", "undecided"),
            ("p", "P", "undecided"),
            ("\u{e9}", "e\u{301}", "undecided"),
        ],
    );
}

#[test]
fn numbers_within_a_tolerance() {
    decides(
        "--normalizer number",
        &[
            ("0.1", " 1e-1 ", "exact"),
            ("5", "5.", "exact"),
            ("-0", "0", "exact"),
            ("1000000000", "1000000001", "exact"),
            ("100000000", "100000001", "undecided"),
            ("0", "1e-300", "undecided"),
            ("5", "5 apples", "undecided"),
            ("NaN", "NaN", "undecided"),
            ("inf", "inf", "undecided"),
            ("1e999", "1e999", "undecided"),
            ("0x10", "16", "undecided"),
        ],
    );
    decides(
        "--normalizer number --tolerance 0.5 --relative-tolerance 0",
        &[
            ("10", "10.5", "exact"),
            ("10", "9.5", "exact"),
            ("10", "10.500001", "undecided"),
        ],
    );
    decides(
        "--normalizer number --relative-tolerance 0.1",
        &[
            ("100", "110", "exact"),
            // A tenth of the gold, not of the prediction.
            ("110", "100", "exact"),
            ("100", "111", "undecided"),
        ],
    );
}

#[test]
fn json_by_value() {
    let deep = "[".repeat(100_000);
    decides(
        "--normalizer json",
        &[
            (
                r#"{"a": 1, "b": [true, null]}"#,
                r#"{"b":[true,null],"a":1.0}"#,
                "exact",
            ),
            (r#""é""#, r#""\u00e9""#, "exact"),
            ("100", "1e2", "exact"),
            ("12345678901234567890", "12345678901234567891", "undecided"),
            ("0.1", "0.10000000000000000001", "undecided"),
            ("[1, 2]", "[2, 1]", "undecided"),
            ("1", "true", "undecided"),
            ("1", r#""1""#, "undecided"),
            ("{", "{", "undecided"),
            (&deep, &deep, "undecided"),
        ],
    );
}

#[test]
fn a_formula_of_any_depth_is_read_without_a_fall() {
    let deep = |count: usize| format!("{}p && q{}", "(".repeat(count), ")".repeat(count));
    let gold = deep(100_000);
    let prediction = gold.replace("p && q", "q && p");
    assert_eq!(method(gold.clone(), prediction, ""), "structural");
    assert_eq!(method(gold, "!".repeat(200_000) + "p", ""), "undecided");
}
