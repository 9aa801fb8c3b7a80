//! Where the rows of a document stand.

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The line it begins on.
    pub line: u64,
}

/// Spans that rise, with their lines; the bytes begin on `first_line`.
pub fn numbered(bytes: &[u8], spans: Vec<(usize, usize)>, first_line: u64) -> Vec<Span> {
    let (mut at, mut line) = (0, first_line);
    let number = |(start, end): (usize, usize)| {
        line += memchr::memchr_iter(b'\n', &bytes[at..start]).count() as u64;
        at = start;
        Span { start, end, line }
    };
    spans.into_iter().map(number).collect()
}
