//! Names with commas between, as options take them. A name that itself holds a comma stands in
//! double quotes, as a cell of a CSV does, and quotes inside these are doubled.

/// The names of a list. Blanks around them do not count, unless they stand in quotes.
pub fn split(list: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut rest = list;
    loop {
        let (name, after) = match rest.trim_start().strip_prefix('"') {
            Some(quoted) => unquoted(quoted).ok_or_else(|| {
                format!(
                    "{list}: a name that begins with a double quote must end with one, before a \
                     comma or the end; quotes inside it are doubled"
                )
            })?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        names.push(name);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(names),
        }
    }
}

/// What stands before the closing quote, and what follows its name: a comma or nothing.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut from = 0;
    loop {
        let quote = from + text[from..].find('"')?;
        let after = &text[quote + 1..];
        match after.starts_with('"') {
            true => from = quote + 2,
            false => {
                let after = after.trim_start();
                let ends = after.is_empty() || after.starts_with(',');
                return ends.then(|| (text[..quote].replace("\"\"", "\""), after));
            }
        }
    }
}

/// The list of some names, as [`split`] reads it.
pub fn join<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    said(names).join(",")
}

/// The same for a sentence, with a blank after each comma.
pub fn spaced<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    said(names).join(", ")
}

fn said<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names.into_iter().map(|name| cell(name.as_ref())).collect()
}

/// A text as a cell of a CSV, quoted when it has to be.
///
/// Outer spaces are quoted too, because some readers trim bare cells.
pub fn cell(text: &str) -> String {
    let special = text.contains([',', '"', '\r', '\n']);
    if special || text.is_empty() || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// What to say of a name that is not among those found: perhaps a comma cut it short.
pub fn hint<S: AsRef<str>>(name: &str, found: impl IntoIterator<Item = S>) -> &'static str {
    let cut = |whole: S| {
        let parts = whole.as_ref().split_once(',');
        parts.is_some_and(|(begins, _)| begins.trim() == name)
    };
    match found.into_iter().any(cut) {
        true => "; a name that holds a comma stands in double quotes",
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotes_hold_commas() {
        let of = |list: &str| split(list).unwrap();
        assert_eq!(of("a, b ,c"), ["a", "b", "c"]);
        assert_eq!(of(r#""How right, 1-5?", b"#), ["How right, 1-5?", "b"]);
        assert_eq!(of(r#" "say ""no"", or" "#), [r#"say "no", or"#]);
        assert_eq!(of(r#"5" screen,b"#), [r#"5" screen"#, "b"]);
        assert_eq!(of(r#""",x"#), ["", "x"]);
        assert_eq!(of(""), [""]);
        assert_eq!(of("a,"), ["a", ""]);
        assert_eq!(of(r#"a,"b""#), ["a", "b"]);
        assert!(split(r#""a"#).is_err());
        assert!(split(r#""a"b,c"#).is_err());
    }

    #[test]
    fn a_name_that_a_comma_cut_short_is_told() {
        assert!(hint("How right", ["item", "How right, 1-5?"]).contains("double quotes"));
        assert_eq!(hint("How", ["item", "How right, 1-5?"]), "");
    }

    proptest! {
        #[test]
        fn what_is_joined_is_split(names in prop::collection::vec("[a, \"\u{e9}]{0,4}", 1..5)) {
            prop_assert_eq!(split(&spaced(&names)), Ok(names.clone()));
            prop_assert_eq!(split(&join(&names)), Ok(names));
        }
    }
}
