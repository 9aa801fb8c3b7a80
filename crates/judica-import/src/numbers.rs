//! Columns of a table that are to hold numbers: what of them could not be read is said.

use judica_data::row_keys::is_missing;
use judica_data::rows::Value;
use judica_model::table::counted;
use judica_model::text::cut;

/// So many characters of a cell are shown.
const SHOWN: usize = 40;

/// A column, and what its cells came to.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    name: String,
    read: u64,
    unread: u64,
    /// The first cell that says something else, and its line.
    first: Option<(String, u64)>,
    /// Cells with numbers that no double is.
    rounded: u64,
    /// The first of them, and its line.
    first_rounded: Option<(String, u64)>,
}

impl Numbers {
    /// Takes what a row has in the column, and whether that is a number.
    pub fn take(
        &mut self,
        name: impl FnOnce() -> String,
        value: Option<Value>,
        is_number: bool,
        line: u64,
    ) {
        if self.name.is_empty() {
            self.name = name();
        }
        if is_number {
            self.read += 1;
            return;
        }
        let text = value.map(Value::text).unwrap_or_default();
        if !is_missing(text.as_bytes()) {
            self.unread += 1;
            let shown = || (cut(&text, SHOWN).into_owned(), line);
            self.first.get_or_insert_with(shown);
        }
    }

    /// Takes a cell that holds another number than the double that it was read as.
    pub fn rounded(&mut self, text: &str, line: u64) {
        self.rounded += 1;
        let shown = || (cut(text, SHOWN).into_owned(), line);
        self.first_rounded.get_or_insert_with(shown);
    }

    /// What is said of those.
    pub fn note_of_rounded(&self) -> Option<String> {
        let (cell, line) = self.first_rounded.as_ref()?;
        let name = &self.name;
        Some(format!(
            "{} of `{name}` could not be held as written, since no double is that number, the \
             first `{cell}` on line {line}; the value is the double next to it, and \
             `{name}_logged` keeps the text",
            counted(self.rounded, ["cell", "cells"]),
        ))
    }

    /// Why it is no column of numbers, if there is not one.
    pub fn complaint(&self) -> Option<String> {
        let name = &self.name;
        match &self.first {
            _ if self.read > 0 => None,
            None => Some(format!(
                "no cell of `{name}` is a number: no row has a value there"
            )),
            Some((cell, line)) => Some(format!(
                "no cell of `{name}` is a number; the first is `{cell}`, on line {line}. {}",
                remedy(cell)
            )),
        }
    }

    /// What is said where some cells are lost.
    pub fn note(&self) -> Option<String> {
        let (cell, line) = self.first.as_ref()?;
        Some(format!(
            "{} of `{}` could not be read as a number, the first `{cell}` on line {line}. {}",
            counted(self.unread, ["cell", "cells"]),
            self.name,
            remedy(cell)
        ))
    }
}

/// How a number is written that stands in a cell like this.
fn remedy(cell: &str) -> &'static str {
    match cell.contains(',') && cell.bytes().any(|byte| byte.is_ascii_digit()) {
        true => {
            "Write it like 1234.5; a decimal comma is understood where `;` separates fields and \
             some column holds mostly such numbers within the first 64 KiB"
        }
        false => "Write numbers like 1234.5, without units, signs of money or per cent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judica_data::json::Scanner;
    use judica_data::rows::DEPTH;

    fn column(cells: &[&str]) -> Numbers {
        let mut numbers = Numbers::default();
        for (line, cell) in (2..).zip(cells) {
            let value = Value::scan(&mut Scanner::new(cell.as_bytes(), 0), 0, DEPTH).unwrap();
            let is_number = value.and_then(Value::number).is_some();
            numbers.take(|| "acc".to_owned(), value, is_number, line);
        }
        numbers
    }

    #[test]
    fn lost_cells_are_counted_and_the_first_is_shown() {
        let some = column(&["\"0.5\"", "\"NA\"", "\"1,234.5\"", "null", "\"50%\""]);
        assert_eq!(some.complaint(), None);
        let note = some.note().unwrap();
        assert!(note.starts_with("2 cells of `acc`"), "{note}");
        assert!(note.contains("the first `1,234.5` on line 4"), "{note}");
        assert!(note.contains("decimal comma"), "{note}");
        let none = column(&["\"\"", "\"50%\""]).complaint().unwrap();
        assert!(none.contains("the first is `50%`, on line 3"), "{none}");
        assert!(none.contains("per cent"), "{none}");
    }

    #[test]
    fn what_is_missing_is_not_lost() {
        let missing = column(&["\"NaN\"", "null", "\" \""]);
        assert_eq!(missing.note(), None);
        assert!(missing.complaint().unwrap().contains("no row has a value"));
        assert_eq!(column(&["1", "null"]).note(), None);
    }
}
