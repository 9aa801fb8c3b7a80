//! Dates and times, as seconds since 1970 in UTC.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

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
    let formats = ["%H:%M:%S%.f", "%H:%M", "%H%M%S%.f", "%H%M"];
    let mut read = formats
        .iter()
        .filter_map(|format| NaiveTime::parse_from_str(time, format).ok());
    let time = read.next()?;
    use chrono::Timelike;
    let of_day = f64::from(time.num_seconds_from_midnight()) + f64::from(time.nanosecond()) / 1e9;
    Some(date + of_day - offset)
}

/// `+02:00`, `-0530` or `+02`, in seconds.
fn offset(text: &str) -> Option<f64> {
    let (sign, digits) = text.split_at(1);
    let digits: String = digits.chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let number = |part: &str| part.parse::<f64>().ok();
    let hours = number(&digits[..2])?;
    let minutes = if digits.len() == 4 {
        number(&digits[2..])?
    } else {
        0.0
    };
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

/// As people read it: the date, and the time of one that has a time.
pub fn shown(moment: f64, with_time: bool) -> String {
    let Some(time) = DateTime::from_timestamp(
        moment.floor() as i64,
        ((moment - moment.floor()) * 1e9) as u32,
    ) else {
        return moment.to_string();
    };
    let format = match (with_time, moment.fract() == 0.0) {
        (false, _) => "%Y-%m-%d",
        (true, true) => "%Y-%m-%dT%H:%M:%SZ",
        (true, false) => "%Y-%m-%dT%H:%M:%S%.fZ",
    };
    time.format(format).to_string()
}
