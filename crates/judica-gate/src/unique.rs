//! JSON in which no object has a key twice. Readers take the last of two, and a gate could be
//! passed by what stands after the number that would have failed it.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// Reads a document, unless an object in it has a key twice: the error names the key.
pub(crate) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let value = serde_json::from_slice(bytes)?;
    serde_json::from_slice::<Unique>(bytes)?;
    Ok(value)
}

/// Any value, of which nothing is kept.
pub(crate) struct Unique;

/// Reads an object to its end, and says which keys it has.
pub(crate) fn keys<'de, A: MapAccess<'de>>(mut object: A) -> Result<BTreeSet<String>, A::Error> {
    let mut keys = BTreeSet::new();
    while let Some(key) = object.next_key::<String>()? {
        once(&mut keys, key)?;
        object.next_value::<Unique>()?;
    }
    Ok(keys)
}

/// Takes the next key of an object, unless it was there before.
pub(crate) fn once<E: Error>(keys: &mut BTreeSet<String>, key: String) -> Result<(), E> {
    if keys.contains(&key) {
        let message = format!("the key `{key}` stands twice in one object");
        return Err(E::custom(message));
    }
    keys.insert(key);
    Ok(())
}

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Unique, A::Error> {
        keys(object)?;
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unique, A::Error> {
        while list.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Unique, E> {
        Ok(Unique)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_key_stands_once_in_an_object_at_any_depth() {
        for (json, key) in [
            (
                r#"{"a": 1, "b": {"a": [1, -1, 1.5, "a", null, true]}}"#,
                None,
            ),
            (r#"[{"a": 1}, {"a": 2}]"#, None),
            (r#"{"a": 1, "a": 1}"#, Some("a")),
            (r#"[{"x": {"b": 1, "c": 2, "b": 0}}]"#, Some("b")),
            (r#"{"\u0061": 1, "a": 2}"#, Some("a")),
        ] {
            let said = from_slice::<Value>(json.as_bytes()).err();
            let said = said.map(|error| error.to_string());
            let names = |key: &str| format!("the key `{key}` stands twice");
            match key {
                None => assert_eq!(said, None, "{json}"),
                Some(key) => assert!(said.unwrap().contains(&names(key)), "{json}"),
            }
        }
    }
}
