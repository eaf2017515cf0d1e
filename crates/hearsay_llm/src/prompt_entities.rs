//! Finds the entities that a part of a text names, and the entities to which a name or id in an answer refers.

use std::collections::BTreeMap;

use hearsay_extract::{Lexicon, LexiconEntity, Mention, NewEntity, Text};
use hearsay_model::{EntityId, Kind, Span, slug, text, words::without_article};

use crate::quote::NormalizedText;

/// Text and its scene: the fields of a [`Text`] that extraction with a language model uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) text: &'a str,
    pub(crate) speaker: Option<&'a EntityId>,
    pub(crate) present: &'a [EntityId],
    pub(crate) place: Option<&'a EntityId>,
    pub(crate) preceding: &'a [&'a str],
}

impl<'a> Scene<'a> {
    pub(crate) fn from_text(text: &Text<'a>) -> Self {
        let Text { text, speaker, present, place, preceding, .. } = *text;
        Self { text, speaker, present, place, preceding }
    }
}

/// Entity as it is listed in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptEntity {
    pub(crate) mention: Mention,
    /// Id of the entity in the prompt and in answers.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Other names of the entity that occur in the text, at most four.
    pub(crate) other_names: Vec<String>,
    pub(crate) kind: Option<Kind>,
}

/// Maximum number of known entities in a prompt, so that the text itself fits into the prompt too.
const MAX_PROMPT_ENTITIES: usize = 200;

/// Returns the known entities to list in the prompt: first the speaker, the entities present and the place, then the
/// entities that the text names, in text order. A name must occur as whole words.
pub(crate) fn listed_entities(lexicon: &Lexicon, scene: &Scene<'_>, part: &str) -> Vec<PromptEntity> {
    let mut listed: Vec<PromptEntity> = Vec::new();
    let mut listed_indices: BTreeMap<EntityId, usize> = BTreeMap::new();
    let mut add = |entity: &LexiconEntity, words: Option<&str>| {
        let at = match listed_indices.get(entity.id()) {
            Some(at) => *at,
            None if listed.len() >= MAX_PROMPT_ENTITIES => return,
            None => {
                listed_indices.insert(entity.id().clone(), listed.len());
                listed.push(PromptEntity {
                    mention: Mention::Known(entity.id().clone()),
                    id: entity.id().to_string(),
                    name: entity.name().to_owned(),
                    other_names: Vec::new(),
                    kind: entity.likely_kind(),
                });
                listed.len() - 1
            }
        };
        let Some(words) = words else { return };
        let entry = &mut listed[at];
        if words != compared_name(&entry.name)
            && !entry.other_names.iter().any(|other| other == words)
            && entry.other_names.len() < 4
        {
            entry.other_names.push(words.to_owned());
        }
    };
    let scene_entities = scene.speaker.into_iter().chain(scene.present).chain(scene.place);
    scene_entities.filter_map(|id| lexicon.entity(id)).for_each(|entity| add(entity, None));
    lexicon.names_in(part).into_iter().for_each(|(words, entity)| add(entity, Some(words)));
    listed
}

/// Maps names and ids to entities.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameLookup {
    ids: BTreeMap<String, Mention>,
    /// Entity with each name; `None` if several entities have the name.
    names: BTreeMap<String, Option<Mention>>,
}

impl NameLookup {
    pub(crate) fn new(entities: &[PromptEntity]) -> Self {
        let mut names = Self::default();
        entities.iter().for_each(|entity| names.add(entity));
        names
    }

    pub(crate) fn add(&mut self, entity: &PromptEntity) {
        self.ids.insert(entity.id.clone(), entity.mention.clone());
        for name in std::iter::once(&entity.name).chain(&entity.other_names) {
            let entry = self.names.entry(compared_name(name)).or_insert_with(|| Some(entity.mention.clone()));
            if entry.as_ref() != Some(&entity.mention) {
                *entry = None;
            }
        }
    }

    /// Returns the entity to which an id or name refers; `None` if there is none or the name is ambiguous.
    pub(crate) fn get(&self, reference: &str) -> Option<&Mention> {
        let reference = reference.trim();
        self.ids.get(reference).or_else(|| self.names.get(&compared_name(reference))?.as_ref())
    }

    /// Returns whether at least one entity has the name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.names.contains_key(&compared_name(name))
    }

    /// Returns an unused id, made from a name.
    pub(crate) fn unused_id(&self, name: &str) -> String {
        let slug = slug(name);
        let is_unused = |id: &String| !id.is_empty() && !self.ids.contains_key(id);
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        std::iter::once(slug.clone()).chain(numbered).find(is_unused).unwrap_or(slug)
    }
}

/// Returns the form of a name that is used for comparison: its normalised words without a leading article.
fn compared_name(name: &str) -> String {
    without_article(text::words(name)).join(" ")
}

/// Returns the entries of new entities for the prompt. The ids of the entries differ from the ids of the `known`
/// entities.
pub(crate) fn list_new_entities(entities: &[NewEntity], known: &[PromptEntity]) -> Vec<PromptEntity> {
    let mut names = NameLookup::new(known);
    let mut listed = Vec::new();
    for (index, entity) in entities.iter().enumerate() {
        let prompt_entity = PromptEntity {
            mention: Mention::New(index),
            id: names.unused_id(&entity.name),
            name: entity.name.clone(),
            other_names: Vec::new(),
            kind: entity.kind.clone(),
        };
        names.add(&prompt_entity);
        listed.push(prompt_entity);
    }
    listed
}

/// Returns whether a quote names an entity: it contains a word of a name of the entity, with at least three letters.
pub(crate) fn quote_names_entity(entity: &PromptEntity, quote: &[String]) -> bool {
    let names = std::iter::once(&entity.name).chain(&entity.other_names);
    names.flat_map(|name| text::words(name)).any(|word| word.chars().count() > 2 && quote.contains(&word))
}

/// Returns whether an entity's main name contains a word.
pub(crate) fn name_has_word(entity: &PromptEntity, word: &str) -> bool {
    text::words(&entity.name).iter().any(|name_word| name_word == word)
}

/// Returns the position in a part of a text at which a name of an entity first occurs.
pub(crate) fn first_occurrence(entity: &PromptEntity, part: &NormalizedText<'_>) -> Option<Span> {
    std::iter::once(&entity.name).chain(&entity.other_names).find_map(|name| part.find(name))
}
