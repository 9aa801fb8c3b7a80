//! Items as records of a run: what each judge and each person said of an answer.

use std::collections::HashMap;

use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;
use judica_model::run::{
    Direction, Label, MetricKind, MetricSpec, OwnValue, Place, RunRecord, Texts, Verdict,
};
use judica_run::layout::{OwnColumn, OwnKind};
use judica_run::manifest::{Counts, InputEntry};
use judica_run::options::RunTarget;
use judica_run::records::RecordColumns;
use judica_run::writer::RunWriter;
use judica_stats::agreement::{MISSING, Ratings};

use super::contents::fetch;
use super::folder::{Folder, JudgedFile};
use super::human::Human;
use super::items::Question;
use super::load::Loaded;
use super::report::JudgesReport;
use super::row::RowDoor;
use super::votes::{LABELS, Votes, tally};
use super::{COMMAND, JudgesRequest, PEOPLE as PEOPLE_GIVEN, PRICES, RecordedOptions};
use crate::run::{PanelRecord, coefficient, coefficients, panel_layout, panel_metrics, spec};

/// Records that are held at a time.
const BATCH: usize = 8192;
/// What stands before the names of single people, who may be called like a judge.
const PERSON: &str = "human:";
/// What stands before the names of metrics of some of the raters.
const JUDGES_ONLY: &str = "judges_only:";
const PEOPLE: &str = "people:";
const AGAINST_PEOPLE: [&str; 2] = ["human_accuracy:", "human_kappa:"];

/// Everything that was read, and the votes.
pub(super) struct Read<'r> {
    pub folder: &'r Folder,
    pub loaded: &'r Loaded,
    pub human: Option<&'r Human>,
    pub votes: &'r Votes,
    pub door: &'r RowDoor,
}

/// Writes the records of all items that a judge voted on.
pub(super) fn write(
    read: &Read,
    request: &JudgesRequest,
    target: &RunTarget,
) -> Result<RunWriter, WorkError> {
    let votes = read.votes;
    let people = people(read);
    let judges = &votes.raters[..votes.judges];
    let compared = match read.human {
        Some(_) => judges,
        None => &[],
    };
    let accuracy: Vec<String> = compared
        .iter()
        .map(|judge| format!("{}{judge}", AGAINST_PEOPLE[0]))
        .collect();
    let how = RecordedOptions::new(request, read.folder);
    let spec = spec(COMMAND, how, target, metrics(read, &accuracy, &people));
    let own = accuracy
        .iter()
        .map(|name| OwnColumn::new(name, OwnKind::Number));
    let layout = panel_layout(&target.options, own);
    let mut run = RunWriter::create(&target.folder, spec, layout)?;
    let mut columns = RecordColumns::new(run.layout());
    let places = places(read)?;
    let mut called = Called::default();
    // Behind each repeat that there is, where to look for one that there is not.
    let mut taken: HashMap<(&str, &str, String, i32), i32> = HashMap::new();
    for (at, &item) in votes.items.iter().enumerate() {
        let key = read.loaded.items.key(item);
        let origin = &read.loaded.origins[item as usize];
        let question = read.loaded.question(item);
        let name = called.name(question, origin.position).to_owned();
        let own = origin.subject.map(|at| read.loaded.subjects[at].as_str());
        let options = &target.options;
        let subject = options.subject.as_deref().or(own).unwrap_or_default();
        let dataset = question.dataset;
        // Other answers of the same author to the same question are repeats of it.
        let repeat = |epoch: i32| (dataset, subject, name.clone(), epoch);
        let mut epoch = key.epoch();
        while let Some(next) = taken.get(&repeat(epoch)) {
            epoch = *next;
        }
        let next = epoch.checked_add(1).unwrap_or(1);
        taken.insert(repeat(key.epoch()), next);
        taken.insert(repeat(epoch), next);
        let about = origin.about.as_deref();
        let usage = about.map_or([None; 4], |about| about.usage);
        let row = votes.row(at);
        let given = votes
            .raters
            .iter()
            .zip(row)
            .filter(|(_, vote)| **vote != MISSING);
        let mut labels: Vec<Label> = given
            .map(|(rater, &vote)| Label {
                rater,
                value: LABELS[vote as usize],
            })
            .collect();
        let said = read.human.map_or(&[][..], |human| human.people.said(item));
        let said = said.iter().filter(|_| !people.is_empty());
        labels.extend(said.map(|&(person, correct)| Label {
            rater: &people[person as usize],
            value: LABELS[usize::from(correct)],
        }));
        let (yes, no) = tally(votes.judges_row(at));
        let majority = (yes != no).then(|| usize::from(yes > no));
        let truth = votes.human(at);
        let right = votes.judges_row(at).iter().take(compared.len());
        let right: Vec<OwnValue> = right
            .map(|&vote| {
                let both = truth.filter(|_| vote != MISSING);
                OwnValue::flag(both.map(|truth| truth == vote))
            })
            .collect();
        PanelRecord {
            record: RunRecord {
                dataset,
                item: &name,
                subject,
                epoch,
                cluster: about.and_then(|about| about.cluster.as_deref()),
                latency_ms: usage[0],
                tokens_in: usage[1],
                tokens_out: usage[2],
                usd: usage[3],
                verdict: Some(match majority {
                    Some(0) => Verdict::Fail,
                    Some(_) => Verdict::Pass,
                    None => Verdict::Undecided,
                }),
                decision: majority.map(|vote| LABELS[vote]),
                place: places[at].as_ref().map(|(file, place)| Place {
                    file: &read.folder.judged[*file].given,
                    ..*place
                }),
                labels: &labels,
                texts: Texts {
                    input: Some(key.input()),
                    target: key.gold(),
                    output: key.prediction(),
                },
                own: &right,
                ..RunRecord::default()
            },
            agreeing: row.iter().copied().filter(|&vote| vote != MISSING),
        }
        .push(options, &mut columns);
        if columns.len() == BATCH {
            run.append(columns.take())?;
        }
    }
    run.append(columns.take())?;
    Ok(run)
}

/// What questions are called, each otherwise than the others of its data set.
#[derive(Default)]
struct Called<'r> {
    names: HashMap<Question<'r>, String>,
    /// Each name, and how many were to have it.
    taken: HashMap<(&'r str, String), u32>,
}

impl<'r> Called<'r> {
    /// The name of a question: its id, else the place of the row that asks it first, and a
    /// number where that is taken. Files have the same places, and an id may look like one.
    fn name(&mut self, question: Question<'r>, position: u32) -> &str {
        let taken = &mut self.taken;
        self.names.entry(question).or_insert_with(|| {
            let dataset = question.dataset;
            let wanted = question.id.map(str::to_owned);
            let wanted = wanted.unwrap_or_else(|| format!(":{position}"));
            let mut name = wanted.clone();
            while taken.contains_key(&(dataset, name.clone())) {
                let many = taken.entry((dataset, wanted.clone())).or_default();
                *many += 1;
                name = format!("{wanted}#{many}");
            }
            taken.insert((dataset, name.clone()), 1);
            name
        })
    }
}

/// What single people are called, where there are several.
fn people(read: &Read) -> Vec<String> {
    let names = read.human.map_or(&[][..], |human| &human.people.names);
    if names.len() < 2 {
        return Vec::new();
    }
    let mut called: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut name = format!("{PERSON}{name}");
        while read.votes.raters.contains(&name) {
            name.push('\'');
        }
        called.push(name);
    }
    called
}

fn metrics(read: &Read, accuracy: &[String], people: &[String]) -> Vec<MetricSpec> {
    let votes = read.votes;
    let labels = LABELS.map(str::to_owned);
    let of = |ratings: &Ratings, raters: &[String], prefix: &str| {
        let panel = votes.panel_of(ratings, raters, &[]);
        coefficients(&panel, prefix, raters, &labels)
    };
    let mut found = of(&votes.ratings, &votes.raters, "");
    let judges = &votes.raters[..votes.judges];
    if let Some(human) = read.human {
        found.extend(of(&votes.of_judges(), judges, JUDGES_ONLY));
        for (judge, accuracy) in judges.iter().zip(accuracy) {
            found.push(MetricSpec::column(
                accuracy,
                MetricKind::Rate,
                Direction::Higher,
            ));
            let both = [judge.clone(), votes.raters[votes.judges].clone()];
            let mut kappa = coefficient("cohen_kappa", None, &both, &labels);
            kappa.name = format!("{}{judge}", AGAINST_PEOPLE[1]);
            found.push(kappa);
        }
        if let (Some(said), false) = (human.people.table(), people.is_empty()) {
            found.extend(of(&said, people, PEOPLE));
        }
    }
    panel_metrics(&votes.panel(&votes.ratings), found)
}

/// Where the first judge's row about each item stands: the number of its file, and the rest.
fn places(read: &Read) -> Result<Vec<Option<(usize, Place<'static>)>>, WorkError> {
    let first = |item: u32| {
        let verdicts = read.loaded.judges.iter();
        verdicts.filter_map(|judge| judge.verdict(item)).next()
    };
    let items = read.votes.items.iter().enumerate();
    let mut sorted: Vec<_> = items
        .filter_map(|(at, &item)| Some((first(item)?.1, at)))
        .collect();
    sorted.sort_unstable();
    let mut found = vec![None; read.votes.items.len()];
    let mut ats = sorted.iter().map(|&(_, at)| at);
    let wanted = sorted.iter().map(|&(place, _)| place);
    fetch(&read.folder.judged, wanted, read.door, |place, fetched| {
        if let Some(at) = ats.next() {
            let stands = fetched.found();
            let rest = Place {
                file: "",
                line: place.line,
                offset: stands.offset,
                bytes: stands.bytes,
                hash: Some(stands.hash),
            };
            found[at] = Some((place.file as usize, rest));
        }
    })?;
    Ok(found)
}

/// The files that were read, as they stand in the manifest.
pub(super) fn inputs(
    read: &Read,
    human_files: &[JudgedFile],
    prices: Option<&InputDigest>,
    request: &JudgesRequest,
) -> Vec<InputEntry> {
    let entry = |role: &str, file: &JudgedFile, digest| InputEntry::new(role, &file.given, digest);
    let judged = read.folder.judged.iter().zip(&read.loaded.digests);
    let mut inputs: Vec<InputEntry> = judged
        .map(|(file, digest)| entry(file.role(), file, digest))
        .collect();
    let digests = read.human.map_or(&[][..], |human| &human.digests);
    let human = human_files.iter().zip(digests);
    // Files among the judges' that name people were read with them.
    let known = match request.human.is_empty() {
        true => read.loaded.of_people.len(),
        false => 0,
    };
    inputs.extend(human.skip(known).map(|(file, digest)| match file.judge {
        Some(_) => entry(file.role(), file, digest),
        None => entry(PEOPLE_GIVEN, file, digest),
    }));
    if let (Some(prices), Some(digest)) = (&request.prices, prices) {
        inputs.push(InputEntry::new(PRICES, &prices.name, digest));
    }
    inputs
}

/// Rows that were read, judges' and people's, and what became of them.
pub(super) fn counts(report: &JudgesReport) -> Counts {
    let rows: u64 = report.judges.iter().map(|judge| judge.rows).sum();
    let rows = rows + report.human.as_ref().map_or(0, |human| human.annotations);
    let refused = report.rejects.iter();
    let refused = refused.map(|reject| (reject.reason.as_ref(), 1));
    Counts::of(rows, rows - report.rejects.len() as u64, refused)
}
