//! One run, from its files to what it adds to the metrics.

use std::borrow::Cow;

use judica_data::work_error::WorkError;
use serde_json::Value;

use super::contents::{Unreadable, read};
use super::evidence::{CheckedClaims, Ledger, Presence};
use super::folder::{AgentFiles, MaybeFile, RunEntry, RunFile};
use super::glance::{Name, Object};
use super::manifests::{CheckedSteps, StepRecord};
use super::queries::{Answers, Queries};
use super::recorded::{Files, Names};
use super::shape::{AGENT, Event, Output};
use super::wrong;

/// Why a run stops that abstains.
const NO_EVIDENCE: &str = "NO_EVIDENCE";

/// What became of a run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Its own name, or that of its folder or file.
    pub run_id: String,
    /// The file of its output.
    pub file: String,
    /// What it was asked, as far as that can be read.
    pub objective: Option<String>,
    /// Which query it answers.
    pub answers: Answers,
    /// Links that were not followed.
    pub links: super::Capped<String>,
    /// Whether its output has another name than it should.
    pub renamed: bool,
    /// Whose it is, if it says so.
    pub agent: Option<String>,
    /// Its files, where a run is left of them.
    pub files: Files,
    /// What it holds, or why it cannot be read.
    pub checked: Result<Checked, Malformed>,
}

/// Why a run cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The file at fault.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a run holds.
#[derive(Debug)]
pub(super) struct Checked {
    /// Its claims.
    pub claims: CheckedClaims,
    /// Its steps.
    pub steps: CheckedSteps,
    /// Steps stand in `output.json` and in `events.jsonl`, too.
    pub steps_twice: bool,
    /// How far its ledger holds what its query requires, in the query's order.
    pub required: Vec<Presence>,
    /// Why it stopped.
    pub stop_reason: Option<String>,
}

impl Checked {
    /// Whether it said that there is no evidence, and claimed nothing.
    pub(super) fn abstained(&self) -> bool {
        self.stop_reason.as_deref() == Some(NO_EVIDENCE) && self.claims.verified == 0
    }
}

/// What ends the reading of a run.
enum Trouble {
    Malformed(Malformed),
    Stop(WorkError),
}

impl From<WorkError> for Trouble {
    fn from(error: WorkError) -> Self {
        Trouble::Stop(error)
    }
}

/// Reads a run and checks it. Fails only where the machine does.
pub(super) fn check(
    entry: &RunEntry,
    queries: &Queries,
    kept: Option<(&Names, bool)>,
) -> Result<Outcome, WorkError> {
    let mut files = entry.files()?;
    let mut identity = Identity {
        run_id: entry.stem().to_owned(),
        objective: None,
        answers: Answers::None,
        agent: None,
    };
    let file = match &files.output {
        MaybeFile::Here(RunFile { name, .. }) | MaybeFile::NotAFile(name) => name.clone(),
        MaybeFile::Nowhere => entry.output_name(),
    };
    let checked = match examine(&files, &file, queries, &mut identity) {
        Ok(checked) => Ok(checked),
        Err(Trouble::Malformed(malformed)) => Err(malformed),
        Err(Trouble::Stop(error)) => return Err(error),
    };
    Ok(Outcome {
        run_id: identity.run_id,
        file,
        objective: identity.objective,
        answers: identity.answers,
        links: std::mem::take(&mut files.links),
        renamed: files.renamed,
        agent: identity.agent,
        files: match kept {
            Some((names, keep_text)) => Files::of(&files, names, keep_text)?,
            None => Files::default(),
        },
        checked,
    })
}

/// Who a run is: known as soon as it can be, for runs whose rest cannot be read.
struct Identity {
    run_id: String,
    objective: Option<String>,
    answers: Answers,
    agent: Option<String>,
}

impl Identity {
    fn set(
        &mut self,
        run_id: Option<&str>,
        query_ids: [Option<&str>; 2],
        objective: Option<&str>,
        queries: &Queries,
    ) {
        if let Some(run_id) = run_id {
            self.run_id = run_id.to_owned();
        }
        self.objective = objective.map(|text| text.trim().to_owned());
        self.answers = queries.answered(query_ids, objective);
    }
}

fn examine(
    files: &AgentFiles,
    file: &str,
    queries: &Queries,
    identity: &mut Identity,
) -> Result<Checked, Trouble> {
    let malformed = |reason| {
        Trouble::Malformed(Malformed {
            file: file.to_owned(),
            reason,
        })
    };
    let output_file = match &files.output {
        MaybeFile::Here(output) => output,
        MaybeFile::NotAFile(_) => return Err(malformed(NOT_A_FILE.to_owned())),
        MaybeFile::Nowhere => return Err(malformed(nowhere(files))),
    };
    let (mut output_bytes, mut other_bytes) = (Vec::new(), Vec::new());
    let text = text_of(output_file, &mut output_bytes)?;
    let output = match serde_json::from_str::<Object<Output>>(text) {
        Ok(Object(output)) if output.is_named() => output,
        Ok(_) => {
            return Err(malformed(refusal(
                text,
                "something has no id",
                queries,
                identity,
            )));
        }
        Err(error) => {
            let error = error.to_string();
            return Err(malformed(refusal(text, &error, queries, identity)));
        }
    };
    let query_ids = [&output.query_id, &output.golden_id].map(as_text);
    let objective = output.objective.0.as_ref();
    identity.set(
        output.name().as_deref(),
        query_ids,
        Some(objective),
        queries,
    );
    identity.agent = output.agent().map(Cow::into_owned);

    let ledger = Ledger::of(&output.evidence, text).map_err(malformed)?;
    let claims = CheckedClaims::of(&output.claims, &ledger);
    let required = match identity.answers {
        Answers::Query(at) => queries.list[at]
            .required
            .iter()
            .map(|id| ledger.presence(id))
            .collect(),
        _ => Vec::new(),
    };
    let own_steps: Vec<StepRecord> = output
        .steps
        .into_iter()
        .flatten()
        .filter_map(own_step)
        .collect();
    let mut event_bytes = Vec::new();
    // What is broken makes the run malformed whether or not its steps count.
    let events = events(&files.events, &mut event_bytes)?;
    let steps_twice = !own_steps.is_empty() && !events.is_empty();
    let steps = match own_steps.is_empty() {
        true => events,
        false => own_steps,
    };
    Ok(Checked {
        claims,
        steps: CheckedSteps::of(&steps, files.manifests.as_ref(), &mut other_bytes)?,
        steps_twice,
        required,
        stop_reason: output.stop_reason.map(|reason| reason.0.into_owned()),
    })
}

/// Why a run has no output.
fn nowhere(files: &AgentFiles) -> String {
    match files.others {
        0 => "no such file".to_owned(),
        others => format!("no such file; which of {others} other JSON files it is cannot be told"),
    }
}

const NOT_A_FILE: &str = "is not a plain file; links are not followed";

fn as_text<'n>(name: &'n Option<Name>) -> Option<&'n str> {
    name.as_ref().map(|name| name.0.as_ref())
}

fn own_step<'a>(Object(step): Object<super::shape::Step<'a>>) -> Option<StepRecord<'a>> {
    Some(StepRecord {
        has_manifest: step.manifest.is_something(),
        id: step.into_id()?,
    })
}

fn text_of<'b>(file: &RunFile, buffer: &'b mut Vec<u8>) -> Result<&'b str, Trouble> {
    read(&file.path, buffer).map_err(|unreadable| match unreadable {
        Unreadable::Stop(error) => Trouble::Stop(error),
        Unreadable::Malformed(reason) => Trouble::Malformed(Malformed {
            file: file.name.clone(),
            reason,
        }),
    })
}

/// Why an output is not one; learns on the way which run it is, if that can be told.
fn refusal(text: &str, error: &str, queries: &Queries, identity: &mut Identity) -> String {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return format!("not JSON: {error}");
    };
    let name = |key: &str| match value.get(key) {
        Some(Value::String(text)) => Some(Cow::Borrowed(text.as_str())),
        Some(Value::Number(number)) if number.is_u64() || number.is_i64() => {
            Some(Cow::Owned(number.to_string()))
        }
        _ => None,
    };
    let [run_id, id, query_id, golden_id] = ["run_id", "id", "query_id", "golden_id"].map(name);
    identity.set(
        run_id.or(id).as_deref(),
        [query_id.as_deref(), golden_id.as_deref()],
        value.get("objective").and_then(Value::as_str),
        queries,
    );
    let agent = AGENT.iter().find_map(|key| name(key));
    identity.agent = agent.map(Cow::into_owned);
    wrong::output(&value).unwrap_or_else(|| error.to_owned())
}

/// The steps among a run's events.
fn events<'b>(file: &MaybeFile, buffer: &'b mut Vec<u8>) -> Result<Vec<StepRecord<'b>>, Trouble> {
    let file = match file {
        MaybeFile::Nowhere => return Ok(Vec::new()),
        MaybeFile::Here(file) => file,
        MaybeFile::NotAFile(name) => {
            return Err(Trouble::Malformed(Malformed {
                file: name.clone(),
                reason: NOT_A_FILE.to_owned(),
            }));
        }
    };
    let text = text_of(file, buffer)?;
    let malformed = |line: usize, reason: &str| {
        Trouble::Malformed(Malformed {
            file: file.name.clone(),
            reason: format!("line {}: {reason}", line + 1),
        })
    };
    let mut steps = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Object(event) = serde_json::from_str::<Object<Event>>(line)
            .map_err(|error| malformed(number, &format!("not a JSON object: {error}")))?;
        if !event.is_step() {
            continue;
        }
        let (id, has_manifest) = event
            .into_step()
            .ok_or_else(|| malformed(number, "a step's id must be a string or an integer"))?;
        steps.push(StepRecord { id, has_manifest });
    }
    Ok(steps)
}
