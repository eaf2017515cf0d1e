//! Texts of a term cache that are prepared for an index.

use rustc_hash::FxHashMap;

use super::Index;
use crate::{
    DocId, TermCache,
    term_cache::CachedDocs,
    text_entry::{Doc, Head},
};

/// The texts of a [`TermCache`], prepared for [`Index::with_cache`]. The preparation needs no state, so another thread
/// can do this part of the work while the state is read.
#[derive(Debug, Default)]
pub struct CachedTexts {
    /// Index that contains the terms of the texts, but not the texts.
    pub(super) index: Index,
    /// Text number of each text. The texts have the first text numbers, in the order of their ids.
    pub(super) text_numbers: FxHashMap<DocId, u32>,
    pub(super) docs: CachedDocs,
}

impl From<TermCache> for CachedTexts {
    fn from(cache: TermCache) -> Self {
        let heads = cache.lengths().into_iter().map(|length| Head { length, ..Head::default() }).collect();
        let docs = cache.ids_and_vector_keys().map(|(_, vector_key)| Doc { vector_key, ..Doc::default() }).collect();
        let text_numbers = cache.ids_and_vector_keys().zip(0..).map(|((id, _), number)| (id, number)).collect();
        let (terms, postings, cached_docs) = cache.into_parts();
        Self { index: Index { terms, postings, heads, docs, ..Index::default() }, text_numbers, docs: cached_docs }
    }
}
