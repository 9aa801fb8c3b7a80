//! The report on a table of ratings.

use std::collections::BTreeSet;

use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_model::text::named;
use judica_run::raters::by_name;
use judica_run::writer::RunWriter;
use judica_stats::agreement::krippendorff::Level;
use judica_stats::agreement::weights::Weights;
use serde::Serialize;

use super::alike;
use super::load::{Loader, item_and_epoch};
use super::names::Names;
use super::scale::{Categories, Scale, few};
use super::value::marks_missing;
use super::{RatingsOptions, RatingsRequest, record};
use crate::panel::{BootstrapOptions, Coefficients, PairAgreement, Panel, coefficients, pairwise};
use crate::refusals::{EXAMPLES, Refusals};

/// The version of the report's shape.
pub const SCHEMA_VERSION: u32 = 2;

/// Every two raters are compared, unless asked for, for at most so many raters.
pub const MOST_RATERS_IN_PAIRS: usize = 10;

/// How far the raters of a table agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingsReport {
    /// How tables were read.
    #[serde(skip)]
    pub read: Vec<String>,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The level of measurement.
    pub level: &'static str,
    /// The weights of Gwet's AC2.
    pub weights: &'static str,
    /// Rows read; `records` + `rejects`.
    pub inputs: u64,
    /// Rows that say something: `ratings` + `missing`.
    pub records: u64,
    /// Rows that could not be used.
    pub rejects: u64,
    /// Rows read: ratings, missing and refused together.
    pub rows: u64,
    /// Rows that gave a rating.
    pub ratings: u64,
    /// Rows that said that there is none.
    pub missing: u64,
    /// Items that were named, rated or not.
    pub items: u64,
    /// Raters who were named, whether they rated anything or not.
    pub raters: u64,
    /// Values that raters could choose: those listed, else those that they chose.
    pub categories: u64,
    /// Whether they were listed.
    pub categories_declared: bool,
    /// The values in their order, if they are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// The coefficients, under their own keys.
    #[serde(flatten)]
    pub coefficients: Coefficients,
    /// Every two raters, if they are few or it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairwise: Option<Vec<PairAgreement>>,
    /// How intervals were made.
    pub bootstrap: BootstrapOptions,
    /// Items that nobody rated.
    pub unrated_items: Named,
    /// Raters who rated nothing; they are not in the coefficients.
    pub silent_raters: Named,
    /// Rows that could not be used.
    pub refused: Refusals,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// How many rows of each input were used.
    #[serde(skip)]
    pub used: Vec<u64>,
}

/// How many, and the first few by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Named {
    /// How many.
    pub count: u64,
    /// The first few.
    pub examples: Vec<String>,
}

impl Named {
    fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut named = Named::default();
        for name in names {
            if named.examples.len() < EXAMPLES {
                named.examples.push(name.to_owned());
            }
            named.count += 1;
        }
        named
    }
}

/// Measures what was loaded, and writes the records of a run that is asked for. Names of
/// items and values are let go of before numbers are made, which need room of their own.
pub(super) fn report(
    request: &RatingsRequest,
    mut loader: Loader,
) -> Result<(RatingsReport, Option<RunWriter>), WorkError> {
    loader.close();
    let &RatingsOptions { level, weights, .. } = &request.options;
    let items = loader.items.len();
    let unrated = loader.cells.unrated(items);
    let unrated_items =
        Named::new(unrated.map(|item| item_and_epoch(loader.items.name(item as u32)).0));
    let clusters = loader.clusters();
    let contradicted = contradicted_clusters(&loader);
    let item_names = loader.items.iter().map(|name| item_and_epoch(name).0);
    let items_alike = alike::note("items", item_names, false);
    if request.run.is_none() {
        loader.items = Names::default();
    }
    let used = loader.cells.used(loader.scale.codes());
    let categories = loader.scale.finish(&used);
    let mut notes = notes(request, weights, &used, &categories);
    notes.extend(contradicted);
    if let Scale::Names(names) = &loader.scale {
        let values = used.iter().map(|&code| names.name(code));
        notes.extend(alike::note("values", values, !categories.merged));
    }
    notes.extend(alike::note("raters", loader.raters.iter(), false));
    notes.extend(items_alike);
    let silent = loader.cells.silent(loader.raters.len());
    let speaking = speaking(&loader.raters, &silent);
    let name = |&rater: &u32| loader.raters.name(rater).to_owned();
    let raters: Vec<String> = speaking.iter().map(name).collect();
    let cells = std::mem::take(&mut loader.cells);
    let table = cells.table(items, &speaking, &categories.recoded, categories.count);
    let panel = Panel {
        ratings: &table,
        raters: &raters,
        labels: &categories.labels,
        values: &categories.values,
        level,
        weights,
        clusters: clusters.as_deref(),
    };
    let run = match &request.run {
        None => None,
        Some(target) => {
            let labels = loader.scale.labels(&used, &categories);
            let declared = match categories.declared {
                true => labels.as_slice(),
                false => &[],
            };
            Some(record::write(
                target, request, &loader, &panel, &labels, declared,
            )?)
        }
    };
    let Loader {
        raters: named,
        rows,
        ratings,
        missing,
        refusals,
        ..
    } = loader;
    drop((loader.items, loader.scale, loader.first_rows, used));
    let in_pairs = request.options.pairwise || raters.len() <= MOST_RATERS_IN_PAIRS;
    let bootstrap = &request.options.bootstrap;
    let report = RatingsReport {
        read: Vec::new(),
        schema_version: SCHEMA_VERSION,
        level: level.name(),
        weights: weights.name(),
        inputs: rows,
        records: ratings + missing,
        rejects: refusals.total(),
        rows,
        ratings,
        missing,
        items: items as u64,
        raters: named.len() as u64,
        categories: categories.count as u64,
        categories_declared: categories.declared,
        labels: few(categories.count).then(|| categories.labels.clone()),
        coefficients: remarked(coefficients(&panel, bootstrap), &categories),
        pairwise: in_pairs.then(|| pairwise(&panel, bootstrap)),
        bootstrap: *bootstrap,
        unrated_items,
        silent_raters: Named::new(silent.iter().map(|&rater| named.name(rater))),
        refused: refusals,
        notes,
        used: Vec::new(),
    };
    Ok((report, run))
}

/// The raters who rated something, by name.
fn speaking(raters: &Names, silent: &[u32]) -> Vec<u32> {
    let mut speaking: Vec<u32> = (0..raters.len() as u32)
        .filter(|rater| silent.binary_search(rater).is_err())
        .collect();
    by_name(&mut speaking, |rater| raters.name(*rater));
    speaking
}

/// Weighted kappas count the steps between labels, which are many or few by accident of
/// the alphabet unless the labels have an order.
fn remarked(mut found: Coefficients, categories: &Categories) -> Coefficients {
    if !categories.ordered && categories.count > 2 {
        for value in [
            &mut found.cohen_kappa_linear,
            &mut found.cohen_kappa_quadratic,
        ] {
            let before = std::mem::replace(value, MetricValue::undefined(""));
            *value = before.with_note(
                "over labels in sorted order; means something only if that is their order",
            );
        }
    }
    found
}

fn notes(
    request: &RatingsRequest,
    weights: Weights,
    used: &[u32],
    categories: &Categories,
) -> Vec<String> {
    let mut notes = Vec::new();
    let negative = categories.values.first().is_some_and(|&value| value < 0.0);
    if negative && (request.options.level == Level::Ratio || weights == Weights::Ratio) {
        notes.push(
            "some values are negative; the ratio level is for values that begin at zero".to_owned(),
        );
    }
    if weights.read_values() && !categories.ordered && categories.count > 2 {
        notes.push(format!(
            "gwet_ac2: {} weights count the labels in sorted order as 1, 2, 3, …",
            weights.name()
        ));
    }
    if categories.merged {
        notes.push("values that are the same number written differently are one category".into());
    }
    let markers: Vec<String> = categories
        .labels
        .iter()
        .filter(|label| marks_missing(label))
        .map(|label| format!("`{label}`"))
        .collect();
    if !markers.is_empty() {
        let count = match markers.len() {
            1 => "counts as a value",
            _ => "count as values",
        };
        notes.push(format!(
            "{} {count}; a missing rating is an empty cell or null",
            markers.join(", ")
        ));
    }
    if categories.declared {
        notes.extend(unused(used, categories));
    }
    notes
}

/// Items whose rows name several clusters.
fn contradicted_clusters(loader: &Loader) -> Option<String> {
    let items = loader.contradicted_clusters.iter();
    // Not in the order of rows.
    let names: BTreeSet<&str> = items
        .map(|&item| item_and_epoch(loader.items.name(item)).0)
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "rows of one item name several clusters, of which the first by name counts: {}",
            named(&names, names.len())
        )
    })
}

/// A value that nobody chose is worth a word.
fn unused(used: &[u32], categories: &Categories) -> Option<String> {
    // Values of an order are their places.
    let unused: Vec<String> = (0..)
        .zip(&categories.labels)
        .filter(|(place, _)| used.binary_search(place).is_err())
        .map(|(_, label)| format!("`{label}`"))
        .collect();
    if unused.is_empty() {
        return None;
    }
    let (it, counts) = match unused.len() {
        1 => ("it", "counts"),
        _ => ("they", "count"),
    };
    Some(format!(
        "nobody chose {}; {it} {counts} as what raters could choose",
        unused.join(", ")
    ))
}
