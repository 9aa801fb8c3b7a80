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
//!    (`"correct": …`): see `stray.rs` and `prose.rs`. No further object may be begun.
//! 4. Where there is no such object, the same may be said without braces
//!    (`correct = 'yes'`) or in a line (`Correct: yes`).
//!
//! Objects may be spelt otherwise than JSON has it, as long as they mean one thing. What
//! was read only by such tolerance is `repaired`.
//!
//! Objects inside of objects or lists are not statements. Containers may be nested 128
//! deep, and the search takes time linear in the length of the text, whatever is in it.
//!
//! * `thinking`: what to leave out
//! * `objects`: the objects in a text
//! * `near`: objects that are almost JSON
//! * `lines`: verdicts without an object
//! * `quoted`: what the question says of verdicts
//! * `stray`, `prose`: what contradicts a verdict
//! * `words`: yes and no

use std::cell::LazyCell;

pub use judica_model::reply::ParseStatus;
use serde::{Deserialize, Serialize};

use crate::chat::{ChatReply, Finish};
use crate::prompt::Question;

mod lines;
mod near;
mod objects;
mod prose;
mod quoted;
mod stray;
mod thinking;
mod words;

use objects::{Object, Tangled};
use quoted::Quotable;
use words::Said;

/// A reply with more statements than this is noise.
const MAX_STATEMENTS: usize = 32;
/// Characters of a reply that are shown in a message.
const SHOWN: usize = 80;

/// What one reply comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadVerdict {
    /// Whether the prediction was found correct; false unless the reply was read.
    pub correct: bool,
    /// Why, in the judge's words; else what was wrong with the reply.
    pub reasoning: String,
    /// What became of the reply.
    pub status: ParseStatus,
    /// What was wrong with the reply, if anything.
    pub problem: Option<String>,
}

impl ReadVerdict {
    /// The verdict, if the reply could be read.
    pub fn readable(&self) -> Option<bool> {
        self.status.is_read().then_some(self.correct)
    }

    fn read(reading: Reading) -> Self {
        ReadVerdict {
            correct: reading.correct,
            reasoning: reading.reasoning,
            status: match reading.repaired {
                true => ParseStatus::Repaired,
                false => ParseStatus::Ok,
            },
            problem: None,
        }
    }

    fn invalid(problem: String) -> Self {
        ReadVerdict {
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
        ReadVerdict {
            correct: false,
            reasoning: format!("The model declined to judge: {problem}."),
            status: ParseStatus::Refused,
            problem: Some(problem),
        }
    }
}

/// A reply that was read.
struct Reading {
    correct: bool,
    reasoning: String,
    /// Whether it had another form than was asked for.
    repaired: bool,
}

/// Reads a reply without knowing what was asked. Where the question is known,
/// [`read_verdict_on`] is the safer choice.
pub fn read_verdict(reply: &ChatReply) -> ReadVerdict {
    read(reply, &[])
}

/// Reads the reply to a question. An object that stands in the question, however spelt, is
/// a quotation, not a verdict, unless it is all that was replied.
pub fn read_verdict_on(reply: &ChatReply, question: &Question) -> ReadVerdict {
    let Question {
        input,
        gold,
        prediction,
    } = *question;
    read(reply, &[prediction, gold, input])
}

fn read(reply: &ChatReply, question: &[&str]) -> ReadVerdict {
    match reply.finish {
        Finish::Refused => return ReadVerdict::refused(&reply.text),
        Finish::Unreadable => {
            let words = shown(reply.text.trim());
            return ReadVerdict::invalid(format!("the server sent no chat reply but {words}"));
        }
        Finish::Complete | Finish::Length | Finish::Other => {}
    }
    let cut = reply.finish == Finish::Length;
    match decide(&reply.text, question, cut) {
        Ok(reading) => ReadVerdict::read(reading),
        Err(problem) if cut => {
            ReadVerdict::invalid(format!("{problem}; the token limit cut it short"))
        }
        Err(problem) => ReadVerdict::invalid(problem),
    }
}

/// The verdict and its reasoning, or why there is none.
fn decide(text: &str, question: &[&str], cut: bool) -> Result<Reading, String> {
    let Some(answer) = thinking::left_out(text) else {
        return Err("it ends while still thinking".to_owned());
    };
    let answer = answer.trim();
    let unlabelled = lines::unlabelled(answer);
    let labelled = unlabelled.is_some();
    let answer = unlabelled.unwrap_or(answer);
    if answer.is_empty() {
        return Err("it is empty".to_owned());
    }
    // Models write line breaks into strings, which JSON forbids. A blank in place of each
    // control character changes nothing in JSON that is right, and moves nothing in any.
    let text = answer.replace(|c: char| c < ' ', " ");
    let mut reading = match objects::whole(&text) {
        Some(object) => verdict_of(object)?,
        None => embedded(&text, answer, question, cut)?,
    };
    reading.repaired |= labelled;
    Ok(reading)
}

/// What an object comes to that is all there is.
fn verdict_of(object: Object) -> Result<Reading, String> {
    match &object.correct {
        Some(said) => Ok(Reading {
            correct: said.verdict()?,
            reasoning: object.reasoning,
            repaired: object.repaired,
        }),
        None => Err("its object has no `correct`".to_owned()),
    }
}

/// What the objects in a longer text come to. `answer` is the same text with its control
/// characters.
fn embedded(text: &str, answer: &str, question: &[&str], cut: bool) -> Result<Reading, String> {
    let mut found = 0;
    let mut quotations = 0;
    let mut outside = String::new();
    let mut outside_from = 0;
    let mut first: Option<Reading> = None;
    let quotable = LazyCell::new(|| Quotable::new(question));
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
        if quotable.holds(&object, said, &answer[start..end]) {
            quotations += 1;
            continue;
        }
        let reading = verdict_of(object)?;
        match &first {
            None => first = Some(reading),
            Some(before) if before.correct == reading.correct => {}
            Some(_) => return Err("it says both yes and no".to_owned()),
        }
    }
    let behind = &answer[outside_from..];
    outside.push_str(behind);
    match first {
        Some(_) if begins_object(behind) => {
            Err("it begins another object and breaks off".to_owned())
        }
        Some(Reading { correct, .. })
            if stray::contradicts(&outside, correct)
                || lines::contradict(&outside, correct)
                || prose::contradicts(&outside, correct, false)
                || prose::contradicts(behind, correct, true) =>
        {
            Err(format!(
                "its object says {}, the text around it something else",
                if correct { "yes" } else { "no" }
            ))
        }
        Some(reading) => Ok(reading),
        None if quotations > 0 => {
            Err("the only verdict in it is a quotation from the question".to_owned())
        }
        None => match without_object(&outside, question, cut)? {
            // A yes that was found in what is quoted must not pass over the no around it.
            Some(reading) if reading.correct && stray::contradicts(&outside, true) => {
                Err("it says both yes and no".to_owned())
            }
            Some(reading) => Ok(reading),
            None => {
                let what = match objects::any_inside(text) {
                    true => "its `correct` stands inside of a list or another object:",
                    false => "no JSON object with a `correct` in",
                };
                Err(format!("{what} {}", shown(answer)))
            }
        },
    }
}

/// Whether a text ends within an object. What that would have said nobody knows.
fn begins_object(text: &str) -> bool {
    let last = text.rsplit_once('{').map(|(_, last)| last);
    last.is_some_and(|last| last.trim_start().starts_with(stray::QUOTES) && !last.contains('}'))
}

/// What a text without objects comes to. Of one that was cut short nobody knows how its
/// last line would have gone on.
fn without_object(text: &str, question: &[&str], cut: bool) -> Result<Option<Reading>, String> {
    if cut {
        return Ok(None);
    }
    let braced = format!("{{{}}}", text.replace(|c: char| c < ' ', " "));
    match objects::whole(&braced) {
        Some(object) if object.correct.is_some() => {
            let repaired = true;
            verdict_of(Object { repaired, ..object }).map(Some)
        }
        _ => lines::read(text, question),
    }
}

/// The beginning of a text, quoted, on one line.
fn shown(text: &str) -> String {
    judica_model::text::quoted(text, SHOWN)
}

#[cfg(test)]
mod tests;
