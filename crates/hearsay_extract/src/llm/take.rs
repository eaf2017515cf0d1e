//! Checks the items of an answer. Each item is compared with the text, the entities and the vocabulary, and is either
//! accepted or refused.

use std::ops::Range;

use hearsay_model::{Confidence, Kind, Predicate, PredicateRole, Span, Vocabulary, attribute, text};
use serde::{Deserialize, Serialize};

use super::{
    answer::{EntityItem, FactItem},
    guard,
    known::{Names, Shown, has_word, is_named},
    quote::Quotable,
};
use crate::{
    Cue, CueKind, ExtractedFact, Mention, NewEntity, Stated,
    cues::{self, Found},
    grammar::{CueSort, Grammar},
    mentions::is_pronoun,
    token,
};

/// Number of refused entities and facts, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flagged {
    /// Items that do not match the schema, whose quote is longer than 600 bytes, or that exceed the maximum of 500 per
    /// answer.
    pub malformed: usize,
    /// Items whose quote is not in the text.
    pub invented_quotes: usize,
    /// Entities whose name is not in the text, or is empty, a pronoun or longer than 80 characters.
    pub no_names: usize,
    /// Facts whose subject or object is not an entity in the prompt, or whose subject and object are the same entity.
    pub unknown_entities: usize,
    /// Facts whose predicate is not valid, or has no value although it is an attribute.
    pub bad_predicates: usize,
    /// Items from a sentence that addresses the program instead of the reader.
    pub addressed: usize,
    /// Facts from a sentence that is a question.
    pub questions: usize,
    /// Items whose confidence is less than the minimum in the settings.
    pub unsure: usize,
}

impl Flagged {
    /// Returns the sum over all reasons.
    pub fn total(&self) -> usize {
        let Self {
            malformed,
            invented_quotes,
            no_names,
            unknown_entities,
            bad_predicates,
            addressed,
            questions,
            unsure,
        } = *self;
        malformed + invented_quotes + no_names + unknown_entities + bad_predicates + addressed + questions + unsure
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.malformed += other.malformed;
        self.invented_quotes += other.invented_quotes;
        self.no_names += other.no_names;
        self.unknown_entities += other.unknown_entities;
        self.bad_predicates += other.bad_predicates;
        self.addressed += other.addressed;
        self.questions += other.questions;
        self.unsure += other.unsure;
    }
}

/// Confidence of an item that the model calls certain. Models are too confident, so every confidence is multiplied by
/// this factor.
const SUREST: f64 = 0.9;
/// Factor for a subject or object that the quote does not name, for example because it contains a pronoun.
const PRONOUN: f64 = 0.9;
/// Factor for a value that shares no word with the quote.
const OTHER_WORDS: f64 = 0.6;
/// Maximum confidence of a fact whose sentence contains a hedge, rumour, irony, condition or wish. Such a fact waits
/// for the DM's review.
const MOST_OF_DOUBT: f64 = 0.65;
/// Maximum confidence of a fact whose relation is not in the vocabulary.
const MOST_OF_RELATED: f64 = 0.6;
/// Maximum confidence of a fact or entity from a text that addresses the program.
const MOST_OF_ADDRESSING: f64 = 0.5;
/// Factor for a name without a capital letter.
const SMALL_NAME: f64 = 0.6;

const LONGEST_NAME: usize = 80;
const LONGEST_VALUE: usize = 300;
/// Maximum length of a quote, in bytes. A quote should have one or two sentences.
const LONGEST_QUOTE: usize = 600;

/// Part of a text, prepared for the checks of items.
pub(crate) struct Part<'a> {
    pub(crate) text: &'a str,
    /// Byte position of the part in the whole text.
    pub(crate) start: usize,
    pub(crate) quotable: Quotable<'a>,
    pub(crate) addressed: Vec<Range<usize>>,
    pub(crate) grammar: &'a Grammar,
    pub(crate) vocabulary: &'a Vocabulary,
    /// Whether no sentence of the whole text addresses the program.
    pub(crate) is_plain: bool,
    /// Speaker of the whole text, if there is one.
    pub(crate) speaker: Option<Mention>,
}

/// Returns the confidence of an item from the value that the model gave. A missing or invalid value counts as 0.5.
fn confidence(given: Option<f64>) -> f64 {
    given.filter(|given| given.is_finite()).unwrap_or(0.5).clamp(0.0, 1.0) * SUREST
}

fn kept(confidence: f64) -> Confidence {
    Confidence::new(confidence).unwrap_or(Confidence::NONE)
}

impl<'a> Part<'a> {
    fn is_addressed(&self, span: Span) -> bool {
        self.addressed.iter().any(|range| range.start < span.end && span.start < range.end)
    }

    fn moved(&self, span: Span) -> Span {
        Span { start: self.start + span.start, end: self.start + span.end }
    }

    fn most(&self) -> f64 {
        if self.is_plain { 1.0 } else { MOST_OF_ADDRESSING }
    }

    /// Returns the new entity of an item. Returns `None` if an entity with the name already exists, or if the item is
    /// refused. A refused item is counted in `flagged`.
    pub(crate) fn entity(
        &self,
        item: EntityItem,
        names: &Names,
        least: f64,
        flagged: &mut Flagged,
    ) -> Option<NewEntity> {
        let name = item.name.trim();
        let words = text::words(name);
        let plain = words.is_empty() || name.chars().count() > LONGEST_NAME || is_pronoun(&text::normal(name));
        let Some(span) = self.quotable.find(name).filter(|_| !plain) else {
            flagged.no_names += 1;
            return None;
        };
        if names.is_taken(name) {
            return None;
        }
        let Some(quote) = self.quotable.find(&item.quote) else {
            flagged.invented_quotes += 1;
            return None;
        };
        if self.is_addressed(quote) || self.is_addressed(span) {
            flagged.addressed += 1;
            return None;
        }
        let written = self.text.get(span.start..span.end)?;
        let cased = written.chars().any(|c| c.is_lowercase()) && !written.chars().any(char::is_uppercase);
        let sure = (confidence(item.confidence) * if cased { SMALL_NAME } else { 1.0 }).min(self.most());
        if sure < least {
            flagged.unsure += 1;
            return None;
        }
        let kind = item.kind.as_deref().map(Kind::from).filter(|kind| Kind::BUILT_IN.contains(kind));
        let name = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(NewEntity { name, kind, span: self.moved(span), confidence: kept(sure) })
    }

    /// Returns the fact of an item. Returns `None` if the item is refused. A refused item is counted in `flagged`.
    pub(crate) fn fact(
        &self,
        item: FactItem,
        names: &Names,
        shown: &[Shown],
        least: f64,
        flagged: &mut Flagged,
    ) -> Option<ExtractedFact> {
        let Some(span) = self.quotable.find(&item.quote) else {
            flagged.invented_quotes += 1;
            return None;
        };
        if span.end - span.start > LONGEST_QUOTE {
            flagged.malformed += 1;
            return None;
        }
        let sentence = sentence(self.text, span);
        if self.is_addressed(span) || guard::is_addressed(&self.text[sentence.clone()]) {
            flagged.addressed += 1;
            return None;
        }
        let tokens = token::tokens(&self.text[sentence.clone()], sentence.start);
        if cues::is_question(&tokens, self.grammar, true) {
            flagged.questions += 1;
            return None;
        }
        let Some(subject) = names.get(&item.subject) else {
            flagged.unknown_entities += 1;
            return None;
        };
        let said = match self.said(&item, names, subject, &self.text[sentence.clone()]) {
            Ok(said) => said,
            Err(Wrong::Predicate) => {
                flagged.bad_predicates += 1;
                return None;
            }
            Err(Wrong::Entity) => {
                flagged.unknown_entities += 1;
                return None;
            }
        };
        let quote = &self.text[span.start..span.end];
        let words = text::words(quote);
        let by = |mention: &Mention| shown.iter().find(|shown| shown.mention == *mention);
        let is_pronoun = |mention: &Mention| by(mention).is_none_or(|shown| !is_named(shown, &words));
        let mut sure = confidence(item.confidence);
        if is_pronoun(&said.subject) {
            sure *= PRONOUN;
        }
        match &said.object {
            Stated::Entity(object) if is_pronoun(object) => sure *= PRONOUN,
            Stated::Value(value) if !text::words(value).iter().any(|word| words.contains(word)) => sure *= OTHER_WORDS,
            _ => {}
        }
        if said.relation.is_some() {
            sure = sure.min(MOST_OF_RELATED);
        }
        // "Hope" and "May" can be names of people instead of cues.
        let is_name = |at: usize| tokens[at].capital && shown.iter().any(|shown| has_word(shown, &tokens[at].norm));
        let found = cues::find(&tokens, self.grammar, is_name);
        let doubt = |cue: &&Found| {
            matches!(
                cue.sort,
                CueSort::Hedge | CueSort::Rumour | CueSort::Sarcasm | CueSort::Conditional | CueSort::Wish
            )
        };
        if found.iter().any(|cue| doubt(&cue)) {
            sure = sure.min(MOST_OF_DOUBT);
        }
        if found.iter().any(|cue| cue.sort == CueSort::Injection) {
            sure = sure.min(MOST_OF_ADDRESSING);
        }
        sure = sure.min(self.most());
        if sure < least {
            flagged.unsure += 1;
            return None;
        }
        let over = item.over.unwrap_or_default();
        let shown_cue = |cue: Cue| over || cue.kind != CueKind::Past;
        let cues =
            found.iter().filter_map(|cue| cue.shown(&tokens, self.text)).filter(|cue| shown_cue(cue.clone())).collect();
        let name = |mention: &Mention| by(mention).map_or("", |shown| shown.name.as_str());
        let object = match &said.object {
            Stated::Entity(object) => name(object),
            Stated::Value(value) => value,
        };
        let statement = self.statement(&item, &said, name(&said.subject), object, &self.text[sentence]);
        let told_to = item.told_to.iter().flatten().filter_map(|who| names.get(who)).cloned().collect();
        Some(ExtractedFact {
            statement,
            span: self.moved(span),
            quote: quote.to_owned(),
            confidence: kept(sure),
            stated_by: item
                .stated_by
                .as_deref()
                .and_then(|who| names.get(who))
                .cloned()
                .or_else(|| self.speaker.clone()),
            told_to,
            denied: item.denied.unwrap_or_default(),
            over,
            cues,
            subject: said.subject,
            predicate: said.predicate,
            object: said.object,
            relation: said.relation,
        })
    }

    /// Converts an item to a subject, predicate and object, with a predicate of the vocabulary.
    fn said(&self, item: &FactItem, names: &Names, subject: &Mention, sentence: &str) -> Result<Said, Wrong> {
        let relation = Predicate::relation(&item.predicate).map_err(|_| Wrong::Predicate)?;
        let name = Predicate::new(&relation.as_str().to_lowercase()).map_err(|_| Wrong::Predicate)?;
        let given = |text: &Option<String>| text.as_deref().map(clean).filter(|text| !text.is_empty());
        let (object, value) = (given(&item.object), given(&item.value));
        let vocabulary = self.vocabulary;
        let attribute = vocabulary.attribute(&name).is_some();
        let relational = vocabulary.predicate(&relation).is_some() || vocabulary.inverse_of(&relation).is_some();
        let subject = subject.clone();
        let of_value = |predicate, value| {
            Ok(Said { subject: subject.clone(), predicate, object: Stated::Value(value), relation: None })
        };
        if attribute && !relational {
            // The kind of an entity is part of the entity record and cannot be an attribute.
            return match value.or(object) {
                Some(value) if name != *attribute::KIND => of_value(name, value),
                _ => Err(Wrong::Predicate),
            };
        }
        let entity = object.as_deref().or(value.as_deref()).and_then(|who| names.get(who)).cloned();
        let Some(object_mention) = entity else {
            return match value {
                // The attribute is not in the vocabulary, so the fact keeps the sentence of the text as `lore`.
                Some(_) if !relational && object.is_none() => {
                    let lore = Predicate::new(attribute::LORE).map_err(|_| Wrong::Predicate)?;
                    of_value(lore, clean(sentence))
                }
                _ => Err(Wrong::Entity),
            };
        };
        if object_mention == subject {
            return Err(Wrong::Entity);
        }
        let object = Stated::Entity(object_mention.clone());
        if vocabulary.predicate(&relation).is_some() && !PredicateRole::Related.is(&relation) {
            return Ok(Said { subject, predicate: relation, object, relation: None });
        }
        if let Some(def) = vocabulary.inverse_of(&relation) {
            let object = Stated::Entity(subject);
            return Ok(Said { subject: object_mention, predicate: def.name.clone(), object, relation: None });
        }
        let words = relation.as_str().replace('_', " ").to_lowercase();
        let predicate = PredicateRole::Related.predicate().clone();
        Ok(Said { subject, predicate, object, relation: Some(words) })
    }

    /// Returns a sentence that states a fact. Uses the model's sentence only if it names the subject, and if each of
    /// its words with at least four letters occurs in the text's sentence or in the sentence made from the predicate.
    /// Otherwise returns the sentence made from the predicate. The model thus cannot add words of its own.
    fn statement(&self, item: &FactItem, said: &Said, subject: &str, object: &str, sentence: &str) -> String {
        let made = match &said.relation {
            Some(words) => format!("{subject} {words} {object}."),
            None if said.predicate == *attribute::LORE => return object.to_owned(),
            None => self.vocabulary.sentence(&said.predicate, subject, object),
        };
        let own = item.statement.as_deref().map(clean).filter(|own| !own.is_empty());
        let Some(own) = own.filter(|_| !item.denied.unwrap_or_default() && !item.over.unwrap_or_default()) else {
            return made;
        };
        let mut allowed = text::words(sentence);
        allowed.extend(text::words(&made));
        let named = |name: &str| text::words(name).iter().all(|word| text::words(&own).contains(word));
        let grounded = text::words(&own).iter().all(|word| word.chars().count() < 4 || allowed.contains(word));
        if grounded && named(subject) && !guard::is_addressed(&own) { own } else { made }
    }
}

struct Said {
    subject: Mention,
    predicate: Predicate,
    object: Stated,
    relation: Option<String>,
}

enum Wrong {
    Predicate,
    Entity,
}

/// Returns the words on one line, truncated to 300 characters.
fn clean(words: &str) -> String {
    let line = words.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    line.collect::<Vec<_>>().join(" ").chars().take(LONGEST_VALUE).collect()
}

/// Returns the byte range of the sentences that contain a byte range of a text.
fn sentence(text: &str, span: Span) -> Range<usize> {
    let end = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';');
    let start = text[..span.start].rfind(end).map_or(0, |at| at + 1);
    // The sentence includes its final punctuation mark, because a question mark matters.
    let stop = if text[..span.end].ends_with(end) {
        span.end
    } else {
        text[span.end..].find(end).map_or(text.len(), |at| span.end + at + 1)
    };
    start..stop
}
