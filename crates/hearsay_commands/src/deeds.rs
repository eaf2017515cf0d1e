//! Deeds in the sentences of game events. A deed is a relation that changes feelings, such as `SAVED`.

use hearsay_extract::{ExtractedFact, FactObject, Mention, TextType};
use hearsay_model::{EntityId, Factuality, Object, Vocabulary};

use crate::{
    game_event::{GameEvent, Stated},
    policy::Policy,
    reading::{Draft, ReadingTools},
};

/// Returns whether a sentence of an event may state a deed.
pub fn may_state_deed(event: &GameEvent) -> bool {
    // The distorted version of a told fact names its object as a part of the given sentence.
    let is_distorted = matches!(event, GameEvent::Tell { retold: Some(_), .. });
    !is_distorted && event.stated_facts().iter().any(|stated| matches!(stated, Stated::Lore { .. }))
}

/// Replaces each sentence that states a deed by the deed: `Odo saved Pell.` becomes a `SAVED` relation with this
/// sentence as its statement.
pub fn with_deeds(mut event: GameEvent, vocabulary: &Vocabulary, tools: &ReadingTools<'_>) -> GameEvent {
    if !may_state_deed(&event) {
        return event;
    }
    for stated in event.stated_facts_mut() {
        let Stated::Lore { about, text } = stated else { continue };
        if let Some(deed) = find_deed(about, text, vocabulary, tools) {
            *stated = deed;
        }
    }
    event
}

/// Returns the deed that a sentence about an entity states; `None` if the sentence states no deed or several deeds.
fn find_deed(about: &EntityId, sentence: &str, vocabulary: &Vocabulary, tools: &ReadingTools<'_>) -> Option<Stated> {
    let draft = Draft { text: sentence.to_owned(), form: TextType::Narration, ..Draft::default() };
    let facts = draft.extract(&Policy::default(), tools).extraction.facts;
    let mut deeds = facts.iter().filter(|fact| vocabulary.is_deed(&fact.predicate));
    let (Some(deed), None) = (deeds.next(), deeds.next()) else { return None };
    asserted_relation(deed, about, sentence.trim())
}

/// Returns an extracted relation as a stated fact. Returns `None` if the fact is not certain or not asserted, or if it
/// is not a relation between `about` and another recorded entity.
fn asserted_relation(fact: &ExtractedFact, about: &EntityId, sentence: &str) -> Option<Stated> {
    let is_asserted = fact.factuality == Factuality::Asserted && !fact.denied && !fact.ended;
    let (Mention::Known(subject), FactObject::Entity(Mention::Known(object))) = (&fact.subject, &fact.object) else {
        return None;
    };
    let is_certain = fact.confidence >= Policy::default().threshold && fact.stated_by.is_none();
    (is_asserted && is_certain && [subject, object].contains(&about)).then(|| Stated::Parts {
        subject: subject.clone(),
        predicate: fact.predicate.to_string(),
        object: Object::Entity(object.clone()),
        statement: Some(sentence.to_owned()),
    })
}
