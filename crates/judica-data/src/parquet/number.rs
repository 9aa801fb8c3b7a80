//! Numbering recurring values, for dictionaries made on the way.

/// What stands in a free place of the table: the number of the first value, which has no place
/// of its own, since whoever looks for it finds it in every free one.
const FREE: u32 = 0;

/// Numbers eight-byte values in the order they first appear.
///
/// Rounded readings recur, but seldom in the same company, so a compressor
/// has to find each of them again byte by byte. Looking up whole values is
/// quicker, and leaves the compressor less to go through.
#[derive(Default)]
pub(super) struct Numbering {
    table: Vec<u32>,
    /// Size the table last grew to; where it starts never shows in a number.
    grown: u32,
    /// The distinct values, little-endian, by number.
    pub distinct: Vec<[u8; 8]>,
    /// Each value's number.
    pub numbers: Vec<u32>,
    /// More distinct values than this do not pay.
    most: usize,
    /// Whether there were more.
    too_many: bool,
}

impl Numbering {
    /// Begins with a column of so many values.
    pub fn begin(&mut self, count: usize) {
        // At half of them distinct, numbers and values together still weigh
        // less than the values alone, but no longer by enough.
        self.most = (count / 2).min(MOST_DISTINCT);
        self.too_many = self.most == 0;
        self.table.clear();
        self.distinct.clear();
        self.numbers.clear();
        self.numbers.reserve(count);
    }

    /// Numbers the next values.
    pub fn add(&mut self, cells: &[[u8; 8]]) {
        if self.too_many {
            return;
        }
        let start = self.numbers.len();
        self.numbers.resize(start + cells.len(), 0);
        // Of many columns all values are one.
        if self.table.is_empty() {
            self.distinct.extend(cells.first().filter(|_| start == 0));
            if cells.iter().all(|cell| *cell == self.distinct[0]) {
                return;
            }
            // A column of many values must not leave a large table for small ones to clear.
            let enough = (ROOM * self.most).ilog2() + 1;
            let bits = self.grown.min(enough).max(FEWEST_BITS);
            grow(&mut self.table, &self.distinct, bits);
        }
        let mut bits = self.table.len().ilog2();
        for (number, cell) in self.numbers[start..].iter_mut().zip(cells) {
            let mut place = hash(*cell, bits);
            *number = loop {
                let held = self.table[place];
                if self.distinct[held as usize] == *cell {
                    break held;
                }
                if held != FREE {
                    place = (place + 1) & (self.table.len() - 1);
                    continue;
                }
                if self.distinct.len() >= self.most {
                    self.too_many = true;
                    return;
                }
                let new = self.distinct.len() as u32;
                self.table[place] = new;
                self.distinct.push(*cell);
                if self.distinct.len() * ROOM > self.table.len() {
                    bits += 1;
                    self.grown = self.grown.max(bits);
                    grow(&mut self.table, &self.distinct, bits);
                }
                break new;
            };
        }
    }

    /// Whether enough values recur for numbers to pay; else nothing here is to be used.
    pub fn pays(&self) -> bool {
        !self.too_many
    }
}

/// The table begins with so many places, as a power of two.
const FEWEST_BITS: u32 = 13;

/// Places for each distinct value: where it stands is seldom taken by another.
const ROOM: usize = 4;

/// Beyond this a dictionary no longer fits a processor's cache, and a reader
/// would have to hold it whole for the sake of a single row.
const MOST_DISTINCT: usize = 1 << 18;

/// A place in a table of `1 << bits`. Only the product's upper bits depend on
/// all of the value, and of round numbers only the upper bits differ, so the
/// halves are folded first.
fn hash(cell: [u8; 8], bits: u32) -> usize {
    let value = u64::from_le_bytes(cell);
    let folded = value ^ value.rotate_right(32);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
}

fn grow(table: &mut Vec<u32>, distinct: &[[u8; 8]], bits: u32) {
    table.clear();
    table.resize(1 << bits, FREE);
    for (number, cell) in distinct.iter().enumerate().skip(1) {
        let mut place = hash(*cell, bits);
        while table[place] != FREE {
            place = (place + 1) & (table.len() - 1);
        }
        table[place] = number as u32;
    }
}

/// Bits that hold every number below `count`.
pub(super) fn width(count: usize) -> u32 {
    count
        .saturating_sub(1)
        .checked_ilog2()
        .map_or(1, |top| top + 1)
}

/// Packs numbers of at most 32 bits, lowest bits first, filled up to a
/// multiple of eight numbers.
pub(super) fn pack_numbers(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    let width = width as usize;
    let start = out.len();
    let end = start + numbers.len().div_ceil(8) * width;
    // Fours are written as whole words; what the last one has too much is cut off.
    out.resize(end + 32, 0);
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(&last);
    // The first four end within a byte, or in the middle of one.
    let (middle, shift) = (4 * width / 8, 4 * width % 8);
    let mut at = start;
    for eight in eights.iter().chain(last) {
        let [low, high] = [0, 4].map(|first| {
            let two = |at: usize| u64::from(eight[at]) | u64::from(eight[at + 1]) << width;
            u128::from(two(first)) | u128::from(two(first + 2)) << (2 * width)
        });
        let begun = low.checked_shr(8 * middle as u32).unwrap_or(0);
        out[at..at + 16].copy_from_slice(&low.to_le_bytes());
        let high = high << shift | begun;
        out[at + middle..at + middle + 16].copy_from_slice(&high.to_le_bytes());
        at += width;
    }
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(numbering: &mut Numbering, values: &[u64]) -> bool {
        numbering.begin(values.len());
        let cells: Vec<[u8; 8]> = values.iter().map(|value| value.to_le_bytes()).collect();
        cells.chunks(3).for_each(|some| numbering.add(some));
        numbering.pays()
    }

    #[test]
    fn numbers_follow_first_appearance() {
        let values: Vec<u64> = (0..40_000u64).map(|at| (at * at % 9973) << 40).collect();
        let mut numbering = Numbering::default();
        for _ in 0..2 {
            assert!(fill(&mut numbering, &values));
            let mut seen = 0;
            for (number, value) in numbering.numbers.iter().zip(&values) {
                assert!(*number <= seen);
                seen = seen.max(number + 1);
                assert_eq!(numbering.distinct[*number as usize], value.to_le_bytes());
            }
            assert_eq!(seen as usize, numbering.distinct.len());
        }
    }

    #[test]
    fn mostly_distinct_values_are_left_alone() {
        let values: Vec<u64> = (0..100).collect();
        assert!(!fill(&mut Numbering::default(), &values));
    }

    #[test]
    fn what_was_numbered_before_leaves_no_trace() {
        let mut numbering = Numbering::default();
        for values in [
            vec![7, 8, 7, 8, 7, 8],
            vec![5; 9],
            vec![1, 1, 1, 1, 2, 2, 1],
        ] {
            assert!(fill(&mut numbering, &values));
            let numbers = numbering.numbers.iter();
            let said = numbers.map(|number| numbering.distinct[*number as usize]);
            let said: Vec<u64> = said.map(u64::from_le_bytes).collect();
            assert_eq!(said, values);
        }
    }

    #[test]
    fn packed_numbers_unpack() {
        for bits in 1..=32 {
            for count in [0usize, 1, 7, 8, 9, 31, 200] {
                let numbers: Vec<u32> = (0..count as u32)
                    .map(|at| at.wrapping_mul(0x9E37_79B9) >> (32 - bits))
                    .collect();
                let mut out = Vec::new();
                pack_numbers(&mut out, &numbers, bits);
                assert_eq!(out.len(), count.div_ceil(8) * bits as usize);
                for (at, number) in numbers.iter().enumerate() {
                    let unpacked = (0..bits).fold(0, |value, bit| {
                        let place = at * bits as usize + bit as usize;
                        value | u32::from(out[place / 8] >> (place % 8) & 1) << bit
                    });
                    assert_eq!(unpacked, *number, "{bits} bits, number {at}");
                }
            }
        }
    }

    #[test]
    fn widths_hold_all_numbers() {
        let widths = [0, 1, 2, 3, 4, 5, 256, 257, 65_536].map(width);
        assert_eq!(widths, [1, 1, 1, 2, 2, 3, 8, 9, 16]);
    }
}
