//! `judica judge`

mod bench;
mod datasets;
mod forecast;
pub mod names;
mod probe;
pub mod progress;
mod report;
pub mod server;
mod tables;
mod verdicts;

use std::path::{Path, PathBuf};

use judica_answer::judged::{Expected, Freshness, JudgeInfo, assemble, up_to_date};
use judica_answer::normalize::{Choice, Normalizer, Tolerance};
use judica_answer::predictions::PredictionFile;
use judica_data::atomic::write_atomic;
use judica_data::foreign::Reads;
use judica_data::json::json_bytes;
use judica_data::rejects::Given;
use judica_judge::judging::{TEMPERATURE, Words};
use judica_judge::prompt::Template;
use judica_judge::run::Halt;
use judica_model::exit_code::ExitCode;

use self::bench::Bench;
use self::datasets::Dataset;
use self::names::folder_names;
use self::report::{DatasetReport, JudgeReport, Report};
use super::files::write;
use super::rejects::Kept;
use crate::args::answer::NormalizerArgs;
use crate::args::judge::JudgeArgs;
use crate::failure::Failure;
use crate::screen;
use crate::touched::Touched;

/// What `judica judge` writes beside the judges' folders.
pub const REPORT: &str = "judge_report.json";
pub use super::rejects::REJECTS;

/// Judges files of predictions and shows what came of it.
pub fn run(args: &JudgeArgs) -> Result<ExitCode, Failure> {
    let Some(out) = &args.out else {
        return screen::deliver(Template::builtin_text().as_bytes()).map(|()| ExitCode::Done);
    };
    let work = Work::new(args, out)?;
    if args.dry_run {
        return forecast::run(&work);
    }
    work.run()
}

/// The normaliser that was named, or the choice that is left to the golds.
pub fn choice(args: &NormalizerArgs) -> Result<Choice, Failure> {
    let tolerance = Tolerance {
        absolute: args.tolerance,
        relative: args.relative_tolerance,
    };
    Choice::by_name(&args.normalizer, tolerance).map_err(|error| Failure::Usage(error.to_string()))
}

/// Everything that was said, made ready.
struct Work<'a> {
    args: &'a JudgeArgs,
    out: &'a Path,
    choice: Choice,
    template: Template,
    /// The judges: model and folder. Without a model, one that asks nobody.
    judges: Vec<(String, String)>,
    files: Vec<PredictionFile>,
    cache: PathBuf,
}

impl<'a> Work<'a> {
    fn new(args: &'a JudgeArgs, out: &'a Path) -> Result<Self, Failure> {
        let template = match &args.prompt {
            Some(path) => Template::from_file(path)?,
            None => Template::builtin(),
        };
        let judges = folder_names(args)?;
        if !args.no_llm {
            // Before the first judge is paid for, the last one must be known to be right.
            let models = judges.iter().map(|(model, _)| model.as_str());
            server::check(&args.server, models)?;
        }
        let cache = server::cache_path(&args.server, out);
        let work = Work {
            args,
            out,
            choice: choice(&args.normalizer)?,
            template,
            judges,
            files: judica_answer::predictions::list(&args.predictions)?,
            cache,
        };
        work.keep_apart()?;
        Ok(work)
    }

    fn run(&self) -> Result<ExitCode, Failure> {
        let rejects = self.args.rejects.clone();
        let rejects = rejects.unwrap_or_else(|| self.out.join(REJECTS));
        let mut kept = Kept::new(Some(&rejects), None);
        let mut report = Report::new(&self.cache, self.args.no_llm);
        let mut datasets = Vec::new();
        for file in &self.files {
            let dataset = Dataset::load(file, &self.choice, self.args.strict)?;
            for reject in &dataset.predictions.rejects {
                kept.file.write(reject)?;
            }
            report.count(&dataset);
            datasets.push(dataset);
        }
        let given: Vec<Given> = datasets.iter().map(Dataset::given).collect();
        let kept = kept.check(&given, Reads::Judged)?;
        let mut halt = None;
        for (model, folder) in &self.judges {
            let judged = self.judge(model, folder, &mut datasets, &mut report, &mut halt);
            // What was written before a failure is worth reporting, too.
            if judged.is_ok() && halt.is_none() {
                continue;
            }
            if !report.is_empty() {
                self.finish(&report, kept, halt.as_ref())?;
            }
            return judged.map(|()| halt.map_or(ExitCode::Done, |halt| halt.exit_code()));
        }
        self.finish(&report, kept, None)?;
        Ok(match report.unanswered() {
            None => ExitCode::Done,
            Some(_) => ExitCode::SystemError,
        })
    }

    /// One judge over all data sets.
    fn judge(
        &self,
        model: &str,
        folder: &str,
        datasets: &mut [Dataset],
        report: &mut Report,
        halt: &mut Option<Halt>,
    ) -> Result<(), Failure> {
        report
            .judges
            .push(JudgeReport::new(folder, self.info(model)));
        let mut asked = None;
        let is_last = self.judges.last().is_some_and(|(last, _)| last == model);
        for dataset in datasets {
            let path = self.path(folder, dataset);
            let mut current = self.is_current(model, dataset, &path)?;
            if !current && !self.args.no_llm && asked.is_none() {
                asked = Some(Bench::new(self, model)?);
                // Whoever had the cache until now may have judged the same.
                current = self.is_current(model, dataset, &path)?;
            }
            if current {
                report.push(DatasetReport::current(dataset, &path)?);
                continue;
            }
            let (verdicts, flips) = if let Some(bench) = &asked {
                let judged = bench.judge(self, dataset, report.spent(), Words::Own, None)?;
                report.spend(&judged.totals);
                if let Some(stopped) = judged.halt {
                    *halt = Some(self.in_all(stopped, report));
                    report.push(DatasetReport::stopped(dataset, &judged.totals));
                    return Ok(());
                }
                let flips = match self.args.probe {
                    Some(wanted) => probe::run(self, bench, dataset, &judged, wanted, report)?,
                    None => Ok(None),
                };
                // The verdicts are whole, whatever became of the probe.
                let flips = flips.unwrap_or_else(|stopped| {
                    *halt = Some(self.in_all(stopped, report));
                    None
                });
                (verdicts::of(&dataset.decisions, judged), flips)
            } else {
                (Vec::new(), None)
            };
            // The last judge needs no copy for one after it.
            let predictions = if is_last {
                dataset.predictions.take()
            } else {
                dataset.predictions.clone()
            };
            let document = assemble(
                predictions,
                &dataset.decisions,
                verdicts,
                self.normalizer(dataset),
                &self.info(model),
            );
            write(&path, &document.to_bytes())?;
            report.push(DatasetReport::written(dataset, &path, &document, flips));
            if halt.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Whether a data set need not be judged again.
    fn is_current(&self, model: &str, dataset: &Dataset, path: &Path) -> Result<bool, Failure> {
        // What is to be asked again or otherwise makes no document current.
        let again = self.args.overwrite || self.args.retry_invalid || self.args.probe.is_some();
        let expected = self.expected(model, dataset);
        Ok(!again && up_to_date(path, &expected)? == Freshness::Current)
    }

    /// What ended a run, in the numbers of the whole command: a limit is told to each run
    /// as what is left of it.
    fn in_all(&self, halt: Halt, report: &Report) -> Halt {
        match (halt, self.args.server.max_usd) {
            (Halt::BudgetReached { .. }, Some(max_usd)) => Halt::BudgetReached {
                spent_usd: report.spent(),
                max_usd,
            },
            (halt, _) => halt,
        }
    }

    fn info(&self, model: &str) -> JudgeInfo {
        let asks = !self.args.no_llm;
        JudgeInfo {
            judge_model: model.to_owned(),
            prompt_version: asks.then(|| self.template.version().to_owned()),
            prompt_hash: asks.then(|| self.template.hash().to_owned()),
            votes: self.args.votes,
            temperature: asks.then_some(TEMPERATURE),
        }
    }

    /// What decides on a data set without a model.
    fn normalizer(&self, dataset: &Dataset) -> &dyn Normalizer {
        self.choice.of(dataset.predictions.golds)
    }

    fn expected(&self, model: &str, dataset: &Dataset) -> Expected {
        let info = self.info(model);
        let normalizer = self.normalizer(dataset);
        Expected {
            judge_model: info.judge_model,
            prompt_hash: info.prompt_hash,
            normalizer: normalizer.name().to_owned(),
            tolerance: normalizer.tolerance(),
            votes: info.votes,
            temperature: info.temperature,
            source_sha256: dataset.predictions.sha256.clone(),
        }
    }

    fn path(&self, folder: &str, dataset: &Dataset) -> PathBuf {
        self.document(folder, &dataset.predictions.file)
    }

    fn document(&self, folder: &str, file: &PredictionFile) -> PathBuf {
        self.out.join(folder).join(format!("{}.json", file.dataset))
    }

    /// No document takes the place of a prediction file, not even through a link.
    fn keep_apart(&self) -> Result<(), Failure> {
        let mut touched = Touched::default().reads(self.files.iter().map(|file| &file.path));
        for (_, folder) in &self.judges {
            let documents = self.files.iter().map(|file| self.document(folder, file));
            let documents: Vec<PathBuf> = documents.collect();
            for document in &documents {
                names::check_document(document)?;
            }
            touched = touched.writes("--out", &documents);
        }
        touched.check()
    }

    /// Writes the report and the rejects, and shows them.
    fn finish(&self, report: &Report, kept: Kept, halt: Option<&Halt>) -> Result<(), Failure> {
        let inputs: Vec<String> = self.files.iter().map(|file| file.name.clone()).collect();
        let ours = |file: &str| inputs.iter().any(|input| input == file);
        judica_data::atomic::prepare_folder(self.out)?;
        let refused = kept.commit(report.rejects, ours)?;
        let path = self.out.join(REPORT);
        write_atomic(&path, &json_bytes(report))?;
        if self.args.json {
            screen::print_json(report);
        } else {
            screen::print_table(&report.table());
            screen::print(&report.accounting());
            screen::print(&refused);
            screen::print(&format!("report: {}\n", super::files::shown(&path)));
        }
        if let Some(unanswered) = report.unanswered() {
            screen::tell(&judica_report::visible(&unanswered));
        }
        if let Some(halt) = halt {
            let said = judica_report::visible(&halt.to_string());
            screen::tell(&format!(
                "{said}\nEvery reply that came is kept in {}; the same command goes on \
                 from there.",
                super::files::shown(&self.cache)
            ));
        }
        Ok(())
    }
}
