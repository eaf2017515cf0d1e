//! Queries on the state.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    State,
    rows::{Hop, Indices, NameRow, Order},
    shared::Iter,
};
use crate::{
    ActiveSession, ApplyError, AudienceRules, Calendar, CalibrationSettings, CampaignInfo, EngineSetting, Entity,
    EntityId, Fact, FactId, GameSetting, GameTime, Key, Knower, KnowledgeEdge, KnowledgeId, MindRules, Position,
    Predicate, RecapReader, Reveal, ReviewSetting, Session, SessionId, SessionSetting, Setting, SettingKey, Value,
    Vocabulary, WorldSetting,
};

/// Relation between two entities, seen from one of them.
///
/// A link is small. Its methods look up the fact and the other entity only when you call them.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    state: &'a State,
    fact: &'a Arc<Fact>,
    hop: Hop,
}

impl<'a> Link<'a> {
    /// Returns the fact that states the relation.
    pub fn fact(&self) -> &'a Arc<Fact> {
        self.fact
    }

    /// Returns the entity at the other end of the relation.
    pub fn other(&self) -> &'a EntityId {
        &self.state.ids[self.hop.other() as usize]
    }

    /// Returns the dense index of the entity at the other end of the relation, for [`State::links_at`].
    pub fn other_index(&self) -> u32 {
        self.hop.other()
    }

    /// Returns whether the entity from which the relation is seen is the subject of the relation. If `false`, this
    /// entity is the object.
    pub fn is_forward(&self) -> bool {
        self.hop.is_forward()
    }
}

/// Knowledge edge together with its fact.
#[derive(Debug, Clone, Copy)]
pub struct KnownFact<'a> {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The knowledge edge.
    pub edge: &'a Arc<KnowledgeEdge>,
    /// The dense index of the fact in the state.
    pub index: u32,
    /// The fact that the edge leads to.
    pub fact: &'a Arc<Fact>,
}

fn default_calendar() -> &'static Calendar {
    static DEFAULT: std::sync::LazyLock<Calendar> = std::sync::LazyLock::new(Calendar::default);
    &DEFAULT
}

impl State {
    /// Returns an entity; `None` if it does not exist.
    pub fn entity(&self, id: &EntityId) -> Option<&Arc<Entity>> {
        self.entities.get(id)?.record.value.as_ref()
    }

    /// Returns all entities, sorted by id.
    pub fn entities(&self) -> impl Iterator<Item = &Arc<Entity>> {
        let visible = self.entities.rows().filter_map(|(_, row)| Some((&row.id, row.record.value.as_ref()?)));
        visible.collect::<BTreeMap<_, _>>().into_values()
    }

    /// Returns the number of entities.
    pub fn entity_count(&self) -> usize {
        self.entities.rows().filter(|(_, row)| row.record.value.is_some()).count()
    }

    /// Returns a fact with any status; `None` if it does not exist.
    pub fn fact(&self, id: FactId) -> Option<&Arc<Fact>> {
        self.fact_at(self.facts.find(&id)?)
    }

    /// Returns a fact as it was first recorded, even if the operation that recorded it was reverted.
    pub fn asserted(&self, id: FactId) -> Option<&Arc<Fact>> {
        let row = self.facts.get(&id)?;
        if row.transient {
            return row.record.value.as_ref();
        }
        let write = row.record.writes.iter().next()?;
        self.journal[write.operation as usize].operation.changes[write.change as usize].fact()
    }

    /// Returns whether a fact was retracted and has not been asserted again.
    pub fn is_retracted(&self, id: FactId) -> bool {
        let Some(row) = self.facts.get(&id) else { return false };
        let change = |write: super::rows::Write| {
            let entry = &self.journal[write.operation as usize];
            entry.live.then(|| &entry.operation.changes[write.change as usize])
        };
        let is_decision =
            |change: &&crate::Change| matches!(change, crate::Change::AssertFact(_) | crate::Change::RetractFact(_));
        let last = row.record.writes.iter().rev().filter_map(change).find(is_decision);
        matches!(last, Some(crate::Change::RetractFact(_)))
    }

    /// Returns all facts, with any status, sorted by id.
    pub fn facts(&self) -> impl Iterator<Item = &Arc<Fact>> {
        self.indexed_facts().map(|(_, fact)| fact)
    }

    /// Returns all facts with their dense indices, sorted by id. A dense index is a small number that is valid for the
    /// lifetime of this state.
    pub fn indexed_facts(&self) -> impl Iterator<Item = (u32, &Arc<Fact>)> {
        // Sorting a contiguous array of ids avoids an access to each row per comparison.
        let rows = self.facts.rows().filter(|(index, _)| self.fact_at(*index).is_some());
        let mut order: Vec<(FactId, u32)> = rows.map(|(index, row)| (row.id, index)).collect();
        order.sort_unstable();
        order.into_iter().filter_map(|(_, index)| Some((index, self.fact_at(index)?)))
    }

    /// Returns the dense index of a fact; `None` if the fact does not exist.
    pub fn fact_index(&self, id: FactId) -> Option<u32> {
        self.facts.find(&id).filter(|index| self.fact_at(*index).is_some())
    }

    /// Returns the number of facts.
    pub fn fact_count(&self) -> usize {
        self.shown.iter().count()
    }

    /// Returns the facts that have an entity as subject, object or mention, in arbitrary order.
    pub fn facts_of<'a>(&'a self, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
        self.entities.get(id).into_iter().flat_map(|entity| {
            // A repeated assertion may have removed the entity from the mentions.
            let facts = entity.facts.iter().filter_map(|index| self.fact_at(index));
            facts.filter(|fact| fact.entities().any(|id| *id == entity.id))
        })
    }

    /// Returns the facts with this handle. Several facts have the same handle only if they come from different sources.
    pub fn facts_by_handle<'a>(&'a self, handle: &str) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
        self.handles.get(handle).into_iter().flat_map(|NameRow { name: handle, facts }| {
            // A repeated assertion may have changed the handle.
            facts.iter().filter_map(|index| self.fact_at(index)).filter(move |fact| fact.handle() == Some(handle))
        })
    }

    /// Returns the dense index of an entity: a small number that is valid for the lifetime of this state. Returns
    /// `None` if no entity ever had this id.
    pub fn index_of(&self, id: &EntityId) -> Option<u32> {
        self.entities.find(id).filter(|&index| self.entities.at(index).record.value.is_some())
    }

    /// Returns the relations from and to an entity, in arbitrary order.
    pub fn links(&self, id: &EntityId) -> impl Iterator<Item = Link<'_>> {
        self.entities.find(id).into_iter().flat_map(|index| self.links_at(index))
    }

    /// Returns the relations from and to the entity at a dense index. This method is faster than
    /// [`links`](Self::links), because it needs no lookup of an id.
    pub fn links_at(&self, index: u32) -> impl Iterator<Item = Link<'_>> {
        self.hops_at(index).iter().filter_map(|hop| {
            let fact = self.fact_at(hop.fact())?;
            Some(Link { state: self, fact, hop: *hop })
        })
    }

    /// Returns the relations from or to the entity at a dense index. Each relation is a [`Hop`], which contains dense
    /// indices instead of ids. Relations that are no longer part of the state, such as retracted relations, are
    /// included.
    ///
    /// Use this method for graph searches, which inspect many relations but use only a few of them.
    #[inline]
    pub fn hops_at(&self, index: u32) -> &[Hop] {
        self.hops.get(index as usize).map_or(&[], |hops| hops)
    }

    /// Returns whether the fact at a dense index exists, is canon or claimed, and has no end date. Graph searches for
    /// the DM follow only relations that are in effect.
    #[inline]
    pub fn is_in_effect_at(&self, fact: u32) -> bool {
        self.in_effect.get(fact as usize)
    }

    /// Returns whether the fact of the relation `a` has a smaller id than the fact of the relation `b`.
    #[inline]
    pub fn is_before(&self, a: Hop, b: Hop) -> bool {
        let id = |hop: Hop| self.facts.at(hop.fact()).id;
        a.key < b.key || (a.key == b.key && id(a) < id(b))
    }

    /// Returns the fact at a dense index; `None` if there is no such fact.
    #[inline]
    pub fn fact_at(&self, index: u32) -> Option<&Arc<Fact>> {
        self.shown.get(index as usize)
    }

    /// Returns the id of the entity at a dense index; `None` if no entity ever had this index.
    #[inline]
    pub fn id_at(&self, index: u32) -> Option<&EntityId> {
        self.ids.get(index as usize)
    }

    /// Returns the dense index of a predicate; `None` if no fact ever had this predicate.
    pub fn predicate_index(&self, predicate: &Predicate) -> Option<u32> {
        self.predicates.find(predicate)
    }

    fn order(&self) -> &Order {
        self.order.get_or_init(|| {
            let mut indices: Vec<u32> = (0..self.ids.len() as u32).collect();
            indices.sort_unstable_by_key(|&index| &self.ids[index as usize]);
            let mut ranks = vec![0; indices.len()];
            for (rank, index) in indices.iter().enumerate() {
                ranks[*index as usize] = rank as u32;
            }
            Arc::new(Order { ranks, indices })
        })
    }

    /// Returns the rank of each entity: the position of the entity, counted from 0, in a list of all entities sorted by
    /// id. The slice is indexed by the dense index of the entity. Sorting entities by rank gives the same order as
    /// sorting them by id, but is faster.
    #[inline]
    pub fn ranks(&self) -> &[u32] {
        &self.order().ranks
    }

    /// Returns the dense indices of the entities, sorted by the ids of the entities.
    #[inline]
    pub fn by_rank(&self) -> &[u32] {
        &self.order().indices
    }

    /// Returns the [rank](Self::ranks) of the entity at a dense index; `u32::MAX` if no entity has this index.
    pub fn rank_at(&self, index: u32) -> u32 {
        self.ranks().get(index as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the number of dense indices that were assigned to entities. Indices of removed entities are included.
    #[inline]
    pub fn index_count(&self) -> usize {
        self.entities.index_count()
    }

    /// Returns a knowledge edge if it is active. Returns `None` for an inactive edge, such as an edge to a proposed or
    /// rejected fact.
    pub fn knowledge(&self, id: KnowledgeId) -> Option<&Arc<KnowledgeEdge>> {
        self.knowledge.get(&id).filter(|row| row.shown)?.record.value.as_ref()
    }

    fn edges<'a>(
        &'a self,
        indices: Option<&'a Indices>,
    ) -> impl Iterator<Item = (KnowledgeId, &'a Arc<KnowledgeEdge>)> {
        let indices = indices.map_or_else(Iter::default, Indices::iter);
        let rows = indices.map(|index| self.knowledge.at(index)).filter(|row| row.shown);
        rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)))
    }

    /// Returns the active edges from a knower, in arbitrary order. Edges from the knower's groups and places are not
    /// included.
    pub fn knowledge_of(&self, knower: &Knower) -> impl Iterator<Item = &Arc<KnowledgeEdge>> {
        self.edges_of(knower).map(|(_, edge)| edge)
    }

    /// Returns the same edges as [`knowledge_of`](Self::knowledge_of), each with its id. This is faster than computing
    /// the ids from the edges.
    pub fn edges_of(&self, knower: &Knower) -> impl Iterator<Item = (KnowledgeId, &Arc<KnowledgeEdge>)> {
        self.edges(self.edge_indices(knower))
    }

    /// Returns the dense indices of all edges that a knower ever had, including hidden edges.
    fn edge_indices(&self, knower: &Knower) -> Option<&Indices> {
        match knower {
            Knower::World => Some(&self.common),
            Knower::Entity(id) => self.entities.get(id).map(|row| &row.knows),
        }
    }

    /// Returns the active edges from a knower, each with its fact and the dense index of the fact.
    ///
    /// The dense index of a fact is a small number that is valid for the lifetime of this state.
    pub fn known_facts<'a>(&'a self, knower: &Knower) -> impl Iterator<Item = KnownFact<'a>> + use<'a> {
        let indices = self.edge_indices(knower).map_or_else(Iter::default, Indices::iter);
        let rows = indices.map(|index| self.knowledge.at(index)).filter(|row| row.shown);
        rows.filter_map(|row| {
            let index = row.fact?;
            let fact = self.fact_at(index)?;
            Some(KnownFact { id: row.id, edge: row.record.value.as_ref()?, index, fact })
        })
    }

    /// Returns the active edges to a fact, in arbitrary order.
    pub fn known_by(&self, fact: FactId) -> impl Iterator<Item = &Arc<KnowledgeEdge>> {
        self.edges_to(fact).map(|(_, edge)| edge)
    }

    /// Returns the same edges as [`known_by`](Self::known_by), each with its id.
    pub fn edges_to(&self, fact: FactId) -> impl Iterator<Item = (KnowledgeId, &Arc<KnowledgeEdge>)> {
        self.edges(self.facts.get(&fact).map(|row| &row.known_by))
    }

    /// Returns the recorded edges to a fact. This includes edges that are inactive because the fact is proposed or
    /// rejected.
    pub fn recorded_knowledge(&self, fact: FactId) -> impl Iterator<Item = &Arc<KnowledgeEdge>> {
        self.recorded_edges(fact).map(|(_, edge)| edge)
    }

    /// Returns the same edges as [`recorded_knowledge`](Self::recorded_knowledge), each with its id. This is faster
    /// than computing the ids from the edges.
    pub fn recorded_edges(&self, fact: FactId) -> impl Iterator<Item = (KnowledgeId, &Arc<KnowledgeEdge>)> {
        let indices = self.facts.get(&fact).map_or_else(Iter::default, |row| row.known_by.iter());
        let rows = indices.map(|index| self.knowledge.at(index));
        rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)))
    }

    /// Returns the active edges that depend on an edge, each with its id, in arbitrary order.
    pub fn dependent_edges(&self, id: KnowledgeId) -> impl Iterator<Item = (KnowledgeId, &Arc<KnowledgeEdge>)> {
        self.edges(self.knowledge.get(&id).map(|row| &row.dependents))
    }

    /// Returns the state at an earlier journal position: the result of all operations up to this position.
    ///
    /// # Errors
    /// Returns an error if the position lies after the newest operation, or before the [compaction
    /// point](Self::compacted_to).
    pub fn at(&self, position: Position) -> Result<Self, ApplyError> {
        if position > self.position() {
            return Err(ApplyError::FuturePosition { given: position, newest: self.position() });
        }
        if position < self.compacted_to() {
            return Err(ApplyError::Compacted { given: position, to: self.compacted_to() });
        }
        let mut state = Self::default();
        for (at, entry) in self.journal().take_while(|(at, _)| *at <= position) {
            if at <= self.compacted_to() {
                _ = state.apply_compacted(at, Arc::clone(&entry.operation));
            } else {
                state.advance_compaction(self.compacted_to());
                state.apply_checked(Arc::clone(&entry.operation));
            }
        }
        state.advance_compaction(self.compacted_to());
        Ok(state)
    }

    /// Returns all active edges with their ids, sorted by id.
    pub fn all_knowledge(&self) -> impl Iterator<Item = (KnowledgeId, &Arc<KnowledgeEdge>)> {
        let visible = self.knowledge.rows().map(|(_, row)| (row.id, row)).filter(|(_, row)| row.shown);
        let mut edges: Vec<_> = visible.filter_map(|(id, row)| Some((id, row.record.value.as_ref()?))).collect();
        edges.sort_unstable_by_key(|(id, _)| *id);
        edges.into_iter()
    }

    /// Returns a session; `None` if it does not exist.
    pub fn session(&self, id: &SessionId) -> Option<&Arc<Session>> {
        self.sessions.get(id)?.value.as_ref()
    }

    /// Returns all sessions, sorted by id.
    pub fn sessions(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.values().filter_map(|row| row.value.as_ref())
    }

    /// Returns all settings that apply, sorted by key.
    ///
    /// A reveal does not apply while a fact, an entity or a flag that it names does not exist. The settings
    /// [`ActiveSession`] and [`EditedRecap`](crate::EditedRecap) do not apply while their session does not exist.
    pub fn settings(&self) -> impl Iterator<Item = &Arc<Setting>> {
        self.settings.values().filter_map(|row| row.value.as_ref()).filter(|setting| self.is_active(setting))
    }

    pub(super) fn setting(&self, key: &SettingKey) -> Option<&Setting> {
        self.settings.get(key)?.value.as_deref().filter(|setting| self.is_active(setting))
    }

    fn is_active(&self, setting: &Setting) -> bool {
        let reveal = match setting {
            Setting::Game(GameSetting::Reveal(reveal)) => reveal,
            Setting::Session(setting) => return self.session(setting.session()).is_some(),
            _ => return true,
        };
        reveal.facts().all(|id| self.fact(id).is_some())
            && reveal.entities().all(|id| self.entity(id).is_some())
            && reveal
                .when
                .flags()
                .all(|(name, value)| self.flag(name).is_some_and(|current| current.kind() == value.kind()))
    }

    /// Returns the reveals that apply, sorted by id. A reveal does not apply while a fact, an entity or a flag that it
    /// names does not exist.
    pub fn reveals(&self) -> impl Iterator<Item = &Reveal> {
        let settings = self.settings.range(&SettingKey::Reveal(String::new()), SettingKey::Flag(String::new()));
        settings.filter_map(|row| row.value.as_deref()).filter_map(|setting| match setting {
            Setting::Game(GameSetting::Reveal(reveal)) if self.is_active(setting) => Some(reveal),
            _ => None,
        })
    }

    /// Returns the [reveals that apply](Self::reveals) to a secret fact.
    pub fn reveals_of(&self, fact: FactId) -> impl Iterator<Item = &Reveal> {
        self.reveals().filter(move |reveal| reveal.fact == fact)
    }

    /// Returns the declared flags of the game, sorted by name.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &Value)> {
        let settings = self.settings.range(&SettingKey::Flag(String::new()), SettingKey::Learning);
        settings.filter_map(|row| match row.value.as_deref() {
            Some(Setting::Game(GameSetting::Flag { name, value })) => Some((name.as_str(), value)),
            _ => None,
        })
    }

    /// Returns the value of a flag of the game; `None` if the flag is not declared.
    pub fn flag(&self, name: &str) -> Option<&Value> {
        match self.settings.get(&SettingKey::Flag(name.to_owned()))?.value.as_deref() {
            Some(Setting::Game(GameSetting::Flag { value, .. })) => Some(value),
            _ => None,
        }
    }

    /// Returns the vocabulary: the definitions of all relations and attributes of the campaign.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Returns whether a predicate has at most one object or value per subject at a time.
    pub fn is_functional(&self, name: &Predicate) -> bool {
        self.vocabulary.is_functional(name)
    }

    /// Returns the calendar of the campaign.
    pub fn calendar(&self) -> &Calendar {
        match self.setting(&SettingKey::Calendar) {
            Some(Setting::World(WorldSetting::Calendar(calendar))) => calendar,
            _ => default_calendar(),
        }
    }

    /// Returns the current game time; `None` if the game clock is not set.
    pub fn clock(&self) -> Option<GameTime> {
        match self.setting(&SettingKey::Clock) {
            Some(Setting::Game(GameSetting::Clock(time))) => Some(*time),
            _ => None,
        }
    }

    /// Returns the session in progress with the current scene; `None` between sessions.
    pub fn active_session(&self) -> Option<&ActiveSession> {
        match self.setting(&SettingKey::Playing) {
            Some(Setting::Session(SessionSetting::Playing(playing))) => Some(playing),
            _ => None,
        }
    }

    /// Returns the recap that the DM edited for a session and a reader; `None` if there is none.
    pub fn recap(&self, session: &SessionId, reader: RecapReader) -> Option<&str> {
        match self.setting(&SettingKey::Recap(session.clone(), reader)) {
            Some(Setting::Session(SessionSetting::Recap(recap))) => Some(&recap.text),
            _ => None,
        }
    }

    /// Returns the description of the campaign; `None` if it is not set.
    pub fn campaign(&self) -> Option<&CampaignInfo> {
        match self.setting(&SettingKey::Campaign) {
            Some(Setting::World(WorldSetting::Campaign(info))) => Some(info),
            _ => None,
        }
    }

    /// Returns the audience rules, which decide who knows a fact if its author names no knowers. The rules apply only
    /// to facts that are neither common nor secret.
    pub fn audience_rules(&self) -> AudienceRules {
        match self.setting(&SettingKey::Audience) {
            Some(Setting::World(WorldSetting::Audience(rules))) => rules.clone(),
            _ => AudienceRules::default(),
        }
    }

    /// Returns the rules that decide how characters forget, how they distort rumours and lose interest in them, and how
    /// long their feelings last.
    pub fn mind_rules(&self) -> MindRules {
        match self.setting(&SettingKey::Minds) {
            Some(Setting::World(WorldSetting::Minds(rules))) => *rules,
            _ => MindRules::default(),
        }
    }

    /// Returns the hash of all files that the last import from a source read; `None` if there was no import.
    pub fn imported(&self, source: &str) -> Option<&str> {
        match self.setting(&SettingKey::Imported(source.to_owned())) {
            Some(Setting::Engine(EngineSetting::Imported { digest, .. })) => Some(digest),
            _ => None,
        }
    }

    /// Returns the journal position up to which extraction has processed the texts.
    pub fn extracted_up_to(&self) -> Position {
        match self.setting(&SettingKey::Read) {
            Some(Setting::Engine(EngineSetting::ExtractedUpTo(position))) => *position,
            _ => Position(0),
        }
    }

    /// Returns the id of the sentence encoder that computes the vectors of the campaign; `None` if it is not set.
    pub fn model(&self) -> Option<&str> {
        match self.setting(&SettingKey::Model) {
            Some(Setting::Engine(EngineSetting::Model(id))) => Some(id),
            _ => None,
        }
    }

    /// Returns the settings of trust calibration. If they are not set, returns the default: trust calibration is
    /// enabled.
    pub fn calibration_settings(&self) -> std::borrow::Cow<'_, CalibrationSettings> {
        match self.setting(&SettingKey::Learning) {
            Some(Setting::Review(ReviewSetting::Learning(learning))) => std::borrow::Cow::Borrowed(learning),
            _ => std::borrow::Cow::Owned(CalibrationSettings::default()),
        }
    }

    /// Returns whether the DM decided that two entities are different.
    pub fn are_distinct(&self, a: &EntityId, b: &EntityId) -> bool {
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        self.setting(&SettingKey::Distinct(first.clone(), second.clone())).is_some()
    }

    /// Returns the entity into which a removed entity was merged; `None` if it was not merged.
    pub fn merged_into(&self, gone: &EntityId) -> Option<&EntityId> {
        match self.setting(&SettingKey::Merged(gone.clone())) {
            Some(Setting::Review(ReviewSetting::Merged { into, .. })) => Some(into),
            _ => None,
        }
    }

    /// Returns whether a record exists. For a knowledge edge, returns whether the edge is active. For a setting,
    /// returns whether the setting applies.
    pub fn shows(&self, key: &Key) -> bool {
        match key {
            Key::Entity(id) => self.entity(id).is_some(),
            Key::Fact(id) => self.fact(*id).is_some(),
            Key::KnowledgeEdge(id) => self.knowledge(*id).is_some(),
            Key::Passage(id) => self.passage(*id).is_some(),
            Key::Session(id) => self.session(id).is_some(),
            Key::Setting(key) => self.setting(key).is_some(),
        }
    }

    /// Returns whether a record has the same value in another state.
    pub(super) fn has_equal_record(&self, other: &Self, key: &Key) -> bool {
        match key {
            Key::Entity(id) => self.entity(id) == other.entity(id),
            Key::Fact(id) => self.fact(*id) == other.fact(*id),
            Key::KnowledgeEdge(id) => self.knowledge(*id) == other.knowledge(*id),
            Key::Passage(id) => self.passage(*id) == other.passage(*id),
            Key::Session(id) => self.session(id) == other.session(id),
            Key::Setting(key) => self.setting(key) == other.setting(key),
        }
    }
}
