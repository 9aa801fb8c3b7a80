//! The records of pieces that stand one behind the other, taken as they stand: their row
//! groups are copied, and only the columns that the report needs are read.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use judica_data::ordered::{self, Workers};
use judica_data::work_error::WorkError;

use super::Ending;
use super::order::{Order, places};
use crate::layout::head;
use crate::open::{StoredRecords, Wanted};
use crate::pieces::Pieces;

/// Counts the records of all pieces, in order.
pub(super) fn count(
    pieces: &Pieces,
    tables: &[StoredRecords],
    ending: &mut dyn Ending,
    workers: Workers,
) -> Result<(), WorkError> {
    let own = ending.columns();
    let mut columns: Vec<&str> = own.iter().map(String::as_str).collect();
    columns.extend([head::DATASET, head::ITEM, head::SUBJECT, head::EPOCH]);
    columns.push(head::CLUSTER);
    columns.extend([head::INPUT_FILE, head::INPUT_LINE, head::INPUT_OFFSET]);
    let groups = |(at, table): (usize, &StoredRecords)| {
        (0..table.groups().len()).map(move |group| (at, group))
    };
    let mut groups: VecDeque<(usize, usize)> = tables.iter().enumerate().flat_map(groups).collect();
    ordered::run(
        workers,
        |_| Ok::<_, WorkError>(groups.pop_front()),
        (Order::new(pieces), ending),
        || Ok(()),
        |_, &(at, group), way| {
            let read = tables[at].read(Wanted {
                columns: &columns,
                groups: Some(vec![group]),
                ..Wanted::default()
            });
            let batches: Vec<RecordBatch> = read?.collect::<Result<_, _>>()?;
            let mut stand = Vec::new();
            for batch in &batches {
                stand.extend(places(batch, pieces, at)?);
            }
            way.pass(|(order, ending)| {
                for place in stand {
                    order.follows(place, at)?;
                }
                batches.iter().try_for_each(|batch| order.keys(batch))?;
                ending.take(&batches)
            })
        },
    )
    .map(drop)
}
