//! Which name was probably meant.

/// The candidate closest to `word`, if any is close enough to suggest: up to a third of
/// the letters, plus one, may be inserted, deleted or replaced. Ties go to the
/// alphabetically first.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let limit = word.len() / 3 + 1;
    let close = |candidate: &'a str| {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        // The edits are at least the difference in length.
        if letters.len().abs_diff(word.len()) > limit {
            return None;
        }
        let edits = edits(&word, &letters);
        (edits <= limit && edits < letters.len().max(word.len())).then_some((edits, candidate))
    };
    candidates.filter_map(close).min().map(|(_, name)| name)
}

/// Levenshtein's distance.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested_if_it_is_close() {
        let names = ["metric", "note", "name"];
        let near = |word| nearest(word, names.into_iter());
        assert_eq!(near("metrics"), Some("metric"));
        assert_eq!(near("Nam"), Some("name"));
        assert_eq!(near("threshold"), None);
        assert_eq!(edits(&['k', 'i', 't'], &['s', 'i', 't', 's']), 2);
        assert_eq!(edits(&[], &['a']), 1);
    }
}
