//! A domain is data, not code: the protocol file, checked and compiled.
//!
//! * [`mod@file`]: the TOML shape as it is written
//! * [`load`]: file → checked [`Protocol`], with errors that point at their place
//! * [`form`], [`nodes`]: what fields hold and where they stand
//! * [`rule`]: rules compiled to expressions and thresholds
//! * [`programs`]: verifiers that are programs of their own
//! * [`dimensions`]: scores of records that each look at one thing
//! * [`levels`]: scores of rules; `graded` checks them
//! * [`graph`]: verifier families in execution order
//! * [`template`]: message templates
//! * [`hash`]: content hashes for the trace
//! * [`builtin`]: the protocols shipped inside the program

pub mod builtin;
pub mod dimensions;
pub mod error;
pub mod file;
pub mod form;
mod graded;
pub mod graph;
pub mod hash;
pub mod levels;
pub mod load;
mod names;
pub mod nodes;
mod place;
pub mod programs;
pub mod rule;
mod rules;
mod shape;
pub mod template;

use judica_model::evidence::Severity;
use judica_stats::curve::Curve;
use rustc_hash::FxHashMap;

pub use dimensions::{Dimension, OfDimensions};
pub use error::{ProtocolError, ProtocolErrors};
pub use file::{FieldKind, JumpReference, Shape};
pub use programs::{Program, Verifier};
pub use rule::Rule;

use crate::expr::{Expr, Kind, Read, Source, Values, Variable};
use crate::moment;
use crate::render::plain_number;
use crate::value::Value;
use file::{Errors, ExtraKeys, ScoreWeights, SeverityWeights};
use form::{Form, ListForm};
use hash::ContentHashes;
use nodes::{Group, Node, Step};

#[cfg(test)]
pub(crate) use graded::tests::protocol as graded_protocol;

/// A predicted field.
#[derive(Debug, Clone)]
pub struct Field {
    /// The key in the response.
    pub name: String,
    /// The name in expressions.
    pub alias: String,
    /// For people.
    pub unit: String,
    /// What it holds, or what the elements of a list are.
    pub kind: FieldKind,
    /// Whether its absence is a failure.
    pub required: bool,
    /// Whether null is an answer.
    pub nullable: bool,
    /// Lowest and highest plausible value.
    pub limit: Option<[f64; 2]>,
    /// Largest plausible change from one step to the next.
    pub jump: Option<f64>,
    /// What a value looks like, or an element of a list.
    pub form: Form,
    /// What the list looks like, if it is one.
    pub list: Option<ListForm>,
    /// Where it stands.
    pub at: Vec<Step>,
    /// The error that counts as 1 where errors are scaled.
    pub scale: f64,
    /// How much its error counts.
    pub weight: f64,
    /// By which key the objects are matched that it is put together from.
    pub key: Option<String>,
    /// It is looked at only where this holds.
    pub when: Option<Expr>,
}

impl Field {
    /// Whether it holds single numbers.
    pub fn is_number(&self) -> bool {
        self.is_of_numbers() && self.list.is_none()
    }

    fn is_of_numbers(&self) -> bool {
        matches!(self.form, Form::Number { .. })
    }

    /// As expressions know it.
    pub(crate) fn variable(&self) -> Variable<'_> {
        let element = match &self.form {
            Form::Number { .. } => Kind::Number,
            Form::Boolean { .. } => Kind::Boolean,
            Form::Date(_) => Kind::Date,
            Form::Text(_) | Form::Enum(_) | Form::Object(_) => Kind::Text,
        };
        Variable {
            name: &self.alias,
            kind: match self.list {
                Some(_) => Kind::List,
                None => element,
            },
            element,
            values: match &self.form {
                Form::Enum(form) => Some(Values {
                    names: &form.values,
                    aliases: &form.aliases,
                }),
                _ => None,
            },
        }
    }

    /// A value of it, for people.
    pub fn shown(&self, number: f64, value: &Value) -> String {
        let mut shown = String::new();
        self.show(number, value, usize::MAX, &mut shown);
        shown
    }

    /// Appends a value of it, for people; of a list, elements until there are `enough` bytes.
    pub fn show(&self, number: f64, value: &Value, enough: usize, out: &mut String) {
        match value {
            Value::Text(text) => out.push_str(text),
            // Protocols of numbers alone hold nothing beside the number.
            Value::Null if number.is_nan() => out.push_str("null"),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    if out.len() > enough {
                        break;
                    }
                    self.show(item.number(), item, enough, out);
                }
                out.push(']');
            }
            Value::Null | Value::Nothing | Value::Unusable | Value::Number(_) => match &self.form {
                Form::Boolean { .. } if number == 1.0 => out.push_str("true"),
                Form::Boolean { .. } if number == 0.0 => out.push_str("false"),
                Form::Date(form) if !number.is_nan() => {
                    moment::show(number, form.with_time, out);
                }
                _ => out.push_str(&plain_number(number)),
            },
        }
    }

    /// What it should hold, in words.
    pub fn expected(&self) -> String {
        let mut form = self.form.expected();
        let Some(list) = &self.list else {
            return form;
        };
        if let Some([lo, hi]) = self.limit {
            form.push_str(&format!(" from {lo} to {hi}"));
        }
        let unlike = if list.unique { "different " } else { "" };
        let items = match list.items {
            [Some(least), Some(most)] => format!("{least} to {most} {unlike}items"),
            [Some(least), None] => format!("at least {least} {unlike}items"),
            [None, Some(most)] => format!("at most {most} {unlike}items"),
            [None, None] => format!("{unlike}items"),
        };
        format!("a list of {items}, each {form}")
    }

    /// The distance between two values of this field.
    #[inline]
    pub fn distance(&self, a: f64, b: f64) -> f64 {
        match self.kind {
            // What is not finite, a null among it, is as far from others as in a linear field.
            FieldKind::Angle => {
                judica_stats::angle::shortest_arc(a, b).unwrap_or_else(|| (a - b).abs())
            }
            _ => (a - b).abs(),
        }
    }
}

/// A task.
#[derive(Debug, Clone)]
pub struct Task {
    /// As in `task_id`.
    pub name: String,
    /// scalar or array.
    pub shape: Shape,
    /// Values per field: 1 for scalar tasks.
    pub horizon: usize,
    /// For people.
    pub description: String,
}

/// A family of checks.
#[derive(Debug, Clone)]
pub struct Family {
    /// The atom's `type`.
    pub name: String,
    /// Families that run before.
    pub depends_on: Vec<String>,
    /// For people.
    pub description: String,
}

/// How availability, constraint satisfaction and the error against the gold are scored.
#[derive(Debug, Clone)]
pub struct ThreeScores {
    /// Weights of the three scores.
    pub weights: ScoreWeights,
    /// Weight of the MAE score.
    pub mae_weight: f64,
    /// Weight of the RMSE score.
    pub rmse_weight: f64,
    /// MAE to score.
    pub mae_curve: Curve,
    /// RMSE to score.
    pub rmse_curve: Curve,
}

/// A protocol, ready to run.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// Where it came from, for messages.
    pub origin: String,
    /// The text it was read from: a run folder keeps a copy.
    pub source: String,
    /// Short name.
    pub name: String,
    /// The author's own version.
    pub version: String,
    /// One sentence.
    pub description: String,
    /// Texts (lower case) that mark a provider failure.
    pub api_error_keywords: Vec<String>,
    /// Predicted fields, in order.
    pub fields: Vec<Field>,
    /// Where they stand, of a protocol that has others than numbers under keys of their own.
    pub nodes: Option<Node>,
    /// Lists of objects.
    pub groups: Vec<Group>,
    /// What keys are that it does not know.
    pub extra_keys: ExtraKeys,
    /// What errors the error score is made of.
    pub errors: Errors,
    /// Tasks, in order.
    pub tasks: Vec<Task>,
    /// Families in execution order; the first are those that every protocol has.
    pub families: Vec<Family>,
    /// Rules in execution order.
    pub rules: Vec<Rule>,
    /// What rules read besides the fields' own values at the step at hand: slots behind those
    /// of the fields.
    pub reads_beyond: Vec<Read>,
    /// A lone warning threshold becomes critical beyond this multiple of it.
    pub critical_factor: f64,
    /// Weights in the constraint-satisfaction score.
    pub severity_weights: SeverityWeights,
    /// Distance outside / width, beyond which a range violation is critical.
    pub critical_deviation: f64,
    /// What a scalar prediction's jump is measured from.
    pub jump_reference: JumpReference,
    /// The lowest severity that gates.
    pub gating_severity: Severity,
    /// What a gated record counts as.
    pub cap: f64,
    /// How many reasons are given.
    pub top_k: usize,
    /// The three scores, of a protocol that has them.
    pub three: Option<ThreeScores>,
    /// Dimensions, in order.
    pub dimensions: Vec<Dimension>,
    /// The total, where it is made of dimensions and not of the three scores.
    pub of_dimensions: Option<OfDimensions>,
    /// Grades, best first.
    pub grades: Vec<(String, f64)>,
    /// What summaries show.
    pub summary: file::SummarySection,
    /// Programs that check responses, in the order of the file.
    pub verifiers: Vec<Verifier>,
    /// The files that those are made of.
    pub programs: Vec<Program>,
    /// Content hashes for the trace.
    pub hashes: ContentHashes,
    field_by_name: FxHashMap<Vec<u8>, usize>,
    quoted_names: Vec<Vec<u8>>,
    task_by_name: FxHashMap<String, usize>,
}

impl Protocol {
    /// Position of the field with this key.
    #[inline]
    pub fn field_index(&self, name: &[u8]) -> Option<usize> {
        self.field_by_name.get(name).copied()
    }

    /// Whether a key at the top of an object leads to a field.
    pub fn knows_key(&self, key: &[u8]) -> bool {
        match &self.nodes {
            Some(root) => root.key(key, 0).is_some(),
            None => self.field_index(key).is_some(),
        }
    }

    /// A field's key as it stands in a response: in quotes. Empty for a name that JSON
    /// must escape, so that comparing bytes can never mistake one key for another.
    #[inline]
    pub fn quoted_name(&self, field: usize) -> Option<&[u8]> {
        self.quoted_names
            .get(field)
            .map(Vec::as_slice)
            .filter(|name| !name.is_empty())
    }

    /// Whether responses hold more than numbers: then values are kept as such, too.
    #[inline]
    pub fn is_mixed(&self) -> bool {
        self.nodes.is_some()
    }

    /// Whether the current state of samples is wanted.
    pub fn reads_state(&self) -> bool {
        let context = |read: &Read| read.source == Source::Context;
        self.jump_reference == JumpReference::CurrentState || self.reads_beyond.iter().any(context)
    }

    /// The task that is meant where none is named, of a protocol that has one alone.
    pub fn only_task(&self) -> Option<&str> {
        match &self.tasks[..] {
            [task] => Some(&task.name),
            _ => None,
        }
    }

    /// Position of the task with this name.
    pub fn task_index(&self, name: &str) -> Option<usize> {
        self.task_by_name.get(name).copied()
    }

    /// Every rule, also those that leave no atom and only adjust one, each behind that.
    pub fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.iter();
        rules.flat_map(|rule| {
            let adjusting = rule.adjusted_by.iter().map(|adjusting| &adjusting.rule);
            std::iter::once(rule).chain(adjusting)
        })
    }

    /// Whether atoms carry scores of their own.
    pub fn scores_atoms(&self) -> bool {
        !self.dimensions.is_empty() || self.rules.iter().any(|rule| rule.levels.is_some())
    }

    /// Whether an atom can fail without being a warning: a level of less than a full score,
    /// or one that is adjusted, may be of severity info.
    pub fn fails_as_info(&self) -> bool {
        self.rules.iter().any(Rule::fails_as_info)
    }

    /// How many fields are required.
    pub fn required_fields(&self) -> usize {
        self.fields.iter().filter(|field| field.required).count()
    }

    /// Whether a record can have a total of the three scores, of which availability needs a
    /// required field.
    pub fn has_totals(&self) -> bool {
        self.three.is_some() && self.fields.iter().any(|field| field.required)
    }

    /// The grade of a total.
    pub fn grade(&self, total: f64) -> Option<&str> {
        self.grades
            .iter()
            .find(|(_, from)| total >= *from)
            .map(|(grade, _)| grade.as_str())
    }

    /// The rule with this name: `<family>.<rule>`, with or without `constraint.` in front.
    pub fn canonical_rule_name(name: &str) -> &str {
        name.strip_prefix("constraint.").unwrap_or(name)
    }
}
