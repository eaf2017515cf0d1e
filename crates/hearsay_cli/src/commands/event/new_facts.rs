//! New facts of an event: finds the deeds that their sentences state, and reports relations that are not in the
//! vocabulary.

use anyhow::Result;
use hearsay_commands::{
    game_event::{GameEvent, Stated},
    policy::Policy,
    reading::Draft,
};
use hearsay_engine::Memory;
use hearsay_extract::{ExtractedFact, FactObject, Mention, TextType};
use hearsay_model::{EntityId, Factuality, Object};

use crate::{commands::edit::did_you_mean, interrupt, output::Output};

/// Replaces each sentence that states a deed by the deed: `Odo saved Pell.` becomes a `SAVED` relation with this
/// sentence as its statement. A deed is a relation that changes feelings.
pub(super) fn find_deeds(memory: &Memory, game_event: &mut GameEvent) -> Result<()> {
    if matches!(game_event, GameEvent::Tell { retold: Some(_), .. }) {
        // The distorted version names its object as a part of the given sentence.
        return Ok(());
    }
    for stated in stated_facts(game_event) {
        let Stated::Lore { about, text } = stated else { continue };
        if let Some(deed) = find_deed(memory, about, text)? {
            *stated = deed;
        }
    }
    Ok(())
}

/// Returns the deed that a sentence about an entity states; `None` if the sentence states no deed or several deeds.
fn find_deed(memory: &Memory, about: &EntityId, sentence: &str) -> Result<Option<Stated>> {
    let draft = Draft { text: sentence.to_owned(), form: TextType::Narration, ..Draft::default() };
    let facts = interrupt::wait(&memory.draft(draft)?)?.extraction.facts;
    let (about, sentence) = (about.clone(), sentence.trim().to_owned());
    let deed = memory.read(move |world| {
        let vocabulary = world.state.vocabulary();
        let is_deed = |fact: &&ExtractedFact| vocabulary.is_deed(&fact.predicate);
        let deeds: Vec<&ExtractedFact> = facts.iter().filter(is_deed).collect();
        let [deed] = deeds[..] else { return Ok(None) };
        Ok(asserted_relation(deed, &about, sentence))
    })?;
    Ok(deed.wait()?)
}

/// Returns an extracted relation as a stated fact. Returns `None` if the fact is not certain or not asserted, or if it
/// is not a relation between `about` and another recorded entity.
fn asserted_relation(fact: &ExtractedFact, about: &EntityId, sentence: String) -> Option<Stated> {
    let is_asserted = fact.factuality == Factuality::Asserted && !fact.denied && !fact.ended;
    let (Mention::Known(subject), FactObject::Entity(Mention::Known(object))) = (&fact.subject, &fact.object) else {
        return None;
    };
    let is_certain = fact.confidence >= Policy::default().threshold && fact.stated_by.is_none();
    (is_asserted && is_certain && [subject, object].contains(&about)).then(|| Stated::Parts {
        subject: subject.clone(),
        predicate: fact.predicate.to_string(),
        object: Object::Entity(object.clone()),
        statement: Some(sentence),
    })
}

/// Prints a note for each relation of new facts that the vocabulary does not contain.
pub(super) fn note_new_relations(memory: &Memory, game_event: &mut GameEvent, output: &mut Output) -> Result<()> {
    let relation = |stated: &mut Stated| match stated {
        Stated::Parts { predicate, object: Object::Entity(_), .. } => Some(predicate.clone()),
        _ => None,
    };
    let relations: Vec<String> = stated_facts(game_event).into_iter().filter_map(relation).collect();
    let new_relations = memory.read(move |world| {
        let vocabulary = world.state.vocabulary();
        let unknown = relations.iter().filter(|name| vocabulary.relation_named(name).is_none());
        Ok(unknown.map(|name| (name.clone(), did_you_mean(vocabulary, name))).collect::<Vec<_>>())
    })?;
    for (relation, remark) in new_relations.wait()? {
        output.note(format!(
            "{relation} is not in the vocabulary{remark}, so it is a new relation (`hearsay vocabulary` lists all \
             relations)"
        ));
    }
    Ok(())
}

/// Returns the facts that an event states.
fn stated_facts(game_event: &mut GameEvent) -> Vec<&mut Stated> {
    match game_event {
        GameEvent::Witness { facts, .. } | GameEvent::Say { states: facts, .. } => facts.iter_mut().collect(),
        GameEvent::Tell { fact, .. } | GameEvent::Deduce { conclusion: fact, .. } => vec![fact],
        GameEvent::Read { .. } | GameEvent::Refute { .. } | GameEvent::Reveal { .. } | GameEvent::Forget { .. } => {
            Vec::new()
        }
    }
}
