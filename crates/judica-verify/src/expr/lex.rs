//! Source text to tokens.

use std::ops::Range;

use super::code::Binary;
use super::error::{ExprError, quote};

/// What a token is; its text is found through its span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tok {
    Number(f64),
    /// Text in quotes, single or double, as it stands: nothing in it is escaped.
    Text,
    Name,
    Add,
    Sub,
    Mul,
    Div,
    Power,
    Compare(Binary),
    In,
    Matches,
    Contains,
    Not,
    And,
    Or,
    If,
    Then,
    Else,
    Open,
    Close,
    Comma,
    Dot,
    OpenList,
    CloseList,
    End,
}

/// A token and its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) span: Range<usize>,
}

/// Every operator; with advice where only other languages and typographers spell it so, and
/// the token is the one that was probably meant. Longer ones come first, so that they win.
const OPERATORS: [(&str, Tok, Option<&str>); 38] = [
    ("===", Tok::Compare(Binary::Eq), Some("write `==`")),
    ("<=", Tok::Compare(Binary::Le), None),
    (">=", Tok::Compare(Binary::Ge), None),
    ("==", Tok::Compare(Binary::Eq), None),
    ("!=", Tok::Compare(Binary::Ne), None),
    ("&&", Tok::And, None),
    ("||", Tok::Or, None),
    ("**", Tok::Power, Some("write `^`")),
    ("//", Tok::Div, Some("write `floor(a / b)`")),
    ("<>", Tok::Compare(Binary::Ne), Some("write `!=`")),
    ("=<", Tok::Compare(Binary::Le), Some("write `<=`")),
    ("=>", Tok::Compare(Binary::Ge), Some("write `>=`")),
    ("<", Tok::Compare(Binary::Lt), None),
    (">", Tok::Compare(Binary::Gt), None),
    ("+", Tok::Add, None),
    ("-", Tok::Sub, None),
    ("*", Tok::Mul, None),
    ("/", Tok::Div, None),
    ("^", Tok::Power, None),
    ("!", Tok::Not, None),
    ("(", Tok::Open, None),
    (")", Tok::Close, None),
    (",", Tok::Comma, None),
    (".", Tok::Dot, None),
    ("[", Tok::OpenList, None),
    ("]", Tok::CloseList, None),
    ("=", Tok::Compare(Binary::Eq), Some("write `==`")),
    ("&", Tok::And, Some("write `and`")),
    ("|", Tok::Or, Some("write `or`")),
    ("≤", Tok::Compare(Binary::Le), Some("write `<=`")),
    ("≥", Tok::Compare(Binary::Ge), Some("write `>=`")),
    ("≠", Tok::Compare(Binary::Ne), Some("write `!=`")),
    ("×", Tok::Mul, Some("write `*`")),
    ("·", Tok::Mul, Some("write `*`")),
    ("÷", Tok::Div, Some("write `/`")),
    ("−", Tok::Sub, Some("write `-`")),
    ("%", Tok::Div, Some(REMAINDER)),
    ("√", Tok::Sub, Some("write `sqrt(x)`")),
];

/// What to write for the remainder of a division, which the language does not have.
pub(super) const REMAINDER: &str =
    "write `a - b * floor(a / b)` for the remainder; `arc(a, b)` for the angle between directions";

/// Characters that begin what other languages can say, and how it is said here.
const ELSEWHERE: [(char, &str); 3] = [
    ('?', "a choice is written `if … then … else …`"),
    (':', "a choice is written `if … then … else …`"),
    ('{', "names stand on their own: `speed`, not `{speed}`"),
];

/// The keyword that `word` is, if it is one.
pub(super) fn keyword(word: &str) -> Option<Tok> {
    Some(match word {
        "in" => Tok::In,
        "matches" => Tok::Matches,
        "contains" => Tok::Contains,
        "not" => Tok::Not,
        "and" => Tok::And,
        "or" => Tok::Or,
        "if" => Tok::If,
        "then" => Tok::Then,
        "else" => Tok::Else,
        _ => return None,
    })
}

/// All tokens of `source`, the last of them [`Tok::End`]. A spelling of elsewhere is told of in
/// `mistakes` and read as what was meant.
///
/// # Errors
///
/// The first character that begins no token.
pub(super) fn tokens(source: &str, mistakes: &mut Vec<ExprError>) -> Result<Vec<Token>, ExprError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (tok, len) = token(source, at, first, mistakes)?;
        let span = at..at + len;
        out.push(Token { tok, span });
        at += len;
    }
    let end = source.len();
    out.push(Token {
        tok: Tok::End,
        span: end..end,
    });
    Ok(out)
}

/// The token that starts at `at` with the character `first`, and its length.
fn token(
    source: &str,
    at: usize,
    first: char,
    mistakes: &mut Vec<ExprError>,
) -> Result<(Tok, usize), ExprError> {
    let rest = &source[at..];
    let bytes = rest.as_bytes();
    if first.is_ascii_digit() || (first == '.' && bytes.get(1).is_some_and(u8::is_ascii_digit)) {
        let len = number_length(bytes);
        return Ok((number(source, at..at + len, mistakes), len));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = bytes.iter().take_while(|b| in_word(**b)).count();
        return Ok((keyword(&rest[..len]).unwrap_or(Tok::Name), len));
    }
    if matches!(first, '"' | '\'') {
        return match rest[1..].find(first) {
            Some(length) => Ok((Tok::Text, length + 2)),
            None => Err(ExprError::new(at..at + 1, "this quote is never closed")),
        };
    }
    match OPERATORS.iter().find(|(text, ..)| rest.starts_with(text)) {
        Some(&(text, tok, advice)) => {
            if let Some(advice) = advice {
                let span = at..at + text.len();
                let message = format!("`{text}` is not an operator");
                mistakes.push(ExprError::new(span, message).help(advice));
            }
            Ok((tok, text.len()))
        }
        None => {
            let span = at..at + first.len_utf8();
            let message = format!("unexpected character `{}`", first.escape_debug());
            let error = ExprError::new(span, message);
            let said = ELSEWHERE.iter().find(|(known, _)| *known == first);
            Err(match said {
                Some((_, here)) => error.help(*here),
                None => error,
            })
        }
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Length of what looks like a number. Letters are taken along, so that `10km`
/// is one malformed number and not a number beside a name.
fn number_length(bytes: &[u8]) -> usize {
    let mut len = 0;
    while let Some(&byte) = bytes.get(len) {
        let signed_exponent = matches!(byte, b'+' | b'-')
            && len > 0
            && matches!(bytes[len - 1], b'e' | b'E')
            && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
        if !(in_word(byte) || byte == b'.' || signed_exponent) {
            break;
        }
        len += 1;
    }
    len
}

/// The number that stands at `span`; what is none is told of, and read as 1.
fn number(source: &str, span: Range<usize>, mistakes: &mut Vec<ExprError>) -> Tok {
    let mistake = match source[span.clone()].parse::<f64>() {
        Ok(value) if value.is_finite() => return Tok::Number(value),
        Ok(_) => {
            let message = format!("{} is too large for a number", quote(source, &span));
            ExprError::new(span, message)
        }
        Err(_) => {
            let message = format!("{} is not a number", quote(source, &span));
            ExprError::new(span, message).help("write it like `10`, `0.5` or `1e-3`")
        }
    };
    mistakes.push(mistake);
    Tok::Number(1.0)
}
