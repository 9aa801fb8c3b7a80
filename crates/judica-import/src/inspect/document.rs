//! `.json`: a log as one document, read as a stream.

use std::fmt;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use judica_data::source::Source;
use judica_data::work_error::WorkError;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::archive::Member;
use super::header::Header;
use super::sample::RawSample;
use crate::bare::Bare;

/// A log that is one document.
pub(super) struct Document {
    path: PathBuf,
    name: String,
}

/// Takes what is found where a sample is looked for.
type See<'s> = dyn FnMut(u64, Member) -> Result<(), WorkError> + 's;

/// Whether a file begins so.
pub(super) fn begins(path: &Path, mark: &[u8]) -> Result<bool, WorkError> {
    let mut start = Vec::new();
    let read = Source::open_unhashed(path)?
        .take(mark.len() as u64)
        .read_to_end(&mut start);
    Ok(read.is_ok() && start == mark)
}

impl Document {
    pub fn new(path: &Path, name: &str) -> Self {
        Document {
            path: path.to_owned(),
            name: name.to_owned(),
        }
    }

    /// What the log says of itself.
    pub fn header(&self) -> Result<Header, WorkError> {
        let mut header = Header::default();
        self.walk(&mut header, None)?;
        Ok(header)
    }

    /// Hands over every sample with its number, from 1.
    pub fn samples(&self, see: &mut See) -> Result<(), WorkError> {
        self.walk(&mut Header::default(), Some(see))
    }

    fn walk(&self, header: &mut Header, see: Option<&mut See>) -> Result<(), WorkError> {
        let source = Source::open_unhashed(&self.path)?;
        let mut json = serde_json::Deserializer::from_reader(BufReader::new(Bare::new(source)));
        let mut failed = None;
        let walk = Walk {
            header,
            see,
            failed: &mut failed,
        };
        let walked = json.deserialize_map(walk);
        if let Some(error) = failed {
            return error;
        }
        walked.and_then(|()| json.end()).map_err(|error| {
            WorkError::BadInput(format!("{}: not a whole Inspect log: {error}", self.name))
        })
    }
}

/// Over the keys of a log: its parts, or its samples.
struct Walk<'w, 's> {
    header: &'w mut Header,
    see: Option<&'w mut See<'s>>,
    /// How it ended before its time.
    failed: &'w mut Option<Result<(), WorkError>>,
}

impl<'de> Visitor<'de> for Walk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a log")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match (&*key, &mut self.see) {
                ("samples", Some(see)) => map.next_value_seed(Samples {
                    see: &mut **see,
                    failed: &mut *self.failed,
                })?,
                // What is looked for stands before the samples.
                ("samples", None) if self.header.eval.task.0.is_some() => {
                    *self.failed = Some(Ok(()));
                    return Err(A::Error::custom("enough"));
                }
                ("version", None) => self.header.version = map.next_value()?,
                ("status", None) => self.header.status = map.next_value()?,
                ("eval", None) => self.header.eval = map.next_value()?,
                ("results", None) => self.header.results = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Samples<'w, 's> {
    see: &'w mut See<'s>,
    failed: &'w mut Option<Result<(), WorkError>>,
}

impl<'de> DeserializeSeed<'de> for Samples<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(mut sample) = list.next_element::<RawSample>()? {
            number += 1;
            let member = match sample.is_cut() {
                true => Member::Refused(
                    "text_too_long",
                    format!(
                        "sample {number}: a text is longer than the limit (--max-line sets it)"
                    ),
                ),
                false => Member::Sample(Box::new(sample)),
            };
            if let Err(error) = (self.see)(number, member) {
                *self.failed = Some(Err(error));
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
