//! All runs together: added one after the other, in the order of their names.
//! What they add up to becomes the report in [`finish`](super::finish).

use super::GoldenThresholds;
use super::capped::Capped;
use super::evidence::Presence;
use super::metrics::{Counted, Item, Ratio, Rule, rules};
use super::queries::{Answers, Queries, Query};
use super::report::{
    AbstentionOffender, ClaimOffender, MalformedRun, Offenders, QueryName, RunName, RunSummary,
    StepOffender, StrayManifest, UnknownEvidence, UnmatchedRun,
};
use super::run::{Checked, Malformed, Outcome};

/// What the runs so far add up to.
pub(super) struct Tally<'q> {
    pub(super) queries: &'q Queries,
    pub(super) rules: [Rule; 4],
    pub(super) coverage: Counted,
    pub(super) abstention: Counted,
    pub(super) manifests: Counted,
    pub(super) answers: Vec<Answered>,
    pub(super) without_steps: u64,
    pub(super) steps_twice: u64,
    pub(super) repeated_steps: u64,
    /// Files that were taken for an output under another name.
    pub(super) renamed: Capped<String>,
    pub(super) lists: Lists,
}

/// What the runs of one query have found.
#[derive(Clone, Default)]
pub(super) struct Answered {
    pub(super) runs: u64,
    pub(super) readable: u64,
    /// The best that any run has of each required record; empty before the first.
    pub(super) best: Vec<Presence>,
}

/// The lists of the report that grow with each run.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) missing: Capped<QueryName>,
    pub(super) unmatched: Capped<UnmatchedRun>,
    pub(super) malformed: Capped<MalformedRun>,
    pub(super) offenders: Offenders,
    pub(super) unknown: Capped<UnknownEvidence>,
    pub(super) strays: Capped<StrayManifest>,
    pub(super) links: Capped<String>,
    pub(super) per_run: Vec<RunSummary>,
}

impl<'q> Tally<'q> {
    /// Nothing yet.
    pub(super) fn new(queries: &'q Queries, thresholds: GoldenThresholds) -> Self {
        Tally {
            queries,
            rules: rules(thresholds),
            coverage: Counted::default(),
            abstention: Counted::default(),
            manifests: Counted::default(),
            answers: vec![Answered::default(); queries.list.len()],
            without_steps: 0,
            steps_twice: 0,
            repeated_steps: 0,
            renamed: Capped::default(),
            lists: Lists::default(),
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
            renamed,
            checked,
            ..
        } = outcome;
        if renamed {
            self.renamed.push(|| file.clone());
        }
        let item = Item::of(answers, &run_id);
        let run = RunName { run_id, file };
        self.lists.links.append(links, |link| link);
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
                if let Some(objective) = &objective {
                    self.lists.unmatched.push(|| UnmatchedRun {
                        run: run.clone(),
                        objective: objective.clone(),
                        reason: unmatched(answers),
                    });
                }
                None
            }
        };
        if let Some(query) = query.filter(|query| !query.sufficient) {
            self.abstention(query, &item, &run, checked.as_ref().ok());
        }
        match checked {
            Ok(checked) => self.well_formed(run, objective, (&item, query), checked),
            Err(malformed) => self.malformed(run, objective, malformed),
        }
    }

    fn abstention(&mut self, query: &Query, item: &Item, run: &RunName, checked: Option<&Checked>) {
        let abstained = checked.is_some_and(Checked::abstained);
        self.abstention.count(item, abstained);
        if abstained {
            return;
        }
        let verified = checked.map(|checked| checked.claims.verified);
        let offenders = &mut self.lists.offenders.abstentions;
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
        self.lists.malformed.push(|| MalformedRun {
            run: RunName {
                run_id: run.run_id.clone(),
                file,
            },
            reason,
        });
        self.lists.per_run.push(RunSummary {
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
        (item, query): (&Item, Option<&Query>),
        checked: Checked,
    ) {
        let abstained = checked.abstained();
        let Checked {
            claims,
            steps,
            steps_twice,
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
        self.coverage.add(item, coverage);
        self.manifests.add(item, manifests);
        self.without_steps += u64::from(steps.total == 0);
        self.steps_twice += u64::from(steps_twice);
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
        self.lists.per_run.push(RunSummary {
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

        let lists = &mut self.lists;
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
}

impl Answered {
    /// What is wrong with a required record, if anything is.
    pub(super) fn problem(&self, at: usize) -> Option<&'static str> {
        match self.best.get(at) {
            Some(Presence::Usable) => None,
            Some(Presence::Unusable) => Some("unusable"),
            Some(Presence::Missing) => Some("missing"),
            None if self.runs > 0 => Some("malformed_run"),
            None => Some("no_run"),
        }
    }

    pub(super) fn keep_best(&mut self, found: &[Presence]) {
        if self.best.is_empty() {
            self.best = found.to_vec();
        }
        for (best, found) in self.best.iter_mut().zip(found) {
            *best = (*best).max(*found);
        }
    }
}

impl Query {
    /// Its name in the report.
    pub(super) fn name(&self) -> QueryName {
        QueryName {
            query: self.id.clone(),
            objective: self.objective.clone(),
        }
    }
}

/// Why no query is known for a run whose objective is.
fn unmatched(answers: Answers) -> &'static str {
    match answers {
        Answers::OneOfSeveral => "several queries ask this; the run has no query_id to tell which",
        _ => "no query asks this",
    }
}
