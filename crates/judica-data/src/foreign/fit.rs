//! What a file seems to be, and the commands that read it, with their options filled in.
//!
//! Keys that readers know decide first ([`super::shapes`]). Rows whose columns are called
//! otherwise are told by what stands in them: a column that often says the same as the gold
//! is a prediction, columns that choose from the same few values are raters. Where more than
//! one thing fits, all are given.

use super::guess::{guessed, long_ratings};
use super::head::Head;
use super::json::{frame, has};
use super::shapes::{SHAPES, Shape};
use super::{Kind, Reads, filled, json, marks};

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
    if let Some(kind) = frame(&head.top) {
        return vec![of_kind("frame", kind, head)];
    }
    let version = head
        .top
        .iter()
        .find(|member| member.name == "schema_version");
    let version = version.and_then(|member| member.inner.as_deref());
    let at_top = |name: &str| has(&head.top, name);
    let column = |name: &str| head.columns.iter().any(|column| column.name == name);
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
    let found = found.or_else(|| {
        let shape = SHAPES.iter().find(|shape| shape.fits(&column))?;
        Some(match shape.name {
            "ratings" => long_ratings(head).unwrap_or_else(|| of(shape)),
            _ => of(shape),
        })
    });
    match found {
        Some(found) => {
            let mut all = vec![found];
            // Without a goal both sides of episodes look alike.
            if all[0].name == "predictions of episodes" && column("steps") {
                let episodes = SHAPES.iter().find(|shape| shape.name == "episodes");
                all[0].why = Some("it names no goal".to_owned());
                all.extend(episodes.map(of).map(|fit| Fit {
                    why: Some("it has steps".to_owned()),
                    ..fit
                }));
            }
            all
        }
        None if head.top.is_empty() || head.within.is_some() => guessed(head),
        None => Vec::new(),
    }
}

/// A kind of file of which no command can make anything.
pub fn no_use(head: &Head) -> Option<Fit> {
    let rows = Reads::JsonOrTable;
    let kind = marks::kind_of(&head.path, &head.start, rows);
    let kind = kind.or_else(|| json::kind_of(&head.start, rows))?;
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

/// A name as a shell takes it.
pub fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._/-+:@,".contains(c);
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}
