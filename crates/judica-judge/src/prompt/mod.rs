//! What a judge is asked.
//!
//! A [`Template`] is two texts: what stands in front of every question (the system's part)
//! and the question itself, with holes for the data. It has a version, which people read,
//! and a hash, which tells whether two runs asked the same.
//!
//! The data of a question were written by the model under test, so they may hold anything,
//! also words that speak to the judge. Two things keep them in their place, in every
//! template: each text is fenced by markers that carry a key which the text cannot contain
//! (see `fence.rs`), and the rules that say so, together with the form of the reply, are
//! added to the system's part here and not left to the author of a template.
//!
//! * `fence`: the markers
//! * `file`: the format of template files
//! * `pieces`: text with holes
//! * [`error`]: what can be wrong with a template

use std::path::Path;

use judica_data::sha256::sha256;
use serde_json::json;

use crate::chat::{Message, ReplySchema, Role};

pub mod error;
pub(crate) mod fence;
mod file;
pub(crate) mod pieces;

pub use error::TemplateError;

use fence::Fence;
use pieces::{Field, Piece};

const BUILTIN: &str = include_str!("../../prompts/judge-v2.txt");
const RULES: &str = include_str!("../../prompts/rules.txt");

/// What a judge is to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// What was asked of the model under test.
    pub input: &'a str,
    /// What it should have answered; several formulas stand one per line, and all of them
    /// are required.
    pub gold: &'a str,
    /// What it answered.
    pub prediction: &'a str,
}

impl<'a> Question<'a> {
    /// One of the three texts.
    pub(crate) fn text(&self, field: Field) -> &'a str {
        match field {
            Field::Input => self.input,
            Field::Gold => self.gold,
            Field::Prediction => self.prediction,
        }
    }
}

/// How judges are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    version: String,
    hash: String,
    system: String,
    user: Vec<Piece>,
    builtin: bool,
}

impl Template {
    /// The template that ships with the program.
    pub fn builtin() -> Template {
        // A test reads the file; nothing a user does can break it.
        let file = file::parse(BUILTIN, "judge-v2.txt").unwrap_or_default();
        Template::of(file, true)
    }

    /// The file it comes from, for people who want to write their own.
    pub fn builtin_text() -> &'static str {
        BUILTIN
    }

    /// Reads a template from a file (see [`Template::parse`]).
    pub fn from_file(path: &Path) -> Result<Template, TemplateError> {
        Ok(Template::of(file::read(path)?, false))
    }

    /// Reads a template from text; `name` is what messages call it.
    ///
    /// ```text
    /// # Comments, and a version, may come before the first section.
    /// version: my-judge-v3
    ///
    /// [system]
    /// What counts as correct. This section may be left out.
    ///
    /// [user]
    /// The question, with {{input}}, {{gold}} and {{prediction}} where the data go.
    /// ```
    pub fn parse(text: &str, name: &str) -> Result<Template, TemplateError> {
        Ok(Template::of(file::parse(text, name)?, false))
    }

    fn of(file: file::TemplateFile, builtin: bool) -> Template {
        let rules = RULES.trim_end();
        let system = if file.system.is_empty() {
            rules.to_owned()
        } else {
            format!("{}\n\n{rules}", file.system)
        };
        let mut template = Template {
            version: file.version,
            hash: String::new(),
            system,
            user: file.user,
            builtin,
        };
        template.hash = template.content_hash();
        template
    }

    /// What people call it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The first 16 hex digits of SHA-256 over everything that a judge gets to see apart
    /// from the data: both parts, the rules and the form of the markers, with LF line ends.
    /// The version and comments are no part of it.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The conversation that asks one question.
    pub fn messages(&self, question: &Question) -> Vec<Message> {
        self.filled(&Fence::around(question), question)
    }

    /// The system's part with the user's part `user`.
    pub(crate) fn with_user(&self, user: String) -> Vec<Message> {
        let message = |role, content| Message { role, content };
        vec![
            message(Role::System, self.system.clone()),
            message(Role::User, user),
        ]
    }

    /// The user's part, unfilled.
    pub(crate) fn user(&self) -> &[Piece] {
        &self.user
    }

    /// Whether it is the one that ships with the program.
    pub(crate) fn is_builtin(&self) -> bool {
        self.builtin
    }

    fn filled(&self, fence: &Fence, question: &Question) -> Vec<Message> {
        let mut user = fence.opening();
        for piece in &self.user {
            match piece {
                Piece::Text(text) => fence.push_text(&mut user, text),
                Piece::Hole(field) => {
                    fence.push_block(&mut user, field.label(), question.text(*field));
                }
            }
        }
        self.with_user(user)
    }

    /// Hashes the conversation with names in place of data and key, so that a change of the
    /// markers or the rules in a later release is a change of the prompt too.
    fn content_hash(&self) -> String {
        let symbols = Question {
            input: "{{input}}",
            gold: "{{gold}}",
            prediction: "{{prediction}}",
        };
        let messages = self.filled(&Fence::with_key("KEY"), &symbols);
        let parts = messages.iter().map(|m| (m.role, m.content.as_str()));
        let canonical = serde_json::to_string(&parts.collect::<Vec<_>>()).unwrap_or_default();
        fence::hex(&sha256(&canonical), 16)
    }
}

/// The JSON that a reply shall be: `reasoning`, a text, and `correct`, yes or no. In this
/// order, which servers that hold a model to a schema keep: what is written first cannot
/// be an excuse for what comes later.
pub fn reply_schema() -> ReplySchema {
    ReplySchema {
        name: "verdict".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "reasoning": {"type": "string"},
                "correct": {"type": "string", "enum": ["yes", "no"]},
            },
            "required": ["reasoning", "correct"],
            "additionalProperties": false,
        }),
    }
}

#[cfg(test)]
mod tests;
