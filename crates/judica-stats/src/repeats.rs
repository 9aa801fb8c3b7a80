//! What several attempts at one question come to.

/// How likely at least one of `k` attempts is right, drawn without putting back from `n` of
/// which `right` were: 1 − C(n − right, k) / C(n, k). `None` if there are fewer than `k`.
///
/// Chen et al., "Evaluating Large Language Models Trained on Code", 2021.
///
/// ```
/// assert_eq!(judica_stats::repeats::pass_at(1, 4, 1), Some(0.25));
/// ```
pub fn pass_at(k: u32, n: u64, right: u64) -> Option<f64> {
    Some(1.0 - share_without(k, n, right)?)
}

/// How likely all of `k` attempts are right: C(right, k) / C(n, k). `None` if there are fewer
/// than `k`.
///
/// Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains",
/// 2024.
pub fn pass_all(k: u32, n: u64, right: u64) -> Option<f64> {
    share_without(k, n, n.checked_sub(right)?)
}

/// How likely none of `k` of `n` is among the `marked`: C(n − marked, k) / C(n, k).
fn share_without(k: u32, n: u64, marked: u64) -> Option<f64> {
    let k = u64::from(k);
    if k == 0 || k > n || marked > n {
        return None;
    }
    let rest = n - marked;
    if rest < k {
        return Some(0.0);
    }
    Some((0..k).map(|i| (rest - i) as f64 / (n - i) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // 2 of 5 right, 3 drawn: C(3, 3) / C(5, 3) = 1/10 hold none.
        assert!((pass_at(3, 5, 2).unwrap() - 0.9).abs() < 1e-15);
        // 4 of 5 right, 3 drawn: C(4, 3) / C(5, 3) = 4/10 hold only right ones.
        assert!((pass_all(3, 5, 4).unwrap() - 0.4).abs() < 1e-15);
        assert_eq!(pass_at(3, 5, 3), Some(1.0));
        assert_eq!(pass_all(3, 5, 2), Some(0.0));
        for (k, n, right) in [(0, 5, 1), (6, 5, 1), (1, 5, 6), (1, 0, 0)] {
            assert_eq!(pass_at(k, n, right), None);
            assert_eq!(pass_all(k, n, right), None);
        }
    }

    proptest! {
        #[test]
        fn one_attempt_is_the_share(n in 1u64..1000, part in 0.0f64..=1.0) {
            let right = (part * n as f64) as u64;
            let share = right as f64 / n as f64;
            prop_assert!((pass_at(1, n, right).unwrap() - share).abs() < 1e-12);
            prop_assert!((pass_all(1, n, right).unwrap() - share).abs() < 1e-12);
        }

        #[test]
        fn more_attempts_help_one_and_hurt_all(n in 2u64..200, right in 0u64..200, k in 1u32..200) {
            prop_assume!(right <= n && u64::from(k) < n);
            prop_assert!(pass_at(k + 1, n, right) >= pass_at(k, n, right));
            prop_assert!(pass_all(k + 1, n, right) <= pass_all(k, n, right));
        }
    }
}
