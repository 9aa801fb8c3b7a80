//! Every name that a protocol file gives, of every kind: a name in the wrong place is told
//! what it is.

use std::ops::Range;

use super::file::ProtocolFile;
use super::rule::FIELD_RULE_NAMES;
use crate::expr::{Expr, ExprError, Kind, Scope, Variable};
use judica_model::nearest::nearest;

/// The names of a file.
pub(super) struct Names<'f> {
    file: &'f ProtocolFile,
}

impl<'f> Names<'f> {
    pub(super) fn of(file: &'f ProtocolFile) -> Self {
        Names { file }
    }

    /// Names and aliases of the fields.
    fn fields(&self) -> impl Iterator<Item = (&'f str, &'f str)> {
        let fields = self.file.fields.iter();
        fields.map(|field| {
            (
                field.name.get_ref().as_str(),
                field.alias().get_ref().as_str(),
            )
        })
    }

    /// What a word that an expression or a message cannot read is.
    pub(super) fn other_than_alias(&self, word: &str) -> Option<String> {
        let alias = self.fields().find(|(name, _)| *name == word);
        if let Some((_, alias)) = alias {
            return Some(format!("it is the name of a field; its alias is `{alias}`"));
        }
        if FIELD_RULE_NAMES.contains(&word) {
            return Some(format!(
                "`{word}` can be read by rules with `each = \"field\"` only"
            ));
        }
        let what = self.of_task_or_rule(word).or_else(|| {
            let mut families = self.file.families.iter();
            families
                .any(|family| family.name.get_ref() == word)
                .then(|| format!("`{word}` is a family"))
        })?;
        Some(format!("{what}; expressions read the aliases of fields"))
    }

    /// What a word is that names no family.
    pub(super) fn other_than_family(&self, word: &str) -> Option<String> {
        let what = self.of_task_or_rule(word).or_else(|| {
            let field = self
                .fields()
                .find(|(name, alias)| word == *name || word == *alias);
            field.map(|_| format!("`{word}` is a field"))
        });
        what.map(|what| format!("{what}, not a family"))
    }

    fn of_task_or_rule(&self, word: &str) -> Option<String> {
        if self
            .file
            .tasks
            .iter()
            .any(|task| task.name.get_ref() == word)
        {
            return Some(format!("`{word}` is a task"));
        }
        let mut rules = self.file.rules.iter();
        let rule = rules.find(|rule| rule.id.get_ref() == word)?;
        Some(format!(
            "`{word}` is a rule of family `{}`",
            rule.family.get_ref()
        ))
    }

    /// The mistakes of an expression, with advice from the other names of the file.
    pub(super) fn advised(
        &self,
        text: &str,
        scope: Scope,
        kind: Kind,
        mut errors: Vec<ExprError>,
    ) -> Vec<ExprError> {
        // Rules per field read no aliases, so that an alias is no advice there.
        let readable: Vec<&str> = scope.variables.iter().map(|known| known.name).collect();
        if readable == FIELD_RULE_NAMES {
            return errors;
        }
        let (masked, used) = self.without_field_names(text, &readable);
        if !used.is_empty() {
            let masks = used.iter();
            let masks = masks.map(|(at, _)| Variable::number(&masked[at.clone()]));
            let variables = scope.variables.iter().copied().chain(masks);
            let variables: Vec<Variable> = variables.collect();
            let scope = Scope {
                variables: &variables,
                ..scope
            };
            errors = Expr::parse_as(&masked, scope, kind)
                .err()
                .unwrap_or_default();
            errors.extend(used.into_iter().map(|(at, word)| ExprError {
                message: format!("unknown name `{word}`"),
                help: self.other_than_alias(word),
                span: at,
            }));
        }
        for error in &mut errors {
            let word = text.get(error.span.clone()).unwrap_or_default();
            if error.message.starts_with("unknown name") {
                let near = || {
                    let (name, alias) = self.fields().find(|(name, _)| {
                        nearest(word, self.fields().map(|(name, _)| name)) == Some(name)
                    })?;
                    Some(format!(
                        "did you mean the field `{name}`? Its alias is `{alias}`"
                    ))
                };
                let guessed = error
                    .help
                    .as_ref()
                    .is_some_and(|help| !help.starts_with("the names"));
                error.help = self
                    .other_than_alias(word)
                    .or_else(|| if guessed { None } else { near() })
                    .or(error.help.take());
            }
        }
        errors
    }

    /// The text with every name of a field replaced by underscores, which are a name of the
    /// same length; and where which name stood. Longer names are found first.
    fn without_field_names(
        &self,
        text: &str,
        readable: &[&str],
    ) -> (String, Vec<(Range<usize>, &'f str)>) {
        let mut masked = text.to_owned();
        let mut used = Vec::new();
        let mut names: Vec<&str> = self.fields().map(|(name, _)| name).collect();
        names.retain(|name| !name.trim().is_empty() && !readable.contains(name));
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        for name in names {
            let mut from = 0;
            while let Some(found) = masked[from..].find(name) {
                let at = from + found..from + found + name.len();
                from = at.end;
                let (before, after) = (&masked[..at.start], &masked[at.end..]);
                let cut = in_word(before.chars().next_back()) && in_word(name.chars().next())
                    || in_word(after.chars().next()) && in_word(name.chars().next_back())
                    || after.trim_start().starts_with('(');
                if !cut {
                    masked.replace_range(at.clone(), &"_".repeat(name.len()));
                    used.push((at, name));
                }
            }
        }
        (masked, used)
    }
}
