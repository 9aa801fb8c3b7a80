//! How many characters differ.
//!
//! Source: H. Hyyrö, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit
//! Distances, Nordic Journal of Computing 10 (2003), after G. Myers, J. ACM 46 (1999): 64 rows
//! of the table of distances are one step. Here the table is gone through in bands of 64 rows,
//! and what is kept between two bands is whether each column went up or down: memory grows
//! with the texts and time with a 64th of their product. Two texts of 100,000 characters that
//! have nothing in common take about half a second; what they have in common at either end is
//! taken off before.

/// 1 − Levenshtein distance / length of the longer text, both in code points; two empty texts
/// are equal: 1.
///
/// ```
/// use judica_text::edit::edit_similarity;
/// // Two letters changed and one added, of seven.
/// assert_eq!(edit_similarity("kitten", "sitting"), 1.0 - 3.0 / 7.0);
/// ```
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longer = a.len().max(b.len());
    1.0 - levenshtein(&a, &b) as f64 / longer as f64
}

/// How many characters must be changed, added or taken out to make one text of the other.
fn levenshtein(a: &[char], b: &[char]) -> usize {
    let same = |(a, b): &(&char, &char)| a == b;
    let begin = a.iter().zip(b).take_while(same).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let (rows, columns) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if rows.is_empty() {
        return columns.len();
    }
    // Characters as small numbers: 0 for those that no row has.
    let mut letters = rows.to_vec();
    letters.sort_unstable();
    letters.dedup();
    let letter = |of: &char| letters.binary_search(of).map_or(0, |at| at + 1);
    let columns: Vec<usize> = columns.iter().map(letter).collect();
    let mut masks = vec![0_u64; letters.len() + 1];
    // By how much each column grows from the one before, in the row above the band.
    let mut growth = vec![1_i8; columns.len()];
    for band in rows.chunks(64) {
        masks.fill(0);
        for (row, of) in band.iter().enumerate() {
            masks[letter(of)] |= 1 << row;
        }
        let last = 1_u64 << (band.len() - 1);
        // The rows in which the column so far grows, and in which it shrinks, downwards.
        let (mut up, mut down) = (u64::MAX, 0_u64);
        for (column, grown) in columns.iter().zip(&mut growth) {
            let (above_up, above_down) = (u64::from(*grown > 0), u64::from(*grown < 0));
            let equal = masks[*column];
            let vertical = equal | down;
            let equal = equal | above_down;
            let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal;
            let right_up = down | !(diagonal | up);
            let right_down = up & diagonal;
            *grown = i8::from(right_up & last != 0) - i8::from(right_down & last != 0);
            let (right_up, right_down) = (right_up << 1 | above_up, right_down << 1 | above_down);
            up = right_down | !(vertical | right_up);
            down = right_up & vertical;
        }
    }
    let grown: isize = growth.iter().map(|grown| isize::from(*grown)).sum();
    rows.len().saturating_add_signed(grown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By the definition, cell by cell.
    fn plain(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let changed = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn the_edges() {
        for (a, b, similarity) in [
            ("", "", 1.0),
            ("", "abc", 0.0),
            ("abc", "", 0.0),
            ("abc", "abd", 1.0 - 1.0 / 3.0),
            ("ä", "a", 0.0),
            ("a\u{308}", "ä", 0.0),
            ("😀b", "😀c", 0.5),
            ("ab", "ba", 0.0),
        ] {
            assert_eq!(edit_similarity(a, b), similarity, "{a:?} {b:?}");
            assert_eq!(edit_similarity(b, a), similarity, "{a:?} {b:?}");
        }
    }

    #[test]
    fn long_texts_take_little_time_and_memory() {
        let long = "x".repeat(10_000_000);
        assert_eq!(edit_similarity(&long, &long[1..]), 1.0 - 1e-7);
        assert_eq!(edit_similarity("abcd", &long[..1_000_000]), 0.0);
        // Every character another one: no table of characters by rows would fit.
        let many: String = (0..20_000_u32).filter_map(char::from_u32).collect();
        let back: String = many.chars().rev().collect();
        assert!(edit_similarity(&many, &back) < 1e-3);
    }

    proptest! {
        #[test]
        fn it_is_the_definition(a in "[abc]{0,200}", b in "[abc]{0,200}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(levenshtein(&a, &b), plain(&a, &b));
        }

        #[test]
        fn changes_are_counted(text in "\\PC{0,150}", at in 0..150_usize, with in any::<char>()) {
            let a: Vec<char> = text.chars().collect();
            let mut b = a.clone();
            b.insert(at.min(a.len()), with);
            prop_assert_eq!(levenshtein(&a, &b), 1);
            prop_assert_eq!(levenshtein(&b, &a), 1);
            prop_assert_eq!(levenshtein(&b, &b), 0);
        }
    }
}
