//! Objects that are almost JSON, as JSON.
//!
//! Some models write objects as Python or JavaScript do: single quotes, `True`, keys without
//! quotes, a comma before the closing bracket; editors make quotes curly. What is meant is
//! clear as long as every string ends where its quote says. So the grammar here is as strict
//! as that of JSON, only its words may be spelt otherwise, and what comes out is read by the
//! same reader as any other object.

use judica_data::json::ScanError;

use super::objects::MAX_DEPTH;

/// An object or list in JSON.
pub(super) struct Respelt {
    /// As JSON.
    pub json: String,
    /// Where it ends in the text it comes from.
    pub end: usize,
    /// Whether its strings are quoted in more than one way. Then a quotation that nobody
    /// escaped may begin a string which the object's own quotes do not end.
    pub mixed_quotes: bool,
}

/// Respells the object or list that begins at `at`.
pub(super) fn respelt(text: &str, at: usize) -> Result<Respelt, ScanError> {
    let mut near = Near {
        text,
        at,
        json: String::new(),
        quotes: None,
        mixed_quotes: false,
    };
    near.value(0)?;
    Ok(Respelt {
        json: near.json,
        end: near.at,
        mixed_quotes: near.mixed_quotes,
    })
}

struct Near<'a> {
    text: &'a str,
    at: usize,
    json: String,
    /// What ends the first string.
    quotes: Option<&'static [char]>,
    mixed_quotes: bool,
}

impl Near<'_> {
    fn value(&mut self, depth: usize) -> Result<(), ScanError> {
        match self.next() {
            Some('{') => self.container('{', '}', depth),
            Some('[') => self.container('[', ']', depth),
            _ => self.word(),
        }
    }

    fn container(&mut self, open: char, close: char, depth: usize) -> Result<(), ScanError> {
        if depth >= MAX_DEPTH {
            return Err(ScanError::TooDeep(self.at));
        }
        self.take(open);
        self.json.push(open);
        let mut more = true;
        while !self.take(close) {
            if !more {
                return self.fail();
            }
            if !self.json.ends_with(open) {
                self.json.push(',');
            }
            if open == '{' {
                self.word()?;
                if !self.take(':') && !self.take('=') {
                    return self.fail();
                }
                self.json.push(':');
            }
            self.value(depth + 1)?;
            more = self.take(',');
        }
        self.json.push(close);
        Ok(())
    }

    /// A string in any quotes, or a word in none.
    fn word(&mut self) -> Result<(), ScanError> {
        let ends: &'static [char] = match self.next() {
            Some('"') => &['"'],
            Some('\'') => &['\''],
            Some('‚' | '‘' | '’') => &['‘', '’'],
            Some('„' | '“' | '”') => &['“', '”'],
            _ => return self.bare(),
        };
        self.mixed_quotes |= *self.quotes.get_or_insert(ends) != ends;
        self.string(ends)
    }

    fn string(&mut self, ends: &[char]) -> Result<(), ScanError> {
        let mut before = self.step();
        self.json.push('"');
        while let Some(c) = self.step() {
            let apostrophe = |next: Option<char>| {
                let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                matches!(c, '\'' | '’') && letter(before) && letter(next)
            };
            // Behind the end of a string no letter can follow: `it's` goes on.
            if ends.contains(&c) && !apostrophe(self.here()) {
                self.json.push('"');
                return Ok(());
            }
            match c {
                '\\' => self.escape(),
                '"' => self.json.push_str("\\\""),
                c => self.json.push(c),
            }
            before = Some(c);
        }
        self.fail()
    }

    /// What follows a backslash. One that escapes nothing in JSON (`\langle`) stands for
    /// itself.
    fn escape(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let unicode = || {
            rest.get(1..5)
                .is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit))
        };
        match self.here() {
            Some(c @ ('\'' | '‘' | '’' | '“' | '”')) => {
                self.json.push(c);
                self.step();
            }
            Some(c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                self.json.extend(['\\', c]);
                self.step();
            }
            Some('u') if unicode() => self.json.push('\\'),
            _ => self.json.push_str("\\\\"),
        }
    }

    fn bare(&mut self) -> Result<(), ScanError> {
        let rest = &self.text[self.at..];
        let ends = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        match word {
            "" => return self.fail(),
            "null" | "None" => self.json.push_str("null"),
            word => self.json.extend(["\"", word, "\""]),
        }
        self.at += word.len();
        Ok(())
    }

    /// The next character that is no blank, not taken.
    fn next(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.here()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.next() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn here(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn step(&mut self) -> Option<char> {
        let c = self.here()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn fail<T>(&self) -> Result<T, ScanError> {
        Err(ScanError::Syntax(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_many_spellings() {
        for (near, json) in [
            ("{'a': 'b'}", r#"{"a":"b"}"#),
            ("{“a”: ”b”, ‘c’: ‘d’,}", r#"{"a":"b","c":"d"}"#),
            ("{a: b, c = None}", r#"{"a":"b","c":null}"#),
            ("[1, [], {}, [2,],]", r#"["1",[],{},["2"]]"#),
            (
                r#"{'a': 'it\'s "it"', 'b': 'it's it'}"#,
                r#"{"a":"it's \"it\"","b":"it's it"}"#,
            ),
            ("{‘a’: ‘it’s’}", r#"{"a":"it’s"}"#),
            (
                r#"{"a": "\langle \u00e9 \up \n \\ \""}"#,
                r#"{"a":"\\langle \u00e9 \\up \n \\ \""}"#,
            ),
        ] {
            let respelt = respelt(near, 0).unwrap();
            assert_eq!(respelt.json, json, "{near}");
            assert_eq!(respelt.end, near.len(), "{near}");
            assert!(serde_json::from_str::<serde_json::Value>(json).is_ok());
        }
    }

    #[test]
    fn the_grammar_is_that_of_json() {
        for text in [
            "{",
            "{]",
            "{,}",
            "{'a'}",
            "{'a' 'b'}",
            "{'a': }",
            "{'a': 'b' 'c'}",
            "{a: b c}",
            "{a: b/c}",
            "{'a': 'b'",
            "{'a': 'b",
            "{'a': 'b}",
            "{“a\": 1}",
            "{a: 1;}",
            "{p, q}",
            "{a: 1,,}",
            "{{a: 1}: 2}",
            "[a: 1]",
            "{'a': '\\",
        ] {
            assert!(respelt(text, 0).is_err(), "{text}");
        }
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(respelt(&deep(MAX_DEPTH), 0).is_ok());
        assert!(respelt(&deep(MAX_DEPTH + 1), 0).is_err());
    }

    #[test]
    fn quotes_of_several_kinds_are_told() {
        let mixed = |text| respelt(text, 0).unwrap().mixed_quotes;
        assert!(!mixed("{'a': 'b \"c\"', d: 'e'}"));
        assert!(mixed("{'a': \"it's\"}"));
    }
}
