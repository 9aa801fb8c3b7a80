//! Evaluation: the hot loop.

use super::code::{Op, Program};
use super::lanes::{Lanes, Number};
use super::scope::Slots;

/// Most numbers that may wait on the stack at a time; more is refused when the
/// expression is compiled.
pub(super) const STACK: usize = 64;

/// Stack of nearly every expression. Clearing it costs next to nothing,
/// whereas clearing the full one would cost more than a short rule does.
const SMALL: usize = 8;

/// Accumulator and flag at the end; the kind of the expression says which one
/// of them is meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome<V: Number = f64> {
    pub(super) number: V,
    pub(super) condition: V::Flag,
    /// Whether lists were gone over side by side of which one is longer than another.
    pub(super) misaligned: bool,
}

impl Program {
    /// Runs the instructions on these variables.
    #[inline]
    pub(super) fn run(&self, slots: Slots) -> Outcome {
        let outcome = if self.peak <= SMALL {
            run::<f64, SMALL>(self, slots)
        } else {
            run::<f64, STACK>(self, slots)
        };
        // One record never goes two ways.
        outcome.unwrap_or(Outcome {
            number: f64::NAN,
            condition: false,
            misaligned: true,
        })
    }

    /// The same on those of several records; `None` where they would go different ways, and of
    /// what is seldom written.
    pub(super) fn run_lanes(&self, slots: &[Lanes]) -> Option<Outcome<Lanes>> {
        (self.peak <= SMALL).then(|| run::<Lanes, SMALL>(self, slots))?
    }
}

/// `N` is a power of two of at least the program's peak. Indices are masked
/// with it only to spare the bounds check; they are always below it.
fn run<V: Number, const N: usize>(program: &Program, slots: V::Slots<'_>) -> Option<Outcome<V>> {
    const { assert!(N.is_power_of_two()) };
    let mut stack = [V::of(0.0); N];
    let mut height = 0_usize;
    let mut acc = V::of(0.0);
    let mut flag = V::never();
    let mut misaligned = false;
    let mut at = 0;
    let code = &program.code;

    let slot = |index: usize| V::slot(slots, index);
    macro_rules! pop {
        () => {{
            height = height.wrapping_sub(1);
            stack[height & (N - 1)]
        }};
    }
    macro_rules! push {
        ($value:expr) => {{
            stack[height & (N - 1)] = acc;
            height = height.wrapping_add(1);
            acc = $value;
        }};
    }
    macro_rules! beyond {
        ($index:expr) => {{
            let (value, odd) = acc.beyond(&program.beyond[$index], slots)?;
            misaligned |= odd;
            value
        }};
    }

    while let Some(op) = code.get(at) {
        at += 1;
        match *op {
            Op::LoadSlot(index) => acc = slot(index),
            Op::LoadConst(value) => acc = V::of(value),
            Op::PushSlot(index) => push!(slot(index)),
            Op::PushConst(value) => push!(V::of(value)),
            Op::Add => acc = pop!().with(acc, |a, b| a + b),
            Op::AddSlot(index) => acc = acc.with(slot(index), |a, b| a + b),
            Op::AddConst(value) => acc = acc.map(|a| a + value),
            Op::Sub => acc = pop!().with(acc, |a, b| a - b),
            Op::SubSlot(index) => acc = acc.with(slot(index), |a, b| a - b),
            Op::SubConst(value) => acc = acc.map(|a| a - value),
            Op::Mul => acc = pop!().with(acc, |a, b| a * b),
            Op::MulSlot(index) => acc = acc.with(slot(index), |a, b| a * b),
            Op::MulConst(value) => acc = acc.map(|a| a * value),
            Op::Div => acc = pop!().with(acc, |a, b| a / b),
            Op::DivSlot(index) => acc = acc.with(slot(index), |a, b| a / b),
            Op::DivConst(value) => acc = acc.map(|a| a / value),
            Op::Lt => flag = pop!().is(acc, |a, b| a < b),
            Op::LtSlot(index) => flag = acc.is(slot(index), |a, b| a < b),
            Op::LtConst(value) => flag = acc.is(V::of(value), |a, b| a < b),
            Op::Le => flag = pop!().is(acc, |a, b| a <= b),
            Op::LeSlot(index) => flag = acc.is(slot(index), |a, b| a <= b),
            Op::LeConst(value) => flag = acc.is(V::of(value), |a, b| a <= b),
            Op::Gt => flag = pop!().is(acc, |a, b| a > b),
            Op::GtSlot(index) => flag = acc.is(slot(index), |a, b| a > b),
            Op::GtConst(value) => flag = acc.is(V::of(value), |a, b| a > b),
            Op::Ge => flag = pop!().is(acc, |a, b| a >= b),
            Op::GeSlot(index) => flag = acc.is(slot(index), |a, b| a >= b),
            Op::GeConst(value) => flag = acc.is(V::of(value), |a, b| a >= b),
            Op::Eq => flag = pop!().is(acc, |a, b| a == b),
            Op::EqSlot(index) => flag = acc.is(slot(index), |a, b| a == b),
            Op::EqConst(value) => flag = acc.is(V::of(value), |a, b| a == b),
            Op::Ne => flag = pop!().is(acc, |a, b| a != b),
            Op::NeSlot(index) => flag = acc.is(slot(index), |a, b| a != b),
            Op::NeConst(value) => flag = acc.is(V::of(value), |a, b| a != b),
            Op::Neg => acc = acc.map(|a| -a),
            Op::Abs => acc = acc.map(f64::abs),
            Op::Sqrt => acc = acc.map(f64::sqrt),
            Op::One(function) => acc = acc.map(function),
            Op::Two(function) => acc = pop!().with(acc, function),
            Op::Three(function) => {
                let middle = pop!();
                acc = pop!().with3(middle, acc, function);
            }
            Op::Beyond(index) => acc = beyond!(index),
            Op::Test(index) => flag = beyond!(index).is(V::of(1.0), |a, b| a == b),
            Op::TestSlot(index) => flag = slot(index).is(V::of(1.0), |a, b| a == b),
            Op::Not => flag = V::not(flag),
            Op::Jump(to) => at = to,
            Op::JumpIf(to) => {
                if V::decided(flag)? {
                    at = to;
                }
            }
            Op::JumpUnless(to) => {
                if !V::decided(flag)? {
                    at = to;
                }
            }
        }
    }
    Some(Outcome {
        number: acc,
        condition: flag,
        misaligned,
    })
}
