//! The prices of one model.

use judica_model::price::ModelPrice;

use super::Place;
use super::tree::{Node, Tree};
use crate::error::DataError;

const INPUT: &str = "price_input_per_1k";
const OUTPUT: &str = "price_output_per_1k";
const GPU: &str = "gpu_hour_usd";
const KEYS: [&str; 3] = [INPUT, OUTPUT, GPU];

/// A key that differs from a known one by a stretch of at most so many characters is taken
/// for a misspelling. Long enough for a forgotten `per_`, too short for another kind of
/// price, as of `cached` tokens.
const MISSPELT: usize = 4;

/// A model of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub price: ModelPrice,
    short_name: Option<String>,
    name: Option<String>,
}

impl Entry {
    pub(super) fn short_name(&self) -> Option<&str> {
        self.short_name.as_deref()
    }

    pub(super) fn full_name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// Reads the entry of the model `model`; what looks like a price of some other kind is
/// passed over with a note.
pub(super) fn read(
    place: &Place,
    model: &str,
    node: &Node,
    notes: &mut Vec<String>,
) -> Result<Entry, DataError> {
    let mut price = ModelPrice::default();
    let members = match &node.tree {
        Tree::Mapping(members) => members.as_slice(),
        // A model of which nothing is configured.
        Tree::Null => &[],
        _ => {
            let message = format!("model `{model}` is {}, a mapping is needed", node.kind());
            return Err(place.wrong(node.line, message));
        }
    };
    for (at, (key, value)) in members.iter().enumerate() {
        let slot = match key.as_str() {
            INPUT => &mut price.price_input_per_1k,
            OUTPUT => &mut price.price_output_per_1k,
            GPU => &mut price.gpu_hour_usd,
            other => {
                if let Some(known) = misspelling(other) {
                    let message =
                        format!("model `{model}`: unknown key `{other}` (did you mean `{known}`?)");
                    return Err(place.wrong(value.line, message));
                }
                if words(other)
                    .iter()
                    .any(|word| ["price", "cost"].contains(&word.as_str()))
                {
                    notes.push(format!(
                        "model `{model}`: `{other}` is no price that is known here and was \
                         passed over"
                    ));
                }
                continue;
            }
        };
        if members[..at].iter().any(|(before, _)| before == key) {
            let message = format!("model `{model}`: `{key}` stands there twice");
            return Err(place.wrong(value.line, message));
        }
        *slot = amount(place, model, key, value)?;
    }
    let alias = |key| node.text(key).map(str::to_owned);
    Ok(Entry {
        price,
        short_name: alias("short_name"),
        name: alias("name"),
    })
}

/// A price; nothing is no price.
fn amount(place: &Place, model: &str, key: &str, node: &Node) -> Result<Option<f64>, DataError> {
    let found = match &node.tree {
        Tree::Null => return Ok(None),
        // Not a negative zero either, which would be shown with its sign.
        Tree::Number(amount) if amount.is_finite() && *amount >= 0.0 => {
            return Ok(Some(amount.abs()));
        }
        Tree::Number(amount) => amount.to_string(),
        _ => node.kind().to_owned(),
    };
    let message =
        format!("model `{model}`: `{key}` is {found}, a number of dollars from 0 up is needed");
    Err(place.wrong(node.line, message))
}

/// The key that was meant by one that is nearly it: with a few letters wrong, or with its
/// words in another order.
fn misspelling(key: &str) -> Option<&'static str> {
    let lower = key.to_lowercase();
    let near = KEYS
        .into_iter()
        .map(|known| (stretch(&lower, known), known));
    if let Some((_, known)) = near.filter(|(length, _)| *length <= MISSPELT).min() {
        return Some(known);
    }
    let sorted = |key: &str| {
        let mut words = words(key);
        words.sort();
        words
    };
    KEYS.into_iter().find(|known| sorted(known) == sorted(key))
}

/// How long the part is in which two keys differ.
fn stretch(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let shorter = a.len().min(b.len());
    let same =
        |pairs: &mut dyn Iterator<Item = (&char, &char)>| pairs.take_while(|(a, b)| a == b).count();
    let start = same(&mut a.iter().zip(&b));
    let end = same(&mut a.iter().rev().zip(b.iter().rev())).min(shorter - start);
    a.len().max(b.len()) - start - end
}

/// The words of a key, in lower case.
fn words(key: &str) -> Vec<String> {
    key.split(['_', '-', ' ', '.'])
        .map(str::to_lowercase)
        .collect()
}
