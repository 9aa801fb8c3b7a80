//! Verifiers that are programs of their own: which there are, and the files that they are
//! made of. [`crate::external`] runs them.

use std::path::Path;
use std::time::Duration;

use judica_data::error::DataError;
use judica_data::source::{InputDigest, Source};
use judica_run::manifest::InputEntry;

use super::file::{FamilyEntry, ProtocolFile};
use super::hash::with_programs;
use super::place::Place;
use super::{Family, Protocol};
use crate::evidence::built_in;

/// Longer than this nobody waits for a batch.
const LONGEST: f64 = 86_400.0;
/// More records than this are too many to fail at once.
const LARGEST: u32 = 100_000;

/// A program that checks responses.
#[derive(Debug, Clone)]
pub struct Verifier {
    /// Position of the family that its atoms belong to.
    pub family: usize,
    /// The program and its arguments, as the file has them.
    pub command: Vec<String>,
    /// How long it may take for a batch.
    pub timeout: Duration,
    /// Records that it is given at once, at most.
    pub batch: usize,
    /// For people.
    pub description: String,
}

/// A file that a command names.
#[derive(Debug, Clone)]
pub struct Program {
    /// As the command names it.
    pub argument: String,
    /// What it is called in everything that is written.
    pub name: String,
    /// Its bytes.
    pub digest: InputDigest,
}

impl Protocol {
    /// Looks for the files that commands name, in the folder of the protocol. What they hold is
    /// part of the protocol, and of its hash.
    pub(super) fn find_programs(&mut self, folder: &Path) -> Result<(), DataError> {
        let mut programs: Vec<Program> = Vec::new();
        for argument in self.verifiers.iter().flat_map(|verifier| &verifier.command) {
            let path = folder.join(argument);
            if path.is_file() && programs.iter().all(|known| known.argument != *argument) {
                programs.push(Program {
                    argument: argument.clone(),
                    name: path.display().to_string(),
                    digest: Source::open(&path)?.finish()?,
                });
            }
        }
        self.set_programs(programs);
        Ok(())
    }

    /// Takes the files that a run was made with, by the names under which it recorded them.
    pub(crate) fn recorded_programs<'a>(
        &mut self,
        given_as: &str,
        recorded: impl Iterator<Item = &'a InputEntry>,
    ) {
        let folder = Path::new(given_as).parent().unwrap_or(Path::new(""));
        let arguments = self.verifiers.iter().flat_map(|verifier| &verifier.command);
        let programs = recorded.map(|input| {
            let named = |argument: &&String| {
                let path = folder.join(argument);
                path.display().to_string() == input.path
            };
            Program {
                argument: arguments.clone().find(named).cloned().unwrap_or_default(),
                name: input.path.clone(),
                digest: InputDigest {
                    path: (&input.path).into(),
                    sha256: input.sha256.clone(),
                    bytes: input.bytes,
                    read_as: None,
                },
            }
        });
        let programs = programs.collect();
        self.set_programs(programs);
    }

    fn set_programs(&mut self, programs: Vec<Program>) {
        if !self.verifiers.is_empty() {
            let hashes = programs.iter().map(|program| &*program.digest.sha256);
            self.hashes.config = with_programs(&self.hashes.config, hashes);
        }
        self.programs = programs;
    }

    /// Every command, as one would type it.
    pub fn commands(&self) -> impl Iterator<Item = String> + '_ {
        let commands = self.verifiers.iter();
        commands.map(|verifier| verifier.command.join(" "))
    }
}

/// The families of the file, and those that its verifiers make.
pub(super) fn with_those_of_verifiers(file: &ProtocolFile, mixed: bool) -> Vec<FamilyEntry> {
    let mut all = file.families.clone();
    for verifier in &file.verifiers {
        let name = verifier.family.get_ref();
        let known = built_in(mixed).iter().any(|family| family.name == name);
        if !known && all.iter().all(|family| family.name.get_ref() != name) {
            all.push(FamilyEntry {
                name: verifier.family.clone(),
                depends_on: Vec::new(),
                description: verifier.description.clone(),
            });
        }
    }
    all
}

/// Checks the verifiers.
pub(super) fn check_verifiers(
    place: &Place,
    file: &ProtocolFile,
    families: &[Family],
    mixed: bool,
) -> Vec<Verifier> {
    let verifiers = file.verifiers.iter().map(|entry| {
        let name = entry.family.get_ref();
        let mut known = families.iter();
        let family = known.position(|family| family.name == *name);
        let family = family.unwrap_or_default();
        if family < built_in(mixed).len() {
            let message = format!("family `{name}` is built in and takes no verifier");
            place.tell(entry.family.span(), message, None);
        }
        let command = entry.command.get_ref();
        if command
            .first()
            .is_none_or(|program| program.trim().is_empty())
            || command.iter().any(|argument| argument.contains('\0'))
        {
            let help = "command = [\"python3\", \"check.py\"]".to_owned();
            let message = "a command is a program and its arguments";
            place.tell(entry.command.span(), message, Some(help));
        }
        let seconds = *entry.timeout_s.get_ref();
        if !(seconds > 0.0 && seconds <= LONGEST) {
            let message = format!("`timeout_s` lies above 0 and is at most {LONGEST}");
            place.tell(entry.timeout_s.span(), message, None);
        }
        let batch = *entry.batch.get_ref();
        if !(1..=LARGEST).contains(&batch) {
            let message = format!("`batch` lies between 1 and {LARGEST}");
            place.tell(entry.batch.span(), message, None);
        }
        Verifier {
            family,
            command: command.clone(),
            timeout: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            batch: batch as usize,
            description: entry.description.clone(),
        }
    });
    verifiers.collect()
}
