//! What a judge said.
//!
//! A judge is asked for one JSON object and mostly gives one. Some wrap it in prose, think
//! aloud first, or write two; some quote the prediction, which may itself hold an object
//! that looks like a verdict. The reader is tolerant of form and strict about meaning: what
//! can be read in two ways is not read at all. A reply that is not read is `no`, its status
//! says so, and it is counted; it is never silently a verdict.
//!
//! In order:
//! 1. Thinking in front of the answer (`<think>…</think>`) is left out.
//! 2. If all the rest is one object, that is the verdict.
//! 3. Else every object in the text that has a `correct` is a statement, unless it is a
//!    quotation from the question or repeats the form of the reply. All statements must say
//!    the same, and so must what is said outside of objects in so many words
//!    (`"correct": …`): see `stray.rs`.
//!
//! Objects inside of objects or lists are not statements. Containers may be nested 128
//! deep, and the search takes time linear in the length of the text, whatever is in it.
//!
//! * `thinking`: what to leave out
//! * `objects`: the objects in a text
//! * `stray`: verdicts outside of objects
//! * `words`: yes and no

use serde::{Deserialize, Serialize};

use crate::chat::{ChatReply, Finish};
use crate::prompt::Question;

mod objects;
mod stray;
mod thinking;
mod words;

use objects::{Object, Tangled};
use words::Said;

/// A reply with more statements than this is noise.
const MAX_STATEMENTS: usize = 32;
/// Characters of a reply that are shown in a message.
const SHOWN: usize = 80;

/// What became of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseStatus {
    /// It says yes or no.
    Ok,
    /// It could not be read, and `no` stands in for it.
    Invalid,
    /// The model or its provider declined, and `no` stands in for it.
    Refused,
}

impl ParseStatus {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            ParseStatus::Ok => "ok",
            ParseStatus::Invalid => "invalid",
            ParseStatus::Refused => "refused",
        }
    }
}

/// What one reply comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the prediction was found correct; false unless the status is ok.
    pub correct: bool,
    /// Why, in the judge's words; else what was wrong with the reply.
    pub reasoning: String,
    /// What became of the reply.
    pub status: ParseStatus,
    /// What was wrong with the reply, if anything.
    pub problem: Option<String>,
}

impl Verdict {
    /// The verdict, if the reply could be read.
    pub fn readable(&self) -> Option<bool> {
        (self.status == ParseStatus::Ok).then_some(self.correct)
    }

    fn read(correct: bool, reasoning: String) -> Self {
        Verdict {
            correct,
            reasoning,
            status: ParseStatus::Ok,
            problem: None,
        }
    }

    fn invalid(problem: String) -> Self {
        Verdict {
            correct: false,
            reasoning: format!("The reply could not be read: {problem}."),
            status: ParseStatus::Invalid,
            problem: Some(problem),
        }
    }

    fn refused(words: &str) -> Self {
        let problem = match words.trim() {
            "" => "no reason was given".to_owned(),
            words => format!("it said {}", shown(words)),
        };
        Verdict {
            correct: false,
            reasoning: format!("The model declined to judge: {problem}."),
            status: ParseStatus::Refused,
            problem: Some(problem),
        }
    }
}

/// Reads a reply without knowing what was asked. Where the question is known,
/// [`read_verdict_on`] is the safer choice.
pub fn read_verdict(reply: &ChatReply) -> Verdict {
    read(reply, &[])
}

/// Reads the reply to a question. An object that stands word for word in the question is a
/// quotation, not a verdict, unless it is all that was replied.
pub fn read_verdict_on(reply: &ChatReply, question: &Question) -> Verdict {
    let Question {
        input,
        gold,
        prediction,
    } = *question;
    read(reply, &[prediction, gold, input])
}

fn read(reply: &ChatReply, question: &[&str]) -> Verdict {
    match reply.finish {
        Finish::Refused => return Verdict::refused(&reply.text),
        Finish::Unreadable => {
            let words = shown(reply.text.trim());
            return Verdict::invalid(format!("the server sent no chat reply but {words}"));
        }
        Finish::Complete | Finish::Length | Finish::Other => {}
    }
    match decide(&reply.text, question) {
        Ok((correct, reasoning)) => Verdict::read(correct, reasoning),
        Err(problem) if reply.finish == Finish::Length => {
            Verdict::invalid(format!("{problem}; the token limit cut it short"))
        }
        Err(problem) => Verdict::invalid(problem),
    }
}

/// The verdict and its reasoning, or why there is none.
fn decide(text: &str, question: &[&str]) -> Result<(bool, String), String> {
    let Some(answer) = thinking::left_out(text) else {
        return Err("it ends while still thinking".to_owned());
    };
    let answer = answer.trim();
    if answer.is_empty() {
        return Err("it is empty".to_owned());
    }
    // Models write line breaks into strings, which JSON forbids. A blank in place of each
    // control character changes nothing in JSON that is right, and moves nothing in any.
    let text = answer.replace(|c: char| c < ' ', " ");
    if let Some(object) = objects::whole(&text) {
        let correct = match &object.correct {
            Some(said) => said.verdict()?,
            None => return Err("its object has no `correct`".to_owned()),
        };
        return Ok((correct, object.reasoning));
    }
    embedded(&text, answer, question)
}

/// What the objects in a longer text come to. `answer` is the same text with its control
/// characters.
fn embedded(text: &str, answer: &str, question: &[&str]) -> Result<(bool, String), String> {
    let mut found = 0;
    let mut quotations = 0;
    let mut outside = String::new();
    let mut outside_from = 0;
    let mut first: Option<(bool, Object)> = None;
    for object in objects::each(text) {
        let object = object.map_err(|Tangled| "its brackets are too tangled".to_owned())?;
        let Some(said) = &object.correct else {
            continue;
        };
        found += 1;
        if found > MAX_STATEMENTS {
            return Err(format!(
                "more than {MAX_STATEMENTS} objects with a `correct`"
            ));
        }
        let (start, end) = (object.span.start, object.span.end);
        outside.push_str(&answer[outside_from..start]);
        outside.push('\n');
        outside_from = end;
        if *said == Said::Form {
            continue;
        }
        if question
            .iter()
            .any(|text| text.contains(&answer[start..end]))
        {
            quotations += 1;
            continue;
        }
        let correct = said.verdict()?;
        match &first {
            None => first = Some((correct, object)),
            Some((before, _)) if *before == correct => {}
            Some(_) => return Err("it says both yes and no".to_owned()),
        }
    }
    outside.push_str(&answer[outside_from..]);
    match first {
        Some((correct, _)) if stray::contradicts(&outside, correct) => Err(format!(
            "its object says {}, the text around it something else",
            if correct { "yes" } else { "no" }
        )),
        Some((correct, object)) => Ok((correct, object.reasoning)),
        None if quotations > 0 => {
            Err("the only verdict in it is a quotation from the question".to_owned())
        }
        None => Err(format!(
            "no JSON object with a `correct` in {}",
            shown(answer)
        )),
    }
}

/// The beginning of a text, quoted, on one line.
fn shown(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(SHOWN).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("{start:?}{more}")
}

#[cfg(test)]
mod tests;
