//! Every check a protocol can make, numbered.
//!
//! An atom of evidence says *which* check (rule, field, step), its outcome and the
//! observed number; everything else about it is the same for every record and stands
//! here once. That is what keeps a full evidence pack small and fast.

pub mod extended;

use judica_model::evidence::Scope;
use rustc_hash::FxHashMap;

use crate::evidence::built_in;
use crate::evidence::family::{BuiltInRule, Per, Says, Spot};
use crate::protocol::file::Each;
use crate::protocol::levels::Grade;
use crate::protocol::{Field, Protocol, Shape, Task};

/// Who makes a check.
#[derive(Debug, Clone, Copy)]
pub enum CheckKind {
    /// A rule that every protocol has.
    BuiltIn(&'static BuiltInRule),
    /// A rule of the protocol file, by its position.
    Rule(usize),
    /// A program, whose words are the text of the atom.
    External,
}

/// One check: a rule, applied to a field (or several) at a step.
#[derive(Debug, Clone)]
pub struct Check {
    /// Who makes it.
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
    /// Values per field, for array tasks.
    pub array: Option<usize>,
    /// What it is about, in the record's words.
    pub scope: Scope,
}

impl Check {
    /// What its atoms say of the field.
    pub fn says(&self) -> Says {
        match self.kind {
            CheckKind::BuiltIn(rule) => rule.says,
            CheckKind::Rule(_) | CheckKind::External => Says::Nothing,
        }
    }
}

/// Numbers of the checks of tasks with one shape and horizon.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Whether fields are arrays.
    pub shape: Shape,
    /// Values per field.
    pub horizon: usize,
    /// The first check of each rule that every protocol has.
    pub built_in: Vec<u16>,
    /// Per rule, first of: one per step, or per field and step. `None` if it does not run.
    pub rules: Vec<Option<u16>>,
    /// Fields with limits, and those.
    pub limited: Vec<(usize, [f64; 2])>,
    /// Fields with a jump threshold, and that.
    pub jumping: Vec<(usize, f64)>,
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
    /// The family of each rule.
    family_of_rule: Vec<usize>,
    /// Field labels: `F`, and `F[i]` for elements.
    pub labels: Vec<String>,
    by_parts: FxHashMap<Parts, u16>,
}

/// What names a check from outside: layout, rule, label, step.
type Parts = (usize, usize, Option<usize>, Option<usize>);

/// The protocol asks for more checks than an atom can number.
#[derive(Debug, thiserror::Error)]
#[error("the protocol makes {0} different checks; at most 65,535 can be numbered")]
pub struct TooManyChecks(usize);

impl Checks {
    /// Numbers every check of a protocol.
    pub fn new(protocol: &Protocol) -> Result<Checks, TooManyChecks> {
        let mut builder = Builder::new(protocol);
        let of_responses = builder.of_responses();
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
                layouts.push(builder.layout(task, &of_responses));
                ranges.push(start..builder.list.len());
            }
        }
        if builder.list.len() > usize::from(u16::MAX) {
            return Err(TooManyChecks(builder.list.len()));
        }
        let mut by_parts = FxHashMap::default();
        for (layout, range) in ranges.into_iter().enumerate() {
            // Every task can fail to be an answer at all.
            let of_layout = of_responses.iter().map(|number| usize::from(*number));
            let of_layout = of_layout.chain(range);
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
            family_of_rule: builder.family_of_rule,
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
    pub fn family_of_rule(&self, rule: usize) -> usize {
        self.family_of_rule[rule]
    }

    /// What a check is about, in words.
    pub(crate) fn spot<'a>(&'a self, protocol: &'a Protocol, check: &'a Check) -> Spot<'a> {
        Spot {
            protocol,
            check,
            label: self.label(check).unwrap_or("the response"),
        }
    }

    /// Names of the rules that changed a grade of this check, in their order.
    pub fn adjusting<'p>(
        &self,
        protocol: &'p Protocol,
        check: u16,
        grade: Grade,
    ) -> impl Iterator<Item = &'p str> {
        let all = match self.get(check).kind {
            CheckKind::Rule(position) => protocol.rules[position].adjusted_by.as_slice(),
            CheckKind::BuiltIn(_) | CheckKind::External => &[],
        };
        let all = all.iter().enumerate();
        let did = all.filter(move |(number, _)| grade.adjusted >> number & 1 == 1);
        did.map(|(_, adjusting)| adjusting.rule.name.as_str())
    }

    /// A check's field label.
    pub fn label(&self, check: &Check) -> Option<&str> {
        check.label.map(|label| self.labels[label].as_str())
    }
}

/// What the checks of a rule have in common.
#[derive(Clone, Copy)]
struct Of {
    kind: CheckKind,
    rule: usize,
    array: Option<usize>,
}

/// The rules of a protocol that are written in Rust, in the order in which they are numbered.
pub(crate) fn built_in_rules(
    protocol: &Protocol,
) -> impl Iterator<Item = &'static BuiltInRule> + use<> {
    let families = built_in(protocol.is_mixed()).iter();
    families.flat_map(|family| family.rules)
}

struct Builder<'p> {
    protocol: &'p Protocol,
    list: Vec<Check>,
    rule_names: Vec<String>,
    family_of_rule: Vec<usize>,
    labels: Vec<String>,
}

impl<'p> Builder<'p> {
    fn new(protocol: &'p Protocol) -> Self {
        let families = built_in(protocol.is_mixed()).iter();
        let built_in = families.zip(0..).flat_map(|(family, number)| {
            let rules = family.rules.iter();
            rules.map(move |rule| (format!("{}.{}", family.name, rule.id), number))
        });
        let own = protocol.rules.iter();
        let own = own.map(|rule| (rule.name.clone(), rule.family));
        let (rule_names, family_of_rule) = built_in.chain(own).unzip();
        Builder {
            protocol,
            list: Vec::new(),
            rule_names,
            family_of_rule,
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

    /// The checks of responses as a whole, which are the same for every task.
    fn of_responses(&mut self) -> Vec<u16> {
        let mut numbers = Vec::new();
        for (rule, built_in) in built_in_rules(self.protocol).enumerate() {
            if built_in.per == Per::Response {
                numbers.push(self.next());
                self.list.push(Check {
                    kind: CheckKind::BuiltIn(built_in),
                    family: self.family_of_rule[rule],
                    rule,
                    label: None,
                    field: None,
                    step: None,
                    array: None,
                    scope: Scope::Sample,
                });
            }
        }
        numbers
    }

    fn field_check(&mut self, of: Of, field: usize, label: usize, step: Option<usize>) {
        self.list.push(Check {
            kind: of.kind,
            family: self.family_of_rule[of.rule],
            rule: of.rule,
            label: Some(label),
            field: Some(field),
            step,
            array: of.array,
            scope: Scope::Field,
        });
    }

    fn layout(&mut self, task: &Task, of_responses: &[u16]) -> Layout {
        let fields = self.protocol.fields.len();
        let array = (task.shape == Shape::Array).then_some(task.horizon);
        let steps = || (0..task.horizon).map(move |step| array.map(|_| step));
        let mut of_responses = of_responses.iter().copied();
        let mut built_in = Vec::new();
        for (rule, entry) in built_in_rules(self.protocol).enumerate() {
            let kind = CheckKind::BuiltIn(entry);
            let of = Of { kind, rule, array };
            let first = self.next();
            match entry.per {
                Per::Response => {
                    built_in.extend(of_responses.next());
                    continue;
                }
                Per::Field => {
                    (0..fields).for_each(|field| self.field_check(of, field, field, None))
                }
                Per::FieldAndStep => self.per_field_and_step(of, &steps),
                Per::Value => {
                    for field in 0..fields {
                        for step in steps() {
                            let label = step.map_or(field, |step| self.element_label(field, step));
                            self.field_check(of, field, label, step);
                        }
                    }
                }
            }
            built_in.push(first);
        }
        let mut rules = Vec::new();
        for (position, rule) in self.protocol.rules.iter().enumerate() {
            if !rule.runs_for(task.shape) {
                rules.push(None);
                continue;
            }
            let of = Of {
                kind: CheckKind::Rule(position),
                rule: built_in.len() + position,
                array,
            };
            rules.push(Some(self.next()));
            match rule.each {
                Each::Field => self.per_field_and_step(of, &steps),
                Each::Step => self.per_step(of, &rule.reads, &steps),
            }
        }
        let fields = self.protocol.fields.iter().enumerate();
        let limit = |(at, field): (usize, &Field)| Some((at, field.limit?));
        let jump = |(at, field): (usize, &Field)| Some((at, field.jump?));
        Layout {
            shape: task.shape,
            horizon: task.horizon,
            built_in,
            rules,
            limited: fields.clone().filter_map(limit).collect(),
            jumping: fields.filter_map(jump).collect(),
        }
    }

    fn per_field_and_step<I: Iterator<Item = Option<usize>>>(
        &mut self,
        of: Of,
        steps: &impl Fn() -> I,
    ) {
        for field in 0..self.protocol.fields.len() {
            steps().for_each(|step| self.field_check(of, field, field, step));
        }
    }

    fn per_step<I: Iterator<Item = Option<usize>>>(
        &mut self,
        of: Of,
        reads: &[usize],
        steps: &impl Fn() -> I,
    ) {
        for step in steps() {
            match reads {
                [field] => self.field_check(of, *field, *field, step),
                _ => self.list.push(Check {
                    kind: of.kind,
                    family: self.family_of_rule[of.rule],
                    rule: of.rule,
                    label: None,
                    field: None,
                    step,
                    array: of.array,
                    scope: Scope::CrossField,
                }),
            }
        }
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
