//! `judica demo`: synth, eval, and a result to read, with no file needed.

use std::collections::BTreeMap;

use judica_model::exit_code::ExitCode;
use judica_model::record::{Adjudication, Record};
use judica_model::table::{Cell, Table};
use judica_model::text::{shell_path, shell_word};
use judica_report::visible;
use judica_run::export::each;
use judica_run::open::Run;
use judica_synth::{Domain, SynthOptions};
use judica_verify::eval::{EvalRequest, InputFile};
use judica_verify::options::Options;
use judica_verify::protocol::load::load;
use judica_verify::stored::RecordReader;
use judica_verify::summary::report::{ModelProfile, Summary};

use super::files::{hold, shown};
use super::{eval, synth, threads};
use crate::args::DemoArgs;
use crate::args::run::{ReportArgs, TableFormat};
use crate::failure::Failure;
use crate::screen;
use crate::timestamp::timestamps;

/// Runs the demo.
pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    let known = |name: &&str| name.parse::<Domain>().is_ok();
    let of_protocol = args.protocol.as_deref().filter(known);
    let domain = args.domain.as_deref().or(of_protocol).unwrap_or("flight");
    let domain = synth::domain(domain)?;
    let given = args.protocol.as_deref().unwrap_or(domain.name());
    let protocol = load(given)?;
    let options = SynthOptions {
        samples: args.samples,
        models: args.models,
        seed: args.seed,
        tasks: Vec::new(),
    };
    let run_folder = args.out.join("run");
    let _held = (hold(&args.out)?, hold(&run_folder)?);
    let (samples, outputs) = synth::write(domain, &options, &args.out)?;
    let out = shown(&args.out);
    screen::print(&format!(
        "Made {samples} samples and {outputs} outputs of {} synthetic models in {out}.\n\n",
        args.models
    ));

    let timestamps = timestamps(None)?;
    let request = EvalRequest {
        protocol,
        protocol_given: given.to_owned(),
        samples: vec![InputFile::new(&args.out.join(synth::SAMPLES))],
        outputs: vec![InputFile::new(&args.out.join(synth::OUTPUTS))],
        confidence: Some(InputFile::new(&args.out.join(synth::CONFIDENCE))),
        out: run_folder.clone(),
        options: Options {
            timestamp: timestamps.fixed,
            ..Options::default()
        },
        allow_commands: false,
        threads: threads(args.threads),
        created_at: timestamps.created_at,
    };
    let outcome = eval::evaluate_with_progress(&request)?;
    let shown_as = ReportArgs {
        json: false,
        format: TableFormat::Terminal,
    };
    eval::show(&shown_as, &outcome, &run_folder)?;
    screen::print("\n");
    screen::print_table(&personalities(domain, &outcome.summary));

    let run = Run::open(&run_folder)?;
    let examples = typical_failures(&run, &outcome.summary)?;
    screen::print("\nWhy records failed, one per model, with the evidence each reason cites\n");
    for (record, shown) in examples.values() {
        if let Some(reason) = record.agent_output.attribution.get(*shown) {
            screen::print(&format!(
                "  {} on {}: {}\n    {} [{}] cites {}\n",
                record.model_name,
                record.sample_id,
                visible(&reason.reason),
                reason.rule,
                reason.severity.name(),
                reason.evidence_ids.join(", ")
            ));
        }
    }
    screen::print(&next_steps(
        given,
        &shell_path(&run_folder),
        examples.values().last(),
    ));
    Ok(ExitCode::Done)
}

/// What tells the personalities apart.
fn personalities(domain: Domain, summary: &Summary) -> Table {
    let mut table = Table::new("What tells them apart")
        .left("model")
        .left("made to be")
        .right("eligible")
        .right("API errors")
        .right("parse failures")
        .left("most common failure");
    for model in &summary.models {
        let made = domain.personalities().iter().find(|personality| {
            model
                .model_name
                .strip_prefix(personality.name)
                .is_some_and(|rest| rest.starts_with('-'))
        });
        table.push([
            Cell::text(&model.model_name),
            Cell::text(
                made.map(|personality| personality.describe)
                    .unwrap_or_default(),
            ),
            Cell::percent(model.eligibility_rate.unwrap_or(0.0), 1),
            Cell::count(model.api_errors),
            Cell::count(model.parse_failures),
            Cell::text(
                most_common_failure(model).map_or("none".to_owned(), |(family, count)| {
                    format!("{family} ({count})")
                }),
            ),
        ]);
    }
    table
}

/// For each model an ineligible record, and which of its reasons to show: of the family that
/// fails the model most often, if there is one, and rather the gravest.
fn typical_failures(
    run: &Run,
    summary: &Summary,
) -> Result<BTreeMap<String, (Record, usize)>, Failure> {
    let reader = RecordReader::of(run)?;
    let models = summary.models.iter();
    let wanted: BTreeMap<&str, &str> = models
        .filter_map(|model| Some((model.model_name.as_str(), most_common_failure(model)?.0)))
        .collect();
    let mut found: BTreeMap<String, (usize, Record)> = BTreeMap::new();
    each(run, &mut |stored, _| {
        let best = found.get(stored.subject).map(|(place, _)| *place);
        if stored.decision == Some(Adjudication::Ineligible.name())
            && best != Some(0)
            && let Ok(record) = reader.record(stored)
        {
            let place = wanted
                .get(stored.subject)
                .and_then(|family| place_of(family, &record))
                .unwrap_or(usize::MAX);
            if best.is_none_or(|best| place < best) {
                found.insert(stored.subject.to_owned(), (place, record));
            }
        }
        Ok(())
    })?;
    let shown = |place: usize| if place == usize::MAX { 0 } else { place };
    let found = found.into_iter();
    Ok(found
        .map(|(model, (place, record))| (model, (record, shown(place))))
        .collect())
}

/// Where the first reason of a family stands among a record's reasons, the gravest first.
fn place_of(family: &str, record: &Record) -> Option<usize> {
    let mut reasons = record.agent_output.attribution.iter();
    reasons.position(|reason| {
        let rest = reason.rule.strip_prefix(family);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

/// The family that gives most reasons for a model's ineligible records.
fn most_common_failure(model: &ModelProfile) -> Option<(&str, u64)> {
    let worst = model
        .failure_modes
        .iter()
        .rev()
        .max_by_key(|(_, count)| *count)?;
    (worst.1 > 0).then_some((worst.0.as_str(), worst.1))
}

fn next_steps(protocol: &str, run: &str, example: Option<&(Record, usize)>) -> String {
    let mut text = format!("\nWhere to look next\n  judica view {run}    # in a browser\n");
    if let Some((record, shown)) = example {
        let rule = record
            .agent_output
            .attribution
            .get(*shown)
            .map(|reason| reason.rule.as_str())
            .unwrap_or_default();
        text.push_str(&format!(
            "  judica show {run} {} --subject {}\n",
            shell_word(&record.sample_id),
            shell_word(&record.model_name)
        ));
        text.push_str(&format!("  judica explain {rule} --protocol {protocol}\n"));
    }
    text.push_str(&format!("  judica export {run} --format markdown\n"));
    text.push_str(&format!("  judica reproduce {run}\n"));
    text.push_str(&format!(
        "  judica rules --protocol {protocol} --source > my.toml    # a protocol of your own\n"
    ));
    text
}
