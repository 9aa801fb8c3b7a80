//! A run of `judica judge`, made again from the replies that it keeps: nobody is asked.

use std::path::Path;

use judica_answer::normalize::Choice;
use judica_data::rejects::RejectFile;
use judica_data::work_error::WorkError;
use judica_judge::probe::FlipReport;
use judica_judge::probe::flips::Counts;
use judica_judge::prompt::Template;
use judica_run::family::{Family, Rerun};
use judica_run::manifest::name::{MANIFEST, REJECTS};
use judica_run::options::RunTarget;
use serde::{Deserialize, Serialize};

use super::super::logs;
use super::datasets::Dataset;
use super::records::{self, Ending, Heard, JudgeOptions};
use super::replies::{REPLIES, Replies};
use super::report::{Calls, DatasetReport, JudgeReport, Report, why_no_usd};
use super::setting::{Setting, document_path};

/// What inputs are used as.
pub const PREDICTIONS: &str = "predictions";
pub const PROMPT: &str = "prompt";

/// The command in runs.
pub static FAMILY: Family = Family {
    command: "judge",
    rerun: |again| logs::rerun(again, rerun),
    describe: None,
    steps: None,
    json: None,
    finish: None,
};

/// What the report says that replies do not tell: where things were, and what the calls of
/// that time took.
#[derive(Serialize, Deserialize)]
pub struct Trace {
    out: Option<String>,
    cache: Option<String>,
    judges: Vec<Took>,
}

/// What the calls of one judge took.
#[derive(Serialize, Deserialize)]
struct Took {
    usd: Option<f64>,
    charged_usd: Option<f64>,
    calls: Calls,
    /// By data set, what a probe found.
    probes: Vec<Option<Counts>>,
}

impl Trace {
    pub fn of(report: &Report, out: Option<&Path>) -> Self {
        let took = |judge: &JudgeReport| Took {
            usd: judge.usd,
            charged_usd: judge.charged_usd,
            calls: judge.calls.clone(),
            probes: judge
                .datasets
                .iter()
                .map(|dataset| dataset.probe.as_ref().map(|probe| probe.counts.clone()))
                .collect(),
        };
        Trace {
            out: out.map(|out| out.display().to_string()),
            cache: report.cache.clone(),
            judges: report.judges.iter().map(took).collect(),
        }
    }
}

fn rerun(again: &Rerun) -> Result<(), WorkError> {
    let options: JudgeOptions = again.manifest.options()?;
    let wrong = |what: String| WorkError::BadArtifact(format!("{MANIFEST}: {what}"));
    let trace = again.manifest.trace.clone().unwrap_or_default();
    let trace: Trace =
        serde_json::from_value(trace).map_err(|error| wrong(format!("trace: {error}")))?;
    let choice = Choice::by_name(&options.normalizer, options.tolerance.unwrap_or_default());
    let prompt = again.role(PROMPT).next();
    let setting = Setting {
        choice: choice.map_err(|error| wrong(error.to_string()))?,
        template: match prompt {
            Some(input) => Template::from_file(&input.path)
                .map_err(|error| WorkError::BadArtifact(error.to_string()))?,
            None => Template::builtin(),
        },
        judges: options.judges,
        votes: options.votes,
        asks: !options.no_llm,
    };
    let files = options.files.files(again.role(PREDICTIONS))?;
    let run = &options.run;
    let datasets = Dataset::load(&files, &setting.choice, false, Some(run), again.threads)?;
    let mut rejects = RejectFile::new(&again.folder.join(REJECTS));
    let mut report = Report::new(trace.cache);
    for dataset in &datasets {
        for reject in &dataset.predictions.rejects {
            rejects.write(reject)?;
        }
        report.count(dataset);
    }
    let mut replies = Replies::read(again.run.file(REPLIES).as_deref())?;
    let mut heard: Heard = Vec::new();
    let mut took = trace.judges.into_iter();
    for (model, folder) in &setting.judges {
        let took = took
            .next()
            .ok_or_else(|| wrong(format!("nothing of {folder}")))?;
        report.judges.push(JudgeReport {
            usd: took.usd,
            usd_undefined: why_no_usd(took.usd, took.charged_usd, &took.calls),
            charged_usd: took.charged_usd,
            calls: took.calls,
            ..JudgeReport::new(folder, setting.info(model))
        });
        let mut probes = took.probes.into_iter();
        let mut judged = Vec::new();
        for dataset in &datasets {
            let judgements = match setting.asks {
                true => Some(replies.judgements(folder, dataset, setting.votes)?),
                false => None,
            };
            judged.push(judgements.clone());
            let predictions = dataset.predictions.clone();
            let document = setting.document(predictions, dataset, judgements, model);
            let out = trace.out.as_deref().map(Path::new);
            let path = out.map(|out| document_path(out, folder, &dataset.predictions.file));
            let probe = probes.next().flatten().map(FlipReport::counted);
            let path = path.as_deref();
            report.push(DatasetReport::written(dataset, path, &document, probe));
        }
        heard.push(judged);
    }
    let target = RunTarget {
        folder: again.folder.to_owned(),
        created_at: again.manifest.created_at.clone(),
        options: options.run,
    };
    let inputs = &again.manifest.inputs;
    let ending = Ending {
        report: &report,
        out: trace.out.as_deref().map(Path::new),
        prompt: inputs.iter().find(|input| input.role == PROMPT).cloned(),
        rejects,
    };
    records::leave(&target, &setting, &datasets, &heard, ending)
}
