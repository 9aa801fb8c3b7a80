//! Records of which a program has not said anything that can be trusted.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use judica_data::work_error::WorkError;
use judica_run::layout::head;

use crate::external::FAILED;

/// How many there are, and what the first of them says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unverified {
    records: u64,
    first: Option<String>,
}

impl Unverified {
    /// Those among some records.
    pub fn among(records: &RecordBatch) -> Result<Unverified, WorkError> {
        let odd = || WorkError::BadArtifact("records without evidence".to_owned());
        let list = records.column_by_name(head::EVIDENCE);
        let list = list.and_then(|column| column.as_list_opt::<i32>());
        let list = list.ok_or_else(odd)?;
        let atoms = list.values().as_struct_opt().ok_or_else(odd)?;
        let words = |name| Words::of(atoms.column_by_name(name)?);
        let (rules, said) = (words("rule"), words("text"));
        let (rules, said) = (rules.ok_or_else(odd)?, said.ok_or_else(odd)?);
        let mut found = Unverified::default();
        for of_record in list.value_offsets().windows(2) {
            let mut atoms = of_record[0] as usize..of_record[1] as usize;
            if let Some(atom) = atoms.find(|atom| rules.get(*atom) == Some(FAILED)) {
                found.records += 1;
                found.first = found.first.or_else(|| said.get(atom).map(str::to_owned));
            }
        }
        Ok(found)
    }

    /// Adds those that come later.
    pub fn merge(&mut self, later: &Unverified) {
        self.records += later.records;
        if self.first.is_none() {
            self.first.clone_from(&later.first);
        }
    }

    /// What whoever reads the result of so many records must know.
    pub fn note(&self, of: u64) -> Option<String> {
        let first = self.first.as_deref().unwrap_or_default();
        (self.records > 0).then(|| {
            let records = self.records;
            format!(
                "{FAILED} in {records} of {of} records, which nobody verified; the first: {first}"
            )
        })
    }
}

/// A column of text, numbered as it is made or plain as it is read.
struct Words<'a> {
    column: &'a dyn Array,
    numbers: Option<Vec<usize>>,
    words: &'a StringArray,
}

impl<'a> Words<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        let numbered = column.as_any_dictionary_opt();
        let words = numbered.map_or(column, |numbered| numbered.values());
        Some(Words {
            column,
            // Of no words there are no numbers.
            numbers: numbered.map(|numbered| match words.is_empty() {
                true => Vec::new(),
                false => numbered.normalized_keys(),
            }),
            words: words.as_string_opt()?,
        })
    }

    fn get(&self, at: usize) -> Option<&'a str> {
        let at_word = match &self.numbers {
            Some(numbers) => *numbers.get(at)?,
            None => at,
        };
        self.column.is_valid(at).then(|| self.words.value(at_word))
    }
}
