//! The documents that recall can find, and their texts.

use std::borrow::Cow;

use hearsay_model::{Corpus, FactId, Passage, PassageId};

/// A document that recall can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocId {
    /// A fact, represented by its statement.
    Fact(FactId),
    /// A passage, represented by its text.
    Passage(PassageId),
}

/// Returns the text of a document as the sentence encoder reads it; `None` if the document does not exist.
pub fn document_text(corpus: Corpus<'_>, doc: DocId) -> Option<Cow<'_, str>> {
    match doc {
        DocId::Fact(id) => corpus.fact(id).map(|(_, fact)| fact.statement().into()),
        DocId::Passage(id) => corpus.passage(id).map(|passage| passage_text(passage)),
    }
}

/// Returns the title of a passage, if it has one, followed by its text.
pub(crate) fn passage_text(passage: &Passage) -> Cow<'_, str> {
    match &passage.title {
        Some(title) => format!("{title}\n{}", passage.text).into(),
        None => Cow::Borrowed(&passage.text),
    }
}
