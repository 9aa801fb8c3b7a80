//! lm-evaluation-harness: `results_{stamp}.json`, with `samples_{task}_{stamp}.jsonl` of the
//! same stamp beside it.
//!
//! A samples file has one row per document and filter. The rows of one document make one
//! record; its text is that of the first filter, and each `metric,filter` is a scorer.

mod aggregates;
mod column;
mod results;
mod stamp;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use judica_data::listing::{Entry, entries};
use judica_data::names::shown_stem;
use judica_data::work_error::WorkError;
use judica_model::run::Direction;
use judica_model::text::named;
use judica_run::family::Input;
use rustc_hash::FxHashMap;

use crate::log::{About, Aggregate, Found, Harness, Log, Own, Place, Sample, Take};
use crate::open::{Candidate, Format};
use crate::raw::{Object, Raw};
use crate::walk::{self, Bad};
use column::{Column, Given};
use results::Results;
use stamp::{cut, task_of};

/// Keys of a row that are no metric, where a row does not say which keys are.
const NO_METRICS: [&str; 11] = [
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
];
/// The filter of rows that name none.
const NO_FILTER: &str = "none";

/// How its logs are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::LmEval,
    recognise,
    files,
    open: |files, _| Ok(Box::new(LmEval::open(files)?)),
};

fn recognise(candidate: &Candidate) -> bool {
    let stamped = cut(candidate.name()).is_some();
    task_of(candidate.name()).is_some() && !candidate.start.is_empty()
        || candidate.mentions(&["\"doc_id\"", "\"resps\""])
        || stamped && candidate.mentions(&["\"results\""])
        || candidate.mentions(&["\"results\"", "\"higher_is_better\""])
        || candidate.mentions(&["\"results\"", "_stderr", "\"versions\""])
}

/// A log: the files of one stamp.
pub struct LmEval {
    about: About,
    results: Results,
    tasks: Vec<Task>,
    subject: String,
}

/// The samples of one task.
struct Task {
    name: String,
    file: Input,
    /// What was given, by metric and filter, in the order of the rows.
    columns: Vec<Column>,
    /// The record that each row of the file belongs to; none: it is refused.
    rows: Vec<Option<u32>>,
    /// Of each record, where its scores stand: the column and the place in it.
    records: Vec<Vec<(usize, usize)>>,
}

/// All files of the log that one of them names: those of its stamp beside it.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, WorkError> {
    let Some((_, stamp)) = name_of(path).and_then(cut) else {
        return Ok(vec![path.to_owned()]);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let shown = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let mut files = Vec::new();
    for Entry { name, .. } in entries(shown)? {
        let of = name.to_str().and_then(cut);
        if of.is_some_and(|(_, of)| of == stamp) {
            files.push(folder.join(name));
        }
    }
    files.sort_by_key(|file| (is_samples(file), file.clone()));
    Ok(files)
}

fn name_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

fn is_samples(path: &Path) -> bool {
    name_of(path).is_some_and(|name| task_of(name).is_some())
}

impl LmEval {
    /// Opens the log that these files make up.
    pub fn open(files: &[Input]) -> Result<Self, WorkError> {
        let name = |file: &Input| file.name.rsplit(['/', '\\']).next().map(str::to_owned);
        let mut results = Results::default();
        let mut samples = Vec::new();
        let mut stamp = String::new();
        let mut notes = Vec::new();
        for file in files {
            let name = name(file).unwrap_or_default();
            let stamped = cut(&name);
            if let Some((_, found)) = stamped {
                stamp = found.to_owned();
            }
            // A results file that is cut before its results is one all the same.
            let called_results = stamped.is_some_and(|(kind, _)| kind == "results");
            match task_of(&name) {
                Some(task) => samples.push((task.to_owned(), file)),
                None if called_results || results::is_results(&file.path)? => {
                    results = Results::read(file)?
                }
                None if files.len() == 1 => samples.push((shown_stem(&name).to_owned(), file)),
                None => notes.push(format!("{name} has neither results nor samples")),
            }
        }
        let mut tasks = Vec::new();
        for (name, file) in samples {
            tasks.push(Task::read(name, file, &results)?);
        }
        notes.extend(results.notes());
        notes.extend(without_samples(&results, &tasks));
        notes.extend(column::notes(&results, &tasks));
        let status = match (results.file.is_some(), tasks.is_empty()) {
            (true, false) => "success",
            (true, true) => "no samples",
            (false, _) => "no results",
        };
        let subject = results.model.clone().or_else(|| folder_of(files.first()?));
        if results.model.is_none() {
            notes.push("no file names the model; it is called after the folder".to_owned());
        }
        Ok(LmEval {
            about: About {
                status: status.to_owned(),
                stamp,
                notes,
                ..About::of(Harness::LmEval)
            },
            results,
            tasks,
            subject: subject.unwrap_or_else(|| "unknown".to_owned()),
        })
    }
}

/// The folder of a file, which the harness calls after the model; also where the file was
/// named from inside it.
fn folder_of(file: &Input) -> Option<String> {
    let named = file.name.rsplit(['/', '\\']).nth(1);
    match named.filter(|folder| !matches!(*folder, "" | "." | "..")) {
        Some(folder) => Some(folder.to_owned()),
        None => {
            let folder = Path::new(".").join(file.path.parent()?).canonicalize();
            Some(folder.ok()?.file_name()?.to_str()?.to_owned())
        }
    }
}

/// What is to be said of documents that were asked on and of which no sample is there. A log
/// without any says so by its status.
fn without_samples(results: &Results, tasks: &[Task]) -> Option<String> {
    if tasks.is_empty() {
        return None;
    }
    let short = results.documents.iter().filter_map(|(name, asked)| {
        let task = tasks.iter().find(|task| task.name == *name);
        let here = task.map_or(0, |task| task.records.len());
        (here < *asked as usize).then(|| format!("{name} ({here} of {asked})"))
    });
    let short: Vec<String> = short.collect();
    let named = named(&short, short.len());
    (!short.is_empty()).then(|| format!("not all documents have samples here: {named}"))
}

impl Task {
    fn read(name: String, file: &Input, results: &Results) -> Result<Self, WorkError> {
        let mut task = Task {
            file: file.clone(),
            columns: Vec::new(),
            rows: Vec::new(),
            records: Vec::new(),
            name,
        };
        let filters = results.filters(&task.name);
        let mut seen = Seen::default();
        walk::rows(&file.path, &mut |part| {
            let row = part.value.ok().map(Raw::members);
            let doc = row.as_ref().and_then(|row| row.get("doc_id").shown());
            let (Some(row), Some(doc)) = (row, doc) else {
                task.rows.push(None);
                return Ok(());
            };
            let filter = match row.get("filter").text() {
                Some(filter) => filter.into_owned(),
                // Rows that name no filter come filter by filter, too.
                None if filters.len() > 1 => {
                    let times = seen.again(&doc, None);
                    filters.get(times).cloned().unwrap_or(NO_FILTER.to_owned())
                }
                None => NO_FILTER.to_owned(),
            };
            let (record, again) = seen.record(&doc, &filter);
            if record == task.records.len() {
                task.records.push(Vec::new());
            }
            task.rows.push(Some(record as u32));
            // It is refused, and so it is in none of the numbers.
            if again {
                return Ok(());
            }
            for (metric, given) in metrics(&row, results, &task.name) {
                let column = task.column(&metric, &filter);
                let at = task.columns[column].given.len();
                task.columns[column].given.push(Given::of(given));
                // A key that stands twice counts once.
                if !task.records[record]
                    .iter()
                    .any(|(known, _)| *known == column)
                {
                    task.records[record].push((column, at));
                }
            }
            Ok(())
        })?;
        for column in &mut task.columns {
            column.settle(results, &task.name);
        }
        Ok(task)
    }

    fn column(&mut self, metric: &str, filter: &str) -> usize {
        let same = |column: &Column| column.metric == metric && column.filter == filter;
        self.columns.iter().position(same).unwrap_or_else(|| {
            self.columns.push(Column::new(metric, filter));
            self.columns.len() - 1
        })
    }

    fn samples(&self, subject: &str, take: &mut Take) -> Result<(), WorkError> {
        let mut rows = self.rows.iter();
        let mut next = 0;
        walk::rows(&self.file.path, &mut |part| {
            let record = rows.next().copied().flatten();
            let (line, offset) = part.at();
            let raw = match part.value {
                Ok(raw) => raw,
                Err(bad) => return take(bad.found(&self.file.name, (line, offset))).map(drop),
            };
            let (row, text) = (raw.members(), || raw.kept());
            let Some(record) = record else {
                let bad = Bad::missing(raw, "a row of samples has a doc_id");
                return take(bad.found(&self.file.name, (line, offset))).map(drop);
            };
            // Records are numbered as their first rows come.
            if record != next {
                return Ok(());
            }
            next += 1;
            let scores = self.records[record as usize].iter();
            let scores = scores.map(|(column, at)| self.columns[*column].score(*at));
            let own = row
                .get("doc_hash")
                .text()
                .map(|hash| ("doc_hash".into(), Own::Text(hash)));
            take(Found::Sample(Box::new(Sample {
                dataset: Cow::Borrowed(&self.name),
                item: row.get("doc_id").shown().unwrap_or_default(),
                epoch: 1,
                subject: Cow::Borrowed(subject),
                input: first_argument(row.get("arguments")),
                target: row.get("target").shown(),
                output: row
                    .get("filtered_resps")
                    .elements()
                    .first()
                    .and_then(|r| r.shown()),
                scores: scores.collect(),
                own: own.into_iter().collect(),
                place: Place {
                    file: Cow::Borrowed(&self.file.name),
                    line,
                    offset,
                    raw: Some(&text),
                    ..Place::default()
                },
                ..Sample::default()
            })))
            .map(drop)
        })
    }
}

/// Which record a row belongs to: the first row of a document and filter to its first record,
/// the second, if the log has one, to another.
#[derive(Default)]
struct Seen {
    times: FxHashMap<(String, Option<String>), usize>,
    records: FxHashMap<(String, usize), usize>,
}

impl Seen {
    /// How often a document was met before.
    fn again(&mut self, doc: &str, filter: Option<&str>) -> usize {
        let times = self
            .times
            .entry((doc.to_owned(), filter.map(str::to_owned)));
        let times = times.or_insert(0);
        *times += 1;
        *times - 1
    }

    /// The record, and whether the log has it twice.
    fn record(&mut self, doc: &str, filter: &str) -> (usize, bool) {
        let times = self.again(doc, Some(filter));
        let new = self.records.len();
        let record = *self.records.entry((doc.to_owned(), times)).or_insert(new);
        (record, times > 0)
    }
}

/// The metrics of a row: those it lists, else those the results know, else all keys that are
/// nothing else.
fn metrics<'a>(row: &Object<'a>, results: &Results, task: &str) -> Vec<(Cow<'a, str>, Raw<'a>)> {
    let listed = row.get("metrics");
    if !listed.is_null() {
        let names = listed.elements().into_iter().filter_map(Raw::text);
        return names.map(|name| (name.clone(), row.get(&name))).collect();
    }
    let members = row.0.iter().cloned();
    match results.metrics(task) {
        Some(known) => members
            .filter(|(name, _)| known.iter().any(|k| k == name))
            .collect(),
        None => members
            .filter(|(name, _)| !NO_METRICS.contains(&&**name))
            .collect(),
    }
}

/// The first argument of the first request: the prompt.
fn first_argument(arguments: Raw<'_>) -> Option<Cow<'_, str>> {
    let mut value = arguments;
    for _ in 0..2 {
        let inner = value.members().0.into_iter().next().map(|(_, value)| value);
        match inner.or_else(|| value.elements().into_iter().next()) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value.shown()
}

impl Log for LmEval {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        self.tasks
            .iter()
            .try_for_each(|task| task.samples(&self.subject, take))
    }

    fn direction(&self, scorer: &str) -> Option<Direction> {
        let mut said = column::directions(&self.results, &self.tasks, scorer);
        let first = said.next()?;
        Some(match said.all(|direction| direction == first) {
            true => first,
            false => Direction::None,
        })
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        Ok(aggregates::of(&self.results, &self.tasks))
    }
}

#[cfg(test)]
mod tests;
