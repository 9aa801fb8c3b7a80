//! Lists of identifiers: what an answer cites, what was retrieved.

use judica_data::json::scan::{RawString, Scanner};

/// A list as it stands in the line. It is walked where it is needed and never built, so
/// that a million lines need no allocation.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ids<'a> {
    list: &'a [u8],
}

/// One identifier.
#[derive(Debug, Clone, Copy)]
enum Id<'a> {
    Text(RawString<'a>),
    /// A number or anything else, as it is written.
    Other(&'a [u8]),
}

impl<'a> Ids<'a> {
    /// The list (or the single text) that `json` holds; its syntax has been checked.
    pub fn over(json: &'a [u8]) -> Self {
        Ids { list: json }
    }

    /// Whether each of these is among `others`. True if there are none.
    pub fn all_among(&self, others: Ids) -> bool {
        let mut mine = Vec::new();
        let mut theirs = Vec::new();
        self.walk().all(|id| {
            others
                .walk()
                .any(|other| same(id, other, &mut mine, &mut theirs))
        })
    }

    fn walk(&self) -> Walk<'a> {
        let mut scanner = Scanner::new(self.list, 0);
        let single = !scanner.take(b'[');
        let done = scanner.at_end() || (!single && scanner.peek() == Some(b']'));
        Walk {
            scanner,
            single,
            done,
        }
    }
}

struct Walk<'a> {
    scanner: Scanner<'a>,
    single: bool,
    done: bool,
}

impl<'a> Iterator for Walk<'a> {
    type Item = Id<'a>;

    fn next(&mut self) -> Option<Id<'a>> {
        if self.done {
            return None;
        }
        let id = match self.scanner.string_if_next().ok()? {
            Some(text) => Id::Text(text),
            None => {
                self.scanner.peek();
                let start = self.scanner.pos;
                self.scanner.skip_value(0, usize::MAX).ok()?;
                Id::Other(self.scanner.slice(start, self.scanner.pos))
            }
        };
        self.done = self.single || !self.scanner.take(b',');
        Some(id)
    }
}

#[inline]
fn same(a: Id, b: Id, a_decoded: &mut Vec<u8>, b_decoded: &mut Vec<u8>) -> bool {
    match (a, b) {
        (Id::Text(a), Id::Text(b)) if !a.escaped && !b.escaped => a.raw == b.raw,
        (Id::Text(a), Id::Text(b)) => a.decode(a_decoded) == b.decode(b_decoded),
        (Id::Other(a), Id::Other(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn subsets_are_told_whatever_the_spelling() {
        for (cited, retrieved, expected) in [
            ("[]", "[]", true),
            (r#"["a"]"#, r#"["b", "a"]"#, true),
            (r#"["a","a"]"#, r#"["a"]"#, true),
            (r#"["a", "c"]"#, r#"["b", "a"]"#, false),
            (r#"["a"]"#, "[]", false),
            (r#""a""#, r#"["a"]"#, true),
            (r#"["p1\u00232"]"#, r##"["p1#2"]"##, true),
            ("[1]", r#"["1"]"#, false),
            ("[1]", "[2, 1]", true),
            (r#"[["a"]]"#, r#"["a"]"#, false),
        ] {
            let (cited, retrieved) = (Ids::over(cited.as_bytes()), Ids::over(retrieved.as_bytes()));
            assert_eq!(cited.all_among(retrieved), expected, "{cited:?}");
        }
        assert!(Ids::default().all_among(Ids::default()));
        assert!(!Ids::over(b"[\"x\"]").all_among(Ids::default()));
    }
}
