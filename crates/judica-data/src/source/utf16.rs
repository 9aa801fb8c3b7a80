//! Text in pairs of bytes.

/// Text in pairs of bytes on its way to UTF-8. Half of a pair that stands alone becomes the
/// character for what is none.
pub(super) struct Utf16 {
    high_first: bool,
    /// Bytes that are not yet a character.
    waiting: Vec<u8>,
    /// Characters that are not yet given.
    text: Vec<u8>,
    given: usize,
}

impl Utf16 {
    /// Begins with some bytes.
    pub fn new(high_first: bool, bytes: &[u8]) -> Self {
        let mut utf16 = Utf16 {
            high_first,
            waiting: Vec::new(),
            text: Vec::new(),
            given: 0,
        };
        utf16.take(bytes);
        utf16
    }

    /// Whether no byte waits for another.
    pub fn is_whole(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes more bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        let (pairs, _) = self.waiting.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| match self.high_first {
            true => u16::from_be_bytes(*pair),
            false => u16::from_le_bytes(*pair),
        };
        // The first half of a character waits for the other.
        let halved = pairs
            .last()
            .is_some_and(|pair| (0xd800..0xdc00).contains(&unit(pair)));
        let whole = pairs.len() - usize::from(halved);
        let characters = char::decode_utf16(pairs[..whole].iter().map(unit));
        let mut text = String::new();
        text.extend(characters.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        self.waiting.drain(..2 * whole);
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Gives what fits of the text so far; says how much.
    pub fn give(&mut self, buf: &mut [u8]) -> usize {
        let rest = &self.text[self.given..];
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        self.given += n;
        if self.given == self.text.len() {
            self.text.clear();
            self.given = 0;
        }
        n
    }
}
