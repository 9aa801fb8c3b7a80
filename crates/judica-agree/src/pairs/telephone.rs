//! Telephone numbers in text.
//!
//! The search leans towards finding too much, as that for e-mail addresses does (`contact`).

use std::ops::Range;

/// A number of more digits than this is nobody's.
const MOST_DIGITS: usize = 15;

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
        if glued {
            at += text[at..at + run].find(is_blank).unwrap_or(run).max(1);
            continue;
        }
        if let Some(found) = number_in(text, at..at + run) {
            return Some(&text[found]);
        }
        at += run.max(1);
    }
    None
}

/// The length of digits and what may stand between them, ending in a digit.
fn run_of_digits(text: &str) -> usize {
    let taken = text.char_indices().take_while(|&(i, c)| {
        let between = matches!(c, '.' | '(' | ')' | '/') || is_blank(c) || is_dash(c);
        c.is_ascii_digit() || between || (i == 0 && c == '+')
    });
    taken
        .filter(|(_, c)| c.is_ascii_digit())
        .last()
        .map_or(0, |(i, _)| i + 1)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_control()
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// Hyphens, and dashes and the minus that stand for them.
fn is_dash(c: char) -> bool {
    is_hyphen(c) || matches!(c, '\u{2012}'..='\u{2015}' | '\u{2212}')
}

fn groups(number: &str) -> impl Iterator<Item = &str> + Clone {
    let groups = number.split(|c: char| !c.is_ascii_digit());
    groups.filter(|group| !group.is_empty())
}

fn lengths(number: &str) -> Vec<usize> {
    groups(number).map(str::len).collect()
}

/// The telephone number in a run: all of it, or, where other numbers are its neighbours, a part.
fn number_in(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let number = &text[run.clone()];
    let is_kept = number.is_ascii() || !is_plain(number);
    if is_kept && is_telephone(text, &run) {
        return Some(run);
    }
    let words = words(text, run);
    // Dates, and what has no digits, stand between numbers; a full stop ends one.
    let parts = words.split(|word| {
        let word = &text[word.clone()];
        groups(word).next().is_none() || is_date(word)
    });
    let ends = |word: &Range<usize>| text[word.clone()].ends_with(['.', '/']);
    parts
        .flat_map(|part| part.chunk_by(|word, _| !ends(word)))
        .find_map(|part| part_of(text, part))
}

/// What stands between blanks.
fn words(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let blanks = text[run.clone()].match_indices(is_blank);
    let blanks = blanks.map(|(at, blank)| (run.start + at, blank.len()));
    let mut from = run.start;
    let mut words = Vec::new();
    for (at, width) in blanks.chain([(run.end, 0)]) {
        words.push(from..at);
        from = at + width;
    }
    words
}

/// The telephone number among words that follow each other: all of them, or one, or some that
/// look like nothing else.
fn part_of(text: &str, words: &[Range<usize>]) -> Option<Range<usize>> {
    let last = words.len().saturating_sub(1);
    (0..words.len()).find_map(|from| {
        let parts = (from..words.len()).map(|to| (to, words[from].start..words[to].end));
        let short = |part: &Range<usize>| {
            let digits = text[part.clone()].bytes().filter(u8::is_ascii_digit);
            digits.take(MOST_DIGITS + 1).count() <= MOST_DIGITS
        };
        let mut parts = parts.take_while(|(_, part)| short(part));
        parts.find_map(|(to, part)| {
            let part = trimmed(text, part);
            let number = &text[part.clone()];
            let stands_alone = from == to || (from, to) == (0, last);
            let found = (stands_alone || stands_out(number)) && !is_plain(number);
            (found && is_telephone(text, &part)).then_some(part)
        })
    })
}

/// Without what belongs to the sentence.
fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let number = &text[part.clone()];
    let opens = |c: char| c.is_ascii_digit() || matches!(c, '+' | '(');
    let start = number.find(opens).unwrap_or(0);
    let end = number.rfind(|c: char| c.is_ascii_digit());
    part.start + start..end.map_or(part.end, |end| part.start + end + 1)
}

/// Whether a number looks like a telephone's among others: with a prefix, or as 555 123 4567.
fn stands_out(number: &str) -> bool {
    let first = groups(number).next().unwrap_or_default();
    number.starts_with('+')
        || first.len() >= 2 && first.starts_with('0')
        || lengths(number) == [3, 3, 4]
}

fn is_year(group: &str) -> bool {
    group.len() == 4 && (group.starts_with("19") || group.starts_with("20"))
}

/// Whether a word may be a date or a month.
fn is_date(word: &str) -> bool {
    let groups: Vec<&str> = groups(word).collect();
    let small = |groups: &[&str]| groups.iter().all(|group| group.len() <= 2);
    match groups[..] {
        [a, ref rest @ .., z] if rest.len() <= 1 => {
            let lengths = [
                a.len(),
                rest.first().map_or(0, |group| group.len()),
                z.len(),
            ];
            matches!(lengths, [4, 2, 2] | [2, 2, 4])
                || small(rest) && (is_year(a) && small(&[z]) || small(&[a]) && is_year(z))
                || rest.len() == 1 && small(&groups)
        }
        _ => false,
    }
}

/// Whether a number may be years, or as other numbers are written: by thousands, or with
/// decimals.
fn is_plain(number: &str) -> bool {
    let lengths = lengths(number);
    let years = groups(number).all(is_year);
    let thousands = lengths[0] <= 3
        && lengths[1..].iter().all(|length| *length == 3)
        && !number.contains(['(', '/', '+'])
        && !number.contains(is_dash);
    years || thousands || number.split(is_blank).any(is_dotted)
}

fn is_dotted(number: &str) -> bool {
    let number = number.trim_end_matches('.');
    number.contains('.') && !number.contains([' ', '-', '(']) && lengths(number) != [3, 3, 4]
}

fn is_telephone(text: &str, part: &Range<usize>) -> bool {
    let number = &text[part.clone()];
    let after = &text[part.end..];
    if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#' || c == '%') {
        return false;
    }
    let lengths = lengths(number);
    let digits: usize = lengths.iter().sum();
    if number.starts_with('+') {
        return (8..=MOST_DIGITS).contains(&digits);
    }
    let is_date =
        matches!(lengths[..], [4, 2, 2] | [2, 2, 4] | [4, 2, 2, ..]) && !number.contains('(');
    if is_date || is_dotted(number) {
        return false;
    }
    let announced = [
        "phone", "tel", "tel.", "call", "mobile", "fax", "cell", "whatsapp",
    ];
    let word = text[..part.start]
        .trim_end_matches(|c: char| c.is_whitespace() || c == ':')
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if announced.contains(&word.as_str()) {
        return (7..=MOST_DIGITS).contains(&digits);
    }
    // Groups of a telephone number have at least two digits but for a country's or a
    // trunk's one; a list of small numbers ("1 2 3 4 5 6 7 8 9") has not.
    let grouped = lengths.len() >= 2 && lengths[1..].iter().all(|length| (2..=8).contains(length));
    (grouped && (9..=MOST_DIGITS).contains(&digits))
        || (lengths == [3, 4] && number.contains(is_hyphen))
}

#[cfg(test)]
mod tests {
    use super::telephone;

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
            ("555\u{a0}123\u{a0}4567", Some("555\u{a0}123\u{a0}4567")),
            (
                "555\u{2011}123\u{2011}4567",
                Some("555\u{2011}123\u{2011}4567"),
            ),
            ("555–123–4567", Some("555–123–4567")),
            ("555\u{2011}1234", Some("555\u{2011}1234")),
        ] {
            assert_eq!(telephone(text), found, "{text}");
        }
    }

    #[test]
    fn neighbours_hide_no_number() {
        for (text, found) in [
            ("555-123-4567 / 555-987-6543", "555-123-4567"),
            ("555-123-4567. 2 citations", "555-123-4567"),
            ("555-123-4567 3rd", "555-123-4567"),
            ("2024-05-01 0170 1234567", "0170 1234567"),
            ("0170 1234567 2024-05-01", "0170 1234567"),
            ("01.05.2024 (030) 1234 5678", "(030) 1234 5678"),
            ("0170 1234567 0171 7654321", "0170 1234567"),
            ("555 123 4567 555 987 6543", "555 123 4567"),
            ("+44 20 7946 0958 2 3 4 5", "+44 20 7946"),
            ("call 5551234567 2024-05-01 12345", "5551234567"),
            ("1990 1995 49-170-1234567", "49-170-1234567"),
            ("cites p1#2 555-123-4567", "555-123-4567"),
        ] {
            assert_eq!(telephone(text), Some(found), "{text}");
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
            "from 1990 1995 2000 2005 2010",
            "since 1985. 1990 1995 2000",
            "1990–1995 and 2019–2020",
            "1990–1995–2000",
            "from 01.05.2024 - 02.05.2024",
            "from 01.05.2024–02.05.2024",
            "from 01.05.–02.05.2024",
            "01/05/2024 01/06/2024 1/7/2024",
            "05/2024 06/2024 07/2024",
            "05-06-24 06-06-24 07-06-24",
            "2024-05-01 2024-05-02 2024-05-03",
            "2024-05-01 123 456 789",
            "1 000 000 000 000 000",
            "123\u{a0}456\u{a0}789",
            "1\u{202f}234\u{202f}567\u{202f}890",
            "1.234.567,89 and 12,345,678,901",
            "12.50 13.75 14.25 15.75",
            "12.50\u{a0}13.75\u{a0}14.25",
            "08.50 09.25 10.10 11.20",
            "0.123456789 0.23456789",
            "pages 998–1004",
            "+",
            "(",
        ] {
            assert_eq!(telephone(text), None, "{text}");
        }
    }
}
