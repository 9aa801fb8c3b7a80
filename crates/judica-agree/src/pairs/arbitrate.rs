//! The rules of a policy as a table: every pair that can be is decided once, before the first
//! is read, so that a row costs a look-up however many rules there are.

use super::label::Label;

/// One of a policy's rules, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why(pub(super) u8);

impl Why {
    /// Its place among the rules.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// How a pair is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The first rule that holds.
    pub why: Why,
    /// The final label it leads to.
    pub label: Label,
}

/// A pair, as far as rules can tell pairs apart. No label stands for one that is not in the
/// label space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub flagged: bool,
    pub out_of_scope: bool,
    pub labels: [Option<Label>; 2],
}

/// What a rule asks of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Flagged(bool),
    OutOfScope(bool),
    Agree(bool),
    /// The rater of this place says one of these.
    Says(usize, Vec<Label>),
}

impl Condition {
    fn holds(&self, case: &Case) -> bool {
        match self {
            Condition::Flagged(asked) => case.flagged == *asked,
            Condition::OutOfScope(asked) => case.out_of_scope == *asked,
            Condition::Agree(asked) => {
                let agree = case.labels[0].is_some() && case.labels[0] == case.labels[1];
                agree == *asked
            }
            Condition::Says(rater, asked) => {
                case.labels[*rater].is_some_and(|said| asked.contains(&said))
            }
        }
    }
}

/// What a rule makes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// This label.
    Is(Label),
    /// What the rater of this place says.
    Of(usize),
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub why: String,
    pub when: Vec<Condition>,
    /// Nothing is excepted where this is empty.
    pub unless: Vec<Condition>,
    pub outcome: Outcome,
}

impl Rule {
    /// The final label, if the rule holds: one that takes a rater's label needs it known.
    fn decides(&self, case: &Case) -> Option<Label> {
        let all = |asked: &[Condition]| asked.iter().all(|condition| condition.holds(case));
        let excepted = !self.unless.is_empty() && all(&self.unless);
        match self.outcome {
            _ if excepted || !all(&self.when) => None,
            Outcome::Is(label) => Some(label),
            Outcome::Of(rater) => case.labels[rater],
        }
    }
}

/// What is wrong with rules that are each well written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// A rule holds for no pair.
    NeverHolds(usize),
    /// Whatever a rule holds for, these earlier ones decide.
    NeverReached(usize, Vec<usize>),
    /// Pairs like this one are decided by none.
    Undecided(Case),
}

/// Decisions on all pairs that can be: by flag and labels, and in each place first of pairs
/// whose citations are all in scope, then of the others.
#[derive(Clone, Debug)]
pub(super) struct Decisions {
    /// One more than there are labels.
    sides: usize,
    cells: Vec<[Decision; 2]>,
}

impl Decisions {
    /// Decides every pair.
    pub fn of(rules: &[Rule], labels: usize) -> Result<Self, Vec<Flaw>> {
        let sides = labels + 1;
        let mut flaws = Vec::new();
        let mut undecided = None;
        // Of each rule whether it decides, and who decides before it.
        let mut decides = vec![false; rules.len()];
        let mut before = vec![Vec::new(); rules.len()];
        let mut decide = |case: Case| {
            let mut holding = rules
                .iter()
                .enumerate()
                .filter_map(|(at, rule)| Some((at, rule.decides(&case)?)));
            let Some((first, label)) = holding.next() else {
                undecided.get_or_insert(case);
                return None;
            };
            decides[first] = true;
            for (later, _) in holding {
                if !before[later].contains(&first) {
                    before[later].push(first);
                }
            }
            let why = Why(first as u8);
            Some(Decision { why, label })
        };
        let known = |side: usize| (side < labels).then_some(Label(side as u8));
        let mut cells = Vec::with_capacity(2 * sides * sides);
        for at in 0..2 * sides * sides {
            let case = |out_of_scope| Case {
                flagged: at >= sides * sides,
                out_of_scope,
                labels: [at / sides % sides, at % sides].map(known),
            };
            let both = [decide(case(false)), decide(case(true))];
            if let [Some(inside), Some(outside)] = both {
                cells.push([inside, outside]);
            }
        }
        for (at, mut before) in before.into_iter().enumerate() {
            if !decides[at] {
                before.sort_unstable();
                flaws.push(match before.is_empty() {
                    true => Flaw::NeverHolds(at),
                    false => Flaw::NeverReached(at, before),
                });
            }
        }
        flaws.extend(undecided.map(Flaw::Undecided));
        match flaws.is_empty() {
            true => Ok(Decisions { sides, cells }),
            false => Err(flaws),
        }
    }

    /// Decides a pair. `in_scope` is asked only where it matters: whether all citations were
    /// retrieved.
    #[inline]
    pub fn look_up(
        &self,
        labels: [Option<Label>; 2],
        flagged: bool,
        in_scope: impl FnOnce() -> bool,
    ) -> Decision {
        let [row, column] = labels.map(|label| label.map_or(self.sides - 1, Label::index));
        let at = (usize::from(flagged) * self.sides + row) * self.sides + column;
        let [inside, outside] = self.cells[at];
        if inside == outside || in_scope() {
            inside
        } else {
            outside
        }
    }
}
