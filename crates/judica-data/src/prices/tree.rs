//! YAML, TOML and JSON as one tree.

use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{NonFiniteFloatPolicy, Spanned};
use toml::de::{DeTable, DeValue};

use super::Place;
use crate::error::DataError;

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Toml,
    Json,
}

impl Format {
    /// The format that a file's name promises, also of one that is compressed.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let name = [".gz", ".zst"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name);
        match () {
            () if name.ends_with(".toml") => Format::Toml,
            () if name.ends_with(".json") => Format::Json,
            () => Format::Yaml,
        }
    }
}

/// A value and the line it stands on, where that is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub line: Option<u64>,
    pub tree: Tree,
}

/// A value. Only what prices are made of is kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Mapping(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
    Number(f64),
    Null,
    /// A boolean, a date.
    Other,
}

impl Node {
    /// What it is, for complaints.
    pub(super) fn kind(&self) -> &'static str {
        match self.tree {
            Tree::Mapping(_) => "a mapping",
            Tree::List(_) => "a list",
            Tree::Text(_) => "text",
            Tree::Number(_) => "a number",
            Tree::Null => "nothing",
            Tree::Other => "something else",
        }
    }

    /// The text under a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        let Tree::Mapping(members) = &self.tree else {
            return None;
        };
        members.iter().find_map(|(name, node)| match &node.tree {
            Tree::Text(text) if name == key && !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Reads a file's text. All three readers limit how deep it may be nested.
pub(super) fn read(place: &Place, text: &str, format: Format) -> Result<Node, DataError> {
    match format {
        Format::Yaml => {
            // What is infinite is complained of where it is a price, and only there.
            let options = serde_saphyr::options! {
                non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            };
            serde_saphyr::from_str_with_options::<Spanned<Tree>>(text, options)
                .map(Node::from)
                .map_err(|error| {
                    let line = error.location().map(|location| location.line());
                    place.wrong(line.filter(|&line| line > 0), yaml_message(&error))
                })
        }
        Format::Json => serde_json::from_str::<Tree>(text)
            .map(|tree| Node { line: None, tree })
            .map_err(|error| place.wrong(Some(error.line() as u64), format!("not JSON: {error}"))),
        Format::Toml => {
            // Looked up for every key, so counting from the start each time would take
            // quadratic time.
            let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
            let line_at = |at: usize| Some(1 + ends.partition_point(|&end| end < at) as u64);
            let table = DeTable::parse(text).map_err(|error| {
                let line = error.span().and_then(|span| line_at(span.start));
                place.wrong(line, format!("not TOML: {}", error.message()))
            })?;
            Ok(Node {
                line: None,
                tree: toml_table(table.get_ref(), &line_at),
            })
        }
    }
}

/// The reader's complaint without a picture of the place, and without the place, which
/// stands before it.
fn yaml_message(error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    let line = text.lines().next().unwrap_or_default();
    let what = line.rfind(" at line ").map_or(line, |at| &line[..at]);
    format!("not usable YAML: {what}")
}

fn toml_table(table: &DeTable, line_at: &impl Fn(usize) -> Option<u64>) -> Tree {
    let member = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue>)| {
        let line = line_at(key.span().start);
        let tree = toml_value(value.get_ref(), line_at);
        (
            AsRef::<str>::as_ref(key.get_ref()).to_owned(),
            Node { line, tree },
        )
    };
    Tree::Mapping(table.iter().map(member).collect())
}

fn toml_value(value: &DeValue, line_at: &impl Fn(usize) -> Option<u64>) -> Tree {
    match value {
        DeValue::Table(table) => toml_table(table, line_at),
        DeValue::Array(values) => {
            let node = |value: &toml::Spanned<DeValue>| Node {
                line: line_at(value.span().start),
                tree: toml_value(value.get_ref(), line_at),
            };
            Tree::List(values.iter().map(node).collect())
        }
        DeValue::String(text) => Tree::Text(text.to_string()),
        DeValue::Float(number) => number.as_str().parse().map_or(Tree::Other, Tree::Number),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Tree::Other, |number| Tree::Number(number as f64)),
        _ => Tree::Other,
    }
}

impl From<Spanned<Tree>> for Node {
    fn from(spanned: Spanned<Tree>) -> Self {
        let line = spanned.referenced.line();
        Node {
            line: (line > 0).then_some(line),
            tree: spanned.value,
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("models and their prices")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut members: Vec<(String, Node)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            members.push((key, map.next_value::<Spanned<Tree>>()?.into()));
        }
        Ok(Tree::Mapping(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element::<Spanned<Tree>>()? {
            nodes.push(node.into());
        }
        Ok(Tree::List(nodes))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(number as f64))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Tree, D::Error> {
        IgnoredAny::deserialize(inner).map(|_| Tree::Other)
    }
}
