//! Which column of a table is written under which key.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cells, Tables};
use crate::json::text::write_string;

/// A column in the order in which it is written.
#[derive(Debug)]
pub(super) struct Column {
    /// Its place in the table.
    pub at: usize,
    /// Its key.
    pub key: String,
    /// What is written before its value: a comma or brace, and its key.
    pub before: Vec<u8>,
    /// What is written after it.
    pub after: &'static [u8],
    /// What its cells mean.
    pub cells: Cells,
}

/// The columns of a table, by the names in its header.
///
/// A name that means something to the reader and stands twice is an error: nobody could say
/// which of the two is meant. Other names that stand twice, or not at all, are numbered.
/// A column of objects stands where it is: it has inside what others would be put there for.
pub(super) fn columns(
    header: &[&str],
    is_object: impl Fn(usize) -> bool,
    tables: &Tables,
) -> Result<Vec<Column>, String> {
    let mut taken: BTreeSet<(Option<&str>, String)> = BTreeSet::new();
    // Which number a name that stands again gets: headers may be of a million equal names.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let exact: BTreeSet<&String> = tables.names.iter().collect();
    let names = tables.names.iter().rev();
    let alike: BTreeMap<String, &String> = names.map(|name| (name.to_lowercase(), name)).collect();
    let mut found = Vec::new();
    for (at, name) in header.iter().enumerate() {
        let name = name.trim();
        let lower = name.to_lowercase();
        let nested = tables
            .nested
            .iter()
            .find(|nested| nested.names.contains(&lower))
            .filter(|nested| nested.path.0.is_none() || !is_object(at));
        let others = || header.iter().any(|other| other.trim() == lower);
        let known = exact.get(&name.to_owned()).copied().or_else(|| {
            let found = alike.get(&lower).copied();
            // A column that is called so exactly goes first.
            found.filter(|_| lower == name || !others())
        });
        let (parent, mut key) = match (nested, known) {
            (Some(nested), _) => (nested.path.0.as_deref(), nested.path.1.clone()),
            (None, Some(known)) => (None, known.clone()),
            (None, None) if name.is_empty() => (None, format!("column {}", at + 1)),
            (None, None) => (None, name.to_owned()),
        };
        if !taken.insert((parent, key.clone())) {
            if nested.is_some() || known.is_some() {
                return Err(format!(
                    "two columns are called `{key}`; give each a name of its own"
                ));
            }
            let number = numbers.entry(key.clone()).or_insert(1);
            key = loop {
                *number += 1;
                let numbered = format!("{key} ({number})");
                if taken.insert((None, numbered.clone())) {
                    break numbered;
                }
            };
        }
        let cells = nested.map_or(tables.cells, |nested| nested.cells);
        found.push((parent, at, key, cells));
    }
    // Those of one object stand together, after all others.
    found.sort_by_key(|(parent, at, ..)| (*parent, *at));
    Ok(laid_out(found))
}

fn laid_out(found: Vec<(Option<&str>, usize, String, Cells)>) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::with_capacity(found.len());
    let mut open = None;
    for (parent, at, key, cells) in found {
        let mut before = Vec::new();
        let first = columns.is_empty();
        if parent != open {
            if let Some(last) = columns.last_mut().filter(|_| open.is_some()) {
                last.after = b"}";
            }
            before.push(if first { b'{' } else { b',' });
            write_string(parent.unwrap_or_default(), &mut before);
            before.extend_from_slice(b":{");
            open = parent;
        } else {
            before.push(if first { b'{' } else { b',' });
        }
        write_string(&key, &mut before);
        before.push(b':');
        columns.push(Column {
            at,
            key,
            before,
            after: b"",
            cells,
        });
    }
    if let Some(last) = columns.last_mut() {
        last.after = if open.is_some() { b"}}" } else { b"}" };
    }
    columns
}
