//! Judgments in two files, joined by question. Both files are held in memory: whoever
//! wants a stream merges them first.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use judica_data::chunks::{Chunk, ChunkReader, RawRecord};
use judica_data::work_error::WorkError;
use judica_run::options::RunOptions;
use judica_run::records::RecordColumns;

use super::about::{About, Field};
use super::clusters::{Clusters, cluster, outcome};
use super::hygiene::{self, Place};
use super::line::{Keys, Line, Side};
use super::merged::{Merged, Shared};
use super::outputs::Outputs;
use super::record::{Decided, Recording};
use super::render::{json_line, tsv_line};
use super::tally::Tally;
use super::verdict::{Pair, Refusal, duplicate, qid};

/// A line that names a question.
struct Entry<'c> {
    qid: Cow<'c, [u8]>,
    epoch: i32,
    /// Author and data set of the answer; empty where they are not told, or tell no answers
    /// apart.
    whose: Whose<'c>,
    record: RawRecord<'c>,
    side: Side<'c>,
    about: About<'c>,
}

type Whose<'c> = [Cow<'c, [u8]>; 2];

impl<'c> Entry<'c> {
    /// Which repeat of which question.
    fn question(&self) -> (&[u8], i32) {
        (&self.qid, self.epoch)
    }

    /// What tells the answer from all others of its file.
    fn key(&self) -> ((&[u8], i32), &Whose<'c>) {
        (self.question(), &self.whose)
    }
}

/// A line that does not enter, to be told in the order of the files.
struct Left<'c> {
    file: usize,
    record: RawRecord<'c>,
    refusal: Refusal,
}

/// Reads and joins the files of both raters.
pub fn read(
    reader: &mut ChunkReader,
    shared: &Shared,
    outputs: &mut Outputs,
) -> Result<Merged, WorkError> {
    let chunks = load(reader, shared)?;
    let mut left = Vec::new();
    let mut lines = 0;
    let mut sides = [Vec::new(), Vec::new()];
    for chunk in &chunks {
        let file = chunk.file;
        for record in chunk.records() {
            lines += 1;
            match entry(record, &shared.policy.keys) {
                Ok(entry) => sides[file].push(entry),
                Err(refusal) => left.push(Left {
                    file,
                    record,
                    refusal,
                }),
            }
        }
    }
    forget_validators(&mut sides, shared.recording.options);
    for (file, entries) in sides.iter_mut().enumerate() {
        // The first of equal names stays the first.
        entries.sort_by(|a, b| a.key().cmp(&b.key()));
        drop_repeats(file, entries, &mut left, &shared.policy.keys);
    }
    let mut merged = Merged {
        lines,
        tally: Tally::new(shared.policy),
        clusters: Clusters::default(),
    };
    join(&sides, shared, outputs, &mut merged, &mut left)?;
    left.sort_by_key(|left| (left.file, left.record.line, left.record.offset));
    for Left {
        file,
        record,
        refusal,
    } in left
    {
        let Refusal { reason, detail } = refusal;
        outputs.refuse(
            file,
            record.line,
            record.offset,
            reason,
            detail,
            record.raw(),
        )?;
    }
    Ok(merged)
}

fn load(reader: &mut ChunkReader, shared: &Shared) -> Result<Vec<Chunk>, WorkError> {
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        shared.workers.go_on()?;
        (shared.progress)(reader.raw_bytes());
        chunks.push(chunk);
    }
    Ok(chunks)
}

fn entry<'c>(record: RawRecord<'c>, keys: &Keys) -> Result<Entry<'c>, Refusal> {
    if let Some(fault) = record.fault {
        return Err(fault.refusal());
    }
    if std::str::from_utf8(record.bytes).is_err() {
        return Err(Refusal::new("invalid_utf8", "not UTF-8"));
    }
    let line = Line::read(record.bytes, keys)?;
    let told = |field| line.about.bytes(field).unwrap_or_default();
    Ok(Entry {
        qid: qid(&line)?,
        epoch: line.about.epoch()?,
        whose: [told(Field::Subject), told(Field::Dataset)],
        record,
        side: line.own,
        about: line.about,
    })
}

/// Names tell answers to a question apart only where both files have one in common: else each
/// may name its validator, or one of them nobody. Nor do they where the user says whose all
/// answers are.
fn forget_validators([scholars, auditors]: &mut [Vec<Entry>; 2], options: &RunOptions) {
    scholars.sort_by(|a, b| a.question().cmp(&b.question()));
    auditors.sort_by(|a, b| a.question().cmp(&b.question()));
    let said = [options.subject.is_some(), options.dataset.is_some()];
    let mut rest = &mut auditors[..];
    for ours in scholars.chunk_by_mut(|a, b| a.question() == b.question()) {
        let question = ours[0].question();
        let before = rest.partition_point(|auditor| auditor.question() < question);
        let (alone, behind) = std::mem::take(&mut rest).split_at_mut(before);
        alone
            .iter_mut()
            .for_each(|entry| entry.whose = Whose::default());
        let together = behind.partition_point(|auditor| auditor.question() == question);
        let (theirs, behind) = behind.split_at_mut(together);
        rest = behind;
        for (field, said) in said.into_iter().enumerate() {
            if said || !have_in_common(ours, theirs, field) {
                let all = ours.iter_mut().chain(theirs.iter_mut());
                all.for_each(|entry| entry.whose[field] = Cow::default());
            }
        }
    }
    rest.iter_mut()
        .for_each(|entry| entry.whose = Whose::default());
}

/// Whether lines of both files name the same author, or data set.
fn have_in_common(ours: &[Entry], theirs: &[Entry], field: usize) -> bool {
    let known: HashSet<&[u8]> = ours.iter().map(|entry| &*entry.whose[field]).collect();
    let mut named = theirs.iter().map(|entry| &*entry.whose[field]);
    named.any(|name| !name.is_empty() && known.contains(name))
}

fn drop_repeats<'c>(
    file: usize,
    entries: &mut Vec<Entry<'c>>,
    left: &mut Vec<Left<'c>>,
    keys: &Keys,
) {
    entries.dedup_by(|again, first| {
        let same = again.key() == first.key();
        if same {
            left.push(Left {
                file,
                record: again.record,
                refusal: duplicate(again.record.bytes, keys),
            });
        }
        same
    });
}

/// Walks both sides in the order of names and decides every question that both judged.
fn join<'c>(
    [scholars, auditors]: &[Vec<Entry<'c>>; 2],
    shared: &Shared,
    outputs: &mut Outputs,
    merged: &mut Merged,
    left: &mut Vec<Left<'c>>,
) -> Result<(), WorkError> {
    let names = shared.policy.names();
    let mut alone = |file: usize, entry: &Entry<'c>| {
        let other = names[1 - file];
        let whose = match entry.whose.iter().all(|name| name.is_empty()) {
            true => "",
            false => " of the same author and data set",
        };
        left.push(Left {
            file,
            record: entry.record,
            refusal: Refusal::new(
                "one_side_only",
                format!("the {other} has no such qid{whose}"),
            ),
        });
    };
    let (mut s, mut a) = (0, 0);
    let mut pairs = Vec::new();
    while s < scholars.len() || a < auditors.len() {
        let order = match (scholars.get(s), auditors.get(a)) {
            (Some(scholar), Some(auditor)) => scholar.key().cmp(&auditor.key()),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        match order {
            Ordering::Less => alone(0, &scholars[s]),
            Ordering::Greater => alone(1, &auditors[a]),
            Ordering::Equal => pairs.push((&scholars[s], &auditors[a])),
        }
        s += usize::from(order != Ordering::Greater);
        a += usize::from(order != Ordering::Less);
    }
    let mut columns = shared.recording.columns();
    for (scholar, auditor) in pairs {
        decide(
            scholar,
            auditor,
            shared,
            outputs,
            merged,
            left,
            &mut columns,
        )?;
    }
    outputs.record(columns.as_mut().map(RecordColumns::take))
}

fn decide<'c>(
    scholar: &Entry<'c>,
    auditor: &Entry<'c>,
    shared: &Shared,
    outputs: &mut Outputs,
    merged: &mut Merged,
    left: &mut Vec<Left<'c>>,
    columns: &mut Option<RecordColumns>,
) -> Result<(), WorkError> {
    let pair = Pair {
        scholar: &scholar.side,
        auditor: &auditor.side,
        shared: None,
    };
    let policy = shared.policy;
    let verdict = pair.judge(policy);
    let mut text = Vec::new();
    if verdict.differs() {
        tsv_line(policy, &scholar.qid, &verdict, &mut text);
        outputs.disagree(&text, 1)?;
    }
    if shared.arbitrated && (verdict.labels.is_some() || verdict.given.is_some()) {
        text.clear();
        json_line(policy, &scholar.qid, &verdict, &mut text);
        outputs.decide(&text)?;
    }
    let mut found = Vec::new();
    if shared.hygiene {
        let place = Place {
            files: [0, 1],
            lines: [scholar.record.line, auditor.record.line],
        };
        hygiene::check(policy, &pair, verdict.labels, place, &mut found);
        for finding in &found {
            let qid = String::from_utf8_lossy(&scholar.qid);
            outputs.find(finding, &qid, scholar.record.offset)?;
        }
    }
    let mut about = scholar.about.clone();
    // Whom only one side names may be who judged, and not whose answer it is.
    about.keep_common(&auditor.about);
    if let Some(labels) = verdict.labels {
        merged.tally.add(labels, verdict.decision);
        let Recording { options, files, .. } = shared.recording;
        let cluster = cluster(&scholar.qid, &about, options, &files[0]);
        merged.clusters.add(cluster, outcome(policy, labels));
    }
    if let (Some(columns), Some(labels)) = (columns, verdict.labels) {
        let decided = Decided {
            name: &scholar.qid,
            about: &about,
            labels,
            decision: verdict.decision,
            findings: &found,
            answer: pair.evidence().find_map(|seen| seen.answer_text),
            file: 0,
            record: &scholar.record,
        };
        shared.recording.push(&decided, columns);
    }
    if let Some(refusal) = verdict.refusal {
        // Both lines of the pair stay out, so both are kept.
        for (file, entry) in [scholar, auditor].into_iter().enumerate() {
            left.push(Left {
                file,
                record: entry.record,
                refusal: refusal.clone(),
            });
        }
    }
    Ok(())
}
