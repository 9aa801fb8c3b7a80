//! From a folder to a report.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use super::compare::compare;
use super::contents::digest;
use super::folder::{self, Folder, HUMAN, JudgedFile};
use super::human;
use super::judge::Judge;
use super::load::{self, Choice, Loaded};
use super::record::{self, Read};
use super::refused::{refusals, rejects, strict};
use super::report::{
    Coverage, JudgeSummary, JudgesReport, LeftOut, SCHEMA_VERSION, SourceAgreement,
};
use super::votes::{LABELS, Votes, YES, tally};
use super::{JudgesRequest, disagree, estimate, notes, panels, row, worth};
use crate::panel::{BootstrapOptions, coefficients, pairwise};
use crate::run::Unfinished;
use judica_data::foreign::Reads;
use judica_data::ordered::Told;
use judica_data::source::{InputDigest, STDIN, base_name};
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_run::family::Input;
use judica_stats::agreement::MISSING;

/// Why a judge without rows has no rate.
const NO_USED_ROW: &str = "no usable row";
/// So many ways of deciding are counted one by one.
const MOST_METHODS: usize = 50;

pub(super) fn measure(
    request: &JudgesRequest,
    folder: Folder,
    told: &Told,
) -> Result<(JudgesReport, Option<Unfinished>), WorkError> {
    let options = &request.bootstrap;
    let choice = Choice {
        include_deterministic: request.include_deterministic,
        drop_invalid: request.drop_invalid,
    };
    let hashed = request.run.is_some();
    let [door, people] = &row::doors(&request.columns).map_err(WorkError::BadInput)?;
    let mut loaded = load::load(&folder.judged, choice, options.threads, hashed, door, told)?;
    let called = request.run.as_ref();
    loaded.dataset = called.and_then(|target| target.options.dataset.clone());
    let human_files = human_files(request, &folder, &loaded)?;
    if loaded.judges.is_empty() {
        return Err(nothing_judged(&request.eval_dir, &loaded));
    }
    let human = match human_files.as_slice() {
        [] => None,
        files => {
            // Files that lie among the judges' are named like data sets, not like people.
            let own = request.human.len() > 1;
            Some(human::read(files, own, request, &loaded, people)?)
        }
    };
    row::check_columns(door, people)?;
    let rejects = rejects(&folder.judged, &loaded, human.as_ref(), door)?;
    if request.strict {
        strict(&loaded, &rejects)?;
    }

    let votes = Votes::new(&loaded, human.as_ref());
    let judges = votes.of_judges();
    let pairs = pairwise(&votes.panel(&votes.ratings), options);
    let (effective_judges, effective_note) = worth::effective(&votes, &judges, request);
    let (disagreement_items, disagreements) =
        disagree::find(&votes, &loaded, &folder.judged, door, request.disagreements)?;
    let items = request.aggregate_items.then_some(&loaded.items);
    let aggregate = request
        .aggregate
        .and_then(|_| estimate::aggregate(&votes, &judges, items, request));
    let (aggregate, labels) = aggregate.unzip();
    let prices = panels::prices(request)?;
    let costs = panels::costs(&loaded.judges, prices.as_ref())?;
    let panels = panels::panels(&votes, &costs, labels.as_deref(), request);
    let mut notes = notes::on_input(&loaded, &folder, request.human.is_empty());
    notes.extend(notes::on_strangers(&votes));
    notes.extend(effective_note);
    if request.aggregate.is_some() && aggregate.is_none() {
        notes.push("no label was estimated: no judge has a usable row".to_owned());
    }
    let read = Read {
        folder: &folder,
        loaded: &loaded,
        human: human.as_ref(),
        votes: &votes,
        door,
    };
    let run = request.run.as_ref();
    let run = run.map(|target| record::write(&read, request, target));
    let run = run.transpose()?;
    let report = JudgesReport {
        schema_version: SCHEMA_VERSION,
        eval_dir: base_name(&request.eval_dir),
        read: read_as(&folder.judged, &loaded.digests)
            .chain(read_as(
                &human_files,
                human.as_ref().map_or(&[], |human| &human.digests),
            ))
            .collect(),
        judges: summaries(&loaded, &votes, &costs, request),
        categories: LABELS.len() as u64,
        categories_declared: true,
        items: votes.items.len() as u64,
        sources: votes.sources.len() as u64,
        overall: coefficients(&votes.panel(&votes.ratings), options),
        judges_only: human
            .as_ref()
            .map(|_| coefficients(&votes.panel(&judges), options)),
        per_source: per_source(&votes, options),
        coverage: coverage(&votes, options),
        human: human
            .as_ref()
            .map(|human| compare(&votes, human, &loaded, &pairs, request)),
        pairwise: pairs,
        effective_judges,
        panels,
        aggregate,
        disagreement_items,
        disagreements,
        bootstrap: *options,
        refused: refusals(&loaded, &rejects, folder.judged.iter().chain(&human_files)),
        notes,
        rejects,
    };
    let Some(run) = run else {
        return Ok((report, None));
    };
    let prices = request.prices.as_ref();
    let prices = prices.map(|prices| digest(&prices.path));
    let prices = prices.transpose()?;
    let run = Unfinished {
        run,
        inputs: record::inputs(&read, &human_files, prices.as_ref(), request),
        counts: record::counts(&report),
    };
    Ok((report, Some(run)))
}

/// How tables were read.
fn read_as<'a>(
    files: &'a [JudgedFile],
    digests: &'a [InputDigest],
) -> impl Iterator<Item = String> + 'a {
    files.iter().zip(digests).filter_map(|(file, digest)| {
        let how = digest.read_as.as_ref()?;
        Some(format!("{}: read as {how}", file.name))
    })
}

/// The files that people's verdicts are in.
fn human_files(
    request: &JudgesRequest,
    folder: &Folder,
    loaded: &Loaded,
) -> Result<Vec<JudgedFile>, WorkError> {
    let Some(first) = request.human.first() else {
        return Ok([loaded.of_people.as_slice(), &folder.human].concat());
    };
    let among_judges = match loaded.of_people.first() {
        _ if !folder.human.is_empty() => Some(format!("has a folder `{HUMAN}`")),
        Some(file) => Some(format!("`judge_model` in {} is `{HUMAN}`", file.name)),
        None => None,
    };
    if let Some(what) = among_judges {
        return Err(WorkError::BadInput(format!(
            "{}: {what}, and {} is given too: people's verdicts come twice",
            request.eval_dir.display(),
            first.path.display()
        )));
    }
    let stdin = |input: &&Input| input.path == Path::new(STDIN);
    if request.human.iter().filter(stdin).count() > 1 {
        let message = "--human: standard input can be given only once";
        return Err(WorkError::BadInput(message.to_owned()));
    }
    Ok(request.human.iter().map(given).collect())
}

/// A file of people's verdicts that the user named.
fn given(input: &Input) -> JudgedFile {
    let name = Path::new(&input.name);
    let name = name.file_name().unwrap_or(name.as_os_str());
    let name = name.to_string_lossy().into_owned();
    JudgedFile {
        path: input.path.clone(),
        stem: folder::dataset(&name).to_owned(),
        name,
        given: input.name.clone(),
        judge: None,
    }
}

fn nothing_judged(eval_dir: &Path, loaded: &Loaded) -> WorkError {
    let shown = eval_dir.display();
    match loaded.refused_files.first() {
        // What is there was given, and cannot be used.
        Some(file) => WorkError::BadInput(format!(
            "{shown}: no judged data set; {}: {}",
            file.name, file.fault.detail
        ))
        .explained(&eval_dir.join(&file.name), Reads::Judged),
        None => WorkError::BadArtifact(format!(
            "{shown}: no judged data set: expected <judge>/<dataset>.json"
        )),
    }
}

fn summaries(
    loaded: &Loaded,
    votes: &Votes,
    costs: &[Option<f64>],
    request: &JudgesRequest,
) -> Vec<JudgeSummary> {
    let judges = loaded.judges.iter().zip(costs).enumerate();
    let summary = |(column, (judge, usd)): (usize, (&Judge, &Option<f64>))| {
        let said = (0..votes.items.len()).map(|at| (at, votes.judges_row(at)[column]));
        let said = said.filter(|(_, vote)| *vote != MISSING);
        let said: Vec<(usize, bool)> = said.map(|(at, vote)| (at, vote == YES)).collect();
        let yes = said.iter().filter(|(_, yes)| *yes).count() as u64;
        let rate = votes.rate(said.into_iter(), &request.bootstrap, NO_USED_ROW);
        summary(judge, *usd, yes, rate, request)
    };
    judges.map(summary).collect()
}

fn summary(
    judge: &Judge,
    usd_per_verdict: Option<f64>,
    yes: u64,
    yes_rate: MetricValue,
    request: &JudgesRequest,
) -> JudgeSummary {
    let models: Vec<&str> = judge.models.iter().map(String::as_str).collect();
    let [exact, structural, no_llm, unmatched] = judge.without_judge;
    JudgeSummary {
        name: judge.name.clone(),
        judge_model: (!models.is_empty()).then(|| models.join(", ")),
        files: judge.files,
        rows: judge.rows,
        used: judge.used,
        methods: methods(judge),
        left_out: LeftOut {
            exact,
            structural,
            no_llm,
            unmatched,
            invalid: if request.drop_invalid {
                judge.invalid
            } else {
                0
            },
            declined: judge.declined,
        },
        invalid: judge.invalid,
        declined: judge.declined,
        refused_rows: judge.refused,
        duplicates: judge.duplicates,
        usd_per_verdict,
        yes,
        yes_rate,
    }
}

/// How a judge's used rows were decided. Whoever writes another text into every row gets
/// the most frequent ones, and how many others there are.
fn methods(judge: &Judge) -> BTreeMap<String, u64> {
    let mut methods: Vec<(String, u64)> = judge.methods.clone().into_iter().collect();
    if methods.len() > MOST_METHODS {
        methods.sort_by_key(|&(_, used)| Reverse(used));
        let others = methods.split_off(MOST_METHODS);
        methods.push(("…".to_owned(), others.iter().map(|(_, used)| used).sum()));
    }
    methods.into_iter().collect()
}

fn per_source(votes: &Votes, options: &BootstrapOptions) -> Vec<SourceAgreement> {
    let agreement = |(source, rows): &(String, std::ops::Range<usize>)| {
        let (ratings, clusters) = votes.of_items(rows.clone());
        let panel = votes.panel_of(&ratings, &votes.raters, &clusters);
        SourceAgreement {
            source: source.clone(),
            items: rows.len() as u64,
            coefficients: coefficients(&panel, options),
        }
    };
    votes.sources.iter().map(agreement).collect()
}

fn coverage(votes: &Votes, options: &BootstrapOptions) -> Vec<Coverage> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); votes.raters.len() + 1];
    for at in 0..votes.items.len() {
        let (yes, no) = tally(votes.row(at));
        rows[(yes + no) as usize].push(at);
    }
    let covered = rows
        .into_iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty());
    let agreement = |(raters, rows): (usize, Vec<usize>)| {
        let items = rows.len() as u64;
        let (ratings, clusters) = votes.of_items(rows.into_iter());
        let panel = votes.panel_of(&ratings, &votes.raters, &clusters);
        let found = coefficients(&panel, options);
        Coverage {
            raters: raters as u64,
            items,
            percent_agreement: found.percent_agreement,
            krippendorff_alpha: found.krippendorff_alpha,
        }
    };
    covered.map(agreement).collect()
}
