//! Source text to tokens.

use std::ops::Range;

use super::code::Binary;
use super::error::{ExprError, quote};

/// What a token is; its text is found through its span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tok {
    Number(f64),
    Name,
    Add,
    Sub,
    Mul,
    Div,
    Power,
    Compare(Binary),
    Not,
    And,
    Or,
    If,
    Then,
    Else,
    Open,
    Close,
    Comma,
    End,
}

/// A token and its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) span: Range<usize>,
}

/// Every operator, or in `Err` what to write in place of a spelling that other
/// languages and typographers use. Longer ones come first, so that they win.
const OPERATORS: [(&str, Result<Tok, &str>); 31] = [
    ("<=", Ok(Tok::Compare(Binary::Le))),
    (">=", Ok(Tok::Compare(Binary::Ge))),
    ("==", Ok(Tok::Compare(Binary::Eq))),
    ("!=", Ok(Tok::Compare(Binary::Ne))),
    ("&&", Ok(Tok::And)),
    ("||", Ok(Tok::Or)),
    ("**", Err("^")),
    ("<>", Err("!=")),
    ("=<", Err("<=")),
    ("=>", Err(">=")),
    ("<", Ok(Tok::Compare(Binary::Lt))),
    (">", Ok(Tok::Compare(Binary::Gt))),
    ("+", Ok(Tok::Add)),
    ("-", Ok(Tok::Sub)),
    ("*", Ok(Tok::Mul)),
    ("/", Ok(Tok::Div)),
    ("^", Ok(Tok::Power)),
    ("!", Ok(Tok::Not)),
    ("(", Ok(Tok::Open)),
    (")", Ok(Tok::Close)),
    (",", Ok(Tok::Comma)),
    ("=", Err("==")),
    ("&", Err("and")),
    ("|", Err("or")),
    ("≤", Err("<=")),
    ("≥", Err(">=")),
    ("≠", Err("!=")),
    ("×", Err("*")),
    ("·", Err("*")),
    ("÷", Err("/")),
    ("−", Err("-")),
];

/// The keyword that `word` is, if it is one.
pub(super) fn keyword(word: &str) -> Option<Tok> {
    Some(match word {
        "not" => Tok::Not,
        "and" => Tok::And,
        "or" => Tok::Or,
        "if" => Tok::If,
        "then" => Tok::Then,
        "else" => Tok::Else,
        _ => return None,
    })
}

/// All tokens of `source`, the last of them [`Tok::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, ExprError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (tok, len) = token(source, at, first)?;
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
fn token(source: &str, at: usize, first: char) -> Result<(Tok, usize), ExprError> {
    let rest = &source[at..];
    let bytes = rest.as_bytes();
    if first.is_ascii_digit() || (first == '.' && bytes.get(1).is_some_and(u8::is_ascii_digit)) {
        let len = number_length(bytes);
        return Ok((number(source, at..at + len)?, len));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = bytes.iter().take_while(|b| in_word(**b)).count();
        return Ok((keyword(&rest[..len]).unwrap_or(Tok::Name), len));
    }
    match OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
        Some(&(text, Ok(tok))) => Ok((tok, text.len())),
        Some(&(text, Err(ours))) => {
            let span = at..at + text.len();
            let message = format!("`{text}` is not an operator");
            Err(ExprError::new(span, message).help(format!("write `{ours}`")))
        }
        None => {
            let span = at..at + first.len_utf8();
            let message = format!("unexpected character `{}`", first.escape_debug());
            Err(ExprError::new(span, message))
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

fn number(source: &str, span: Range<usize>) -> Result<Tok, ExprError> {
    match source[span.clone()].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Tok::Number(value)),
        Ok(_) => {
            let message = format!("{} is too large for a number", quote(source, &span));
            Err(ExprError::new(span, message))
        }
        Err(_) => {
            let message = format!("{} is not a number", quote(source, &span));
            Err(ExprError::new(span, message).help("write it like `10`, `0.5` or `1e-3`"))
        }
    }
}
