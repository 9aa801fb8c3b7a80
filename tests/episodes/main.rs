//! Whole-program cases of `judica episodes`, `schema`, `compare`, `plot` and `aggregate`.
