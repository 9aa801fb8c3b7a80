//! A Parquet table, written fast from Arrow arrays.
//!
//! Columns are flat, or lists of structs of flat columns. The general Arrow writer spends
//! most of its time finding out things that are known here: that every leaf of a list repeats
//! alike, that a column never holds a null, that strings are already numbered (a dictionary
//! array is written as the dictionary it is). `cargo bench -p judica-data --bench parquet`
//! shows the difference. The pages are laid out straight from the arrays, and only the
//! container (headers, footer, offsets) is left to the `parquet` crate, which also reads the
//! tables back.
//!
//! Writing has two halves, so that the costly one can run on many threads:
//! [`Encoder::encode`] turns a batch into an [`EncodedRowGroup`] whose bytes depend on
//! nothing but its arguments, and [`TableWriter`] appends finished groups in order.

mod column;
mod dense;
mod encode;
mod error;
mod footer;
mod levels;
mod number;
mod page;
mod schema;
mod stats;
mod until_end;
mod writer;

#[cfg(test)]
mod tests;

pub use encode::{EncodedRowGroup, Encoder};
pub use error::TableError;
pub use footer::read_footer;
pub use levels::pack_bits;
pub use schema::{TableSchema, recurring, uncompressed};
pub use until_end::UntilEnd;
pub use writer::TableWriter;
