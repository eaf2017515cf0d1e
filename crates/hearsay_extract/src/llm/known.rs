//! Whom a part of a text names, and whom the model means by a name or an id.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, Kind, Span, slug, text};

use super::quote::Quotable;
use crate::{Lexicon, Mention, NewEntity, Text};

/// A text and its scene: what of a [`Text`] is of use here, and can go to other threads.
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

/// An entity as it is shown to the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) mention: Mention,
    /// What stands for it in answers.
    pub(crate) id: String,
    pub(crate) name: String,
    /// What else the text calls it.
    pub(crate) also: Vec<String>,
    pub(crate) kind: Option<Kind>,
}

/// No more are shown, so that a text with a thousand names leaves room for itself.
const MOST_SHOWN: usize = 200;

/// The known entities that a text names, as whole words, in order, after those who are there.
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

/// Whom names and ids stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    ids: BTreeMap<String, Mention>,
    /// Nobody, where several are called so.
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

    /// Who is meant.
    pub(crate) fn get(&self, who: &str) -> Option<&Mention> {
        let who = who.trim();
        self.ids.get(who).or_else(|| self.names.get(&bare(who))?.as_ref())
    }

    /// Whether somebody is called so, or several are.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.names.contains_key(&bare(name))
    }

    /// An id that is not taken, for a name.
    pub(crate) fn id_for(&self, name: &str) -> String {
        let slug = slug(name);
        let free = |id: &String| !id.is_empty() && !self.ids.contains_key(id);
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        std::iter::once(slug.clone()).chain(numbered).find(free).unwrap_or(slug)
    }
}

/// A name as it is compared: its words, without an article.
fn bare(name: &str) -> String {
    let words = text::words(name);
    let skip = usize::from(words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an"));
    words[skip..].join(" ")
}

/// New entities as they are shown.
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

/// Whether words of a text name an entity: one word of its name is among them.
pub(crate) fn is_named(shown: &Shown, quote: &[String]) -> bool {
    let names = std::iter::once(&shown.name).chain(&shown.also);
    names.flat_map(|name| text::words(name)).any(|word| word.chars().count() > 2 && quote.contains(&word))
}

/// Whether a word is one of an entity's name.
pub(crate) fn has_word(shown: &Shown, word: &str) -> bool {
    text::words(&shown.name).iter().any(|of_name| of_name == word)
}

/// Where a part of a text first has an entity's name.
pub(crate) fn first(shown: &Shown, part: &Quotable<'_>) -> Option<Span> {
    std::iter::once(&shown.name).chain(&shown.also).find_map(|name| part.find(name))
}
