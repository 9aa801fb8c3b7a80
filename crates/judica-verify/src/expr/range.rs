//! All values that an expression can take: its code, run on intervals.
//!
//! Jumps go forward only, so that one pass suffices: where a condition can turn out either
//! way, both ways are followed, and joined where they meet again.

use super::code::{Op, Program};
use super::interval::{Interval, call};
use super::{Expr, Kind};

/// Whether a condition can hold, and whether it can fail to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// It may hold.
    pub yes: bool,
    /// It may not hold.
    pub no: bool,
}

#[derive(Debug, Clone)]
struct State {
    number: Interval,
    flag: Truth,
    waiting: Vec<Interval>,
}

impl State {
    fn or(mut self, other: &State) -> State {
        self.number = self.number.or(other.number);
        self.flag.yes |= other.flag.yes;
        self.flag.no |= other.flag.no;
        for (ours, theirs) in self.waiting.iter_mut().zip(&other.waiting) {
            *ours = ours.or(*theirs);
        }
        self
    }
}

impl Expr {
    /// The values it can take for slots in these intervals, of a number.
    pub fn range(&self, slots: &[Interval]) -> Interval {
        self.program.explore(slots).number
    }

    /// Whether it can hold for slots in these intervals, and whether it can fail to.
    pub fn truth(&self, slots: &[Interval]) -> Truth {
        let state = self.program.explore(slots);
        match self.kind {
            Kind::Boolean => state.flag,
            _ => EITHER,
        }
    }
}

impl Program {
    fn explore(&self, slots: &[Interval]) -> State {
        let slot = |index: usize| slots.get(index).copied().unwrap_or(Interval::ANY);
        let start = State {
            number: Interval::point(0.0),
            flag: Truth {
                yes: false,
                no: true,
            },
            waiting: Vec::new(),
        };
        // What can arrive at each instruction, and at the end.
        let mut arriving: Vec<Option<State>> = vec![None; self.code.len() + 1];
        arriving[0] = Some(start.clone());
        let arrive = |arriving: &mut Vec<Option<State>>, at: usize, state: State| {
            let place = &mut arriving[at];
            *place = Some(match place.take() {
                Some(other) => other.or(&state),
                None => state,
            });
        };
        for (at, op) in self.code.iter().enumerate() {
            let Some(mut state) = arriving[at].take() else {
                continue;
            };
            let next = at + 1;
            let jump = match *op {
                Op::Jump(to) => Some((to, true, true)),
                Op::JumpIf(to) => Some((to, state.flag.yes, false)),
                Op::JumpUnless(to) => Some((to, state.flag.no, false)),
                _ => None,
            };
            if let Some((to, taken, always)) = jump {
                let on_yes = matches!(op, Op::JumpIf(_));
                let known = |yes: bool| Truth { yes, no: !yes };
                let passed = !always
                    && if on_yes {
                        state.flag.no
                    } else {
                        state.flag.yes
                    };
                if taken {
                    let flag = if always { state.flag } else { known(on_yes) };
                    let state = State {
                        flag,
                        ..state.clone()
                    };
                    arrive(&mut arriving, to, state);
                }
                if passed {
                    let flag = known(!on_yes);
                    arrive(&mut arriving, next, State { flag, ..state });
                }
                continue;
            }
            self.step(at, *op, &slot, &mut state);
            arrive(&mut arriving, next, state);
        }
        arriving.pop().flatten().unwrap_or(start)
    }

    /// One instruction that does not jump.
    fn step(&self, at: usize, op: Op, slot: &impl Fn(usize) -> Interval, state: &mut State) {
        let acc = state.number;
        let mut pop = || state.waiting.pop().unwrap_or(Interval::ANY);
        let point = Interval::point;
        let name = || {
            let found = self.calls.binary_search_by_key(&at, |(at, _)| *at);
            found.map_or("", |position| self.calls[position].1)
        };
        match op {
            Op::LoadSlot(index) => state.number = slot(index),
            Op::LoadConst(value) => state.number = point(value),
            Op::PushSlot(index) => {
                state.waiting.push(acc);
                state.number = slot(index);
            }
            Op::PushConst(value) => {
                state.waiting.push(acc);
                state.number = point(value);
            }
            Op::Add => state.number = call("+", &[pop(), acc]),
            Op::AddSlot(index) => state.number = call("+", &[acc, slot(index)]),
            Op::AddConst(value) => state.number = call("+", &[acc, point(value)]),
            Op::Sub => state.number = call("-", &[pop(), acc]),
            Op::SubSlot(index) => state.number = call("-", &[acc, slot(index)]),
            Op::SubConst(value) => state.number = call("-", &[acc, point(value)]),
            Op::Mul => state.number = call("*", &[pop(), acc]),
            Op::MulSlot(index) => state.number = call("*", &[acc, slot(index)]),
            Op::MulConst(value) => state.number = call("*", &[acc, point(value)]),
            Op::Div => state.number = call("/", &[pop(), acc]),
            Op::DivSlot(index) => state.number = call("/", &[acc, slot(index)]),
            Op::DivConst(value) => state.number = call("/", &[acc, point(value)]),
            Op::Lt => state.flag = compared("<", pop(), acc),
            Op::LtSlot(index) => state.flag = compared("<", acc, slot(index)),
            Op::LtConst(value) => state.flag = compared("<", acc, point(value)),
            Op::Le => state.flag = compared("<=", pop(), acc),
            Op::LeSlot(index) => state.flag = compared("<=", acc, slot(index)),
            Op::LeConst(value) => state.flag = compared("<=", acc, point(value)),
            Op::Gt => state.flag = compared("<", acc, pop()),
            Op::GtSlot(index) => state.flag = compared("<", slot(index), acc),
            Op::GtConst(value) => state.flag = compared("<", point(value), acc),
            Op::Ge => state.flag = compared("<=", acc, pop()),
            Op::GeSlot(index) => state.flag = compared("<=", slot(index), acc),
            Op::GeConst(value) => state.flag = compared("<=", point(value), acc),
            Op::Eq => state.flag = compared("==", pop(), acc),
            Op::EqSlot(index) => state.flag = compared("==", acc, slot(index)),
            Op::EqConst(value) => state.flag = compared("==", acc, point(value)),
            Op::Ne => state.flag = opposite(compared("==", pop(), acc)),
            Op::NeSlot(index) => state.flag = opposite(compared("==", acc, slot(index))),
            Op::NeConst(value) => state.flag = opposite(compared("==", acc, point(value))),
            Op::Neg => state.number = call("-", &[point(0.0), acc]),
            Op::Abs => state.number = call("abs", &[acc]),
            Op::Sqrt => state.number = call("sqrt", &[acc]),
            Op::One(_) => state.number = call(name(), &[acc]),
            Op::Two(_) => state.number = call(name(), &[pop(), acc]),
            Op::Three(_) => {
                let middle = pop();
                state.number = call(name(), &[pop(), middle, acc]);
            }
            Op::Beyond(_) => state.number = Interval::ANY,
            Op::Test(_) | Op::TestSlot(_) => state.flag = EITHER,
            Op::Not => state.flag = opposite(state.flag),
            Op::Jump(_) | Op::JumpIf(_) | Op::JumpUnless(_) => {}
        }
    }
}

/// What is not about numbers may hold or not.
const EITHER: Truth = Truth {
    yes: true,
    no: true,
};

fn opposite(truth: Truth) -> Truth {
    Truth {
        yes: truth.no,
        no: truth.yes,
    }
}

/// `<`, `<=` or `==` between all of `a` and all of `b`; of a missing value none holds.
fn compared(operator: &str, a: Interval, b: Interval) -> Truth {
    if a.is_empty() || b.is_empty() {
        return Truth {
            yes: false,
            no: true,
        };
    }
    let (yes, no) = match operator {
        "<" => (a.low < b.high, a.high >= b.low),
        "<=" => (a.low <= b.high, a.high > b.low),
        _ => (
            a.low <= b.high && b.low <= a.high,
            !(a.low == a.high && b.low == b.high && a.low == b.low),
        ),
    };
    Truth {
        yes,
        no: no || a.nan || b.nan,
    }
}
