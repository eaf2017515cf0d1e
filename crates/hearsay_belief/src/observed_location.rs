//! Locations of entities according to the observations of a knower.

use hearsay_model::{Acquisition, EntityId, Evidence, PredicateRole};

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
    /// is the [observed location](Self::observed_location) of its subject.
    pub fn observed_at(&self, place: &EntityId) -> impl Iterator<Item = &Known> {
        self.facts_with_object(place)
            .filter(|known| self.observed_location(known.subject()).is_some_and(|location| location.id() == known.id()))
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
