//! Protocol verification: stored responses become evidence, evidence becomes
//! decisions that cite it, decisions become scores and summaries.
//!
//! The files follow the data:
//!
//! * [`protocol`]: a domain, read from a TOML file; [`expr`] is its rule language
//! * [`mod@line`], [`samples`], [`outputs`]: input lines to numbers; [`response`] reads what a model wrote,
//!   [`output_folder`] finds the files of a folder, [`priors`] are shown beside the result
//! * [`gold`]: what the samples' gold is worth
//! * [`carry`]: what depends on earlier outputs
//! * [`checks`], [`evidence`]: the verifier graph and its atoms
//! * [`agent`]: checklist, adjudication, attribution
//! * [`review`]: what a language model says about the decisions, held against the evidence
//! * [`score`]: the four scores
//! * [`render`], [`sheet`]: records as JSON and as a Parquet table; [`stored`] reads both back
//! * [`summary`]: task summaries, model profiles, the leaderboard
//! * [`pipeline`]: all of this on many threads; [`eval`] is the command, [`sink`] its files,
//!   [`manifest`] what it remembers
//! * [`catalogue`], [`calibrate`], [`export`], [`reproduce`]: the commands beside it

pub mod agent;
pub mod calibrate;
pub mod carry;
pub mod catalogue;
pub mod checks;
pub mod error;
pub mod eval;
pub mod evaluate;
pub mod evidence;
pub mod export;
pub mod expr;
pub mod gold;
pub mod line;
pub mod manifest;
pub mod output_folder;
pub mod outputs;
pub mod pipeline;
pub mod priors;
pub mod protocol;
pub mod render;
pub mod reproduce;
pub mod response;
pub mod review;
pub mod samples;
pub mod score;
pub mod sheet;
pub mod sink;
pub mod stored;
pub mod summary;

#[cfg(test)]
mod test_support;

#[cfg(test)]
mod test_responses;
