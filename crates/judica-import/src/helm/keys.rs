//! What instances and stats are told by, and what of an instance was right.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::raw::{Object, Raw};

/// Instance, trial, and the fingerprint of the perturbation.
pub(super) type Key = (String, u32, u128);

/// What a stat is of beside its name: fingerprints of split, sub-split and perturbation.
pub(super) type Context = [u128; 3];

/// Perturbations by name: several may share one and be others.
#[derive(Default, Clone)]
pub(super) struct Perturbations(FxHashMap<String, Vec<u128>>);

impl Perturbations {
    /// Adds to what an instance is called the number of its perturbation, but for the first.
    pub fn number(&mut self, item: &mut String, perturbation: Raw) {
        let name = perturbation.at(&["name"]).shown().unwrap_or_default();
        let alike = self.0.entry(name.into_owned()).or_default();
        let print = perturbation.fingerprint();
        let known = alike.iter().position(|known| *known == print);
        match known.unwrap_or(alike.len()) {
            0 => {}
            number => item.push_str(&format!("#{}", number + 1)),
        }
        if known.is_none() {
            alike.push(print);
        }
    }
}

/// A stat's name, and what it is of.
pub(super) fn named(name: Raw<'_>) -> (Cow<'_, str>, Context) {
    let of = name.members();
    let context = ["split", "sub_split", "perturbation"].map(|key| of.get(key).fingerprint());
    (of.get("name").shown().unwrap_or_default(), context)
}

/// The key of an instance in a trial, and what it is called: `id~name` where it is perturbed.
pub(super) fn key(row: &Object, id: Raw, perturbation: Raw) -> Result<(Key, String), String> {
    let id = id.shown().ok_or("an instance has an id")?.into_owned();
    let trial = row.get("train_trial_index");
    let trial = match trial.is_null() {
        true => 0,
        false => trial
            .count()
            .ok_or_else(|| format!("train_trial_index is {}", trial.json()))?,
    };
    let item = match perturbation.at(&["name"]).shown() {
        Some(name) => format!("{id}~{name}"),
        None => id.clone(),
    };
    Ok(((id, trial, perturbation.fingerprint()), item))
}

/// The references that are right: the one, or a list of them.
pub(super) fn correct(references: Raw<'_>) -> Option<Cow<'_, str>> {
    let mut texts = Vec::new();
    for reference in references.elements() {
        let tags = reference.at(&["tags"]).elements();
        if tags
            .iter()
            .any(|tag| tag.text().as_deref() == Some("correct"))
        {
            // Newer files have the text in `output`.
            let inner = reference.at(&["output", "text"]);
            let old = reference.at(&["output"]);
            texts.push(if inner.is_null() { old } else { inner });
        }
    }
    match texts[..] {
        [] => None,
        [only] => only.shown(),
        _ => {
            let all: Vec<&str> = texts.iter().map(|text| text.json()).collect();
            Some(format!("[{}]", all.join(",")).into())
        }
    }
}
