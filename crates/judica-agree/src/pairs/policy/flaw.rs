//! What is wrong with the rules of a policy together, told to whoever wrote them.

use std::ops::Range;

use judica_data::toml_file::{Place, Problem};

use super::Rater;
use crate::pairs::arbitrate::{Case, Flaw, Rule};
use crate::pairs::label::LabelSpec;

/// What is wrong with rules together.
pub(super) fn problem(
    place: &Place,
    flaw: &Flaw,
    rules: &[Rule],
    spans: &[Range<usize>],
    raters: &[Rater; 2],
    labels: &[LabelSpec],
) -> Problem {
    let last = spans.last().cloned().unwrap_or_default();
    let (span, message, help) = match flaw {
        Flaw::NeverHolds(at) => {
            let message = format!("rule `{}` can never hold", rules[*at].why);
            (spans[*at].clone(), message, None)
        }
        Flaw::NeverReached(at, before) => {
            let before: Vec<String> = before
                .iter()
                .map(|at| format!("`{}`", rules[*at].why))
                .collect();
            let message = format!(
                "rule `{}` is never reached: all it holds for is decided before, by {}",
                rules[*at].why,
                before.join(", ")
            );
            let help = "the first rule that holds decides".to_owned();
            (spans[*at].clone(), message, Some(help))
        }
        Flaw::Undecided(case) => {
            let message = format!("no rule decides where {}", told(case, raters, labels));
            let help = "end with a rule that has neither `when` nor `unless`".to_owned();
            (last, message, Some(help))
        }
    };
    place.problem(span, message, help)
}

/// A pair in words.
fn told(case: &Case, raters: &[Rater; 2], labels: &[LabelSpec]) -> String {
    let said = |at: usize| {
        let label = case.labels[at].map(|label| labels[label.index()].name.as_str());
        let label = label.unwrap_or("what is no label");
        format!("{} says {label}", raters[at].name)
    };
    let raised = match case.flagged {
        true => "a flag is raised",
        false => "no flag is raised",
    };
    let cited = match case.out_of_scope {
        true => "something is cited out of scope",
        false => "nothing is cited out of scope",
    };
    format!("{}, {}, {raised} and {cited}", said(0), said(1))
}
