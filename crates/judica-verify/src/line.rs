//! What samples and outputs have in common: a line is a JSON object, some of whose
//! keys we know under several names. And why a line was not taken.

use judica_data::json::number::people_number;
use judica_data::json::scan::{RawString, same_bytes};
use judica_data::json::{Scanner, ValueKind};
pub use judica_data::rejects::Refusal;

/// A value of a known key.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// What kind of value it is.
    pub kind: ValueKind,
    /// Its text, quotes and all.
    pub span: &'a [u8],
    /// Its contents, if it is a string that was not captured.
    pub string: Option<RawString<'a>>,
}

/// A string that is wanted decoded: doing so while it is read saves a second walk over
/// what is nearly all of a line.
pub struct Capture<'b> {
    /// The key whose string is captured.
    pub key: &'static str,
    /// Its contents, escapes undone.
    pub text: &'b mut Vec<u8>,
    /// How many bytes of them are wanted.
    pub most: usize,
}

impl<'a> Entry<'a> {
    /// The value as an identifier: a string, or the digits of a number.
    pub fn identifier<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b str>
    where
        'a: 'b,
    {
        let bytes = match (self.kind, &self.string) {
            (ValueKind::String, Some(string)) => string.decode(buffer),
            (ValueKind::Number, _) => self.span,
            _ => return None,
        };
        std::str::from_utf8(bytes).ok()
    }

    /// Whether it is this text, as far as that shows without undoing an escape.
    #[inline]
    pub fn is_plainly(&self, text: &str) -> bool {
        let plain = self.string.filter(|string| !string.escaped);
        plain.is_some_and(|string| same_bytes(string.raw, text.as_bytes()))
    }

    /// The value as a name: text that is not blank.
    pub fn name<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b str>
    where
        'a: 'b,
    {
        let text = std::str::from_utf8(self.string.as_ref()?.decode(buffer)).ok()?;
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// The value as a finite number, or a text that is one.
    pub fn number(&self) -> Option<f64> {
        let number = match &self.string {
            None if self.kind == ValueKind::Number => Scanner::new(self.span, 0).number().ok(),
            None => None,
            Some(_) => people_number(self.name(&mut Vec::new())?),
        };
        number.filter(|number| number.is_finite())
    }
}

/// Reads one line as an object and picks the values of the keys in `names`; the
/// position of a key in `names` is the position of its value in `entries`. A
/// duplicate key's last value wins. `other` is given the keys that are none of them.
pub fn pick<'a, const N: usize>(
    bytes: &'a [u8],
    names: &[&str; N],
    entries: &mut [Option<Entry<'a>>; N],
    capture: Option<Capture>,
    other: &mut dyn FnMut(&[u8], Entry<'a>),
) -> Result<(), Refusal> {
    entries.fill(None);
    if let Err(error) = std::str::from_utf8(bytes) {
        let detail = format!("invalid UTF-8 at byte {} of the line", error.valid_up_to());
        return Err(Refusal::new("invalid_utf8", detail));
    }
    let mut scanner = Scanner::new(bytes, 0);
    match scanner.kind() {
        Ok(ValueKind::Object) => {}
        Ok(kind) => {
            let mut whole = scanner.clone();
            if whole.skip_value(0, usize::MAX).is_ok() && whole.at_end() {
                return Err(Refusal::new(
                    "not_an_object",
                    format!("expected a JSON object, found {kind:?}"),
                ));
            }
            return Err(malformed(scanner.pos));
        }
        Err(error) => return Err(malformed(error.position())),
    }
    pick_object(&mut scanner, names, entries, capture, other)
        .map_err(|error| malformed(error.position()))?;
    if scanner.at_end() {
        Ok(())
    } else {
        Err(Refusal::new(
            "malformed_json",
            format!("text after the object, at byte {} of the line", scanner.pos),
        ))
    }
}

fn malformed(at: usize) -> Refusal {
    Refusal::new(
        "malformed_json",
        format!("not valid JSON at byte {at} of the line"),
    )
}

/// Picks the values of known keys from an object the scanner stands on.
pub fn pick_object<'a, const N: usize>(
    scanner: &mut Scanner<'a>,
    names: &[&str; N],
    entries: &mut [Option<Entry<'a>>; N],
    mut capture: Option<Capture>,
    other: &mut dyn FnMut(&[u8], Entry<'a>),
) -> Result<(), judica_data::json::ScanError> {
    let mut key_buffer = Vec::new();
    scanner.expect(b'{')?;
    if scanner.take(b'}') {
        return Ok(());
    }
    loop {
        let key = scanner.key()?;
        let name = key.decode(&mut key_buffer);
        let position = names.iter().position(|known| known.as_bytes() == name);
        let kind = scanner.kind()?;
        let start = scanner.pos;
        let captured = capture
            .as_mut()
            .filter(|capture| capture.key.as_bytes() == name);
        let string = if kind == ValueKind::String {
            match captured {
                Some(capture) => {
                    capture.text.clear();
                    scanner.string_into_at_most(capture.text, capture.most)?;
                    None
                }
                None => Some(scanner.string()?),
            }
        } else {
            scanner.skip_value(0, usize::MAX)?;
            None
        };
        let entry = Entry {
            kind,
            span: scanner.slice(start, scanner.pos),
            string,
        };
        match position {
            Some(position) => entries[position] = Some(entry),
            None => other(name, entry),
        }
        if !scanner.take(b',') {
            return scanner.expect(b'}');
        }
    }
}

/// The keys of an object, as far as it can be read.
pub fn keys(object: &[u8]) -> impl Iterator<Item = String> {
    let mut scanner = Scanner::new(object, 0);
    let mut more = scanner.expect(b'{').is_ok() && !scanner.take(b'}');
    std::iter::from_fn(move || {
        let key = if more {
            scanner.key().ok()?
        } else {
            return None;
        };
        let key = String::from_utf8_lossy(key.decode(&mut Vec::new())).into_owned();
        more = scanner.skip_value(0, usize::MAX).is_ok() && scanner.take(b',');
        Some(key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &[u8]) -> Option<&'static str> {
        pick(line, &["a"], &mut [None], None, &mut |_, _| ())
            .err()
            .map(|refusal| refusal.reason)
    }

    #[test]
    fn each_kind_of_bad_line_has_its_reason() {
        assert_eq!(reason(b"{\"a\": 1}"), None);
        assert_eq!(reason(b"{}"), None);
        assert_eq!(reason(b"{\"a\": NaN, \"b\": [1, {}]}"), None);
        assert_eq!(reason(b"{\"a\": 1} x"), Some("malformed_json"));
        assert_eq!(reason(b"{\"a\": 1"), Some("malformed_json"));
        assert_eq!(reason(b"hello"), Some("malformed_json"));
        assert_eq!(reason(b"[1]"), Some("not_an_object"));
        assert_eq!(reason(b"17"), Some("not_an_object"));
        assert_eq!(reason(b"17 18"), Some("malformed_json"));
        assert_eq!(reason(b"{\"a\": \"\xff\"}"), Some("invalid_utf8"));
    }

    #[test]
    fn the_last_duplicate_wins_and_numbers_are_identifiers() {
        let mut entries = [None];
        let line = br#"{"id": "x", "id": 17}"#;
        assert!(pick(line, &["id"], &mut entries, None, &mut |_, _| ()).is_ok());
        let mut buffer = Vec::new();
        assert_eq!(
            entries[0]
                .and_then(|entry| entry.identifier(&mut buffer).map(str::to_owned))
                .as_deref(),
            Some("17")
        );
    }
}
