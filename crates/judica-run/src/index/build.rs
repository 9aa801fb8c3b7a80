//! How an index is made: threads read row groups, and take them up in order.

use std::sync::atomic::AtomicBool;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use judica_data::ordered::{self, Workers};
use judica_data::work_error::WorkError;
use judica_model::run::Verdict;
use rustc_hash::FxHashMap;

use super::failed::{FailedAtoms, FailureTable, Keys, PARTS, Waiting, misfit, of_evidence};
use super::names::Numbered;
use super::{Index, Kind, Kinds, NONE};
use crate::layout::head;
use crate::names::Names;
use crate::open::{Run, Wanted};

/// The column of grades, which some commands have.
pub(super) const GRADE: &str = "grade";

/// Words of a column by the numbers that its row group gives them.
pub(super) struct Words {
    words: StringArray,
    keys: Vec<u32>,
}

impl Words {
    pub fn of(batch: &RecordBatch, name: &str) -> Option<Self> {
        Words::new(batch.column_by_name(name)?)
    }

    pub fn new(column: &ArrayRef) -> Option<Self> {
        let column = column.as_dictionary_opt::<Int32Type>()?;
        let keys = column.keys().iter();
        let keys = keys.map(|key| key.map_or(NONE, i32::cast_unsigned));
        Some(Words {
            words: column.values().as_string_opt::<i32>()?.clone(),
            keys: keys.collect(),
        })
    }

    /// Those at some places.
    pub fn at(&self, places: &[usize]) -> Self {
        Words {
            words: self.words.clone(),
            keys: places.iter().map(|place| self.keys[*place]).collect(),
        }
    }

    /// The numbers that an index gives them, found out when a word first comes: a row group
    /// may know words that no record has.
    fn numbered<'w>(
        &'w self,
        mut number: impl FnMut(&str) -> u32 + 'w,
    ) -> impl FnMut(usize) -> u32 {
        const UNKNOWN: u32 = NONE - 1;
        let mut numbers = vec![UNKNOWN; self.words.len()];
        move |row| {
            let key = self.keys[row] as usize;
            let Some(known) = numbers.get_mut(key) else {
                return NONE;
            };
            if *known == UNKNOWN {
                *known = match self.words.is_valid(key) {
                    true => number(self.words.value(key)),
                    false => NONE,
                };
            }
            *known
        }
    }
}

/// What is known of some records, in the numbers of their row group.
struct Read {
    keys: Keys,
    verdict: Words,
    grade: Option<Words>,
    score: Float64Array,
    /// Where the run has no table of failures.
    failed: Option<FailedAtoms>,
}

/// An index being made.
#[derive(Default)]
struct Builder {
    subjects: Names,
    datasets: Names,
    grades: Names,
    rules: Names,
    severities: Names,
    numbers: FxHashMap<Kind, u32>,
    kinds: Kinds,
    set_numbers: FxHashMap<Box<[u32]>, u32>,
    pair_numbers: FxHashMap<(u32, u32), u32>,
    atoms: FxHashMap<(u32, u32), u64>,
    kind_of: Vec<u32>,
    item_of: Vec<u32>,
    scores: Vec<f64>,
    waiting: Waiting,
}

impl Index {
    /// Reads a run. `progress` is told how many records were read; `stop` ends the reading.
    pub fn build(
        run: &Run,
        threads: usize,
        progress: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<Index, WorkError> {
        let table = run.records()?;
        let fields = table.schema().fields();
        let graded = fields
            .iter()
            .any(|field| field.name() == GRADE && *field.data_type() == DataType::Utf8);
        let failures = FailureTable::open(run)?;
        let mut words = vec![head::DATASET, head::SUBJECT, head::VERDICT];
        words.extend(graded.then_some(GRADE));
        let mut columns = vec![head::ITEM, head::EPOCH, head::SCORE];
        columns.extend(&words);
        if failures.is_none() {
            columns.push(head::EVIDENCE);
        }
        let numbered = table.with_numbered_words(&words)?;
        let mut builder = Builder::new(table.len())?;
        let mut groups = 0..table.groups().len();
        let interrupted = stop;
        builder = ordered::run(
            Workers {
                threads,
                interrupted,
            },
            |_| Ok::<_, WorkError>(groups.next()),
            builder,
            || Ok(()),
            |(), group, gate| {
                let batches = numbered.read(Wanted {
                    columns: &columns,
                    evidence: &PARTS,
                    groups: Some(vec![*group]),
                    ..Wanted::default()
                })?;
                let mut read = Vec::new();
                for batch in batches {
                    let batch = batch?;
                    let odd = || WorkError::BadArtifact("records of other columns".to_owned());
                    read.push(Read::of(&batch, failures.is_none()).ok_or_else(odd)?);
                }
                let failed = failures.as_ref().map(|table| table.group(*group));
                let failed = failed.transpose()?;
                gate.pass(|builder: &mut Builder| {
                    builder.await_atoms(*group, failed.unwrap_or_default());
                    for read in read {
                        builder.take(&read, failures.as_ref())?;
                    }
                    progress(builder.kind_of.len() as u64);
                    Ok::<_, WorkError>(())
                })
            },
        )?;
        if let Some(table) = &failures {
            builder.await_rest(table)?;
            if !builder.waiting.atoms.is_empty() {
                return Err(misfit());
            }
        }
        let mut atoms: Vec<_> = builder.atoms.into_iter().collect();
        atoms.sort_unstable();
        let metrics = run.manifest.metrics.clone();
        Ok(Index {
            table,
            metrics,
            threads,
            kind_of: builder.kind_of,
            item_of: builder.item_of,
            scores: builder.scores,
            kinds: builder.kinds,
            subjects: Numbered::new(builder.subjects, false),
            datasets: Numbered::new(builder.datasets, false),
            grades: graded.then(|| Numbered::new(builder.grades, true)),
            rules: Numbered::new(builder.rules, false),
            severities: Numbered::new(builder.severities, false),
            atoms,
            loaded: Default::default(),
        })
    }
}

impl Read {
    fn of(batch: &RecordBatch, with_evidence: bool) -> Option<Self> {
        let score = batch.column_by_name(head::SCORE)?;
        Some(Read {
            keys: Keys::of(batch)?,
            verdict: Words::of(batch, head::VERDICT)?,
            grade: Words::of(batch, GRADE),
            score: score.as_primitive_opt::<Float64Type>()?.clone(),
            failed: match with_evidence {
                true => Some(of_evidence(batch)?),
                false => None,
            },
        })
    }
}

impl Builder {
    /// Room for so many records.
    fn new(records: u64) -> Result<Self, WorkError> {
        let too_many = || WorkError::BadArtifact(format!("{records} records are too many"));
        // Kinds are at most as many, and their numbers must not end at what means none.
        let length = u32::try_from(records).map_err(|_| too_many())? as usize;
        let mut builder = Builder::default();
        let reserved = builder.kind_of.try_reserve_exact(length);
        let reserved = reserved.and_then(|()| builder.item_of.try_reserve_exact(length));
        let reserved = reserved.and_then(|()| builder.scores.try_reserve_exact(length));
        reserved.map_err(|_| too_many())?;
        builder.kinds.sets.push(Box::default());
        builder.set_numbers.insert(Box::default(), 0);
        Ok(builder)
    }

    /// Puts failed atoms where their records find them, unless they came already.
    fn await_atoms(&mut self, group: usize, atoms: Vec<(Keys, Words, Words)>) {
        if group != self.waiting.taken {
            return;
        }
        self.waiting.taken += 1;
        for (keys, rule, severity) in atoms {
            let mut dataset = keys.dataset.numbered(|name| self.datasets.number(name));
            let mut subject = keys.subject.numbered(|name| self.subjects.number(name));
            let mut rule = rule.numbered(|name| self.rules.number(name));
            let mut severity = severity.numbered(|name| self.severities.number(name));
            for (row, item) in keys.item.iter().enumerate() {
                let key = (*item, dataset(row), subject(row), keys.epoch.value(row));
                let pair = (rule(row), severity(row));
                let pair = pair_number(&mut self.pair_numbers, &mut self.kinds.pairs, pair);
                self.waiting.atoms.push_back((key, pair));
            }
        }
    }

    /// The same of all that are left.
    fn await_rest(&mut self, table: &FailureTable) -> Result<(), WorkError> {
        while self.waiting.atoms.is_empty() && self.waiting.taken < table.groups {
            let next = self.waiting.taken;
            self.await_atoms(next, table.group(next)?);
        }
        Ok(())
    }

    /// Takes up records.
    fn take(&mut self, read: &Read, failures: Option<&FailureTable>) -> Result<(), WorkError> {
        let keys = &read.keys;
        let rows = keys.item.len();
        let mut own: Vec<(u32, u32)> = Vec::new();
        if let Some(failed) = &read.failed {
            let mut rule = failed.rule.numbered(|name| self.rules.number(name));
            let mut severity = failed
                .severity
                .numbered(|name| self.severities.number(name));
            for (at, record) in failed.record.iter().enumerate() {
                let pair = (rule(at), severity(at));
                let pair = pair_number(&mut self.pair_numbers, &mut self.kinds.pairs, pair);
                own.push((*record, pair));
            }
        }
        let mut own = own.into_iter().peekable();
        let dataset: Vec<u32> = {
            let mut number = keys.dataset.numbered(|name| self.datasets.number(name));
            (0..rows).map(&mut number).collect()
        };
        let subject: Vec<u32> = {
            let mut number = keys.subject.numbered(|name| self.subjects.number(name));
            (0..rows).map(&mut number).collect()
        };
        let mut verdict = read.verdict.numbered(verdict_number);
        let grades = read.grade.as_ref();
        let grade: Option<Vec<u32>> = grades.map(|grades| {
            let mut number = grades.numbered(|name| self.grades.number(name));
            (0..rows).map(&mut number).collect()
        });
        let mut pairs = Vec::new();
        let mut last: Option<(Kind, u32)> = None;
        for row in 0..rows {
            pairs.clear();
            if let Some(table) = failures {
                let key = (
                    keys.item[row],
                    dataset[row],
                    subject[row],
                    keys.epoch.value(row),
                );
                loop {
                    if self.waiting.atoms.is_empty() {
                        self.await_rest(table)?;
                    }
                    match self.waiting.atoms.front() {
                        Some((of, pair)) if *of == key => pairs.push(*pair),
                        _ => break,
                    }
                    self.waiting.atoms.pop_front();
                }
            } else {
                while let Some((_, pair)) = own.next_if(|(of, _)| *of as usize == row) {
                    pairs.push(pair);
                }
            }
            let kind = Kind {
                subject: subject[row],
                dataset: dataset[row],
                verdict: verdict(row),
                grade: grade.as_ref().map_or(NONE, |grade| grade[row]),
                failed: self.set_of(&mut pairs, subject[row]),
            };
            let number = match last {
                Some((same, number)) if same == kind => number,
                _ => self.number_of(kind),
            };
            last = Some((kind, number));
            let score = match read.score.is_valid(row) {
                true => read.score.value(row),
                false => f64::NAN,
            };
            self.kinds.counts[number as usize] += 1;
            if !score.is_nan() {
                let (sum, scored) = &mut self.kinds.scores[number as usize];
                *sum += score;
                *scored += 1;
            }
            self.kind_of.push(number);
            self.item_of.push(keys.item[row] as u32);
            self.scores.push(score);
        }
        Ok(())
    }

    /// The set of failed rules and severities of a record, whose atoms are counted.
    fn set_of(&mut self, pairs: &mut Vec<u32>, subject: u32) -> u32 {
        if pairs.is_empty() {
            return 0;
        }
        for pair in &*pairs {
            *self.atoms.entry((*pair, subject)).or_default() += 1;
        }
        pairs.sort_unstable();
        pairs.dedup();
        if let Some(number) = self.set_numbers.get(pairs.as_slice()) {
            return *number;
        }
        let number = self.kinds.sets.len() as u32;
        let set: Box<[u32]> = pairs.as_slice().into();
        self.kinds.sets.push(set.clone());
        self.set_numbers.insert(set, number);
        number
    }

    fn number_of(&mut self, kind: Kind) -> u32 {
        let kinds = &mut self.kinds;
        *self.numbers.entry(kind).or_insert_with(|| {
            kinds.kinds.push(kind);
            kinds.counts.push(0);
            kinds.scores.push((0.0, 0));
            kinds.kinds.len() as u32 - 1
        })
    }
}

fn pair_number(
    numbers: &mut FxHashMap<(u32, u32), u32>,
    pairs: &mut Vec<(u32, u32)>,
    pair: (u32, u32),
) -> u32 {
    *numbers.entry(pair).or_insert_with(|| {
        pairs.push(pair);
        pairs.len() as u32 - 1
    })
}

/// The place of a verdict among all of them.
fn verdict_number(word: &str) -> u32 {
    let at = Verdict::ALL
        .iter()
        .position(|verdict| verdict.name() == word);
    at.map_or(NONE, |at| at as u32)
}
