//! The run folder (`judica.run/2`): what every measuring command leaves behind, and how it is
//! read, whichever command made it.
//!
//! * [`layout`]: the columns of records, the same head in every run
//! * [`records`]: records become columns; [`rows`]: and records again
//! * [`manifest`]: what a run was made of
//! * [`options`]: what every command can be told about its run
//! * [`writer`]: a run being written; [`open`]: a run, opened; `pages`: by many threads at once
//! * [`pieces`]: a run that is made in pieces; [`mod@finish`]: and made of them
//! * [`family`]: what this room must be told of a command that it does not know
//! * [`values`]: metrics of a run, by subject and data set; [`plot`]: as bars
//! * [`names`]: names by number, and in their order
//! * [`labels`]: who said what about which item; [`raters`]: how far they agree, two by two
//! * `groups`: coefficients of agreement from the labels of records; [`coefficient`]: their
//!   intervals
//! * [`index`]: a run's records in memory, to be filtered, counted, sorted and paged through
//! * [`text`]: what was answered, from the inputs
//! * [`show`], [`export`], [`reproduce`]: what people do with one run; [`compare`]: with
//!   several; [`plan`]: how many items the next one needs

pub mod coefficient;
pub mod compare;
pub mod dealt;
pub mod export;
pub mod family;
pub mod finish;
mod groups;
pub mod index;
pub mod labels;
pub mod layout;
pub mod manifest;
pub mod names;
pub mod open;
pub mod options;
mod pages;
pub mod pieces;
pub mod plan;
pub mod plot;
pub mod raters;
pub mod records;
pub mod reproduce;
pub mod rows;
pub mod show;
pub mod text;
pub mod values;
pub mod writer;

pub use judica_data::work_error::WorkError;
