//! Failed atoms on their way into an index: from `failures.parquet`, which has the order of the
//! records, or from the evidence of the records themselves.

use std::collections::VecDeque;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, Int32Array, RecordBatch};
use judica_data::fingerprint::fingerprint;
use judica_data::work_error::WorkError;

use super::build::Words;
use crate::layout::{evidence_fields, head, head_fields};
use crate::manifest::name;
use crate::open::{Run, StoredRecords, Wanted};

const RULE: &str = "rule";
const SEVERITY: &str = "severity";
const PASS: &str = "pass";
/// What is read of evidence.
pub(super) const PARTS: [&str; 3] = [RULE, PASS, SEVERITY];

/// The failed atoms of some records.
pub(super) struct FailedAtoms {
    /// The record of each, by its row, or by its place among `keys`.
    pub record: Vec<u32>,
    pub rule: Words,
    pub severity: Words,
}

/// Which record an atom is of, in the numbers of its batch.
pub(super) struct Keys {
    pub item: Vec<u64>,
    pub dataset: Words,
    pub subject: Words,
    pub epoch: Int32Array,
}

impl Keys {
    pub fn of(batch: &RecordBatch) -> Option<Self> {
        let items = batch.column_by_name(head::ITEM)?.as_string_opt::<i32>()?;
        let hashes = (0..items.len()).map(|row| fingerprint(items.value(row).as_bytes()));
        let epoch = batch.column_by_name(head::EPOCH)?;
        Some(Keys {
            item: hashes.collect(),
            dataset: Words::of(batch, head::DATASET)?,
            subject: Words::of(batch, head::SUBJECT)?,
            epoch: epoch.as_primitive_opt::<Int32Type>()?.clone(),
        })
    }
}

/// `failures.parquet`.
pub(super) struct FailureTable {
    table: StoredRecords,
    /// How many row groups it has.
    pub groups: usize,
}

impl FailureTable {
    /// That of a run, if it has one.
    pub fn open(run: &Run) -> Result<Option<Self>, WorkError> {
        let Some(path) = run.file(name::FAILURES) else {
            return Ok(None);
        };
        let mut fields = head_fields();
        fields.truncate(4);
        let parts = evidence_fields();
        let parts = parts
            .iter()
            .filter(|part| [RULE, SEVERITY].contains(&part.name().as_str()));
        fields.extend(parts.map(|part| part.as_ref().clone()));
        let table = StoredRecords::open_table(&path, &fields)?;
        let numbered = [head::DATASET, head::SUBJECT, RULE, SEVERITY];
        let table = table.with_numbered_words(&numbered)?;
        let groups = table.groups().len();
        Ok(Some(FailureTable { table, groups }))
    }

    /// The failed atoms of a row group; none behind the last.
    pub fn group(&self, at: usize) -> Result<Vec<(Keys, Words, Words)>, WorkError> {
        if at >= self.groups {
            return Ok(Vec::new());
        }
        let columns = [
            head::DATASET,
            head::ITEM,
            head::SUBJECT,
            head::EPOCH,
            RULE,
            SEVERITY,
        ];
        let batches = self.table.read(Wanted {
            columns: &columns,
            groups: Some(vec![at]),
            ..Wanted::default()
        })?;
        let atoms = batches.map(|batch| {
            let batch = batch?;
            let rule = Words::of(&batch, RULE);
            let parts = rule.zip(Words::of(&batch, SEVERITY));
            match (Keys::of(&batch), parts) {
                (Some(keys), Some((rule, severity))) => Ok((keys, rule, severity)),
                _ => Err(misfit()),
            }
        });
        atoms.collect()
    }
}

/// Failed atoms that wait for their records.
#[derive(Default)]
pub(super) struct Waiting {
    /// Row groups that were taken.
    pub taken: usize,
    pub atoms: VecDeque<(Key, u32)>,
}

/// A record's key: the hash of its item, the numbers of its data set and subject, its epoch.
pub(super) type Key = (u64, u32, u32, i32);

pub(super) fn misfit() -> WorkError {
    let file = name::FAILURES;
    WorkError::BadArtifact(format!("{file} does not fit the records of the run"))
}

/// The atoms that failed in the evidence of some records.
pub(super) fn of_evidence(batch: &RecordBatch) -> Option<FailedAtoms> {
    let list = batch.column_by_name(head::EVIDENCE)?.as_list_opt::<i32>()?;
    let ends = list.value_offsets();
    let (first, last) = (ends[0] as usize, ends[list.len()] as usize);
    let atoms = list.values().as_struct_opt()?.slice(first, last - first);
    let passed = atoms.column_by_name(PASS)?.as_boolean_opt()?;
    let mut record = 0;
    let (mut records, mut places) = (Vec::new(), Vec::new());
    for at in (!passed.values()).set_indices() {
        while ends[record + 1] as usize - first <= at {
            record += 1;
        }
        records.push(record as u32);
        places.push(at);
    }
    let words = |name| {
        let words = Words::new(atoms.column_by_name(name)?)?;
        Some(words.at(&places))
    };
    Some(FailedAtoms {
        record: records,
        rule: words(RULE)?,
        severity: words(SEVERITY)?,
    })
}
