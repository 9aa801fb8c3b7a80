//! What stands in a row where the item, the rater or the value should be.

use std::fmt::Write;

use judica_data::json::decimal::Decimal;
use judica_data::json::number::people_number;
use judica_data::json::text::write_number;

/// Whole numbers below this are doubles, every one of them.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A field of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field<'a> {
    /// The row has no such key.
    Absent,
    /// It is there and says that nothing is: an empty cell, an empty string, null.
    Empty,
    /// Text as it stands.
    Text(&'a str),
    /// A number, and how it was written.
    Number(f64, &'a str),
    /// True or false.
    Boolean(bool),
    /// Something that is no single value.
    Nested(&'static str),
}

impl<'a> Field<'a> {
    /// A field of text; blank text is no text.
    pub(super) fn text(text: &'a str) -> Self {
        if text.trim_ascii().is_empty() {
            Field::Empty
        } else {
            Field::Text(text)
        }
    }

    /// The field as a name, which it takes room for in `buffer` only if it must.
    ///
    /// `None` for a number that is not finite too: writers that have no null use NaN.
    pub(super) fn name<'b>(&self, buffer: &'b mut String) -> Option<&'b str>
    where
        'a: 'b,
    {
        match *self {
            Field::Text(text) => Some(text),
            Field::Number(value, text) if value.is_finite() => {
                Some(number_text(value, text, buffer))
            }
            Field::Boolean(true) => Some("true"),
            Field::Boolean(false) => Some("false"),
            Field::Absent | Field::Empty | Field::Number(..) | Field::Nested(_) => None,
        }
    }
}

/// The shortest text of a number: `1` for `1.0` and `1e0` too. Whole numbers that are
/// written out keep all their digits, however many they are.
fn number_text<'b>(value: f64, written: &'b str, buffer: &'b mut String) -> &'b str {
    let digits = written.strip_prefix('-').unwrap_or(written);
    if value != 0.0 && digits.bytes().all(|b| b.is_ascii_digit()) {
        return written;
    }
    buffer.clear();
    push_number(value, buffer);
    buffer
}

/// The exact value of a text that is a number: of two that one double is nearest to, it tells
/// whether they are the same.
pub(super) fn exact(text: &str) -> Option<Decimal> {
    people_number(text).and_then(|_| Decimal::read(text.trim().as_bytes()))
}

/// The shortest text of a finite number.
pub(super) fn shortest(value: f64) -> String {
    let mut text = String::new();
    push_number(value, &mut text);
    text
}

fn push_number(value: f64, text: &mut String) {
    if value.fract() == 0.0 && value.abs() < EXACT {
        // Also turns -0 into 0. Writing to a String cannot fail.
        let _ = write!(text, "{}", value as i64);
        return;
    }
    let mut bytes = Vec::new();
    write_number(value, &mut bytes);
    text.push_str(&String::from_utf8_lossy(&bytes));
}

/// Whether text is what other tools write for a rating that is not there.
pub(super) fn marks_missing(text: &str) -> bool {
    const MARKERS: [&str; 9] = [
        "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None",
    ];
    MARKERS.contains(&text.trim())
}

/// Whether text spells out a number that is none: NaN or an infinity.
pub(super) fn spells_not_finite(text: &str) -> bool {
    let text = text.trim_ascii();
    let word = text.strip_prefix(['-', '+']).unwrap_or(text);
    ["nan", "inf", "infinity"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(field: Field) -> Option<String> {
        field.name(&mut String::new()).map(str::to_owned)
    }

    #[test]
    fn numbers_have_one_text() {
        for (value, written, text) in [
            (1.0, "1", "1"),
            (1.0, "1.0", "1"),
            (1.0, "1e0", "1"),
            (-0.0, "-0", "0"),
            (0.0, "0.00", "0"),
            (0.5, "5e-1", "0.5"),
            (-12.0, "-12", "-12"),
            (9007199254740992.0, "9007199254740993", "9007199254740993"),
            (1e300, "1e300", "1e+300"),
        ] {
            let name = named(Field::Number(value, written));
            assert_eq!(name.as_deref(), Some(text), "{written}");
        }
    }

    #[test]
    fn what_is_no_name_is_none() {
        for field in [
            Field::Absent,
            Field::Empty,
            Field::Number(f64::NAN, "NaN"),
            Field::Nested("an object"),
            Field::text(" \t"),
        ] {
            assert_eq!(named(field), None, "{field:?}");
        }
        assert_eq!(named(Field::text(" a ")).as_deref(), Some(" a "));
        assert_eq!(named(Field::Boolean(true)).as_deref(), Some("true"));
    }

    #[test]
    fn spelt_out() {
        for text in ["NaN", "nan", " -inf ", "+Infinity", "INF"] {
            assert!(spells_not_finite(text), "{text}");
        }
        for text in ["", "na", "info", "--inf", "1"] {
            assert!(!spells_not_finite(text), "{text}");
        }
    }
}
