//! A sum rounded once, in any order and any split.

/// Radix 2^32: the double range (2^-1074 to 2^1024) takes 66 limbs, and three
/// more hold the carries of 2^64 summands and the sign.
const LIMBS: usize = 70;
const LIMB_BITS: u32 = 32;
const LIMB_MASK: i64 = (1 << LIMB_BITS) - 1;

/// Every addition moves a limb by less than 2^32, so an `i64` takes 2^31 of
/// them; carrying at 2^30 leaves room for a merge.
const ADDITIONS_BEFORE_CARRY: u32 = 1 << 30;

/// The scale of the mean of a sum that overflows: 2^128, above any count.
const OVERFLOW_SHIFT: usize = 128;

/// An accumulator whose value is the exact sum, correctly rounded.
///
/// Order and grouping do not matter: accumulators filled by different threads
/// and merged in any order give the same bits, and intermediate results do not
/// overflow. A fixed-point register as wide as the double range: Kulisch and
/// Miranker, *Computer Arithmetic in Theory and Practice*, 1981; in the form of
/// the small superaccumulator of Neal, "Fast exact summation using small and
/// large superaccumulators", arXiv:1505.05571, 2015.
///
/// Only finite summands are summed exactly. Others follow IEEE 754 whatever
/// their order: one kind of infinity gives that infinity, both kinds or a NaN
/// give NaN. A sum of zero is `+0.0`; one beyond the range is an infinity.
///
/// ```
/// # use judica_stats::ExactSum;
/// let mut sum = ExactSum::new();
/// [1e308, 1e308, 0.1, -1e308, -1e308].map(|x| sum.add(x));
/// assert_eq!(sum.value(), 0.1);
/// ```
#[derive(Clone, Debug)]
pub struct ExactSum {
    /// The sum is `limbs[i] * 2^(32 i - 1074)` over all i.
    limbs: [i64; LIMBS],
    additions: u32,
    infinite_up: bool,
    infinite_down: bool,
    not_a_number: bool,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self::new()
    }
}

impl ExactSum {
    /// The sum of nothing.
    pub fn new() -> Self {
        Self {
            limbs: [0; LIMBS],
            additions: 0,
            infinite_up: false,
            infinite_down: false,
            not_a_number: false,
        }
    }

    /// Adds one summand.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        let fraction = bits & ((1 << 52) - 1);
        let (significand, place) = match exponent {
            0x7ff => return self.add_special(x),
            0 => (fraction, 0),
            _ => (fraction | 1 << 52, exponent - 1),
        };
        let wide = u128::from(significand) << (place % LIMB_BITS);
        let sign = if x.is_sign_negative() { -1 } else { 1 };
        let first = (place / LIMB_BITS) as usize;
        for (i, limb) in self.limbs[first..first + 3].iter_mut().enumerate() {
            *limb += sign * ((wide >> (LIMB_BITS * i as u32)) as i64 & LIMB_MASK);
        }
        self.additions += 1;
        if self.additions >= ADDITIONS_BEFORE_CARRY {
            self.carry();
        }
    }

    #[cold]
    fn add_special(&mut self, x: f64) {
        self.not_a_number |= x.is_nan();
        self.infinite_up |= x == f64::INFINITY;
        self.infinite_down |= x == f64::NEG_INFINITY;
    }

    /// Adds all that was added to `other`.
    pub fn merge(&mut self, other: &Self) {
        self.carry();
        // Carried limbs are below 2^32, as if from one addition; the limbs of
        // `other` are at most its additions' worth.
        for (limb, theirs) in self.limbs.iter_mut().zip(&other.limbs) {
            *limb += theirs;
        }
        self.additions += other.additions;
        self.carry();
        self.infinite_up |= other.infinite_up;
        self.infinite_down |= other.infinite_down;
        self.not_a_number |= other.not_a_number;
    }

    /// The sum, rounded to the nearest double, ties to even.
    pub fn value(&self) -> f64 {
        match (self.not_a_number, self.infinite_up, self.infinite_down) {
            (false, false, false) => self.rounded(0),
            (false, true, false) => f64::INFINITY,
            (false, false, true) => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }

    /// The sum divided by the number of summands, `count`.
    ///
    /// Two roundings: of the sum, and of the division. `None` if `count` is
    /// zero or a summand was not finite.
    pub fn mean(&self, count: u64) -> Option<f64> {
        if count == 0 || self.not_a_number || self.infinite_up || self.infinite_down {
            return None;
        }
        let sum = self.rounded(0);
        if sum.is_finite() {
            return Some(sum / count as f64);
        }
        // A mean of doubles is within their range even where the sum is not.
        let scale = f64::from_bits((OVERFLOW_SHIFT as u64 + 1023) << 52);
        let mean = self.rounded(OVERFLOW_SHIFT) / count as f64 * scale;
        Some(mean.clamp(f64::MIN, f64::MAX))
    }

    /// Brings every limb but the last into `[0, 2^32)`; the last keeps the sign.
    fn carry(&mut self) {
        carry(&mut self.limbs);
        self.additions = 1;
    }

    /// The finite sum times `2^-shift`, where that does not underflow.
    fn rounded(&self, shift: usize) -> f64 {
        let mut limbs = self.limbs;
        carry(&mut limbs);
        let negative = limbs[LIMBS - 1] < 0;
        if negative {
            limbs.iter_mut().for_each(|limb| *limb = -*limb);
            carry(&mut limbs);
        }
        let Some(top) = limbs.iter().rposition(|&limb| limb != 0) else {
            return 0.0;
        };
        let width = top * LIMB_BITS as usize + (64 - limbs[top].leading_zeros() as usize);

        // Below 2^53 units of 2^-1074 nothing is dropped, and the bit pattern
        // of a double is its number of units. Above, `dropped` bits go.
        let dropped = width.saturating_sub(53);
        let (first, within) = (dropped / 32, dropped % 32);
        let window = (0..3).fold(0u128, |window, i| {
            let limb = limbs.get(first + i).map_or(0, |&limb| limb as u128);
            window | limb << (LIMB_BITS as usize * i)
        });
        let significand = (window >> within) as u64 & ((1 << 53) - 1);
        let round_up = dropped > 0 && {
            let half = dropped - 1;
            let below_half = (1i64 << (half % 32)) - 1;
            let above_tie = limbs[half / 32] & below_half != 0
                || limbs[..half / 32].iter().any(|&limb| limb != 0);
            let at_half = limbs[half / 32] >> (half % 32) & 1 == 1;
            at_half && (above_tie || significand & 1 == 1)
        };

        // The exponent field is one more than `dropped`, and the leading bit of
        // the significand adds that one; so does a carry out of rounding.
        let exponent = dropped.saturating_sub(shift) as u64;
        let bits = (exponent << 52) + significand + u64::from(round_up);
        let magnitude = f64::from_bits(bits.min(f64::INFINITY.to_bits()));
        if negative { -magnitude } else { magnitude }
    }
}

fn carry(limbs: &mut [i64; LIMBS]) {
    let mut carried = 0;
    for limb in &mut limbs[..LIMBS - 1] {
        let total = *limb + carried;
        *limb = total & LIMB_MASK;
        carried = total >> LIMB_BITS;
    }
    limbs[LIMBS - 1] += carried;
}

/// The sum of `values`, rounded once: see [`ExactSum`].
pub fn exact_sum(values: &[f64]) -> f64 {
    sum_of(values).value()
}

/// The mean of `values` from their exact sum: see [`ExactSum::mean`].
///
/// ```
/// assert_eq!(judica_stats::exact_mean(&[0.1; 10]), Some(0.1));
/// assert_eq!(judica_stats::exact_mean(&[]), None);
/// ```
pub fn exact_mean(values: &[f64]) -> Option<f64> {
    sum_of(values).mean(values.len() as u64)
}

fn sum_of(values: &[f64]) -> ExactSum {
    let mut sum = ExactSum::new();
    values.iter().for_each(|&x| sum.add(x));
    sum
}

// Against an oracle, in tests/exact_sum.rs; here what needs the inside.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_before_a_limb_can_overflow() {
        // 2^30 additions of the largest significands, short-cut.
        let mut sum = ExactSum::new();
        let x = -f64::MAX;
        sum.add(x);
        sum.limbs.iter_mut().for_each(|limb| *limb *= (1 << 30) - 1);
        sum.additions = ADDITIONS_BEFORE_CARRY - 1;
        let mut twice = sum.clone();
        twice.merge(&sum);
        sum.add(x);
        assert_eq!(sum.additions, 1);
        assert_eq!(sum.mean(1 << 30), Some(x));
        sum.add(-x);
        twice.add(x);
        twice.add(x);
        sum.merge(&sum.clone());
        assert_eq!(sum.mean((1 << 31) - 2), Some(x));
        assert_eq!(twice.mean(1 << 31), Some(x));
    }
}
