//! Raters who vote as one.

use super::pair_tables::Correlations;
use crate::agreement::{MISSING, Ratings};

/// Raters whose errors correlate by more than this are one voice.
const ONE_VOICE: f64 = 0.5;

/// The columns that are counted, in groups that are linked by common errors; columns rise
/// within a group, and groups are in the order of their first columns.
pub(super) fn merge(correlations: &Correlations, counted: &[bool]) -> Vec<Vec<usize>> {
    let mut voice_of: Vec<usize> = (0..counted.len()).collect();
    for (i, j, rho) in super::pairs(correlations) {
        if rho > ONE_VOICE {
            let (kept, gone) = (voice_of[i].min(voice_of[j]), voice_of[i].max(voice_of[j]));
            let moving = voice_of.iter_mut().filter(|voice| **voice == gone);
            moving.for_each(|voice| *voice = kept);
        }
    }
    let members = |first: usize| -> Vec<usize> {
        let all = (first..counted.len()).filter(|&column| voice_of[column] == first);
        all.filter(|&column| counted[column]).collect()
    };
    let groups = (0..counted.len()).map(members);
    groups.filter(|group| !group.is_empty()).collect()
}

/// What each voice says: the majority of its raters, and nothing where they are even.
pub(super) fn speak(ratings: &Ratings, voices: &[Vec<usize>]) -> Ratings {
    let mut codes = Vec::with_capacity(ratings.items() * voices.len());
    for row in ratings.rows() {
        codes.extend(voices.iter().map(|members| {
            let votes = |code| members.iter().filter(|&&i| row[i] == code).count();
            match votes(0).cmp(&votes(1)) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => MISSING,
            }
        }));
    }
    Ratings::new(voices.len(), 2, codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_chain_and_the_uncounted_have_no_voice() {
        // 0 with 2, 2 with 4; 3 rated nothing; 1 alone.
        let mut correlations = vec![vec![Some(0.0); 5]; 5];
        for (i, j) in [(0, 2), (2, 4)] {
            correlations[i][j] = Some(0.6);
        }
        correlations.iter_mut().for_each(|row| row[3] = None);
        let voices = merge(&correlations, &[true, true, true, false, true]);
        assert_eq!(voices, [vec![0, 2, 4], vec![1]]);
        let row = vec![0, 0, 1, MISSING, 1, 1, MISSING, 0, MISSING, MISSING];
        let spoken = speak(&Ratings::new(5, 2, row), &voices);
        assert_eq!(spoken.codes(), [1, 0, MISSING, MISSING]);
    }
}
