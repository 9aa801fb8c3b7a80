//! Files of predictions: JSON documents, bare lists, lines, tables; plain or compressed.
//!
//! The files follow the data:
//!
//! * [`files`]: which files there are, and what their data sets are called; [`runs`]: runs and
//!   logs among them
//! * `pieces`, `document`: a file of any size and shape as runs of rows
//! * [`columns`], [`row`]: what a row says, and under which names; [`found`]: whether any has those
//!   that the user gave
//! * [`called`], [`seen`]: what rows are called, and which came before
//! * [`mod@load`]: a whole file in memory
//!
//! What cannot be used is never dropped: it is kept whole as a reject, with its place and
//! a reason: `malformed_json`, `invalid_utf8`, `too_deep`, `not_an_object`,
//! `missing_input`, `missing_gold`, `missing_prediction`, `bad_gold`, `bad_prediction`,
//! `duplicate_id`, `duplicate_key`. An empty prediction is a prediction; null is none.

pub mod called;
pub mod columns;
pub(crate) mod document;
pub mod files;
pub mod found;
pub mod load;
pub(crate) mod pieces;
pub mod row;
pub mod runs;
pub mod seen;

pub use called::Called;
pub use columns::Columns;
pub use files::{FilesRead, OfSubject, PredictionFile, list, list_with};
pub use found::{check_columns, unread_notes};
pub use load::{PredictionRow, Predictions, load, load_among};
pub use row::Arrays;
