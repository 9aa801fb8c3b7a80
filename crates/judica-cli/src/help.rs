//! What `--help` shows beside the arguments themselves: commands in groups, and examples.

mod examples;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::args::Arguments;
use examples::EXAMPLES;

/// Which command is in which group, in the order in which both are shown.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Verify", &["eval", "rules", "lint", "explain", "calibrate"]),
    ("Answers", &["match", "judge", "efficiency"]),
    ("Agents", &["episodes", "schema", "aggregate"]),
    ("Raters", &["agree"]),
    (
        "Runs",
        &[
            "show",
            "view",
            "report",
            "export",
            "compare",
            "plan",
            "plot",
            "import",
            "reproduce",
            "finish",
        ],
    ),
    ("Gates", &["gate", "release"]),
    (
        "Tools",
        &["demo", "look", "synth", "completions", "reference"],
    ),
];

/// The version, and the commit it was built from where that is known: `0.1.0 (be9c54c 2026-11-17)`.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("JUDICA_COMMIT"));

/// What the words on a command line say, the program's name first.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    // Texts of help take longer to make than most commands take to begin.
    if let Ok(arguments) = Arguments::try_parse_from(&words) {
        return Ok(arguments);
    }
    let mut command = command();
    let matches = command.try_get_matches_from_mut(&words).map_err(|error| {
        match error.kind() {
            // Which word it is, is not said.
            ErrorKind::InvalidUtf8 => command.error(ErrorKind::InvalidUtf8, not_text(&words)),
            _ => error,
        }
    })?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Names the words that are no text, each with the one before it, which may be its option.
fn not_text(words: &[OsString]) -> String {
    let odd = words.windows(2).filter(|pair| pair[1].to_str().is_none());
    let odd: Vec<String> = odd
        .map(|pair| format!("{:?} after {}", pair[1], pair[0].to_string_lossy()))
        .collect();
    format!("text is needed, and this is not UTF-8: {}", odd.join(", "))
}

/// All that can be said on the command line, with its help.
pub fn command() -> clap::Command {
    let command = Arguments::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        listed(&command)
    );
    let command = command.help_template(template);
    command.mut_subcommands(|sub| with_examples(sub, ""))
}

/// The groups with their commands, each with what it says of itself.
fn listed(command: &clap::Command) -> String {
    let mut text = String::new();
    for (group, commands) in grouped(command) {
        text.push_str(&format!("{group}:\n"));
        for command in commands {
            let about = command.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            text.push_str(&format!("  {:<13}{about}\n", command.get_name()));
        }
        text.push('\n');
    }
    text
}

/// The commands in their groups.
pub fn grouped(command: &clap::Command) -> Vec<(&'static str, Vec<&clap::Command>)> {
    let of = |names: &[&str]| {
        let found = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        found.collect()
    };
    GROUPS.map(|(group, names)| (group, of(names))).into()
}

/// The examples of a command, by the words that name it.
pub fn examples(path: &str) -> &'static [&'static str] {
    let found = EXAMPLES.iter().find(|(name, _)| *name == path);
    found.map_or(&[], |(_, examples)| examples)
}

/// The command with examples at the end of its help, and so for those below it.
fn with_examples(command: clap::Command, above: &str) -> clap::Command {
    let path = format!("{above}{}", command.get_name());
    let mut said = command.get_after_help().map(ToString::to_string);
    for example in examples(&path) {
        let said = said.get_or_insert_default();
        if !said.contains("Examples:") {
            let apart = if said.is_empty() { "" } else { "\n\n" };
            said.push_str(&format!("{apart}Examples:"));
        }
        said.push_str(&format!("\n  {}", example.replace('\n', "\n  ")));
    }
    let command = match said {
        Some(said) => command.after_help(said),
        None => command,
    };
    let above = format!("{path} ");
    command.mut_subcommands(|sub| with_examples(sub, &above))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a terminal that nobody has widened can show.
    const COLUMNS: usize = 80;

    #[cfg(unix)]
    #[test]
    fn a_word_that_is_no_text_is_named() {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(b"\xff.toml".to_vec());
        let words = ["judica", "eval", "-p"].map(OsString::from);
        let said = parse(words.into_iter().chain([odd]))
            .unwrap_err()
            .to_string();
        assert!(said.contains(r#""\xFF.toml" after -p"#), "{said}");
    }

    /// The words that name each command, below others too.
    fn paths(command: &clap::Command, above: &str) -> Vec<String> {
        let below = command.get_subcommands().flat_map(|sub| {
            let path = format!("{above}{}", sub.get_name());
            let below = paths(sub, &format!("{path} "));
            std::iter::once(path).chain(below)
        });
        below.collect()
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Arguments::command();
        let mut named: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let mut there: Vec<&str> = command
            .get_subcommands()
            .map(|sub| sub.get_name())
            .collect();
        named.sort_unstable();
        there.sort_unstable();
        assert_eq!(named, there);
    }

    #[test]
    fn every_command_has_one_to_three_examples() {
        let paths = paths(&Arguments::command(), "");
        let named: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        let there: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
        assert_eq!(named.iter().copied().collect::<BTreeSet<&str>>(), there);
        assert_eq!(named.len(), there.len(), "a command is there twice");
        for (name, examples) in EXAMPLES {
            assert!((1..=3).contains(&examples.len()), "{name}");
            let own = format!("judica {name}");
            assert!(examples.iter().any(|line| line.starts_with(&own)), "{name}");
        }
    }

    #[test]
    fn help_fits_a_terminal() {
        let mut command = command();
        let shown = command.render_help().to_string();
        for line in listed(&Arguments::command()).lines() {
            assert!(line.chars().count() <= COLUMNS, "{line}");
            assert!(shown.contains(line), "{line}");
        }
        for line in EXAMPLES.iter().flat_map(|(_, examples)| *examples) {
            for line in line.lines() {
                assert!(line.len() <= COLUMNS - 2, "{line}");
            }
        }
        let eval = command.find_subcommand_mut("eval").expect("a command");
        let help = eval.render_long_help().to_string();
        let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
        assert!(examples.starts_with("  judica eval "), "{examples}");
    }
}
