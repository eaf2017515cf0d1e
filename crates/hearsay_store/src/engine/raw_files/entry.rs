//! Entries of the write-ahead log and of tables.

use super::bytes::inline_value;

/// An entry of the write-ahead log or of a table: it sets or deletes one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a [u8],
    /// Sequence number. A higher number means a newer entry.
    pub(crate) sequence: u64,
    /// Value of the key, or `None` if the key was deleted.
    pub(crate) value: Option<&'a [u8]>,
}

impl<'a> Entry<'a> {
    /// Creates an entry from its stored parts. Returns `None` if `kind` neither sets nor deletes a key.
    pub(super) fn new(kind: u8, key: &'a [u8], sequence: u64, value: &'a [u8]) -> Option<Self> {
        const DELETE: u8 = 0;
        const SOFT_DELETE: u8 = 1;
        const SET: u8 = 2;
        const REPLACE: u8 = 6;
        let value = match kind {
            DELETE | SOFT_DELETE => None,
            SET | REPLACE => Some(inline_value(value)?),
            _ => return None,
        };
        Some(Self { key, sequence, value })
    }
}
