//! Message templates: text with `{name}` holes.

/// A hole in a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Hole {
    /// The value of a field at the step at hand.
    Field(usize),
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
    /// Parses a template; `aliases[i]` is field i. `per_field` rules know `{field}`
    /// and no aliases.
    ///
    /// # Errors
    ///
    /// Every hole that nobody can fill.
    pub fn parse(
        text: &str,
        aliases: &[&str],
        per_field: bool,
    ) -> Result<Template, Vec<UnknownHole>> {
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
                _ => aliases
                    .iter()
                    .position(|alias| *alias == name)
                    .map(Hole::Field),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_found_and_unknown_ones_named() {
        let template = Template::parse("speed {gs} kt, off by {value}", &["gs", "vs"], false);
        let pieces = template.map(|template| template.pieces).unwrap_or_default();
        assert_eq!(pieces[1], Piece::Hole(Hole::Field(0)));
        assert_eq!(pieces[3], Piece::Hole(Hole::Value));
        let unknown = Template::parse("x {nope}", &["gs"], false);
        assert_eq!(
            unknown,
            Err(vec![UnknownHole {
                at: 3..7,
                name: "nope".to_owned()
            }])
        );
        assert!(Template::parse("an open { brace", &[], false).is_ok());
    }
}
