//! Names of users and tokens.

use crate::error::{MAX_NAME_CHARS, ServeError};

/// Returns an error unless the name consists of ASCII letters, digits, hyphens and underscores.
pub(crate) fn check_name(name: &str) -> Result<(), ServeError> {
    let is_valid = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    if (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_valid) {
        return Ok(());
    }
    Err(ServeError::InvalidName { name: name.to_owned() })
}
