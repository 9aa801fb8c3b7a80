//! Base64 as of RFC 4648, with padding; small enough not to need a crate.

use std::io::{self, Write};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes `bytes` in base64, without holding all of it in memory.
pub(super) fn encode(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    // Divisible by 3, so that only the last block is padded.
    for block in bytes.chunks(3 * 1024) {
        let mut coded = Vec::with_capacity(4 * 1024);
        for three in block.chunks(3) {
            let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for i in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
                coded.push(if i <= three.len() { digit } else { b'=' });
            }
        }
        out.write_all(&coded)?;
    }
    Ok(())
}

/// The bytes that `text` stands for, or `None` if it is not base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).filter(|&&b| b == b'=').count();
    let digits = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in digits.chunks(4) {
        let mut bits = 0;
        for &digit in four {
            bits = bits << 6 | value(digit)?;
        }
        bits <<= 6 * (4 - four.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
        // The bits that padding leaves unused must be zero, else two texts
        // would stand for the same bytes.
        let unused = 8 * (4 - four.len());
        if bits & ((1u32 << unused) - 1) != 0 {
            return None;
        }
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let (first, base) = match digit {
        b'A'..=b'Z' => (b'A', 0),
        b'a'..=b'z' => (b'a', 26),
        b'0'..=b'9' => (b'0', 52),
        b'+' => return Some(62),
        b'/' => return Some(63),
        _ => return None,
    };
    Some(u32::from(digit - first) + base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        encode(bytes, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn examples_of_the_rfc() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ];
        for (plain, coded) in pairs {
            assert_eq!(encoded(plain.as_bytes()), coded);
            assert_eq!(decode(coded.as_bytes()).unwrap(), plain.as_bytes());
        }
        for bad in [
            "Z", "Zg=", "Zg", "Z===", "====", "Zh==", "Z=g=", "Zm9v!mFy", "=Zm9",
        ] {
            assert_eq!(decode(bad.as_bytes()), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn round_trip(bytes in prop::collection::vec(any::<u8>(), 0..9000)) {
            prop_assert_eq!(decode(encoded(&bytes).as_bytes()).unwrap(), bytes);
        }
    }
}
