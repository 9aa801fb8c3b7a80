//! Values that the user listed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use judica_data::json::decimal::Decimal;
use judica_data::json::number::people_number;
use judica_data::work_error::WorkError;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::scale;

use super::scale::Categories;
use super::value::exact;

/// What was listed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Listed<'l> {
    /// Values in their order, lowest first.
    Order(&'l [String]),
    /// Values in any order; what stands for it is that of numbers, else of code points.
    Categories(&'l [String]),
}

/// The values in their order. Their codes are their places.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) labels: Vec<String>,
    places: BTreeMap<String, u32>,
    /// The values as numbers, if all are.
    numbers: Option<Vec<f64>>,
    /// The same, exactly; nothing if some are no numbers.
    exactly: Vec<Decimal>,
    /// Whether the order means something.
    ordered: bool,
}

impl Order {
    /// The values listed.
    pub(super) fn new(what: Listed, level: Level) -> Result<Self, WorkError> {
        let number = |label: &str| people_number(label).filter(|number| number.is_finite());
        let (option, mut listed) = match what {
            Listed::Order(listed) => ("--order", listed.to_vec()),
            Listed::Categories(listed) => ("--categories", listed.to_vec()),
        };
        let bad = |what: String| WorkError::BadInput(format!("{option}: {what}"));
        let mut ordered = true;
        if let Listed::Categories(_) = what {
            ordered = listed.iter().all(|label| number(label).is_some());
            listed.sort_by(|a, b| match (ordered, number(a), number(b)) {
                (true, Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
                _ => a.cmp(b),
            });
            let text = listed.iter().find(|label| number(label).is_none());
            if let (Some(text), true) = (text, level != Level::Nominal) {
                let say = match level {
                    Level::Ordinal => "; the order of texts is given with --order",
                    _ => "",
                };
                return Err(bad(format!("`{text}` is not a number{say}")));
            }
        }
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
        let numbers: Option<Vec<f64>> = listed.iter().map(|label| number(label)).collect();
        let exactly: Vec<Decimal> = match numbers {
            Some(_) => listed.iter().filter_map(|label| exact(label)).collect(),
            None => Vec::new(),
        };
        for (at, number) in exactly.iter().enumerate() {
            if let Some(first) = exactly[..at].iter().position(|known| known == number) {
                let (first, second) = (&listed[first], &listed[at]);
                return Err(bad(format!("`{first}` and `{second}` are the same number")));
            }
        }
        Ok(Order {
            labels: listed,
            places,
            numbers,
            exactly,
            ordered,
        })
    }

    /// The code of a value: of the one written the same, blanks around it aside, or, if all
    /// of them are numbers, of the one that is the same number.
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        let place = self
            .places
            .get(text)
            .or_else(|| self.places.get(text.trim()));
        let place = place.copied();
        place.or_else(|| {
            let number = exact(text)?;
            let place = self.exactly.iter().position(|known| *known == number)?;
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
        Categories {
            count,
            labels: Vec::new(),
            values: scale(self.numbers.clone(), count),
            recoded: (0..count as u32).collect(),
            ordered: self.ordered,
            merged: false,
            declared: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(listed: &[&str]) -> Result<Order, String> {
        let listed: Vec<String> = listed.iter().map(|label| label.to_string()).collect();
        Order::new(Listed::Order(&listed), Level::Ordinal).map_err(|error| error.to_string())
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
        let long = order(&["0.30000000000000004", "9007199254740993"]).unwrap();
        assert_eq!(
            ["9007199254740993.0", "0.3000000000000000444"].map(|t| long.code(t)),
            [Some(1), None]
        );
    }

    #[test]
    fn categories_are_a_set() {
        let of = |listed: &[&str], level| {
            let listed: Vec<String> = listed.iter().map(|label| label.to_string()).collect();
            Order::new(Listed::Categories(&listed), level).map_err(|error| error.to_string())
        };
        let names = of(&["b", "c", "a"], Level::Nominal).unwrap();
        assert_eq!(names.labels, ["a", "b", "c"]);
        assert!(!names.categories().ordered && names.categories().declared);
        let numbers = of(&["10", "9", "1"], Level::Interval).unwrap();
        assert_eq!(numbers.categories().values, [1.0, 9.0, 10.0]);
        assert!(numbers.categories().ordered);
        let why = of(&["1", "high"], Level::Ordinal).unwrap_err();
        let expected =
            "--categories: `high` is not a number; the order of texts is given with --order";
        assert_eq!(why, expected);
        assert!(of(&["1", "high"], Level::Ratio).is_err());
        assert!(of(&["a", "a"], Level::Nominal).is_err());
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
