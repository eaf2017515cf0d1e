//! Provides sentence vectors of the real encoder to the extractor.

use std::{cell::RefCell, collections::BTreeMap};

use hearsay_embed::Encoder;
use hearsay_extract::Meaning;

/// Source of sentence vectors for the extractor: the real encoder, with a cache.
pub struct EncoderMeaning<'a> {
    encoder: &'a Encoder,
    known: RefCell<BTreeMap<String, Vec<f32>>>,
}

impl<'a> EncoderMeaning<'a> {
    /// Creates a source of vectors that uses `encoder`. Its cache is empty at first.
    pub fn new(encoder: &'a Encoder) -> Self {
        Self { encoder, known: RefCell::default() }
    }
}

impl Meaning for EncoderMeaning<'_> {
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let mut known = self.known.borrow_mut();
        let new: Vec<&str> = texts.iter().filter(|text| !known.contains_key(**text)).copied().collect();
        for (text, vector) in new.iter().zip(self.encoder.encode(&new).ok()?) {
            known.insert((*text).to_owned(), vector);
        }
        texts.iter().map(|text| known.get(*text).cloned()).collect()
    }
}
