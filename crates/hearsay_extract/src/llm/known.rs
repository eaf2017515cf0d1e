//! Finds the entities that a part of a text names, and the entities to which a name or id in an answer refers.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, Kind, Span, slug, text};

use super::quote::Quotable;
use crate::{Lexicon, Mention, NewEntity, Text};

/// Text and its scene: the fields of a [`Text`] that extraction with a language model uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) text: &'a str,
    pub(crate) speaker: Option<&'a EntityId>,
    pub(crate) present: &'a [EntityId],
    pub(crate) place: Option<&'a EntityId>,
    pub(crate) before: &'a [&'a str],
}

impl<'a> Scene<'a> {
    pub(crate) fn of(text: &Text<'a>) -> Self {
        let Text { text, speaker, present, place, before, .. } = *text;
        Self { text, speaker, present, place, before }
    }
}

/// Entity as it is listed in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) mention: Mention,
    /// Id of the entity in the prompt and in answers.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Other names of the entity that occur in the text, at most four.
    pub(crate) also: Vec<String>,
    pub(crate) kind: Option<Kind>,
}

/// Maximum number of known entities in a prompt, so that the text itself fits into the prompt too.
const MOST_SHOWN: usize = 200;

/// Returns the known entities to list in the prompt: first the speaker, the entities present and the place, then the
/// entities that the text names, in text order. A name must occur as whole words.
pub(crate) fn named(lexicon: &Lexicon, scene: &Scene<'_>, part: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut add = |index: u32, words: Option<&str>| {
        let Some(entity) = lexicon.entities.get(index as usize) else { return };
        let at = match places.get(&index) {
            Some(at) => *at,
            None if shown.len() >= MOST_SHOWN => return,
            None => {
                places.insert(index, shown.len());
                shown.push(Shown {
                    mention: Mention::Known(entity.id.clone()),
                    id: entity.id.to_string(),
                    name: entity.name.clone(),
                    also: Vec::new(),
                    kind: entity.kinds.guess(),
                });
                shown.len() - 1
            }
        };
        let Some(words) = words else { return };
        let shown = &mut shown[at];
        if words != bare(&shown.name) && !shown.also.iter().any(|also| also == words) && shown.also.len() < 4 {
            shown.also.push(words.to_owned());
        }
    };
    let there = scene.speaker.into_iter().chain(scene.present).chain(scene.place);
    there.filter_map(|id| lexicon.index(id)).for_each(|index| add(index, None));
    let words = text::words(part);
    for at in 0..words.len() {
        let longest = lexicon.longest(&words[at]).min(words.len() - at);
        for count in (1..=longest).rev() {
            let key = words[at..at + count].join(" ");
            let bearers = lexicon.bearers(&key);
            bearers.iter().for_each(|bearer| add(bearer.entity, Some(&key)));
            if !bearers.is_empty() {
                break;
            }
        }
    }
    shown
}

/// Maps names and ids to entities.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    ids: BTreeMap<String, Mention>,
    /// Entity with each name; `None` if several entities have the name.
    names: BTreeMap<String, Option<Mention>>,
}

impl Names {
    pub(crate) fn of(shown: &[Shown]) -> Self {
        let mut names = Self::default();
        shown.iter().for_each(|shown| names.add(shown));
        names
    }

    pub(crate) fn add(&mut self, shown: &Shown) {
        self.ids.insert(shown.id.clone(), shown.mention.clone());
        for name in std::iter::once(&shown.name).chain(&shown.also) {
            let entry = self.names.entry(bare(name)).or_insert_with(|| Some(shown.mention.clone()));
            if entry.as_ref() != Some(&shown.mention) {
                *entry = None;
            }
        }
    }

    /// Returns the entity to which an id or name refers; `None` if there is none or the name is ambiguous.
    pub(crate) fn get(&self, who: &str) -> Option<&Mention> {
        let who = who.trim();
        self.ids.get(who).or_else(|| self.names.get(&bare(who))?.as_ref())
    }

    /// Returns whether at least one entity has the name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.names.contains_key(&bare(name))
    }

    /// Returns an unused id, made from a name.
    pub(crate) fn id_for(&self, name: &str) -> String {
        let slug = slug(name);
        let free = |id: &String| !id.is_empty() && !self.ids.contains_key(id);
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        std::iter::once(slug.clone()).chain(numbered).find(free).unwrap_or(slug)
    }
}

/// Returns the form of a name that is used for comparison: its normalised words without a leading article.
fn bare(name: &str) -> String {
    let words = text::words(name);
    let skip = usize::from(words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an"));
    words[skip..].join(" ")
}

/// Returns the entries of new entities for the prompt. Their ids differ from those of the `known` entities.
pub(crate) fn shown_new(entities: &[NewEntity], known: &[Shown]) -> Vec<Shown> {
    let mut names = Names::of(known);
    let mut shown = Vec::new();
    for (index, entity) in entities.iter().enumerate() {
        let one = Shown {
            mention: Mention::New(index),
            id: names.id_for(&entity.name),
            name: entity.name.clone(),
            also: Vec::new(),
            kind: entity.kind.clone(),
        };
        names.add(&one);
        shown.push(one);
    }
    shown
}

/// Returns whether a quote names an entity: it contains a word of a name of the entity, with at least three letters.
pub(crate) fn is_named(shown: &Shown, quote: &[String]) -> bool {
    let names = std::iter::once(&shown.name).chain(&shown.also);
    names.flat_map(|name| text::words(name)).any(|word| word.chars().count() > 2 && quote.contains(&word))
}

/// Returns whether an entity's main name contains a word.
pub(crate) fn has_word(shown: &Shown, word: &str) -> bool {
    text::words(&shown.name).iter().any(|of_name| of_name == word)
}

/// Returns the position in a part of a text at which a name of an entity first occurs.
pub(crate) fn first(shown: &Shown, part: &Quotable<'_>) -> Option<Span> {
    std::iter::once(&shown.name).chain(&shown.also).find_map(|name| part.find(name))
}
