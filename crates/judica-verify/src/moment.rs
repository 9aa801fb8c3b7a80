//! Dates and times, as seconds since 1970 in UTC.

use std::fmt::Write;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// From the first to the last second of a year with four digits: others cannot be written.
pub const WRITABLE: [f64; 2] = [-62_167_219_200.0, 253_402_300_799.0];

fn seconds(moment: NaiveDateTime) -> f64 {
    let moment = moment.and_utc();
    moment.timestamp() as f64 + f64::from(moment.timestamp_subsec_nanos()) / 1e9
}

/// A date by ISO 8601: `2024-12-31` or `20241231`.
pub fn iso_date(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        let part = bytes.get(range)?;
        let digit = |sum: u32, byte: &u8| {
            Some(sum * 10 + u32::from(byte.checked_sub(b'0').filter(|d| *d < 10)?))
        };
        part.iter().try_fold(0, digit)
    };
    let (month, day) = match bytes.len() {
        10 if bytes[4] == b'-' && bytes[7] == b'-' => (5..7, 8..10),
        8 => (4..6, 6..8),
        _ => return None,
    };
    let date = NaiveDate::from_ymd_opt(digits(0..4)? as i32, digits(month)?, digits(day)?)?;
    Some(seconds(date.and_time(NaiveTime::MIN)))
}

/// A moment by ISO 8601, with `T` or a space before the time; without an offset it is UTC.
pub fn iso_datetime(text: &str) -> Option<f64> {
    let cut = text.find(['T', 't', ' '])?;
    let date = iso_date(&text[..cut])?;
    let time = &text[cut + 1..];
    // The offset begins at the last sign, or is `Z`.
    let (time, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0.0),
        None => match time.rfind(['+', '-']) {
            Some(sign) => (&time[..sign], offset(&time[sign..])?),
            None => (time, 0.0),
        },
    };
    // The formats take single digits and spaces, too, which the standard does not.
    let whole = time.split('.').next().unwrap_or_default();
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !whole
        .split(':')
        .all(|part| part.len() % 2 == 0 && is_digits(part))
    {
        return None;
    }
    let formats = ["%H:%M:%S%.f", "%H:%M", "%H%M%S%.f", "%H%M"];
    let mut read = formats
        .iter()
        .filter_map(|format| NaiveTime::parse_from_str(time, format).ok());
    let time = read.next()?;
    let of_day = f64::from(time.num_seconds_from_midnight()) + f64::from(time.nanosecond()) / 1e9;
    Some(date + of_day - offset)
}

/// `+02:00`, `-0530` or `+02`, in seconds.
fn offset(text: &str) -> Option<f64> {
    let (sign, digits) = text.split_at(1);
    let (hours, rest) = digits.split_at_checked(2)?;
    let minutes = match rest {
        "" => "00",
        rest => rest.strip_prefix(':').unwrap_or(rest),
    };
    let number = |part: &str| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<f64>().ok().filter(|_| is_number)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 23.0 && minutes <= 59.0).then(|| {
        let seconds = hours * 3600.0 + minutes * 60.0;
        if sign == "-" { -seconds } else { seconds }
    })
}

/// A date, or a moment, by ISO 8601.
pub fn iso(text: &str) -> Option<f64> {
    iso_date(text).or_else(|| iso_datetime(text))
}

/// A date or moment in a format of strftime.
pub fn by_format(text: &str, format: &str, with_time: bool) -> Option<f64> {
    if !with_time {
        let date = NaiveDate::parse_from_str(text, format).ok()?;
        return Some(seconds(date.and_time(NaiveTime::MIN)));
    }
    // A format with an offset says which moment; one without means UTC.
    if let Ok(moment) = DateTime::parse_from_str(text, format) {
        return Some(seconds(moment.naive_utc()));
    }
    NaiveDateTime::parse_from_str(text, format)
        .ok()
        .map(seconds)
}

/// Whether a format of strftime says enough for what it writes to be read again.
pub fn can_be_read(format: &str, with_time: bool) -> bool {
    let written = DateTime::UNIX_EPOCH.fixed_offset().format(format);
    by_format(&written.to_string(), format, with_time).is_some()
}

/// Appends it as people read it: the date, and the time of one that has a time.
pub fn show(moment: f64, with_time: bool, out: &mut String) {
    let whole = moment.floor();
    let nanos = ((moment - whole) * 1e9).round() as u32;
    let Some(time) = DateTime::from_timestamp(whole as i64, nanos.min(999_999_999)) else {
        out.push_str(&moment.to_string());
        return;
    };
    // A format is taken apart again for each moment; days are many.
    let _ = write!(
        out,
        "{:04}-{:02}-{:02}",
        time.year(),
        time.month(),
        time.day()
    );
    if with_time {
        let format = if nanos == 0 {
            "T%H:%M:%SZ"
        } else {
            "T%H:%M:%S%.fZ"
        };
        let _ = write!(out, "{}", time.format(format));
    }
}

/// The same, alone.
pub fn shown(moment: f64, with_time: bool) -> String {
    let mut shown = String::new();
    show(moment, with_time, &mut shown);
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_a_date_and_what_is_none() {
        for (text, moment) in [
            ("1970-01-01", Some(0.0)),
            ("19700102", Some(DAY)),
            ("2024-02-29", Some(1_709_164_800.0)),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("2024-1-01", None),
            ("", None),
            ("2024-01-0é", None),
            ("1970-01-01T00:00:01", Some(1.0)),
            ("1970-01-01 00:00:01Z", Some(1.0)),
            ("1970-01-01T01:00+01:00", Some(0.0)),
            ("1970-01-01T00:00:00-0130", Some(5400.0)),
            ("1970-01-01T00:00:00.5Z", Some(0.5)),
            ("1970-01-01T24:00:00Z", None),
            ("1970-01-01T", None),
            ("1970-01-01T000001Z", Some(1.0)),
            ("1970-01-01T0001", Some(60.0)),
            ("1970-01-01T7:00:00Z", None),
            ("1970-01-01T07:0:00Z", None),
            ("1970-01-01T07:00:0Z", None),
            ("1970-01-01T07:00: 1Z", None),
            ("1970-01-01T070", None),
            ("1970-01-01T00:00:00+25:00", None),
            ("1970-01-01T01:00+01", Some(0.0)),
            ("1970-01-01T01:00+0:100", None),
            ("1970-01-01T01:00+01:", None),
            ("1970-01-01T01:00+0é", None),
            ("9999-12-31T23:59:59Z", Some(WRITABLE[1])),
            ("0000-01-01", Some(WRITABLE[0])),
        ] {
            assert_eq!(iso(text), moment, "{text}");
        }
        assert_eq!(
            by_format("31.12.1970", "%d.%m.%Y", false),
            iso("1970-12-31")
        );
        assert_eq!(by_format("31.02.1970", "%d.%m.%Y", false), None);
        assert_eq!(
            by_format("01/01/1970 01:00 +0100", "%d/%m/%Y %H:%M %z", true),
            Some(0.0)
        );
    }

    #[test]
    fn a_format_that_says_enough_can_be_read() {
        for (format, date, datetime) in [
            ("%d.%m.%Y", true, false),
            ("%d/%m", false, false),
            ("%m/%Y", false, false),
            ("%Y-%j", true, false),
            ("%e %B %y", true, false),
            ("%d.%m.%Y %H:%M", true, true),
            ("%Y-%m-%dT%H:%M:%SZ", true, true),
            ("%I:%M %p, %D %z", true, true),
            ("%s", false, true),
        ] {
            assert_eq!(can_be_read(format, false), date, "{format}");
            assert_eq!(can_be_read(format, true), datetime, "{format}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_again(seconds in -62_135_596_800_i64..253_402_300_799) {
            let moment = seconds as f64;
            prop_assert_eq!(iso(&shown(moment, true)), Some(moment));
            let day = (moment / DAY).floor() * DAY;
            prop_assert_eq!(iso_date(&shown(day, false)), Some(day));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}") {
            let _ = iso(&text);
            let _ = by_format(&text, "%Y-%m-%dT%H:%M:%S%z", true);
        }
    }
}
