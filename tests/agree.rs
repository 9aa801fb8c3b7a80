//! Agreement and arbitration: whole-program tests, one module per command. One program, since linking is most of
//! what building a test takes.

#[path = "support/run_folder.rs"]
mod run_folder;
#[path = "support/mod.rs"]
mod support;

#[path = "agree_judges/main.rs"]
mod agree_judges;
#[path = "agree_pairs/main.rs"]
mod agree_pairs;
#[path = "agree_ratings/main.rs"]
mod agree_ratings;
