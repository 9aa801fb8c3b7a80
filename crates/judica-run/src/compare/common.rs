//! The metrics that all sides have. Each side's numbers are what its own run means by them.

use std::borrow::Borrow;

use judica_data::work_error::WorkError;
use judica_model::run::{Direction, Estimator, MetricKind, MetricSpec};

use super::sides::Side;
use super::{CompareRequest, decides_first};

/// A metric that all sides have.
pub struct Common<'r> {
    /// The metric of the comparison.
    pub spec: &'r MetricSpec,
    /// As each side has it.
    own: Vec<OwnMetric<'r>>,
}

/// A metric as a side has it.
#[derive(Clone, Copy)]
pub struct OwnMetric<'r> {
    /// Whether it is a share there.
    pub rate: bool,
    /// How it is estimated, where the columns of some side do not say all.
    pub estimator: Option<&'r Estimator>,
}

impl Borrow<MetricSpec> for Common<'_> {
    fn borrow(&self) -> &MetricSpec {
        self.spec
    }
}

impl<'r> Common<'r> {
    /// The metric of every side that is this one, if all have it.
    fn find(spec: &'r MetricSpec, sides: &[Side<'r>]) -> Option<Self> {
        // Whether all values of a scorer happen to be 0 and 1 may differ from run to run.
        let summed = |spec: &MetricSpec| matches!(spec.kind, MetricKind::Rate | MetricKind::Mean);
        let same = |other: &&MetricSpec| {
            other.name == spec.name && (other.kind == spec.kind || summed(other) && summed(spec))
        };
        let of = |side: &Side<'r>| side.loaded.run.manifest.metrics.iter();
        let own = sides.iter().map(|side| of(side).find(same));
        let own: Vec<&MetricSpec> = own.collect::<Option<_>>()?;
        let widest = own.iter().find(|own| own.kind != MetricKind::Rate);
        let like = own.iter().find_map(|own| own.estimated());
        let estimator = |side: &Side<'r>, own: &'r MetricSpec| {
            let like = like?;
            // Of two raters a column says how often they agree, and a coefficient says the same.
            let mut equal = of(side).filter_map(|spec| spec.estimator.as_ref());
            let equal =
                equal.find(|other| (&other.name, &other.level) == (&like.name, &like.level));
            own.estimated().or(equal)
        };
        let sides = sides.iter().zip(&own);
        let of_sides = sides.map(|(side, own)| OwnMetric {
            rate: own.kind == MetricKind::Rate,
            estimator: estimator(side, own),
        });
        Some(Common {
            spec: widest.copied().unwrap_or(spec),
            own: of_sides.collect(),
        })
    }

    /// Whether it is estimated from labels.
    pub fn is_estimated(&self) -> bool {
        self.own.iter().any(|own| own.estimator.is_some())
    }

    /// As two of the sides have it.
    pub fn of(&self, (a, b): (usize, usize)) -> [OwnMetric<'r>; 2] {
        [self.own[a], self.own[b]]
    }

    /// Whether another metric is the same quantity of two sides by another name.
    pub fn is_same(&self, other: &Common, at: (usize, usize)) -> bool {
        let [one, its] = [self, other].map(|metric| metric.of(at).map(|own| own.estimator));
        self.is_estimated() && one == its
    }
}

/// The metrics that all sides have, the one that decides first. The rest is named.
pub fn metrics<'r>(
    request: &CompareRequest,
    sides: &[Side<'r>],
    notes: &mut Vec<String>,
) -> Result<Vec<Common<'r>>, WorkError> {
    let of = |side: &Side<'r>| side.loaded.run.manifest.metrics.iter();
    let common = of(&sides[0]).filter_map(|spec| Common::find(spec, sides));
    let mut common: Vec<Common> = common.collect();
    for metric in &common {
        one_way(metric.spec, sides)?;
    }
    let mut missing: Vec<&str> = sides
        .iter()
        .flat_map(of)
        .map(|spec| spec.name.as_str())
        .filter(|name| !common.iter().any(|metric| metric.spec.name == *name))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        notes.push(format!(
            "not on every side, so left out: {}",
            missing.join(", ")
        ));
    }
    let commands: Vec<&str> = sides
        .iter()
        .map(|side| side.loaded.run.manifest.command.as_str())
        .collect();
    if commands.iter().any(|command| *command != commands[0]) {
        notes.push(format!(
            "made by different commands ({}): only metrics of the same name are compared",
            commands.join(", ")
        ));
    }
    if common.is_empty() {
        return Err(WorkError::BadInput(format!(
            "the runs have no metric in common: {}",
            missing.join(", ")
        )));
    }
    decides_first(&mut common, request.metric.as_deref())?;
    Ok(common)
}

/// Makes sure that all sides hold the same way for the better: else each could be worse than
/// the other.
fn one_way(spec: &MetricSpec, sides: &[Side]) -> Result<(), WorkError> {
    let mut own = sides.iter().filter_map(|side| {
        let metrics = side.loaded.run.manifest.metrics.iter();
        let mut own = metrics.filter(|own| own.name == spec.name);
        Some((side, own.next()?.direction))
    });
    let Some((first, way)) = own.next() else {
        return Ok(());
    };
    let words = |way| match way {
        Direction::Higher => "higher is better",
        Direction::Lower => "lower is better",
        Direction::None => "neither way is better",
    };
    match own.find(|(_, other)| *other != way) {
        None => Ok(()),
        Some((side, other)) => Err(WorkError::BadInput(format!(
            "of `{}` {} in {}, and {} in {}; make one of them anew",
            spec.name,
            words(way),
            first.run_name(),
            words(other),
            side.run_name()
        ))),
    }
}
