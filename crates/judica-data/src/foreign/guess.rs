//! What rows seem to be whose columns are called as no reader expects them: by what stands in
//! them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::slice;

use judica_model::comma_list;
use judica_model::text::shell_word;

use super::fit::Fit;
use super::head::{Column, Head};
use crate::json::number::people_number;
use crate::json::pointer_key;
use crate::row_keys::{
    CLUSTER, DATASET, EPOCH, GOLD, ID, INPUT, LATENCY, OUTPUT, PREDICTION, RATED, RATED_BY, RATER,
    RATING, SUBJECT, TOKENS_IN, TOKENS_OUT, USD,
};

/// Names of columns that readers do not look for by themselves, and that people use.
const ITEMS: [&str; 14] = [
    "question_id",
    "qid",
    "item",
    "item_id",
    "example_id",
    "sample_id",
    "doc_id",
    "instance_id",
    "uid",
    "idx",
    "index",
    "key",
    "nr",
    "question",
];
const GOLDS: [&str; 15] = [
    "label",
    "target",
    "truth",
    "ground_truth",
    "gold_label",
    "true_label",
    "correct_answer",
    "expected_answer",
    "expected_output",
    "reference_answer",
    "answer",
    "solution",
    "y_true",
    "y",
    "class",
];
const PREDICTIONS: [&str; 13] = [
    "pred",
    "predicted",
    "prediction_text",
    "predicted_label",
    "response",
    "completion",
    "model_answer",
    "model_response",
    "generated_text",
    "output_text",
    "hypothesis",
    "y_pred",
    "answer",
];
const RATERS: [&str; 4] = ["annotator_name", "worker", "worker_id", "reviewer"];
const RATINGS: [&str; 6] = ["winner", "verdict", "vote", "answer", "choice", "grade"];
/// What names an item together with its question.
const BESIDE: [&str; 8] = [
    "turn", "model_a", "model_b", "trial", "attempt", "round", "split", "lang",
];
/// The most columns that name an item together.
const MOST_PARTS: usize = 4;
const QUESTIONS: [&str; 5] = ["question", "prompt", "query", "text", "instruction"];

/// More different values than this are no choice.
const MOST_CHOICES: usize = 12;
/// Longer texts are no choice either.
const LONGEST_CHOICE: usize = 40;

/// What is guessed from what stands in columns.
pub(super) fn guessed(head: &Head) -> Vec<Fit> {
    let mut found: Vec<Fit> = Vec::new();
    found.extend(answers(head));
    found.extend(long_ratings(head).filter(|_| found.is_empty()));
    if found.is_empty() {
        found.extend(wide_ratings(head));
        found.extend(scores(head));
    }
    found
}

/// A column by the first of these names, in any capitals.
fn column<'h>(head: &'h Head, names: &[&str]) -> Option<&'h Column> {
    names.iter().find_map(|name| {
        let mut columns = head.columns.iter();
        columns.find(|column| column.name.eq_ignore_ascii_case(name))
    })
}

fn is_called(column: &Column, names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| column.name.eq_ignore_ascii_case(name))
}

/// A column's name as commands take it: what begins with a slash is a pointer to them.
fn said(name: &str) -> Cow<'_, str> {
    match name.starts_with('/') {
        true => format!("/{}", pointer_key(name)).into(),
        false => name.into(),
    }
}

/// The names of several.
fn joined<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names = names
        .into_iter()
        .map(|name| said(name.as_ref()).into_owned());
    comma_list::join(names.collect::<Vec<_>>())
}

/// An option with a column's name, as a shell takes it.
fn option(option: &str, name: &str) -> String {
    match name.starts_with('-') {
        true => format!(" {option}={}", shell_word(name)),
        false => format!(" {option} {}", shell_word(name)),
    }
}

/// Whether no two rows have the same values in all of these columns.
fn tell_apart(head: &Head, columns: &[&Column]) -> bool {
    let row = |at: usize| -> Vec<&Option<String>> {
        columns.iter().map(|column| &column.cells[at]).collect()
    };
    let mut seen = BTreeSet::new();
    (0..head.looked).all(|at| seen.insert(row(at)))
}

/// Which columns name an item, so that no two rows have the same name beside what else tells
/// rows apart.
fn item(head: &Head, apart: &[&Column]) -> Option<Vec<String>> {
    let is_apart = |column: &&Column| !apart.iter().any(|other| other.name == column.name);
    let first = ITEMS.iter().filter_map(|name| column(head, &[name]));
    let mut first: Vec<&Column> = first.filter(is_apart).collect();
    first.extend(
        head.columns
            .iter()
            .filter(is_apart)
            .find(|column| !column.is("number") && tell_apart(head, &[apart, &[column]].concat())),
    );
    let more = BESIDE.iter().filter_map(|name| column(head, &[name]));
    let more: Vec<&Column> = more.filter(is_apart).collect();
    let mut first = first.iter();
    first.find_map(|first| together(head, apart, first, &more))
}

/// A column with as many of others as it takes to tell rows apart.
fn together(
    head: &Head,
    apart: &[&Column],
    first: &Column,
    more: &[&Column],
) -> Option<Vec<String>> {
    let mut columns = vec![first];
    for next in more.iter().map(Some).chain([None]) {
        if tell_apart(head, &[apart, &columns].concat()) {
            return Some(columns.iter().map(|column| column.name.clone()).collect());
        }
        columns.extend(next.filter(|_| columns.len() < MOST_PARTS));
    }
    None
}

/// What tells rows of one item apart.
fn subject(head: &Head) -> Vec<&Column> {
    let found = [column(head, &SUBJECT), column(head, &[EPOCH])];
    found.into_iter().flatten().collect()
}

/// Predictions whose gold or answers stand in columns of other names; of several columns of
/// answers each is a subject.
fn answers(head: &Head) -> Option<Fit> {
    let mut known: Vec<&str> = GOLD.to_vec();
    known.push(OUTPUT);
    let gold = column(head, &known);
    let called = gold.is_some();
    let gold = gold.or_else(|| column(head, &GOLDS))?;
    let meta = [
        &INPUT[..],
        &SUBJECT,
        &TOKENS_IN,
        &TOKENS_OUT,
        &QUESTIONS,
        &ITEMS,
        &RATER,
        &[ID, DATASET, EPOCH, CLUSTER, LATENCY, USD],
    ]
    .concat();
    let others = || {
        head.columns
            .iter()
            .filter(|column| column.name != gold.name)
    };
    let named = column(head, &PREDICTION);
    let likely = || others().find(|column| is_called(column, &PREDICTIONS));
    let choices = gold.distinct();
    let alike = |column: &&Column| {
        let both = column.cells.iter().zip(&gold.cells);
        let same = both.filter(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => a.trim().eq_ignore_ascii_case(b.trim()),
            _ => false,
        });
        let same = same.count();
        // Answers are seldom all wrong; of few classes a column must hold the same.
        let of_classes = || column.values().all(|value| choices.contains(&value));
        same * 10 >= head.looked.max(1)
            && same > 0
            && (choices.len() > MOST_CHOICES || head.looked < MOST_CHOICES || of_classes())
    };
    let text = |column: &&Column| !is_called(column, &meta);
    let predictions: Vec<&Column> = match named.or_else(likely) {
        Some(one) if one.name != gold.name => vec![one],
        _ => others().filter(text).filter(alike).collect(),
    };
    let first = predictions.first()?;
    let mut options = String::new();
    if column(head, &[ID]).is_none_or(|id| id.name != ID)
        && let Some(item) = item(head, &subject(head))
    {
        options.push_str(&option("--item", &joined(&item)));
    }
    if !called {
        options.push_str(&option("--gold", &said(&gold.name)));
    }
    if named.is_none() {
        for column in &predictions {
            options.push_str(&option("--prediction", &said(&column.name)));
        }
    }
    let what = match predictions.len() {
        1 => "predictions with their gold".to_owned(),
        n => format!("predictions with their gold, wide: {n} subjects, one per column"),
    };
    let names: Vec<String> = predictions
        .iter()
        .map(|c| format!("`{}`", c.name))
        .collect();
    let why = match predictions.len() {
        1 => format!(
            "`{}` as the gold, `{}` as the answer",
            gold.name, first.name
        ),
        _ => format!("{} often say the same as `{}`", names.join(", "), gold.name),
    };
    Some(Fit {
        name: "predictions".to_owned(),
        what,
        why: Some(why),
        commands: vec!["judica match --predictions IN".to_owned()],
        options,
        advice: None,
    })
}

/// Ratings, one on each row.
pub(super) fn long_ratings(head: &Head) -> Option<Fit> {
    let part = |known: [&str; 5], more: &[&str]| {
        let own = column(head, &known[..1]);
        let found: Vec<&Column> = known
            .iter()
            .filter_map(|name| column(head, &[name]))
            .collect();
        match (own, found.as_slice()) {
            (Some(own), _) => Some((own, false)),
            (None, [only]) => Some((*only, false)),
            (None, [first, ..]) => Some((*first, true)),
            (None, []) => column(head, more).map(|column| (column, true)),
        }
    };
    let rater = part(RATED_BY, &RATERS)?;
    let value = part(RATING, &RATINGS)?;
    let item = part(RATED, &ITEMS)?;
    if item.0.name == rater.0.name || value.0.name == item.0.name {
        return None;
    }
    // Who answered may be part of what was rated.
    let mut apart = vec![rater.0];
    apart.extend(column(head, &[EPOCH]));
    let taken = |column: &&Column| {
        let mut taken = apart.iter().chain([&item.0, &value.0]);
        taken.all(|other| other.name != column.name)
    };
    let beside = SUBJECT.iter().chain([&DATASET]).chain(&BESIDE);
    let beside = beside.filter_map(|name| column(head, &[name]));
    let beside: Vec<&Column> = beside.filter(taken).collect();
    let items = together(head, &apart, item.0, &beside);
    let names = items.as_deref().unwrap_or(slice::from_ref(&item.0.name));
    let mut options = String::new();
    if item.1 || names.len() > 1 {
        options.push_str(&option("--item", &joined(names)));
    }
    let parts = [("--rater", rater), ("--value", value)];
    for (name, (column, _)) in parts.iter().filter(|(_, (_, said))| *said) {
        options.push_str(&option(name, &said(&column.name)));
    }
    let level = level(value.0.values());
    options.push_str(&format!(" --level {level}"));
    Some(Fit {
        name: "ratings".to_owned(),
        what: "ratings, one on each row".to_owned(),
        why: Some(format!(
            "--level {level} by what stands in `{}`{}",
            value.0.name,
            match &items {
                Some(_) if names.len() > 1 => format!(
                    "; `{}` alone does not tell the ratings of a rater apart",
                    item.0.name
                ),
                Some(_) => String::new(),
                None =>
                    "; some raters rate an item more than once, so that more than this may name it"
                        .to_owned(),
            }
        )),
        commands: vec!["judica agree ratings --input IN".to_owned()],
        options,
        advice: None,
    })
}

/// What values are, as far as they show it.
fn level<'v>(values: impl Iterator<Item = &'v str>) -> &'static str {
    let values: BTreeSet<&str> = values.collect();
    let numbers: Option<Vec<f64>> = values.iter().map(|value| people_number(value)).collect();
    match numbers {
        Some(numbers) if numbers.len() > 2 => {
            let whole = numbers.iter().all(|n| n.fract() == 0.0);
            match whole && numbers.len() < MOST_CHOICES {
                true => "ordinal",
                false => "interval",
            }
        }
        _ => "nominal",
    }
}

/// Ratings in columns, one per rater: columns that choose from the same few values.
fn wide_ratings(head: &Head) -> Option<Fit> {
    let chooses = |column: &&Column| {
        let values = column.distinct();
        (1..=MOST_CHOICES).contains(&values.len())
            && values
                .iter()
                .all(|value| value.chars().count() <= LONGEST_CHOICE)
            && (column.is("text") || column.is("number") || column.is("true/false"))
            && column.values().count() * 2 >= head.looked
            && !is_called(column, &ITEMS)
            && !is_called(column, &[ID, EPOCH])
    };
    let columns: Vec<&Column> = head.columns.iter().filter(chooses).collect();
    // The largest set of columns that share at least half of their values.
    let alike = |a: &Column, b: &Column| {
        let (a, b) = (a.distinct(), b.distinct());
        let both = a.iter().filter(|value| b.contains(value)).count();
        both * 2 >= a.len().max(b.len())
    };
    let group = |first: &&Column| -> Vec<&Column> {
        let of = columns.iter().filter(|column| alike(first, column));
        of.copied().collect()
    };
    let raters = columns.iter().map(group).max_by_key(Vec::len)?;
    if raters.len() < 2 {
        return None;
    }
    let is_rater = |column: &Column| raters.iter().any(|rater| rater.name == column.name);
    let unique = |column: &&Column| !is_rater(column) && column.distinct().len() == head.looked;
    let found = column(head, &RATED).filter(|column| !is_rater(column));
    let item = found.or_else(|| head.columns.iter().find(unique))?;
    let level = level(raters.iter().flat_map(|rater| rater.values()));
    let names: Vec<&str> = raters.iter().map(|rater| rater.name.as_str()).collect();
    let mut options = String::new();
    if found.is_none() {
        options.push_str(&option("--item", &joined([&item.name])));
    }
    options.push_str(&option("--rater-columns", &joined(&names)));
    options.push_str(&format!(" --level {level}"));
    Some(Fit {
        name: "ratings".to_owned(),
        what: format!("ratings, wide: {} raters, one per column", raters.len()),
        why: Some("these columns choose from the same few values".to_owned()),
        commands: vec!["judica agree ratings --input IN".to_owned()],
        options,
        advice: None,
    })
}

/// Scores of another tool: an item, and numbers.
fn scores(head: &Head) -> Option<Fit> {
    let subject = column(head, &SUBJECT);
    let item = match column(head, &[ID]) {
        Some(id) => vec![id.name.clone()],
        None => item(head, &self::subject(head))?,
    };
    // A name that stands twice can be asked for by nobody.
    let twice = |name: &str| {
        let first = name.strip_suffix(" (2)").unwrap_or(name);
        let mut columns = head.columns.iter();
        columns.any(|column| column.name.strip_suffix(" (2)") == Some(first))
    };
    let metrics = head.columns.iter().filter(|column| {
        !twice(&column.name)
            && (column.is("number") || column.is("true/false"))
            && !item.contains(&column.name)
            && !column.name.contains(':')
            && !is_called(column, &[EPOCH, CLUSTER, LATENCY, USD])
            && !is_called(column, &[&TOKENS_IN[..], &TOKENS_OUT, &BESIDE].concat())
    });
    let metrics: Vec<&str> = metrics.map(|column| column.name.as_str()).collect();
    if metrics.is_empty() {
        return None;
    }
    let mut options = String::new();
    options.push_str(&option("--item", &joined(&item)));
    if let Some(subject) = subject {
        options.push_str(&option("--subject", &said(&subject.name)));
    }
    options.push_str(&option("--metric", &joined(&metrics)));
    Some(Fit {
        name: "scores".to_owned(),
        what: "scores of items, measured by another tool".to_owned(),
        why: Some("numbers beside what names an item".to_owned()),
        commands: vec!["judica import IN --as table --run a-run".to_owned()],
        options,
        advice: None,
    })
}
