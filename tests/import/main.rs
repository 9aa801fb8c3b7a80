//! Whole-program tests of `judica import`.

#[path = "../support/mod.rs"]
mod support;

mod deepeval;
mod helm;
mod lm_eval;
mod openai_evals;
mod promptfoo;
mod shown;
