use super::*;
use crate::agreement::MISSING;
use proptest::prelude::*;
use std::collections::BTreeMap;

const X: u32 = MISSING;

#[test]
fn worked_by_hand() {
    // Items {0,0,1}, {2}, {1,0,0}, {}, {2,2}: the first and third are alike.
    let codes = vec![0, 0, 1, X, 2, X, 1, 0, 0, X, X, X, 2, X, 2];
    let patterns = Patterns::from_ratings(&Ratings::new(3, 3, codes));
    assert_eq!((patterns.raters(), patterns.categories()), (3, 3));
    assert_eq!(patterns.sizes(), [2, 1, 1]);
    assert_eq!(patterns.choices(0), [(0, 2), (1, 1)]);
    assert_eq!(patterns.choices(1), [(2, 2)]);
    assert_eq!(patterns.choices(2), [(2, 1)]);
    assert_eq!([0, 1, 2].map(|p| patterns.ratings(p)), [3, 2, 1]);
}

#[test]
fn nothing_rated_is_no_pattern() {
    for (raters, categories, codes) in [
        (0, 0, vec![]),
        (0, 3, vec![]),
        (3, 0, vec![X; 6]),
        (3, 2, vec![X; 6]),
        (3, 1 << 20, vec![X; 6]),
    ] {
        let patterns = Patterns::from_ratings(&Ratings::new(raters, categories, codes));
        assert!(patterns.is_empty());
        assert_eq!(patterns.len(), 0);
    }
}

/// How many items have which counts, negated so that more choices come first.
fn counted(ratings: &Ratings) -> Vec<(Vec<(u32, u32)>, u64)> {
    let mut found = BTreeMap::new();
    for row in ratings.rows() {
        let mut counts = vec![0i64; ratings.categories()];
        for &c in row.iter().filter(|&&c| c != MISSING) {
            counts[c as usize] -= 1;
        }
        *found.entry(counts).or_insert(0) += 1;
    }
    let choices = |counts: Vec<i64>| {
        let counts = (0..).zip(counts).filter(|(_, count)| *count < 0);
        counts.map(|(c, count)| (c, -count as u32)).collect()
    };
    let patterns = found.into_iter().map(|(counts, n)| (choices(counts), n));
    patterns
        .filter(|(choices, _): &(Vec<_>, _)| !choices.is_empty())
        .collect()
}

proptest! {
    // 2 categories are counted in a table, 20 as sorted numbers and 70 as sorted
    // rows, of which up to 9 codes are compared at once.
    #[test]
    fn groups_what_is_alike_in_any_order(
        raters in 1usize..14,
        categories in prop::sample::select(vec![1usize, 2, 5, 20, 70, 300]),
        codes in prop::collection::vec(prop::option::weighted(0.8, 0u32..300), 0..400),
        turn in 0usize..14,
    ) {
        let whole = codes.len() / raters * raters;
        let codes = codes[..whole].iter();
        let codes: Vec<u32> = codes.map(|c| c.map_or(X, |c| c % categories as u32 % 40)).collect();
        let ratings = Ratings::new(raters, categories, codes.clone());
        let patterns = Patterns::from_ratings(&ratings);
        let found: Vec<_> = (0..patterns.len())
            .map(|p| (patterns.choices(p).to_vec(), patterns.sizes()[p]))
            .collect();
        prop_assert_eq!(found, counted(&ratings));
        for p in 0..patterns.len() {
            let ratings: u32 = patterns.choices(p).iter().map(|choice| choice.1).sum();
            prop_assert_eq!(patterns.ratings(p), ratings);
        }
        let moved = codes.chunks(raters).rev().flat_map(|row| {
            let mut row = row.to_vec();
            row.rotate_left(turn % raters);
            row
        });
        let moved = Ratings::new(raters, categories, moved.collect());
        prop_assert_eq!(Patterns::from_ratings(&moved), patterns);
    }
}
