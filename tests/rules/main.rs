//! `judica rules`, `lint`, `explain`, `calibrate` and `completions`, run as a user runs them.

mod calibrate;
mod completions;
mod escapes;
mod explain;
mod fit;
mod lint;
mod list;
