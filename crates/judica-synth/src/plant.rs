//! What a machine is to this crate: fields, tasks, and states that follow each other.

use crate::rng::Stream;
use crate::source::Task;

/// One field of a state, with the sizes of the mistakes models make about it.
///
/// The mistakes are standard deviations in the field's unit. They are chosen against
/// the thresholds of the protocol file, so that each personality shows in its results.
pub(crate) struct Field {
    /// The field's name, exactly as the protocol file spells it.
    pub name: &'static str,
    /// Decimals the instrument prints.
    pub decimals: u8,
    /// Whether the field is an angle that wraps at 360 degrees.
    pub angle: bool,
    /// Whether other fields determine this one (see [`Plant::reconcile`]).
    pub derived: bool,
    /// Whether even a bad model knows that the field is never negative.
    pub positive: bool,
    /// White error of a good model.
    pub fine: f64,
    /// White error of a noisy model.
    pub coarse: f64,
    /// Slowly wandering error of a noisy model.
    pub wander: f64,
    /// A single bad second of a noisy model: enough for a jump warning, not for more.
    pub spike: f64,
}

impl Field {
    /// A field measured on its own; `sizes` are fine, coarse, wander and spike.
    pub(crate) const fn free(name: &'static str, decimals: u8, sizes: [f64; 4]) -> Self {
        let [fine, coarse, wander, spike] = sizes;
        Self {
            name,
            decimals,
            angle: false,
            derived: false,
            positive: false,
            fine,
            coarse,
            wander,
            spike,
        }
    }

    pub(crate) const fn angle(mut self) -> Self {
        self.angle = true;
        self
    }

    pub(crate) const fn derived(mut self) -> Self {
        self.derived = true;
        self
    }

    pub(crate) const fn positive(mut self) -> Self {
        self.positive = true;
        self
    }
}

/// A simulated machine with `N` fields; every step is one second.
pub(crate) trait Plant<const N: usize>: 'static {
    /// Number of the domain in the random key, so that domains never share numbers.
    const DOMAIN: u64;
    /// The fields, in protocol order.
    const FIELDS: &'static [Field; N];
    /// The tasks, in protocol order.
    const TASKS: &'static [Task];
    /// Number of ways a prediction can be dangerous (see [`Plant::endanger`]).
    const HAZARDS: usize;

    /// A machine in its first second.
    fn start(rng: &mut Stream) -> Self;

    /// Advances one second and returns the state as its instruments show it: physical,
    /// inside every limit, and never further from the last state than a jump threshold.
    fn step(&mut self, rng: &mut Stream) -> [f64; N];

    /// Recomputes the derived fields of a predicted state from the others, as a model
    /// does that has understood the relations between them.
    fn reconcile(state: &mut [f64; N]);

    /// Moves a predicted state towards a dangerous one. At intensity 0 nothing changes,
    /// at 1 the state is critical by a safety or physics rule. `side` is +1 or -1.
    fn endanger(hazard: usize, intensity: f64, side: f64, state: &mut [f64; N]);

    /// Whether a hazard appears from one second to the next instead of building up.
    fn sudden(hazard: usize) -> bool;
}

/// Moves `value` towards `target` by the share `by`.
pub(crate) fn blend(value: &mut f64, target: f64, by: f64) {
    *value += (target - *value) * by;
}

/// Rounds every field to what its instrument prints.
pub(crate) fn quantise<const N: usize>(fields: &[Field; N], state: &mut [f64; N]) {
    for (value, field) in state.iter_mut().zip(fields) {
        let scale = crate::text::POW10[usize::from(field.decimals)];
        *value = (*value * scale).round() / scale;
    }
    // 359.6 rounds to 360, which is 0.
    settle(fields, state);
}

/// Wraps angles into [0, 360) and keeps what cannot be negative at zero.
pub(crate) fn settle<const N: usize>(fields: &[Field; N], state: &mut [f64; N]) {
    for (value, field) in state.iter_mut().zip(fields) {
        if field.angle {
            *value = wrap(*value);
        }
        if field.positive {
            *value = value.max(0.0);
        }
    }
}

/// The same direction in [0, 360).
pub(crate) fn wrap(degrees: f64) -> f64 {
    let turn = degrees - 360.0 * (degrees / 360.0).floor();
    // A tiny negative angle plus 360 rounds to 360 itself.
    if turn >= 360.0 { 0.0 } else { turn }
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn wrap_stays_below_a_full_turn() {
        assert_eq!(wrap(360.0), 0.0);
        assert_eq!(wrap(-1e-20), 0.0);
        assert_eq!(wrap(-90.0), 270.0);
        assert_eq!(wrap(725.0), 5.0);
    }
}
