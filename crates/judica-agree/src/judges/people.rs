//! Who says what, and what people together say.

use std::collections::HashMap;

use judica_stats::agreement::{MISSING, Ratings};
use judica_stats::dawid_skene::{EmOptions, dawid_skene};
use serde::{Deserialize, Serialize};

use super::votes::{LABELS, YES};

/// The largest table of people and items: half a gigabyte. There is one only if nearly
/// every row names somebody else, for example because `name` is that of the item.
const MOST_CELLS: usize = 1 << 27;

/// How several people's verdicts on an item become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HumanReference {
    /// What most of them say; nothing where they are even.
    #[default]
    Majority,
    /// What the first of them says, in the order of files and rows.
    First,
    /// What all of them say; nothing where they differ.
    Unanimous,
    /// What is more probable by their votes and errors: see [`judica_stats::dawid_skene`].
    DawidSkene,
}

impl HumanReference {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::First => "first",
            Self::Unanimous => "unanimous",
            Self::DawidSkene => "dawid-skene",
        }
    }
}

/// People and their verdicts.
#[derive(Debug, Default)]
pub(super) struct People {
    /// Their names, in the order in which they came up.
    pub names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// Who said what about each item, in the order in which it was said.
    said: Vec<Vec<(u32, bool)>>,
}

impl People {
    /// Nobody said anything about so many items.
    pub fn new(items: usize) -> Self {
        People {
            said: vec![Vec::new(); items],
            ..People::default()
        }
    }

    /// Records what somebody says about an item, unless they have said something about it
    /// already, which is given back. Whoever has no name is the first of `human_1`,
    /// `human_2`, … who has said nothing.
    pub fn record(&mut self, item: u32, who: Option<&str>, correct: bool) -> Result<(), bool> {
        let person = match who {
            Some(name) => self.number(name),
            None => self.nobody_yet(item),
        };
        if let Some(before) = self.verdict(item, person) {
            return Err(before);
        }
        self.said[item as usize].push((person, correct));
        Ok(())
    }

    fn nobody_yet(&mut self, item: u32) -> u32 {
        let mut nth = 1;
        loop {
            let person = self.number(&format!("human_{nth}"));
            if self.verdict(item, person).is_none() {
                return person;
            }
            nth += 1;
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// What somebody says about an item.
    fn verdict(&self, item: u32, person: u32) -> Option<bool> {
        let said = self.said[item as usize].iter();
        let mut theirs = said.filter(|(who, _)| *who == person);
        theirs.next().map(|&(_, correct)| correct)
    }

    /// All that was said about an item.
    pub fn said(&self, item: u32) -> &[(u32, bool)] {
        self.said.get(item as usize).map_or(&[], Vec::as_slice)
    }

    /// How many items somebody said something about.
    pub fn items(&self) -> u64 {
        self.annotated().count() as u64
    }

    /// Those items, by their numbers.
    pub fn annotated(&self) -> impl Iterator<Item = u32> {
        let items = (0..).zip(&self.said);
        items
            .filter(|(_, said)| !said.is_empty())
            .map(|(item, _)| item)
    }

    /// Everything that was said: a row per item that anything was said about, a column per
    /// person; `None` if that would be too large.
    pub fn table(&self) -> Option<Ratings> {
        let people = self.names.len();
        let cells = people.checked_mul(self.annotated().count())?;
        if cells > MOST_CELLS {
            return None;
        }
        let mut codes = Vec::with_capacity(cells);
        for item in self.annotated() {
            let start = codes.len();
            codes.resize(start + people, MISSING);
            for &(person, correct) in self.said(item) {
                codes[start + person as usize] = u32::from(correct);
            }
        }
        Some(Ratings::new(people, LABELS.len(), codes))
    }

    /// What people together say about every item.
    pub fn reference(&self, how: HumanReference, prior: f64) -> Vec<Option<bool>> {
        if how == HumanReference::DawidSkene {
            return self.estimated(prior);
        }
        let decide = |said: &Vec<(u32, bool)>| {
            let yes = said.iter().filter(|(_, correct)| *correct).count();
            let no = said.len() - yes;
            match how {
                HumanReference::First => said.first().map(|&(_, correct)| correct),
                HumanReference::Unanimous if yes > 0 && no > 0 => None,
                _ => (yes != no).then_some(yes > no),
            }
        };
        self.said.iter().map(decide).collect()
    }

    fn estimated(&self, prior: f64) -> Vec<Option<bool>> {
        let mut found = vec![None; self.said.len()];
        let table = self.table();
        let options = EmOptions {
            prior,
            ..EmOptions::default()
        };
        if let Some(estimate) = table.and_then(|said| dawid_skene(&said, &options)) {
            let labelled = self.annotated().zip(estimate.posteriors());
            for (item, posterior) in labelled {
                found[item as usize] = posterior.and_then(|chances| {
                    let (yes, no) = (chances[YES as usize], chances[0]);
                    (yes != no).then_some(yes > no)
                });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_without_names_are_numbered_item_by_item() {
        let mut people = People::new(2);
        assert_eq!(people.record(0, None, true), Ok(()));
        assert_eq!(people.record(0, None, true), Ok(()));
        assert_eq!(people.record(1, None, false), Ok(()));
        // Whoever is called like that is that person.
        assert_eq!(people.record(1, Some("human_2"), true), Ok(()));
        assert_eq!(people.record(1, None, true), Ok(()));
        assert_eq!(people.names, ["human_1", "human_2", "human_3"]);
        assert_eq!(people.said(1), [(0, false), (1, true), (2, true)]);
        assert_eq!(people.record(0, Some("human_1"), false), Err(true));
        assert_eq!(people.items(), 2);
        assert_eq!(people.table().unwrap().codes(), [1, 1, MISSING, 0, 1, 1]);
    }

    #[test]
    fn one_verdict_of_many() {
        use HumanReference::*;
        let of = |how, said: &str| {
            let mut people = People::new(1);
            for letter in said.chars() {
                people.record(0, None, letter == 'y').unwrap();
            }
            people.reference(how, 1.0)[0]
        };
        for (said, majority, first, unanimous) in [
            ("", None, None, None),
            ("y", Some(true), Some(true), Some(true)),
            ("yn", None, Some(true), None),
            ("nyy", Some(true), Some(false), None),
            ("nnn", Some(false), Some(false), Some(false)),
        ] {
            assert_eq!(of(Majority, said), majority, "{said}");
            assert_eq!(of(First, said), first, "{said}");
            assert_eq!(of(Unanimous, said), unanimous, "{said}");
        }
        assert_eq!(of(DawidSkene, "nyy"), Some(true));
        assert_eq!(of(DawidSkene, ""), None);
    }
}
