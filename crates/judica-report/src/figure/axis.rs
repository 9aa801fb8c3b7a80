//! Where an axis begins and ends and what it says.

use super::font::{Face, width};

/// A value axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub lo: f64,
    pub hi: f64,
    /// Values that get a line and a label.
    pub ticks: Vec<f64>,
    decimals: usize,
    log: bool,
}

/// About so many ticks.
const WANTED: f64 = 6.0;

impl Axis {
    /// From 0 to 1, for rates.
    pub fn unit() -> Self {
        Axis {
            lo: 0.0,
            hi: 1.0,
            ticks: (0..=5).map(|n| f64::from(n) / 5.0).collect(),
            decimals: 1,
            log: false,
        }
    }

    /// Round numbers around what is to be shown; without any, from 0 to 1.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let Some((lo, hi)) = extent(values) else {
            return Self::unit();
        };
        // One value says how large a step is; nothing but 0 does not.
        let span = match (hi > lo, hi.abs()) {
            (true, _) => hi - lo,
            (false, 0.0) => return Self::unit(),
            (false, size) => size.max(1e-9),
        };
        let step = round_step(span / WANTED);
        let (first, last) = ((lo / step).floor(), (hi / step).ceil());
        let last = if last > first { last } else { first + 1.0 };
        let count = (last - first) as usize;
        Axis {
            lo: first * step,
            hi: last * step,
            ticks: (0..=count).map(|n| (first + n as f64) * step).collect(),
            decimals: decimals(step),
            log: false,
        }
    }

    /// Powers of ten around what is to be shown, or round numbers where all of it is of
    /// one size and powers would say nothing. Every value must be above 0.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Self {
        let Some((lo, hi)) = extent(values) else {
            return Self::unit();
        };
        let (first, last) = (lo.log10().floor() as i32, hi.log10().ceil() as i32);
        let last = last.max(first + 1);
        // Two ticks between powers keep an axis of one or two powers readable.
        let inner: &[f64] = if last - first <= 2 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let tick = |power: i32| inner.iter().map(move |n| n * 10f64.powi(power));
        let mut ticks: Vec<f64> = (first..last).flat_map(tick).collect();
        ticks.push(10f64.powi(last));
        Axis {
            lo: 10f64.powi(first),
            hi: 10f64.powi(last),
            ticks,
            decimals: 0,
            log: true,
        }
    }

    /// Where a value stands between the ends: 0 at the low one, 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        let at = if self.log {
            (value.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10())
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        at.clamp(0.0, 1.0)
    }

    /// What a tick says.
    pub fn label(&self, tick: f64) -> String {
        if self.log {
            return power_label(tick);
        }
        minus(format!("{tick:.*}", self.decimals))
    }

    /// The labels of a horizontal axis from `left` to `right`, each with the middle it is
    /// written around: those that stand clear of each other inside a figure `wide` wide.
    pub fn along(&self, [left, right]: [f64; 2], size: f64, wide: f64) -> Vec<(f64, String)> {
        let mut labels = Vec::new();
        let mut free = 0.0;
        for tick in &self.ticks {
            let label = self.label(*tick);
            let half = width(&label, Face::Regular, size) / 2.0;
            let x = left + (right - left) * self.place(*tick);
            let x = x.min(wide - half).max(half);
            if x - half >= free {
                free = x + half + size / 2.0;
                labels.push((x, label));
            }
        }
        labels
    }

    /// How wide the widest label is.
    pub fn widest(&self, size: f64) -> f64 {
        let labels = self.ticks.iter().map(|tick| self.label(*tick));
        labels
            .map(|label| width(&label, Face::Regular, size))
            .fold(0.0, f64::max)
    }

    /// A value with two digits more than ticks have.
    pub fn precise(&self, value: f64) -> String {
        minus(format!("{value:.*}", self.decimals + 2))
    }
}

fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let values = values.into_iter().filter(|value| value.is_finite());
    values.fold(None, |extent, value| {
        let (lo, hi) = extent.unwrap_or((value, value));
        Some((value.min(lo), value.max(hi)))
    })
}

/// 1, 2 or 5 times a power of ten, at least as large as what is asked for.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|n| n * power >= least);
    factor.unwrap_or(10.0) * power
}

fn decimals(step: f64) -> usize {
    (-step.log10().floor()).clamp(0.0, 12.0) as usize
}

/// A number of one digit and zeros, spelt out as long as that is short.
fn power_label(value: f64) -> String {
    if (1e-4..1e6).contains(&value) {
        // One digit counts, so this is exact where the shortest spelling may not be.
        let decimals = decimals(value);
        format!("{value:.decimals$}")
    } else {
        format!("{value:.0e}")
    }
}

/// A real minus, and none before zero.
pub(super) fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        Some(rest) => format!("\u{2212}{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        let axis = Axis::around([0.0, 0.93]);
        assert_eq!((axis.lo, axis.hi), (0.0, 1.0));
        assert_eq!(axis.label(axis.ticks[1]), "0.2");
        // A little more than a round number costs one step, not half an axis.
        assert_eq!(Axis::around([-3.3, 100.7]).hi, 120.0);
        let axis = Axis::around([-3.0, 12.0]);
        assert_eq!((axis.lo, axis.hi), (-5.0, 15.0));
        assert_eq!(axis.label(-5.0), "\u{2212}5");
        assert_eq!(axis.label(-0.0), "0");
    }

    #[test]
    fn one_value_and_none_still_make_an_axis() {
        assert_eq!(Axis::around([]), Axis::unit());
        for only in [0.0, 7.0, -2.5, 1e-7, 1e9] {
            let axis = Axis::around([only]);
            assert!(axis.lo < axis.hi, "{axis:?}");
            assert!((axis.lo..=axis.hi).contains(&only), "{axis:?}");
        }
    }

    #[test]
    fn powers_are_spaced_evenly() {
        let axis = Axis::logarithmic([0.002, 3.0]);
        assert_eq!((axis.lo, axis.hi), (0.001, 10.0));
        assert!((axis.place(0.1) - 0.5).abs() < 1e-12);
        assert_eq!(axis.label(0.001), "0.001");
        assert_eq!(axis.label(1e7), "1e7");
        let narrow = Axis::logarithmic([0.5]);
        assert_eq!(narrow.ticks.len(), 4);
    }
}
