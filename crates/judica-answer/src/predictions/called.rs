//! What a row is called in a run: its key.
//!
//! The item is the row's id, else its place, `:12` for the twelfth line of a file of lines
//! or the twelfth element of a list: it is the same in the files of two models that answer
//! the same questions in the same order. Subject and data set are those that the user
//! names, else the row's own, else the document's, else the file's.

use std::borrow::Cow;

use judica_data::rejects::Refusal;
use judica_run::options::RunOptions;

use super::document::Document;
use super::files::PredictionFile;
use super::row::Row;

/// The key of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called<'a> {
    /// The data set.
    pub dataset: Cow<'a, str>,
    /// Who answered.
    pub subject: Cow<'a, str>,
    /// The row's own name.
    pub id: Option<Cow<'a, str>>,
    /// Its number in the file.
    pub position: u64,
    /// Which repeat of the question it is.
    pub epoch: i32,
}

impl<'a> Called<'a> {
    /// The key of a row in a file, which may be a document; refused where which repeat it is
    /// cannot be told.
    pub(crate) fn of(
        row: &Row<'a>,
        position: u64,
        file: &'a PredictionFile,
        document: Option<&'a Document>,
        options: &'a RunOptions,
    ) -> Result<Called<'a>, Refusal> {
        let named =
            |given: &'a Option<String>, row: Option<Cow<'a, str>>, stated: Option<&'a String>| {
                match (given, row, stated) {
                    (Some(given), ..) => Cow::Borrowed(given.as_str()),
                    (None, Some(own), _) => own,
                    (None, None, stated) => Cow::Borrowed(stated.unwrap_or(&file.dataset).as_str()),
                }
            };
        let stated = |name: fn(&Document) -> &Option<String>| name(document?).as_ref();
        let own = file.subject.as_ref();
        let dataset = stated(|d| &d.dataset).or(own.map(|own| &own.dataset));
        Ok(Called {
            dataset: named(&options.dataset, row.dataset(), dataset),
            subject: match own {
                Some(own) => Cow::Borrowed(own.column.as_str()),
                None => named(&options.subject, row.subject(), stated(|d| &d.subject)),
            },
            id: row.id(),
            position,
            epoch: row.epoch()?,
        })
    }

    /// The item: the id, else the place.
    pub fn item(&self) -> Cow<'_, str> {
        match &self.id {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(format!(":{}", self.position)),
        }
    }

    /// The same, held by itself.
    pub fn into_owned(self) -> Called<'static> {
        Called {
            dataset: Cow::Owned(self.dataset.into_owned()),
            subject: Cow::Owned(self.subject.into_owned()),
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            ..self
        }
    }
}
