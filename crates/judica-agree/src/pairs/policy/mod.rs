//! Arbitration as data: who the raters are, what they may say, and which rules decide in
//! which order. `file` reads it, `flaw` says what is wrong with rules together;
//! [`super::arbitrate`] makes a table of them.

mod file;
mod flaw;

use std::path::Path;
use std::sync::LazyLock;

use judica_data::source::read_text;
use judica_data::toml_file::{Place, all_of};
use judica_data::work_error::WorkError;
use serde::{Deserialize, Serialize};

use super::arbitrate::{Decision, Decisions, Outcome, Rule, Why};
use super::label::{Label, LabelSpec};
use super::line::Keys;

/// The policy where no other is given.
pub const BUILT_IN: &str = include_str!("built_in.toml");

/// A policy that a user gave, whole: a run can be made again when the file is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    /// The file, as it was given.
    pub file: String,
    /// What stands in it.
    pub text: String,
}

impl PolicyText {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, WorkError> {
        Ok(PolicyText {
            file: path.display().to_string(),
            text: read_text(path)?,
        })
    }
}

/// One of the two who judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rater {
    /// What it is called.
    pub name: String,
    /// Where merged lines hold what it says.
    pub key: String,
}

/// Who judges, what they may say, and who wins where they differ.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Whose labels are the rows of a confusion matrix, and whose the columns.
    pub raters: [Rater; 2],
    /// What they may say.
    pub labels: Vec<LabelSpec>,
    rules: Vec<Rule>,
    decisions: Decisions,
    /// Every spelling of every label.
    spellings: Vec<(Box<[u8]>, Label)>,
    /// Where lines hold what.
    pub(super) keys: Keys,
}

/// Policies are files, and the one of this program is known to be well written.
static BUILT: LazyLock<Result<Policy, String>> = LazyLock::new(|| {
    let parsed = Policy::parse("built_in.toml", BUILT_IN);
    parsed.map_err(|error| error.to_string())
});

impl Policy {
    /// The policy of the program.
    pub fn built_in() -> Result<Policy, WorkError> {
        let built = BUILT.as_ref().map_err(|error| error.clone());
        built.cloned().map_err(WorkError::BadArtifact)
    }

    /// The policy that was given, else that of the program.
    pub fn of(given: Option<&PolicyText>) -> Result<Policy, WorkError> {
        match given {
            Some(given) => Policy::parse(&given.file, &given.text),
            None => Policy::built_in(),
        }
    }

    /// Reads the text of a file; all mistakes in it are told.
    pub fn parse(file: &str, text: &str) -> Result<Policy, WorkError> {
        file::parse(&Place::new(file, text)).map_err(all_of)
    }

    /// The raters' names.
    pub fn names(&self) -> [&str; 2] {
        let [first, second] = &self.raters;
        [&first.name, &second.name]
    }

    /// The label of that spelling, letter for letter.
    #[inline]
    pub fn label(&self, text: &[u8]) -> Option<Label> {
        let mut spellings = self.spellings.iter();
        let found = spellings.find(|(spelling, _)| **spelling == *text);
        found.map(|(_, label)| *label)
    }

    /// The label that somebody meant who wrote this, for a hint only.
    pub fn meant(&self, text: &str) -> Option<&str> {
        let plain = |text: &str| text.trim().replace([' ', '-'], "_").to_ascii_lowercase();
        let mut labels = self.labels.iter();
        let meant = labels.find(|label| {
            let mut spellings = std::iter::once(&label.name).chain(&label.aliases);
            spellings.any(|spelling| plain(spelling) == plain(text))
        });
        meant.map(|label| label.name.as_str())
    }

    /// What is said about a label.
    pub fn spec(&self, label: Label) -> &LabelSpec {
        &self.labels[label.index()]
    }

    /// Whether any label ships: else pairs neither pass nor fail.
    pub fn ships(&self) -> bool {
        self.labels.iter().any(|label| label.ships)
    }

    /// The name of a rule.
    pub fn why(&self, why: Why) -> &str {
        &self.rules[why.index()].why
    }

    /// All rules by name, and what each makes of a pair.
    pub fn rules(&self) -> impl Iterator<Item = (&str, String)> {
        self.rules.iter().map(|rule| {
            let outcome = match rule.outcome {
                Outcome::Is(label) => self.spec(label).name.clone(),
                Outcome::Of(rater) => format!("as {}", self.raters[rater].name),
            };
            (rule.why.as_str(), outcome)
        })
    }

    /// All labels.
    pub fn labels(&self) -> impl Iterator<Item = Label> {
        (0..self.labels.len()).map(|at| Label(at as u8))
    }

    /// The labels that some rule leads to.
    pub fn finals(&self) -> impl Iterator<Item = Label> {
        self.labels().filter(|label| {
            let leads = |rule: &Rule| match rule.outcome {
                Outcome::Is(found) => found == *label,
                Outcome::Of(_) => true,
            };
            self.rules.iter().any(leads)
        })
    }

    /// The rule of that name.
    pub(super) fn rule(&self, why: &str) -> Option<Why> {
        let at = self.rules.iter().position(|rule| rule.why == why)?;
        Some(Why(at as u8))
    }

    /// Decides a pair. No label stands for one that is not in the label space. `in_scope` is
    /// asked only where it matters: whether all citations were retrieved.
    #[inline]
    pub fn decide(
        &self,
        labels: [Option<Label>; 2],
        flagged: bool,
        in_scope: impl FnOnce() -> bool,
    ) -> Decision {
        self.decisions.look_up(labels, flagged, in_scope)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
