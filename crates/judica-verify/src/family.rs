//! What readers of runs are told about `eval`: how a run is made again, and what is to be
//! said of a record.

use judica_data::source::Source;
use judica_data::work_error::WorkError;
use judica_model::record::Record;
use judica_model::run::RunRecord;
use judica_model::table::{Cell, Table};
use judica_run::family::{AtomWords, Described, Family, JsonWriter, Rerun};
use judica_run::manifest::{Manifest, name};
use judica_run::open::Run;

use crate::agent::{LLM, RULE_BASED};
use crate::eval::{EvalRequest, Hooks, InputFile, evaluate};
use crate::options::{REVIEWS, Recorded, role};
use crate::review::run::note_reviews;
use crate::review::stored::reviews_of;
use crate::review::{Review, ReviewStatus};
use crate::stored::RecordReader;

/// `eval`.
pub static FAMILY: Family = Family {
    command: "eval",
    rerun,
    describe: Some(describe),
    steps: None,
    json: Some(json),
    finish: Some(crate::ending::begin),
};

fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let reader = RecordReader::of(again.run)?;
    let recorded: Recorded = again.manifest.options()?;
    let files = |wanted: &str| -> Vec<InputFile> {
        let inputs = again.role(wanted).map(|input| {
            let place = recorded
                .places
                .iter()
                .find(|place| place.path == input.name);
            InputFile {
                path: input.path.clone(),
                name: input.name.clone(),
                task: place.and_then(|place| place.task.clone()),
                model: place.and_then(|place| place.model.clone()),
            }
        });
        inputs.collect()
    };
    let made_by = &reader.trace.record.reproducibility_info;
    if ![RULE_BASED, LLM].contains(&made_by.agent.as_str()) {
        return Err(WorkError::BadArtifact(format!(
            "{}: made by the agent `{}`, which this program does not have",
            again.run.path.join(name::MANIFEST).display(),
            made_by.agent
        )));
    }
    let given_as = &recorded.protocol.given_as;
    let mut protocol = (*reader.protocol).clone();
    for (program, now) in protocol.programs.iter_mut().zip(again.role(role::VERIFIER)) {
        program.digest.path = now.path.clone();
    }
    let request = EvalRequest {
        protocol,
        protocol_given: given_as.clone(),
        samples: files(role::SAMPLES),
        outputs: files(role::OUTPUTS),
        confidence: files(role::CONFIDENCE).into_iter().next(),
        out: again.folder.to_owned(),
        options: recorded.options,
        allow_commands: again.allow_commands,
        threads: again.threads,
        created_at: again.manifest.created_at.clone(),
    };
    let hooks = Hooks {
        progress: &|_| (),
        read: &|_| (),
        interrupted: again.interrupted,
    };
    evaluate(&request, &hooks)?;
    // Reviews are a model's words: nobody is asked again, no other file depends on them, and
    // they are held against their hash.
    if let (Some(mut reviews), Some(path)) = (reader.trace.reviews, again.run.file(REVIEWS)) {
        let digest = Source::open(&path)?.finish()?;
        reviews.sha256 = digest.sha256;
        note_reviews(
            Manifest::read(again.folder)?,
            again.folder,
            reviews,
            digest.bytes,
        )?;
    }
    Ok(())
}

fn json(run: &Run) -> Result<JsonWriter, WorkError> {
    let reader = RecordReader::of(run)?;
    Ok(Box::new(move |record, out| {
        reader.write(record, out)?;
        out.push(b'\n');
        Ok(())
    }))
}

/// What is said of a record.
fn describe(run: &Run, record: &RunRecord) -> Result<Described, WorkError> {
    let reader = RecordReader::of(run)?;
    let shown = reader.record(record)?;
    let reviews = reviews_of(run, record)?;
    let atoms = shown.evidence_pack.atoms.iter().map(|atom| AtomWords {
        id: atom.id.clone(),
        message: atom.message.clone(),
    });
    Ok(Described {
        before: vec![values(&shown), reasons(&shown), checklist(&shown)],
        atoms: atoms.collect(),
        after: reviews.iter().map(review).collect(),
    })
}

fn values(record: &Record) -> Table {
    let scores = &record.optional_scores;
    let read = &record.protocol_result;
    let method = read.parsing.method.as_ref().or(read.parsing.error.as_ref());
    let why = scores.undefined.as_deref().unwrap_or("undefined");
    let text = |text: Option<&str>| Cell::text(text.unwrap_or("n/a"));
    let number = |value: Option<f64>| Cell::number_or(value, 2, why);
    let fields = &read.field_completeness;
    let mut table = Table::new("Values").left("value").right("is");
    let dimensions = scores.dimensions.iter().flatten();
    let dimensions = dimensions.map(|(name, value)| (name.as_str(), number(value.as_f64())));
    let three = ["availability", "constraints", "error"];
    let instead = scores.dimensions.is_some() && scores.availability_score.is_none();
    let shown = [
        ("grade", text(scores.gating.grade.as_deref())),
        ("response", text(method.map(String::as_str))),
        (
            "required fields",
            Cell::text(format!("{} of {}", fields.present, fields.required)),
        ),
        ("availability", number(scores.availability_score)),
        ("constraints", number(scores.constraint_satisfaction_score)),
        ("error", number(scores.conditional_error_score)),
        ("total", number(scores.total_score)),
        ("MAE", number(scores.mae)),
        ("RMSE", number(scores.rmse)),
    ];
    let shown = shown.into_iter();
    let shown = shown.filter(|(name, _)| !(instead && three.contains(name)));
    for (name, cell) in shown.chain(dimensions) {
        table.push([Cell::text(name), cell]);
    }
    table
}

fn reasons(record: &Record) -> Table {
    let mut table = Table::new("Reasons")
        .right("#")
        .left("severity")
        .left("reason")
        .left("rule")
        .left("cites");
    for reason in &record.agent_output.attribution {
        table.push([
            Cell::count(reason.rank as usize),
            Cell::text(reason.severity.name()),
            Cell::text(&reason.reason),
            Cell::text(&reason.rule),
            Cell::text(reason.evidence_ids.join(", ")),
        ]);
    }
    table
}

fn checklist(record: &Record) -> Table {
    let mut table = Table::new("Checklist")
        .left("item")
        .left("family")
        .left("status")
        .right("atoms")
        .left("evidence");
    for item in &record.agent_output.checklist {
        let ids = &item.evidence_ids;
        let range = match (ids.first(), ids.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (Some(only), _) => only.clone(),
            _ => String::new(),
        };
        table.push([
            Cell::text(&item.item_id),
            Cell::text(&item.constraint_id),
            Cell::text(item.status.name()),
            Cell::count(ids.len()),
            Cell::text(range),
        ]);
    }
    table
}

/// A review, below the record it is about. Of one that does not hold the words are not shown.
fn review(review: &Review) -> Table {
    let mut table = Table::new(format!("Review by {}", review.reviewer))
        .left("says")
        .left("words")
        .left("cites");
    if review.status != ReviewStatus::Accepted {
        let problem = review.problem.as_deref().unwrap_or_default();
        table.note(format!("{}, because {problem}", review.status.name()));
        table.note("the decision above is the rules' and stands");
        return table;
    }
    for reason in &review.attribution {
        table.push([
            Cell::text(reason.severity.name()),
            Cell::text(&reason.reason),
            Cell::text(reason.evidence_ids.join(", ")),
        ]);
    }
    for item in &review.checklist {
        table.push([
            Cell::text(item.status.name()),
            Cell::text(&item.item),
            Cell::text(item.evidence_ids.join(", ")),
        ]);
    }
    let narrative = review.narrative.as_deref().unwrap_or_default();
    narrative.lines().for_each(|line| table.note(line));
    table.note(
        "a model's words; each id it cites is an atom of this record, no score depends on it",
    );
    table
}
