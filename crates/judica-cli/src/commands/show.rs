//! `judica show`

use std::collections::BTreeSet;

use judica_model::exit_code::ExitCode;
use judica_model::metric::MetricValue;
use judica_model::run::RunRecord;
use judica_model::table::Table;
use judica_model::text::begin;
use judica_report::visible;
use judica_run::open::Run;
use judica_run::show::{Wanted, find, head_lines, tables};
use judica_run::text::{Said, said};
use judica_run::values::{self, MetricOf};

use super::families::{family, json_writer};
use super::{check_folder, threads};
use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::screen;

/// With more values than this those of single data sets are left out.
const MOST_VALUES: usize = 100;
/// How much of an answer is printed.
const LONGEST: usize = 4000;

/// Prints the report of a run again, or the records of one item.
pub fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    check_folder("--inputs", args.inputs.as_deref())?;
    let run = Run::open(&args.run)?;
    match &args.item {
        None if args.metrics => metrics(&run, args.json)?,
        None => report(&run, args.json)?,
        Some(item) => records(&run, item, args)?,
    }
    Ok(ExitCode::Done)
}

fn report(run: &Run, json: bool) -> Result<(), Failure> {
    if json {
        screen::print_json(&run.report()?);
        return Ok(());
    }
    for table in run.tables()? {
        screen::print_table(&table);
        screen::print("\n");
    }
    screen::print_table(&values_table(run)?);
    let counts = &run.manifest.counts;
    screen::print(&format!(
        "\n{}: inputs {} = used {} + rejects {}; records {}\n",
        visible(&run.manifest.command),
        counts.inputs,
        counts.used,
        counts.rejects,
        counts.records
    ));
    Ok(())
}

fn metrics(run: &Run, json: bool) -> Result<(), Failure> {
    match json {
        true => {
            let metrics = values::usual_values(run, threads(None))?;
            screen::print_json(&serde_json::json!({ "metrics": metrics }));
        }
        false => screen::print_table(&values_table(run)?),
    }
    Ok(())
}

/// The metrics of a run with their intervals.
pub fn values_table(run: &Run) -> Result<Table, Failure> {
    let mut found = values::usual_values(run, threads(None))?;
    // Where others have a value of it, a metric that says nothing of a subject is not shown.
    let defined = |of: &MetricOf| matches!(of.value, MetricValue::Defined { .. });
    let known = found
        .iter()
        .filter(|of| of.subject.is_none() && defined(of));
    let known: BTreeSet<String> = known.map(|of| of.metric.clone()).collect();
    found.retain(|of| of.subject.is_none() || defined(of) || !known.contains(&of.metric));
    let shortened = found.len() > MOST_VALUES;
    if shortened {
        found.retain(|of| of.dataset.is_none());
    }
    let mut table = values::table(&found);
    if shortened {
        table.note(
            "over all data sets; by data set: judica plot RUN --by dataset, judica gate init RUN",
        );
    }
    Ok(table)
}

fn records(run: &Run, item: &str, args: &ShowArgs) -> Result<(), Failure> {
    let wanted = Wanted {
        item: item.to_owned(),
        subject: args.subject.clone(),
        dataset: args.dataset.clone(),
        epoch: args.epoch,
    };
    let found = find(run, &wanted, &mut |record, own| {
        if args.json {
            let mut line = Vec::new();
            json_writer(run)?(record, own, &mut line)?;
            screen::print_json_bytes(&line);
            return Ok(());
        }
        screen::print(&format!("\n{}", screen::visible_lines(&head_lines(record))));
        let describe = family(run)?.describe;
        let described = describe.map(|describe| describe(run, record)).transpose()?;
        for table in tables(record, own, described, args.all) {
            screen::print("\n");
            screen::print_table(&table);
        }
        screen::print(&format!("\n{}", answer(run, record, args)));
        Ok(())
    })?;
    if found > 0 {
        return Ok(());
    }
    let of = |what: &str, name: &Option<String>| {
        let name = name.as_ref();
        name.map(|name| format!(", {what} `{name}`"))
            .unwrap_or_default()
    };
    Err(Failure::Usage(format!(
        "{}: no record of item `{item}`{}{}",
        args.run.display(),
        of("subject", &args.subject),
        of("dataset", &args.dataset)
    )))
}

/// The answer itself.
fn answer(run: &Run, record: &RunRecord, args: &ShowArgs) -> String {
    match said(&run.path, record, args.inputs.as_deref()) {
        Said::Kept(texts) => {
            let texts = texts.iter();
            texts
                .map(|(name, text)| format!("{name}:\n{}\n", cut(text)))
                .collect()
        }
        Said::Row(row) => format!("as it stands in the input:\n{}\n", cut(&row)),
        Said::Gone(file, why) => format!("not shown from {}: {why}\n", visible(&file)),
        Said::Nowhere => String::new(),
    }
}

fn cut(text: &str) -> String {
    let (shown, more) = begin(text, LONGEST);
    screen::visible_lines(shown) + &more
}
