//! Values laid out as little-endian bytes, nulls dropped.

/// All marks set, eight slots at once.
const ALL: u64 = 0x0101_0101_0101_0101;

/// How many slots hold a value.
pub(super) fn filled(slots: usize, present: Option<&[u8]>) -> usize {
    // Summing bytes in short stretches lets the sums stay narrow.
    present.map_or(slots, |present| {
        let stretches = present.chunks(255);
        stretches
            .map(|stretch| usize::from(stretch.iter().sum::<u8>()))
            .sum()
    })
}

/// Appends every present value's bytes.
///
/// Eight slots are looked at together: as neighbours tend to be null or
/// present alike, most eights are copied or skipped whole, and the mixed ones
/// go without a branch per slot.
pub(super) fn push_dense<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    values: &[T],
    present: Option<&[u8]>,
    to_bytes: impl Fn(T) -> [u8; N],
) {
    let start = out.len();
    let Some(present) = present else {
        out.resize(start + values.len() * N, 0);
        let (cells, _) = out[start..].as_chunks_mut::<N>();
        for (cell, value) in cells.iter_mut().zip(values) {
            *cell = to_bytes(*value);
        }
        return;
    };

    let count = filled(values.len(), Some(present));
    // Eight cells to spare, so that a window of eight always fits.
    out.resize(start + (count + 8) * N, 0);
    let (cells, _) = out[start..].as_chunks_mut::<N>();
    let (eights, rest) = values.as_chunks::<8>();
    let (marks, marks_rest) = present.as_chunks::<8>();
    let mut at = 0;
    for (eight, mark) in eights.iter().zip(marks) {
        let set = u64::from_le_bytes(*mark);
        if set == 0 {
            continue;
        }
        let Some(window) = cells.get_mut(at..).and_then(<[_]>::first_chunk_mut::<8>) else {
            break;
        };
        if set == ALL {
            for (cell, value) in window.iter_mut().zip(eight) {
                *cell = to_bytes(*value);
            }
            at += 8;
        } else {
            let mut filled = 0;
            for (value, mark) in eight.iter().zip(mark) {
                window[filled & 7] = to_bytes(*value);
                filled += usize::from(*mark);
            }
            at += filled;
        }
    }
    for (value, _) in rest.iter().zip(marks_rest).filter(|(_, mark)| **mark == 1) {
        cells[at] = to_bytes(*value);
        at += 1;
    }
    out.truncate(start + count * N);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_values_are_those_present() {
        let values: Vec<u16> = (0..300).collect();
        for step in 1..40 {
            let present: Vec<u8> = (0..300).map(|at| u8::from(at / step % 3 > 0)).collect();
            let kept = values.iter().zip(&present).filter(|(_, mark)| **mark == 1);
            let expected: Vec<u8> = kept.flat_map(|(value, _)| value.to_le_bytes()).collect();
            let mut out = Vec::new();
            push_dense(&mut out, &values, Some(&present), u16::to_le_bytes);
            assert_eq!(out, expected);
            assert_eq!(filled(300, Some(&present)) * 2, expected.len());
        }
    }
}
