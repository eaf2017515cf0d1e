//! The relation or the property for which a question asks: "Who is Pell's father?", "How old are you?"

use hearsay_model::{
    EntityId,
    text::words,
    words::{PersonalPronouns, contains_word, english, is_determiner, is_first_person, is_title},
};
use hearsay_recall::{AskedRelation, LineClaim, SceneContext};

use super::question_words::{PropertyQuestion, QUESTION_WORDS};

/// Maximum number of words that name a relation.
const MAX_RELATION_WORDS: usize = 2;

/// A relation or a property for which a question asks.
pub(super) struct Asked<'a> {
    matter: Matter<'a>,
    /// Entities of whose relation or property the question asks.
    of: Vec<EntityId>,
}

enum Matter<'a> {
    Relation {
        relation: &'a AskedRelation,
        /// Pronoun for the asked entity, if the word for the relation has a gender: `he` for "father".
        pronoun: Option<&'static str>,
    },
    Property(&'static PropertyQuestion),
}

impl<'a> Asked<'a> {
    /// Finds what a question asks. Returns `None` for a question about anything else.
    pub(super) fn new(context: &'a SceneContext, asker: Option<&EntityId>, question_words: &[String]) -> Option<Self> {
        Self::relation(context, asker, question_words).or_else(|| Self::property(context, asker, question_words))
    }

    fn relation(context: &'a SceneContext, asker: Option<&EntityId>, question_words: &[String]) -> Option<Self> {
        let lists = &*QUESTION_WORDS;
        let of_owner = |rest: &[String]| {
            let (owner, noun) = match rest.iter().position(|word| contains_word(&lists.owner_marks, word)) {
                Some(mark) => {
                    let noun = &rest[..mark];
                    let has_determiner = noun.first().is_some_and(|first| is_determiner(first));
                    (&rest[mark + 1..], &noun[usize::from(has_determiner)..])
                }
                None => {
                    let is_relation = |at: &usize| context.asked_relations.contains_key(&rest[*at..].join(" "));
                    rest.split_at((rest.len().saturating_sub(MAX_RELATION_WORDS)..rest.len()).find(is_relation)?)
                }
            };
            Self::relation_of(context, owners(context, asker, owner)?, noun)
        };
        let of_speaker = |rest: &[String]| {
            let is_noun = |word: &String| !contains_word(&lists.possession_determiners, word);
            let noun = &rest[rest.iter().position(is_noun)?..];
            Self::relation_of(context, vec![context.speaker.clone()], noun)
        };
        let owned = rests(&lists.relation_questions, question_words).find_map(of_owner);
        owned.or_else(|| rests(&lists.possession_questions, question_words).find_map(of_speaker))
    }

    fn relation_of(context: &'a SceneContext, of: Vec<EntityId>, noun: &[String]) -> Option<Self> {
        let relation = context.asked_relations.get(&noun.join(" "))?;
        let last = noun.last()?;
        let is_gendered = |relatives: &[String]| {
            contains_word(relatives, last) || last.strip_suffix('s').is_some_and(|last| contains_word(relatives, last))
        };
        let mut genders = QUESTION_WORDS.relatives.iter();
        let pronoun = genders.find(|(_, relatives)| is_gendered(relatives)).map(|(pronoun, _)| pronoun.as_str());
        Some(Self { matter: Matter::Relation { relation, pronoun }, of })
    }

    fn property(context: &SceneContext, asker: Option<&EntityId>, question_words: &[String]) -> Option<Self> {
        let asked_in = |phrase: &String| {
            let (before, after) = phrase.split_once('*')?;
            let (before, after) = (words(before), words(after));
            let named = question_words.strip_prefix(&before[..])?.strip_suffix(&after[..])?;
            owners(context, asker, named)
        };
        QUESTION_WORDS.property_questions.iter().find_map(|question| {
            let of = question.phrases.iter().find_map(asked_in)?;
            Some(Self { matter: Matter::Property(question), of })
        })
    }

    /// Returns whether only answers to the question, descriptions and lore can be a reply.
    pub(super) fn is_exclusive(&self) -> bool {
        match self.matter {
            Matter::Relation { pronoun, .. } => pronoun.is_some(),
            Matter::Property(question) => question.exclusive,
        }
    }

    /// Returns whether several facts can answer the question, such as the facts about all children of a person.
    pub(super) fn has_several_answers(&self) -> bool {
        matches!(self.matter, Matter::Relation { .. })
    }

    /// Returns whether a fact answers the question.
    pub(super) fn is_answered_by(&self, claim: &LineClaim, context: &SceneContext) -> bool {
        match self.matter {
            Matter::Relation { relation, pronoun } => {
                let ends = claim.object.entity().filter(|_| claim.predicate == relation.predicate);
                let Some(object) = ends else { return false };
                let is_answer = |owner: &EntityId, other: &EntityId| {
                    self.of.contains(owner) && pronoun.is_none_or(|pronoun| may_have_pronoun(context, other, pronoun))
                };
                let (owner, other) =
                    if relation.is_inverse { (object, &claim.subject) } else { (&claim.subject, object) };
                is_answer(owner, other) || relation.is_symmetric && is_answer(other, owner)
            }
            Matter::Property(question) => {
                contains_word(&question.predicates, claim.predicate.as_str()) && self.of.contains(&claim.subject)
            }
        }
    }
}

/// Returns the words after each of the phrases with which the words of a question begin.
fn rests<'w>(phrases: &'static [String], question_words: &'w [String]) -> impl Iterator<Item = &'w [String]> {
    phrases.iter().filter_map(move |phrase| question_words.strip_prefix(&words(phrase)[..]))
}

/// Returns the entities to which the words of a question refer: the character as "you", the asker as "my", or entities by
/// name. Returns `None` if there are other words.
fn owners(context: &SceneContext, asker: Option<&EntityId>, reference: &[String]) -> Option<Vec<EntityId>> {
    match reference {
        [word] if contains_word(&english().addressee_pronouns, word) => return Some(vec![context.speaker.clone()]),
        [word] if is_first_person(word) => return asker.map(|asker| vec![asker.clone()]),
        // "the miller"
        [determiner, _] if is_determiner(determiner) && context.named.len() == 1 => {
            return Some(vec![context.named[0].id.clone()]);
        }
        _ => {}
    }
    let is_part = |names: &[Vec<String>], word: &String| names.iter().flatten().any(|part| part == word);
    let is_named = |word: &String| context.named.iter().any(|named| is_part(&named.names, word));
    if !reference.iter().all(|word| is_named(word) || is_determiner(word) || is_title(word)) {
        return None;
    }
    let has_word = |names: &[Vec<String>]| {
        reference.iter().any(|word| !is_determiner(word) && !is_title(word) && is_part(names, word))
    };
    let named = context.named.iter().filter(|named| has_word(&named.names));
    let ids: Vec<EntityId> = named.map(|named| named.id.clone()).collect();
    (!ids.is_empty()).then_some(ids)
}

/// Returns whether the speaker knows no other pronoun of an entity, as far as the pronouns have a gender.
fn may_have_pronoun(context: &SceneContext, id: &EntityId, pronoun: &str) -> bool {
    let recorded = context.pronouns.get(id).and_then(|value| PersonalPronouns::from_recorded(value));
    recorded
        .is_none_or(|recorded| recorded.subject == pronoun || !QUESTION_WORDS.relatives.contains_key(&recorded.subject))
}
