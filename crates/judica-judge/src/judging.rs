//! One judge, many questions: prompts, votes and verdicts together.
//!
//! Everything before it is a part that knows nothing of the others; this is where a
//! question becomes calls, and replies become a verdict.

use std::sync::Arc;

use crate::cache::{Key, ReplyCache};
use crate::chat::{ChatReply, ChatRequest, Message};
use crate::probe::{choose_variant, variant};
use crate::prompt::{Question, Template, reply_schema};
use crate::reply::{ReadVerdict, read_verdict_on};
use crate::run::{
    Answer, Ask, Halt, HaltKind, Job, JobsFrom, Origin, RunError, RunHooks, RunOptions, Totals,
    ask_all,
};
use crate::tokens::{request_at_most, request_estimate};
use crate::votes::{Vote, majority};

/// Judges answer as nearly the same each time as they can.
pub const TEMPERATURE: f64 = 0.0;

/// How a judge is asked.
pub struct Judge<'a> {
    /// The prompt.
    pub template: &'a Template,
    /// Who answers.
    pub ask: &'a dyn Ask,
    /// What was answered before.
    pub cache: Option<&'a ReplyCache>,
    /// How many replies a verdict rests on.
    pub votes: u32,
    /// The most tokens a reply may have.
    pub max_output_tokens: u32,
    /// What the run may do.
    pub options: &'a RunOptions,
}

/// In which words a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those of the template.
    Own,
    /// Other ones, to see whether the verdict rests on the words.
    Shuffled,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// Every vote got a reply.
    Decided {
        /// What the votes come to.
        vote: Vote,
        /// The replies, in the order of the votes.
        replies: Vec<Ballot>,
    },
    /// A vote got no reply, and why. Those that did are kept for the next time.
    Failed(String),
    /// The run ended before all votes were asked.
    NotAsked(HaltKind),
}

/// One vote.
#[derive(Debug, Clone, PartialEq)]
pub struct Ballot {
    /// What it says.
    pub verdict: ReadVerdict,
    /// The reply behind it.
    pub reply: ChatReply,
    /// Where that came from.
    pub origin: Origin,
}

/// What a judge made of its questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// One for each question, in their order.
    pub judgements: Vec<Judgement>,
    /// How they came about, counted in calls.
    pub totals: Totals,
    /// What ended the run before all was asked.
    pub halt: Option<Halt>,
}

/// What judging would take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Forecast {
    /// Replies that are needed: questions times votes.
    pub replies: u64,
    /// Those that the cache has.
    pub from_cache: u64,
    /// Those that must be asked for. Equal questions are asked once, so it may be fewer.
    pub calls: u64,
    /// About how many tokens the calls' questions are.
    pub input_tokens_estimate: u64,
    /// How many they are at most.
    pub input_tokens_at_most: u64,
    /// How many tokens the replies are at most.
    pub output_tokens_at_most: u64,
}

impl Judge<'_> {
    /// Judges questions.
    ///
    /// # Errors
    /// Nothing was asked: the options contradict each other, or the cache cannot be read.
    pub fn judge(
        &self,
        questions: &[Question],
        words: Words,
        hooks: &RunHooks,
    ) -> Result<Judged, RunError> {
        let votes = self.votes as usize;
        let prompt_hash: Arc<str> = self.template.hash().into();
        let jobs = JobsFrom {
            len: questions.len() * votes,
            make: |number: usize| Job {
                request: self.request(&questions[number / votes], words, number % votes),
                vote: (number % votes) as u32,
                prompt_hash: prompt_hash.clone(),
            },
        };
        let outcome = ask_all(&jobs, self.ask, self.cache, self.options, hooks)?;
        let mut answers = outcome.answers.into_iter();
        let judgements = questions
            .iter()
            .map(|question| judgement(question, answers.by_ref().take(votes)))
            .collect();
        Ok(Judged {
            judgements,
            totals: outcome.totals,
            halt: outcome.halt,
        })
    }

    /// What judging would take, without asking anybody.
    ///
    /// # Errors
    /// The cache cannot be read.
    pub fn forecast(&self, questions: &[Question], words: Words) -> Result<Forecast, RunError> {
        let mut forecast = Forecast::default();
        for question in questions {
            for vote in 0..self.votes {
                let request = self.request(question, words, vote as usize);
                forecast.replies += 1;
                if let Some(cache) = self.cache {
                    let key = Key::of(self.ask.identity(), &request, vote);
                    if cache.get(&key)?.is_some() {
                        forecast.from_cache += 1;
                        continue;
                    }
                }
                let most = request_at_most(&request);
                forecast.calls += 1;
                forecast.input_tokens_estimate += request_estimate(&request).input;
                forecast.input_tokens_at_most += most.input;
                forecast.output_tokens_at_most += most.output.unwrap_or(0);
            }
        }
        Ok(forecast)
    }

    fn request(&self, question: &Question, words: Words, vote: usize) -> ChatRequest {
        ChatRequest {
            messages: self.messages(question, words),
            temperature: TEMPERATURE,
            max_output_tokens: Some(self.max_output_tokens),
            // At temperature 0 only the seed can make votes differ.
            seed: Some(vote as u64),
            schema: Some(reply_schema()),
        }
    }

    fn messages(&self, question: &Question, words: Words) -> Vec<Message> {
        match words {
            Words::Own => self.template.messages(question),
            Words::Shuffled => variant(self.template, question, choose_variant(question)),
        }
    }
}

/// What the answers to the votes on one question come to.
pub fn judgement(question: &Question, answers: impl Iterator<Item = Answer>) -> Judgement {
    let mut replies = Vec::new();
    let mut failed = None;
    let mut not_asked = None;
    for answer in answers {
        match answer {
            Answer::Reply { reply, origin } => replies.push(Ballot {
                verdict: read_verdict_on(&reply, question),
                reply,
                origin,
            }),
            Answer::Failed(error) => failed = failed.or(Some(error.to_string())),
            Answer::NotAsked(why) => not_asked = not_asked.or(Some(why)),
        }
    }
    match (not_asked, failed) {
        (Some(why), _) => Judgement::NotAsked(why),
        (None, Some(error)) => Judgement::Failed(error),
        (None, None) => {
            let verdicts: Vec<ReadVerdict> = replies.iter().map(|b| b.verdict.clone()).collect();
            Judgement::Decided {
                vote: majority(&verdicts),
                replies,
            }
        }
    }
}
