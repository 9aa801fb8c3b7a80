//! The nouns every room of judica shares.
//!
//! Nothing here reads a file, a clock or a random number: these are the words in
//! which the other crates speak to each other.
//!
//! * [`evidence`]: severity, scope, and the evidence atom as people read it
//! * [`record`]: one evaluated output: protocol result, evidence, decision, scores, trace
//! * [`metric`]: a number with its `n`, or the reason why there is none
//! * [`gate`]: the one shape of a gate result; [`gate_table`]: how people read it
//! * [`exit_code`]: what the process tells its caller
//! * [`run`]: the run: item, subject, record, metric
//! * [`table`]: a table before anyone has chosen a format for it
//! * [`heatmap`]: a square matrix before anyone has drawn it
//! * [`chart`]: bars, points and strips before anyone has drawn them
//! * [`price`]: what a model costs
//! * [`notebook`]: the cells of a notebook before anyone has written it
//! * [`comma_list`]: lists of names as options take them
//! * [`nearest`]: which name was probably meant
//! * [`reply`]: what became of a judge's reply
//! * [`text`]: the beginning of a text that may be of any length

pub mod chart;
pub mod comma_list;
pub mod evidence;
pub mod exit_code;
pub mod gate;
pub mod gate_table;
pub mod heatmap;
pub mod metric;
pub mod nearest;
pub mod notebook;
pub mod price;
pub mod record;
pub mod reply;
pub mod run;
pub mod table;
pub mod text;
