//! Gates as JUnit XML, the format every CI system reads: one test case per gate.
//!
//! There is no one standard; the shape is that of Jenkins, as `quick-junit` writes it.
//! Nothing in it differs from run to run: no times, no host, no identifiers.

use judica_model::gate::GateResult;
use judica_model::gate_table::{requirement, value, verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::text::visible;

/// Renders one suite with a case for each gate. A gate that failed is a failure, one
/// that passed because there was nothing to test is skipped, and the numbers of the
/// others stand in their output.
pub fn render(suite_name: &str, gates: &[GateResult]) -> String {
    let suite_name = printable(suite_name);
    let mut suite = TestSuite::new(suite_name.as_str());
    for gate in gates {
        let numbers = numbers(gate);
        let mut case = TestCase::new(printable(&gate.name), status(gate, &numbers));
        case.set_classname(suite_name.as_str());
        if gate.pass && !gate.vacuous {
            case.set_system_out(numbers);
        }
        suite.add_test_case(case);
    }
    let mut report = Report::new(suite_name.as_str());
    report.add_test_suite(suite);
    // Writing to memory cannot fail, and every string in it is legal XML.
    report.to_string().unwrap_or_default()
}

fn status(gate: &GateResult, numbers: &str) -> TestCaseStatus {
    let message = format!(
        "{} is {}, must be {}",
        gate.metric,
        value(gate),
        requirement(gate)
    );
    // Many viewers show nothing but this line, and "n/a" alone explains nothing.
    let message = match &gate.note {
        Some(why) if gate.vacuous => format!("{message}: {why}"),
        _ => message,
    };
    let mut status = match (gate.pass, gate.vacuous) {
        (true, false) => return TestCaseStatus::success(),
        (true, true) => TestCaseStatus::skipped(),
        (false, _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    status
        .set_message(printable(&message))
        .set_description(numbers);
    if !gate.pass {
        status.set_type("gate");
    }
    status
}

/// Everything the result holds, one thing per line.
fn numbers(gate: &GateResult) -> String {
    let mut lines = vec![
        format!("result: {}", verdict(gate)),
        format!("metric: {}", gate.metric),
        format!("value: {}", value(gate)),
        format!("must be: {}", requirement(gate)),
    ];
    lines.extend(gate.note.iter().map(|note| format!("note: {note}")));
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.join("\n")
}

/// The text with every character spelt out that would be invisible, or that XML 1.0 does
/// not allow at all (section 2.2: most control characters, U+FFFE and U+FFFF).
fn printable(text: &str) -> String {
    visible(text)
        .replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roxmltree::{Document, Node};

    use super::*;
    use crate::gates::tests::gate;

    fn cases<'a>(document: &'a Document<'a>) -> Vec<Node<'a, 'a>> {
        let nodes = document.descendants();
        nodes.filter(|node| node.has_tag_name("testcase")).collect()
    }

    fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
        node.children().find(|child| child.has_tag_name(name))
    }

    #[test]
    fn one_case_per_gate_with_its_numbers() {
        let gates = [
            gate("kappa", Some(0.71), false, Some("n 40")),
            gate("passed", Some(0.8), true, None),
            gate("empty", None, true, Some("no items")),
            gate("undefined", None, false, Some("no items")),
        ];
        let xml = render("gates.toml", &gates);
        assert_eq!(xml, render("gates.toml", &gates));
        let document = Document::parse(&xml).unwrap();
        let suite = document.root_element().first_element_child().unwrap();
        let counts = ["tests", "failures", "skipped", "errors"].map(|key| suite.attribute(key));
        assert_eq!(counts, [Some("4"), Some("2"), Some("1"), Some("0")]);
        assert_eq!(suite.attribute("timestamp"), None);

        let cases = cases(&document);
        let failure = child(cases[0], "failure").unwrap();
        let message = "/metrics/kappa is 0.71, must be >= 0.75";
        assert_eq!(failure.attribute("message"), Some(message));
        assert!(failure.text().unwrap().ends_with("note: n 40"));
        assert!(child(cases[1], "failure").is_none());
        let out = child(cases[1], "system-out").unwrap();
        assert!(out.text().unwrap().contains("value: 0.8\n"));
        assert!(child(cases[2], "skipped").is_some());
        let undefined = child(cases[3], "failure").unwrap();
        let message = "/metrics/kappa is n/a, must be >= 0.75: no items";
        assert_eq!(undefined.attribute("message"), Some(message));
    }

    proptest! {
        #[test]
        fn any_name_loads_in_a_standard_parser(
            name in any::<String>(),
            odd in "[\u{0}-\u{20}<>&\"'\u{1b}\\]\u{fffe}\u{ffff}]{0,12}",
        ) {
            let gates = [gate(&name, Some(0.0), false, Some(&odd)), gate(&odd, None, true, None)];
            let xml = render(&odd, &gates);
            let document = Document::parse(&xml).unwrap();
            let names: Vec<_> = cases(&document).iter().map(|c| c.attribute("name")).collect();
            prop_assert_eq!(names, [Some(&*printable(&name)), Some(&*printable(&odd))]);
        }
    }
}
