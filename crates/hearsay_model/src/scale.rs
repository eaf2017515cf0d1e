//! Numbers with a limited range: confidence, credence and attitude.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Error: a number is outside its allowed range.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{name} must be from {low} to {high}, not {value}")]
pub struct ScaleError {
    name: &'static str,
    low: f64,
    high: f64,
    value: f64,
}

macro_rules! fraction {
    ($(#[$doc:meta])* $name:ident, $label:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// The maximum: 1.0.
            pub const FULL: Self = Self(1.0);
            /// The minimum: 0.0.
            pub const NONE: Self = Self(0.0);

            /// Creates a value. The number must be from 0.0 to 1.0.
            ///
            /// # Errors
            /// Returns an error if the number is out of range or NaN.
            pub fn new(value: f64) -> Result<Self, ScaleError> {
                if (0.0..=1.0).contains(&value) {
                    // Adding zero turns −0.0 into 0.0. Equal numbers then have equal bits.
                    Ok(Self(value + 0.0))
                } else {
                    Err(ScaleError { name: $label, low: 0.0, high: 1.0, value })
                }
            }

            /// Returns the value as a number from 0.0 to 1.0.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl Eq for $name {}

        #[allow(clippy::derive_ord_xor_partial_ord)]
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl TryFrom<f64> for $name {
            type Error = ScaleError;
            fn try_from(value: f64) -> Result<Self, ScaleError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:.2}", self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

fraction! {
    /// Probability that the source of a fact really states the fact, 0.0–1.0. Credence does not depend on the
    /// confidence.
    Confidence, "confidence"
}
fraction! {
    /// Degree to which one knower believes a fact, 0.0–1.0. A credence of 0.0 means that the knower knows the statement
    /// and believes that it is untrue.
    Credence, "credence"
}

/// Attitude of one entity towards another, from −100 (hatred) to 100 (devotion). The default is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Attitude(i8);

impl Attitude {
    /// Creates an attitude. The number must be from −100 to 100.
    ///
    /// # Errors
    /// Returns an error if the number is out of range.
    pub fn new(value: i64) -> Result<Self, ScaleError> {
        let in_range = i8::try_from(value).ok().filter(|v| (-100..=100).contains(v));
        in_range.map(Self).ok_or(ScaleError { name: "attitude", low: -100.0, high: 100.0, value: value as f64 })
    }

    /// The attitude 0.
    pub const NEUTRAL: Self = Self(0);

    /// Returns the attitude as a number from −100 to 100.
    pub fn get(self) -> i8 {
        self.0
    }
}

impl TryFrom<i64> for Attitude {
    type Error = ScaleError;
    fn try_from(value: i64) -> Result<Self, ScaleError> {
        Self::new(value)
    }
}

impl From<Attitude> for i64 {
    fn from(value: Attitude) -> i64 {
        value.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_refuse_what_lies_outside() {
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Confidence::new(bad).is_err(), "{bad}");
        }
        assert!(Credence::new(0.0).is_ok() && Credence::new(1.0).is_ok());
        assert!(Attitude::new(-101).is_err() && Attitude::new(100).is_ok());
        assert!(serde_json::from_str::<Confidence>("1.5").is_err());
        let error = Confidence::new(2.0).unwrap_err().to_string();
        assert_eq!(error, "confidence must be from 0 to 1, not 2");
    }
}
