//! What a file seems to be, and the commands that read it, with their options filled in.
//!
//! Keys that readers know decide first ([`super::shapes`]). Rows whose columns are called
//! otherwise are told by what stands in them: a column that often says the same as the gold
//! is a prediction, columns that choose from the same few values are raters. Where more than
//! one thing fits, all are given.

use super::guess::{guessed, long_ratings};
use super::head::{Column, Head};
use super::json::{Member, frame, has, run_together};
use super::shapes::{FIELDS, SHAPES, Shape, TASK};
use super::{Kind, Reads, filled, json, marks};
use crate::json::ValueKind;
use crate::row_keys::{OUTPUT, ROWS};

/// Something that a file may be.
#[derive(Debug, Clone)]
pub struct Fit {
    /// For programs.
    pub name: String,
    /// What it is, with its article.
    pub what: String,
    /// What speaks for it, where it had to be guessed.
    pub why: Option<String>,
    /// Commands that read it; `IN` and `<name>` are yet to be filled in.
    pub commands: Vec<String>,
    /// What is said after each of them, as it is.
    pub options: String,
    /// What to do where there is no command.
    pub advice: Option<String>,
}

/// What a file that begins so may be, the likeliest first; nothing if nobody knows.
pub fn fits(head: &Head) -> Vec<Fit> {
    // Prose with examples in it holds rows, too.
    if head.broken * 2 > head.rows && !head.table {
        return Vec::new();
    }
    let of = |shape: &Shape| Fit {
        name: shape.name.to_owned(),
        what: shape.what.to_owned(),
        why: None,
        commands: shape
            .commands
            .iter()
            .map(|said| (*said).to_owned())
            .collect(),
        options: String::new(),
        advice: shape.advice.map(|advice| filled(advice, &head.path)),
    };
    if let Some(kind) = frame(&head.top, head.whole) {
        return vec![of_kind("frame", kind, head)];
    }
    // What cannot be read is no rows, whatever its header is called.
    let unread = head.table && head.looked == 0;
    if unread || !head.top.is_empty() && run_together(&head.start).is_some() {
        return Vec::new();
    }
    let version = head
        .top
        .iter()
        .find(|member| member.name == "schema_version");
    let version = version.and_then(|member| member.inner.as_deref());
    let at_top = |name: &str| has(&head.top, name);
    // In a table what stands in an object may have columns of its own: `action.x`.
    let is_part = |column: &str, name: &str| {
        let part = column.strip_prefix(name).filter(|_| head.table);
        part.is_some_and(|part| part.starts_with('.'))
    };
    let column = |name: &str| {
        let mut columns = head.columns.iter();
        columns.any(|column| column.name == name || is_part(&column.name, name))
    };
    let mut found = SHAPES.iter().find(|shape| shape.fits(&at_top)).map(of);
    if let Some(version) = version.filter(|version| version.starts_with("judica.")) {
        let fit = found.get_or_insert_with(|| Fit {
            name: "report".to_owned(),
            what: "a report of judica".to_owned(),
            why: None,
            commands: vec!["judica gate init --report IN --out gates.toml".to_owned()],
            options: String::new(),
            advice: None,
        });
        fit.what.push_str(&format!(" ({version})"));
    }
    let is_known = found.is_some();
    let found = found.or_else(|| {
        let of_one_task = golds_are_objects(head);
        // A protocol may have one task, which samples need not name.
        let is_there = |name: &str| column(name) || of_one_task && name == TASK;
        let may_be = |shape: &&Shape| shape.name != "verdicts" || has_labels(head);
        let mut shapes = SHAPES.iter().filter(may_be);
        let shape = shapes.find(|shape| shape.fits(&is_there))?;
        Some(match shape.name {
            "ratings" => long_ratings(head).unwrap_or_else(|| of(shape)),
            _ => of(shape),
        })
    });
    let mut all = match found {
        Some(found) => vec![found],
        None if head.top.is_empty() || head.within.is_some() => guessed(head),
        None => Vec::new(),
    };
    // Without a goal both sides of episodes look alike.
    if all.first().map(|fit| fit.name.as_str()) == Some("predictions of episodes")
        && column("steps")
    {
        let episodes = SHAPES.iter().find(|shape| shape.name == "episodes");
        all[0].why = Some("it names no goal".to_owned());
        all.extend(episodes.map(of).map(|fit| Fit {
            why: Some("it has steps".to_owned()),
            ..fit
        }));
    }
    match head.within.as_deref() {
        Some(key) if !is_known && !all.is_empty() && !is_read(key, &all[0].name) => {
            vec![out_of(key, head, &all[0])]
        }
        _ => all,
    }
}

/// Whether a label is one that validators give unless a policy names others.
fn has_labels(head: &Head) -> bool {
    const LABELS: [&str; 4] = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"];
    let mut columns = head.columns.iter().filter(|column| column.name == "label");
    columns.any(|column| column.values().any(|value| LABELS.contains(&value.trim())))
}

/// Whether the gold is what a protocol asks for, several fields at once, and nothing is answered.
fn golds_are_objects(head: &Head) -> bool {
    let is_object = |column: &Column| {
        // Objects are shown as JSON, whether a table holds their text or a line themselves.
        let mut texts = column.values().map(str::trim_start).peekable();
        texts.peek().is_some() && texts.all(|text| text.starts_with('{'))
    };
    let mut columns = head.columns.iter();
    let answered = head.columns.iter().any(|column| column.name == OUTPUT);
    !answered && columns.any(|column| FIELDS.contains(&&*column.name) && is_object(column))
}

/// Whether the command that reads such rows looks for them under this key.
fn is_read(key: &str, name: &str) -> bool {
    match name {
        "golden queries" => key == "queries",
        "milestones" => key == "milestones",
        _ => ROWS.contains(&key),
    }
}

/// Rows that a command would read if they stood elsewhere.
fn out_of(key: &str, head: &Head, fit: &Fit) -> Fit {
    let plain = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    let shown = Some(key).filter(|key| key.chars().all(plain));
    let shown = shown.unwrap_or("KEY");
    let python = "Write them as a list of their own: python3 -c \"import json; \
                  json.dump(json.load(open('IN'))['";
    Fit {
        name: "rows".to_owned(),
        what: format!("{} under `{key}`, where no command looks", fit.what),
        why: None,
        commands: Vec::new(),
        options: String::new(),
        advice: Some(format!(
            "{}{shown}{}",
            filled(python, &head.path),
            filled("'], open('OUT', 'w'))\"", &head.path)
        )),
    }
}

/// Objects of one kind, each under its own key, which may be what an item is called.
pub fn by_key(head: &Head) -> Option<Fit> {
    let first = head.top.first()?.inner.as_ref()?;
    let alike =
        |member: &Member| member.kind == ValueKind::Object && member.inner.as_ref() == Some(first);
    if head.top.len() < 2 || !head.top.iter().all(alike) {
        return None;
    }
    let python = "If the keys are what items are called, write rows and look at those:\npython3 -c \"import json; \
                  out = open('OUT', 'w'); [print(json.dumps({'id': key, **row}), file=out) for key, row in \
                  json.load(open('IN')).items()]\"";
    Some(Fit {
        name: "rows".to_owned(),
        what: "a JSON document of objects, each under its own key".to_owned(),
        why: None,
        commands: Vec::new(),
        options: String::new(),
        advice: Some(filled(python, &head.path)),
    })
}

/// A kind of file of which no command can make anything.
pub fn no_use(head: &Head) -> Option<Fit> {
    let rows = Reads::JsonOrTable;
    let kind = marks::kind_of(&head.path, &head.start, rows);
    let kind = kind.or_else(|| json::kind_of(&head.start, rows));
    let kind = kind.or_else(|| marks::encoding(&head.start))?;
    Some(of_kind("other", kind, head))
}

/// What a file is written in, where some of its rows are not UTF-8.
pub fn encoding(head: &Head) -> Option<Fit> {
    let kind = marks::encoding(&head.start).filter(|_| head.broken > 0)?;
    Some(of_kind("other", kind, head))
}

fn of_kind(name: &str, kind: Kind, head: &Head) -> Fit {
    Fit {
        name: name.to_owned(),
        what: kind.what.to_owned(),
        why: None,
        commands: Vec::new(),
        options: String::new(),
        advice: Some(filled(kind.advice, &head.path)),
    }
}
