//! Verdicts without an object: `Correct: yes`.
//!
//! A line is a weaker sign than an object, since a judge that explains itself in prose may
//! quote one. So such a line must stand where a verdict stands: before all else or after all
//! else, at most with its reasoning around it, and not in the middle of a sentence. All such
//! lines must say the same, none may be unclear, and no text around them may contradict, as
//! beside an object. A yes beside prose that says "incorrect" at all is none, either.

use super::objects::{CORRECT, REASONING};
use super::stray::{self, QUOTES};
use super::words::{Said, yes_or_no};
use super::{MAX_STATEMENTS, Reading, prose};

/// What some models write in front of the answer.
const LABELS: [&str; 8] = [
    "output",
    "answer",
    "verdict",
    "result",
    "response",
    "final answer",
    "final verdict",
    "final output",
];

/// Words in a sentence behind a verdict that may take it back.
const DOUBTS: [&str; 20] = [
    "actually",
    "almost",
    "although",
    "but",
    "doubt",
    "except",
    "however",
    "if",
    "incorrect",
    "maybe",
    "mostly",
    "nearly",
    "not",
    "partially",
    "partly",
    "perhaps",
    "though",
    "unless",
    "unsure",
    "wrong",
];

/// The text behind a label that it begins with.
pub(super) fn unlabelled(text: &str) -> Option<&str> {
    let (name, rest) = entry(text)?;
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    // `Verdict: no. {…}` is no label of the object, but may contradict it.
    let first = words.find(|word| !word.is_empty());
    let says = first.is_some_and(|word| yes_or_no(word).is_some());
    (is_in(&LABELS, name) && !says).then(|| rest.trim_start())
}

/// Whether a line clearly says something else than `correct`, also under a label
/// (`Answer: no`). The latter never makes a verdict, but it can contradict one.
pub(super) fn contradict(text: &str, correct: bool) -> bool {
    text.lines().any(|line| match meaning(line) {
        Meaning::Labelled(said) => said != correct,
        Meaning::Verdict(said, _) => said == Said::boolean(!correct),
        Meaning::Nothing | Meaning::Text(_) => false,
    })
}

/// The verdict of the lines that say `correct`, `None` if there are none that count, or
/// what is wrong with them. `question` is what may have been quoted.
pub(super) fn read(text: &str, question: &[&str]) -> Result<Option<Reading>, String> {
    // Half an object: what looks like a line may be part of a string.
    if text.matches('{').count() != text.matches('}').count() {
        return Ok(None);
    }
    let whole = text.trim();
    let mut verdict = None;
    let (mut lead, mut tail) = (String::new(), String::new());
    let mut statements = 0;
    for line in text.lines() {
        let said = match meaning(line) {
            Meaning::Nothing => "",
            Meaning::Text(text) => text,
            Meaning::Labelled(_) => line,
            Meaning::Verdict(Said::Form, _) => continue,
            Meaning::Verdict(said, reasoning) => {
                statements += 1;
                if statements > MAX_STATEMENTS {
                    return Err(format!("more than {MAX_STATEMENTS} lines with a `correct`"));
                }
                if line.trim() != whole && is_quoted(line, question) {
                    continue;
                }
                let said = said.verdict()?;
                if *verdict.get_or_insert(said) != said {
                    return Err("it says both yes and no".to_owned());
                }
                lead.push_str(&std::mem::take(&mut tail));
                reasoning
            }
        };
        let part = if verdict.is_none() {
            &mut lead
        } else {
            &mut tail
        };
        part.push_str(said);
        part.push('\n');
    }
    let Some(correct) = verdict else {
        return Ok(None);
    };
    let around = format!("{lead}\n{tail}");
    let denied = correct && denies(&around)
        || contradict(&around, correct)
        || stray::contradicts(&around, correct)
        || prose::contradicts(&around, correct, false)
        || prose::contradicts(&tail, correct, true);
    if denied {
        return Err("it says both yes and no".to_owned());
    }
    let stands_alone = (is_reasoning(&lead) || is_reasoning(&tail))
        && (is_reasoning(&lead) || ends_sentence(&lead))
        && (is_reasoning(&tail) || begins_sentence(&tail));
    if !stands_alone {
        return Err("its verdict stands in the middle of other text".to_owned());
    }
    let around = around.trim();
    let reasoning = match entry(around) {
        Some((name, value)) if is_in(&REASONING, name) => value,
        _ => around,
    };
    Ok(Some(Reading {
        correct,
        reasoning: reasoning.trim_matches(decoration).to_owned(),
        repaired: true,
    }))
}

/// What a line means.
enum Meaning<'a> {
    /// Nothing: a fence, or a label alone.
    Nothing,
    Text(&'a str),
    /// A verdict under another name.
    Labelled(bool),
    /// A verdict, and what follows it on the line.
    Verdict(Said, &'a str),
}

fn meaning(line: &str) -> Meaning<'_> {
    let mut line = line.trim();
    if line.starts_with("```") {
        return Meaning::Nothing;
    }
    loop {
        match entry(line) {
            Some((name, value)) if is_in(&LABELS, name) => match word(value) {
                "" => return Meaning::Nothing,
                word => match yes_or_no(word) {
                    Some(said) => return Meaning::Labelled(said),
                    None => line = value.trim(),
                },
            },
            Some((name, value)) if is_in(&CORRECT, name) => return verdict(value),
            _ => return Meaning::Text(line),
        }
    }
}

/// What stands behind `correct:`, alone or with its reasoning behind it.
fn verdict(value: &str) -> Meaning<'_> {
    let (first, rest) = value
        .split_once([',', ';', '.', '|'])
        .unwrap_or((value, ""));
    let sentence = value[first.len()..].starts_with(". ") && !is_doubtful(rest);
    let first = Said::text(first.trim_matches(decoration));
    let reasoned = entry(rest).is_some_and(|(name, _)| is_in(&REASONING, name));
    if matches!(first, Said::Yes | Said::No) && (reasoned || sentence) {
        return Meaning::Verdict(first, rest);
    }
    Meaning::Verdict(Said::text(value.trim_matches(decoration)), "")
}

/// Whether what follows a verdict may take it back.
fn is_doubtful(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let last = words.clone().rfind(|word| !word.is_empty());
    words.any(|word| is_in(&DOUBTS, word)) || last.is_none_or(|word| yes_or_no(word).is_some())
}

/// Whether a text says in prose that something is not correct.
fn denies(text: &str) -> bool {
    let text = text.to_lowercase();
    let denials = ["incorrect", "not correct", "n't correct", "n’t correct"];
    denials.iter().any(|denial| text.contains(denial))
}

/// A value without what stands around it.
fn word(value: &str) -> &str {
    value.trim_matches(|c: char| decoration(c) || matches!(c, '.' | '!'))
}

/// The name and the value of an entry, as a text begins with one.
fn entry(text: &str) -> Option<(&str, &str)> {
    let at = text.find([':', '=', '\n'])?;
    let (name, rest) = text.split_at(at);
    let mut rest = rest.chars();
    (rest.next() != Some('\n')).then(|| (name.trim_matches(decoration), rest.as_str()))
}

fn is_in(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Nothing at all, or what calls itself the reasoning.
fn is_reasoning(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || entry(text).is_some_and(|(name, _)| is_in(&REASONING, name))
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(decoration)
        .ends_with(['.', '!', '?', ')', '…'])
}

fn begins_sentence(text: &str) -> bool {
    !text
        .trim_start_matches(decoration)
        .starts_with(|c: char| c.is_lowercase() || c == ',')
}

fn is_quoted(line: &str, question: &[&str]) -> bool {
    let line = line.trim_matches(decoration).to_lowercase();
    question
        .iter()
        .any(|text| text.to_lowercase().contains(&line))
}

fn decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '-' | '#' | '•' | ',' | ';') || QUOTES.contains(&c)
}
