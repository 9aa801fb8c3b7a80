//! Timestamps: the one given, the one of the build environment, or the clock.

use chrono::{DateTime, SecondsFormat};

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
        (None, Ok(epoch)) if !epoch.is_empty() => {
            let date = epoch.parse().ok().and_then(rfc3339);
            Some(date.ok_or_else(|| {
                Failure::Usage(format!("SOURCE_DATE_EPOCH={epoch}: expected whole seconds"))
            })?)
        }
        (None, _) => None,
    };
    let created_at = match &fixed {
        Some(fixed) => fixed.clone(),
        None => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            rfc3339(now.map_or(0, |elapsed| elapsed.as_secs())).unwrap_or_default()
        }
    };
    Ok(Timestamps { fixed, created_at })
}

/// Seconds since 1970 as RFC 3339 in UTC; nothing beyond the years of a calendar.
fn rfc3339(seconds: u64) -> Option<String> {
    let time = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// Requires that an option holds an RFC 3339 timestamp.
pub fn check(option: &str, text: &str) -> Result<(), Failure> {
    if DateTime::parse_from_rfc3339(text).is_ok() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{option} {text}: expected RFC 3339, e.g. 2025-01-19T10:30:00Z"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_become_dates() {
        for (seconds, date) in [
            (0, Some("1970-01-01T00:00:00Z")),
            (951_782_400, Some("2000-02-29T00:00:00Z")),
            (1_737_282_600, Some("2025-01-19T10:30:00Z")),
            (u64::MAX, None),
        ] {
            assert_eq!(rfc3339(seconds).as_deref(), date);
        }
    }

    #[test]
    fn only_rfc3339_is_taken() {
        for good in [
            "2025-01-19T10:30:00Z",
            "2024-02-29t23:59:60.125+05:30",
            "2025-01-19 10:30:00-00:00",
        ] {
            assert!(check("--timestamp", good).is_ok(), "{good}");
        }
        for bad in [
            "2025-01-19",
            "2025-02-29T00:00:00Z",
            "2025-01-19T10:30:00",
            "2025-01-19T24:00:00Z",
            "",
            "x",
        ] {
            assert!(check("--timestamp", bad).is_err(), "{bad}");
        }
    }
}
