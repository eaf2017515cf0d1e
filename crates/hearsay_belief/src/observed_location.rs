//! Places of entities according to the observations of a knower.

use hearsay_model::{Acquisition, EntityId, Evidence, Kind, PredicateRole, attribute};

use crate::{BELIEF_THRESHOLD, Known, View};

impl View {
    /// Returns the fact that states the current location of an entity, according to the knower's observations. The
    /// result is the latest location that the knower believes and that, as far as the knower knows, has not ended.
    /// Returns `None` if there is no such location.
    ///
    /// Locations that the knower only heard of, and locations that only spoken lines state, are ignored. Otherwise, a
    /// false alibi would move the entity.
    pub fn observed_location(&self, entity: &EntityId) -> Option<&Known> {
        let locations = self.facts_with_subject(entity).filter(|known| PredicateRole::Location.is(known.predicate()));
        let current = locations.filter(|known| self.is_observed(known) && self.known_end(known).is_none());
        current.max_by_key(|known| (known.recency(), known.id()))
    }

    /// Returns the facts that state that an entity is at this place, according to the knower's observations. Each fact
    /// is the [observed location](Self::observed_location) of its subject or, if there is none, the home of a living
    /// character.
    pub fn observed_at(&self, place: &EntityId) -> impl Iterator<Item = &Known> {
        self.facts_with_object(place).filter(|known| match self.observed_location(known.subject()) {
            Some(location) => location.id() == known.id(),
            None => {
                PredicateRole::Residence.is(known.predicate())
                    && self.is_observed(known)
                    && self.known_end(known).is_none()
                    && self.is_living_character(known.subject())
            }
        })
    }

    /// Returns whether an entity can be a living character, as far as the knower knows.
    fn is_living_character(&self, id: &EntityId) -> bool {
        let is_believed = |known: &&Known| known.credence().get() >= BELIEF_THRESHOLD;
        let mut facts = self.facts_with_subject(id).chain(self.facts_with_object(id)).filter(is_believed);
        !facts.any(|known| {
            let kind = known.object().text().filter(|_| known.predicate().as_str() == attribute::KIND);
            let is_other_kind = known.subject() == id && kind.is_some_and(|kind| !Kind::from(kind).is_character());
            is_other_kind || known.dead_entity(self.vocabulary()) == Some(id)
        })
    }

    fn is_observed(&self, known: &Known) -> bool {
        let edges = known.known_edges();
        let is_source = |acquisition: &Acquisition| match acquisition {
            Acquisition::Witnessed => true,
            Acquisition::Told { .. } | Acquisition::Shared => false,
            Acquisition::Authored | Acquisition::Read { .. } | Acquisition::Deduced { .. } => {
                !self.is_only_spoken(known)
            }
        };
        // In the view of the DM, facts have no edges.
        let is_known_otherwise = edges.iter().any(|known_edge| is_source(&known_edge.edge.acquisition))
            || (edges.is_empty() && !self.is_only_spoken(known));
        known.credence().get() >= BELIEF_THRESHOLD && is_known_otherwise
    }

    /// Returns whether all sources of a fact that the knower knows are lines with a speaker.
    fn is_only_spoken(&self, known: &Known) -> bool {
        let has_file = known.evidence().iter().any(|evidence| !matches!(evidence, Evidence::Passage { .. }));
        let mut passages = known.evidence_passages().filter_map(|id| self.passage(id)).peekable();
        !has_file && passages.peek().is_some() && passages.all(|received| received.passage.speaker.is_some())
    }
}
