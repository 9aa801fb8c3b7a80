//! The report of a run that was made in pieces, from its records, from what was refused, and
//! from what each piece counted besides.

use arrow_array::RecordBatch;
use judica_data::foreign::Reads;
use judica_data::rejects::{Given, Reject, RejectFile};
use judica_data::work_error::WorkError;
use judica_model::run::OwnValue;
use judica_run::finish::Ending;
use judica_run::layout::Layout;
use judica_run::manifest::Manifest;
use judica_run::pieces::Pieces;
use judica_run::rows::{Rows, Scratch};
use judica_run::writer::RunWriter;

use super::arbitrate::Decision;
use super::clusters::{Clusters, outcome};
use super::merged::Merged;
use super::outputs::{Besides, finish};
use super::policy::Policy;
use super::seen::fingerprint;
use super::tally::Tally;
use super::{PairsOptions, record, report};
use crate::refusals::{Example, Refusals};
use crate::run::Recorded;

struct FromPieces {
    options: PairsOptions,
    policy: Policy,
    keep_text: bool,
    merged: Merged,
    refusals: Refusals,
    besides: Besides,
}

/// Begins to end a run.
pub(super) fn begin(pieces: &Pieces, threads: usize) -> Result<Box<dyn Ending>, WorkError> {
    let Recorded { mut how, run }: Recorded<PairsOptions> = pieces.options()?;
    how.bootstrap.threads = threads;
    let policy = Policy::of(how.policy.as_ref())?;
    let mut besides = Besides::default();
    pieces.cut()?.into_iter().for_each(|cut| besides.merge(cut));
    Ok(Box::new(FromPieces {
        options: how,
        keep_text: run.keep_text,
        merged: Merged {
            lines: pieces.counts().inputs,
            tally: Tally::new(&policy),
            clusters: Clusters::default(),
        },
        policy,
        refusals: Refusals::default(),
        besides,
    }))
}

impl FromPieces {
    fn count(&mut self, records: &RecordBatch) -> Option<()> {
        let (rows, mut scratch) = (Rows::new(records), Scratch::default());
        let why_at = rows.own_names().iter().position(|name| *name == "why")?;
        for row in 0..rows.len() {
            let record = rows.get(row, &mut scratch);
            let [scholar, auditor] = record.labels else {
                return None;
            };
            let label = |said: &str| self.policy.label(said.as_bytes());
            let Some(OwnValue::Text(why)) = record.own.get(why_at) else {
                return None;
            };
            let decision = Decision {
                why: self.policy.rule(why)?,
                label: label(record.decision?)?,
            };
            let labels = [label(scholar.value)?, label(auditor.value)?];
            self.merged.tally.add(labels, decision);
            let cluster = match record.cluster {
                Some(cluster) => fingerprint(&[cluster.as_bytes()]),
                None => fingerprint(&[record.dataset.as_bytes(), record.item.as_bytes()]),
            };
            let outcome = outcome(&self.policy, labels);
            self.merged.clusters.add(cluster, outcome);
        }
        Some(())
    }
}

impl Ending for FromPieces {
    fn layout(&self) -> Layout {
        record::layout(&self.policy, self.keep_text)
    }

    fn take(&mut self, records: &[RecordBatch]) -> Result<(), WorkError> {
        let mut counted = records.iter().map(|records| self.count(records));
        match counted.all(|counted| counted.is_some()) {
            true => Ok(()),
            false => Err(WorkError::BadArtifact(
                "the records are not what agree pairs writes".to_owned(),
            )),
        }
    }

    fn refuse(&mut self, reject: &Reject) -> Result<(), WorkError> {
        self.refusals.count(reject.reason.clone(), || Example {
            file: reject.file.clone(),
            line: reject.line,
            detail: reject.detail.clone(),
        });
        Ok(())
    }

    fn end(
        self: Box<Self>,
        run: RunWriter,
        pieces: &Pieces,
        rejects: RejectFile,
    ) -> Result<(Manifest, Vec<String>), WorkError> {
        let inputs = pieces.common().inputs.clone();
        let files: Vec<String> = inputs.iter().map(|input| input.path.clone()).collect();
        let used = self.merged.tally.n();
        let given: Vec<Given> = files
            .iter()
            .map(|file| Given {
                path: file.as_ref(),
                name: file,
                used,
            })
            .collect();
        let (rejects, unused) = rejects.usable(&given, Reads::Json)?;
        let counted = self.besides.counted(self.refusals, &files);
        let report = report::report(self.merged, counted, 1, &self.options, &self.policy);
        Ok((finish(run, &report, inputs, Some(rejects))?, unused))
    }
}
