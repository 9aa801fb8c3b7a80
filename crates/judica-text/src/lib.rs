//! How two texts are compared.
//!
//! * [`comparison`]: the ways by name, for two plain texts: equal or not, or how similar
//! * [`normalize`]: when a prediction says the same as its gold, of one text or several
//! * [`gold`]: what a prediction is held against
//! * [`atl`]: formulas, and when two are the same
//! * [`edit`]: how many characters differ
//! * [`tokens`]: how many words two texts have in common

pub mod atl;
pub mod comparison;
pub mod edit;
pub mod gold;
pub mod normalize;
pub mod tokens;
