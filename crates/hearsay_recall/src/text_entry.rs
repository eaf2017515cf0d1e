//! The entries that the [`Index`](crate::Index) has for each text.

use std::num::NonZeroU32;

use hearsay_model::PassageId;

/// Data that a ranking reads for every text. Stored contiguously in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Number of terms, repetitions included.
    pub(crate) length: u32,
    /// Number of the text's vector in [`Index::vectors`](Index).
    pub(crate) vector: Option<CompactNumber>,
    /// Speaker of a passage, as the number of an entity in the index.
    pub(crate) speaker: Option<CompactNumber>,
    /// Whether the predicate of a fact is minor, which means that the fact says little about its entity.
    pub(crate) is_minor: bool,
}

/// A number below `u32::MAX`. An `Option` of it takes four bytes. Stored as the complement, which is never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompactNumber(NonZeroU32);

impl CompactNumber {
    /// Returns `None` for `u32::MAX`.
    pub(crate) fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(!number).map(Self)
    }

    pub(crate) fn get(self) -> u32 {
        !self.0.get()
    }
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
    /// Hash of the title and date of a passage. Their words are searched together with the words of the passage.
    pub(crate) context_hash: u64,
}
