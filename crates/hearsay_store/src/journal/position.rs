//! A position in the journal, with a digest that covers all entries up to that position.

use hearsay_model::Position;

/// BLAKE3 hash of the previous entry's digest and the JSON of the operation. If two entries have equal digests, their
/// journals are equal up to these entries.
pub(crate) type Digest = [u8; 32];

/// A position in the journal, with the digest of the entry at that position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalPosition {
    pub(crate) position: Position,
    pub(crate) digest: Digest,
}

impl JournalPosition {
    /// End of an empty journal.
    pub(crate) const EMPTY: Self = Self { position: Position(0), digest: [0; 32] };

    /// Returns the position and digest of the next entry, which contains the given JSON.
    pub(crate) fn next(self, json: &str) -> Self {
        Self { position: self.position.next(), digest: digest(&self.digest, json) }
    }

    /// Returns a hasher for the digest of the next entry. The caller adds the JSON of the entry.
    pub(crate) fn next_hasher(self) -> blake3::Hasher {
        hasher(&self.digest)
    }
}

fn hasher(previous: &Digest) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher
}

/// Returns the digest of an entry. `previous` is the digest of the previous entry, and `json` is the JSON of the
/// operation.
pub(crate) fn digest(previous: &Digest, json: &str) -> Digest {
    *hasher(previous).update(json.as_bytes()).finalize().as_bytes()
}
