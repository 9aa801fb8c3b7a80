//! The model that data sets are drawn from.

use judica_stats::agreement::{MISSING, Ratings};
use judica_stats::resample::Draws;

/// Raters who know the true category of an item with some probability, and otherwise
/// guess.
pub struct Model {
    pub name: &'static str,
    pub raters: usize,
    /// How often each category is the true one.
    pub prevalence: &'static [f64],
    /// How often a rater gives the true category for sure.
    pub knows: f64,
    /// How often a rater does not rate an item.
    pub missing: f64,
}

/// Those that are tried.
pub const MODELS: [Model; 4] = [
    Model {
        name: "2 raters, 4 categories",
        raters: 2,
        prevalence: &[0.4, 0.3, 0.2, 0.1],
        knows: 0.7,
        missing: 0.0,
    },
    Model {
        name: "2 raters, yes in 9 of 10",
        raters: 2,
        prevalence: &[0.9, 0.1],
        knows: 0.8,
        missing: 0.0,
    },
    Model {
        name: "5 raters, 4 categories",
        raters: 5,
        prevalence: &[0.4, 0.3, 0.2, 0.1],
        knows: 0.7,
        missing: 0.0,
    },
    Model {
        name: "5 raters, 4 categories, 20 % missing",
        raters: 5,
        prevalence: &[0.4, 0.3, 0.2, 0.1],
        knows: 0.7,
        missing: 0.2,
    },
];

impl Model {
    pub fn categories(&self) -> usize {
        self.prevalence.len()
    }

    /// How likely a rater is to say `code` where `truth` is the true category.
    fn says(&self, truth: usize, code: u32) -> f64 {
        if code == MISSING {
            return self.missing;
        }
        let guess = (1.0 - self.knows) / self.categories() as f64;
        let known = if code as usize == truth {
            self.knows
        } else {
            0.0
        };
        (1.0 - self.missing) * (guess + known)
    }

    /// How likely an item is to be rated like this, rater by rater.
    pub fn probability(&self, row: &[u32]) -> f64 {
        let given = |truth: usize| {
            row.iter()
                .map(|&code| self.says(truth, code))
                .product::<f64>()
        };
        self.prevalence
            .iter()
            .enumerate()
            .map(|(truth, share)| share * given(truth))
            .sum()
    }

    /// Every way in which an item can be rated.
    pub fn all_rows(&self) -> Vec<Vec<u32>> {
        let codes: Vec<u32> = (0..self.categories() as u32).chain([MISSING]).collect();
        (0..self.raters).fold(vec![vec![]], |rows, _| {
            let longer = |row: Vec<u32>| {
                codes
                    .iter()
                    .map(move |&code| [&row[..], &[code]].concat())
                    .collect::<Vec<_>>()
            };
            rows.into_iter().flat_map(longer).collect()
        })
    }

    /// The ratings of data set number `number` with `items` items.
    pub fn draw(&self, items: usize, number: u64) -> Ratings {
        // A seed that no bootstrap of a data set has: those are small numbers.
        let mut draws = Draws::new(u64::MAX - items as u64, number);
        let mut uniform = || f64::from(draws.word()) / 4_294_967_296.0;
        let mut codes = Vec::with_capacity(items * self.raters);
        for _ in 0..items {
            let truth = pick(self.prevalence.iter().copied(), uniform());
            for _ in 0..self.raters {
                let said = (0..self.categories() as u32).map(|code| self.says(truth, code));
                let code = pick(said.chain([self.missing]), uniform());
                codes.push(if code == self.categories() {
                    MISSING
                } else {
                    code as u32
                });
            }
        }
        Ratings::new(self.raters, self.categories(), codes)
    }
}

/// Which of the probabilities a uniform number falls into.
fn pick(probabilities: impl Iterator<Item = f64>, uniform: f64) -> usize {
    let mut sum = 0.0;
    let passed = |p: &f64| {
        sum += p;
        uniform >= sum
    };
    probabilities.take_while(passed).count()
}
