//! Records become columns. Any thread can fill its own; the writer takes them in order.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder, UInt64Builder,
};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use judica_model::run::{Evidence, Label, OwnValue, RunRecord};

use crate::layout::{Layout, OwnKind, element, evidence_fields, label_fields};

/// Columns that are being filled.
pub struct RecordColumns {
    layout: Arc<Layout>,
    rows: usize,
    dataset: StringBuilder,
    item: StringBuilder,
    subject: StringBuilder,
    epoch: Int32Builder,
    cluster: StringBuilder,
    verdict: StringBuilder,
    decision: StringBuilder,
    score: Float64Builder,
    input_file: StringBuilder,
    input_line: Int64Builder,
    input_offset: Int64Builder,
    input_bytes: Int64Builder,
    input_hash: UInt64Builder,
    usage: [Float64Builder; 4],
    labels: Labels,
    evidence: EvidenceColumns,
    own: Vec<OwnBuilder>,
    texts: [StringBuilder; 3],
}

impl RecordColumns {
    /// No record yet.
    pub fn new(layout: &Arc<Layout>) -> Self {
        RecordColumns {
            layout: Arc::clone(layout),
            rows: 0,
            dataset: StringBuilder::new(),
            item: StringBuilder::new(),
            subject: StringBuilder::new(),
            epoch: Int32Builder::new(),
            cluster: StringBuilder::new(),
            verdict: StringBuilder::new(),
            decision: StringBuilder::new(),
            score: Float64Builder::new(),
            input_file: StringBuilder::new(),
            input_line: Int64Builder::new(),
            input_offset: Int64Builder::new(),
            input_bytes: Int64Builder::new(),
            input_hash: UInt64Builder::new(),
            usage: Default::default(),
            labels: Labels::default(),
            evidence: EvidenceColumns::default(),
            own: layout.own.iter().map(|own| own.kind.into()).collect(),
            texts: Default::default(),
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a record.
    pub fn push(&mut self, record: &RunRecord) {
        self.rows += 1;
        self.dataset.append_value(record.dataset);
        self.item.append_value(record.item);
        self.subject.append_value(record.subject);
        self.epoch.append_value(record.epoch);
        self.cluster.append_option(record.cluster);
        let verdict = record.verdict.map(|verdict| verdict.name());
        self.verdict.append_option(verdict);
        self.decision.append_option(record.decision);
        self.score.append_option(record.score);
        let place = record.place;
        let signed = |n: u64| n as i64;
        self.input_file.append_option(place.map(|place| place.file));
        self.input_line
            .append_option(place.map(|place| signed(place.line)));
        self.input_offset
            .append_option(place.and_then(|place| place.offset).map(signed));
        self.input_bytes
            .append_option(place.and_then(|place| place.bytes).map(signed));
        self.input_hash
            .append_option(place.and_then(|place| place.hash));
        let usage = [
            record.latency_ms,
            record.tokens_in,
            record.tokens_out,
            record.usd,
        ];
        for (column, value) in self.usage.iter_mut().zip(usage) {
            column.append_option(value);
        }
        self.labels.push(record.labels);
        self.evidence.push(record.evidence);
        for (at, column) in self.own.iter_mut().enumerate() {
            column.push(record.own.get(at).copied().unwrap_or(OwnValue::Null));
        }
        if self.layout.keep_text {
            let texts = [record.texts.input, record.texts.target, record.texts.output];
            for (column, text) in self.texts.iter_mut().zip(texts) {
                column.append_option(text);
            }
        }
    }

    /// The records so far as a batch; then there are none again.
    pub fn take(&mut self) -> RecordBatch {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.dataset.finish()),
            Arc::new(self.item.finish()),
            Arc::new(self.subject.finish()),
            Arc::new(self.epoch.finish()),
            Arc::new(self.cluster.finish()),
            Arc::new(self.verdict.finish()),
            Arc::new(self.decision.finish()),
            Arc::new(self.score.finish()),
            Arc::new(self.input_file.finish()),
            Arc::new(self.input_line.finish()),
            Arc::new(self.input_offset.finish()),
            Arc::new(self.input_bytes.finish()),
            Arc::new(self.input_hash.finish()),
        ];
        for column in &mut self.usage {
            columns.push(Arc::new(column.finish()));
        }
        columns.push(self.labels.take());
        columns.push(self.evidence.take());
        columns.extend(self.own.iter_mut().map(OwnBuilder::take));
        if self.layout.keep_text {
            for column in &mut self.texts {
                columns.push(Arc::new(column.finish()));
            }
        }
        self.rows = 0;
        // Every column was given one value per record, of the kind that the layout names.
        RecordBatch::try_new(Arc::clone(self.layout.schema()), columns)
            .expect("columns follow from their layout")
    }
}

/// The column of labels.
#[derive(Default)]
struct Labels {
    lengths: Vec<usize>,
    rater: StringBuilder,
    value: StringBuilder,
}

impl Labels {
    fn push(&mut self, labels: &[Label]) {
        self.lengths.push(labels.len());
        for label in labels {
            self.rater.append_value(label.rater);
            self.value.append_value(label.value);
        }
    }

    fn take(&mut self) -> ArrayRef {
        let columns: Vec<ArrayRef> =
            vec![Arc::new(self.rater.finish()), Arc::new(self.value.finish())];
        let elements = StructArray::new(label_fields(), columns, None);
        list(std::mem::take(&mut self.lengths), elements)
    }
}

/// The column of evidence.
#[derive(Default)]
struct EvidenceColumns {
    lengths: Vec<usize>,
    rule: StringBuilder,
    field: StringBuilder,
    step: Int32Builder,
    pass: BooleanBuilder,
    severity: StringBuilder,
    observed: Float64Builder,
    limit: Float64Builder,
    text: StringBuilder,
}

impl EvidenceColumns {
    fn push(&mut self, evidence: &[Evidence]) {
        self.lengths.push(evidence.len());
        for atom in evidence {
            self.rule.append_value(atom.rule);
            self.field.append_option(atom.field);
            self.step.append_option(atom.step);
            self.pass.append_value(atom.pass);
            self.severity.append_value(atom.severity);
            self.observed.append_option(atom.observed);
            self.limit.append_option(atom.limit);
            self.text.append_option(atom.text);
        }
    }

    fn take(&mut self) -> ArrayRef {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.rule.finish()),
            Arc::new(self.field.finish()),
            Arc::new(self.step.finish()),
            Arc::new(self.pass.finish()),
            Arc::new(self.severity.finish()),
            Arc::new(self.observed.finish()),
            Arc::new(self.limit.finish()),
            Arc::new(self.text.finish()),
        ];
        let elements = StructArray::new(evidence_fields(), columns, None);
        list(std::mem::take(&mut self.lengths), elements)
    }
}

fn list(lengths: Vec<usize>, elements: StructArray) -> ArrayRef {
    let item = element(elements.fields().clone());
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(ListArray::new(item, offsets, Arc::new(elements), None))
}

/// A column of the command alone.
enum OwnBuilder {
    Boolean(BooleanBuilder),
    Integer(Int64Builder),
    Number(Float64Builder),
    Text(StringBuilder),
}

impl From<OwnKind> for OwnBuilder {
    fn from(kind: OwnKind) -> Self {
        match kind {
            OwnKind::Boolean => OwnBuilder::Boolean(BooleanBuilder::new()),
            OwnKind::Integer => OwnBuilder::Integer(Int64Builder::new()),
            OwnKind::Number => OwnBuilder::Number(Float64Builder::new()),
            OwnKind::Text => OwnBuilder::Text(StringBuilder::new()),
        }
    }
}

impl OwnBuilder {
    /// A value of another kind than was declared is a defect of the command; it is left out
    /// rather than written as something else.
    fn push(&mut self, value: OwnValue) {
        match (self, value) {
            (OwnBuilder::Boolean(column), OwnValue::Boolean(value)) => column.append_value(value),
            (OwnBuilder::Integer(column), OwnValue::Integer(value)) => column.append_value(value),
            (OwnBuilder::Number(column), OwnValue::Number(value)) => column.append_value(value),
            (OwnBuilder::Text(column), OwnValue::Text(value)) => column.append_value(value),
            (column, value) => {
                debug_assert_eq!(value, OwnValue::Null, "of another kind than declared");
                match column {
                    OwnBuilder::Boolean(column) => column.append_null(),
                    OwnBuilder::Integer(column) => column.append_null(),
                    OwnBuilder::Number(column) => column.append_null(),
                    OwnBuilder::Text(column) => column.append_null(),
                }
            }
        }
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            OwnBuilder::Boolean(column) => Arc::new(column.finish()),
            OwnBuilder::Integer(column) => Arc::new(column.finish()),
            OwnBuilder::Number(column) => Arc::new(column.finish()),
            OwnBuilder::Text(column) => Arc::new(column.finish()),
        }
    }
}
