//! Several replies to one question, and what they come to.
//!
//! Only replies that could be read have a vote. The prediction is correct if more of them
//! say yes than no; a tie is no, like every doubt here. Nothing depends on the order of the
//! replies but whose reasoning is kept.

use serde::{Deserialize, Serialize};

use crate::reply::{ParseStatus, ReadVerdict};

/// What several replies come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// Whether the prediction was found correct.
    pub correct: bool,
    /// The reasoning of the first reply on the winning side.
    pub reasoning: String,
    /// Ok if any reply could be read; repaired if none of those was in the form that was
    /// asked for; refused if all were refusals; else invalid.
    pub status: ParseStatus,
    /// How many said yes.
    pub yes: u32,
    /// How many said no.
    pub no: u32,
    /// How many could not be read.
    pub invalid: u32,
    /// How many were refusals.
    pub refused: u32,
    /// Whether all could be read and said the same.
    pub unanimous: bool,
}

impl Vote {
    /// The verdict, if any reply could be read.
    pub fn readable(&self) -> Option<bool> {
        self.status.is_read().then_some(self.correct)
    }
}

/// Counts votes. One reply is its own majority; of no reply at all nothing was read.
pub fn majority(verdicts: &[ReadVerdict]) -> Vote {
    let count = |of: &dyn Fn(&ReadVerdict) -> bool| {
        let n = verdicts.iter().filter(|verdict| of(verdict)).count();
        u32::try_from(n).unwrap_or(u32::MAX)
    };
    let yes = count(&|verdict| verdict.readable() == Some(true));
    let no = count(&|verdict| verdict.readable() == Some(false));
    let invalid = count(&|verdict| verdict.status == ParseStatus::Invalid);
    let refused = count(&|verdict| verdict.status == ParseStatus::Refused);
    let correct = yes > no;
    let status = if count(&|verdict| verdict.status == ParseStatus::Ok) > 0 {
        ParseStatus::Ok
    } else if yes + no > 0 {
        ParseStatus::Repaired
    } else if refused > 0 && invalid == 0 {
        ParseStatus::Refused
    } else {
        ParseStatus::Invalid
    };
    let winner = verdicts.iter().find(|verdict| {
        let counts = verdict.status == status || (status.is_read() && verdict.status.is_read());
        counts && verdict.correct == correct
    });
    Vote {
        correct,
        reasoning: winner.map_or_else(
            || "There was no reply to count.".to_owned(),
            |verdict| verdict.reasoning.clone(),
        ),
        status,
        yes,
        no,
        invalid,
        refused,
        unanimous: invalid + refused == 0 && (yes == 0) != (no == 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `y`, `n`, `i`, `r` in order, `Y` and `N` if repaired; each reasoning is the place of its letter.
    fn vote(letters: &str) -> Vote {
        let verdict = |(at, letter): (usize, char)| ReadVerdict {
            correct: matches!(letter, 'y' | 'Y'),
            reasoning: at.to_string(),
            status: match letter {
                'i' => ParseStatus::Invalid,
                'r' => ParseStatus::Refused,
                'Y' | 'N' => ParseStatus::Repaired,
                _ => ParseStatus::Ok,
            },
            problem: None,
        };
        majority(&letters.chars().enumerate().map(verdict).collect::<Vec<_>>())
    }

    #[test]
    fn worked_by_hand() {
        use ParseStatus::{Invalid, Ok, Refused, Repaired};
        for (letters, correct, status, reasoning, unanimous) in [
            ("y", true, Ok, "0", true),
            ("n", false, Ok, "0", true),
            ("i", false, Invalid, "0", false),
            ("r", false, Refused, "0", false),
            ("Y", true, Repaired, "0", true),
            ("iN", false, Repaired, "1", false),
            ("nYY", true, Ok, "1", false),
            ("Yy", true, Ok, "0", true),
            ("nyy", true, Ok, "1", false),
            ("yyy", true, Ok, "0", true),
            ("ynyn", false, Ok, "1", false),
            ("iry", true, Ok, "2", false),
            ("iiyn", false, Ok, "3", false),
            ("rir", false, Invalid, "1", false),
            ("rr", false, Refused, "0", false),
        ] {
            let vote = vote(letters);
            assert_eq!((vote.correct, vote.status), (correct, status), "{letters}");
            assert_eq!(
                (vote.reasoning.as_str(), vote.unanimous),
                (reasoning, unanimous),
                "{letters}"
            );
        }
    }

    #[test]
    fn nobody_voted() {
        let vote = vote("");
        assert_eq!(
            (vote.correct, vote.status, vote.unanimous),
            (false, ParseStatus::Invalid, false)
        );
        assert_eq!(vote.readable(), None);
    }

    proptest! {
        #[test]
        fn order_decides_nothing(letters in "[yYnNir]{0,9}") {
            let forward = vote(&letters);
            let backward = vote(&letters.chars().rev().collect::<String>());
            prop_assert_eq!(Vote { reasoning: String::new(), ..forward.clone() },
                            Vote { reasoning: String::new(), ..backward });
            let all = forward.yes + forward.no + forward.invalid + forward.refused;
            prop_assert_eq!(all as usize, letters.len());
        }
    }
}
