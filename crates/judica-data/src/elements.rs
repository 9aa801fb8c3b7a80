//! Finding the elements of one JSON array without parsing them; or values that simply
//! follow each other.
//!
//! The scanner follows nesting, strings and escapes only, keeps no more than
//! a few numbers between two buffers, and never fails: where the array's own
//! structure is broken it says so in a [`Span::fault`] and goes on, so that
//! every byte that is not white space, bracket or comma of the array itself
//! ends up in some span.

use memchr::{memchr, memchr2};

/// The array ended without `]`.
pub const NOT_CLOSED: &str = "the array is not closed";
/// The document around the array ended without `}`.
pub const NOT_CLOSED_AROUND: &str = "the document is not closed after its list";
/// The last of values that follow each other is cut off.
pub const NOT_ENDED: &str = "the file ends within this value";
/// Something follows an element without a comma between them.
pub const MISSING_COMMA: &str = "a comma is missing before this";
/// A comma with no element after it, or before the first.
pub const MISSING_ELEMENT: &str = "an element is missing here";
/// Something follows the array's `]`.
pub const AFTER_ARRAY: &str = "this follows the end of the array";

/// Where an element lies in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
    /// Why the array's structure does not allow this element.
    pub fault: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the `[`.
    Before,
    /// After the `[`, where an element or `]` may stand.
    First,
    /// After a comma, where an element must stand.
    Next,
    /// After an element, where a comma or `]` must stand.
    After,
    /// In a number, a word, or anything else without structure.
    Bare,
    /// In an object or array, outside its strings.
    Nested,
    /// In a string, of the element itself or nested in it.
    Text,
    /// After a backslash in a string.
    Escape,
    /// After the `]`.
    Closed,
    /// In a line of something after the `]`. One span per line, so that a
    /// file of arrays taken for one array does not pile up in memory.
    Rest,
}

/// The scanner's place in the array.
#[derive(Debug)]
pub(crate) struct ElementScanner {
    state: State,
    depth: u64,
    /// The next byte of the buffer to look at.
    pos: usize,
    /// Where the current element began; with its fault, if any.
    start: usize,
    fault: Option<&'static str>,
    /// Whether there is an array around the elements.
    listed: bool,
    /// Whether the array stands in an object, of which only the end matters.
    within: bool,
    /// Whether the array is behind, and the rest of that object is passed over.
    around: bool,
}

impl ElementScanner {
    /// A scanner that stands before the array.
    pub fn new() -> Self {
        Self::in_state(State::Before)
    }

    /// A scanner of an array that begins here, in an object: what else that holds does not
    /// matter, but it must end, and end the file.
    pub fn within(at: usize) -> Self {
        ElementScanner {
            pos: at,
            within: true,
            ..Self::new()
        }
    }

    /// A scanner of values that follow each other with nothing but white space between.
    pub fn of_values() -> Self {
        ElementScanner {
            listed: false,
            ..Self::in_state(State::Next)
        }
    }

    fn in_state(state: State) -> Self {
        ElementScanner {
            state,
            depth: 0,
            pos: 0,
            start: 0,
            fault: None,
            listed: true,
            within: false,
            around: false,
        }
    }

    /// Scans on in `buf`, which begins where the last cut was and has only
    /// grown since the last call. Returns the first place at or after `least`
    /// that lies outside all elements, and expects the next buffer to begin
    /// there; `None` means that more bytes are needed.
    pub fn scan(&mut self, buf: &[u8], least: usize, spans: &mut Vec<Span>) -> Option<usize> {
        loop {
            if self.pos >= least && !self.inside() {
                return Some(std::mem::take(&mut self.pos));
            }
            let &byte = buf.get(self.pos)?;
            match self.state {
                State::Text => self.text(buf, spans),
                State::Escape => {
                    self.pos += 1;
                    self.state = State::Text;
                }
                State::Nested => self.nested(buf, spans),
                State::Bare => match byte {
                    b',' | b']' | b'{' | b'[' | b'"' => self.end(spans),
                    b if is_space(b) => self.end(spans),
                    _ => self.pos += 1,
                },
                State::Rest => self.rest(buf, spans),
                _ => self.outside(byte, spans),
            }
        }
    }

    /// Where the element begins that the scanner is in the middle of.
    pub fn element(&self) -> Option<usize> {
        self.inside().then_some(self.start)
    }

    /// Goes on within an element that is not wanted. `piece` follows what was scanned last;
    /// gives where in it the element ends, and expects the next buffer to begin there.
    pub fn skip(&mut self, piece: &[u8]) -> Option<usize> {
        (self.pos, self.start) = (0, 0);
        let end = self.scan(piece, 0, &mut Vec::new());
        if end.is_none() {
            (self.pos, self.start) = (0, 0);
        }
        end
    }

    /// Tells the scanner that nothing follows the bytes of the buffer.
    pub fn finish(&mut self, buf: &[u8], spans: &mut Vec<Span>) {
        match self.state {
            State::Closed => return,
            _ if self.around => self.start = buf.len(),
            State::Rest => {
                self.pos = buf.len();
                return self.end_rest(buf, spans);
            }
            _ if self.inside() => {}
            _ if !self.listed => return,
            _ => self.start = buf.len(),
        }
        let fault = match (self.listed, self.around) {
            (true, false) => NOT_CLOSED,
            (true, true) => NOT_CLOSED_AROUND,
            (false, _) => NOT_ENDED,
        };
        // The element may be whole but for a number's last digits; it stands
        // in an array that is not, and nothing tells the two cases apart.
        spans.push(Span {
            start: self.start,
            end: buf.len(),
            fault: Some(fault),
        });
        self.state = State::Closed;
    }

    fn inside(&self) -> bool {
        let inside = matches!(
            self.state,
            State::Bare | State::Nested | State::Text | State::Escape | State::Rest
        );
        inside && !self.around
    }

    /// One byte between elements.
    fn outside(&mut self, byte: u8, spans: &mut Vec<Span>) {
        let here = self.pos;
        if is_space(byte) {
            self.pos += 1;
            return;
        }
        if !self.listed {
            return self.begin(byte, false);
        }
        match (self.state, byte) {
            (State::Closed, _) => {
                self.start = here;
                self.state = State::Rest;
                return;
            }
            (State::Before, b'[') => self.state = State::First,
            (State::First | State::After, b']') => self.close(),
            (State::After, b',') => self.state = State::Next,
            (_, b']') => {
                spans.push(missing(here));
                self.close();
            }
            (_, b',') => {
                spans.push(missing(here));
                self.state = State::Next;
            }
            (before, _) => return self.begin(byte, before == State::After),
        }
        self.pos += 1;
    }

    /// At the array's own `]`.
    fn close(&mut self) {
        self.around = self.within;
        (self.state, self.depth) = match self.within {
            true => (State::Nested, 1),
            false => (State::Closed, 0),
        };
    }

    fn begin(&mut self, byte: u8, comma_missing: bool) {
        self.start = self.pos;
        self.fault = comma_missing.then_some(MISSING_COMMA);
        self.depth = 0;
        self.state = match byte {
            b'{' | b'[' => {
                self.depth = 1;
                State::Nested
            }
            b'"' => State::Text,
            _ => State::Bare,
        };
        self.pos += 1;
    }

    fn end(&mut self, spans: &mut Vec<Span>) {
        if self.around {
            self.around = false;
            self.state = State::Closed;
            return;
        }
        spans.push(Span {
            start: self.start,
            end: self.pos,
            fault: self.fault,
        });
        self.state = State::After;
    }

    fn text(&mut self, buf: &[u8], spans: &mut Vec<Span>) {
        match memchr2(b'"', b'\\', &buf[self.pos..]) {
            None => self.pos = buf.len(),
            Some(i) => {
                self.pos += i + 1;
                if buf[self.pos - 1] == b'\\' {
                    self.state = State::Escape;
                } else if self.depth == 0 {
                    self.end(spans);
                } else {
                    self.state = State::Nested;
                }
            }
        }
    }

    fn nested(&mut self, buf: &[u8], spans: &mut Vec<Span>) {
        for (i, &byte) in buf[self.pos..].iter().enumerate() {
            match byte {
                b'"' => {
                    self.pos += i + 1;
                    self.state = State::Text;
                    return;
                }
                b'{' | b'[' => self.depth += 1,
                // Which closes which is left to the parser: it will refuse
                // the element, and any guess here could swallow good ones.
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.pos += i + 1;
                        return self.end(spans);
                    }
                }
                _ => {}
            }
        }
        self.pos = buf.len();
    }

    fn rest(&mut self, buf: &[u8], spans: &mut Vec<Span>) {
        match memchr(b'\n', &buf[self.pos..]) {
            None => self.pos = buf.len(),
            Some(i) => {
                self.pos += i;
                self.end_rest(buf, spans);
            }
        }
    }

    fn end_rest(&mut self, buf: &[u8], spans: &mut Vec<Span>) {
        let line = buf[self.start..self.pos].trim_ascii_end();
        spans.push(Span {
            start: self.start,
            end: self.start + line.len(),
            fault: Some(AFTER_ARRAY),
        });
        self.state = State::Closed;
    }
}

/// An element that is not there has no bytes, which no parser accepts.
fn missing(here: usize) -> Span {
    Span {
        start: here,
        end: here,
        fault: Some(MISSING_ELEMENT),
    }
}

/// White space as JSON defines it.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whether `text` is one object with all its brackets and quotes closed.
pub(crate) fn is_complete_object(text: &[u8]) -> bool {
    is_complete(text) && text.trim_ascii_start().starts_with(b"{")
}

/// Whether `text` is one object or array with all its brackets and quotes closed.
pub(crate) fn is_complete(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let mut scanner = ElementScanner::in_state(State::Next);
    let mut spans = Vec::new();
    let cut = scanner.scan(text, text.len(), &mut spans);
    matches!(text.first(), Some(b'{' | b'['))
        && cut.is_some()
        && spans.len() == 1
        && spans[0].end == text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(String, Option<&'static str>)>;

    fn scan(text: &str) -> Found {
        let mut scanner = ElementScanner::new();
        let mut spans = Vec::new();
        let buf = text.as_bytes();
        assert!(scanner.scan(buf, usize::MAX, &mut spans).is_none());
        scanner.finish(buf, &mut spans);
        let text = |s: &Span| text[s.start..s.end].to_owned();
        spans.iter().map(|s| (text(s), s.fault)).collect()
    }

    fn good(elements: &[&str]) -> Found {
        elements.iter().map(|e| (e.to_string(), None)).collect()
    }

    #[test]
    fn well_formed_arrays() {
        assert_eq!(scan("[]"), good(&[]));
        assert_eq!(scan(" \n[ \n ]\n"), good(&[]));
        assert_eq!(scan("[1,-2.5e3 , null]"), good(&["1", "-2.5e3", "null"]));
        assert_eq!(
            scan(r#"["a]","b\"],","\\"]"#),
            good(&[r#""a]""#, r#""b\"],""#, r#""\\""#])
        );
        let nested = r#"{"a":[{"b":"]}\\"},[[]]],"c":"{"}"#;
        assert_eq!(
            scan(&format!("[{nested},\n{nested}\n]")),
            good(&[nested, nested])
        );
        let pretty = "{\n    \"a\": [\n      1\n    ]\n  }";
        assert_eq!(
            scan(&format!("[\n  {pretty},\n  {pretty}\n]\n")),
            good(&[pretty, pretty])
        );
    }

    #[test]
    fn broken_arrays_lose_nothing() {
        let f = |text: &str, fault| (text.to_owned(), Some(fault));
        let ok = |text: &str| (text.to_owned(), None);
        assert_eq!(
            scan(r#"[{"a":1} {"b":2}]"#),
            [ok(r#"{"a":1}"#), f(r#"{"b":2}"#, MISSING_COMMA)]
        );
        assert_eq!(scan("[1 x,2]"), [ok("1"), f("x", MISSING_COMMA), ok("2")]);
        assert_eq!(scan("[1}, 2]"), [ok("1}"), ok("2")]);
        assert_eq!(scan("[1,]"), [ok("1"), f("", MISSING_ELEMENT)]);
        assert_eq!(
            scan("[,1,,2]"),
            [
                f("", MISSING_ELEMENT),
                ok("1"),
                f("", MISSING_ELEMENT),
                ok("2")
            ]
        );
        assert_eq!(scan("["), [f("", NOT_CLOSED)]);
        assert_eq!(scan("[{}, "), [ok("{}"), f("", NOT_CLOSED)]);
        assert_eq!(scan("[{}\n"), [ok("{}"), f("", NOT_CLOSED)]);
        assert_eq!(scan("[1, 2"), [ok("1"), f("2", NOT_CLOSED)]);
        assert_eq!(
            scan(r#"[1, {"a": "x\"#),
            [ok("1"), f(r#"{"a": "x\"#, NOT_CLOSED)]
        );
        assert_eq!(
            scan("[1] 2, 3 \r\n\n[4]\n5"),
            [
                ok("1"),
                f("2, 3", AFTER_ARRAY),
                f("[4]", AFTER_ARRAY),
                f("5", AFTER_ARRAY)
            ]
        );
    }

    #[test]
    fn a_list_within_an_object_ends_with_it() {
        let within = |text: &str| {
            let mut scanner = ElementScanner::within(text.find('[').expect("a list"));
            let (mut spans, buf) = (Vec::new(), text.as_bytes());
            assert!(scanner.scan(buf, usize::MAX, &mut spans).is_none());
            scanner.finish(buf, &mut spans);
            let text = |s: &Span| text[s.start..s.end].to_owned();
            let found: Found = spans.iter().map(|s| (text(s), s.fault)).collect();
            found
        };
        let f = |text: &str, fault| (text.to_owned(), Some(fault));
        let ok = |text: &str| (text.to_owned(), None);
        let rest = r#""n":{"a":[2,"}\"]"]},"t":"]}""#;
        for good in ["}", " }\n", &format!(",{rest}}}\n")] {
            assert_eq!(
                within(&format!(r#"{{"rows":[{{}},1]{good}"#)),
                [ok("{}"), ok("1")]
            );
        }
        for cut in ["", " ,", &format!(",{rest}"), r#","t":"}"#, r#","t":"}\"#] {
            let found = within(&format!(r#"{{"rows":[1]{cut}"#));
            assert_eq!(found, [ok("1"), f("", NOT_CLOSED_AROUND)], "{cut}");
        }
        assert_eq!(within(r#"{"rows":[1"#), [f("1", NOT_CLOSED)]);
        assert_eq!(
            within("{\"rows\":[1,]} x\n{}"),
            [
                ok("1"),
                f("", MISSING_ELEMENT),
                f("x", AFTER_ARRAY),
                f("{}", AFTER_ARRAY)
            ]
        );
    }

    #[test]
    fn complete_objects() {
        assert!(is_complete_object(br#" {"a":"}"} "#));
        for not in ["", "{", "1", "[]", "{},", "{}{}", "{} x", r#"{"a":"}"#] {
            assert!(!is_complete_object(not.as_bytes()), "{not}");
        }
    }
}
