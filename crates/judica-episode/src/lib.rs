//! Episodes of agents against recorded ones, and the stable eval JSON.
//!
//! * [`action`], `load`: what an action is, and how rows are read
//! * [`score`]: predictions joined to episodes, step by step
//! * `tally`: counts that add up, and the metrics made of them
//! * `details`: what became of each episode, one line each
//! * [`family`]: the run that is left, and how it is made again
//! * [`eval_json`]: the eval JSON: its typed document, its metrics, its versions
//! * [`schema`]: its published JSON Schema: printing, validating, migrating
//! * [`aggregate`]: many eval files as one table
//! * [`compare`]: two or more evaluations against each other, paired where episodes match
//! * [`plot`]: evaluations and episodes as figures; `steps`: the steps of one episode

pub mod action;
pub mod aggregate;
pub mod compare;
mod details;
pub mod eval_json;
pub mod family;
mod load;
pub mod plot;
pub mod schema;
pub mod score;
mod steps;
mod tally;
pub use load::screen::Screen;
