//! Numbering recurring values, for dictionaries made on the way.

/// A free place in the table.
const FREE: u32 = u32::MAX;

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
}

impl Numbering {
    /// Numbers all cells; false if too few recur for that to pay, in which
    /// case nothing here is to be used.
    pub fn fill(&mut self, cells: &[u8]) -> bool {
        let (cells, _) = cells.as_chunks::<8>();
        // At half of them distinct, numbers and values together still weigh
        // less than the values alone, but no longer by enough.
        let most = (cells.len() / 2).min(MOST_DISTINCT);
        self.distinct.clear();
        self.numbers.clear();
        self.numbers.resize(cells.len(), 0);
        // Of many columns all values are one.
        if let Some(first) = cells.first()
            && most > 0
            && cells.iter().all(|cell| cell == first)
        {
            self.distinct.push(*first);
            return true;
        }
        // A column of many values must not leave a large table for small ones to clear.
        let enough = (2 * most).max(1).ilog2() + 1;
        let mut bits = self.grown.min(enough).max(FEWEST_BITS);
        fresh(&mut self.table, bits);
        for (number, cell) in self.numbers.iter_mut().zip(cells) {
            let mut place = hash(*cell, bits);
            loop {
                let held = self.table[place];
                if held == FREE {
                    if self.distinct.len() >= most {
                        return false;
                    }
                    *number = self.distinct.len() as u32;
                    self.table[place] = *number;
                    self.distinct.push(*cell);
                    if self.distinct.len() * 2 > self.table.len() {
                        bits += 1;
                        self.grown = self.grown.max(bits);
                        grow(&mut self.table, &self.distinct, bits);
                    }
                    break;
                }
                if self.distinct[held as usize] == *cell {
                    *number = held;
                    break;
                }
                place = (place + 1) & (self.table.len() - 1);
            }
        }
        true
    }
}

/// The table begins with room for this many, as a power of two.
const FEWEST_BITS: u32 = 12;

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

fn fresh(table: &mut Vec<u32>, bits: u32) {
    table.clear();
    table.resize(1 << bits, FREE);
}

fn grow(table: &mut Vec<u32>, distinct: &[[u8; 8]], bits: u32) {
    fresh(table, bits);
    for (number, cell) in distinct.iter().enumerate() {
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
    let start = out.len();
    let end = start + numbers.len().div_ceil(8) * width as usize;
    // Whole words are written; what the last one has too much is cut off.
    out.resize(end + 4, 0);
    let (words, _) = out[start..].as_chunks_mut::<4>();
    let mut words = words.iter_mut();
    let (mut held, mut bits) = (0u64, 0);
    for &number in numbers {
        held |= u64::from(number) << bits;
        bits += width;
        if bits >= 32 {
            if let Some(word) = words.next() {
                *word = (held as u32).to_le_bytes();
            }
            held >>= 32;
            bits -= 32;
        }
    }
    if let Some(word) = words.next() {
        *word = (held as u32).to_le_bytes();
    }
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance() {
        let values: Vec<u64> = (0..40_000u64).map(|at| (at * at % 9973) << 40).collect();
        let cells: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let mut numbering = Numbering::default();
        for _ in 0..2 {
            assert!(numbering.fill(&cells));
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
        let cells: Vec<u8> = (0..100u64).flat_map(|value| value.to_le_bytes()).collect();
        assert!(!Numbering::default().fill(&cells));
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
