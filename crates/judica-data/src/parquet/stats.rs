//! Least and greatest value of a flat column, so that a reader looking for
//! one row can pass over whole row groups.

use std::ops::Range;

use ::parquet::data_type::ByteArray;
use ::parquet::file::statistics::Statistics;

use arrow_buffer::BooleanBuffer;

use super::column::{ColumnData, Values};
use super::dense::filled;
use super::schema::Leaf;

/// Longer bounds would weigh more in the footer than they save.
const LONGEST_BOUND: usize = 64;

/// Bounds and null count of a column without a dictionary of words; of one with a dictionary of
/// numbers, `distinct` holds all that it has.
pub(super) fn statistics(
    leaf: &Leaf,
    column: &ColumnData,
    slots: usize,
    distinct: Option<&[[u8; 8]]>,
) -> Option<Statistics> {
    if leaf.numbered {
        return None;
    }
    let nulls = Some((slots - filled(slots, column.present.as_ref())) as u64);
    let all = 0..slots;
    let statistics = match column.parts.first()?.values {
        Values::Int32(_) => {
            let numbers = numbers(column, &all, |values| match values {
                Values::Int32(values) => values,
                _ => &[],
            });
            let (least, greatest) = bounds(numbers);
            Statistics::int32(least, greatest, None, nulls, false)
        }
        Values::Int64(_) => {
            let (least, greatest) = match distinct {
                Some(distinct) => bounds(distinct.iter().copied().map(i64::from_le_bytes)),
                None => bounds(numbers(column, &all, |values| match values {
                    Values::Int64(values) => values,
                    _ => &[],
                })),
            };
            Statistics::int64(least, greatest, None, nulls, false)
        }
        Values::Double(_) | Values::Sparse(..) => {
            let there = |value: &f64| !value.is_nan();
            let (least, greatest) = match distinct {
                Some(distinct) => {
                    let numbers = distinct.iter().copied().map(f64::from_le_bytes);
                    bounds(numbers.filter(there))
                }
                None => {
                    let numbers = column.within(&all).flat_map(|(values, own, present)| {
                        filtered(own.map(move |slot| values.double(slot)), present)
                    });
                    bounds(numbers.filter(there))
                }
            };
            // Either zero may hide behind the other, as they compare equal.
            let least = least.map(|value| if value == 0.0 { -0.0 } else { value });
            let greatest = greatest.map(|value| if value == 0.0 { 0.0 } else { value });
            Statistics::double(least, greatest, None, nulls, false)
        }
        Values::Utf8(_) => {
            let texts = column.within(&all).flat_map(|(values, own, present)| {
                let text = |slot| match values {
                    Values::Utf8(texts) => texts.value(slot),
                    _ => "",
                };
                filtered(own.map(text), present)
            });
            let (least, greatest) = bounds(texts);
            let bound = |bound: Option<&str>| {
                let short = bound.filter(|bound| bound.len() <= LONGEST_BOUND);
                short.map(ByteArray::from)
            };
            Statistics::byte_array(bound(least), bound(greatest), None, nulls, false)
        }
        _ => return None,
    };
    Some(statistics)
}

/// The numbers of a column that are there.
fn numbers<'c, 'a: 'c, T: Copy + 'a>(
    column: &'c ColumnData<'a>,
    slots: &'c Range<usize>,
    pick: fn(&Values<'a>) -> &'a [T],
) -> impl Iterator<Item = T> + 'c {
    let parts = column.within(slots);
    parts.flat_map(move |(values, own, present)| {
        filtered(pick(values)[own].iter().copied(), present)
    })
}

fn filtered<'a, T: 'a>(
    values: impl Iterator<Item = T> + 'a,
    present: Option<BooleanBuffer>,
) -> impl Iterator<Item = T> + 'a {
    values
        .enumerate()
        .filter(move |(slot, _)| present.as_ref().is_none_or(|present| present.value(*slot)))
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
