//! String contents: finding their end, undoing escapes, writing them again.

/// The first position at or after `at` whose byte is a quote, a backslash or a
/// control character: where a run of ordinary string content ends.
#[inline]
pub fn plain_run_end(bytes: &[u8], mut at: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    while let Some(&chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        // SAFETY: the function needs SSE2 and nothing else, and this line is compiled
        // only into programs that are built for processors that have it.
        match unsafe { first_special_of_16(chunk) } {
            0 => at += 16,
            found => return at + found.trailing_zeros() as usize,
        }
    }
    while let Some(&chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        match first_special_of_8(chunk) {
            0 => at += 8,
            found => return at + (found.trailing_zeros() / 8) as usize,
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

/// The same, unless it is among the last few bytes: in few enough instructions to stand
/// wherever a string is read.
#[inline]
pub(super) fn run_end_before_tail(bytes: &[u8], mut at: usize) -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    loop {
        // SAFETY: as above: compiled only for processors that have SSE2.
        match unsafe { first_special_of_16(*bytes.get(at..)?.first_chunk()?) } {
            0 => at += 16,
            found => return Some(at + found.trailing_zeros() as usize),
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    loop {
        match first_special_of_8(*bytes.get(at..)?.first_chunk()?) {
            0 => at += 8,
            found => return Some(at + (found.trailing_zeros() / 8) as usize),
        }
    }
}

/// One bit for each byte that is a quote, a backslash or a control character.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "sse2")]
#[inline]
fn first_special_of_16(chunk: [u8; 16]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let whole = u128::from_le_bytes(chunk);
    let bytes = _mm_set_epi64x((whole >> 64) as i64, whole as i64);
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
    let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
    let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    let found = _mm_or_si128(_mm_or_si128(quote, backslash), control);
    _mm_movemask_epi8(found) as u32
}

/// The high bit of each such byte; those above the lowest set one may be false alarms.
#[inline]
fn first_special_of_8(chunk: [u8; 8]) -> u64 {
    // False alarms can only follow a true one in a lower byte. With its second bit
    // flipped, `"` (0x22) stands right above the control characters and nothing else
    // moves below 0x21, so one comparison finds both.
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let word = u64::from_le_bytes(chunk);
    let control_or_quote = (word ^ (LOW * 0x02)).wrapping_sub(LOW * 0x21);
    let backslash = (word ^ (LOW * u64::from(b'\\'))).wrapping_sub(LOW);
    // Bytes above 0x7f are none of these; flipping low bits leaves their high bit.
    (control_or_quote | backslash) & !word & HIGH
}

/// Undoes the escape whose backslash stands at `at`, appending to `out`; returns the
/// position after it, or `None` for an escape JSON does not have.
///
/// A surrogate without its partner becomes U+FFFD: the grammar allows it, and one
/// odd character must not cost a line.
pub fn unescape_one(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let plain = match bytes.get(at + 1)? {
        b'"' => b'"',
        b'\\' => b'\\',
        b'/' => b'/',
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        b'u' => {
            let unit = hex4(bytes, at + 2)?;
            let mut end = at + 6;
            let mut code = unit;
            if (0xd800..0xdc00).contains(&unit)
                && bytes.get(end) == Some(&b'\\')
                && bytes.get(end + 1) == Some(&b'u')
                && let Some(low) = hex4(bytes, end + 2)
                && (0xdc00..0xe000).contains(&low)
            {
                code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                end += 6;
            }
            let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(end);
        }
        _ => return None,
    };
    out.push(plain);
    Some(at + 2)
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |code, &byte| {
        (byte as char).to_digit(16).map(|digit| code * 16 + digit)
    })
}

/// Appends `text` as a JSON string, quotes included.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_string_contents(text, out);
    out.push(b'"');
}

/// Appends a text as a JSON string, or `null` where there is none.
pub fn write_string_or_null(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => write_string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a list, each of whose items is written by `write`.
pub fn write_list<T>(
    items: impl IntoIterator<Item = T>,
    write: impl Fn(T, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    out.push(b'[');
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

/// Appends `text` escaped for the inside of a JSON string.
pub fn write_string_contents(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = plain_run_end(bytes, at);
        out.extend_from_slice(&bytes[at..end]);
        let Some(&byte) = bytes.get(end) else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            _ => out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]),
        }
        at = end + 1;
    }
}

/// Appends a finite double in its shortest form; a non-finite one as the JSON string
/// `"Infinity"`, `"-Infinity"` or `"NaN"`, because JSON has no such numbers.
pub fn write_number(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else if value.is_nan() {
        out.extend_from_slice(b"\"NaN\"");
    } else if value > 0.0 {
        out.extend_from_slice(b"\"Infinity\"");
    } else {
        out.extend_from_slice(b"\"-Infinity\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unescape(text: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'\\' {
                at = unescape_one(bytes, at, &mut out)?;
            } else {
                out.push(bytes[at]);
                at += 1;
            }
        }
        String::from_utf8(out).ok()
    }

    #[test]
    fn surrogates_pair_up_or_become_the_replacement_character() {
        assert_eq!(unescape(r"\ud83d\ude00").as_deref(), Some("😀"));
        assert_eq!(unescape(r"\ud83dx").as_deref(), Some("\u{fffd}x"));
        assert_eq!(unescape(r"\ude00").as_deref(), Some("\u{fffd}"));
        assert_eq!(unescape(r"\ud83d\u0041").as_deref(), Some("\u{fffd}A"));
        assert_eq!(unescape(r"\u12g4"), None);
        assert_eq!(unescape(r"\x"), None);
        assert_eq!(unescape("\\"), None);
    }

    proptest! {
        #[test]
        fn written_strings_are_what_serde_writes(text in ".*") {
            let mut out = Vec::new();
            write_string(&text, &mut out);
            let back: String = serde_json::from_slice(&out).expect("valid JSON string");
            prop_assert_eq!(back, text);
        }

        #[test]
        fn plain_run_end_equals_the_naive_search(bytes: Vec<u8>) {
            let naive = bytes.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\').unwrap_or(bytes.len());
            prop_assert_eq!(plain_run_end(&bytes, 0), naive);
            // The way of machines without SSE2.
            for chunk in bytes.chunks_exact(8) {
                let naive = chunk.iter().position(|b| *b < 0x20 || *b == b'"' || *b == b'\\');
                let found = first_special_of_8(chunk.try_into().unwrap()).trailing_zeros() / 8;
                prop_assert_eq!(found as usize, naive.unwrap_or(8));
            }
        }
    }
}
