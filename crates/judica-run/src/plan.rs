//! How many items would show a difference, from what a run's own records vary.
//!
//! What a person asks before spending money. With two runs, or two subjects of one, the
//! spread of differences comes from their pairs; with one it is assumed: two runs of this
//! spread, correlated as much as the request says.

use std::path::PathBuf;

use judica_data::work_error::WorkError;
use judica_model::comma_list;
use judica_model::gate_table::brief;
use judica_model::metric::MetricValue;
use judica_model::run::MetricKind;
use judica_model::table::{Cell, Table};
use judica_stats::clusters::Intervals;
use judica_stats::normal_quantile;
use serde::Serialize;

use crate::compare::reach::{Level, Test, UNCOUNTED, items_needed};
use crate::compare::report::SideInfo;
use crate::compare::{CompareRequest, RESAMPLED, compare};
use crate::open::Run;
use crate::values::values_of;

/// Version of [`Plan`].
const SCHEMA_VERSION: &str = "judica.plan/1";
/// Repeats that a plan shows.
const REPEATS: [u64; 5] = [1, 2, 3, 5, 10];

/// What is asked.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// One run or two.
    pub runs: Vec<PathBuf>,
    /// Whose records; two of one run are compared.
    pub subjects: Vec<String>,
    /// The metric; the run's primary one if none is named.
    pub metric: Option<String>,
    /// The difference that is to be seen.
    pub difference: f64,
    /// How often a difference may be seen that is not there.
    pub alpha: f64,
    /// How often one that is there is to be seen.
    pub power: f64,
    /// How much two runs on the same items vary together, where there is only one to look at.
    pub correlation: f64,
    /// Threads.
    pub threads: usize,
}

/// The answer.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// Version of this shape.
    pub schema_version: &'static str,
    /// The metric.
    pub metric: String,
    /// What the spread was taken from.
    pub from: Vec<String>,
    /// Whether it was taken from pairs.
    pub paired: bool,
    /// Assumed where it was not.
    pub correlation: Option<f64>,
    /// The difference that is to be seen.
    pub difference: f64,
    /// How often a difference may be seen that is not there.
    pub alpha: f64,
    /// How often one that is there is to be seen.
    pub power: f64,
    /// Records that were looked at.
    pub n: u64,
    /// Items, or other clusters, of them.
    pub clusters: u64,
    /// The standard deviation of the difference of one record; null with the reason.
    pub sd_of_differences: Option<f64>,
    /// How much records of one item are alike, from 0 to 1; null without repeats.
    pub within_item_correlation: Option<f64>,
    /// The smallest difference that as many items as these would show.
    pub smallest_detectable: Option<f64>,
    /// Why they would show none, whatever it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_detectable_undefined: Option<String>,
    /// The records that are needed, in clusters like those there are now.
    pub items_needed: Option<u64>,
    /// How many clusters that is; absent where every record is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters_needed: Option<u64>,
    /// The same for other numbers of records of an item.
    pub repeats: Vec<Repeats>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Items that are needed with so many records of each.
#[derive(Debug, Clone, Serialize)]
pub struct Repeats {
    /// Records of an item.
    pub repeats: u64,
    /// Items.
    pub items: u64,
    /// Records of all of them.
    pub records: u64,
}

/// How a value varies.
struct Spread {
    n: u64,
    clusters: u64,
    se: Option<f64>,
    design_effect: Option<f64>,
    /// How many clusters the test needs to show anything,
    needed: u64,
    /// and why these show nothing, if they cannot.
    out_of_reach: Option<String>,
}

/// Answers.
pub fn plan(request: &PlanRequest) -> Result<Plan, WorkError> {
    let bad = |message: &str| Err(WorkError::BadInput(message.to_owned()));
    let share = |value: f64| value > 0.0 && value < 1.0;
    if !(request.difference > 0.0 && request.difference.is_finite()) {
        return bad("--difference: a number above 0 is needed, in the metric's own unit");
    }
    if !share(request.alpha) || !share(request.power) {
        return bad("--alpha and --power: between 0 and 1");
    }
    // Less would ask for no difference at all, or for one below 0.
    if request.power <= request.alpha {
        let (alpha, power) = (request.alpha, request.power);
        return bad(&format!(
            "--power {power}: above --alpha is needed, since {alpha} of the time a difference \
             is seen that is not there"
        ));
    }
    if !(-1.0..=1.0).contains(&request.correlation) {
        return bad("--correlation: between -1 and 1");
    }
    let mut plan = Plan {
        schema_version: SCHEMA_VERSION,
        metric: String::new(),
        from: Vec::new(),
        paired: request.runs.len() > 1 || request.subjects.len() > 1,
        correlation: None,
        difference: request.difference,
        alpha: request.alpha,
        power: request.power,
        n: 0,
        clusters: 0,
        sd_of_differences: None,
        within_item_correlation: None,
        smallest_detectable: None,
        smallest_detectable_undefined: None,
        items_needed: None,
        clusters_needed: None,
        repeats: Vec::new(),
        undefined: None,
        notes: Vec::new(),
    };
    let spread = match plan.paired {
        true => of_pairs(request, &mut plan)?,
        false => of_one(request, &mut plan)?,
    };
    plan.answer(&spread);
    Ok(plan)
}

fn of_pairs(request: &PlanRequest, plan: &mut Plan) -> Result<Spread, WorkError> {
    let report = compare(&CompareRequest {
        subjects: request.subjects.clone(),
        metric: request.metric.clone(),
        confidence: 1.0 - request.alpha,
        ..CompareRequest::new(request.runs.clone(), request.threads)
    })?;
    if report.sides.len() != 2 {
        let message = "two runs, or two subjects of one, are needed";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    if report.unpaired {
        let message = format!("{}; give one of them", report.notes.join("; "));
        return Err(WorkError::BadInput(message));
    }
    plan.from = report.sides.iter().map(SideInfo::shown).collect();
    plan.notes = report.notes;
    let Some(row) = report.metrics.iter().find(|row| row.primary) else {
        return Err(WorkError::BadInput("the runs share no metric".to_owned()));
    };
    plan.metric.clone_from(&row.metric);
    plan.undefined.clone_from(&row.difference.undefined);
    if plan.undefined.is_none() {
        plan.undefined.clone_from(&row.difference.se_undefined);
    }
    Ok(Spread {
        n: row.n,
        clusters: row.clusters as u64,
        se: row.difference.se,
        design_effect: row.difference.design_effect,
        needed: row.needed,
        out_of_reach: row.out_of_reach.clone(),
    })
}

fn of_one(request: &PlanRequest, plan: &mut Plan) -> Result<Spread, WorkError> {
    let run = Run::open(&request.runs[0])?;
    let metrics = &run.manifest.metrics;
    let wanted = match &request.metric {
        Some(name) => metrics.iter().find(|spec| spec.name == *name),
        None => metrics.iter().find(|spec| spec.primary),
    };
    let Some(spec) = wanted else {
        let names: Vec<&str> = metrics.iter().map(|spec| spec.name.as_str()).collect();
        return Err(WorkError::BadInput(format!(
            "--metric: no such metric in {}; it has {}",
            run.path.display(),
            names.join(", ")
        )));
    };
    // No interval is wanted, only how much the value varies.
    let mut quick = Intervals::default();
    quick.resampling.resamples = 0;
    let found = values_of(&run, &quick, |of| of.name == spec.name)?;
    let mut subjects: Vec<&str> = found
        .iter()
        .filter_map(|of| of.subject.as_deref())
        .collect();
    subjects.sort_unstable();
    subjects.dedup();
    let subject = match (request.subjects.first(), subjects.as_slice()) {
        (Some(subject), _) if subjects.contains(&subject.as_str()) => subject.as_str(),
        (None, [only]) => only,
        _ => {
            return Err(WorkError::BadInput(format!(
                "--subjects: name one, or two to compare; {} has {}",
                run.path.display(),
                comma_list::spaced(&subjects)
            )));
        }
    };
    let of = found
        .iter()
        .find(|of| of.subject.as_deref() == Some(subject) && of.dataset.is_none());
    plan.metric.clone_from(&spec.name);
    plan.from = vec![format!("{} ({subject})", run.path.display())];
    if spec.estimated().is_some() {
        plan.undefined = Some(RESAMPLED.to_owned());
    }
    plan.correlation = Some(request.correlation);
    plan.notes.push(format!(
        "one run was given: two runs with its spread are assumed, correlated by {}",
        request.correlation
    ));
    Ok(match of.map(|of| &of.value) {
        Some(MetricValue::Defined {
            n,
            clusters,
            se,
            design_effect,
            ..
        }) => {
            let clusters = clusters.unwrap_or(*n);
            let test = match spec.kind == MetricKind::Rate && clusters == *n {
                true => Test::McNemar,
                false => Test::Flips,
            };
            let level = Level {
                alpha: request.alpha,
                rows: 1,
            };
            let needed = test.needed(0, level);
            let too_few = test.out_of_reach(clusters, level);
            Spread {
                n: *n,
                clusters,
                se: se.map(|se| se * (2.0 * (1.0 - request.correlation)).sqrt()),
                design_effect: *design_effect,
                needed,
                out_of_reach: too_few.map(|why| format!("even if all do, {why}")),
            }
        }
        other => {
            if let Some(MetricValue::Undefined { reason }) = other {
                plan.undefined = Some(reason.clone());
            }
            Spread {
                n: 0,
                clusters: 0,
                se: None,
                design_effect: None,
                needed: 0,
                out_of_reach: None,
            }
        }
    })
}

impl Plan {
    fn answer(&mut self, spread: &Spread) {
        (self.n, self.clusters) = (spread.n, spread.clusters);
        let Some(se) = spread.se.filter(|se| *se > 0.0) else {
            self.undefined.get_or_insert_with(|| match spread.se {
                Some(_) => format!("no variation among {} items", spread.clusters),
                None => "too few items to know how they vary".to_owned(),
            });
            return;
        };
        let z = |p: f64| normal_quantile(p).unwrap_or(f64::NAN);
        let reach = z(1.0 - self.alpha / 2.0) + z(self.power);
        self.smallest_detectable_undefined
            .clone_from(&spread.out_of_reach);
        self.smallest_detectable = spread.out_of_reach.is_none().then_some(reach * se);
        let effect = spread.design_effect.unwrap_or(1.0);
        let variance = spread.n as f64 * se * se / effect;
        self.sd_of_differences = Some(variance.sqrt());
        let now = spread.n as f64 / spread.clusters as f64;
        let told = (now > 1.0).then(|| (effect - 1.0) / (now - 1.0));
        let alike = told.map(|told| told.clamp(0.0, 1.0));
        if alike != told {
            let note = "items have very different numbers of records, or are alike by less than \
                        chance: what repeats would save is a guess";
            self.notes.push(note.to_owned());
        }
        self.within_item_correlation = alike;
        // The variance of a mean over `records` of each item, times the number of items.
        let of_test = (spread.needed as f64).max(2.0);
        let needed = |of_item: f64, of_test: f64| {
            items_needed(of_item * (reach / self.difference).powi(2), of_test)
        };
        let items = |records: f64| {
            let of_item = variance * (1.0 + (records - 1.0) * alike.unwrap_or(0.0)) / records;
            needed(of_item, of_test)
        };
        // More of the same, whatever they are like.
        self.items_needed = needed(spread.n as f64 * se * se, of_test * now);
        if spread.clusters < spread.n {
            self.clusters_needed = needed(spread.clusters as f64 * se * se, of_test);
        }
        if self.items_needed.is_none() {
            self.undefined = Some(UNCOUNTED.to_owned());
        }
        if alike.is_none() {
            let note = "every item has one record: what repeats would save cannot be told";
            self.notes.push(note.to_owned());
        }
        let shown = REPEATS
            .iter()
            .filter(|repeats| **repeats == 1 || alike.is_some());
        self.repeats = shown
            .filter_map(|&repeats| {
                let items = items(repeats as f64)?;
                Some(Repeats {
                    repeats,
                    items,
                    records: items.checked_mul(repeats)?,
                })
            })
            .collect();
    }
}

/// The answer as tables.
pub fn tables(plan: &Plan) -> Vec<Table> {
    let title = format!(
        "Items that show a difference of {} in {}",
        brief(plan.difference),
        plan.metric
    );
    // An item with its repeats is a cluster, and so is whatever rows call one.
    let [per, many] = match plan.clusters < plan.n {
        true => ["records per cluster", "clusters"],
        false => ["records per item", "items"],
    };
    let mut table = Table::new(title)
        .right(per)
        .right(many)
        .right("records of each side");
    for row in &plan.repeats {
        table.push(vec![
            Cell::count(row.repeats),
            Cell::count(row.items),
            Cell::count(row.records),
        ]);
    }
    table.note(format!(
        "seen {} of the time where it is there, {} where it is not; from {}",
        plan.power,
        plan.alpha,
        plan.from.join(" and ")
    ));
    match (&plan.undefined, plan.smallest_detectable) {
        (Some(why), _) => table.note(format!("no answer: {why}")),
        (None, Some(smallest)) => table.note(format!(
            "{} records of {} {many} were looked at; they would show {smallest:.4}",
            plan.n, plan.clusters
        )),
        (None, None) => {
            let why = plan.smallest_detectable_undefined.as_deref();
            table.note(format!(
                "{} records of {} {many} were looked at; they would show nothing: {}",
                plan.n,
                plan.clusters,
                why.unwrap_or_default()
            ));
        }
    }
    for note in &plan.notes {
        table.note(note);
    }
    vec![table]
}
