//! The compiled form: a flat list of instructions, and how it is put together.
//!
//! The machine has an accumulator for numbers, a flag for conditions and a
//! stack for numbers that wait for their right-hand side. Conditions never
//! wait: `and`, `or` and `if` are jumps on the flag. A right-hand side that is
//! a single variable or constant is part of the instruction that uses it, so
//! `abs(a - b)` is three instructions that touch no stack.

use super::beyond::Beyond;

/// Operators between two numbers: arithmetic, then comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// One instruction. A binary operator has the accumulator on its right and the
/// top of the stack on its left (plain form), or the accumulator on its left
/// and a variable or constant on its right.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    /// Puts a variable into the accumulator.
    LoadSlot(usize),
    /// Puts a constant into the accumulator.
    LoadConst(f64),
    /// Saves the accumulator on the stack, then loads.
    PushSlot(usize),
    /// Saves the accumulator on the stack, then loads.
    PushConst(f64),
    Add,
    AddSlot(usize),
    AddConst(f64),
    Sub,
    SubSlot(usize),
    SubConst(f64),
    Mul,
    MulSlot(usize),
    MulConst(f64),
    Div,
    DivSlot(usize),
    DivConst(f64),
    Lt,
    LtSlot(usize),
    LtConst(f64),
    Le,
    LeSlot(usize),
    LeConst(f64),
    Gt,
    GtSlot(usize),
    GtConst(f64),
    Ge,
    GeSlot(usize),
    GeConst(f64),
    Eq,
    EqSlot(usize),
    EqConst(f64),
    Ne,
    NeSlot(usize),
    NeConst(f64),
    Neg,
    Abs,
    Sqrt,
    /// A function of the accumulator.
    One(fn(f64) -> f64),
    /// A function of the top of the stack and the accumulator.
    Two(fn(f64, f64) -> f64),
    /// A function of the top two of the stack and the accumulator.
    Three(fn(f64, f64, f64) -> f64),
    /// Puts what is computed of more than numbers into the accumulator.
    Beyond(usize),
    /// Sets the flag by it.
    Test(usize),
    /// Sets the flag by a variable that is true or false.
    TestSlot(usize),
    /// Inverts the flag.
    Not,
    /// Goes on at this instruction.
    Jump(usize),
    /// Goes on at this instruction if the flag is set.
    JumpIf(usize),
    /// Goes on at this instruction unless the flag is set.
    JumpUnless(usize),
}

/// Instructions ready to run.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) code: Box<[Op]>,
    /// Most numbers that wait on the stack at a time.
    pub(super) peak: usize,
    /// What is computed of more than numbers.
    pub(super) beyond: Box<[Beyond]>,
    /// Which functions the instructions call, by position: for who reads the code instead of
    /// running it.
    pub(super) calls: Box<[(usize, &'static str)]>,
}

/// Instructions being put together, in the order of evaluation.
///
/// The code of any operand begins with a load: evaluation begins at a leaf.
/// Whoever needs the accumulator saved across an operand turns that load into
/// a push, so nothing has to be inserted into code that is already there.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    pub(super) code: Vec<Op>,
    beyond: Vec<Beyond>,
    calls: Vec<(usize, &'static str)>,
}

impl Assembler {
    /// The finished program.
    pub(super) fn program(self, peak: usize) -> Program {
        Program {
            code: self.code.into(),
            peak,
            beyond: self.beyond.into(),
            calls: self.calls.into(),
        }
    }

    /// Emits the call of a function.
    pub(super) fn call(&mut self, name: &'static str, op: Op) {
        self.calls.push((self.here(), name));
        self.emit(op);
    }

    /// Emits what is computed of more than numbers. Code of an operand begins with a load,
    /// so there is one even if nothing is.
    pub(super) fn beyond(&mut self, beyond: Beyond, op: fn(usize) -> Op) -> usize {
        let at = self.here();
        self.emit(Op::LoadConst(0.0));
        self.of_number(beyond, op);
        at
    }

    /// The same, computed of the number before it, too.
    pub(super) fn of_number(&mut self, beyond: Beyond, op: fn(usize) -> Op) {
        self.beyond.push(beyond);
        self.emit(op(self.beyond.len() - 1));
    }

    /// Where the next instruction will be.
    pub(super) fn here(&self) -> usize {
        self.code.len()
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.push(op);
    }

    /// Emits a jump whose target is not known yet; see [`Assembler::land`].
    pub(super) fn jump(&mut self, op: fn(usize) -> Op) -> usize {
        self.code.push(op(usize::MAX));
        self.here() - 1
    }

    /// Lets the jump at `site` go to the next instruction.
    pub(super) fn land(&mut self, site: usize) {
        let here = self.here();
        if let Op::Jump(to) | Op::JumpIf(to) | Op::JumpUnless(to) = &mut self.code[site] {
            *to = here;
        }
    }

    /// Saves the accumulator across the operand whose code starts at `at`.
    pub(super) fn save_across(&mut self, at: usize) {
        let first = &mut self.code[at];
        *first = match *first {
            Op::LoadSlot(slot) => Op::PushSlot(slot),
            Op::LoadConst(value) => Op::PushConst(value),
            other => unreachable!("an operand begins with a load, not {other:?}"),
        };
    }

    /// Applies `op` to what was computed before `at` and the operand there.
    /// Returns how many numbers wait on the stack while the latter is computed.
    pub(super) fn binary(&mut self, op: Binary, at: usize) -> usize {
        let leaf = self.here() == at + 1;
        match self.code[at] {
            Op::LoadSlot(slot) if leaf => self.code[at] = with_slot(op, slot),
            Op::LoadConst(value) if leaf => self.code[at] = with_const(op, value),
            _ => {
                self.save_across(at);
                self.emit(with_stack(op));
                return 1;
            }
        }
        0
    }

    /// Negates the operand whose code starts at `at`.
    pub(super) fn negate(&mut self, at: usize) {
        let leaf = self.here() == at + 1;
        match &mut self.code[at] {
            // A change of sign is exact, so it may be done now; `-5` is then
            // a constant like any other.
            Op::LoadConst(value) if leaf => *value = -*value,
            _ => self.emit(Op::Neg),
        }
    }
}

fn with_slot(op: Binary, slot: usize) -> Op {
    match op {
        Binary::Add => Op::AddSlot(slot),
        Binary::Sub => Op::SubSlot(slot),
        Binary::Mul => Op::MulSlot(slot),
        Binary::Div => Op::DivSlot(slot),
        Binary::Lt => Op::LtSlot(slot),
        Binary::Le => Op::LeSlot(slot),
        Binary::Gt => Op::GtSlot(slot),
        Binary::Ge => Op::GeSlot(slot),
        Binary::Eq => Op::EqSlot(slot),
        Binary::Ne => Op::NeSlot(slot),
    }
}

fn with_const(op: Binary, value: f64) -> Op {
    match op {
        Binary::Add => Op::AddConst(value),
        Binary::Sub => Op::SubConst(value),
        Binary::Mul => Op::MulConst(value),
        Binary::Div => Op::DivConst(value),
        Binary::Lt => Op::LtConst(value),
        Binary::Le => Op::LeConst(value),
        Binary::Gt => Op::GtConst(value),
        Binary::Ge => Op::GeConst(value),
        Binary::Eq => Op::EqConst(value),
        Binary::Ne => Op::NeConst(value),
    }
}

fn with_stack(op: Binary) -> Op {
    match op {
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
        Binary::Mul => Op::Mul,
        Binary::Div => Op::Div,
        Binary::Lt => Op::Lt,
        Binary::Le => Op::Le,
        Binary::Gt => Op::Gt,
        Binary::Ge => Op::Ge,
        Binary::Eq => Op::Eq,
        Binary::Ne => Op::Ne,
    }
}
