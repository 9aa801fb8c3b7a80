//! JSON as Python writes it: bare `NaN` becomes `null`, bare `Infinity` a text of its own,
//! while it is read, whatever strings hold. And no string is longer than one input may hold at once.

use std::io::{self, Read};

use judica_data::limits;

/// What a text ends with that was cut. No text of a log ends so.
const CUT: &str = "\u{0}cut by judica\u{0}";
const CUT_JSON: &[u8] = br"\u0000cut by judica\u0000";
/// What a bare `Infinity` is read as: no text of a log begins so.
const ENDLESS: &str = "\u{0}Infinity";
const ENDLESS_BELOW: &str = "\u{0}-Infinity";
const PIECE: usize = 16 << 10;

/// Whether a text was too long to be held.
pub fn is_cut(text: &str) -> bool {
    text.ends_with(CUT)
}

/// The number that stood bare where this text was read.
pub fn endless(text: &str) -> Option<f64> {
    match text {
        ENDLESS => Some(f64::INFINITY),
        ENDLESS_BELOW => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A text as people see it: a bare word is that word.
pub fn shown(text: &str) -> &str {
    match endless(text) {
        Some(_) => text.trim_start_matches('\0'),
        None => text,
    }
}

/// A reader of plain JSON over one of JSON with bare words.
pub struct Bare<R> {
    inner: R,
    piece: Vec<u8>,
    /// What can be given.
    out: Vec<u8>,
    given: usize,
    state: State,
    /// Bytes of the string at hand.
    length: usize,
    longest: usize,
    /// Digits of an escape that are still to come, and what was said by the last ones.
    digits: usize,
    unit: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between strings.
    Outside,
    /// After a minus, which may begin `-Infinity`.
    Minus,
    /// In `NaN` or `Infinity`: letters are passed over.
    Word,
    /// In a string.
    Text,
    /// In one, after a backslash.
    Escape,
    /// In one that is cut; whether after a backslash.
    Cut(bool),
}

impl<R: Read> Bare<R> {
    /// Reads what this reader gives.
    pub fn new(inner: R) -> Self {
        Bare {
            inner,
            piece: vec![0; PIECE],
            out: Vec::with_capacity(PIECE + 64),
            given: 0,
            state: State::Outside,
            length: 0,
            longest: limits::longest(),
            digits: 0,
            unit: 0,
        }
    }

    /// Takes the next piece; says whether there was one.
    fn fill(&mut self) -> io::Result<bool> {
        let n = self.inner.read(&mut self.piece)?;
        self.out.clear();
        self.given = 0;
        let piece = std::mem::take(&mut self.piece);
        self.pass(&piece[..n]);
        self.piece = piece;
        if n == 0 && self.state == State::Minus {
            self.state = State::Outside;
            self.out.push(b'-');
        }
        Ok(n > 0)
    }

    fn pass(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            match self.state {
                State::Outside => {
                    let special = |byte: &u8| matches!(byte, b'"' | b'-' | b'N' | b'I');
                    let plain = bytes.iter().position(special).unwrap_or(bytes.len());
                    self.out.extend_from_slice(&bytes[..plain]);
                    bytes = &bytes[plain..];
                    let Some(&byte) = bytes.first() else { return };
                    self.state = match byte {
                        b'"' => {
                            self.out.push(b'"');
                            self.length = 0;
                            State::Text
                        }
                        b'-' => State::Minus,
                        b'N' => {
                            self.out.extend_from_slice(b"null");
                            State::Word
                        }
                        _ => {
                            self.out.extend_from_slice(br#""\u0000Infinity""#);
                            State::Word
                        }
                    };
                    bytes = &bytes[1..];
                }
                State::Minus if byte == b'I' => {
                    self.out.extend_from_slice(br#""\u0000-Infinity""#);
                    self.state = State::Word;
                    bytes = &bytes[1..];
                }
                State::Minus => {
                    self.out.push(b'-');
                    self.state = State::Outside;
                }
                State::Word => match byte.is_ascii_alphabetic() {
                    true => bytes = &bytes[1..],
                    false => self.state = State::Outside,
                },
                State::Text => {
                    let is_long = self.length > self.longest;
                    if is_long && byte != b'"' && self.is_whole(byte) {
                        self.out.extend_from_slice(CUT_JSON);
                        self.state = State::Cut(false);
                        continue;
                    }
                    let span = &bytes[..if is_long { 1 } else { bytes.len() }];
                    let plain = memchr::memchr2(b'"', b'\\', span).unwrap_or(span.len());
                    self.plain(&bytes[..plain]);
                    bytes = &bytes[plain..];
                    let Some(&byte) = bytes.first().filter(|_| plain < span.len()) else {
                        continue;
                    };
                    self.out.push(byte);
                    self.state = match byte {
                        b'"' => State::Outside,
                        _ => State::Escape,
                    };
                    bytes = &bytes[1..];
                }
                State::Escape => {
                    self.out.push(byte);
                    self.length += 2;
                    (self.digits, self.unit) = (if byte == b'u' { 4 } else { 0 }, 0);
                    self.state = State::Text;
                    bytes = &bytes[1..];
                }
                State::Cut(escaped) => {
                    self.state = match byte {
                        b'"' if !escaped => {
                            self.out.push(b'"');
                            State::Outside
                        }
                        _ => State::Cut(byte == b'\\' && !escaped),
                    };
                    bytes = &bytes[1..];
                }
            }
        }
    }

    /// Passes on bytes of a string that stand for themselves, or are the digits of an escape.
    fn plain(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        self.out.extend_from_slice(bytes);
        let (digits, rest) = bytes.split_at(bytes.len().min(self.digits));
        for digit in digits {
            let value = char::from(*digit).to_digit(16).unwrap_or(0);
            self.unit = self.unit << 4 | value;
        }
        self.digits -= digits.len();
        if !rest.is_empty() {
            self.unit = 0;
        }
    }

    /// Whether a string can end before this byte: in no character, and between no two
    /// escapes that are one.
    fn is_whole(&self, next: u8) -> bool {
        self.digits == 0 && !(0xd800..0xdc00).contains(&self.unit) && next & 0xc0 != 0x80
    }
}

impl<R: Read> Read for Bare<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() {
            if !self.fill()? && self.out.is_empty() {
                return Ok(0);
            }
        }
        let n = buf.len().min(self.out.len() - self.given);
        buf[..n].copy_from_slice(&self.out[self.given..self.given + n]);
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn read(text: &str, step: usize, longest: usize) -> String {
        let mut bare = Bare::new(Slowly(text.as_bytes(), step));
        bare.longest = longest;
        let mut out = String::new();
        bare.read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn bare_words_are_read_wherever_the_pieces_end() {
        let text =
            r#"{"NaN":NaN,"a":[-Infinity,Infinity,-1.5,-NaN,"\"NaN -Infinity\\"],"b":"N\\"}"#;
        let plain = r#"{"NaN":null,"a":["\u0000-Infinity","\u0000Infinity",-1.5,-null,"\"NaN -Infinity\\"],"b":"N\\"}"#;
        for step in 1..20 {
            assert_eq!(read(text, step, 1000), plain, "{step}");
        }
        for (word, value) in [("Infinity", 1.0), ("-Infinity", -1.0)] {
            let found: String = serde_json::from_str(&read(word, 1, 9)).unwrap();
            assert_eq!(endless(&found), Some(value * f64::INFINITY));
            assert_eq!((shown(&found), endless(word)), (word, None));
        }
        assert_eq!(read("-", 1, 9), "-");
        assert_eq!(read("NaN", 2, 9), "null");
        assert_eq!(read("", 2, 9), "");
    }

    #[test]
    fn a_long_string_is_cut_and_stays_json() {
        for unit in ["x", "ü", "\\n", "\\u00e9", "\\ud83d\\ude00", "a\\\\"] {
            let text = format!("[\"{}\", NaN, \"short\"]", unit.repeat(200_000));
            for step in [1, 3, 7, 70_000] {
                let found = read(&text, step, 1000);
                assert!(found.len() < 200_000, "{unit} {step}: {}", found.len());
                let found: (String, Option<f64>, String) = serde_json::from_str(&found).unwrap();
                assert!(is_cut(&found.0));
                assert_eq!(found.2, "short");
            }
        }
    }
}
