//! The page of rules: what `judica explain` says, of every rule of every built-in protocol.

use judica_verify::catalogue::{RuleEntry, rules};
use judica_verify::protocol::builtin::PROTOCOLS;
use judica_verify::protocol::load::load;

use super::{names, prose};
use crate::failure::Failure;

/// The text of the page.
pub fn text() -> Result<String, Failure> {
    let mut text = "`judica explain RULE --protocol NAME` prints the same.\n\n".to_owned();
    for (name, _) in PROTOCOLS {
        let protocol = load(name)?;
        text.push_str(&format!("## {name} {}\n\n", protocol.version));
        text.push_str(&format!("{}\n\n", prose(&protocol.description)));
        for entry in rules(&protocol) {
            text.push_str(&section(&entry));
        }
    }
    Ok(text)
}

fn section(entry: &RuleEntry) -> String {
    let mut text = format!("### {}\n\n{}\n\n", entry.rule, prose(&entry.checks));
    let mut said = |what: &str, words: String| {
        if !words.is_empty() {
            text.push_str(&format!("- **{what}**: {words}\n"));
        }
    };
    said("why", prose(&entry.why));
    said("fails when", prose(&entry.fails_when.join("; ")));
    said("one atom per", prose(&entry.one_atom_per));
    said("runs after", names(&entry.depends_on));
    said("fields", prose(&entry.fields.join("; ")));
    said("example", prose(&entry.example));
    text + "\n"
}
