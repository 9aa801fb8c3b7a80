//! Pearson's correlation coefficient of pairs that come one by one, in any order.
//!
//! K. Pearson, "Note on regression and inheritance in the case of two parents", Proceedings of
//! the Royal Society of London 58 (1895), 240–242.

use crate::ExactSum;

/// Sums over pairs, exact, so that they do not depend on order.
#[derive(Debug, Clone)]
pub struct Pearson {
    /// Values are taken less this: where all lie near it, sums of their own squares would lose
    /// how they differ.
    origin: f64,
    n: u64,
    /// Of x, y, x², y² and xy.
    sums: [ExactSum; 5],
    ranges: [(f64, f64); 2],
}

/// Why there is no coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCorrelation {
    /// Fewer than two pairs.
    TooFew,
    /// The first, or the second, of all pairs is the same.
    Constant(usize),
    /// They differ too little for a double.
    TooClose,
}

impl Pearson {
    /// No pairs; their values lie near `origin`.
    pub fn near(origin: f64) -> Self {
        Pearson {
            origin,
            n: 0,
            sums: std::array::from_fn(|_| ExactSum::new()),
            ranges: [(f64::INFINITY, f64::NEG_INFINITY); 2],
        }
    }

    /// Adds a pair.
    pub fn add(&mut self, x: f64, y: f64) {
        for (range, value) in self.ranges.iter_mut().zip([x, y]) {
            *range = (range.0.min(value), range.1.max(value));
        }
        let (x, y) = (x - self.origin, y - self.origin);
        self.n += 1;
        for (sum, value) in self.sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            sum.add(value);
        }
    }

    /// How many pairs there are.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The coefficient, from −1 to 1.
    ///
    /// # Errors
    ///
    /// Where it is not defined.
    pub fn value(&self) -> Result<f64, NoCorrelation> {
        if self.n < 2 {
            return Err(NoCorrelation::TooFew);
        }
        let constant = self.ranges.iter().position(|(least, most)| least == most);
        if let Some(which) = constant {
            return Err(NoCorrelation::Constant(which));
        }
        let n = self.n as f64;
        let [x, y, xx, yy, xy] = self.sums.each_ref().map(ExactSum::value);
        let (of_x, of_y) = (xx - x * x / n, yy - y * y / n);
        let r = (xy - x * y / n) / (of_x.sqrt() * of_y.sqrt());
        match r.is_finite() {
            true => Ok(r.clamp(-1.0, 1.0)),
            false => Err(NoCorrelation::TooClose),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Result<f64, NoCorrelation> {
        let mut sums = Pearson::near(100.0);
        pairs.iter().for_each(|(x, y)| sums.add(*x, *y));
        sums.value()
    }

    #[test]
    fn worked_by_hand() {
        // Means 2 and 3; deviations (-1, -1), (0, 1), (1, 0): 1 / √(2 · 2).
        let r = of(&[(1.0, 2.0), (2.0, 4.0), (3.0, 3.0)]).expect("defined");
        assert!((r - 0.5).abs() < 1e-12, "{r}");
        let r = of(&[(1.0, 5.0), (2.0, 3.0)]).expect("defined");
        assert!((r + 1.0).abs() < 1e-12, "{r}");
        // Nearly all the best: what they differ by is still seen.
        let near = [(99.999_999, 99.99), (100.0, 100.0), (99.999_998, 99.98)];
        assert!((of(&near).expect("defined") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn undefined_with_a_reason() {
        assert_eq!(of(&[]), Err(NoCorrelation::TooFew));
        assert_eq!(of(&[(1.0, 2.0)]), Err(NoCorrelation::TooFew));
        let same = [(100.0, 1.0), (100.0, 2.0)];
        assert_eq!(of(&same), Err(NoCorrelation::Constant(0)));
        let same = same.map(|(x, y)| (y, x));
        assert_eq!(of(&same), Err(NoCorrelation::Constant(1)));
        let tiny = [(1e-300, 0.0), (2e-300, 1.0)];
        assert_eq!(of(&tiny), Err(NoCorrelation::TooClose));
    }
}
