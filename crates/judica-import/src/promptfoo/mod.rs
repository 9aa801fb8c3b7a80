//! promptfoo: `.json` (`results.version` 3, or 2 with its table), or the bare rows as `.jsonl`.
//!
//! A file may have gigabytes, so it is read three times and never held: here for what tells
//! repeats of an item, and twice for the samples.
//!
//! On an error promptfoo writes score 0 and success false. Nobody gave that 0: the record has
//! an error and no scores, while promptfoo's own sums, computed again, count it.

mod aggregates;
mod row;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use judica_data::names::shown_stem;
use judica_data::work_error::WorkError;
use judica_run::family::Input;

use crate::log::{About, Aggregate, Found, Harness, Log, Place, Sample, Score, Take};
use crate::open::{Candidate, Format, one_file, only};
use crate::raw::Raw;
use crate::walk::{self, Bad, Part, Want};
use aggregates::{Logged, Sums};
use row::Row;

/// The version whose files are known best.
const KNOWN: f64 = 3.0;
const ROWS: &str = "results.results";
const TABLE: &str = "results.table.body";

/// How its logs are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::Promptfoo,
    recognise,
    files: one_file,
    open: |files, _| Ok(Box::new(Promptfoo::open(files)?)),
};

fn recognise(candidate: &Candidate) -> bool {
    let words: [&[&str]; 5] = [
        &["\"evalId\"", "\"results\""],
        &["\"results\"", "\"testPassCount\""],
        &["\"testIdx\"", "\"promptIdx\""],
        // The first row of a file of lines may be long.
        &["\"gradingResult\"", "\"componentResults\""],
        &["\"namedScores\"", "\"latencyMs\""],
    ];
    words.iter().any(|words| candidate.mentions(words))
}

/// A log: one file.
pub struct Promptfoo {
    about: About,
    file: Input,
    shape: Shape,
    dataset: String,
    items: Items,
    /// What each prompt with its provider is called.
    subjects: BTreeMap<u32, String>,
    logged: Logged,
    sums: Sums,
}

/// How rows lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One on each line.
    Lines,
    /// In `results.results`.
    Rows,
    /// Version 2: a row per test, with an output for each prompt.
    Table,
}

/// Which items are equal: their fingerprints, with the prompts and tests that have them.
#[derive(Default)]
struct Items {
    /// Sorted; each once.
    rows: Vec<(u128, u32, u32)>,
    /// The smallest test of each item; sorted.
    firsts: Vec<(u128, u32)>,
}

impl Items {
    fn settle(&mut self) {
        self.rows.sort_unstable();
        self.rows.dedup();
        for (item, _, test) in &self.rows {
            match self.firsts.last_mut() {
                Some((last, first)) if last == item => *first = (*first).min(*test),
                _ => self.firsts.push((*item, *test)),
            }
        }
    }

    /// What an item is called, and which repeat of it this row is.
    fn place(&self, item: u128, prompt: u32, test: u32) -> (u32, i32) {
        let first = self.firsts.binary_search_by_key(&item, |(item, _)| *item);
        let first = first.map_or(test, |at| self.firsts[at].1);
        let arm = self.rows.partition_point(|row| *row < (item, prompt, 0));
        let at = self.rows.partition_point(|row| *row < (item, prompt, test));
        (first, (at - arm) as i32 + 1)
    }
}

/// What is to be known of rows before the first is handed over.
#[derive(Default)]
struct Gathered {
    items: Items,
    subjects: BTreeMap<u32, String>,
}

impl Gathered {
    fn take(&mut self, row: Option<Row>) {
        if let Some(row) = row {
            self.items.rows.push((row.item, row.prompt, row.test));
            let subject = self.subjects.entry(row.prompt);
            subject.or_insert_with(|| row.subject());
        }
    }
}

impl Promptfoo {
    /// Opens a file.
    pub fn open(files: &[Input]) -> Result<Self, WorkError> {
        let file = only(files)?;
        let mut log = Promptfoo {
            about: About::of(Harness::Promptfoo),
            file: file.clone(),
            shape: Shape::Rows,
            dataset: shown_stem(&file.name).to_owned(),
            items: Items::default(),
            subjects: BTreeMap::new(),
            logged: Logged::default(),
            sums: Sums::default(),
        };
        let mut found = Gathered::default();
        let mut table = Gathered::default();
        log.read_whole(&mut found, &mut table)?;
        match log.shape {
            Shape::Rows => {}
            Shape::Table => found = table,
            Shape::Lines => {
                found = Gathered::default();
                log.rows(&mut |_, row| {
                    found.take(row.ok().map(|(_, row)| row));
                    Ok(())
                })?;
            }
        }
        found.items.settle();
        log.items = found.items;
        for (prompt, subject) in found.subjects {
            log.subjects.entry(prompt).or_insert(subject);
        }
        let all = log.subjects.clone();
        let called = |name: &str| all.values().filter(|other| *other == name).count();
        for (prompt, subject) in &mut log.subjects {
            // A label may be what this would make of another one.
            while called(subject) > usize::from(subject == &all[prompt]) {
                subject.push_str(&format!("#{prompt}"));
            }
        }
        Ok(log)
    }

    /// What stands around the rows, and what is to be known of them beforehand; which of the
    /// two places they have is known in the end.
    fn read_whole(&mut self, found: &mut Gathered, table: &mut Gathered) -> Result<(), WorkError> {
        let (rows, body) = (Cell::new(false), Cell::new(false));
        let want = |keys: &str| match keys {
            "" | "results" | "results.table" | "results.table.head" | "config" => Want::Into,
            "results.version"
            | "results.timestamp"
            | "results.stats"
            | "results.prompts"
            | "results.table.head.prompts"
            | "config.description" => Want::Take,
            ROWS | TABLE => {
                let there = if keys == ROWS { &rows } else { &body };
                there.set(true);
                Want::Each
            }
            _ => Want::Skip,
        };
        let (mut version, mut stats) = (None, false);
        let broken = walk::perhaps_document(&self.file.path, &want, &mut |part| {
            let Ok(value) = part.value else {
                return Ok(());
            };
            match part.path {
                ROWS => found.take(Row::read(value).ok()),
                TABLE => {
                    let rows = row::outputs(value, part.place).into_iter();
                    rows.for_each(|row| table.take(Some(row)));
                }
                "results.version" => version = value.number(),
                "results.timestamp" => {
                    self.about.stamp = value.shown().unwrap_or_default().into_owned();
                }
                "results.stats" => {
                    stats = true;
                    self.logged.stats(value);
                }
                "results.prompts" | "results.table.head.prompts" => {
                    for (prompt, at) in value.elements().into_iter().zip(0..) {
                        let subject = row::subject(prompt.at(&["provider"]), prompt);
                        self.subjects.insert(at, subject);
                        self.logged.prompt(at, prompt.at(&["metrics"]));
                    }
                }
                "config.description" => {
                    if let Some(text) = value.text().filter(|text| !text.trim().is_empty()) {
                        self.dataset = text.into_owned();
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        self.shape = match (version, rows.get(), body.get()) {
            (Some(KNOWN..), true, _) | (_, true, false) | (Some(_), false, false) => Shape::Rows,
            (_, _, true) => Shape::Table,
            (None, false, false) => Shape::Lines,
        };
        if self.shape == Shape::Lines {
            self.about.status = "rows alone".to_owned();
            return Ok(());
        }
        // Only of lines the first is no whole document.
        if let Some(why) = broken {
            return Err(walk::not_whole(&self.file, &why));
        }
        if !stats {
            self.about.status = "no stats".to_owned();
        }
        if version != Some(KNOWN) {
            let said = version.map_or("missing".to_owned(), |version| version.to_string());
            self.about.notes.push(format!(
                "results.version is {said}; {KNOWN} was expected, and what is known of it is read"
            ));
        }
        Ok(())
    }

    /// Hands over every row: its place, and itself or why it is none.
    fn rows(&self, take: &mut TakeRow) -> Result<(), WorkError> {
        let mut each = |part: Part| {
            let (at, place) = (part.at(), part.place);
            let raw = match part.value {
                Ok(raw) => raw,
                Err(bad) => return take(at, Err(bad)),
            };
            let outputs = match self.shape {
                Shape::Table => row::outputs(raw, place).into_iter().map(Ok).collect(),
                _ => vec![Row::read(raw)],
            };
            outputs.into_iter().try_for_each(|row| {
                let row = row.map_err(|detail| Bad::missing(raw, detail));
                take(at, row.map(|row| (raw, row)))
            })
        };
        let wanted = match self.shape {
            Shape::Lines => return walk::rows(&self.file.path, &mut each),
            Shape::Rows => ROWS,
            Shape::Table => TABLE,
        };
        let want = |keys: &str| match keys {
            "" | "results" => Want::Into,
            "results.table" if wanted == TABLE => Want::Into,
            keys if keys == wanted => Want::Each,
            _ => Want::Skip,
        };
        walk::document(&self.file, &want, &mut each)
    }

    fn sample<'a>(&'a self, row: &'a Row<'a>) -> Sample<'a> {
        let (item, epoch) = self.items.place(row.item, row.prompt, row.test);
        let mut scores = Vec::new();
        if row.error.is_none() {
            let reason = row.grading.get("reason").text();
            scores.push(Score {
                explanation: reason,
                ..Score::of("score", row.score)
            });
            scores.push(Score::of("pass", row.success));
            for (name, given) in &row.named.0 {
                let name = aggregates::named(name.clone());
                if scores.iter().all(|score| score.scorer != name) {
                    scores.push(Score::of(name, *given));
                }
            }
        }
        let usage = row.usage();
        Sample {
            dataset: Cow::Borrowed(&self.dataset),
            item: item.to_string().into(),
            epoch,
            subject: self
                .subjects
                .get(&row.prompt)
                .map_or("unknown", |s| s)
                .into(),
            input: row.input.shown(),
            target: row.target.shown(),
            output: row.output.shown(),
            scores,
            passed: None,
            error: row.error.clone(),
            latency_ms: row.latency.finite(),
            tokens_in: usage.get("prompt").finite(),
            tokens_out: usage.get("completion").finite(),
            usd: row.cost.finite(),
            own: row.metadata.metadata(),
            place: Place::default(),
        }
    }
}

/// Takes the rows: the line or number of each and where it begins, and its text and itself.
type TakeRow<'t> = dyn FnMut((u64, u64), Result<(Raw, Row), Bad>) -> Result<(), WorkError> + 't;

impl Log for Promptfoo {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        let mut sums = Sums::default();
        self.rows(&mut |(line, offset), row| match row {
            Ok((raw, row)) => {
                let text = || raw.kept();
                let mut sample = self.sample(&row);
                sample.place = Place {
                    file: Cow::Borrowed(&self.file.name),
                    line,
                    offset,
                    raw: Some(&text),
                    ..Place::default()
                };
                if take(Found::Sample(Box::new(sample)))? {
                    sums.add(&row);
                }
                Ok(())
            }
            Err(bad) => {
                sums.refused += 1;
                take(bad.found(&self.file.name, (line, offset))).map(drop)
            }
        })?;
        self.sums = sums;
        Ok(())
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        Ok(self.logged.check(&self.sums, &self.subjects))
    }
}

#[cfg(test)]
mod tests;
