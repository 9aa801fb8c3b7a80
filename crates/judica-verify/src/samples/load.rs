//! Samples of files, read on all threads and taken in the order of their lines.
//!
//! ```text
//! chunk ─ read lines ─┤samples├─ look at their gold ─┤audit├
//!         (parallel)  in order       (parallel)     in order
//! ```
//!
//! What is said of gold may depend on the sample before, so a chunk is told at the first gate
//! what the last values before it were.

use judica_data::chunks::{Chunk, ChunkReader, RawRecord};
use judica_data::ordered::{self, Workers};
use judica_data::work_error::WorkError;

use super::Samples;
use super::piece::Piece;
use super::read::SampleReader;
use crate::gold::{GoldAudit, LastGold};
use crate::line::Refusal;
use crate::protocol::Protocol;

/// Takes samples.
pub struct SampleLoader<'p> {
    protocol: &'p Protocol,
    default_task: Option<&'p str>,
    keep_text: bool,
    reader: SampleReader<'p>,
    samples: Samples,
}

impl<'p> SampleLoader<'p> {
    /// A loader; `default_task` is for samples that name none.
    pub fn new(protocol: &'p Protocol, default_task: Option<&'p str>) -> Self {
        SampleLoader {
            protocol,
            default_task,
            keep_text: false,
            reader: SampleReader::new(protocol, default_task, false),
            samples: Samples::default(),
        }
    }

    /// The same, keeping what samples say, or not.
    #[must_use]
    pub fn keeping_text(mut self, keep: bool) -> Self {
        self.keep_text = keep;
        self
    }

    /// Takes one record; `position` is its number in the file, from 1, by which it is
    /// called if it has no id.
    pub fn add(&mut self, bytes: &[u8], position: u64) -> Result<(), Refusal> {
        self.reader.piece = Piece::default();
        self.reader.read(bytes, position)?;
        self.samples.adopt(&mut self.reader.piece, 0)
    }

    /// The gold of the sample that was taken last.
    #[cfg(test)]
    pub fn last_gold(&self) -> Option<super::read::GoldReading<'_>> {
        (!self.samples.is_empty()).then(|| self.reader.piece.gold(self.protocol, 0))
    }

    /// All samples taken so far.
    pub fn finish(self) -> Samples {
        self.samples
    }

    /// Takes every record of `reader`, and has its gold looked at; `refused` hears of those
    /// that cannot be taken, with the number of their file, and decides whether to go on.
    pub fn load(
        self,
        workers: Workers,
        reader: &mut ChunkReader,
        audit: &mut GoldAudit<'p>,
        refused: impl FnMut(usize, &RawRecord, Refusal) -> Result<(), WorkError> + Send,
    ) -> Result<Samples, WorkError> {
        let SampleLoader {
            protocol,
            default_task,
            keep_text,
            samples,
            ..
        } = self;
        let next = |done: Option<Chunk>| {
            if let Some(done) = done {
                reader.recycle(done);
            }
            Ok(reader.next_chunk()?)
        };
        let taking = Taking {
            protocol,
            samples,
            last: LastGold::new(protocol),
            refused,
        };
        let another = audit.another();
        let (taking, _) = ordered::run_both(
            workers,
            next,
            taking,
            audit,
            || {
                let reader = SampleReader::new(protocol, default_task, keep_text);
                Ok::<_, WorkError>((reader, another()))
            },
            |(reader, audit), chunk, way| {
                let mut read = |record: RawRecord| match record.fault {
                    Some(fault) => Err(fault.refusal()),
                    None => reader.read(record.bytes, record.position),
                };
                let records: Vec<_> = chunk.records().map(|raw| (raw, read(raw))).collect();
                let mut piece = std::mem::take(&mut reader.piece);
                let (before, way) =
                    way.pass(|taking| taking.take(chunk.file, records, &mut piece))?;
                audit.go_on_from(before.last);
                for at in before.taken {
                    audit.look(&piece.gold(protocol, at));
                }
                way.pass(|all| {
                    all.absorb(audit);
                    Ok::<_, WorkError>(())
                })
            },
        )?;
        Ok(taking.samples)
    }
}

/// What samples pass one after the other.
struct Taking<'p, R> {
    protocol: &'p Protocol,
    samples: Samples,
    last: LastGold,
    refused: R,
}

/// What a chunk is told when its samples are taken.
struct Taken {
    /// The gold before the chunk.
    last: LastGold,
    /// Which of its samples are among the others now.
    taken: Vec<usize>,
}

impl<R: FnMut(usize, &RawRecord, Refusal) -> Result<(), WorkError>> Taking<'_, R> {
    fn take(
        &mut self,
        file: usize,
        records: Vec<(RawRecord, Result<(), Refusal>)>,
        piece: &mut Piece,
    ) -> Result<Taken, WorkError> {
        let last = self.last.clone();
        let (mut taken, mut next) = (Vec::with_capacity(records.len()), 0);
        for (record, read) in records {
            let adopted = read.and_then(|()| {
                next += 1;
                self.samples.adopt(piece, next - 1)
            });
            match adopted {
                Ok(()) => {
                    taken.push(next - 1);
                    self.last.see(&piece.gold(self.protocol, next - 1));
                }
                Err(refusal) => (self.refused)(file, &record, refusal)?,
            }
        }
        self.samples.by_file.resize(file + 1, 0);
        self.samples.by_file[file] += taken.len() as u64;
        Ok(Taken { last, taken })
    }
}
