//! `judica import`, run as a user runs it.

mod bad_input;
mod broken;
mod deepeval;
mod eval_log;
mod helm;
mod inspect;
mod lm_eval;
mod logs;
mod openai_evals;
mod oracle;
mod promptfoo;
mod readers;
mod shown;
mod table;
