//! A run on one page that needs no server: no script, no request, the same bytes for the same
//! run wherever it stands.

use judica_run::WorkError;
use judica_run::family::Family;

use crate::viewer::Opened;

/// The page.
pub fn html(
    _opened: Opened,
    _against: Option<Opened>,
    _families: &'static [&'static Family],
    _threads: usize,
) -> Result<String, WorkError> {
    Ok(String::new())
}
