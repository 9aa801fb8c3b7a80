//! Where fields stand in a response: JSON pointers, put together into one tree.

use std::ops::Range;

use judica_data::json::pointer_part;

use super::Field;
use super::place::Place;

/// One step of a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A key of an object, or the position of an element where it is a number.
    Key(String),
    /// Every element of a list.
    Each,
}

/// A place in a response, and what stands below it.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// The fields whose value stands here.
    pub fields: Vec<usize>,
    /// By key, or by position.
    pub keys: Vec<(Box<str>, Node)>,
    /// Of every element of a list.
    pub each: Option<Box<Node>>,
    /// All fields here and below.
    pub below: Vec<usize>,
}

impl Node {
    /// The tree of all fields.
    pub(super) fn of(fields: &[Field]) -> Node {
        let mut root = Node::default();
        for (field, entry) in fields.iter().enumerate() {
            root.insert(&entry.at, field);
        }
        root
    }

    fn insert(&mut self, at: &[Step], field: usize) {
        self.below.push(field);
        match at {
            [] => self.fields.push(field),
            [Step::Each, rest @ ..] => self.each.get_or_insert_default().insert(rest, field),
            [Step::Key(key), rest @ ..] => {
                let known = self.keys.iter().position(|(known, _)| **known == **key);
                let at = known.unwrap_or_else(|| {
                    self.keys.push((key.as_str().into(), Node::default()));
                    self.keys.len() - 1
                });
                self.keys[at].1.insert(rest, field);
            }
        }
    }

    /// What stands under a key.
    pub fn key(&self, key: &[u8], guess: usize) -> Option<usize> {
        let is = |at: &usize| {
            self.keys
                .get(*at)
                .is_some_and(|(known, _)| known.as_bytes() == key)
        };
        Some(guess)
            .filter(is)
            .or_else(|| (0..self.keys.len()).find(is))
    }
}

/// Fields that are put together from the objects of one list.
#[derive(Debug, Clone)]
pub struct Group {
    /// The fields, in their order.
    pub fields: Vec<usize>,
    /// The one whose value says which object is which.
    pub key: Option<usize>,
}

/// Every list of objects.
pub(super) fn groups(fields: &[Field]) -> Vec<Group> {
    let list = |field: usize| {
        let at = &fields[field].at;
        let each = at.iter().position(|step| *step == Step::Each)?;
        Some(&at[..each])
    };
    let mut groups: Vec<Group> = Vec::new();
    for field in (0..fields.len()).filter(|field| list(*field).is_some()) {
        match groups
            .iter_mut()
            .find(|group| list(group.fields[0]) == list(field))
        {
            Some(group) => group.fields.push(field),
            None => groups.push(Group {
                fields: vec![field],
                key: None,
            }),
        }
    }
    for group in &mut groups {
        let key = group
            .fields
            .iter()
            .find_map(|field| fields[*field].key.clone());
        let last = key.map(Step::Key);
        let is_key = |field: &&usize| last.is_some() && fields[**field].at.last() == last.as_ref();
        group.key = group.fields.iter().find(is_key).copied();
    }
    groups
}

/// The steps of a JSON pointer.
pub(super) fn steps(place: &Place, pointer: &str, span: Range<usize>) -> Vec<Step> {
    let Some(rest) = pointer.strip_prefix('/') else {
        let help = Some(format!("did you mean `/{pointer}`?"));
        place.tell(span, "a JSON pointer begins with `/`", help);
        return Vec::new();
    };
    let steps: Vec<Step> = rest
        .split('/')
        .map(|part| match part {
            "*" => Step::Each,
            _ => Step::Key(pointer_part(part)),
        })
        .collect();
    let each = steps.iter().filter(|step| **step == Step::Each).count();
    if each > 1 {
        place.tell(
            span,
            "`*` can stand once in a pointer: a list of lists cannot be described",
            None,
        );
    } else if steps.first() == Some(&Step::Each) {
        place.tell(
            span,
            "a response is an object: a pointer begins with a key",
            None,
        );
    }
    steps
}
