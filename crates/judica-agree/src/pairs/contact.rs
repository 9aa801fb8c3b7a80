//! E-mail addresses and telephone numbers in text.
//!
//! A reason that names a person can never be published. Both searches lean towards
//! finding too much: a false alarm costs a look, a missed address costs a person.

/// The first e-mail address in the text.
pub fn email(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-'".contains(&b) || b >= 0x80;
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b >= 0x80;
    memchr::memchr_iter(b'@', bytes).find_map(|at| {
        let local = bytes[..at]
            .iter()
            .rev()
            .take_while(|b| is_local(**b))
            .count();
        let domain = bytes[at + 1..]
            .iter()
            .take_while(|b| is_domain(**b))
            .count();
        // A full stop or hyphen at the end belongs to the sentence.
        let domain = text[at + 1..at + 1 + domain].trim_end_matches(['.', '-']);
        let (name, top) = domain.rsplit_once('.')?;
        let is_top = top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
        (local > 0 && !name.is_empty() && is_top).then(|| &text[at - local..at + 1 + domain.len()])
    })
}

/// The first telephone number in the text: with `+` and 8 to 15 digits; or 9 to 15
/// digits in groups; or three digits, a hyphen and four; or 7 to 15 digits after a word
/// like "phone". Dates, decimals and addresses of machines are not taken for one.
pub fn telephone(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_digit() || matches!(bytes[at], b'+' | b'(')) {
            at += 1;
            continue;
        }
        // Part of a word or of an identifier such as `p1#2`.
        let glued =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"#_@.".contains(&bytes[at - 1]));
        let run = run_of_digits(&text[at..]);
        let number = &text[at..at + run];
        if !glued && is_telephone(number, &text[..at], &text[at + run..]) {
            return Some(number);
        }
        at += run.max(1);
    }
    None
}

/// The length of digits and what may stand between them, ending in a digit.
fn run_of_digits(text: &str) -> usize {
    let taken = text.bytes().enumerate().take_while(|&(i, b)| {
        b.is_ascii_digit() || b" -.()/".contains(&b) || (i == 0 && b == b'+')
    });
    taken
        .filter(|(_, b)| b.is_ascii_digit())
        .last()
        .map_or(0, |(i, _)| i + 1)
}

fn is_telephone(number: &str, before: &str, after: &str) -> bool {
    if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#' || c == '%') {
        return false;
    }
    let groups: Vec<&str> = number
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .collect();
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if number.starts_with('+') {
        return (8..=15).contains(&digits);
    }
    let is_date =
        matches!(lengths[..], [4, 2, 2] | [2, 2, 4] | [4, 2, 2, ..]) && !number.contains('(');
    let is_dotted =
        number.contains('.') && !number.contains([' ', '-', '(']) && lengths != [3, 3, 4];
    if is_date || is_dotted {
        return false;
    }
    let announced = [
        "phone", "tel", "tel.", "call", "mobile", "fax", "cell", "whatsapp",
    ];
    let word = before
        .trim_end_matches(|c: char| c.is_whitespace() || c == ':')
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if announced.contains(&word.as_str()) {
        return (7..=15).contains(&digits);
    }
    // Groups of a telephone number have at least two digits but for a country's or a
    // trunk's one; a list of small numbers ("1 2 3 4 5 6 7 8 9") has not.
    let grouped = groups.len() >= 2 && lengths[1..].iter().all(|length| (2..=8).contains(length));
    (grouped && (9..=15).contains(&digits)) || (lengths == [3, 4] && number.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::{email, telephone};

    #[test]
    fn addresses_are_found() {
        for (text, found) in [
            (
                "ask jane.doe+x@mail.example.org.",
                Some("jane.doe+x@mail.example.org"),
            ),
            ("<a@b.co>", Some("a@b.co")),
            ("x @ y.com, then real@one.net", Some("real@one.net")),
            ("p1@2", None),
            ("user@localhost", None),
            ("@example.com", None),
            ("a@b.c", None),
            ("ü@exämple.de", Some("ü@exämple.de")),
            ("", None),
        ] {
            assert_eq!(email(text), found, "{text}");
        }
    }

    #[test]
    fn telephone_numbers_are_found() {
        for (text, found) in [
            ("call +1 (555) 123-4567 now", Some("+1 (555) 123-4567")),
            ("555-123-4567", Some("555-123-4567")),
            ("(020) 7946 0958", Some("(020) 7946 0958")),
            ("0049/30/1234567", Some("0049/30/1234567")),
            ("ring 555-1234.", Some("555-1234")),
            ("phone: 5551234567", Some("5551234567")),
            ("555.123.4567", Some("555.123.4567")),
        ] {
            assert_eq!(telephone(text), found, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_left_alone() {
        for text in [
            "cites p1#2 and p10#200",
            "on 2024-05-01 12:30",
            "on 01.05.2024",
            "0.123456789",
            "10.0.0.1",
            "score 1234567890",
            "1 2 3 4 5 6 7 8 9 10",
            "A0000001-4567-8901",
            "lines 100-200",
            "95% of 1000000",
            "+",
            "(",
        ] {
            assert_eq!(telephone(text), None, "{text}");
        }
    }
}
