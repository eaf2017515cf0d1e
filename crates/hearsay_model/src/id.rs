//! Identifiers: readable slugs for entities and sessions, and 128-bit hashes for all other records.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

use crate::{shared_ids, text};

/// Error: invalid identifier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IdError {
    /// The id is empty.
    #[error("the id is empty; use at least one letter or digit")]
    Empty,
    /// The slug contains a character other than lowercase letters, digits and single hyphens.
    #[error("`{text}` is not a valid id; use lowercase letters, digits and single hyphens, such as `{suggestion}`")]
    NotASlug {
        /// The given text.
        text: String,
        /// The nearest valid id.
        suggestion: String,
    },
    /// The id is longer than 128 bytes.
    #[error("the id is too long: it has {length} bytes; use at most 128 bytes")]
    TooLong {
        /// The length of the given text, in bytes.
        length: usize,
    },
    /// The text is not 32 hexadecimal digits.
    #[error("`{text}` is not a valid id; expected 32 hexadecimal digits", text = .0)]
    NotAHash(String),
}

/// Converts a name to the text of an id: `Grimjaw "Jaw" Ironhand` becomes `grimjaw-jaw-ironhand`.
///
/// Accents and apostrophes are removed. A sequence of other characters that are neither letters nor digits becomes one
/// hyphen. The result has at most 128 bytes. The result is empty if the name has neither letters nor digits.
pub fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.nfkd() {
        if matches!(c, '\'' | '\u{2018}' | '\u{2019}') || unicode_normalization::char::is_combining_mark(c) {
            continue;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let mut end = slug.trim_end_matches('-').len().min(128);
    while !slug.is_char_boundary(end) {
        end -= 1;
    }
    slug.truncate(end);
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

fn check_slug(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > 128 {
        return Err(IdError::TooLong { length: text.len() });
    }
    let is_plain_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let is_slug_char = |c: char| (c.is_alphanumeric() && c.to_lowercase().eq([c])) || c == '-';
    if !(text.bytes().all(is_plain_byte) || text.chars().all(is_slug_char))
        || text.starts_with('-')
        || text.ends_with('-')
        || text.contains("--")
    {
        return Err(IdError::NotASlug { text: text.into(), suggestion: slug(text) });
    }
    Ok(())
}

macro_rules! slug_id {
    ($(#[$doc:meta])* $name:ident, $id_set:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                text::deserialize_from_str(deserializer)
            }
        }

        impl $name {
            /// Creates an id from a slug. A slug consists of lowercase letters, digits and single hyphens, and has at
            /// most 128 bytes.
            ///
            /// # Errors
            /// Returns an error if the text is not a slug. The error contains the nearest slug.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                shared_ids::check_and_share(text.as_ref(), $id_set, check_slug).map(Self)
            }

            /// Creates an id from the name of an entity or session. The [`slug`] of the name becomes the id.
            ///
            /// # Errors
            /// Returns an error if the name has neither letters nor digits.
            pub fn from_name(name: &str) -> Result<Self, IdError> {
                Self::new(slug(name))
            }

            /// Returns the id as text.
            #[inline]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.as_ref().into()
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }
    };
}

slug_id! {
    /// A readable stable id of an entity, such as `grimjaw-ironhand`.
    EntityId, shared_ids::ENTITIES
}
slug_id! {
    /// A readable stable id of a session at the table.
    SessionId, shared_ids::SESSIONS
}

impl EntityId {
    /// Creates an id from the name of an entity, as [`from_name`](Self::from_name) does. If the name has neither letters
    /// nor digits, the id is `unnamed`.
    pub fn from_name_or_unnamed(name: &str) -> Self {
        Self::from_name(name).unwrap_or_else(|_| Self("unnamed".into()))
    }
}

macro_rules! hash_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u128);

        /// Serializes the id as text in human-readable formats, and as 16 bytes in other formats.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(self)
                } else {
                    serializer.serialize_bytes(&self.0.to_be_bytes())
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    text::deserialize_from_str(deserializer)
                } else {
                    deserializer.deserialize_bytes(HashBytes).map(Self)
                }
            }
        }

        impl $name {
            /// Hashes the parts. Also hashes the length of each part, so that different lists of parts give different
            /// hash inputs.
            pub(crate) fn from_parts(parts: &[&[u8]]) -> Self {
                Self(hash_parts(concat!("hearsay ", stringify!($name)), parts))
            }

            /// Returns the first eight hexadecimal digits, as a short form for people.
            pub fn short(&self) -> String {
                format!("{:08x}", self.0 >> 96)
            }

            /// Returns the id as a number.
            #[inline]
            pub fn as_u128(&self) -> u128 {
                self.0
            }

            /// Returns the id with this number, which is a result of [`as_u128`](Self::as_u128).
            pub fn from_u128(number: u128) -> Self {
                Self(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.short())
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                let is_hash = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
                let number = is_hash.then(|| u128::from_str_radix(text, 16).ok()).flatten();
                number.map(Self).ok_or_else(|| IdError::NotAHash(text.into()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }
    };
}

/// Reads the 16 bytes of a hash id.
struct HashBytes;

impl Visitor<'_> for HashBytes {
    type Value = u128;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("the 16 bytes of a hash id")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<u128, E> {
        bytes.try_into().map(u128::from_be_bytes).map_err(|_| E::invalid_length(bytes.len(), &self))
    }
}

hash_id! {
    /// The id of a fact: a hash of its content and its source.
    FactId
}
hash_id! {
    /// The id of a knowledge edge: a hash of its content. See [`KnowledgeEdge::id`](crate::KnowledgeEdge::id).
    KnowledgeId
}
hash_id! {
    /// The id of a passage: a hash of its text, title, speaker, session, document and line number.
    PassageId
}

fn hash_parts(domain: &str, parts: &[&[u8]]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(domain.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut first_half = [0; 16];
    first_half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_be_bytes(first_half)
}

/// Version of the state. The version grows with every operation and every update of transient values.
///
/// A query always has the same result at the same version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StateVersion {
    /// The position of the newest operation.
    pub position: Position,
    /// The number of updates of transient values since the campaign was opened.
    pub transient_updates: u64,
}

/// Position of an operation in the journal, counted from 1. Position 0 means that the journal is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Returns the next position in the journal.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_slugs() {
        let check = |name, expected| assert_eq!(slug(name), expected);
        check("Grimjaw Ironhand", "grimjaw-ironhand");
        check("Day\u{2019}s End", "days-end");
        check("  Élan -- (the Younger) ", "elan-the-younger");
        check("Северный ветер", "северныи-ветер");
        check("☠️", "");
        assert!(slug(&"ä".repeat(500)).len() <= 128);
        assert_eq!(EntityId::from_name_or_unnamed("Grimjaw Ironhand").as_str(), "grimjaw-ironhand");
        assert_eq!(EntityId::from_name_or_unnamed("☠️").as_str(), "unnamed");
    }

    #[test]
    fn ids_refuse_what_is_no_slug() {
        assert_eq!(EntityId::new(""), Err(IdError::Empty));
        for bad in ["Grim", "a b", "-a", "a-", "a--b", "a/b"] {
            assert!(EntityId::new(bad).is_err(), "{bad}");
        }
        let error = EntityId::new("Old Mill").unwrap_err().to_string();
        assert!(error.contains("`old-mill`"), "{error}");
        assert!(serde_json::from_str::<EntityId>("\"Old Mill\"").is_err());
    }

    #[test]
    fn hash_ids_survive_their_text() {
        let id = FactId::from_parts(&[b"a", b"b"]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_ne!(id, FactId::from_parts(&[b"ab", b""]));
        assert!("+0000000000000000000000000000001".parse::<FactId>().is_err());
    }
}
