//! The one door for rows: a family declares its fields once and gets borrowed values.
//!
//! Tools name the same thing differently, so a field has aliases ([`crate::row_keys`]). Of
//! several the first counts whose value is not null; of equal keys the last. A user may say
//! where a field stands instead, by a name or a JSON pointer. Nothing is copied here, and
//! nothing is allocated.
//!
//! Rows of every format come as JSON objects: see [`crate::table`].

mod columns;
mod placed;
mod span;
mod value;

use crate::chunks::{NOT_UTF8, RawRecord};
use crate::json::{ScanError, Scanner, ValueKind, pointer_key, pointer_part};
use crate::rejects::Refusal;
pub use columns::{ColumnChoice, chosen_columns};
use judica_model::text::cut;
pub use placed::Placed;
pub use span::{Span, numbered};
pub use value::{Spelt, Value, kept, kept_members, spelt, spelt_members};

/// How deep a row may be nested. Others stop at 128, and a row will stand two levels deeper
/// in a document.
pub const DEPTH: usize = 100;
/// More tokens than this in one row are a mistake.
const MOST_TOKENS: f64 = 1e15;

/// A field that a family reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// What it is called where a user says in which column it stands.
    pub name: &'static str,
    /// Names under which it is looked for, the preferred one first.
    pub aliases: &'static [&'static str],
    /// The code of a row that has none, where it is needed.
    pub missing: &'static str,
}

/// A field that may be missing.
pub const fn field(name: &'static str, aliases: &'static [&'static str]) -> Field {
    let missing = "missing_field";
    Field {
        name,
        aliases,
        missing,
    }
}

/// The fields of a family, and where a user says they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door<const N: usize> {
    fields: &'static [Field; N],
    keys: Vec<Key>,
    /// Where the keys begin that have the same place in this table; they are chained.
    heads: [u8; HEADS],
    /// How many names each field has, and whether the user gave them.
    names: [(u8, bool); N],
}

/// Places in the table of keys.
const HEADS: usize = 64;
/// No key.
const NONE: u8 = u8::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    name: Box<[u8]>,
    slot: u8,
    rank: u8,
    /// What follows in a JSON pointer.
    within: Box<[String]>,
    next: u8,
}

/// The length and the first byte tell nearly all keys apart.
fn place(key: &[u8]) -> usize {
    let first = usize::from(key.first().copied().unwrap_or_default());
    (key.len() * 5 + first) % HEADS
}

impl<const N: usize> Door<N> {
    /// The fields under their usual names.
    pub fn new(fields: &'static [Field; N]) -> Self {
        const { assert!(N <= u64::BITS as usize) };
        let mut door = Door {
            fields,
            keys: Vec::new(),
            heads: [NONE; HEADS],
            names: [(0, false); N],
        };
        for (slot, field) in fields.iter().enumerate() {
            for alias in field.aliases {
                door.add(slot, alias, &[]);
            }
        }
        door
    }

    /// The same with a field where the user says it stands, and nowhere else: under a name,
    /// or at a JSON pointer (`/answer/text`). No other field stands there by its usual name.
    pub fn set(&mut self, slot: usize, name: &str) {
        let first = self.set_beside(slot, name);
        let given = self.names;
        let other = |key: &Key| !given[usize::from(key.slot)].1;
        self.keys
            .retain(|key| *key.name != *first.as_bytes() || !other(key));
        self.chain();
    }

    /// The same for a field that may stand where another does, which names an item. Gives the
    /// key.
    pub fn set_beside(&mut self, slot: usize, name: &str) -> String {
        self.clear(slot);
        let parts = pointer(name);
        let (first, within) = parts.split_first().unwrap_or((&parts[0], &[]));
        let (first, within) = (first.clone(), within.to_vec());
        self.add(slot, &first, &within);
        self.names[slot].1 = true;
        first
    }

    /// The field stands nowhere.
    pub fn clear(&mut self, slot: usize) {
        self.keys.retain(|key| usize::from(key.slot) != slot);
        self.names[slot] = (0, false);
        self.chain();
    }

    /// Whether the user says where a field stands.
    pub fn is_given(&self, slot: usize) -> bool {
        self.names[slot].1
    }

    fn add(&mut self, slot: usize, name: &str, within: &[String]) {
        let (count, _) = &mut self.names[slot];
        self.keys.push(Key {
            name: name.as_bytes().into(),
            slot: slot as u8,
            rank: *count,
            within: within.into(),
            next: NONE,
        });
        *count += 1;
        self.chain();
    }

    fn chain(&mut self) {
        self.heads = [NONE; HEADS];
        for at in (0..self.keys.len()).rev() {
            let head = &mut self.heads[place(&self.keys[at].name)];
            self.keys[at].next = std::mem::replace(head, at as u8);
        }
    }

    /// All names, for whoever reads tables.
    pub fn names(&self) -> Vec<String> {
        let name = |key: &Key| String::from_utf8_lossy(&key.name).into_owned();
        self.keys.iter().map(name).collect()
    }

    /// The names of a field, the preferred one first.
    pub fn names_of(&self, slot: usize) -> Vec<String> {
        let of = self.keys.iter().filter(|key| usize::from(key.slot) == slot);
        of.map(|key| {
            let first = String::from_utf8_lossy(&key.name).into_owned();
            match key.within.is_empty() {
                true => first,
                false => {
                    let parts = std::iter::once(&first).chain(&key.within);
                    parts
                        .map(|part| format!("/{}", pointer_key(part)))
                        .collect()
                }
            }
        })
        .collect()
    }

    /// The name under which a row has a field.
    pub fn name_in(&self, row: &Row<N>, slot: usize) -> String {
        let names = self.names_of(slot);
        let name = names.get(usize::from(row.ranks[slot]));
        name.cloned().unwrap_or_default()
    }

    /// A row that must have a field and has it nowhere.
    pub fn missing(&self, slots: &[usize]) -> Refusal {
        let names = slots.iter().flat_map(|slot| self.names_of(*slot));
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let field = &self.fields[slots[0]];
        let (what, names) = (field.name, names.join(", "));
        let mut detail = format!("no {what}: expected it under {names}");
        // Who has said where it stands knows how.
        if !slots.iter().any(|slot| self.is_given(*slot)) {
            detail.push_str(&format!("; --column {what}=NAME says where it stands"));
        }
        Refusal::new(field.missing, detail)
    }

    /// Reads a record whose bytes are text: see [`text_of`].
    pub fn read<'a>(&self, bytes: &'a [u8]) -> Result<Row<'a, N>, Refusal> {
        let mut scanner = Scanner::new(bytes, 0);
        if scanner.kind().map_err(malformed)? != ValueKind::Object {
            // The kind is told by the first byte; what follows may be no JSON at all.
            scanner.skip_value(0, DEPTH).map_err(malformed)?;
            scanner.end().map_err(malformed)?;
            return Err(Refusal::new("not_an_object", "a row must be an object"));
        }
        let mut row = Row {
            values: [None; N],
            ranks: [0; N],
            there: 0,
        };
        let mut taken_back = false;
        let walked = scanner.members(|key, scanner| {
            let mut at = self.heads[place(key)];
            let value = Value::scan(scanner, 1, DEPTH)?;
            while at != NONE {
                let known = &self.keys[usize::from(at)];
                if *known.name == *key {
                    row.there |= 1 << known.slot;
                    taken_back |= row.put(known, value);
                }
                at = known.next;
            }
            Ok(())
        });
        walked.map_err(malformed)?;
        scanner.end().map_err(malformed)?;
        if taken_back {
            self.read_again(bytes, &mut row);
        }
        Ok(row)
    }

    /// A key that stood twice and is null in the end may have hidden another name of its
    /// field: then every name is looked at by itself.
    #[cold]
    fn read_again<'a>(&self, bytes: &'a [u8], row: &mut Row<'a, N>) {
        row.values = [None; N];
        for key in self.keys.iter().rev() {
            let mut last = None;
            let walked = Scanner::new(bytes, 0).members(|name, scanner| {
                let value = Value::scan(scanner, 1, DEPTH)?;
                if *name == *key.name {
                    last = value;
                }
                Ok::<_, ScanError>(())
            });
            if walked.is_ok() && last.is_some() {
                row.put(key, last);
            }
        }
    }
}

/// The keys to a column, or along a JSON pointer; there is always a first.
pub fn pointer(name: &str) -> Vec<String> {
    match name.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(pointer_part).collect(),
        None => vec![name.to_owned()],
    }
}

/// What a column is called: of a JSON pointer its last part.
pub fn called(name: &str) -> String {
    pointer(name).pop().unwrap_or_default()
}

/// The values of a row that are not null, by field.
#[derive(Debug, Clone)]
pub struct Row<'a, const N: usize> {
    values: [Option<Value<'a>>; N],
    ranks: [u8; N],
    /// Fields of which a key is there, also if its value is null, one bit each.
    there: u64,
}

impl<'a, const N: usize> Row<'a, N> {
    /// Takes what stands under a key; true if that takes back what stood there before.
    #[inline]
    fn put(&mut self, key: &Key, value: Option<Value<'a>>) -> bool {
        let slot = usize::from(key.slot);
        let value = match key.within.is_empty() {
            true => value,
            false => value.and_then(|value| value.at(&key.within)),
        };
        match (&self.values[slot], value) {
            (Some(_), Some(_)) if self.ranks[slot] < key.rank => false,
            (Some(_), None) => self.ranks[slot] == key.rank,
            (None, None) => false,
            (_, value) => {
                self.values[slot] = value;
                self.ranks[slot] = key.rank;
                false
            }
        }
    }

    /// Whether a key of a field is there, also if its value is null.
    #[inline]
    pub fn has(&self, slot: usize) -> bool {
        self.there >> slot & 1 == 1
    }

    /// The value of a field.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<Value<'a>> {
        self.values[slot]
    }

    /// A field as a name: text that is not blank.
    pub fn name(&self, slot: usize) -> Option<std::borrow::Cow<'a, str>> {
        self.get(slot)?.name()
    }

    /// A number that is not negative: a time, a price.
    pub fn amount(&self, slot: usize) -> Option<f64> {
        self.get(slot)?.number().filter(|amount| *amount >= 0.0)
    }

    /// Which repeat of the question a row is, from 1; the first where it does not say so.
    pub fn epoch(&self, slot: usize) -> Result<i32, Refusal> {
        let told = self.get(slot).map_or(Ok(None), Value::epoch);
        told.map(|epoch| epoch.unwrap_or(1))
    }

    /// A number of tokens.
    pub fn tokens(&self, slot: usize) -> Option<u64> {
        tokens(self.get(slot))
    }

    /// Tokens that an object counts under the first of these names that counts any.
    pub fn tokens_in(&self, slot: usize, names: [&str; 2]) -> Option<u64> {
        let usage = self.get(slot)?;
        names.iter().find_map(|name| tokens(usage.member(name)))
    }
}

/// A number that can count repeats.
pub fn whole_epoch(number: f64) -> Option<i32> {
    let whole = (1.0..=f64::from(i32::MAX)).contains(&number) && number.fract() == 0.0;
    whole.then_some(number as i32)
}

/// A number that can count the tokens of an answer.
pub fn whole_tokens(number: f64) -> Option<u64> {
    let whole = (0.0..=MOST_TOKENS).contains(&number) && number.fract() == 0.0;
    whole.then_some(number as u64)
}

/// What is wrong with a row that calls its repeat like this.
pub fn bad_epoch(written: &str) -> Refusal {
    let shown = cut(written, 40);
    let detail = format!("`epoch` is {shown}: a whole number from 1 is needed");
    Refusal::new("bad_epoch", detail)
}

/// What is called by several values together: they stand with slashes between. A slash of
/// their own is written `~1` and `~` is `~0`, as in JSON pointers: doubled slashes would give
/// `a/` with `b` and `a` with `/b` one name. One value alone is the name as it is.
pub fn joined(parts: &[impl AsRef<str>]) -> String {
    if let [alone] = parts {
        return alone.as_ref().to_owned();
    }
    let parts = parts.iter().map(|part| pointer_key(part.as_ref()));
    parts.collect::<Vec<_>>().join("/")
}

fn tokens(value: Option<Value>) -> Option<u64> {
    whole_tokens(value?.number()?)
}

/// Whether a record is whole and text; all other reading rests on it.
pub fn text_of(record: &RawRecord) -> Result<(), Refusal> {
    if let Some(fault) = record.fault {
        return Err(fault.refusal());
    }
    match std::str::from_utf8(record.bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(Refusal::new(NOT_UTF8, "not UTF-8")),
    }
}

/// What is wrong with a row that is no JSON.
pub fn malformed(error: ScanError) -> Refusal {
    match error {
        ScanError::Syntax(at) => Refusal::new(
            "malformed_json",
            format!("not JSON from byte {at} of the row"),
        ),
        ScanError::TooDeep(_) => Refusal::new("too_deep", format!("nested deeper than {DEPTH}")),
    }
}

#[cfg(test)]
mod tests;
