//! The records of all pieces in the order of the input, in groups of a fixed size.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use arrow_array::RecordBatch;
use arrow_select::interleave::interleave_record_batch;
use judica_data::work_error::WorkError;

use super::lines::Lines;
use super::order::{Order, Place, places};
use crate::layout::Layout;
use crate::manifest::name;
use crate::open::StoredRecords;
use crate::pieces::Pieces;
use crate::writer::Groups;

/// Records of a piece that are held at a time: they may have much evidence.
const BATCH_ROWS: usize = 1024;

/// Opens the records of all pieces, which have the columns of the layout.
pub(super) fn tables(pieces: &Pieces, layout: &Layout) -> Result<Vec<StoredRecords>, WorkError> {
    let mut tables = Vec::new();
    for piece in pieces.list() {
        let path = pieces.file(piece, name::RECORDS).unwrap_or_default();
        let table = StoredRecords::open(&path)?;
        let expected = layout.schema().fields().iter().map(|field| field.name());
        if !table.columns().into_iter().eq(expected) || table.len() != piece.counts.records {
            return Err(WorkError::BadArtifact(format!(
                "{}: not the records of its piece: other columns, or another number of them",
                path.display()
            )));
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Pieces being merged.
pub(super) struct Merge<'t> {
    pieces: &'t Pieces,
    layout: &'t Layout,
    cursors: Vec<Cursor<'t>>,
    heap: BinaryHeap<Reverse<(Place, usize)>>,
    /// What is chosen of the batches at hand.
    rows: Vec<(usize, usize)>,
    groups: Groups,
    full: VecDeque<Vec<RecordBatch>>,
    order: Order<'t>,
    lines: Lines,
    ended: bool,
}

impl<'t> Merge<'t> {
    pub fn new(
        pieces: &'t Pieces,
        layout: &'t Layout,
        tables: &'t [StoredRecords],
        lines: Lines,
    ) -> Result<Self, WorkError> {
        let mut merge = Merge {
            pieces,
            layout,
            cursors: Vec::new(),
            heap: BinaryHeap::new(),
            rows: Vec::new(),
            groups: Groups::new(layout),
            full: VecDeque::new(),
            order: Order::new(pieces),
            lines,
            ended: false,
        };
        for (at, table) in tables.iter().enumerate() {
            let mut cursor = Cursor {
                batches: Box::new(table.in_batches_of(BATCH_ROWS)?),
                batch: table.no_records(),
                places: Vec::new(),
                row: 0,
            };
            if let Some(place) = cursor.next(pieces, at)? {
                merge.heap.push(Reverse((place, at)));
            }
            merge.cursors.push(cursor);
        }
        Ok(merge)
    }

    /// The next group; nothing after the last.
    pub fn next(&mut self) -> Result<Option<Vec<RecordBatch>>, WorkError> {
        while self.full.is_empty() && !self.ended {
            let Some(Reverse((place, at))) = self.heap.pop() else {
                self.write()?;
                let rest = self.groups.rest();
                self.full.push_back(rest);
                self.ended = true;
                break;
            };
            self.order.follows(place, at)?;
            self.rows.push((at, self.cursors[at].row));
            self.lines.copy(at)?;
            if self.cursors[at].is_last() {
                // What was chosen so far points into batches that are about to go.
                self.write()?;
            }
            if let Some(next) = self.cursors[at].next(self.pieces, at)? {
                self.heap.push(Reverse((next, at)));
            }
        }
        Ok(self.full.pop_front())
    }

    /// The records as lines, once all are merged.
    pub fn into_lines(self) -> Lines {
        self.lines
    }

    fn write(&mut self) -> Result<(), WorkError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let odd = |what: String| self.order.odd(what);
        let batches: Vec<&RecordBatch> = self.cursors.iter().map(|cursor| &cursor.batch).collect();
        let batch =
            interleave_record_batch(&batches, &self.rows).map_err(|e| odd(e.to_string()))?;
        let batch = self.layout.numbered(batch).map_err(odd)?;
        self.order.keys(&batch)?;
        self.full.extend(self.groups.push(batch));
        self.rows.clear();
        Ok(())
    }
}

/// A piece being read.
struct Cursor<'t> {
    batches: Box<dyn Iterator<Item = Result<RecordBatch, WorkError>> + Send + 't>,
    batch: RecordBatch,
    /// Where its records stand.
    places: Vec<Place>,
    row: usize,
}

impl Cursor<'_> {
    fn is_last(&self) -> bool {
        self.row + 1 >= self.places.len()
    }

    /// Goes to the next record, and says where it stands.
    fn next(&mut self, pieces: &Pieces, at: usize) -> Result<Option<Place>, WorkError> {
        self.row += 1;
        while self.row >= self.places.len() {
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            self.batch = batch?;
            self.places = places(&self.batch, pieces, at)?;
            self.row = 0;
        }
        Ok(Some(self.places[self.row]))
    }
}
