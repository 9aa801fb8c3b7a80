//! Pairs that an engine deals out to many processes: those about one question stay together.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::{Chunk, Cut, RawRecord};
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_run::dealt::{Dealt, Keys};
use judica_run::options::RunOptions;
use judica_run::pieces::{Part, Piece};
use serde_json::Value;

use super::line::Line;
use super::policy::Policy;
use super::verdict::qid;
use super::{PairsRequest, measure_part, paths, tables_of};

/// Pairs that are dealt out.
pub struct DealtPairs {
    request: PairsRequest,
    policy: Policy,
}

impl DealtPairs {
    /// Prepares to deal out the pairs of a request.
    pub fn new(request: PairsRequest) -> Result<Self, WorkError> {
        let policy = Policy::of(request.options.policy.as_ref())?;
        Ok(DealtPairs { request, policy })
    }
}

impl Dealt for DealtPairs {
    fn paths(&self) -> Vec<PathBuf> {
        paths(&self.request.inputs)
    }

    fn tables(&self) -> Tables {
        tables_of(&self.policy)
    }

    fn keys(&self) -> Result<Box<dyn Keys + '_>, WorkError> {
        let run = self.request.run.as_ref();
        Ok(Box::new(QuestionKeys {
            policy: &self.policy,
            options: run.map(|run| run.options.clone()).unwrap_or_default(),
        }))
    }

    fn piece(
        &self,
        part: Part,
        cut: Option<Cut>,
        _: Value,
        interrupted: &AtomicBool,
    ) -> Result<Piece, WorkError> {
        measure_part(&self.request, part, cut, &|_| (), interrupted)
    }
}

struct QuestionKeys<'p> {
    policy: &'p Policy,
    options: RunOptions,
}

impl Keys for QuestionKeys<'_> {
    fn of(&mut self, _: &Chunk, record: &RawRecord) -> [Option<u64>; 2] {
        let key = || {
            if record.fault.is_some() || std::str::from_utf8(record.bytes).is_err() {
                return None;
            }
            let line = Line::read(record.bytes, &self.policy.keys).ok()?;
            let name = qid(&line).ok()?;
            let [low, high, _] = line.about.print(&name, &self.options).ok()?;
            Some(u64::from(low) | u64::from(high) << 32)
        };
        [key(), None]
    }
}
