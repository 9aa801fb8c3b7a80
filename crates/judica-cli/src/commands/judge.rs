//! `judica judge`

mod datasets;
mod forecast;
mod names;
mod probe;
pub mod progress;
mod report;
pub mod server;
mod verdicts;

use std::path::{Path, PathBuf};

use judica_answer::judged::{Expected, Freshness, JudgeInfo, assemble, up_to_date};
use judica_answer::normalize::{Normalizer, Tolerance, by_name};
use judica_data::atomic::write_atomic;
use judica_data::json::json_bytes;
use judica_judge::client::Client;
use judica_judge::judging::{Judge, Judged, TEMPERATURE, Words};
use judica_judge::prompt::Template;
use judica_judge::run::{Halt, RunHooks};
use judica_judge::stop::Stop;
use judica_model::exit_code::ExitCode;

use self::datasets::{Dataset, questions};
use self::names::folder_names;
use self::progress::{Calls, stoppable};
use self::report::{DatasetReport, JudgeReport, Report};
use super::files::write;
use super::rejects::Kept;
use crate::args::answer::NormalizerArgs;
use crate::args::judge::JudgeArgs;
use crate::failure::Failure;
use crate::{interrupt, screen};

/// What `judica judge` writes beside the judges' folders.
pub const REPORT: &str = "judge_report.json";

/// Judges files of predictions and shows what came of it.
pub fn run(args: &JudgeArgs) -> Result<ExitCode, Failure> {
    let Some(out) = &args.out else {
        return screen::print(Template::builtin_text()).map(|()| ExitCode::Done);
    };
    let work = Work::new(args, out)?;
    if args.dry_run {
        return forecast::run(&work);
    }
    work.run()
}

/// The normaliser that was named.
pub fn normalizer(args: &NormalizerArgs) -> Result<Box<dyn Normalizer>, Failure> {
    let tolerance = Tolerance {
        absolute: args.tolerance,
        relative: args.relative_tolerance,
    };
    by_name(&args.normalizer, tolerance).map_err(|error| Failure::Usage(error.to_string()))
}

/// Everything that was said, made ready.
struct Work<'a> {
    args: &'a JudgeArgs,
    out: &'a Path,
    normalizer: Box<dyn Normalizer>,
    template: Template,
    /// The judges: model and folder. Without a model, one that asks nobody.
    judges: Vec<(String, String)>,
    files: Vec<judica_answer::predictions::PredictionFile>,
    cache: PathBuf,
}

impl<'a> Work<'a> {
    fn new(args: &'a JudgeArgs, out: &'a Path) -> Result<Self, Failure> {
        let template = match &args.prompt {
            Some(path) => Template::from_file(path)?,
            None => Template::builtin(),
        };
        let cache = server::cache_path(&args.server, out);
        Ok(Work {
            args,
            out,
            normalizer: normalizer(&args.normalizer)?,
            template,
            judges: folder_names(args)?,
            files: judica_answer::predictions::list(&args.predictions)?,
            cache,
        })
    }

    fn run(&self) -> Result<ExitCode, Failure> {
        let rejects = self.args.rejects.clone();
        let rejects = rejects.unwrap_or_else(|| self.out.join("rejects.jsonl"));
        let mut kept = Kept::new(Some(&rejects), None);
        let mut report = Report::new(&self.cache, self.args.no_llm);
        let mut datasets = Vec::new();
        for file in &self.files {
            let dataset = Dataset::load(file, self.normalizer.as_ref(), self.args.strict)?;
            for reject in &dataset.predictions.rejects {
                kept.file.write(reject)?;
            }
            report.count(&dataset);
            datasets.push(dataset);
        }
        interrupt::watch(Some(self.out));
        let mut halt = None;
        for (model, folder) in &self.judges {
            let judged = self.judge(model, folder, &datasets, &mut report, &mut halt);
            // What was written before a failure is worth reporting, too.
            if judged.is_err() || halt.is_some() {
                self.finish(&report, kept, halt.as_ref())?;
                return judged.map(|()| halt.map_or(ExitCode::Done, |halt| halt.exit_code()));
            }
        }
        self.finish(&report, kept, None)?;
        let complete = report.errors() == 0;
        Ok(if complete {
            ExitCode::Done
        } else {
            ExitCode::SystemError
        })
    }

    /// One judge over all data sets.
    fn judge(
        &self,
        model: &str,
        folder: &str,
        datasets: &[Dataset],
        report: &mut Report,
        halt: &mut Option<Halt>,
    ) -> Result<(), Failure> {
        report
            .judges
            .push(JudgeReport::new(folder, self.info(model)));
        let mut asked = None;
        for dataset in datasets {
            let path = self.path(folder, dataset);
            let fresh = up_to_date(&path, &self.expected(model, dataset))?;
            let probing = self.args.probe.is_some();
            if fresh == Freshness::Current && !self.args.overwrite && !probing {
                report.push(DatasetReport::current(dataset, &path)?);
                continue;
            }
            let (verdicts, flips) = if self.args.no_llm {
                (Vec::new(), None)
            } else {
                let bench = match &mut asked {
                    Some(bench) => bench,
                    none => none.insert(Bench::new(self, model)?),
                };
                let judged = bench.judge(self, dataset, report.spent(), Words::Own, None)?;
                if let Some(stopped) = judged.halt {
                    *halt = Some(stopped);
                    report.push(DatasetReport::stopped(dataset, &judged.totals));
                    return Ok(());
                }
                report.spend(&judged.totals);
                let flips = match self.args.probe {
                    Some(wanted) => probe::run(self, bench, dataset, &judged, wanted, report)?,
                    None => None,
                };
                (verdicts::of(&dataset.decisions, judged), flips)
            };
            let predictions = dataset.predictions.clone();
            let document = assemble(
                predictions,
                &dataset.decisions,
                verdicts,
                self.normalizer.as_ref(),
                &self.info(model),
            );
            write(&path, &document.to_bytes())?;
            report.push(DatasetReport::written(dataset, &path, &document, flips));
        }
        Ok(())
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

    fn expected(&self, model: &str, dataset: &Dataset) -> Expected {
        let info = self.info(model);
        Expected {
            judge_model: info.judge_model,
            prompt_hash: info.prompt_hash,
            normalizer: self.normalizer.name().to_owned(),
            votes: info.votes,
            temperature: info.temperature,
            source_sha256: dataset.predictions.sha256.clone(),
        }
    }

    fn path(&self, folder: &str, dataset: &Dataset) -> PathBuf {
        let name = format!("{}.json", dataset.predictions.file.dataset);
        self.out.join(folder).join(name)
    }

    /// Writes the report and the rejects, and shows them.
    fn finish(&self, report: &Report, kept: Kept, halt: Option<&Halt>) -> Result<(), Failure> {
        let inputs: Vec<String> = self.files.iter().map(|file| file.shown()).collect();
        let ours = |file: &str| inputs.iter().any(|input| input == file);
        judica_data::atomic::prepare_folder(self.out)?;
        let refused = kept.commit(report.rejects, ours)?;
        let path = self.out.join(REPORT);
        write_atomic(&path, &json_bytes(report))?;
        if self.args.json {
            screen::print_json(report)?;
        } else {
            screen::print_table(&report.table())?;
            screen::print(&report.accounting())?;
            screen::print(&refused)?;
            screen::print(&format!("report: {}\n", super::files::shown(&path)))?;
        }
        if let Some(halt) = halt {
            let said = judica_report::visible(&halt.to_string());
            eprintln!(
                "judica: {said}\nEvery reply that came is kept in {}; the same command goes on \
                 from there.",
                super::files::shown(&self.cache)
            );
        }
        Ok(())
    }
}

/// A judge ready to be asked: client, cache and display.
struct Bench {
    client: Client,
    cache: judica_judge::cache::ReplyCache,
    calls: std::sync::Arc<Calls>,
    price: Option<judica_judge::run::Price>,
}

impl Bench {
    fn new(work: &Work, model: &str) -> Result<Self, Failure> {
        let server = &work.args.server;
        let prices = server::prices(server)?;
        let calls = Calls::new();
        Ok(Bench {
            price: server::price(server, prices.as_ref(), model)?,
            client: server::client(server, model, calls.clone())?,
            cache: server::cache(&work.cache)?,
            calls,
        })
    }

    /// Asks about the undecided rows of a data set, or about some of them.
    fn judge(
        &self,
        work: &Work,
        dataset: &Dataset,
        spent: f64,
        words: Words,
        rows: Option<&[usize]>,
    ) -> Result<Judged, Failure> {
        let options = server::run_options(&work.args.server, self.price, spent)?;
        let judge = Judge {
            template: &work.template,
            ask: &self.client,
            cache: Some(&self.cache),
            votes: if words == Words::Own {
                work.args.votes
            } else {
                1
            },
            max_output_tokens: work.args.server.max_output_tokens,
            options: &options,
        };
        let gold: Vec<String> = dataset.gold();
        let questions = questions(dataset, &gold, rows);
        let stop = Stop::new();
        let show = |progress: &judica_judge::run::Progress| self.calls.show(progress);
        let readable = |reply: &judica_judge::chat::ChatReply| {
            judica_judge::reply::read_verdict(reply)
                .readable()
                .is_some()
        };
        let hooks = RunHooks {
            stop: &stop,
            progress: Some(&show),
            reuse: if work.args.retry_invalid {
                Some(&readable)
            } else {
                None
            },
        };
        self.calls.about(&dataset.predictions.file.dataset);
        let judged = stoppable(&stop, || judge.judge(&questions, words, &hooks));
        self.calls.clear();
        Ok(judged?)
    }
}
