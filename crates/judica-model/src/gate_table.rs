//! Gate results as people read them: what was asked, what came of it, and a table.
//!
//! Every format that shows gates takes its words from here, so that a terminal, a job
//! summary and a JUnit file never say different things about the same gate.

use crate::gate::{GateResult, Threshold};
use crate::table::{Cell, Table};

/// Digits people see of a number that has no reason to show more.
const DIGITS: usize = 6;

/// Below this a number is written with an exponent; above [`LARGE`] too.
const SMALL: f64 = 1e-4;
const LARGE: f64 = 1e15;

/// What the gate asks for, e.g. `>= 0.75` or `between 0.2 and 0.4`.
pub fn requirement(gate: &GateResult) -> String {
    let threshold = match gate.threshold {
        Threshold::Number(number) => shortest(number),
        Threshold::Range([lo, hi]) => format!("{} and {}", shortest(lo), shortest(hi)),
    };
    match gate.op.as_str() {
        "max_drop" => format!("at most {threshold} below the baseline"),
        "max_rise" => format!("at most {threshold} above the baseline"),
        "lower_bound_at_least" => format!("lower bound >= {threshold}"),
        "upper_bound_at_most" => format!("upper bound <= {threshold}"),
        "no_significant_drop" => format!("no significant drop at {threshold}"),
        op => format!("{op} {threshold}"),
    }
}

/// What came of it.
pub fn verdict(gate: &GateResult) -> &'static str {
    match (gate.pass, gate.vacuous) {
        (true, false) => "pass",
        (false, false) => "FAIL",
        (true, true) => "pass (nothing to test)",
        (false, true) => "FAIL (undefined)",
    }
}

/// The gate's value: six digits, or as many as it takes to show on which side of the
/// threshold it is. `n/a` if there is none.
pub fn value(gate: &GateResult) -> String {
    let Some(value) = gate.value else {
        return "n/a".to_owned();
    };
    let limits = match gate.threshold {
        Threshold::Number(number) => [number; 2],
        Threshold::Range(range) => range,
    };
    let sides = |value: f64| limits.map(|limit| value.partial_cmp(&limit));
    (DIGITS..17)
        .map(|digits| rounded(value, digits))
        .find(|text| text.parse().map(sides) == Ok(sides(value)))
        .unwrap_or_else(|| shortest(value))
}

/// A number with up to six digits, for a sentence.
pub fn brief(value: f64) -> String {
    rounded(value, DIGITS)
}

/// All gates in one table.
pub fn table(title: &str, gates: &[GateResult]) -> Table {
    let mut table = Table::new(title)
        .left("gate")
        .right("value")
        .left("must be")
        .left("result")
        .left("note");
    for gate in gates {
        let note = gate.note.clone().unwrap_or_default();
        table.push([
            Cell::text(&gate.name),
            Cell::text(value(gate)),
            Cell::text(requirement(gate)),
            Cell::text(verdict(gate)),
            Cell::text(note),
        ]);
    }
    table
}

/// The shortest text that reads back as the same number.
fn shortest(value: f64) -> String {
    if plain(value) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Whether a number is easier to read without an exponent.
fn plain(value: f64) -> bool {
    value == 0.0 || (SMALL..LARGE).contains(&value.abs()) || !value.is_finite()
}

/// `value` with at most `digits` significant digits, or all of its whole part, without
/// trailing zeros.
fn rounded(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    // Digits before the point are never rounded away: 1,234,567 is not 1,234,570.
    let whole = if plain(value) {
        format!("{:.0}", value.abs()).len()
    } else {
        1
    };
    // Rust rounds decimally, and exactly, when it prints; reading the text back gives
    // the double nearest to it, whose shortest text has no more digits.
    let text = format!("{value:.*e}", digits.max(whole) - 1);
    text.parse().map_or(text, shortest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(value: Option<f64>, op: &str, threshold: Threshold) -> GateResult {
        GateResult {
            name: "g".to_owned(),
            metric: "/m".to_owned(),
            value,
            op: op.to_owned(),
            threshold,
            pass: true,
            vacuous: value.is_none(),
            note: None,
        }
    }

    #[test]
    fn a_value_shows_on_which_side_of_the_threshold_it_is() {
        let shown = |value: f64, threshold: f64| value_of(value, threshold.into());
        fn value_of(number: f64, threshold: Threshold) -> String {
            value(&gate(Some(number), ">=", threshold))
        }
        assert_eq!(shown(2.0 / 3.0, 0.5), "0.666667");
        assert_eq!(shown(0.749_999_999_9, 0.75), "0.7499999999");
        assert_eq!(shown(0.3, 0.1 + 0.2), "0.3");
        assert_eq!(shown(0.1 + 0.2, 0.3), "0.30000000000000004");
        assert_eq!(shown(1.0, 1.0), "1");
        assert_eq!(shown(1e300, 1.0), "1e300");
        assert_eq!(shown(0.000_012_34, 0.01), "1.234e-5");
        assert_eq!(value_of(0.25, Threshold::Range([0.2, 0.4])), "0.25");
        assert_eq!(value(&gate(None, ">=", 0.5.into())), "n/a");
    }

    #[test]
    fn requirements_read_as_sentences() {
        let asks = |op, threshold| requirement(&gate(Some(0.5), op, threshold));
        assert_eq!(asks(">=", 0.75.into()), ">= 0.75");
        let range = Threshold::Range([0.2, 0.4]);
        assert_eq!(asks("between", range), "between 0.2 and 0.4");
        assert_eq!(
            asks("max_drop", 0.02.into()),
            "at most 0.02 below the baseline"
        );
        assert_eq!(
            asks("lower_bound_at_least", 0.7.into()),
            "lower bound >= 0.7"
        );
    }

    #[test]
    fn numbers_in_sentences_are_brief() {
        assert_eq!(brief(1.0 / 3.0), "0.333333");
        assert_eq!(brief(-0.05), "-0.05");
        assert_eq!(brief(0.0), "0");
        assert_eq!(brief(123_456_789.2), "123456789");
        assert_eq!(brief(3.2e-11), "3.2e-11");
    }
}
