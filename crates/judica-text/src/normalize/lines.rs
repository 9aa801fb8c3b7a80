//! One formula per line, for golds of several formulas.

use super::Matched;
use crate::gold::Gold;

/// What a comparison is between.
pub enum Sides<'a> {
    /// One text with another.
    Whole(&'a str, &'a str),
    /// Several texts, all required, with the lines of the prediction.
    Lines(Vec<&'a str>, Vec<&'a str>),
}

impl<'a> Sides<'a> {
    /// The two sides of a row; blank texts and lines are left out of a list.
    pub fn of(gold: &'a Gold, prediction: &'a str) -> Sides<'a> {
        if let [one] = gold.formulas() {
            return Sides::Whole(one, prediction);
        }
        let required = not_blank(gold.formulas().iter().map(String::as_str));
        if let Gold::Any(_) = gold {
            return Sides::Lines(required, vec![prediction]);
        }
        match required[..] {
            [one] => Sides::Whole(one, prediction),
            _ => Sides::Lines(required, lines(prediction)),
        }
    }
}

/// The lines of a text that hold something.
pub fn lines(text: &str) -> Vec<&str> {
    not_blank(text.lines())
}

fn not_blank<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    texts.filter(|text| !text.trim().is_empty()).collect()
}

/// Equality of normal forms: of the whole texts, or of the lines as multisets. A text
/// without a normal form equals nothing.
pub(super) fn equal_forms<'a, T: Ord>(
    gold: &'a Gold,
    prediction: &'a str,
    form: impl Fn(&'a str) -> Option<T>,
) -> Matched {
    let sorted = |texts: Vec<&'a str>| {
        let mut forms = texts.into_iter().map(&form).collect::<Option<Vec<T>>>()?;
        forms.sort_unstable();
        Some(forms)
    };
    let equal = match Sides::of(gold, prediction) {
        Sides::Whole(gold, prediction) => {
            form(gold).is_some_and(|gold| form(prediction) == Some(gold))
        }
        Sides::Lines(gold, prediction) => {
            gold.len() == prediction.len()
                && sorted(gold).is_some_and(|gold| sorted(prediction) == Some(gold))
        }
    };
    if equal { Matched::Exact } else { Matched::No }
}
