//! Cache of the vectors of recent questions.

use std::sync::{Mutex, PoisonError};

/// Maximum number of cached texts.
pub(crate) const TEXTS: usize = 64;

/// Maximum size of a cached text, in bytes. Longer texts are not questions and would take up
/// memory.
const LONGEST: usize = 2048;

/// Cached texts with their vectors; the most recently used comes last.
#[derive(Default)]
pub(crate) struct Cache {
    entries: Mutex<Vec<(Box<str>, Vec<f32>)>>,
}

impl Cache {
    pub(crate) fn get(&self, text: &str) -> Option<Vec<f32>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let index = entries.iter().rposition(|(known, _)| **known == *text)?;
        entries[index..].rotate_left(1);
        entries.last().map(|(_, vector)| vector.clone())
    }

    pub(crate) fn put(&self, text: &str, vector: &[f32]) {
        if text.len() > LONGEST {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        // Two threads may have encoded the same text at the same time.
        entries.retain(|(known, _)| **known != *text);
        if entries.len() == TEXTS {
            entries.remove(0);
        }
        entries.push((text.into(), vector.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_asked_for_last_are_remembered() {
        let cache = Cache::default();
        let key = |i: usize| format!("question {i}");
        for i in 0..TEXTS {
            cache.put(&key(i), &[i as f32]);
            cache.put(&key(i), &[i as f32]);
        }
        assert_eq!(cache.get(&key(0)), Some(vec![0.0]), "now the one asked for last");
        cache.put("one more", &[-1.0]);
        cache.put(&"long ".repeat(LONGEST), &[-2.0]);
        for (text, expected) in
            [(key(0), Some(0.0)), (key(1), None), (key(2), Some(2.0)), ("one more".to_owned(), Some(-1.0))]
        {
            assert_eq!(cache.get(&text), expected.map(|value| vec![value]), "{text}");
        }
        assert_eq!(cache.get(&"long ".repeat(LONGEST)), None);
    }
}
