//! Decimal text to the nearest double.

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Reads a number by JSON's grammar at the start of `bytes`: its value and its length.
///
/// A number too large for a double becomes infinite, as in most readers; whoever
/// uses the value must be ready for that.
#[inline(always)]
pub fn json_number(bytes: &[u8]) -> Option<(f64, usize)> {
    match short(bytes) {
        Some(short) => Some((short.value(), short.length)),
        None => long_number(bytes),
    }
}

/// The same for a number that need not be short.
#[inline(never)]
fn long_number(bytes: &[u8]) -> Option<(f64, usize)> {
    let decimal = decimal(bytes)?;
    Some((decimal.value(&bytes[..decimal.length]), decimal.length))
}

/// The length of a number by JSON's grammar at the start of `bytes`, for whoever does not ask
/// for its value.
pub fn json_number_length(bytes: &[u8]) -> Option<usize> {
    match short(bytes) {
        Some(short) => Some(short.length),
        None => decimal(bytes).map(|decimal| decimal.length),
    }
}

/// A number of fewer than eight digits before the point, fewer than eight after it, and no
/// exponent: what readings are written as.
struct Short {
    negative: bool,
    /// All digits.
    mantissa: u64,
    fraction_digits: usize,
    length: usize,
}

impl Short {
    #[inline(always)]
    fn value(&self) -> f64 {
        // Both are exact, so that one correctly rounded operation gives the nearest double.
        // Of numbers with a sign, the processor makes doubles itself.
        let digits = self.mantissa.cast_signed() as f64;
        let magnitude = digits / EXACT_POWERS[self.fraction_digits];
        // Signs come as they like: a jump would be guessed wrongly half the time.
        f64::from_bits(magnitude.to_bits() ^ u64::from(self.negative) << 63)
    }
}

/// Reads a short number with enough behind it to look at eights of bytes only. Inlined, so that
/// nothing is reckoned out that is not asked for.
#[inline(always)]
fn short(bytes: &[u8]) -> Option<Short> {
    let negative = *bytes.first()? == b'-';
    let sign = usize::from(negative);
    let window: &[u8; 24] = bytes.get(sign..)?.first_chunk()?;
    let eight_at = |at: usize| -> u64 {
        let eight = window[at..].first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(eight) ^ ZEROS
    };
    let whole = eight_at(0);
    let whole_digits = leading_digits(whole);
    if whole_digits == 0 || whole_digits == 8 || (whole_digits > 1 && window[0] == b'0') {
        return None;
    }
    // What is not a digit is moved out.
    let whole = whole << (8 * (8 - whole_digits));
    let mut length = whole_digits;
    let (mut fraction, mut fraction_digits) = (0, 0);
    if window[length] == b'.' {
        fraction = eight_at(length + 1);
        fraction_digits = leading_digits(fraction);
        if fraction_digits == 0 || fraction_digits == 8 {
            return None;
        }
        fraction <<= 8 * (8 - fraction_digits);
        length += 1 + fraction_digits;
    }
    let mantissa = match whole_digits + fraction_digits {
        // As if there were no point between them.
        ..=8 => value_of(whole >> (8 * fraction_digits) | fraction),
        _ => value_of(whole) * POWERS[fraction_digits] + value_of(fraction),
    };
    let short = Short {
        negative,
        mantissa,
        fraction_digits,
        length: sign + length,
    };
    (window[length] | 0x20 != b'e').then_some(short)
}

/// What a number is written with.
struct Decimal {
    negative: bool,
    /// All digits; wrapped if they are more than 19.
    mantissa: u64,
    digits: usize,
    power: i64,
    length: usize,
}

/// Inlined, so that nothing is reckoned out that is not asked for.
#[inline(always)]
fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let mut at = 0;
    let negative = bytes.first() == Some(&b'-');
    if negative {
        at += 1;
    }
    let first_digit = at;
    let mut mantissa: u64 = 0;
    at += take_digits(&bytes[at..], &mut mantissa);
    let whole_digits = at - first_digit;
    // JSON has neither an empty whole part nor leading zeros.
    if whole_digits == 0 || (whole_digits > 1 && bytes[first_digit] == b'0') {
        return None;
    }
    let mut fraction_digits = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction_digits = take_digits(&bytes[at + 1..], &mut mantissa);
        if fraction_digits == 0 {
            return None;
        }
        at += 1 + fraction_digits;
    }
    let mut exponent: i64 = 0;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let (value, length) = exponent_at(&bytes[at..])?;
        exponent = value;
        at += length;
    }
    Some(Decimal {
        negative,
        mantissa,
        digits: whole_digits + fraction_digits,
        power: exponent.saturating_sub(fraction_digits as i64),
        length: at,
    })
}

/// Reads a whole text as a number the way people write them: an optional sign,
/// digits with an optional point (`5.` and `.5` too), an optional exponent, white
/// space around. No hex, no underscores, no `inf`, no `nan`.
pub fn people_number(text: &str) -> Option<f64> {
    let bytes = text.trim().as_bytes();
    let mut at = 0;
    let negative = bytes.first() == Some(&b'-');
    if matches!(bytes.first(), Some(b'-' | b'+')) {
        at += 1;
    }
    let mut mantissa: u64 = 0;
    let mut digits = take_digits(&bytes[at..], &mut mantissa);
    at += digits;
    let mut fraction_digits = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction_digits = take_digits(&bytes[at + 1..], &mut mantissa);
        at += 1 + fraction_digits;
        digits += fraction_digits;
    }
    if digits == 0 {
        return None;
    }
    let mut exponent: i64 = 0;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let (value, length) = exponent_at(&bytes[at..])?;
        exponent = value;
        at += length;
    }
    if at != bytes.len() {
        return None;
    }
    let decimal = Decimal {
        negative,
        mantissa,
        digits,
        power: exponent.saturating_sub(fraction_digits as i64),
        length: at,
    };
    Some(decimal.value(bytes))
}

/// Whether a number that was written out, with all its digits, is the double it was read as,
/// where that is a whole number beyond those that doubles have all of, or zero. A number with
/// an exponent is a double to whoever wrote it, but not zero.
pub fn is_kept(number: f64, written: &str) -> bool {
    /// Whole numbers below this are doubles, every one of them.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let written = written.trim_matches(|c: char| c.is_whitespace() || c == '+' || c == '-');
    let mantissa = written.split(['e', 'E']).next().unwrap_or_default();
    if number == 0.0 {
        return !mantissa.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
    }
    if number.abs() < EXACT || mantissa.len() < written.len() {
        return true;
    }
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    // All digits of the double, which is a whole number.
    let exact = format!("{:.0}", number.abs());
    whole.trim_start_matches('0') == exact && fraction.bytes().all(|digit| digit == b'0')
}

/// Appends the digits at the start of `bytes` to a mantissa; says how many they are. The
/// mantissa wraps beyond 19 digits, and is then not used.
#[inline]
fn take_digits(bytes: &[u8], mantissa: &mut u64) -> usize {
    let mut value = *mantissa;
    let mut count = 0;
    if let Some(&eight) = bytes.first_chunk() {
        let digits = u64::from_le_bytes(eight) ^ ZEROS;
        count = leading_digits(digits);
        if count < 8 {
            if count > 0 {
                let scale = POWERS[count];
                *mantissa = value
                    .wrapping_mul(scale)
                    .wrapping_add(value_of(digits << (8 * (8 - count))));
            }
            return count;
        }
        value = value.wrapping_mul(POWERS[8]).wrapping_add(value_of(digits));
    }
    for byte in &bytes[count..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    *mantissa = value;
    count
}

/// Eight zeros as characters.
const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
const POWERS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// How many of eight bytes, from the lowest, are at most nine.
#[inline]
fn leading_digits(bytes: u64) -> usize {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // Ten and more reach the high bit; no sum goes beyond its byte.
    let larger = (((bytes & LOW) + u64::from_ne_bytes([0x80 - 10; 8])) | bytes) & HIGH;
    (larger.trailing_zeros() / 8) as usize
}

/// The number that eight digits make, the first of them in the lowest byte: neighbours are
/// put together to pairs, pairs to fours, fours to one.
#[inline]
fn value_of(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// `e±digits` at the start of `bytes`: the exponent (saturated) and its length.
fn exponent_at(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut at = 1;
    let negative = bytes.get(at) == Some(&b'-');
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let start = at;
    let mut value: i64 = 0;
    while let Some(byte @ b'0'..=b'9') = bytes.get(at) {
        value = value
            .saturating_mul(10)
            .saturating_add(i64::from(byte - b'0'));
        at += 1;
    }
    (at > start).then_some((if negative { -value } else { value }, at))
}

impl Decimal {
    /// Clinger's fast path where mantissa and power of ten are both exact, so that one
    /// correctly rounded operation gives the nearest double; the standard library's
    /// parser (correct for everything, slower) otherwise.
    #[inline(always)]
    fn value(&self, text: &[u8]) -> f64 {
        if self.digits <= 19 && self.mantissa <= 1 << 53 && (-22..=22).contains(&self.power) {
            let scale = EXACT_POWERS[self.power.unsigned_abs() as usize];
            let magnitude = if self.power < 0 {
                self.mantissa as f64 / scale
            } else {
                self.mantissa as f64 * scale
            };
            return if self.negative { -magnitude } else { magnitude };
        }
        // The grammar was checked, and it is a subset of what the standard parser reads.
        std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn json_grammar_is_kept() {
        for (text, expected) in [
            ("0", Some((0.0, 1))),
            ("-0.0", Some((-0.0, 4))),
            ("12.5e2,", Some((1250.0, 6))),
            ("1E+2", Some((100.0, 4))),
            ("01", None),
            ("1.", None),
            (".5", None),
            ("+1", None),
            ("-", None),
            ("1e", None),
            ("1e400", Some((f64::INFINITY, 5))),
            // An exponent beyond 64 bits, and digits after the point on top of it.
            ("1.5e-99999999999999999999", Some((0.0, 25))),
            ("1.5e99999999999999999999", Some((f64::INFINITY, 24))),
            ("9007199254740993", Some((9007199254740992.0, 16))),
            (
                "123456789012345678901234567890",
                Some((1.2345678901234568e29, 30)),
            ),
        ] {
            assert_eq!(json_number(text.as_bytes()), expected, "{text}");
            let length = expected.map(|(_, length)| length);
            assert_eq!(json_number_length(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn people_write_numbers_in_more_ways() {
        for (text, expected) in [
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            (" +1.5e-3 ", Some(0.0015)),
            ("\t-7\n", Some(-7.0)),
            ("007", Some(7.0)),
            ("", None),
            (" ", None),
            (".", None),
            ("1_000", None),
            ("0x10", None),
            ("inf", None),
            ("nan", None),
            ("1 2", None),
            ("1e", None),
            ("12 ft", None),
            ("--1", None),
            ("1e999", Some(f64::INFINITY)),
            ("-.5e-99999999999999999999", Some(-0.0)),
        ] {
            assert_eq!(people_number(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_double_is_read_back_to_the_bit(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = format!("{value:e}");
            let (read, length) = json_number(text.as_bytes()).expect("valid number");
            prop_assert_eq!(read.to_bits(), value.to_bits());
            prop_assert_eq!(length, text.len());
            prop_assert_eq!(people_number(&text).map(f64::to_bits), Some(value.to_bits()));
        }

        #[test]
        fn digits_are_counted_and_read_whatever_follows(text in "[0-9]{0,19}[^0-9]{0,9}.{0,9}") {
            let (mut mantissa, mut byte_by_byte) = (7, 7u64);
            let count = take_digits(text.as_bytes(), &mut mantissa);
            let digits = text.bytes().take_while(u8::is_ascii_digit);
            let digits: Vec<u8> = digits.collect();
            for digit in &digits {
                byte_by_byte = byte_by_byte.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            }
            prop_assert_eq!((count, mantissa), (digits.len(), byte_by_byte));
        }

        #[test]
        fn the_short_way_reads_what_the_long_one_does(
            number in "-?[0-9]{0,9}(\\.[0-9]{0,9})?([eE][-+]?[0-9]{0,3})?",
            behind in "[,}\\] a-e0-9.]{0,30}",
        ) {
            let text = format!("{number}{behind}");
            if let Some(short) = short(text.as_bytes()) {
                let long = decimal(text.as_bytes()).expect("a number");
                prop_assert_eq!(short.length, long.length);
                let long = long.value(&text.as_bytes()[..long.length]);
                prop_assert_eq!(short.value().to_bits(), long.to_bits());
            }
        }

        #[test]
        fn short_decimals_equal_the_standard_parser(whole in 0u64..1_000_000, fraction in "[0-9]{1,12}") {
            let text = format!("{whole}.{fraction}");
            let expected: f64 = text.parse().expect("valid number");
            prop_assert_eq!(json_number(text.as_bytes()).map(|(value, _)| value.to_bits()), Some(expected.to_bits()));
        }
    }
}
