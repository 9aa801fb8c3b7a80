//! Logs of Inspect: `.eval` and `.json`.
//!
//! * `archive`: a ZIP of samples; `document`: one JSON document
//! * `header`: what a log says of itself; `sample`: a sample; `value`: what a scorer gave;
//!   `lenient`: what may be written in several ways; `columns`: what scorers are called
//! * `aggregate`: the log's numbers from its samples; `reducer`: epochs become one value

mod aggregate;
mod archive;
mod columns;
mod document;
mod header;
mod lenient;
mod reducer;
mod sample;
mod value;

use std::borrow::Cow;

use judica_data::names::shown_stem;
use judica_data::ordered::Workers;
use judica_data::rejects::Raw;
use judica_data::work_error::WorkError;
use judica_model::table::counted;
use judica_run::family::Input;

use crate::log::{
    About, Aggregate, Found, Harness, Log, Own, Place, RefusedSample, Sample, Score, Take,
};
use crate::open::{Candidate, Format, one_file, only};
use aggregate::{Counted, Tally};
use archive::{Archive, Member};
use columns::ScorerColumns;
use document::Document;
use header::Header;
use lenient::Words;
use sample::RawSample;
use value::Given;

/// How logs of Inspect are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::Inspect,
    recognise,
    files: one_file,
    open,
};

fn recognise(candidate: &Candidate) -> bool {
    if candidate.start.starts_with(b"PK") {
        let first = |name: &str| {
            candidate
                .start
                .get(30..)
                .is_some_and(|s| s.starts_with(name.as_bytes()))
        };
        return candidate.name().ends_with(".eval")
            || ["_journal/", "samples/", "header.json"]
                .into_iter()
                .any(first);
    }
    let words = [
        "\"version\"",
        "\"status\"",
        "\"eval\"",
        "\"task\"",
        "\"model\"",
    ];
    let Some(members) = candidate.start.trim_ascii_start().strip_prefix(b"{") else {
        return false;
    };
    candidate.mentions(&words) && !is_listing(members)
}

/// Whether an object has the headers of logs by the names of their files, as the `logs.json`
/// has that Inspect's `eval_set` writes beside them.
fn is_listing(members: &[u8]) -> bool {
    let mut quoted = members.trim_ascii_start().splitn(3, |byte| *byte == b'"');
    let first = quoted.nth(1).unwrap_or_default();
    first.ends_with(b".eval") || first.ends_with(b".json")
}

fn open<'h>(files: &[Input], workers: Workers<'h>) -> Result<Box<dyn Log + 'h>, WorkError> {
    let file = only(files)?;
    let is_zip = document::begins(&file.path, b"PK")?;
    let (source, header, ended, twice) = match is_zip {
        true => {
            let mut archive = Archive::open(&file.path, &file.name)?;
            let (header, ended) = archive.header(&file.name)?;
            let twice = archive.twice;
            (Source::Archive(archive), header, ended, twice)
        }
        false => {
            let document = Document::new(file);
            let header = document.header()?;
            (Source::Document(document), header, true, 0)
        }
    };
    let header = header.settled();
    let mut notes = header.notes();
    if twice > 0 {
        notes.push(format!(
            "{twice} members stand there again; the last of each name counts"
        ));
    }
    if !ended {
        notes.push("no header: the evaluation did not come to its end".to_owned());
    }
    let status = match ended {
        true => header
            .status
            .clone()
            .unwrap_or_else(|| "unknown".to_owned()),
        false => "started".to_owned(),
    };
    Ok(Box::new(InspectLog {
        notes: notes.len(),
        about: About {
            harness: Harness::Inspect,
            status,
            stamp: header.eval.created.0.clone().unwrap_or_default(),
            notes,
        },
        name: file.name.clone(),
        keys: header.metadata(),
        header,
        source,
        tally: Tally::default(),
        columns: ScorerColumns::default(),
        workers,
    }))
}

struct InspectLog<'h> {
    about: About,
    name: String,
    /// How many notes there are before samples are looked at.
    notes: usize,
    header: Header,
    /// The keys of metadata that the log's numbers need.
    keys: Vec<String>,
    source: Source,
    tally: Tally,
    /// Kept from one look at the samples to the next.
    columns: ScorerColumns,
    workers: Workers<'h>,
}

enum Source {
    Archive(Archive),
    Document(Document),
}

impl Log for InspectLog<'_> {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        self.tally = Tally::default();
        let (header, keys, file) = (&self.header, &self.keys, &self.name);
        let (tally, columns) = (&mut self.tally, &mut self.columns);
        let mut found = |at: (u64, u64), text: &dyn Fn() -> Raw, member: Member| {
            let (reason, detail) = match member {
                Member::Sample(raw) if raw.id.0.is_none() => {
                    ("missing_id", "a sample without an id".to_owned())
                }
                Member::Sample(raw) if raw.epoch < 1 => {
                    let detail =
                        format!("`epoch` is {}: a whole number from 1 is needed", raw.epoch);
                    ("bad_epoch", detail)
                }
                Member::Sample(raw) => {
                    let place = Place {
                        file: file.into(),
                        line: at.0,
                        offset: at.1,
                        raw: Some(text),
                        ..Place::default()
                    };
                    let (sample, counted) = convert(*raw, (header, keys), columns, place);
                    if take(Found::Sample(Box::new(sample)))? {
                        tally.take(counted);
                    }
                    return Ok(());
                }
                Member::Refused(reason, detail) => (reason, detail),
            };
            let refusal = RefusedSample {
                file,
                line: at.0,
                offset: at.1,
                reason,
                detail,
                raw: text(),
            };
            take(Found::Refused(refusal)).map(drop)
        };
        match &self.source {
            Source::Archive(archive) => archive.samples(self.workers, &mut |number, member| {
                found((number, 0), &|| archive.text(number), member)
            })?,
            Source::Document(document) => document.samples(&mut found)?,
        }
        self.about.notes.truncate(self.notes);
        if self.tally.words > 0 {
            self.about.notes.push(format!(
                "{} values are words without a number; Inspect counts them as 0, a run does not",
                self.tally.words
            ));
        }
        if self.tally.invalidated > 0 {
            let samples = ["sample was", "samples were"];
            self.about.notes.push(format!(
                "{} taken back (`invalidation`), which neither Inspect's numbers nor a run leave out",
                counted(self.tally.invalidated, samples)
            ));
        }
        Ok(())
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        Ok(self.tally.aggregates(&self.header, &mut self.columns))
    }
}

/// A name of the header's, or that of the file.
fn named(words: &Words, file: &str) -> Cow<'static, str> {
    let bare = file.strip_suffix(".eval").unwrap_or(file);
    let name = words.0.clone();
    name.unwrap_or_else(|| shown_stem(bare).to_owned()).into()
}

/// A sample in the nouns of all logs, and what of it the log's numbers are made of.
fn convert<'f>(
    mut raw: RawSample,
    (header, keys): (&Header, &[String]),
    columns: &mut ScorerColumns,
    place: Place<'f>,
) -> (Sample<'f>, Counted) {
    let item = raw.id.0.take().unwrap_or_default();
    let metadata = std::mem::take(&mut raw.metadata).0;
    let said = keys.iter().map(|key| {
        let found = metadata.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.clone())
    });
    let mut counted = Counted {
        item: item.clone(),
        epoch: raw.epoch,
        metadata: said.collect(),
        completed: raw.error.is_none(),
        words: 0,
        invalidated: u64::from(raw.invalidation.is_some()),
        scores: Vec::new(),
    };
    let only = raw.score.take().map(|score| {
        let scorer = header.scores().first().map(|score| score.name.clone());
        (scorer.unwrap_or_else(|| "scorer".to_owned()), score)
    });
    let given = raw.scores.take().into_iter().flat_map(|scores| scores.0);
    let mut scores = Vec::new();
    for (scorer, score) in given.chain(only) {
        let explanation = score.explanation.0;
        let mut give = |key: Option<&str>, value: &Given| {
            counted.words += u64::from(value.is_word());
            scores.push(Score {
                scorer: columns.name(&scorer, key).into(),
                value: value.number(),
                logged: value.logged().map(Into::into),
                explanation: explanation.clone().map(Into::into),
            });
        };
        match &score.value {
            Given::Dict(entries) => {
                for (key, value) in entries {
                    give(Some(key), value);
                }
            }
            Given::None if !header.keys(&scorer).is_empty() => {
                for key in header.keys(&scorer) {
                    give(Some(key), &Given::None);
                }
            }
            value => give(None, value),
        }
        counted.scores.push((scorer, score.value));
    }
    let usage = raw
        .model_usage
        .filter(|usage| !usage.is_empty())
        .unwrap_or_default();
    let sum = |of: fn(&sample::Usage) -> Option<f64>| {
        let found = usage.values().filter_map(of);
        found.reduce(|a, b| a + b)
    };
    let mut own = Vec::new();
    if let Some(limit) = raw.limit.and_then(|limit| limit.kind.0) {
        own.push(("limit".into(), Own::Text(limit.into())));
    }
    let kept = metadata.into_iter();
    own.extend(kept.map(|(name, value)| (format!("metadata.{name}").into(), value.own)));
    let sample = Sample {
        dataset: named(&header.eval.task, &place.file),
        item: item.into(),
        epoch: raw.epoch,
        subject: named(&header.eval.model, &place.file),
        input: raw.input.text().map(Into::into),
        target: raw.target.text().map(Into::into),
        output: raw.output.and_then(sample::Output::text).map(Into::into),
        scores,
        passed: None,
        error: raw
            .error
            .map(|error| error.message.0.unwrap_or_default().into()),
        latency_ms: raw.total_time.map(|seconds| seconds * 1000.0),
        tokens_in: sum(|usage| usage.input_tokens),
        tokens_out: sum(|usage| usage.output_tokens),
        usd: sum(|usage| usage.total_cost),
        own,
        place,
    };
    (sample, counted)
}

#[cfg(test)]
mod tests;
