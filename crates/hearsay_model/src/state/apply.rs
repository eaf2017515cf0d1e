//! Application of operations. Each change is added to the row of its record. The value of each affected row is then
//! recomputed (*folded*) from the changes of the row.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{
    Applied, ApplyError, Entry, Journal, State,
    check::keys,
    rows::{EntityRow, FactRow, Hop, Indices, KnowledgeRow, NameRow, PassageRow, Row, Write, Writes},
    shared::Buffer,
    validity::ValidityList,
};
use crate::{
    Change, Entity, EntityId, Fact, FactId, GameSetting, Justification, Key, Knower, KnowledgeEdge, KnowledgeId,
    Operation, Passage, Position, Session, Setting, SettingKey, Value, Vocabulary, WorldSetting, text,
};

impl State {
    /// Appends an operation to the journal and applies its changes. An invalid operation changes nothing.
    ///
    /// # Errors
    /// Returns the error of [`State::check`] if the operation is invalid.
    pub fn apply(&mut self, operation: impl Into<Arc<Operation>>) -> Result<Applied, ApplyError> {
        let mut operation = operation.into();
        let keys = keys(&operation);
        self.check_keyed(&operation, &keys)?;
        self.intern(&mut operation);
        Ok(self.apply_keyed(operation, keys))
    }

    /// Applies a recorded operation without checking it. The operation must have been applied to an equal state before.
    ///
    /// Read the operation with [`SharedIds`](crate::SharedIds), so that equal ids share memory.
    pub fn apply_recorded(&mut self, operation: impl Into<Arc<Operation>>) -> Applied {
        self.apply_checked(operation.into())
    }

    /// Applies a recorded operation like [`apply_recorded`](Self::apply_recorded). `keys` contains the keys that
    /// [`Change::written_key`] returns for the changes of the operation, in order. Another thread can compute the keys in
    /// advance.
    ///
    /// Returns the keys of the records whose value or visibility may have changed, in arbitrary order and possibly
    /// several times, because sorting the keys of a large operation takes a long time.
    pub fn apply_recorded_keyed(&mut self, operation: Operation, keys: Vec<Option<Key>>) -> Vec<Key> {
        self.apply_unsorted(operation.into(), keys)
    }

    pub(super) fn apply_checked(&mut self, operation: Arc<Operation>) -> Applied {
        let keys = keys(&operation);
        self.apply_keyed(operation, keys)
    }

    /// Applies a recorded operation at its position in the journal. Compaction may have removed some changes of the
    /// operation.
    ///
    /// The state may lack records that the operation refers to. Changes that save or drop slots are ignored. Returns
    /// the records whose value or visibility may have changed.
    pub fn apply_compacted(&mut self, position: Position, operation: impl Into<Arc<Operation>>) -> Vec<Key> {
        let operation = operation.into();
        let keys = keys(&operation);
        let mut touched = self.apply_compacted_shared(position, operation, keys);
        sort_and_dedup(&mut touched);
        touched
    }

    /// Applies a recorded operation like [`apply_compacted`](Self::apply_compacted). `keys` and the result have the same
    /// meaning as for [`apply_recorded_keyed`](Self::apply_recorded_keyed).
    pub fn apply_compacted_keyed(
        &mut self,
        position: Position,
        operation: Operation,
        keys: Vec<Option<Key>>,
    ) -> Vec<Key> {
        self.apply_compacted_shared(position, operation.into(), keys)
    }

    fn apply_compacted_shared(
        &mut self,
        position: Position,
        operation: Arc<Operation>,
        keys: Vec<Option<Key>>,
    ) -> Vec<Key> {
        self.journal.extend_to(usize::try_from(position.0).unwrap_or(usize::MAX).saturating_sub(1));
        let slots = Arc::clone(&self.slots);
        let touched = self.apply_unsorted(operation, keys);
        self.slots = slots;
        touched
    }

    /// Applies a checked operation, given the [`keys`] of its changes.
    fn apply_keyed(&mut self, operation: Arc<Operation>, keys: Vec<Option<Key>>) -> Applied {
        let mut touched = self.apply_unsorted(operation, keys);
        sort_and_dedup(&mut touched);
        Applied { position: self.position(), touched }
    }

    /// Applies a checked operation. Returns the touched keys in arbitrary order and possibly several times.
    fn apply_unsorted(&mut self, operation: Arc<Operation>, keys: Vec<Option<Key>>) -> Vec<Key> {
        let index = self.journal.len() as u32;
        self.journal.push(Entry { operation: Arc::clone(&operation), live: true });
        self.operation_count += 1;
        let mut touched = Vec::with_capacity(keys.len());
        self.drop_recorded(&operation, &mut touched);
        let mut reverts = false;
        for ((number, change), key) in operation.changes.iter().enumerate().zip(keys) {
            match key {
                None => match change {
                    change if change.is_undo() => reverts = true,
                    change => self.note_slot(change, operation.recorded),
                },
                Some(key) => {
                    self.note(change, &key, Write { operation: index, change: number as u32 });
                    touched.push(key);
                }
            }
        }
        if reverts {
            self.reverts.push(index);
            self.recompute_live_operations(&mut touched);
        }
        self.refresh(&mut touched);
        self.drop_succeeded(&mut touched);
        touched
    }

    /// Adds a write to the row of its record, and adds the row to the indices.
    ///
    /// A write to a fact or an edge that was never recorded has no effect.
    fn note(&mut self, change: &Change, key: &Key, write: Write) {
        match key {
            Key::Entity(id) => {
                let index = self.entity_row(id);
                self.entities.at_mut(index).record.writes.push(write);
            }
            Key::Fact(id) => {
                let index = if change.fact().is_some() { Some(self.fact_row(*id)) } else { self.facts.find(id) };
                let Some(index) = index else { return };
                let row = self.facts.at_mut(index);
                let first = row.record.writes.is_empty();
                let Some(fact) = change.fact() else {
                    if !first {
                        row.record.writes.push(write);
                    }
                    return;
                };
                row.record.writes.push(write);
                row.supported |= matches!(change, Change::Support(_));
                self.index_fact(fact, index, first);
            }
            Key::KnowledgeEdge(id) => {
                let index =
                    if change.edge().is_some() { Some(self.knowledge_row(*id)) } else { self.knowledge.find(id) };
                let Some(index) = index else { return };
                let writes = &mut self.knowledge.at_mut(index).record.writes;
                let first = writes.is_empty();
                if !first || change.edge().is_some() {
                    writes.push(write);
                }
                if let Some(edge) = change.edge().filter(|_| first) {
                    self.index_knowledge(edge, index);
                }
            }
            Key::Passage(id) => {
                let index = match change.passage() {
                    Some(_) => Some(self.passages.find_or_add(id, || PassageRow { id: *id, record: Row::default() }).0),
                    None => self.passages.find(id),
                };
                let Some(index) = index else { return };
                let writes = &mut self.passages.at_mut(index).record.writes;
                let first = writes.is_empty();
                writes.push(write);
                if let Some(passage) = change.passage() {
                    self.index_passage(passage, index, first);
                }
            }
            Key::Session(id) => self.sessions.get_or_default(id.clone()).writes.push(write),
            Key::Setting(key) => self.settings.get_or_default(key.clone()).writes.push(write),
        }
    }

    /// Returns the dense index of an entity, assigning one if necessary.
    fn entity_row(&mut self, id: &EntityId) -> u32 {
        let (index, new) = self.entities.find_or_add(id, || EntityRow::new(id));
        if new {
            self.ids.push(id.clone());
            self.hops.push(Buffer::default());
            self.validity.add_entity();
            self.order = OnceLock::new();
        }
        index
    }

    /// Returns the dense index of a fact, assigning one if necessary. A fact that is not recorded has a row if an edge
    /// refers to it. The row then lists the edge.
    pub(super) fn fact_row(&mut self, id: FactId) -> u32 {
        let row =
            || FactRow { id, record: Row::default(), transient: false, supported: false, known_by: Indices::default() };
        self.facts.find_or_add(&id, row).0
    }

    /// Returns the dense index of an edge, assigning one if necessary. An edge that is not recorded has a row if
    /// another edge refers to it.
    pub(super) fn knowledge_row(&mut self, id: KnowledgeId) -> u32 {
        let row = || KnowledgeRow {
            id,
            record: Row::default(),
            fact: None,
            shown: false,
            transient: false,
            dependents: Indices::default(),
        };
        self.knowledge.find_or_add(&id, row).0
    }

    pub(super) fn index_fact(&mut self, fact: &Fact, index: u32, new: bool) {
        self.texts.add_fact(fact, index);
        // A repeated assertion may mention more entities than the first assertion. The lists of the entities are
        // searched only in this case.
        let first = if new { None } else { self.asserted(fact.id()).cloned() };
        for id in fact.entities() {
            if first.as_ref().is_some_and(|first| first.entities().any(|known| known == id)) {
                continue;
            }
            let entity = self.entity_row(id);
            let row = self.entities.at_mut(entity);
            // A new fact can only be the last element, so the list need not be searched.
            let there = if new { row.facts.last() == Some(index) } else { row.facts.contains(index) };
            if !there {
                row.facts.push(index);
            }
        }
        if let Some(handle) = fact.handle() {
            let (row, _) = self.handles.find_or_add(handle, || NameRow::new(handle));
            if !self.handles.at(row).facts.contains(index) {
                self.handles.at_mut(row).facts.push(index);
            }
        }
        if !new {
            return;
        }
        let (predicate, _) = self.predicates.find_or_add(fact.predicate(), || fact.predicate().clone());
        if let (Some(object), Some(subject)) = (fact.object().entity(), self.entities.find(fact.subject()))
            && let Some(object) = self.entities.find(object)
        {
            let hop = |other, forward| Hop::new(index, fact.id(), other, predicate, forward);
            self.hops[subject as usize].push(hop(object, true));
            if object != subject {
                self.hops[object as usize].push(hop(subject, false));
            }
        }
        if let Some(name) = fact.object().text().filter(|_| fact.is_name()) {
            let name = text::normalize(name);
            let (row, _) = self.names.find_or_add(&name, || NameRow::new(&name));
            self.names.at_mut(row).facts.push(index);
        }
    }

    pub(super) fn index_knowledge(&mut self, knowledge: &KnowledgeEdge, index: u32) {
        match &knowledge.knower {
            Knower::World => self.common.push(index),
            Knower::Entity(id) => {
                let entity = self.entity_row(id);
                self.entities.at_mut(entity).knows.push(index);
            }
        }
        let fact = self.fact_row(knowledge.fact);
        self.facts.at_mut(fact).known_by.push(index);
        self.knowledge.at_mut(index).fact = Some(fact);
        for source in &knowledge.sources {
            for id in source.edges() {
                let edge = self.knowledge_row(id);
                self.knowledge.at_mut(edge).dependents.push(index);
            }
        }
    }

    /// Adds a passage to the indices. A repeated assertion may list more hearers than the first assertion.
    fn index_passage(&mut self, passage: &Passage, index: u32, new: bool) {
        let note = |rows: &mut Indices| {
            // A new passage can only be the last element, so the list need not be searched.
            let there = if new { rows.last() == Some(index) } else { rows.contains(index) };
            if !there {
                rows.push(index);
            }
        };
        if new {
            self.texts.add_passage(passage, index);
        }
        let readers = passage.readers.iter().map(|reader| &reader.knower);
        for knower in passage.heard_by.iter().chain(readers) {
            match knower {
                Knower::World => note(&mut self.common_passages),
                Knower::Entity(id) => {
                    let entity = self.entity_row(id);
                    note(&mut self.entities.at_mut(entity).hears);
                }
            }
        }
        if let Some(speaker) = &passage.speaker {
            let entity = self.entity_row(speaker);
            note(&mut self.entities.at_mut(entity).hears);
        }
    }

    /// Folds the touched rows again, and all rows whose visibility depends on them. Adds the keys of the dependent rows
    /// to `touched`. If keys are added, `touched` is then sorted and unique.
    pub(super) fn refresh(&mut self, touched: &mut Vec<Key>) {
        // Dense indices of the touched records, and of the records that depend on them.
        let (mut facts, mut edges) = (Vec::new(), Vec::new());
        let (mut more_facts, mut more_edges) = (Vec::new(), Vec::new());
        let mut vocabulary_changed = false;
        for key in touched.iter() {
            match key {
                Key::Entity(id) => {
                    if let Some(index) = self.entities.find(id)
                        && self.refresh_entity(index)
                    {
                        let row = self.entities.at(index);
                        more_facts.extend(row.facts.iter());
                        more_edges.extend(row.knows.iter());
                    }
                }
                Key::Fact(id) => facts.extend(self.facts.find(id)),
                Key::KnowledgeEdge(id) => edges.extend(self.knowledge.find(id)),
                Key::Passage(id) => {
                    if let Some(index) = self.passages.find(id) {
                        let value = fold_passage(&self.journal, &self.passages.at(index).record.writes);
                        self.passages.at_mut(index).record.value = value;
                    }
                }
                Key::Session(id) => {
                    if let Some(row) = self.sessions.get_mut(id) {
                        row.value = fold_session(&self.journal, &row.writes);
                    }
                }
                Key::Setting(key) => {
                    if let Some(row) = self.settings.get_mut(key) {
                        row.value = fold_setting(&self.journal, &row.writes);
                        if *key == SettingKey::Clock {
                            self.transients.clock = None;
                        }
                        vocabulary_changed |= matches!(key, SettingKey::Predicate(_) | SettingKey::Attribute(_));
                    }
                }
            }
        }
        let known = touched.len();
        sort_and_dedup(&mut facts);
        more_facts.retain(|index| facts.binary_search(index).is_err());
        sort_and_dedup(&mut more_facts);
        touched.extend(more_facts.iter().map(|index| Key::Fact(self.facts.at(*index).id)));
        for index in facts.into_iter().chain(more_facts) {
            if self.refresh_fact(index) {
                more_edges.extend(self.facts.at(index).known_by.iter());
            }
        }
        sort_and_dedup(&mut edges);
        self.refresh_edges(&edges, more_edges, touched);
        if touched.len() > known {
            sort_and_dedup(touched);
        }
        if vocabulary_changed {
            self.refresh_vocabulary();
        }
    }

    /// Folds edges again. The keys of `edges` are already in `touched`. The key of each edge of `more_edges` is added
    /// to `touched` if the edge changes.
    pub(super) fn refresh_edges(&mut self, edges: &[u32], mut more_edges: Vec<u32>, touched: &mut Vec<Key>) {
        more_edges.retain(|index| edges.binary_search(index).is_err());
        sort_and_dedup(&mut more_edges);
        // If an edge became active or inactive, the edges that depend on it may change too. No edge depends on itself,
        // so the loop ends.
        let mut open: Vec<u32> = edges.iter().copied().chain(more_edges).collect();
        while let Some(index) = open.pop() {
            let was = self.knowledge.at(index).shown;
            let changed = self.refresh_knowledge(index);
            touched.extend(changed.filter(|_| edges.binary_search(&index).is_err()).map(Key::KnowledgeEdge));
            let row = self.knowledge.at(index);
            if row.shown != was {
                open.extend(row.dependents.iter());
            }
        }
    }

    pub(super) fn change(&self, write: Write) -> &Change {
        &self.journal[write.operation as usize].operation.changes[write.change as usize]
    }

    /// Folds an entity again. Returns whether the entity appeared or disappeared.
    fn refresh_entity(&mut self, index: u32) -> bool {
        let record = &self.entities.at(index).record;
        let (was, value) = (record.value.is_some(), fold_entity(&self.journal, &record.writes));
        let is = value.is_some();
        self.entities.at_mut(index).record.value = value;
        was != is
    }

    /// Folds a fact again. Returns whether the fact became knowable, or stopped being knowable. In both cases, the
    /// visibility of its edges changes.
    fn refresh_fact(&mut self, index: u32) -> bool {
        let before = self.fact_at(index).cloned();
        let row = self.facts.at(index);
        let value = if row.transient { row.record.value.clone() } else { fold_fact(&self.journal, row) };
        let exists = |id| self.entities.get(id).is_some_and(|row| row.record.value.is_some());
        let shown =
            value.as_ref().is_some_and(|fact| exists(fact.subject()) && fact.object().entity().is_none_or(exists));
        let after = value.clone().filter(|_| shown);
        self.facts.at_mut(index).record.value = value;
        self.in_effect.set(index as usize, after.as_ref().is_some_and(|fact| fact.is_in_effect()));
        let list = |fact: &Option<Arc<Fact>>| fact.as_deref().and_then(ValidityList::for_fact);
        let lists = (list(&before), list(&after));
        // Subject, object and predicate are part of the fact's id, so they never change.
        if let Some(fact) = before.as_ref().or(after.as_ref()).filter(|_| lists.0 != lists.1)
            && let Some(subject) = self.entities.find(fact.subject())
        {
            let object = fact.object().entity().and_then(|id| self.entities.find(id));
            self.validity.update(index, fact.predicate(), (subject, object), lists);
        }
        let in_world = |fact: &Option<Arc<Fact>>| fact.as_ref().is_some_and(|fact| fact.status().is_knowable());
        let (was, is) = (in_world(&before), in_world(&after));
        match after {
            Some(fact) => self.shown.set(index as usize, fact),
            None => self.shown.remove(index as usize),
        }
        was != is
    }

    /// Folds an edge again. Returns the id of the edge if it appeared, disappeared or changed.
    fn refresh_knowledge(&mut self, index: u32) -> Option<KnowledgeId> {
        let row = self.knowledge.at(index);
        let writes = &row.record.writes;
        let value = if row.transient { row.record.value.clone() } else { fold_knowledge(&self.journal, writes) };
        let shown = value.as_ref().is_some_and(|edge: &Arc<KnowledgeEdge>| {
            let knower = edge.knower.entity().is_none_or(|id| self.entity(id).is_some());
            knower && self.fact(edge.fact).is_some_and(|fact| fact.status().is_knowable()) && self.is_supported(edge)
        });
        let id = row.id;
        let changed = row.shown != shown || row.record.value != value;
        let row = self.knowledge.at_mut(index);
        row.record.value = value;
        row.shown = shown;
        changed.then_some(id)
    }

    /// Returns whether the justifications of an edge are active. They are active if each fact in them has at least one
    /// basis that is active and gives knowledge.
    fn is_supported(&self, edge: &KnowledgeEdge) -> bool {
        let lets_know = |row: &KnowledgeRow| {
            row.shown && row.record.value.as_ref().is_some_and(|edge| edge.acquisition.gives_knowledge())
        };
        let basis = |source: &Justification| match source {
            Justification::Basis { fact, edge } => Some((*fact, self.knowledge.get(edge).is_some_and(lets_know))),
            Justification::Experience { .. } => None,
        };
        let is_there = |wanted| edge.sources.iter().filter_map(basis).any(|(fact, shown)| fact == wanted && shown);
        edge.sources.iter().filter_map(basis).all(|(fact, shown)| shown || is_there(fact))
    }

    fn refresh_vocabulary(&mut self) {
        let mut vocabulary = Vocabulary::default();
        for row in self.settings.values() {
            // Definitions were checked when their operation was applied. An invalid definition is skipped.
            let _ = match row.value.as_deref() {
                Some(Setting::World(WorldSetting::Predicate(def))) => vocabulary.define(def.clone()),
                Some(Setting::World(WorldSetting::Attribute(def))) => vocabulary.define_attribute(def.clone()),
                _ => Ok(()),
            };
        }
        self.vocabulary = Arc::new(vocabulary);
    }
}

/// Sorts and deduplicates a vector.
pub(super) fn sort_and_dedup<T: Ord>(all: &mut Vec<T>) {
    all.sort_unstable();
    all.dedup();
}

/// Returns the changes of the writes whose operation is live. The oldest change comes first.
fn live<'a>(journal: &'a Journal, writes: &'a Writes) -> impl DoubleEndedIterator<Item = &'a Change> {
    writes.iter().filter_map(|write| {
        let entry = &journal[write.operation as usize];
        entry.live.then(|| &entry.operation.changes[write.change as usize])
    })
}

fn fold_entity(journal: &Journal, writes: &Writes) -> Option<Arc<Entity>> {
    live(journal, writes).next_back()?.entity().cloned().map(Arc::new)
}

fn fold_fact(journal: &Journal, row: &FactRow) -> Option<Arc<Fact>> {
    let mut value = None::<Arc<Fact>>;
    let (mut supports, mut retracted) = (SmallVec::<[&Arc<Fact>; 2]>::new(), false);
    // Only the last assertion or retraction and later writes count. However, if any write supports the fact, all writes
    // count.
    let decides = |write: &Write| {
        let entry = &journal[write.operation as usize];
        let change = &entry.operation.changes[write.change as usize];
        entry.live && matches!(change, Change::AssertFact(_) | Change::RetractFact(_))
    };
    let writes = &row.record.writes;
    let decided = if row.supported { None } else { writes.iter().rev().find(decides) };
    let counts = |write: &Write| decided.is_none_or(|decided| *write >= decided);
    let mut newest: SmallVec<[Write; 4]> = writes.iter().rev().take_while(counts).collect();
    newest.reverse();
    let live = newest.iter().filter_map(|write| {
        let entry = &journal[write.operation as usize];
        entry.live.then(|| &entry.operation.changes[write.change as usize])
    });
    for change in live {
        if let Change::AssertFact(fact) = change {
            (value, retracted) = (Some(Arc::clone(fact)), false);
            continue;
        }
        if let Change::RetractFact(_) = change {
            (value, retracted) = (None, true);
            supports.clear();
            continue;
        }
        if let Change::Support(fact) = change {
            if !retracted {
                supports.push(fact);
                value.get_or_insert_with(|| Arc::clone(fact));
            }
            continue;
        }
        let Some(fact) = value.as_mut().map(Arc::make_mut) else { continue };
        match change {
            Change::EndFact { until, .. } => fact.set_end(until.clone()),
            Change::SetStatus { status, .. } => fact.set_status(*status),
            Change::SetSecrecy { secrecy, .. } => fact.set_secrecy(*secrecy),
            Change::Confirm(_) => fact.confirm(),
            _ => {}
        }
    }
    // Support remains in effect when the fact is asserted again.
    if let Some(fact) = value.as_mut().filter(|_| !supports.is_empty()).map(Arc::make_mut) {
        supports.into_iter().for_each(|support| fact.support(support));
    }
    value
}

fn fold_knowledge(journal: &Journal, writes: &Writes) -> Option<Arc<KnowledgeEdge>> {
    live(journal, writes).next_back()?.edge().cloned()
}

fn fold_passage(journal: &Journal, writes: &Writes) -> Option<Arc<Passage>> {
    live(journal, writes).next_back()?.passage().cloned()
}

fn fold_session(journal: &Journal, writes: &Writes) -> Option<Arc<Session>> {
    live(journal, writes).next_back()?.session().cloned().map(Arc::new)
}

fn fold_setting(journal: &Journal, writes: &Writes) -> Option<Arc<Setting>> {
    // Iterate from the newest write to the oldest, because some settings, such as the clock, have very many writes.
    let mut set = SmallVec::<[&Value; 1]>::new();
    for change in live(journal, writes).rev() {
        match change {
            Change::Set(Setting::Game(GameSetting::Flag { name, value })) => {
                // A flag without a live declaration does not exist. A value is ignored if its type differs from the
                // type of the declared value.
                let value = set.into_iter().find(|newer| newer.kind() == value.kind()).unwrap_or(value);
                return Some(Arc::new(Setting::Game(GameSetting::Flag { name: name.clone(), value: value.clone() })));
            }
            Change::Set(setting) => return Some(Arc::new(setting.clone())),
            Change::Unset(_) => return None,
            Change::SetFlag { value, .. } => set.push(value),
            _ => {}
        }
    }
    None
}
