//! `judica export`: the records of a run in another format.

use std::io::Write;

use judica_data::json::text::write_number;
use judica_data::parquet::TableWriter;

use crate::agent::{EvaluatorAgent, Evidence, RuleBasedAgent};
use crate::error::EvalError;
use crate::evaluate::{Evaluated, RecordRow};
use crate::render::{Renderer, grade};
use crate::sheet;
use crate::sheet::columns::{family_columns, flat};
use crate::sheet::write::SheetWriter;
use crate::stored::folder::RunFolder;
use crate::stored::record::{StoredError, StoredRecord};

/// Rows of a row group when records are turned into a table again.
const ROW_GROUP: usize = 5_000;

/// Calls `each` with every record as one JSON line.
pub fn jsonl<E>(run: &RunFolder, each: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E>
where
    E: From<EvalError> + From<StoredError>,
{
    let agent = RuleBasedAgent;
    let renderer = Renderer::new(&run.protocol, &run.checks, &agent, run.trace());
    let mut line = Vec::new();
    run.for_each(&mut |record: &StoredRecord| {
        line.clear();
        renderer.write(&record.view(), &mut line);
        line.push(b'\n');
        each(&line)
    })
}

/// Calls `each` with the cells of a header, then of every record.
pub fn csv<E>(run: &RunFolder, each: &mut dyn FnMut(&[String]) -> Result<(), E>) -> Result<(), E>
where
    E: From<EvalError> + From<StoredError>,
{
    let fixed = [
        flat::SAMPLE_ID,
        flat::MODEL_NAME,
        flat::TASK_ID,
        flat::PARSING,
        flat::ADJUDICATION,
        flat::GRADE,
        flat::TOP_RULE,
        flat::FIELDS_PRESENT,
        flat::COMPARED_VALUES,
    ];
    let mut header: Vec<String> = fixed
        .iter()
        .chain(&flat::SCORES)
        .map(|name| (*name).to_owned())
        .collect();
    header.extend(
        run.protocol
            .families
            .iter()
            .flat_map(|family| family_columns(&family.name)),
    );
    each(&header)?;
    run.for_each(&mut |record: &StoredRecord| {
        let scores = record.scores();
        let top = reasons(run, record)
            .first()
            .map(|rule| run.checks.rule_names[*rule as usize].clone());
        let mut cells = vec![
            record.sample_id.clone(),
            record.model_name.clone(),
            run.protocol.tasks[record.task].name.clone(),
            record.outcome().name().to_owned(),
            record.adjudication().name().to_owned(),
            grade(&run.protocol, scores).unwrap_or_default().to_owned(),
            top.unwrap_or_default(),
            record.present().to_string(),
            scores.compared.to_string(),
        ];
        let all = [
            scores.availability,
            scores.constraint,
            scores.error,
            scores.total,
            scores.mae,
            scores.rmse,
        ];
        cells.extend(all.map(number));
        for count in record.counts() {
            cells.extend(
                [count.atoms, count.critical, count.warning].map(|count| count.to_string()),
            );
        }
        each(&cells)
    })
}

/// A number in full precision; nothing for null.
fn number(value: f64) -> String {
    let mut text = Vec::new();
    if !value.is_nan() {
        write_number(value, &mut text);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The rules of a record's reasons, gravest first.
fn reasons(run: &RunFolder, record: &StoredRecord) -> Vec<u32> {
    let view = record.view();
    let evidence = Evidence {
        protocol: &run.protocol,
        checks: &run.checks,
        check: view.check,
        severity: view.severity,
        counts: view.counts,
    };
    RuleBasedAgent
        .attribute(&evidence)
        .into_iter()
        .map(|reason| reason.rule as u32)
        .collect()
}

/// Writes the records as a Parquet table.
pub fn parquet<W: Write + Send>(run: &RunFolder, out: W) -> Result<W, EvalError> {
    let spec = sheet::columns::table(&run.protocol)?;
    let metadata = sheet::metadata_of(&run.protocol, run.trace());
    let mut table = TableWriter::new(out, &spec, &metadata)?;
    let mut group = Group::default();
    run.for_each(&mut |record: &StoredRecord| {
        // A row group has one input file.
        if group.rows.records.len() == ROW_GROUP || group.file != record.input_file {
            group.write(run, &spec, &mut table)?;
            group.file = record.input_file.clone();
        }
        group.push(run, record);
        Ok::<(), EvalError>(())
    })?;
    group.write(run, &spec, &mut table)?;
    Ok(table.finish()?)
}

/// Records on their way into a row group.
#[derive(Default)]
struct Group {
    file: String,
    rows: Evaluated,
    samples: Vec<String>,
    models: Vec<Box<str>>,
}

impl Group {
    fn push(&mut self, run: &RunFolder, record: &StoredRecord) {
        let view = record.view();
        let known = self
            .models
            .iter()
            .position(|model| **model == *record.model_name);
        let model = known.unwrap_or_else(|| {
            self.models.push(record.model_name.as_str().into());
            self.models.len() - 1
        }) as u32;
        let atoms = &mut self.rows.atoms;
        let atoms_at = atoms.len() as u32;
        atoms.check.extend_from_slice(view.check);
        atoms.severity.extend_from_slice(view.severity);
        atoms.observed.extend_from_slice(view.observed);
        atoms.texts.extend(
            view.texts
                .iter()
                .map(|(atom, text)| (atoms_at + atom, text.clone())),
        );
        atoms.limits.extend(
            view.limits
                .iter()
                .map(|(atom, limit)| (atoms_at + atom, *limit)),
        );
        self.rows.counts.extend_from_slice(view.counts);
        self.rows.records.push(RecordRow {
            model,
            batch_model: model,
            sample: self.samples.len() as u32,
            task: record.task as u32,
            line: record.input_line as u64,
            outcome: view.outcome,
            present: view.present,
            adjudication: view.adjudication,
            scores: *view.scores,
            reasons: reasons(run, record),
            atoms_at,
            atoms: view.check.len() as u32,
            values_at: 0,
        });
        self.samples.push(record.sample_id.clone());
    }

    fn write<W: Write + Send>(
        &mut self,
        run: &RunFolder,
        spec: &judica_data::parquet::CompiledSpec,
        table: &mut TableWriter<W>,
    ) -> Result<(), EvalError> {
        let group = std::mem::take(self);
        let mut writer = SheetWriter::new(&run.protocol, &run.checks, spec, vec![group.file])?;
        table.append(writer.encode(
            &group.models,
            |sample| &group.samples[sample as usize],
            &group.rows,
            0,
        )?)?;
        Ok(())
    }
}
