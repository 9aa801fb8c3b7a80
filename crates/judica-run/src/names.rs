//! Names by number, in the order in which they first came.

use rustc_hash::FxHashMap;

/// Names that stand often and are kept once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: FxHashMap<String, u32>,
    /// By number.
    pub names: Vec<String>,
}

impl Names {
    /// The number of a name that came before.
    pub fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a name, a new one if it is new.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.known(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}
