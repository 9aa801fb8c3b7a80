//! What a program printed, as answers to what it was asked.

use judica_model::evidence::Severity;
use serde::Deserialize;
use serde_json::Value;

/// Characters of a name that a program may give to a rule or a field.
const LONGEST_NAME: usize = 200;

/// An atom as a program writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Atom {
    /// The rule, without its family or with it.
    pub rule: String,
    /// The field, if it is about one.
    pub field: Option<String>,
    /// Whether it passed.
    pub pass: bool,
    /// How bad it is if it did not.
    pub severity: Option<Severity>,
    /// What to tell people.
    pub message: Option<String>,
    /// The observed value.
    pub observed: Option<f64>,
    /// What it was held against.
    pub limit: Option<f64>,
}

/// The answer to one record.
pub type Answer = Vec<Atom>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    id: Option<u64>,
    atoms: Answer,
}

/// The answers to so many records, each with why it cannot be trusted; or why none can be.
pub fn answers(printed: &[u8], asked: usize) -> Result<Vec<Result<Answer, String>>, String> {
    let printed = printed.strip_suffix(b"\n").unwrap_or(printed);
    let lines = match printed.is_empty() {
        true => Vec::new(),
        false => printed.split(|byte| *byte == b'\n').collect(),
    };
    let read = |(line, text): (usize, &&[u8])| {
        read(text).map_err(|why| format!("line {} of its answers: {why}", line + 1))
    };
    let lines: Vec<Result<Named, String>> = lines.iter().enumerate().map(read).collect();
    let named = lines.iter().flatten().filter(|line| line.id.is_some());
    match (named.count(), lines.iter().flatten().count()) {
        (0, _) => in_order(lines, asked),
        (named, all) if named < all => {
            Err("some of its answers have an id, and others have none".to_owned())
        }
        _ => by_id(lines, asked),
    }
}

fn in_order(
    lines: Vec<Result<Named, String>>,
    asked: usize,
) -> Result<Vec<Result<Answer, String>>, String> {
    let said = lines.len();
    if said > asked {
        return Err(format!(
            "{said} lines answer {asked} records, so that nobody knows which is whose"
        ));
    }
    let missing = || Err(format!("{said} lines answer {asked} records"));
    let answers = lines.into_iter().map(|line| line.map(|line| line.atoms));
    Ok(answers
        .chain(std::iter::repeat_with(missing))
        .take(asked)
        .collect())
}

fn by_id(
    lines: Vec<Result<Named, String>>,
    asked: usize,
) -> Result<Vec<Result<Answer, String>>, String> {
    let mut answers: Vec<Option<Result<Answer, String>>> = vec![None; asked];
    // What could not be read, or is about nothing that was asked.
    let mut lost: Option<String> = None;
    for line in lines {
        let (id, atoms) = match line {
            Ok(line) => (line.id.unwrap_or(u64::MAX), line.atoms),
            Err(why) => {
                lost.get_or_insert(why);
                continue;
            }
        };
        let answer = usize::try_from(id).ok().and_then(|id| answers.get_mut(id));
        match answer {
            Some(answer @ None) => *answer = Some(Ok(atoms)),
            Some(Some(answer)) => *answer = Err(format!("it answered id {id} more than once")),
            None => {
                lost.get_or_insert_with(|| format!("it answered id {id}, which nobody asked"));
            }
        }
    }
    if let Some(lost) = &lost
        && answers.iter().all(Option::is_some)
    {
        return Err(lost.clone());
    }
    let missing = || match &lost {
        Some(lost) => Err(format!("no line answers it; {lost}")),
        None => Err("no line answers it".to_owned()),
    };
    let answers = answers.into_iter();
    Ok(answers
        .map(|answer| answer.unwrap_or_else(missing))
        .collect())
}

/// One line: a list of atoms, or an object with them and an id.
fn read(line: &[u8]) -> Result<Named, String> {
    let plain = line.trim_ascii_start().starts_with(b"[");
    let read = match plain {
        true => serde_json::from_slice(line).map(|atoms| Named { id: None, atoms }),
        false => serde_json::from_slice(line),
    };
    let named: Named = read.map_err(|error| error.to_string())?;
    // A list of its values would be read as an atom, too.
    let given: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let atoms = given.get("atoms").unwrap_or(&given).as_array();
    if atoms.into_iter().flatten().any(Value::is_array) {
        return Err("an atom is a list, where an object is wanted".to_owned());
    }
    for atom in &named.atoms {
        let fits = |name: &str| {
            let characters = name.chars().take(LONGEST_NAME + 1).count();
            (1..=LONGEST_NAME).contains(&characters) && !name.chars().any(char::is_control)
        };
        if !fits(&atom.rule) || !atom.field.as_deref().is_none_or(fits) {
            return Err(format!(
                "a rule or field has a name of 1 to {LONGEST_NAME} characters, all of them visible"
            ));
        }
        if !atom.pass && atom.severity == Some(Severity::Info) {
            let rule = &atom.rule;
            return Err(format!(
                "rule `{rule}` failed as info: what fails is a warning or critical"
            ));
        }
    }
    Ok(named)
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
