//! Scores of any other tool: a table with a row per item, and subject.

use std::borrow::Cow;
use std::collections::BTreeSet;

use judica_data::chunks::{ChunkReader, RawRecord};
use judica_data::foreign::Reads;
use judica_data::json::number::is_kept;
use judica_data::json::{ScanError, Scanner};
use judica_data::names::shown_stem;
use judica_data::ordered::Workers;
use judica_data::rejects::Refusal;
use judica_data::row_keys;
use judica_data::rows::{DEPTH, Door, Field, Value, called, field, joined, pointer, text_of};
use judica_data::table::Tables;
use judica_data::work_error::WorkError;
use judica_model::comma_list;
use judica_model::run::Direction;
use judica_run::family::Input;
use serde::{Deserialize, Serialize};

use crate::log::{
    About, Aggregate, Asked, Found, Harness, Log, Own, Place, RefusedSample, Sample, Score, Take,
};
use crate::numbers::Numbers;

/// Bytes per chunk.
const CHUNK_BYTES: usize = 256 << 10;

/// What begins the note on how a table was read.
pub(crate) const READ_AS: &str = "read as ";

/// Where things stand in a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// What names the item, all of them together.
    pub item: Vec<String>,
    /// What names the subject, or its name.
    pub subject: Option<String>,
    /// What was measured, and which way is better where that was said: `latency:lower`.
    pub metrics: Vec<String>,
}

impl Columns {
    /// The metrics without what was said of them.
    fn metrics(&self) -> impl Iterator<Item = (&str, Direction)> {
        self.metrics.iter().map(|said| match said.rsplit_once(':') {
            Some((name, "lower")) => (name, Direction::Lower),
            Some((name, "none")) => (name, Direction::None),
            Some((name, "higher")) => (name, Direction::Higher),
            _ => (&**said, Direction::Higher),
        })
    }
}

/// What a row may say beside what the user names.
static FIELDS: [Field; 11] = [
    field("subject", &row_keys::SUBJECT),
    field("dataset", &[row_keys::DATASET]),
    field("epoch", &[row_keys::EPOCH]),
    field("latency_ms", &[row_keys::LATENCY]),
    field("tokens_in", &row_keys::TOKENS_IN),
    field("tokens_out", &row_keys::TOKENS_OUT),
    field("usd", &[row_keys::USD]),
    field("input", &row_keys::INPUT),
    field("gold", &row_keys::GOLD),
    field("prediction", &row_keys::PREDICTION),
    field("cluster", &[row_keys::CLUSTER]),
];
const SUBJECT: usize = 0;
const DATASET: usize = 1;
const EPOCH: usize = 2;
const USAGE: [usize; 4] = [3, 4, 5, 6];
const TEXTS: [usize; 3] = [7, 8, 9];
const CLUSTER: usize = 10;

pub(crate) struct TableLog<'h> {
    about: About,
    input: Input,
    columns: Columns,
    cluster: Option<String>,
    asked: Vec<Asked>,
    workers: Workers<'h>,
    /// Whether the subject is known to be no column, but a name.
    subject_is_name: bool,
}

/// A table as a log.
pub(crate) fn open<'h>(
    files: &[Input],
    columns: &Columns,
    cluster: Option<&str>,
    workers: Workers<'h>,
) -> Result<Box<dyn Log + 'h>, WorkError> {
    let bad = |why: &str| Err(WorkError::BadInput(why.to_owned()));
    let Some(input) = files.first() else {
        return bad("a table without a file");
    };
    if columns.item.is_empty() || columns.metrics.is_empty() {
        return bad("--as table needs --item COLUMN and --metric COLUMN,…");
    }
    let mut apart = BTreeSet::new();
    let mut names = columns.metrics().map(|(name, _)| called(name));
    if let Some(twice) = names.find(|name| !apart.insert(name.clone())) {
        return bad(&format!("--metric: two metrics are called `{twice}`"));
    }
    Ok(Box::new(TableLog {
        about: About::of(Harness::Table),
        input: input.clone(),
        columns: columns.clone(),
        cluster: cluster.map(str::to_owned),
        asked: Vec::new(),
        workers,
        subject_is_name: false,
    }))
}

impl Log for TableLog<'_> {
    fn about(&self) -> &About {
        &self.about
    }

    /// What cannot be read is named as what it seems to be; what ends the import otherwise is
    /// no matter of the table.
    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        let mut ended = false;
        let read = self.rows(&mut |found| {
            let taken = take(found);
            ended |= taken.is_err();
            taken
        });
        read.map_err(|error| match ended {
            true => error,
            false => error.explained(&self.input.path, Reads::JsonOrTable),
        })
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        Ok(Vec::new())
    }

    fn metrics_asked(&self) -> &[Asked] {
        &self.asked
    }

    fn direction(&self, scorer: &str) -> Option<Direction> {
        let mut metrics = self.columns.metrics();
        let said = metrics.find(|(name, _)| called(name) == scorer);
        said.map(|(_, direction)| direction)
    }
}

impl TableLog<'_> {
    fn rows(&mut self, take: &mut Take) -> Result<(), WorkError> {
        let columns = &self.columns;
        let metrics: Vec<&str> = columns.metrics().map(|(name, _)| name).collect();
        let needed = columns.item.iter().chain(&columns.subject);
        let needed = needed.chain(&self.cluster).map(String::as_str);
        let needed: Vec<&str> = needed.chain(metrics.iter().copied()).collect();
        let metrics: Vec<String> = metrics.into_iter().map(called).collect();
        let door = Door::new(&FIELDS);
        let stand: Vec<Vec<String>> = needed.iter().map(|name| pointer(name)).collect();
        let mut names: Vec<String> = stand.iter().map(|path| path[0].clone()).collect();
        names.extend(door.names());
        let paths = [self.input.path.clone()];
        let tables = Tables {
            names,
            ..Tables::default()
        };
        let open = || {
            let reader = ChunkReader::unhashed(&paths, CHUNK_BYTES)?;
            Ok::<_, WorkError>(reader.with_tables(&tables))
        };
        let mut reading = Reading {
            file: &self.input.name,
            columns,
            cluster: self.cluster.as_deref(),
            metrics: &metrics,
            stand: &stand,
            door: &door,
            met: vec![false; needed.len()],
            first: None,
            used: 0,
            numbers: metrics.iter().map(|_| Numbers::default()).collect(),
            usage: Default::default(),
        };
        if columns.subject.is_some() && !self.subject_is_name {
            self.subject_is_name = !reading.has_subject(open()?, self.workers)?;
        }
        let mut reader = open()?;
        while let Some(chunk) = reader.next_chunk()? {
            self.workers.go_on()?;
            for record in chunk.records() {
                let text = || record.raw();
                match reading.sample(&record) {
                    Ok(mut sample) => {
                        sample.place.raw = Some(&text);
                        take(Found::Sample(Box::new(sample)))?;
                    }
                    Err(refusal) => {
                        take(Found::Refused(RefusedSample {
                            file: reading.file,
                            line: record.line,
                            offset: record.offset,
                            reason: refusal.reason,
                            detail: refusal.detail,
                            raw: record.raw(),
                        }))?;
                    }
                }
            }
            reader.recycle(chunk);
        }
        let how = reader.tables_read().first().map(|read| &read.how);
        let how = how.map(|how| format!("{READ_AS}{how}"));
        let lost = reading.numbers.iter().chain(&reading.usage);
        let lost = lost.flat_map(|numbers| [numbers.note(), numbers.note_of_rounded()]);
        self.about.notes = how.into_iter().chain(lost.flatten()).collect();
        self.asked.clear();
        let Some(first) = reading.first else {
            return Ok(());
        };
        let lacks = |name: &str| {
            format!(
                "there is no column `{name}`{}; there are {}",
                comma_list::hint(name, &first),
                comma_list::spaced(&first)
            )
        };
        let (own, of_metrics) = reading.met.split_at(needed.len() - metrics.len());
        let lacking = needed.iter().zip(own).find(|(name, met)| {
            // A subject that is no column is a name.
            !**met && columns.subject.as_deref() != Some(**name)
        });
        // Without any of the metrics it is a table of something else.
        let none = !of_metrics.contains(&true);
        let none = none.then(|| (&needed[own.len()], &false));
        if let Some((name, _)) = lacking.or(none) {
            let why = format!("{}: {}", self.input.name, lacks(name));
            return Err(WorkError::BadInput(why));
        }
        let asked = needed[own.len()..].iter().zip(of_metrics);
        let asked = asked.zip(&reading.numbers).map(|((name, met), numbers)| {
            let why = match met {
                false => Some(lacks(name)),
                // Where no row can be used, that is said.
                true if reading.used == 0 => return None,
                true => numbers.complaint(),
            };
            Some(why.map_or(Ok(()), Err))
        });
        self.asked = asked.collect();
        let without = self
            .asked
            .iter()
            .flatten()
            .filter_map(|it| it.clone().err());
        self.about.notes.extend(without);
        Ok(())
    }
}

struct Reading<'r> {
    file: &'r str,
    columns: &'r Columns,
    cluster: Option<&'r str>,
    metrics: &'r [String],
    /// The keys to what the user names: items, subject, cluster, metrics.
    stand: &'r [Vec<String>],
    door: &'r Door<11>,
    /// Which of them were there.
    met: Vec<bool>,
    /// The columns of the first row.
    first: Option<Vec<String>>,
    /// Rows that could be used.
    used: u64,
    /// What the cells of metrics came to, and those of latency, tokens and cost.
    numbers: Vec<Numbers>,
    usage: [Numbers; USAGE.len()],
}

impl<'r> Reading<'r> {
    /// Whether some row, be it the last one, has the column of the subject: then one that lacks
    /// it has no subject, and else what the user said is its name.
    fn has_subject(
        &mut self,
        mut reader: ChunkReader,
        workers: Workers,
    ) -> Result<bool, WorkError> {
        let subject = self.columns.item.len();
        while !self.met[subject]
            && let Some(chunk) = reader.next_chunk()?
        {
            workers.go_on()?;
            for record in chunk.records() {
                if text_of(&record).is_ok() && self.door.read(record.bytes).is_ok() {
                    self.said(record.bytes);
                }
            }
            reader.recycle(chunk);
        }
        Ok(self.met[subject])
    }

    fn sample<'a>(&mut self, record: &RawRecord<'a>) -> Result<Sample<'a>, Refusal>
    where
        'r: 'a,
    {
        text_of(record)?;
        let row = self.door.read(record.bytes)?;
        let said = self.said(record.bytes);
        let (items, rest) = said.split_at(self.columns.item.len());
        let (subject, rest) = rest.split_at(usize::from(self.columns.subject.is_some()));
        let (cluster, metrics) = rest.split_at(usize::from(self.cluster.is_some()));
        let mut item = Vec::new();
        for (value, name) in items.iter().zip(&self.columns.item) {
            let part = value.and_then(Value::name);
            item.push(part.ok_or_else(|| Refusal::new("missing_item", format!("no `{name}`")))?);
        }
        let stem = shown_stem(self.file);
        let subject: Cow<str> = match (subject.first(), &self.columns.subject) {
            (Some(Some(value)), Some(name)) => value
                .name()
                .ok_or_else(|| Refusal::new("missing_subject", format!("`{name}` is no name")))?,
            (_, Some(name)) if self.met[self.columns.item.len()] => {
                return Err(Refusal::new("missing_subject", format!("no `{name}`")));
            }
            (_, Some(name)) => Cow::Borrowed(name),
            (_, None) => row.name(SUBJECT).unwrap_or(stem.into()),
        };
        let epoch = row.epoch(EPOCH)?;
        let columns = self.metrics.iter().zip(metrics).zip(&mut self.numbers);
        let scores = columns.map(|((name, cell), numbers)| {
            let (value, logged) = cell.map_or((None, None), number);
            numbers.take(|| name.clone(), *cell, value.is_some(), record.line);
            if let (Some(_), Some(cell), None) = (value, &logged, cell.and_then(Value::truth)) {
                numbers.rounded(cell, record.line);
            }
            Score {
                scorer: name.into(),
                value,
                logged,
                explanation: None,
            }
        });
        let scores = scores.collect();
        let cluster = match self.cluster {
            Some(_) => cluster.first().and_then(|cell| (*cell)?.name()),
            None => row.name(CLUSTER),
        };
        let by = self.cluster.unwrap_or(row_keys::CLUSTER);
        let cluster = cluster.map(|cluster| (Cow::Borrowed(by), Own::Text(cluster)));
        let text = |slot| row.get(slot).map(Value::text);
        let [input, target, output] = TEXTS.map(text);
        let usage = USAGE.map(|slot| row.amount(slot));
        for ((slot, amount), numbers) in USAGE.into_iter().zip(usage).zip(&mut self.usage) {
            if let Some(cell) = row.get(slot) {
                let name = || self.door.name_in(&row, slot).to_string();
                numbers.take(name, Some(cell), amount.is_some(), record.line);
            }
        }
        let [latency_ms, tokens_in, tokens_out, usd] = usage;
        self.used += 1;
        Ok(Sample {
            dataset: row.name(DATASET).unwrap_or(stem.into()),
            item: joined(&item).into(),
            epoch,
            subject,
            input,
            target,
            output,
            scores,
            passed: None,
            error: None,
            latency_ms,
            tokens_in,
            tokens_out,
            usd,
            own: cluster.into_iter().collect(),
            place: Place {
                file: self.file.into(),
                line: record.line,
                offset: record.offset,
                stands: Some(record.found()),
                raw: None,
            },
        })
    }

    /// What stands in the columns that the user names.
    fn said<'a>(&mut self, bytes: &'a [u8]) -> Vec<Option<Value<'a>>> {
        let mut said = vec![None; self.stand.len()];
        let mut keys = self.first.is_none().then(Vec::new);
        let walked = Scanner::new(bytes, 0).members(|key, scanner| {
            let value = Value::scan(scanner, 1, DEPTH)?;
            if let Some(keys) = &mut keys {
                keys.push(String::from_utf8_lossy(key).into_owned());
            }
            for (at, path) in self.stand.iter().enumerate() {
                if path[0].as_bytes() == key {
                    said[at] = value.and_then(|value| value.at(&path[1..]));
                    self.met[at] |= path.len() == 1 || said[at].is_some();
                }
            }
            Ok::<_, ScanError>(())
        });
        // The row was read before, so it is JSON.
        debug_assert!(walked.is_ok());
        if keys.is_some() {
            self.first = keys;
        }
        said
    }
}

/// A value as a number, and as it stands where it is none or no double is that number.
fn number<'a>(value: Value<'a>) -> (Option<f64>, Option<Cow<'a, str>>) {
    let text = value.text();
    if let Some(truth) = value.truth() {
        return (Some(f64::from(truth)), Some(text));
    }
    let number = value.number().or_else(|| text.trim().parse().ok());
    let number = number.filter(|number| number.is_finite());
    let unscored = text.trim().is_empty() || text.eq_ignore_ascii_case("nan");
    let is_lost = number.is_none_or(|number| !is_kept(number, &text));
    let logged = Some(text).filter(|_| is_lost && !unscored);
    (number, logged)
}
