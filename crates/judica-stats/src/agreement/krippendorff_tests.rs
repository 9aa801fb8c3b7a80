use super::*;
use crate::agreement::{MISSING, Ratings};
use proptest::prelude::*;

const X: u32 = MISSING;
const LEVELS: [Level; 4] = Level::ALL;

fn alpha(raters: usize, codes: &[u32], level: Level, values: &[f64]) -> Estimate {
    let ratings = Ratings::new(raters, values.len(), codes.to_vec());
    let patterns = Patterns::from_ratings(&ratings);
    KrippendorffAlpha::new(&patterns, level, values).estimate(patterns.sizes())
}

#[test]
fn worked_by_hand() {
    // Items {1, 1}, {2, 4}, {4, 4}, and {2}, which is not pairable: n = 6, of which two
    // are 1, one is 2, three are 4. Sums over ordered pairs, D_o of {2, 4} alone:
    // nominal  2, and 36 - 4 - 1 - 9 = 22: 1 - 5 · 2/22 = 6/11
    // ordinal  midranks 1, 2.5, 4.5: 2 · 2² = 8, and 2 (2·1·1.5² + 2·3·3.5² + 1·3·2²) = 180:
    //          1 - 5 · 8/180 = 7/9
    // interval 2 · 2² = 8, and 2 (2·1·1² + 2·3·3² + 1·3·2²) = 136: 1 - 5 · 8/136 = 12/17
    // ratio    2/9, and 2 (2·1/9 + 6·9/25 + 3·1/9) = 1222/225: 1 - 5 · 50/1222 = 486/611
    let codes = [0, 0, 1, 2, 2, 2, X, 1];
    let expected = [6.0 / 11.0, 7.0 / 9.0, 12.0 / 17.0, 486.0 / 611.0];
    for (level, expected) in LEVELS.into_iter().zip(expected) {
        let value = alpha(2, &codes, level, &[1.0, 2.0, 4.0]).unwrap();
        assert!((value - expected).abs() < 1e-15, "{level:?} {value}");
    }
}

#[test]
fn example_of_the_source() {
    // Krippendorff 2011: four observers, twelve units, of which the last has one value.
    let rows = [
        "11x1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "x555", "xx11",
        "x3xx",
    ];
    let codes = rows.iter().flat_map(|row| row.chars());
    let codes: Vec<u32> = codes.map(|c| c.to_digit(10).map_or(X, |d| d - 1)).collect();
    for (level, expected) in LEVELS.into_iter().zip([0.743, 0.815, 0.849, 0.797]) {
        let value = alpha(4, &codes, level, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((value - expected).abs() < 5e-4, "{level:?} {value}");
    }
    let patterns = Patterns::from_ratings(&Ratings::new(4, 5, codes));
    let nominal = KrippendorffAlpha::new(&patterns, Level::Nominal, &[]);
    assert_eq!(nominal.items(patterns.sizes()), 11);
}

#[test]
fn undefined_says_why() {
    for level in LEVELS {
        let alpha = |codes: &[u32]| alpha(2, codes, level, &[1.0, 2.0, 3.0]);
        assert_eq!(alpha(&[]), Err(Undefined::NoItems));
        assert_eq!(alpha(&[X, X]), Err(Undefined::NoItems));
        assert_eq!(alpha(&[0, X, X, 1]), Err(Undefined::NoPairs));
        // The other category is not pairable.
        assert_eq!(alpha(&[1, 1, X, 0]), Err(Undefined::OneCategory));
    }
}

#[test]
fn numbers_that_cannot_be_compared() {
    let ratio = |codes: &[u32], values: &[f64]| alpha(2, codes, Level::Ratio, values);
    let opposite = Err(Undefined::OppositeValues);
    assert_eq!(ratio(&[0, 1, 2, 3], &[-2.0, 0.0, 1.0, 2.0]), opposite);
    assert_eq!(ratio(&[0, 1, 2, 3], &[-3.0, -1.0, 1.0, 2.0]), opposite);
    // Both must occur in a pair. By the formula, 1 and -2 are 3 apart: δ² = 9, δ² of 0
    // and anything is 1, and all pairs differ as much as expected or more.
    assert!(ratio(&[0, 1, 0, 2, X, 3], &[-2.0, 0.0, 1.0, 2.0]).is_ok());
    // Zero and zero are the same.
    assert_eq!(ratio(&[0, 0, 1, 1], &[0.0, 1.0]), Ok(1.0));

    let not_finite = Err(Undefined::NotFinite);
    for level in [Level::Interval, Level::Ratio] {
        assert_eq!(alpha(2, &[0, 1], level, &[1.0, f64::INFINITY]), not_finite);
        assert_eq!(alpha(2, &[0, 1], level, &[1.0, f64::NAN]), not_finite);
    }
    assert_eq!(ratio(&[0, 1], &[1e308, 1.5e308]), not_finite);
}

#[test]
fn the_interval_level_has_no_unit() {
    let codes = [0, 1, 2, 2, 1, 2, 0, 0];
    let value = alpha(2, &codes, Level::Interval, &[-1.0, 1.0, 4.0]);
    for unit in [1e-300, 0.001, 1e307] {
        let other = alpha(2, &codes, Level::Interval, &[-unit, unit, 4.0 * unit]);
        assert!((value.unwrap() - other.unwrap()).abs() < 1e-14);
    }
}

#[test]
fn too_many_values_for_the_ratio_level() {
    let values: Vec<f64> = (0..=COMPARED_LIMIT).map(|v| v as f64).collect();
    let codes: Vec<u32> = (0..=COMPARED_LIMIT as u32).flat_map(|c| [c, c]).collect();
    let too_many = Undefined::TooManyCategories {
        categories: COMPARED_LIMIT + 1,
        limit: COMPARED_LIMIT,
    };
    assert_eq!(alpha(2, &codes, Level::Ratio, &values), Err(too_many));
    assert_eq!(alpha(2, &codes, Level::Interval, &values), Ok(1.0));
}

#[test]
fn an_outlier_that_is_not_drawn_leaves_no_trace() {
    let ratings = Ratings::new(2, 4, vec![0, 1, 1, 2, 3, 3]);
    let patterns = Patterns::from_ratings(&ratings);
    let interval = KrippendorffAlpha::new(&patterns, Level::Interval, &[1.0, 2.0, 4.0, 1e15]);
    let without = alpha(2, &[0, 1, 1, 2], Level::Interval, &[1.0, 2.0, 4.0]);
    let drawn = interval.estimate(&[1, 1, 0]);
    assert!((drawn.unwrap() - without.unwrap()).abs() < 1e-14);
}

#[test]
fn counts_may_be_huge() {
    let mut codes = vec![0; 1000];
    codes.extend((0..1000).map(|rater| rater % 3));
    let patterns = Patterns::from_ratings(&Ratings::new(1000, 3, codes));
    for level in LEVELS {
        let alpha = KrippendorffAlpha::new(&patterns, level, &[1.0, 2.0, 4.0]);
        let (more, most) = (
            alpha.estimate(&[1_000_000; 2]),
            alpha.estimate(&[500_000_000; 2]),
        );
        assert!((more.unwrap() - most.unwrap()).abs() < 1e-8, "{level:?}");
    }
}

/// The definition: δ² over all pairs of ratings, one by one.
fn by_definition(rows: &[Vec<usize>], level: Level, values: &[f64]) -> f64 {
    let rows: Vec<_> = rows.iter().filter(|row| row.len() >= 2).collect();
    let all: Vec<usize> = rows.iter().copied().flatten().copied().collect();
    let midrank = |c: usize| {
        let count = |is: &dyn Fn(usize) -> bool| all.iter().filter(|&&k| is(k)).count() as f64;
        count(&|k| k < c) + count(&|k| k == c) / 2.0
    };
    let difference = |a: usize, b: usize| match level {
        _ if a == b => 0.0,
        Level::Nominal => 1.0,
        Level::Ordinal => (midrank(a) - midrank(b)).powi(2),
        Level::Interval => (values[a] - values[b]).powi(2),
        Level::Ratio => ((values[a] - values[b]) / (values[a] + values[b])).powi(2),
    };
    let pairs = |of: &[usize]| -> f64 {
        let ordered = of.iter().flat_map(|&a| of.iter().map(move |&b| (a, b)));
        ordered.map(|(a, b)| difference(a, b)).sum()
    };
    let observed = rows.iter().map(|row| pairs(row) / (row.len() - 1) as f64);
    1.0 - observed.sum::<f64>() / (pairs(&all) / (all.len() - 1) as f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn is_the_definition_in_any_order(
        which in 0usize..4,
        raters in 1usize..6,
        codes in prop::collection::vec(prop::option::weighted(0.8, 0u32..5), 0..60),
    ) {
        let values = [0.0, 0.5, 2.0, 3.0, 10.0];
        let codes = &codes[..codes.len() / raters * raters];
        let codes: Vec<u32> = codes.iter().map(|c| c.unwrap_or(X)).collect();
        let value = alpha(raters, &codes, LEVELS[which], &values);
        // Items backwards, raters too.
        let moved: Vec<u32> = codes.iter().rev().copied().collect();
        prop_assert_eq!(&value, &alpha(raters, &moved, LEVELS[which], &values));
        if let Ok(value) = value {
            let given = |row: &[u32]| row.iter().filter(|&&c| c != X).map(|&c| c as usize).collect();
            let rows: Vec<Vec<usize>> = codes.chunks(raters).map(given).collect();
            let expected = by_definition(&rows, LEVELS[which], &values);
            prop_assert!((value - expected).abs() < 1e-12, "{value} {expected}");
            prop_assert!((-1.0 - 1e-12..=1.0).contains(&value));
        }
    }

    // Most of many values are of one item only, as measured ones are.
    #[test]
    fn is_the_definition_for_many_values(
        which in 0usize..4,
        raters in 1usize..6,
        categories in prop::sample::select(vec![20u32, 60, 1000]),
        codes in prop::collection::vec(prop::option::weighted(0.9, 0u32..1000), 0..60),
        far in 0u32..2,
    ) {
        // Far from zero differences are small beside the values.
        let values = (0..categories).map(|c| f64::from(c * c + 1 + far * 1_000_000_000));
        let values: Vec<f64> = values.collect();
        let codes = &codes[..codes.len() / raters * raters];
        let codes: Vec<u32> = codes.iter().map(|c| c.map_or(X, |c| c % categories)).collect();
        if let Ok(value) = alpha(raters, &codes, LEVELS[which], &values) {
            let given = |row: &[u32]| row.iter().filter(|&&c| c != X).map(|&c| c as usize).collect();
            let rows: Vec<Vec<usize>> = codes.chunks(raters).map(given).collect();
            let expected = by_definition(&rows, LEVELS[which], &values);
            prop_assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
    }

    #[test]
    fn label_names_do_not_matter_to_the_nominal_level(
        codes in prop::collection::vec(0u32..5, 0..60),
    ) {
        let codes = &codes[..codes.len() / 3 * 3];
        let renamed: Vec<u32> = codes.iter().map(|c| (c * 2 + 1) % 5).collect();
        let nominal = |codes: &[u32]| alpha(3, codes, Level::Nominal, &[0.0; 5]);
        match (nominal(codes), nominal(&renamed)) {
            (Ok(value), Ok(other)) => prop_assert!((value - other).abs() < 1e-12),
            (value, other) => prop_assert_eq!(value, other),
        }
    }

    #[test]
    fn perfect_agreement_is_one(
        which in 0usize..4,
        chosen in prop::collection::vec(0u32..3, 1..30),
    ) {
        let mut codes: Vec<u32> = chosen.iter().flat_map(|&c| [c, X, c, c]).collect();
        codes.extend([3; 4]);
        let value = alpha(4, &codes, LEVELS[which], &[0.5, 2.0, 3.0, 4.0]);
        prop_assert_eq!(value, Ok(1.0));
    }
}
