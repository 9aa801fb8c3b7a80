//! What is asked of a list of records: from the parameters of a URL, or from
//! `--where NAME=VALUE`.
//!
//! | name | a record is listed if |
//! |---|---|
//! | `subject`, `dataset` | it is of one of them |
//! | `verdict`, `grade` | it has one of them; `none`: it has none |
//! | `rule`, `severity` | a failed atom has one of them; with both, one atom has both |
//! | `item` | its item's name contains one of these texts, letter by letter |
//! | `metric`, `min`, `max` | it has a value of the metric, not below `min`, not above `max` |
//!
//! A name that is given several times asks for one of its values, different names ask for all
//! at once. `sort` orders by the score or a metric (`-score`: largest first), records without a
//! value last, equal ones in the order of the run; `after` goes on behind the place of a row.

use std::fmt;

use judica_model::nearest::hint;
use judica_model::text::cut;
use serde::Serialize;

/// What records are told apart by, and counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Whose they are.
    Subject,
    /// In which data set.
    Dataset,
    /// What they come to.
    Verdict,
    /// Their grade, where the command gives one.
    Grade,
    /// A rule of which an atom failed.
    Rule,
    /// How bad a failed atom is.
    Severity,
}

impl Dimension {
    /// All of them.
    pub const ALL: [Dimension; 6] = [
        Dimension::Subject,
        Dimension::Dataset,
        Dimension::Verdict,
        Dimension::Grade,
        Dimension::Rule,
        Dimension::Severity,
    ];

    /// The name of its parameter.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Subject => "subject",
            Dimension::Dataset => "dataset",
            Dimension::Verdict => "verdict",
            Dimension::Grade => "grade",
            Dimension::Rule => "rule",
            Dimension::Severity => "severity",
        }
    }
}

/// The parameter for text of an item's name.
pub const ITEM: &str = "item";
/// The parameters that can be given once.
pub const ONCE: [&str; 5] = ["metric", "min", "max", "sort", AFTER];
/// The parameter that goes on behind a row.
pub const AFTER: &str = "after";

/// By what records are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// `score`, or a metric.
    pub name: String,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// What is asked of a list of records. Alternatives are sorted, so that the same question is
/// the same URL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Alternatives, by [`Dimension`].
    wanted: [Vec<String>; 6],
    /// Texts of item names.
    pub item: Vec<String>,
    /// A metric that records must have a value of.
    pub metric: Option<String>,
    /// Its least value.
    pub min: Option<f64>,
    /// Its greatest value.
    pub max: Option<f64>,
    /// The order; that of the run if none is given.
    pub sort: Option<Sort>,
    /// The row behind whose place the list goes on.
    pub after: Option<u64>,
}

/// A condition that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Its name.
    pub name: String,
    /// What was asked, its middle left out where it is long.
    pub value: String,
    /// Why not.
    pub why: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}={}`: {}", self.name, self.value, self.why)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    /// A condition, and why it cannot be used.
    pub(crate) fn new(name: &str, value: &str, why: impl Into<String>) -> Self {
        Refused {
            name: cut(name, 80).into(),
            value: cut(value, 80).into(),
            why: why.into(),
        }
    }
}

impl Query {
    /// Reads conditions. An empty value is refused: who reads a form leaves out what was not
    /// filled in.
    pub fn parse<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Query, Refused> {
        let mut query = Query::default();
        let mut once: Vec<&str> = Vec::new();
        for (name, value) in pairs {
            let refuse = |why: &str| Err(Refused::new(name, value, why));
            let dimension = Dimension::ALL.into_iter().find(|of| of.name() == name);
            if dimension.is_none() && name != ITEM && !ONCE.contains(&name) {
                let known = Dimension::ALL.map(Dimension::name);
                let known = known.into_iter().chain([ITEM]).chain(ONCE);
                let all: Vec<&str> = known.clone().collect();
                let why = format!(
                    "there is no such condition{} (there are {})",
                    meant(name, known),
                    all.join(", ")
                );
                return refuse(&why);
            }
            if value.is_empty() {
                return refuse("it has no value");
            }
            if let Some(dimension) = dimension {
                query.wanted[dimension as usize].push(value.to_owned());
                continue;
            }
            if ONCE.contains(&name) {
                if once.contains(&name) {
                    return refuse("it can be given once only");
                }
                once.push(name);
            }
            let number = || match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(Refused::new(name, value, "that is no number")),
            };
            match name {
                ITEM => query.item.push(value.to_owned()),
                "metric" => query.metric = Some(value.to_owned()),
                "min" => query.min = number()?,
                "max" => query.max = number()?,
                "sort" => {
                    let ascending = value.strip_prefix('-');
                    query.sort = Some(Sort {
                        name: ascending.unwrap_or(value).to_owned(),
                        descending: ascending.is_some(),
                    });
                }
                _ => match value.parse() {
                    Ok(row) => query.after = Some(row),
                    Err(_) => return refuse("that is no number of a row"),
                },
            }
        }
        for values in query.wanted.iter_mut().chain([&mut query.item]) {
            values.sort_unstable();
            values.dedup();
        }
        if let (None, Some((name, bound))) = (&query.metric, query.bound()) {
            let why = "it bounds a metric, and none is named: add `metric`";
            return Err(Refused::new(name, &bound.to_string(), why));
        }
        if let (Some(min), Some(max)) = (query.min, query.max)
            && min > max
        {
            let why = format!("it is more than `max={max}`");
            return Err(Refused::new("min", &min.to_string(), why));
        }
        Ok(query)
    }

    fn bound(&self) -> Option<(&'static str, f64)> {
        let min = self.min.map(|min| ("min", min));
        min.or(self.max.map(|max| ("max", max)))
    }

    /// The conditions again, in one order whatever order they came in.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        for dimension in Dimension::ALL {
            let values = self.values(dimension).iter();
            pairs.extend(values.map(|value| (dimension.name(), value.clone())));
        }
        pairs.extend(self.item.iter().map(|item| (ITEM, item.clone())));
        let sort = self.sort.as_ref().map(|sort| match sort.descending {
            true => format!("-{}", sort.name),
            false => sort.name.clone(),
        });
        let once = [
            self.metric.clone(),
            self.min.map(|min| min.to_string()),
            self.max.map(|max| max.to_string()),
            sort,
            self.after.map(|row| row.to_string()),
        ];
        let once = ONCE.into_iter().zip(once);
        pairs.extend(once.filter_map(|(name, value)| Some((name, value?))));
        pairs
    }

    /// The alternatives of a dimension.
    pub fn values(&self, dimension: Dimension) -> &[String] {
        &self.wanted[dimension as usize]
    }

    pub(crate) fn values_mut(&mut self, dimension: Dimension) -> &mut Vec<String> {
        &mut self.wanted[dimension as usize]
    }

    /// The same from the beginning of the list, with one more alternative.
    #[must_use]
    pub fn with(&self, dimension: Dimension, value: &str) -> Query {
        let mut query = self.without(dimension, value);
        let values = query.values_mut(dimension);
        values.push(value.to_owned());
        values.sort_unstable();
        query
    }

    /// The same from the beginning of the list, without an alternative.
    #[must_use]
    pub fn without(&self, dimension: Dimension, value: &str) -> Query {
        let mut query = self.from_start();
        query.values_mut(dimension).retain(|has| has != value);
        query
    }

    /// The same from the beginning of the list.
    #[must_use]
    pub fn from_start(&self) -> Query {
        Query {
            after: None,
            ..self.clone()
        }
    }

    /// The same from the beginning of the list, in another order.
    #[must_use]
    pub fn sorted(&self, sort: Option<Sort>) -> Query {
        Query {
            sort,
            ..self.from_start()
        }
    }

    /// The same behind the place of a row.
    #[must_use]
    pub fn behind(&self, row: u64) -> Query {
        Query {
            after: Some(row),
            ..self.clone()
        }
    }
}

/// Which name was probably meant. Names of any length stand in runs, and nobody mistypes those.
pub(crate) fn meant<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    if word.len() > LONG {
        return String::new();
    }
    hint(word, names.filter(|name| name.len() <= LONG).take(10_000))
}

/// Names that have more bytes, or control characters, are given by their number.
pub const LONG: usize = 200;
