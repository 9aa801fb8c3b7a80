//! A key that cannot be printed by accident.

use std::fmt;

/// What stands where a secret would.
pub(crate) const HIDDEN: &str = "***";

const SHORTEST_SECRET: usize = 6;

/// A key. Whoever prints it, in whatever way, sees three asterisks.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides `key`. White space around it is cut off, as it comes from files and shells.
    pub fn new(key: impl AsRef<str>) -> Self {
        Secret(key.as_ref().trim().to_owned())
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` without the key, where somebody repeated it. A key of a few letters is the
    /// placeholder that a server without keys is given; it is no secret, and taking its
    /// letters out would only spoil the text.
    pub(crate) fn remove_from(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SECRET {
            return text.to_owned();
        }
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new(" sk-12345\n");
        assert_eq!(secret.reveal(), "sk-12345");
        assert_eq!(
            format!("{secret} {secret:?} {:#?}", Some(&secret)),
            "*** *** Some(\n    ***,\n)"
        );
        assert_eq!(secret.remove_from("bad key sk-12345!"), "bad key ***!");
        assert_eq!(Secret::new("").remove_from("abc"), "abc");
        assert_eq!(Secret::new("none").remove_from("none of it"), "none of it");
    }
}
