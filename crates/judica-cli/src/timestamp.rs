//! Timestamps: the one given, the one of the build environment, or the clock.

use crate::failure::Failure;

/// What goes into records, and what into the manifest.
pub struct Timestamps {
    /// The given timestamp or `SOURCE_DATE_EPOCH`; records carry null without either.
    pub fixed: Option<String>,
    /// The fixed one, else the clock: for the manifest's `created_at` alone.
    pub created_at: String,
}

/// Finds the timestamps of a run.
#[expect(
    clippy::disallowed_methods,
    reason = "the edge: the only place that reads the clock"
)]
pub fn timestamps(given: Option<&str>) -> Result<Timestamps, Failure> {
    let fixed = match (given, std::env::var("SOURCE_DATE_EPOCH")) {
        (Some(text), _) => {
            check("--timestamp", text)?;
            Some(text.to_owned())
        }
        (None, Ok(epoch)) if !epoch.is_empty() => match epoch.parse::<u64>() {
            Ok(seconds) => Some(rfc3339(seconds)),
            Err(_) => {
                return Err(Failure::Usage(format!(
                    "SOURCE_DATE_EPOCH={epoch}: expected whole seconds"
                )));
            }
        },
        (None, _) => None,
    };
    let created_at = match &fixed {
        Some(fixed) => fixed.clone(),
        None => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            rfc3339(now.map_or(0, |elapsed| elapsed.as_secs()))
        }
    };
    Ok(Timestamps { fixed, created_at })
}

/// Seconds since 1970 as RFC 3339 in UTC.
fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from a day number, counting years from March so that leap days come
    // last (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// Requires that an option holds an RFC 3339 timestamp.
pub fn check(option: &str, text: &str) -> Result<(), Failure> {
    if is_rfc3339(text) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{option} {text}: expected RFC 3339, e.g. 2025-01-19T10:30:00Z"
    )))
}

/// Whether a text is an RFC 3339 timestamp.
fn is_rfc3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |n, d| n * 10 + u32::from(d - b'0')))
    };
    let is = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|byte| allowed.contains(byte));
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (number(11, 13), number(14, 16), number(17, 19))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":")) {
        return false;
    }
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    let mut at = 19;
    if is(at, b".") {
        let digits = bytes[at + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return false;
        }
        at += 1 + digits;
    }
    if is(at, b"Zz") {
        return bytes.len() == at + 1;
    }
    let offset = (number(at + 1, at + 3), number(at + 4, at + 6));
    is(at, b"+-")
        && is(at + 3, b":")
        && bytes.len() == at + 6
        && matches!(offset, (Some(0..=23), Some(0..=59)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_become_dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_737_282_600), "2025-01-19T10:30:00Z");
    }

    #[test]
    fn only_rfc3339_is_taken() {
        for good in [
            "2025-01-19T10:30:00Z",
            "2024-02-29t23:59:60.125+05:30",
            "2025-01-19 10:30:00-00:00",
        ] {
            assert!(is_rfc3339(good), "{good}");
        }
        for bad in [
            "2025-01-19",
            "2025-02-29T00:00:00Z",
            "2025-01-19T10:30:00",
            "2025-01-19T24:00:00Z",
            "",
            "x",
        ] {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }
}
