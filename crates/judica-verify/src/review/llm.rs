//! The LLM-based agent: the rules decided, and a language model reviews.

use judica_model::record::Record;

use super::ask::{AskModel, Reply};
use super::options::{ReviewOptions, ReviewRecords};
use super::prompt::Prompt;
use super::{Review, ReviewStatus, Reviewed, citations, reply};
use crate::protocol::Protocol;

/// The temperature that models are asked at.
pub const TEMPERATURE: f64 = 0.0;

/// Has a model review records that the protocol's rules have decided.
pub struct LlmAgent<'a> {
    prompt: Prompt,
    ask: &'a dyn AskModel,
}

impl<'a> LlmAgent<'a> {
    /// An agent for the records of one protocol.
    pub fn new(protocol: &Protocol, ask: &'a dyn AskModel) -> Self {
        LlmAgent {
            prompt: Prompt::new(protocol),
            ask,
        }
    }

    /// What a manifest records of it.
    pub fn options(&self, records: ReviewRecords, limit: u64) -> ReviewOptions {
        ReviewOptions {
            model: self.ask.model().to_owned(),
            asked: self.ask.identity().to_owned(),
            prompt_version: self.prompt.version().to_owned(),
            prompt_hash: self.prompt.hash().to_owned(),
            records,
            limit,
        }
    }

    /// What it has to say about finished records, in their order. Their decisions and scores
    /// stand already, and nothing said here changes them.
    pub fn review(&self, records: &[Record]) -> Reviewed {
        let questions: Vec<_> = records.iter().map(|r| self.prompt.question(r)).collect();
        let asked = self.ask.ask(&questions, &self.prompt.form());
        // A missing reply is one that was not asked for.
        let replies = asked.replies.into_iter();
        let replies = replies.chain(std::iter::repeat(Reply::NotAsked));
        let reviews: Vec<Review> = records
            .iter()
            .zip(replies)
            .filter_map(|(record, reply)| self.review_of(record, reply))
            .collect();
        Reviewed {
            not_asked: (records.len() - reviews.len()) as u64,
            reviews,
            halt: asked.halt,
        }
    }

    /// The review of a record, if it was asked about.
    fn review_of(&self, record: &Record, reply: Reply) -> Option<Review> {
        let mut review = Review {
            sample_id: record.sample_id.clone(),
            model_name: record.model_name.clone(),
            task_id: record.task_id.clone(),
            epoch: record.epoch,
            adjudication: record.agent_output.adjudication,
            status: ReviewStatus::Accepted,
            problem: None,
            adjudication_stated: None,
            agrees_with_rules: None,
            checklist: Vec::new(),
            narrative: None,
            attribution: Vec::new(),
            raw_reply: None,
            reviewer: self.ask.model().to_owned(),
            prompt_hash: self.prompt.hash().to_owned(),
        };
        let (status, problem) = match reply {
            Reply::NotAsked => return None,
            Reply::Failed(why) => (ReviewStatus::Error, why),
            Reply::Declined(said) => {
                let problem = "the model or its provider declined to answer".to_owned();
                review.raw_reply = Some(said);
                (ReviewStatus::Declined, problem)
            }
            Reply::Unreadable(said) => {
                let problem = "the server's answer is no reply of a model".to_owned();
                review.raw_reply = Some(said);
                (ReviewStatus::Unreadable, problem)
            }
            Reply::Said { text, cut } => match self.hold_against(record, &text, &mut review) {
                Ok(()) => return Some(review),
                Err((status, problem)) => {
                    review.raw_reply = Some(text);
                    let cut_short = cut && status == ReviewStatus::Unreadable;
                    let limit = "; it was cut short by the limit on output tokens";
                    (status, problem + if cut_short { limit } else { "" })
                }
            },
        };
        review.status = status;
        review.problem = Some(problem);
        Some(review)
    }

    /// Fills in what a reply says, if the record bears it out.
    fn hold_against(
        &self,
        record: &Record,
        text: &str,
        review: &mut Review,
    ) -> Result<(), (ReviewStatus, String)> {
        let said = reply::read(text).map_err(|problem| (ReviewStatus::Unreadable, problem))?;
        let stated = said.adjudication.0;
        review.adjudication_stated = Some(stated);
        review.agrees_with_rules = Some(stated == review.adjudication);
        let checked = citations::check(&said, record, self.prompt.deciding())
            .map_err(|problem| (ReviewStatus::Refused, problem))?;
        review.checklist = checked.checklist;
        review.attribution = checked.attribution;
        review.narrative = Some(said.narrative.trim().to_owned());
        Ok(())
    }
}

#[cfg(test)]
#[path = "llm_tests.rs"]
mod tests;
