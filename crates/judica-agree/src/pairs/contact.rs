//! E-mail addresses in text; for telephone numbers see `telephone`.
//!
//! A reason that names a person can never be published. Both searches lean towards
//! finding too much: a false alarm costs a look, a missed address costs a person.

use unicode_normalization::char::is_combining_mark;

/// The first e-mail address in the text.
pub fn email(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-'".contains(&b) || b >= 0x80;
    memchr::memchr_iter(b'@', bytes).find_map(|at| {
        let local = bytes[..at]
            .iter()
            .rev()
            .take_while(|b| is_local(**b))
            .count();
        let after = &text[at + 1..];
        let domain = after.find(|c| !is_domain(c)).unwrap_or(after.len());
        let domain = with_top(&after[..domain])?;
        (local > 0).then(|| &text[at - local..at + 1 + domain.len()])
    })
}

/// Quotes, ellipses and full stops of any script belong to the sentence; marks that a letter is
/// written with do not.
fn is_domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-') || is_combining_mark(c)
}

/// As much of a domain as ends in what may be a top level, if there is a name before it: what
/// comes after a full stop may be the next sentence.
fn with_top(domain: &str) -> Option<&str> {
    let ends = domain.rmatch_indices('.').map(|(dot, _)| dot);
    [domain.len()].into_iter().chain(ends).find_map(|end| {
        let domain = domain[..end].trim_end_matches('-');
        let (name, top) = domain.rsplit_once('.')?;
        let is_letter = |c: char| c.is_alphabetic() || is_combining_mark(c);
        let is_top = top.chars().count() >= 2 && top.chars().all(is_letter);
        let is_encoded = top.len() > 4 && top.to_ascii_lowercase().starts_with("xn--");
        (!name.is_empty() && (is_top || is_encoded)).then_some(domain)
    })
}

#[cfg(test)]
mod tests {
    use super::email;

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
            ("write to “jane@example.com”", Some("“jane@example.com")),
            ("write to jane@example.com…", Some("jane@example.com")),
            (
                "連絡先：jane@example.com。p.5",
                Some("連絡先：jane@example.com"),
            ),
            ("jane@example.com.2 more", Some("jane@example.com")),
            ("jane@example.xn--p1ai", Some("jane@example.xn--p1ai")),
            ("a@exa\u{308}mple.de", Some("a@exa\u{308}mple.de")),
            ("recall@10.5", None),
            ("", None),
        ] {
            assert_eq!(email(text), found, "{text}");
        }
    }
}
