//! Finds the kind of each entity, and which entities are dead, in the facts that the readers of a handbook know.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, Kind, OpenThread, PredicateRole, Vocabulary, attribute};

use super::shared::{Certainty, Origin, SharedFact, SharedView};

/// Returns the kinds of entities. Readers often know no fact that states the kind. The kind then follows from the facts
/// that they know: for example, an entity that speaks is a person.
pub(super) fn kinds(shared: &SharedView, vocabulary: &Vocabulary, party: &[EntityId]) -> BTreeMap<EntityId, Kind> {
    let mut kinds = BTreeMap::new();
    kinds.extend(party.iter().map(|id| (id.clone(), Kind::Player)));
    let mut add = |id: &EntityId, kind: Kind| {
        kinds.entry(id.clone()).or_insert(kind);
    };
    for known in shared.facts.iter().map(SharedFact::known) {
        if let (attribute::KIND, Some(kind)) = (known.predicate().as_str(), known.object().text()) {
            add(known.subject(), Kind::from(kind));
        }
    }
    for (_, passage) in &shared.passages {
        passage.speaker.iter().for_each(|id| add(id, Kind::Npc));
        passage.document.iter().for_each(|id| add(id, Kind::Document));
    }
    for fact in &shared.facts {
        match &fact.origin {
            Origin::Told(tellers) => tellers.iter().for_each(|id| add(id, Kind::Npc)),
            Origin::Read(Some(document)) => add(document, Kind::Document),
            _ => {}
        }
        let known = fact.known();
        let (subject, predicate) = (known.subject(), known.predicate());
        let Some(object) = known.object().entity() else {
            let of_attribute = vocabulary.attribute(predicate).map_or(&[][..], |def| &def.kinds);
            match of_attribute {
                [kind] => add(subject, kind.clone()),
                [first, others @ ..] if first.is_character() && others.iter().all(Kind::is_character) => {
                    add(subject, Kind::Npc);
                }
                _ => {}
            }
            continue;
        };
        if PredicateRole::Location.is(predicate) || PredicateRole::Residence.is(predicate) {
            add(object, Kind::Location);
        }
        if PredicateRole::Membership.is(predicate) {
            add(object, Kind::Faction);
        }
        if PredicateRole::Membership.is(predicate) || PredicateRole::Residence.is(predicate) {
            add(subject, Kind::Npc);
        }
        if vocabulary.behavior(predicate).thread == Some(OpenThread::Quest) {
            add(object, Kind::Quest);
        }
        if vocabulary.behavior(predicate).attitude.is_some() {
            add(subject, Kind::Npc);
        }
    }
    kinds
}

/// Returns the entity that is dead according to a fact. Returns `None` if the fact states no death, or if the readers
/// do not believe the fact.
pub(super) fn dead_entity<'v>(vocabulary: &Vocabulary, fact: &SharedFact<'v>) -> Option<&'v EntityId> {
    let is_believed = matches!(fact.certainty, Some(Certainty::Certain | Certainty::Likely))
        && fact.end.is_none()
        && !fact.is_superseded;
    fact.known().dead_entity(vocabulary).filter(|_| is_believed)
}
