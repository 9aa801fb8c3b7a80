//! How often which of two columns had a mark, for every two columns.

use crate::dawid_skene::given;
use crate::dawid_skene::groups::RowGroups;

/// The correlation of every two columns, `None` where it is undefined; symmetric.
pub(super) type Correlations = Vec<Vec<Option<f64>>>;

/// For every two columns, on how many items neither had the mark, only the second, only
/// the first, both.
pub(super) struct PairTables {
    columns: usize,
    tables: Vec<[u64; 4]>,
}

impl PairTables {
    pub fn new(columns: usize) -> Self {
        Self {
            columns,
            tables: vec![[0; 4]; columns * columns],
        }
    }

    /// Over groups of rows that count so often, with the mark of each rating by its row: the
    /// tables; which columns rated anything; whether there is any mark.
    pub fn of(
        groups: &RowGroups,
        columns: usize,
        weights: &[u64],
        mark: impl Fn(&[u32], u32) -> bool,
    ) -> (Self, Vec<bool>, bool) {
        let mut tables = Self::new(columns);
        let (mut counted, mut any) = (vec![false; columns], false);
        let mut present: Vec<(usize, bool)> = Vec::with_capacity(columns);
        for ((row, _), &weight) in groups.iter().zip(weights).filter(|(_, w)| **w > 0) {
            present.clear();
            present.extend(given(&row[..columns]).map(|(rater, said)| (rater, mark(row, said))));
            for &(rater, marked) in &present {
                counted[rater] = true;
                any |= marked;
            }
            tables.add(&present, weight);
        }
        (tables, counted, any)
    }

    /// Counts `times` items on which these columns, rising, had the mark or not.
    pub fn add(&mut self, marks: &[(usize, bool)], times: u64) {
        for (at, &(i, first)) in marks.iter().enumerate() {
            let row = &mut self.tables[i * self.columns..][..self.columns];
            for &(j, second) in &marks[at + 1..] {
                row[j][usize::from(first) << 1 | usize::from(second)] += times;
            }
        }
    }

    /// How many items two columns share, `i` before `j`.
    pub fn items(&self, i: usize, j: usize) -> u64 {
        self.table(i, j).iter().sum()
    }

    /// The correlation of the marks of two columns, `i` before `j`; `None` if those of
    /// one of them do not vary.
    pub fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let [neither, second, first, both] = self.table(i, j);
        let product = |a: u64, b: u64| i128::from(a) * i128::from(b);
        let margins = product(first + both, neither + second) as f64
            * product(second + both, neither + first) as f64;
        let covariance = product(both, neither) - product(first, second);
        (margins > 0.0).then(|| (covariance as f64 / margins.sqrt()).clamp(-1.0, 1.0))
    }

    /// The same where marks are votes: two raters who always say the same thing, and
    /// only that thing, agree completely. Whatever is true, they err together.
    pub fn agreement(&self, i: usize, j: usize) -> Option<f64> {
        let [neither, second, first, both] = self.table(i, j);
        let one_thing = (neither == 0) != (both == 0);
        if first + second == 0 && one_thing {
            return Some(1.0);
        }
        self.correlation(i, j)
    }

    fn table(&self, i: usize, j: usize) -> [u64; 4] {
        self.tables[i * self.columns + j]
    }
}

/// Every two of `columns` columns, in order.
pub(super) fn every_two(columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..columns).flat_map(move |i| (i + 1..columns).map(move |j| (i, j)))
}

/// The correlation of every two columns; 1 on the diagonal of those that are counted.
pub(super) fn matrix(
    counted: &[bool],
    correlation: impl Fn(usize, usize) -> Option<f64>,
) -> Correlations {
    let columns = counted.len();
    let mut found = vec![vec![None; columns]; columns];
    for (i, j) in every_two(columns) {
        let rho = correlation(i, j);
        (found[i][j], found[j][i]) = (rho, rho);
    }
    let diagonal = (0..columns).filter(|&i| counted[i]);
    diagonal.for_each(|i| found[i][i] = Some(1.0));
    found
}
