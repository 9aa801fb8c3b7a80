//! Which column holds the item, which the rater, which the value.
//!
//! A column that was named is taken. Otherwise the column with the part's own name is, and
//! where there is none, the only one with a name that other tools use for it. Capitals do
//! not matter, nor do spaces around a name.

use judica_data::row_keys;
use judica_model::comma_list;
use judica_model::text::few;
use serde::{Deserialize, Serialize};

use judica_data::work_error::WorkError;

/// The columns as the user named them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// What was rated.
    pub item: Option<String>,
    /// Who rated it.
    pub rater: Option<String>,
    /// The rating.
    pub value: Option<String>,
    /// Raters who each have a column of their own, where rows hold more than one rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raters: Vec<String>,
}

/// A part of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Item,
    Rater,
    Value,
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Item, Part::Rater, Part::Value];

    /// Its names, its own first.
    fn names(self) -> [&'static str; 5] {
        match self {
            Part::Item => row_keys::RATED,
            Part::Rater => row_keys::RATED_BY,
            Part::Value => row_keys::RATING,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.names()[0]
    }
}

impl Columns {
    /// The name the user gave.
    pub(super) fn named(&self, part: Part) -> Option<&str> {
        match part {
            Part::Item => self.item.as_deref(),
            Part::Rater => self.rater.as_deref(),
            Part::Value => self.value.as_deref(),
        }
    }

    /// Whether a part stands in a column of its own: raters in columns stand beside their
    /// ratings.
    pub(super) fn is_looked_for(&self, part: Part) -> bool {
        self.raters.is_empty() || part == Part::Item
    }

    /// All names that may mean something.
    pub(super) fn names(&self) -> Vec<String> {
        let given = Part::ALL.into_iter().filter_map(|part| self.named(part));
        let all = given.chain(self.raters.iter().map(String::as_str));
        let mut all: Vec<String> = all.map(str::to_owned).collect();
        let usual = Part::ALL.into_iter().flat_map(Part::names);
        all.extend(usual.map(str::to_owned));
        all
    }

    /// Refuses names that cannot be meant.
    pub(super) fn check(&self) -> Result<(), WorkError> {
        for (at, &part) in Part::ALL.iter().enumerate() {
            for &other in &Part::ALL[..at] {
                let name = self.named(part);
                if name.is_some() && name == self.named(other) {
                    return Err(WorkError::BadInput(format!(
                        "--{} and --{} name the same column",
                        other.name(),
                        part.name()
                    )));
                }
            }
        }
        let twice = |(at, name): &(usize, &String)| self.raters[..*at].contains(name);
        if let Some((_, name)) = self.raters.iter().enumerate().find(twice) {
            return Err(WorkError::BadInput(format!(
                "--rater-columns: `{name}` is listed twice"
            )));
        }
        Ok(())
    }

    /// The position of a part among the columns found; `None` if it is not there.
    ///
    /// Fails, naming all columns, if several could be meant.
    pub(super) fn find(
        &self,
        part: Part,
        found: &[String],
        file: &str,
    ) -> Result<Option<usize>, WorkError> {
        let with_name = |name: &str| -> Vec<usize> {
            let alike = |column: &str| column.trim().eq_ignore_ascii_case(name.trim());
            (0..found.len()).filter(|&at| alike(&found[at])).collect()
        };
        let meant = |name: &str| match found.iter().position(|column| column == name) {
            Some(exact) => vec![exact],
            None => with_name(name),
        };
        let candidates = match self.named(part) {
            Some(name) => meant(name),
            None => {
                let taken = |at: &usize| {
                    let mut named = Part::ALL.into_iter().filter_map(|part| self.named(part));
                    named.any(|name| meant(name).contains(at))
                };
                let [own, others @ ..] = part.names();
                let mut candidates = with_name(own);
                candidates.retain(|at| !taken(at));
                if candidates.is_empty() {
                    candidates = others.iter().flat_map(|name| with_name(name)).collect();
                    candidates.retain(|at| !taken(at));
                    candidates.sort_unstable();
                }
                candidates
            }
        };
        match candidates[..] {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            _ => {
                let names = candidates.iter().map(|&at| found[at].as_str());
                Err(WorkError::BadInput(format!(
                    "{file}: the {part} may be any of {}; say which with --{part}; \
                     columns found: {}",
                    listed(names),
                    listed(found.iter().map(String::as_str)),
                    part = part.name(),
                )))
            }
        }
    }

    /// Refuses a column that was found for two things.
    pub(super) fn apart(&self, known: &[Option<String>; 3], file: &str) -> Result<(), WorkError> {
        let parts = || known.iter().zip(Part::ALL);
        let twice = |name: &str, a: &str, b: &str| {
            Err(WorkError::BadInput(format!(
                "{file}: the column `{name}` is taken for the {a} and for the {b}"
            )))
        };
        for (at, (name, part)) in parts().enumerate() {
            let Some(name) = name else { continue };
            if let Some((_, other)) = parts().take(at).find(|(it, _)| it.as_ref() == Some(name)) {
                return twice(name, other.name(), part.name());
            }
            // An item may be named by several columns together.
            let rater = self.raters.iter().find(|rater| {
                *rater == name || name.split(',').any(|column| column.trim() == **rater)
            });
            if let Some(rater) = rater {
                return twice(rater, part.name(), "ratings of a rater");
            }
        }
        Ok(())
    }

    /// The failure to find a part anywhere.
    pub(super) fn missing(&self, part: Part, found: &[String], file: &str) -> WorkError {
        match self.named(part) {
            Some(name) => self.no_column(name, found, file),
            None => {
                let what = format!("no column for the {0}; name it with --{0}", part.name());
                not_found(&what, found, file)
            }
        }
    }

    /// The failure to find a column that was named.
    pub(super) fn no_column(&self, name: &str, found: &[String], file: &str) -> WorkError {
        let hint = comma_list::hint(name, found);
        not_found(&format!("no column `{name}`{hint}"), found, file)
    }
}

fn not_found(what: &str, found: &[String], file: &str) -> WorkError {
    let found = listed(found.iter().map(String::as_str));
    WorkError::BadInput(format!("{file}: {what}; columns found: {found}"))
}

/// Names in a sentence; of very many, the first.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    match names.len() {
        0 => "none".to_owned(),
        all => few(names.take(SHOWN).map(|name| format!("`{name}`")), ", ", all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(columns: &Columns, part: Part, found: &[&str]) -> Result<Option<usize>, String> {
        let found: Vec<String> = found.iter().map(|name| name.to_string()).collect();
        let result = columns.find(part, &found, "f.csv");
        result.map_err(|error| error.to_string())
    }

    #[test]
    fn own_names_come_before_those_of_other_tools() {
        let columns = Columns::default();
        let found = ["id", " Item ", "coder", "score", "note"];
        assert_eq!(find(&columns, Part::Item, &found), Ok(Some(1)));
        assert_eq!(find(&columns, Part::Rater, &found), Ok(Some(2)));
        assert_eq!(find(&columns, Part::Value, &found), Ok(Some(3)));
        assert_eq!(find(&columns, Part::Value, &["id"]), Ok(None));
    }

    #[test]
    fn names_the_user_gave_win() {
        let columns = Columns {
            item: Some("score".to_owned()),
            value: Some("Item".to_owned()),
            ..Columns::default()
        };
        let found = ["item", "Item", "score", "rater"];
        assert_eq!(find(&columns, Part::Item, &found), Ok(Some(2)));
        assert_eq!(find(&columns, Part::Value, &found), Ok(Some(1)));
        for item in ["score", "Score"] {
            let columns = Columns {
                item: Some(item.to_owned()),
                ..Columns::default()
            };
            let found = find(&columns, Part::Value, &["score", "rating"]);
            assert_eq!(found, Ok(Some(1)), "{item}");
        }
    }

    #[test]
    fn what_is_ambiguous_is_not_guessed() {
        let columns = Columns::default();
        let error = find(&columns, Part::Value, &["id", "score", "label"]).unwrap_err();
        assert_eq!(
            error,
            "f.csv: the value may be any of `score`, `label`; say which with --value; \
             columns found: `id`, `score`, `label`"
        );
        assert!(find(&columns, Part::Item, &["item", "ITEM"]).is_err());
    }

    #[test]
    fn failures_name_the_columns() {
        let found: Vec<String> = (0..22).map(|i| format!("c{i}")).collect();
        let error = Columns::default().missing(Part::Rater, &found, "f.csv");
        let text = error.to_string();
        assert!(text.starts_with("f.csv: no column for the rater; name it with --rater"));
        assert!(text.ends_with("`c19` and 2 more"), "{text}");
        let same = Columns {
            item: Some("x".to_owned()),
            value: Some("x".to_owned()),
            ..Columns::default()
        };
        let error = same.check().unwrap_err().to_string();
        assert_eq!(error, "--item and --value name the same column");
    }
}
