//! Entries of the [`Index`](crate::Index), one for each text.

use hearsay_model::PassageId;
use nonmax::NonMaxU32;

use crate::vector_set::VectorKey;

/// Data that a ranking reads for every text. Stored contiguously in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Number of terms, repetitions included.
    pub(crate) length: u32,
    /// Number of the text's vector in [`Index::vectors`](Index).
    pub(crate) vector: Option<NonMaxU32>,
    /// Speaker of a passage, as the number of an entity in the index.
    pub(crate) speaker: Option<NonMaxU32>,
    /// Whether the predicate of a fact is minor, which means that the fact says little about its entity.
    pub(crate) is_minor: bool,
}

/// Data that a ranking reads only for the texts that it examines closely.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doc {
    /// Number of the session or document that contains a passage, and the line number of the passage in it.
    pub(crate) line: Option<(u32, u32)>,
    /// Entity numbers of the subject and object of a fact. Empty for a `lore` fact: only its words tell which entities
    /// it is about.
    pub(crate) ends: [Option<u32>; 2],
    /// Passages that are evidence for a fact, sorted.
    pub(crate) evidence: Box<[PassageId]>,
    /// Hash of the title and date of a passage. The words of title and date are searched together with the words of the
    /// passage.
    pub(crate) context_hash: u64,
    /// Hash of the text, which is the key of its vector; `None` until the hash is needed for the first time.
    pub(crate) vector_key: Option<VectorKey>,
}
