//! Cuts move to where keys change, and only there.

use super::*;

fn range(start: u64, end: u64) -> LineRange {
    LineRange {
        file: 0,
        start,
        end: Some(end),
        first_line: start / 10 + 1,
    }
}

/// A range with one row of ten bytes for each key.
fn scanned(start: u64, keys: &[u64]) -> Scanned {
    let mut found = Scanned {
        keys: keys.to_vec(),
        ends: keys.first().copied().zip(keys.last().copied()),
        ..Scanned::default()
    };
    let first = keys.first();
    if let Some(at) = keys.iter().position(|key| Some(key) != first) {
        let offset = start + 10 * at as u64;
        found.change = Some((offset, offset / 10 + 1));
        found.returns = keys[at..].iter().any(|key| Some(key) == first);
    }
    found.keys.sort_unstable();
    found.keys.dedup();
    found
}

fn settled(parts: &[&[u64]]) -> (Vec<(u64, u64)>, bool) {
    let (mut ranges, mut found, mut start) = (Vec::new(), Vec::new(), 0);
    for keys in parts {
        let end = start + 10 * keys.len() as u64;
        ranges.push(range(start, end));
        found.push(scanned(start, keys));
        start = end;
    }
    let (settled, meet) = settle(&ranges, &mut found);
    let lines = settled
        .iter()
        .all(|range| range.first_line == range.start / 10 + 1);
    assert!(lines, "{settled:?}");
    let ends = settled
        .iter()
        .map(|range| (range.start, range.end.unwrap_or(0)));
    (ends.collect(), meet)
}

#[test]
fn rows_that_stand_together_are_not_cut() {
    let (ranges, meet) = settled(&[&[1, 1, 2], &[2, 3, 3], &[3, 3], &[3, 4]]);
    assert_eq!(ranges, [(0, 40), (40, 90), (90, 100)]);
    assert!(!meet);
}

#[test]
fn keys_that_come_again_meet() {
    assert!(settled(&[&[1, 1, 2], &[2, 3, 2]]).1);
    assert!(settled(&[&[1], &[2], &[1]]).1);
    assert!(settled(&[&[1, 2], &[2], &[1]]).1);
    assert!(!settled(&[&[1, 2], &[3], &[], &[4]]).1);
    // Refused rows have no keys and hold nothing together.
    assert!(settled(&[&[1], &[], &[1]]).1 || settled(&[&[1], &[], &[1]]).0.len() == 2);
}

#[test]
fn everything_of_one_key_is_one_range() {
    assert_eq!(settled(&[&[7], &[7, 7], &[7]]), (vec![(0, 40)], false));
    assert_eq!(settled(&[]), (vec![], false));
}
