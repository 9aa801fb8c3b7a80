//! Decoders of others, over bytes that may say anything.
//!
//! The readers of Parquet and Arrow refuse most damaged files with an error and some by a panic,
//! for example where a buffer is said to begin behind its message. Either way the table is
//! damaged, and nothing is wrong with the program.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Batches of a table, each decoded [`guarded`].
pub struct Guarded<B>(pub B);

impl<B: Iterator<Item = Result<RecordBatch, ArrowError>>> Iterator for Guarded<B> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        guarded(|| self.0.next().transpose()).transpose()
    }
}

impl<B: RecordBatchReader> RecordBatchReader for Guarded<B> {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

/// Does the work of a decoder; its panic is an error, and is not shown as one of the program's.
pub fn guarded<T, E: From<ArrowError>>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !DECODING.get() {
                others(panic);
            }
        }));
    });
    DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(false);
    decoded.unwrap_or_else(|panic| Err(ArrowError::ParseError(words_of(&*panic)).into()))
}

/// What a panic says.
pub fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it does not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_that_panics_has_refused_the_table() {
        let damaged = guarded(|| -> Result<(), ArrowError> { panic!("offset {} of 40", 64) });
        assert_eq!(
            damaged.unwrap_err().to_string(),
            "Parser error: offset 64 of 40"
        );
        assert_eq!(guarded(|| Ok::<_, ArrowError>(1)).unwrap(), 1);
    }

    #[test]
    fn a_panic_elsewhere_is_still_one() {
        assert!(guarded(|| Ok::<_, ArrowError>(())).is_ok());
        assert!(catch_unwind(|| panic!("ours")).is_err());
        assert!(!DECODING.get());
    }
}
