//! Search for duplicate entities. Names with the same sound or the same first letters form a block. The search compares
//! only names in the same block.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    EntityId, Fact, FactId, FactStatus, Kind, Number, Predicate, State,
    spelling::{letters, phonetic_key},
    text,
};
use serde::Serialize;

use super::claim::{Claim, deed_day};

#[cfg(test)]
mod tests;

/// Minimum name similarity of near-certain duplicates, 0 to 1.
pub const NEAR_CERTAIN_NAME_SIMILARITY: f64 = 0.98;
/// Minimum overall similarity of near-certain duplicates, 0 to 1.
pub const NEAR_CERTAIN_SIMILARITY: f64 = 0.85;
/// Minimum name similarity of possible duplicates, 0 to 1.
pub const POSSIBLE_NAME_SIMILARITY: f64 = 0.90;

/// Degree of certainty that two entities are duplicates of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DuplicateCertainty {
    /// Two names of the entities are almost equal, and the overall similarity is high.
    NearCertain,
    /// The names are similar.
    Possible,
}

/// Two entities that may be duplicates of each other, and the evidence that they are duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Duplicate {
    /// Degree of certainty that the two entities are duplicates of each other.
    pub band: DuplicateCertainty,
    /// Entity with the smaller id.
    pub one: EntityId,
    /// Entity with the larger id.
    pub other: EntityId,
    /// The most similar pair of names: one name of each entity.
    pub names: [String; 2],
    /// Similarity of the two names in `names`, 0 to 1.
    pub name: Number,
    /// Whether the two names in `names` sound the same.
    pub sounds_alike: bool,
    /// Overlap of the neighbours in the graph, 0 to 1. The overlap is the number of common neighbours, divided by the
    /// number of neighbours of the entity with fewer neighbours. `None` if one of the entities has no neighbours.
    pub neighbours: Option<Number>,
    /// Similarity of the two descriptions in meaning, as a cosine; `None` if a description has no vector.
    pub meaning: Option<Number>,
    /// Whether a relation connects the two entities. Vague relations are ignored. A relation makes a duplicate less
    /// likely.
    pub related: bool,
    /// Overall similarity, 0 to 1.
    pub similarity: Number,
}

/// Maximum size of a block in which all pairs are compared. In a larger block, each entity is compared only with the
/// next [`WINDOW`] entities in alphabetical order.
const MAX_BLOCK_SIZE: usize = 48;

/// Identity of a block: the kind of its entities, the type of the block key, and the key itself.
type Block<'a> = (Option<&'a str>, u8, String);

/// Number of subsequent entities with which each entity of a large block is compared.
const WINDOW: usize = 12;

/// A name prepared for comparison.
struct Name {
    text: String,
    words: Vec<String>,
    letters: String,
    /// Letters of the name after its words were sorted alphabetically.
    sorted: String,
    sound: String,
    /// Bit set of the letters that occur in the name.
    letter_set: u32,
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text::words(text);
        if words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an") {
            words.remove(0);
        }
        let letters = letters(&words);
        if letters.is_empty() {
            return None;
        }
        let mut order = words.clone();
        order.sort_unstable();
        let sorted = self::letters(&order);
        let letter_set = letters.bytes().fold(0, |set, byte| set | 1 << (byte % 32));
        Some(Self { text: text.to_owned(), sound: phonetic_key(&letters), words, letters, sorted, letter_set })
    }

    /// Returns the block keys of a name: the sound of each word, the sound of the whole name, and its first letters.
    /// Two names are compared if the same key belongs to both names.
    fn blocks(&self) -> impl Iterator<Item = (u8, String)> {
        let of_words = self.words.iter().map(|word| letters(std::slice::from_ref(word)));
        let of_words = of_words.filter(|word| word.len() > 2).map(|word| (0, phonetic_key(&word)));
        let first: String = self.letters.chars().take(4).collect();
        let first_sorted: String = self.sorted.chars().take(4).collect();
        let whole_name = [(1, phonetic_key(&self.sorted)), (2, first), (3, first_sorted)];
        of_words.filter(|(_, sound)| !sound.is_empty()).chain(whole_name)
    }
}

/// Returns the Jaro–Winkler similarity of two names, 0 to 1, regardless of word order. The similarity is lower if a
/// word has no similar word in the other name: "Harbour Watch" is not "Harbour Wall".
fn name_similarity(a: &Name, b: &Name) -> f64 {
    let (longer, shorter) = (a.letters.len().max(b.letters.len()), a.letters.len().min(b.letters.len()));
    if (a.letter_set ^ b.letter_set).count_ones() > 6 || longer > 2 * shorter {
        return 0.0;
    }
    let numbers = |name: &Name| -> Vec<String> {
        name.words.iter().filter(|word| word.contains(char::is_numeric)).cloned().collect()
    };
    if numbers(a) != numbers(b) {
        return 0.0;
    }
    let unsorted = strsim::jaro_winkler(&a.letters, &b.letters);
    if a.words.len() != b.words.len() || a.words.len() < 2 {
        return unsorted;
    }
    let sorted = strsim::jaro_winkler(&a.sorted, &b.sorted);
    if unsorted.max(sorted) < MIN_LETTER_SIMILARITY {
        return 0.0;
    }
    // Matches each word with the most similar word of the other name. Returns the length-weighted mean of these
    // similarities, and the lowest of them.
    let align_words = |from: &Name, to: &Name| {
        let best = |word: &String| to.words.iter().map(|other| strsim::jaro_winkler(word, other)).fold(0.0, f64::max);
        let (mut sum, mut length, mut worst) = (0.0, 0.0, 1.0_f64);
        for word in &from.words {
            let (score, weight) = (best(word), word.len() as f64);
            (sum, length, worst) = (sum + weight * score, length + weight, worst.min(score));
        }
        (sum / length, worst)
    };
    let ((forward, worst), (backward, worst_backward)) = (align_words(a, b), align_words(b, a));
    // Names that differ only in word order are almost the same, so the penalty is small.
    let similarity = unsorted.max(sorted - 0.01).max(forward.min(backward) - 0.01);
    let worst = worst.min(worst_backward);
    if worst < 0.85 { similarity * (0.5 + 0.5 * worst) } else { similarity }
}

/// Minimum similarity of the letters at which multi-word names are compared word by word.
const MIN_LETTER_SIMILARITY: f64 = 0.8;

/// Returns pairs of entities that may be duplicates of each other. Near-certain duplicates come first, and possible
/// duplicates follow. Both parts are sorted by descending similarity. Only entities of the same kind are compared.
/// Pairs that the DM marked as distinct are omitted. Call [`Duplicate::with_meaning_similarity`] on a result to also
/// compare the meaning of the descriptions.
pub fn duplicates(state: &State) -> Vec<Duplicate> {
    let entities: Vec<&EntityId> = state.entities().map(|entity| &entity.id).collect();
    let kinds: Vec<Option<Kind>> = entities.iter().map(|id| state.kind(id)).collect();
    let names: Vec<Vec<Name>> =
        entities.iter().map(|id| state.names(id).into_iter().filter_map(Name::parse).collect()).collect();
    let mut blocks: BTreeMap<Block, BTreeSet<(&str, u32)>> = BTreeMap::new();
    for (number, names) in names.iter().enumerate() {
        let kind = kinds[number].as_ref().map(Kind::as_str);
        for name in names {
            for (key_type, key) in name.blocks() {
                blocks.entry((kind, key_type, key)).or_default().insert((&name.letters, number as u32));
            }
        }
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for block in blocks.into_values() {
        let block: Vec<u32> = block.into_iter().map(|(_, number)| number).collect();
        let window = if block.len() > MAX_BLOCK_SIZE { WINDOW } else { block.len() };
        for (index, a) in block.iter().enumerate() {
            let following = block[index + 1..].iter().take(window).filter(|b| *b != a);
            pairs.extend(following.map(|b| (*a.min(b), *a.max(b))));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut found = Vec::new();
    for (a, b) in pairs {
        let (a, b) = (a as usize, b as usize);
        let (best, one, other) = most_similar_names(&names[a], &names[b]);
        let (Some(one), Some(other)) = (one, other) else { continue };
        if best >= POSSIBLE_NAME_SIMILARITY && !state.are_distinct(entities[a], entities[b]) {
            found.extend(build_duplicate(state, (entities[a], one), (entities[b], other), best));
        }
    }
    sort_duplicates(&mut found);
    found
}

/// Sorts duplicates: near-certain duplicates first, then by descending similarity.
pub fn sort_duplicates(found: &mut [Duplicate]) {
    found.sort_by(|a, b| {
        let order = a.band.cmp(&b.band).then(b.similarity.get().total_cmp(&a.similarity.get()));
        order.then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other)))
    });
}

fn most_similar_names<'a>(a: &'a [Name], b: &'a [Name]) -> (f64, Option<&'a Name>, Option<&'a Name>) {
    let mut best = (0.0, None, None);
    for (one, other) in a.iter().flat_map(|one| b.iter().map(move |other| (one, other))) {
        let score = name_similarity(one, other);
        if score > best.0 {
            best = (score, Some(one), Some(other));
        }
    }
    best
}

/// Builds the [`Duplicate`] for two entities with similar names. Does not compare the meaning of their descriptions.
fn build_duplicate(
    state: &State,
    (a, one): (&EntityId, &Name),
    (b, other): (&EntityId, &Name),
    name: f64,
) -> Option<Duplicate> {
    let neighbours_of = |id: &EntityId| -> BTreeSet<EntityId> {
        state.links(id).filter(|link| link.fact().is_in_effect()).map(|link| link.other().clone()).collect()
    };
    let (neighbours_a, neighbours_b) = (neighbours_of(a), neighbours_of(b));
    let is_vague = |fact: &Fact| state.vocabulary().behavior(fact.predicate()).vague;
    let fewest = neighbours_a.len().min(neighbours_b.len());
    let duplicate = Duplicate {
        band: DuplicateCertainty::Possible,
        one: a.clone(),
        other: b.clone(),
        names: [one.text.clone(), other.text.clone()],
        name: rounded(name)?,
        sounds_alike: one.sound == other.sound || phonetic_key(&one.sorted) == phonetic_key(&other.sorted),
        neighbours: (fewest > 0)
            .then(|| neighbours_a.intersection(&neighbours_b).count() as f64 / fewest as f64)
            .and_then(rounded),
        meaning: None,
        related: state.links(a).any(|link| link.other() == b && link.fact().is_in_effect() && !is_vague(link.fact())),
        similarity: rounded(name)?,
    };
    Some(duplicate.with_overall_similarity())
}

fn rounded(value: f64) -> Option<Number> {
    Number::new((value * 1e4).round() / 1e4).ok()
}

impl Duplicate {
    /// Adds the similarity in meaning of the two descriptions. `vector` returns the vector of a fact, or `None` if the
    /// fact has no vector.
    #[must_use]
    pub fn with_meaning_similarity(mut self, state: &State, vector: impl Fn(FactId) -> Option<Vec<f32>>) -> Self {
        let vector_of = |id: &EntityId, name: &Predicate| vector(state.newest(id, name.as_str())?.id());
        let compared = state.vocabulary().in_order(|behavior| behavior.comparison);
        let vectors =
            compared.into_iter().find_map(|name| Some((vector_of(&self.one, name)?, vector_of(&self.other, name)?)));
        // Vectors have unit length, so the dot product is the cosine.
        let cosine = |(a, b): (Vec<f32>, Vec<f32>)| a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        self.meaning = vectors.map(cosine).and_then(rounded);
        self.with_overall_similarity()
    }

    /// Computes the overall similarity and the degree of certainty.
    fn with_overall_similarity(mut self) -> Self {
        let (mut sum, mut weights) = (0.55 * self.name.get() + if self.sounds_alike { 0.15 } else { 0.0 }, 0.70);
        for component in [self.neighbours, self.meaning].into_iter().flatten() {
            (sum, weights) = (sum + 0.15 * component.get().clamp(0.0, 1.0), weights + 0.15);
        }
        let similarity = sum / weights * if self.related { 0.8 } else { 1.0 };
        let certain = self.name.get() >= NEAR_CERTAIN_NAME_SIMILARITY && similarity >= NEAR_CERTAIN_SIMILARITY;
        self.band = if certain { DuplicateCertainty::NearCertain } else { DuplicateCertainty::Possible };
        self.similarity = rounded(similarity).unwrap_or(self.name);
        self
    }
}

/// A group of facts with the same claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDuplicate {
    /// Ids of the facts with the same claim. Sorted.
    pub facts: Vec<FactId>,
    /// Sentence that states the first fact.
    pub statement: String,
}

/// Returns groups of facts with the same [`Claim`], largest group first. The facts of a group may come from the same
/// source or from different sources. Rejected facts are omitted. The same deed on two days is in two groups.
pub fn fact_duplicates(state: &State) -> Vec<FactDuplicate> {
    let mut claims: BTreeMap<(Claim, Option<i64>), Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.status() != FactStatus::Rejected) {
        let claim = Claim::from_fact(state.vocabulary(), fact);
        claims.entry((claim, deed_day(state, fact))).or_default().push(fact);
    }
    let several = claims.into_values().filter(|facts| facts.len() > 1);
    let row = |facts: Vec<&Arc<Fact>>| FactDuplicate {
        statement: facts[0].statement().to_owned(),
        facts: facts.iter().map(|fact| fact.id()).collect(),
    };
    let mut rows: Vec<FactDuplicate> = several.map(row).collect();
    rows.sort_by(|a, b| b.facts.len().cmp(&a.facts.len()).then_with(|| a.facts.cmp(&b.facts)));
    rows
}
