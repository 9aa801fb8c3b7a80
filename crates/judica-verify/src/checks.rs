//! Every check a protocol can make, numbered.
//!
//! An atom of evidence says *which* check (rule, field, step), its outcome and the
//! observed number; everything else about it is the same for every record and stands
//! here once. That is what keeps a full evidence pack small and fast.

use judica_model::evidence::Scope;
use rustc_hash::FxHashMap;

use crate::protocol::file::Each;
use crate::protocol::{Protocol, Shape, Task, family};

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckKind {
    /// `protocol.parse_failure`
    ParseFailure,
    /// `protocol.api_error`
    ApiError,
    /// `numeric_validity.missing_field`
    MissingField,
    /// `numeric_validity.wrong_shape`
    WrongShape,
    /// `numeric_validity.invalid_value`
    InvalidValue,
    /// `range_sanity.out_of_range`
    OutOfRange,
    /// `jump_dynamics.mutation_violation`
    Jump,
    /// A rule of the protocol file, by its position.
    Rule(usize),
}

/// One check: a rule, applied to a field (or several) at a step.
#[derive(Debug, Clone)]
pub struct Check {
    /// What it is about.
    pub kind: CheckKind,
    /// Position of its family.
    pub family: usize,
    /// Position of its rule name in [`Checks::rule_names`].
    pub rule: usize,
    /// Position of its label in [`Checks::labels`], `None` for several fields.
    pub label: Option<usize>,
    /// The field, `None` for several or none.
    pub field: Option<usize>,
    /// The step, for array tasks.
    pub step: Option<usize>,
    /// What it is about, in the record's words.
    pub scope: Scope,
}

/// Numbers of the checks of tasks with one shape and horizon.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Whether fields are arrays.
    pub shape: Shape,
    /// Values per field.
    pub horizon: usize,
    /// First of: one per field.
    pub missing: u16,
    /// First of: one per field.
    pub wrong_shape: u16,
    /// First of: one per field and step.
    pub value: u16,
    /// First of: one per field and step.
    pub range: u16,
    /// First of: one per field and step.
    pub jump: u16,
    /// Per rule, first of: one per step, or per field and step. `None` if it does not run.
    pub rules: Vec<Option<u16>>,
}

impl Layout {
    /// About how many atoms a whole response leaves: enough to make room for them.
    pub fn usual_atoms(&self, protocol: &Protocol) -> usize {
        let fields = protocol.fields.len();
        let of_rules =
            self.rules
                .iter()
                .zip(&protocol.rules)
                .map(|(runs, rule)| match (runs, rule.each) {
                    (None, _) => 0,
                    (Some(_), Each::Step) => self.horizon,
                    (Some(_), Each::Field) => fields,
                });
        fields * self.horizon + 2 * fields + of_rules.sum::<usize>()
    }
}

/// All checks of a protocol.
#[derive(Debug, Clone)]
pub struct Checks {
    /// By number.
    pub list: Vec<Check>,
    /// Layouts; see [`Checks::layout_of`].
    pub layouts: Vec<Layout>,
    layout_by_task: Vec<usize>,
    /// `<family>.<rule>` names.
    pub rule_names: Vec<String>,
    /// Field labels: `F`, and `F[i]` for elements.
    pub labels: Vec<String>,
    by_parts: FxHashMap<Parts, u16>,
}

/// What names a check from outside: layout, rule, label, step.
type Parts = (usize, usize, Option<usize>, Option<usize>);

/// Number of the check for a response that is not an object.
pub const PARSE_FAILURE: u16 = 0;
/// Number of the check for a provider failure.
pub const API_ERROR: u16 = 1;

/// Names of the built-in rules, by position in [`Checks::rule_names`].
pub const BUILT_IN_RULES: [(&str, usize); 7] = [
    ("protocol.parse_failure", family::PROTOCOL),
    ("protocol.api_error", family::PROTOCOL),
    ("numeric_validity.missing_field", family::NUMERIC_VALIDITY),
    ("numeric_validity.wrong_shape", family::NUMERIC_VALIDITY),
    ("numeric_validity.invalid_value", family::NUMERIC_VALIDITY),
    ("range_sanity.out_of_range", family::RANGE_SANITY),
    ("jump_dynamics.mutation_violation", family::JUMP_DYNAMICS),
];

/// The protocol asks for more checks than an atom can number.
#[derive(Debug, thiserror::Error)]
#[error("the protocol makes {0} different checks; at most 65,535 can be numbered")]
pub struct TooManyChecks(usize);

impl Checks {
    /// Numbers every check of a protocol.
    pub fn new(protocol: &Protocol) -> Result<Checks, TooManyChecks> {
        let mut builder = Builder::new(protocol);
        builder.sample_check(CheckKind::ParseFailure, 0);
        builder.sample_check(CheckKind::ApiError, 1);
        let mut layouts: Vec<Layout> = Vec::new();
        let mut layout_by_task = Vec::new();
        let mut ranges = Vec::new();
        for task in &protocol.tasks {
            let known = layouts
                .iter()
                .position(|known| (known.shape, known.horizon) == (task.shape, task.horizon));
            layout_by_task.push(known.unwrap_or(layouts.len()));
            if known.is_none() {
                let start = builder.list.len();
                layouts.push(builder.layout(task));
                ranges.push(start..builder.list.len());
            }
        }
        if builder.list.len() > usize::from(u16::MAX) {
            return Err(TooManyChecks(builder.list.len()));
        }
        let mut by_parts = FxHashMap::default();
        for (layout, range) in ranges.into_iter().enumerate() {
            // Every task can fail to be an answer at all.
            let of_layout = [usize::from(PARSE_FAILURE), usize::from(API_ERROR)]
                .into_iter()
                .chain(range);
            for number in of_layout {
                let check = &builder.list[number];
                by_parts.insert((layout, check.rule, check.label, check.step), number as u16);
            }
        }
        Ok(Checks {
            list: builder.list,
            layouts,
            layout_by_task,
            rule_names: builder.rule_names,
            labels: builder.labels,
            by_parts,
        })
    }

    /// The layout of a task.
    #[inline]
    pub fn layout_of(&self, task: usize) -> &Layout {
        &self.layouts[self.layout_by_task[task]]
    }

    /// The check with this number.
    #[inline]
    pub fn get(&self, number: u16) -> &Check {
        &self.list[usize::from(number)]
    }

    /// The number of a task's check with these parts.
    pub fn find(
        &self,
        task: usize,
        rule: usize,
        label: Option<usize>,
        step: Option<usize>,
    ) -> Option<u16> {
        self.by_parts
            .get(&(self.layout_by_task[task], rule, label, step))
            .copied()
    }

    /// The family a rule belongs to.
    pub fn family_of_rule(&self, rule: usize, protocol: &Protocol) -> usize {
        match BUILT_IN_RULES.get(rule) {
            Some((_, family)) => *family,
            None => protocol.rules[rule - BUILT_IN_RULES.len()].family,
        }
    }

    /// A check's field label.
    pub fn label(&self, check: &Check) -> Option<&str> {
        check.label.map(|label| self.labels[label].as_str())
    }
}

struct Builder<'p> {
    protocol: &'p Protocol,
    list: Vec<Check>,
    rule_names: Vec<String>,
    labels: Vec<String>,
}

impl<'p> Builder<'p> {
    fn new(protocol: &'p Protocol) -> Self {
        let built_in = BUILT_IN_RULES.iter().map(|(name, _)| (*name).to_owned());
        Builder {
            protocol,
            list: Vec::new(),
            rule_names: built_in
                .chain(protocol.rules.iter().map(|rule| rule.name.clone()))
                .collect(),
            // The first labels are the fields themselves, in order.
            labels: protocol
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
        }
    }

    fn next(&self) -> u16 {
        // Too many are refused at the end; until then the number may wrap.
        self.list.len() as u16
    }

    fn sample_check(&mut self, kind: CheckKind, rule: usize) {
        let family = BUILT_IN_RULES[rule].1;
        self.list.push(Check {
            kind,
            family,
            rule,
            label: None,
            field: None,
            step: None,
            scope: Scope::Sample,
        });
    }

    fn field_check(
        &mut self,
        kind: CheckKind,
        rule: usize,
        field: usize,
        label: usize,
        step: Option<usize>,
    ) {
        let family = match kind {
            CheckKind::Rule(position) => self.protocol.rules[position].family,
            _ => BUILT_IN_RULES[rule].1,
        };
        self.list.push(Check {
            kind,
            family,
            rule,
            label: Some(label),
            field: Some(field),
            step,
            scope: Scope::Field,
        });
    }

    fn layout(&mut self, task: &Task) -> Layout {
        let fields = self.protocol.fields.len();
        let is_array = task.shape == Shape::Array;
        let steps = || (0..task.horizon).map(move |step| is_array.then_some(step));
        let missing = self.next();
        (0..fields)
            .for_each(|field| self.field_check(CheckKind::MissingField, 2, field, field, None));
        let wrong_shape = self.next();
        (0..fields)
            .for_each(|field| self.field_check(CheckKind::WrongShape, 3, field, field, None));
        let value = self.next();
        for field in 0..fields {
            for step in steps() {
                let label = step.map_or(field, |step| self.element_label(field, step));
                self.field_check(CheckKind::InvalidValue, 4, field, label, step);
            }
        }
        let range = self.per_field_and_step(CheckKind::OutOfRange, 5, &steps);
        let jump = self.per_field_and_step(CheckKind::Jump, 6, &steps);
        let mut rules = Vec::new();
        for (position, rule) in self.protocol.rules.iter().enumerate() {
            if !rule.runs_for(task.shape) {
                rules.push(None);
                continue;
            }
            let kind = CheckKind::Rule(position);
            let name = BUILT_IN_RULES.len() + position;
            rules.push(Some(match rule.each {
                Each::Field => self.per_field_and_step(kind, name, &steps),
                Each::Step => self.per_step(kind, name, &rule.reads, rule.family, &steps),
            }));
        }
        Layout {
            shape: task.shape,
            horizon: task.horizon,
            missing,
            wrong_shape,
            value,
            range,
            jump,
            rules,
        }
    }

    fn per_field_and_step<I: Iterator<Item = Option<usize>>>(
        &mut self,
        kind: CheckKind,
        rule: usize,
        steps: &impl Fn() -> I,
    ) -> u16 {
        let first = self.next();
        for field in 0..self.protocol.fields.len() {
            steps().for_each(|step| self.field_check(kind, rule, field, field, step));
        }
        first
    }

    fn per_step<I: Iterator<Item = Option<usize>>>(
        &mut self,
        kind: CheckKind,
        rule: usize,
        reads: &[usize],
        family: usize,
        steps: &impl Fn() -> I,
    ) -> u16 {
        let first = self.next();
        for step in steps() {
            match reads {
                [field] => self.field_check(kind, rule, *field, *field, step),
                _ => {
                    let scope = Scope::CrossField;
                    self.list.push(Check {
                        kind,
                        family,
                        rule,
                        label: None,
                        field: None,
                        step,
                        scope,
                    });
                }
            }
        }
        first
    }

    fn element_label(&mut self, field: usize, step: usize) -> usize {
        let label = format!("{}[{step}]", self.protocol.fields[field].name);
        match self.labels.iter().position(|known| *known == label) {
            Some(position) => position,
            None => {
                self.labels.push(label);
                self.labels.len() - 1
            }
        }
    }
}
