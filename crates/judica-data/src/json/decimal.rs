//! The exact value of a number that is written out.

use std::fmt;

/// An exponent beyond this is not added to; such a number equals only its own spelling.
const LARGEST_EXPONENT: i64 = 1 << 60;

/// A number as its digits times a power of ten, without zeros at either end, so that two
/// numbers are equal exactly if all parts are. Nothing is rounded: integers of any length
/// keep their last digit.
///
/// The order is one for sorting, not that of the numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decimal {
    /// Nothing, of either sign.
    Zero,
    /// ±digits · 10^exponent
    Scaled {
        /// Whether it is below zero.
        negative: bool,
        /// Its digits, without zeros at either end.
        digits: String,
        /// The power of ten.
        exponent: i64,
    },
    /// One whose exponent is out of all proportion, as it is written.
    AsWritten(String),
}

impl Decimal {
    /// Reads a number by JSON's grammar or people's, which the caller has checked; `None` if it
    /// does not look like one.
    pub fn read(text: &[u8]) -> Option<Decimal> {
        let text = std::str::from_utf8(text.trim_ascii()).ok()?;
        let text = text.strip_prefix('+').unwrap_or(text);
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, power) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], &unsigned[at + 1..]),
            None => (unsigned, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written: String = [whole, fraction].concat();
        if written.is_empty() || !written.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = written.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Decimal::Zero);
        }
        let power = power.parse::<i64>().ok();
        let Some(power) = power.filter(|power| power.abs() <= LARGEST_EXPONENT) else {
            return Some(Decimal::AsWritten(text.to_ascii_lowercase()));
        };
        let trimmed = digits.trim_end_matches('0');
        let trailing = digits.len() - trimmed.len();
        Some(Decimal::Scaled {
            negative: unsigned.len() < text.len(),
            digits: trimmed.to_owned(),
            exponent: power + trailing as i64 - fraction.len() as i64,
        })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decimal::Zero => f.write_str("0"),
            Decimal::AsWritten(text) => f.write_str(text),
            Decimal::Scaled {
                negative,
                digits,
                exponent,
            } => {
                let sign = if *negative { "-" } else { "" };
                // Integers of ordinary length as people write them.
                match usize::try_from(*exponent) {
                    Ok(zeros) if zeros <= 18 => write!(f, "{sign}{digits}{}", "0".repeat(zeros)),
                    _ => write!(f, "{sign}{digits}e{exponent}"),
                }
            }
        }
    }
}
