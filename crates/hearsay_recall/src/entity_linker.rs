//! Entity linking: finds the entities that a question names. It uses the names that the asker knows and tolerates small
//! misspellings.

use std::{cmp::Reverse, collections::BTreeSet, ops::Range, sync::OnceLock};

use hearsay_belief::{Recency, View};
use hearsay_model::{
    Credence, EntityId, Predicate, ReferringExpression, Vocabulary, attribute,
    spelling::{Spellings, is_common},
    text,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Articles that people leave out at the start of a name.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Maximum number of consecutive words of a question that are compared with the spelling of a name.
const MOST_WORDS: usize = 6;

/// Priority among several names of an entity. An open name comes before a secret name, and a name before an alias.
/// Among equals, the name with the highest credence comes first, then the latest name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    open: bool,
    is_name: bool,
    credence: Credence,
    recency: Recency,
}

/// For each sequence of words, the only entity to which it refers; `None` if it refers to several.
type Only = FxHashMap<Vec<String>, Option<EntityId>>;

fn add(only: &mut Only, words: Vec<String>, id: &EntityId) {
    let bearer = only.entry(words).or_insert_with(|| Some(id.clone()));
    if bearer.as_ref() != Some(id) {
        *bearer = None;
    }
}

/// Links words to entities, using the names that one knower has for them.
#[derive(Debug, Clone, Default)]
pub struct EntityLinker {
    /// Primary name of each entity.
    first: FxHashMap<EntityId, String>,
    /// All names of each entity, split into words, without a leading article.
    whole: FxHashMap<EntityId, BTreeSet<Vec<String>>>,
    /// For each name, the entities that have this name, sorted. There is nearly always only one.
    bearers: FxHashMap<Vec<String>, SmallVec<[EntityId; 1]>>,
    /// Parts of names, and descriptions, that refer to exactly one entity.
    parts: FxHashMap<Vec<String>, Part>,
    /// Parts of names that several entities share. Such a part identifies no entity, but a word spelt almost like it
    /// must not count as a misspelling of another name.
    shared: FxHashSet<Vec<String>>,
    /// Number of words in the longest name, part or description.
    longest: usize,
    /// Spellings of names and parts of names. Built when a question first contains a word that is not part of a name.
    spellings: OnceLock<Spellings<EntityId>>,
}

/// An entity that a part of a name or a description identifies.
#[derive(Debug, Clone)]
struct Part {
    id: EntityId,
    of_name: bool,
}

/// An entity that a question names, with the names that the knower has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedEntity {
    /// The entity.
    pub id: EntityId,
    /// Names, each split into words.
    pub names: Vec<Vec<String>>,
    /// Correct name of the entity, if the question misspells it.
    pub nearly: Option<String>,
}

impl LinkedEntity {
    /// Returns whether a text, given as words, contains any of the names.
    pub fn stands_in(&self, words: &[String]) -> bool {
        self.names.iter().any(|name| text::names(words, name))
    }
}

impl EntityLinker {
    /// Creates a linker from the names in a view.
    pub fn of(view: &View) -> Self {
        let mut names = Self::default();
        let mut ranked: FxHashMap<&EntityId, Rank> = FxHashMap::default();
        let (mut parts, mut descriptions) = (Only::default(), Only::default());
        let descriptive =
            view.vocabulary().with_behavior(|behavior| behavior.reference == Some(ReferringExpression::Description));
        for known in view.facts() {
            let (id, predicate) = (known.subject(), known.predicate().as_str());
            // Skips facts that state neither a name nor a description before splitting them into words. Most facts are
            // skipped.
            let is_description = descriptive.contains(&known.predicate());
            if ![attribute::NAME, attribute::ALIAS].contains(&predicate) && !is_description {
                continue;
            }
            let Some(said) = known.object().text() else { continue };
            let words = bare(text::words(said));
            if is_description {
                // The "captain of the Harbour Watch" can also be called "the captain".
                let of = words.iter().position(|word| word == "of").filter(|at| *at > 0).unwrap_or(words.len());
                for part in [words.as_slice(), &words[of.saturating_sub(1)..of]] {
                    add(&mut descriptions, part.to_vec(), id);
                }
            }
            let is_name = predicate == attribute::NAME;
            if !is_name && predicate != attribute::ALIAS {
                continue;
            }
            let rank = Rank { open: !known.is_secret(), is_name, credence: known.credence(), recency: known.recency() };
            if ranked.get(id).is_none_or(|best| *best < rank) {
                ranked.insert(id, rank);
                names.first.insert(id.clone(), said.to_owned());
            }
            if is_name && words.len() > 1 {
                // "The watch" may refer to the Harbour Watch. "Harbour" does not, because it is an everyday word and
                // not the last word of the name.
                let last = words.len() - 1;
                let is_name = |at: usize, word: &str| word.chars().count() > 2 && (at == last || !is_common(word));
                for (_, word) in words.iter().enumerate().filter(|(at, word)| is_name(*at, word)) {
                    add(&mut parts, vec![word.clone()], id);
                }
            }
            if !words.is_empty() {
                names.longest = names.longest.max(words.len());
                let bearers = names.bearers.entry(words.clone()).or_default();
                if let Err(at) = bearers.binary_search(id) {
                    bearers.insert(at, id.clone());
                }
                names.whole.entry(id.clone()).or_default().insert(words);
            }
        }
        // A part of a name or a description, such as "Odo" or "the ferryman", identifies an entity only if it applies
        // to no other entity. Names take precedence over descriptions.
        let descriptions = descriptions.into_iter().map(|(words, bearer)| (words, bearer, false));
        for (words, bearer, of_name) in descriptions.chain(parts.into_iter().map(|(words, id)| (words, id, true))) {
            match bearer.filter(|_| !words.is_empty()) {
                Some(id) => {
                    names.longest = names.longest.max(words.len());
                    names.parts.insert(words, Part { id, of_name });
                }
                None => {
                    names.parts.remove(&words);
                    names.shared.extend(Some(words).filter(|_| of_name));
                }
            }
        }
        names
    }

    /// Returns whether a linker reads the facts with a predicate: names, aliases and descriptions.
    pub fn reads(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
        [attribute::NAME, attribute::ALIAS].contains(&predicate.as_str())
            || vocabulary.behavior(predicate).reference == Some(ReferringExpression::Description)
    }

    /// Returns the knower's primary name for an entity; `None` if the knower has no name for it.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.first.get(id).map(String::as_str)
    }

    /// Returns the entities that a text names by a name, alias, part of a name or description that the knower knows.
    /// Sorted by id, each entity once.
    ///
    /// Unknown words also match a name that they misspell, split or join: "grimjow" and "Grim Jaw" match Grimjaw. Three
    /// limits avoid false matches. Names of up to four letters must be exact. A word that may refer to several entities
    /// matches none. Everyday words are not treated as misspellings.
    pub fn mentioned(&self, question: &str) -> Vec<LinkedEntity> {
        let words = text::words(question);
        let mut names: BTreeSet<(&Vec<String>, &EntityId, bool)> = BTreeSet::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + self.longest) {
                if let Some((name, bearers)) = self.bearers.get_key_value(&words[start..end]) {
                    names.extend(bearers.iter().map(|id| (name, id, true)));
                }
                names.extend(self.parts.get_key_value(&words[start..end]).map(|(name, part)| (name, &part.id, false)));
            }
        }
        let mut names: Vec<_> = names.into_iter().collect();
        // Whole names come before parts, and longer names before shorter names: "Odo Brandt" does not also match
        // "Brandt the Elder".
        names.sort_by(|a, b| (b.2, b.0.len()).cmp(&(a.2, a.0.len())).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        let mut found = BTreeSet::new();
        let mut taken = vec![None::<&Vec<String>>; words.len()];
        for (name, id, _) in names {
            for start in 0..(words.len() + 1).saturating_sub(name.len()) {
                let place = start..start + name.len();
                // If two entities share a name, both match.
                let free = taken[place.clone()].iter().all(|taken| taken.is_none_or(|taken| taken == name));
                if words[place.clone()] == name[..] && free {
                    taken[place].fill(Some(name));
                    found.insert(id);
                }
            }
        }
        let mut taken: Vec<bool> = taken.iter().map(Option::is_some).collect();
        let mut nearly = BTreeSet::new();
        for (place, id) in self.nearly(&words, &taken) {
            if !taken[place.clone()].contains(&true) {
                taken[place].fill(true);
                nearly.insert(id);
            }
        }
        let nearly = nearly
            .difference(&found)
            .map(|id| LinkedEntity { nearly: self.name(id).map(str::to_owned), ..self.named(id) })
            .collect::<Vec<_>>();
        let mut all: Vec<LinkedEntity> = found.iter().map(|id| self.named(id)).chain(nearly).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Returns the entities that a text names with exact spelling. If several names start at the same word, the longest
    /// wins. Sorted by id, each entity once.
    pub fn found_in(&self, text: &str) -> Vec<EntityId> {
        let words = text::words(text);
        let (mut found, mut at) = (BTreeSet::new(), 0);
        while at < words.len() {
            let longest = words.len().min(at + self.longest);
            let named = (at + 1..=longest).rev().find_map(|end| {
                let whole = self.bearers.get(&words[at..end]).filter(|bearers| bearers.len() == 1);
                let part = self.parts.get(&words[at..end]).filter(|part| part.of_name).map(|part| &part.id);
                Some((whole.and_then(|bearers| bearers.first()).or(part)?, end))
            });
            at = named.map_or(at + 1, |(_, end)| end);
            found.extend(named.map(|(id, _)| id.clone()));
        }
        found.into_iter().collect()
    }

    /// Returns the spans of words that misspell a name, most reliable first. `taken` tells which words already belong
    /// to a name. Spans that differ from the name only in spaces and accents come first, then spans with more words.
    fn nearly(&self, words: &[String], taken: &[bool]) -> Vec<(Range<usize>, &EntityId)> {
        let mut found = Vec::new();
        for start in 0..words.len() {
            // One extra word, because the question may split a word of the name in two.
            let ends = start + 1..=words.len().min(start + self.longest + 1).min(start + MOST_WORDS);
            for end in ends.take_while(|end| !taken[end - 1]) {
                let spellings = self.spellings.get_or_init(|| self.spellings());
                found.extend(spellings.nearest(&words[start..end]).map(|(off, id)| (off, start..end, id)));
            }
        }
        found.sort_by_key(|(off, place, _)| (off.0 > 0, Reverse(place.len()), *off, place.start));
        found.into_iter().map(|(_, place, id)| (place, id)).collect()
    }

    fn spellings(&self) -> Spellings<EntityId> {
        let whole = self.bearers.iter().flat_map(|(words, ids)| ids.iter().map(move |id| (words, Some(id))));
        let parts = self.parts.iter().filter(|(_, part)| part.of_name).map(|(words, part)| (words, Some(&part.id)));
        Spellings::of(whole.chain(parts).chain(self.shared.iter().map(|words| (words, None))))
    }

    /// Returns an entity with the names that the knower has for it.
    pub fn named(&self, id: &EntityId) -> LinkedEntity {
        LinkedEntity {
            id: id.clone(),
            names: self.whole.get(id).into_iter().flatten().cloned().collect(),
            nearly: None,
        }
    }
}

/// Returns the words of a name without a leading article. A name that consists only of an article is not changed.
fn bare(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 && ARTICLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    words
}
