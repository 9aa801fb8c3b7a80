//! Which normaliser decides: [`Choice`] is one of them by name, or for each data set what its
//! [`Golds`] suggest. The normalisers themselves are [`judica_text::normalize`].

mod choice;
mod golds;

pub use choice::{AUTO, Choice, NAMES, UnknownNormalizer, common_name};
pub use golds::Golds;
pub(crate) use golds::is_bare_number;
