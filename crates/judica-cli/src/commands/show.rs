//! `judica show`

mod reviews;

use judica_model::exit_code::ExitCode;
use judica_model::record::Record;
use judica_model::table::{Cell, Table};
use judica_report::visible;
use judica_verify::agent::RuleBasedAgent;
use judica_verify::render::Renderer;
use judica_verify::review::stored::reviews_of;
use judica_verify::stored::folder::RunFolder;
use judica_verify::stored::record::StoredRecord;

use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::screen;

/// Prints the records of one sample.
pub fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let run = RunFolder::open(&args.run)?;
    let found = run.find(&args.sample_id, args.model.as_deref())?;
    if found.is_empty() {
        let model = args
            .model
            .as_ref()
            .map(|model| format!(" of model `{model}`"))
            .unwrap_or_default();
        let message = format!(
            "{}: no record for sample `{}`{model}",
            args.run.display(),
            args.sample_id
        );
        return Err(Failure::Usage(message));
    }
    let agent = RuleBasedAgent;
    let renderer = Renderer::new(&run.protocol, &run.checks, &agent, run.trace());
    let reviews = match args.json {
        // A record as JSON has one shape, whoever reviewed it.
        true => Vec::new(),
        false => reviews_of(&run, &args.sample_id, args.model.as_deref())?,
    };
    for stored in &found {
        if args.json {
            let mut json = Vec::new();
            renderer.write(&stored.view(), &mut json);
            json.push(b'\n');
            screen::print_json_bytes(&json);
        } else {
            let record = renderer.record(&stored.view()).map_err(|error| {
                Failure::System(format!("a record could not be rendered: {error}"))
            })?;
            print(&record, stored, args.all)?;
            let of_model = |name: &str| name == record.model_name;
            for review in reviews.iter().filter(|review| of_model(&review.model_name)) {
                screen::print(&reviews::text(review));
            }
        }
    }
    Ok(ExitCode::Done)
}

fn print(record: &Record, stored: &StoredRecord, all: bool) -> Result<(), Failure> {
    let scores = &record.optional_scores;
    let mut head = format!(
        "\nsample {}   model {}   task {}\n",
        visible(&record.sample_id),
        visible(&record.model_name),
        visible(&record.task_id)
    );
    if !stored.input_file.is_empty() {
        head.push_str(&format!(
            "from {}:{}\n",
            visible(&stored.input_file),
            stored.input_line
        ));
    }
    head.push_str(&format!(
        "decision: {}   grade {}\n",
        record.agent_output.adjudication.name(),
        visible(scores.gating.grade.as_deref().unwrap_or("n/a"))
    ));
    let parsing = &record.protocol_result.parsing;
    head.push_str(&format!(
        "response: {}, {} of {} required fields\n",
        parsing
            .method
            .as_deref()
            .or(parsing.error.as_deref())
            .unwrap_or("n/a"),
        record.protocol_result.field_completeness.present,
        record.protocol_result.field_completeness.required
    ));
    let number = |value: Option<f64>| value.map_or("n/a".to_owned(), |value| format!("{value:.2}"));
    head.push_str(&format!(
        "scores: availability {}, constraints {}, error {}, total {}",
        number(scores.availability_score),
        number(scores.constraint_satisfaction_score),
        number(scores.conditional_error_score),
        number(scores.total_score)
    ));
    match &scores.undefined {
        Some(why) => head.push_str(&format!("   ({why})\n")),
        None => head.push_str(&format!(
            "   (MAE {}, RMSE {})\n",
            number(scores.mae),
            number(scores.rmse)
        )),
    }
    screen::print(&head);
    if !record.agent_output.attribution.is_empty() {
        screen::print("\nreasons\n");
        for reason in &record.agent_output.attribution {
            screen::print(&format!(
                "  {}. [{}] {}\n     {} cites {}\n",
                reason.rank,
                reason.severity.name(),
                visible(&reason.reason),
                visible(&reason.rule),
                reason.evidence_ids.join(", ")
            ));
        }
    }
    screen::print("\n");
    screen::print_table(&checklist(record));
    let atoms = evidence(record, all);
    if !atoms.rows.is_empty() {
        screen::print("\n");
        screen::print_table(&atoms);
    }
    Ok(())
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

fn evidence(record: &Record, all: bool) -> Table {
    let title = if all {
        "Evidence"
    } else {
        "Failed evidence (--all shows passed atoms too)"
    };
    let mut table = Table::new(title)
        .left("id")
        .left("severity")
        .left("rule")
        .left("field")
        .left("message");
    for atom in record
        .evidence_pack
        .atoms
        .iter()
        .filter(|atom| all || !atom.pass)
    {
        table.push([
            Cell::text(&atom.id),
            Cell::text(if atom.pass {
                "pass"
            } else {
                atom.severity.name()
            }),
            Cell::text(&atom.rule),
            Cell::text(atom.field.as_deref().unwrap_or("(several)")),
            Cell::text(&atom.message),
        ]);
    }
    table
}
