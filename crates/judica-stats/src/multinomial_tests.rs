use super::*;
use proptest::prelude::*;

#[test]
fn single_items_are_drawn_by_index() {
    // Seed 0, resample 0 of four items draws 0, 3, 3, 2 (see `Draws`).
    let mut counts = [0; 4];
    GroupResampler::new(&[1; 4]).fill(0, 0, &mut counts);
    assert_eq!(counts, [1, 0, 1, 2]);
    // The same items in groups of 2, none and 2: 0 | 3, 3, 2.
    let mut counts = [0; 3];
    GroupResampler::new(&[2, 0, 2]).fill(0, 0, &mut counts);
    assert_eq!(counts, [1, 0, 3]);
}

#[test]
fn a_resample_stays_what_it_was() {
    // Large and small groups. Any change here changes published intervals.
    let mut counts = [0; 6];
    GroupResampler::new(&[700, 3, 40, 1, 1 << 33, 31]).fill(7, 11, &mut counts);
    assert_eq!(counts, [693, 4, 39, 0, 8_589_934_601, 30]);
}

#[test]
fn nothing_and_one_group() {
    GroupResampler::new(&[]).fill(1, 1, &mut []);
    let mut counts = [9; 2];
    GroupResampler::new(&[0, 0]).fill(1, 1, &mut counts);
    assert_eq!(counts, [0, 0]);
    for size in [1, 5, LARGE, MAX_ITEMS] {
        let mut count = [0];
        GroupResampler::new(&[size]).fill(1, 1, &mut count);
        assert_eq!(count, [size]);
    }
}

#[test]
#[should_panic(expected = "2^53")]
fn too_many_items() {
    GroupResampler::new(&[u64::MAX, 1]);
}

#[test]
fn means_variances_and_covariances() {
    // A multinomial count has mean s and variance s (1 - s / n); two have covariance
    // -s t / n. Within six standard errors, those of normal variables.
    const RESAMPLES: u64 = 20_000;
    for sizes in [
        vec![1u64, 1, 1, 1, 1],
        vec![400, 35, 1, 5, 0, 60],
        vec![1 << 33, 31, 1 << 20, LARGE, 7],
    ] {
        let resampler = GroupResampler::new(&sizes);
        let n = resampler.items() as f64;
        let mut counts = vec![0; sizes.len()];
        let mut products = vec![vec![0.0; sizes.len()]; sizes.len()];
        let mut sums = vec![0.0; sizes.len()];
        for resample in 0..RESAMPLES {
            resampler.fill(5, resample, &mut counts);
            let apart: Vec<f64> = counts
                .iter()
                .zip(&sizes)
                .map(|(&count, &size)| count as f64 - size as f64)
                .collect();
            for (i, x) in apart.iter().enumerate() {
                sums[i] += x;
                for (j, y) in apart.iter().enumerate() {
                    products[i][j] += x * y;
                }
            }
        }
        let total = RESAMPLES as f64;
        let size = |i: usize| sizes[i] as f64;
        let variance = |i: usize| size(i) * (1.0 - size(i) / n);
        for (i, row) in products.iter().enumerate() {
            let error = (variance(i) / total).sqrt();
            assert!(sums[i].abs() / total <= 6.0 * error, "{sizes:?} {i}");
            for (j, product) in row.iter().enumerate() {
                let expected = if i == j {
                    variance(i)
                } else {
                    -size(i) * size(j) / n
                };
                // The fourth moment of a rare count is not that of a normal variable,
                // but at most that of a Poisson variable: 3 v^2 + v.
                let both = variance(i) * variance(j);
                let error = ((2.0 * both + both.sqrt()) / total).sqrt();
                let got = product / total;
                assert!(
                    (got - expected).abs() <= 6.0 * error,
                    "{sizes:?} {i} {j}: {got}"
                );
            }
        }
    }
}

#[test]
fn one_binomial_draw_is_as_good_as_many_items() {
    // The same 40 + 24 items as one large group and a small one, and as single items:
    // the two distributions of the first count, compared by chi-square.
    const RESAMPLES: u64 = 20_000;
    let histogram = |resampler: &GroupResampler, groups: usize, first: usize| {
        let mut counts = vec![0; groups];
        let mut bins = [0u64; 65];
        for resample in 0..RESAMPLES {
            resampler.fill(2, resample, &mut counts);
            bins[counts[..first].iter().sum::<u64>() as usize] += 1;
        }
        bins
    };
    let grouped = histogram(&GroupResampler::new(&[40, 24]), 2, 1);
    let single = histogram(&GroupResampler::new(&[1; 64]), 64, 40);
    let (mut chi, mut freedom) = (0.0, -1.0f64);
    for (&a, &b) in grouped.iter().zip(&single).filter(|(a, b)| *a + *b >= 20) {
        let apart = a as f64 - b as f64;
        chi += apart * apart / (a + b) as f64;
        freedom += 1.0;
    }
    assert!(
        (chi - freedom) / (2.0 * freedom).sqrt() < 6.0,
        "{chi} {freedom}"
    );
}

proptest! {
    #[test]
    fn counts_sum_to_the_items_and_empty_groups_stay_empty(
        sizes in prop::collection::vec(
            prop_oneof![Just(0u64), Just(1), 0..100u64, 0..(1u64 << 40)],
            0..40,
        ),
        seed: u64,
        resample: u64,
    ) {
        let resampler = GroupResampler::new(&sizes);
        let mut counts = vec![1; sizes.len()];
        resampler.fill(seed, resample, &mut counts);
        prop_assert_eq!(counts.iter().sum::<u64>(), resampler.items());
        prop_assert!(sizes.iter().zip(&counts).all(|(&size, &count)| size > 0 || count == 0));
        let mut again = vec![0; sizes.len()];
        resampler.fill(seed, resample, &mut again);
        prop_assert_eq!(counts, again);
    }
}
