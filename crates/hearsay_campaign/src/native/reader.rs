//! The state of the reader while it reads a campaign.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hearsay_model::{Calendar, EntityId, FactId, Knower, Predicate, Reveal, Session, SessionId, Vocabulary};

use super::{
    drafts::{FlagDeclarations, HandleReference, PendingFact, UnparsedNode},
    entity_index::EntityIndex,
};
use crate::{
    campaign::{CampaignFact, CampaignPassage},
    error::{Diagnostics, SourcePosition},
};

/// Collects the records of a campaign from its files.
#[derive(Debug)]
pub(super) struct CampaignReader {
    pub(super) diagnostics: Diagnostics,
    pub(super) index: EntityIndex,
    pub(super) vocabulary: Vocabulary,
    pub(super) calendar: Calendar,
    /// Whether the calendar is valid. If the calendar is invalid, dates are not read, because each date would cause
    /// another error.
    pub(super) is_calendar_valid: bool,
    pub(super) source: String,
    pub(super) facts: Vec<CampaignFact>,
    /// The first position of each fact in the files.
    pub(super) fact_positions: Vec<SourcePosition>,
    pub(super) fact_indices: HashMap<FactId, usize>,
    pub(super) handles: HashMap<String, (usize, SourcePosition)>,
    pub(super) handle_references: Vec<HandleReference>,
    /// Facts that are not built yet, because they have a relation to another fact.
    pub(super) pending_facts: Vec<PendingFact>,
    /// For each public version of a secret, its index and the index of the secret.
    pub(super) covers: Vec<(usize, usize)>,
    /// For each rumour and lie, its index and the handles of the facts that it contradicts.
    pub(super) contradicted_handles: Vec<(usize, String)>,
    pub(super) pending_opposites: Vec<(Predicate, SourcePosition, String)>,
    /// Positions of the definitions of relations and attributes.
    pub(super) definitions: HashMap<Predicate, SourcePosition>,
    pub(super) passages: Vec<CampaignPassage>,
    pub(super) passage_ids: HashMap<String, SourcePosition>,
    pub(super) sessions: Vec<Session>,
    pub(super) session_ids: HashMap<SessionId, SourcePosition>,
    pub(super) flags: FlagDeclarations,
    /// Reveals that are not parsed yet, each with the index of its fact.
    pub(super) pending_reveals: Vec<(usize, UnparsedNode)>,
    pub(super) reveals: Vec<Reveal>,
    /// The knowers of each entity with restricted visibility.
    pub(super) restricted_knowers: BTreeMap<EntityId, Vec<Knower>>,
    /// Predicates and attributes that already caused a warning.
    pub(super) undeclared: BTreeSet<Predicate>,
}

impl CampaignReader {
    pub(super) fn new(diagnostics: Diagnostics) -> Self {
        Self {
            diagnostics,
            index: EntityIndex::default(),
            vocabulary: Vocabulary::default(),
            calendar: Calendar::default(),
            is_calendar_valid: true,
            source: String::new(),
            facts: Vec::new(),
            fact_positions: Vec::new(),
            fact_indices: HashMap::new(),
            handles: HashMap::new(),
            handle_references: Vec::new(),
            pending_facts: Vec::new(),
            covers: Vec::new(),
            contradicted_handles: Vec::new(),
            pending_opposites: Vec::new(),
            definitions: HashMap::new(),
            passages: Vec::new(),
            passage_ids: HashMap::new(),
            sessions: Vec::new(),
            session_ids: HashMap::new(),
            flags: FlagDeclarations::new(),
            pending_reveals: Vec::new(),
            reveals: Vec::new(),
            restricted_knowers: BTreeMap::new(),
            undeclared: BTreeSet::new(),
        }
    }
}
