//! A piecewise-linear curve.

use crate::quantile::lerp;
use std::fmt;

/// A curve through points of increasing x, straight between them and flat
/// outside.
///
/// First-order spline interpolation with constant continuation (de Boor,
/// *A Practical Guide to Splines*, 1978, chapter III).
///
/// ```
/// # use judica_stats::Curve;
/// let curve = Curve::new(vec![(0.0, 0.0), (10.0, 1.0)])?;
/// assert_eq!(curve.at(2.5), Some(0.25));
/// assert_eq!(curve.at(99.0), Some(1.0));
/// # Ok::<(), judica_stats::CurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    points: Vec<(f64, f64)>,
}

/// Why points do not make a [`Curve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveError {
    /// There is no point at all.
    Empty,
    /// The point at this index has a coordinate that is not finite.
    NotFinite(usize),
    /// The x of the point at this index is not above the x before it.
    NotIncreasing(usize),
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a curve needs at least one point"),
            Self::NotFinite(i) => write!(f, "point {i} of the curve is not finite"),
            Self::NotIncreasing(i) => {
                write!(f, "x of point {i} of the curve is not above the one before")
            }
        }
    }
}

impl std::error::Error for CurveError {}

impl Curve {
    /// The curve through `points`, given as `(x, y)` with x strictly increasing.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Self, CurveError> {
        if points.is_empty() {
            return Err(CurveError::Empty);
        }
        for (i, &(x, y)) in points.iter().enumerate() {
            if !x.is_finite() || !y.is_finite() {
                return Err(CurveError::NotFinite(i));
            }
            if i > 0 && points[i - 1].0 >= x {
                return Err(CurveError::NotIncreasing(i));
            }
        }
        Ok(Self { points })
    }

    /// The height of the curve at `x`; `None` only if `x` is NaN.
    pub fn at(&self, x: f64) -> Option<f64> {
        if x.is_nan() {
            return None;
        }
        let after = self.points.partition_point(|&(px, _)| px <= x);
        let Some(&(x1, y1)) = self.points.get(after) else {
            return self.points.last().map(|&(_, y)| y);
        };
        if after == 0 {
            return Some(y1);
        }
        let (x0, y0) = self.points[after - 1];
        let mut share = (x - x0) / (x1 - x0);
        if !(x1 - x0).is_finite() {
            // The width overflows; at that scale halving loses nothing.
            share = (x / 2.0 - x0 / 2.0) / (x1 / 2.0 - x0 / 2.0);
        }
        Some(lerp(y0, y1, share).clamp(y0.min(y1), y0.max(y1)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, CurveError};
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        let curve = Curve::new(vec![(0.0, 1.0), (10.0, 3.0), (20.0, -1.0)]).unwrap();
        assert_eq!(curve.at(-5.0), Some(1.0)); // flat before
        assert_eq!(curve.at(0.0), Some(1.0));
        assert_eq!(curve.at(5.0), Some(2.0)); // half way from 1 to 3
        assert_eq!(curve.at(10.0), Some(3.0));
        assert_eq!(curve.at(12.5), Some(2.0)); // a quarter of the way from 3 to -1
        assert_eq!(curve.at(20.0), Some(-1.0));
        assert_eq!(curve.at(f64::INFINITY), Some(-1.0)); // flat after
        assert_eq!(curve.at(f64::NAN), None);
    }

    #[test]
    fn refuses_what_is_not_a_curve() {
        assert_eq!(Curve::new(vec![]), Err(CurveError::Empty));
        let double = vec![(0.0, 0.0), (0.0, 1.0)];
        assert_eq!(Curve::new(double), Err(CurveError::NotIncreasing(1)));
        let nan = vec![(0.0, 0.0), (1.0, f64::NAN)];
        assert_eq!(Curve::new(nan), Err(CurveError::NotFinite(1)));
    }

    #[test]
    fn the_widest_segment_does_not_overflow() {
        let curve = Curve::new(vec![(f64::MIN, f64::MIN), (f64::MAX, f64::MAX)]).unwrap();
        assert_eq!(curve.at(0.0), Some(0.0));
    }

    proptest! {
        #[test]
        fn goes_through_its_points_and_stays_between(
            steps in prop::collection::vec((0.001f64..10.0, -5.0f64..5.0), 1..20),
            x in -10.0f64..220.0,
        ) {
            let mut at = 0.0;
            let points: Vec<_> = steps.iter().map(|&(dx, y)| { at += dx; (at, y) }).collect();
            let curve = Curve::new(points.clone()).unwrap();
            for &(px, py) in &points {
                prop_assert_eq!(curve.at(px), Some(py));
            }
            let y = curve.at(x).unwrap();
            let lo = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
            let hi = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((lo..=hi).contains(&y));
        }
    }
}
