//! What a scorer gave, as Inspect writes and reads it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::bare::endless;

/// A value of a score.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// Unscored: NaN, or null.
    None,
    /// A number.
    Number(f64),
    /// Yes or no, which Inspect counts as a number.
    Boolean(bool),
    /// A letter, a word, a number as text.
    Text(String),
    /// A list, as JSON.
    List(String),
    /// Values under names.
    Dict(Vec<(String, Given)>),
}

impl Given {
    /// The number that Inspect's arithmetic makes of it; none where it takes 0 for lack of a
    /// better one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Given::Number(value) => Some(*value).filter(|value| value.is_finite()),
            Given::Boolean(value) => Some(f64::from(u8::from(*value))),
            Given::Text(text) => match &**text {
                "C" => Some(1.0),
                "P" => Some(0.5),
                "I" | "N" => Some(0.0),
                text => match &*text.to_lowercase() {
                    "yes" | "true" => Some(1.0),
                    "no" | "false" => Some(0.0),
                    text => float(text).filter(|value| value.is_finite()),
                },
            },
            Given::None | Given::List(_) | Given::Dict(_) => None,
        }
    }

    /// The number that Inspect counts with, which need not be finite.
    pub fn counted(&self) -> f64 {
        self.number().or(self.endless()).unwrap_or(0.0)
    }

    /// Whether it has no number at all, so that Inspect takes 0.
    pub fn is_word(&self) -> bool {
        self.number().or(self.endless()).is_none() && self.logged().is_some()
    }

    /// A number that is not finite. Text that says so is none to Inspect.
    fn endless(&self) -> Option<f64> {
        match self {
            Given::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// What the log has, where that is no number.
    pub fn logged(&self) -> Option<String> {
        match self {
            Given::Boolean(value) => Some(value.to_string()),
            Given::Text(text) | Given::List(text) => Some(text.clone()),
            Given::Number(value) if !value.is_finite() => Some(word(*value).to_owned()),
            Given::None | Given::Number(_) | Given::Dict(_) => None,
        }
    }

    /// Whether Python calls two values the same: `True == 1`.
    pub fn same(&self, other: &Given) -> bool {
        let plain = |value: &Given| match value {
            Given::Boolean(_) | Given::Number(_) => value.number(),
            _ => None,
        };
        match (plain(self), plain(other)) {
            (Some(a), Some(b)) => a == b,
            _ => self == other,
        }
    }

    fn json(&self) -> String {
        match self {
            Given::None => "null".to_owned(),
            Given::Number(value) if !value.is_finite() => format!("\"{}\"", word(*value)),
            Given::Number(value) => value.to_string(),
            Given::Boolean(value) => value.to_string(),
            Given::Text(text) => serde_json::Value::from(&**text).to_string(),
            Given::List(json) => json.clone(),
            Given::Dict(entries) => {
                let entries = entries.iter().map(|(name, value)| {
                    format!("{}:{}", serde_json::Value::from(&**name), value.json())
                });
                format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// How JSON of Python writes a number that is not finite.
fn word(value: f64) -> &'static str {
    if value > 0.0 { "Infinity" } else { "-Infinity" }
}

/// The number that Python makes of a text, where `_` may stand between digits.
fn float(text: &str) -> Option<f64> {
    let text = text.trim();
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let between =
        |(at, _): (usize, &str)| at > 0 && digit(bytes.get(at - 1)) && digit(bytes.get(at + 1));
    match text.match_indices('_').all(between) {
        true => text.replace('_', "").parse().ok(),
        false => None,
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Given;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the value of a score")
            }

            fn visit_unit<E>(self) -> Result<Given, E> {
                Ok(Given::None)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Given, E> {
                Ok(Given::Boolean(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Given, E> {
                Ok(Given::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Given, E> {
                Ok(Given::Number(value as f64))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Given, E> {
                Ok(Given::Number(value))
            }

            fn visit_str<E>(self, value: &str) -> Result<Given, E> {
                Ok(match endless(value) {
                    Some(value) => Given::Number(value),
                    None => Given::Text(value.to_owned()),
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Given, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element::<Given>()? {
                    items.push(item.json());
                }
                Ok(Given::List(format!("[{}]", items.join(","))))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Given::Dict(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_inspect_makes_of_them() {
        let read = |json: &str| serde_json::from_str::<Given>(json).unwrap();
        let number = |json: &str| read(json).number();
        assert_eq!(number("\"C\""), Some(1.0));
        assert_eq!(number("\"P\""), Some(0.5));
        assert_eq!(number("\"N\""), Some(0.0));
        assert_eq!(number("\"Yes\""), Some(1.0));
        assert_eq!(number("\"FALSE\""), Some(0.0));
        assert_eq!(number("\" 2.5 \""), Some(2.5));
        assert_eq!(number("\"1_000\""), Some(1000.0));
        assert_eq!(number("\"1__0\"").or(number("\"_1\"")), None);
        assert_eq!(number("\"c\""), None);
        assert_eq!(number("\"nan\""), None);
        assert_eq!(number("null"), None);
        assert_eq!(number("\"Infinity\""), None);
        for word in ["nan", "inf", "-Infinity", "Infinity"] {
            let text = Given::Text(word.to_owned());
            assert!(text.counted() == 0.0 && text.is_word(), "{word}");
        }
        let bare = read(r#""\u0000-Infinity""#);
        assert_eq!((bare.number(), bare.counted()), (None, f64::NEG_INFINITY));
        assert_eq!(bare.logged().as_deref(), Some("-Infinity"));
        assert!(!bare.is_word() && read("\"c\"").is_word());
        assert_eq!(
            read(r#"["\u0000Infinity"]"#).logged().as_deref(),
            Some(r#"["Infinity"]"#)
        );
        assert_eq!(read("\"c\"").counted(), 0.0);
        assert_eq!(number("true"), Some(1.0));
        assert!(read("true").same(&read("1.0")));
        assert!(!read("\"1\"").same(&read("1")));
        assert_eq!(
            read("[1, \"a\", null, {\"b\": 2.5}]").logged().as_deref(),
            Some("[1,\"a\",null,{\"b\":2.5}]")
        );
        assert_eq!(read("null").logged(), None);
        assert_eq!(read("\"C\"").logged().as_deref(), Some("C"));
    }
}
