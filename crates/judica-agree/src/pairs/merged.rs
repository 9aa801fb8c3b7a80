//! Merged pairs, one per line: read on all threads, decided in parallel, added up in the
//! order of the file. Memory does not grow with the number of pairs, but for the
//! fingerprints that tell duplicates.

use arrow_array::RecordBatch;
use judica_data::chunks::{Chunk, ChunkReader, RawRecord};
use judica_data::ordered::{self, Workers};
use judica_data::work_error::WorkError;
use judica_run::pieces::Part;
use judica_run::records::RecordColumns;

use super::about::About;
use super::arbitrate::Decision;
use super::clusters::{Clusters, cluster, outcome};
use super::hygiene::{self, Finding, Place};
use super::label::Label;
use super::line::Line;
use super::outputs::Outputs;
use super::policy::Policy;
use super::record::{Decided, Recording};
use super::render::{json_line, tsv_line};
use super::seen::{Fingerprint, Names, SeenQuestions, fingerprint};
use super::shape::{LatestShapes, LineShape};
use super::tally::Tally;
use super::text::name;
use super::verdict::{Judgment, Refusal, duplicate, pair_of, qid};

/// What the threads share.
pub struct Shared<'s> {
    /// Who judges, and who wins.
    pub policy: &'s Policy,
    /// Whether hygiene is checked.
    pub hygiene: bool,
    /// Whether every decided pair is wanted.
    pub arbitrated: bool,
    /// How records are made.
    pub recording: Recording<'s>,
    /// The part of the lines that counts, if not all do.
    pub part: Option<Part>,
    /// The length of the input, or less if it is not known.
    pub input_bytes: u64,
    /// Who reads them, and what stops that.
    pub workers: Workers<'s>,
    /// Told now and then how many bytes have been read.
    pub progress: &'s (dyn Fn(u64) + Sync),
}

/// What was counted.
#[derive(Debug)]
pub struct Merged {
    /// Lines read.
    pub lines: u64,
    /// The pairs that enter the measurement.
    pub tally: Tally,
    /// The same by cluster; none where it is known that each is one of its own.
    pub clusters: Clusters,
}

/// Reads all pairs.
pub fn read(
    reader: &mut ChunkReader,
    shared: &Shared,
    outputs: &mut Outputs,
) -> Result<Merged, WorkError> {
    let sum = Sum {
        part: shared.part,
        begun: false,
        input_bytes: shared.input_bytes,
        seen: SeenQuestions::default(),
        merged: Merged {
            lines: 0,
            tally: Tally::new(shared.policy),
            clusters: Clusters::default(),
        },
        policy: shared.policy,
        outputs,
    };
    let next = |done: Option<Chunk>| {
        if let Some(done) = done {
            reader.recycle(done);
        }
        let chunk = reader.next_chunk();
        (shared.progress)(reader.raw_bytes());
        Ok(chunk?)
    };
    let mut sum = ordered::run(
        shared.workers,
        next,
        sum,
        || {
            Ok(Batch {
                columns: shared.recording.columns(),
                tally: Tally::new(shared.policy),
                ..Batch::default()
            })
        },
        |batch, chunk, way| {
            batch.read(chunk, shared);
            let records = batch.columns.as_mut().map(RecordColumns::take);
            way.pass(|sum| sum.take(batch, chunk, records))
        },
    )?;
    // Questions of lines that say nothing else are all different, and only matter beside others.
    if !sum.merged.clusters.is_empty() {
        for (cluster, outcome) in sum.seen.counted() {
            sum.merged.clusters.add(cluster, outcome);
        }
    }
    Ok(sum.merged)
}

/// A pair that enters the measurement.
type Counted = ([Label; 2], Decision);

/// One line of a chunk.
struct Row {
    line: u64,
    offset: u64,
    start: usize,
    length: usize,
    /// Where its text ends in the chunk's table of disagreements, and in its decided
    /// pairs; it begins where that of the line before ends.
    tsv_end: usize,
    json_end: usize,
    /// Which of the chunk's refusals, if any.
    refusal: Option<usize>,
    /// Where its findings end.
    findings_end: usize,
    /// What it adds to the tally.
    counted: Option<Counted>,
}

/// What a chunk became.
#[derive(Default)]
struct Batch {
    rows: Vec<Row>,
    /// Of the lines that name a question, with the row of each.
    names: Names,
    named_rows: Vec<usize>,
    /// Of the rows whose cluster is not just their question, with the row of each.
    clusters: Vec<(usize, Fingerprint)>,
    tally: Tally,
    tsv: Vec<u8>,
    differing: u64,
    json: Vec<u8>,
    refusals: Vec<Refusal>,
    findings: Vec<(Finding, String)>,
    /// Of the rows that are counted, if there is to be a run.
    columns: Option<RecordColumns>,
    /// Kept from chunk to chunk.
    shapes: LatestShapes,
}

impl Batch {
    fn read(&mut self, chunk: &Chunk, shared: &Shared) {
        self.clear();
        // Mostly all of it is text, which is told fastest for all lines at once.
        let all_text = std::str::from_utf8(&chunk.data).is_ok();
        for record in chunk.records() {
            let refusal = if let Some(fault) = record.fault {
                Some(fault.refusal())
            } else if !all_text && std::str::from_utf8(record.bytes).is_err() {
                Some(Refusal::new("invalid_utf8", "not UTF-8"))
            } else {
                None
            };
            let judged = match refusal {
                Some(refusal) => Err(refusal),
                None => self.judge(&record, chunk.file, shared),
            };
            let (counted, refusal) = judged.unwrap_or_else(|refusal| (None, Some(refusal)));
            if let Some((labels, decision)) = counted {
                self.tally.add(labels, decision);
            }
            let refusal = refusal.map(|refusal| {
                self.refusals.push(refusal);
                self.refusals.len() - 1
            });
            self.rows.push(Row {
                line: record.line,
                offset: record.offset,
                start: chunk.start_of(&record),
                length: record.bytes.len(),
                tsv_end: self.tsv.len(),
                json_end: self.json.len(),
                refusal,
                findings_end: self.findings.len(),
                counted,
            });
        }
    }

    /// Reads and decides one line; writes what it gives. An error is a line that cannot
    /// even be decided.
    fn judge(
        &mut self,
        record: &RawRecord,
        file: usize,
        shared: &Shared,
    ) -> Result<(Option<Counted>, Option<Refusal>), Refusal> {
        if !shared.hygiene
            && !shared.recording.options.keep_text
            && let Some(counted) = self.judge_by_shape(record, file, shared)
        {
            return Ok((Some(counted), None));
        }
        let policy = shared.policy;
        let line = Line::read(record.bytes, &policy.keys)?;
        let name = qid(&line)?;
        let options = shared.recording.options;
        self.names.push(&name, line.about.print(&name, options)?);
        self.named_rows.push(self.rows.len());
        let pair = pair_of(&line, &policy.keys)?;
        let verdict = pair.judge(policy);
        let decided = verdict.labels.is_some() || verdict.given.is_some();
        if verdict.differs() {
            tsv_line(policy, &name, &verdict, &mut self.tsv);
            self.differing += 1;
        }
        if shared.arbitrated && decided {
            json_line(policy, &name, &verdict, &mut self.json);
        }
        let mut found = Vec::new();
        if shared.hygiene {
            let place = Place {
                files: [file; 2],
                lines: [record.line; 2],
            };
            hygiene::check(policy, &pair, verdict.labels, place, &mut found);
        }
        if let Some(labels) = verdict.labels {
            self.count(&name, &line.about, labels, file, shared);
        }
        if let (Some(columns), Some(labels)) = (&mut self.columns, verdict.labels) {
            let decided = Decided {
                name: &name,
                about: &line.about,
                labels,
                decision: verdict.decision,
                findings: &found,
                answer: line.own.evidence.answer_text,
                file,
                record,
            };
            shared.recording.push(&decided, columns);
        }
        let name = String::from_utf8_lossy(&name);
        let named = found.into_iter().map(|f| (f, name.clone().into_owned()));
        self.findings.extend(named);
        let Judgment {
            labels,
            decision,
            refusal,
            ..
        } = verdict;
        Ok((labels.map(|labels| (labels, decision)), refusal))
    }

    /// The same for a line of the shape that the lines before it had. Hygiene reads more
    /// of a line than its shape tells.
    fn judge_by_shape(
        &mut self,
        record: &RawRecord,
        file: usize,
        shared: &Shared,
    ) -> Option<Counted> {
        let policy = shared.policy;
        let mut about = None;
        let read = |shape: &mut LineShape| shape.read(record.bytes, policy, &mut about);
        let Some(read) = self.shapes.read(read) else {
            let learn = || LineShape::learn(record.bytes, &policy.keys);
            self.shapes.learn(learn);
            return None;
        };
        let name = name(read.qid);
        let about = about.as_ref();
        let print = match about {
            None => fingerprint(&[&name]),
            Some(about) => about.print(&name, shared.recording.options).ok()?,
        };
        self.names.push(&name, print);
        self.named_rows.push(self.rows.len());
        match about {
            // Then the question is the cluster.
            None => self.names.count_last(outcome(policy, read.labels)),
            Some(about) => self.count(&name, about, read.labels, file, shared),
        }
        let [scholar, auditor] = read.labels;
        if scholar != auditor || shared.arbitrated {
            let verdict = Judgment::counted(read.labels, read.decision);
            if scholar != auditor {
                tsv_line(policy, &name, &verdict, &mut self.tsv);
                self.differing += 1;
            }
            if shared.arbitrated {
                json_line(policy, &name, &verdict, &mut self.json);
            }
        }
        if let Some(columns) = &mut self.columns {
            let decided = Decided {
                name: &name,
                about: about.unwrap_or(&About::NOTHING),
                labels: read.labels,
                decision: read.decision,
                findings: &[],
                answer: None,
                file,
                record,
            };
            shared.recording.push(&decided, columns);
        }
        Some((read.labels, read.decision))
    }

    /// Notes what a line that was named last adds to its cluster.
    fn count(
        &mut self,
        name: &[u8],
        about: &About,
        labels: [Label; 2],
        file: usize,
        shared: &Shared,
    ) {
        let Recording { options, files, .. } = shared.recording;
        let cluster = cluster(name, about, options, &files[file]);
        let outcome = outcome(shared.policy, labels);
        match self.names.last() == Some(cluster) {
            true => self.names.count_last(outcome),
            false => self.clusters.push((self.rows.len(), cluster)),
        }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.clusters.clear();
        self.names.clear();
        self.named_rows.clear();
        self.tally.clear();
        self.tsv.clear();
        self.differing = 0;
        self.json.clear();
        self.refusals.clear();
        self.findings.clear();
    }
}

/// Where chunks come together, in order.
struct Sum<'a, 'o> {
    policy: &'a Policy,
    part: Option<Part>,
    /// Whether a chunk has come.
    begun: bool,
    /// The length of the input, or less.
    input_bytes: u64,
    seen: SeenQuestions,
    merged: Merged,
    outputs: &'a mut Outputs<'o>,
}

impl Sum<'_, '_> {
    fn take(
        &mut self,
        batch: &Batch,
        chunk: &Chunk,
        records: Option<RecordBatch>,
    ) -> Result<(), WorkError> {
        if !std::mem::replace(&mut self.begun, true) {
            let lines = batch.names.count() as u64;
            let all = self.input_bytes.saturating_mul(lines) / chunk.data.len().max(1) as u64;
            self.seen.expect(all);
        }
        let again = self.seen.add(&batch.names);
        let nothing_else = batch.refusals.is_empty() && batch.findings.is_empty();
        if self.part.is_none() && again.is_empty() && nothing_else {
            self.merged.lines += batch.rows.len() as u64;
            self.merged.tally.merge(&batch.tally);
            self.outputs.disagree(&batch.tsv, batch.differing)?;
            self.outputs.decide(&batch.json)?;
            for (row, cluster) in &batch.clusters {
                self.together(&batch.rows[*row], *cluster);
            }
            return self.outputs.record(records);
        }
        let mut again = again.into_iter().map(|at| batch.named_rows[at]).peekable();
        let mut clusters = batch.clusters.iter().peekable();
        let (mut tsv_start, mut json_start, mut findings_start) = (0, 0, 0);
        // Of the chunk's records, those of questions that were seen before are left out.
        let (mut first, mut end) = (0, 0);
        let some = |first, end| records.as_ref().map(|all| all.slice(first, end - first));
        for (at, row) in batch.rows.iter().enumerate() {
            end += usize::from(row.counted.is_some());
            let repeats = again.next_if_eq(&at).is_some();
            let cluster = clusters.next_if(|(row, _)| *row == at);
            let place = || judica_data::fingerprint::fingerprint(&row.offset.to_le_bytes());
            let ours = self.part.is_none_or(|part| part.holds(place()));
            self.merged.lines += u64::from(ours);
            if (repeats || !ours) && row.counted.is_some() {
                self.outputs.record(some(first, end - 1))?;
                first = end;
            }
            let refusal = if !ours {
                None
            } else if repeats {
                let raw = &chunk.data[row.start..row.start + row.length];
                Some(duplicate(raw, &self.policy.keys))
            } else {
                self.keep(batch, row, tsv_start, json_start, findings_start)?;
                if let Some((_, cluster)) = cluster {
                    self.together(row, *cluster);
                }
                row.refusal.map(|at| batch.refusals[at].clone())
            };
            (tsv_start, json_start) = (row.tsv_end, row.json_end);
            findings_start = row.findings_end;
            if let Some(Refusal { reason, detail }) = refusal {
                let raw = chunk.raw(row.start..row.start + row.length);
                self.outputs
                    .refuse(chunk.file, row.line, row.offset, reason, detail, raw)?;
            }
        }
        self.outputs.record(some(first, end))
    }

    /// Adds a pair to a cluster that is not just its question.
    fn together(&mut self, row: &Row, cluster: Fingerprint) {
        if let Some((labels, _)) = row.counted {
            let outcome = outcome(self.policy, labels);
            self.merged.clusters.add(cluster, outcome);
        }
    }

    fn keep(
        &mut self,
        batch: &Batch,
        row: &Row,
        tsv_start: usize,
        json_start: usize,
        findings_start: usize,
    ) -> Result<(), WorkError> {
        if let Some((labels, decision)) = row.counted {
            self.merged.tally.add(labels, decision);
        }
        let tsv = &batch.tsv[tsv_start..row.tsv_end];
        if !tsv.is_empty() {
            self.outputs.disagree(tsv, 1)?;
        }
        self.outputs.decide(&batch.json[json_start..row.json_end])?;
        for (finding, qid) in &batch.findings[findings_start..row.findings_end] {
            self.outputs.find(finding, qid, row.offset)?;
        }
        Ok(())
    }
}
