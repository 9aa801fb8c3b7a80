//! Gates as GitHub annotations: workflow commands on standard output, which GitHub shows
//! beside a commit.
//!
//! See "Workflow commands for GitHub Actions" in GitHub's documentation. The runner reads
//! a command up to the end of its line and undoes `%25`, `%0D` and `%0A`; in properties
//! also `%3A` and `%2C`. Whatever a report or a gates file says is escaped, so that it
//! can never end a command or start one, an older one (`##[`) included.

use judica_model::gate::GateResult;
use judica_model::gate_table::{requirement, value, verdict};

use crate::text::unbracketed;
use judica_model::text::is_hazard;

/// One line per gate that failed (`::error`) or passed with nothing to test (`::notice`),
/// in the order of the gates; nothing for the others. `file` is where GitHub shows
/// them, e.g. the gates file.
pub fn annotations(gates: &[GateResult], file: Option<&str>) -> String {
    gates
        .iter()
        .filter(|gate| !gate.pass || gate.vacuous)
        .map(|gate| annotation(gate, file))
        .collect()
}

fn annotation(gate: &GateResult, file: Option<&str>) -> String {
    let command = if gate.pass { "notice" } else { "error" };
    let place = file.map_or_else(String::new, |file| format!("file={},", property(file)));
    let title = property(&format!("gate {}", gate.name));
    let mut message = format!(
        "{}: {} is {}, must be {}",
        verdict(gate),
        gate.metric,
        value(gate),
        requirement(gate)
    );
    if let Some(note) = &gate.note {
        message.push_str(&format!(" ({note})"));
    }
    format!("::{command} {place}title={title}::{}\n", data(&message))
}

/// Escapes the text after the last `::`.
fn data(text: &str) -> String {
    escaped(text, &[])
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    escaped(text, &[':', ','])
}

fn escaped(text: &str, more: &[char]) -> String {
    let text = unbracketed(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '\r' | '\n') || more.contains(&c) {
            out.push_str(&format!("%{:02X}", u32::from(c)));
        } else if is_hazard(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gate(name: &str, value: Option<f64>, pass: bool, note: &str) -> GateResult {
        GateResult {
            name: name.to_owned(),
            metric: "/kappa".to_owned(),
            value,
            op: ">=".to_owned(),
            threshold: 0.75.into(),
            pass,
            vacuous: value.is_none(),
            note: Some(note.to_owned()),
        }
    }

    #[test]
    fn failures_are_errors_and_the_untested_are_notices() {
        let gates = [
            gate("a: b, 100%", Some(0.5), false, "50%\nof it"),
            gate("passed", Some(0.8), true, ""),
            gate("empty", None, true, "no items"),
            gate("undefined", None, false, "no items"),
        ];
        assert_eq!(
            annotations(&gates, Some("ci/a,b.toml")),
            "::error file=ci/a%2Cb.toml,title=gate a%3A b%2C 100%25::FAIL: /kappa is 0.5, \
             must be >= 0.75 (50%25%0Aof it)\n\
             ::notice file=ci/a%2Cb.toml,title=gate empty::pass (nothing to test): /kappa is \
             n/a, must be >= 0.75 (no items)\n\
             ::error file=ci/a%2Cb.toml,title=gate undefined::FAIL (undefined): /kappa is \
             n/a, must be >= 0.75 (no items)\n"
        );
    }

    /// What the runner does with an escaped text.
    fn undone(text: &str) -> String {
        [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")]
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
            .replace("%25", "%")
    }

    proptest! {
        #[test]
        fn the_runner_reads_what_was_written(text in "[a-z%:,\r\n ]{0,30}") {
            prop_assert_eq!(undone(&property(&text)), text.clone());
            prop_assert_eq!(undone(&data(&text)), text);
        }

        #[test]
        fn a_gate_is_one_line_that_starts_one_command(name in "\\PC{0,20}|[:%,\r\n#\\[a]{0,9}") {
            let line = annotations(&[gate(&name, Some(0.0), false, &name)], None);
            prop_assert_eq!(line.matches(['\n', '\r']).count(), 1);
            prop_assert!(line.starts_with("::error title=gate "));
            let (properties, _) = line[2..].split_once("::").unwrap();
            prop_assert!(!properties.contains([',', ':']));
            prop_assert!(!line.contains("##["));
        }
    }
}
