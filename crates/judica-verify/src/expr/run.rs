//! Evaluation: the hot loop.

use super::code::{Op, Program};
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
pub(super) struct Outcome {
    pub(super) number: f64,
    pub(super) condition: bool,
    /// Whether lists were gone over side by side of which one is longer than another.
    pub(super) misaligned: bool,
}

impl Program {
    /// Runs the instructions on these variables.
    #[inline]
    pub(super) fn run(&self, slots: Slots) -> Outcome {
        if self.peak <= SMALL {
            run::<SMALL>(self, slots)
        } else {
            run::<STACK>(self, slots)
        }
    }
}

/// `N` is a power of two of at least the program's peak. Indices are masked
/// with it only to spare the bounds check; they are always below it.
fn run<const N: usize>(program: &Program, slots: Slots) -> Outcome {
    const { assert!(N.is_power_of_two()) };
    let mut stack = [0.0; N];
    let mut height = 0_usize;
    let mut acc = 0.0_f64;
    let mut flag = false;
    let mut misaligned = false;
    let mut at = 0;
    let (code, numbers) = (&program.code, slots.numbers);

    // The check that a slot exists is needed in any case; to read NaN costs no
    // more than to panic.
    let slot = |index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
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

    while let Some(op) = code.get(at) {
        at += 1;
        match *op {
            Op::LoadSlot(index) => acc = slot(index),
            Op::LoadConst(value) => acc = value,
            Op::PushSlot(index) => push!(slot(index)),
            Op::PushConst(value) => push!(value),
            Op::Add => acc += pop!(),
            Op::AddSlot(index) => acc += slot(index),
            Op::AddConst(value) => acc += value,
            Op::Sub => acc = pop!() - acc,
            Op::SubSlot(index) => acc -= slot(index),
            Op::SubConst(value) => acc -= value,
            Op::Mul => acc *= pop!(),
            Op::MulSlot(index) => acc *= slot(index),
            Op::MulConst(value) => acc *= value,
            Op::Div => acc = pop!() / acc,
            Op::DivSlot(index) => acc /= slot(index),
            Op::DivConst(value) => acc /= value,
            Op::Lt => flag = pop!() < acc,
            Op::LtSlot(index) => flag = acc < slot(index),
            Op::LtConst(value) => flag = acc < value,
            Op::Le => flag = pop!() <= acc,
            Op::LeSlot(index) => flag = acc <= slot(index),
            Op::LeConst(value) => flag = acc <= value,
            Op::Gt => flag = pop!() > acc,
            Op::GtSlot(index) => flag = acc > slot(index),
            Op::GtConst(value) => flag = acc > value,
            Op::Ge => flag = pop!() >= acc,
            Op::GeSlot(index) => flag = acc >= slot(index),
            Op::GeConst(value) => flag = acc >= value,
            Op::Eq => flag = pop!() == acc,
            Op::EqSlot(index) => flag = acc == slot(index),
            Op::EqConst(value) => flag = acc == value,
            Op::Ne => flag = pop!() != acc,
            Op::NeSlot(index) => flag = acc != slot(index),
            Op::NeConst(value) => flag = acc != value,
            Op::Neg => acc = -acc,
            Op::Abs => acc = acc.abs(),
            Op::Sqrt => acc = acc.sqrt(),
            Op::One(function) => acc = function(acc),
            Op::Two(function) => acc = function(pop!(), acc),
            Op::Three(function) => {
                let middle = pop!();
                acc = function(pop!(), middle, acc);
            }
            Op::Beyond(index) => {
                misaligned |= program.beyond[index].is_misaligned(slots);
                acc = program.beyond[index].value(slots, acc);
            }
            Op::Test(index) => {
                misaligned |= program.beyond[index].is_misaligned(slots);
                flag = program.beyond[index].value(slots, acc) == 1.0;
            }
            Op::TestSlot(index) => flag = slot(index) == 1.0,
            Op::Not => flag = !flag,
            Op::Jump(to) => at = to,
            Op::JumpIf(to) => {
                if flag {
                    at = to;
                }
            }
            Op::JumpUnless(to) => {
                if !flag {
                    at = to;
                }
            }
        }
    }
    Outcome {
        number: acc,
        condition: flag,
        misaligned,
    }
}
