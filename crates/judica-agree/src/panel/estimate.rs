//! A value with its interval, and the remarks on it.

use judica_model::metric::MetricValue;
use judica_stats::agreement::{Coefficient, Undefined};
use judica_stats::item_bootstrap::{IntervalMethod, ResampledInterval};

use super::BootstrapOptions;

/// A coefficient, and how many items it rests on.
pub(crate) struct Measured<'a> {
    coefficient: &'a dyn Coefficient,
    n: u64,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(coefficient: &'a dyn Coefficient, n: u64) -> Self {
        Measured { coefficient, n }
    }
}

/// Whether intervals are made.
pub(crate) enum Resampling<'a> {
    /// Yes, like this.
    Wanted(&'a BootstrapOptions),
    /// No, because of this.
    Unwanted(String),
}

impl<'a> Resampling<'a> {
    /// As the options have it.
    pub(crate) fn new(options: &'a BootstrapOptions) -> Self {
        let confidence = options.confidence;
        if options.resamples == 0 {
            Self::Unwanted("no interval: no resamples were asked for".to_owned())
        } else if confidence > 0.0 && confidence < 1.0 {
            Self::Wanted(options)
        } else {
            Self::Unwanted(format!(
                "no interval: a confidence of {confidence} is not between 0 and 1"
            ))
        }
    }
}

/// The values of coefficients over the same groups of items, with their intervals.
pub(crate) fn measure<const N: usize>(
    sizes: &[u64],
    coefficients: [Measured; N],
    resampling: &Resampling,
) -> [MetricValue; N] {
    let intervals = match resampling {
        Resampling::Unwanted(_) => vec![ResampledInterval::default(); N],
        Resampling::Wanted(options) => {
            let bootstrap = options.item_bootstrap();
            let asked = coefficients.each_ref().map(|measured| measured.coefficient);
            bootstrap.intervals(sizes, &asked, options.threads)
        }
    };
    let mut intervals = intervals.into_iter();
    coefficients.map(|measured| {
        let found = intervals.next().unwrap_or_default();
        match measured.coefficient.estimate(sizes) {
            Err(reason) => undefined(reason),
            Ok(value) => with_interval(MetricValue::new(value, measured.n), found, resampling),
        }
    })
}

fn with_interval(
    value: MetricValue,
    found: ResampledInterval,
    resampling: &Resampling,
) -> MetricValue {
    let options = match resampling {
        Resampling::Wanted(options) => options,
        Resampling::Unwanted(why) => return with_remark(value, why),
    };
    let (passed_over, all) = (found.undefined_resamples, options.resamples);
    let value = match found.interval {
        Some(interval) => value.with_ci([interval.lo, interval.hi]),
        None if passed_over == all => {
            return with_remark(value, "no interval: undefined in every resample");
        }
        None if options.method == IntervalMethod::Bca => with_remark(
            value,
            "no interval: BCa finds all resamples on one side of the value, \
             or the value undefined without one of the items",
        ),
        None => with_remark(value, "no interval: the resampled values are not finite"),
    };
    match passed_over {
        0 => value,
        _ => with_remark(
            value,
            &format!("{passed_over} of {all} resamples undefined and passed over"),
        ),
    }
}

/// An undefined value that gives the estimator's reason.
pub(super) fn undefined(reason: Undefined) -> MetricValue {
    MetricValue::undefined(reason.to_string())
}

/// The value with one more remark beside those it has; an undefined value has its reason.
#[must_use]
pub fn with_remark(value: MetricValue, remark: &str) -> MetricValue {
    let text = match &value {
        MetricValue::Defined {
            note: Some(before), ..
        } => format!("{before}; {remark}"),
        _ => remark.to_owned(),
    };
    value.with_note(text)
}
