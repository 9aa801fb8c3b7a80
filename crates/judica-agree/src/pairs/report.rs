//! The report on pairs: the keys of the reference scorer first, with its meaning and its
//! four decimals, then everything it does not say.

use judica_model::evidence::EvidenceAtom;
use judica_model::gate::{Bound, GateResult};
use judica_model::metric::MetricValue;
use judica_run::coefficient::measured;
use judica_stats::agreement::cohen::{CohenKappa, Weighting};
use judica_stats::agreement::{ClusterKinds, Coefficient, PairCells};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PairsOptions;
use super::hygiene::{RULES, RuleCount};
use super::merged::Merged;
use super::outputs::Counted;
use super::policy::Policy;
use super::record::abstain_rates;
use super::tally::Tally;
use crate::panel::{BootstrapOptions, clustered_share, share};
use crate::refusals::Refusals;

/// What is asked of the agreement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Percent agreement, at least.
    pub pa: f64,
    /// Cohen's κ, at least.
    pub kappa: f64,
    /// The first rater's rate of abstaining, at most.
    pub abstain: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            pa: 0.90,
            kappa: 0.75,
            abstain: 0.02,
        }
    }
}

/// The report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairsReport {
    /// How tables were read.
    #[serde(skip)]
    pub read: Vec<String>,
    /// Pairs that enter the measurement.
    pub n: u64,
    /// The share on which both agree; 0.0 if there is no pair.
    pub percent_agreement: f64,
    /// Cohen's κ; 0.0 where it is undefined.
    pub kappa: f64,
    /// How often the first rater abstains; 0.0 if there is no pair.
    pub abstain_rate: f64,
    /// Pairs whose labels differ, including those that do not enter `n` because a label
    /// is unknown: all that stand in the table of disagreements.
    pub disagreements: u64,
    /// The thresholds.
    pub gates: Thresholds,
    /// Whether the three numbers above (before rounding) clear the thresholds. An
    /// undefined κ counts as 0.0 here; `gate_results` says what was really tested.
    pub pass: bool,
    /// Whether κ is undefined.
    pub kappa_undefined: bool,
    /// The version of this shape.
    pub schema_version: u32,
    /// Lines read; `records` + `rejects`.
    pub inputs: u64,
    /// Lines that enter the measurement (two for each pair of separate files).
    pub records: u64,
    /// Lines that do not.
    pub rejects: u64,
    /// The names of the rows and columns of `confusion`.
    pub labels: Vec<String>,
    /// Rows are the first rater's labels, columns the second's.
    pub confusion: Vec<Vec<u64>>,
    /// The same numbers unrounded, with intervals.
    pub metrics: Metrics,
    /// Every gate in the one shape all commands share.
    pub gate_results: Vec<GateResult>,
    /// Whether every gate passes: what the exit code says.
    pub gates_pass: bool,
    /// How many pairs of `n` end as what.
    pub final_labels: Map<String, Value>,
    /// By which rule.
    pub final_why: Map<String, Value>,
    /// How intervals were made.
    pub bootstrap: BootstrapOptions,
    /// What does not enter, by reason.
    pub refused: Refusals,
    /// Findings of hygiene, if it was checked.
    pub hygiene: Option<HygieneReport>,
    /// The policy, if it is not that of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyNote>,
    /// The raters' names.
    #[serde(skip)]
    pub raters: [String; 2],
    /// What the rules lead to, in their order.
    #[serde(skip)]
    pub outcomes: Vec<String>,
}

/// Which policy it was, if it was not that of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyNote {
    /// The file, as it was given; the manifest of a run has it whole.
    pub file: String,
    /// The raters: rows, then columns.
    pub raters: [String; 2],
}

/// Metrics of the pairs, unrounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// The share of pairs on which both agree; Wilson's interval, over clusters if there are any.
    pub percent_agreement: MetricValue,
    /// Cohen's κ; an interval by bootstrap over pairs, or over clusters of them.
    pub kappa: MetricValue,
    /// The large-sample standard error of κ, of pairs that are no clusters.
    pub kappa_standard_error: MetricValue,
    /// How often each rater abstains, under its name; likewise.
    #[serde(flatten)]
    pub abstain_rates: Named,
}

/// Values under names that are not known beforehand, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Named(pub [(String, MetricValue); 2]);

impl Serialize for Named {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Findings of hygiene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HygieneReport {
    /// Findings in all.
    pub findings: u64,
    /// By rule.
    pub rules: Vec<RuleCount>,
    /// The first of them; all stand in the file of findings.
    pub atoms: Vec<EvidenceAtom>,
}

/// The version of [`PairsReport`]'s shape.
pub const SCHEMA_VERSION: u32 = 2;
/// Below this, what is left beyond chance is rounding: the reference scorer's limit.
const NO_ROOM: f64 = 1e-12;
/// Why nothing has a value.
const NO_PAIR: &str = "no pair enters the measurement";

/// Makes the report. `pair_lines` is how many lines a pair has.
pub fn report(
    merged: Merged,
    counted: Counted,
    pair_lines: u64,
    options: &PairsOptions,
    policy: &Policy,
) -> PairsReport {
    let PairsOptions {
        gates,
        allow_undefined,
        hygiene,
        bootstrap,
        policy: given,
    } = options;
    let Merged {
        lines,
        tally,
        clusters,
    } = merged;
    let tally = &tally;
    let abstentions = abstentions(tally, policy);
    let reference = Reference::of(tally, policy.labels.len(), abstentions[0]);
    let together = clusters.together(policy);
    let metrics = metrics(tally, &reference, bootstrap, policy, together.as_deref());
    let held = |name, metric, value, bound, threshold| {
        GateResult::hold(name, metric, value, bound, threshold, *allow_undefined)
    };
    let agreement = &metrics.percent_agreement;
    let abstains = &metrics.abstain_rates.0[0].1;
    let gate_results = vec![
        held(
            "pa",
            "percent_agreement",
            agreement,
            Bound::AtLeast,
            gates.pa,
        ),
        held(
            "kappa",
            "kappa",
            &metrics.kappa,
            Bound::AtLeast,
            gates.kappa,
        ),
        held(
            "abstain",
            "abstain_rate",
            abstains,
            Bound::AtMost,
            gates.abstain,
        ),
    ];
    let names = policy.labels.iter().map(|label| label.name.clone());
    let rows = tally.confusion().chunks(policy.labels.len());
    let raters = policy.names().map(str::to_owned);
    PairsReport {
        read: Vec::new(),
        n: tally.n(),
        percent_agreement: round4(reference.agreement),
        kappa: round4(reference.kappa),
        abstain_rate: round4(reference.abstain),
        disagreements: counted.disagreements,
        gates: *gates,
        pass: reference.agreement >= gates.pa
            && reference.kappa >= gates.kappa
            && reference.abstain <= gates.abstain,
        kappa_undefined: reference.kappa_undefined,
        schema_version: SCHEMA_VERSION,
        inputs: lines,
        records: tally.n() * pair_lines,
        rejects: counted.refusals.total(),
        labels: names.collect(),
        confusion: rows.map(<[u64]>::to_vec).collect(),
        metrics,
        gates_pass: gate_results.iter().all(|gate| gate.pass),
        gate_results,
        final_labels: policy
            .finals()
            .map(|label| {
                let name = policy.spec(label).name.clone();
                (name, tally.finals[label.index()].into())
            })
            .collect(),
        final_why: policy
            .rules()
            .zip(&tally.why)
            .map(|((why, _), count)| (why.to_owned(), (*count).into()))
            .collect(),
        outcomes: policy.rules().map(|(_, outcome)| outcome).collect(),
        policy: given.as_ref().map(|given| PolicyNote {
            file: given.file.clone(),
            raters: raters.clone(),
        }),
        raters,
        bootstrap: *bootstrap,
        refused: counted.refusals,
        hygiene: hygiene.then(|| HygieneReport {
            findings: counted.findings.iter().sum(),
            rules: RULES
                .iter()
                .zip(counted.findings)
                .map(|(rule, findings)| RuleCount {
                    rule: format!("hygiene.{}", rule.name),
                    checks: rule.checks,
                    findings,
                })
                .collect(),
            atoms: counted.atoms,
        }),
    }
}

/// The reference scorer's numbers, by its own arithmetic, so that they are equal to it
/// in the last digit.
struct Reference {
    agreement: f64,
    kappa: f64,
    abstain: f64,
    kappa_undefined: bool,
}

/// How often each rater abstained.
fn abstentions(tally: &Tally, policy: &Policy) -> [u64; 2] {
    let abstaining = policy.labels().filter(|label| policy.spec(*label).abstains);
    abstaining.fold([0; 2], |[first, second], label| {
        let said = tally.said(label);
        [first + said[0], second + said[1]]
    })
}

impl Reference {
    fn of(tally: &Tally, labels: usize, abstentions: u64) -> Self {
        let confusion: Vec<&[u64]> = tally.confusion().chunks(labels).collect();
        let total = tally.n();
        if total == 0 {
            return Reference {
                agreement: 0.0,
                kappa: 0.0,
                abstain: 0.0,
                kappa_undefined: true,
            };
        }
        let n = total as f64;
        let row = |i: usize| confusion[i].iter().sum::<u64>() as f64;
        let column = |j: usize| confusion.iter().map(|row| row[j]).sum::<u64>() as f64;
        let agreement = tally.agreeing() as f64 / n;
        let chance: f64 = (0..labels).map(|i| (row(i) / n) * (column(i) / n)).sum();
        let kappa_undefined = 1.0 - chance <= NO_ROOM;
        Reference {
            agreement,
            kappa: if kappa_undefined {
                0.0
            } else {
                (agreement - chance) / (1.0 - chance)
            },
            abstain: abstentions as f64 / n,
            kappa_undefined,
        }
    }
}

/// Labels and raters in the order of their names: a resample draws one cell after the other,
/// and wherever else the same labels are compared it draws the same.
struct ByName {
    /// The place of each label.
    places: Vec<usize>,
    /// Whether the second rater comes first.
    turned: bool,
}

impl ByName {
    fn new(policy: &Policy) -> Self {
        let name = |label: &usize| &policy.labels[*label].name;
        let mut order: Vec<usize> = (0..policy.labels.len()).collect();
        order.sort_by_key(name);
        let mut places = vec![0; order.len()];
        for (place, label) in order.into_iter().enumerate() {
            places[label] = place;
        }
        let turned = !policy.names().is_sorted();
        ByName { places, turned }
    }

    /// The cell that labels meet in.
    fn cell(&self, labels: [usize; 2]) -> (u32, u32) {
        let [first, second] = labels.map(|label| self.places[label] as u32);
        match self.turned {
            false => (first, second),
            true => (second, first),
        }
    }

    /// How often which labels met.
    fn cells(&self, confusion: &[u64]) -> PairCells {
        let labels = self.places.len();
        let mut counts = vec![0; confusion.len()];
        for (at, count) in confusion.iter().enumerate() {
            let (first, second) = self.cell([at / labels, at % labels]);
            counts[first as usize * labels + second as usize] = *count;
        }
        PairCells::from_matrix(labels, &counts)
    }
}

/// How often raters agree, and how often either abstains.
fn rates(
    tally: &Tally,
    bootstrap: &BootstrapOptions,
    policy: &Policy,
    together: Option<&[(u32, [usize; 2])]>,
) -> [MetricValue; 3] {
    let Some(together) = together else {
        let [first, second] = abstentions(tally, policy);
        return [tally.agreeing(), first, second]
            .map(|count| share(count, tally.n(), bootstrap.confidence, NO_PAIR));
    };
    let of = |is: &dyn Fn(&[usize; 2]) -> bool| {
        let pairs = together
            .iter()
            .map(|(cluster, labels)| (*cluster, is(labels)));
        clustered_share(pairs, bootstrap, NO_PAIR)
    };
    let abstains = |label: usize| policy.labels[label].abstains;
    [
        of(&|labels| labels[0] == labels[1]),
        of(&|labels| abstains(labels[0])),
        of(&|labels| abstains(labels[1])),
    ]
}

fn metrics(
    tally: &Tally,
    reference: &Reference,
    bootstrap: &BootstrapOptions,
    policy: &Policy,
    together: Option<&[(u32, [usize; 2])]>,
) -> Metrics {
    let n = tally.n();
    let [percent_agreement, first, second] = rates(tally, bootstrap, policy, together);
    let by_name = ByName::new(policy);
    let cells = by_name.cells(tally.confusion());
    let grouped = together.into_iter().flatten();
    let grouped = grouped.map(|(cluster, labels)| (*cluster, cells.place(by_name.cell(*labels))));
    let clusters = ClusterKinds::new(cells.sizes().len(), grouped);
    let coefficient = CohenKappa::new(&cells, Weighting::Unweighted);
    let kappa = if n == 0 {
        MetricValue::undefined(NO_PAIR)
    } else if reference.kappa_undefined {
        let why = coefficient.estimate(cells.sizes()).err();
        MetricValue::undefined(why.map_or_else(
            || "agreement expected by chance is complete".to_owned(),
            |why| why.to_string(),
        ))
    } else {
        let intervals = bootstrap.intervals();
        let [mut kappa] = measured(
            [&coefficient],
            cells.sizes(),
            clusters.as_ref(),
            Ok(&intervals),
        );
        // The value is the reference scorer's, so that a gate cannot see another.
        if let MetricValue::Defined { value, .. } = &mut kappa {
            *value = reference.kappa;
        }
        kappa
    };
    let kappa_standard_error = match coefficient.standard_error(cells.sizes()) {
        // It is that of pairs which have nothing to do with one another.
        Ok(_) if clusters.is_some() => MetricValue::undefined("pairs stand or fall together"),
        Ok(error) if kappa.value().is_some() => MetricValue::new(error, n),
        Ok(_) => MetricValue::undefined("κ is undefined"),
        Err(why) => MetricValue::undefined(why.to_string()),
    };
    Metrics {
        percent_agreement,
        kappa,
        kappa_standard_error,
        abstain_rates: {
            let [of_first, of_second] = abstain_rates(policy);
            Named([(of_first, first), (of_second, second)])
        },
    }
}

/// Four decimals, rounded from the exact value, halves to even: as the reference scorer.
fn round4(value: f64) -> f64 {
    // Formatting rounds exactly, which multiplying and dividing does not; and it always
    // gives what parses again.
    let rounded: f64 = format!("{value:.4}").parse().unwrap_or(value);
    // Python prints a tiny negative κ as -0.0; so do we.
    rounded
}
