//! Bytes of numbers, strings and timestamps.
//!
//! A million-output data set is a gigabyte of decimal digits, so numbers with fixed
//! decimals are written through integers instead of the general float formatter.

/// Powers of ten that are exact in a double.
pub(crate) const POW10: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/// Writes an integer.
pub(crate) fn integer(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Writes an integer with leading zeros up to `width` digits.
pub(crate) fn padded(out: &mut Vec<u8>, n: u64, width: usize) {
    let mut limit = 1u64;
    for _ in 1..width {
        limit *= 10;
        if n < limit {
            // Digits are counted from the top: every limit above n is a missing digit.
            out.push(b'0');
        }
    }
    integer(out, n);
}

/// Writes a number with at most `decimals` decimals, without trailing zeros, as the
/// instruments print it: `31`, `-20.9`, `40.3670006`.
pub(crate) fn fixed(out: &mut Vec<u8>, value: f64, decimals: u8) {
    let scaled = (value * POW10[usize::from(decimals)]).round();
    // Every field is far below 2^53 after scaling; a value that is not is no number
    // an instrument shows, and the cast saturates instead of wrapping.
    let mut rest = scaled.abs() as u64;
    let mut places = decimals;
    while places > 0 && rest.is_multiple_of(10) {
        rest /= 10;
        places -= 1;
    }
    if scaled < 0.0 {
        out.push(b'-');
    }
    let unit = POW10[usize::from(places)] as u64;
    integer(out, rest / unit);
    if places > 0 {
        out.push(b'.');
        padded(out, rest % unit, usize::from(places));
    }
}

/// Writes a finite number with all its digits, as a model does that does not round.
pub(crate) fn unrounded(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
}

/// Writes text as the inside of a JSON string. Runs without special bytes are copied
/// whole, because a response is nearly all such runs.
pub(crate) fn escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut from = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&text[from..at]);
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            other => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(other >> 4)]);
                out.push(HEX[usize::from(other & 15)]);
            }
        }
        from = at + 1;
    }
    out.extend_from_slice(&text[from..]);
}

/// Writes a JSON value, on one line or several.
pub(crate) fn json(out: &mut Vec<u8>, value: &serde_json::Value, pretty: bool) {
    let text = match pretty {
        true => format!("{value:#}"),
        false => value.to_string(),
    };
    out.extend_from_slice(text.as_bytes());
}

/// An amount of money in its main unit.
pub(crate) fn cents(cents: u64) -> f64 {
    cents as f64 / 100.0
}

/// The day that is `days` after the start of 2025: `2025-12-31`.
pub(crate) fn day(days: u64) -> String {
    let (year, month, day) = calendar(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes the RFC 3339 time `seconds` after the start of 2025 (UTC). Data sets have no
/// clock: the time of an answer is its place in the file.
pub(crate) fn timestamp(out: &mut Vec<u8>, seconds: u64) {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    out.extend_from_slice(day(days).as_bytes());
    out.push(b'T');
    padded(out, second / 3600, 2);
    out.push(b':');
    padded(out, second / 60 % 60, 2);
    out.push(b':');
    padded(out, second % 60, 2);
    out.push(b'Z');
}

/// Year, month and day of what is `days` after the start of 2025.
pub(crate) fn calendar(mut days: u64) -> (u64, u64, u64) {
    let mut year = 2025;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let mut month = 0;
    let february = if leap(year) { 29 } else { 28 };
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        month += 1;
        if days < length {
            break;
        }
        days -= length;
    }
    (year, month, days + 1)
}

fn leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn fixed_prints_like_the_instruments() {
        let shown = |v, d| text(|out| fixed(out, v, d));
        assert_eq!(shown(31.0, 1), "31");
        assert_eq!(shown(-20.9, 1), "-20.9");
        assert_eq!(shown(40.3670006, 7), "40.3670006");
        assert_eq!(shown(-0.004, 3), "-0.004");
        assert_eq!(shown(-0.0004, 3), "0");
        assert_eq!(shown(0.05, 2), "0.05");
        assert_eq!(shown(100.0, 0), "100");
        assert_eq!(shown(1.10, 3), "1.1");
    }

    #[test]
    fn timestamps_follow_the_calendar() {
        let shown = |s| text(|out| timestamp(out, s));
        assert_eq!(shown(0), "2025-01-01T00:00:00Z");
        assert_eq!(shown(59 * 86_400), "2025-03-01T00:00:00Z");
        // 2025 has 365 days, 2026 and 2027 too; day 59 of 2028 is the leap day.
        let leap_day = (3 * 365 + 59) * 86_400 + 86_399;
        assert_eq!(shown(leap_day), "2028-02-29T23:59:59Z");
    }

    #[test]
    fn escaping_survives_a_json_parser() {
        let raw = "a \"b\"\n\\c\td\u{1}";
        let inside = text(|out| escaped(out, raw.as_bytes()));
        let back: String = serde_json::from_str(&format!("\"{inside}\"")).expect("JSON");
        assert_eq!(back, raw);
    }

    #[test]
    fn padding_counts_digits() {
        let shown = |n, w| text(|out| padded(out, n, w));
        assert_eq!(shown(0, 6), "000000");
        assert_eq!(shown(42, 6), "000042");
        assert_eq!(shown(1_234_567, 6), "1234567");
    }
}
