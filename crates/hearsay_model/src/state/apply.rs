//! Application of operations. The state has one row for each record. Each change is added to the row of its record. The
//! value of the row is then recomputed (*folded*) from its changes.

use std::sync::{Arc, OnceLock};

use super::{
    Applied, ApplyError, Entry, State,
    check::keys,
    fold::{fold_entity, fold_fact, fold_knowledge, fold_passage, fold_session, fold_setting},
    rows::{EntityRow, FactRow, Hop, Indices, KnowledgeRow, NameRow, PassageRow, Row, Write},
    shared::Buffer,
    validity::ValidityList,
};
use crate::{
    Change, EntityId, Fact, FactId, Justification, Key, Knower, KnowledgeEdge, KnowledgeId, Operation, Passage,
    PassageId, Position, Setting, SettingKey, Vocabulary, WorldSetting, text,
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

    /// Applies an operation that was read from the journal, without checking it. The operation must have passed
    /// [`State::check`] on an equal state when it was recorded.
    ///
    /// Read the operation with [`SharedIds`](crate::SharedIds), so that equal ids share memory.
    pub fn apply_recorded(&mut self, operation: impl Into<Arc<Operation>>) -> Applied {
        self.apply_checked(operation.into())
    }

    /// Does the same as [`apply_recorded`](Self::apply_recorded), but the caller provides the keys. Another thread can
    /// compute the keys in advance. `keys` contains the result of [`Change::written_key`] for each change of the
    /// operation, in order.
    ///
    /// Returns the keys of the records that may have changed, appeared or disappeared. The keys have no particular
    /// order and can repeat, because sorting the keys of a large operation takes a long time.
    pub fn apply_recorded_keyed(&mut self, operation: Operation, keys: Vec<Option<Key>>) -> Vec<Key> {
        self.apply_unsorted(operation.into(), keys)
    }

    pub(super) fn apply_checked(&mut self, operation: Arc<Operation>) -> Applied {
        let keys = keys(&operation);
        self.apply_keyed(operation, keys)
    }

    /// Applies an operation that was read from a compacted journal, at its position. Compaction may have removed some
    /// changes of the operation.
    ///
    /// The records that the operation refers to need not exist in the state. Changes that save or drop slots are
    /// ignored. Returns the keys of the records that may have changed, appeared or disappeared.
    pub fn apply_compacted(&mut self, position: Position, operation: impl Into<Arc<Operation>>) -> Vec<Key> {
        let operation = operation.into();
        let keys = keys(&operation);
        let mut touched = self.apply_compacted_keyed(position, operation, keys);
        sort_and_dedup(&mut touched);
        touched
    }

    /// Does the same as [`apply_compacted`](Self::apply_compacted). The argument `keys` and the result are as in
    /// [`apply_recorded_keyed`](Self::apply_recorded_keyed).
    pub fn apply_compacted_keyed(
        &mut self,
        position: Position,
        operation: impl Into<Arc<Operation>>,
        keys: Vec<Option<Key>>,
    ) -> Vec<Key> {
        self.journal.extend_to(usize::try_from(position.0).unwrap_or(usize::MAX).saturating_sub(1));
        let slots = Arc::clone(&self.slots);
        let touched = self.apply_unsorted(operation.into(), keys);
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
        let mut touched = Vec::new();
        self.drop_recorded(&operation, &mut touched);
        let (mut reverts, mut written, mut rows) = (false, Vec::with_capacity(keys.len()), TouchedRows::default());
        for ((number, change), key) in operation.changes.iter().enumerate().zip(keys) {
            match key {
                None => match change {
                    change if change.is_undo() => reverts = true,
                    change => self.note_slot(change, operation.recorded),
                },
                Some(key) => {
                    let row = self.note(change, &key, Write { operation: index, change: number as u32 });
                    rows.add(&key, row);
                    written.push(key);
                }
            }
        }
        if reverts {
            self.reverts.push(index);
            self.recompute_live_operations(&mut touched);
        }
        touched.iter().for_each(|key| rows.add(key, self.row_index(key)));
        touched.append(&mut written);
        self.refresh_rows(rows, &mut touched);
        self.drop_succeeded(&mut touched);
        touched
    }

    /// Returns the dense index of a fact, edge or passage; `None` if it has no row, or if the record is of another type.
    fn row_index(&self, key: &Key) -> Option<u32> {
        match key {
            Key::Fact(id) => self.facts.find(id),
            Key::KnowledgeEdge(id) => self.knowledge.find(id),
            Key::Passage(id) => self.passages.find(id),
            Key::Entity(_) | Key::Session(_) | Key::Setting(_) => None,
        }
    }

    /// Adds a write to the row of its record, and adds the row to the indices. Returns the dense index of a fact, edge or
    /// passage; `None` for a record of another type.
    ///
    /// A write to a fact or an edge that was never recorded has no effect.
    fn note(&mut self, change: &Change, key: &Key, write: Write) -> Option<u32> {
        match key {
            Key::Entity(id) => {
                let index = self.entity_row(id);
                self.entities.at_mut(index).record.writes.push(write);
            }
            Key::Fact(id) => return self.note_fact(change, *id, write),
            Key::KnowledgeEdge(id) => return self.note_edge(change, *id, write),
            Key::Passage(id) => return self.note_passage(change, *id, write),
            Key::Session(id) => self.sessions.get_or_default(id.clone()).writes.push(write),
            Key::Setting(key) => self.settings.get_or_default(key.clone()).writes.push(write),
        }
        None
    }

    fn note_fact(&mut self, change: &Change, id: FactId, write: Write) -> Option<u32> {
        let index = if change.fact().is_some() { self.fact_row(id) } else { self.facts.find(&id)? };
        let row = self.facts.at_mut(index);
        let first = row.record.writes.is_empty();
        if !first || change.fact().is_some() {
            row.record.writes.push(write);
        }
        if let Some(fact) = change.fact() {
            row.supported |= matches!(change, Change::Support(_));
            self.index_fact(fact, index, first);
        }
        Some(index)
    }

    fn note_edge(&mut self, change: &Change, id: KnowledgeId, write: Write) -> Option<u32> {
        let index = if change.edge().is_some() { self.knowledge_row(id) } else { self.knowledge.find(&id)? };
        let writes = &mut self.knowledge.at_mut(index).record.writes;
        let first = writes.is_empty();
        if !first || change.edge().is_some() {
            writes.push(write);
        }
        if let Some(edge) = change.edge().filter(|_| first) {
            self.index_knowledge(edge, index);
        }
        Some(index)
    }

    fn note_passage(&mut self, change: &Change, id: PassageId, write: Write) -> Option<u32> {
        let index = match change.passage() {
            Some(_) => Some(self.passages.find_or_add(&id, || PassageRow { id, record: Row::default() }).0),
            None => self.passages.find(&id),
        }?;
        let writes = &mut self.passages.at_mut(index).record.writes;
        let first = writes.is_empty();
        writes.push(write);
        if let Some(passage) = change.passage() {
            self.index_passage(passage, index, first);
        }
        Some(index)
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

    /// Folds the rows of the touched records again, and all rows that can appear or disappear because of them. Adds the
    /// keys of these dependent rows to `touched`. If keys are added, `touched` is then sorted and unique.
    pub(super) fn refresh(&mut self, touched: &mut Vec<Key>) {
        let mut rows = TouchedRows::default();
        touched.iter().for_each(|key| rows.add(key, self.row_index(key)));
        self.refresh_rows(rows, touched);
    }

    /// Does the same as [`refresh`](Self::refresh). `rows` are the rows of the touched records.
    fn refresh_rows(&mut self, rows: TouchedRows, touched: &mut Vec<Key>) {
        let TouchedRows { mut facts, mut edges, passages, others } = rows;
        // Dense indices of the records that depend on the touched records.
        let (mut more_facts, mut more_edges) = (Vec::new(), Vec::new());
        let mut vocabulary_changed = false;
        for key in &others {
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
                // `TouchedRows` has these as dense indices.
                Key::Fact(_) | Key::KnowledgeEdge(_) | Key::Passage(_) => {}
            }
        }
        for index in passages {
            let value = fold_passage(&self.journal, &self.passages.at(index).record.writes);
            self.passages.at_mut(index).record.value = value;
        }
        let known = touched.len();
        sort_and_dedup(&mut facts);
        sort_and_dedup(&mut more_facts);
        remove_sorted(&mut more_facts, &facts);
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

    /// Folds edges again. `edges` is sorted, and the keys of these edges are already in `touched`. If an edge in
    /// `more_edges` changes, its key is added to `touched`.
    pub(super) fn refresh_edges(&mut self, edges: &[u32], mut more_edges: Vec<u32>, touched: &mut Vec<Key>) {
        sort_and_dedup(&mut more_edges);
        remove_sorted(&mut more_edges, edges);
        // If an edge became active or inactive, the edges that depend on it may change too. No edge depends on itself,
        // so the loop ends.
        let mut open = more_edges;
        for index in edges {
            self.refresh_edge(*index, &mut open);
        }
        while let Some(index) = open.pop() {
            let changed = self.refresh_edge(index, &mut open);
            touched.extend(changed.filter(|_| edges.binary_search(&index).is_err()).map(Key::KnowledgeEdge));
        }
    }

    /// Folds an edge again. Returns the id of the edge if it appeared, disappeared or changed. If it became active or
    /// inactive, adds the edges that depend on it to `open`.
    fn refresh_edge(&mut self, index: u32, open: &mut Vec<u32>) -> Option<KnowledgeId> {
        let was = self.knowledge.at(index).shown;
        let changed = self.refresh_knowledge(index);
        let row = self.knowledge.at(index);
        if row.shown != was {
            open.extend(row.dependents.iter());
        }
        changed
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

    /// Folds a fact again. Returns whether the fact became knowable, or stopped being knowable. In both cases, its
    /// edges appear or disappear.
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

/// Rows that an operation touched. Facts, edges and passages are listed by dense index, because there may be very many
/// of them.
#[derive(Default)]
struct TouchedRows {
    facts: Vec<u32>,
    edges: Vec<u32>,
    passages: Vec<u32>,
    /// Keys of the other touched records.
    others: Vec<Key>,
}

impl TouchedRows {
    /// Adds a record. `row` is its dense index if the record is a fact, edge or passage and has a row.
    fn add(&mut self, key: &Key, row: Option<u32>) {
        match key {
            Key::Fact(_) => self.facts.extend(row),
            Key::KnowledgeEdge(_) => self.edges.extend(row),
            Key::Passage(_) => self.passages.extend(row),
            Key::Entity(_) | Key::Session(_) | Key::Setting(_) => self.others.push(key.clone()),
        }
    }
}

/// Removes the elements of `removed` from `all`. Both are sorted.
fn remove_sorted(all: &mut Vec<u32>, removed: &[u32]) {
    let mut removed = removed.iter().peekable();
    all.retain(|index| {
        while removed.next_if(|other| *other < index).is_some() {}
        removed.peek() != Some(&index)
    });
}

/// Sorts and deduplicates a vector.
pub(super) fn sort_and_dedup<T: Ord>(all: &mut Vec<T>) {
    all.sort_unstable();
    all.dedup();
}
