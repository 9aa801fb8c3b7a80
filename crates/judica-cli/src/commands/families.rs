//! The commands that leave runs: all that readers of runs are told about them.

use judica_data::work_error::WorkError;
use judica_run::export::WriteJson;
use judica_run::family::Family;
use judica_run::open::Run;

/// One value per command.
pub static FAMILIES: &[&Family] = &[
    &judica_verify::family::FAMILY,
    &judica_agree::judges::FAMILY,
    &judica_agree::pairs::FAMILY,
    &judica_agree::ratings::FAMILY,
    &super::logs::MATCH,
    &super::judge::FAMILY,
    &judica_import::FAMILY,
    &judica_episode::family::FAMILY,
    &judica_gate::golden::FAMILY,
];

/// The command that made a run.
pub fn family(run: &Run) -> Result<&'static Family, WorkError> {
    let command = &run.manifest.command;
    let found = FAMILIES.iter().find(|family| family.command == command);
    found.copied().ok_or_else(|| {
        WorkError::BadArtifact(format!(
            "{}: made by the command `{command}`, which this program does not have",
            run.path.display()
        ))
    })
}

/// Who writes the records of a run as lines of JSON.
pub fn json_writer(run: &Run) -> Result<WriteJson<'_>, WorkError> {
    judica_run::export::json_writer(run, family(run)?)
}
