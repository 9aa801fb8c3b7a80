//! Which normaliser decides: the one that was named, or what the golds suggest.

use super::Golds;
use crate::predictions::Arrays;
use judica_model::nearest::nearest;
use judica_text::normalize::{Atl, Exact, Json, Normalizer, Number, Text, Tolerance};

/// Leaves the choice to the golds of each data set.
pub const AUTO: &str = "auto";

/// The names that can be asked for.
pub const NAMES: [&str; 6] = [AUTO, "atl", "text", "exact", "number", "json"];

/// How answers are compared.
pub enum Choice {
    /// As formulas where every gold of a data set is one, else as text: see [`Golds`].
    Auto,
    /// As was asked for.
    Named(Box<dyn Normalizer>),
}

/// A name that no normaliser has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no normalizer is called `{name}`{hint}; there are {}", NAMES.join(", "))]
pub struct UnknownNormalizer {
    name: String,
    hint: String,
}

impl Choice {
    /// The choice of that name; the tolerance is for `number` alone.
    pub fn by_name(name: &str, tolerance: Tolerance) -> Result<Choice, UnknownNormalizer> {
        Ok(Choice::Named(match name {
            AUTO => return Ok(Choice::Auto),
            "atl" => Box::new(Atl),
            "text" => Box::new(Text),
            "exact" => Box::new(Exact),
            "number" => Box::new(Number(tolerance)),
            "json" => Box::new(Json),
            _ => {
                return Err(UnknownNormalizer {
                    name: name.to_owned(),
                    hint: nearest(name, NAMES.into_iter())
                        .map(|meant| format!(" (did you mean `{meant}`?)"))
                        .unwrap_or_default(),
                });
            }
        }))
    }

    /// The name it was asked for by.
    pub fn name(&self) -> &'static str {
        match self {
            Choice::Auto => AUTO,
            Choice::Named(normalizer) => normalizer.name(),
        }
    }

    /// How far numbers may be apart, where that decides.
    pub fn tolerance(&self) -> Option<Tolerance> {
        match self {
            Choice::Auto => None,
            Choice::Named(normalizer) => normalizer.tolerance(),
        }
    }

    /// What decides on a data set with these golds.
    pub fn of(&self, golds: Golds) -> &dyn Normalizer {
        match self {
            Choice::Named(normalizer) => normalizer.as_ref(),
            Choice::Auto if golds.are_formulas() => &Atl,
            Choice::Auto => &Text,
        }
    }

    /// What a reader should know of the choice.
    pub fn note(&self, golds: Golds) -> Option<String> {
        match self {
            Choice::Named(_) => None,
            Choice::Auto => golds.note(),
        }
    }

    /// What an array is that stands where one answer is expected.
    pub fn arrays(&self) -> Arrays {
        match self {
            // An array is a value of JSON.
            Choice::Named(normalizer) if normalizer.name() == "json" => Arrays::One,
            _ => Arrays::Several,
        }
    }
}

/// What stands over a report on several data sets: the name that decided on all of them, or
/// [`AUTO`] where they differ.
pub fn common_name<'a>(names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut names = names.into_iter();
    let first = names.next().unwrap_or(AUTO);
    if names.all(|name| name == first) {
        first
    } else {
        AUTO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judica_text::gold::Gold;

    #[test]
    fn every_name_finds_its_normaliser() {
        for name in NAMES {
            let choice = Choice::by_name(name, Tolerance::default()).unwrap();
            assert_eq!(choice.name(), name);
            let found = choice.of(Golds::default()).name();
            assert_eq!(found, if name == AUTO { "text" } else { name });
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_and_with_all() {
        let message = |name| {
            Choice::by_name(name, Tolerance::default())
                .err()
                .unwrap()
                .to_string()
        };
        assert_eq!(
            message("jsn"),
            "no normalizer is called `jsn` (did you mean `json`?); \
             there are auto, atl, text, exact, number, json"
        );
        assert!(!message("levenshtein").contains("mean"));
    }

    #[test]
    fn golds_decide_only_where_they_were_asked() {
        let mut golds = Golds::default();
        golds.see(&Gold::one("<<A>>F p"));
        assert_eq!(Choice::Auto.of(golds).name(), "atl");
        let named = Choice::by_name("exact", Tolerance::default()).unwrap();
        assert_eq!(named.of(golds).name(), "exact");
        golds.see(&Gold::one("the rapist"));
        assert_eq!(Choice::Auto.of(golds).name(), "text");
    }

    #[test]
    fn a_report_over_several_names_none_of_them() {
        assert_eq!(common_name(["atl", "atl"]), "atl");
        assert_eq!(common_name(["atl", "text"]), AUTO);
        assert_eq!(common_name([]), AUTO);
    }
}
