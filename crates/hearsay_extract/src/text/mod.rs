//! Tokens and sentences of a text, and the lines of a document.

pub(crate) mod document;
pub(crate) mod sentence_splitter;
pub(crate) mod tokenizer;
