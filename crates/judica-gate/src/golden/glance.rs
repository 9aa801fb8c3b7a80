//! What kind of value stands somewhere, without keeping it.
//!
//! A gate asks of most values only whether they are there. A [`Glance`] answers that for
//! any JSON value and keeps text alone, borrowed where possible; [`Text`], [`Name`] and
//! [`Object`] ask for more and refuse the rest.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::unique::{self, Unique};

/// Any value, seen from afar.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Glance<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i128),
    /// A list or an object, and whether anything is in it.
    Container {
        /// Whether nothing is in it.
        empty: bool,
    },
    /// Null, a boolean, another number, or nothing at all.
    #[default]
    Other,
}

impl<'a> Glance<'a> {
    /// Whether it is text that says something.
    pub(super) fn is_words(&self) -> bool {
        matches!(self, Glance::Text(text) if !text.trim().is_empty())
    }

    /// Whether it is text, a list or an object that is not empty.
    pub(super) fn is_something(&self) -> bool {
        self.is_words() || matches!(self, Glance::Container { empty: false })
    }

    /// It as a name: text, or a whole number as it is written.
    pub(super) fn into_name(self) -> Option<Cow<'a, str>> {
        match self {
            Glance::Text(text) => Some(text),
            Glance::Integer(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }
}

/// The same, of a value in which no object has a key twice: who cites something by one of the
/// two may mean the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Whole<'a>(pub Glance<'a>);

/// Looks at a value; whether keys must be unique in it.
struct GlanceVisitor {
    unique: bool,
}

impl<'de> Visitor<'de> for GlanceVisitor {
    type Value = Glance<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Glance::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Glance::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Glance::Integer(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Glance::Integer(number.into()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Glance::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Glance::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Glance::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut empty = true;
        while match self.unique {
            true => list.next_element::<Unique>()?.is_some(),
            false => list.next_element::<IgnoredAny>()?.is_some(),
        } {
            empty = false;
        }
        Ok(Glance::Container { empty })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        if self.unique {
            let empty = unique::keys(object)?.is_empty();
            return Ok(Glance::Container { empty });
        }
        let mut empty = true;
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            empty = false;
        }
        Ok(Glance::Container { empty })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Glance<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GlanceVisitor { unique: false })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Whole<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = GlanceVisitor { unique: true };
        deserializer.deserialize_any(visitor).map(Whole)
    }
}

/// Text and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Glance::deserialize(deserializer)? {
            Glance::Text(text) => Ok(Text(text)),
            _ => Err(D::Error::custom("expected a string")),
        }
    }
}

/// A name: text, or a whole number, which is the text it is written as.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Glance::deserialize(deserializer)?.into_name();
        let name = name.ok_or_else(|| D::Error::custom("expected a string or an integer"))?;
        Ok(Name(name))
    }
}

/// An object of a shape. The shape alone would also take a list of its values in order,
/// which nobody means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object<T>(pub T);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Object)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(json: &str) -> Glance<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn anything_can_be_glanced_at() {
        for (json, words, something) in [
            (r#""quote""#, true, true),
            (r#""a\nb""#, true, true),
            (r#"" \t ""#, false, false),
            (r#""""#, false, false),
            (r#"{"source": null}"#, false, true),
            ("[0]", false, true),
            ("{}", false, false),
            ("[]", false, false),
            ("null", false, false),
            ("true", false, false),
            ("7", false, false),
            ("-0.5", false, false),
        ] {
            let glance = glance(json);
            assert_eq!(
                (glance.is_words(), glance.is_something()),
                (words, something),
                "{json}"
            );
        }
    }

    #[test]
    fn in_a_whole_value_every_key_stands_once() {
        let whole = |json: &'static str| serde_json::from_str::<Whole>(json);
        for (json, empty) in [
            (r#"{"a": [{"b": 1}]}"#, false),
            ("{}", true),
            ("[0]", false),
        ] {
            assert_eq!(whole(json).unwrap().0, Glance::Container { empty });
        }
        for json in [r#"{"a": 1, "a": 2}"#, r#"[{"x": {"a": "", "a": "b"}}]"#] {
            let said = whole(json).unwrap_err().to_string();
            assert!(said.contains("the key `a` stands twice"), "{said}");
        }
    }

    #[test]
    fn names_are_text_or_whole_numbers() {
        assert_eq!(glance("-3").into_name().as_deref(), Some("-3"));
        assert_eq!(
            glance("18446744073709551615").into_name().as_deref(),
            Some("18446744073709551615")
        );
        assert_eq!(glance("1.0").into_name(), None);
        assert!(serde_json::from_str::<Text>("1").is_err());
        assert!(serde_json::from_str::<Name>("null").is_err());
        assert!(serde_json::from_str::<Object<(u8,)>>("[1]").is_err());
    }
}
