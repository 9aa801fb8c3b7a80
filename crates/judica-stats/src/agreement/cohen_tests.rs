//! κ by hand, against its definition, and under the changes that must not matter.

use super::*;
use proptest::prelude::*;

const ALL: [Weighting; 3] = [
    Weighting::Unweighted,
    Weighting::Linear,
    Weighting::Quadratic,
];

fn kappa(categories: usize, counts: &[u64], weighting: Weighting) -> Estimate {
    let cells = PairCells::from_matrix(categories, counts);
    CohenKappa::new(&cells, weighting).estimate(cells.sizes())
}

fn standard_error(categories: usize, counts: &[u64], weighting: Weighting) -> Estimate {
    let cells = PairCells::from_matrix(categories, counts);
    CohenKappa::new(&cells, weighting).standard_error(cells.sizes())
}

#[test]
fn worked_by_hand() {
    // 15 items; rows sum to 5, 5, 5 and columns to 5, 6, 4. Five items are off, each by
    // one step, so the observed sum is 5 whatever the weighting.
    let counts = [4, 1, 0, 1, 3, 1, 0, 2, 3];
    // Unweighted: 15² - 5·(5 + 6 + 4) = 150 pairs differ; 1 - 15·5/150 = 1/2.
    assert_eq!(kappa(3, &counts, Weighting::Unweighted), Ok(0.5));
    // Linear: distances to the columns 6 + 2·4 = 14, 5 + 4 = 9, 2·5 + 6 = 16; times 5 is
    // 195; 1 - 75/195 = 8/13.
    assert_eq!(kappa(3, &counts, Weighting::Linear), Ok(8.0 / 13.0));
    // Quadratic: 6 + 4·4 = 22, 9, 4·5 + 6 = 26; times 5 is 285; 1 - 75/285 = 14/19.
    assert_eq!(kappa(3, &counts, Weighting::Quadratic), Ok(14.0 / 19.0));
}

#[test]
fn standard_error_worked_by_hand() {
    // 50 items, observed agreement 0.7, expected 0.5, κ 0.4. Influences times 0.5:
    //   0.6·(0.4 + 0.5) - 0 - 0.3 =  0.24   on 0.4 of the items,
    //   0.6·(0.4 + 0.5) - 1 - 0.3 = -0.76   on 0.1,
    //   0.6·(0.6 + 0.5) - 1 - 0.3 = -0.64   on 0.2,
    //   0.6·(0.6 + 0.5) - 0 - 0.3 =  0.36   on 0.3;
    // mean square 0.2016; variance 0.2016 / 0.25 / 50 = 0.016128.
    let counts = [20, 5, 10, 15];
    assert_eq!(kappa(2, &counts, Weighting::Unweighted), Ok(0.4));
    for weighting in ALL {
        let error = standard_error(2, &counts, weighting).unwrap();
        assert!((error - 0.016128f64.sqrt()).abs() < 1e-15, "{error}");
    }
}

#[test]
fn undefined_has_a_reason() {
    for weighting in ALL {
        assert_eq!(kappa(0, &[], weighting), Err(Undefined::NoItems));
        assert_eq!(kappa(2, &[0; 4], weighting), Err(Undefined::NoItems));
        let one = [0, 0, 0, 7];
        assert_eq!(kappa(2, &one, weighting), Err(Undefined::OneCategory));
        assert_eq!(
            standard_error(2, &one, weighting),
            Err(Undefined::OneCategory)
        );
        let huge = [1 << 62, 1, 1, u64::MAX];
        assert_eq!(kappa(2, &huge, weighting), Err(Undefined::NotFinite));
    }
}

#[test]
fn each_always_says_something_else() {
    // Chance expects no agreement and there is none.
    for weighting in ALL {
        assert_eq!(kappa(2, &[0, 9, 0, 0], weighting), Ok(0.0));
        assert_eq!(standard_error(2, &[0, 9, 0, 0], weighting), Ok(0.0));
    }
}

#[test]
fn a_resample_keeps_the_steps() {
    // Without the items of the middle category, 0 and 2 stay two steps apart.
    let cells = PairCells::from_matrix(3, &[4, 0, 1, 0, 5, 0, 1, 0, 2]);
    let linear = CohenKappa::new(&cells, Weighting::Linear);
    let gone: Vec<u64> = cells
        .sizes()
        .iter()
        .map(|&n| n * u64::from(n != 5))
        .collect();
    // Both raters: 5 and 3 of 8. Distances 6 and 10; expected 5·6 + 3·10 = 60, observed
    // 2·2 = 4; 1 - 8·4/60. All distances doubled, so as if there were two categories.
    assert_eq!(linear.estimate(&gone), Ok(28.0 / 60.0));
    assert_eq!(
        linear.estimate(&gone),
        kappa(2, &[4, 1, 1, 2], Weighting::Linear)
    );
    let all_gone = vec![0; cells.sizes().len()];
    assert_eq!(linear.estimate(&all_gone), Err(Undefined::NoItems));
}

#[test]
fn as_many_categories_as_items() {
    // A permutation without fixed points over 200,000 values.
    let k = 200_000u32;
    let codes = (0..k).flat_map(|i| [i, (i + 1) % k]).collect();
    let cells = PairCells::from_table(&super::super::Ratings::new(2, k as usize, codes), 0, 1);
    let of = |weighting| {
        CohenKappa::new(&cells, weighting)
            .estimate(cells.sizes())
            .unwrap()
    };
    let k = f64::from(k);
    // Unweighted: observed k, expected k(k - 1): 1 - k/(k - 1).
    assert!((of(Weighting::Unweighted) + 1.0 / (k - 1.0)).abs() < 1e-15);
    // Linear: observed 2(k - 1), expected k(k² - 1)/3: 1 - 6/(k + 1).
    assert!((of(Weighting::Linear) - (1.0 - 6.0 / (k + 1.0))).abs() < 1e-15);
    // Quadratic: observed k(k - 1), expected k²(k² - 1)/6: 1 - 6/(k + 1).
    assert!((of(Weighting::Quadratic) - (1.0 - 6.0 / (k + 1.0))).abs() < 1e-15);
}

/// κ from proportions, pair of categories by pair of categories.
fn by_definition(counts: &[Vec<u64>], weighting: Weighting) -> f64 {
    let k = counts.len();
    let total: u64 = counts.iter().flatten().sum();
    let share = |count: u64| count as f64 / total as f64;
    let (mut observed, mut expected) = (0.0, 0.0);
    for i in 0..k {
        for j in 0..k {
            let distance = weighting.distance(i as u32, j as u32) as f64;
            observed += share(counts[i][j]) * distance;
            let column: u64 = counts.iter().map(|row| row[j]).sum();
            expected += share(counts[i].iter().sum()) * share(column) * distance;
        }
    }
    1.0 - observed / expected
}

fn matrix() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let count = prop_oneof![Just(0u64), 0u64..40];
    (2usize..6)
        .prop_flat_map(move |k| prop::collection::vec(prop::collection::vec(count.clone(), k), k))
}

/// The matrix with category `i` moved to `order[i]`.
fn moved(counts: &[Vec<u64>], order: &[usize]) -> Vec<u64> {
    let k = counts.len();
    let mut out = vec![0; k * k];
    for i in 0..k {
        for j in 0..k {
            out[order[i] * k + order[j]] = counts[i][j];
        }
    }
    out
}

proptest! {
    #[test]
    fn equals_the_definition_within_bounds(counts in matrix()) {
        for weighting in ALL {
            if let Ok(value) = kappa(counts.len(), &counts.concat(), weighting) {
                prop_assert!((value - by_definition(&counts, weighting)).abs() < 1e-12);
                prop_assert!((-1.0..=1.0).contains(&value));
                let error = standard_error(counts.len(), &counts.concat(), weighting).unwrap();
                prop_assert!(error >= 0.0 && error.is_finite());
            }
        }
    }

    #[test]
    fn names_and_raters_do_not_matter(
        (counts, order) in matrix().prop_flat_map(|m| {
            let order: Vec<usize> = (0..m.len()).collect();
            (Just(m), Just(order).prop_shuffle())
        }),
    ) {
        let k = counts.len();
        let plain = counts.concat();
        let renamed = moved(&counts, &order);
        let reversed: Vec<u64> = plain.iter().rev().copied().collect();
        let swapped: Vec<u64> = (0..k * k).map(|at| plain[at % k * k + at / k]).collect();
        for weighting in ALL {
            let both = |m: &[u64]| (kappa(k, m, weighting), standard_error(k, m, weighting));
            prop_assert_eq!(both(&plain), both(&swapped));
            prop_assert_eq!(both(&plain), both(&reversed));
            if weighting == Weighting::Unweighted {
                prop_assert_eq!(both(&plain), both(&renamed));
            }
        }
    }

    #[test]
    fn perfect_agreement_is_one(diagonal in prop::collection::vec(1u64..1000, 2..6)) {
        let k = diagonal.len();
        let mut counts = vec![0; k * k];
        (0..k).for_each(|i| counts[i * k + i] = diagonal[i]);
        for weighting in ALL {
            prop_assert_eq!(kappa(k, &counts, weighting), Ok(1.0));
            prop_assert_eq!(standard_error(k, &counts, weighting), Ok(0.0));
        }
    }
}
