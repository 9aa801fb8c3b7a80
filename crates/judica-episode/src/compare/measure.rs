//! Sides become a report.

use judica_model::metric::MetricValue;

use super::CompareRequest;
use super::episodes::place;
use super::holm::holm;
use super::paired::{Match, Paired, differences, matched};
use super::report::{
    CompareReport, Difference, Estimate, MetricComparison, Pairing, SCHEMA_VERSION, SideInfo,
};
use super::side::Side;
use super::unpaired::{can_show, combined, newcombe, score_test};
use super::verdict::{Verdict, overall, verdict};
use crate::eval_json::catalogue::{self, spec};

/// How many episodes that were left out are named.
const NAMED: usize = 10;

/// The coverage of intervals in eval files.
const IN_FILES: f64 = 0.95;

/// How a run compares with the baseline, episode by episode.
type PairedRun = Option<Vec<Result<Paired, &'static str>>>;

/// Makes the report. `sides` are two or more.
pub(super) fn measure(request: &CompareRequest, sides: &[Side]) -> CompareReport {
    let (baseline, others) = (&sides[0], &sides[1..]);
    let mut notes = Vec::new();
    let matches: Vec<Option<Match>> = others
        .iter()
        .map(|side| {
            let (first, second) = (baseline.episodes.as_ref()?, side.episodes.as_ref()?);
            Some(matched(first, second))
        })
        .collect();
    let paired: Vec<PairedRun> = others
        .iter()
        .zip(&matches)
        .map(|(side, found)| {
            found.as_ref().filter(|found| found.common > 0)?;
            let (first, second) = (baseline.episodes.as_ref()?, side.episodes.as_ref()?);
            Some(differences(first, second, request).into())
        })
        .collect();
    let mut metrics: Vec<MetricComparison> = names(sides)
        .into_iter()
        .map(|metric| comparison(request, sides, &paired, metric))
        .collect();
    let tests = correct(&mut metrics);
    let level = 1.0 - request.confidence;
    for metric in &mut metrics {
        judge(metric, baseline, level);
    }
    remarks(sides, &metrics, &matches, &mut notes);
    let verdicts = others
        .iter()
        .enumerate()
        .map(|(at, side)| overall(&side.label, &baseline.label, &metrics, at))
        .collect();
    let pairing = others.iter().zip(matches);
    CompareReport {
        schema_version: SCHEMA_VERSION,
        baseline: baseline.label.clone(),
        sides: sides.iter().map(info).collect(),
        metrics,
        verdicts,
        pairing: pairing
            .filter_map(|(side, found)| Some(pairing_of(side, found?)))
            .collect(),
        confidence: request.confidence,
        resamples: request.resamples,
        seed: request.seed,
        tests,
        notes,
    }
}

/// All metrics of all sides: known ones in their order, then others by name.
fn names(sides: &[Side]) -> Vec<String> {
    let mut names: Vec<String> = sides.iter().flat_map(Side::metrics).collect();
    names.sort_by(|a, b| (catalogue::place(a), a).cmp(&(catalogue::place(b), b)));
    names.dedup();
    names
}

fn comparison(
    request: &CompareRequest,
    sides: &[Side],
    paired: &[PairedRun],
    metric: String,
) -> MetricComparison {
    let values: Vec<MetricValue> = sides
        .iter()
        .map(|side| side.value(&metric, request.confidence))
        .collect();
    let direction = spec(&metric).and_then(|spec| spec.direction);
    let differences = (1..sides.len())
        .map(|at| {
            let (first, second) = (values[0].value(), values[at].value());
            let difference = first.zip(second).map(|(first, second)| second - first);
            let by_episode = paired[at - 1].as_ref().zip(place(&metric));
            let estimate = match by_episode {
                Some((found, place)) => found[place].as_ref().ok().map(of_paired),
                None if direction.is_some() => {
                    let sides = [&sides[0], &sides[at]];
                    apart(request, sides, &metric, [&values[0], &values[at]])
                }
                None => None,
            };
            Difference {
                label: sides[at].label.clone(),
                difference,
                estimate,
                verdict: Verdict::NoDirection,
                words: String::new(),
            }
        })
        .collect();
    MetricComparison {
        metric,
        direction,
        values,
        differences,
    }
}

fn of_paired(found: &Paired) -> Estimate {
    Estimate {
        paired: true,
        difference: found.difference,
        ci: found.interval,
        ci_method: found.interval.map(|_| "bootstrap"),
        p_value: Some(found.p_value),
        p_holm: None,
        test: Some(found.test),
        n: vec![found.n],
    }
}

/// The difference of two runs that cannot be paired.
fn apart(
    request: &CompareRequest,
    [first, second]: [&Side; 2],
    metric: &str,
    values: [&MetricValue; 2],
) -> Option<Estimate> {
    let difference = values[1].value()? - values[0].value()?;
    let estimate = Estimate {
        paired: false,
        difference,
        ci: None,
        ci_method: None,
        p_value: None,
        p_holm: None,
        test: None,
        n: Vec::new(),
    };
    if let (Some(a), Some(b)) = (first.rate(metric), second.rate(metric)) {
        let ci = newcombe(a, b, request.confidence);
        return Some(Estimate {
            ci,
            ci_method: ci.map(|_| "newcombe"),
            p_value: Some(score_test(a, b)),
            test: Some("score"),
            n: vec![a.n, b.n],
            ..estimate
        });
    }
    let ends = |value: &MetricValue| match value {
        MetricValue::Defined { value, n, ci, .. } => Some((*value, *n, (*ci)?)),
        MetricValue::Undefined { .. } => None,
    };
    let (a, b) = (ends(values[0])?, ends(values[1])?);
    // Intervals of files have the coverage they were made with, and no other.
    let fits = (request.confidence - IN_FILES).abs() < 1e-9;
    let episodes = |side: &Side| side.value("num_episodes", request.confidence).value();
    let too_few = episodes(first)
        .zip(episodes(second))
        .is_some_and(|(n, m)| !can_show(n as u64, m as u64, 1.0 - request.confidence));
    let ci = (!too_few).then(|| combined((a.0, a.2), (b.0, b.2)));
    fits.then(|| Estimate {
        ci,
        ci_method: ci.map(|_| "combined"),
        n: [a.1, b.1].into_iter().filter(|n| *n > 0).collect(),
        ..estimate
    })
}

/// Corrects p-values for the number of tests, and says how many those are.
fn correct(metrics: &mut [MetricComparison]) -> u64 {
    let estimates = |metrics: &mut [MetricComparison], f: &mut dyn FnMut(&mut Estimate)| {
        for difference in metrics.iter_mut().flat_map(|m| &mut m.differences) {
            if let Some(estimate) = &mut difference.estimate {
                f(estimate);
            }
        }
    };
    let mut p_values = Vec::new();
    estimates(metrics, &mut |estimate| p_values.extend(estimate.p_value));
    let mut corrected = holm(&p_values).into_iter();
    estimates(metrics, &mut |estimate| {
        if estimate.p_value.is_some() {
            estimate.p_holm = corrected.next();
        }
    });
    p_values.len() as u64
}

fn judge(metric: &mut MetricComparison, baseline: &Side, level: f64) {
    for (at, difference) in metric.differences.iter_mut().enumerate() {
        let missing = [(&baseline.label, 0), (&difference.label, at + 1)];
        let missing: Vec<String> = missing
            .into_iter()
            .filter_map(|(label, at)| match &metric.values[at] {
                MetricValue::Undefined { reason } => Some(format!("{label}: {reason}")),
                MetricValue::Defined { .. } => None,
            })
            .collect();
        (difference.verdict, difference.words) = match (metric.direction, &difference.estimate) {
            _ if !missing.is_empty() => (
                Verdict::NotComparable,
                format!("cannot be compared: {}", missing.join("; ")),
            ),
            (None, _) => (Verdict::NoDirection, String::new()),
            (Some(direction), Some(estimate)) => {
                verdict(&difference.label, direction, estimate, level)
            }
            (Some(_), None) => (
                Verdict::NotComparable,
                "cannot be compared: no number of items and no interval to tell chance by"
                    .to_owned(),
            ),
        };
    }
}

fn remarks(
    sides: &[Side],
    metrics: &[MetricComparison],
    matches: &[Option<Match>],
    notes: &mut Vec<String>,
) {
    let of_steps = |metric: &&MetricComparison| {
        let apart = |d: &Difference| {
            d.estimate
                .as_ref()
                .is_some_and(|e| !e.paired && e.ci.is_some())
        };
        spec(&metric.metric).is_some_and(|spec| spec.of_steps)
            && metric.differences.iter().any(apart)
    };
    if metrics.iter().any(|metric| of_steps(&metric)) {
        notes.push(
            "steps of one episode belong together, and the unpaired intervals and tests of \
             rates of steps take them for independent: they are too confident; details of \
             episodes (`judica episodes --details`) allow a paired comparison"
                .to_owned(),
        );
    }
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
    for (side, found) in sides[1..].iter().zip(matches) {
        if found.as_ref().is_some_and(|found| found.common == 0) {
            notes.push(format!(
                "{} has no episode in common with {}; they are compared unpaired",
                side.label, sides[0].label
            ));
        }
    }
    for side in sides {
        if let (Some(eval), Some(episodes)) = (&side.eval, &side.episodes) {
            let counted = eval.reading("num_episodes").value();
            let held = episodes.0.len() as f64;
            if counted.is_some_and(|counted| counted != held) {
                notes.push(format!(
                    "{}: the eval file counts {} episodes, the details hold {held}",
                    side.label,
                    counted.unwrap_or_default()
                ));
            }
        }
    }
}

fn info(side: &Side) -> SideInfo {
    let text = |key: &str| {
        let eval = side.eval.as_ref()?;
        eval.text(key).map(str::to_owned)
    };
    SideInfo {
        label: side.label.clone(),
        file: side.file.clone(),
        version: side.eval.as_ref().map(|eval| eval.version.to_string()),
        backend: text("backend"),
        config_path: text("config_path"),
        dsl_mode: side.eval.as_ref().map(|eval| eval.mode().to_owned()),
    }
}

fn pairing_of(side: &Side, found: Match) -> Pairing {
    let left_out = found.first_only.iter().chain(&found.second_only);
    Pairing {
        label: side.label.clone(),
        common: found.common,
        baseline_only: found.first_only.len() as u64,
        label_only: found.second_only.len() as u64,
        left_out: left_out.take(NAMED).cloned().collect(),
    }
}
