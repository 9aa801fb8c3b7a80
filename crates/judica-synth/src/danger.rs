//! When an unsafe model is unsafe: a timeline of episodes that build up and fade.
//!
//! A dangerous state that appears in one second would be caught by the jump check
//! alone. Episodes rise over a few seconds, so that the safety and physics rules have
//! to find them; one hazard of each domain is sudden on purpose.

use std::collections::VecDeque;

use crate::plant::Plant;
use crate::rng::Stream;

/// Seconds in which an episode builds up and fades: slow enough for every jump threshold.
const RAMP: u32 = 6;

/// How dangerous one second is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Danger {
    pub hazard: usize,
    pub intensity: f64,
    pub side: f64,
}

struct Episode {
    hazard: usize,
    side: f64,
    peak: f64,
    ramp: u32,
    hold: u32,
    gap: u32,
    at: u32,
}

impl Episode {
    fn draw<const N: usize, P: Plant<N>>(rng: &mut Stream, at: u32) -> Self {
        let hazard = rng.below(P::HAZARDS);
        let sudden = P::sudden(hazard);
        Self {
            hazard,
            side: if rng.chance(0.5) { 1.0 } else { -1.0 },
            peak: rng.between(1.0, 1.1),
            ramp: if sudden { 0 } else { RAMP },
            hold: if sudden {
                rng.count(3, 7)
            } else {
                rng.count(8, 16)
            },
            gap: rng.count(8, 14),
            at,
        }
    }

    fn danger(&self) -> Danger {
        let end = 2 * self.ramp + self.hold;
        let share = if self.at >= end {
            0.0
        } else if self.at < self.ramp {
            f64::from(self.at + 1) / f64::from(self.ramp + 1)
        } else if self.at < self.ramp + self.hold {
            1.0
        } else {
            f64::from(end - self.at) / f64::from(self.ramp + 1)
        };
        Danger {
            hazard: self.hazard,
            intensity: share * self.peak,
            side: self.side,
        }
    }
}

/// The dangers of the seconds that the next answer is about.
pub(crate) struct Timeline {
    episode: Episode,
    window: VecDeque<Danger>,
}

impl Timeline {
    /// A timeline that looks `ahead` seconds ahead.
    pub(crate) fn start<const N: usize, P: Plant<N>>(rng: &mut Stream, ahead: usize) -> Self {
        let mut timeline = Self {
            episode: Episode::draw::<N, P>(rng, 0),
            window: VecDeque::with_capacity(ahead + 1),
        };
        for _ in 0..ahead {
            timeline.push::<N, P>(rng);
        }
        timeline
    }

    fn push<const N: usize, P: Plant<N>>(&mut self, rng: &mut Stream) {
        let episode = &mut self.episode;
        self.window.push_back(episode.danger());
        episode.at += 1;
        if episode.at >= 2 * episode.ramp + episode.hold + episode.gap {
            *episode = Episode::draw::<N, P>(rng, 0);
        }
    }

    /// Moves on by one second.
    pub(crate) fn advance<const N: usize, P: Plant<N>>(&mut self, rng: &mut Stream) {
        self.push::<N, P>(rng);
        self.window.pop_front();
    }

    /// The danger `step` seconds into the window; none beyond it.
    pub(crate) fn danger(&self, step: usize) -> Option<Danger> {
        self.window
            .get(step)
            .copied()
            .filter(|danger| danger.intensity > 0.0)
    }
}
