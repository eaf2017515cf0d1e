//! The vectors of the questions that were asked last.

use std::sync::{Mutex, PoisonError};

/// How many texts are remembered.
pub(crate) const TEXTS: usize = 64;

/// Longer texts, in bytes, are not remembered: they are no questions, and would take up memory.
const LONGEST: usize = 2048;

/// Texts with their vectors; the one that was asked for last stands last.
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
        // Two threads may have asked for the same text at once.
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
