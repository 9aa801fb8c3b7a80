//! `judica calibrate`: the protocol, run on the gold itself. A rule that the truth
//! breaks is a broken rule.

pub mod fit;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use judica_data::chunks::ChunkReader;
use judica_data::foreign::{Reads, Unusable, nothing_usable};
use judica_data::ordered::Workers;
use judica_data::source::read_as;
use judica_data::work_error::WorkError;
use judica_model::table::{Cell, Table};
use serde::Serialize;

use crate::checks::Checks;
use crate::eval::{InputFile, SAMPLE_CHUNK_BYTES, paths};
use crate::fields::{Places, sample_tables};
use crate::gold::{GoldAudit, GoldReport, PLACES, Tally};
use crate::options::ColumnOptions;
use crate::pipeline::refused as refused_line;
use crate::protocol::Protocol;
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
    /// What the gold is worth.
    pub gold: GoldReport,
    /// Percent of violations tolerated.
    pub tolerated_percent: f64,
    /// How tables were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// One per rule and field, in execution order.
    pub rules: Vec<RuleCalibration>,
}

impl Calibration {
    /// Whether the truth breaks any rule.
    pub fn any_broken(&self) -> bool {
        self.rules.iter().any(|rule| rule.broken)
    }

    /// Why nothing was learnt, if no check was run.
    pub fn nothing_checked(&self) -> Option<String> {
        if !self.rules.is_empty() {
            return None;
        }
        let mut why = format!(
            "no check was run: {} samples, {} with gold, {} lines refused",
            self.samples, self.gold.given, self.rejects
        );
        if let Some(problems) = self.gold.named_problems() {
            why.push_str(&format!("\n{problems}"));
        } else if self.samples > 0 {
            why.push_str(&format!("\n{PLACES}"));
        }
        for example in &self.reject_examples {
            why.push_str(&format!("\n{example}"));
        }
        Some(why)
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

/// What is calibrated.
#[derive(Debug, Clone)]
pub struct CalibrateRequest {
    /// The protocol.
    pub protocol: Protocol,
    /// Sample files.
    pub samples: Vec<InputFile>,
    /// The task of lines that name none.
    pub task: Option<String>,
    /// Where fields stand.
    pub columns: ColumnOptions,
    /// Percent of violations that a rule may have.
    pub tolerated_percent: f64,
    /// Whether the first refused line ends it.
    pub strict: bool,
    /// Threads; the result does not depend on them.
    pub threads: usize,
}

/// Runs a protocol on the gold of its samples.
pub fn calibrate(request: &CalibrateRequest) -> Result<Calibration, WorkError> {
    Ok(load_gold(request)?.0)
}

/// The same, with the samples.
fn load_gold(request: &CalibrateRequest) -> Result<(Calibration, Samples), WorkError> {
    let (protocol, files) = (&request.protocol, &request.samples);
    let checks = Checks::new(protocol)?;
    let mut audit = GoldAudit::tallying(protocol, &checks);
    let mut calibration = Calibration {
        protocol: protocol.name.clone(),
        samples: 0,
        with_gold: 0,
        rejects: 0,
        reject_examples: Vec::new(),
        gold: GoldReport::default(),
        tolerated_percent: request.tolerated_percent,
        read: Vec::new(),
        rules: Vec::new(),
    };
    let mut refused = BTreeMap::new();
    let samples = load(request, &mut audit, &mut refused, &mut calibration)?;
    let given: Vec<Unusable> = files
        .iter()
        .enumerate()
        .filter(|(at, _)| samples.of_file(*at) == 0)
        .map(|(at, file)| Unusable {
            path: &file.path,
            name: &file.name,
            rows: refused.get(&at).map_or(0, |(rows, _)| *rows),
            format: Reads::JsonOrTable,
            first: refused.get(&at).map(|(_, first)| first.clone()),
        })
        .collect();
    if samples.is_empty() {
        return Err(WorkError::BadInput(nothing_usable(&given)));
    }
    let (gold, tallies) = audit.finish();
    calibration.samples = samples.len() as u64;
    calibration.with_gold = gold.usable;
    calibration.gold = gold;
    for tally in tallies {
        let Tally {
            rule,
            field,
            checks,
            violations,
            critical,
            observed,
        } = tally;
        let violation_rate = 100.0 * violations as f64 / checks as f64;
        calibration.rules.push(RuleCalibration {
            rule,
            field,
            checks,
            violations,
            critical,
            violation_rate,
            observed_max: observed.map(|(_, max)| max),
            observed_min: observed.map(|(min, _)| min),
            broken: violation_rate > request.tolerated_percent,
        });
    }
    Ok((calibration, samples))
}

/// Refused lines by the number of their file: how many, and the first.
type Refused = BTreeMap<usize, (u64, (u64, String))>;

fn load<'p>(
    request: &'p CalibrateRequest,
    audit: &mut GoldAudit<'p>,
    refused: &mut Refused,
    calibration: &mut Calibration,
) -> Result<Samples, WorkError> {
    let places = Places::new(&request.columns, &request.protocol)?;
    let files = &request.samples;
    let mut reader = ChunkReader::new(&paths(files), SAMPLE_CHUNK_BYTES)?
        .with_tables(&sample_tables())
        .with_placed(&places.samples);
    let loader = SampleLoader::new(&request.protocol, request.task.as_deref());
    let workers = Workers {
        threads: request.threads,
        interrupted: &AtomicBool::new(false),
    };
    let samples = loader.load(workers, &mut reader, audit, |file, record, refusal| {
        let (number, line) = (file, record.line);
        let file = &files[number].name;
        if request.strict {
            return Err(refused_line(file, line, refusal));
        }
        calibration.rejects += 1;
        let first = || (line, format!("{}: {}", refusal.reason, refusal.detail));
        refused.entry(number).or_insert_with(|| (0, first())).0 += 1;
        if calibration.reject_examples.len() < EXAMPLES {
            let example = format!("{file}:{line}: {}: {}", refusal.reason, refusal.detail);
            calibration.reject_examples.push(example);
        }
        Ok(())
    })?;
    reader.check_placed()?;
    calibration.read = read_as(reader.digests());
    Ok(samples)
}
