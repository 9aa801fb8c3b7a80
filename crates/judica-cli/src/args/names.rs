//! Options that take names with commas between.

use std::str::FromStr;

use judica_model::comma_list;

/// What one such option names; it may be given again.
#[derive(Debug, Clone)]
pub struct Names(Vec<String>);

impl FromStr for Names {
    type Err = String;

    fn from_str(list: &str) -> Result<Names, String> {
        comma_list::split(list).map(Names)
    }
}

/// The names of all of them.
pub fn all_names(given: &[Names]) -> Vec<String> {
    given
        .iter()
        .flat_map(|Names(names)| names)
        .cloned()
        .collect()
}
