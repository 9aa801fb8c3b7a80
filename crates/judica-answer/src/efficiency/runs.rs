//! Runs that other commands left, as facts: accuracy is their primary metric.

use std::collections::BTreeMap;
use std::path::Path;

use judica_data::work_error::WorkError;
use judica_model::run::{Direction, MetricSpec};
use judica_run::layout::head;
use judica_run::open::Run;
use judica_run::rows::{Rows, Scratch};
use judica_run::values::{Terms, columns_of, kind};
use judica_stats::keyed::Keys;

use super::facts::{Measured, RunFacts, Tokens};
use super::load::Loaded;
use super::report::RunFile;

/// Adds a run: for each subject and data set what one file of predictions would give.
pub(super) fn add(folder: &Path, loaded: &mut Loaded) -> Result<(), WorkError> {
    let run = Run::open(folder)?;
    let shown = folder.display().to_string();
    let wrong = |what: String| WorkError::BadInput(format!("{shown}: {what}"));
    let metric = run
        .manifest
        .primary()
        .filter(|metric| metric.above.is_some());
    let Some(metric) = metric.cloned() else {
        return Err(wrong(
            "its records have no primary metric to compare".to_owned(),
        ));
    };
    if metric.direction == Direction::Lower {
        let name = &metric.name;
        return Err(wrong(format!(
            "its primary metric `{name}` is the better the lower it is, which no accuracy is"
        )));
    }
    let mut found = read(&run, &metric)?;
    if found.is_empty() {
        return Err(wrong("no record in it".to_owned()));
    }
    let several = found
        .keys()
        .any(|(dataset, _)| Some(dataset) != found.keys().next().map(|(d, _)| d));
    let name = folder
        .file_name()
        .unwrap_or(folder.as_os_str())
        .to_string_lossy();
    for ((dataset, subject), facts) in &mut found {
        facts.model.clone_from(subject);
        facts.run = match several {
            true => format!("{name}/{dataset}"),
            false => name.clone().into_owned(),
        };
        let measured = facts.measured.as_ref();
        let n = measured.map_or(0, |measured| measured.terms.len() as u64);
        if n < facts.rows {
            loaded.notes.push(format!(
                "{}: {} of {} records of `{subject}` have no value of `{}`; its accuracy is over \
                 the others",
                facts.run,
                facts.rows - n,
                facts.rows,
                metric.name
            ));
        }
        loaded.inputs += facts.rows;
        loaded.files.push(RunFile {
            file: shown.clone(),
            dataset: dataset.clone(),
            model: subject.clone(),
            run: facts.run.clone(),
            normalizer: None,
            judged: None,
            read_as: None,
        });
    }
    loaded.facts.extend(found.into_values());
    Ok(())
}

/// What each subject did on each data set.
fn read(run: &Run, metric: &MetricSpec) -> Result<BTreeMap<(String, String), RunFacts>, WorkError> {
    let mut columns = vec![
        head::DATASET,
        head::SUBJECT,
        head::ITEM,
        head::CLUSTER,
        head::LATENCY_MS,
        head::TOKENS_IN,
        head::TOKENS_OUT,
        head::USD,
    ];
    columns.extend(columns_of(std::iter::once(metric)));
    let mut found: BTreeMap<(String, String), RunFacts> = BTreeMap::new();
    for batch in run.records()?.batches(&columns)? {
        let batch = batch?;
        let (rows, terms) = (Rows::new(&batch), Terms::new(&batch, metric));
        for row in 0..rows.len() {
            let mut scratch = Scratch::default();
            let record = rows.get(row, &mut scratch);
            let key = (record.dataset.to_owned(), record.subject.to_owned());
            let facts = found.entry(key).or_default();
            facts.rows += 1;
            let measured = facts.measured.get_or_insert_with(|| Measured {
                metric: metric.name.clone(),
                kind: kind(metric),
                keys: Keys::default(),
                terms: Vec::new(),
            });
            if let Some(terms) = terms.get(row) {
                let keys = &mut measured.keys;
                keys.push(record.cluster, record.dataset, record.item);
                measured.terms.push(terms);
            }
            facts.latencies_ms.extend(record.latency_ms);
            facts.usd.extend(record.usd);
            if let (Some(input), Some(output)) = (record.tokens_in, record.tokens_out) {
                facts.tokens = facts.tokens.plus(Tokens {
                    input: input as u64,
                    output: output as u64,
                    rows: 1,
                });
                facts.untimed_tokens += u64::from(record.latency_ms.is_none());
            }
        }
    }
    Ok(found)
}
