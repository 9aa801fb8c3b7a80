//! Numbers on the command line: each is finite and within bounds that mean something.

use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use clap::value_parser;
use judica_data::limits::LONGEST_RANGE;
use judica_report::figure::look::Look;

/// More threads than any machine has would only be asked of the system in vain.
pub const MOST_THREADS: u64 = 1024;
/// A day for one call.
pub const LONGEST_TIMEOUT: u64 = 24 * 60 * 60;
/// Intervals stop changing long before.
pub const MOST_RESAMPLES: i64 = 1_000_000;
/// What fits on a disk.
pub const MOST_SAMPLES: i64 = 100_000_000;
/// What one data set is made for.
pub const MOST_MODELS: i64 = 10_000;
/// What a person can look at.
pub const MOST_SHOWN: u64 = 1_000_000;
/// Rows of a figure.
pub const MOST_ROWS: u64 = 10_000;
/// Beyond this nobody waits.
pub const MOST_ATTEMPTS: i64 = 1000;
/// No model writes as much in one reply.
pub const MOST_TOKENS: i64 = 10_000_000;
/// Pixels for each unit of a figure.
pub const SCALES: [f64; 2] = [0.1, 16.0];
/// Dollars, watts, years: no amount is larger.
const LARGEST_AMOUNT: f64 = 1e12;

/// How many threads.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_THREADS)
}

/// How many of something are shown; none is fine.
pub fn shown() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=MOST_SHOWN)
}

/// How many rows a figure has.
pub fn rows() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_ROWS)
}

/// Pixels along a side of a figure.
pub fn side() -> RangedI64ValueParser<u32> {
    let (least, most) = Look::SIDES.into_inner();
    value_parser!(u32).range(i64::from(least)..=i64::from(most))
}

/// Pixels that a label of a figure is high.
pub fn font_size(text: &str) -> Result<f64, String> {
    let (least, most) = Look::FONT_SIZES.into_inner();
    between(text, [least, most], "14")
}

/// How many attempts at a question.
pub fn attempts() -> RangedI64ValueParser<u32> {
    value_parser!(u32).range(1..=MOST_ATTEMPTS)
}

/// Seconds that something may take.
pub fn seconds() -> RangedU64ValueParser<u64> {
    value_parser!(u64).range(1..=LONGEST_TIMEOUT)
}

/// A number between two others, both included.
fn between(text: &str, [lo, hi]: [f64; 2], example: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if (lo..=hi).contains(&value) => Ok(value),
        _ => Err(format!(
            "a number from {lo} to {hi} is needed, e.g. {example}"
        )),
    }
}

/// A share at either end, so that something is left between them.
pub fn quantile(text: &str) -> Result<f64, String> {
    between(text, [0.0, 0.25], "0.01")
}

/// A share that is added to a width.
pub fn margin(text: &str) -> Result<f64, String> {
    between(text, [0.0, 10.0], "0.2")
}

/// A rate.
pub fn rate(text: &str) -> Result<f64, String> {
    between(text, [0.0, 1.0], "0.9")
}

/// A percentage.
pub fn percent(text: &str) -> Result<f64, String> {
    between(text, [0.0, 100.0], "1")
}

/// Cohen's kappa.
pub fn kappa(text: &str) -> Result<f64, String> {
    between(text, [-1.0, 1.0], "0.75")
}

/// Pixels for each unit.
pub fn scale(text: &str) -> Result<f32, String> {
    between(text, SCALES, "2").map(|scale| scale as f32)
}

/// A confidence: neither nothing nor certainty.
pub fn confidence(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        // Beyond these an interval is no longer told from a point or from everything.
        Ok(value) if (0.01..=0.9999).contains(&value) => Ok(value),
        _ => Err("a number between 0.01 and 0.9999 is needed, e.g. 0.95".to_owned()),
    }
}

/// A level of significance.
pub fn level(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("a number between 0 and 1 is needed, e.g. 0.05".to_owned()),
    }
}

/// A difference that does not count.
pub fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a finite number of at least 0 is needed, e.g. 1e-6".to_owned()),
    }
}

/// A difference that is to be seen.
pub fn difference(text: &str) -> Result<f64, String> {
    match tolerance(text) {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err(
            "a finite number above 0, in the metric's own unit, is needed, e.g. 0.02".to_owned(),
        ),
    }
}

/// An amount of something: money, power, memory.
pub fn amount(text: &str) -> Result<f64, String> {
    between(text, [0.0, LARGEST_AMOUNT], "2.50").map_err(|_| AMOUNT.to_owned())
}
const AMOUNT: &str = "a number from 0 to 1e12 is needed, e.g. 2.50";

/// A weight, of which only the ratio to others counts.
pub fn weight(text: &str) -> Result<f64, String> {
    between(text, [0.0, 1e6], "0.5")
}

/// A number of bytes: plain, or with KiB, MiB, GiB, TiB; K, M, G and T mean the same.
pub fn bytes(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix("ib").unwrap_or(&unit);
    let size = match unit {
        "" | "b" => Some(1),
        "k" => Some(1 << 10),
        "m" => Some(1 << 20),
        "g" => Some(1 << 30),
        "t" => Some(1 << 40),
        _ => None,
    };
    let bytes = number.parse::<usize>().ok().zip(size);
    let (least, most) = LONGEST_RANGE;
    bytes
        .and_then(|(number, size)| number.checked_mul(size))
        .filter(|bytes| (least..=most).contains(bytes))
        .ok_or_else(|| "a number of bytes from 1KiB to 1TiB is needed, e.g. 256MiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_numbers_that_mean_something() {
        type Parser = fn(&str) -> Result<f64, String>;
        let parsers: [(Parser, &str, &str); 10] = [
            (rate, "0.5", "1.5"),
            (percent, "100", "101"),
            (kappa, "-0.5", "-2"),
            (confidence, "0.95", "1"),
            (level, "0.05", "0"),
            (tolerance, "1e300", "-1e-9"),
            (difference, "1e-300", "0"),
            (amount, "0", "1e13"),
            (weight, "1", "-1"),
            (font_size, "14", "5.9"),
        ];
        for (parse, good, bad) in parsers {
            assert_eq!(parse(good).unwrap(), good.parse::<f64>().unwrap());
            let never = ["nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e999"];
            for bad in never.into_iter().chain(["", " ", "x", "1,5", "0x1", bad]) {
                let error = parse(bad).unwrap_err();
                assert!(error.contains("is needed, e.g. "), "{bad}: {error}");
            }
        }
    }

    #[test]
    fn bytes_with_and_without_units() {
        for (text, expected) in [
            ("1024", 1 << 10),
            ("64K", 64 << 10),
            ("64KiB", 64 << 10),
            ("1 MiB", 1 << 20),
            ("256m", 256 << 20),
            ("2GiB", 2 << 30),
            ("1t", 1 << 40),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for bad in [
            "",
            "0",
            "1023",
            "2T",
            "-1",
            "1.5M",
            "MiB",
            "1kb",
            "1XiB",
            "99999999999999999999",
            "18446744073709551615G",
            "nan",
        ] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
