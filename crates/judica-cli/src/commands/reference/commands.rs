//! The page of commands: what `--help` says, of all of them.

use clap::{Arg, Command};

use super::{names, prose};
use crate::help;

/// The text of the page.
pub fn text() -> String {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let mut text = format!("{}\n\n", about(&command));
    for (group, commands) in help::grouped(&command) {
        text.push_str(&format!("**{group}**\n\n"));
        for command in commands {
            let name = command.get_name();
            let short = command.get_about().map(ToString::to_string);
            let short = prose(&short.unwrap_or_default());
            text.push_str(&format!("- [{name}](#judica-{name}): {short}\n"));
        }
        text.push('\n');
    }
    text.push_str("Every command takes `-h`, `--help` and:\n\n");
    command
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .for_each(|arg| text.push_str(&item(arg)));
    text.push('\n');
    text.push_str(&after(&command));
    for (_, commands) in help::grouped(&command) {
        commands
            .into_iter()
            .for_each(|command| section(command, 2, &mut text));
    }
    text
}

/// One command, and those below it.
fn section(command: &Command, level: usize, text: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let path = name.strip_prefix("judica ").unwrap_or(name);
    text.push_str(&format!("{} {name}\n\n", "#".repeat(level)));
    text.push_str(&format!("{}.\n\n", about(command)));
    let usage = command.clone().render_usage().to_string();
    text.push_str(&format!("```text\n{usage}\n```\n\n"));
    let shown = |arg: &&Arg| {
        !arg.is_hide_set() && !arg.is_global_set() && !matches!(arg.get_id().as_str(), "help")
    };
    let arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    let mut headings: Vec<&str> = Vec::new();
    for arg in &arguments {
        if !headings.contains(&heading(arg)) {
            headings.push(heading(arg));
        }
    }
    // As in `--help`: what has no heading of its own comes first.
    headings.sort_by_key(|heading| match *heading {
        "Arguments" => 0,
        "Options" => 1,
        _ => 2,
    });
    for wanted in headings {
        text.push_str(&format!("**{wanted}**\n\n"));
        let under = arguments.iter().filter(|arg| heading(arg) == wanted);
        under.for_each(|arg| text.push_str(&item(arg)));
        text.push('\n');
    }
    text.push_str(&after(command));
    let examples = help::examples(path);
    if !examples.is_empty() {
        text.push_str(&format!("```sh\n{}\n```\n\n", examples.join("\n")));
    }
    let below = command.get_subcommands();
    below.for_each(|sub| section(sub, level + 1, text));
}

fn about(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about());
    prose(&about.map(ToString::to_string).unwrap_or_default())
}

fn heading(arg: &Arg) -> &str {
    match arg.is_positional() {
        true => "Arguments",
        false => arg.get_help_heading().unwrap_or("Options"),
    }
}

/// An argument as a list has it.
fn item(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}, "));
    let mut text = format!("- `{}{arg}`", short.unwrap_or_default());
    let others = arg.get_visible_aliases().unwrap_or_default();
    for other in others {
        text.push_str(&format!(" or `--{other}`"));
    }
    if arg.is_required_set() {
        text.push_str(" (required)");
    }
    let help = arg.get_long_help().or(arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    text.push_str(&format!(": {}", prose(&help.replace('\n', " "))));
    if arg.get_action().takes_values() {
        let defaults = arg.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            text.push_str(&format!(". Default: {}", names([defaults.join(",")])));
        }
    }
    text.push('\n');
    for value in arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
    {
        let help = value.get_help().map(ToString::to_string);
        let said = help.map(|help| format!(": {}", prose(&help)));
        text.push_str(&format!(
            "  - `{}`{}\n",
            value.get_name(),
            said.unwrap_or_default()
        ));
    }
    text
}

/// What stands below the options, without the examples: paragraphs, and lines that are
/// indented, which are data.
fn after(command: &Command) -> String {
    let said = command.get_after_help().map(ToString::to_string);
    let said = said.unwrap_or_default();
    let said = said.split("Examples:\n").next().unwrap_or_default();
    let mut text = String::new();
    let mut data = false;
    for line in said.trim_end().lines() {
        if line.starts_with(' ') != data {
            data = !data;
            text.push_str(if data { "\n```text\n" } else { "```\n\n" });
        }
        match data {
            true => text.push_str(&format!("{}\n", line.trim_start())),
            // A line of its own is a paragraph of its own.
            false => text.push_str(&format!("{}\n\n", prose(line))),
        }
    }
    if data {
        text.push_str("```\n");
    }
    let mut tidy = text.trim().to_owned();
    while tidy.contains("\n\n\n") {
        tidy = tidy.replace("\n\n\n", "\n\n");
    }
    match tidy.is_empty() {
        true => tidy,
        false => tidy + "\n\n",
    }
}
