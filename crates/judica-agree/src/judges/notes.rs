//! What a reader of the report should know before reading its numbers.

use std::collections::BTreeMap;

use judica_model::table::counted;
use judica_model::text::{few, named};
use judica_stats::agreement::MISSING;

use super::folder::{Folder, HUMAN};
use super::judge::Judge;
use super::load::Loaded;
use super::votes::{Votes, tally};
use super::words::with;
use crate::refusals::EXAMPLES;

/// Notes on what was read; `people` says whether people's verdicts lie among the judges'.
pub(super) fn on_input(loaded: &Loaded, folder: &Folder, people: bool) -> Vec<String> {
    let mut notes = Vec::new();
    for judge in &loaded.judges {
        let name = &judge.name;
        if judge.used == 0 {
            notes.push(format!("judge `{name}` has no usable row"));
        }
        if judge.models.len() > 1 {
            let models = judge.models.len();
            notes.push(format!("judge `{name}` is {models} models"));
        }
    }
    notes.extend(left_out(loaded));
    notes.extend(methods(loaded));
    if people && !folder.human.is_empty() {
        notes.push(format!(
            "the folder `{HUMAN}` holds people's verdicts, not a judge's"
        ));
    }
    if people && !loaded.of_people.is_empty() {
        let files = loaded.of_people.iter().take(EXAMPLES);
        let names = few(files.map(|file| &file.name), ", ", loaded.of_people.len());
        notes.push(format!(
            "people's verdicts, not a judge's, since `judge_model` is `{HUMAN}`: {names}"
        ));
    }
    if !folder.passed_over.is_empty() {
        let count = folder.passed_over.len();
        let names = few(folder.passed_over.iter().take(EXAMPLES), ", ", count);
        notes.push(format!("not read, {count} in all: {names}"));
    }
    notes.extend(ids(loaded));
    notes
}

fn left_out(loaded: &Loaded) -> Option<String> {
    let without_judge = |judge: &Judge| judge.without_judge.iter().sum::<u64>();
    let rows: u64 = loaded.judges.iter().map(without_judge).sum();
    (rows > 0).then(|| {
        format!(
            "{} that {} decided without a judge {} left out",
            counted(rows, ["row", "rows"]),
            with(rows, "was", "were"),
            with(rows, "is", "are")
        )
    })
}

/// Which ways of deciding were taken for a judge's, where there are several: one of them
/// may be a way without a judge under a name that is not known here.
fn methods(loaded: &Loaded) -> Option<String> {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (method, used) in loaded.judges.iter().flat_map(|judge| &judge.methods) {
        *all.entry(method).or_default() += used;
    }
    if all.len() < 2 {
        return None;
    }
    let mut all: Vec<(&str, u64)> = all.into_iter().collect();
    all.sort_by_key(|&(_, used)| std::cmp::Reverse(used));
    let shown = all.iter().take(EXAMPLES);
    let shown = shown.map(|(method, used)| format!("{method} {used}"));
    let shown = few(shown, ", ", all.len());
    Some(format!("used rows by `decision_method`: {shown}"))
}

/// Rows that tell the same item apart by an id that only some of them carry share nothing,
/// which is rarely what was meant.
fn ids(loaded: &Loaded) -> Option<String> {
    let mut items: Vec<(&str, &[u8], bool)> = loaded
        .items
        .iter()
        .map(|(_, key)| (key.source(), key.content(), key.id().is_some()))
        .collect();
    items.sort_unstable();
    let alike = |pair: &[(&str, &[u8], bool)]| {
        let [a, b] = [&pair[0], &pair[1]];
        (a.0, a.1) == (b.0, b.1) && a.2 != b.2
    };
    match items.windows(2).filter(|pair| alike(pair)).count() as u64 {
        0 => None,
        n => Some(format!(
            "{} {} in some rows with an id and in others without one, \
             and {} not taken for the same",
            counted(n, ["item", "items"]),
            with(n, "stands", "stand"),
            with(n, "was", "were")
        )),
    }
}

/// Names judges that looked at nothing another judge looked at, which is rarely what was
/// meant either.
pub(super) fn on_strangers(votes: &Votes) -> Option<String> {
    let speaking = companions(votes, 1);
    let alone = among(votes, &speaking, &companions(votes, 2));
    let speaking = speaking.iter().filter(|speaks| **speaks).count();
    if speaking < 2 || alone.is_empty() {
        return None;
    }
    let count = alone.len() as u64;
    Some(format!(
        "{} {} no item with another judge: look whether `source_file`, file names or ids differ",
        judges(&alone),
        with(count, "shares", "share")
    ))
}

/// Names judges whose errors votes cannot tell. One judge's errors can make up for
/// another's in what two judges say; what three say about the same items tells them apart.
pub(super) fn on_too_few(votes: &Votes) -> Option<String> {
    let told = companions(votes, 3);
    let untold = among(votes, &companions(votes, 1), &told);
    if untold.is_empty() {
        return None;
    }
    let why = "error rates cannot be told from fewer than three judges of the same items";
    Some(if told.contains(&true) {
        let has = with(untold.len() as u64, "has", "have");
        format!("{why}; {} {has} no such items", judges(&untold))
    } else {
        format!("{why}, and no item has three; labels and rates are hardly more than the votes")
    })
}

/// For every judge, whether there is an item that it and others voted on, `least` in all.
fn companions(votes: &Votes, least: u64) -> Vec<bool> {
    let mut found = vec![false; votes.judges];
    for row in (0..votes.items.len()).map(|at| votes.judges_row(at)) {
        let (yes, no) = tally(row);
        if yes + no >= least {
            let given = row.iter().map(|&vote| vote != MISSING);
            found.iter_mut().zip(given).for_each(|(f, g)| *f |= g);
        }
    }
    found
}

/// The judges that are the one and not the other.
fn among<'a>(votes: &'a Votes, these: &[bool], not: &[bool]) -> Vec<&'a str> {
    let flags = these.iter().zip(not).map(|(these, not)| *these && !not);
    let names = votes.raters.iter().zip(flags);
    let kept = names.filter_map(|(name, kept)| kept.then_some(name.as_str()));
    kept.collect()
}

fn judges(names: &[&str]) -> String {
    let word = with(names.len() as u64, "judge", "judges");
    format!("{word} {}", named(names, names.len()))
}
