//! What a model believes the next seconds to be: the truth, spoilt by its personality.

use crate::danger::Timeline;
use crate::personality::{Kind, Model};
use crate::plant::Plant;
use crate::rng::Stream;

/// Share of a wandering error that is left after one second.
const MEMORY: f64 = 0.99;
/// Chance that a second of a noisy model has a spike in one field.
const SPIKE: f64 = 0.03;

/// One model's mind on one task; it remembers where its errors were.
pub(crate) struct Predictor<const N: usize> {
    kind: Kind,
    scale: f64,
    wander: [f64; N],
    danger: Option<Timeline>,
}

impl<const N: usize> Predictor<N> {
    pub(crate) fn start<P: Plant<N>>(model: &Model, rng: &mut Stream, ahead: usize) -> Self {
        let noisy = model.kind == Kind::Noisy;
        let mut wander = [0.0; N];
        if noisy {
            for (error, field) in wander.iter_mut().zip(P::FIELDS) {
                *error = field.wander * model.scale * rng.normal();
            }
        }
        let scale = match model.kind {
            // Those whose fault lies elsewhere are good, but not the best.
            Kind::RateLimited => 1.5 * model.scale,
            Kind::FormatBreaking => 2.0 * model.scale,
            _ => model.scale,
        };
        Self {
            kind: model.kind,
            scale,
            wander,
            danger: (model.kind == Kind::Unsafe).then(|| Timeline::start::<N, P>(rng, ahead)),
        }
    }

    /// Replaces the true next seconds by predicted ones, and moves on by one second.
    pub(crate) fn predict<P: Plant<N>>(&mut self, rng: &mut Stream, states: &mut [[f64; N]]) {
        let noisy = self.kind == Kind::Noisy;
        let spike = (noisy && rng.chance(SPIKE)).then(|| {
            let side = if rng.chance(0.5) { 1.0 } else { -1.0 };
            (rng.below(N), rng.below(states.len()), side)
        });
        for (step, state) in states.iter_mut().enumerate() {
            // What is further ahead is harder to predict.
            let scale = self.scale * (1.0 + 0.15 * step as f64);
            let mut after = [0.0; N];
            for (i, field) in P::FIELDS.iter().enumerate() {
                let white = if noisy { field.coarse } else { field.fine };
                let mut error = scale * white * rng.normal() + self.wander[i];
                if let Some((spiked, when, side)) = spike
                    && spiked == i
                    && when == step
                {
                    error = field.spike * side + self.wander[i];
                }
                // Errors of derived fields come after they are derived, or they would
                // be overwritten; they are what makes a state inconsistent.
                if field.derived {
                    after[i] = error;
                } else {
                    state[i] += error;
                }
            }
            if let Some(danger) = self.danger.as_ref().and_then(|line| line.danger(step)) {
                P::endanger(danger.hazard, danger.intensity, danger.side, state);
            }
            P::reconcile(state);
            for (value, error) in state.iter_mut().zip(after) {
                *value += error;
            }
        }
        self.advance::<P>(rng);
    }

    fn advance<P: Plant<N>>(&mut self, rng: &mut Stream) {
        if self.kind == Kind::Noisy {
            // The innovation keeps the wander's standard deviation at its field's size.
            let innovation = libm::sqrt(1.0 - MEMORY * MEMORY) * self.scale;
            for (error, field) in self.wander.iter_mut().zip(P::FIELDS) {
                *error = MEMORY * *error + innovation * field.wander * rng.normal();
            }
        }
        if let Some(timeline) = &mut self.danger {
            timeline.advance::<N, P>(rng);
        }
    }
}
