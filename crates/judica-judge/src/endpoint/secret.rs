//! A key that cannot be printed by accident.

use std::fmt;

/// What stands where a secret would.
pub(crate) const HIDDEN: &str = "***";

const SHORTEST_SECRET: usize = 6;
/// JSON inside of JSON escapes what is escaped; nobody goes further than this.
const MOST_ESCAPES: usize = 8;

/// A key. Whoever prints it, in whatever way, sees three asterisks.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides `key`. White space around it is cut off, as it comes from files and shells.
    pub fn new(key: impl AsRef<str>) -> Self {
        Secret(key.as_ref().trim().to_owned())
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` without the key, where somebody repeated it. A key of a few letters is the
    /// placeholder that a server without keys is given; it is no secret, and taking its
    /// letters out would only spoil the text.
    pub(crate) fn remove_from(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SECRET {
            return text.to_owned();
        }
        let bytes = text.as_bytes();
        let mut out = String::new();
        let (mut from, mut at) = (0, 0);
        while at < bytes.len() {
            let Some(length) = self.spelt_in(&bytes[at..]) else {
                at += 1;
                continue;
            };
            out.push_str(&text[from..at]);
            out.push_str(HIDDEN);
            at += length;
            from = at;
        }
        out.push_str(&text[from..]);
        out
    }

    /// How many bytes the key has at the start of a text: as it is, or as addresses (`%2B`)
    /// and JSON (`\"`, `\u002b`) spell it, each character for itself.
    fn spelt_in(&self, text: &[u8]) -> Option<usize> {
        let mut ends = vec![0];
        for c in self.0.chars() {
            let longer = |at: usize| spellings(&text[at..], c).map(move |length| at + length);
            let mut next: Vec<usize> = ends.into_iter().flat_map(longer).collect();
            next.sort_unstable();
            next.dedup();
            ends = next;
            if ends.is_empty() {
                return None;
            }
        }
        ends.pop()
    }
}

/// How long the character is at the start of a text, in each way in which it may stand there.
fn spellings(text: &[u8], c: char) -> impl Iterator<Item = usize> {
    let (mut utf8, mut utf16) = ([0; 4], [0; 2]);
    let bytes = c.encode_utf8(&mut utf8).as_bytes();
    let units = c.encode_utf16(&mut utf16);
    let plain = (0..=escapes(text)).filter(|escapes| text[*escapes..].starts_with(bytes));
    let plain: Vec<usize> = plain.map(|escapes| escapes + bytes.len()).collect();
    let percent = |text: &[u8]| text.starts_with(b"%").then_some(1);
    let json = |text: &[u8]| match escapes(text) {
        0 => None,
        escapes => (text.get(escapes) == Some(&b'u')).then_some(escapes + 1),
    };
    let in_address = coded(text, percent, 2, bytes.iter().copied().map(u16::from));
    let in_json = coded(text, json, 4, units.iter().copied());
    plain.into_iter().chain(in_address).chain(in_json)
}

/// How long codes are at the start of a text, each so many digits behind a mark.
fn coded(
    text: &[u8],
    mark: impl Fn(&[u8]) -> Option<usize>,
    digits: usize,
    codes: impl Iterator<Item = u16>,
) -> Option<usize> {
    let mut length = 0;
    for code in codes {
        length += mark(&text[length..])?;
        let found = std::str::from_utf8(text.get(length..length + digits)?).ok()?;
        if u16::from_str_radix(found, 16) != Ok(code) {
            return None;
        }
        length += digits;
    }
    Some(length)
}

/// How many backslashes a text begins with.
fn escapes(text: &[u8]) -> usize {
    let first = text.iter().take(MOST_ESCAPES);
    first.take_while(|byte| **byte == b'\\').count()
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new(" sk-12345\n");
        assert_eq!(secret.reveal(), "sk-12345");
        assert_eq!(
            format!("{secret} {secret:?} {:#?}", Some(&secret)),
            "*** *** Some(\n    ***,\n)"
        );
        assert_eq!(secret.remove_from("bad key sk-12345!"), "bad key ***!");
        assert_eq!(Secret::new("").remove_from("abc"), "abc");
        assert_eq!(Secret::new("none").remove_from("none of it"), "none of it");
    }

    #[test]
    fn nor_in_another_spelling() {
        let secret = Secret::new(r#"sk-ab+cd/e"f\%"#);
        for spelt in [
            r#"sk-ab+cd/e"f\%"#,
            "sk-ab%2Bcd/e%22f%5c%25",
            "%73k-ab%2bcd%2Fe%22f%5C%",
            r#"sk-ab+cd\/e\"f\\%"#,
            r#"sk-ab\u002Bcd/e\\\"f\\\\%"#,
        ] {
            let told = format!("é {spelt}, {spelt}é");
            assert_eq!(secret.remove_from(&told), "é ***, ***é", "{spelt}");
        }
        let secret = Secret::new("sk-é😀ab");
        for spelt in [
            "sk-é😀ab",
            "sk-%C3%A9%f0%9f%98%80ab",
            r"sk-\u00e9\uD83D\ude00ab",
            r"sk-\\u00e9\\ud83d\\ude00\\u0061b",
        ] {
            let told = format!("é {spelt}, {spelt}é");
            assert_eq!(secret.remove_from(&told), "é ***, ***é", "{spelt}");
        }
        let secret = Secret::new(r#"sk-ab+cd/e"f\%"#);
        let other = "sk-ab%2Ccd/e\"f";
        assert_eq!(secret.remove_from(other), other);
    }
}
