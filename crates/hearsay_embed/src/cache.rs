//! Cache of the vectors of recent questions.

use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

use lru::LruCache;

/// Maximum number of cached texts.
const MAX_TEXTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Maximum size of a cached text, in bytes. Longer texts are rarely questions, and would use too much memory.
const MAX_TEXT_BYTES: usize = 2048;

/// The most recently used texts, with their vectors.
pub(crate) struct Cache {
    entries: Mutex<LruCache<Box<str>, Vec<f32>>>,
}

impl Default for Cache {
    fn default() -> Self {
        Self { entries: Mutex::new(LruCache::new(MAX_TEXTS)) }
    }
}

impl Cache {
    pub(crate) fn get(&self, text: &str) -> Option<Vec<f32>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    pub(crate) fn put(&self, text: &str, vector: &[f32]) {
        if text.len() <= MAX_TEXT_BYTES {
            self.entries.lock().unwrap_or_else(PoisonError::into_inner).put(text.into(), vector.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_asked_for_last_are_remembered() {
        let cache = Cache::default();
        let key = |i: usize| format!("question {i}");
        for i in 0..MAX_TEXTS.get() {
            cache.put(&key(i), &[i as f32]);
            cache.put(&key(i), &[i as f32]);
        }
        assert_eq!(cache.get(&key(0)), Some(vec![0.0]), "now the one asked for last");
        cache.put("one more", &[-1.0]);
        cache.put(&"long ".repeat(MAX_TEXT_BYTES), &[-2.0]);
        for (text, expected) in
            [(key(0), Some(0.0)), (key(1), None), (key(2), Some(2.0)), ("one more".to_owned(), Some(-1.0))]
        {
            assert_eq!(cache.get(&text), expected.map(|value| vec![value]), "{text}");
        }
        assert_eq!(cache.get(&"long ".repeat(MAX_TEXT_BYTES)), None);
    }
}
