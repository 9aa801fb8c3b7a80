//! Panels whose worth is known, with and without the truth.

use super::*;
use crate::resample::Draws;

const ITEMS: usize = 2000;

/// Yes/no votes about items of which two in five are yes.
struct World {
    draws: Draws,
    truth: Vec<u32>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut draws = Draws::new(seed, 0);
        let truth = (0..ITEMS).map(|_| u32::from(draws.below(5) < 2)).collect();
        Self { draws, truth }
    }

    /// Votes that follow `original` but for `percent` of the items.
    fn follow(&mut self, original: &[u32], percent: u32) -> Vec<u32> {
        let vote = |&vote| vote ^ u32::from(self.draws.below(100) < percent);
        original.iter().map(vote).collect()
    }

    /// A rater who is wrong about `percent` of the items.
    fn rater(&mut self, percent: u32) -> Vec<u32> {
        let truth = self.truth.clone();
        self.follow(&truth, percent)
    }

    /// What a panel is worth against the truth, and by its own votes.
    fn worth(&self, votes: &[Vec<u32>]) -> (f64, Result<EffectiveRaters, NotMeasurable>) {
        let ratings = table(votes);
        let by_truth = against_truth(&ratings, &self.truth, MIN_COMMON).unwrap();
        (by_truth.value, against_panel(&ratings, MIN_COMMON))
    }
}

fn table(votes: &[Vec<u32>]) -> Ratings {
    let codes = (0..ITEMS).flat_map(|item| votes.iter().map(move |votes| votes[item]));
    Ratings::new(votes.len(), 2, codes.collect())
}

fn within(value: f64, lo: f64, hi: f64) {
    assert!((lo..=hi).contains(&value), "{value} not in {lo}..{hi}");
}

#[test]
fn six_independent_raters_are_worth_six() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        let votes = [20; 6].map(|percent| world.rater(percent));
        let (truth, panel) = world.worth(&votes);
        within(truth, 5.0, 6.0);
        let panel = panel.unwrap();
        within(panel.value, 5.0, 6.0);
        // If all they share were error: six that correlate by 0.6², or a bit less.
        within(panel.at_least.unwrap(), 2.0, 2.5);
        assert_eq!(panel.voices.len(), 6);
    }
}

#[test]
fn so_are_six_of_different_quality() {
    let mut world = World::new(21);
    let votes = [40, 30, 25, 20, 10, 5].map(|percent| world.rater(percent));
    let (truth, panel) = world.worth(&votes);
    within(truth, 5.0, 6.0);
    within(panel.unwrap().value, 5.0, 6.0);
}

#[test]
fn two_raters_three_times_each_are_worth_two() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        let (a, b) = (world.rater(20), world.rater(20));
        let votes = [&a, &a, &a, &b, &b, &b].map(Clone::clone);
        let (truth, panel) = world.worth(&votes);
        within(truth, 1.8, 2.2);
        let panel = panel.unwrap();
        within(panel.value, 1.8, 2.2);
        assert_eq!(panel.voices, [[0, 1, 2], [3, 4, 5]]);
    }
}

#[test]
fn copies_need_not_be_exact() {
    for seed in 0..5 {
        let mut world = World::new(seed);
        let (a, b) = (world.rater(20), world.rater(20));
        let votes = [&a, &a, &a, &b, &b, &b].map(|original| world.follow(original, 2));
        let (truth, panel) = world.worth(&votes);
        within(truth, 1.9, 2.5);
        within(panel.unwrap().value, 1.9, 2.5);
    }
}

#[test]
fn uneven_panels_are_worth_what_the_truth_says() {
    // How often each of some raters sits on the panel.
    for copies in [
        &[2, 2, 2][..],
        &[4, 1, 1],
        &[5, 1],
        &[3, 1, 1],
        &[2, 1, 1, 1, 1],
    ] {
        let mut world = World::new(5);
        let mut votes = Vec::new();
        for &copies in copies {
            let one = world.rater(20);
            votes.extend(vec![one; copies]);
        }
        let (truth, panel) = world.worth(&votes);
        let panel = panel.unwrap();
        assert_eq!(panel.voices.len(), copies.len());
        within(panel.value, truth - 0.4, truth + 0.4);
        // Whoever comes first.
        votes.reverse();
        let (same_truth, turned) = world.worth(&votes);
        within(same_truth, truth - 1e-12, truth + 1e-12);
        within(
            turned.unwrap().value,
            panel.value - 1e-6,
            panel.value + 1e-6,
        );
    }
}

#[test]
fn hard_items_that_all_guess_at_show() {
    // Three items in ten are guessed at by all six; of the others 7 % are wrong. No two
    // are closer than any other two, and still the panel is worth less than six.
    let mut world = World::new(3);
    let hard: Vec<bool> = (0..ITEMS).map(|_| world.draws.below(10) < 3).collect();
    let votes = [(); 6].map(|()| {
        let (guess, knows) = (world.rater(50), world.rater(7));
        let votes = hard.iter().zip(guess.iter().zip(&knows));
        votes
            .map(|(hard, (guess, knows))| if *hard { *guess } else { *knows })
            .collect()
    });
    let (truth, panel) = world.worth(&votes);
    within(truth, 2.4, 3.0);
    within(panel.unwrap().value, 2.4, 3.8);
}

#[test]
fn one_rater_six_times_is_worth_one_where_the_truth_is_known() {
    for noise in [0, 2] {
        let mut world = World::new(8);
        let a = world.rater(20);
        let votes = [(); 6].map(|()| world.follow(&a, noise));
        let (truth, panel) = world.worth(&votes);
        within(truth, 1.0, 1.5);
        // Six raters who are wrong about one item in fifty would vote just like that.
        let excellent = [(); 6].map(|()| world.rater(noise));
        for panel in [panel, against_panel(&table(&excellent), MIN_COMMON)] {
            match panel.unwrap_err() {
                NotMeasurable::CloseToOne { at_least } => within(at_least, 1.0, 1.5),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn missing_votes_hide_no_copies() {
    let mut world = World::new(13);
    let (a, b) = (world.rater(20), world.rater(20));
    let mut votes = [&a, &a, &a, &b, &b, &b].map(Clone::clone);
    for votes in &mut votes {
        for vote in votes {
            if world.draws.below(4) == 0 {
                *vote = MISSING;
            }
        }
    }
    let (truth, panel) = world.worth(&votes);
    within(truth, 1.8, 2.2);
    within(panel.unwrap().value, 1.8, 2.2);
}
