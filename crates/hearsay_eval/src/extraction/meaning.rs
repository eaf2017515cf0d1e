//! Provides sentence vectors of the real encoder to the extractor.

use std::{cell::RefCell, collections::BTreeMap};

use hearsay_embed::Encoder;
use hearsay_extract::SentenceEncoder;

/// Source of sentence vectors for the extractor: the real encoder, with a cache.
pub struct EncoderMeaning<'a> {
    encoder: &'a Encoder,
    cache: RefCell<BTreeMap<String, Vec<f32>>>,
}

impl<'a> EncoderMeaning<'a> {
    /// Creates a source of vectors that uses `encoder`. Its cache is empty at first.
    pub fn new(encoder: &'a Encoder) -> Self {
        Self { encoder, cache: RefCell::default() }
    }
}

impl SentenceEncoder for EncoderMeaning<'_> {
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let mut cache = self.cache.borrow_mut();
        let missing: Vec<&str> = texts.iter().filter(|text| !cache.contains_key(**text)).copied().collect();
        for (text, vector) in missing.iter().zip(self.encoder.encode(&missing).ok()?) {
            cache.insert((*text).to_owned(), vector);
        }
        texts.iter().map(|text| cache.get(*text).cloned()).collect()
    }
}
