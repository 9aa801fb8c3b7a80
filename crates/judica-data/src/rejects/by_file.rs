//! How many rows of each input were refused, and whether that leaves any.

use std::collections::BTreeMap;
use std::path::Path;

use super::Reject;
use crate::foreign::{Reads, Unusable, nothing_usable};

/// Refused rows by input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByFile(BTreeMap<String, RefusedOfFile>);

/// The refused rows of one input.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RefusedOfFile {
    count: u64,
    /// The first: its line, and what is wrong with it.
    first: (u64, String),
}

/// An input that was given.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// What it is called in rejects.
    pub name: &'a str,
    /// How many of its rows were used.
    pub used: u64,
}

impl ByFile {
    /// Counts a refused row.
    pub fn count(&mut self, reject: &Reject) {
        if let Some(refused) = self.0.get_mut(&reject.file) {
            refused.count += 1;
            return;
        }
        let why = format!("{}: {}", reject.reason, reject.detail);
        let refused = RefusedOfFile {
            count: 1,
            first: (reject.line, why),
        };
        self.0.insert(reject.file.clone(), refused);
    }

    /// Whether inputs that serve one purpose gave any row at all. If not, says what they
    /// seem to be; that is an error. If only some did, gives a note on each of the others.
    pub fn check(&self, given: &[Given], format: Reads) -> Result<Vec<String>, String> {
        // A file that is read once for each of several subjects is one input.
        let mut inputs: Vec<(Given, u64)> = Vec::new();
        let mut places = BTreeMap::new();
        for input in given {
            let place = *places.entry(input.name).or_insert(inputs.len());
            match inputs.get_mut(place) {
                Some((same, times)) => {
                    same.used += input.used;
                    *times += 1;
                }
                None => inputs.push((*input, 1)),
            }
        }
        let unused = inputs.iter().filter(|(input, _)| input.used == 0);
        let unusable = unused.map(|(input, times)| {
            let refused = self.0.get(input.name);
            Unusable {
                path: input.path,
                name: input.name,
                // Each time all of them were refused.
                rows: refused.map_or(0, |refused| refused.count / times),
                format,
                first: refused.map(|refused| refused.first.clone()),
            }
        });
        let unusable: Vec<Unusable> = unusable.collect();
        if unusable.len() < inputs.len() {
            return Ok(unusable.iter().map(Unusable::message).collect());
        }
        Err(nothing_usable(&unusable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rejects::Raw;

    #[test]
    fn some_are_noted_and_none_is_an_error() {
        let mut refused = ByFile::default();
        for line in [3, 4] {
            refused.count(&Reject {
                file: "a".to_owned(),
                line,
                byte_offset: 0,
                reason: "odd".into(),
                detail: "why".to_owned(),
                raw: Raw::Whole(Vec::new()),
            });
        }
        let input = |name: &'static str, used| Given {
            path: Path::new(name),
            name,
            used,
        };
        let check = |given: &[Given]| refused.check(given, Reads::Json);
        assert_eq!(check(&[input("a", 1), input("b", 1)]), Ok(vec![]));
        let told = "a: not one of its 2 rows can be used.\n  The first, line 3: odd: why";
        assert_eq!(
            check(&[input("a", 0), input("b", 1)]),
            Ok(vec![told.to_owned()])
        );
        assert_eq!(check(&[input("a", 0)]), Err(told.to_owned()));
        // Read twice, for two subjects, it has its one row each time.
        let once = told.replace("not one of its 2 rows can", "its one row cannot");
        assert_eq!(
            check(&[input("a", 0), input("a", 0), input("b", 1)]),
            Ok(vec![once])
        );
        assert_eq!(
            check(&[input("b", 0)]),
            Err("b: there is no row in it".to_owned())
        );
    }
}
