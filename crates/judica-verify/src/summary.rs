//! Summaries: task summaries, model profiles, the leaderboard.
//!
//! * [`state`]: counts per (task, model), mergeable: any split of the records, merged
//!   in their order, gives the same
//! * [`scores`]: the scores of every record, kept on disk once they are many
//! * [`scored`]: the samples that the means of totals run over
//! * [`statistics`]: count, mean, quantiles of a list of scores
//! * [`report`]: the shape of `report.json`
//! * [`build`]: state and scores → report
//! * [`leaderboard`]: models ordered by mean total, with bootstrap intervals
//! * [`dimensions`]: what dimensions say of models
//! * [`tables`]: the report as tables for people
//! * [`unverified`]: records of which a program said nothing that can be trusted

pub mod build;
pub mod dimensions;
pub mod leaderboard;
pub mod report;
pub mod scored;
pub mod scores;
pub mod state;
pub mod statistics;
pub mod tables;
pub mod unverified;
