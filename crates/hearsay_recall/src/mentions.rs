//! Whom a question names, by the names that the asker knows.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Recency, View};
use hearsay_model::{Credence, EntityId, attribute, text};
use rustc_hash::FxHashMap;

/// Attributes by which people are spoken of: "the ferryman".
const DESCRIPTIONS: [&str; 2] = ["occupation", "title"];

/// Words at the start of a name that people leave out.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Which of several names comes first: an open one before a secret one, a name before an alias, the surest, the latest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    open: bool,
    is_name: bool,
    credence: Credence,
    recency: Recency,
}

/// The names that one knower has for things.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// What it calls an entity first of all.
    first: BTreeMap<EntityId, String>,
    /// All names of an entity as words, without an article at their start.
    whole: BTreeMap<EntityId, BTreeSet<Vec<String>>>,
    /// Whose names these are.
    bearers: FxHashMap<Vec<String>, BTreeSet<EntityId>>,
    /// Parts of names, and what people are, each of whom it is true of alone.
    parts: BTreeMap<Vec<String>, EntityId>,
    /// How many words the longest of them has.
    longest: usize,
}

/// An entity that a question names, with the names by which the knower would recognise it in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The entity.
    pub id: EntityId,
    /// Its names as words.
    pub names: Vec<Vec<String>>,
}

impl Named {
    /// Whether one of the names stands in the words of a text.
    pub fn stands_in(&self, words: &[String]) -> bool {
        self.names.iter().any(|name| text::names(words, name))
    }
}

impl Names {
    /// The names in a view: only what the knower knows something by.
    pub fn of(view: &View) -> Self {
        let mut names = Self::default();
        let mut ranked: BTreeMap<EntityId, Rank> = BTreeMap::new();
        let mut parts: BTreeMap<Vec<String>, BTreeSet<EntityId>> = BTreeMap::new();
        let mut descriptions: BTreeMap<Vec<String>, BTreeSet<EntityId>> = BTreeMap::new();
        for known in view.facts() {
            let (id, predicate) = (known.subject(), known.predicate().as_str());
            // Only what names somebody is taken apart into words: of all that is known it is little.
            if ![attribute::NAME, attribute::ALIAS].contains(&predicate) && !DESCRIPTIONS.contains(&predicate) {
                continue;
            }
            let Some(said) = known.object().text() else { continue };
            let words = bare(text::words(said));
            if DESCRIPTIONS.contains(&predicate) {
                // "Captain of the Harbour Watch" is a captain.
                let of = words.iter().position(|word| word == "of").filter(|at| *at > 0).unwrap_or(words.len());
                for part in [words.as_slice(), &words[of.saturating_sub(1)..of]] {
                    descriptions.entry(part.to_vec()).or_default().insert(id.clone());
                }
            }
            let is_name = predicate == attribute::NAME;
            if !is_name && predicate != attribute::ALIAS {
                continue;
            }
            let rank = Rank { open: !known.is_secret(), is_name, credence: known.credence(), recency: known.recency() };
            if ranked.get(id).is_none_or(|best| *best < rank) {
                ranked.insert(id.clone(), rank);
                names.first.insert(id.clone(), said.to_owned());
            }
            if is_name && words.len() > 1 {
                for word in words.iter().filter(|word| word.chars().count() > 2) {
                    parts.entry(vec![word.clone()]).or_default().insert(id.clone());
                }
            }
            if !words.is_empty() {
                names.longest = names.longest.max(words.len());
                names.bearers.entry(words.clone()).or_default().insert(id.clone());
                names.whole.entry(id.clone()).or_default().insert(words);
            }
        }
        // A part of a name, or what somebody is, stands for one of whom alone it is true: "Odo", "the ferryman". Names
        // go before descriptions.
        for (words, bearers) in descriptions.into_iter().chain(parts) {
            match bearers.first().filter(|_| bearers.len() == 1 && !words.is_empty()) {
                Some(id) => {
                    names.longest = names.longest.max(words.len());
                    names.parts.insert(words, id.clone());
                }
                None => {
                    names.parts.remove(&words);
                }
            }
        }
        names
    }

    /// What the knower calls an entity, if it knows any name for it.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.first.get(id).map(String::as_str)
    }

    /// The entities that a text names as words: by name, alias, a part of a name, or what they are, where the knower
    /// knows one such. Sorted, each once.
    pub fn mentioned(&self, question: &str) -> Vec<Named> {
        let words = text::words(question);
        let mut names: BTreeSet<(&Vec<String>, &EntityId, bool)> = BTreeSet::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + self.longest) {
                if let Some((name, bearers)) = self.bearers.get_key_value(&words[start..end]) {
                    names.extend(bearers.iter().map(|id| (name, id, true)));
                }
                names.extend(self.parts.get_key_value(&words[start..end]).map(|(name, id)| (name, id, false)));
            }
        }
        let mut names: Vec<_> = names.into_iter().collect();
        // The longest name first, whole names before parts: "Odo Brandt" is not also "Brandt the Elder".
        names.sort_by(|a, b| (b.2, b.0.len()).cmp(&(a.2, a.0.len())).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        let mut found = BTreeSet::new();
        let mut taken = vec![None::<&Vec<String>>; words.len()];
        for (name, id, _) in names {
            for start in 0..(words.len() + 1).saturating_sub(name.len()) {
                let place = start..start + name.len();
                // Two of one name are both meant.
                let free = taken[place.clone()].iter().all(|taken| taken.is_none_or(|taken| taken == name));
                if words[place.clone()] == name[..] && free {
                    taken[place].fill(Some(name));
                    found.insert(id);
                }
            }
        }
        found.into_iter().map(|id| self.named(id)).collect()
    }

    /// An entity with the names that the knower has for it.
    pub fn named(&self, id: &EntityId) -> Named {
        Named { id: id.clone(), names: self.whole.get(id).into_iter().flatten().cloned().collect() }
    }
}

/// The words of a name without the article at its start, unless nothing else is left.
fn bare(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 && ARTICLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    words
}
