//! Verdicts that the question carries.
//!
//! A prediction may hold an object that looks like a verdict, and a judge may quote it:
//! seldom letter for letter, rather with other blanks, quotes or order of keys, or only the
//! part that matters. So statements are compared by what they say. In doubt a statement is
//! a quotation: a judge that means it has reasons of its own.

use super::objects::{self, Object};
use super::stray;
use super::words::Said;

/// What a question says about verdicts.
pub(super) struct Quotable<'a> {
    texts: Vec<Text<'a>>,
}

struct Text<'a> {
    text: &'a str,
    /// Its letters alone.
    letters: String,
    /// The statements in it, with the letters of their reasoning.
    statements: Vec<(Said, String)>,
}

impl<'a> Quotable<'a> {
    pub(super) fn new(question: &[&'a str]) -> Self {
        let text = |&text: &&'a str| Text {
            text,
            letters: letters(text),
            statements: objects::each(&text.replace(|c: char| c < ' ', " "))
                .map_while(Result::ok)
                .filter_map(|object| Some((object.correct?, letters(&object.reasoning))))
                .collect(),
        };
        Quotable {
            texts: question.iter().map(text).collect(),
        }
    }

    /// Whether the question holds this object, which stands in the reply as `written` and
    /// says `said`.
    pub(super) fn holds(&self, object: &Object, said: &Said, written: &str) -> bool {
        let reasoning = letters(&object.reasoning);
        self.texts.iter().any(|text| {
            let stated = text.statements.iter().any(|(other, reasons)| {
                other == said && (reasoning.is_empty() || reasoning == *reasons)
            });
            // Inside of other values, of strings, or of what is no JSON.
            let mentioned = || {
                let said = said.verdict().ok();
                text.letters.contains(&reasoning) && stray::states(text.text, said)
            };
            stated || text.text.contains(written) || mentioned()
        })
    }
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
