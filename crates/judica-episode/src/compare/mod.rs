//! Two or more evaluations against each other, by their eval files.
//!
//! The first is what the others are held against. Where the details of episodes are at hand
//! and episodes match, they are compared episode by episode, as the records of two runs are;
//! otherwise by the numbers of the eval files alone. The report is that of runs.

mod episodes;
mod side;

use std::collections::BTreeSet;
use std::path::PathBuf;

use judica_data::work_error::WorkError;
use judica_model::run::{Direction, MetricKind, MetricSpec};
use judica_run::compare::report::{Items, MetricRow, SideInfo};
use judica_run::compare::{
    Apart, Clusters, CompareReport, CompareRequest, Measured, decides_first, finish,
};

use self::episodes::{Episodes, Id};
use self::side::Side;
use crate::eval_json::catalogue::{Kind, spec};
use crate::family::{self, place};

/// How many episodes that were left out are named.
const NAMED: usize = 10;
/// What is said where a rate of steps stands in a file without its interval.
const INDEPENDENT: &str = "steps of one episode belong together, and where a file has a rate of \
                           steps without an interval, the one made here takes them for \
                           independent: it is too confident; ";

/// Compares evaluations: the runs of the request are eval files, or files of details; `labels`
/// says what they are called, `details` holds the details of each, or nothing.
pub fn compare(
    request: &CompareRequest,
    labels: &[String],
    details: &[PathBuf],
) -> Result<CompareReport, WorkError> {
    let sides = side::load(&request.runs, labels, details)?;
    let mut specs = specs(&sides);
    decides_first(&mut specs, request.metric.as_deref())?;
    let (mut rows, mut items, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    remarks(&sides, &mut notes);
    contradictions(&sides, &specs, &mut notes);
    for (at, b) in sides.iter().enumerate().skip(1) {
        let a = &sides[0];
        let both = a.episodes.as_ref().zip(b.episodes.as_ref());
        if let Some((of_a, of_b)) = both {
            agree_on_clusters((&a.label, of_a), (&b.label, of_b))?;
        }
        let found = both.map_or_else(Items::default, |(a, b)| meet(a, b));
        let both = both.filter(|_| found.common > 0);
        if both.is_none() && a.episodes.is_some() && b.episodes.is_some() {
            notes.push(format!(
                "{} has no episode in common with {}; they are compared unpaired",
                b.label, a.label
            ));
        }
        let (mut steps_apart, mut independent) = (false, "");
        for (number, spec) in specs.iter().enumerate() {
            let measured = match (both, place(&spec.name)) {
                (Some(both), Some(place)) => Measured::of(spec, paired(both, place)),
                _ => {
                    let of_steps = self::spec(&spec.name).is_some_and(|spec| spec.of_steps);
                    steps_apart |= of_steps;
                    if of_steps && [a, b].iter().any(|side| side.lacks_interval(&spec.name)) {
                        independent = INDEPENDENT;
                    }
                    apart(request, a, b, &spec.name)
                }
            };
            rows.push(MetricRow::begin((0, at), spec, None, number == 0, measured));
        }
        if steps_apart && at == 1 {
            notes.push(format!(
                "not paired, so that intervals alone decide; {independent}details of episodes \
                 (`judica episodes --details`) allow a paired comparison"
            ));
        }
        items.push(found);
    }
    let sides = sides.iter().map(|side| SideInfo {
        run: side.label.clone(),
        subject: side
            .eval
            .as_ref()
            .and_then(|eval| eval.text("backend").map(str::to_owned)),
        subjects: Vec::new(),
    });
    Ok(finish(request, sides.collect(), rows, items, notes))
}

/// All metrics of all sides: known ones in their order, then others by name, of which nobody
/// knows which way is better.
fn specs(sides: &[Side]) -> Vec<MetricSpec> {
    let named: BTreeSet<String> = sides.iter().flat_map(Side::metrics).collect();
    let mut specs = family::specs();
    specs.retain(|spec| named.contains(&spec.name));
    let others = named.iter().filter(|name| self::spec(name).is_none());
    specs.extend(others.map(|name| MetricSpec::column(name, MetricKind::Mean, Direction::None)));
    specs
}

/// Which episodes two sides have in common.
fn meet(a: &Episodes, b: &Episodes) -> Items {
    let only = |these: &Episodes, those: &Episodes| -> Vec<String> {
        let ids = these.0.keys().filter(|id| !those.0.contains_key(*id));
        ids.map(Id::to_string).collect()
    };
    let (only_a, only_b) = (only(a, b), only(b, a));
    Items {
        common: (a.0.len() - only_a.len()) as u64,
        only_a: only_a.len() as u64,
        only_b: only_b.len() as u64,
        left_out: only_a.into_iter().chain(only_b).take(NAMED).collect(),
    }
}

/// Sums of a metric by cluster.
fn paired((a, b): (&Episodes, &Episodes), place: usize) -> Clusters {
    let common = a.by_cluster(|id| b.0.contains_key(id));
    let clusters = common.last().map_or(0, |(last, ..)| last + 1);
    let pairs = common
        .iter()
        .map(|(cluster, id, episode)| (*cluster, episode.terms[place], b.0[*id].terms[place]));
    Clusters::of(clusters, pairs)
}

/// An error if two sides do not agree what an episode stands or falls with.
fn agree_on_clusters(a: (&str, &Episodes), b: (&str, &Episodes)) -> Result<(), WorkError> {
    let differs = a.1.0.iter().find(|(id, episode)| {
        let other = b.1.0.get(id);
        other.is_some_and(|other| other.cluster != episode.cluster)
    });
    match differs {
        None => Ok(()),
        Some((id, _)) => Err(WorkError::BadInput(format!(
            "{} and {} disagree about the cluster of episode {:?}",
            a.0, b.0, id.name
        ))),
    }
}

/// A metric of two sides that cannot be paired.
fn apart(request: &CompareRequest, a: &Side, b: &Side, metric: &str) -> Measured {
    let few = a.episodes().zip(b.episodes());
    let few = few.is_some_and(|(n, m)| !can_show(n, m, 1.0 - request.confidence));
    let rate = spec(metric).is_some_and(|spec| spec.kind == Kind::Rate);
    let found = [a, b].map(|side| side.alone(metric));
    let missing = [a, b].into_iter().zip(&found).filter_map(|(side, found)| {
        let why = found.as_ref().err()?;
        Some(format!("{}: {why}", side.label))
    });
    let missing: Vec<String> = missing.collect();
    match found {
        [Ok(a), Ok(b)] => Measured::apart(Apart {
            rate,
            rates: [rate; 2],
            sides: [a, b],
            unknowable: few
                .then_some("so few episodes cannot show a difference, whatever they are"),
        }),
        found => Measured::one_sided(missing.join("; "), rate, found.map(Result::ok)),
    }
}

/// Whether so few episodes on either side can show a difference at this level at all.
///
/// A resampled interval of one or two episodes has hardly any width, and of episodes that
/// are alike it has none: it knows nothing of what it has not seen. But were both sides the
/// same, even the most extreme of all ways to deal `n + m` episodes to them would come up
/// with the probability 2 / C(n + m, n). What is likelier than the level shows nothing.
fn can_show(n: u64, m: u64, level: f64) -> bool {
    let needed = 2.0 / level;
    let mut ways = 1.0;
    for drawn in 1..=n.min(m) {
        ways *= (n.max(m) + drawn) as f64 / drawn as f64;
        if ways >= needed {
            return true;
        }
    }
    false
}

/// What a reader should know of the sides.
fn remarks(sides: &[Side], notes: &mut Vec<String>) {
    let modes: Vec<(&str, &str)> = sides
        .iter()
        .filter_map(|side| Some((side.label.as_str(), side.eval.as_ref()?.mode())))
        .collect();
    if modes.iter().any(|(_, mode)| *mode != modes[0].1) {
        let modes: Vec<String> = modes
            .iter()
            .map(|(label, mode)| format!("{label}: {mode}"))
            .collect();
        notes.push(format!(
            "the modes differ ({}), and so does what their metrics mean",
            modes.join(", ")
        ));
    }
    for side in sides {
        if let (Some(_), Some(episodes)) = (&side.eval, &side.episodes)
            && let Some(counted) = side.episodes()
            && counted != episodes.0.len() as u64
        {
            notes.push(format!(
                "{}: the eval file counts {counted} episodes, the details hold {}",
                side.label,
                episodes.0.len()
            ));
        }
    }
}

/// Rates that are not what their own file counts.
fn contradictions(sides: &[Side], specs: &[MetricSpec], notes: &mut Vec<String>) {
    for (side, spec) in sides
        .iter()
        .flat_map(|side| specs.iter().map(move |spec| (side, spec)))
    {
        if let Some((value, hits, n)) = side.at_odds(&spec.name) {
            notes.push(format!(
                "{}: {} is {value}, and the file counts {hits} of {n}; the value is taken, and the \
                 hits are not",
                side.label, spec.name
            ));
        }
    }
}

#[cfg(test)]
mod tests;
