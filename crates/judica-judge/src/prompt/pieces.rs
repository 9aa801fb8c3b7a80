//! Text with holes: `{{input}}`, `{{gold}}`, `{{prediction}}`.
//!
//! A template is taken apart once, before any data are seen, and filled by joining the
//! pieces. So data that contain `{{gold}}` stay as they are.

use judica_model::text::cut;
use std::ops::Range;

use judica_model::nearest::nearest;

/// One of the texts of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Input,
    Gold,
    Prediction,
}

impl Field {
    /// All of them.
    pub(crate) const ALL: [Field; 3] = [Field::Input, Field::Gold, Field::Prediction];

    /// What its hole is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::Input => "input",
            Field::Gold => "gold",
            Field::Prediction => "prediction",
        }
    }

    /// What its markers call it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Field::Input => "INPUT",
            Field::Gold => "GOLD",
            Field::Prediction => "PREDICTION",
        }
    }
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that is sent as it is.
    Text(String),
    /// Where one of the texts of the question goes.
    Hole(Field),
}

/// A hole that cannot be filled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadHole {
    /// Where it begins.
    pub at: usize,
    /// What is wrong with it, and what may have been meant.
    pub message: String,
}

/// Takes a text apart. Every `{{` opens a hole, which ends on the same line.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, BadHole> {
    let mut pieces = Vec::new();
    let mut done = 0;
    while let Some(open) = text[done..].find("{{").map(|at| at + done) {
        if open > done {
            pieces.push(Piece::Text(text[done..open].to_owned()));
        }
        let (name, end) = hole(text, open)?;
        let name = text[name].trim();
        let field = Field::ALL.into_iter().find(|field| field.name() == name);
        pieces.push(Piece::Hole(field.ok_or_else(|| unknown(name, open))?));
        done = end;
    }
    if done < text.len() {
        pieces.push(Piece::Text(text[done..].to_owned()));
    }
    Ok(pieces)
}

/// The name in the hole that begins at `open`, and where the hole ends.
fn hole(text: &str, open: usize) -> Result<(Range<usize>, usize), BadHole> {
    let start = open + 2;
    let line = text[start..].split('\n').next().unwrap_or_default();
    match line.find("}}") {
        Some(length) => Ok((start..start + length, start + length + 2)),
        None => Err(BadHole {
            at: open,
            message: "`{{` opens a placeholder, and no `}}` closes it on this line".to_owned(),
        }),
    }
}

fn unknown(name: &str, at: usize) -> BadHole {
    let help = match nearest(name, Field::ALL.into_iter().map(Field::name)) {
        Some(near) => format!("did you mean `{{{{{near}}}}}`?"),
        None => "known: `{{input}}`, `{{gold}}`, `{{prediction}}`".to_owned(),
    };
    let name = cut(name, 40);
    BadHole {
        at,
        message: format!("unknown placeholder `{{{{{name}}}}}` ({help})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_holes_in_order() {
        let text = |t: &str| Piece::Text(t.to_owned());
        assert_eq!(
            pieces("a {{gold}}{{ input }} } { b").unwrap(),
            [
                text("a "),
                Piece::Hole(Field::Gold),
                Piece::Hole(Field::Input),
                text(" } { b")
            ]
        );
        assert_eq!(pieces("").unwrap(), []);
    }

    #[test]
    fn unknown_and_open_holes_are_named() {
        let message = |text| pieces(text).unwrap_err().message;
        assert_eq!(
            message("{{predicton}}"),
            "unknown placeholder `{{predicton}}` (did you mean `{{prediction}}`?)"
        );
        assert!(message("{{temperature}}").contains("known: `{{input}}`"));
        assert!(message("{{Gold}}").contains("did you mean `{{gold}}`?"));
        assert!(message("{{gold}\n}}").contains("no `}}` closes it"));
        assert!(message("{{{gold}}}").contains("did you mean `{{gold}}`?"));
        assert_eq!(pieces("é {{x").unwrap_err().at, 3);
    }
}
