//! `judica match` and `judica efficiency`, run as a user runs them.

#[path = "../support/mod.rs"]
mod support;

mod data;
mod efficiency_degenerate;
mod efficiency_files;
mod efficiency_happy;
mod efficiency_judged;
mod efficiency_missing;
mod efficiency_prices;
mod efficiency_runs;
mod efficiency_tables;
mod gpu_cost;
mod match_auto;
mod match_by;
mod match_calibration;
mod match_classes;
mod match_happy;
mod match_lists;
mod match_normalizers;
mod match_numbers;
mod match_packages;
mod match_refused;
mod match_repeats;
mod match_run;
mod match_runs;
mod match_shapes;
mod match_tables;
mod match_threads;
mod match_usage;
mod nl2atl;
mod oracle;
mod pieces;
