//! OpenAI evals: events as lines, with the spec and the final report somewhere among them.
//!
//! Events come in no order: those of one sample are put together by their `event_id`. A first
//! pass finds which events speak for a sample, and texts are held only until it is whole.

use std::borrow::Cow;
use std::collections::BTreeMap;

use judica_data::names::shown_stem;
use judica_data::work_error::WorkError;
use judica_model::table::counted;
use judica_run::family::Input;
use rustc_hash::FxHashMap;

use crate::log::{About, Aggregate, Found, Harness, Log, Own, Place, Sample, Score, Take};
use crate::open::{Candidate, Format, one_file, only};
use crate::raw::{Object, Raw};
use crate::walk;

/// The scorer of `match` events.
const MATCH: &str = "match";
/// How the program spells the spread of a bootstrap.
const BOOTSTRAP: [&str; 2] = ["boostrap_std", "bootstrap_std"];

/// How its logs are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::OpenAiEvals,
    recognise,
    files: one_file,
    open: |files, _| Ok(Box::new(OpenAiEvals::open(files)?)),
};

fn recognise(candidate: &Candidate) -> bool {
    candidate.mentions(&["\"spec\"", "\"completion_fns\""])
        || candidate.mentions(&["\"run_id\"", "\"event_id\"", "\"sample_id\""])
}

/// A log: one file.
pub struct OpenAiEvals {
    about: About,
    file: Input,
    dataset: String,
    subject: String,
    report: Vec<(String, Option<f64>)>,
    samples: FxHashMap<String, Gathered>,
    /// Sums and counts of what events gave, by scorer.
    sums: BTreeMap<String, (f64, u64)>,
    /// How often a text was given, by the report's key for it.
    counts: BTreeMap<String, u64>,
    refused: u64,
    /// `match` events of samples that have another one.
    repeated: u64,
}

/// What is known of a sample without its texts, which are read again.
#[derive(Default)]
struct Gathered {
    /// Where the first event stands.
    first: u64,
    /// The events that have the texts: their numbers and lines.
    asked: Option<(u64, u64)>,
    matched: Option<(u64, u64)>,
    scores: Vec<(u64, Score<'static>)>,
    own: BTreeMap<String, String>,
    error: Option<String>,
    tokens: [Option<f64>; 2],
}

/// The texts of a sample of which not all events have been met.
#[derive(Default)]
struct Texts {
    input: Option<String>,
    target: Option<String>,
    output: Option<String>,
}

impl OpenAiEvals {
    /// Opens a file.
    pub fn open(files: &[Input]) -> Result<Self, WorkError> {
        let file = only(files)?;
        let mut log = OpenAiEvals {
            about: About::of(Harness::OpenAiEvals),
            file: file.clone(),
            dataset: shown_stem(&file.name).to_owned(),
            subject: "unknown".to_owned(),
            report: Vec::new(),
            samples: FxHashMap::default(),
            sums: BTreeMap::new(),
            counts: BTreeMap::new(),
            refused: 0,
            repeated: 0,
        };
        let (mut specs, mut ended) = (0, false);
        let mut run: Option<String> = None;
        walk::rows(&file.path, &mut |part| {
            let row = match part.value {
                Ok(row) => row.members(),
                Err(_) => {
                    log.refused += 1;
                    return Ok(());
                }
            };
            if let Some(id) = run_of(&row) {
                match &run {
                    Some(known) if *known != id => return Err(two_runs(&file.name, known, &id)),
                    _ => run = Some(id),
                }
            }
            if !row.get("spec").is_null() {
                specs += 1;
                log.spec(&row.get("spec").members());
            } else if !row.get("final_report").is_null() {
                ended = true;
                let said = row.get("final_report").members().0.into_iter();
                let said = said.filter(|(_, value)| value.number().is_some() || value.is_null());
                log.report = said
                    .map(|(key, value)| (key.into_owned(), value.finite()))
                    .collect();
            } else if let Some(id) = event_of(&row) {
                log.event(id, part.place, &row);
            } else {
                log.refused += 1;
            }
            Ok(())
        })?;
        if !ended {
            log.about.status = "started".to_owned();
        }
        if specs != 1 {
            log.about.notes.push(match specs {
                0 => "no spec: the eval is called after the file, the subject unknown".to_owned(),
                specs => format!("{specs} specs; the last names eval and subject"),
            });
        }
        if log.repeated > 0 {
            log.about.notes.push(format!(
                "{} left out: of several of one sample the last speaks",
                counted(log.repeated, ["`match` event", "`match` events"])
            ));
        }
        Ok(log)
    }

    fn spec(&mut self, spec: &Object) {
        let named = ["base_eval", "eval_name"].into_iter();
        let text = |key| spec.get(key).text().filter(|text| !text.is_empty());
        if let Some(name) = named.filter_map(text).next() {
            self.dataset = name.into_owned();
        }
        let functions: Vec<_> = spec
            .get("completion_fns")
            .elements()
            .into_iter()
            .filter_map(Raw::shown)
            .collect();
        if !functions.is_empty() {
            self.subject = functions.join(",");
        }
        if let Some(stamp) = spec.get("created_at").text() {
            self.about.stamp = stamp.into_owned();
        }
    }

    fn event(&mut self, id: String, line: u64, row: &Object) {
        let number = row.get("event_id").count().map_or(u64::MAX, u64::from);
        let data = row.get("data").members();
        let sample = self.samples.entry(id).or_insert_with(|| Gathered {
            first: line,
            ..Gathered::default()
        });
        match row.get("type").text().as_deref() {
            Some("match") => {
                let correct = data.get("correct");
                self.repeated += u64::from(sample.matched.is_some());
                if sample.matched.is_none_or(|(known, _)| known <= number) {
                    sample.matched = Some((number, line));
                }
                sample.score(number, MATCH, correct);
                add(&mut self.sums, MATCH, correct);
            }
            Some("metrics") => {
                for (key, value) in &data.0 {
                    // What is null now may be a number in another sample.
                    if value.number().or(value.boolean().map(f64::from)).is_some() {
                        let scorer = in_metrics(key);
                        sample.score(number, scorer, *value);
                        add(&mut self.sums, scorer, *value);
                    } else if let Some(text) = value.text() {
                        *self.counts.entry(format!("counts/{text}")).or_default() += 1;
                        sample.own.insert(key.to_string(), text.into_owned());
                    }
                }
            }
            Some("sampling") => {
                // The first is what was asked; a grader's question may follow.
                if sample.asked.is_none_or(|(known, _)| number < known) {
                    sample.asked = Some((number, line));
                }
                let usage = data.get("usage").members();
                for (used, key) in sample
                    .tokens
                    .iter_mut()
                    .zip(["prompt_tokens", "completion_tokens"])
                {
                    if let Some(tokens) = usage.get(key).finite() {
                        *used = Some(used.unwrap_or(0.0) + tokens);
                    }
                }
            }
            Some("error") => {
                let parts = ["type", "message"].map(|key| data.get(key).shown());
                let said: Vec<_> = parts.into_iter().flatten().collect();
                sample.error = Some(said.join(": "));
            }
            _ => {}
        }
    }
}

/// What a number of `metrics` events is called: one name is that of another kind of event.
fn in_metrics(key: &str) -> &str {
    if key == MATCH { "metrics.match" } else { key }
}

/// The sample that an event is of.
fn event_of(row: &Object) -> Option<String> {
    row.get("type").text()?;
    row.get("sample_id").shown().map(Cow::into_owned)
}

/// The run that a line is of.
fn run_of(row: &Object) -> Option<String> {
    let said = row.get("run_id").shown();
    let said = said.or_else(|| row.get("spec").at(&["run_id"]).shown());
    said.map(Cow::into_owned)
}

/// Samples of two runs have the same names, and a run its own spec and report.
fn two_runs(file: &str, one: &str, other: &str) -> WorkError {
    WorkError::BadInput(format!(
        "{file}: it holds more than one run (`run_id` {one} and {other}); put the lines of \
         each into a file of its own"
    ))
}

fn add(sums: &mut BTreeMap<String, (f64, u64)>, scorer: &str, given: Raw) {
    if let Some(value) = given.number().or(given.boolean().map(f64::from)) {
        let sum = sums.entry(scorer.to_owned()).or_default();
        sum.0 += value;
        sum.1 += 1;
    }
}

impl Gathered {
    /// Where the last event stands that is needed for its texts.
    fn last(&self) -> u64 {
        let lines = [self.asked, self.matched].into_iter().flatten();
        lines.map(|(_, line)| line).max().unwrap_or(self.first)
    }

    /// Takes what a scorer gave; of several the one of the last event.
    fn score(&mut self, number: u64, scorer: &str, given: Raw) {
        let score = Score::of(scorer, given).owned();
        match self
            .scores
            .iter_mut()
            .find(|(_, known)| known.scorer == scorer)
        {
            Some(known) if known.0 <= number => *known = (number, score),
            Some(_) => {}
            None => self.scores.push((number, score)),
        }
    }
}

impl Texts {
    /// Takes those of a `sampling` event, or of a `match`, which knows less of the output.
    fn take(&mut self, data: &Object, asked: bool) {
        let owned = |raw: Raw| raw.shown().map(Cow::into_owned);
        if asked {
            self.input = owned(data.get("prompt"));
            let sampled = data.get("sampled");
            let said = match sampled.elements()[..] {
                [only] => owned(only),
                _ => owned(sampled),
            };
            self.output = said.or(self.output.take());
        } else {
            self.target = owned(data.get("expected"));
            let said = || owned(data.get("sampled")).or(owned(data.get("picked")));
            self.output = self.output.take().or_else(said);
        }
    }
}

impl Log for OpenAiEvals {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        let name = &self.file.name;
        let mut waiting: FxHashMap<String, Texts> = FxHashMap::default();
        walk::rows(&self.file.path, &mut |part| {
            let at = part.at();
            let raw = match part.value {
                Ok(raw) => raw,
                Err(bad) => return take(bad.found(name, at)).map(drop),
            };
            let row = raw.members();
            if !row.get("spec").is_null() || !row.get("final_report").is_null() {
                return Ok(());
            }
            let id = event_of(&row);
            let Some((id, sample)) = id.and_then(|id| self.samples.get_key_value(&id)) else {
                let what = "neither spec nor final_report nor an event with type and sample_id";
                return take(walk::Bad::missing(raw, what).found(name, at)).map(drop);
            };
            let here = |event: Option<(u64, u64)>| event.is_some_and(|e| e.1 == part.place);
            let (asked, matched) = (here(sample.asked), here(sample.matched));
            if asked || matched {
                let texts = waiting.entry(id.clone()).or_default();
                texts.take(&row.get("data").members(), asked);
            }
            if part.place != sample.last() {
                return Ok(());
            }
            let texts = waiting.remove(id).unwrap_or_default();
            let own = sample.own.iter();
            take(Found::Sample(Box::new(Sample {
                dataset: Cow::Borrowed(&self.dataset),
                item: Cow::Borrowed(id),
                epoch: 1,
                subject: Cow::Borrowed(&self.subject),
                input: texts.input.map(Cow::Owned),
                target: texts.target.map(Cow::Owned),
                output: texts.output.map(Cow::Owned),
                scores: sample
                    .scores
                    .iter()
                    .map(|(_, score)| score.clone())
                    .collect(),
                // What was scored after all is no error.
                error: match sample.scores.is_empty() {
                    true => sample.error.as_deref().map(Cow::Borrowed),
                    false => None,
                },
                tokens_in: sample.tokens[0],
                tokens_out: sample.tokens[1],
                own: own
                    .map(|(key, text)| (Cow::Borrowed(key.as_str()), Own::Text(text.into())))
                    .collect(),
                // It is made of several lines: there is no one text of it.
                place: Place {
                    file: Cow::Borrowed(name),
                    line: sample.first,
                    ..Place::default()
                },
                ..Sample::default()
            })))
            .map(drop)
        })
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        let check = |(key, logged): &(String, Option<f64>)| {
            let scorer = match key.as_str() {
                "accuracy" if self.sums.contains_key(MATCH) => MATCH,
                key if BOOTSTRAP.contains(&key) => {
                    let why = "a bootstrap cannot be repeated";
                    return Aggregate::unchecked(MATCH, None, key, *logged, why);
                }
                key => in_metrics(key),
            };
            if self.refused > 0 {
                let why = format!("{} lines could not be read", self.refused);
                return Aggregate::unchecked(scorer, None, key, *logged, &why);
            }
            match (self.sums.get(scorer), self.counts.get(key)) {
                (Some((sum, n)), _) => {
                    let mean = Some(sum / *n as f64).filter(|mean| mean.is_finite());
                    Aggregate::checked(scorer, None, key, *logged, mean)
                }
                (None, Some(count)) => {
                    Aggregate::checked(scorer, None, key, *logged, Some(*count as f64))
                }
                (None, None) => Aggregate::unchecked(scorer, None, key, *logged, "no event has it"),
            }
        };
        Ok(self.report.iter().map(check).collect())
    }
}

#[cfg(test)]
#[path = "openai_evals_tests.rs"]
mod tests;
