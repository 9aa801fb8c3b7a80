//! Verifiers that are programs of their own. What they say of a response becomes atoms like
//! any others; where they say nothing that can be trusted, one atom says so, so that no record
//! is lost and none passes unseen.
//!
//! The accepted responses of a chunk go to a program in batches, to a new process each
//! (`process`): as JSON lines, of which each is answered by one line (`answers`). Which rules
//! there are is known only then: a chunk has checks of its own.

mod answers;
mod process;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::Chunk;
use judica_data::json::text::{write_list, write_number, write_string};
use judica_data::work_error::WorkError;
use judica_model::evidence::Severity;

use crate::carry::Carried;
use crate::checks::Checks;
use crate::checks::extended::Extended;
use crate::outputs::{Batch, response_text};
use crate::protocol::form::Form;
use crate::protocol::{Field, Protocol, Shape, Verifier};
use crate::response::FieldState;
use crate::samples::Samples;
use crate::value::Value;
use answers::{Answer, answers};

/// The rule of the atom that says that a program has not said anything that can be trusted.
pub const FAILED: &str = "verifier.failed";
/// Characters of a program's message that are kept.
const LONGEST_MESSAGE: usize = 1000;

/// An atom that a program gave.
#[derive(Debug, Clone)]
pub struct ExternalAtom {
    /// The output that it is about, by its position in the batch.
    output: u32,
    /// Its family.
    pub family: usize,
    /// Which check.
    pub check: u16,
    /// Its outcome.
    pub severity: Severity,
    /// The observed value, NaN for none.
    pub observed: f64,
    /// The threshold, NaN for none.
    pub limit: f64,
    /// What it says, if it failed.
    pub text: Option<Box<str>>,
}

/// What programs said of the outputs of a chunk, by output and family.
#[derive(Debug, Default)]
pub struct External {
    atoms: Vec<ExternalAtom>,
}

impl External {
    /// What they said of an output.
    pub fn of(&self, output: usize) -> &[ExternalAtom] {
        if self.atoms.is_empty() {
            return &[];
        }
        let output = output as u32;
        let start = self.atoms.partition_point(|atom| atom.output < output);
        let end = self.atoms.partition_point(|atom| atom.output <= output);
        &self.atoms[start..end]
    }
}

/// The programs of a protocol, ready to be run.
pub struct Programs<'p> {
    protocol: &'p Protocol,
    /// Where they run: the folder of the protocol.
    folder: PathBuf,
    /// The program and its arguments, of each verifier.
    commands: Vec<Vec<PathBuf>>,
    interrupted: &'p AtomicBool,
}

/// Says no where a protocol runs commands and nobody has allowed that.
pub fn check_allowed(protocol: &Protocol, allowed: bool) -> Result<(), WorkError> {
    if allowed || protocol.verifiers.is_empty() {
        return Ok(());
    }
    let commands: Vec<String> = protocol.commands().collect();
    Err(WorkError::BadInput(format!(
        "{}: the protocol runs `{}`; say --allow-commands if you trust that",
        protocol.origin,
        commands.join("`, `")
    )))
}

impl<'p> Programs<'p> {
    /// The programs of a protocol that was given as this path; nothing for a protocol without.
    pub fn of(
        protocol: &'p Protocol,
        given_as: &str,
        interrupted: &'p AtomicBool,
    ) -> Result<Option<Self>, WorkError> {
        if protocol.verifiers.is_empty() {
            return Ok(None);
        }
        let folder = Path::new(given_as).parent().unwrap_or(Path::new(""));
        let folder = std::path::absolute(match folder.as_os_str().is_empty() || !folder.is_dir() {
            true => Path::new("."),
            false => folder,
        });
        let wrong = |what: String| WorkError::BadInput(format!("{}: {what}", protocol.origin));
        let folder = folder.map_err(|error| wrong(error.to_string()))?;
        let mut commands = Vec::new();
        for verifier in &protocol.verifiers {
            let place = |argument: &String| -> PathBuf {
                let programs = &protocol.programs;
                let file = programs.iter().find(|file| file.argument == *argument);
                let path = file.and_then(|file| std::path::absolute(&file.digest.path).ok());
                path.unwrap_or_else(|| argument.into())
            };
            let command: Vec<PathBuf> = verifier.command.iter().map(place).collect();
            if !process::can_be_found(&command[0]) {
                let named = &verifier.command[0];
                return Err(wrong(format!(
                    "there is no program `{named}`, neither in the folder of the protocol nor on the PATH"
                )));
            }
            commands.push(command);
        }
        Ok(Some(Programs {
            protocol,
            folder,
            commands,
            interrupted,
        }))
    }

    /// Asks every program about the accepted outputs of a chunk. The checks are those of the
    /// protocol and all that came up.
    pub fn ask(
        &self,
        checks: &Checks,
        samples: &Samples,
        chunk: &Chunk,
        batch: &Batch,
        carried: &Carried,
    ) -> Result<(External, Arc<Checks>), WorkError> {
        let mut extended = Extended::new(checks, self.protocol.fields.len());
        let accepted = (0..batch.outputs.len()).filter(|index| carried.accepted[*index]);
        let accepted: Vec<usize> = accepted.collect();
        let mut atoms = Vec::new();
        for (verifier, command) in self.protocol.verifiers.iter().zip(&self.commands) {
            for outputs in accepted.chunks(verifier.batch) {
                let question = self.question(samples, chunk, batch, outputs);
                let printed = process::run(
                    command,
                    &self.folder,
                    question,
                    verifier.timeout,
                    self.interrupted,
                )?;
                let said = match &printed {
                    Ok(printed) => answers(printed, outputs.len()),
                    Err(why) => Err(why.clone()),
                };
                let said = said.unwrap_or_else(|why| vec![Err(why); outputs.len()]);
                for (output, answer) in outputs.iter().zip(said) {
                    let mut taking = Taking {
                        protocol: self.protocol,
                        verifier,
                        extended: &mut extended,
                        output: *output as u32,
                    };
                    taking.take(answer, &mut atoms)?;
                }
            }
        }
        // Stable: atoms of a family stay in the order in which they came.
        atoms.sort_by_key(|atom: &ExternalAtom| (atom.output, atom.family));
        let checks = Arc::new(extended.checks().clone());
        Ok((External { atoms }, checks))
    }

    /// Outputs as JSON lines.
    fn question(
        &self,
        samples: &Samples,
        chunk: &Chunk,
        batch: &Batch,
        outputs: &[usize],
    ) -> Vec<u8> {
        let mut out = Vec::new();
        for (id, index) in outputs.iter().enumerate() {
            let output = &batch.outputs[*index];
            out.extend_from_slice(format!("{{\"id\":{id},\"sample\":").as_bytes());
            // A record may stand on several lines; in JSON they mean no more than a blank.
            let line = samples.line(output.sample).iter();
            out.extend(line.map(|byte| match byte {
                b'\n' | b'\r' => b' ',
                byte => *byte,
            }));
            out.extend_from_slice(b",\"response\":");
            let place = output.place.start..output.place.start + output.place.length;
            let response = response_text(&chunk.data[place]).unwrap_or_default();
            write_string(&response, &mut out);
            out.extend_from_slice(b",\"fields\":");
            match output.outcome.succeeded() {
                true => self.write_fields(batch, *index, &mut out),
                false => out.extend_from_slice(b"null"),
            }
            out.extend_from_slice(b"}\n");
        }
        out
    }

    /// The fields that an answer has, by name; null for what is unusable.
    fn write_fields(&self, batch: &Batch, index: usize, out: &mut Vec<u8>) {
        let fields = &self.protocol.fields;
        let output = &batch.outputs[index];
        let task = &self.protocol.tasks[output.task as usize];
        let known = batch.known(output, fields.len() * task.horizon);
        let value = |field: &Field, at: usize, out: &mut Vec<u8>| {
            let value = known.values.get(at).unwrap_or(&Value::Nothing);
            write_value(field, known.numbers[at], value, out);
        };
        out.push(b'{');
        let states = batch.states_of(index, fields.len());
        for (position, (field, state)) in fields.iter().zip(states).enumerate() {
            if *state == FieldState::Missing {
                continue;
            }
            if out.last() != Some(&b'{') {
                out.push(b',');
            }
            write_string(&field.name, out);
            out.push(b':');
            let places = position * task.horizon..(position + 1) * task.horizon;
            match (state, task.shape) {
                (FieldState::WrongShape, _) => out.extend_from_slice(b"null"),
                (_, Shape::Scalar) => value(field, places.start, out),
                (_, Shape::Array) => {
                    write_list(places, |at, out| value(field, at, out), out);
                }
            }
        }
        out.push(b'}');
    }
}

/// A value as JSON has it.
fn write_value(field: &Field, number: f64, value: &Value, out: &mut Vec<u8>) {
    match value {
        // An object is kept as JSON.
        Value::Text(text) if matches!(field.form, Form::Object(_)) => {
            out.extend_from_slice(text.as_bytes());
        }
        Value::Text(text) => write_string(text, out),
        Value::List(items) => {
            let write = |item: &Value, out: &mut Vec<u8>| {
                write_value(field, item.number(), item, out);
            };
            write_list(items.iter(), write, out);
        }
        Value::Nothing | Value::Number(_) if number.is_finite() => match &field.form {
            Form::Boolean { .. } => out.extend_from_slice(match number {
                0.0 => b"false",
                _ => b"true",
            }),
            Form::Date(_) => write_string(&field.shown(number, value), out),
            // Whole numbers are such in every language.
            _ if number == (number as i64) as f64 && number.abs() < 1e15 => {
                out.extend_from_slice((number as i64).to_string().as_bytes());
            }
            _ => write_number(number, out),
        },
        Value::Null | Value::Nothing | Value::Unusable | Value::Number(_) => {
            out.extend_from_slice(b"null")
        }
    }
}

/// The answer about one output, on its way to atoms.
struct Taking<'a> {
    protocol: &'a Protocol,
    verifier: &'a Verifier,
    extended: &'a mut Extended,
    output: u32,
}

impl Taking<'_> {
    fn take(
        &mut self,
        answer: Result<Answer, String>,
        atoms: &mut Vec<ExternalAtom>,
    ) -> Result<(), WorkError> {
        let before = atoms.len();
        let taken = answer.and_then(|answer| {
            let atom = |given| self.atom(given);
            let given: Result<Vec<ExternalAtom>, String> = answer.into_iter().map(atom).collect();
            atoms.extend(given?);
            Ok(())
        });
        if let Err(why) = taken {
            atoms.truncate(before);
            let family = self.verifier.family;
            let check = self.extended.number(family, FAILED, None);
            let check = check.map_err(|why| {
                WorkError::BadInput(format!("{}: {FAILED} {why}", self.protocol.origin))
            })?;
            let command = self.verifier.command.join(" ");
            let text = format!("`{command}` gave no answer that can be trusted: {why}");
            atoms.push(ExternalAtom {
                output: self.output,
                family,
                check,
                severity: Severity::Critical,
                observed: f64::NAN,
                limit: f64::NAN,
                text: Some(text.into()),
            });
        }
        Ok(())
    }

    fn atom(&mut self, given: answers::Atom) -> Result<ExternalAtom, String> {
        let family = self.verifier.family;
        let name = &self.protocol.families[family].name;
        let rule = given.rule.strip_prefix(&format!("{name}."));
        let rule = rule.unwrap_or(&given.rule);
        if rule.is_empty() {
            return Err(format!("rule `{}` has no name of its own", given.rule));
        }
        let rule = format!("{name}.{rule}");
        if rule == FAILED {
            return Err(format!("`{FAILED}` is what is said where it fails"));
        }
        let check = self.extended.number(family, &rule, given.field.as_deref());
        let check = check.map_err(|why| format!("rule `{rule}` {why}"))?;
        let severity = match (given.pass, given.severity) {
            (true, _) => Severity::Info,
            (false, None) => Severity::Critical,
            (false, Some(severity)) => severity,
        };
        let message = || {
            let said = given.message.as_deref().filter(|said| !said.is_empty());
            let said = said.unwrap_or("failed").chars();
            Box::from(said.take(LONGEST_MESSAGE).collect::<String>())
        };
        Ok(ExternalAtom {
            output: self.output,
            family,
            check,
            severity,
            observed: given.observed.unwrap_or(f64::NAN),
            // What was not crossed is not said.
            limit: given.limit.filter(|_| !given.pass).unwrap_or(f64::NAN),
            text: (!given.pass).then(message),
        })
    }
}
