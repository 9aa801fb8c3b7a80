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
//! | [`interval`]  | an interval for a proportion                                |
//! | [`resample`]  | which samples a bootstrap resample draws                    |
//! | [`bootstrap`] | intervals for means, paired across models                   |
//! | `tile`        | the inner loop of the bootstrap                             |
//! | [`curve`]     | a piecewise-linear curve                                    |
//! | [`angle`]     | the distance between two directions                         |
#![forbid(unsafe_code)]

pub mod angle;
pub mod bootstrap;
pub mod curve;
pub mod exact_sum;
pub mod interval;
pub mod moments;
pub mod normal;
pub mod quantile;
pub mod resample;
pub mod select;
mod tile;

pub use angle::shortest_arc;
pub use bootstrap::{ModelColumn, PairedBootstrap};
pub use curve::{Curve, CurveError};
pub use exact_sum::{ExactSum, exact_mean, exact_sum};
pub use interval::{Interval, wilson_interval};
pub use moments::{Description, describe};
pub use normal::normal_quantile;
pub use quantile::quantiles;
pub use select::{Replay, order_statistics, streaming_quantiles};
