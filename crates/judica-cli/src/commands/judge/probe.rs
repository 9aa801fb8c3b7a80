//! Asking some rows again in other words.

use judica_judge::judging::{Judged, Judgement, Words};
use judica_judge::probe::{FlipReport, choose_sample};
use judica_judge::run::Halt;

use super::datasets::Dataset;
use super::report::Report;
use super::{Bench, Work};
use crate::failure::Failure;

/// Which rows are asked again is drawn with this seed.
const SEED: u64 = 20_250_119;

/// Asks again and counts how many verdicts flip; `None` where there is nothing to ask about.
/// Without all replies there is no report, but what ended the run.
pub fn run(
    work: &Work,
    bench: &Bench,
    dataset: &Dataset,
    judged: &Judged,
    wanted: u32,
    report: &mut Report,
) -> Result<Result<Option<FlipReport>, Halt>, Failure> {
    let sample = choose_sample(judged.judgements.len(), wanted as usize, SEED);
    if sample.is_empty() {
        return Ok(Ok(None));
    }
    let again = bench.judge(
        work,
        dataset,
        report.spent(),
        Words::Shuffled,
        Some(&sample),
    )?;
    report.spend(&again.totals);
    if let Some(halt) = again.halt {
        return Ok(Err(halt));
    }
    let rows: Vec<usize> = dataset.undecided().collect();
    let pairs = sample.iter().zip(&again.judgements).map(|(place, second)| {
        let row = &dataset.predictions.rows[rows[*place]];
        (row.print(), said(&judged.judgements[*place]), said(second))
    });
    Ok(Ok(Some(FlipReport::of(pairs))))
}

fn said(judgement: &Judgement) -> Option<bool> {
    match judgement {
        Judgement::Decided { vote, .. } => vote.readable(),
        Judgement::Failed(_) | Judgement::NotAsked(_) => None,
    }
}
