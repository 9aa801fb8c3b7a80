//! A Parquet table of one shape, written fast and read back by column.
//!
//! The shape is a handful of flat columns and, if wanted, one column that
//! holds a list of structs per row. The general Arrow writer spends most of
//! its time finding out things this crate already knows: that every leaf of
//! the list repeats alike, that a column never holds a null, that strings are
//! already numbered. Here the pages are laid out straight from borrowed
//! slices, and only the container (headers, footer, offsets) is left to the
//! `parquet` crate.
//!
//! Writing has two halves, so that the costly one can run on many threads:
//! [`Encoder::encode`] turns borrowed columns into an [`EncodedRowGroup`]
//! whose bytes depend on nothing but its arguments, and [`TableWriter`]
//! appends finished groups in order. [`TableReader`] reads any of it back.

mod column;
mod dense;
mod encode;
mod error;
mod find;
mod levels;
mod number;
mod owned;
mod page;
mod reader;
mod spec;
mod stats;
mod writer;

#[cfg(test)]
mod tests;

pub use column::{ColumnData, Values};
pub use encode::{EncodedRowGroup, Encoder};
pub use error::TableError;
pub use owned::{OwnedColumn, OwnedList, OwnedValues, RowGroup};
pub use reader::{Projection, TableReader};
pub use spec::{Codec, ColumnKind, ColumnSpec, CompiledSpec, DoubleLayout, ListSpec, TableSpec};
pub use writer::TableWriter;
