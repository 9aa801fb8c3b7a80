//! The items that raters disagree on.

use std::cmp::Ordering;

use judica_data::work_error::WorkError;
use judica_stats::agreement::MISSING;
use serde_json::{Map, Value};

use super::contents::{Place, fetch};
use super::folder::JudgedFile;
use super::load::Loaded;
use super::report::Disagreement;
use super::row::{self, RowDoor};
use super::votes::{LABELS, Votes, tally};

/// What each rater said, in their order.
pub(super) fn votes_of(raters: &[String], votes: &[u32]) -> Map<String, Value> {
    let given = raters
        .iter()
        .zip(votes)
        .filter(|(_, vote)| **vote != MISSING);
    given
        .map(|(rater, &vote)| (rater.clone(), LABELS[vote as usize].into()))
        .collect()
}

/// How many items raters disagree on, and the `most` that are split most evenly, in the
/// order of the items where they are split alike.
pub(super) fn find(
    votes: &Votes,
    loaded: &Loaded,
    files: &[JudgedFile],
    door: &RowDoor,
    most: usize,
) -> Result<(u64, Vec<Disagreement>), WorkError> {
    let split = |at: usize| {
        let (yes, no) = tally(votes.row(at));
        (yes > 0 && no > 0).then_some((at, yes, no))
    };
    let mut all: Vec<(usize, u64, u64)> = (0..votes.items.len()).filter_map(split).collect();
    let count = all.len() as u64;
    all.sort_by(more_even);
    all.truncate(most);
    let mut found: Vec<Disagreement> = all
        .iter()
        .map(|&(at, ..)| show(votes, loaded, at))
        .collect();

    // What the judges wrote stands in their files.
    let mut wanted: Vec<(Place, usize, usize)> = Vec::new();
    for (shown, &(at, ..)) in all.iter().enumerate() {
        for (column, judge) in loaded.judges.iter().enumerate() {
            if let Some((_, place)) = judge.verdict(votes.items[at]) {
                wanted.push((place, shown, column));
            }
        }
    }
    wanted.sort_unstable();
    let mut written: Vec<Vec<(usize, String)>> = vec![Vec::new(); found.len()];
    let mut next = wanted.iter();
    fetch(
        files,
        wanted.iter().map(|(place, ..)| *place),
        door,
        |_, fetched| {
            let written_there = row::reasoning(fetched.json, door);
            if let (Some(&(_, shown, column)), Some(text)) = (next.next(), written_there) {
                written[shown].push((column, text));
            }
        },
    )?;
    for (item, mut written) in found.iter_mut().zip(written) {
        written.sort_unstable();
        let named = written
            .into_iter()
            .map(|(column, text)| (votes.raters[column].clone(), text.into()));
        item.reasoning = named.collect();
    }
    Ok((count, found))
}

/// By |yes − no| / (yes + no), without dividing; then as the items come.
fn more_even(a: &(usize, u64, u64), b: &(usize, u64, u64)) -> Ordering {
    let margin = |&(_, yes, no): &(usize, u64, u64)| yes.abs_diff(no);
    let all = |&(_, yes, no): &(usize, u64, u64)| yes + no;
    let by_margin = (margin(a) * all(b)).cmp(&(margin(b) * all(a)));
    by_margin.then(a.0.cmp(&b.0))
}

fn show(votes: &Votes, loaded: &Loaded, at: usize) -> Disagreement {
    let key = loaded.items.key(votes.items[at]);
    Disagreement {
        source: key.source().to_owned(),
        id: key.id().map(str::to_owned),
        input: key.input().to_owned(),
        gold: key.gold().map(str::to_owned),
        prediction: key.prediction().map(str::to_owned),
        votes: votes_of(&votes.raters, votes.row(at)),
        reasoning: Map::new(),
    }
}
