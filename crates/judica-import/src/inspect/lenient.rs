//! Values that may be written in several ways, each read as what is needed of it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::log::Own;

/// Below it every whole number is a double of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What is wrong, in words for people: kinds of numbers have others among programs.
pub(super) fn plain(error: serde_json::Error) -> String {
    let said = error.to_string();
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
pub(super) struct Scalars(pub Vec<(String, Own<'static>)>);

/// A single value, or none where it is a list or an object.
#[derive(Default)]
struct Scalar(Option<Own<'static>>);

/// What is made of any JSON value, by what it is.
trait Lenient<'de>: Sized + Default {
    fn text(text: &str) -> Self;

    fn scalar(value: Own<'static>) -> Self {
        match value {
            Own::Boolean(value) => Self::text(&value.to_string()),
            Own::Number(value) => Self::text(&value.to_string()),
            Own::Text(text) => Self::text(&text),
        }
    }

    /// A whole number: as text its digits, of which a double would round the last.
    fn whole(digits: &str, _: f64) -> Self {
        Self::text(digits)
    }

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
        Ok(T::scalar(Own::Boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<T, E> {
        Ok(T::whole(&value.to_string(), value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<T, E> {
        Ok(T::whole(&value.to_string(), value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<T, E> {
        Ok(T::scalar(Own::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<T, E> {
        Ok(T::text(value))
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
leniently!(Words, Message, Messages, Targets, Scalars, Scalar);

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

impl<'de> Lenient<'de> for Scalar {
    fn text(text: &str) -> Self {
        Scalar(Some(Own::Text(text.to_owned().into())))
    }

    fn scalar(value: Own<'static>) -> Self {
        Scalar(Some(value))
    }

    fn whole(digits: &str, value: f64) -> Self {
        match value.abs() < EXACT {
            true => Scalar(Some(Own::Number(value))),
            false => Self::text(digits),
        }
    }
}

impl<'de> Lenient<'de> for Scalars {
    fn text(_: &str) -> Self {
        Scalars::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some((name, Scalar(value))) = map.next_entry::<String, Scalar>()? {
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
