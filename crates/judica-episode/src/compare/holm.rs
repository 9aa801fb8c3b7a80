//! P-values of many tests at once.

/// Each p-value times what keeps the chance of any false alarm at the level of one test:
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", *Scandinavian Journal
/// of Statistics* 6(2), 1979. The smallest is multiplied by the number of tests, the next by
/// one less, and so on; none becomes smaller than one before it, or larger than 1.
pub(super) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0f64;
    for (rank, &at) in order.iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        least = least.max(p_values[at] * factor).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod unit {
    use super::holm;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Sorted: 0.01 · 4, 0.03 · 3 = 0.09, 0.04 · 2 = 0.08 (not below 0.09), 0.5 · 1.
        let adjusted = holm(&[0.04, 0.01, 0.5, 0.03]);
        for (found, expected) in adjusted.iter().zip([0.09, 0.04, 0.5, 0.09]) {
            assert!((found - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn between_the_p_value_and_bonferroni(p in prop::collection::vec(0.0f64..=1.0, 1..20)) {
            let n = p.len() as f64;
            for (raw, adjusted) in p.iter().zip(holm(&p)) {
                prop_assert!(*raw <= adjusted && adjusted <= (raw * n).min(1.0));
            }
        }
    }
}
