//! What the golds of a data set look like, to tell formulas from text.
//!
//! A plain word is a formula, too, and so is "salt and pepper": a proposition, a
//! conjunction. Taken for formulas, texts would lose their white space and "the rapist" be
//! "therapist". So golds are formulas only if every one of them can be read as one, and
//! something shows that they are meant as such: see [`Looks`]. In doubt they are text, which
//! may leave a row undecided and calls none equal that is not.

use serde::{Deserialize, Serialize};

use judica_model::table::counted;
use judica_text::atl::Looks;
use judica_text::gold::Gold;
use judica_text::normalize::lines;

/// What golds look like, in any order and split the same. Blank golds say nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Golds {
    /// Whether one of them cannot be read as a formula.
    other: bool,
    /// Whether one of them can be read as nothing else.
    marked: bool,
    /// Whether one of them is a temporal formula in letters.
    temporal: bool,
    /// Whether one of them is neither, and might be text.
    plain: bool,
    /// Rows whose gold has what looks like a coalition.
    coalitions: u64,
    /// Rows whose answer is the number of the gold, written otherwise.
    respelt: u64,
}

impl Golds {
    /// Golds of which one is no formula.
    pub const TEXT: Golds = Golds {
        other: true,
        marked: false,
        temporal: false,
        plain: false,
        coalitions: 0,
        respelt: 0,
    };

    /// Adds the gold of a row. Once one of them is no formula the others do not matter.
    pub fn see(&mut self, gold: &Gold) {
        let coalition = gold.formulas().iter().any(|text| text.contains("<<"));
        self.coalitions += u64::from(coalition);
        for text in gold.formulas() {
            if self.other {
                return;
            }
            if !text.trim().is_empty() {
                self.look(text);
            }
        }
    }

    /// Adds the answer of a row whose gold was seen.
    pub fn see_answer(&mut self, gold: &Gold, answer: &str) {
        if let [gold] = gold.formulas() {
            self.respelt += u64::from(is_respelt(gold, answer));
        }
    }

    fn look(&mut self, text: &str) {
        if is_bare_number(text) {
            return self.mark(Looks::Plain);
        }
        let whole = Looks::of(text);
        let lines = lines(text);
        // Several lines that are no formula together may be several formulas.
        if whole == Looks::Other && lines.len() > 1 {
            lines.iter().for_each(|line| self.mark(Looks::of(line)));
        } else {
            self.mark(whole);
        }
    }

    fn mark(&mut self, looks: Looks) {
        match looks {
            Looks::Other => self.other = true,
            Looks::Plain => self.plain = true,
            Looks::Temporal => self.temporal = true,
            Looks::Marked => self.marked = true,
        }
    }

    /// Adds those of other rows.
    pub fn merge(&mut self, others: Golds) {
        self.other |= others.other;
        self.marked |= others.marked;
        self.temporal |= others.temporal;
        self.plain |= others.plain;
        self.coalitions += others.coalitions;
        self.respelt += others.respelt;
    }

    /// What a reader should know where they were taken for text and perhaps are not.
    pub fn note(self) -> Option<String> {
        if self.other && self.coalitions > 0 {
            return Some(format!(
                "compared as text, because not every gold reads as a formula, though {} \
                 have a coalition; `--normalizer atl` compares formulas",
                self.coalitions
            ));
        }
        (self.respelt > 0 && !self.are_formulas()).then(|| {
            format!(
                "{} the same number as the gold in other digits (`1.0` and `1`), which is \
                 different as text; `--normalizer number` compares numbers",
                counted(self.respelt, ["prediction is", "predictions are"])
            )
        })
    }

    /// The same without what does not matter, and hangs on who looked first.
    pub fn settled(self) -> Golds {
        match self.other {
            true => Golds {
                coalitions: self.coalitions,
                respelt: self.respelt,
                ..Golds::TEXT
            },
            false => self,
        }
    }

    /// Whether one of them is no formula, so that no other can change what they are.
    pub fn are_text(self) -> bool {
        self.other
    }

    /// Whether they are formulas: all can be read, and one as nothing else, or every one is
    /// temporal.
    pub fn are_formulas(self) -> bool {
        !self.other && (self.marked || self.temporal && !self.plain)
    }
}

/// Whether two texts are one number in different digits.
fn is_respelt(gold: &str, answer: &str) -> bool {
    let [gold, answer] = [gold, answer].map(str::trim);
    let (one, other) = match (gold.strip_prefix('-'), answer.strip_prefix('-')) {
        (Some(gold), Some(answer)) => (gold, answer),
        _ => (gold, answer),
    };
    let same = || one.parse::<f64>().ok() == other.parse::<f64>().ok();
    one != other && is_bare_number(one) && is_bare_number(other) && same()
}

/// Whether a text is a number written with digits and at most one point. Two of them are the
/// same as text if and only if they are as formulas, so that nothing need be decided twice.
pub(crate) fn is_bare_number(text: &str) -> bool {
    let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    match memchr::memchr(b'.', bytes) {
        None => is_digits(bytes),
        Some(point) => is_digits(&bytes[..point]) && is_digits(&bytes[point + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judica_text::normalize::{Atl, Normalizer, Text};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_the_same_both_ways(a in "[0-9]{1,3}(\\.[0-9]{1,2})?", b in "[0-9]{1,3}(\\.[0-9]{1,2})?") {
            prop_assert!(is_bare_number(&a));
            prop_assert_eq!(Looks::of(&a), Looks::Plain);
            for (gold, said) in [(&a, &a), (&a, &b)] {
                let gold = Gold::one(gold);
                prop_assert_eq!(Text.compare(&gold, said), Atl.compare(&gold, said));
            }
            prop_assert_eq!(Text.normalized(&a), Atl.normalized(&a));
        }

        #[test]
        fn only_numbers_are_bare(text in "[0-9.eE+ -]{0,6}") {
            let plain = !text.is_empty()
                && text.split('.').count() <= 2
                && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
            prop_assert_eq!(is_bare_number(&text), plain);
        }
    }

    fn formulas(texts: &[&str]) -> bool {
        let mut golds = Golds::default();
        for text in texts {
            golds.see(&Gold::one(text));
        }
        // Any split gives the same.
        let mut merged = Golds::default();
        for text in texts.iter().rev() {
            let mut one = Golds::default();
            one.see(&Gold::one(text));
            merged.merge(one);
        }
        assert_eq!(merged.are_formulas(), golds.are_formulas(), "{texts:?}");
        golds.are_formulas()
    }

    #[test]
    fn formulas_are_formulas() {
        for texts in [
            &["<<A>>F p"][..],
            &["p", "<<A>>F p", "", " \n"],
            &["p && q", "p"],
            &["!p", "q"],
            &["p → q", "p and q"],
            &["F p", "G (p)", "p U q", "GF p"],
            &["<<A>>F p\n<<B>>G q"],
            &["(p &&\nq)"],
            &["[[A]]X p", "at(r1, hall)", "x >= 3"],
        ] {
            assert!(formulas(texts), "{texts:?}");
        }
    }

    #[test]
    fn text_is_text_though_it_could_be_read_as_formulas() {
        for texts in [
            &[][..],
            &["", " "],
            &["yes", "no"],
            &["Paris"],
            &["p"],
            &["A", "B", "C"],
            &["F"],
            &["3", "4.5", "-2"],
            &["x = 3", "x != 4"],
            &["salt and pepper", "not sure", "true or false"],
            &["next Monday", "closed until tomorrow", "always"],
            &["AT&T", "Rock & Roll", "~100", "a|b"],
            &["X ray", "bone"],
            &["Go", "Fa"],
            &["<<A>>F p", "the rapist"],
            &["the rapist", "<<A>>F p"],
            &["p && q\nthe rapist"],
        ] {
            assert!(!formulas(texts), "{texts:?}");
        }
    }

    #[test]
    fn of_several_golds_each_counts() {
        let mut golds = Golds::default();
        golds.see(&Gold::list(vec!["<<A>>F p".into(), "".into(), "q".into()]));
        assert!(golds.are_formulas());
        golds.see(&Gold::list(vec!["<<A>>F p".into(), "to be".into()]));
        assert!(golds.are_text() && !golds.are_formulas());
        let mut other = Golds::TEXT;
        other.see(&Gold::one("<<A>>G p"));
        other.merge(golds);
        let note = other.note().unwrap();
        assert!(note.contains("though 3 have a coalition"), "{note}");
        assert_eq!(Golds::TEXT.note(), None);
    }

    #[test]
    fn numbers_in_other_digits_are_said() {
        let mut golds = Golds::default();
        for (gold, answer) in [("1", "1.0"), ("-2.50", " -2.5"), ("3", "3"), ("4", "-4")] {
            golds.see(&Gold::one(gold));
            golds.see_answer(&Gold::one(gold), answer);
        }
        for (gold, answer) in [("a", "b"), ("5", "five"), ("6.", "6"), ("", "0")] {
            golds.see_answer(&Gold::one(gold), answer);
        }
        let note = golds.settled().note().unwrap();
        assert!(note.contains("2 predictions are"), "{note}");
    }
}
