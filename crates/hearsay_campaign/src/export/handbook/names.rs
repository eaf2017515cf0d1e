//! The names by which the readers of a handbook know entities.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::Known;
use hearsay_model::{
    EntityId, ReferringExpression, Vocabulary, attribute,
    spelling::is_common_word,
    text,
    words::{self, PersonalPronouns},
};

use super::shared::SharedView;

/// Names and pronouns that all readers know.
pub(super) struct Names {
    primary: BTreeMap<EntityId, String>,
    pronouns: BTreeMap<EntityId, &'static PersonalPronouns>,
    /// Descriptions that all readers know, such as `the landlady`.
    descriptions: BTreeMap<EntityId, String>,
    /// All names of each entity, as words without a leading article.
    all: BTreeMap<EntityId, Vec<Vec<String>>>,
    /// All names and unambiguous parts of names, as words without a leading article. `None` if a part belongs to
    /// several entities.
    by_words: BTreeMap<Vec<String>, Option<EntityId>>,
    /// Number of words in the longest name.
    max_words: usize,
}

impl Names {
    pub(super) fn new(shared: &SharedView, vocabulary: &Vocabulary) -> Self {
        let name_facts: Vec<&Known> =
            shared.facts.iter().map(|fact| fact.known()).filter(|known| known.is_name()).collect();
        let mut best: BTreeMap<&EntityId, ((bool, bool), &Known)> = BTreeMap::new();
        for known in name_facts.iter().copied() {
            // An open name comes before a secret name, and a name before an alias.
            let priority = (!known.is_secret(), known.predicate().as_str() == attribute::NAME);
            let entry = best.entry(known.subject()).or_insert((priority, known));
            if (priority, std::cmp::Reverse(known.id())) > (entry.0, std::cmp::Reverse(entry.1.id())) {
                *entry = (priority, known);
            }
        }
        let primary =
            best.into_iter().filter_map(|(id, (_, known))| Some((id.clone(), known.object().text()?.to_owned())));
        let (mut full, mut parts) = (BTreeMap::new(), BTreeMap::new());
        let mut all: BTreeMap<EntityId, Vec<Vec<String>>> = BTreeMap::new();
        for known in &name_facts {
            let name = without_article(text::words(known.object().text().unwrap_or_default()));
            all.entry(known.subject().clone()).or_default().push(name.clone());
            let is_word = |word: &String| word.chars().count() > 2 && !is_common_word(word);
            // "Jory" may stand for "Jory Penhale", but "dinner" not for "The Lampday dinner".
            let is_personal = name.len() > 1 && text::words(known.object().text().unwrap_or_default()) == name;
            let written = known.object().text().unwrap_or_default();
            let is_capitalized = written.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
            if known.predicate().as_str() == attribute::NAME && is_personal && is_capitalized {
                for word in name.iter().filter(|word| is_word(word)) {
                    add(&mut parts, vec![word.clone()], known.subject());
                }
            }
            if name.len() > 1 || name.first().is_some_and(is_word) {
                add(&mut full, name, known.subject());
            }
        }
        for (part, id) in parts {
            full.entry(part).or_insert(id);
        }
        let max_words = full.keys().map(Vec::len).max().unwrap_or_default();
        let current = |expression: ReferringExpression| {
            let facts = shared.facts.iter().filter(|fact| !fact.is_superseded && fact.end.is_none());
            let refers = move |known: &&Known| vocabulary.behavior(known.predicate()).reference == Some(expression);
            facts.map(|fact| fact.known()).filter(refers)
        };
        let pronouns = current(ReferringExpression::Pronoun).filter_map(|known| {
            Some((known.subject().clone(), PersonalPronouns::from_recorded(known.object().text()?)?))
        });
        let open = current(ReferringExpression::Description).filter(|known| !known.is_secret());
        let descriptions = open
            .filter_map(|known| Some((known.subject().clone(), words::definite_noun(known.object().text()?)?)))
            .collect();
        Self { primary: primary.collect(), pronouns: pronouns.collect(), descriptions, all, by_words: full, max_words }
    }

    /// Returns the pronouns of an entity; `None` if the readers do not know them.
    pub(super) fn pronouns(&self, id: &EntityId) -> Option<&'static PersonalPronouns> {
        self.pronouns.get(id).copied()
    }

    /// Returns the name of an entity; `None` if the readers have no name for it.
    pub(super) fn name(&self, id: &EntityId) -> Option<&str> {
        self.primary.get(id).map(String::as_str)
    }

    /// Returns the name of an entity, or a description if the readers have no name for it: `the landlady`, or `a stranger`.
    pub(super) fn name_or_description(&self, id: &EntityId) -> &str {
        let description = || self.descriptions.get(id).map(String::as_str);
        self.name(id).or_else(description).unwrap_or(words::STRANGER)
    }

    /// Returns whether a text contains a name of an entity. The name may be an everyday word.
    fn is_named_in(&self, id: &EntityId, text: &str) -> bool {
        let words = text::words(text);
        self.all.get(id).into_iter().flatten().any(|name| text::contains_name(&words, name))
    }

    /// Returns whether a fact is about its subject for the readers. `mentions` are the entities that the statement names. A
    /// statement that names only other entities is about these entities, unless it describes the subject.
    pub(super) fn is_about_subject(&self, known: &Known, mentions: &[EntityId]) -> bool {
        mentions.is_empty()
            || mentions.contains(known.subject())
            || known.predicate().as_str() == attribute::DESCRIPTION
            || self.is_named_in(known.subject(), known.statement())
    }

    /// Returns the entities that a text names.
    pub(super) fn mentions(&self, text: &str) -> BTreeSet<EntityId> {
        self.mentions_in_order(text).into_iter().collect()
    }

    /// Returns the entities that a text names, in the order of the text. If several names start at the same word, the
    /// longest wins.
    pub(super) fn mentions_in_order(&self, text: &str) -> Vec<EntityId> {
        let words = text::words(text);
        let (mut found, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let last = words.len().min(at + self.max_words);
            let named = (at + 1..=last).rev().find_map(|end| Some((self.by_words.get(&words[at..end])?, end)));
            at = named.map_or(at + 1, |(_, end)| end);
            found.extend(named.and_then(|(id, _)| id.clone()));
        }
        found
    }

    /// Returns the number of words of a text that are perhaps names that the readers do not know: words with a capital letter
    /// that do not begin a sentence.
    pub(super) fn count_unknown(&self, text: &str) -> usize {
        let (mut starts_sentence, mut count) = (true, 0);
        for word in text.split_whitespace() {
            let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_name = letters.starts_with(char::is_uppercase) && letters.chars().count() > 2;
            count += usize::from(is_name && !starts_sentence && self.mentions(letters).is_empty());
            starts_sentence = word.ends_with(['.', '?', '!', ':', '\u{2026}', '"', '\u{201D}']);
        }
        count
    }

    /// Returns a sentence that begins with the full name of an entity, if it begins with a part of this name, perhaps with its
    /// title: "doctor Vell took the silver" becomes "Doctor Hannes Vell took the silver".
    pub(super) fn with_full_name(&self, id: &EntityId, sentence: &str) -> Option<String> {
        let name = self.name(id).filter(|name| !sentence.starts_with(name))?;
        let all = text::words(name);
        let mut length = 0;
        let mut is_known = false;
        for word in sentence.split(' ') {
            let lowercase = word.to_lowercase();
            if !all.contains(&lowercase) {
                break;
            }
            length += usize::from(length > 0) + word.len();
            is_known |=
                self.by_words.get(std::slice::from_ref(&lowercase)).is_some_and(|known| known.as_ref() == Some(id));
        }
        is_known.then(|| format!("{name}{}", &sentence[length..]))
    }

    /// Returns a sentence as the clause after "says that": with a lowercase first letter, unless the first word is a
    /// name.
    pub(super) fn as_clause(&self, sentence: &str) -> String {
        let sentence = words::lower_first(sentence);
        let words = text::words(&sentence);
        let starts_with_name =
            (1..=words.len().min(self.max_words)).any(|end| self.by_words.contains_key(&words[..end]));
        let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        // "Doctor Vell" is a short form of Doctor Hannes Vell.
        let is_short_form = |name: &Vec<String>| {
            name.first() == words.first() && words.get(1).is_some_and(|second| name[1..].contains(second))
        };
        let starts_with_name = starts_with_name || self.all.values().flatten().any(is_short_form);
        match first.chars().count() > 1 && !starts_with_name && is_common_word(&first.to_lowercase()) {
            true => format!("{}{}", first.to_lowercase(), &sentence[first.len()..]),
            false => sentence,
        }
    }
}

fn add(names: &mut BTreeMap<Vec<String>, Option<EntityId>>, name: Vec<String>, id: &EntityId) {
    let entry = names.entry(name).or_insert_with(|| Some(id.clone()));
    if entry.as_ref() != Some(id) {
        *entry = None;
    }
}

/// Removes articles and other fillers from the start of a name.
fn without_article(mut name: Vec<String>) -> Vec<String> {
    while name.len() > 1 && words::contains_word(&words::english().fillers, &name[0]) {
        name.remove(0);
    }
    name
}

/// Returns the sort key of a name: the name without a leading article.
pub(super) fn sort_key(name: &str) -> Vec<String> {
    without_article(text::words(name))
}
