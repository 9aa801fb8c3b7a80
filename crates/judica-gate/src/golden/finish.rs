//! What the runs add up to: metrics, gates and notes.

use super::folder::Outputs;
use super::metrics::{Counted, Item, well_formed};
use super::report::{
    AbstentionOffender, EvidenceOffender, GoldenMetrics, GoldenReport, SCHEMA_VERSION,
};
use super::tally::Tally;
use judica_model::text::few;

/// Files that a note names.
const NAMED: usize = 5;

impl Tally<'_> {
    /// Makes the report. `names` are those of the queries' file and of the folder.
    pub(super) fn finish(
        mut self,
        names: [String; 2],
        folder: Outputs,
        allow_undefined: bool,
    ) -> GoldenReport {
        let recall = self.recall();
        let mut notes = self.notes();
        let metrics = GoldenMetrics {
            evidence_coverage_rate: self.coverage.metric("no verified claims"),
            golden_recall: recall.metric("no query requires evidence"),
            abstention_accuracy: self
                .abstention
                .metric("no query is labelled as having no sufficient evidence"),
            manifest_integrity: self.manifests.metric("no steps"),
        };
        let runs = self.lists.per_run.len() as u64;
        let held = self.rules.iter().zip(metrics.named()).zip(self.asked());
        let mut gates: Vec<_> = held
            .map(|((rule, (_, metric)), asked)| rule.hold(&metric.value, allow_undefined || !asked))
            .collect();
        gates.push(well_formed(self.lists.malformed.total(), runs));
        let gates_pass = gates.iter().all(|gate| gate.pass);
        let [golden, outputs] = names;
        let mut skipped_links = folder.links;
        skipped_links.append(self.lists.links, |link| link);
        let mut report = GoldenReport {
            schema_version: SCHEMA_VERSION,
            status: if gates_pass { "PASS" } else { "FAIL" },
            golden,
            outputs,
            queries: self.queries.list.len() as u64,
            runs,
            metrics,
            gates,
            gates_pass,
            missing_runs: self.lists.missing,
            unmatched_runs: self.lists.unmatched,
            malformed_runs: self.lists.malformed,
            offenders: self.lists.offenders,
            unknown_evidence: self.lists.unknown,
            stray_manifests: self.lists.strays,
            skipped_links,
            ignored: folder.ignored,
            per_run: self.lists.per_run,
            notes: Vec::new(),
        };
        notes.extend(report.shortened());
        report.notes = notes;
        report
    }

    /// Whether the queries ask for something that each metric counts, in the order of the
    /// metrics. Where they do not, an empty denominator is right, and only there.
    fn asked(&self) -> [bool; 4] {
        let queries = &self.queries.list;
        [
            queries.iter().any(|query| query.sufficient),
            queries.iter().any(|query| !query.required.is_empty()),
            queries.iter().any(|query| !query.sufficient),
            true,
        ]
    }

    /// Counts what queries require against what their runs found.
    fn recall(&mut self) -> Counted {
        let mut recall = Counted::default();
        let lists = &mut self.lists;
        for (number, (query, state)) in self.queries.list.iter().zip(&self.answers).enumerate() {
            let item = Item::Query(number);
            if state.runs == 0 {
                lists.missing.push(|| query.name());
                if !query.sufficient {
                    self.abstention.count(&item, false);
                    lists.offenders.abstentions.push(|| AbstentionOffender {
                        query: query.name(),
                        run_id: None,
                        file: None,
                        stop_reason: None,
                        verified: None,
                        problem: "no_run",
                    });
                }
            }
            for (at, id) in query.required.iter().enumerate() {
                let problem = state.problem(at);
                recall.count(&item, problem.is_none());
                if let Some(problem) = problem {
                    lists.offenders.evidence.push(|| EvidenceOffender {
                        query: query.name(),
                        evidence_id: id.clone(),
                        problem,
                    });
                }
            }
        }
        recall
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.queries.notes.clone();
        let mut say = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => notes.push(format!("1 run {one}")),
            count => notes.push(format!("{count} runs {many}")),
        };
        say(self.without_steps, "records no steps", "record no steps");
        say(
            self.steps_twice,
            "has steps both in its output and in events.jsonl; those of the output count",
            "have steps both in their output and in events.jsonl; those of the output count",
        );
        say(
            self.repeated_steps,
            "uses a step id more than once; each record counts as a step",
            "use a step id more than once; each record counts as a step",
        );
        let runs = &self.lists.per_run;
        let mut ids: Vec<&str> = runs.iter().map(|row| row.run.run_id.as_str()).collect();
        ids.sort_unstable();
        let again = ids.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        say(
            again,
            "has the run_id of another; `file` tells them apart",
            "have the run_id of another; `file` tells them apart",
        );
        if !self.renamed.is_empty() {
            let first = &self.renamed.first()[..self.renamed.first().len().min(NAMED)];
            notes.push(format!(
                "without an output.json, the only JSON file of a folder was taken: {}",
                few(first, ", ", self.renamed.total() as usize)
            ));
        }
        if runs.is_empty() {
            notes.push("the folder holds no runs".to_owned());
        }
        notes
    }
}

impl GoldenReport {
    /// A remark for each list that does not name all.
    fn shortened(&self) -> Vec<String> {
        let offenders = &self.offenders;
        let remarks = [
            self.missing_runs.remark("missing_runs"),
            self.unmatched_runs.remark("unmatched_runs"),
            self.malformed_runs.remark("malformed_runs"),
            offenders.claims.remark("offenders.claims"),
            offenders.evidence.remark("offenders.evidence"),
            offenders.abstentions.remark("offenders.abstentions"),
            offenders.steps.remark("offenders.steps"),
            self.unknown_evidence.remark("unknown_evidence"),
            self.stray_manifests.remark("stray_manifests"),
            self.skipped_links.remark("skipped_links"),
            self.ignored.remark("ignored"),
        ];
        remarks.into_iter().flatten().collect()
    }
}
