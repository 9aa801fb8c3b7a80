//! Values in an order that the user gave.

use std::collections::BTreeMap;

use judica_data::json::number::people_number;

use super::scale::{Categories, ranks, rising};
use super::value::EXACT;
use crate::error::AgreeError;

/// The values in their order. Their codes are their places.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) labels: Vec<String>,
    places: BTreeMap<String, u32>,
    /// The values as numbers, if all are.
    numbers: Option<Vec<f64>>,
}

impl Order {
    /// The order of the values listed.
    pub(super) fn new(listed: &[String]) -> Result<Self, AgreeError> {
        let bad = |what: String| AgreeError::BadInput(format!("--order: {what}"));
        if listed.is_empty() {
            return Err(bad("no values are listed".to_owned()));
        }
        let mut places = BTreeMap::new();
        for (place, label) in listed.iter().enumerate() {
            if label.trim().is_empty() {
                return Err(bad(format!("value {} is blank", place + 1)));
            }
            if places.insert(label.clone(), place as u32).is_some() {
                return Err(bad(format!("`{label}` is listed twice")));
            }
        }
        let numbers: Option<Vec<f64>> = listed
            .iter()
            .map(|label| people_number(label).filter(|number| number.is_finite()))
            .collect();
        for (at, number) in numbers.iter().flatten().enumerate() {
            let same = |known: &f64| known == number && number.abs() < EXACT;
            if let Some(first) = numbers.iter().flatten().take(at).position(same) {
                let (first, second) = (&listed[first], &listed[at]);
                return Err(bad(format!("`{first}` and `{second}` are the same number")));
            }
        }
        Ok(Order {
            labels: listed.to_vec(),
            places,
            numbers,
        })
    }

    /// The code of a value: of the one written the same or, if all of them are numbers,
    /// of the one that is the same number.
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        let place = self.places.get(text).copied();
        place.or_else(|| {
            let number = people_number(text)?;
            let numbers = self.numbers.as_ref()?;
            // Beyond, equal doubles may be different numbers.
            let exact = number.abs() < EXACT;
            let place = numbers.iter().position(|&known| exact && known == number)?;
            Some(place as u32)
        })
    }

    /// How many values are listed.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// A value as it was listed.
    pub(super) fn label(&self, code: u32) -> &str {
        self.labels.get(code as usize).map_or("", |label| label)
    }

    /// All values that were listed, used or not.
    pub(super) fn categories(&self) -> Categories {
        let count = self.labels.len();
        let numbers = self.numbers.clone().filter(|numbers| rising(numbers));
        Categories {
            count,
            labels: Vec::new(),
            values: numbers.unwrap_or_else(|| ranks(count)),
            recoded: (0..count as u32).collect(),
            ordered: true,
            merged: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(listed: &[&str]) -> Result<Order, String> {
        let listed: Vec<String> = listed.iter().map(|label| label.to_string()).collect();
        Order::new(&listed).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_found_as_text_and_as_numbers() {
        let words = order(&["low", "mid", "high"]).unwrap();
        assert_eq!(
            ["high", "Mid", "mid"].map(|t| words.code(t)),
            [Some(2), None, Some(1)]
        );
        assert_eq!(words.categories().values, [1.0, 2.0, 3.0]);
        let grades = order(&["3", "2", "1.0"]).unwrap();
        assert_eq!(
            ["1", "3.0", "4"].map(|t| grades.code(t)),
            [Some(2), Some(0), None]
        );
        // Numbers that fall cannot be the values of categories that rise.
        assert_eq!(grades.categories().values, [1.0, 2.0, 3.0]);
        assert_eq!(order(&["2", "5"]).unwrap().categories().values, [2.0, 5.0]);
        assert_eq!(order(&["2", "x"]).unwrap().code("2.0"), None);
    }

    #[test]
    fn lists_that_make_no_order() {
        for (listed, why) in [
            (&[][..], "--order: no values are listed"),
            (&["a", " "][..], "--order: value 2 is blank"),
            (&["a", "b", "a"][..], "--order: `a` is listed twice"),
            (
                &["1", "1.0"][..],
                "--order: `1` and `1.0` are the same number",
            ),
        ] {
            assert_eq!(order(listed).unwrap_err(), why);
        }
    }
}
