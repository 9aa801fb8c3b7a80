//! Patterns of schemas, written for our engine.

/// A pattern in whose classes are letters and digits of ASCII only, and nothing that our engine
/// alone takes for an operator (`&&`, `--`, `~~`, a class in a class); `None` for an empty class.
pub(super) fn ours(pattern: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = pattern.chars().peekable();
    let mut class: Option<Class> = None;
    while let Some(c) = rest.next() {
        match (&mut class, c) {
            (_, '\\') => {
                let shorthand = escaped(rest.next(), &mut plain);
                if let Some(class) = &mut class {
                    class.has(!shorthand);
                }
            }
            (None, '[') => {
                plain.push(c);
                plain.extend(rest.next_if_eq(&'^'));
                if rest.peek() == Some(&']') {
                    return None;
                }
                class = Some(Class::default());
            }
            (None, _) => plain.push(c),
            (Some(_), ']') => {
                plain.push(c);
                class = None;
            }
            (Some(class), '-') if class.begun && rest.peek() != Some(&']') => {
                plain.push(c);
                class.begun = false;
                class.ends = true;
            }
            (Some(class), _) => {
                if matches!(c, '[' | '&' | '-' | '~') {
                    plain.push('\\');
                }
                plain.push(c);
                class.has(true);
            }
        }
    }
    Some(plain)
}

/// A class of characters that is being read.
#[derive(Default)]
struct Class {
    /// Whether what was last read may begin a range.
    begun: bool,
    /// Whether what comes next ends one.
    ends: bool,
}

impl Class {
    /// Takes what stands next, a single character or several.
    fn has(&mut self, single: bool) {
        self.begun = single && !self.ends;
        self.ends = false;
    }
}

/// Appends what follows a backslash; says whether it means several characters.
fn escaped(c: Option<char>, plain: &mut String) -> bool {
    match c {
        Some('d') => plain.push_str("[0-9]"),
        Some('D') => plain.push_str("[^0-9]"),
        Some('w') => plain.push_str("[0-9A-Za-z_]"),
        Some('W') => plain.push_str("[^0-9A-Za-z_]"),
        // To our engine alone these would be more than what they are.
        Some(itself @ ('<' | '>' | 'A' | 'U' | 'a' | 'z')) => {
            plain.push(itself);
            return false;
        }
        Some(boundary @ ('b' | 'B')) => plain.push_str(&format!("(?-u:\\{boundary})")),
        other => {
            plain.push('\\');
            plain.extend(other);
            return matches!(other, Some('s' | 'S' | 'p' | 'P'));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::ours;

    #[test]
    fn patterns_mean_what_they_mean_in_a_schema() {
        for (pattern, texts, others) in [
            ("^[a&&b]+$", &["&", "ab"][..], &["c"][..]),
            ("^[!--]$", &["!", "%", "-"], &["a"]),
            ("^[--/]$", &["-", ".", "/"], &["a"]),
            ("^[a~~b[]$", &["~", "["], &["c"]),
            (r"^[^-a]$", &["b"], &["-", "a"]),
            (r"^[\w-]$", &["_", "-"], &["é"]),
            (r"^[\]a-c-e]$", &["]", "b", "-", "e"], &["d"]),
            (r"^\[a-c]$", &["[a-c]"], &["a"]),
            (r"^\<a\>$", &["<a>"], &["a"]),
            (r"^\Aa\z$", &["Aaz"], &["a"]),
        ] {
            let plain = ours(pattern).expect("a pattern");
            let engine = regex::Regex::new(&plain).expect("a pattern of ours");
            let fits = |text: &&&str| engine.is_match(text);
            assert_eq!(texts.iter().filter(fits).count(), texts.len(), "{plain}");
            assert_eq!(others.iter().filter(fits).count(), 0, "{plain}");
        }
        for empty in ["a[]b]", "[^]]"] {
            assert_eq!(ours(empty), None);
        }
    }
}
