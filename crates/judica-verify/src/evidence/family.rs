//! What a family of checks that is written in Rust consists of. Each stands whole in a file of
//! its own, and [`super::built_in`] is the table of them: whatever else speaks of families
//! (checks, records, `judica rules`, `judica explain`) asks there.

use super::{Atoms, Reading};
use crate::checks::{Check, Layout};
use crate::protocol::{Field, Protocol};

/// A family of checks.
#[derive(Debug)]
pub struct BuiltIn {
    /// The atoms' `type`.
    pub name: &'static str,
    /// Families that run before.
    pub depends_on: &'static [&'static str],
    /// For people.
    pub description: &'static str,
    /// Its rules, in the order in which they are numbered.
    pub rules: &'static [BuiltInRule],
    /// Appends its atoms about one response; the numbers are the first checks of its rules.
    pub verify: fn(&Look, &[u16], &mut Atoms),
}

/// One response, as a family sees it.
pub struct Look<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// How its task's checks are numbered.
    pub layout: &'a Layout,
    /// The response.
    pub reading: &'a Reading<'a>,
    /// Whether it holds a number for each field, and nothing else was asked for.
    pub whole: bool,
}

/// A rule of such a family.
#[derive(Debug)]
pub struct BuiltInRule {
    /// Its name after the family's.
    pub id: &'static str,
    /// What it makes one check of.
    pub per: Per,
    /// What its atoms say of a field.
    pub says: Says,
    /// What holds when it passes.
    pub checks: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// When it fails, and how badly.
    pub fails_when: fn(&Protocol) -> Vec<String>,
    /// What one atom is about.
    pub one_atom_per: &'static str,
    /// What it asks of a field, where that differs from field to field.
    pub of_field: fn(&Field) -> Option<String>,
    /// A worked example.
    pub example: &'static str,
    /// The limits of a check.
    pub limits: fn(&Spot) -> Limits,
    /// The message of a failed atom with this observed number and text.
    pub message: fn(&Spot, f64, &str) -> String,
}

/// What a rule makes one check of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Each response.
    Response,
    /// Each field.
    Field,
    /// Each field at each step.
    FieldAndStep,
    /// Each value, which is called by its place in an array.
    Value,
}

/// What atoms say of a field, as far as records tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Nothing else.
    Nothing,
    /// Failed, that it is missing.
    Missing,
    /// Failed, that it is no number or array as it should be.
    WrongShape,
    /// Passed, what its value is; failed, that it is none.
    Value,
}

/// What a check is about.
pub struct Spot<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// The check.
    pub check: &'a Check,
    /// What the field, or the element of it, is called.
    pub label: &'a str,
}

impl<'a> Spot<'a> {
    /// The field.
    pub fn field(&self) -> Option<&'a Field> {
        self.check.field.map(|field| &self.protocol.fields[field])
    }

    /// The field's unit.
    pub fn unit(&self) -> &'a str {
        self.field().map_or("", |field| &field.unit)
    }
}

/// What a value is held against.
pub enum Limits {
    /// In words.
    Expected(String),
    /// In numbers.
    Bounds([(&'static str, f64); 2]),
}

/// For rules that ask the same of every field.
pub(super) fn the_same(_: &Field) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use crate::evidence::built_in;

    #[test]
    fn the_table_is_in_order_and_every_entry_is_whole() {
        for (number, family) in built_in(true).iter().enumerate() {
            let before = built_in(true)[..number].iter().map(|earlier| earlier.name);
            let before: Vec<&str> = before.collect();
            assert!(!before.contains(&family.name), "{} twice", family.name);
            assert!(family.depends_on.iter().all(|name| before.contains(name)));
            assert!(!family.rules.is_empty() && !family.description.is_empty());
            for (at, rule) in family.rules.iter().enumerate() {
                let earlier = &family.rules[..at];
                assert!(earlier.iter().all(|other| other.id != rule.id));
                let words = [rule.checks, rule.why, rule.one_atom_per, rule.example];
                assert!(words.iter().all(|words| !words.is_empty()), "{}", rule.id);
            }
        }
    }
}
