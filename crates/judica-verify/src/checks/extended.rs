//! Checks that only became known while a program answered.

use judica_model::evidence::Scope;
use rustc_hash::FxHashMap;

use super::{Check, CheckKind, Checks};

/// The checks of a protocol, and others that are added as they come up.
pub struct Extended {
    checks: Checks,
    /// How many rules and fields the protocol itself has.
    rules: usize,
    fields: usize,
    rule_by_name: FxHashMap<(usize, String), usize>,
    label_by_name: FxHashMap<String, usize>,
    numbers: FxHashMap<(usize, Option<usize>), u16>,
}

/// Why a check cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdded {
    /// The protocol has a rule of that name.
    #[error("is a rule of the protocol itself")]
    Own,
    /// There are as many as can be numbered.
    #[error("is one too many: no more different rules and fields can be numbered")]
    TooMany,
}

impl Extended {
    /// Nothing added yet to the checks of a protocol with so many fields.
    pub fn new(checks: &Checks, fields: usize) -> Self {
        Extended {
            rules: checks.rule_names.len(),
            fields,
            rule_by_name: FxHashMap::default(),
            label_by_name: checks.labels.iter().cloned().zip(0..).collect(),
            numbers: FxHashMap::default(),
            checks: checks.clone(),
        }
    }

    /// The number of the check of a rule, called so in full, of a family, about this field.
    pub fn number(
        &mut self,
        family: usize,
        rule: &str,
        field: Option<&str>,
    ) -> Result<u16, NotAdded> {
        // Whatever is added, the last numbers are left to say that something failed.
        const MOST: usize = u16::MAX as usize - 256;
        let checks = &mut self.checks;
        let room = checks.list.len() < MOST || rule == crate::external::FAILED;
        let known = self.rule_by_name.get(&(family, rule.to_owned()));
        let rule = match known {
            Some(rule) => *rule,
            None if checks.rule_names[..self.rules]
                .iter()
                .any(|own| own == rule) =>
            {
                return Err(NotAdded::Own);
            }
            None if !room => return Err(NotAdded::TooMany),
            None => {
                let number = checks.rule_names.len();
                checks.rule_names.push(rule.to_owned());
                checks.family_of_rule.push(family);
                self.rule_by_name.insert((family, rule.to_owned()), number);
                number
            }
        };
        let label = match field {
            None => None,
            Some(name) => match self.label_by_name.get(name) {
                Some(label) => Some(*label),
                None if !room => return Err(NotAdded::TooMany),
                None => {
                    let number = checks.labels.len();
                    checks.labels.push(name.to_owned());
                    self.label_by_name.insert(name.to_owned(), number);
                    Some(number)
                }
            },
        };
        if let Some(number) = self.numbers.get(&(rule, label)) {
            return Ok(*number);
        }
        if !room {
            return Err(NotAdded::TooMany);
        }
        let number = checks.list.len() as u16;
        checks.list.push(Check {
            kind: CheckKind::External,
            family,
            rule,
            label,
            field: label.filter(|label| *label < self.fields),
            step: None,
            array: None,
            scope: match label {
                Some(_) => Scope::Field,
                None => Scope::Sample,
            },
        });
        self.numbers.insert((rule, label), number);
        Ok(number)
    }

    /// All of them so far.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::load::load;

    #[test]
    fn what_comes_up_again_has_its_number() {
        let protocol = load("battery").unwrap();
        let base = Checks::new(&protocol).unwrap();
        let mut extended = Extended::new(&base, protocol.fields.len());
        let field = protocol.fields[1].name.clone();
        let first = extended.number(4, "mine.a", Some(&field)).unwrap();
        assert_eq!(usize::from(first), base.list.len());
        assert_eq!(extended.number(4, "mine.a", Some(&field)), Ok(first));
        assert_eq!(extended.number(4, "mine.a", None), Ok(first + 1));
        assert_eq!(extended.number(4, "mine.a", Some("other")), Ok(first + 2));
        let check = extended.checks().get(first);
        assert_eq!((check.field, check.family), (Some(1), 4));
        let other = extended.checks().get(first + 2);
        assert_eq!((other.field, other.scope), (None, Scope::Field));
        let own = base.rule_names[0].clone();
        assert_eq!(extended.number(4, &own, None), Err(NotAdded::Own));
    }

    #[test]
    fn there_is_always_room_to_say_that_something_failed() {
        let protocol = load("battery").unwrap();
        let base = Checks::new(&protocol).unwrap();
        let mut extended = Extended::new(&base, protocol.fields.len());
        let mut last = Ok(0);
        for n in 0..70_000 {
            last = extended.number(4, &format!("mine.{n}"), None);
        }
        assert_eq!(last, Err(NotAdded::TooMany));
        let failed = extended.number(4, crate::external::FAILED, None);
        assert!(failed.is_ok());
        assert!(extended.checks().list.len() <= usize::from(u16::MAX));
    }
}
