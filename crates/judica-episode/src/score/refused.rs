//! Rows that could not be used: counted by reason, the first few named, all kept.

use std::path::Path;

use judica_data::chunks::RawRecord;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Raw, Refusal, Reject, RejectFile};
use judica_data::work_error::WorkError;
use serde::Serialize;

use crate::load::store::Stands;

/// How many of each kind are named in a report; all of them stand in `rejects.jsonl`.
pub const EXAMPLES: usize = 5;

/// Which input a row stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The recorded episodes.
    Episodes,
    /// The predictions.
    Predictions,
}

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// Where it stands.
    pub input: Input,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Where it begins in the decompressed input.
    pub offset: u64,
    /// Why.
    pub refusal: Refusal,
    /// What is kept of it.
    pub raw: Raw,
}

impl RefusedRow {
    /// The refusal of a record.
    pub fn record(input: Input, record: &RawRecord, refusal: Refusal) -> RefusedRow {
        RefusedRow {
            input,
            line: record.line,
            offset: record.offset,
            refusal,
            raw: record.raw(),
        }
    }
}

/// One kind of refusal in one of the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedKind {
    /// The input.
    pub file: String,
    /// A short code for programs, e.g. `unknown_episode`.
    pub reason: &'static str,
    /// How many.
    pub count: u64,
    /// The first few.
    pub examples: Vec<Example>,
}

/// Where one of them stands, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The line it begins on, from 1.
    pub line: u64,
    /// A sentence for people, after the JSON pointer of what it is about.
    pub detail: String,
}

/// Takes what is refused.
pub struct Refuser {
    files: [String; 2],
    strict: bool,
    rejects: RejectFile,
    kinds: Vec<RefusedKind>,
    counts: [u64; 2],
    /// Where predictions stand that are rows of a table.
    pub stands: Stands,
}

impl Refuser {
    /// Rejects go to `rejects`, a file that is there only if there are any.
    pub fn new(names: [&str; 2], rejects: &Path, strict: bool) -> Self {
        Refuser {
            files: names.map(str::to_owned),
            strict,
            rejects: RejectFile::new(rejects),
            kinds: Vec::new(),
            counts: [0; 2],
            stands: Stands::default(),
        }
    }

    /// What an input is called.
    pub fn file(&self, input: Input) -> &str {
        &self.files[input as usize]
    }

    /// How many rows of an input were refused.
    pub fn count(&self, input: Input) -> u64 {
        self.counts[input as usize]
    }

    /// Keeps a row that could not be used; the first one ends a strict run.
    pub fn refuse(&mut self, refused: RefusedRow) -> Result<(), WorkError> {
        let Refusal { reason, detail } = refused.refusal;
        let stands = match refused.input {
            Input::Predictions => self.stands.found(refused.offset),
            Input::Episodes => None,
        };
        let file = &self.files[refused.input as usize];
        if self.strict {
            return Err(WorkError::Refused {
                file: file.clone(),
                line: refused.line,
                reason,
                detail,
            });
        }
        self.counts[refused.input as usize] += 1;
        let same = |kind: &RefusedKind| kind.reason == reason && kind.file == *file;
        let at = self.kinds.iter().position(same).unwrap_or_else(|| {
            self.kinds.push(RefusedKind {
                file: file.clone(),
                reason,
                count: 0,
                examples: Vec::new(),
            });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[at];
        kind.count += 1;
        if kind.examples.len() < EXAMPLES {
            kind.examples.push(Example {
                line: refused.line,
                detail: detail.clone(),
            });
        }
        self.rejects.write(&Reject {
            file: file.clone(),
            line: refused.line,
            byte_offset: stands.map_or(refused.offset, |stands| stands.offset.unwrap_or_default()),
            reason: reason.into(),
            detail,
            raw: refused.raw,
        })?;
        Ok(())
    }

    /// What was refused. The file of rejects gets its name, unless a run does that: then it
    /// is given back. `used` says how many rows of either input were used; if one gave none,
    /// that is an error.
    pub fn finish(
        self,
        paths: [&Path; 2],
        used: [u64; 2],
        for_run: bool,
    ) -> Result<(Vec<RefusedKind>, Option<RejectFile>), WorkError> {
        let files = self.files;
        let given = |at: usize| Given {
            path: paths[at],
            name: &files[at],
            used: used[at],
        };
        // Episodes first: without them every prediction is refused, too.
        let mut rejects = self.rejects;
        for input in [given(0), given(1)] {
            (rejects, _) = rejects.usable(&[input], Reads::JsonOrTable)?;
        }
        if for_run {
            return Ok((self.kinds, Some(rejects)));
        }
        rejects.commit(|file| files.iter().any(|name| name == file))?;
        Ok((self.kinds, None))
    }
}
