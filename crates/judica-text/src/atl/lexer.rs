//! Text to tokens. What a word means depends on where it stands; the parser decides.

use super::formula::Kind;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a number, or an operator that is a word.
    Word(&'a str),
    Open,
    Close,
    Comma,
    /// An operator before its operand.
    Prefix(Kind),
    /// An operator between its operands.
    Infix(Kind),
    /// `<<…>>` or `[[…]]`, and what stands between.
    Coalition(Kind, &'a str),
    /// `>=` and the like.
    Comparison(&'static str),
    End,
    /// A character that no formula has, or a coalition that does not end.
    Unknown,
}

/// Walks over a text; a copy looks ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text }
    }

    /// Takes an opening parenthesis if it comes next, without white space before it.
    pub fn take_open(&mut self) -> bool {
        match self.rest.strip_prefix('(') {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes the next token.
    pub fn token(&mut self) -> Token<'a> {
        use Token::*;
        // Most tokens follow one another closely; the general way is a slow one.
        if let [..=b' ' | 0x80.., ..] = self.rest.as_bytes() {
            self.rest = self.rest.trim_start();
        }
        let (token, length) = match self.rest.as_bytes() {
            [] => (End, 0),
            [b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_', ..] => return self.word(0),
            // A negative number; a minus between two names belongs to the first.
            [b'-', b'0'..=b'9', ..] => return self.word(1),
            [b'(', ..] => (Open, 1),
            [b')', ..] => (Close, 1),
            [b',', ..] => (Comma, 1),
            [b'&', b'&', ..] | [b'/', b'\\', ..] => (Infix(Kind::And), 2),
            [b'&', ..] => (Infix(Kind::And), 1),
            [b'|', b'|', ..] | [b'\\', b'/', ..] => (Infix(Kind::Or), 2),
            [b'|', ..] => (Infix(Kind::Or), 1),
            [b'-', b'>', ..] | [b'=', b'>', ..] => (Infix(Kind::Implies), 2),
            [b'<', b'-', b'>', ..] | [b'<', b'=', b'>', ..] => (Infix(Kind::Iff), 3),
            [b'<', b'<', ..] => return self.coalition(Kind::Enforces, "<<", ">>"),
            [b'[', b'[', ..] => return self.coalition(Kind::CannotAvoid, "[[", "]]"),
            [b'<', b'=', ..] => (Comparison("<="), 2),
            [b'>', b'=', ..] => (Comparison(">="), 2),
            [b'!', b'=', ..] => (Comparison("!="), 2),
            [b'=', b'=', ..] => (Comparison("=="), 2),
            [b'<', ..] => (Comparison("<"), 1),
            [b'>', ..] => (Comparison(">"), 1),
            [b'=', ..] => (Comparison("="), 1),
            [b'!' | b'~', ..] => (Prefix(Kind::Not), 1),
            _ => return self.beyond_ascii(),
        };
        self.rest = &self.rest[length..];
        token
    }

    fn beyond_ascii(&mut self) -> Token<'a> {
        use Token::*;
        let Some(first) = self.rest.chars().next() else {
            return End;
        };
        let token = match first {
            '¬' | '∼' => Prefix(Kind::Not),
            '○' | '◯' => Prefix(Kind::Next),
            '◇' | '◊' | '⋄' => Prefix(Kind::Eventually),
            '□' | '◻' => Prefix(Kind::Always),
            '∧' => Infix(Kind::And),
            '∨' => Infix(Kind::Or),
            '→' | '⇒' | '⟶' | '⟹' => Infix(Kind::Implies),
            '↔' | '⇔' | '⟷' | '⟺' => Infix(Kind::Iff),
            '⊤' => Word("true"),
            '⊥' => Word("false"),
            '≤' => Comparison("<="),
            '≥' => Comparison(">="),
            '≠' => Comparison("!="),
            '⟨' => return self.coalition(Kind::Enforces, "⟨⟨", "⟩⟩"),
            '⟪' => return self.coalition(Kind::Enforces, "⟪", "⟫"),
            _ if first.is_alphabetic() => return self.word(0),
            _ => return Unknown,
        };
        self.rest = &self.rest[first.len_utf8()..];
        token
    }

    /// Takes a word whose first `from` bytes have been looked at.
    fn word(&mut self, from: usize) -> Token<'a> {
        let (word, rest) = self.rest.split_at(word_end(self.rest, from));
        self.rest = rest;
        Token::Word(word)
    }

    fn coalition(&mut self, kind: Kind, open: &str, close: &str) -> Token<'a> {
        let Some(inside) = self.rest.strip_prefix(open) else {
            return Token::Unknown;
        };
        let mut ends = inside.as_bytes().windows(close.len());
        match ends.position(|end| end == close.as_bytes()) {
            Some(end) => {
                self.rest = &inside[end + close.len()..];
                Token::Coalition(kind, &inside[..end])
            }
            None => Token::Unknown,
        }
    }
}

/// Where the word ends that `text` begins with, of which the first `at` bytes are known:
/// letters, digits and underscores; points and minuses between those; primes at the end.
pub(super) fn word_end(text: &str, mut at: usize) -> usize {
    loop {
        at = run_end(text, at);
        let joined = match text.as_bytes().get(at) {
            Some(b'.' | b'-') => run_end(text, at + 1),
            _ => at,
        };
        if joined <= at + 1 {
            break;
        }
        at = joined;
    }
    while text.as_bytes().get(at) == Some(&b'\'') {
        at += 1;
    }
    at
}

/// Which bytes are letters, digits and underscores of ASCII.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Where the letters, digits and underscores end that begin at `at`.
#[inline]
pub(crate) fn run_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        while bytes.get(at).is_some_and(|&byte| WORD[usize::from(byte)]) {
            at += 1;
        }
        match bytes.get(at) {
            Some(byte) if !byte.is_ascii() => match text[at..].chars().next() {
                Some(letter) if letter.is_alphanumeric() => at += letter.len_utf8(),
                _ => return at,
            },
            _ => return at,
        }
    }
}
