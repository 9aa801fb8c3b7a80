//! `judica explain`

use judica_model::exit_code::ExitCode;
use judica_verify::catalogue::{RuleEntry, find, rules};
use judica_verify::protocol::Protocol;
use judica_verify::protocol::load::load;

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::screen::{self, visible_lines};

/// Explains one rule.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let protocol = load(&args.protocol)?;
    let entry = find(&protocol, &args.rule).map_err(|near| {
        let help = other_than_rule(&protocol, &args.rule)
            .or_else(|| near.map(|near| format!("; did you mean `{near}`?")))
            .unwrap_or_default();
        let seen = "`judica rules` lists them all";
        Failure::Usage(format!(
            "protocol {} has no rule `{}`{help} ({seen})",
            protocol.name, args.rule
        ))
    })?;
    screen::print(&visible_lines(&text(&entry)));
    Ok(ExitCode::Done)
}

/// What a name is that names no rule.
fn other_than_rule(protocol: &Protocol, name: &str) -> Option<String> {
    let entries = rules(protocol);
    let of_family = entries
        .iter()
        .map(|entry| entry.rule.as_str())
        .filter(|rule| rule.split('.').next() == Some(name));
    let of_family: Vec<&str> = of_family.collect();
    if !of_family.is_empty() {
        let list = of_family.join("`, `");
        return Some(format!("; it is a family, with `{list}`"));
    }
    let mut fields = protocol.fields.iter();
    let what = if fields.any(|field| field.name == name || field.alias == name) {
        "a field"
    } else if protocol.task_index(name).is_some() {
        "a task"
    } else {
        return None;
    };
    Some(format!("; it is {what}"))
}

fn text(entry: &RuleEntry) -> String {
    let mut text = format!("{}\n\n", entry.rule);
    text.push_str(&format!("What it checks\n  {}\n\n", entry.checks));
    text.push_str(&format!("Why it matters\n  {}\n\n", entry.why));
    text.push_str("Fails when\n");
    entry
        .fails_when
        .iter()
        .for_each(|line| text.push_str(&format!("  {line}\n")));
    text.push_str(&format!("\nOne atom per\n  {}\n", entry.one_atom_per));
    if !entry.depends_on.is_empty() {
        text.push_str(&format!(
            "\nRuns after\n  {}\n",
            entry.depends_on.join(", ")
        ));
    }
    if !entry.fields.is_empty() {
        text.push_str("\nFields\n");
        entry
            .fields
            .iter()
            .for_each(|field| text.push_str(&format!("  {field}\n")));
    }
    if !entry.example.is_empty() {
        text.push_str(&format!("\nExample\n  {}\n", entry.example));
    }
    text
}
