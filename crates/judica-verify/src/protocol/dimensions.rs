//! Dimensions: scores of a record that each look at one thing, checked and compiled.

use judica_model::nearest::nearest;
use toml::Spanned;

use super::Family;
use super::file::{DimensionEntry, DimensionKind, ProtocolFile, TotalKind};
use super::names::Names;
use super::place::{Place, did_you_mean, known_family};

/// Every two of them are held against each other.
const MOST_DIMENSIONS: usize = 32;

/// A score of a record that looks at one thing.
#[derive(Debug, Clone)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// How much it counts in the total.
    pub weight: f64,
    /// What it is made of.
    pub kind: DimensionKind,
    /// The families whose atoms it weighs, by position.
    pub families: Vec<usize>,
}

/// What a total is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfDimensions {
    /// The dimension that filters: what does not parse, or lacks a required field, has 0 of it
    /// and in total, and nothing else.
    pub gate: Option<usize>,
}

/// The dimensions of a protocol, and the total if it is made of them.
pub(super) fn check(
    place: &Place,
    file: &ProtocolFile,
    families: &[Family],
) -> (Vec<Dimension>, Option<OfDimensions>) {
    place.unique("dimension", file.dimensions.iter().map(|entry| &entry.name));
    if let Some(last) = file.dimensions.get(MOST_DIMENSIONS) {
        let message = format!("at most {MOST_DIMENSIONS} dimensions are counted");
        place.tell(last.name.span(), message, None);
    }
    let family_names: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let names = Names::of(file);
    let one = |entry: &DimensionEntry| one(place, entry, &family_names, &names);
    let dimensions: Vec<Dimension> = file.dimensions.iter().map(one).collect();
    let total = file.scores.total.as_ref();
    let of_dimensions = total.filter(|total| *total.get_ref() == TotalKind::Dimensions);
    if let Some(total) = of_dimensions {
        let weighty = dimensions.iter().any(|dimension| dimension.weight > 0.0);
        if dimensions.is_empty() {
            let message = "a total of dimensions needs at least one [[dimension]]";
            let help = "write, for example:\n[[dimension]]\nname = \"D1\"\nkind = \"fields\"";
            place.tell(total.span(), message, Some(help.to_owned()));
        } else if !weighty {
            place.tell(total.span(), "no dimension has a weight", None);
        }
    }
    let gate = file.scores.gate.as_ref();
    if let (Some(gate), None) = (gate, of_dimensions) {
        let help = "write, for example, `total = \"dimensions\"`".to_owned();
        let message = "`gate` filters a total of dimensions";
        place.tell(gate.span(), message, Some(help));
    }
    let gate = gate.and_then(|gate| check_gate(place, gate, &dimensions));
    let total = of_dimensions.map(|_| OfDimensions { gate });
    (dimensions, total)
}

fn check_gate(place: &Place, gate: &Spanned<String>, dimensions: &[Dimension]) -> Option<usize> {
    let wanted = gate.get_ref();
    let found = dimensions
        .iter()
        .position(|dimension| dimension.name == *wanted);
    match found {
        None => {
            let names = dimensions.iter().map(|dimension| dimension.name.as_str());
            let help = nearest(wanted, names).map(did_you_mean);
            let message = format!("no dimension is called `{wanted}`");
            place.tell(gate.span(), message, help);
        }
        Some(at) if dimensions[at].kind != DimensionKind::Fields => {
            let message = "the gate is a dimension of kind \"fields\": it filters what does not parse or lacks a required field";
            place.tell(gate.span(), message, None);
        }
        Some(_) => {}
    }
    found
}

fn one(place: &Place, entry: &DimensionEntry, families: &[&str], names: &Names) -> Dimension {
    let name = entry.name.get_ref();
    if name.trim().is_empty() {
        place.tell(entry.name.span(), "a dimension needs a name", None);
    }
    let weight = entry
        .weight
        .as_ref()
        .map_or(1.0, |weight| *weight.get_ref());
    if let Some(given) = &entry.weight
        && !(weight.is_finite() && weight >= 0.0)
    {
        let message = "the weight of a dimension must be a number of at least 0";
        place.tell(given.span(), message, None);
    }
    match (entry.kind, entry.families.first()) {
        (DimensionKind::Atoms, None) => {
            let help = "families = [\"numeric_validity\", \"range_sanity\"]".to_owned();
            let message = "a dimension of atoms names the families that they are of";
            place.tell(entry.name.span(), message, Some(help));
        }
        (DimensionKind::Fields | DimensionKind::Error, Some(family)) => {
            let message = "only a dimension of kind \"atoms\" has families";
            place.tell(family.span(), message, None);
        }
        _ => {}
    }
    let known = entry.families.iter();
    let known = known.filter_map(|family| known_family(place, family, families, names));
    let mut families: Vec<usize> = known.collect();
    families.sort_unstable();
    families.dedup();
    Dimension {
        name: name.clone(),
        weight,
        kind: entry.kind,
        families,
    }
}

#[cfg(test)]
#[path = "dimensions_tests.rs"]
mod tests;
