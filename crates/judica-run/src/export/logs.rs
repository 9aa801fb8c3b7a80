//! A run as the logs of other harnesses, which hold what one subject did on one data set: a
//! first pass over the records says which there are, and what they come to; a second writes
//! their samples as they come.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use judica_data::atomic::{AtomicFile, prepare_folder, write_atomic};
use judica_data::error::DataError;
use judica_data::fingerprint::fingerprint;
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_model::run::{MetricSpec, OwnValue, RunRecord, Verdict};
use judica_stats::clusters::Intervals;

use super::each;
use crate::open::Run;
use crate::text::{Several, expected};
use crate::values::{MetricOf, values};

/// So many logs are written at once.
const AT_ONCE: usize = 128;
/// Bytes of samples that are held before they are written.
const HELD: usize = 1 << 16;
/// Bytes of a name that are taken into that of a file.
const LONGEST: usize = 64;

/// What one subject did on one data set.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The data set.
    pub dataset: String,
    /// The subject.
    pub subject: String,
    /// How many records there are.
    pub records: u64,
    /// How many of them are errors.
    pub errors: u64,
    /// The most repeats of an item.
    pub epochs: i32,
    /// Whether items stand or fall together.
    pub clustered: bool,
    /// Tokens of questions and answers, and dollars.
    pub usage: [f64; 3],
    /// What the metrics come to, in the run's order.
    pub metrics: Vec<Measured>,
}

/// What a metric comes to.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Its value over all records.
    pub value: MetricValue,
    /// How many records have a value.
    pub scored: u64,
    /// Whether they all weigh the same, so that it is the mean of theirs.
    pub even: bool,
    weight: Option<f64>,
}

/// How a format writes logs.
pub struct Shape {
    /// The file of a log in a folder of them.
    pub file: fn(&Run, &Log) -> PathBuf,
    /// What stands before the samples.
    pub begin: fn(&Run, &Log) -> Vec<u8>,
    /// Appends a sample, to those before it.
    pub sample: fn(&Sample, &mut Vec<u8>),
    /// What stands after the samples.
    pub end: &'static [u8],
    /// A file beside the samples.
    pub beside: Option<Beside>,
}

/// Makes a file of what all samples of a log come to.
pub type Beside = fn(&Run, &Log) -> (PathBuf, Vec<u8>);

/// A record on its way into a log.
pub struct Sample<'s, 'r> {
    /// The run.
    pub run: &'s Run,
    /// The log.
    pub log: &'s Log,
    /// The record.
    pub record: &'s RunRecord<'r>,
    /// The names of its own columns.
    pub own: &'s [&'s str],
    /// Whether it is the first of its log.
    pub first: bool,
}

impl Sample<'_, '_> {
    /// One of the record's own columns.
    pub fn own(&self, name: &str) -> OwnValue<'_> {
        let at = self.own.iter().position(|own| *own == name);
        let value = at.and_then(|at| self.record.own.get(at));
        value.copied().unwrap_or(OwnValue::Null)
    }

    /// What the record has of each metric that it has a value of.
    pub fn values(&self) -> impl Iterator<Item = (usize, &MetricSpec, f64)> {
        let metrics = self.run.manifest.metrics.iter().enumerate();
        metrics.filter_map(|(at, spec)| {
            let [above, below] = terms(spec, |name| self.own(name))?;
            Some((at, spec, above / below))
        })
    }

    /// What went wrong, where nothing was answered.
    pub fn error(&self) -> Option<&str> {
        let is_error = self.record.verdict == Some(Verdict::Error);
        is_error.then(|| {
            let mut evidence = self.record.evidence.iter();
            let told = evidence.find(|atom| atom.rule == "error" && atom.text.is_some());
            told.and_then(|atom| atom.text)
                .or(self.record.decision)
                .unwrap_or("error")
        })
    }

    /// The expected answers: several only where any of them will do.
    pub fn targets(&self) -> Vec<String> {
        let target = self.record.texts.target;
        let several = |target: &str| match Several::read(target) {
            Some(Several::Any(texts)) => texts,
            _ => vec![expected(target).into_owned()],
        };
        target.map(several).unwrap_or_default()
    }
}

/// Above and below the line of a metric in a record that has a value of it.
fn terms<'r>(spec: &MetricSpec, own: impl Fn(&str) -> OwnValue<'r>) -> Option<[f64; 2]> {
    let number = |name: &str| own(name).as_number();
    let below = match &spec.below {
        Some(name) => number(name)?,
        None => 1.0,
    };
    let above = number(spec.above.as_deref()?)?;
    (below != 0.0 && (above / below).is_finite()).then_some([above, below])
}

/// The logs that a run holds, by data set and subject.
pub fn logs(run: &Run, intervals: &Intervals) -> Result<Vec<Log>, WorkError> {
    let mut found: BTreeMap<(String, String), Log> = BTreeMap::new();
    each(run, &mut |record, own| {
        let key = (record.dataset.to_owned(), record.subject.to_owned());
        let log = found.entry(key).or_insert_with(|| Log {
            dataset: record.dataset.to_owned(),
            subject: record.subject.to_owned(),
            metrics: vec![
                Measured {
                    value: MetricValue::undefined("no record has a value of it"),
                    scored: 0,
                    even: true,
                    weight: None,
                };
                run.manifest.metrics.len()
            ],
            ..Log::default()
        });
        log.records += 1;
        log.errors += u64::from(record.verdict == Some(Verdict::Error));
        log.epochs = log.epochs.max(record.epoch);
        log.clustered |= record.cluster.is_some();
        let usage = [record.tokens_in, record.tokens_out, record.usd];
        for (sum, used) in log.usage.iter_mut().zip(usage) {
            *sum += used.unwrap_or(0.0);
        }
        let of = |name: &str| {
            let at = own.iter().position(|own| *own == name);
            at.map_or(OwnValue::Null, |at| record.own[at])
        };
        for (spec, measured) in run.manifest.metrics.iter().zip(&mut log.metrics) {
            if let Some([_, below]) = terms(spec, of) {
                measured.scored += 1;
                measured.even &= *measured.weight.get_or_insert(below) == below;
            }
        }
        Ok(())
    })?;
    let datasets = found.keys().map(|(dataset, _)| dataset);
    let datasets: std::collections::BTreeSet<&String> = datasets.collect();
    let several = datasets.len() > 1;
    let metrics = &run.manifest.metrics;
    for MetricOf {
        metric,
        subject,
        dataset,
        value,
    } in values(run, intervals)?
    {
        let Some(at) = metrics.iter().position(|spec| spec.name == metric) else {
            continue;
        };
        let of = found
            .values_mut()
            .filter(|log| subject.as_ref() == Some(&log.subject))
            .filter(|log| match several {
                true => dataset.as_ref() == Some(&log.dataset),
                false => dataset.is_none(),
            });
        of.for_each(|log| log.metrics[at].value = value.clone());
    }
    Ok(found.into_values().collect())
}

/// Writes one log.
pub fn write_log(
    run: &Run,
    shape: &Shape,
    log: &Log,
    out: &mut dyn Write,
    failed: &dyn Fn(io::Error) -> WorkError,
) -> Result<(), WorkError> {
    let mut writing = [Writing::begin(run, shape, log, out).map_err(failed)?];
    pass(run, shape, &mut writing, failed)
}

/// Writes logs into a folder; gives their files.
pub fn write_logs(
    run: &Run,
    shape: &Shape,
    logs: &[Log],
    folder: &Path,
) -> Result<Vec<PathBuf>, WorkError> {
    let mut files = Vec::new();
    let failed = |error| WorkError::from(DataError::writing(folder, error));
    for some in logs.chunks(AT_ONCE) {
        let mut writing = Vec::new();
        for log in some {
            let path = folder.join((shape.file)(run, log));
            prepare_folder(path.parent().unwrap_or(folder))?;
            let file = AtomicFile::create(&path)?;
            writing.push(Writing::begin(run, shape, log, file).map_err(failed)?);
        }
        pass(run, shape, &mut writing, &failed)?;
        for Writing {
            log, out, wrote, ..
        } in writing
        {
            if let Some(beside) = shape.beside {
                let (path, bytes) = beside(run, log);
                write_atomic(&folder.join(&path), &bytes)?;
                files.push(folder.join(path));
            }
            // Lines of which there is none are no file.
            if wrote || shape.beside.is_none() {
                files.push(out.final_path().to_owned());
                out.commit()?;
            }
        }
    }
    Ok(files)
}

/// A log that is being written.
struct Writing<'l, W> {
    log: &'l Log,
    out: W,
    held: Vec<u8>,
    first: bool,
    /// Whether there was anything to write of samples.
    wrote: bool,
}

impl<'l, W: Write> Writing<'l, W> {
    fn begin(run: &Run, shape: &Shape, log: &'l Log, mut out: W) -> io::Result<Self> {
        out.write_all(&(shape.begin)(run, log))?;
        Ok(Writing {
            log,
            out,
            held: Vec::new(),
            first: true,
            wrote: false,
        })
    }
}

fn pass<W: Write>(
    run: &Run,
    shape: &Shape,
    writing: &mut [Writing<W>],
    failed: &dyn Fn(io::Error) -> WorkError,
) -> Result<(), WorkError> {
    each(run, &mut |record, own| {
        let key = (record.dataset, record.subject);
        let of = |writing: &Writing<W>| (&*writing.log.dataset, &*writing.log.subject).cmp(&key);
        // They are in the order of their keys.
        let Ok(at) = writing.binary_search_by(of) else {
            return Ok(());
        };
        let log = &mut writing[at];
        let sample = Sample {
            run,
            log: log.log,
            record,
            own,
            first: std::mem::take(&mut log.first),
        };
        (shape.sample)(&sample, &mut log.held);
        log.wrote |= !log.held.is_empty();
        if log.held.len() < HELD {
            return Ok(());
        }
        let written = log.out.write_all(&log.held).map_err(failed);
        log.held.clear();
        written
    })?;
    for log in writing {
        log.held.extend_from_slice(shape.end);
        let written = log.out.write_all(&log.held).and_then(|()| log.out.flush());
        written.map_err(failed)?;
    }
    Ok(())
}

/// A name that any system takes as that of a file or a folder.
pub(super) fn plain(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let mut plain = String::new();
    for c in name.chars() {
        if plain.len() < LONGEST {
            plain.push(if kept(c) { c } else { '-' });
        }
    }
    match plain.trim_matches(['.', '-']) {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

/// Numbers that tell a log apart from all others, and are the same for the same run.
pub(super) fn ids(run: &Run, log: &Log) -> [u64; 2] {
    let manifest = &run.manifest;
    let inputs = manifest.inputs.iter().map(|input| &*input.sha256);
    let mut key = vec![&*manifest.command, &*manifest.created_at];
    key.extend(inputs);
    key.extend([&*log.dataset, &*log.subject]);
    [0, 1].map(|n| fingerprint(format!("{n}\0{}", key.join("\0")).as_bytes()))
}
