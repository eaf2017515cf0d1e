//! The state of the reader while it reads a campaign.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hearsay_model::{Calendar, EntityId, FactId, Knower, Predicate, Reveal, Session, SessionId, Vocabulary};

use super::{
    drafts::{Flags, Later, Unbuilt, Written},
    index::Index,
};
use crate::{
    campaign::{Stated, Text},
    error::{Faults, Place},
};

/// Collects the records of a campaign from its files.
#[derive(Debug)]
pub(super) struct CampaignReader {
    pub(super) faults: Faults,
    pub(super) index: Index,
    pub(super) vocabulary: Vocabulary,
    pub(super) calendar: Calendar,
    /// Whether the calendar is valid. If it is invalid, dates are not read, because each of them would cause another
    /// error.
    pub(super) calendar_is_sound: bool,
    pub(super) source: String,
    pub(super) facts: Vec<Stated>,
    /// The first position of each fact in the files.
    pub(super) spots: Vec<Place>,
    pub(super) by_id: HashMap<FactId, usize>,
    pub(super) handles: HashMap<String, (usize, Place)>,
    pub(super) later: Vec<Later>,
    /// Facts that are not built yet, because they have a relation to another fact.
    pub(super) unbuilt: Vec<Unbuilt>,
    /// For each public version of a secret, its index and the index of the secret.
    pub(super) covers: Vec<(usize, usize)>,
    pub(super) unread_opposites: Vec<(Predicate, Place, String)>,
    pub(super) passages: Vec<Text>,
    pub(super) passage_ids: HashMap<String, Place>,
    pub(super) sessions: Vec<Session>,
    pub(super) session_ids: HashMap<SessionId, Place>,
    pub(super) flags: Flags,
    /// Reveals that are not parsed yet, each with the index of its fact.
    pub(super) unread_reveals: Vec<(usize, Written)>,
    pub(super) reveals: Vec<Reveal>,
    /// The knowers of each entity with restricted visibility.
    pub(super) seen_by: BTreeMap<EntityId, Vec<Knower>>,
    /// Predicates and attributes that already caused a warning.
    pub(super) undeclared: BTreeSet<Predicate>,
}

impl CampaignReader {
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            faults,
            index: Index::default(),
            vocabulary: Vocabulary::default(),
            calendar: Calendar::default(),
            calendar_is_sound: true,
            source: String::new(),
            facts: Vec::new(),
            spots: Vec::new(),
            by_id: HashMap::new(),
            handles: HashMap::new(),
            later: Vec::new(),
            unbuilt: Vec::new(),
            covers: Vec::new(),
            unread_opposites: Vec::new(),
            passages: Vec::new(),
            passage_ids: HashMap::new(),
            sessions: Vec::new(),
            session_ids: HashMap::new(),
            flags: Flags::new(),
            unread_reveals: Vec::new(),
            reveals: Vec::new(),
            seen_by: BTreeMap::new(),
            undeclared: BTreeSet::new(),
        }
    }
}
