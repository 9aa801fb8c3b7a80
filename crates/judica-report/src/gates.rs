//! Gates as Markdown, for the summary page of a CI job.

use judica_model::gate::GateResult;
use judica_model::gate_table::{requirement, value, verdict};
use judica_model::table::counted;

use crate::markdown::escape;
use crate::text::visible;

/// Renders a heading, one line that says how it went, and a table with one row per gate.
/// Names and notes come from files anyone may have written: no markup or HTML in them
/// takes effect.
pub fn markdown(title: &str, gates: &[GateResult]) -> String {
    let cell = |text: &str| escape(&visible(text.trim()));
    let mut out = format!("## {}\n\n{}\n", cell(title), outcome(gates));
    if gates.is_empty() {
        return out;
    }
    out.push_str("\n| gate | metric | value | must be | result | note |\n");
    out.push_str("| --- | --- | ---: | --- | --- | --- |\n");
    for gate in gates {
        let (word, remark) = word_and_remark(gate);
        out.push_str(&format!(
            "| {} | {} | {} | {} | **{word}**{remark} | {} |\n",
            cell(&gate.name),
            cell(&gate.metric),
            cell(&value(gate)),
            cell(&requirement(gate)),
            cell(gate.note.as_deref().unwrap_or_default()),
        ));
    }
    out
}

/// `**FAIL**: 1 of 3 gates failed; 1 passed with nothing to test.`
fn outcome(gates: &[GateResult]) -> String {
    let count = |has: fn(&GateResult) -> bool| gates.iter().filter(|gate| has(gate)).count();
    let total = gates.len();
    let failed = count(|gate| !gate.pass);
    let undefined = count(|gate| !gate.pass && gate.vacuous);
    let vacuous = count(|gate| gate.pass && gate.vacuous);
    let gates = counted(total as u64, ["gate", "gates"]);
    let mut out = if failed == 0 {
        format!("**PASS**: {gates} passed")
    } else {
        format!("**FAIL**: {failed} of {gates} failed")
    };
    if undefined > 0 {
        out.push_str(&format!(", {undefined} over an undefined number"));
    }
    if vacuous > 0 {
        out.push_str(&format!("; {vacuous} passed with nothing to test"));
    }
    out + "."
}

/// The verdict's first word in capitals, which is shown bold, and the rest.
fn word_and_remark(gate: &GateResult) -> (&'static str, &'static str) {
    let word = if gate.pass { "PASS" } else { "FAIL" };
    (word, verdict(gate).get(word.len()..).unwrap_or_default())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn gate(
        name: &str,
        value: Option<f64>,
        pass: bool,
        note: Option<&str>,
    ) -> GateResult {
        GateResult {
            name: name.to_owned(),
            metric: "/metrics/kappa".to_owned(),
            value,
            op: ">=".to_owned(),
            threshold: 0.75.into(),
            pass,
            vacuous: value.is_none(),
            note: note.map(str::to_owned),
        }
    }

    #[test]
    fn a_summary_of_gates() {
        let gates = [
            gate("kappa", Some(0.71), false, Some("n 40")),
            gate("recall", None, true, Some("no items")),
            gate("coverage", None, false, Some("no claims")),
        ];
        let expected = "\
## Gates

**FAIL**: 2 of 3 gates failed, 1 over an undefined number; 1 passed with nothing to test.

| gate | metric | value | must be | result | note |
| --- | --- | ---: | --- | --- | --- |
| kappa | /metrics/kappa | 0.71 | \\>= 0.75 | **FAIL** | n 40 |
| recall | /metrics/kappa | n/a | \\>= 0.75 | **PASS** (nothing to test) | no items |
| coverage | /metrics/kappa | n/a | \\>= 0.75 | **FAIL** (undefined) | no claims |
";
        assert_eq!(markdown("Gates", &gates), expected);
        let passed = markdown("Gates", &[gate("kappa", Some(0.8), true, None)]);
        assert!(passed.contains("**PASS**: 1 gate passed.\n"));
        assert_eq!(markdown("t", &[]), "## t\n\n**PASS**: 0 gates passed.\n");
    }

    #[test]
    fn nothing_in_a_name_takes_effect() {
        let hostile = "<script>|\n# `x` **b**\u{1b}[31m\u{202e}";
        let page = markdown(hostile, &[gate(hostile, Some(1.0), true, Some(hostile))]);
        assert_eq!(page.lines().count(), 7);
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
        for (at, _) in page.match_indices(['<', '`']) {
            assert_eq!(&page[at - 1..at], "\\");
        }
    }
}
