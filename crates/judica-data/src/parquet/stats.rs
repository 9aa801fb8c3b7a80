//! Least and greatest value of a flat column, so that a reader looking for
//! one row can pass over whole row groups.

use ::parquet::data_type::ByteArray;
use ::parquet::file::statistics::Statistics;

use super::column::{ColumnData, Values};
use super::dense::filled;
use super::page::text;

/// Longer bounds would weigh more in the footer than they save.
const LONGEST_BOUND: usize = 64;

/// Bounds and null count of a column without a dictionary.
pub(super) fn statistics(column: &ColumnData, slots: usize) -> Option<Statistics> {
    let present = column.present;
    let nulls = Some((slots - filled(slots, present)) as u64);
    let statistics = match column.values {
        Values::Int32(values) => {
            let (least, greatest) = bounds(filtered(values.iter().copied(), present));
            Statistics::int32(least, greatest, None, nulls, false)
        }
        Values::Int64(values) => {
            let (least, greatest) = bounds(filtered(values.iter().copied(), present));
            Statistics::int64(least, greatest, None, nulls, false)
        }
        Values::Double(values) => {
            let real = filtered(values.iter().copied(), present).filter(|value| !value.is_nan());
            let (least, greatest) = bounds(real);
            // Either zero may hide behind the other, as they compare equal.
            let least = least.map(|value| if value == 0.0 { -0.0 } else { value });
            let greatest = greatest.map(|value| if value == 0.0 { 0.0 } else { value });
            Statistics::double(least, greatest, None, nulls, false)
        }
        Values::Utf8 { bytes, offsets } => {
            let texts = offsets.windows(2).map(|ends| text(bytes, ends));
            let (least, greatest) = bounds(filtered(texts, present));
            let short = |bound: &&[u8]| bound.len() <= LONGEST_BOUND;
            let least = least
                .filter(short)
                .map(|bound| ByteArray::from(bound.to_vec()));
            let greatest = greatest
                .filter(short)
                .map(|bound| ByteArray::from(bound.to_vec()));
            Statistics::byte_array(least, greatest, None, nulls, false)
        }
        _ => return None,
    };
    Some(statistics)
}

fn filtered<'a, T: 'a>(
    values: impl Iterator<Item = T> + 'a,
    present: Option<&'a [u8]>,
) -> impl Iterator<Item = T> + 'a {
    values
        .enumerate()
        .filter(move |(slot, _)| present.is_none_or(|present| present[*slot] == 1))
        .map(|(_, value)| value)
}

fn bounds<T: Copy + PartialOrd>(mut values: impl Iterator<Item = T>) -> (Option<T>, Option<T>) {
    let Some(first) = values.next() else {
        return (None, None);
    };
    let (least, greatest) = values.fold((first, first), |(least, greatest), value| {
        (
            if value < least { value } else { least },
            if value > greatest { value } else { greatest },
        )
    });
    (Some(least), Some(greatest))
}
