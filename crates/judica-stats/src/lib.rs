//! Statistics on plain slices: sums, quantiles, intervals.
//!
//! Nothing here reads a file, a clock or the environment. Every result is a
//! function of its arguments alone, to the last bit, whatever the number of
//! threads; what is undefined is `None`, never NaN.
//!
//! | file          | what is in it                                               |
//! |---------------|-------------------------------------------------------------|
//! | [`mod@exact_sum`] | a sum rounded once, in any order and any split          |
//! | [`moments`]   | count, mean, standard deviation, extremes                   |
//! | [`quantile`]  | quantiles of values in memory                               |
//! | [`select`]    | the same quantiles of values that do not fit in memory      |
//! | [`normal`]    | quantiles of the standard normal distribution               |
//! | [`student`]   | quantiles of Student's t                                    |
//! | [`interval`]  | an interval for a proportion                                |
//! | [`tango`]     | an interval for the difference of two paired proportions    |
//! | [`clusters`]  | numbers that follow from sums over clusters of items        |
//! | [`estimate`]  | the surface: value, n, standard error, interval or reason   |
//! | [`functions`] | the same of other functions of sums: F1, Matthews, R²       |
//! | [`keyed`]     | records in memory, by the key of their cluster              |
//! | [`newcombe`]  | a difference of what was measured apart, from two intervals |
//! | [`welch`]     | the same of two means, from their standard errors           |
//! | [`repeats`]   | what several attempts at one question come to               |
//! | [`resample`]  | which samples a bootstrap resample draws                    |
//! | [`resampled`] | sums over resamples of clusters                             |
//! | [`model_means`] | means of several models over the same samples             |
//! | [`item_bootstrap`] | intervals for coefficients over groups of items        |
//! | [`multinomial`] | how often a resample draws each group                     |
//! | [`ranks`]     | places in a ranking                                         |
//! | [`classes`]   | precision, recall, F1, Matthews' correlation                |
//! | [`numbers`]   | errors of predicted numbers                                 |
//! | [`calibration`] | whether stated confidence is what it says                 |
//! | [`judged_rate`] | a judge's rate, corrected by people's labels              |
//! | [`pearson`]   | how two measurements go together                            |
//! | [`curve`]     | a piecewise-linear curve                                    |
//! | [`angle`]     | the distance between two directions                         |
//! | [`agreement`] | agreement between raters: κ, π, α, AC1 and their kin        |
//! | [`mcnemar`]   | do two raters err equally often against a gold              |
//! | [`permutation`] | is a mean difference more than chance                     |
//! | [`dawid_skene`] | what raters meant, if each errs in a way of their own     |
//! | [`effective_raters`] | how many independent raters a panel is worth         |
//! | `fair_coin`   | tails of fair coin tosses, exact                            |
#![deny(unsafe_code)]

pub mod agreement;
pub mod angle;
mod binomial;
pub mod calibration;
pub mod classes;
pub mod clusters;
pub mod curve;
pub mod dawid_skene;
pub mod effective_raters;
pub mod estimate;
pub mod exact_sum;
mod fair_coin;
pub mod functions;
pub mod interval;
pub mod item_bootstrap;
pub mod judged_rate;
pub mod keyed;
pub mod mcnemar;
pub mod model_means;
pub mod moments;
pub mod multinomial;
pub mod newcombe;
pub mod normal;
pub mod numbers;
mod parallel;
pub mod pearson;
pub mod permutation;
pub mod quantile;
pub mod ranks;
pub mod repeats;
pub mod resample;
pub mod resampled;
pub mod select;
pub mod student;
pub mod tango;
pub mod welch;

pub use angle::shortest_arc;
pub use curve::{Curve, CurveError};
pub use exact_sum::{ExactSum, exact_mean, exact_sum};
pub use interval::{Interval, wilson_interval};
pub use moments::{Description, describe};
pub use normal::normal_quantile;
pub use quantile::quantiles;
pub use select::{Replay, order_statistics, streaming_quantiles};
