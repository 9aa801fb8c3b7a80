//! Values that may be written in several ways, each read as what is needed of it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::bare::shown;
use crate::log::Own;
use crate::raw::is_whole;

/// What is wrong, in words for people: kinds of numbers have others among programs.
pub(super) fn plain(error: serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.replace("string \"\\0", "\"");
    let said = said.replace("expected i32", "expected a whole number");
    said.replace("expected f64", "expected a number")
}

/// Text, whatever holds it: text itself, a number, the `text` or `content` of an object, a
/// list of such.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Words(pub Option<String>);

/// A message: who says what.
#[derive(Debug, Default)]
pub(super) struct Message {
    role: Option<String>,
    pub text: Option<String>,
}

/// What was asked: text, or messages.
#[derive(Debug, Default)]
pub(super) struct Messages(pub Vec<Message>);

impl Messages {
    /// The text: of one message what it says, of several also who says it.
    pub fn text(self) -> Option<String> {
        let mut messages = self.0;
        if messages.len() < 2 {
            return messages.pop().and_then(|message| message.text);
        }
        let said = messages.into_iter().map(|message| {
            let role = message
                .role
                .map(|role| format!("{role}: "))
                .unwrap_or_default();
            format!("{role}{}", message.text.unwrap_or_default())
        });
        Some(said.collect::<Vec<_>>().join("\n\n"))
    }
}

/// What was expected: of several all would do.
#[derive(Debug, Default)]
pub(super) struct Targets(pub Vec<String>);

impl Targets {
    /// One as it is, several as a list in JSON.
    pub fn text(mut self) -> Option<String> {
        match self.0.len() {
            0 | 1 => self.0.pop(),
            _ => Some(serde_json::Value::from(self.0).to_string()),
        }
    }
}

/// The first element of a list.
pub(super) struct First<T>(pub Option<T>);

impl<T> Default for First<T> {
    fn default() -> Self {
        First(None)
    }
}

/// The members of an object in their order.
pub(super) struct InOrder<T>(pub Vec<(String, T)>);

/// The members of an object that are single values.
#[derive(Debug, Default)]
pub(super) struct Scalars(pub Vec<(String, Scalar)>);

/// A single value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scalar {
    pub own: Own<'static>,
    /// A number as the log writes it: Python tells 1 from 1.0.
    number: Option<Box<str>>,
}

impl Scalar {
    /// As Python's `str` writes it: so groups are called.
    pub fn shown(&self) -> String {
        match (&self.own, &self.number) {
            (Own::Boolean(true), _) => "True".to_owned(),
            (Own::Boolean(false), _) => "False".to_owned(),
            (Own::Number(value), Some(json)) if !is_whole(json) => float(*value),
            (_, Some(json)) => json.to_string(),
            (Own::Number(value), None) => value.to_string(),
            (Own::Text(text), None) => text.clone().into_owned(),
        }
    }

    /// One for values that Python calls equal, 1 and 1.0 and `True`, but not "1".
    pub fn key(&self) -> String {
        match (&self.own, &self.number) {
            (Own::Boolean(value), _) => u8::from(*value).to_string(),
            (Own::Number(value), _) => (value + 0.0).to_string(),
            (Own::Text(digits), Some(_)) => digits.clone().into_owned(),
            (Own::Text(text), None) => format!("\"{text}"),
        }
    }
}

/// A float as Python writes it, with an exponent where it is large or small.
fn float(value: f64) -> String {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    match power.strip_prefix('-') {
        Some(power) => format!("{digits}e-{power:0>2}"),
        None => format!("{digits}e+{power:0>2}"),
    }
}

/// What a sample is called: of a whole number all its digits, of which a double rounds the last.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    match is_whole(raw.get()) {
        true => Ok(Words(Some(raw.get().to_owned()))),
        false => serde_json::from_str(raw.get()).map_err(D::Error::custom),
    }
}

/// A single value; none where it is null, a list or an object.
fn scalar(json: &str) -> Result<Option<Scalar>, serde_json::Error> {
    let own = match json.as_bytes() {
        [b'{' | b'[' | b'n', ..] => return Ok(None),
        [b't' | b'f', ..] => Own::Boolean(json == "true"),
        [b'"', ..] => Own::Text(
            shown(&serde_json::from_str::<String>(json)?)
                .to_owned()
                .into(),
        ),
        _ => Own::of_number(serde_json::from_str(json)?, json).owned(),
    };
    let is_number = json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let number = is_number.then(|| json.into());
    Ok(Some(Scalar { own, number }))
}

/// What is made of any JSON value, by what it is.
trait Lenient<'de>: Sized + Default {
    fn text(text: &str) -> Self;

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct Leniently<T>(std::marker::PhantomData<T>);

impl<'de, T: Lenient<'de>> Visitor<'de> for Leniently<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E>(self, value: bool) -> Result<T, E> {
        Ok(T::text(&value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<T, E> {
        Ok(T::text(&value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<T, E> {
        Ok(T::text(&value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<T, E> {
        Ok(T::text(&value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<T, E> {
        Ok(T::text(shown(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }
}

macro_rules! leniently {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Leniently(std::marker::PhantomData))
            }
        }
    )*};
}
leniently!(Words, Message, Messages, Targets, Scalars);

impl<'de> Lenient<'de> for Words {
    fn text(text: &str) -> Self {
        Words(Some(text.to_owned()))
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some(Words(part)) = list.next_element()? {
            all.extend(part);
        }
        Ok(Words((!all.is_empty()).then(|| all.join("\n"))))
    }

    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Ok(Words(Message::object(map)?.text))
    }
}

impl<'de> Lenient<'de> for Message {
    fn text(text: &str) -> Self {
        Message {
            role: None,
            text: Some(text.to_owned()),
        }
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut message = Message::default();
        while let Some(Words(key)) = map.next_key()? {
            match key.as_deref() {
                Some("role") => message.role = map.next_value::<Words>()?.0,
                Some("content" | "text") => message.text = map.next_value::<Words>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(message)
    }
}

impl<'de> Lenient<'de> for Messages {
    fn text(text: &str) -> Self {
        Messages(vec![Message::text(text)])
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some(message) = list.next_element()? {
            all.push(message);
        }
        Ok(Messages(all))
    }
}

impl<'de> Lenient<'de> for Targets {
    fn text(text: &str) -> Self {
        Targets(vec![text.to_owned()])
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some(Words(target)) = list.next_element()? {
            all.extend(target);
        }
        Ok(Targets(all))
    }
}

impl<'de> Lenient<'de> for Scalars {
    fn text(_: &str) -> Self {
        Scalars::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some((name, raw)) = map.next_entry::<String, Box<RawValue>>()? {
            let value = scalar(raw.get()).map_err(A::Error::custom)?;
            all.extend(value.map(|value| (name, value)));
        }
        Ok(Scalars(all))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = InOrder<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(InOrder(all))
            }
        }
        deserializer.deserialize_map(Members(std::marker::PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = First<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let first = list.next_element()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
        }
        deserializer.deserialize_seq(Elements(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_double_keep_their_digits() {
        #[derive(serde::Deserialize)]
        struct Named(#[serde(deserialize_with = "id")] Words);
        let named = |json: &str| serde_json::from_str::<Named>(json).unwrap().0.0;
        for (json, name) in [
            ("10000000000000000000000001", "10000000000000000000000001"),
            ("-18446744073709551617", "-18446744073709551617"),
            ("18446744073709551615", "18446744073709551615"),
            ("1.50", "1.5"),
            ("true", "true"),
            (r#""\u00e9 1""#, "é 1"),
        ] {
            assert_eq!(named(json).as_deref(), Some(name), "{json}");
        }
        assert_eq!(named("null"), None);
        let read: Scalars = serde_json::from_str(
            r#"{"a": 10000000000000000000000001, "b": 9007199254740993, "c": 7, "d": 1e30,
                "e": [1], "f": {"x": 1}, "g": null, "h": false, "i": "\n"}"#,
        )
        .unwrap();
        let text = |text: &'static str| Own::Text(text.into());
        let values = [
            ("a", text("10000000000000000000000001")),
            ("b", text("9007199254740993")),
            ("c", Own::Number(7.0)),
            ("d", Own::Number(1e30)),
            ("h", Own::Boolean(false)),
            ("i", text("\n")),
        ];
        let read = read.0.into_iter().map(|(name, value)| (name, value.own));
        let read: Vec<_> = read.collect();
        assert_eq!(read, values.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn bare_words_are_told_as_they_stand() {
        let bare = r#""\u0000Infinity""#;
        let error = serde_json::from_str::<f64>(bare).unwrap_err();
        let said = r#"invalid type: "Infinity", expected a number at"#;
        assert!(plain(error).starts_with(said));
        let Words(text) = serde_json::from_str(bare).unwrap();
        assert_eq!(text.as_deref(), Some("Infinity"));
    }

    #[test]
    fn values_are_shown_and_equal_as_in_python() {
        for (json, shown, key) in [
            ("1", "1", "1"),
            ("1.0", "1.0", "1"),
            ("true", "True", "1"),
            ("-0.0", "-0.0", "0"),
            (r#""1""#, "1", "\"1"),
            (r#""1.10""#, "1.10", "\"1.10"),
            ("1.10", "1.1", "1.1"),
            ("0.0001", "0.0001", "0.0001"),
            ("0.00001", "1e-05", "0.00001"),
            ("1e16", "1e+16", "10000000000000000"),
            ("-12e98", "-1.2e+99", "*"),
            (
                "10000000000000001",
                "10000000000000001",
                "10000000000000001",
            ),
        ] {
            let value = scalar(json).unwrap().unwrap();
            assert_eq!(value.shown(), shown, "{json}");
            assert!(key == "*" || value.key() == key, "{json}: {}", value.key());
        }
    }
}
