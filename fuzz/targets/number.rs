//! Numbers as JSON and as people write them, against the standard parser.

use judica_data::json::number::{json_number, people_number};
use judica_data::json::text::write_number;
use serde::de::IgnoredAny;

/// The value is that of the standard parser to the bit, the grammar that of JSON or of people.
pub fn run(data: &[u8]) {
    let bits = data
        .first_chunk()
        .map_or(0.0, |bytes| f64::from_le_bytes(*bytes));
    if bits.is_finite() {
        let mut written = Vec::new();
        write_number(bits, &mut written);
        assert_eq!(
            json_number(&written).map(to_bits),
            Some((bits.to_bits(), written.len()))
        );
    }
    let text = String::from_utf8_lossy(data);
    let number = json_number(data);
    if let Some((value, length)) = number {
        let standard: f64 = text[..length]
            .parse()
            .expect("the standard parser reads it");
        assert_eq!(value.to_bits(), standard.to_bits());
    }
    let begins = matches!(data.first(), Some(b'-' | b'0'..=b'9'));
    let whole = begins && !data.last().is_some_and(u8::is_ascii_whitespace);
    let strict = whole && serde_json::from_slice::<IgnoredAny>(data).is_ok();
    assert_eq!(
        number.is_some_and(|(_, length)| length == data.len()),
        strict
    );

    let standard = text.trim().parse::<f64>().ok();
    // `inf` and `nan` are no numbers.
    let letters = |c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E');
    let standard = standard.filter(|_| !text.contains(letters));
    assert_eq!(
        people_number(&text).map(f64::to_bits),
        standard.map(f64::to_bits)
    );
}

fn to_bits((value, length): (f64, usize)) -> (u64, usize) {
    (value.to_bits(), length)
}
