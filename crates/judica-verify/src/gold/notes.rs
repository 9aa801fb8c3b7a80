//! What is wrong with gold, in sentences.

use super::{GoldProblem, GoldReport};

/// Fields that a note names before it refers to the summary.
const NAMED: usize = 3;

/// Where gold is looked for.
pub(crate) const PLACES: &str = "gold stands under `next_second` or `T+1`, at the top or in `gold`";

impl GoldReport {
    /// What whoever reads the result must know of its gold. `calibrate` is the command that
    /// runs the protocol on it.
    /// Totals of dimensions need no gold.
    pub fn notes(&self, samples: u64, calibrate: &str, gold_needed: bool) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(self.no_totals(samples).filter(|_| gold_needed));
        notes.extend(self.named_problems());
        if self.ineligible * 2 > self.verified {
            notes.push(format!(
                "the truth itself would be ineligible on {} of {} samples; see `judica calibrate`: `{calibrate}` says which rules it breaks",
                self.ineligible, self.verified
            ));
        }
        if self.critical * 2 > self.verified {
            notes.push(format!(
                "the truth itself breaks a critical rule on {} of {} samples; see `judica calibrate`: `{calibrate}` says which",
                self.critical, self.verified
            ));
        }
        notes
    }

    fn no_totals(&self, samples: u64) -> Option<String> {
        if self.usable > 0 || samples == 0 {
            return None;
        }
        const SO: &str = "there are no totals, and nobody is ranked";
        Some(match self.given {
            0 => format!("no sample has gold: {SO}; {PLACES}"),
            given => format!(
                "gold was given for {given} of {samples} samples, and none of it can be used ({}): {SO}",
                self.reasons()
            ),
        })
    }

    /// The reasons why gold is of no use, with how many samples each holds for.
    pub fn reasons(&self) -> String {
        let reasons: Vec<String> = self
            .unusable
            .iter()
            .map(|(reason, samples)| format!("{samples} × {reason}"))
            .collect();
        reasons.join(", ")
    }

    /// The problems on one line: the first few of them.
    pub fn named_problems(&self) -> Option<String> {
        if self.problems.is_empty() {
            return None;
        }
        let named: Vec<String> = self
            .problems
            .iter()
            .take(NAMED)
            .map(GoldProblem::words)
            .collect();
        let more = match self.problems.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more under `gold.problems`"),
        };
        let places = match self.unusable.contains_key("unknown_key") {
            true => format!("; {PLACES}"),
            false => String::new(),
        };
        Some(format!(
            "gold that cannot be used: {}{more}{places}",
            named.join("; ")
        ))
    }
}

impl GoldProblem {
    /// What is wrong, how often, and where first.
    pub(crate) fn words(&self) -> String {
        let GoldProblem {
            field,
            reason,
            count,
            first_sample,
            found,
        } = self;
        let field = field
            .as_ref()
            .map_or(String::new(), |field| format!("{field}: "));
        format!("{field}{count} × {reason} (first in sample {first_sample}: {found})")
    }
}
