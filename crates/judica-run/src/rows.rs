//! Columns become records again: one borrowed record at a time.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, ListArray,
    RecordBatch, StringArray, UInt64Array,
};
use judica_model::run::{Evidence, Label, OwnValue, Place, RunRecord, Texts, Verdict};

use crate::layout::{head, head_fields};

/// The columns of a batch of records. Of columns that were not read, records have nothing.
pub struct Rows<'b> {
    batch: &'b RecordBatch,
    dataset: Option<&'b StringArray>,
    item: Option<&'b StringArray>,
    subject: Option<&'b StringArray>,
    epoch: Option<&'b Int32Array>,
    cluster: Option<&'b StringArray>,
    verdict: Option<&'b StringArray>,
    decision: Option<&'b StringArray>,
    score: Option<&'b Float64Array>,
    file: Option<&'b StringArray>,
    line: Option<&'b Int64Array>,
    offset: Option<&'b Int64Array>,
    bytes: Option<&'b Int64Array>,
    hash: Option<&'b UInt64Array>,
    usage: [Option<&'b Float64Array>; 4],
    labels: Option<&'b ListArray>,
    evidence: Option<&'b ListArray>,
    texts: [Option<&'b StringArray>; 3],
    /// Names and values of the columns of the command alone.
    own: Vec<(&'b str, &'b ArrayRef)>,
}

/// What a record borrows that stands in no column as it is.
#[derive(Default)]
pub struct Scratch<'b> {
    labels: Vec<Label<'b>>,
    evidence: Vec<Evidence<'b>>,
    own: Vec<OwnValue<'b>>,
}

impl<'b> Rows<'b> {
    /// The records of a batch.
    pub fn new(batch: &'b RecordBatch) -> Self {
        let text = |name: &str| batch.column_by_name(name).and_then(|a| a.as_string_opt());
        let number = |name: &str| {
            let column = batch.column_by_name(name);
            column.and_then(|a| a.as_primitive_opt::<Float64Type>())
        };
        let long = |name: &str| {
            let column = batch.column_by_name(name);
            column.and_then(|a| a.as_primitive_opt::<Int64Type>())
        };
        let list = |name: &str| batch.column_by_name(name).and_then(|a| a.as_list_opt());
        let head_names = head_fields();
        let is_own = |name: &str| {
            !head_names.iter().any(|field| field.name() == name) && !head::TEXTS.contains(&name)
        };
        let own = batch.schema_ref().fields().iter().zip(batch.columns());
        Rows {
            batch,
            dataset: text(head::DATASET),
            item: text(head::ITEM),
            subject: text(head::SUBJECT),
            epoch: batch
                .column_by_name(head::EPOCH)
                .and_then(|a| a.as_primitive_opt::<Int32Type>()),
            cluster: text(head::CLUSTER),
            verdict: text(head::VERDICT),
            decision: text(head::DECISION),
            score: number(head::SCORE),
            file: text(head::INPUT_FILE),
            line: long(head::INPUT_LINE),
            offset: long(head::INPUT_OFFSET),
            bytes: long(head::INPUT_BYTES),
            hash: batch
                .column_by_name(head::INPUT_HASH)
                .and_then(|a| a.as_primitive_opt::<UInt64Type>()),
            usage: [
                head::LATENCY_MS,
                head::TOKENS_IN,
                head::TOKENS_OUT,
                head::USD,
            ]
            .map(number),
            labels: list(head::LABELS),
            evidence: list(head::EVIDENCE),
            texts: head::TEXTS.map(text),
            own: own
                .filter(|(field, _)| is_own(field.name()))
                .map(|(field, column)| (field.name().as_str(), column))
                .collect(),
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of the columns of the command alone.
    pub fn own_names(&self) -> Vec<&'b str> {
        self.own.iter().map(|(name, _)| *name).collect()
    }

    /// Where the record in a row stands.
    pub fn place(&self, row: usize) -> Option<Place<'b>> {
        let unsigned = |column: Option<&Int64Array>, row| {
            value(column, row).and_then(|n| u64::try_from(n).ok())
        };
        value(self.file, row).map(|file| Place {
            file,
            line: unsigned(self.line, row).unwrap_or(0),
            offset: unsigned(self.offset, row),
            bytes: unsigned(self.bytes, row),
            hash: self
                .hash
                .filter(|column| column.is_valid(row))
                .map(|column| column.value(row)),
        })
    }

    /// What the record in a row is of: its data set, item and subject.
    pub fn names(&self, row: usize) -> [&'b str; 3] {
        [self.dataset, self.item, self.subject].map(|column| value(column, row).unwrap_or_default())
    }

    /// Which repeat the record in a row is.
    pub fn epoch(&self, row: usize) -> i32 {
        self.epoch.map_or(1, |column| column.value(row))
    }

    /// The record in a row. `scratch` holds what it borrows beyond the columns.
    pub fn get<'s>(&'s self, row: usize, scratch: &'s mut Scratch<'b>) -> RunRecord<'s>
    where
        'b: 's,
    {
        scratch.labels.clear();
        scratch.evidence.clear();
        scratch.own.clear();
        if let Some(list) = self.labels {
            labels(list, row, &mut scratch.labels);
        }
        if let Some(list) = self.evidence {
            evidence(list, row, &mut scratch.evidence);
        }
        scratch
            .own
            .extend(self.own.iter().map(|(_, column)| own_value(column, row)));
        let place = self.place(row);
        let [dataset, item, subject] = self.names(row);
        let [latency_ms, tokens_in, tokens_out, usd] = self.usage.map(|column| value(column, row));
        let [input, target, output] = self.texts.map(|column| value(column, row));
        RunRecord {
            dataset,
            item,
            subject,
            epoch: self.epoch(row),
            cluster: value(self.cluster, row),
            verdict: value(self.verdict, row).and_then(|word| {
                Verdict::ALL
                    .into_iter()
                    .find(|verdict| verdict.name() == word)
            }),
            decision: value(self.decision, row),
            score: value(self.score, row),
            place,
            latency_ms,
            tokens_in,
            tokens_out,
            usd,
            labels: &scratch.labels,
            evidence: &scratch.evidence,
            texts: Texts {
                input,
                target,
                output,
            },
            own: &scratch.own,
        }
    }
}

/// What a column has in a row.
fn value<A: ArrayAccessor>(column: Option<A>, row: usize) -> Option<A::Item> {
    let column = column.filter(|column| column.is_valid(row))?;
    Some(column.value(row))
}

fn labels<'b>(list: &'b ListArray, row: usize, out: &mut Vec<Label<'b>>) {
    let Some(fields) = list.values().as_struct_opt() else {
        return;
    };
    let column = |at: usize| {
        fields
            .columns()
            .get(at)
            .and_then(|a| a.as_string_opt::<i32>())
    };
    for at in places(list, row) {
        out.push(Label {
            rater: value(column(0), at).unwrap_or_default(),
            value: value(column(1), at).unwrap_or_default(),
        });
    }
}

fn evidence<'b>(list: &'b ListArray, row: usize, out: &mut Vec<Evidence<'b>>) {
    let Some(fields) = list.values().as_struct_opt() else {
        return;
    };
    let column = |at: usize| fields.columns().get(at);
    let words = |at: usize| column(at).and_then(|a| a.as_string_opt::<i32>());
    let numbers = |at: usize| column(at).and_then(|a| a.as_primitive_opt::<Float64Type>());
    let steps = column(2).and_then(|a| a.as_primitive_opt::<Int32Type>());
    let passes: Option<&BooleanArray> = column(3).and_then(|a| a.as_boolean_opt());
    for at in places(list, row) {
        out.push(Evidence {
            rule: value(words(0), at).unwrap_or_default(),
            field: value(words(1), at),
            step: steps
                .filter(|column| column.is_valid(at))
                .map(|column| column.value(at)),
            pass: passes.is_some_and(|column| column.value(at)),
            severity: value(words(4), at).unwrap_or_default(),
            observed: value(numbers(5), at),
            limit: value(numbers(6), at),
            text: value(words(7), at),
            score: value(numbers(8), at),
            adjusted_by: value(words(9), at),
        });
    }
}

/// Where the elements of a row's list stand.
fn places(list: &ListArray, row: usize) -> std::ops::Range<usize> {
    let offsets = list.value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}

/// The value of a column that one command alone has.
pub fn own_value(column: &ArrayRef, row: usize) -> OwnValue<'_> {
    if column.is_null(row) {
        return OwnValue::Null;
    }
    if let Some(column) = column.as_string_opt::<i32>() {
        return OwnValue::Text(column.value(row));
    }
    if let Some(column) = column.as_primitive_opt::<Float64Type>() {
        return OwnValue::Number(column.value(row));
    }
    if let Some(column) = column.as_primitive_opt::<Int64Type>() {
        return OwnValue::Integer(column.value(row));
    }
    if let Some(column) = column.as_primitive_opt::<Int32Type>() {
        return OwnValue::Integer(i64::from(column.value(row)));
    }
    match column.as_boolean_opt() {
        Some(column) => OwnValue::Boolean(column.value(row)),
        None => OwnValue::Null,
    }
}
