//! The doors: reading inputs, writing run folders
//!
//! * [`source`], [`chunks`]: inputs of any size, decompressed, cut into whole records
//! * [`memory`]: inputs that another program holds; [`place`]: files read at any place
//! * [`json`], [`parquet`]: the formats; [`table`]: separated values, Parquet and Arrow as
//!   rows of JSON
//! * [`prices`]: what models cost, from a file that people keep; [`toml_file`]: files of
//!   settings, every mistake with its place
//! * [`mod@sha256`], [`mod@hex`]: what files are told by, and how it is written;
//!   [`fingerprint`]: short ones of rows
//! * [`names`]: what the name of a data file says; [`listing`]: which files a pattern or a
//!   folder means
//! * [`rows`]: the one door for rows; [`row_keys`]: under which names rows hold gold, prediction, verdict
//! * [`lines`]: files of ours, one value after the other
//! * [`rejects`]: what could not be used, kept; [`foreign`]: what a file seems to be of
//!   which nothing could be used
//! * [`limits`]: how much may be held of an input at once
//! * [`atomic`]: files that are whole or not there; [`temporary`]: where they are until
//!   then; [`lock`]: one process at a time
//! * [`ordered`], [`parallel`]: work on many threads whose results come in the order of the
//!   input
//! * [`error`]: what can go wrong, always naming the file first; [`work_error`]: what can
//!   end a run over inputs

pub mod atomic;
pub mod chunks;
mod elements;
pub mod error;
pub mod fingerprint;
pub mod foreign;
pub mod guarded;
pub mod hex;
pub mod identity;
pub mod json;
pub mod limits;
pub mod lines;
pub mod listing;
pub mod lock;
pub mod memory;
pub mod names;
pub mod ordered;
pub mod parallel;
pub mod parquet;
pub mod place;
pub mod prices;
pub mod rejects;
pub mod row_keys;
pub mod rows;
pub mod sha256;
pub mod source;
pub mod table;
pub mod temporary;
pub mod toml_file;
pub mod work_error;
