//! Names by number, in the order in which they first came.

use judica_data::fingerprint::fingerprint;
use rustc_hash::FxHashMap;

/// Names that stand often and are kept once.
#[derive(Debug, Default)]
pub struct Names {
    /// By the fingerprint of the name, or the next one that was free.
    numbers: FxHashMap<u64, u32>,
    /// By number.
    pub names: Vec<String>,
}

impl Names {
    /// The number of a name that came before, or the place where it would stand.
    fn find(&self, name: &str) -> Result<u32, u64> {
        let mut place = fingerprint(name.as_bytes());
        while let Some(number) = self.numbers.get(&place) {
            if self.names[*number as usize] == name {
                return Ok(*number);
            }
            place = place.wrapping_add(1);
        }
        Err(place)
    }

    /// The number of a name that came before.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.find(name).ok()
    }

    /// The number of a name, a new one if it is new.
    pub fn number(&mut self, name: &str) -> u32 {
        self.find(name).unwrap_or_else(|place| {
            let number = self.names.len() as u32;
            self.numbers.insert(place, number);
            self.names.push(name.to_owned());
            number
        })
    }

    /// The rank of each name in byte order, by number.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_unstable_by(|a, b| self.names[*a as usize].cmp(&self.names[*b as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, number) in (0..).zip(order) {
            ranks[number as usize] = rank;
        }
        ranks
    }
}
