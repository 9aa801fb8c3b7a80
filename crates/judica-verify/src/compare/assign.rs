//! Which object of one list is which of another.

use std::collections::BTreeMap;

/// Up to so many objects on the longer side, the best of all assignments is found; beyond, the
/// cheapest partner is taken for one after the other.
const EXACT: usize = 200;

/// By equal keys; of several with one key the first with the first. What has no key, or one
/// that the other side lacks, has no partner.
pub(super) fn by_key<K: Ord>(
    left: usize,
    right: usize,
    key_of_left: impl Fn(usize) -> Option<K>,
    key_of_right: impl Fn(usize) -> Option<K>,
) -> Vec<(usize, usize)> {
    let mut waiting: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for j in (0..right).rev() {
        if let Some(key) = key_of_right(j) {
            waiting.entry(key).or_default().push(j);
        }
    }
    let partner = |i| Some((i, waiting.get_mut(&key_of_left(i)?)?.pop()?));
    (0..left).filter_map(partner).collect()
}

/// Each with its like, of which there is one for every object of the shorter side; `None`
/// where there is not.
pub(super) fn alike(
    left: usize,
    right: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Option<Vec<(usize, usize)>> {
    if left.max(right) > EXACT {
        return None;
    }
    let mut taken = vec![false; right];
    let mut pairs = Vec::with_capacity(left);
    for i in 0..left {
        // Mostly they stand in the same order.
        let found = std::iter::once(i)
            .chain(0..right)
            .find(|j| *j < right && !taken[*j] && same(i, *j));
        if let Some(j) = found {
            taken[j] = true;
            pairs.push((i, j));
        }
    }
    (pairs.len() == left.min(right)).then_some(pairs)
}

/// The pairs whose costs are least together; as many as the shorter side has.
///
/// Source: H. W. Kuhn, The Hungarian Method for the Assignment Problem, Naval Research
/// Logistics Quarterly 2 (1955), by shortest augmenting paths with potentials.
pub(super) fn best(
    left: usize,
    right: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    if left.max(right) > EXACT {
        return in_order(left, right, cost);
    }
    if left <= right {
        return of_shorter(left, right, &|i, j| cost(i, j));
    }
    let mut pairs: Vec<(usize, usize)> = of_shorter(right, left, &|j, i| cost(i, j))
        .into_iter()
        .map(|(j, i)| (i, j))
        .collect();
    pairs.sort_unstable();
    pairs
}

fn of_shorter(
    left: usize,
    right: usize,
    cost: &dyn Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    // Each is asked for again and again.
    let costs: Vec<f64> = (0..left * right)
        .map(|at| cost(at / right, at % right))
        .collect();
    let cost = |i: usize, j: usize| costs[i * right + j];
    // Column 0 is where a path begins; `row[j]` is the row, from 1, that has column `j`.
    let mut row = vec![0; right + 1];
    let mut of_rows = vec![0.0; left + 1];
    let mut of_columns = vec![0.0; right + 1];
    for i in 1..=left {
        row[0] = i;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; right + 1];
        let mut before = vec![0; right + 1];
        let mut done = vec![false; right + 1];
        while row[column] != 0 {
            done[column] = true;
            let from = row[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for j in (1..=right).filter(|j| !done[*j]) {
                let reduced = cost(from - 1, j - 1) - of_rows[from] - of_columns[j];
                if reduced < least[j] {
                    (least[j], before[j]) = (reduced, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=right {
                if done[j] {
                    of_rows[row[j]] += step;
                    of_columns[j] -= step;
                } else {
                    least[j] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row[column] = row[before[column]];
            column = before[column];
        }
    }
    let mut pairs: Vec<(usize, usize)> = (1..=right)
        .filter(|j| row[*j] != 0)
        .map(|j| (row[j] - 1, j - 1))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// Each takes the cheapest partner that is left, near its own place.
fn in_order(left: usize, right: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    let mut free: Vec<usize> = (0..right).collect();
    let mut pairs = Vec::new();
    for i in 0..left {
        let near = free.partition_point(|j| *j < i);
        let window = near.saturating_sub(EXACT / 2)..free.len().min(near + EXACT / 2);
        let cheapest = window.min_by(|a, b| cost(i, free[*a]).total_cmp(&cost(i, free[*b])));
        if let Some(at) = cheapest {
            pairs.push((i, free.remove(at)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The least cost of all assignments of rows from `i` on, by trying all.
    fn least(costs: &[Vec<f64>], i: usize, used: &mut Vec<bool>, skip: usize) -> f64 {
        if i == costs.len() {
            return 0.0;
        }
        let mut found = f64::INFINITY;
        if skip > 0 {
            found = least(costs, i + 1, used, skip - 1);
        }
        for j in 0..used.len() {
            if !used[j] {
                used[j] = true;
                found = found.min(costs[i][j] + least(costs, i + 1, used, skip));
                used[j] = false;
            }
        }
        found
    }

    proptest! {
        #[test]
        fn no_other_assignment_is_cheaper(
            costs in (0..5_usize, 0..5_usize).prop_flat_map(|(n, m)| {
                prop::collection::vec(prop::collection::vec((0..9_u8).prop_map(f64::from), m), n)
            })
        ) {
            let columns = costs.first().map_or(0, Vec::len);
            let pairs = best(costs.len(), columns, |i, j| costs[i][j]);
            prop_assert_eq!(pairs.len(), costs.len().min(columns));
            let sum: f64 = pairs.iter().map(|(i, j)| costs[*i][*j]).sum();
            let skip = costs.len().saturating_sub(columns);
            prop_assert_eq!(sum, least(&costs, 0, &mut vec![false; columns], skip));
        }
    }

    #[test]
    fn many_objects_take_no_cubic_time() {
        let pairs = best(10_000, 10_000, |i, j| f64::from(u8::from(i != j)));
        assert!(pairs.len() == 10_000 && pairs.iter().all(|(i, j)| i == j));
    }

    #[test]
    fn equal_keys_meet_in_order() {
        let key = |keys: &'static [&str]| move |at: usize| Some(keys[at].to_owned());
        let pairs = by_key(3, 3, key(&["a", "b", "a"]), key(&["a", "c", "a"]));
        assert_eq!(pairs, [(0, 0), (2, 2)]);
    }
}
