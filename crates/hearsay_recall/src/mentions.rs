//! Whom a question names, by the names that the asker knows, rightly spelt or nearly so.

use std::{cmp::Reverse, collections::BTreeSet, ops::Range, sync::OnceLock};

use hearsay_belief::{Recency, View};
use hearsay_model::{
    Credence, EntityId, attribute,
    spelling::{Spellings, is_common},
    text,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Attributes by which people are spoken of: "the ferryman".
const DESCRIPTIONS: [&str; 2] = ["occupation", "title"];

/// Words at the start of a name that people leave out.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// The most words of a question that are compared with a name as one.
const MOST_WORDS: usize = 6;

/// Which of several names comes first: an open one before a secret one, a name before an alias, the surest, the latest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    open: bool,
    is_name: bool,
    credence: Credence,
    recency: Recency,
}

/// Of whom alone some words are true; nobody, where they are true of several.
type Only = FxHashMap<Vec<String>, Option<EntityId>>;

fn add(only: &mut Only, words: Vec<String>, id: &EntityId) {
    let bearer = only.entry(words).or_insert_with(|| Some(id.clone()));
    if bearer.as_ref() != Some(id) {
        *bearer = None;
    }
}

/// The names that one knower has for things.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// What it calls an entity first of all.
    first: FxHashMap<EntityId, String>,
    /// All names of an entity as words, without an article at their start.
    whole: FxHashMap<EntityId, BTreeSet<Vec<String>>>,
    /// Whose names these are. Sorted, each once; nearly always one.
    bearers: FxHashMap<Vec<String>, SmallVec<[EntityId; 1]>>,
    /// Parts of names, and what people are, each of whom it is true of alone.
    parts: FxHashMap<Vec<String>, Part>,
    /// Parts of names that several have. They name nobody, but what is spelt like one may mean any of these.
    shared: FxHashSet<Vec<String>>,
    /// How many words the longest of them has.
    longest: usize,
    /// How names and parts of names are spelt. Made when a question first has a word that is none of them.
    spellings: OnceLock<Spellings<EntityId>>,
}

/// A part of a name, or what somebody is.
#[derive(Debug, Clone)]
struct Part {
    id: EntityId,
    of_name: bool,
}

/// An entity that a question names, with the names by which the knower would recognise it in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The entity.
    pub id: EntityId,
    /// Its names as words.
    pub names: Vec<Vec<String>>,
    /// What it is called, where the question has that not quite right.
    pub nearly: Option<String>,
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
        let mut ranked: FxHashMap<&EntityId, Rank> = FxHashMap::default();
        let (mut parts, mut descriptions) = (Only::default(), Only::default());
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
                // "The watch" is the Harbour Watch, but a harbour is a harbour.
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
        // A part of a name, or what somebody is, stands for one of whom alone it is true: "Odo", "the ferryman". Names
        // go before descriptions.
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

    /// What the knower calls an entity, if it knows any name for it.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.first.get(id).map(String::as_str)
    }

    /// The entities that a text names as words: by name, alias, a part of a name, or what they are, where the knower
    /// knows one such. Sorted, each once.
    ///
    /// Words that are no name may be one that is spelt nearly so, or taken apart, or put together: "grimjow" and "Grim Jaw"
    /// for Grimjaw. Names of up to four letters must be right; what may mean several means nobody; and everyday words mean
    /// themselves.
    pub fn mentioned(&self, question: &str) -> Vec<Named> {
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
            .map(|id| Named { nearly: self.name(id).map(str::to_owned), ..self.named(id) })
            .collect::<Vec<_>>();
        let mut all: Vec<Named> = found.iter().map(|id| self.named(id)).chain(nearly).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// The entities that a text names rightly spelt, the longest name at each word. Sorted, each once.
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

    /// Where words that are not taken name somebody nearly, the surest first: what differs only in spaces and accents, then
    /// what has most words.
    fn nearly(&self, words: &[String], taken: &[bool]) -> Vec<(Range<usize>, &EntityId)> {
        let mut found = Vec::new();
        for start in 0..words.len() {
            // A name may be taken apart.
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

    /// An entity with the names that the knower has for it.
    pub fn named(&self, id: &EntityId) -> Named {
        Named { id: id.clone(), names: self.whole.get(id).into_iter().flatten().cloned().collect(), nearly: None }
    }
}

/// The words of a name without the article at its start, unless nothing else is left.
fn bare(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 && ARTICLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    words
}
