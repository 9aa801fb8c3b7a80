//! Samples of some lines, read but not yet among the others.

use std::ops::Range;

use super::read::{GivenGold, GoldReading};
use super::{Sample, Samples};
use crate::line::Refusal;
use crate::protocol::Protocol;
use crate::response::FieldState;

/// Samples in the order of their lines, and what became of their gold.
#[derive(Default)]
pub(super) struct Piece {
    pub samples: Samples,
    given: Vec<GivenGold>,
    /// Of all fields of each.
    states: Vec<FieldState>,
    texts: Vec<(u32, Box<str>)>,
    /// Where the values and texts of each end.
    ends: Vec<(usize, usize)>,
}

impl Piece {
    /// Says what became of the gold of the sample that was read last.
    pub fn end_sample(
        &mut self,
        given: GivenGold,
        states: &[FieldState],
        texts: &mut Vec<(u32, Box<str>)>,
    ) {
        self.given.push(given);
        self.states.extend_from_slice(states);
        self.texts.append(texts);
        self.ends
            .push((self.samples.values.len(), self.texts.len()));
    }

    fn before(&self, at: usize) -> (usize, usize) {
        at.checked_sub(1).map_or((0, 0), |at| self.ends[at])
    }

    /// The gold of a sample.
    pub fn gold<'a>(&'a self, protocol: &Protocol, at: usize) -> GoldReading<'a> {
        let sample = &self.samples.list[at];
        let fields = protocol.fields.len();
        GoldReading {
            sample_id: &sample.id,
            task: sample.task as usize,
            given: &self.given[at],
            states: &self.states[at * fields..][..fields],
            values: self.samples.gold(protocol, sample),
            texts: &self.texts[self.before(at).1..self.ends[at].1],
            current_state: self.samples.current_state(protocol, sample),
        }
    }

    /// Where the values of a sample stand.
    fn values(&self, at: usize) -> Range<usize> {
        self.before(at).0..self.ends[at].0
    }
}

impl Samples {
    /// Takes a sample of a piece, unless there is one with its id.
    pub(super) fn adopt(&mut self, piece: &mut Piece, at: usize) -> Result<(), Refusal> {
        let values = piece.values(at);
        let from = &mut piece.samples;
        let sample = &from.list[at];
        if self.by_id.contains_key(&sample.id) {
            return Err(Refusal::new(
                "duplicate_sample",
                format!("sample `{}` was given before", sample.id),
            ));
        }
        let index = u32::try_from(self.list.len())
            .map_err(|_| Refusal::new("too_many_samples", "more than 4,294,967,295 samples"))?;
        let moved = |place: usize| place - values.start + self.values.len();
        let kept = Sample {
            id: sample.id.clone(),
            task: sample.task,
            cluster: None,
            gold_at: sample.gold_at.map(moved),
            state_at: sample.state_at.map(moved),
        };
        self.by_id.insert(kept.id.clone(), index);
        let cluster = sample.cluster.map(|number| &from.clusters[number as usize]);
        let cluster = cluster.map(|name| self.cluster_number(name));
        self.list.push(Sample { cluster, ..kept });
        self.values.extend_from_slice(&from.values[values.clone()]);
        self.held
            .extend_from_slice(from.held.get(values).unwrap_or_default());
        self.texts
            .extend(from.texts.get_mut(at).map(std::mem::take));
        if !from.line_ends.is_empty() {
            self.lines.extend_from_slice(from.line(at as u32));
            self.line_ends.push(self.lines.len());
        }
        Ok(())
    }
}
