//! `judica gate`, run as a user runs it, and the CI files that call it.

mod agree_outputs;
mod check_compare;
mod check_mistakes;
mod check_operators;
mod check_outputs;
mod check_reports;
mod check_runs;
mod ci_action;
mod data;
mod golden_bad_runs;
mod golden_deterministic;
mod golden_layouts;
mod golden_links;
mod golden_metrics;
mod golden_oracle;
mod golden_run;
mod golden_system_error;
mod golden_thresholds;
mod init;
mod runner_commands;
