//! Rows that an engine deals out to many processes: those of one key, or without one of the
//! same contents, stay together.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use judica_data::chunks::{Chunk, Cut, LineRange, RawRecord, Rows};
use judica_data::rows::text_of;
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_run::dealt::{Dealt, Keys, NOT_LINES, Scanned};
use judica_run::options::RunOptions;
use judica_run::pieces::{Part, Piece};
use serde_json::{Value, json};

use super::{MatchRequest, PIECE_BYTES, run_part};
use crate::normalize::{Choice, Golds};
use crate::predictions::document::Document;
use crate::predictions::pieces::{PieceReader, tables};
use crate::predictions::row::Row;
use crate::predictions::seen::Print;
use crate::predictions::{Called, PredictionFile};

/// Predictions that are dealt out.
pub struct DealtPredictions {
    /// What is to be matched, with the run that is left.
    pub request: MatchRequest,
    /// How they are held against their gold.
    pub choice: Choice,
}

impl Dealt for DealtPredictions {
    fn paths(&self) -> Vec<PathBuf> {
        let files = self.request.files.iter();
        files.map(|file| file.path.clone()).collect()
    }

    fn tables(&self) -> Tables {
        tables(&self.request.files)
    }

    fn is_lines(&self, file: usize) -> Result<bool, WorkError> {
        let files = std::slice::from_ref(&self.request.files[file]);
        let first = PieceReader::new(files, PIECE_BYTES)?.next_piece()?;
        Ok(first.is_none_or(|piece| piece.document().is_none()))
    }

    fn keys(&self) -> Result<Box<dyn Keys + '_>, WorkError> {
        Ok(Box::new(RowKeys::new(self)))
    }

    fn scan_document(
        &self,
        file: LineRange,
        interrupted: &AtomicBool,
    ) -> Result<Option<Scanned>, WorkError> {
        let cut = Cut {
            rows: Rows::Ranges([file].into()),
            digests: Vec::new(),
        };
        let mut reader = PieceReader::new(&self.request.files, PIECE_BYTES)?.with_cut(cut);
        let (mut rows, mut keys) = (RowKeys::new(self), Vec::new());
        while let Some(piece) = reader.next_piece()? {
            let Some(document) = piece.document() else {
                return Ok(None);
            };
            if interrupted.load(Ordering::Relaxed) {
                return Err(WorkError::Interrupted);
            }
            for record in piece.records() {
                let of = rows.see(piece.file, &record, Some(document));
                keys.extend(of.into_iter().flatten());
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(Some(Scanned {
            keys,
            held: Some(NOT_LINES),
            facts: rows.facts(),
            ..Scanned::default()
        }))
    }

    fn all_facts(&self, facts: Vec<Value>) -> Result<Value, WorkError> {
        let mut all = vec![Golds::default(); self.request.files.len()];
        for fact in facts {
            for (all, one) in all.iter_mut().zip(golds(fact)?) {
                all.merge(one);
            }
        }
        Ok(json!(all))
    }

    fn piece(
        &self,
        part: Part,
        cut: Option<Cut>,
        facts: Value,
        interrupted: &AtomicBool,
    ) -> Result<Piece, WorkError> {
        let dealt = match cut {
            Some(cut) => Some((cut, golds(facts)?)),
            None => None,
        };
        let progress = &|_| ();
        run_part(
            &self.request,
            &self.choice,
            part,
            dealt,
            progress,
            interrupted,
        )
    }
}

fn golds(facts: Value) -> Result<Vec<Golds>, WorkError> {
    serde_json::from_value(facts)
        .map_err(|error| WorkError::BadInput(format!("what golds are: {error}")))
}

struct RowKeys<'p> {
    files: &'p [PredictionFile],
    choice: &'p Choice,
    options: Option<&'p RunOptions>,
    open: RunOptions,
    /// By file.
    golds: Vec<Golds>,
}

impl<'p> RowKeys<'p> {
    fn new(dealt: &'p DealtPredictions) -> Self {
        let MatchRequest { files, run, .. } = &dealt.request;
        RowKeys {
            files,
            choice: &dealt.choice,
            options: run.as_ref().map(|run| &run.options),
            open: RunOptions::default(),
            golds: vec![Golds::default(); files.len()],
        }
    }

    /// Takes note of a row's gold, and gives its keys.
    fn see(
        &mut self,
        number: usize,
        record: &RawRecord,
        document: Option<&Document>,
    ) -> [Option<u64>; 2] {
        let file = &self.files[number];
        let row = text_of(record).and_then(|_| Row::read(&file.columns, record.bytes));
        let Ok(row) = row else {
            return [None; 2];
        };
        let arrays = self.choice.arrays();
        if let (Choice::Auto, Ok(gold)) = (self.choice, row.gold(arrays)) {
            let golds = &mut self.golds[number];
            golds.see(&gold);
            if let Ok(prediction) = row.prediction(arrays, &gold) {
                golds.see_answer(&gold, &prediction);
            }
        }
        let options = self.options.unwrap_or(&self.open);
        let Ok(called) = Called::of(&row, record.position, file, document, options) else {
            return [None; 2];
        };
        let places = self.options.is_some() && self.files.len() > 1;
        Print::of(&row, &called, places).0.keys()
    }
}

impl Keys for RowKeys<'_> {
    fn of(&mut self, chunk: &Chunk, record: &RawRecord) -> [Option<u64>; 2] {
        self.see(chunk.file, record, None)
    }

    fn facts(&mut self) -> Value {
        json!(self.golds)
    }
}

#[cfg(test)]
#[path = "dealt_tests.rs"]
mod tests;
