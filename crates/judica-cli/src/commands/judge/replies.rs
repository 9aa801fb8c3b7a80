//! `replies.jsonl`: the replies that a run was made of, in the order in which they are
//! needed, so that it can be made again without asking anybody.

use std::borrow::Cow;
use std::path::Path;

use judica_answer::predictions::Called;
use judica_data::work_error::WorkError;
use judica_judge::chat::ChatReply;
use judica_judge::judging::{Ballot, Judgement, judgement};
use judica_judge::run::{Answer, Origin};
use judica_run::manifest::read_plain;
use serde::{Deserialize, Serialize};

use super::datasets::{Dataset, questions};
use super::records::Heard;
use super::setting::Setting;

/// What the file is called in a run.
pub const REPLIES: &str = "replies.jsonl";

/// One line.
#[derive(Serialize, Deserialize)]
struct Line<'l> {
    judge: Cow<'l, str>,
    dataset: Cow<'l, str>,
    item: Cow<'l, str>,
    subject: Cow<'l, str>,
    epoch: i32,
    /// What came back, and from where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<(Origin, Cow<'l, ChatReply>)>,
    /// Why nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    no_reply: Option<Cow<'l, str>>,
}

impl Line<'_> {
    fn is_about(&self, judge: &str, called: &Called) -> bool {
        let ours = [&self.judge, &self.dataset, &self.item, &self.subject];
        let theirs = [judge, &called.dataset, &called.item(), &called.subject];
        ours.iter().zip(theirs).all(|(our, their)| *our == their) && self.epoch == called.epoch
    }
}

/// The file of a run: for each judge, data set and row that was asked about, what came back.
pub fn write(setting: &Setting, datasets: &[Dataset], heard: &Heard) -> Vec<u8> {
    let mut out = Vec::new();
    for ((_, judge), judged) in setting.judges.iter().zip(heard) {
        for (dataset, judgements) in datasets.iter().zip(judged) {
            let judgements = judgements.iter().flatten();
            for (row, judgement) in dataset.undecided().zip(judgements) {
                let called = &dataset.predictions.rows[row].called;
                let mut tell = |reply, no_reply| {
                    let line = Line {
                        judge: Cow::Borrowed(judge),
                        dataset: Cow::Borrowed(&called.dataset),
                        item: called.item(),
                        subject: Cow::Borrowed(&called.subject),
                        epoch: called.epoch,
                        reply,
                        no_reply,
                    };
                    out.extend(serde_json::to_vec(&line).unwrap_or_default());
                    out.push(b'\n');
                };
                match judgement {
                    Judgement::Decided { replies, .. } => {
                        for Ballot { reply, origin, .. } in replies {
                            tell(Some((*origin, Cow::Borrowed(reply))), None);
                        }
                    }
                    Judgement::Failed(why) => tell(None, Some(Cow::Borrowed(why.as_str()))),
                    // A run that ended early is not left.
                    Judgement::NotAsked(_) => {}
                }
            }
        }
    }
    out
}

/// The replies of a run, to be heard again in their order.
pub struct Replies {
    lines: std::vec::IntoIter<Line<'static>>,
    file: String,
}

impl Replies {
    /// Those of a file; none if there is none.
    pub fn read(path: Option<&Path>) -> Result<Self, WorkError> {
        let mut lines = Vec::new();
        if let Some(path) = path {
            for (number, line) in (1..).zip(read_plain(path)?.split(|byte| *byte == b'\n')) {
                if !line.is_empty() {
                    lines.push(serde_json::from_slice(line).map_err(|error| {
                        WorkError::BadArtifact(format!("{}:{number}: {error}", path.display()))
                    })?);
                }
            }
        }
        Ok(Replies {
            lines: lines.into_iter(),
            file: path.map_or_else(|| REPLIES.to_owned(), |path| path.display().to_string()),
        })
    }

    /// What a judge said of a data set.
    pub fn judgements(
        &mut self,
        judge: &str,
        dataset: &Dataset,
        votes: u32,
    ) -> Result<Vec<Judgement>, WorkError> {
        let gold = dataset.gold();
        let questions = questions(dataset, &gold, None);
        let asked = dataset.undecided().zip(&questions);
        asked
            .map(|(row, question)| {
                let called = &dataset.predictions.rows[row].called;
                let mut replies = Vec::new();
                for _ in 0..votes {
                    let Line {
                        reply, no_reply, ..
                    } = self.next(judge, called)?;
                    let Some((origin, reply)) = reply else {
                        let why = no_reply.unwrap_or_default();
                        return Ok(Judgement::Failed(why.into_owned()));
                    };
                    let reply = reply.into_owned();
                    replies.push(Answer::Reply { reply, origin });
                }
                Ok(judgement(question, replies.into_iter()))
            })
            .collect()
    }

    fn next(&mut self, judge: &str, called: &Called) -> Result<Line<'static>, WorkError> {
        let line = self.lines.next();
        let line = line.filter(|line| line.is_about(judge, called));
        line.ok_or_else(|| {
            WorkError::BadArtifact(format!(
                "{}: the reply of {judge} on {} of {} is not where it should be",
                self.file,
                called.item(),
                called.dataset
            ))
        })
    }
}
