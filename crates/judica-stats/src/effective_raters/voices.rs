//! Raters who vote as one.

use super::pair_tables::Correlations;
use crate::agreement::{MISSING, Ratings};

/// Raters whose errors correlate by more than this are one voice.
const ONE_VOICE: f64 = 0.5;

/// The columns that are counted, in groups of which every two members are linked by common
/// errors; columns rise within a group, and groups are in the order of their first columns.
///
/// This is complete linkage: a group is as close as its two most distant members, so that
/// nobody is joined through a third. A pair of which nothing is known is never joined.
pub(super) fn merge(correlations: &Correlations, counted: &[bool]) -> Vec<Vec<usize>> {
    let columns = (0..counted.len()).filter(|&column| counted[column]);
    let mut voices: Vec<Vec<usize>> = columns.map(|column| vec![column]).collect();
    // How close two voices are, at the place of their first columns; the upper triangle.
    let mut close = correlations.clone();
    while let Some((a, b)) = closest(&voices, &close) {
        let (kept, gone) = (voices[a][0], voices[b][0]);
        for voice in &voices {
            let other = voice[0];
            let at = |first: usize| (first.min(other), first.max(other));
            let ((i, j), (k, l)) = (at(kept), at(gone));
            let weaker = close[i][j].zip(close[k][l]).map(|(x, y)| x.min(y));
            close[i][j] = weaker;
        }
        let joining = voices.remove(b);
        voices[a].extend(joining);
        voices[a].sort_unstable();
    }
    voices
}

/// The places of the two closest voices that are close enough; of several the first.
fn closest(voices: &[Vec<usize>], close: &Correlations) -> Option<(usize, usize)> {
    let mut found: Option<(usize, usize, f64)> = None;
    for (a, first) in voices.iter().enumerate() {
        for (b, second) in voices.iter().enumerate().skip(a + 1) {
            if let Some(rho) = close[first[0]][second[0]]
                && rho > found.map_or(ONE_VOICE, |(_, _, best)| best)
            {
                found = Some((a, b, rho));
            }
        }
    }
    found.map(|(a, b, _)| (a, b))
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

    fn table(columns: usize, known: &[(usize, usize, f64)]) -> Correlations {
        let mut correlations = vec![vec![Some(0.0); columns]; columns];
        for &(i, j, rho) in known {
            (correlations[i][j], correlations[j][i]) = (Some(rho), Some(rho));
        }
        correlations
    }

    #[test]
    fn nobody_is_joined_through_a_third() {
        // 0 with 2 and 2 with 4, but not 0 with 4; 3 rated nothing; 1 alone.
        let mut correlations = table(5, &[(0, 2, 0.6), (2, 4, 0.7)]);
        for row in &mut correlations {
            row[3] = None;
        }
        correlations[3] = vec![None; 5];
        let counted = [true, true, true, false, true];
        let voices = merge(&correlations, &counted);
        assert_eq!(voices, [vec![0], vec![1], vec![2, 4]]);
        let row = vec![0, 0, 1, MISSING, 1, 1, MISSING, 0, MISSING, MISSING];
        let spoken = speak(&Ratings::new(5, 2, row), &voices);
        assert_eq!(spoken.codes(), [0, 0, 1, 1, MISSING, 0]);
        // Nor where nothing is known of the two.
        (correlations[0][4], correlations[4][0]) = (None, None);
        assert_eq!(merge(&correlations, &counted), voices);
        // All three are close: one voice, whatever the order of joining.
        (correlations[0][4], correlations[4][0]) = (Some(0.9), Some(0.9));
        assert_eq!(merge(&correlations, &counted), [vec![0, 2, 4], vec![1]]);
    }

    #[test]
    fn the_closest_are_joined_first() {
        // 1 is close to both neighbours, which are not close to each other.
        let chain = |left, right| merge(&table(3, &[(0, 1, left), (1, 2, right)]), &[true; 3]);
        assert_eq!(chain(0.6, 0.8), [vec![0], vec![1, 2]]);
        assert_eq!(chain(0.8, 0.6), [vec![0, 1], vec![2]]);
        // Of two equally close pairs the first.
        assert_eq!(chain(0.8, 0.8), [vec![0, 1], vec![2]]);
        assert_eq!(merge(&table(2, &[(0, 1, 0.5)]), &[true; 2]).len(), 2);
        assert!(merge(&Vec::new(), &[]).is_empty());
    }
}
