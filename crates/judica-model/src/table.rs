//! A table of results, before anyone has chosen how to show it.
//!
//! Commands fill a [`Table`]; renderers only read it. A cell keeps its number at
//! full precision beside the number of decimals people should see, so the
//! human-facing and machine-facing formats can never disagree about a value.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metric::MetricValue;
use crate::text::named;

/// Which edge a column's cells line up on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Names and prose.
    Left,
    /// Numbers, so that digits of equal weight stack.
    Right,
}

/// A column's heading and alignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The heading; also the key in CSV and JSON.
    pub name: String,
    /// The edge its cells line up on.
    pub align: Align,
}

/// One value in a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// Words, names and identifiers; never grouped or rounded.
    Text(String),
    /// A count. Seeds, years and other labels made of digits belong in `Text`,
    /// because people-facing formats put separators into counts.
    Integer(i64),
    /// A real number.
    Number {
        /// The full-precision value.
        value: f64,
        /// Decimals people see.
        decimals: u8,
    },
    /// How likely something is by chance: one that is not 0 is never shown as 0.
    Probability {
        /// The full-precision value.
        value: f64,
        /// Decimals people see.
        decimals: u8,
    },
    /// A percentage.
    Percent {
        /// The full-precision value on the 0-100 scale.
        value: f64,
        /// Decimals people see.
        decimals: u8,
    },
    /// An estimate with its interval.
    Interval {
        /// The point estimate.
        value: f64,
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
        /// Decimals people see, for all three numbers.
        decimals: u8,
    },
    /// No value, and why there is none.
    Missing(String),
}

/// What a cell that was never filled reads as.
static BLANK: Cell = Cell::Missing(String::new());

impl Cell {
    /// A cell of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A cell holding a count. A count beyond `i64` is kept exactly, as text.
    pub fn count(n: impl TryInto<i64> + ToString + Copy) -> Self {
        n.try_into()
            .map_or_else(|_| Self::Text(n.to_string()), Self::Integer)
    }

    /// A real number shown with `decimals` decimals.
    pub fn number(value: f64, decimals: u8) -> Self {
        Self::Number { value, decimals }
    }

    /// A percentage on the 0-100 scale shown with `decimals` decimals.
    pub fn percent(value: f64, decimals: u8) -> Self {
        Self::Percent { value, decimals }
    }

    /// An estimate and its interval, each shown with `decimals` decimals.
    pub fn interval(value: f64, lo: f64, hi: f64, decimals: u8) -> Self {
        Self::Interval {
            value,
            lo,
            hi,
            decimals,
        }
    }

    /// A value with its interval, where it has one, or the reason why there is no value.
    pub fn metric(value: &MetricValue, decimals: u8) -> Self {
        match value {
            MetricValue::Defined { value, ci, .. } => match ci {
                Some([lo, hi]) => Self::interval(*value, *lo, *hi, decimals),
                None => Self::number(*value, decimals),
            },
            MetricValue::Undefined { reason } => Self::missing(reason),
        }
    }

    /// An absent value and the reason it is absent.
    pub fn missing(reason: impl Into<String>) -> Self {
        Self::Missing(reason.into())
    }

    /// A number, or a missing cell that says why there is none.
    pub fn number_or(value: Option<f64>, decimals: u8, reason: impl Into<String>) -> Self {
        value.map_or_else(|| Self::missing(reason), |v| Self::number(v, decimals))
    }

    /// A probability, or a missing cell that says why there is none.
    pub fn probability_or(value: Option<f64>, decimals: u8, reason: impl Into<String>) -> Self {
        value.map_or_else(
            || Self::missing(reason),
            |value| Self::Probability { value, decimals },
        )
    }

    /// Whether the cell holds at least one number.
    pub fn is_numeric(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Missing(_))
    }

    /// The form people read: grouped counts, rounded numbers, "n/a".
    ///
    /// Text is returned as it is; the renderers make it safe for their format.
    pub fn display(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(n) if *n < 0 => format!("-{}", grouped(n.unsigned_abs())),
            Self::Integer(n) => grouped(n.unsigned_abs()),
            Self::Number { value, decimals } => fixed(*value, *decimals),
            Self::Probability { value, decimals } => {
                let least = 0.1f64.powi(i32::from(*decimals));
                match *value > 0.0 && *value < least / 2.0 {
                    true => format!("<{}", fixed(least, *decimals)),
                    false => fixed(*value, *decimals),
                }
            }
            Self::Percent { value, decimals } => format!("{}%", fixed(*value, *decimals)),
            Self::Interval {
                value,
                lo,
                hi,
                decimals,
            } => format!(
                "{} [{}, {}]",
                fixed(*value, *decimals),
                fixed(*lo, *decimals),
                fixed(*hi, *decimals)
            ),
            Self::Missing(_) => "n/a".to_owned(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A titled table with notes under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What the table is about; may be empty.
    pub title: String,
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// The rows, top to bottom. Read them through [`Table::grid`].
    pub rows: Vec<Vec<Cell>>,
    /// Remarks shown under the table.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            columns: Vec::new(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a left-aligned column.
    #[must_use]
    pub fn left(self, name: impl Into<String>) -> Self {
        self.column(name, Align::Left)
    }

    /// Adds a right-aligned column.
    #[must_use]
    pub fn right(self, name: impl Into<String>) -> Self {
        self.column(name, Align::Right)
    }

    fn column(mut self, name: impl Into<String>, align: Align) -> Self {
        let name = name.into();
        self.columns.push(Column { name, align });
        self
    }

    /// Adds a row. Debug builds insist on one cell per column.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len(), "one cell per column");
        self.rows.push(row);
    }

    /// Adds a remark under the table.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds remarks on a measure's values that have no interval, one for each reason.
    pub fn note_missing_intervals<'v>(
        &mut self,
        measure: &str,
        values: impl Iterator<Item = (String, &'v MetricValue)>,
    ) {
        let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, value) in values {
            if let Some(why) = value.why_no_interval() {
                by_reason.entry(why).or_default().push(name);
            }
        }
        for (why, names) in by_reason {
            let names = named(&names, names.len());
            // Where it stands alone that is said already.
            let why = match why.strip_suffix(" has no interval") {
                Some(what) => format!("only {what}"),
                None => why.to_owned(),
            };
            self.note(format!("{measure} of {names} has no interval: {why}"));
        }
    }

    /// The rows squared off to the columns, so no renderer has to handle a
    /// ragged row: short rows end in missing cells, surplus cells are left out.
    pub fn grid(&self) -> impl Iterator<Item = Vec<&Cell>> {
        self.rows.iter().map(|row| {
            row.iter()
                .chain(std::iter::repeat(&BLANK))
                .take(self.columns.len())
                .collect()
        })
    }

    /// The notes, then each distinct reason behind an "n/a" in order of first
    /// appearance, so people-facing formats never show a bare "n/a".
    pub fn footnotes(&self) -> Vec<String> {
        let mut seen = std::collections::BTreeSet::new();
        let mut lines = self.notes.clone();
        for cell in self.grid().flatten() {
            if let Cell::Missing(reason) = cell
                && !reason.is_empty()
                && seen.insert(reason)
            {
                lines.push(format!("n/a: {reason}"));
            }
        }
        lines
    }
}

/// Fixed decimals, without the "-0.00" that rounding a small negative leaves.
fn fixed(value: f64, decimals: u8) -> String {
    // Nobody reads three hundred digits, of which sixteen are known.
    if value.is_finite() && value.abs() >= 1e16 {
        return format!("{value:.*e}", usize::from(decimals));
    }
    let text = format!("{value:.*}", usize::from(decimals));
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        _ => text,
    }
}

/// A count and what is counted, of one and of several.
pub fn counted(count: u64, [one, several]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A count with its thousands apart.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_people_expect() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (-1_234_567, "-1,234,567"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(Cell::Integer(n).display(), text);
        }
        assert_eq!(Cell::count(12_345), Cell::Integer(12_345));
        assert_eq!(Cell::number(-0.001, 2).display(), "0.00");
        assert_eq!(Cell::number(-0.4, 0).display(), "0");
        assert_eq!(Cell::number(f64::NAN, 2).display(), "NaN");
        assert_eq!(Cell::percent(81.25, 1).display(), "81.2%");
        for (p, text) in [
            (0.0, "0.0000"),
            (1e-300, "<0.0001"),
            (0.000_049, "<0.0001"),
            (0.000_051, "0.0001"),
            (0.25, "0.2500"),
        ] {
            assert_eq!(Cell::probability_or(Some(p), 4, "").display(), text);
        }
        let interval = Cell::interval(0.5, -0.25, 1.0, 2);
        assert_eq!(interval.display(), "0.50 [-0.25, 1.00]");
        assert_eq!(Cell::missing("no data").display(), "n/a");
        assert_eq!(Cell::number_or(None, 2, "why"), Cell::missing("why"));
    }

    #[test]
    fn grid_squares_ragged_rows_and_footnotes_name_each_reason_once() {
        let mut table = Table::new("t").left("a").right("b");
        table.note("first");
        table.rows.push(vec![Cell::missing("too few")]);
        table.rows.push(vec![Cell::missing("too few"); 3]);
        let widths: Vec<usize> = table.grid().map(|row| row.len()).collect();
        assert_eq!(widths, [2, 2]);
        assert_eq!(table.footnotes(), ["first", "n/a: too few"]);
    }
}
