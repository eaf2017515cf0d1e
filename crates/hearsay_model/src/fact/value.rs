//! Objects of facts: entities and literal values.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use serde::{Deserialize, Serialize};

use super::FactError;
use crate::EntityId;

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Number(f64);

impl Number {
    /// Creates a number from a floating-point value.
    ///
    /// # Errors
    /// Returns an error if the value is infinite or NaN.
    pub fn new(value: f64) -> Result<Self, FactError> {
        if value.is_finite() { Ok(Self(value + 0.0)) } else { Err(FactError::NotFinite) }
    }

    /// Returns the number as a floating-point value.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.to_bits().hash(hasher);
    }
}

impl TryFrom<f64> for Number {
    type Error = FactError;
    fn try_from(value: f64) -> Result<Self, FactError> {
        Self::new(value)
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> f64 {
        number.0
    }
}

/// Literal value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Text. Never empty in a fact.
    Text(String),
    /// A finite number.
    Number(Number),
    /// A boolean: yes or no.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{}", number.0),
            Self::Flag(true) => f.write_str("yes"),
            Self::Flag(false) => f.write_str("no"),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Number(Number(number.into()))
    }
}

/// Rounds numbers beyond ±2⁵³ to the nearest `f64`.
impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Number(number as f64))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

/// Fails if the number is infinite or NaN.
impl TryFrom<f64> for Value {
    type Error = FactError;
    fn try_from(number: f64) -> Result<Self, FactError> {
        Number::new(number).map(Self::Number)
    }
}

/// Object of a fact: an entity or a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// An entity. A fact with this object is a relation.
    Entity(EntityId),
    /// A value. A fact with this object is an attribute.
    Value(Value),
}

impl Object {
    /// Returns the entity; `None` if the object is a value.
    #[inline]
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::Entity(id) => Some(id),
            Self::Value(_) => None,
        }
    }

    /// Returns the text; `None` if the object is an entity, a number or a boolean.
    #[inline]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Value(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(id) => id.fmt(f),
            Self::Value(value) => value.fmt(f),
        }
    }
}

impl Value {
    /// Returns the text; `None` if the value is a number or a boolean.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Flag(_) => None,
        }
    }

    /// Returns the number; `None` if the value is text or a boolean.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.get()),
            Self::Text(_) | Self::Flag(_) => None,
        }
    }

    /// Returns the boolean; `None` if the value is text or a number.
    pub fn as_flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            Self::Text(_) | Self::Number(_) => None,
        }
    }

    /// Returns the type of the value in words, for use in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Flag(_) => "yes or no",
        }
    }
}
