//! Whom a question names, by the names that the asker knows.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hearsay_belief::View;
use hearsay_model::{Credence, EntityId, FactId, attribute, text};

/// Attributes by which people are spoken of: "the ferryman".
const DESCRIPTIONS: [&str; 2] = ["occupation", "title"];

/// Words at the start of a name that people leave out.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Which of several names comes first: an open one before a secret one, a name before an alias, the surest, the first id.
type Rank = (bool, bool, Credence, Reverse<FactId>);

/// The names that one knower has for things.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// What it calls an entity first of all.
    first: BTreeMap<EntityId, String>,
    /// All names of an entity as words, and whether the name is whole or a part of one.
    words: Vec<(Vec<String>, EntityId, bool)>,
}

impl Names {
    /// The names in a view: only what the knower knows something by.
    pub fn of(view: &View) -> Self {
        let mut names = Self::default();
        let mut ranked: BTreeMap<EntityId, Rank> = BTreeMap::new();
        let mut parts: BTreeMap<Vec<String>, BTreeSet<EntityId>> = BTreeMap::new();
        for known in view.facts() {
            if let Some(word) = known.object().text().filter(|_| DESCRIPTIONS.contains(&known.predicate().as_str())) {
                let words = bare(text::words(word));
                for words in [words.clone(), words.last().cloned().into_iter().collect()] {
                    if !words.is_empty() {
                        parts.entry(words).or_default().insert(known.subject().clone());
                    }
                }
            }
            let is_name = *known.predicate() == *attribute::NAME;
            let Some(name) = known.object().text().filter(|_| is_name || *known.predicate() == *attribute::ALIAS)
            else {
                continue;
            };
            let id = known.subject();
            let rank = (!known.is_secret(), is_name, known.credence(), Reverse(known.id()));
            if ranked.get(id).is_none_or(|best| *best < rank) {
                ranked.insert(id.clone(), rank);
                names.first.insert(id.clone(), name.to_owned());
            }
            let words = bare(text::words(name));
            if is_name && words.len() > 1 {
                for word in words.iter().filter(|word| word.chars().count() > 2) {
                    parts.entry(vec![word.clone()]).or_default().insert(id.clone());
                }
            }
            if !words.is_empty() {
                names.words.push((words, id.clone(), true));
            }
        }
        // A part of a name, or what somebody is, stands for one of whom alone it is true: "Odo", "the ferryman".
        for (words, bearers) in parts {
            if let Some(id) = bearers.first().filter(|_| bearers.len() == 1) {
                names.words.push((words, id.clone(), false));
            }
        }
        names
    }

    /// What the knower calls an entity, if it knows any name for it.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.first.get(id).map(String::as_str)
    }

    /// The entities that a text names as words, by name, alias, a part of a name, or what they are: "the ferryman", where
    /// the knower knows one. Sorted, each once.
    pub fn mentioned(&self, question: &str) -> Vec<EntityId> {
        let words = text::words(question);
        let mut taken = vec![false; words.len()];
        let mut found = BTreeSet::new();
        let mut names: Vec<_> = self.words.iter().collect();
        // The longest name first, whole names before parts: "Odo Brandt" is not also "Brandt the Elder".
        names.sort_by(|a, b| (b.2, b.0.len()).cmp(&(a.2, a.0.len())).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
        let mut claimed: Vec<(usize, usize, &[String])> = Vec::new();
        for (name, id, _) in names {
            for start in 0..(words.len() + 1).saturating_sub(name.len()) {
                let end = start + name.len();
                let same_name = claimed.contains(&(start, end, name.as_slice()));
                if words[start..end] == name[..] && (same_name || taken[start..end].iter().all(|taken| !taken)) {
                    taken[start..end].fill(true);
                    claimed.push((start, end, name));
                    found.insert(id.clone());
                }
            }
        }
        found.into_iter().collect()
    }
}

/// The words of a name without the article at its start, unless nothing else is left.
fn bare(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 && ARTICLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    words
}
