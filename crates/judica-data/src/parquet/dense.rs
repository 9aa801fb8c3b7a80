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

/// Values laid out at a time: few enough for a processor's nearest cache.
const WINDOW: usize = 512;

/// Appends every present value's bytes.
pub(super) fn push_dense<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    values: &[T],
    present: Option<&[u8]>,
    to_bytes: impl Fn(T) -> [u8; N],
) {
    dense(values, present, to_bytes, |cells| {
        out.extend_from_slice(cells.as_flattened());
    });
}

/// Gives every present value's bytes, some at a time.
///
/// Eight slots are looked at together: as neighbours tend to be null or
/// present alike, most eights are copied or skipped whole, and the mixed ones
/// go without a branch per slot.
pub(super) fn dense<T: Copy, const N: usize>(
    values: &[T],
    present: Option<&[u8]>,
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

    let (eights, rest) = values.as_chunks::<8>();
    let (marks, marks_rest) = present.as_chunks::<8>();
    let mut at = 0;
    for (eight, mark) in eights.iter().zip(marks) {
        let set = u64::from_le_bytes(*mark);
        if set == 0 {
            continue;
        }
        if at > WINDOW - 8 {
            give(&window[..at]);
            at = 0;
        }
        let Some(cells) = window[at..].first_chunk_mut::<8>() else {
            break;
        };
        if set == ALL {
            *cells = eight.map(&to_bytes);
            at += 8;
        } else {
            let mut filled = 0;
            for (value, mark) in eight.iter().zip(mark) {
                cells[filled & 7] = to_bytes(*value);
                filled += usize::from(*mark);
            }
            at += filled;
        }
    }
    give(&window[..at]);
    for (value, _) in rest.iter().zip(marks_rest).filter(|(_, mark)| **mark == 1) {
        give(&[to_bytes(*value)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_values_are_those_present() {
        let values: Vec<u16> = (0..3000).collect();
        for step in 1..40 {
            let present: Vec<u8> = (0..3000).map(|at| u8::from(at / step % 3 > 0)).collect();
            let kept = values.iter().zip(&present).filter(|(_, mark)| **mark == 1);
            let expected: Vec<u8> = kept.flat_map(|(value, _)| value.to_le_bytes()).collect();
            let mut out = Vec::new();
            push_dense(&mut out, &values, Some(&present), u16::to_le_bytes);
            assert_eq!(out, expected);
            assert_eq!(filled(3000, Some(&present)) * 2, expected.len());
        }
    }
}
