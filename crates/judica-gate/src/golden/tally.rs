//! All runs together: added one after the other, in the order of their names.

use super::GoldenThresholds;
use super::evidence::Presence;
use super::folder::Outputs;
use super::metrics::{Ratio, Rule, rules, well_formed};
use super::queries::{Answers, Queries, Query};
use super::report::*;
use super::run::{Checked, Malformed, Outcome};

/// What the runs so far add up to.
pub(super) struct Tally<'q> {
    queries: &'q Queries,
    rules: [Rule; 4],
    coverage: Ratio,
    abstention: Ratio,
    manifests: Ratio,
    answers: Vec<Answered>,
    without_steps: u64,
    events_unread: u64,
    repeated_steps: u64,
    report: Lists,
}

/// What the runs of one query have found.
#[derive(Clone, Default)]
struct Answered {
    runs: u64,
    readable: u64,
    /// The best that any run has of each required record; empty before the first.
    best: Vec<Presence>,
}

/// The lists of the report that grow with each run.
#[derive(Default)]
struct Lists {
    missing: super::Capped<QueryName>,
    unmatched: super::Capped<UnmatchedRun>,
    malformed: super::Capped<MalformedRun>,
    offenders: Offenders,
    unknown: super::Capped<UnknownEvidence>,
    strays: super::Capped<StrayManifest>,
    links: super::Capped<String>,
    per_run: Vec<RunSummary>,
}

impl<'q> Tally<'q> {
    /// Nothing yet.
    pub(super) fn new(queries: &'q Queries, thresholds: GoldenThresholds) -> Self {
        Tally {
            queries,
            rules: rules(thresholds),
            coverage: Ratio::default(),
            abstention: Ratio::default(),
            manifests: Ratio::default(),
            answers: vec![Answered::default(); queries.list.len()],
            without_steps: 0,
            events_unread: 0,
            repeated_steps: 0,
            report: Lists::default(),
        }
    }

    /// Adds a run.
    pub(super) fn add(&mut self, outcome: Outcome) {
        let Outcome {
            run_id,
            file,
            objective,
            answers,
            links,
            checked,
        } = outcome;
        let run = RunName { run_id, file };
        self.report.links.append(links, |link| link);
        let query = match answers {
            Answers::Query(at) => {
                let state = &mut self.answers[at];
                state.runs += 1;
                if let Ok(checked) = &checked {
                    state.readable += 1;
                    state.keep_best(&checked.required);
                }
                Some(&self.queries.list[at])
            }
            Answers::None | Answers::OneOfSeveral => {
                self.report.unmatched.push(|| UnmatchedRun {
                    run: run.clone(),
                    objective: objective.clone(),
                    reason: unmatched(answers, objective.is_some()),
                });
                None
            }
        };
        if let Some(query) = query.filter(|query| !query.sufficient) {
            self.abstention(query, &run, checked.as_ref().ok());
        }
        match checked {
            Ok(checked) => self.well_formed(run, objective, query, checked),
            Err(malformed) => self.malformed(run, objective, malformed),
        }
    }

    fn abstention(&mut self, query: &Query, run: &RunName, checked: Option<&Checked>) {
        let abstained = checked.is_some_and(Checked::abstained);
        self.abstention.count(abstained);
        if abstained {
            return;
        }
        let verified = checked.map(|checked| checked.claims.verified);
        let offenders = &mut self.report.offenders.abstentions;
        offenders.push(|| AbstentionOffender {
            query: query.name(),
            run_id: Some(run.run_id.clone()),
            file: Some(run.file.clone()),
            stop_reason: checked.and_then(|checked| checked.stop_reason.clone()),
            verified,
            problem: match verified {
                None => "malformed_run",
                Some(0) => "stop_reason",
                Some(_) => "verified_claims",
            },
        });
    }

    fn malformed(&mut self, run: RunName, objective: Option<String>, malformed: Malformed) {
        let Malformed { file, reason } = malformed;
        self.report.malformed.push(|| MalformedRun {
            run: RunName {
                run_id: run.run_id.clone(),
                file,
            },
            reason,
        });
        self.report.per_run.push(RunSummary {
            run,
            objective,
            claims: None,
            verified: None,
            covered: None,
            required: None,
            found: None,
            abstained: None,
            steps: None,
            with_manifest: None,
            gates_failed: self.rules.map(|rule| rule.name).to_vec(),
        });
    }

    fn well_formed(
        &mut self,
        run: RunName,
        objective: Option<String>,
        query: Option<&Query>,
        checked: Checked,
    ) {
        let abstained = checked.abstained();
        let Checked {
            claims,
            steps,
            events_unread,
            required,
            ..
        } = checked;
        let coverage = Ratio {
            numerator: claims.covered,
            denominator: claims.verified,
        };
        let manifests = Ratio {
            numerator: steps.with_manifest,
            denominator: steps.total,
        };
        self.coverage.add(coverage);
        self.manifests.add(manifests);
        self.without_steps += u64::from(steps.total == 0);
        self.events_unread += u64::from(events_unread);
        self.repeated_steps += u64::from(steps.repeated);

        let (mut recall, mut abstention) = (Ratio::default(), Ratio::default());
        for presence in &required {
            recall.count(*presence == Presence::Usable);
        }
        if query.is_some_and(|query| !query.sufficient) {
            abstention.count(abstained);
        }
        let own = [coverage, recall, abstention, manifests];
        let failed = self.rules.iter().zip(own);
        let failed = failed.filter(|(rule, ratio)| rule.fails(*ratio));
        self.report.per_run.push(RunSummary {
            run: run.clone(),
            objective,
            claims: Some(claims.total),
            verified: Some(claims.verified),
            covered: Some(claims.covered),
            required: query.map(|_| recall.denominator),
            found: query.map(|_| recall.numerator),
            abstained: Some(abstained),
            steps: Some(steps.total),
            with_manifest: Some(steps.with_manifest),
            gates_failed: failed.map(|(rule, _)| rule.name).collect(),
        });

        let lists = &mut self.report;
        let offenders = &mut lists.offenders;
        offenders
            .claims
            .append(claims.uncovered, |claim| ClaimOffender {
                run: run.clone(),
                claim: claim.claim,
                evidence_ids: claim.cited,
                problem: claim.problem,
            });
        lists
            .unknown
            .append(claims.unknown, |(claim, evidence_id)| UnknownEvidence {
                run: run.clone(),
                claim,
                evidence_id,
            });
        offenders
            .steps
            .append(steps.bare, |(step, problem)| StepOffender {
                run: run.clone(),
                step,
                problem,
            });
        lists.strays.append(steps.strays, |file| {
            StrayManifest(RunName {
                run_id: run.run_id.clone(),
                file,
            })
        });
    }

    /// Makes the report. `names` are those of the queries' file and of the folder.
    pub(super) fn finish(
        mut self,
        names: [String; 2],
        folder: Outputs,
        strict: bool,
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
        let runs = self.report.per_run.len() as u64;
        let held = self.rules.iter().zip(metrics.named());
        let mut gates: Vec<_> = held
            .map(|(rule, (_, metric))| rule.hold(&metric.value, strict))
            .collect();
        gates.push(well_formed(self.report.malformed.total(), runs, strict));
        let gates_pass = gates.iter().all(|gate| gate.pass);
        let [golden, outputs] = names;
        let mut skipped_links = folder.links;
        skipped_links.append(self.report.links, |link| link);
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
            missing_runs: self.report.missing,
            unmatched_runs: self.report.unmatched,
            malformed_runs: self.report.malformed,
            offenders: self.report.offenders,
            unknown_evidence: self.report.unknown,
            stray_manifests: self.report.strays,
            skipped_links,
            ignored: folder.ignored,
            per_run: self.report.per_run,
            notes: Vec::new(),
        };
        notes.extend(report.shortened());
        report.notes = notes;
        report
    }

    /// Counts what queries require against what their runs found.
    fn recall(&mut self) -> Ratio {
        let mut recall = Ratio::default();
        let lists = &mut self.report;
        for (query, state) in self.queries.list.iter().zip(&self.answers) {
            if state.runs == 0 {
                lists.missing.push(|| query.name());
                if !query.sufficient {
                    self.abstention.count(false);
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
                let problem = match state.best.get(at) {
                    Some(Presence::Usable) => None,
                    Some(Presence::Unusable) => Some("unusable"),
                    Some(Presence::Missing) => Some("missing"),
                    None if state.runs > 0 => Some("malformed_run"),
                    None => Some("no_run"),
                };
                recall.count(problem.is_none());
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
            self.events_unread,
            "has steps both in its output and in events.jsonl; those of the output count",
            "have steps both in their output and in events.jsonl; those of the output count",
        );
        say(
            self.repeated_steps,
            "uses a step id more than once; each record counts as a step",
            "use a step id more than once; each record counts as a step",
        );
        let runs = &self.report.per_run;
        let mut ids: Vec<&str> = runs.iter().map(|row| row.run.run_id.as_str()).collect();
        ids.sort_unstable();
        let again = ids.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        say(
            again,
            "has the run_id of another; `file` tells them apart",
            "have the run_id of another; `file` tells them apart",
        );
        if runs.is_empty() {
            notes.push("the folder holds no runs".to_owned());
        }
        notes
    }
}

impl Answered {
    fn keep_best(&mut self, found: &[Presence]) {
        if self.best.is_empty() {
            self.best = found.to_vec();
        }
        for (best, found) in self.best.iter_mut().zip(found) {
            *best = (*best).max(*found);
        }
    }
}

impl Query {
    fn name(&self) -> QueryName {
        QueryName {
            query: self.id.clone(),
            objective: self.objective.clone(),
        }
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

/// Why no query is known for a run.
fn unmatched(answers: Answers, has_objective: bool) -> &'static str {
    match answers {
        Answers::OneOfSeveral => "several queries ask this; the run has no query_id to tell which",
        _ if has_objective => "no query asks this",
        _ => "it cannot be read what was asked",
    }
}
