//! The columns of `records.parquet`: a head that is the same in every run, then the columns
//! of the command alone.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use judica_data::parquet::{recurring, uncompressed};
use rustc_hash::FxHashMap;

/// Records per row group. It is fixed, so that the bytes do not depend on how records came; and
/// so few that one thread encodes one, and that one record is soon read out of it.
pub const GROUP_ROWS: usize = 8_192;

/// Names of the head's columns.
pub mod head {
    /// The data set.
    pub const DATASET: &str = "dataset";
    /// What was asked.
    pub const ITEM: &str = "item";
    /// Who answered.
    pub const SUBJECT: &str = "subject";
    /// Which repeat.
    pub const EPOCH: &str = "epoch";
    /// What it stands or falls with.
    pub const CLUSTER: &str = "cluster";
    /// What it comes to.
    pub const VERDICT: &str = "verdict";
    /// The command's own word for that.
    pub const DECISION: &str = "decision";
    /// The value of the primary metric.
    pub const SCORE: &str = "score";
    /// The input it stands in.
    pub const INPUT_FILE: &str = "input_file";
    /// The line there.
    pub const INPUT_LINE: &str = "input_line";
    /// The first byte there.
    pub const INPUT_OFFSET: &str = "input_offset";
    /// How many bytes.
    pub const INPUT_BYTES: &str = "input_bytes";
    /// Their fingerprint.
    pub const INPUT_HASH: &str = "input_hash";
    /// How long it took.
    pub const LATENCY_MS: &str = "latency_ms";
    /// Tokens of the question.
    pub const TOKENS_IN: &str = "tokens_in";
    /// Tokens of the answer.
    pub const TOKENS_OUT: &str = "tokens_out";
    /// What it cost.
    pub const USD: &str = "usd";
    /// What raters said.
    pub const LABELS: &str = "labels";
    /// What was seen.
    pub const EVIDENCE: &str = "evidence";
    /// The texts that `--keep-text` stores.
    pub const TEXTS: [&str; 3] = ["input", "target", "output"];
}

/// What a column of the command alone holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnKind {
    /// Yes or no.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Text.
    Text,
}

/// A column of the command alone. It may be null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: OwnKind,
}

impl OwnColumn {
    /// A column of this kind.
    pub fn new(name: impl Into<String>, kind: OwnKind) -> Self {
        OwnColumn {
            name: name.into(),
            kind,
        }
    }

    fn field(&self) -> Field {
        let kind = match self.kind {
            OwnKind::Boolean => DataType::Boolean,
            OwnKind::Integer => DataType::Int64,
            OwnKind::Number => DataType::Float64,
            OwnKind::Text => DataType::Utf8,
        };
        match self.kind {
            OwnKind::Number => uncompressed(Field::new(&self.name, kind, true)),
            OwnKind::Text => recurring(Field::new(&self.name, kind, true)),
            _ => Field::new(&self.name, kind, true),
        }
    }
}

/// The columns of a run.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Those of the command alone.
    pub own: Vec<OwnColumn>,
    /// Whether texts are stored.
    pub keep_text: bool,
    /// Records per row group.
    pub group_rows: usize,
    /// The words of evidence, where the command has only these.
    pub words: Option<EvidenceWords>,
    schema: SchemaRef,
}

/// The words that the evidence of a command has, in the order in which they are numbered.
#[derive(Debug, Clone)]
pub struct EvidenceWords {
    /// Rules.
    pub rules: Arc<StringArray>,
    /// Fields.
    pub fields: Arc<StringArray>,
    /// Steps.
    pub steps: Arc<Int32Array>,
    /// Severities.
    pub severities: Arc<StringArray>,
    /// Whether atoms have scores.
    pub scores: bool,
}

impl Layout {
    /// The head, then these columns.
    pub fn new(own: Vec<OwnColumn>, keep_text: bool) -> Self {
        let mut fields = head_fields();
        fields.extend(own.iter().map(OwnColumn::field));
        if keep_text {
            let [input, target, output] =
                head::TEXTS.map(|name| Field::new(name, DataType::Utf8, true));
            fields.extend([recurring(input), recurring(target), output]);
        }
        Layout {
            own,
            keep_text,
            group_rows: GROUP_ROWS,
            words: None,
            schema: Arc::new(Schema::new(fields)),
        }
    }

    /// The columns of records that were stored, whichever command they are of.
    pub(crate) fn of_stored(schema: &Schema, group_rows: usize) -> Self {
        let head = head_fields();
        let is_own = |field: &&Arc<Field>| {
            let name = field.name();
            !head.iter().any(|field| field.name() == name) && !head::TEXTS.contains(&name.as_str())
        };
        let own = schema.fields().iter().filter(is_own).map(|field| {
            let kind = match field.data_type() {
                DataType::Boolean => OwnKind::Boolean,
                DataType::Int64 => OwnKind::Integer,
                DataType::Float64 => OwnKind::Number,
                _ => OwnKind::Text,
            };
            OwnColumn::new(field.name(), kind)
        });
        let keep_text = schema.field_with_name(head::TEXTS[0]).is_ok();
        let scores = schema.field_with_name(head::EVIDENCE).is_ok_and(has_scores);
        Layout {
            group_rows,
            ..Layout::new(own.collect(), keep_text).with_open_evidence(scores)
        }
    }

    /// The same for a command whose records have much evidence, in words that recur and are not
    /// known before; with `scores` or without.
    #[must_use]
    pub fn with_open_evidence(self, scores: bool) -> Self {
        let words = evidence_of_words(scores);
        let words = words
            .iter()
            .map(|field| match WORDS.contains(&field.name().as_str()) {
                true => recurring(Field::clone(field)),
                false => Field::clone(field),
            });
        self.evidence_as(words.collect())
    }

    /// The same with evidence of these columns.
    fn evidence_as(mut self, evidence: Fields) -> Self {
        let fields = self.schema.fields().iter();
        let fields = fields.map(|field| match field.name() == head::EVIDENCE {
            true => list(head::EVIDENCE, evidence.clone()),
            false => Field::clone(field),
        });
        self.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        self
    }

    /// The same for a command whose records have much evidence, all of it in these words.
    #[must_use]
    pub fn with_evidence(self, words: EvidenceWords) -> Self {
        let fields = evidence_of_words(words.scores);
        Layout {
            words: Some(words),
            ..self.evidence_as(fields)
        }
    }

    /// Records that were read, their evidence in numbered words where the command has such.
    pub(crate) fn numbered(&self, batch: RecordBatch) -> Result<RecordBatch, String> {
        let (Some(words), Ok(at)) = (&self.words, batch.schema_ref().index_of(head::EVIDENCE))
        else {
            return Ok(batch);
        };
        let odd = |what: &str| format!("its evidence has {what} that the command does not know");
        let mut columns = batch.columns().to_vec();
        let list = columns[at]
            .as_list_opt::<i32>()
            .ok_or_else(|| odd("a shape"))?;
        let atoms = list
            .values()
            .as_struct_opt()
            .ok_or_else(|| odd("a shape"))?;
        let mut parts = atoms.columns().to_vec();
        let known = [&words.rules, &words.fields, &words.severities];
        for (name, known) in WORDS.into_iter().zip(known) {
            let place = atoms.column_names().iter().position(|n| *n == name);
            let place = place.ok_or_else(|| odd("a shape"))?;
            let given = parts[place].as_dictionary_opt::<Int32Type>();
            let given = given.ok_or_else(|| odd("a shape"))?;
            parts[place] = number(given, known).ok_or_else(|| odd(&format!("a {name}")))?;
        }
        let place = atoms.column_names().iter().position(|n| *n == "step");
        let place = place.ok_or_else(|| odd("a shape"))?;
        let steps = parts[place].as_primitive_opt::<Int32Type>();
        let steps = steps.ok_or_else(|| odd("a shape"))?;
        let most = words.steps.len() as i32;
        if steps
            .iter()
            .flatten()
            .any(|step| !(0..most).contains(&step))
        {
            return Err(odd("a step"));
        }
        let keys = steps.unary::<_, UInt8Type>(|step| step as u8);
        let known: ArrayRef = words.steps.clone();
        parts[place] = Arc::new(DictionaryArray::new(keys, known));
        let fields = with_scores(evidence_fields(), words.scores);
        if fields.len() != parts.len() {
            return Err(odd("columns"));
        }
        let fields = fields
            .iter()
            .zip(&parts)
            .map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()));
        let fields: Fields = fields.collect();
        let atoms = StructArray::try_new(fields.clone(), parts, None).map_err(|e| e.to_string())?;
        let item = element(fields);
        let list = ListArray::try_new(item, list.offsets().clone(), Arc::new(atoms), None);
        columns[at] = Arc::new(list.map_err(|e| e.to_string())?);
        let fields = batch.schema_ref().fields().iter().zip(&columns);
        let fields = fields
            .map(|(field, column)| Field::clone(field).with_data_type(column.data_type().clone()));
        let schema = Schema::new(fields.collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), columns).map_err(|e| e.to_string())
    }

    /// The columns of its evidence.
    pub fn evidence(&self) -> Fields {
        let field = self.schema.field_with_name(head::EVIDENCE);
        match field.map(Field::data_type) {
            Ok(DataType::List(element)) => match element.data_type() {
                DataType::Struct(fields) => fields.clone(),
                _ => Fields::empty(),
            },
            _ => Fields::empty(),
        }
    }

    /// The same as an Arrow schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// Words by the numbers that a command gives them; `None` if one is not known.
fn number(words: &DictionaryArray<Int32Type>, known: &Arc<StringArray>) -> Option<ArrayRef> {
    let by_word: FxHashMap<&str, u16> = known.iter().flatten().zip(0..).collect();
    let given = words.values().as_string_opt::<i32>()?;
    // A word that nobody uses need not be known.
    let numbers: Vec<Option<u16>> = given
        .iter()
        .map(|word| by_word.get(word?).copied())
        .collect();
    let keys = words.keys();
    if keys
        .iter()
        .flatten()
        .any(|key| numbers.get(key as usize).copied().flatten().is_none())
    {
        return None;
    }
    let of = |key: i32| numbers.get(key as usize).copied().flatten().unwrap_or(0);
    let values: ArrayRef = known.clone();
    Some(match known.len() <= 256 {
        true => {
            let keys = keys.unary::<_, UInt8Type>(|key| of(key) as u8);
            Arc::new(DictionaryArray::new(keys, values))
        }
        false => Arc::new(DictionaryArray::new(
            keys.unary::<_, UInt16Type>(of),
            values,
        )),
    })
}

/// The columns of evidence that hold words.
const WORDS: [&str; 3] = ["rule", "field", "severity"];

/// The columns of records that were stored, words of evidence and of some columns by their
/// numbers.
pub(crate) fn with_numbered_words(schema: &Schema, columns: &[&str]) -> Schema {
    let numbered = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let fields = schema.fields().iter().map(|field| {
        if columns.contains(&field.name().as_str()) {
            return Field::clone(field).with_data_type(numbered());
        }
        let DataType::List(element) = field.data_type() else {
            return Field::clone(field);
        };
        let (DataType::Struct(inner), true) = (element.data_type(), field.name() == head::EVIDENCE)
        else {
            return Field::clone(field);
        };
        let inner = inner
            .iter()
            .map(|part| match WORDS.contains(&part.name().as_str()) {
                true => Field::clone(part).with_data_type(numbered()),
                false => Field::clone(part),
            });
        let element = Field::clone(element).with_data_type(DataType::Struct(inner.collect()));
        Field::clone(field).with_data_type(DataType::List(Arc::new(element)))
    });
    Schema::new(fields.collect::<Vec<_>>())
}

/// The head's columns in their order.
pub fn head_fields() -> Vec<Field> {
    use DataType::{Float64, Int32, Int64, UInt64, Utf8};
    let full = |name, kind| Field::new(name, kind, false);
    let open = |name, kind| Field::new(name, kind, true);
    let number = |name| uncompressed(open(name, Float64));
    vec![
        recurring(full(head::DATASET, Utf8)),
        full(head::ITEM, Utf8),
        recurring(full(head::SUBJECT, Utf8)),
        full(head::EPOCH, Int32),
        open(head::CLUSTER, Utf8),
        recurring(open(head::VERDICT, Utf8)),
        recurring(open(head::DECISION, Utf8)),
        number(head::SCORE),
        recurring(open(head::INPUT_FILE, Utf8)),
        uncompressed(open(head::INPUT_LINE, Int64)),
        uncompressed(open(head::INPUT_OFFSET, Int64)),
        open(head::INPUT_BYTES, Int64),
        uncompressed(open(head::INPUT_HASH, UInt64)),
        number(head::LATENCY_MS),
        number(head::TOKENS_IN),
        number(head::TOKENS_OUT),
        number(head::USD),
        list(head::LABELS, label_fields()),
        list(head::EVIDENCE, evidence_fields()),
    ]
}

/// What a label consists of.
pub fn label_fields() -> Fields {
    let full = |name| Field::new(name, DataType::Utf8, false);
    Fields::from(vec![full("rater"), full("value")])
}

/// What a piece of evidence consists of.
pub fn evidence_fields() -> Fields {
    use DataType::{Boolean, Float64, Int32, Utf8};
    Fields::from(vec![
        Field::new("rule", Utf8, false),
        Field::new("field", Utf8, true),
        Field::new("step", Int32, true),
        Field::new("pass", Boolean, false),
        Field::new("severity", Utf8, false),
        uncompressed(Field::new("observed", Float64, true)),
        Field::new("limit", Float64, true),
        Field::new("text", Utf8, true),
    ])
}

/// The same with the columns of a command that gives scores to its atoms, if it does.
fn with_scores(fields: Fields, scores: bool) -> Fields {
    let [score, adjusted_by] = [
        uncompressed(Field::new("score", DataType::Float64, true)),
        recurring(Field::new("adjusted_by", DataType::Utf8, true)),
    ];
    let more = [score, adjusted_by].into_iter().map(Arc::new);
    let fields = fields.iter().cloned();
    fields.chain(more.filter(|_| scores)).collect()
}

/// Whether the column of evidence holds scores.
fn has_scores(evidence: &Field) -> bool {
    struct_of(evidence.data_type()).is_some_and(|fields| fields.find("score").is_some())
}

/// The columns of a list of structs.
fn struct_of(list: &DataType) -> Option<&Fields> {
    match list {
        DataType::List(element) => match element.data_type() {
            DataType::Struct(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a column that was found can be read as the one expected: evidence may have more
/// columns.
pub(crate) fn readable(found: &DataType, expected: &DataType) -> bool {
    if found.equals_datatype(expected) {
        return true;
    }
    let (Some(found), Some(expected)) = (struct_of(found), struct_of(expected)) else {
        return false;
    };
    let mut pairs = found.iter().zip(expected);
    let alike = |(found, expected): (&Arc<Field>, &Arc<Field>)| {
        found.name() == expected.name() && found.data_type().equals_datatype(expected.data_type())
    };
    found.len() > expected.len() && pairs.all(alike)
}

/// The columns of evidence where rules and fields are numbered words, so that texts are what
/// recurs; and those of scores, where there are such.
pub fn evidence_of_words(scores: bool) -> Fields {
    let fields = with_scores(evidence_fields(), scores);
    let fields = fields.iter().map(|field| match field.name().as_str() {
        "text" => recurring(Field::clone(field)),
        _ => Field::clone(field),
    });
    fields.collect()
}

fn list(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::List(element(fields)), false)
}

/// The element of a list of structs. It has the name that Parquet gives it, so that every
/// writer makes the same schema.
pub fn element(fields: Fields) -> Arc<Field> {
    Arc::new(Field::new("element", DataType::Struct(fields), false))
}
