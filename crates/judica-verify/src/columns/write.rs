//! Evaluated records become columns of `records.parquet`, and their failed atoms rows of
//! `failures.parquet`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray, UInt64Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields, Schema};
use judica_data::chunks::Chunk;
use judica_data::parquet::{EncodedRowGroup, Encoder, TableError, TableSchema};
use judica_model::record::Adjudication;
use judica_model::run::Verdict;
use judica_run::layout::{EvidenceWords, Layout, evidence_of_words, head, head_fields};

use super::arrays::{
    Things, Words, bits, empty_labels, few_numbers, list, not_nan, numbered, numbers, odd, texts,
    typed,
};
use super::of_fields;
use super::pick::pick;

use crate::beside::USAGE;
use crate::checks::Checks;
use crate::evaluate::{Evaluated, RecordRow};
use crate::evidence::Atoms;
use crate::outputs::{Batch, response_text};
use crate::protocol::Protocol;
use crate::render::grade;
use crate::response::ParseOutcome;
use crate::samples::{Samples, Texts};
use crate::score::counts_as;

/// What stands between the names of rules that changed a score.
pub(crate) const ADJUSTED_APART: &str = ", ";

/// Columns of `failures.parquet` that name the record; those of the evidence follow.
const KEY_COLUMNS: usize = 4;

/// The columns of `failures.parquet`: the key of a record, and an atom that failed.
pub fn failures_schema(evidence: &Fields) -> Schema {
    let mut fields = head_fields();
    fields.truncate(KEY_COLUMNS);
    fields.extend(evidence.iter().map(|field| Field::clone(field)));
    Schema::new(fields)
}

/// The row groups of some records.
#[derive(Debug)]
pub struct RowGroups {
    /// The records.
    pub records: EncodedRowGroup,
    /// Their failed atoms.
    pub failures: EncodedRowGroup,
}

impl RowGroups {
    /// Encodes records, and the atoms of them that failed.
    pub fn encode(
        tables: &Tables,
        encoder: &mut Encoder,
        records: &[RecordBatch],
    ) -> Result<RowGroups, TableError> {
        let failures: Vec<RecordBatch> =
            records.iter().map(failed_atoms).collect::<Result<_, _>>()?;
        Ok(RowGroups {
            records: encoder.encode(&tables.records, records)?,
            failures: encoder.encode(&tables.failures, &failures)?,
        })
    }
}

/// The atoms of some records that failed, with the keys of their records.
pub fn failed_atoms(records: &RecordBatch) -> Result<RecordBatch, TableError> {
    let missing = || TableError::Spec("records without evidence".to_owned());
    let list = records.column_by_name(head::EVIDENCE);
    let list = list.and_then(|a| a.as_list_opt::<i32>());
    let list = list.ok_or_else(missing)?;
    let ends = list.value_offsets();
    let (first, last) = (ends[0] as usize, ends[list.len()] as usize);
    let atoms = list.values().as_struct_opt().ok_or_else(missing)?;
    let atoms = atoms.slice(first, last - first);
    let passed = atoms.column_by_name("pass");
    let passed = passed.and_then(|a| a.as_boolean_opt());
    let failed = !passed.ok_or_else(missing)?.values();
    let mut record = 0;
    let of = failed.set_indices().map(|at| {
        while ends[record + 1] as usize - first <= at {
            record += 1;
        }
        record as u32
    });
    let of: Vec<u32> = of.collect();
    let failed: Vec<u32> = failed.set_indices_u32().collect();
    let keys = records.columns().iter().take(KEY_COLUMNS);
    let keys = keys.map(|column| pick(column, &of));
    let atoms = atoms.columns().iter().map(|column| pick(column, &failed));
    let columns: Vec<ArrayRef> = keys.chain(atoms).collect::<Result<_, _>>()?;
    let scores = columns.len() > KEY_COLUMNS + evidence_of_words(false).len();
    let fields = failures_schema(&evidence_of_words(scores));
    let schema = Schema::new(typed(fields.fields(), &columns));
    RecordBatch::try_new(Arc::new(schema), columns).map_err(odd)
}

/// The tables that records go to.
#[derive(Debug, Clone)]
pub struct Tables {
    /// `records.parquet`.
    pub records: Arc<TableSchema>,
    /// `failures.parquet`.
    pub failures: Arc<TableSchema>,
    /// The columns of records.
    pub layout: Arc<Layout>,
}

impl Tables {
    /// The tables of a run with these columns.
    pub fn new(layout: &Arc<Layout>) -> Result<Tables, TableError> {
        Ok(Tables {
            records: Arc::new(TableSchema::new(layout.schema())?),
            failures: Arc::new(TableSchema::new(&failures_schema(&layout.evidence()))?),
            layout: Arc::clone(layout),
        })
    }
}

/// Turns evaluated records into columns. One per thread.
pub struct RecordWriter<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    samples: &'p Samples,
    files: &'p [String],
    layout: Arc<Layout>,
    words: EvidenceWords,
    rule_of: Words,
    label_of: Words,
    has_label: Vec<bool>,
    step_of: Vec<u8>,
    has_step: Vec<bool>,
    grades: Vec<&'p str>,
}

impl<'p> RecordWriter<'p> {
    /// A writer; `files` are the inputs by number.
    pub fn new(
        protocol: &'p Protocol,
        checks: &'p Checks,
        samples: &'p Samples,
        files: &'p [String],
        layout: &Arc<Layout>,
    ) -> Self {
        let list = &checks.list;
        let words = super::words(protocol, checks);
        let mut grades: Vec<&str> = protocol.grades.iter().map(|(grade, _)| &**grade).collect();
        grades.push("X");
        let (rules, labels) = (Arc::clone(&words.rules), Arc::clone(&words.fields));
        RecordWriter {
            protocol,
            checks,
            samples,
            files,
            layout: Arc::clone(layout),
            words,
            rule_of: Words::of(rules, list.iter().map(|check| check.rule)),
            label_of: Words::of(labels, list.iter().map(|check| check.label.unwrap_or(0))),
            has_label: list.iter().map(|check| check.label.is_some()).collect(),
            step_of: list
                .iter()
                .map(|check| check.step.unwrap_or(0) as u8)
                .collect(),
            has_step: list.iter().map(|check| check.step.is_some()).collect(),
            grades,
        }
    }

    /// The records of a chunk. Their atoms' observed values are used up.
    pub fn columns(
        &self,
        batch: &Batch,
        evaluated: &mut Evaluated,
        chunk: &Chunk,
    ) -> Result<RecordBatch, TableError> {
        let rows = &evaluated.records;
        let mut columns = self.head(batch, rows, chunk)?;
        columns.push(empty_labels(rows.len())?);
        let lengths = rows.iter().map(|row| row.atoms as usize);
        let lengths = OffsetBuffer::from_lengths(lengths);
        let atoms = &mut evaluated.atoms;
        let observed = std::mem::take(&mut atoms.observed);
        let present = not_nan(&observed);
        let evidence = self.atoms(
            atoms,
            &lengths,
            Float64Array::new(observed.into(), present),
            few_numbers(atoms.check.len(), &atoms.limits)?,
            texts(atoms.check.len(), &atoms.texts)?,
        )?;
        let fields = typed(&evidence_of_words(self.words.scores), &evidence);
        let elements = StructArray::try_new(fields.into(), evidence, None).map_err(odd)?;
        columns.push(list(lengths, elements)?);
        let rows = &evaluated.records;
        self.own(rows, evaluated, &mut columns)?;
        if self.layout.keep_text {
            self.push_texts(rows, chunk, &mut columns)?;
        }
        let schema = Schema::new(typed(self.layout.schema().fields(), &columns));
        RecordBatch::try_new(Arc::new(schema), columns).map_err(odd)
    }

    /// The columns that name records.
    fn key(&self, batch: &Batch, rows: &[RecordRow]) -> Result<Vec<ArrayRef>, TableError> {
        let tasks = self.protocol.tasks.iter().map(|task| &*task.name);
        let items = rows.iter().map(|row| &*self.samples.get(row.sample).id);
        let model = |row: &RecordRow| row.batch_model as usize;
        let subjects: ArrayRef = match batch.models.len() <= usize::from(u16::MAX) {
            true => {
                let models = batch.models.iter().map(|name| &**name);
                Words::new(models, rows.iter().map(model)).column(None)?
            }
            // A chunk can hold more models than a dictionary can number.
            false => Arc::new(StringArray::from_iter_values(
                rows.iter().map(|row| &*batch.models[model(row)]),
            )),
        };
        Ok(vec![
            Words::new(tasks, rows.iter().map(|row| row.task as usize)).column(None)?,
            Arc::new(StringArray::from_iter_values(items)),
            subjects,
            Arc::new(match batch.beside.is_empty() {
                true => Int32Array::from(vec![1; rows.len()]),
                false => {
                    Int32Array::from_iter_values(rows.iter().map(|row| batch.epoch(row.beside)))
                }
            }),
        ])
    }

    /// The head's columns before the lists.
    fn head(
        &self,
        batch: &Batch,
        rows: &[RecordRow],
        chunk: &Chunk,
    ) -> Result<Vec<ArrayRef>, TableError> {
        let passed = || rows.iter().map(|row| usize::from(!row.scores.passed));
        let verdicts = [Verdict::Pass.name(), Verdict::Fail.name()];
        let decisions = [Adjudication::Eligible, Adjudication::Ineligible].map(|a| a.name());
        let [offsets, lengths] = places(rows, chunk);
        let lines = rows.iter().map(|row| row.line as i64);
        let hashes = rows.iter().map(|row| row.place.hash);
        let mut columns = self.key(batch, rows)?;
        columns.extend([
            self.clusters(batch, rows),
            Words::new(verdicts, passed()).column(None)?,
            Words::new(decisions, passed()).column(None)?,
            self.counted(rows),
            Words::new(
                self.files.iter().map(String::as_str),
                rows.iter().map(|_| chunk.file),
            )
            .column(None)?,
            Arc::new(Int64Array::from_iter_values(lines)),
            Arc::new(offsets),
            Arc::new(lengths),
            Arc::new(UInt64Array::from_iter_values(hashes)),
        ]);
        columns.extend((0..USAGE.len()).map(|at| -> ArrayRef {
            if batch.beside.is_empty() {
                return Arc::new(Float64Array::new_null(rows.len()));
            }
            let used = |row: &RecordRow| Some(batch.beside_of(row.beside)?.usage[at]);
            numbers(
                rows.iter()
                    .map(|row| used(row).unwrap_or(f64::NAN))
                    .collect(),
            )
        }));
        Ok(columns)
    }

    /// What records stand or fall with: the output's own word goes before its sample's.
    fn clusters(&self, batch: &Batch, rows: &[RecordRow]) -> ArrayRef {
        if batch.beside.is_empty() && !self.samples.has_clusters() {
            return Arc::new(StringArray::new_null(rows.len()));
        }
        let cluster = |row: &RecordRow| {
            let own = batch.cluster(row.beside);
            own.or_else(|| self.samples.cluster(row.sample))
        };
        Arc::new(rows.iter().map(cluster).collect::<StringArray>())
    }

    /// What records count as: the cap where gated, nothing without usable gold.
    fn counted(&self, rows: &[RecordRow]) -> ArrayRef {
        let counted = |row: &RecordRow| self.counts_as(row).unwrap_or(f64::NAN);
        numbers(rows.iter().map(counted).collect())
    }

    fn counts_as(&self, row: &RecordRow) -> Option<f64> {
        let scores = &row.scores;
        let has_gold = self.samples.has_gold(row.sample);
        counts_as(self.protocol, scores.passed, scores.total, has_gold)
    }

    /// The atoms of the evidence.
    fn atoms(
        &self,
        atoms: &Atoms,
        rows: &OffsetBuffer<i32>,
        observed: Float64Array,
        limits: ArrayRef,
        texts: ArrayRef,
    ) -> Result<Vec<ArrayRef>, TableError> {
        let check = atoms.check.as_slice();
        let things = Things::new(check, rows);
        let mut severity = atoms.severity.clone();
        let mut passed = bits(&severity, |code| code == 0);
        let scores = self.words.scores.then(|| self.scores(atoms));
        if let Some((scores, _)) = &scores {
            passed = bits(scores, |score| score == 1.0);
            for (atom, grade) in &atoms.graded {
                severity[*atom as usize] = grade.severity as u8;
            }
        }
        let severities = Arc::clone(&self.words.severities);
        let steps = Arc::clone(&self.words.steps);
        let (step, has_step) = (things.by(&self.step_of), things.having(&self.has_step));
        let mut columns = vec![
            self.rule_of.by(&things, None)?,
            self.label_of.by(&things, things.having(&self.has_label))?,
            match &self.layout.words {
                Some(_) => numbered::<UInt8Type>(steps, step, has_step)?,
                // As they are read again from pieces.
                None => Arc::new(Int32Array::new(
                    step.into_iter().map(i32::from).collect(),
                    has_step.map(NullBuffer::new),
                )),
            },
            Arc::new(BooleanArray::new(passed, None)),
            numbered::<UInt8Type>(severities, severity, None)?,
            Arc::new(observed),
            limits,
            texts,
        ];
        if let Some((scores, adjusted)) = scores {
            columns.push(Arc::new(Float64Array::from(scores)));
            columns.push(super::arrays::texts(check.len(), &adjusted)?);
        }
        Ok(columns)
    }

    /// What atoms are worth, and which rules changed it.
    fn scores(&self, atoms: &Atoms) -> (Vec<f64>, Vec<(u32, Box<str>)>) {
        let plain = |code: &u8| if *code == 0 { 1.0 } else { 0.0 };
        let mut scores: Vec<f64> = atoms.severity.iter().map(plain).collect();
        let mut adjusted: Vec<(u32, Box<str>)> = Vec::new();
        for (atom, grade) in &atoms.graded {
            scores[*atom as usize] = grade.score;
            if grade.adjusted > 0 {
                let check = atoms.check[*atom as usize];
                let names = self.checks.adjusting(self.protocol, check, *grade);
                let names: Vec<&str> = names.collect();
                adjusted.push((*atom, names.join(ADJUSTED_APART).into()));
            }
        }
        (scores, adjusted)
    }

    /// The columns of `eval` alone, in the order of [`super::layout`].
    fn own(
        &self,
        rows: &[RecordRow],
        evaluated: &Evaluated,
        columns: &mut Vec<ArrayRef>,
    ) -> Result<(), TableError> {
        let flag = |yes: bool| f64::from(u8::from(yes));
        let scores: [&dyn Fn(&RecordRow) -> f64; 9] = [
            &|row| self.counts_as(row).unwrap_or(f64::NAN),
            &|row| flag(self.counts_as(row).is_some()),
            &|row| row.scores.total,
            &|row| row.scores.availability,
            &|row| row.scores.constraint,
            &|row| row.scores.error,
            &|row| row.scores.mae,
            &|row| row.scores.rmse,
            &|row| flag(row.scores.passed),
        ];
        let mut values = scores.map(|_| Vec::with_capacity(rows.len()));
        // Rows are long, and so few at a time that all columns find them near.
        for some in rows.chunks(64) {
            for (values, score) in values.iter_mut().zip(scores) {
                values.extend(some.iter().map(score));
            }
        }
        columns.extend(values.map(numbers));
        let families = self.protocol.families.len();
        let mut reasons = vec![vec![0.0; rows.len()]; families];
        for (at, row) in rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.scores.passed)
        {
            for rule in &row.reasons {
                reasons[self.checks.family_of_rule(*rule as usize)][at] += 1.0;
            }
        }
        columns.extend(reasons.into_iter().map(numbers));
        let by_field = of_fields(self.protocol).count();
        columns.extend((0..by_field).map(|at| {
            let of_records = evaluated.by_field.chunks_exact(by_field);
            numbers(of_records.map(|of_record| of_record[at]).collect())
        }));

        let outcomes = ParseOutcome::ALL.map(|outcome| outcome.name());
        let graded: Vec<Option<usize>> = rows.iter().map(|row| self.grade(row)).collect();
        let has_grade = BooleanBuffer::collect_bool(rows.len(), |at| graded[at].is_some());
        let has_reason = BooleanBuffer::collect_bool(rows.len(), |at| !rows[at].reasons.is_empty());
        let top = |row: &RecordRow| row.reasons.first().map_or(0, |rule| *rule as usize);
        columns.extend([
            Words::new(outcomes, rows.iter().map(|row| row.outcome as usize)).column(None)?,
            Words::new(
                self.grades.iter().copied(),
                graded.iter().map(|grade| grade.unwrap_or(0)),
            )
            .column(Some(has_grade))?,
            Words::new(
                self.checks.rule_names.iter().map(String::as_str),
                rows.iter().map(top),
            )
            .column(Some(has_reason))?,
        ]);
        columns.push(whole(rows.iter().map(|row| row.present)));
        columns.push(whole(rows.iter().map(|row| row.scores.compared)));
        let gold = |at: usize| self.samples.has_gold(rows[at].sample);
        let gold = BooleanBuffer::collect_bool(rows.len(), gold);
        columns.push(Arc::new(BooleanArray::new(gold, None)));
        let counts = |family: usize| {
            let of_records = evaluated.counts.chunks_exact(families);
            of_records.map(move |of_record| of_record[family])
        };
        for family in 0..families {
            columns.push(whole(counts(family).map(|count| count.atoms)));
            columns.push(whole(counts(family).map(|count| count.critical)));
            columns.push(whole(counts(family).map(|count| count.warning)));
        }
        for (family, _) in super::infos(self.protocol).enumerate() {
            columns.push(whole(counts(family).map(|count| count.info)));
        }
        let width = self.protocol.dimensions.len();
        for dimension in 0..width {
            let values = evaluated.dimensions.iter().skip(dimension).step_by(width);
            columns.push(numbers(values.copied().collect()));
        }
        Ok(())
    }

    fn grade(&self, row: &RecordRow) -> Option<usize> {
        let grade = grade(self.protocol, &row.scores)?;
        self.grades.iter().position(|known| *known == grade)
    }

    /// Questions, gold and answers, for a run that must travel without its inputs.
    fn push_texts(
        &self,
        rows: &[RecordRow],
        chunk: &Chunk,
        columns: &mut Vec<ArrayRef>,
    ) -> Result<(), TableError> {
        // Many answers may have one question, which is stored once then.
        let mut samples: Vec<u32> = rows.iter().map(|row| row.sample).collect();
        samples.sort_unstable();
        samples.dedup();
        let place = |row: &RecordRow| samples.binary_search(&row.sample).unwrap_or(0);
        for pick in [Texts::input, Texts::target] {
            let of = |sample: &u32| pick(self.samples.texts(*sample));
            let bytes: usize = samples.iter().filter_map(of).map(str::len).sum();
            if samples.len() > usize::from(u16::MAX) || bytes > i32::MAX as usize {
                let reason = "--keep-text: the questions of one row group are too long together";
                return Err(TableError::Spec(reason.to_owned()));
            }
            let there = |at: usize| of(&rows[at].sample).is_some();
            let there = BooleanBuffer::collect_bool(rows.len(), there);
            let words = samples.iter().map(|sample| of(sample).unwrap_or_default());
            columns.push(Words::new(words, rows.iter().map(place)).column(Some(there))?);
        }
        let outputs = rows.iter().map(|row| {
            let place = &row.place;
            response_text(&chunk.data[place.start..place.start + place.length])
        });
        columns.push(Arc::new(outputs.collect::<StringArray>()));
        Ok(())
    }
}

fn whole(numbers: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(numbers.map(i64::from)))
}

/// Where outputs stand in their file, and how long they are there.
fn places(rows: &[RecordRow], chunk: &Chunk) -> [Int64Array; 2] {
    if !chunk.is_verbatim() {
        let place = |row: &RecordRow| {
            let start = row.place.start;
            let (offset, length) = chunk.place(start..start + row.place.length)?;
            Some((offset as i64, length as i64))
        };
        let places: Vec<Option<(i64, i64)>> = rows.iter().map(place).collect();
        let offsets = places.iter().map(|place| Some(place.as_ref()?.0));
        let lengths = places.iter().map(|place| Some(place.as_ref()?.1));
        return [offsets.collect(), lengths.collect()];
    }
    let offset = |row: &RecordRow| (row.place.start as u64 + chunk.base_offset) as i64;
    [
        Int64Array::from_iter_values(rows.iter().map(offset)),
        Int64Array::from_iter_values(rows.iter().map(|row| row.place.length as i64)),
    ]
}
