//! What the columns of a log's scorers are called.

use rustc_hash::{FxHashMap, FxHashSet};

/// The names that were given.
#[derive(Default)]
pub(super) struct ScorerColumns {
    /// By scorer, and the key of its values.
    names: FxHashMap<String, FxHashMap<Option<String>, String>>,
    taken: FxHashSet<String>,
}

impl ScorerColumns {
    /// The column of a scorer's value, or of what it has under a key: `scorer.key`. Another
    /// scorer may be called just so; then the one that is met later gets a suffix, since two
    /// in one column would overwrite each other.
    pub fn name(&mut self, scorer: &str, key: Option<&str>) -> String {
        let key = key.map(str::to_owned);
        if let Some(known) = self.names.get(scorer).and_then(|names| names.get(&key)) {
            return known.clone();
        }
        let mut name = match &key {
            Some(key) => format!("{scorer}.{key}"),
            None => scorer.to_owned(),
        };
        while !self.taken.insert(name.clone()) {
            name.push_str("_scorer");
        }
        let names = self.names.entry(scorer.to_owned()).or_default();
        names.insert(key, name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_scorers_share_a_column() {
        let mut columns = ScorerColumns::default();
        for _ in 0..2 {
            assert_eq!(columns.name("a", Some("b")), "a.b");
            assert_eq!(columns.name("a.b", None), "a.b_scorer");
            assert_eq!(columns.name("a.b", Some("c")), "a.b.c");
            assert_eq!(columns.name("a", Some("b.c")), "a.b.c_scorer");
            assert_eq!(columns.name("a", None), "a");
        }
    }
}
