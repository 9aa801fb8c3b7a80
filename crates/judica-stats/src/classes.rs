//! How well classes are told apart: precision, recall, F1, their averages, and Matthews'
//! correlation, as functions of sums, so that clusters can be resampled.
//!
//! For `k` classes there are `3k` sums: of each class, how often it was predicted rightly,
//! predicted, and meant ([`ClassSums`]).

/// Sums over records of `k` classes, `right`, `predicted` and `meant` of each in turn.
#[derive(Clone, Copy, Debug)]
pub struct ClassSums<'s>(pub &'s [f64]);

/// A way to put the scores of classes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// Every class counts the same.
    Macro,
    /// Every class counts as often as it was meant.
    Weighted,
    /// Every record counts the same.
    Micro,
}

/// Which score of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Of what was predicted, how much was right.
    Precision,
    /// Of what was meant, how much was found.
    Recall,
    /// The harmonic mean of both.
    F1,
}

impl ClassSums<'_> {
    /// What one record of `k` classes adds: its predicted class, if it is one of them, and
    /// the class that was meant.
    pub fn add(row: &mut [f64], predicted: Option<usize>, meant: usize) {
        row[3 * meant + 2] += 1.0;
        if let Some(predicted) = predicted {
            row[3 * predicted + 1] += 1.0;
            if predicted == meant {
                row[3 * meant] += 1.0;
            }
        }
    }

    fn classes(self) -> impl Iterator<Item = [f64; 3]> {
        self.0
            .chunks_exact(3)
            .map(|sums| [sums[0], sums[1], sums[2]])
    }

    /// A score of one class; NaN where it is undefined: precision of what nobody predicted,
    /// recall of what nobody meant, F1 of what is neither.
    pub fn score(self, score: Score, class: usize) -> f64 {
        let sums = &self.0[3 * class..][..3];
        of(score, [sums[0], sums[1], sums[2]])
    }

    /// A score of all classes together. A class without the score is left out of the average;
    /// NaN if all are.
    pub fn average(self, average: Average, score: Score) -> f64 {
        if average == Average::Micro {
            let totals = self.classes().fold([0.0; 3], |total, class| {
                std::array::from_fn(|at| total[at] + class[at])
            });
            return of(score, totals);
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for class in self.classes() {
            let value = of(score, class);
            let weight = match average {
                Average::Weighted => class[2],
                _ => 1.0,
            };
            if value.is_finite() {
                sum += weight * value;
                weights += weight;
            }
        }
        sum / weights
    }

    /// Matthews' correlation for any number of classes; NaN where only one class was meant
    /// or predicted.
    ///
    /// Gorodkin, "Comparing two K-category assignments by a K-category correlation
    /// coefficient", *Computational Biology and Chemistry* 28, 2004.
    pub fn matthews(self) -> f64 {
        let (mut right, mut meant) = (0.0, 0.0);
        let (mut products, mut predicted_squares, mut meant_squares) = (0.0, 0.0, 0.0);
        let mut predicted = 0.0;
        for [hit, p, t] in self.classes() {
            right += hit;
            predicted += p;
            meant += t;
            products += p * t;
            predicted_squares += p * p;
            meant_squares += t * t;
        }
        // What was predicted and is no class is a class of its own that nobody meant.
        let other = meant - predicted;
        predicted_squares += other * other;
        let total = meant * meant;
        let spread = ((total - predicted_squares) * (total - meant_squares)).sqrt();
        (right * meant - products) / spread
    }
}

fn of(score: Score, [right, predicted, meant]: [f64; 3]) -> f64 {
    match score {
        Score::Precision => right / predicted,
        Score::Recall => right / meant,
        Score::F1 => 2.0 * right / (predicted + meant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEANT: [usize; 10] = [0, 0, 0, 1, 1, 1, 1, 2, 2, 0];
    const PREDICTED: [usize; 10] = [0, 1, 0, 1, 1, 2, 1, 2, 0, 0];

    fn sums(meant: &[usize], predicted: &[usize], classes: usize) -> Vec<f64> {
        let mut sums = vec![0.0; 3 * classes];
        for (meant, predicted) in meant.iter().zip(predicted) {
            let predicted = (*predicted < classes).then_some(*predicted);
            ClassSums::add(&mut sums, predicted, *meant);
        }
        sums
    }

    /// Against scikit-learn's `precision_recall_fscore_support` and `matthews_corrcoef`.
    #[test]
    fn as_elsewhere() {
        let sums = sums(&MEANT, &PREDICTED, 3);
        let of = ClassSums(&sums);
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        };
        near(of.score(Score::Precision, 0), 0.75);
        near(of.score(Score::Recall, 2), 0.5);
        near(of.average(Average::Macro, Score::F1), 2.0 / 3.0);
        near(of.average(Average::Weighted, Score::F1), 0.7);
        near(of.average(Average::Micro, Score::Precision), 0.7);
        near(of.average(Average::Macro, Score::Precision), 2.0 / 3.0);
        near(of.matthews(), 0.53125);
    }

    #[test]
    fn what_nobody_said_has_no_score() {
        // Nobody predicts class 2, and one prediction is no class at all.
        let sums = sums(&[0, 1, 2, 1], &[0, 1, 7, 0], 3);
        let of = ClassSums(&sums);
        assert!(of.score(Score::Precision, 2).is_nan());
        assert_eq!(of.score(Score::F1, 2), 0.0);
        assert_eq!(of.average(Average::Macro, Score::Precision), 0.75);
        assert!(ClassSums(&[3.0, 3.0, 3.0]).matthews().is_nan());
        assert!(ClassSums(&[]).average(Average::Macro, Score::F1).is_nan());
    }
}
