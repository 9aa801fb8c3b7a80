//! Template files: plain text, because prompts are prose and prose wants no quotes.
//!
//! A line that is exactly `[system]` or `[user]` begins a section, which runs to the next
//! one; blank lines around its text are left out. Before the first section stand comments
//! (`#`) and `version: NAME`; a template that names no version is called `custom`.
//! `[system]` may be left out. The data go into `[user]` alone: what stands in the system's
//! part is taken for the words of whoever runs the judge.

use judica_model::text::{cut, quoted};
use std::io::Read;
use std::path::Path;

use judica_data::error::DataError;
use judica_data::source::Source;
use judica_model::nearest::nearest;

use super::error::TemplateError;
use super::pieces::{BadHole, Field, Piece, pieces};

/// Nobody writes longer prompts; somebody will name the wrong file.
const MAX_BYTES: u64 = 1 << 20;
const MAX_VERSION: usize = 80;
const SECTIONS: [&str; 2] = ["system", "user"];

/// What a template file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TemplateFile {
    pub version: String,
    pub system: String,
    pub user: Vec<Piece>,
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<TemplateFile, TemplateError> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    Source::open_unhashed(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| DataError::reading(path, error))?;
    let not_a_template = |message: String| TemplateError::NotATemplate {
        file: name.clone(),
        message,
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(not_a_template(
            "larger than 1 MiB, which no prompt is".to_owned(),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        not_a_template(format!("not UTF-8 (at byte {at})"))
    })?;
    parse(&text, &name)
}

/// A section's text and the line it begins on.
struct Section {
    name: &'static str,
    heading: usize,
    text: String,
}

/// Reads the text of a file called `name`.
pub(super) fn parse(text: &str, name: &str) -> Result<TemplateFile, TemplateError> {
    let invalid = |line: usize, message: String| TemplateError::Invalid {
        file: name.to_owned(),
        line,
        message,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut version: Option<String> = None;
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let known = heading(line, sections.is_empty()).map_err(|m| invalid(number, m))?;
        if let Some(known) = known {
            if sections.iter().any(|section| section.name == known) {
                return Err(invalid(number, format!("a second section `[{known}]`")));
            }
            sections.push(Section {
                name: known,
                heading: number,
                text: String::new(),
            });
        } else if let Some(section) = sections.last_mut() {
            section.text.push_str(line);
            section.text.push('\n');
        } else if let Some(said) = version_line(line).map_err(|m| invalid(number, m))?
            && version.replace(said).is_some()
        {
            return Err(invalid(number, "a second `version:`".to_owned()));
        }
    }
    let mut file = TemplateFile {
        version: version.unwrap_or_else(|| "custom".to_owned()),
        ..TemplateFile::default()
    };
    let mut user_heading = None;
    for section in sections {
        // Blank lines before the text are left out, but they count.
        let body = section.text.trim_start_matches('\n');
        let before = section.heading + 1 + section.text.len() - body.len();
        let body = body.trim_end();
        let line = |at: usize| before + body[..at].matches('\n').count();
        let parts = pieces(body).map_err(|BadHole { at, message }| invalid(line(at), message))?;
        if section.name == "user" {
            user_heading = Some(section.heading);
            file.user = parts;
        } else if let Some(at) = body.find("{{") {
            let message = "data belong in `[user]`; in `[system]` they would pass for the \
                           words of whoever runs the judge";
            return Err(invalid(line(at), message.to_owned()));
        } else {
            file.system = body.to_owned();
        }
    }
    let Some(user_heading) = user_heading else {
        let last = text.lines().count().max(1);
        return Err(invalid(last, "there is no section `[user]`".to_owned()));
    };
    for needed in [Field::Gold, Field::Prediction] {
        if !file.user.contains(&Piece::Hole(needed)) {
            let hole = needed.name();
            let message = format!("`[user]` has no `{{{{{hole}}}}}`, and nothing to compare");
            return Err(invalid(user_heading, message));
        }
    }
    Ok(file)
}

/// The section that a line begins, if it begins one. A line that nearly does is a mistake;
/// any other line in brackets is text, unless there is no section yet it could belong to.
fn heading(line: &str, none_yet: bool) -> Result<Option<&'static str>, String> {
    let line = line.trim_end();
    let Some(word) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) else {
        return Ok(None);
    };
    if let Some(known) = SECTIONS.into_iter().find(|known| *known == word) {
        return Ok(Some(known));
    }
    let is_word = !word.is_empty() && word.chars().all(char::is_alphanumeric);
    match nearest(word, SECTIONS.into_iter()) {
        Some(near) if is_word => Err(format!(
            "unknown section `[{word}]` (did you mean `[{near}]`? Text may be indented)"
        )),
        _ if none_yet => Err(format!(
            "unknown section `[{}]` (known: `[system]`, `[user]`)",
            cut(word, 40)
        )),
        _ => Ok(None),
    }
}

/// What a line before the first section says of the version.
fn version_line(line: &str) -> Result<Option<String>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let Some(version) = line.strip_prefix("version:").map(str::trim) else {
        let shown = quoted(line, 40);
        return Err(format!(
            "found {shown} before the first section, expected `version: NAME`, a comment \
             (`#`), `[system]` or `[user]`"
        ));
    };
    let printable = !version.chars().any(char::is_control);
    if version.is_empty() || version.chars().count() > MAX_VERSION || !printable {
        return Err(format!(
            "a version is 1 to {MAX_VERSION} printable characters"
        ));
    }
    Ok(Some(version.to_owned()))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
