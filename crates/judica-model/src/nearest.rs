//! Which name was probably meant.

/// The candidate closest to `word`, if any is close enough to suggest.
///
/// Closeness is the number of letters to insert, delete, replace or swap with
/// their neighbour, ignoring case; up to a third of the word, plus one, may
/// differ, but never all of it. Ties go to the alphabetically first candidate,
/// whatever the order they come in.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    let limit = word.len() / 3 + 1;
    candidates
        .filter_map(|candidate| {
            let letters = folded(candidate);
            // The edits are at least the difference in length: do not count
            // them for a candidate that is out of reach.
            if letters.len().abs_diff(word.len()) > limit {
                return None;
            }
            let edits = distance(&word, &letters);
            let close = edits <= limit && edits < letters.len().max(word.len());
            close.then_some((edits, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of a sentence that asks whether the nearest name was meant, if there is one.
pub fn hint<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    let meant = nearest(word, candidates);
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

fn folded(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// Damerau–Levenshtein distance in its optimal-alignment form: swapped
/// neighbours count once and are not edited again.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_up = vec![0; b.len() + 1];
    let mut up: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = up[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(up[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_up[j - 2] + 1);
            }
        }
        std::mem::swap(&mut two_up, &mut up);
        std::mem::swap(&mut up, &mut row);
    }
    up[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_name() {
        let names = ["gps_alt", "baro_alt", "roll", "pitch", "vs"];
        let near = |word| nearest(word, names.into_iter());
        assert_eq!(near("gsp_alt"), Some("gps_alt"));
        assert_eq!(near("GPS_ALT"), Some("gps_alt"));
        assert_eq!(near("gpsalt"), Some("gps_alt"));
        assert_eq!(near("rol"), Some("roll"));
        assert_eq!(near("v"), Some("vs"));
        assert_eq!(near("temperature"), None);
        assert_eq!(near(""), None);
        // A word of one letter resembles no other word of one letter.
        assert_eq!(nearest("x", ["a", "b"].into_iter()), None);
        assert_eq!(nearest("X", ["a", "x"].into_iter()), Some("x"));
        // Ties do not depend on the order.
        assert_eq!(nearest("alt", ["alc", "alb"].into_iter()), Some("alb"));
        assert_eq!(nearest("alt", ["alb", "alc"].into_iter()), Some("alb"));
    }
}
