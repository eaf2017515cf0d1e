//! What a question is limited to.

use std::collections::BTreeSet;

use hearsay_belief::View;
use hearsay_model::{EntityId, attribute};

use crate::{
    DocId, Index, Named, Names,
    candidates::Candidates,
    rank::{named_in, said_by},
};

/// Entities that a question is about, and those at most one relation away from them.
///
/// In it are the facts with one of these as subject or object, what names one of those that the question is about, or was
/// said by it, and the passages that bear such a fact out.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    about: Vec<Named>,
    near: BTreeSet<EntityId>,
    noted: bool,
}

impl Scope {
    /// Around some entities, by the relations and names in a view.
    pub fn around(view: &View, names: &Names, about: &[EntityId]) -> Self {
        let about: BTreeSet<&EntityId> = about.iter().collect();
        let mut near: BTreeSet<EntityId> = about.iter().map(|id| (*id).clone()).collect();
        for known in view.facts().filter(|known| known.predicate().is_relation()) {
            let Some(object) = known.object().entity() else { continue };
            for (from, to) in [(known.subject(), object), (object, known.subject())] {
                if about.contains(from) && !near.contains(to) {
                    near.insert(to.clone());
                }
            }
        }
        Self { about: about.into_iter().map(|id| names.named(id)).collect(), near, noted: false }
    }

    /// With what is noted beside the words: whom a free sentence is about, whom a text mentions. That is for the DM: a
    /// character who hears of "the Grey Lady" does not know whom the author meant.
    pub fn with_notes(self) -> Self {
        Self { noted: true, ..self }
    }

    /// Those whom the question is about.
    pub fn about(&self) -> &[Named] {
        &self.about
    }

    /// Adds them to those whom the question names.
    pub fn join(&self, named: &mut Vec<Named>) {
        let more = self.about.iter().filter(|about| named.iter().all(|named| named.id != about.id));
        let more: Vec<Named> = more.cloned().collect();
        named.extend(more);
    }

    /// Whether an entity is one of those, or at most one relation away.
    pub fn holds(&self, id: &EntityId) -> bool {
        self.near.contains(id)
    }

    /// Which of the candidates are in it.
    pub(crate) fn marks(&self, view: &View, index: &Index, candidates: &Candidates) -> Vec<bool> {
        let mut marks = vec![false; candidates.len()];
        for named in &self.about {
            named_in(view, index, candidates, named, &mut marks);
            said_by(view, index, candidates, named, &mut marks);
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark |= match candidates.id(at) {
                DocId::Fact(id) => view.fact(id).is_some_and(|known| {
                    let free = *known.predicate() == *attribute::LORE;
                    let mut ends = std::iter::once(known.subject()).chain(known.object().entity());
                    (!free && ends.any(|id| self.holds(id)))
                        || (self.noted && known.entities().any(|id| self.holds(id)))
                }),
                DocId::Passage(id) => view.passage(id).filter(|_| self.noted).is_some_and(|heard| {
                    let passage = &heard.passage;
                    passage.mentions.iter().chain(&passage.place).chain(&passage.document).any(|id| self.holds(id))
                }),
            };
        }
        let inside = (0..candidates.facts).filter(|at| marks[*at]);
        let borne_out: Vec<DocId> =
            inside.flat_map(|at| candidates.doc(at).evidence.iter().map(|id| DocId::Passage(*id))).collect();
        for id in borne_out {
            if let Some(at) = index.place_of(id).and_then(|place| candidates.at(place)) {
                marks[at] = true;
            }
        }
        marks
    }
}
