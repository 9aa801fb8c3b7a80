//! `.json`: a log as one document, of which parts are read one by one.

use std::io::{self, BufReader, Read};
use std::path::Path;

use judica_data::chunks::LINE_TOO_LONG;
use judica_data::error::DataError;
use judica_data::rejects::Raw as Kept;
use judica_data::source::Source;
use judica_data::work_error::WorkError;
use judica_run::family::Input;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::archive::Member;
use super::header::Header;
use super::lenient::plain;
use super::sample::RawSample;
use crate::bare::Bare;
use crate::raw::Raw;
use crate::walk::{self, Part, Want};

/// A log that is one document.
pub(super) struct Document {
    file: Input,
}

/// Takes what is found where a sample is looked for: its number and where it begins, its text,
/// itself.
type See<'s> = dyn FnMut((u64, u64), &dyn Fn() -> Kept, Member) -> Result<(), WorkError> + 's;

/// Whether a file begins so.
pub(super) fn begins(path: &Path, mark: &[u8]) -> Result<bool, WorkError> {
    let mut start = Vec::new();
    let read = Source::open_unhashed(path)?
        .take(mark.len() as u64)
        .read_to_end(&mut start);
    Ok(read.is_ok() && start == mark)
}

impl Document {
    pub fn new(file: &Input) -> Self {
        Document { file: file.clone() }
    }

    /// What the log says of itself. The document is walked to its end, so that one that was cut
    /// short is known before the first sample is taken.
    pub fn header(&self) -> Result<Header, WorkError> {
        let mut header = Header::default();
        let want = |keys: &str| match keys {
            "" => Want::Into,
            "version" | "status" | "eval" | "results" => Want::Take,
            _ => Want::Skip,
        };
        walk::document(&self.file, &want, &mut |part| {
            let Ok(raw) = part.value else { return Ok(()) };
            let read = match part.path {
                "version" => read(raw).map(|version| header.version = version),
                "status" => read(raw).map(|status| header.status = status),
                "eval" => read(raw).map(|eval| header.eval = eval),
                "results" => read(raw).map(|results| header.results = results),
                _ => Err("an object was expected".to_owned()),
            };
            read.map_err(|why| {
                let why = match part.path {
                    "" => why,
                    path => format!("`{path}`: {why}"),
                };
                walk::not_whole(&self.file, &why)
            })
        })?;
        Ok(header)
    }

    /// Hands over every sample with its number, from 1.
    pub fn samples(&self, see: &mut See) -> Result<(), WorkError> {
        let want = |keys: &str| match keys {
            "" => Want::Into,
            "samples" => Want::Each,
            _ => Want::Skip,
        };
        walk::document(&self.file, &want, &mut |part| match part.place {
            // There is no list of samples.
            0 => Ok(()),
            _ => {
                let text = || match &part.value {
                    Ok(raw) => raw.kept(),
                    Err(bad) => bad.raw.clone(),
                };
                see(part.at(), &text, self.member(&part)?)
            }
        })
    }

    fn member(&self, part: &Part) -> Result<Member, WorkError> {
        let number = part.place;
        let found = match &part.value {
            Ok(raw) => read(*raw),
            // What is too long to be held is read as a stream: its texts may be short.
            Err(bad) if bad.reason == LINE_TOO_LONG => {
                let mut source = Source::open_unhashed(&self.file.path)?;
                // A byte order mark counts in offsets, and is behind already.
                let before = part.offset - source.offset();
                io::copy(&mut (&mut source).take(before), &mut io::sink())
                    .map_err(|e| DataError::reading(&self.file.path, e))?;
                let stream = BufReader::new(Bare::new(source));
                let mut json = serde_json::Deserializer::from_reader(stream);
                RawSample::deserialize(&mut json).map_err(plain)
            }
            Err(bad) => Err(bad.detail.clone()),
        };
        Ok(match found {
            Ok(mut sample) => match sample.is_cut() {
                true => Member::Refused(
                    "text_too_long",
                    format!(
                        "sample {number}: a text is longer than the limit (--max-line sets it)"
                    ),
                ),
                false => Member::Sample(Box::new(sample)),
            },
            Err(why) => Member::Refused("malformed_sample", format!("sample {number}: {why}")),
        })
    }
}

/// A part, in which bare words may stand.
fn read<T: DeserializeOwned>(raw: Raw) -> Result<T, String> {
    let mut json = Vec::with_capacity(raw.json().len());
    let mut bare = Bare::new(raw.json().as_bytes());
    bare.read_to_end(&mut json).map_err(|e| e.to_string())?;
    serde_json::from_slice(&json).map_err(plain)
}
