//! Values that should be text, as they stand in a line.

use std::borrow::Cow;

use judica_data::json::scan::RawString;

/// A value that should be text.
#[derive(Debug, Default, Clone, Copy)]
pub enum Text<'a> {
    /// No such key, or null.
    #[default]
    Missing,
    /// Text.
    Is(RawString<'a>),
    /// A number as it stands.
    Number(&'a [u8]),
    /// Something else, as it stands.
    WrongType(&'a [u8]),
}

impl<'a> Text<'a> {
    /// The same, told apart from every other: half a character (a surrogate without its
    /// partner) has no text of its own, so a text with one stays as it is written.
    pub fn name(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            Text::Is(raw) => Some(name(*raw)),
            _ => self.decode(),
        }
    }

    /// The text, escapes undone; a number counts as the text it is written as. `None`
    /// for anything else.
    pub fn decode(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            Text::Is(raw) if raw.escaped => Some(Cow::Owned(raw.decode(&mut Vec::new()).to_vec())),
            Text::Is(raw) => Some(Cow::Borrowed(raw.raw)),
            Text::Number(digits) => Some(Cow::Borrowed(digits)),
            Text::Missing | Text::WrongType(_) => None,
        }
    }
}

/// A text as a name; see [`Text::name`].
pub(super) fn name(raw: RawString<'_>) -> Cow<'_, [u8]> {
    const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
    if !raw.escaped {
        return Cow::Borrowed(raw.raw);
    }
    let mut decoded = Vec::new();
    raw.decode(&mut decoded);
    if memchr::memmem::find(&decoded, REPLACEMENT).is_some() {
        Cow::Borrowed(raw.raw)
    } else {
        Cow::Owned(decoded)
    }
}
