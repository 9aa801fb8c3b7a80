//! What expressions compute with: one number, or those of several records side by side.

use super::beyond::Beyond;
use super::scope::Slots;

/// How many records stand side by side.
pub const LANES: usize = 32;

/// A number of each of several records.
pub type Lanes = [f64; LANES];

/// Whether something is so of each of them: 1 or 0, as wide as the numbers, so that both are
/// worked on at once.
pub type Flags = [u64; LANES];

/// A number, or several.
pub(super) trait Number: Copy {
    /// Whether something is so.
    type Flag: Copy;
    /// Where variables stand.
    type Slots<'s>: Copy;

    fn of(value: f64) -> Self;
    fn map(self, function: impl Fn(f64) -> f64) -> Self;
    fn with(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self;
    fn with3(self, second: Self, third: Self, function: impl Fn(f64, f64, f64) -> f64) -> Self;
    fn is(self, other: Self, function: impl Fn(f64, f64) -> bool) -> Self::Flag;
    fn never() -> Self::Flag;
    fn not(flag: Self::Flag) -> Self::Flag;
    /// The one answer; `None` where records differ.
    fn decided(flag: Self::Flag) -> Option<bool>;
    /// A variable; NaN for one that there is not.
    fn slot(slots: Self::Slots<'_>, index: usize) -> Self;
    /// What is computed of more than numbers, and whether it cannot be; `None` of several
    /// records, which have numbers alone.
    fn beyond(self, beyond: &Beyond, slots: Self::Slots<'_>) -> Option<(Self, bool)>;
}

impl Number for f64 {
    type Flag = bool;
    type Slots<'s> = Slots<'s>;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn map(self, function: impl Fn(f64) -> f64) -> f64 {
        function(self)
    }

    #[inline(always)]
    fn with(self, other: f64, function: impl Fn(f64, f64) -> f64) -> f64 {
        function(self, other)
    }

    #[inline(always)]
    fn with3(self, second: f64, third: f64, function: impl Fn(f64, f64, f64) -> f64) -> f64 {
        function(self, second, third)
    }

    #[inline(always)]
    fn is(self, other: f64, function: impl Fn(f64, f64) -> bool) -> bool {
        function(self, other)
    }

    #[inline(always)]
    fn never() -> bool {
        false
    }

    #[inline(always)]
    fn not(flag: bool) -> bool {
        !flag
    }

    #[inline(always)]
    fn decided(flag: bool) -> Option<bool> {
        Some(flag)
    }

    /// The check that a slot exists is needed in any case; to read NaN costs no more than to
    /// panic.
    #[inline(always)]
    fn slot(slots: Slots, index: usize) -> f64 {
        slots.numbers.get(index).copied().unwrap_or(f64::NAN)
    }

    #[inline(always)]
    fn beyond(self, beyond: &Beyond, slots: Slots) -> Option<(f64, bool)> {
        Some((beyond.value(slots, self), beyond.is_misaligned(slots)))
    }
}

impl Number for Lanes {
    type Flag = Flags;
    type Slots<'s> = &'s [Lanes];

    #[inline(always)]
    fn of(value: f64) -> Lanes {
        [value; LANES]
    }

    #[inline(always)]
    fn map(mut self, function: impl Fn(f64) -> f64) -> Lanes {
        self.iter_mut().for_each(|lane| *lane = function(*lane));
        self
    }

    #[inline(always)]
    fn with(mut self, other: Lanes, function: impl Fn(f64, f64) -> f64) -> Lanes {
        for (lane, other) in self.iter_mut().zip(other) {
            *lane = function(*lane, other);
        }
        self
    }

    #[inline(always)]
    fn with3(self, second: Lanes, third: Lanes, function: impl Fn(f64, f64, f64) -> f64) -> Lanes {
        std::array::from_fn(|lane| function(self[lane], second[lane], third[lane]))
    }

    #[inline(always)]
    fn is(self, other: Lanes, function: impl Fn(f64, f64) -> bool) -> Flags {
        let mut flags = [0; LANES];
        for (flag, (lane, other)) in flags.iter_mut().zip(self.iter().zip(other)) {
            *flag = u64::from(function(*lane, other));
        }
        flags
    }

    #[inline(always)]
    fn never() -> Flags {
        [0; LANES]
    }

    #[inline(always)]
    fn not(flags: Flags) -> Flags {
        flags.map(|flag| flag ^ 1)
    }

    #[inline(always)]
    fn decided(flags: Flags) -> Option<bool> {
        match flags.iter().sum::<u64>() {
            0 => Some(false),
            all if all == LANES as u64 => Some(true),
            _ => None,
        }
    }

    #[inline(always)]
    fn slot(slots: &[Lanes], index: usize) -> Lanes {
        slots.get(index).copied().unwrap_or([f64::NAN; LANES])
    }

    fn beyond(self, _: &Beyond, _: &[Lanes]) -> Option<(Lanes, bool)> {
        None
    }
}
