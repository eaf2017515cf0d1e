//! Compaction of the journal: removal of unneeded changes from operations that can no longer be undone.
//!
//! Compaction has three steps. It can stop after each step:
//!
//! 1. [`State::undo_horizon`] returns a position, and [`State::advance_compaction`] sets the compaction point to this
//!    position. From then on, operations up to the compaction point cannot be undone.
//! 2. [`State::plan_compaction`] finds unneeded changes. It reads the whole journal up to the compaction point, which
//!    takes a long time. Call it on a clone of the state, in parallel with the writing thread.
//! 3. [`State::compact`] removes some of the unneeded changes, and returns the rewritten operations.
//!
//! A change is unneeded if its operation was reverted, or if a later change replaced its value. The changes of a fact
//! are also unneeded if no knower can learn the fact any more. No knower can learn a fact that its source withdrew, or
//! a former value of a predicate without full [`History`].
//!
//! If a person removed a record, the removal remains in the journal, so that no import adds the record again. The
//! revert of an import or a merge also remains, so that the import or merge is not repeated. A decision on a fact
//! remains too, even if the operation that recorded the fact was reverted, so that the DM need not decide again.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use super::{
    Entry, State,
    apply::sort_and_dedup,
    rows::{FactRow, KnowledgeRow, Row, Write, Writes},
};
use crate::{
    Author, Change, EngineSetting, FactId, FactStatus, GameSetting, History, Key, KnowledgeEdge, Operation, Position,
    ReviewSetting, SessionSetting, Setting, SettingKey,
};

/// Maximum number of changes of a small operation. A small operation is rewritten even to remove a single change. A
/// larger operation is rewritten only if at least half of its changes can be removed.
const SMALL_OPERATION_CHANGES: usize = 16;

/// Limits that state how many operations can still be undone after compaction. If one limit includes more operations
/// than the other, the larger range applies.
///
/// Regardless of the limits, all operations after the oldest slot can still be undone. The same is true for a reverted
/// operation while its revert can still be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoRetention {
    /// The number of operations that can be undone, counted from the newest operation.
    pub operations: u64,
    /// The number of sessions that can be undone completely, counted from the newest session.
    pub sessions: usize,
}

impl Default for UndoRetention {
    fn default() -> Self {
        Self { operations: 1_000, sessions: 2 }
    }
}

/// Unneeded changes of one operation.
#[derive(Debug, Clone)]
struct UnneededChanges {
    index: u32,
    changes: Vec<u32>,
}

/// Unneeded changes that [`State::plan_compaction`] found.
#[derive(Debug, Default)]
pub struct Compaction {
    unneeded: VecDeque<UnneededChanges>,
    /// Facts that are named in operations which were recorded after the plan.
    referenced_facts: HashSet<FactId>,
    /// The position of the newest operation whose references are taken into account.
    scanned_to: Position,
}

impl Compaction {
    /// Returns whether [`State::compact`] has removed all unneeded changes of the plan.
    pub fn is_done(&self) -> bool {
        self.unneeded.is_empty()
    }
}

/// Operations that [`State::compact`] rewrote.
#[derive(Debug, Default)]
pub struct CompactionResult {
    /// The rewritten operations, sorted by position. Each pair contains the position and the remaining operation, which
    /// is `None` if no changes are left.
    pub operations: Vec<(Position, Option<Arc<Operation>>)>,
    /// The keys of the records that may have changed, appeared or disappeared. Sorted and unique.
    pub touched: Vec<Key>,
}

/// Data that determines whether a change is needed, in addition to the records.
struct Context<'a> {
    /// Journal indices of reverted operations that may take effect again, because their revert can still be undone.
    restorable: HashSet<u32>,
    /// Facts that other records refer to.
    referenced_facts: &'a HashSet<FactId>,
    /// Changes that began or ended a session, sorted.
    sessions: Vec<Write>,
}

impl State {
    /// Returns the compaction point: operations at or before this position in the journal cannot be undone. Compaction
    /// may have removed some or all of their changes.
    pub fn compacted_to(&self) -> Position {
        self.compacted_to
    }

    /// Returns the position up to which the journal may be compacted: at most `limit`, and at least
    /// [`State::compacted_to`].
    ///
    /// Pass exactly this position to [`State::advance_compaction`]. Do not pass an earlier position, because a later
    /// operation might revert or restore an operation before the earlier position.
    pub fn undo_horizon(&self, retention: &UndoRetention, limit: Position) -> Position {
        let mut horizon = self.position().0.saturating_sub(retention.operations).min(limit.0);
        if let Some(slot) = self.slots.iter().map(|slot| slot.position).min() {
            horizon = horizon.min(slot.0.saturating_sub(1));
        }
        let changes = self.session_changes();
        let session_starts = changes.iter().rev().filter(|write| matches!(self.change(**write), Change::Set(_)));
        if let Some(oldest) = session_starts.take(retention.sessions).last() {
            horizon = horizon.min(u64::from(oldest.operation));
        }
        for index in self.reverts.iter().rev() {
            if u64::from(index) < horizon {
                break;
            }
            for change in &self.journal[index as usize].operation.changes {
                match change {
                    Change::Revert(position) if *position > self.compacted_to => horizon = horizon.min(position.0 - 1),
                    Change::Restore(position) => horizon = horizon.min(position.0),
                    _ => {}
                }
            }
        }
        Position(horizon).max(self.compacted_to)
    }

    /// Returns the changes that began or ended a session, sorted.
    fn session_changes(&self) -> Vec<Write> {
        let writes = self.settings.get(&SettingKey::Playing).into_iter().flat_map(|row| row.writes.iter());
        let (mut changes, mut current_session) = (Vec::new(), None);
        for write in writes.filter(|write| self.journal[write.operation as usize].live) {
            let session = match self.change(write) {
                Change::Set(Setting::Session(SessionSetting::Playing(playing))) => Some(&playing.session),
                _ => None,
            };
            if session != current_session {
                changes.push(write);
                current_session = session;
            }
        }
        changes
    }

    /// Sets the compaction point. Operations up to this position can no longer be undone. Nothing else changes.
    pub fn advance_compaction(&mut self, to: Position) {
        self.compacted_to = self.compacted_to.max(to);
        self.journal.extend_to(usize::try_from(to.0).unwrap_or(usize::MAX));
    }

    fn is_compacted(&self, index: u32) -> bool {
        u64::from(index) < self.compacted_to.0
    }

    /// Finds unneeded changes up to [`State::compacted_to`]. The cost is proportional to the length of the journal.
    pub fn plan_compaction(&self) -> Compaction {
        let referenced_facts = self.referenced_facts();
        let context = self.context(&referenced_facts);
        let compacted = self.journal().take_while(|(position, _)| *position <= self.compacted_to);
        let unneeded = compacted.filter_map(|(position, entry)| {
            let index = position.0 as u32 - 1;
            let changes = self.unneeded_changes(index, entry, &context);
            let count = entry.operation.changes.len();
            let is_worthwhile = changes.len() * 2 >= count || count <= SMALL_OPERATION_CHANGES;
            (is_worthwhile && !changes.is_empty()).then_some(UnneededChanges { index, changes })
        });
        Compaction { unneeded: unneeded.collect(), referenced_facts: HashSet::new(), scanned_to: self.position() }
    }

    /// Removes unneeded changes of a plan. Stops when the rewritten operations have about `limit` changes in total.
    ///
    /// The plan must come from this state or from an earlier version of this state. Former values of predicates without
    /// full [`History`] disappear. All other reads give the same result as before.
    pub fn compact(&mut self, plan: &mut Compaction, limit: usize) -> CompactionResult {
        for position in plan.scanned_to.0 + 1..=self.position().0 {
            let Some(entry) = self.entry(Position(position)) else { continue };
            for change in &entry.operation.changes {
                self.for_each_referenced_fact(change, |fact| _ = plan.referenced_facts.insert(fact));
            }
        }
        plan.scanned_to = self.position();
        let (mut rewritten, mut count) = (CompactionResult::default(), 0);
        while count < limit
            && let Some(UnneededChanges { index, changes }) = plan.unneeded.pop_front()
        {
            let Some(entry) = self.journal.get(index as usize).cloned() else { continue };
            count += entry.operation.changes.len();
            // Operations that were added after the plan was made may need some of the changes.
            let context = self.context(&plan.referenced_facts);
            let still_unneeded = self.unneeded_changes(index, &entry, &context);
            let is_unneeded = |change: &u32| still_unneeded.binary_search(change).is_ok();
            let changes: Vec<u32> = changes.into_iter().filter(is_unneeded).collect();
            if !changes.is_empty() {
                let remaining = self.remove_changes(index, &entry.operation, &changes, &mut rewritten.touched);
                rewritten.operations.push((Position(u64::from(index) + 1), remaining));
            }
        }
        sort_and_dedup(&mut rewritten.touched);
        rewritten
    }

    fn context<'a>(&self, referenced_facts: &'a HashSet<FactId>) -> Context<'a> {
        let reverts = self.reverts.iter().rev().take_while(|index| !self.is_compacted(*index));
        let targets = reverts.flat_map(|index| &self.journal[index as usize].operation.changes).filter_map(|change| {
            let Change::Revert(Position(position)) = change else { return None };
            u32::try_from(position.checked_sub(1)?).ok()
        });
        Context { restorable: targets.collect(), referenced_facts, sessions: self.session_changes() }
    }

    /// Returns the facts that other facts, deductions and reveals refer to.
    fn referenced_facts(&self) -> HashSet<FactId> {
        let related = self.facts().filter_map(|fact| fact.fact_relation()).map(|relation| relation.fact());
        let edges = self.knowledge.rows().filter_map(|(_, row)| row.record.value.as_ref());
        let premises = edges.filter_map(|edge| edge.acquisition.premises());
        let reveals = self.settings.values().filter_map(|row| match row.value.as_deref()? {
            Setting::Game(GameSetting::Reveal(reveal)) => Some(reveal),
            _ => None,
        });
        related.chain(premises.flatten().copied()).chain(reveals.flat_map(|reveal| reveal.facts())).collect()
    }

    /// Returns the indices of the unneeded changes within an operation, sorted.
    fn unneeded_changes(&self, index: u32, entry: &Entry, context: &Context) -> Vec<u32> {
        let numbers = 0..entry.operation.changes.len() as u32;
        if context.restorable.contains(&index) {
            return Vec::new();
        }
        if !entry.live {
            let is_needed =
                |number: &u32| self.prevents_repetition(&entry.operation.changes[*number as usize], context);
            return numbers.filter(|number| !is_needed(number)).collect();
        }
        let is_unneeded = |number: &u32| {
            let (change, write) =
                (&entry.operation.changes[*number as usize], Write { operation: index, change: *number });
            !self.is_needed(change, write, context)
        };
        numbers.filter(is_unneeded).collect()
    }

    /// Returns whether a change is needed. The operation of the change must be live and no longer undoable.
    fn is_needed(&self, change: &Change, write: Write, context: &Context) -> bool {
        let by_person = is_person(&self.journal[write.operation as usize].operation.author);
        match (change, change.written_key()) {
            // There are few of these changes, and the external ids of an entity are read from all of them.
            (Change::AddEntity(_) | Change::RemoveEntity(_), _) => true,
            // A revert is not needed if nothing remains of the operation that it reverts.
            (Change::Revert(position), _) => self.leaves_reverted_changes(position.0.saturating_sub(1), context),
            (Change::Restore(Position(to)), _) => {
                (*to..u64::from(write.operation)).any(|index| self.leaves_reverted_changes(index, context))
            }
            (_, Some(Key::Fact(id))) => {
                let row = self.facts.get(&id).filter(|row| row.record.writes.contains(write));
                row.is_some_and(|row| {
                    let asserts = |change: &Change| matches!(change, Change::AssertFact(_));
                    let is_replaced = !row.supported && self.is_replaced(&row.record, write, context, asserts);
                    let is_unreachable = matches!(change, Change::AssertFact(_)) && self.is_unreachable(row, context);
                    !is_replaced && !is_unreachable
                })
            }
            (_, Some(Key::KnowledgeEdge(id))) => {
                let row = self.knowledge.get(&id).filter(|row| row.record.writes.contains(write));
                let Some(row) = row else { return by_person && matches!(change, Change::Unlearn(_)) };
                let lacks_fact = row.fact.is_some_and(|fact| !self.facts.at(fact).record.is_recorded());
                let is_unreachable = lacks_fact && self.is_unused(row, context);
                !is_unreachable && !self.is_replaced(&row.record, write, context, |_| true)
            }
            (_, Some(Key::Passage(id))) => {
                let row = self.passages.get(&id).filter(|row| row.record.writes.contains(write));
                let Some(row) = row else { return by_person && matches!(change, Change::RemovePassage(_)) };
                // A kind of talk replaces only earlier kinds.
                let is_kind = |change: &Change| matches!(change, Change::SetTalkKind { .. });
                !self.is_replaced(&row.record, write, context, |later| is_kind(change) || !is_kind(later))
            }
            (_, Some(Key::Session(id))) => {
                let row = self.sessions.get(&id);
                row.is_none_or(|row| !self.is_replaced(row, write, context, |_| true))
            }
            // Session times are read from the changes that began or ended a session.
            (_, Some(Key::Setting(SettingKey::Playing))) if context.sessions.binary_search(&write).is_ok() => true,
            (_, Some(Key::Setting(key))) => {
                let replaces = |later: &Change| match (change, later) {
                    (Change::SetFlag { value, .. }, Change::SetFlag { value: later, .. }) => {
                        value.kind() == later.kind()
                    }
                    (_, later) => !matches!(later, Change::SetFlag { .. }),
                };
                let row = self.settings.get(&key);
                row.is_none_or(|row| !self.is_replaced(row, write, context, replaces))
            }
            // Changes that save or drop slots are not needed, because every existing slot was saved after the
            // compaction point.
            (_, None) => false,
            (_, Some(Key::Entity(_))) => true,
        }
    }

    /// Returns whether the operation at a journal index is reverted, and compaction keeps at least one of its changes.
    fn leaves_reverted_changes(&self, index: u64, context: &Context) -> bool {
        let entry = self.journal.get(index as usize).filter(|entry| !entry.live);
        entry.is_some_and(|entry| {
            context.restorable.contains(&(index as u32))
                || entry.operation.changes.iter().any(|change| self.prevents_repetition(change, context))
        })
    }

    /// Returns whether a change of a reverted operation remains in the journal, because it must not be repeated. The
    /// change records an import, a merge, or a fact on which a later change decided.
    fn prevents_repetition(&self, change: &Change, context: &Context) -> bool {
        match change {
            Change::AssertFact(fact) | Change::Support(fact) => self.facts.get(&fact.id()).is_some_and(|row| {
                let may_apply = |write: Write| {
                    self.journal[write.operation as usize].live || context.restorable.contains(&write.operation)
                };
                row.record.writes.iter().any(|write| self.change(write).is_decision() && may_apply(write))
            }),
            Change::Set(
                Setting::Review(ReviewSetting::Merged { .. }) | Setting::Engine(EngineSetting::Imported { .. }),
            ) => true,
            _ => false,
        }
    }

    /// Returns whether a write is live, and no undo can change that.
    fn is_final(&self, write: Write, context: &Context) -> bool {
        let is_live = self.journal[write.operation as usize].live && !context.restorable.contains(&write.operation);
        is_live && self.is_compacted(write.operation)
    }

    /// Returns whether a later write that cannot be undone replaces this write. `replaces` returns whether a later
    /// write replaces it.
    fn is_replaced<V>(
        &self,
        record: &Row<V>,
        write: Write,
        context: &Context,
        replaces: impl Fn(&Change) -> bool,
    ) -> bool {
        let later = record.writes.iter().rev().take_while(|later| *later > write);
        later.into_iter().any(|later| self.is_final(later, context) && replaces(self.change(later)))
    }

    /// Returns whether no knower can learn of a fact any more, and no record refers to the fact.
    fn is_unreachable(&self, row: &FactRow, context: &Context) -> bool {
        let writes = &row.record.writes;
        let by_program = |write: Write| !is_person(&self.journal[write.operation as usize].operation.author);
        let all_final = writes.iter().all(|write| self.is_final(write, context) && by_program(write));
        let asserts = |write: &Write| self.change(*write).fact().is_some();
        let mut assertions = writes.iter().filter(asserts);
        let (Some(first), None) = (assertions.next(), assertions.next()) else { return false };
        let edges = || row.known_by.iter().map(|edge| self.knowledge.at(edge));
        if !all_final
            || context.referenced_facts.contains(&row.id)
            || !edges().all(|edge| self.is_unused(edge, context))
        {
            return false;
        }
        let author = |write: Write| &self.journal[write.operation as usize].operation.author;
        match writes.last() {
            Some(last) if matches!(self.change(last), Change::RetractFact(_)) => author(first) == author(last),
            Some(last) => self.is_former_value(row, first, last, context) && edges().all(has_no_details),
            None => false,
        }
    }

    /// Returns whether a fact is a former value of a predicate without full history.
    ///
    /// If the predicate has session history, values at the beginning or end of a session are not former values.
    fn is_former_value(&self, row: &FactRow, first: Write, last: Write, context: &Context) -> bool {
        let Some(fact) = &row.record.value else { return false };
        let is_simple = fact.status() == FactStatus::Canon && fact.handle().is_none() && fact.fact_relation().is_none();
        let by_game = self.journal[first.operation as usize].operation.author == Author::Game;
        // Without a later transient value, this fact may be the latest value in the store, which a reload would
        // restore.
        let has_successor = self.transient(fact.subject(), fact.predicate()).is_some();
        let is_kept = match self.vocabulary.history(fact.predicate()) {
            History::Full => true,
            History::Latest => false,
            History::Session => {
                let is_within = |write: &Write| first.operation <= write.operation && write.operation <= last.operation;
                context.sessions.iter().any(is_within)
            }
        };
        fact.validity().is_closed() && is_simple && by_game && has_successor && !is_kept
    }

    /// Returns whether an edge cannot change any more, was not written by a person, and supports no other edge.
    fn is_unused(&self, row: &KnowledgeRow, context: &Context) -> bool {
        let is_removable = |write: Write| {
            self.is_final(write, context) && !is_person(&self.journal[write.operation as usize].operation.author)
        };
        !row.transient && row.dependents.is_empty() && row.record.writes.iter().all(is_removable)
    }

    /// Removes changes of an operation, and returns the rest of the operation.
    fn remove_changes(
        &mut self,
        index: u32,
        operation: &Operation,
        changes: &[u32],
        touched: &mut Vec<Key>,
    ) -> Option<Arc<Operation>> {
        for number in changes {
            let change = &operation.changes[*number as usize];
            touched.extend(self.remove_write(change, Write { operation: index, change: *number }));
        }
        let remains = |number: usize| changes.binary_search(&(number as u32)).is_err();
        let remaining = operation.changes.iter().enumerate().filter(|(number, _)| remains(*number));
        let mut kept = Vec::with_capacity(operation.changes.len() - changes.len());
        for (number, change) in remaining {
            let [from, to] = [number, kept.len()].map(|number| Write { operation: index, change: number as u32 });
            if let Some(writes) = change.written_key().and_then(|key| self.writes_mut(&key)) {
                renumber(writes, from, to);
            }
            kept.push(change.clone());
        }
        if !kept.iter().any(Change::is_undo) {
            self.reverts.remove_last(|revert| revert == index);
        }
        if kept.is_empty() {
            self.journal.remove(index as usize);
            self.operation_count -= 1;
            return None;
        }
        let rewritten = Operation::new(operation.author.clone(), operation.summary.clone(), kept);
        let rewritten = Arc::new(Operation { recorded: operation.recorded, ..rewritten });
        self.journal[index as usize].operation = Arc::clone(&rewritten);
        Some(rewritten)
    }

    fn writes_mut(&mut self, key: &Key) -> Option<&mut Writes> {
        Some(match key {
            Key::Entity(id) => &mut self.entities.at_mut(self.entities.find(id)?).record.writes,
            Key::Fact(id) => &mut self.facts.at_mut(self.facts.find(id)?).record.writes,
            Key::KnowledgeEdge(id) => &mut self.knowledge.at_mut(self.knowledge.find(id)?).record.writes,
            Key::Passage(id) => &mut self.passages.at_mut(self.passages.find(id)?).record.writes,
            Key::Session(id) => &mut self.sessions.get_mut(id)?.writes,
            Key::Setting(key) => &mut self.settings.get_mut(key)?.writes,
        })
    }

    /// Removes a write that is reverted or replaced. Also removes the record if the record has no other write.
    ///
    /// Returns the keys of the records that may have changed, appeared or disappeared.
    fn remove_write(&mut self, change: &Change, write: Write) -> Vec<Key> {
        let Some(key) = change.written_key() else { return Vec::new() };
        let Some(writes) = self.writes_mut(&key).filter(|writes| writes.contains(write)) else {
            return Vec::new();
        };
        let others: Vec<Write> = writes.iter().filter(|other| *other != write).collect();
        match (&key, change) {
            (Key::Fact(id), Change::AssertFact(fact) | Change::Support(fact)) => {
                let Some(index) = self.facts.find(id) else { return Vec::new() };
                let versions: Vec<_> =
                    others.iter().filter_map(|write| self.change(*write).fact()).map(Arc::clone).collect();
                if versions.is_empty() {
                    return self.forget_fact(index);
                }
                self.unindex_version(&Arc::clone(fact), index, &versions);
            }
            (Key::KnowledgeEdge(id), Change::Learn(_))
                if others.iter().all(|write| self.change(*write).edge().is_none()) =>
            {
                return self.knowledge.find(id).map(|index| self.forget_knowledge(index)).unwrap_or_default();
            }
            (Key::Passage(id), Change::AddPassage(passage)) => {
                let Some(index) = self.passages.find(id) else { return Vec::new() };
                let versions: Vec<_> =
                    others.iter().filter_map(|write| self.change(*write).passage()).map(Arc::clone).collect();
                if versions.is_empty() {
                    return vec![self.forget_passage(index)];
                }
                self.unindex_passage(passage, index, &versions);
            }
            _ => {}
        }
        if let Some(writes) = self.writes_mut(&key) {
            writes.remove_last(|other| other == write);
        }
        match &key {
            Key::Session(id) if self.sessions.get(id).is_some_and(|row| !row.is_recorded()) => {
                self.sessions.remove(id);
            }
            Key::Setting(key) if self.settings.get(key).is_some_and(|row| !row.is_recorded()) => {
                self.settings.remove(key);
            }
            Key::Fact(id) => self.refresh_support(*id),
            _ => {}
        }
        Vec::new()
    }

    /// Updates [`FactRow::supported`] after writes of a fact were removed.
    fn refresh_support(&mut self, id: FactId) {
        let Some(index) = self.facts.find(&id).filter(|index| self.facts.at(*index).supported) else { return };
        let supports = |write: Write| matches!(self.change(write), Change::Support(_));
        let supported = self.facts.at(index).record.writes.iter().any(supports);
        self.facts.at_mut(index).supported = supported;
    }
}

/// Returns whether an author is a person. The decisions of people remain in the journal.
fn is_person(author: &Author) -> bool {
    matches!(author, Author::Dm | Author::Player(_))
}

/// Returns whether an edge only states that a knower knows a fact, without time, source or other details.
fn has_no_details(row: &KnowledgeRow) -> bool {
    let value = row.record.value.as_deref();
    value.is_none_or(|edge| *edge == KnowledgeEdge::authored(edge.knower.clone(), edge.fact))
}

fn renumber(writes: &mut Writes, from: Write, to: Write) {
    if from == to || !writes.contains(from) {
        return;
    }
    let mut renumbered = Writes::default();
    writes.iter().for_each(|write| renumbered.push(if write == from { to } else { write }));
    *writes = renumbered;
}
