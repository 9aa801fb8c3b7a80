//! How long to wait before the next attempt.

use std::time::{Duration, SystemTime};

use judica_data::sha256::sha256;
use judica_stats::resample::Draws;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// A wait drawn evenly between nothing and an end that doubles from attempt to attempt
/// ("full jitter": Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
/// Questions that failed together must not come back together; that different questions draw
/// differently is all it takes, so the question itself is the seed.
pub(super) fn backoff(
    question: &[u8],
    attempt: u32,
    first: Duration,
    longest: Duration,
) -> Duration {
    let doubled = 2u32.saturating_pow(attempt.saturating_sub(1));
    let end = first.saturating_mul(doubled).min(longest);
    let digest = sha256(question);
    let seed = digest
        .iter()
        .take(8)
        .fold(0, |seed, &byte| seed << 8 | u64::from(byte));
    let end = u32::try_from(end.as_millis()).unwrap_or(u32::MAX - 1);
    let drawn = Draws::new(seed, u64::from(attempt)).below(end + 1);
    Duration::from_millis(u64::from(drawn))
}

/// How long the server asks to be left alone: `retry-after-ms`, else `retry-after` in seconds
/// or as a date.
pub(super) fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n >= 0.0)
    };
    if let Some(milliseconds) = text("retry-after-ms").and_then(number) {
        return duration(milliseconds / 1000.0);
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = number(after) {
        return duration(seconds);
    }
    let until = httpdate::parse_http_date(after).ok()?;
    // By the server's own clock where it tells: ours may be wrong.
    let now = text(DATE.as_str())
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or_else(clock);
    Some(until.duration_since(now).unwrap_or_default())
}

fn duration(seconds: f64) -> Option<Duration> {
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a date to wait for means nothing without the clock; no result depends on it"
)]
fn clock() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn asked(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect();
        asked_wait(&headers)
    }

    #[test]
    fn every_form_of_retry_after() {
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        let earlier = ("date", "Wed, 21 Oct 2026 07:27:30 GMT");
        for (headers, wait) in [
            (vec![("retry-after", "7")], Some(7000)),
            (vec![("retry-after", " 0 ")], Some(0)),
            (vec![("retry-after", "1.5")], Some(1500)),
            (
                vec![("retry-after-ms", "250"), ("retry-after", "1")],
                Some(250),
            ),
            (vec![("retry-after", date), earlier], Some(30_000)),
            (vec![("retry-after", earlier.1), ("date", date)], Some(0)),
            (vec![("retry-after", "-1")], None),
            (vec![("retry-after", "NaN")], None),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "")], None),
            (vec![], None),
        ] {
            assert_eq!(
                asked(&headers),
                wait.map(Duration::from_millis),
                "{headers:?}"
            );
        }
        assert_eq!(asked(&[("retry-after", "1e300")]), Some(Duration::MAX));
        assert_eq!(
            asked(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn waits_spread_over_the_whole_range() {
        let first = Duration::from_millis(100);
        let waits: Vec<u128> = (0..1000u32)
            .map(|n| backoff(&n.to_le_bytes(), 3, first, Duration::from_secs(60)).as_millis())
            .collect();
        // Even in 0..=400: the mean of 1,000 has a standard error of 3.7.
        let mean = waits.iter().sum::<u128>() as f64 / 1000.0;
        assert!((mean - 200.0).abs() < 15.0, "{mean}");
        assert!(waits.iter().all(|&wait| wait <= 400));
    }

    proptest! {
        #[test]
        fn no_wait_is_longer_than_allowed(attempt in any::<u32>(), first in any::<u64>(), longest in any::<u64>()) {
            let longest = Duration::from_millis(longest);
            prop_assert!(backoff(b"q", attempt, Duration::from_millis(first), longest) <= longest);
        }
    }
}
