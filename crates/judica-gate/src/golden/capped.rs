//! Lists that stay readable: the first of many, and how many there were.

use serde::{Serialize, Serializer};

/// How many entries a list of a report names.
pub const LIMIT: usize = 10_000;

/// A list that stops growing at 10,000 entries but goes on counting. Serialised as the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped<T> {
    first: Vec<T>,
    total: u64,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Capped {
            first: Vec::new(),
            total: 0,
        }
    }
}

impl<T> Capped<T> {
    /// Counts one; `entry` is made only if it is kept.
    pub fn push(&mut self, entry: impl FnOnce() -> T) {
        self.total += 1;
        if self.first.len() < LIMIT {
            self.first.push(entry());
        }
    }

    /// Counts all of another list; those kept become entries of this one.
    pub fn append<U>(&mut self, other: Capped<U>, mut entry: impl FnMut(U) -> T) {
        self.total += other.total;
        let room = LIMIT - self.first.len();
        self.first
            .extend(other.first.into_iter().take(room).map(&mut entry));
    }

    /// The entries that are named.
    pub fn first(&self) -> &[T] {
        &self.first
    }

    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// What to say if not all are named.
    pub(super) fn remark(&self, name: &str) -> Option<String> {
        let (named, total) = (self.first.len(), self.total);
        (total > named as u64).then(|| format!("`{name}` names the first {named} of {total}"))
    }
}

impl<T: Serialize> Serialize for Capped<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.first.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_stops_growing_but_not_counting() {
        let mut list = Capped::default();
        assert!(list.is_empty());
        for n in 0..LIMIT - 1 {
            list.push(|| n);
        }
        assert_eq!(list.remark("x"), None);
        let mut other = Capped::default();
        (0..3).for_each(|n| other.push(|| n));
        list.append(other, |n| n + 7);
        list.push(|| unreachable!("it would not be kept"));
        assert_eq!((list.first().len(), list.total()), (LIMIT, 10_003));
        assert_eq!(list.first().last(), Some(&7));
        assert_eq!(
            list.remark("x").as_deref(),
            Some("`x` names the first 10000 of 10003")
        );
    }
}
