//! Message templates: text with `{name}` holes.

use crate::expr::{Expr, Scope};

/// A hole in a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Hole {
    /// What stands in a slot of the rule's expressions.
    Slot(usize),
    /// The observed value.
    Value,
    /// The name of the field at hand.
    FieldName,
    /// The unit of the value.
    Unit,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Plain text.
    Text(String),
    /// Something to fill in.
    Hole(Hole),
}

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Template {
    /// Text and holes in order.
    pub pieces: Vec<Piece>,
}

/// A hole nobody can fill: its byte range in the template, and its name.
#[derive(Debug, PartialEq)]
pub struct UnknownHole {
    /// Byte range of the name.
    pub at: std::ops::Range<usize>,
    /// The name.
    pub name: String,
}

impl Template {
    /// The slots that it shows.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(Hole::Slot(slot)) => Some(*slot),
            _ => None,
        })
    }

    /// Parses a template, whose holes are names of the scope as expressions write them.
    /// `per_field` rules know `{field}` and no names.
    ///
    /// # Errors
    ///
    /// Every hole that nobody can fill.
    pub fn parse(text: &str, scope: Scope, per_field: bool) -> Result<Template, Vec<UnknownHole>> {
        let mut pieces = Vec::new();
        let mut unknown = Vec::new();
        let mut rest = text;
        let mut offset = 0;
        while let Some(open) = rest.find('{') {
            let Some(length) = rest[open..].find('}') else {
                break;
            };
            if open > 0 {
                pieces.push(Piece::Text(rest[..open].to_owned()));
            }
            let name = &rest[open + 1..open + length];
            let hole = match name {
                "value" => Some(Hole::Value),
                "unit" => Some(Hole::Unit),
                "field" if per_field => Some(Hole::FieldName),
                _ if per_field => None,
                _ => slot(name, scope).map(Hole::Slot),
            };
            match hole {
                Some(hole) => pieces.push(Piece::Hole(hole)),
                None => {
                    let at = offset + open + 1;
                    unknown.push(UnknownHole {
                        at: at..at + name.len(),
                        name: name.to_owned(),
                    });
                }
            }
            offset += open + length + 1;
            rest = &rest[open + length + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        if unknown.is_empty() {
            Ok(Template { pieces })
        } else {
            Err(unknown)
        }
    }
}

/// The slot that a name stands for.
fn slot(name: &str, scope: Scope) -> Option<usize> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_.[-]".contains(c);
    if !name.chars().all(in_name) || name.starts_with('-') {
        return None;
    }
    // A name of a number, a condition, text: whatever it gives, it is one variable.
    let variables = Expr::variables_of(name, scope)?;
    match variables[..] {
        [slot] => Some(slot),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Variable;

    #[test]
    fn holes_are_found_and_unknown_ones_named() {
        let names = ["gs", "vs"].map(Variable::number);
        let scope = Scope {
            variables: &names,
            reads: None,
        };
        let template = Template::parse("speed {gs} kt, off by {value}", scope, false);
        let pieces = template.map(|template| template.pieces).unwrap_or_default();
        assert_eq!(pieces[1], Piece::Hole(Hole::Slot(0)));
        assert_eq!(pieces[3], Piece::Hole(Hole::Value));
        let unknown = Template::parse("x {nope}", scope, false);
        assert_eq!(
            unknown,
            Err(vec![UnknownHole {
                at: 3..7,
                name: "nope".to_owned()
            }])
        );
        assert!(Template::parse("an open { brace", scope, false).is_ok());
    }
}
