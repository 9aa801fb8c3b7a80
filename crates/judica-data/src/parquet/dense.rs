//! Values laid out as little-endian bytes, nulls dropped.

use arrow_buffer::BooleanBuffer;

/// How many slots hold a value.
pub(super) fn filled(slots: usize, present: Option<&BooleanBuffer>) -> usize {
    present.map_or(slots, BooleanBuffer::count_set_bits)
}

/// Values laid out at a time: few enough for a processor's nearest cache.
const WINDOW: usize = 512;

/// Appends every present value's bytes.
pub(super) fn push_dense<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    values: &[T],
    present: Option<&BooleanBuffer>,
    to_bytes: impl Fn(T) -> [u8; N],
) {
    dense(values, present, to_bytes, |cells| {
        out.extend_from_slice(cells.as_flattened());
    });
}

/// Gives every present value's bytes, some at a time.
///
/// As neighbours tend to be null or present alike, most slots are skipped by
/// 64 or copied by eight, and the mixed ones go without a branch per slot.
pub(super) fn dense<T: Copy, const N: usize>(
    values: &[T],
    present: Option<&BooleanBuffer>,
    to_bytes: impl Fn(T) -> [u8; N],
    mut give: impl FnMut(&[[u8; N]]),
) {
    let mut window = [[0; N]; WINDOW];
    let Some(present) = present else {
        for some in values.chunks(WINDOW) {
            for (cell, value) in window.iter_mut().zip(some) {
                *cell = to_bytes(*value);
            }
            give(&window[..some.len()]);
        }
        return;
    };

    let mut at = 0;
    let marks = present.bit_chunks();
    for (some, marks) in values.chunks(64).zip(marks.iter_padded()) {
        if marks == 0 {
            continue;
        }
        if at > WINDOW - 64 {
            give(&window[..at]);
            at = 0;
        }
        if marks == u64::MAX {
            for (cell, value) in window[at..].iter_mut().zip(some) {
                *cell = to_bytes(*value);
            }
            at += some.len();
            continue;
        }
        let (eights, rest) = some.as_chunks::<8>();
        for (eight, marks) in eights.iter().zip(marks.to_le_bytes()) {
            if marks == 0 {
                continue;
            }
            let Some(cells) = window[at..].first_chunk_mut::<8>() else {
                break;
            };
            if marks == u8::MAX {
                *cells = eight.map(&to_bytes);
                at += 8;
                continue;
            }
            let mut filled = 0;
            for (slot, value) in eight.iter().enumerate() {
                cells[filled & 7] = to_bytes(*value);
                filled += usize::from(marks >> slot & 1);
            }
            at += filled;
        }
        let first = some.len() - rest.len();
        for (slot, value) in (first..).zip(rest) {
            if marks >> slot & 1 == 1 {
                window[at] = to_bytes(*value);
                at += 1;
            }
        }
    }
    give(&window[..at]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_values_are_those_present() {
        let values: Vec<u16> = (0..3000).collect();
        let marks = (1..40).map(|step| (0..3000).map(|at| at / step % 3 > 0).collect());
        let alike = [BooleanBuffer::new_set(3000), BooleanBuffer::new_unset(3000)];
        for marks in marks.chain(alike) {
            for (start, len) in [(0, 3000), (0, 0), (5, 1), (3, 64), (1, 2999), (64, 71)] {
                let present = marks.slice(start, len);
                let kept = present.set_indices().map(|at| values[start + at]);
                let expected: Vec<u8> = kept.flat_map(u16::to_le_bytes).collect();
                let mut out = Vec::new();
                let values = &values[start..start + len];
                push_dense(&mut out, values, Some(&present), u16::to_le_bytes);
                assert_eq!(out, expected);
                assert_eq!(filled(len, Some(&present)) * 2, expected.len());
            }
        }
    }
}
