//! The eval JSON: what an evaluation of episodes leaves behind for years.
//!
//! * `document`: the typed document, as it is written
//! * `scored`: what scoring found as such a document
//! * `metrics`: its block of metrics, and the same per type of action
//! * `catalogue`: every known metric: what kind of number, which way is better, what it
//!   rests on
//! * `recognise`: whether a file is one at all, and what else it seems to be
//! * `version`: which versions there are, and which can be read
//! * [`deprecated`]: metrics that nobody fills any more; none is ever removed
//! * [`read`]: files of any version as they are compared, aggregated and drawn
//! * `tables`: an evaluation as people read it
//! * `fault`: why a file cannot be used, and where in it that stands
//! * `text`: a JSON text with the place of everything in it
//!
//! All keys beside those of the first published shape are optional for readers, so they
//! came without a new version. Unknown keys and metrics are kept wherever a document is
//! read and written again.

pub(crate) mod catalogue;
pub mod deprecated;
pub(crate) mod document;
pub(crate) mod fault;
pub(crate) mod metrics;
pub mod read;
pub(crate) mod recognise;
pub(crate) mod scored;
pub(crate) mod tables;
pub(crate) mod text;
pub(crate) mod version;

pub use catalogue::{Kind, METRICS, MetricSpec};
pub use document::EvalDocument;
pub use metrics::{ActionTypeMetrics, InputRows, Metrics};
pub use read::{EvalFile, Reading, read_eval};
pub use scored::EvalContext;
pub use tables::tables;
pub use version::{VERSION, Version};
