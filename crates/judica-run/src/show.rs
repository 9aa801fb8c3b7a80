//! One record of a run, with everything that is known of it.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use judica_data::work_error::WorkError;
use judica_model::run::{Evidence, OwnValue, RunRecord};
use judica_model::table::{Cell, Table};
use serde_json::{Map, Value, json};

use crate::export::See;
use crate::family::{AtomWords, Described};
use crate::layout::head;
use crate::open::Run;
use crate::rows::{Rows, Scratch};

/// Which records are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The item.
    pub item: String,
    /// Whose; any if none is named.
    pub subject: Option<String>,
    /// In which data set; any if none is named.
    pub dataset: Option<String>,
    /// Which repeat; any if none is named.
    pub epoch: Option<i32>,
}

impl Wanted {
    pub(crate) fn fits(&self, subject: &str, dataset: &str, epoch: i32) -> bool {
        let same =
            |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        same(&self.subject, subject)
            && same(&self.dataset, dataset)
            && self.epoch.is_none_or(|wanted| wanted == epoch)
    }
}

/// Calls `see` with every record that is wanted, in the run's order, and the names of its
/// own columns. Gives how many there were.
pub fn find(run: &Run, wanted: &Wanted, see: See) -> Result<usize, WorkError> {
    let records = run.records()?;
    // Most of a run is passed over by its items alone.
    let mut places = Vec::new();
    let mut first = 0;
    for batch in records.batches(&[head::ITEM])? {
        let batch = batch?;
        let items = batch.column(0).as_string::<i32>();
        let here = (0..items.len()).filter(|row| items.value(*row) == wanted.item);
        places.extend(here.map(|row| first + row as u64));
        first += items.len() as u64;
    }
    let mut seen = 0;
    for batch in records.rows(&[], &places)? {
        let rows = Rows::new(&batch);
        let names = rows.own_names();
        for row in 0..rows.len() {
            let mut scratch = Scratch::default();
            let record = rows.get(row, &mut scratch);
            if wanted.fits(record.subject, record.dataset, record.epoch) {
                see(&record, &names)?;
                seen += 1;
            }
        }
    }
    Ok(seen)
}

/// A record as JSON: the head's names, then the command's own.
pub fn json_of(record: &RunRecord, own: &[&str]) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put(head::DATASET, json!(record.dataset));
    put(head::ITEM, json!(record.item));
    put(head::SUBJECT, json!(record.subject));
    put(head::EPOCH, json!(record.epoch));
    put(head::CLUSTER, json!(record.cluster));
    put(head::VERDICT, json!(record.verdict));
    put(head::DECISION, json!(record.decision));
    put(head::SCORE, json!(record.score));
    let place = record.place;
    put(head::INPUT_FILE, json!(place.map(|place| place.file)));
    put(head::INPUT_LINE, json!(place.map(|place| place.line)));
    put(
        head::INPUT_OFFSET,
        json!(place.and_then(|place| place.offset)),
    );
    put(
        head::INPUT_BYTES,
        json!(place.and_then(|place| place.bytes)),
    );
    put(head::INPUT_HASH, json!(place.and_then(|place| place.hash)));
    put(head::LATENCY_MS, json!(record.latency_ms));
    put(head::TOKENS_IN, json!(record.tokens_in));
    put(head::TOKENS_OUT, json!(record.tokens_out));
    put(head::USD, json!(record.usd));
    let labels = record.labels.iter();
    let labels = labels.map(|label| json!({"rater": label.rater, "value": label.value}));
    put(head::LABELS, labels.collect());
    let evidence = record.evidence.iter().map(|atom| {
        let mut shown = json!({
            "rule": atom.rule,
            "field": atom.field,
            "step": atom.step,
            "pass": atom.pass,
            "severity": atom.severity,
            "observed": atom.observed,
            "limit": atom.limit,
            "text": atom.text,
        });
        if let (Some(score), Some(shown)) = (atom.score, shown.as_object_mut()) {
            shown.insert("score".to_owned(), json!(score));
            shown.insert("adjusted_by".to_owned(), json!(atom.adjusted_by));
        }
        shown
    });
    put(head::EVIDENCE, evidence.collect());
    for (name, value) in own.iter().zip(record.own) {
        put(name, own_json(value));
    }
    let texts = [record.texts.input, record.texts.target, record.texts.output];
    for (name, text) in head::TEXTS.iter().zip(texts) {
        if text.is_some() {
            put(name, json!(text));
        }
    }
    Value::Object(map)
}

/// The value of one of a command's own columns.
pub(crate) fn own_json(value: &OwnValue) -> Value {
    match value {
        OwnValue::Null => Value::Null,
        OwnValue::Boolean(value) => json!(value),
        OwnValue::Integer(value) => json!(value),
        OwnValue::Number(value) => json!(value),
        OwnValue::Text(value) => json!(value),
    }
}

/// A record's head in a few lines.
pub fn head_lines(record: &RunRecord) -> String {
    let mut text = format!(
        "item {}   subject {}   dataset {}",
        record.item, record.subject, record.dataset
    );
    if record.epoch != 1 {
        text.push_str(&format!("   epoch {}", record.epoch));
    }
    text.push('\n');
    if let Some(place) = &record.place {
        text.push_str(&format!("from {}:{}\n", place.file, place.line));
    }
    let verdict = record.verdict.map_or("n/a", |verdict| verdict.name());
    text.push_str(&format!("verdict: {verdict}"));
    if let Some(decision) = record.decision {
        text.push_str(&format!("   decision: {decision}"));
    }
    if let Some(score) = record.score {
        text.push_str(&format!("   score: {score:.4}"));
    }
    text.push('\n');
    let usage = [
        ("latency (ms)", record.latency_ms),
        ("tokens in", record.tokens_in),
        ("tokens out", record.tokens_out),
        ("USD", record.usd),
    ];
    let usage: Vec<String> = usage
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name} {value}")))
        .collect();
    if !usage.is_empty() {
        text.push_str(&format!("{}\n", usage.join("   ")));
    }
    text
}

/// A record as tables: what its command says of it, else its own columns; its labels; its
/// evidence. `all` shows evidence that passed, too.
pub fn tables(
    record: &RunRecord,
    own: &[&str],
    described: Option<Described>,
    all: bool,
) -> Vec<Table> {
    let (before, atoms, after) = match described {
        Some(described) => (described.before, Some(described.atoms), described.after),
        None => (vec![own_values(record, own)], None, Vec::new()),
    };
    let mut tables = before;
    tables.push(labels(record));
    tables.push(evidence(record, atoms.as_deref(), all));
    tables.extend(after);
    tables.retain(|table| !table.rows.is_empty() || !table.notes.is_empty());
    tables
}

/// The command's own columns, where they have a value.
pub fn own_values(record: &RunRecord, own: &[&str]) -> Table {
    let mut values = Table::new("Values").left("column").right("value");
    for (name, value) in own.iter().zip(record.own) {
        let cell = match value {
            OwnValue::Null => continue,
            OwnValue::Boolean(value) => Cell::text(value.to_string()),
            OwnValue::Integer(value) => Cell::Integer(*value),
            OwnValue::Number(value) => Cell::number(*value, 4),
            OwnValue::Text(value) => Cell::text(*value),
        };
        values.push([Cell::text(*name), cell]);
    }
    values
}

/// Who said what.
pub fn labels(record: &RunRecord) -> Table {
    let mut labels = Table::new("Labels").left("rater").left("value");
    for label in record.labels {
        labels.push([Cell::text(label.rater), Cell::text(label.value)]);
    }
    labels
}

/// What an atom looked at.
pub fn looked_at(atom: &Evidence) -> String {
    match (atom.field, atom.step) {
        (Some(field), Some(step)) => format!("{field}[{step}]"),
        (Some(field), None) => field.to_owned(),
        (None, Some(step)) => format!("step {step}"),
        (None, None) => String::new(),
    }
}

fn evidence(record: &RunRecord, words: Option<&[AtomWords]>, all: bool) -> Table {
    // Evidence that cannot fail, a normal form say, is shown always.
    let all = all || words.is_none() && record.evidence.iter().all(|atom| atom.pass);
    let title = match all {
        true => "Evidence",
        false => "Failed evidence (--all shows passed atoms too)",
    };
    let shown = |atom: &&Evidence| all || !atom.pass;
    let Some(words) = words else {
        let mut table = Table::new(title)
            .left("rule")
            .left("field")
            .left("severity")
            .right("observed")
            .right("limit")
            .left("text");
        let number = |value: Option<f64>| {
            Cell::text(value.map(|value| value.to_string()).unwrap_or_default())
        };
        for atom in record.evidence.iter().filter(shown) {
            table.push([
                Cell::text(atom.rule),
                Cell::text(looked_at(atom)),
                Cell::text(atom.severity),
                number(atom.observed),
                number(atom.limit),
                Cell::text(atom.text.unwrap_or_default()),
            ]);
        }
        return table;
    };
    let mut table = Table::new(title)
        .left("id")
        .left("severity")
        .left("rule")
        .left("field")
        .left("message");
    let atoms = record.evidence.iter().zip(words);
    for (atom, words) in atoms.filter(|(atom, _)| shown(atom)) {
        table.push([
            Cell::text(&words.id),
            Cell::text(if atom.pass { "pass" } else { atom.severity }),
            Cell::text(atom.rule),
            Cell::text(atom.field.unwrap_or("(several)")),
            Cell::text(&words.message),
        ]);
    }
    table
}
