//! Reading the state.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    State,
    rows::{Hop, Indices, NameRow, Order},
    shared::Iter,
};
use crate::{
    ApplyError, AudienceRules, Author, Calendar, CampaignInfo, Entity, EntityId, Fact, FactId, GameTime, Key, Knower,
    Knowledge, KnowledgeId, Learning, Passage, PassageId, Playing, Position, Predicate, Reveal, Session, SessionId,
    Setting, SettingKey, Value, Vocabulary,
};

/// A relation as seen from one of its ends. Small and lazy: a walk looks at many and keeps few.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    state: &'a State,
    fact: &'a Arc<Fact>,
    hop: Hop,
}

impl<'a> Link<'a> {
    /// The relation.
    pub fn fact(&self) -> &'a Arc<Fact> {
        self.fact
    }

    /// The entity at the other end.
    pub fn other(&self) -> &'a EntityId {
        &self.state.ids[self.hop.other() as usize]
    }

    /// Dense index of the other entity, for [`State::links_at`].
    pub fn other_index(&self) -> u32 {
        self.hop.other()
    }

    /// Whether the entity that was asked about is the subject.
    pub fn is_forward(&self) -> bool {
        self.hop.is_forward()
    }
}

/// An edge of knowledge with the fact that it leads to.
#[derive(Debug, Clone, Copy)]
pub struct KnownFact<'a> {
    /// The edge's id.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: &'a Arc<Knowledge>,
    /// The fact's dense index.
    pub index: u32,
    /// The fact.
    pub fact: &'a Arc<Fact>,
}

fn plain() -> &'static Calendar {
    static PLAIN: std::sync::LazyLock<Calendar> = std::sync::LazyLock::new(Calendar::default);
    &PLAIN
}

impl State {
    /// An entity.
    pub fn entity(&self, id: &EntityId) -> Option<&Arc<Entity>> {
        self.entities.get(id)?.record.value.as_ref()
    }

    /// All entities, by id.
    pub fn entities(&self) -> impl Iterator<Item = &Arc<Entity>> {
        let shown = self.entities.rows().filter_map(|(_, row)| Some((&row.id, row.record.value.as_ref()?)));
        shown.collect::<BTreeMap<_, _>>().into_values()
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.entities.rows().filter(|(_, row)| row.record.value.is_some()).count()
    }

    /// A fact, whatever its standing.
    pub fn fact(&self, id: FactId) -> Option<&Arc<Fact>> {
        self.fact_at(self.facts.find(&id)?)
    }

    /// A fact as it was first asserted, whether it counts any more or not: what its id stands for.
    pub fn asserted(&self, id: FactId) -> Option<&Arc<Fact>> {
        let row = self.facts.get(&id)?;
        if row.transient {
            return row.record.value.as_ref();
        }
        let write = row.record.writes.iter().next()?;
        match &self.journal[write.operation as usize].operation.changes[write.change as usize] {
            crate::Change::AssertFact(fact) | crate::Change::Support(fact) => Some(fact),
            _ => None,
        }
    }

    /// Whether somebody said of a fact that it never was so, and nobody has said it since.
    pub fn is_retracted(&self, id: FactId) -> bool {
        let Some(row) = self.facts.get(&id) else { return false };
        let change = |write: super::rows::Write| {
            let entry = &self.journal[write.operation as usize];
            entry.live.then(|| &entry.operation.changes[write.change as usize])
        };
        let decides =
            |change: &&crate::Change| matches!(change, crate::Change::AssertFact(_) | crate::Change::RetractFact(_));
        let last = row.record.writes.iter().rev().filter_map(change).find(decides);
        matches!(last, Some(crate::Change::RetractFact(_)))
    }

    /// All facts, by id, whatever their standing.
    pub fn facts(&self) -> impl Iterator<Item = &Arc<Fact>> {
        self.indexed_facts().map(|(_, fact)| fact)
    }

    /// All facts, by id, each with its dense index: a small number that stays valid as long as this state lives.
    pub fn indexed_facts(&self) -> impl Iterator<Item = (u32, &Arc<Fact>)> {
        // Ids are compared where they lie side by side.
        let rows = self.facts.rows().filter(|(index, _)| self.fact_at(*index).is_some());
        let mut order: Vec<(FactId, u32)> = rows.map(|(index, row)| (row.id, index)).collect();
        order.sort_unstable();
        order.into_iter().filter_map(|(_, index)| Some((index, self.fact_at(index)?)))
    }

    /// The dense index of a fact, if it is there.
    pub fn fact_index(&self, id: FactId) -> Option<u32> {
        self.facts.find(&id).filter(|index| self.fact_at(*index).is_some())
    }

    /// How many facts there are.
    pub fn fact_count(&self) -> usize {
        self.shown.iter().count()
    }

    /// The facts that have an entity as subject or object, or mention it. In no order that means anything.
    pub fn facts_of<'a>(&'a self, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
        self.entities.get(id).into_iter().flat_map(|entity| {
            // A fact that was asserted again may mention fewer than it did.
            let facts = entity.facts.iter().filter_map(|index| self.fact_at(index));
            facts.filter(|fact| fact.entities().any(|id| *id == entity.id))
        })
    }

    /// The facts that carry the author's own name for them: more than one only where several sources use it.
    pub fn facts_by_handle<'a>(&'a self, handle: &str) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
        self.handles.get(handle).into_iter().flat_map(|NameRow { name: handle, facts }| {
            // A fact that was asserted again may have another handle now.
            facts.iter().filter_map(|index| self.fact_at(index)).filter(move |fact| fact.handle() == Some(handle))
        })
    }

    /// The dense index of an entity: a small number that stays valid as long as this state lives.
    pub fn index_of(&self, id: &EntityId) -> Option<u32> {
        self.entities.find(id).filter(|&index| self.entities.at(index).record.value.is_some())
    }

    /// The relations from and to an entity. In no order that means anything.
    pub fn links(&self, id: &EntityId) -> impl Iterator<Item = Link<'_>> {
        self.entities.find(id).into_iter().flat_map(|index| self.links_at(index))
    }

    /// The relations from and to the entity at a dense index. Hops of a walk need no search for names.
    pub fn links_at(&self, index: u32) -> impl Iterator<Item = Link<'_>> {
        self.hops_at(index).iter().filter_map(|hop| {
            let fact = self.fact_at(hop.fact())?;
            Some(Link { state: self, fact, hop: *hop })
        })
    }

    /// The relations that ever led from or to the entity at a dense index, in numbers alone: those too that are not to be
    /// seen. For a walk that looks at many and keeps few.
    #[inline]
    pub fn hops_at(&self, index: u32) -> &[Hop] {
        self.hops.get(index as usize).map_or(&[], |hops| hops)
    }

    /// Whether the fact at a dense index is there, canon or claimed, and holds now: what the DM's walks follow.
    #[inline]
    pub fn stands_at(&self, fact: u32) -> bool {
        self.stands.get(fact as usize)
    }

    /// Of two relations, whether the first has the smaller id.
    #[inline]
    pub fn is_before(&self, a: Hop, b: Hop) -> bool {
        let id = |hop: Hop| self.facts.at(hop.fact()).id;
        a.key < b.key || (a.key == b.key && id(a) < id(b))
    }

    /// The fact at a dense index, if it is there.
    #[inline]
    pub fn fact_at(&self, index: u32) -> Option<&Arc<Fact>> {
        self.shown.get(index as usize)
    }

    /// The id of the entity at a dense index.
    #[inline]
    pub fn id_at(&self, index: u32) -> Option<&EntityId> {
        self.ids.get(index as usize)
    }

    /// The dense index of a predicate, if any fact ever had it.
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

    /// The places of the entities in the order of ids, by dense index: sorting by them is sorting by id, without a look at
    /// one.
    #[inline]
    pub fn ranks(&self) -> &[u32] {
        &self.order().ranks
    }

    /// The dense indices of the entities in the order of ids.
    #[inline]
    pub fn by_rank(&self) -> &[u32] {
        &self.order().indices
    }

    /// The place of the entity at a dense index in the order of ids.
    pub fn rank_at(&self, index: u32) -> u32 {
        self.ranks().get(index as usize).copied().unwrap_or(u32::MAX)
    }

    /// The number of dense indices in use.
    #[inline]
    pub fn index_count(&self) -> usize {
        self.entities.index_count()
    }

    /// An edge of knowledge. Edges to facts that are proposed or rejected sleep, and are not found.
    pub fn knowledge(&self, id: KnowledgeId) -> Option<&Arc<Knowledge>> {
        self.knowledge.get(&id).filter(|row| row.shown)?.record.value.as_ref()
    }

    fn edges<'a>(&'a self, indices: Option<&'a Indices>) -> impl Iterator<Item = (KnowledgeId, &'a Arc<Knowledge>)> {
        let indices = indices.map_or_else(Iter::default, Indices::iter);
        let rows = indices.map(|index| self.knowledge.at(index)).filter(|row| row.shown);
        rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)))
    }

    /// What a knower knows by an edge of its own: not what it knows as member or resident. In no order that means
    /// anything.
    pub fn knowledge_of(&self, knower: &Knower) -> impl Iterator<Item = &Arc<Knowledge>> {
        self.edges_of(knower).map(|(_, edge)| edge)
    }

    /// What [`knowledge_of`](Self::knowledge_of) a knower tells, each edge with its id: to make one takes a hash.
    pub fn edges_of(&self, knower: &Knower) -> impl Iterator<Item = (KnowledgeId, &Arc<Knowledge>)> {
        self.edges(self.edge_indices(knower))
    }

    /// The dense indices of the edges that a knower ever had, shown or not.
    fn edge_indices(&self, knower: &Knower) -> Option<&Indices> {
        match knower {
            Knower::World => Some(&self.common),
            Knower::Entity(id) => self.entities.get(id).map(|row| &row.knows),
        }
    }

    /// Those edges with their facts, and the dense index of each fact: a small number that stays valid as long as this
    /// state lives.
    pub fn known_facts<'a>(&'a self, knower: &Knower) -> impl Iterator<Item = KnownFact<'a>> + use<'a> {
        let indices = self.edge_indices(knower).map_or_else(Iter::default, Indices::iter);
        let rows = indices.map(|index| self.knowledge.at(index)).filter(|row| row.shown);
        rows.filter_map(|row| {
            let index = row.fact?;
            let fact = self.fact_at(index)?;
            Some(KnownFact { id: row.id, edge: row.record.value.as_ref()?, index, fact })
        })
    }

    /// The edges that lead to a fact. In no order that means anything.
    pub fn known_by(&self, fact: FactId) -> impl Iterator<Item = &Arc<Knowledge>> {
        self.edges(self.facts.get(&fact).map(|row| &row.known_by)).map(|(_, edge)| edge)
    }

    /// The edges that were recorded for a fact, those that sleep because it is proposed or rejected too.
    pub fn recorded_knowledge(&self, fact: FactId) -> impl Iterator<Item = &Arc<Knowledge>> {
        self.recorded_edges(fact).map(|(_, edge)| edge)
    }

    /// The same with their ids: to make one takes a hash.
    pub fn recorded_edges(&self, fact: FactId) -> impl Iterator<Item = (KnowledgeId, &Arc<Knowledge>)> {
        let indices = self.facts.get(&fact).map_or_else(Iter::default, |row| row.known_by.iter());
        let rows = indices.map(|index| self.knowledge.at(index));
        rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)))
    }

    /// The author of the last live operation that recorded or withdrew an edge.
    pub fn edge_author(&self, id: KnowledgeId) -> Option<&Author> {
        let writes = &self.knowledge.get(&id)?.record.writes;
        let mut entries = writes.iter().rev().map(|write| &self.journal[write.operation as usize]);
        entries.find(|entry| entry.live).map(|entry| &entry.operation.author)
    }

    /// The edges that rest on an edge. In no order that means anything.
    pub fn resting_on(&self, id: KnowledgeId) -> impl Iterator<Item = (KnowledgeId, &Arc<Knowledge>)> {
        self.edges(self.knowledge.get(&id).map(|row| &row.bears))
    }

    /// The state as it was at a journal position: the fold of what was recorded until then.
    ///
    /// # Errors
    /// When the position lies after the newest operation, or before the [compaction point](Self::compacted_to).
    pub fn at(&self, position: Position) -> Result<Self, ApplyError> {
        if position > self.position() {
            return Err(ApplyError::Future { given: position, newest: self.position() });
        }
        if position < self.compacted_to() {
            return Err(ApplyError::Compacted { given: position, to: self.compacted_to() });
        }
        let mut state = Self::default();
        for (at, entry) in self.journal().take_while(|(at, _)| *at <= position) {
            match at <= self.compacted_to() {
                true => _ = state.apply_compacted(at, Arc::clone(&entry.operation)),
                false => {
                    state.advance_compaction(self.compacted_to());
                    state.apply_checked(Arc::clone(&entry.operation));
                }
            }
        }
        state.advance_compaction(self.compacted_to());
        Ok(state)
    }

    /// All edges, by id.
    pub fn all_knowledge(&self) -> impl Iterator<Item = (KnowledgeId, &Arc<Knowledge>)> {
        let shown = self.knowledge.rows().map(|(_, row)| (row.id, row)).filter(|(_, row)| row.shown);
        let mut edges: Vec<_> = shown.filter_map(|(id, row)| Some((id, row.record.value.as_ref()?))).collect();
        edges.sort_unstable_by_key(|(id, _)| *id);
        edges.into_iter()
    }

    /// A passage.
    pub fn passage(&self, id: PassageId) -> Option<&Arc<Passage>> {
        self.passages.get(&id)?.record.value.as_ref()
    }

    /// The passages that a knower said, heard or read: not those of its groups. In no order that means anything.
    pub fn passages_of<'a>(
        &'a self,
        knower: &'a Knower,
    ) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>)> + use<'a> {
        let indices = match knower {
            Knower::World => Some(&self.common_passages),
            Knower::Entity(id) => self.entities.get(id).map(|row| &row.hears),
        };
        let rows = indices.map_or_else(Iter::default, Indices::iter).map(|index| self.passages.at(index));
        let passages = rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)));
        // A passage that was recorded again may have been heard by fewer than it was.
        passages.filter(move |(_, passage)| passage.reached(knower).is_some())
    }

    /// All passages, by id.
    pub fn passages(&self) -> impl Iterator<Item = (PassageId, &Arc<Passage>)> {
        let shown = self.passages.rows().filter_map(|(_, row)| Some((row.id, row.record.value.as_ref()?)));
        let mut passages: Vec<_> = shown.collect();
        passages.sort_unstable_by_key(|(id, _)| *id);
        passages.into_iter()
    }

    /// A session.
    pub fn session(&self, id: &SessionId) -> Option<&Arc<Session>> {
        self.sessions.get(id)?.value.as_ref()
    }

    /// All sessions, by id.
    pub fn sessions(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.values().filter_map(|row| row.value.as_ref())
    }

    /// All settings, by key. A reveal sleeps, and is not found, while a fact, an entity or a flag that it names is not
    /// there; so do what is played and a recap, without their session.
    pub fn settings(&self) -> impl Iterator<Item = &Arc<Setting>> {
        self.settings.values().filter_map(|row| row.value.as_ref()).filter(|setting| self.is_awake(setting))
    }

    fn setting(&self, key: &SettingKey) -> Option<&Setting> {
        self.settings.get(key)?.value.as_deref().filter(|setting| self.is_awake(setting))
    }

    fn is_awake(&self, setting: &Setting) -> bool {
        let reveal = match setting {
            Setting::Reveal(reveal) => reveal,
            Setting::Playing(playing) => return self.session(&playing.session).is_some(),
            Setting::Recap(recap) => return self.session(&recap.session).is_some(),
            _ => return true,
        };
        reveal.facts().all(|id| self.fact(id).is_some())
            && reveal.entities().all(|id| self.entity(id).is_some())
            && reveal.when.flags().all(|(name, is)| self.flag(name).is_some_and(|held| held.kind() == is.kind()))
    }

    /// When secrets may be told, by id. One that names a fact, an entity or a flag that is not there sleeps.
    pub fn reveals(&self) -> impl Iterator<Item = &Reveal> {
        let settings = self.settings.range(&SettingKey::Reveal(String::new()), SettingKey::Flag(String::new()));
        settings.filter_map(|row| row.value.as_deref()).filter_map(|setting| match setting {
            Setting::Reveal(reveal) if self.is_awake(setting) => Some(reveal),
            _ => None,
        })
    }

    /// When a secret may be told.
    pub fn reveals_of(&self, fact: FactId) -> impl Iterator<Item = &Reveal> {
        self.reveals().filter(move |reveal| reveal.fact == fact)
    }

    /// The flags of the game that are declared, by name.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &Value)> {
        let settings = self.settings.range(&SettingKey::Flag(String::new()), SettingKey::Learning);
        settings.filter_map(|row| match row.value.as_deref() {
            Some(Setting::Flag { name, value }) => Some((name.as_str(), value)),
            _ => None,
        })
    }

    /// The value of a flag of the game, if it is declared.
    pub fn flag(&self, name: &str) -> Option<&Value> {
        match self.settings.get(&SettingKey::Flag(name.to_owned()))?.value.as_deref() {
            Some(Setting::Flag { value, .. }) => Some(value),
            _ => None,
        }
    }

    /// The predicates and attributes of the campaign.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Whether a predicate has one object or value at a time.
    pub fn is_functional(&self, name: &Predicate) -> bool {
        self.vocabulary.is_functional(name)
    }

    /// How the campaign counts its days.
    pub fn calendar(&self) -> &Calendar {
        match self.setting(&SettingKey::Calendar) {
            Some(Setting::Calendar(calendar)) => calendar,
            _ => plain(),
        }
    }

    /// What time it is in the game, where that is set.
    pub fn clock(&self) -> Option<GameTime> {
        match self.setting(&SettingKey::Clock) {
            Some(Setting::Clock(time)) => Some(*time),
            _ => None,
        }
    }

    /// The session that is being played, and how the table stands; nothing, between sessions.
    pub fn playing(&self) -> Option<&Playing> {
        match self.setting(&SettingKey::Playing) {
            Some(Setting::Playing(playing)) => Some(playing),
            _ => None,
        }
    }

    /// The recap of a session as the DM left it, for the DM or for the players.
    pub fn recap(&self, session: &SessionId, players: bool) -> Option<&str> {
        match self.setting(&SettingKey::Recap(session.clone(), players)) {
            Some(Setting::Recap(recap)) => Some(&recap.text),
            _ => None,
        }
    }

    /// What the campaign is.
    pub fn campaign(&self) -> Option<&CampaignInfo> {
        match self.setting(&SettingKey::Campaign) {
            Some(Setting::Campaign(info)) => Some(info),
            _ => None,
        }
    }

    /// Who knows facts that are not marked.
    pub fn audience_rules(&self) -> AudienceRules {
        match self.setting(&SettingKey::Audience) {
            Some(Setting::Audience(rules)) => rules.clone(),
            _ => AudienceRules::default(),
        }
    }

    /// A hash of what was last imported from a source.
    pub fn imported(&self, source: &str) -> Option<&str> {
        match self.setting(&SettingKey::Imported(source.to_owned())) {
            Some(Setting::Imported { digest, .. }) => Some(digest),
            _ => None,
        }
    }

    /// The position of the journal up to which texts were read for facts.
    pub fn read_up_to(&self) -> Position {
        match self.setting(&SettingKey::Read) {
            Some(Setting::Read(position)) => *position,
            _ => Position(0),
        }
    }

    /// The model whose vectors the campaign uses.
    pub fn model(&self) -> Option<&str> {
        match self.setting(&SettingKey::Model) {
            Some(Setting::Model(id)) => Some(id),
            _ => None,
        }
    }

    /// What is learned from the DM's decisions; as it is at first, where nothing is set.
    pub fn learning(&self) -> std::borrow::Cow<'_, Learning> {
        match self.setting(&SettingKey::Learning) {
            Some(Setting::Learning(learning)) => std::borrow::Cow::Borrowed(learning),
            _ => std::borrow::Cow::Owned(Learning::default()),
        }
    }

    /// Whether the DM said that two entities are not the same.
    pub fn are_distinct(&self, a: &EntityId, b: &EntityId) -> bool {
        let (one, other) = if a <= b { (a, b) } else { (b, a) };
        self.setting(&SettingKey::Distinct(one.clone(), other.clone())).is_some()
    }

    /// The entity that another, which is there no more, was found to be.
    pub fn merged_into(&self, gone: &EntityId) -> Option<&EntityId> {
        match self.setting(&SettingKey::Merged(gone.clone())) {
            Some(Setting::Merged { into, .. }) => Some(into),
            _ => None,
        }
    }

    /// Whether a record is there to be seen.
    pub fn shows(&self, key: &Key) -> bool {
        match key {
            Key::Entity(id) => self.entity(id).is_some(),
            Key::Fact(id) => self.fact(*id).is_some(),
            Key::Knowledge(id) => self.knowledge(*id).is_some(),
            Key::Passage(id) => self.passage(*id).is_some(),
            Key::Session(id) => self.session(id).is_some(),
            Key::Setting(key) => self.setting(key).is_some(),
        }
    }

    /// Whether a record has the same value in another state.
    pub(super) fn same(&self, other: &Self, key: &Key) -> bool {
        match key {
            Key::Entity(id) => self.entity(id) == other.entity(id),
            Key::Fact(id) => self.fact(*id) == other.fact(*id),
            Key::Knowledge(id) => self.knowledge(*id) == other.knowledge(*id),
            Key::Passage(id) => self.passage(*id) == other.passage(*id),
            Key::Session(id) => self.session(id) == other.session(id),
            Key::Setting(key) => self.setting(key) == other.setting(key),
        }
    }
}
