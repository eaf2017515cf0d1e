//! Scope of a search: the search covers only certain entities and the entities related to them.

use std::collections::BTreeSet;

use hearsay_belief::View;
use hearsay_model::{EntityId, attribute};

use crate::{
    DocId, EntityLinker, Index, LinkedEntity,
    candidates::Candidates,
    mentions::{mark_mentions, mark_spoken_passages},
};

/// Scope of a search: the entities that a question is about, and all entities with a direct relation to them.
///
/// A scope contains three groups of documents:
///
/// - facts with an entity of the scope as subject or object, except `lore` facts
/// - facts and passages that name an entity that the question is about, and passages that this entity said
/// - passages that are evidence for a fact in the scope
#[derive(Debug, Clone, Default)]
pub struct Scope {
    about: Vec<LinkedEntity>,
    in_scope: BTreeSet<EntityId>,
    with_annotations: bool,
}

impl Scope {
    /// Creates the scope around the entities `about`, using the relations and names in a view.
    pub fn around(view: &View, names: &EntityLinker, about: &[EntityId]) -> Self {
        let about: BTreeSet<&EntityId> = about.iter().collect();
        let mut in_scope: BTreeSet<EntityId> = about.iter().map(|id| (*id).clone()).collect();
        for known in view.facts().filter(|known| known.predicate().is_relation()) {
            let Some(object) = known.object().entity() else { continue };
            for (from, to) in [(known.subject(), object), (object, known.subject())] {
                if about.contains(from) && !in_scope.contains(to) {
                    in_scope.insert(to.clone());
                }
            }
        }
        Self { about: about.into_iter().map(|id| names.linked_entity(id)).collect(), in_scope, with_annotations: false }
    }

    /// Also includes documents whose metadata refer to an entity of the scope, for example as an entity that a passage
    /// mentions. Use this method only for the DM: the metadata can reveal a secret identity to a character.
    pub fn with_annotations(self) -> Self {
        Self { with_annotations: true, ..self }
    }

    /// Returns the entities that the question is about.
    pub fn about(&self) -> &[LinkedEntity] {
        &self.about
    }

    /// Adds the entities of [`about`](Self::about()) to `named`, the entities that a question names.
    pub fn add_to(&self, named: &mut Vec<LinkedEntity>) {
        let missing = self.about.iter().filter(|about| named.iter().all(|named| named.id != about.id));
        let missing: Vec<LinkedEntity> = missing.cloned().collect();
        named.extend(missing);
    }

    /// Returns whether an entity is in [`about`](Self::about()), or has a direct relation to such an entity.
    pub fn contains(&self, id: &EntityId) -> bool {
        self.in_scope.contains(id)
    }

    /// Returns, for each candidate, whether it is in the scope.
    pub(crate) fn marks(&self, view: &View, index: &Index, candidates: &Candidates) -> Vec<bool> {
        let mut marks = vec![false; candidates.len()];
        for about in &self.about {
            mark_mentions(view, index, candidates, about, &mut marks);
            mark_spoken_passages(view, index, candidates, about, &mut marks);
        }
        for (at, mark) in marks.iter_mut().enumerate() {
            *mark |= match candidates.id(at) {
                DocId::Fact(id) => view.fact(id).is_some_and(|known| {
                    let is_lore = *known.predicate() == *attribute::LORE;
                    let mut ends = std::iter::once(known.subject()).chain(known.object().entity());
                    (!is_lore && ends.any(|id| self.contains(id)))
                        || (self.with_annotations && known.entities().any(|id| self.contains(id)))
                }),
                DocId::Passage(id) => view.passage(id).filter(|_| self.with_annotations).is_some_and(|heard| {
                    let passage = &heard.passage;
                    passage.mentions.iter().chain(&passage.place).chain(&passage.document).any(|id| self.contains(id))
                }),
            };
        }
        let facts_in_scope = (0..candidates.facts).filter(|at| marks[*at]);
        let evidence_passages: Vec<DocId> =
            facts_in_scope.flat_map(|at| candidates.doc(at).evidence.iter().map(|id| DocId::Passage(*id))).collect();
        for id in evidence_passages {
            if let Some(at) = index.text_number(id).and_then(|text_number| candidates.at(text_number)) {
                marks[at] = true;
            }
        }
        marks
    }
}
