//! Entity linking: finding the entities that a question names. Entity linking uses only names that the knower knows,
//! and tolerates small spelling errors.

use std::{cmp::Reverse, collections::BTreeSet, ops::Range, sync::OnceLock};

use hearsay_belief::{Recency, View};
use hearsay_model::{
    Credence, EntityId, Predicate, ReferringExpression, Vocabulary, attribute,
    spelling::{SpellingIndex, is_common_word},
    text,
    words::without_article,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Maximum number of consecutive words of a question that are compared with the spelling of a name.
const MAX_COMPARED_WORDS: usize = 6;

/// Priority among several names of an entity. An open name comes before a secret name, and a name before an alias.
/// Among equals, the name with the highest credence comes first, then the latest name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NamePriority {
    open: bool,
    is_name: bool,
    credence: Credence,
    recency: Recency,
}

/// For each sequence of words, the only entity to which it refers; `None` if it refers to several.
type UniqueReferents = FxHashMap<Vec<String>, Option<EntityId>>;

fn add_referent(referents: &mut UniqueReferents, words: Vec<String>, id: &EntityId) {
    let referent = referents.entry(words).or_insert_with(|| Some(id.clone()));
    if referent.as_ref() != Some(id) {
        *referent = None;
    }
}

/// Entity linker, which finds entities by the names that one knower knows.
#[derive(Debug, Clone, Default)]
pub struct EntityLinker {
    /// Primary name of each entity.
    primary_names: FxHashMap<EntityId, String>,
    /// All names of each entity, split into words, without a leading article.
    full_names: FxHashMap<EntityId, BTreeSet<Vec<String>>>,
    /// For each name, the entities that have this name, sorted by id. Nearly all names have only one entity.
    entities_by_name: FxHashMap<Vec<String>, SmallVec<[EntityId; 1]>>,
    /// Parts of names, and descriptions, that refer to exactly one entity.
    partial_names: FxHashMap<Vec<String>, PartialName>,
    /// Parts of names that several entities share. These parts identify no entity. A word that is similar to one of
    /// these parts must not be treated as a misspelling of another name.
    ambiguous_parts: FxHashSet<Vec<String>>,
    /// Number of words in the longest name, part or description.
    max_words: usize,
    /// Spellings of names and parts of names. Computed when a question first contains a word that is not part of a
    /// name.
    spellings: OnceLock<SpellingIndex<EntityId>>,
}

/// An entity that a part of a name or a description identifies.
#[derive(Debug, Clone)]
struct PartialName {
    id: EntityId,
    is_name_part: bool,
}

/// An entity that a question names, with the names of the entity that the knower knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedEntity {
    /// The entity.
    pub id: EntityId,
    /// Names, each split into words.
    pub names: Vec<Vec<String>>,
    /// Correct name of the entity if the question misspells the name; `None` otherwise.
    pub corrected_name: Option<String>,
}

impl LinkedEntity {
    /// Returns whether a text contains any of the names. `words` contains the words of the text.
    pub fn is_named_in(&self, words: &[String]) -> bool {
        self.names.iter().any(|name| text::contains_name(words, name))
    }
}

impl EntityLinker {
    /// Creates a linker from the names in a view.
    pub fn new(view: &View) -> Self {
        let mut linker = Self::default();
        let mut best_priorities: FxHashMap<&EntityId, NamePriority> = FxHashMap::default();
        let (mut parts, mut descriptions) = (UniqueReferents::default(), UniqueReferents::default());
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
            let Some(name_text) = known.object().text() else { continue };
            let words = without_article(text::words(name_text));
            if is_description {
                // The "captain of the Harbour Watch" can also be called "the captain".
                let of_position =
                    words.iter().position(|word| word == "of").filter(|at| *at > 0).unwrap_or(words.len());
                for part in [words.as_slice(), &words[of_position.saturating_sub(1)..of_position]] {
                    add_referent(&mut descriptions, part.to_vec(), id);
                }
            }
            let is_name = predicate == attribute::NAME;
            if !is_name && predicate != attribute::ALIAS {
                continue;
            }
            let priority = NamePriority {
                open: !known.is_secret(),
                is_name,
                credence: known.credence(),
                recency: known.recency(),
            };
            if best_priorities.get(id).is_none_or(|best| *best < priority) {
                best_priorities.insert(id, priority);
                linker.primary_names.insert(id.clone(), name_text.to_owned());
            }
            if is_name && words.len() > 1 {
                // "The watch" may refer to the Harbour Watch. "Harbour" does not, because it is an everyday word and
                // not the last word of the name.
                let last = words.len() - 1;
                let is_referring =
                    |at: usize, word: &str| word.chars().count() > 2 && (at == last || !is_common_word(word));
                for (_, word) in words.iter().enumerate().filter(|(at, word)| is_referring(*at, word)) {
                    add_referent(&mut parts, vec![word.clone()], id);
                }
            }
            if !words.is_empty() {
                linker.max_words = linker.max_words.max(words.len());
                let entities = linker.entities_by_name.entry(words.clone()).or_default();
                if let Err(at) = entities.binary_search(id) {
                    entities.insert(at, id.clone());
                }
                linker.full_names.entry(id.clone()).or_default().insert(words);
            }
        }
        // A part of a name or a description, such as "Odo" or "the ferryman", identifies an entity only if it applies
        // to no other entity. Names take precedence over descriptions.
        let descriptions = descriptions.into_iter().map(|(words, referent)| (words, referent, false));
        for (words, referent, is_name_part) in
            descriptions.chain(parts.into_iter().map(|(words, id)| (words, id, true)))
        {
            match referent.filter(|_| !words.is_empty()) {
                Some(id) => {
                    linker.max_words = linker.max_words.max(words.len());
                    linker.partial_names.insert(words, PartialName { id, is_name_part });
                }
                None => {
                    linker.partial_names.remove(&words);
                    linker.ambiguous_parts.extend(Some(words).filter(|_| is_name_part));
                }
            }
        }
        linker
    }

    /// Returns whether an entity linker uses facts with this predicate. A linker uses names, aliases and descriptions.
    pub fn reads(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
        [attribute::NAME, attribute::ALIAS].contains(&predicate.as_str())
            || vocabulary.behavior(predicate).reference == Some(ReferringExpression::Description)
    }

    /// Returns the primary name by which the knower knows an entity; `None` if the knower knows no name of the entity.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.primary_names.get(id).map(String::as_str)
    }

    /// Returns the entities that a text names. The text can contain a name, an alias, a part of a name or a description
    /// that the knower knows. Sorted by id. Each entity is returned once.
    ///
    /// A misspelled name, or a name that is written as two words, also matches. For example, "grimjow" and "Grim Jaw"
    /// match Grimjaw. Three limits avoid false matches. Names of up to four letters must be exact. A word that can
    /// refer to several entities matches none of them. Everyday words are not treated as misspellings.
    pub fn mentioned_entities(&self, question: &str) -> Vec<LinkedEntity> {
        let words = text::words(question);
        let mut names: BTreeSet<(&Vec<String>, &EntityId, bool)> = BTreeSet::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + self.max_words) {
                if let Some((name, entities)) = self.entities_by_name.get_key_value(&words[start..end]) {
                    names.extend(entities.iter().map(|id| (name, id, true)));
                }
                names.extend(
                    self.partial_names.get_key_value(&words[start..end]).map(|(name, part)| (name, &part.id, false)),
                );
            }
        }
        let mut names: Vec<_> = names.into_iter().collect();
        // Whole names come before parts, and longer names before shorter names: "Odo Brandt" does not also match
        // "Brandt the Elder".
        names.sort_by(|a, b| (b.2, b.0.len()).cmp(&(a.2, a.0.len())).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        let mut found = BTreeSet::new();
        let mut taken_by = vec![None::<&Vec<String>>; words.len()];
        for (name, id, _) in names {
            for start in 0..(words.len() + 1).saturating_sub(name.len()) {
                let span = start..start + name.len();
                // If two entities share a name, both match.
                let is_free = taken_by[span.clone()].iter().all(|other| other.is_none_or(|other| other == name));
                if words[span.clone()] == name[..] && is_free {
                    taken_by[span].fill(Some(name));
                    found.insert(id);
                }
            }
        }
        let mut is_taken: Vec<bool> = taken_by.iter().map(Option::is_some).collect();
        let mut misspelt = BTreeSet::new();
        for (span, id) in self.misspelt_spans(&words, &is_taken) {
            if !is_taken[span.clone()].contains(&true) {
                is_taken[span].fill(true);
                misspelt.insert(id);
            }
        }
        let misspelt = misspelt
            .difference(&found)
            .map(|id| LinkedEntity { corrected_name: self.name(id).map(str::to_owned), ..self.linked_entity(id) })
            .collect::<Vec<_>>();
        let mut all: Vec<LinkedEntity> = found.iter().map(|id| self.linked_entity(id)).chain(misspelt).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Returns the entities that a text names with exact spelling. If several names start at the same word, only the
    /// longest name matches. Sorted by id. Each entity is returned once.
    pub fn exact_mentions(&self, text: &str) -> Vec<EntityId> {
        let words = text::words(text);
        let (mut found, mut at) = (BTreeSet::new(), 0);
        while at < words.len() {
            let last_end = words.len().min(at + self.max_words);
            let named = (at + 1..=last_end).rev().find_map(|end| {
                let full_name = self.entities_by_name.get(&words[at..end]).filter(|entities| entities.len() == 1);
                let part =
                    self.partial_names.get(&words[at..end]).filter(|part| part.is_name_part).map(|part| &part.id);
                Some((full_name.and_then(|entities| entities.first()).or(part)?, end))
            });
            at = named.map_or(at + 1, |(_, end)| end);
            found.extend(named.map(|(id, _)| id.clone()));
        }
        found.into_iter().collect()
    }

    /// Returns the spans of words that misspell a name, most reliable first. `is_taken` tells which words already
    /// belong to a name. Spans that differ from the name only in spaces and accents come first, then spans with more
    /// words.
    fn misspelt_spans(&self, words: &[String], is_taken: &[bool]) -> Vec<(Range<usize>, &EntityId)> {
        let mut found = Vec::new();
        for start in 0..words.len() {
            // One extra word, because the question may split a word of the name in two.
            let ends = start + 1..=words.len().min(start + self.max_words + 1).min(start + MAX_COMPARED_WORDS);
            for end in ends.take_while(|end| !is_taken[end - 1]) {
                let spellings = self.spellings.get_or_init(|| self.spellings());
                found.extend(spellings.nearest(&words[start..end]).map(|(distance, id)| (distance, start..end, id)));
            }
        }
        found.sort_by_key(|(distance, span, _)| (distance.0 > 0, Reverse(span.len()), *distance, span.start));
        found.into_iter().map(|(_, span, id)| (span, id)).collect()
    }

    fn spellings(&self) -> SpellingIndex<EntityId> {
        let full_names =
            self.entities_by_name.iter().flat_map(|(words, ids)| ids.iter().map(move |id| (words, Some(id))));
        let parts = self
            .partial_names
            .iter()
            .filter(|(_, part)| part.is_name_part)
            .map(|(words, part)| (words, Some(&part.id)));
        SpellingIndex::from_names(full_names.chain(parts).chain(self.ambiguous_parts.iter().map(|words| (words, None))))
    }

    /// Returns the entity together with all its names that the knower knows.
    pub fn linked_entity(&self, id: &EntityId) -> LinkedEntity {
        LinkedEntity {
            id: id.clone(),
            names: self.full_names.get(id).into_iter().flatten().cloned().collect(),
            corrected_name: None,
        }
    }
}
