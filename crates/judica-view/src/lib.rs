//! The web pages over runs.

#![forbid(unsafe_code)]
