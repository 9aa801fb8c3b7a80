//! A JSON value as it stands in a log: looked into where something is wanted of it, and never
//! built. Bare `NaN` and `Infinity`, which Python writes, are numbers that are not finite.

use std::borrow::Cow;
use std::hash::Hasher;

use judica_data::json::{ScanError, Scanner};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::log::{Own, Score};

/// How deep a value may be nested.
const DEEPEST: usize = 256;
/// Below it every whole number is a double of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The text of one whole value, checked, without blanks around it.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// What a missing value is.
    pub const NULL: Raw<'static> = Raw("null");

    /// A value, or why these bytes are none.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut scanner = Scanner::new(bytes, 0);
        let whole = scanner
            .skip_value(0, DEEPEST)
            .and_then(|()| scanner.end())
            .map_err(|error| match error {
                ScanError::Syntax(at) => format!("not JSON from byte {at} on"),
                ScanError::TooDeep(_) => format!("nested more than {DEEPEST} deep"),
            });
        whole?;
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to()))?;
        Ok(Raw(text.trim_ascii()))
    }

    /// Its text as it stands.
    pub fn json(self) -> &'a str {
        self.0
    }

    /// The same, to be kept of what is refused.
    pub fn kept(self) -> judica_data::rejects::Raw {
        self.0.as_bytes().into()
    }

    /// Whether there is nothing.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The contents of a string.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescaped(inner, inner.contains('\\'), self.0))
    }

    /// A number, which need not be finite.
    pub fn number(self) -> Option<f64> {
        match self.0.as_bytes().first()? {
            b'-' | b'0'..=b'9' | b'N' | b'I' => Scanner::new(self.0.as_bytes(), 0).number().ok(),
            _ => None,
        }
    }

    /// A number that is one.
    pub fn finite(self) -> Option<f64> {
        self.number().filter(|number| number.is_finite())
    }

    /// A whole number that counts something.
    pub fn count(self) -> Option<u32> {
        self.0.parse().ok()
    }

    /// Yes or no.
    pub fn boolean(self) -> Option<bool> {
        self.0.parse().ok()
    }

    /// What is shown to people: text as it is, other values as JSON without blanks between,
    /// nothing for null.
    pub fn shown(self) -> Option<Cow<'a, str>> {
        match self.0.as_bytes().first()? {
            b'"' => self.text(),
            b'n' => None,
            b'{' | b'[' => Some(self.compact()),
            _ => Some(Cow::Borrowed(self.0)),
        }
    }

    /// The same JSON without blanks between, however the log is laid out.
    fn compact(self) -> Cow<'a, str> {
        let mut compact = String::with_capacity(self.0.len());
        let (mut text, mut escape) = (false, false);
        for character in self.0.chars() {
            if text || !character.is_ascii_whitespace() {
                compact.push(character);
            }
            text ^= character == '"' && !escape;
            escape = character == '\\' && !escape;
        }
        compact.into()
    }

    /// The members of an object, in order; none of anything else.
    pub fn members(self) -> Object<'a> {
        let mut members = Vec::new();
        if self.0.starts_with('{') {
            self.inside(b'}', |scanner| {
                let key = scanner.key()?;
                // A part of text that ends at quotes is text.
                let raw = std::str::from_utf8(key.raw).unwrap_or_default();
                let key = unescaped(raw, key.escaped, raw);
                members.push((key, self.value(scanner)?));
                Ok(())
            });
        }
        Object(members)
    }

    /// The elements of a list, in order; none of anything else.
    pub fn elements(self) -> Vec<Raw<'a>> {
        let mut elements = Vec::new();
        if self.0.starts_with('[') {
            self.inside(b']', |scanner| {
                elements.push(self.value(scanner)?);
                Ok(())
            });
        }
        elements
    }

    /// Everything inside brackets. The text was checked, so nothing fails.
    fn inside(self, end: u8, mut each: impl FnMut(&mut Scanner<'a>) -> Result<(), ScanError>) {
        let mut scanner = Scanner::new(self.0.as_bytes(), 1);
        if !scanner.take(end) {
            while each(&mut scanner).is_ok() && scanner.take(b',') {}
        }
    }

    fn value(self, scanner: &mut Scanner<'a>) -> Result<Raw<'a>, ScanError> {
        scanner.peek();
        let start = scanner.pos;
        scanner.skip_value(0, DEEPEST)?;
        Ok(Raw(&self.0[start..scanner.pos]))
    }

    /// What stands under these keys, one in the other; null where there is nothing.
    pub fn at(self, path: &[&str]) -> Raw<'a> {
        path.iter()
            .fold(self, |value, key| value.members().get(key))
    }

    /// The members of metadata that are texts, numbers or yes and no, as columns.
    pub fn metadata(self) -> Vec<(Cow<'a, str>, Own<'a>)> {
        let own = |value: Raw<'a>| match (value.boolean(), value.finite()) {
            (Some(yes), _) => Some(Own::Boolean(yes)),
            (None, Some(number)) => Some(Own::of_number(number, value.0)),
            (None, None) => value.text().map(Own::Text),
        };
        let members = self.members().0.into_iter();
        let named = |(key, value)| Some((format!("metadata.{key}").into(), own(value)?));
        members.filter_map(named).collect()
    }

    /// A fingerprint that equal values share, however their members are ordered and their
    /// numbers written; a member that is null counts as none.
    pub fn fingerprint(self) -> u128 {
        let mut hash = SipHasher13::new();
        match self.0.as_bytes().first() {
            Some(b'{') => {
                hash.write_u8(b'{');
                let all = self.members();
                let members = all.0.iter().filter(|(_, value)| !value.is_null());
                let sum = members.fold(0u128, |sum, (key, value)| {
                    let mut member = SipHasher13::new();
                    member.write(key.as_bytes());
                    member.write_u128(value.fingerprint());
                    sum.wrapping_add(member.finish128().as_u128())
                });
                hash.write_u128(sum);
            }
            Some(b'[') => {
                hash.write_u8(b'[');
                for element in self.elements() {
                    hash.write_u128(element.fingerprint());
                }
            }
            _ => match (self.text(), self.number()) {
                (Some(text), _) => {
                    hash.write_u8(b'"');
                    hash.write(text.as_bytes());
                }
                (None, Some(number)) => hash.write_u64((number + 0.0).to_bits()),
                (None, None) => hash.write(self.0.as_bytes()),
            },
        }
        hash.finish128().as_u128()
    }
}

/// The members of an object.
#[derive(Debug, Default)]
pub struct Object<'a>(pub Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Object<'a> {
    /// The value of a key, null where it is not there; of equal keys the last, as everywhere.
    pub fn get(&self, key: &str) -> Raw<'a> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map_or(Raw::NULL, |(_, value)| *value)
    }
}

/// The contents of a string; `whole` is what has the string in it.
fn unescaped<'a>(inner: &'a str, escaped: bool, whole: &'a str) -> Cow<'a, str> {
    if !escaped {
        return Cow::Borrowed(inner);
    }
    let mut contents = Vec::with_capacity(whole.len());
    let string = judica_data::json::scan::RawString {
        raw: inner.as_bytes(),
        escaped,
    };
    // Escapes stand for whole characters, and what is around them was text.
    Cow::Owned(String::from_utf8_lossy(string.decode(&mut contents)).into_owned())
}

/// Whether a JSON value is a whole number.
pub fn is_whole(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Own<'a> {
    /// A number that is written so; a whole one that may be no double is kept as its digits.
    pub fn of_number(value: f64, json: &'a str) -> Self {
        match is_whole(json) && value.abs() >= EXACT {
            true => Own::Text(Cow::Borrowed(json)),
            false => Own::Number(value),
        }
    }

    /// The same, with a text of its own.
    pub fn owned(self) -> Own<'static> {
        match self {
            Own::Boolean(value) => Own::Boolean(value),
            Own::Number(value) => Own::Number(value),
            Own::Text(text) => Own::Text(Cow::Owned(text.into_owned())),
        }
    }
}

impl<'a> Score<'a> {
    /// The same, with texts of its own.
    pub fn owned(self) -> Score<'static> {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Score {
            scorer: owned(self.scorer),
            value: self.value,
            logged: self.logged.map(owned),
            explanation: self.explanation.map(owned),
        }
    }

    /// What a scorer gave: a number, yes or no as 1 or 0, nothing; anything else is kept as
    /// it is and is no number.
    pub fn of(scorer: impl Into<Cow<'a, str>>, given: Raw<'a>) -> Self {
        let (number, boolean) = (given.number(), given.boolean());
        let value = number.or(boolean.map(f64::from));
        let scored = value.filter(|value| value.is_finite());
        let nothing = scored.is_some() || value.is_some_and(f64::is_nan);
        Score {
            scorer: scorer.into(),
            value: scored,
            logged: if nothing { None } else { given.shown() },
            explanation: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::read(text.as_bytes()).expect("JSON")
    }

    #[test]
    fn values_are_looked_into() {
        let row = raw(r#" {"a": [1, {"b": "x\ny"}], "ü\"": NaN, "a": {"c": true}, "n": null} "#);
        let members = row.members();
        assert_eq!(members.0.len(), 4);
        assert_eq!(members.get("a").at(&["c"]).boolean(), Some(true));
        assert!(members.get("ü\"").number().unwrap().is_nan());
        assert_eq!(members.get("ü\"").finite(), None);
        assert_eq!(
            members.0[0].1.elements()[1].at(&["b"]).text().unwrap(),
            "x\ny"
        );
        assert!(members.get("n").shown().is_none() && members.get("gone").is_null());
        assert_eq!(row.at(&["a", "gone", "b"]).json(), "null");
        assert_eq!(
            raw("[]").elements().len() + raw(" {} ").members().0.len(),
            0
        );
        assert_eq!(
            raw("[ -Infinity ]").elements()[0].number(),
            Some(f64::NEG_INFINITY)
        );
    }

    #[test]
    fn what_is_no_value_is_said() {
        assert!(Raw::read(b"{\"a\": }").unwrap_err().contains("byte 6"));
        assert!(Raw::read(b"1 2").is_err() && Raw::read(b"").is_err());
        assert!(Raw::read(b"\"\xff\"").unwrap_err().contains("UTF-8"));
        assert!(
            Raw::read("[".repeat(100_000).as_bytes())
                .unwrap_err()
                .contains("deep")
        );
    }

    #[test]
    fn metadata_keeps_the_digits_of_what_is_no_double() {
        let found = raw(r#"{"a": 9007199254740993, "b": -7, "c": 1e30, "d": [1]}"#).metadata();
        let own = [
            Own::Text("9007199254740993".into()),
            Own::Number(-7.0),
            Own::Number(1e30),
        ];
        let names = ["metadata.a", "metadata.b", "metadata.c"].map(Cow::from);
        assert_eq!(found, names.into_iter().zip(own).collect::<Vec<_>>());
    }

    #[test]
    fn equal_values_share_a_fingerprint() {
        let same = |a: &str, b: &str| raw(a).fingerprint() == raw(b).fingerprint();
        assert!(same(
            r#"{"a": 1, "b": [2]}"#,
            r#"{ "b":[2.0], "a":1e0, "c": null }"#
        ));
        assert!(same(r#""\u0061""#, r#""a""#));
        assert!(!same(r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#));
        assert!(!same("[1, 2]", "[2, 1]") && !same("1", "\"1\"") && !same("[[1]]", "[1]"));
        assert!(!same("null", "[]") && !same("{}", "[]") && same("-0.0", "0"));
    }

    #[test]
    fn a_score_is_a_number_or_kept_as_it_is() {
        let score = |text| {
            let score = Score::of("s", raw(text));
            (score.value, score.logged.map(Cow::into_owned))
        };
        assert_eq!(score("0.5"), (Some(0.5), None));
        assert_eq!(score("true"), (Some(1.0), None));
        assert_eq!(score("null"), (None, None));
        assert_eq!(score("NaN"), (None, None));
        assert_eq!(score("-Infinity"), (None, Some("-Infinity".to_owned())));
        assert_eq!(score("[-0.5, 7]"), (None, Some("[-0.5,7]".to_owned())));
        assert_eq!(
            score(r#"{ "a b" : "\\\" c", "d":[ ] }"#).1.unwrap(),
            r#"{"a b":"\\\" c","d":[]}"#
        );
        assert_eq!(score("\"C\""), (None, Some("C".to_owned())));
    }
}
