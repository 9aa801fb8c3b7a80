//! What could not be used, counted by reason, with the first few named.

use std::borrow::Cow;

use serde::Serialize;

/// How many of each kind are named in a report; all of them stand in `rejects.jsonl`.
pub const EXAMPLES: usize = 5;

/// One kind of refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedRows {
    /// A short code for programs, e.g. `unknown_label`.
    pub reason: Cow<'static, str>,
    /// How many.
    pub count: u64,
    /// The first few.
    pub examples: Vec<Example>,
}

/// Where one of them stands, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The input.
    pub file: String,
    /// The line it begins on, from 1.
    pub line: u64,
    /// A sentence for people.
    pub detail: String,
}

/// All refusals of a run, kinds in the order in which they first came up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Refusals {
    kinds: Vec<RefusedRows>,
}

impl Refusals {
    /// Counts one; `example` is called only if it will be kept.
    pub fn count(
        &mut self,
        reason: impl Into<Cow<'static, str>>,
        example: impl FnOnce() -> Example,
    ) {
        let reason = reason.into();
        let at = self.kinds.iter().position(|kind| kind.reason == reason);
        let at = at.unwrap_or_else(|| {
            self.kinds.push(RefusedRows {
                reason,
                count: 0,
                examples: Vec::new(),
            });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[at];
        kind.count += 1;
        if kind.examples.len() < EXAMPLES {
            kind.examples.push(example());
        }
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.count).sum()
    }

    /// How many of each kind.
    pub(crate) fn by_reason(&self) -> impl Iterator<Item = (&str, u64)> {
        self.kinds.iter().map(|kind| (&*kind.reason, kind.count))
    }

    /// The kinds, in the order in which they first came up.
    pub fn kinds(&self) -> &[RefusedRows] {
        &self.kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_first_few_named() {
        let mut refusals = Refusals::default();
        for line in 1..=20 {
            let reason = if line % 4 == 0 { "b" } else { "a" };
            refusals.count(reason, || Example {
                file: "f".to_owned(),
                line,
                detail: String::new(),
            });
        }
        let counts: Vec<_> = refusals.by_reason().collect();
        assert_eq!(counts, [("a", 15), ("b", 5)]);
        assert_eq!(refusals.total(), 20);
        let lines: Vec<u64> = refusals.kinds()[0]
            .examples
            .iter()
            .map(|e| e.line)
            .collect();
        assert_eq!(lines, [1, 2, 3, 5, 6]);
    }
}
