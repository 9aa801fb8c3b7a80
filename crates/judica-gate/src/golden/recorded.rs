//! The run that `gate golden` leaves: one record for each query and agent, and how it is made
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use judica_data::error::DataError;
use judica_data::fingerprint::fingerprint;
use judica_data::source::{Source, base_name};
use judica_data::work_error::WorkError;
use judica_model::run::{
    Direction, Evidence, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Texts, Verdict,
};
use judica_run::family::{Family, Rerun};
use judica_run::layout::{Layout, OwnColumn, OwnKind};
use judica_run::manifest::{Counts, InputEntry, name};
use judica_run::options::{RunOptions, RunTarget};
use judica_run::records::RecordColumns;
use judica_run::writer::{RunEnd, RunSpec, RunWriter};
use serde::{Deserialize, Serialize};

use super::contents::read;
use super::folder::{AgentFiles, MaybeFile, RunFile};
use super::metrics::{Item, Ratio, Rule, rules};
use super::queries::{Queries, Query};
use super::run::{Checked, Outcome};
use super::tally::Answered;
use super::{GoldenReport, GoldenRequest, GoldenThresholds, evaluate, tables};

/// `gate golden`, for readers of runs.
pub static FAMILY: Family = Family {
    command: "gate golden",
    rerun,
    describe: None,
    steps: None,
    json: None,
    finish: None,
};

const QUERIES: &str = "queries";
const OUTPUTS: &str = "outputs";
const GATES: &str = "gates";
const BASELINE: &str = "baseline";

/// The metrics of a run. Of agents that are compared, what was found is looked at first.
const METRICS: [&str; 4] = [
    "golden_recall",
    "evidence_coverage_rate",
    "abstention_accuracy",
    "manifest_integrity",
];

/// What shapes the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Options {
    thresholds: GoldenThresholds,
    allow_undefined: bool,
    #[serde(flatten)]
    run: RunOptions,
}

/// What inputs are called in everything that is written. A folder is no input of a run, so
/// that the manifest keeps this as its trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    golden: String,
    outputs: String,
    gates: Option<String>,
    baseline: Option<String>,
    /// The first two without the folders they are in.
    pub(super) shown: [String; 2],
}

impl Names {
    /// As the user gave them.
    pub(super) fn of(request: &GoldenRequest) -> Self {
        let given = |path: &Path| path.display().to_string();
        Names {
            golden: given(&request.golden),
            outputs: given(&request.outputs),
            gates: request.gates.as_deref().map(given),
            baseline: request.baseline.as_deref().map(given),
            shown: [&request.golden, &request.outputs].map(|path| base_name(path)),
        }
    }

    /// A file of the folder of runs.
    fn of_output(&self, file: &str) -> String {
        format!("{}/{file}", self.outputs.trim_end_matches('/'))
    }
}

/// The files of one run of an agent.
#[derive(Debug, Default)]
pub(super) struct Files {
    inputs: Vec<InputEntry>,
    output: Option<Output>,
}

/// An output as it stands in its file.
#[derive(Debug)]
struct Output {
    file: String,
    bytes: u64,
    hash: u64,
    text: Option<String>,
}

/// What is kept of runs while they are read.
pub(super) struct Recorder<'r> {
    queries: &'r Queries,
    target: &'r RunTarget,
    names: &'r Names,
    entries: BTreeMap<(Item, String), Entry>,
    inputs: Vec<InputEntry>,
}

/// What the runs of one agent are on one item.
#[derive(Default)]
struct Entry {
    answered: Answered,
    coverage: Ratio,
    abstention: Ratio,
    manifests: Ratio,
    /// Why its runs stopped.
    stops: BTreeSet<Option<String>>,
    objective: Option<String>,
    output: Option<Output>,
    offences: Vec<Offence>,
}

struct Offence {
    rule: String,
    field: Option<String>,
    text: String,
}

impl Files {
    /// Takes the files that belong to a run, those that no step asked for included: the
    /// report names them.
    pub(super) fn of(
        files: &AgentFiles,
        names: &Names,
        keep_text: bool,
    ) -> Result<Self, WorkError> {
        let mut found = Files::default();
        let mut add = |file: &RunFile| -> Result<(), DataError> {
            let digest = Source::open(&file.path)?.finish()?;
            let name = names.of_output(&file.name);
            found.inputs.push(InputEntry::new(OUTPUTS, &name, &digest));
            Ok(())
        };
        for part in [&files.output, &files.events] {
            if let MaybeFile::Here(file) = part {
                add(file)?;
            }
        }
        if let Some(manifests) = &files.manifests {
            for file in &manifests.files {
                add(&manifests.folder.join(file.name()))?;
            }
        }
        let mut buffer = Vec::new();
        if let MaybeFile::Here(file) = &files.output
            && let Ok(text) = read(&file.path, &mut buffer)
        {
            found.output = Some(Output {
                file: names.of_output(&file.name),
                bytes: text.len() as u64,
                hash: fingerprint(text.as_bytes()),
                text: keep_text.then(|| text.to_owned()),
            });
        }
        Ok(found)
    }
}

impl<'r> Recorder<'r> {
    pub(super) fn new(queries: &'r Queries, target: &'r RunTarget, names: &'r Names) -> Self {
        Recorder {
            queries,
            target,
            names,
            entries: BTreeMap::new(),
            inputs: Vec::new(),
        }
    }

    fn options(&self) -> &RunOptions {
        &self.target.options
    }

    /// Adds a run.
    pub(super) fn add(&mut self, outcome: &mut Outcome) {
        let Files { inputs, output } = std::mem::take(&mut outcome.files);
        self.inputs.extend(inputs);
        let own = outcome.agent.as_deref();
        let subject = self.options().subject(own, &self.names.outputs).to_owned();
        let item = Item::of(outcome.answers, &outcome.run_id);
        let query = match item {
            Item::Query(at) => Some(&self.queries.list[at]),
            Item::Run(_) => None,
        };
        let entry = self.entries.entry((item, subject)).or_default();
        entry.answered.runs += 1;
        entry.output = entry.output.take().or(output);
        let objective = entry.objective.take();
        entry.objective = objective.or_else(|| outcome.objective.clone());
        let abstains = query.is_some_and(|query| !query.sufficient);
        match &outcome.checked {
            Ok(checked) => entry.well_formed(&outcome.run_id, checked, abstains),
            Err(malformed) => {
                if abstains {
                    entry.abstention.count(false);
                }
                let text = format!("{}: {}", malformed.file, malformed.reason);
                entry.offence("run", "malformed", None, text);
            }
        }
    }

    /// Writes the run.
    pub(super) fn finish(
        self,
        request: &GoldenRequest,
        report: &GoldenReport,
    ) -> Result<(), WorkError> {
        let columns = |metric: &str| ["above", "below"].map(|side| format!("{metric}_{side}"));
        let own = METRICS.iter().flat_map(|metric| columns(metric));
        let own = own.map(|name| OwnColumn::new(name, OwnKind::Number));
        let layout = Layout::new(own.collect(), self.options().keep_text);
        let metrics = METRICS.iter().enumerate().map(|(at, metric)| {
            let [above, below] = columns(metric);
            let spec = MetricSpec::column(metric, MetricKind::Rate, Direction::Higher);
            let spec = spec.over(&above, &below);
            match at {
                0 => spec.primary(),
                _ => spec,
            }
        });
        let options = Options {
            thresholds: request.thresholds,
            allow_undefined: request.allow_undefined,
            run: self.options().clone(),
        };
        let spec = RunSpec {
            command: FAMILY.command,
            options: serde_json::to_value(options).unwrap_or_default(),
            metrics: metrics.collect(),
            created_at: self.target.created_at.clone(),
        };
        let mut inputs = Vec::new();
        if let Some(digest) = &self.queries.digest {
            inputs.push(InputEntry::new(QUERIES, &self.names.golden, digest));
        }
        for (role, name, path) in [
            (GATES, self.names.gates.as_ref(), request.gates.as_ref()),
            (
                BASELINE,
                self.names.baseline.as_ref(),
                request.baseline.as_ref(),
            ),
        ] {
            if let (Some(name), Some(path)) = (name, path) {
                let digest = Source::open(path)?.finish()?;
                inputs.push(InputEntry::new(role, name, &digest));
            }
        }
        let mut run = RunWriter::create(&self.target.folder, spec, layout)?;
        let mut records = RecordColumns::new(run.layout());
        self.write(rules(request.thresholds), &mut records);
        run.append(records.take())?;
        inputs.extend(self.inputs);
        run.finish(RunEnd {
            inputs,
            counts: Counts::of::<&str>(report.runs, report.runs, []),
            report,
            tables: &tables(report),
            rejects: None,
            trace: serde_json::to_value(self.names).ok(),
        })?;
        Ok(())
    }

    /// A record of every query for every agent, also where there is no run; then one of every
    /// run that answers none.
    fn write(&self, rules: [Rule; 4], records: &mut RecordColumns) {
        let mut subjects: BTreeSet<&str> = self.entries.keys().map(|(_, of)| of.as_str()).collect();
        if subjects.is_empty() {
            subjects.insert(self.options().subject(None, &self.names.outputs));
        }
        // What one query asks may be the id of another, and anything may begin with `run:`.
        let mut items = BTreeSet::new();
        let mut own = |mut item: String| {
            while !items.insert(item.clone()) {
                item.push('#');
            }
            item
        };
        let nothing = Entry::default();
        for (at, query) in self.queries.list.iter().enumerate() {
            let item = own(query.id.as_ref().unwrap_or(&query.objective).clone());
            for subject in &subjects {
                let key = (Item::Query(at), (*subject).to_owned());
                let entry = self.entries.get(&key).unwrap_or(&nothing);
                self.push(&item, subject, Some(query), entry, &rules, records);
            }
        }
        let mut last = (None, String::new());
        for ((item, subject), entry) in &self.entries {
            let Item::Run(id) = item else { continue };
            // Runs of several agents may have one id.
            if last.0 != Some(id) {
                last = (Some(id), own(format!("run:{id}")));
            }
            self.push(&last.1, subject, None, entry, &rules, records);
        }
    }

    fn push(
        &self,
        item: &str,
        subject: &str,
        query: Option<&Query>,
        entry: &Entry,
        [coverage, recall, abstention, manifests]: &[Rule; 4],
        records: &mut RecordColumns,
    ) {
        let runs = entry.answered.runs;
        let mut abstained = entry.abstention;
        let mut found = Ratio::default();
        let mut missing = Vec::new();
        for (at, id) in query
            .iter()
            .flat_map(|query| query.required.iter().enumerate())
        {
            let problem = entry.answered.problem(at);
            found.count(problem.is_none());
            missing.extend(problem.map(|problem| (format!("evidence.{problem}"), id)));
        }
        if runs == 0 && query.is_some_and(|query| !query.sufficient) {
            abstained.count(false);
        }
        let ratios = [found, entry.coverage, abstained, entry.manifests];
        let fails = [recall, coverage, abstention, manifests];
        let fails = fails.iter().zip(ratios).any(|(rule, of)| rule.fails(of));
        let verdict = match entry.answered.readable {
            0 => Verdict::Error,
            readable if fails || readable < runs => Verdict::Fail,
            _ => Verdict::Pass,
        };
        let own: Vec<OwnValue> = ratios
            .iter()
            .flat_map(|of| match of.denominator {
                0 => [OwnValue::Null; 2],
                below => [of.numerator, below].map(|n| OwnValue::Number(n as f64)),
            })
            .collect();
        let critical = Evidence {
            severity: "critical",
            ..Evidence::default()
        };
        let missing = missing.iter().map(|(rule, id)| Evidence {
            rule,
            field: Some(id),
            ..critical
        });
        let offences = entry.offences.iter().map(|offence| Evidence {
            rule: &offence.rule,
            field: offence.field.as_deref(),
            text: Some(&offence.text),
            ..critical
        });
        let evidence: Vec<Evidence> = missing.chain(offences).collect();
        let objective = query.map(|query| query.objective.as_str());
        let required = query.map(|query| serde_json::json!(query.required).to_string());
        // Several runs that stopped for several reasons have none in common.
        let stop = match entry.stops.len() {
            1 => entry.stops.first().and_then(Option::as_deref),
            _ => None,
        };
        records.push(&RunRecord {
            dataset: self.options().dataset(None, &self.names.golden),
            item,
            subject,
            epoch: 1,
            verdict: Some(verdict),
            decision: stop,
            score: (found.denominator > 0)
                .then(|| found.numerator as f64 / found.denominator as f64),
            place: entry.output.as_ref().map(|output| Place {
                file: &output.file,
                line: 1,
                offset: Some(0),
                bytes: Some(output.bytes),
                hash: Some(output.hash),
            }),
            evidence: &evidence,
            texts: Texts {
                input: objective.or(entry.objective.as_deref()),
                target: required.as_deref(),
                output: entry
                    .output
                    .as_ref()
                    .and_then(|output| output.text.as_deref()),
            },
            own: &own,
            ..RunRecord::default()
        });
    }
}

impl Entry {
    fn offence(&mut self, of: &str, problem: &str, field: Option<&str>, text: String) {
        self.offences.push(Offence {
            rule: format!("{of}.{problem}"),
            field: field.map(str::to_owned),
            text,
        });
    }

    fn well_formed(&mut self, run_id: &str, checked: &Checked, abstains: bool) {
        self.answered.readable += 1;
        self.answered.keep_best(&checked.required);
        let (claims, steps) = (&checked.claims, &checked.steps);
        self.coverage.add(Ratio {
            numerator: claims.covered,
            denominator: claims.verified,
        });
        self.manifests.add(Ratio {
            numerator: steps.with_manifest,
            denominator: steps.total,
        });
        self.stops.insert(checked.stop_reason.clone());
        if abstains {
            self.abstention.count(checked.abstained());
            if !checked.abstained() {
                let stop = checked.stop_reason.as_deref().unwrap_or("no reason");
                let text = format!("{run_id} stopped with {stop}");
                let text = format!("{text} and {} verified claims", claims.verified);
                self.offence("abstention", "not_abstained", None, text);
            }
        }
        for claim in claims.uncovered.first() {
            let text = format!("{run_id}: cites {}", claim.cited.join(", "));
            self.offence("claim", claim.problem, Some(&claim.claim), text);
        }
        for (step, problem) in steps.bare.first() {
            self.offence("step", problem, Some(step), run_id.to_owned());
        }
    }
}

fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let wrong = |what: &str| WorkError::BadArtifact(format!("{}: {what}", name::MANIFEST));
    let options: Options = again.manifest.options()?;
    let trace = again.manifest.trace.clone().unwrap_or_default();
    let names: Names = serde_json::from_value(trace).map_err(|error| wrong(&error.to_string()))?;
    let input = |role| again.role(role).next().map(|input| input.path.clone());
    // Files of the folder that were not read are named in the report, so that it is the whole
    // folder that must be there again: the one that its files were found in.
    let root = names.of_output("");
    let mut outputs = PathBuf::from(&names.outputs);
    if let Some(file) = again.role(OUTPUTS).next() {
        let inside = file.name.strip_prefix(&root).unwrap_or(&file.name);
        let depth = Path::new(inside).components().count();
        let found = file.path.ancestors().nth(depth).unwrap_or(&file.path);
        outputs = found.to_owned();
    }
    let request = GoldenRequest {
        golden: input(QUERIES).ok_or_else(|| wrong("names no queries"))?,
        outputs,
        gates: input(GATES),
        baseline: input(BASELINE),
        thresholds: options.thresholds,
        allow_undefined: options.allow_undefined,
        run: Some(RunTarget {
            folder: again.folder.to_owned(),
            created_at: again.manifest.created_at.clone(),
            options: options.run,
        }),
        strict: false,
        names: Some(names),
        threads: again.threads,
    };
    evaluate(&request, again.interrupted).map(drop)
}
