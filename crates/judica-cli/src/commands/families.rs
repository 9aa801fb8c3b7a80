//! The commands that leave runs: all that readers of runs are told about them.

use judica_run::family::Family;

/// One value per command.
pub static FAMILIES: &[&Family] = &[];
