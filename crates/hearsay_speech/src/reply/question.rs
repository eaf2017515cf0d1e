//! The question that a template answers, and how well a statement answers it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use hearsay_model::{
    EntityId, PredicateRole, attribute,
    spelling::{is_common_word, is_stop_word, stem},
    text::{contains_name, words},
    words::{contains_word, english, is_determiner, is_finite_be_form, is_first_person, is_past_verb, is_title},
};
use hearsay_recall::{Line, LineClaim, LinkedEntity, Remark, SceneContext, stems};

use super::{
    asked::Asked,
    question_words::QUESTION_WORDS,
    statement::{Statement, words_after_name},
};

/// Minimum cosine of the question and a line for which the character mentions the line.
const MIN_COSINE: f32 = 0.4;

/// Minimum word score of a line for which the character mentions the line, if the line has no vector.
const MIN_WORDS: f32 = 0.5;

/// Minimum cosine of the question and a sentence that shares no word with the question apart from names. A sentence about
/// the same person is similar to the question, even if it says nothing about the matter. Also the minimum for a sentence
/// that shares only a few words with a question that names no entity.
const MIN_COSINE_BY_NAMES: f32 = 0.5;

/// Minimum cosine of a question such as "Is Pell rich?" and a sentence that does not repeat the property.
const MIN_COSINE_OF_STATE: f32 = 0.7;

/// A line about the character is preferred if the question is about the character.
const ADDRESS_ADVANTAGE: f32 = 0.15;

/// A lie of the character is preferred to the truth if the lie shares most words with the question. The advantage is
/// greater than [`MAX_DIFFERENCE`], so the reply does not also state the truth.
const LIE_ADVANTAGE: f32 = 0.5;

/// A line about the character and the listener who asks is preferred to all others if the question is about both, as in
/// "What did you promise me?", and the line shares a word with the question.
const MUTUAL_ADVANTAGE: f32 = 1.0;

/// A line that links two entities is preferred if the question asks for an entity, as in "Who owns the barge?", and the line
/// shares most words with the question.
const ENTITY_ADVANTAGE: f32 = 0.3;

/// A line that says when something happens is preferred if the question asks for the time, as in "When did the barge sink?",
/// and the line shares a word with the question.
const TIME_ADVANTAGE: f32 = 0.3;

/// Value of a fact with the relation or the property for which the question asks, as in "Who is Pell's father?"
const ANSWER_FIT: f32 = 1.0;

/// The character's own relation to an entity is preferred to what the character knows about the entity, if the question asks
/// for its opinion.
const OPINION_ADVANTAGE: f32 = 10.0;

/// Importance of a sentence about the character for the question who it is. Its home is more important.
const IMPORTANCE_OF_OWN_LORE: f32 = 0.5;

/// Maximum difference between the best statement and another statement in the same reply, and between a statement that
/// the character may not tell and the best statement that it may tell instead.
const MAX_DIFFERENCE: f32 = 0.15;

/// Kind of a question about an entity as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overview {
    /// What happened to the entity.
    Events,
    /// Who or what the entity is.
    Identity,
    /// What the character thinks of the entity.
    Opinion,
}

/// A question to the character.
pub(super) struct Question<'a> {
    context: &'a SceneContext,
    /// Listener who asks the question.
    asker: Option<&'a EntityId>,
    /// Stems of the words of the question, apart from stop words and words with a capital letter.
    stems: BTreeSet<String>,
    /// `None` if the question is about a certain matter.
    overview: Option<Overview>,
    /// The relation or the property for which the question asks.
    asked: Option<Asked<'a>>,
    /// Whether the question is about the character, which it calls "you", as a whole: "Who are you?"
    is_about_speaker: bool,
    /// Whether the question is about a certain matter and calls the character "you".
    addresses_speaker: bool,
    /// Whether the question is about the character and the asker.
    is_mutual: bool,
    /// Whether the answer names a person, a thing or a place.
    asks_for_entity: bool,
    /// Whether the answer is a time.
    asks_for_time: bool,
    /// Whether the answer is a place.
    asks_for_place: bool,
    /// Whether the answer is whether an entity has a property.
    asks_for_state: bool,
    /// Entities that the question names, apart from the character, which may only be addressed.
    others: Vec<&'a LinkedEntity>,
    /// Words with a capital letter that name no entity that the character knows. Empty if the question also names an
    /// entity that the character knows.
    unknown_names: Vec<String>,
}

impl<'a> Question<'a> {
    pub(super) fn new(context: &'a SceneContext, asker: Option<&'a EntityId>) -> Self {
        let question_words = words(&context.question);
        let contains = |list: &[String]| question_words.iter().any(|word| contains_word(list, word));
        let is_name = |word: &&str| word.starts_with(char::is_uppercase);
        let plain: Vec<&str> = context.question.split_whitespace().filter(|word| !is_name(word)).collect();
        let first_is = |list: &[String]| question_words.first().is_some_and(|first| contains_word(list, first));
        let asked = Asked::new(context, asker, &question_words);
        let overview = match () {
            () if asked.is_some() => None,
            () if asks_about_named(context, &question_words, &QUESTION_WORDS.opinion_questions) => {
                Some(Overview::Opinion)
            }
            () if asks_about_named(context, &question_words, &english().event_questions) => Some(Overview::Events),
            () if asks_about_named(context, &question_words, &english().overview_questions) => Some(Overview::Identity),
            () => None,
        };
        let has_address = contains(&english().addressee_pronouns);
        let addresses_speaker = overview.is_none() && has_address;
        let names_speaker_only = context.named.iter().all(|named| named.id == context.speaker);
        let capitalized = context.question.split_whitespace().skip(1).filter(is_name).flat_map(words);
        let is_ordinary = |word: &String| is_stop_word(word) || is_common_word(word) || word.contains('\'');
        let is_unknown = |word: &String| !is_ordinary(word) && !is_title(word);
        Self {
            context,
            asker,
            stems: base_stems(&plain.join(" ")),
            overview,
            asked,
            is_about_speaker: overview.is_some() && has_address && names_speaker_only,
            addresses_speaker,
            is_mutual: addresses_speaker && question_words.iter().any(|word| is_first_person(word)),
            asks_for_entity: overview.is_none() && first_is(&english().entity_questions),
            asks_for_time: first_is(&english().time_questions),
            asks_for_place: first_is(&QUESTION_WORDS.place_questions),
            asks_for_state: question_words.first().is_some_and(|first| is_finite_be_form(first)),
            others: context.named.iter().filter(|named| named.id != context.speaker).collect(),
            unknown_names: match context.named.is_empty() {
                true => capitalized.filter(is_unknown).collect(),
                false => Vec::new(),
            },
        }
    }

    /// Returns whether the question has one answer: a person, a thing, a place or a time.
    pub(super) fn asks_for_one(&self) -> bool {
        let has_several = self.asked.as_ref().is_some_and(Asked::has_several_answers);
        (self.asks_for_entity || self.asks_for_time) && !has_several
    }

    /// Returns whether the question calls the character "you" and is about it.
    pub(super) fn concerns_speaker(&self) -> bool {
        self.is_about_speaker || self.addresses_speaker
    }

    /// Returns whether the question asks the character who it is.
    pub(super) fn asks_who_speaker_is(&self) -> bool {
        self.is_about_speaker && self.overview == Some(Overview::Identity)
    }

    /// Returns whether a statement fits so much worse than the best one that it would change the subject.
    pub(super) fn changes_subject(&self, best: f32, fit: f32) -> bool {
        match self.overview {
            // An opinion is not mixed with what everybody knows.
            Some(Overview::Opinion) => best - fit > OPINION_ADVANTAGE / 2.0,
            Some(Overview::Events | Overview::Identity) => false,
            None => best - fit > MAX_DIFFERENCE,
        }
    }

    /// Returns how well a statement fits the question; `None` if it does not answer the question.
    pub(super) fn fit(&self, statement: &Statement) -> Option<f32> {
        if let Some(overview) = self.overview {
            return self.overview_fit(statement, overview);
        }
        let in_line = base_stems(&statement.line.text);
        let shared = in_line.intersection(&self.stems).count();
        let fit = self.answer_fit(statement, shared)?;
        let is_told_lie = statement.line.is_lie() && shared > 0 && shared * 2 >= self.stems.len();
        Some(if is_told_lie { fit + LIE_ADVANTAGE } else { fit })
    }

    /// Returns how well a statement answers a question that may ask for a relation or a property. `shared` is the number of
    /// stems of the question that the statement contains.
    fn answer_fit(&self, statement: &Statement, shared: usize) -> Option<f32> {
        let (Some(asked), Some(claim)) = (&self.asked, &statement.line.claim) else {
            return self.matter_fit(statement, shared);
        };
        let is_text = [attribute::LORE, attribute::DESCRIPTION].contains(&claim.predicate.as_str());
        // The statement of a fact that has ended is in the present tense.
        let is_ended = statement.line.remarks.iter().any(|remark| matches!(remark, Remark::Ended { .. }));
        match (!is_ended && asked.is_answered_by(claim, self.context), asked.is_exclusive()) {
            (true, true) => Some(ANSWER_FIT),
            (true, false) => {
                let min = MIN_COSINE + ENTITY_ADVANTAGE;
                Some(self.matter_fit(statement, shared).map_or(min, |fit| fit.max(min)))
            }
            (false, true) if !is_text && !statement.line.is_lie() => None,
            (false, _) => self.matter_fit(statement, shared),
        }
    }

    /// Returns how well a statement answers a question about a certain matter. `shared` is the number of stems of the
    /// question that the statement contains.
    fn matter_fit(&self, statement: &Statement, shared: usize) -> Option<f32> {
        let line = &statement.line;
        let (shares_word, shares_most) = (shared > 0, shared > 0 && shared * 2 >= self.stems.len());
        if self.is_mutual && shares_word && self.is_between_both(line) {
            return Some(relevance(line).unwrap_or(MIN_COSINE) + MUTUAL_ADVANTAGE);
        }
        let names_other = self.others.iter().any(|named| concerns(line, named));
        // "What does Pell do?" is not about a line that neither concerns Pell nor shares most words with the question.
        // "Is Pell married?" is not about the marriage of another person.
        let is_elsewhere = !shares_most || self.asks_for_state && !self.addresses_speaker;
        let is_off_topic =
            !self.others.is_empty() && !names_other && is_elsewhere || self.is_other_matter(line, shared);
        let text_words = words(&line.text);
        let names_unknown =
            self.unknown_names.is_empty() || self.unknown_names.iter().any(|name| text_words.contains(name));
        // A sentence of a description must be about the matter, not only about the entity.
        let is_answer = names_unknown && (statement.is_whole || shares_word);
        if is_off_topic || !is_answer {
            return None;
        }
        let is_lore = line.claim.as_ref().is_some_and(|claim| claim.predicate.as_str() == attribute::LORE);
        let min_relevance = match () {
            () if self.asks_for_state && !shares_word => MIN_COSINE_OF_STATE,
            () if is_lore && !shares_word => MIN_COSINE_BY_NAMES,
            () if self.others.is_empty() && self.stems.len() > 1 && !shares_most => MIN_COSINE_BY_NAMES,
            () => 0.0,
        };
        // "Where were you last night?" resembles "Odo was at the mill last night" too little, because it has no name.
        let is_own_answer = (self.others.is_empty() || names_other) && self.is_own_answer(line, shared);
        let relevance = relevance(line).filter(|relevance| *relevance >= min_relevance);
        let relevance = relevance.or_else(|| is_own_answer.then_some(MIN_COSINE))?;
        let is_about_speaker = line.claim.as_ref().is_some_and(|claim| claim.subject == self.context.speaker);
        let links_entities = line.claim.as_ref().is_some_and(|claim| claim.object.entity().is_some());
        let names_answer = self.asks_for_entity && shares_most && links_entities;
        let states_time = self.asks_for_time && shares_word && has_time(&line.text);
        let address = if self.addresses_speaker && is_about_speaker { ADDRESS_ADVANTAGE } else { 0.0 };
        let entity = if names_answer { ENTITY_ADVANTAGE } else { 0.0 };
        Some(relevance + address + entity + if states_time { TIME_ADVANTAGE } else { 0.0 })
    }

    /// Returns whether a line states a property although the question asks for a place, or the place of a named entity although
    /// the question asks for somebody. `shared` is the number of stems of the question that the line contains.
    fn is_other_matter(&self, line: &Line, shared: usize) -> bool {
        let Some(claim) = &line.claim else { return false };
        let is_text = [attribute::LORE, attribute::DESCRIPTION].contains(&claim.predicate.as_str());
        let is_place = PredicateRole::Location.is(&claim.predicate) || PredicateRole::Residence.is(&claim.predicate);
        let is_named = || self.others.iter().any(|named| named.id == claim.subject);
        match self.asks_for_place {
            true => claim.object.entity().is_none() && !is_text && shared == 0,
            false => self.asks_for_entity && is_place && shared == 0 && is_named(),
        }
    }

    /// Returns whether a line says something about the character that a question to it asks, and contains at least two
    /// thirds of the words of the question. `shared` is the number of these words.
    fn is_own_answer(&self, line: &Line, shared: usize) -> bool {
        let Some(claim) = line.claim.as_ref().filter(|_| self.addresses_speaker) else { return false };
        let speaker = &self.context.speaker;
        // "Are you married?" is answered by "Tib Moss is married to Odo", but "Whom do you owe?" not by "Tib Moss owes Odo".
        let is_about = claim.subject == *speaker || self.asks_for_state && claim.object.entity() == Some(speaker);
        is_about && shared > 0 && shared * 3 >= self.stems.len() * 2
    }

    /// Returns how well a statement answers a question about an entity as a whole.
    fn overview_fit(&self, statement: &Statement, overview: Overview) -> Option<f32> {
        let line = &statement.line;
        let claim = line.claim.as_ref()?;
        let is_past =
            line.remarks.iter().any(|remark| matches!(remark, Remark::Ended { .. } | Remark::SubjectIsDead(_)));
        let is_own = self.is_about_speaker && claim.subject == self.context.speaker;
        let is_about = is_own || self.context.named.iter().any(|named| concerns(line, named));
        let importance = match overview {
            _ if is_past || !is_about => return None,
            Overview::Events => self.importance_of_event(line, claim)?,
            // What the character did does not say who it is.
            Overview::Identity if is_own && claim.predicate.as_str() == attribute::LORE => IMPORTANCE_OF_OWN_LORE,
            Overview::Identity => importance_of_property(claim, statement.is_whole)?,
            Overview::Opinion => {
                let importance = importance_of_property(claim, statement.is_whole)?;
                let is_own = claim.subject == self.context.speaker && claim.object.entity().is_some();
                importance + if is_own { OPINION_ADVANTAGE } else { 0.0 }
            }
        };
        let is_subject = is_own || self.context.named.iter().any(|named| named.id == claim.subject);
        // The relevance decides between statements of the same importance.
        let relevance = line.explanation.as_ref().and_then(|explanation| explanation.cosine).unwrap_or_default();
        let subject = if is_subject { 0.5 } else { 0.0 };
        Some(importance + subject + relevance / 4.0)
    }

    /// Returns how important a fact is as an event; `None` if it states no event.
    fn importance_of_event(&self, line: &Line, claim: &LineClaim) -> Option<f32> {
        let name = self.context.subject_names.get(&claim.subject).map_or("", String::as_str);
        let after_name = words_after_name(&line.text, name);
        let is_lore = claim.predicate.as_str() == attribute::LORE;
        match after_name.as_deref() {
            _ if claim.predicate.as_str() == attribute::CONDITION => Some(3.0),
            // "Pell was the miller of the town" is no event.
            Some([verb, next, ..]) if is_past_verb(verb) && !is_determiner(next) => Some(2.0),
            _ => is_lore.then_some(1.0),
        }
    }

    /// Returns whether a line is about the character and the asker.
    fn is_between_both(&self, line: &Line) -> bool {
        let (Some(claim), Some(asker)) = (&line.claim, self.asker) else { return false };
        let is_about = |id: &EntityId| claim.subject == *id || claim.object.entity() == Some(id);
        is_about(&self.context.speaker) && (is_about(asker) || self.context.names_listener(line, asker))
    }
}

/// Returns how important a fact is for the question who or what an entity is; `None` if a character would not say it.
fn importance_of_property(claim: &LineClaim, is_whole: bool) -> Option<f32> {
    match claim.predicate.as_str() {
        attribute::KIND | attribute::NAME | attribute::ALIAS | attribute::TAG | attribute::PRONOUNS => None,
        attribute::OCCUPATION | attribute::CONDITION => Some(3.0),
        _ if !is_whole => Some(0.0),
        _ if PredicateRole::Residence.is(&claim.predicate) => Some(1.0),
        _ => Some(2.0),
    }
}

/// Stems of irregular past forms, with the stem of the same verb in the present tense: "sell" for "sold".
static PRESENT_STEMS: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| english().past_forms.iter().map(|(present, past)| (stem(past), stem(present))).collect());

/// Returns the stems of the words of a text. A past form has the stem of its verb, so "sold" answers "Did you sell it?"
fn base_stems(text: &str) -> BTreeSet<String> {
    stems(text).into_iter().map(|stem| PRESENT_STEMS.get(&stem).cloned().unwrap_or(stem)).collect()
}

/// Returns whether a question consists of one of the phrases and of references to the entities that it names, or to the
/// character as "you".
fn asks_about_named(context: &SceneContext, question_words: &[String], phrases: &[String]) -> bool {
    let name_words: BTreeSet<&String> = context.named.iter().flat_map(|named| &named.names).flatten().collect();
    let is_misspelt = context.named.iter().any(|named| named.corrected_name.is_some());
    let is_reference = |word: &String| name_words.contains(word) || is_determiner(word) || is_title(word);
    let is_address = |word: &String| contains_word(&english().addressee_pronouns, word);
    let names_only = |rest: &[String]| match rest {
        // "Who are you, captain?"
        [first, names @ ..] if is_address(first) => names.iter().all(is_reference),
        _ if context.named.is_empty() => false,
        [] => false,
        [_] | [_, _] if is_misspelt => true,
        // "What do you know about the miller?"
        [determiner, _] if is_determiner(determiner) => true,
        rest => rest.iter().all(is_reference),
    };
    let end_of = |phrase: &String| {
        let phrase = words(phrase);
        let start = question_words.windows(phrase.len().max(1)).position(|window| window == phrase.as_slice())?;
        Some(start + phrase.len())
    };
    phrases.iter().filter_map(end_of).any(|end| names_only(&question_words[end..]))
}

/// Returns whether a line is about an entity that the question names: as subject or object, or by name.
fn concerns(line: &Line, named: &LinkedEntity) -> bool {
    let is_end = |claim: &LineClaim| claim.subject == named.id || claim.object.entity() == Some(&named.id);
    let text = words(&line.text);
    let is_own_word = |word: &&String| !is_title(word) && !is_common_word(word);
    // The first word of a name that is no title: "Pell" for "Captain Pell Marsh".
    let mut first_names = named.names.iter().filter_map(|name| name.iter().find(is_own_word));
    line.claim.as_ref().is_some_and(is_end)
        || named.names.iter().any(|name| contains_name(&text, name))
        || first_names.any(|name| text.contains(name))
}

/// Returns whether a text says when something happens: it contains a word for a time, or a number.
fn has_time(text: &str) -> bool {
    let is_time =
        |word: &String| contains_word(&english().time_words, word) || word.chars().all(|c| c.is_ascii_digit());
    words(text).iter().any(is_time)
}

/// Returns how well a line fits the question; `None` if it does not answer the question.
fn relevance(line: &Line) -> Option<f32> {
    match line.explanation.as_ref().and_then(|explanation| explanation.cosine) {
        Some(cosine) => Some(cosine).filter(|cosine| *cosine >= MIN_COSINE),
        None => line.channels.as_ref().map(|channels| channels.words).filter(|words| *words >= MIN_WORDS),
    }
}
