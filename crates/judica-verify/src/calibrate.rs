//! `judica calibrate`: the protocol, run on the gold itself. A rule that the truth
//! breaks is a broken rule.

use std::collections::BTreeMap;

use judica_data::chunks::ChunkReader;
use judica_data::foreign::{Reads, Unusable, nothing_usable};
use judica_model::evidence::Severity;
use judica_model::table::{Cell, Table};
use serde::Serialize;

use crate::checks::{CheckKind, Checks};
use crate::error::EvalError;
use crate::eval::{InputFile, SAMPLE_CHUNK_BYTES, paths};
use crate::evidence::{Atoms, Reading, Verifier};
use crate::protocol::{JumpReference, Protocol, Shape};
use crate::response::{FieldState, ParseOutcome};
use crate::samples::{SampleLoader, Samples};

/// How often the truth violates one rule on one field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleCalibration {
    /// `<family>.<rule>`.
    pub rule: String,
    /// The field, or null for several.
    pub field: Option<String>,
    /// How often the rule was applied.
    pub checks: u64,
    /// How often the truth violated it.
    pub violations: u64,
    /// Of them critical.
    pub critical: u64,
    /// Percent of violations.
    pub violation_rate: f64,
    /// The largest value observed.
    pub observed_max: Option<f64>,
    /// The smallest value observed.
    pub observed_min: Option<f64>,
    /// Whether the rate is more than tolerated.
    pub broken: bool,
}

/// What calibration found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The protocol.
    pub protocol: String,
    /// Samples read.
    pub samples: u64,
    /// Samples with usable gold.
    pub with_gold: u64,
    /// Lines refused.
    pub rejects: u64,
    /// The first few refused lines.
    pub reject_examples: Vec<String>,
    /// Percent of violations tolerated.
    pub tolerated_percent: f64,
    /// One per rule and field, in execution order.
    pub rules: Vec<RuleCalibration>,
}

impl Calibration {
    /// Whether the truth breaks any rule.
    pub fn any_broken(&self) -> bool {
        self.rules.iter().any(|rule| rule.broken)
    }

    /// The rules that the truth violates at all, as a table.
    pub fn table(&self) -> Table {
        let mut table = Table::new("How often the truth violates each rule")
            .left("rule")
            .left("field")
            .right("checks")
            .right("violations")
            .right("critical")
            .right("rate")
            .left("verdict");
        for rule in self.rules.iter().filter(|rule| rule.violations > 0) {
            table.push([
                Cell::text(&rule.rule),
                Cell::text(rule.field.as_deref().unwrap_or("(several)")),
                Cell::count(rule.checks as usize),
                Cell::count(rule.violations as usize),
                Cell::count(rule.critical as usize),
                Cell::percent(rule.violation_rate, 2),
                Cell::text(if rule.broken { "broken" } else { "tolerated" }),
            ]);
        }
        let silent = self
            .rules
            .iter()
            .filter(|rule| rule.violations == 0)
            .count();
        table.note(format!("{silent} more checks the truth never violates."));
        table
    }
}

/// How many refused lines are quoted.
const EXAMPLES: usize = 5;

#[derive(Default)]
struct Tally {
    checks: u64,
    violations: u64,
    critical: u64,
    min: Option<f64>,
    max: Option<f64>,
}

/// Runs a protocol on the gold of its samples.
pub fn calibrate(
    protocol: &Protocol,
    files: &[InputFile],
    task: Option<String>,
    tolerated_percent: f64,
    strict: bool,
) -> Result<Calibration, EvalError> {
    let checks = Checks::new(protocol)?;
    let mut calibration = Calibration {
        protocol: protocol.name.clone(),
        samples: 0,
        with_gold: 0,
        rejects: 0,
        reject_examples: Vec::new(),
        tolerated_percent,
        rules: Vec::new(),
    };
    let mut refused = BTreeMap::new();
    let samples = load(
        protocol,
        files,
        task,
        strict,
        &mut refused,
        &mut calibration,
    )?;
    let given: Vec<Unusable> = files
        .iter()
        .enumerate()
        .filter(|(at, _)| samples.of_file(*at) == 0)
        .map(|(at, file)| Unusable {
            path: &file.path,
            rows: refused.get(&at).map_or(0, |(rows, _)| *rows),
            format: Reads::Json,
            first: refused.get(&at).map(|(_, first)| first.clone()),
        })
        .collect();
    if samples.is_empty() {
        return Err(EvalError::BadInput(nothing_usable(&given, None)));
    }
    calibration.samples = samples.len() as u64;
    let tallies = tally(protocol, &checks, &samples, &mut calibration.with_gold);
    for ((rule, label), tally) in tallies {
        let violation_rate = 100.0 * tally.violations as f64 / tally.checks as f64;
        calibration.rules.push(RuleCalibration {
            rule: checks.rule_names[rule].clone(),
            field: label.map(|label| checks.labels[label].clone()),
            checks: tally.checks,
            violations: tally.violations,
            critical: tally.critical,
            violation_rate,
            observed_max: tally.max,
            observed_min: tally.min,
            broken: violation_rate > tolerated_percent,
        });
    }
    Ok(calibration)
}

/// Refused lines by the number of their file: how many, and the first.
type Refused = BTreeMap<usize, (u64, (u64, String))>;

fn load(
    protocol: &Protocol,
    files: &[InputFile],
    task: Option<String>,
    strict: bool,
    refused: &mut Refused,
    calibration: &mut Calibration,
) -> Result<Samples, EvalError> {
    let mut reader = ChunkReader::new(&paths(files), SAMPLE_CHUNK_BYTES)?;
    SampleLoader::new(protocol, task).load(&mut reader, |file, record, refusal| {
        let (number, line) = (file, record.line);
        let file = &files[number].name;
        if strict {
            let file = file.clone();
            return Err(EvalError::Refused {
                file,
                line,
                refusal,
            });
        }
        calibration.rejects += 1;
        let first = || (line, format!("{}: {}", refusal.reason, refusal.detail));
        refused.entry(number).or_insert_with(|| (0, first())).0 += 1;
        if calibration.reject_examples.len() < EXAMPLES {
            let example = format!("{file}:{line}: {}: {}", refusal.reason, refusal.detail);
            calibration.reject_examples.push(example);
        }
        Ok(())
    })
}

/// Verifies every gold as if a model had said it, in sample order.
fn tally(
    protocol: &Protocol,
    checks: &Checks,
    samples: &Samples,
    with_gold: &mut u64,
) -> BTreeMap<(usize, Option<usize>), Tally> {
    let fields = protocol.fields.len();
    let mut verifier = Verifier::new(protocol, checks);
    let mut atoms = Atoms::default();
    let mut last: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut tallies: BTreeMap<(usize, Option<usize>), Tally> = BTreeMap::new();
    for sample in samples.iter() {
        let Some(gold) = samples.gold(protocol, sample) else {
            continue;
        };
        *with_gold += 1;
        let task = &protocol.tasks[sample.task as usize];
        let states: Vec<FieldState> = gold.chunks(task.horizon).map(gold_state).collect();
        let previous = last
            .entry(sample.task)
            .or_insert_with(|| vec![f64::NAN; fields]);
        let references = match protocol.jump_reference {
            JumpReference::PreviousOutput => previous.clone(),
            JumpReference::CurrentState => samples
                .current_state(protocol, sample)
                .map_or_else(|| vec![f64::NAN; fields], <[f64]>::to_vec),
        };
        let reading = Reading {
            outcome: ParseOutcome::Direct,
            states: &states,
            values: gold,
            texts: &[],
            references: &references,
        };
        atoms.clear();
        verifier.verify(sample.task as usize, &reading, &mut atoms);
        for (position, number) in atoms.check.iter().enumerate() {
            let check = checks.get(*number);
            // A gold that leaves a field out breaks no rule; it has nothing to say.
            if check.kind == CheckKind::MissingField {
                continue;
            }
            let tally = tallies.entry((check.rule, check.field)).or_default();
            tally.checks += 1;
            tally.violations += u64::from(atoms.severity[position] > 0);
            tally.critical += u64::from(atoms.severity[position] == Severity::Critical as u8);
            let observed = atoms.observed[position];
            if observed.is_finite() {
                tally.min = Some(tally.min.map_or(observed, |min| min.min(observed)));
                tally.max = Some(tally.max.map_or(observed, |max| max.max(observed)));
            }
        }
        if task.shape == Shape::Scalar {
            for ((last, value), state) in previous.iter_mut().zip(gold).zip(&states) {
                if *state == FieldState::Valid {
                    *last = *value;
                }
            }
        }
    }
    tallies
}

fn gold_state(values: &[f64]) -> FieldState {
    if values.iter().all(|value| value.is_finite()) {
        FieldState::Valid
    } else {
        FieldState::Missing
    }
}
