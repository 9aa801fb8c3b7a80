//! Which versions of the eval JSON there are, and which can be read.
//!
//! A minor version only adds keys, so any minor version of a known major version can be
//! read; what it adds is kept. A major version may change what keys mean, so an unknown one
//! is refused: guessing would be worse.

use std::fmt;

use serde_json::{Map, Value};

/// The version that is written.
pub const VERSION: &str = "1.0";

/// The newest major version that can be read.
const MAJOR: u64 = 1;

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Before 1.0: the metrics stand at the top, without a block of their own.
    Legacy,
    /// 1.0 before files said so.
    Unmarked,
    /// As the file says.
    Marked {
        /// The major version.
        major: u64,
        /// The minor version.
        minor: u64,
    },
}

impl Version {
    /// The version of a document, told by its keys.
    ///
    /// The error says what was found and what was expected; it is about the key
    /// `schema_version`.
    pub fn of(document: &Map<String, Value>) -> Result<Version, String> {
        let Some(stated) = document.get("schema_version") else {
            return Ok(if document.contains_key("metrics") {
                Version::Unmarked
            } else {
                Version::Legacy
            });
        };
        let parts = stated.as_str().and_then(parse);
        let Some((major, minor)) = parts else {
            return Err(format!(
                "{stated} is not a version; expected \"major.minor\", such as \"{VERSION}\""
            ));
        };
        if major != MAJOR {
            let remedy = if major > MAJOR {
                "a newer program is needed"
            } else {
                "there is no such version"
            };
            return Err(format!(
                "version {major}.{minor} cannot be read: this program knows {MAJOR}.x; {remedy}"
            ));
        }
        Ok(Version::Marked { major, minor })
    }

    /// Whether it is newer than what this program writes.
    pub fn is_newer(self) -> bool {
        matches!((self, parse(VERSION)), (Version::Marked { major, minor }, Some(own)) if (major, minor) > own)
    }
}

/// Two whole numbers with a point between, without signs, spaces or leading zeros.
fn parse(text: &str) -> Option<(u64, u64)> {
    let number = |text: &str| -> Option<u64> {
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        let zeros = text.len() > 1 && text.starts_with('0');
        (plain && !zeros).then(|| text.parse().ok())?
    };
    let (major, minor) = text.split_once('.')?;
    Some((number(major)?, number(minor)?))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::Legacy => f.write_str("before 1.0"),
            Version::Unmarked => f.write_str("1.0, unmarked"),
            Version::Marked { major, minor } => write!(f, "{major}.{minor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(document: Value) -> Result<Version, String> {
        Version::of(document.as_object().unwrap())
    }

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(of(json!({"click_hit_rate": 1})), Ok(Version::Legacy));
        assert_eq!(of(json!({"metrics": {}})), Ok(Version::Unmarked));
        let marked = |major, minor| Ok(Version::Marked { major, minor });
        assert_eq!(of(json!({"schema_version": "1.0"})), marked(1, 0));
        assert_eq!(of(json!({"schema_version": "1.17"})), marked(1, 17));
        assert!(!of(json!({"schema_version": "1.0"})).unwrap().is_newer());
        assert!(of(json!({"schema_version": "1.1"})).unwrap().is_newer());
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_a_reason() {
        for (version, why) in [
            (json!("2.0"), "newer program"),
            (json!("0.9"), "no such version"),
            (json!("1"), "not a version"),
            (json!("1.0.0"), "not a version"),
            (json!("v1.0"), "not a version"),
            (json!("1.+1"), "not a version"),
            (json!("01.0"), "not a version"),
            (json!("99999999999999999999.0"), "not a version"),
            (json!(1.0), "not a version"),
            (json!(null), "not a version"),
        ] {
            let error = of(json!({"schema_version": version, "metrics": {}})).unwrap_err();
            assert!(error.contains(why), "{version}: {error}");
        }
    }
}
