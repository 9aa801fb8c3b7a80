//! What models cost, from a file that people keep: YAML, TOML or JSON.
//!
//! Such a file usually configures more than prices, so whatever else stands in it is passed
//! over. But a price that is misspelt would silently become no price, so a key that is
//! nearly one of the three known ones is an error. Three shapes are read:
//!
//! ```yaml
//! models: {gpt-4o: {price_input_per_1k: 0.0025, price_output_per_1k: 0.01}}  # by name
//! models: [{name: gpt-4o, price_input_per_1k: 0.0025}]                       # a list
//! gpt-4o: {price_input_per_1k: 0.0025, price_output_per_1k: 0.01}            # only models
//! ```
//!
//! * `tree`: the three formats as one tree whose nodes know their lines
//! * `entry`: the prices of one model

mod entry;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judica_model::nearest::nearest;
use judica_model::price::ModelPrice;

use crate::error::DataError;
use crate::source;
use entry::Entry;
use tree::{Format, Node, Tree};

/// The prices of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceList {
    path: PathBuf,
    models: BTreeMap<String, Entry>,
    notes: Vec<String>,
}

impl PriceList {
    /// Reads a file: TOML if it is called `.toml`, JSON if `.json`, else YAML.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let text = source::read_text(path)?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, DataError> {
        let place = Place(path);
        let root = tree::read(&place, text, Format::of(path))?;
        let mut list = PriceList {
            path: path.to_owned(),
            models: BTreeMap::new(),
            notes: Vec::new(),
        };
        let Tree::Mapping(members) = &root.tree else {
            let message = format!("models and their prices are needed, found {}", root.kind());
            return Err(place.wrong(root.line, message));
        };
        match members.iter().find(|(key, _)| key == "models") {
            None => list.add_mapping(&place, members)?,
            Some((_, node)) => match &node.tree {
                Tree::Mapping(members) => list.add_mapping(&place, members)?,
                Tree::List(nodes) => list.add_list(&place, nodes)?,
                Tree::Null => {}
                _ => {
                    let message = format!(
                        "`models` is {}, a mapping or a list of models is needed",
                        node.kind()
                    );
                    return Err(place.wrong(node.line, message));
                }
            },
        }
        if list.models.is_empty() {
            return Err(place.wrong(None, "there are no models in it"));
        }
        Ok(list)
    }

    fn add_mapping(&mut self, place: &Place, members: &[(String, Node)]) -> Result<(), DataError> {
        for (name, node) in members {
            self.add(place, name, node)?;
        }
        Ok(())
    }

    /// In a list, a model is known by its short name if it has one, as in a mapping.
    fn add_list(&mut self, place: &Place, nodes: &[Node]) -> Result<(), DataError> {
        for node in nodes {
            let Some(name) = node.text("short_name").or_else(|| node.text("name")) else {
                return Err(place.wrong(node.line, "a model without a `name`"));
            };
            let name = name.to_owned();
            self.add(place, &name, node)?;
        }
        Ok(())
    }

    fn add(&mut self, place: &Place, name: &str, node: &Node) -> Result<(), DataError> {
        let entry = entry::read(place, name, node, &mut self.notes)?;
        if self.models.insert(name.to_owned(), entry).is_some() {
            return Err(place.wrong(node.line, format!("there are two models called `{name}`")));
        }
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a reader of the prices should know, e.g. keys that were passed over.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names of all models, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(String::as_str)
    }

    /// The name that was probably meant by one that is not there.
    pub fn nearest(&self, model: &str) -> Option<&str> {
        nearest(model, self.names())
    }

    /// The prices of a model, known by its name in the file, its `short_name` or its
    /// `name`, the first of these that fits. `None` if the file does not name it; an error
    /// if several models with different prices fit equally well.
    pub fn of(&self, model: &str) -> Result<Option<&ModelPrice>, DataError> {
        if let Some(entry) = self.models.get(model) {
            return Ok(Some(&entry.price));
        }
        for alias in [Entry::short_name, Entry::full_name] {
            let fits = |entry: &&Entry| alias(entry) == Some(model);
            let mut found = self.models.values().filter(fits);
            let Some(first) = found.next() else {
                continue;
            };
            if found.any(|other| other.price != first.price) {
                let names: Vec<&str> = self
                    .models
                    .iter()
                    .filter(|(_, entry)| fits(entry))
                    .map(|(name, _)| name.as_str())
                    .collect();
                let message = format!(
                    "`{model}` may be any of {}, which have different prices",
                    names.join(", ")
                );
                return Err(Place(&self.path).wrong(None, message));
            }
            return Ok(Some(&first.price));
        }
        Ok(None)
    }
}

/// The file that complaints name.
struct Place<'a>(&'a Path);

impl Place<'_> {
    /// Something wrong on a line, if that is known.
    fn wrong(&self, line: Option<u64>, message: impl Into<String>) -> DataError {
        let message = message.into();
        let reason = match line {
            Some(line) => format!("line {line}: {message}"),
            None => message,
        };
        DataError::malformed(self.0, None, reason)
    }
}

#[cfg(test)]
mod tests;
