//! Knowledge edges: links from knowers to the facts that they know.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Acquisition, Justification, Knower};
use crate::{Credence, Date, EntityId, FactId, GameTime, KnowledgeId, Reference, Rename, SessionId};

/// Link from a knower to a fact that the knower knows. The link records how the knower learned the fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeEdge {
    /// The knower: a character, a group, a place or the world.
    pub knower: Knower,
    /// The fact that the knower knows.
    pub fact: FactId,
    /// How the knower learned the fact.
    pub acquisition: Acquisition,
    /// The game time at which the knower learned the fact; `None` means that the knower has always known it.
    pub learned: Option<Date>,
    /// If the edge depends on no other edge, the knower's credence in the fact. Otherwise, a factor from 0 to 1:
    /// Hearsay multiplies the credence that results from the other edges by this factor.
    pub credence: Credence,
    /// Whether the knower keeps the fact secret.
    pub conceals: bool,
    /// The session in which the knower learned the fact; `None` if the knower did not learn it in a session.
    pub session: Option<SessionId>,
    /// The other entities that the knower noticed when the knower learned the fact. If the acquisition is
    /// [shared](Acquisition::Shared), the list contains the entities to which the knower told the fact. Sorted and
    /// unique.
    #[serde(default)]
    pub co_present: Vec<EntityId>,
    /// The justifications of the edge; empty if the edge depends on no other edge. Sorted and unique.
    #[serde(default)]
    pub sources: Vec<Justification>,
    /// The lowest rank that a member of a group needs to know the fact, if the knower is a group. `None` means that all
    /// members know the fact.
    #[serde(default)]
    pub rank: Option<String>,
}

impl KnowledgeEdge {
    /// Creates an edge that the campaign states. The knower has always known the fact, believes it fully, and does not
    /// conceal it.
    pub fn authored(knower: Knower, fact: FactId) -> Self {
        Self {
            knower,
            fact,
            acquisition: Acquisition::Authored,
            learned: None,
            credence: Credence::FULL,
            conceals: false,
            session: None,
            co_present: Vec::new(),
            sources: Vec::new(),
            rank: None,
        }
    }

    /// Returns the id of the edge: a hash of knower, fact, acquisition, time, co-present entities, justifications and
    /// rank.
    ///
    /// If a knower hears a fact from two people, or at two times, there are two edges. The hash contains the ids of the
    /// justifications. Therefore, an edge can depend only on edges that already exist, and never on itself.
    pub fn id(&self) -> KnowledgeId {
        let acquisition = self.acquisition.id_text();
        let learned = self.learned.as_ref().map_or(String::new(), |date| match date.time {
            Some(GameTime(minute)) => minute.to_string(),
            None => format!("? {}", date.raw),
        });
        let fact = self.fact.as_u128().to_be_bytes();
        let mut parts = vec![self.knower.as_str().as_bytes(), &fact, acquisition.as_bytes(), learned.as_bytes()];
        let circumstances = self.circumstances();
        if !circumstances.is_empty() {
            parts.push(circumstances.as_bytes());
        }
        KnowledgeId::from_parts(&parts)
    }

    /// Returns the co-present entities, the justifications and the rank as text. The text is empty if the edge has none
    /// of these.
    fn circumstances(&self) -> String {
        use fmt::Write;
        let mut text = String::new();
        // Writing to a string does not fail.
        for id in &self.co_present {
            let _ = write!(text, "with {id};");
        }
        for source in &self.sources {
            let _ = match source {
                Justification::Basis { fact, edge } => write!(text, "by {fact} {edge};"),
                Justification::Experience { told, seen, held } => write!(text, "seen {told} {seen} {held};"),
            };
        }
        if let Some(rank) = &self.rank {
            let _ = write!(text, "rank {rank};");
        }
        text
    }

    /// Sorts and deduplicates the co-present entities and the justifications. The id is computed from the sorted lists.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.sort();
        self
    }

    fn sort(&mut self) {
        self.co_present.sort();
        self.co_present.dedup();
        self.sources.sort();
        self.sources.dedup();
    }

    /// Returns the game time at which the knower learned the fact. Returns `None` if the knower has always known the
    /// fact, or if the written date is not on the calendar.
    pub fn learned_at(&self) -> Option<GameTime> {
        self.learned.as_ref().and_then(|date| date.time)
    }

    /// Returns whether the edge has a [basis](Justification::Basis): an edge from which the knower has the fact.
    pub fn has_basis(&self) -> bool {
        self.sources.iter().any(|source| matches!(source, Justification::Basis { .. }))
    }

    /// Returns whether the edge records that the knower told others a fact for which it had no source. The knower then
    /// invented the fact.
    pub fn is_invention(&self) -> bool {
        !self.acquisition.gives_knowledge() && !self.has_basis()
    }

    /// Calls `visit` with each reference from the edge to another record.
    ///
    /// For a [basis](Justification::Basis), `visit` is called with its edge but not with its fact, because the edge
    /// already refers to the fact.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.knower.entity().into_iter().for_each(|id| visit(Reference::Entity(id)));
        visit(Reference::Fact(self.fact));
        self.session.iter().for_each(|id| visit(Reference::Session(id)));
        self.acquisition.entities().chain(&self.co_present).for_each(|id| visit(Reference::Entity(id)));
        self.acquisition.premises().into_iter().flatten().for_each(|id| visit(Reference::Fact(*id)));
        let sources = self.sources.iter().flat_map(Justification::edges);
        sources.for_each(|id| visit(Reference::KnowledgeEdge(id)));
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the edge refers to.
    pub fn rename<R: Rename>(&mut self, renaming: &mut R) {
        self.knower.rename(renaming);
        renaming.fact(&mut self.fact);
        self.acquisition.rename(renaming);
        self.session.iter_mut().for_each(|id| renaming.session(id));
        self.co_present.iter_mut().for_each(|id| renaming.entity(id));
        self.sources.iter_mut().for_each(|source| source.rename(renaming));
        if !R::KEEPS_IDS_EQUAL {
            self.sort();
        }
    }
}
