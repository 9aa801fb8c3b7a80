//! `judica judge --dry-run`: how many calls, tokens and dollars it would take.

use std::sync::Arc;

use judica_data::foreign::Reads;
use judica_data::rejects::{ByFile, Given};
use judica_judge::judging::{Forecast, Judge, Words};
use judica_model::exit_code::ExitCode;
use judica_model::table::{Cell, Table, counted};
use serde::Serialize;

use super::datasets::{Dataset, questions};
use super::{Work, server};
use crate::commands::ending::{Accounting, end};
use crate::commands::rejects::tell_lost;
use crate::failure::Failure;

/// What one judge would take for one data set.
#[derive(Serialize)]
struct Line {
    judge: String,
    dataset: String,
    normalizer: &'static str,
    rows: u64,
    undecided: u64,
    #[serde(flatten)]
    forecast: Forecast,
    usd_at_most: Option<f64>,
}

/// Says what judging would take, and asks nobody.
pub fn run(work: &Work) -> Result<ExitCode, Failure> {
    let args = work.args;
    let prices = server::prices(&args.server)?;
    let cache = server::existing_cache(&work.cache)?;
    let options = server::run_options(&args.server, None, 0.0)?;
    let datasets = work.datasets()?;
    let mut refused = ByFile::default();
    for dataset in &datasets {
        let rejects = &dataset.predictions.rejects;
        rejects.iter().for_each(|reject| refused.count(reject));
    }
    let given: Vec<Given> = datasets.iter().map(Dataset::given).collect();
    let unused = refused.check(&given, Reads::Judged);
    tell_lost(&unused.map_err(Failure::Usage)?);
    let mut lines = Vec::new();
    for dataset in &datasets {
        let gold = dataset.gold();
        for (model, folder) in &work.setting.judges {
            let price = server::price(&args.server, prices.as_ref(), model)?;
            let client = server::client(&args.server, model, Arc::new(()))?;
            let judge = Judge {
                template: &work.setting.template,
                ask: &client,
                cache: cache.as_ref(),
                votes: args.votes,
                max_output_tokens: args.server.max_output_tokens,
                options: &options,
            };
            let path = work.path(folder, &dataset.predictions.file);
            let forecast = match work.is_current(model, dataset, path.as_deref())? {
                true => Forecast::default(),
                false => judge.forecast(&questions(dataset, &gold, None), Words::Own)?,
            };
            let usd = price.map(|price| {
                price.usd(
                    forecast.input_tokens_at_most,
                    forecast.output_tokens_at_most,
                )
            });
            lines.push(Line {
                judge: folder.clone(),
                dataset: dataset.predictions.file.dataset.clone(),
                normalizer: work.setting.normalizer(dataset).name(),
                rows: dataset.predictions.rows.len() as u64,
                undecided: dataset.undecided().count() as u64,
                forecast,
                usd_at_most: usd,
            });
        }
    }
    let sum = |of: fn(&Line) -> u64| lines.iter().map(of).sum::<u64>();
    let calls = sum(|line| line.forecast.calls);
    let tokens_in = sum(|line| line.forecast.input_tokens_estimate);
    let most_in = sum(|line| line.forecast.input_tokens_at_most);
    let most_out = sum(|line| line.forecast.output_tokens_at_most);
    // The sum is only known if every part is.
    let usd: Option<Vec<f64>> = lines.iter().map(|line| line.usd_at_most).collect();
    let usd = usd.map(|parts| judica_stats::exact_sum(&parts));
    let report = serde_json::json!({
        "dry_run": true,
        "calls": calls,
        "input_tokens_estimate": tokens_in,
        "input_tokens_at_most": most_in,
        "output_tokens_at_most": most_out,
        "usd_at_most": usd,
        "parts": lines,
    });
    let money = match usd {
        Some(usd) => format!("at most {usd:.4} USD"),
        None if args.server.prices.is_some() => {
            "cost unknown: the --prices name no such model".to_owned()
        }
        None => "cost unknown: --prices says what tokens cost".to_owned(),
    };
    let accounting = Accounting::default().line(&format!(
        "\n{}, about {tokens_in} tokens in (at most {most_in}), at most {most_out} \
         tokens out; {money}\nnothing was asked",
        counted(calls, ["call", "calls"])
    ));
    let shown = &args.measure.rows.report;
    end(shown, None, &report, &[table(&lines)], accounting)?;
    Ok(ExitCode::Done)
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new("What judging would take")
        .left("judge")
        .left("data set")
        .left("by")
        .right("rows")
        .right("undecided")
        .right("in cache")
        .right("calls")
        .right("tokens in, about")
        .right("tokens out, at most")
        .right("USD, at most");
    for line in lines {
        table.push([
            Cell::text(&line.judge),
            Cell::text(&line.dataset),
            Cell::text(line.normalizer),
            Cell::count(line.rows),
            Cell::count(line.undecided),
            Cell::count(line.forecast.from_cache),
            Cell::count(line.forecast.calls),
            Cell::count(line.forecast.input_tokens_estimate),
            Cell::count(line.forecast.output_tokens_at_most),
            Cell::number_or(line.usd_at_most, 4, "no price"),
        ]);
    }
    table
}
