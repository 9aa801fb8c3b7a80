//! What is known already, what is the same, and what remains to be asked.

use std::collections::HashMap;

use judica_data::parallel::parallel_map;

use super::ask::Jobs;
use super::error::RunError;
use super::options::{RunHooks, RunOptions};
use crate::cache::{Key, ReplyCache};
use crate::chat::ChatReply;

/// Jobs prepared or looked up between two looks at the stop flag.
const AT_ONCE: usize = 1024;

/// The plan of a run.
pub(super) struct Plan {
    /// The key of each job.
    pub keys: Vec<Key>,
    /// For each job, where its answer comes from.
    pub sources: Vec<Source>,
    /// The jobs to be asked, in order.
    pub calls: Vec<PlannedCall>,
}

/// Where an answer comes from.
pub(super) enum Source {
    /// It is in the cache.
    Cache(ChatReply),
    /// It is asked for by the call with this number, which is for this job or for an
    /// earlier one that is equal.
    Call(usize),
}

/// A job that is asked.
pub(super) struct PlannedCall {
    /// The number of the job.
    pub job: usize,
    /// How many later jobs share the answer.
    pub shared_by: u64,
}

impl Plan {
    /// Makes the plan; `None` if the user stops it.
    pub fn make(
        jobs: &dyn Jobs,
        endpoint: &str,
        cache: Option<&ReplyCache>,
        options: &RunOptions,
        hooks: &RunHooks<'_>,
    ) -> Result<Option<Plan>, RunError> {
        let Some(questions) = questions(jobs, endpoint, options, hooks) else {
            return Ok(None);
        };
        let mut sources = Vec::with_capacity(questions.len());
        let mut calls: Vec<PlannedCall> = Vec::new();
        let mut call_of: HashMap<Key, usize> = HashMap::new();
        let needs_limit =
            options.max_usd.is_some() && options.price.is_some_and(|p| p.output_per_1k > 0.0);
        for chunk in questions.chunks(AT_ONCE) {
            if hooks.stop.is_stopped() {
                return Ok(None);
            }
            let keys: Vec<Key> = chunk.iter().map(|question| question.key).collect();
            let known = match cache {
                Some(cache) => cache.get_many(&keys)?,
                None => vec![None; keys.len()],
            };
            for (question, known) in chunk.iter().zip(known) {
                let job = sources.len();
                let known = known.filter(|reply| hooks.reuse.is_none_or(|reuse| reuse(reply)));
                let source = match known {
                    Some(reply) => Source::Cache(reply),
                    None if needs_limit && !question.limited => {
                        return Err(RunError::NoOutputLimit { number: job });
                    }
                    None => {
                        let call = *call_of.entry(question.key).or_insert(calls.len());
                        match calls.get_mut(call) {
                            Some(equal) => equal.shared_by += 1,
                            None => calls.push(PlannedCall { job, shared_by: 0 }),
                        }
                        Source::Call(call)
                    }
                };
                sources.push(source);
            }
        }
        Ok(Some(Plan {
            keys: questions.into_iter().map(|question| question.key).collect(),
            sources,
            calls,
        }))
    }
}

/// What the plan needs to know of a job.
struct Question {
    key: Key,
    /// Whether its answer has a limit.
    limited: bool,
}

/// Makes every job once, on several threads; `None` if the user stops it.
fn questions(
    jobs: &dyn Jobs,
    endpoint: &str,
    options: &RunOptions,
    hooks: &RunHooks<'_>,
) -> Option<Vec<Question>> {
    let starts: Vec<usize> = (0..jobs.len()).step_by(AT_ONCE).collect();
    let stop = hooks.stop;
    let chunks = parallel_map(&starts, options.threads.get(), |start| {
        if stop.is_stopped() {
            return None;
        }
        let end = jobs.len().min(start + AT_ONCE);
        let questions = (*start..end).map(|number| {
            let job = jobs.job(number);
            Question {
                key: Key::of(endpoint, &job.request, job.vote),
                limited: job.request.max_output_tokens.is_some(),
            }
        });
        Some(questions.collect::<Vec<_>>())
    });
    let chunks: Option<Vec<Vec<Question>>> = chunks.into_iter().collect();
    Some(chunks?.into_iter().flatten().collect())
}
