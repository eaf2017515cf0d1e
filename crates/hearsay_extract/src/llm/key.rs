//! The key of an endpoint, which nobody is to see.

use std::fmt;

use super::{LlmError, LlmSettings};

/// The key, out of the environment. It has no `Display`, its `Debug` hides it, and it cannot be serialised.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Key(Option<String>);

/// What stands in texts where the key stood.
const HIDDEN: &str = "(the key)";

/// A key that is shorter cannot be told from words, and is a mistake.
const SHORTEST: usize = 8;

impl Key {
    /// The key that the environment variable has that the settings name; none, when it is not set: many local servers
    /// want none.
    ///
    /// # Errors
    /// When the key has characters that no key has. The error does not show them.
    pub fn from_env(settings: &LlmSettings) -> Result<Self, LlmError> {
        let key = std::env::var(&settings.key_env).unwrap_or_default();
        Self::new(&key)
            .map_err(|what| LlmError::Settings(format!("the environment variable {} {what}", settings.key_env)))
    }

    /// A key by itself, such as a program gets from its own store of secrets.
    ///
    /// # Errors
    /// What is wrong with it, without showing it.
    pub fn new(key: &str) -> Result<Self, &'static str> {
        let key = key.trim();
        if key.is_empty() {
            return Ok(Self(None));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(
                "holds characters that a key cannot have: letters, digits and signs without spaces are expected",
            );
        }
        if key.len() < SHORTEST {
            return Err("holds less than 8 characters, which is no key; leave it unset when the server wants none");
        }
        Ok(Self(Some(key.to_owned())))
    }

    /// Whether there is one.
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn expose(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The same text without the key: a server may put it into an error, or even into an answer.
    pub fn hide(&self, text: &str) -> String {
        match &self.0 {
            Some(key) => text.replace(key.as_str(), HIDDEN),
            None => text.to_owned(),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_set() { "Key(set)" } else { "Key(not set)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nowhere() {
        let key = Key::new(" sk-very-secret\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(set)");
        assert_eq!(key.hide("bad key sk-very-secret!"), "bad key (the key)!");
        let error = Key::new("sk-very secret").unwrap_err();
        assert!(!error.contains("sk-") && error.contains("cannot have"), "{error}");
        assert!(Key::new("short").is_err() && Key::new("sk-\u{7}secret").is_err());
        assert!(!Key::new("  ").unwrap().is_set());
    }
}
