//! `judica judge`

mod again;
mod bench;
mod datasets;
mod forecast;
pub mod names;
mod probe;
pub mod progress;
mod records;
mod replies;
mod report;
pub mod server;
mod setting;
mod tables;
mod verdicts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use judica_answer::judged::{Freshness, up_to_date};
use judica_answer::normalize::Choice;
use judica_answer::predictions::{Columns, PredictionFile, list_with};
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, RejectFile};
use judica_data::source::Source;
use judica_judge::judging::Words;
use judica_judge::prompt::Template;
use judica_judge::run::Halt;
use judica_model::exit_code::ExitCode;
use judica_report::visible;
use judica_run::manifest::InputEntry;
use judica_run::options::RunTarget;
use judica_text::normalize::Tolerance;

pub use self::again::FAMILY;
use self::bench::Bench;
use self::datasets::Dataset;
use self::names::folder_names;
use self::records::{Ending, Heard};
pub use self::replies::REPLIES;
use self::report::{DatasetReport, JudgeReport, Report};
use self::setting::Setting;
use super::ending::end;
use super::files::{shown, write};
use super::logs::Imported;
use super::rejects::usable;
use super::{runs, threads};
use crate::args::answer::NormalizerArgs;
use crate::args::judge::JudgeArgs;
use crate::args::run::REJECTS;
use crate::failure::Failure;
use crate::screen;
use crate::touched::Touched;

/// What `judica judge` writes beside the judges' folders.
pub const REPORT: &str = "judge_report.json";

/// Judges files of predictions and shows what came of it.
pub fn run(args: &JudgeArgs) -> Result<ExitCode, Failure> {
    if args.print_prompt {
        return screen::deliver(Template::builtin_text().as_bytes()).map(|()| ExitCode::Done);
    }
    let mut work = Work::new(args)?;
    if args.dry_run {
        return forecast::run(&work);
    }
    let (run, _held) = runs::target(&args.measure, &args.names)?;
    work.run = run;
    work.logs.keep_text(&mut work.run);
    work.run()
}

/// Where documents, rejects and replies go: the folder of `--out`, else that of the run.
pub fn home(args: &JudgeArgs) -> Option<&Path> {
    args.out.as_deref().or(args.measure.run.as_deref())
}

/// Where rows that cannot be used are kept.
pub fn rejects(args: &JudgeArgs) -> PathBuf {
    let beside = args.out.as_ref().map(|folder| folder.join(REJECTS));
    args.measure.rejects(beside.as_deref())
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
    setting: Setting,
    files: Vec<PredictionFile>,
    /// Logs among them.
    logs: Imported,
    cache: PathBuf,
    /// The run that is left, if one is.
    run: Option<RunTarget>,
}

impl<'a> Work<'a> {
    fn new(args: &'a JudgeArgs) -> Result<Self, Failure> {
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
        let home = home(args).unwrap_or(Path::new("."));
        let columns = Columns::new(&args.columns.said())?;
        if columns.have_confidence() || columns.by.is_some() {
            let message = "--column confidence=… and by=… are for `judica match`";
            return Err(Failure::Usage(message.to_owned()));
        }
        runs::one_subject(&args.names, &columns)?;
        let logs = Imported::new(&args.predictions, &columns, &args.measure.rows)?;
        let work = Work {
            args,
            setting: Setting {
                choice: choice(&args.normalizer)?,
                template,
                judges,
                votes: args.votes,
                asks: !args.no_llm,
            },
            files: list_with(&args.predictions, columns, &logs.runs)?,
            logs,
            cache: server::cache_path(&args.server, home),
            run: None,
        };
        work.keep_apart()?;
        Ok(work)
    }

    /// The files, read.
    fn datasets(&self) -> Result<Vec<Dataset>, Failure> {
        let run = self.run.as_ref().map(|run| &run.options);
        let choice = &self.setting.choice;
        let rows = &self.args.measure.rows;
        let threads = threads(rows.threads);
        Ok(Dataset::load(
            &self.files,
            choice,
            rows.strict,
            run,
            threads,
        )?)
    }

    fn run(&self) -> Result<ExitCode, Failure> {
        let mut kept = RejectFile::new(&rejects(self.args));
        let cache = self.setting.asks.then(|| self.cache.display().to_string());
        let mut report = Report::new(cache);
        let mut datasets = self.datasets()?;
        let mut told = BTreeSet::new();
        for dataset in &datasets {
            let predictions = &dataset.predictions;
            // A file is read once for each of its subjects.
            if let Some(how) = &predictions.read_as
                && told.insert(predictions.file.name.clone())
            {
                screen::tell(&visible(&format!(
                    "{}: read as {how}",
                    predictions.file.name
                )));
            }
            for reject in &dataset.predictions.rejects {
                kept.write(reject)?;
            }
            report.count(dataset);
        }
        let given: Vec<Given> = datasets.iter().map(Dataset::given).collect();
        let kept = usable(kept, &given, Reads::Judged)?;
        let mut heard: Heard = Vec::new();
        let mut halt = None;
        for (model, folder) in &self.setting.judges {
            heard.push(Vec::new());
            let judged = self.judge(model, folder, &mut datasets, &mut report, &mut heard);
            let judged = judged.map(|stopped| halt = stopped);
            // What was written before a failure is worth reporting, too.
            if judged.is_ok() && halt.is_none() {
                continue;
            }
            if !report.is_empty() {
                self.finish(&report, kept, halt.as_ref(), None)?;
            }
            return judged.map(|()| halt.map_or(ExitCode::Done, |halt| halt.exit_code()));
        }
        self.finish(&report, kept, None, Some((&datasets, &heard)))?;
        Ok(match report.unanswered() {
            None => ExitCode::Done,
            Some(_) => ExitCode::SystemError,
        })
    }

    /// One judge over all data sets; says what ended it early.
    fn judge(
        &self,
        model: &str,
        folder: &str,
        datasets: &mut [Dataset],
        report: &mut Report,
        heard: &mut Heard,
    ) -> Result<Option<Halt>, Failure> {
        let info = self.setting.info(model);
        report.judges.push(JudgeReport::new(folder, info));
        let mut asked = None;
        let last = self.setting.judges.last();
        let is_last = last.is_some_and(|(last, _)| last == model);
        for dataset in datasets {
            let path = self.path(folder, &dataset.predictions.file);
            let path = path.as_deref();
            let mut current = self.is_current(model, dataset, path)?;
            if !current && self.setting.asks && asked.is_none() {
                asked = Some(Bench::new(self, model)?);
                // Whoever had the cache until now may have judged the same.
                current = self.is_current(model, dataset, path)?;
            }
            if let Some(path) = path.filter(|_| current) {
                report.push(DatasetReport::current(dataset, path)?);
                continue;
            }
            let (mut judgements, mut flips, mut halt) = (None, None, None);
            if let Some(bench) = &asked {
                let judged = bench.judge(self, dataset, report.spent(), Words::Own, None)?;
                report.spend(&judged.totals);
                if let Some(stopped) = judged.halt {
                    let halt = self.in_all(stopped, report);
                    report.push(DatasetReport::stopped(dataset, &judged.totals));
                    return Ok(Some(halt));
                }
                if let Some(wanted) = self.args.probe {
                    // The verdicts are whole, whatever became of the probe.
                    match probe::run(self, bench, dataset, &judged, wanted, report)? {
                        Ok(found) => flips = found,
                        Err(stopped) => halt = Some(self.in_all(stopped, report)),
                    }
                }
                judgements = Some(judged.judgements);
            }
            if self.run.is_some()
                && let Some(heard) = heard.last_mut()
            {
                heard.push(judgements.clone());
            }
            // The last judge needs no copy for one after it, or for a run.
            let predictions = match is_last && self.run.is_none() {
                true => dataset.predictions.take(),
                false => dataset.predictions.clone(),
            };
            let document = self
                .setting
                .document(predictions, dataset, judgements, model);
            if let Some(path) = path {
                write(path, &document.to_bytes())?;
            }
            report.push(DatasetReport::written(dataset, path, &document, flips));
            if halt.is_some() {
                return Ok(halt);
            }
        }
        Ok(None)
    }

    /// Whether a data set need not be judged again. A run needs every reply.
    fn is_current(
        &self,
        model: &str,
        dataset: &Dataset,
        path: Option<&Path>,
    ) -> Result<bool, Failure> {
        let args = self.args;
        // What is to be asked again or otherwise makes no document current.
        let again = args.overwrite || args.retry_invalid || args.probe.is_some();
        let Some(path) = path.filter(|_| !again && args.measure.run.is_none()) else {
            return Ok(false);
        };
        let expected = self.setting.expected(model, dataset);
        Ok(up_to_date(path, &expected)? == Freshness::Current)
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

    /// The document of a judge on a file, where documents are written.
    fn path(&self, folder: &str, file: &PredictionFile) -> Option<PathBuf> {
        let out = self.args.out.as_deref();
        out.map(|out| setting::document_path(out, folder, file))
    }

    /// No document takes the place of a prediction file, not even through a link.
    fn keep_apart(&self) -> Result<(), Failure> {
        let mut touched = Touched::default().reads(self.files.iter().map(|file| &file.path));
        for (_, folder) in &self.setting.judges {
            let documents = self.files.iter().filter_map(|file| self.path(folder, file));
            let documents: Vec<PathBuf> = documents.collect();
            for document in &documents {
                names::check_document(document)?;
            }
            touched = touched.writes("--out", &documents);
        }
        touched.check()
    }

    /// Writes the report, the rejects and, of what is `whole`, the run, and shows them.
    fn finish(
        &self,
        report: &Report,
        kept: RejectFile,
        halt: Option<&Halt>,
        whole: Option<(&[Dataset], &Heard)>,
    ) -> Result<(), Failure> {
        let written = self.args.out.as_ref().map(|out| out.join(REPORT));
        let accounting = report
            .accounting()
            .refused(report.rejects, kept.path())
            .file(
                "run",
                self.args.measure.run.as_deref().filter(|_| whole.is_some()),
            )
            .file("report", written.as_deref());
        let ours = |name: &str| self.files.iter().any(|file| file.name == name);
        match (&self.run, whole) {
            (Some(target), Some((datasets, heard))) => {
                let ending = Ending {
                    report,
                    out: self.args.out.as_deref(),
                    prompt: self.prompt()?,
                    rejects: kept,
                };
                records::leave(target, &self.setting, datasets, heard, ending)?;
            }
            (Some(_), None) => kept.give_up(ours)?,
            (None, _) => kept.commit(ours)?,
        }
        let args = &self.args.measure.rows.report;
        end(
            args,
            written.as_deref(),
            report,
            &[report.table()],
            accounting,
        )?;
        if let Some(unanswered) = report.unanswered() {
            screen::tell(&judica_report::visible(&unanswered));
        }
        if let Some(halt) = halt {
            let said = judica_report::visible(&halt.to_string());
            // A rerun has the whole limit again, and where that is too little for the first
            // question, it is so each time.
            let next = match halt {
                Halt::BudgetReached { spent_usd: 0.0, .. } => {
                    "nothing was asked, and a higher --max-usd is needed to go on"
                }
                _ => "the same command goes on from there",
            };
            screen::tell(&format!(
                "{said}\nEvery reply that came is kept in {}; {next}.",
                shown(&self.cache)
            ));
        }
        Ok(())
    }

    /// The prompt as an input of the run.
    fn prompt(&self) -> Result<Option<InputEntry>, Failure> {
        let Some(path) = &self.args.prompt else {
            return Ok(None);
        };
        let digest = Source::open(path).and_then(Source::finish);
        let digest = digest.map_err(judica_data::work_error::WorkError::Data)?;
        let name = path.display().to_string();
        Ok(Some(InputEntry::new(again::PROMPT, &name, &digest)))
    }
}
