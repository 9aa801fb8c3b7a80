//! `[[field]]` as it is written: what a field holds, where it stands, what is asked of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::yes;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Ordinary numbers.
    #[default]
    Linear,
    /// Degrees; differences take the shortest arc.
    Angle,
    /// Whole numbers.
    Integer,
    /// Text.
    Text,
    /// One of some names.
    Enum,
    /// True or false.
    Boolean,
    /// A day.
    Date,
    /// A moment.
    Datetime,
    /// Several of one of these.
    List,
    /// An object that a JSON Schema describes.
    Object,
}

/// One predicted field.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FieldEntry {
    /// The key in the response.
    pub name: Spanned<String>,
    /// The name in expressions; the name itself where it can be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<Spanned<String>>,
    /// For people.
    #[serde(default)]
    pub unit: String,
    /// What it holds.
    #[serde(default)]
    pub kind: FieldKind,
    /// Whether its absence is a failure.
    #[serde(default = "yes")]
    pub required: bool,
    /// Lowest and highest plausible value.
    pub limit: Option<Spanned<[f64; 2]>>,
    /// Largest plausible change from one step to the next.
    pub jump: Option<Spanned<f64>>,
    /// Where it stands: a JSON pointer, `*` for every element of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Spanned<String>>,
    /// Whether null is an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nullable: Option<Spanned<bool>>,
    /// The error that counts as 1 where errors are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Spanned<f64>>,
    /// How much its error counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Spanned<f64>>,
    /// What is searched for in text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Spanned<String>>,
    /// The fewest characters of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<Spanned<u32>>,
    /// The most characters of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<Spanned<u32>>,
    /// The only texts there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Spanned<Vec<String>>>,
    /// How text is compared with the gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Spanned<String>>,
    /// The names of an enumeration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Spanned<Vec<String>>>,
    /// Other spellings of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Spanned<BTreeMap<String, String>>>,
    /// Their order, where it counts how far apart two are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Spanned<Order>>,
    /// Texts that are true or false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spellings: Option<Spanned<Spellings>>,
    /// How dates are written, as strftime has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Spanned<String>>,
    /// The first plausible date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earliest: Option<Spanned<String>>,
    /// The last plausible date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<Spanned<String>>,
    /// What the elements of a list are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Spanned<FieldKind>>,
    /// The fewest elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<Spanned<u32>>,
    /// The most elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<Spanned<u32>>,
    /// Whether elements must differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<Spanned<bool>>,
    /// How lists are compared with the gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Spanned<By>>,
    /// By which key objects of a list are matched with those of the gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Spanned<String>>,
    /// A JSON Schema: the name of a file, or the schema itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Spanned<String>>,
    /// The field is looked at only where this holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Spanned<String>>,
}

impl FieldEntry {
    /// The name in expressions.
    pub fn alias(&self) -> &Spanned<String> {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}
/// The order of an enumeration.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Order {
    /// That of its values, or none.
    AsListed(bool),
    /// This one.
    Names(Vec<String>),
}

/// Texts that are true or false.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spellings {
    /// Those that are true.
    #[serde(rename = "true")]
    pub yes: Vec<String>,
    /// Those that are false.
    #[serde(rename = "false")]
    pub no: Vec<String>,
}

/// How lists are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// As sets in which a value may stand several times.
    Set,
    /// Each element with that in its place.
    Position,
}
