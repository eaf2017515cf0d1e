//! Reverts and restores: computes which operations are live, and previews the effect of a revert.

use rustc_hash::FxHashSet;

use super::{ApplyError, State, rows::Writes};
use crate::{Author, Change, Key, Operation, PassageId, Position, SessionId};

/// Preview of the effect of reverting an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPreview {
    /// Records that would disappear. Sorted.
    pub lost: Vec<Key>,
    /// Records that would change or reappear. Sorted.
    pub changed: Vec<Key>,
    /// Operations of the extractor that the undo would also revert, because their text or session would disappear.
    /// Sorted.
    pub extractions: Vec<Position>,
    /// Later operations that change a record that the undo would remove. These changes would no longer have an effect.
    /// Sorted.
    ///
    /// Operations of the extractor are not listed, because extracted facts disappear and reappear together with their
    /// texts.
    pub dependents: Vec<Position>,
}

impl State {
    /// Returns the changes that revert an operation.
    ///
    /// If a text disappears with the operation, the changes also revert the operations of the extractor that recorded
    /// facts from this text. If a session disappears, they also revert the operations of the extractor by which
    /// characters learned facts in this session. An operation that reverts these changes restores the facts and later
    /// decisions on them.
    ///
    /// # Errors
    /// Returns an error if there is no operation at this position, or if the operation was already reverted.
    pub fn undo_changes(&self, position: Position) -> Result<Vec<Change>, ApplyError> {
        Ok(reverts(position, &self.extractions_reverted_with(position)?))
    }

    /// Returns the operations of the extractor whose text disappears, or becomes out of character, with an operation, and
    /// those whose session disappears. Sorted.
    fn extractions_reverted_with(&self, position: Position) -> Result<Vec<Position>, ApplyError> {
        let mut after = self.clone();
        let touched = after.apply(Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]))?.touched;
        let is_read =
            |state: &Self, id: PassageId| state.passage(id).is_some_and(|passage| !passage.is_out_of_character());
        let mut extractions = Vec::new();
        for key in &touched {
            match key {
                Key::Passage(id) if is_read(self, *id) && !is_read(&after, *id) => {
                    extractions.extend(after.extractions_from(*id));
                }
                Key::Session(id) if self.session(id).is_some() && after.session(id).is_none() => {
                    let later = after.journal().filter(|(at, _)| *at > position);
                    let lessons = later.filter(|(_, entry)| records_lessons_of(&entry.operation, id));
                    extractions.extend(lessons.map(|(at, _)| at));
                }
                _ => {}
            }
        }
        let is_revertible = |at: &Position| *at > self.compacted_to && self.entry(*at).is_some_and(|entry| entry.live);
        extractions.retain(is_revertible);
        extractions.sort_unstable();
        Ok(extractions)
    }

    /// Returns the effect of the [changes that revert an operation](Self::undo_changes), without reverting it.
    ///
    /// # Errors
    /// Returns an error if there is no operation at this position, or if the operation was already reverted.
    pub fn undo_preview(&self, position: Position) -> Result<UndoPreview, ApplyError> {
        let extractions = self.extractions_reverted_with(position)?;
        let (lost, changed) = self.effects_of(reverts(position, &extractions))?;
        let writes = lost.iter().filter_map(|key| self.writes_to(key)).flat_map(Writes::iter);
        let positions = writes.map(|write| Position(u64::from(write.operation) + 1));
        let is_dependent = |at: &Position| {
            let entry = self.entry(*at).filter(|_| *at > position);
            entry.is_some_and(|entry| entry.live && entry.operation.author != Author::Extractor)
        };
        let mut dependents: Vec<Position> = positions.filter(is_dependent).collect();
        dependents.sort_unstable();
        dependents.dedup();
        Ok(UndoPreview { lost, changed, extractions, dependents })
    }

    /// Returns the effect of reverting all operations after a position, without reverting them. No operation depends on
    /// them, because all later operations are reverted too.
    ///
    /// # Errors
    /// Returns an error if the position is after the newest operation, or before the undo horizon.
    pub fn restore_preview(&self, position: Position) -> Result<UndoPreview, ApplyError> {
        let (lost, changed) = self.effects_of(vec![Change::Restore(position)])?;
        Ok(UndoPreview { lost, changed, extractions: Vec::new(), dependents: Vec::new() })
    }

    /// Returns the records that would disappear, and the records that would change or reappear, if these reverts or
    /// this restore were applied.
    fn effects_of(&self, changes: Vec<Change>) -> Result<(Vec<Key>, Vec<Key>), ApplyError> {
        let mut after = self.clone();
        let touched = after.apply(Operation::new(Author::Dm, "undo", changes))?.touched;
        let (mut lost, mut changed) = (Vec::new(), Vec::new());
        for key in touched {
            match (self.shows(&key), after.shows(&key)) {
                (true, false) => lost.push(key),
                (true, true) if self.has_equal_record(&after, &key) => {}
                (false, false) => {}
                (_, true) => changed.push(key),
            }
        }
        Ok((lost, changed))
    }

    /// Returns the position of the first operation that recorded a record. Returns `None` if there is no such record, or
    /// if compaction removed this operation.
    pub fn first_recorded(&self, key: &Key) -> Option<Position> {
        self.writes_to(key)?.iter().next().map(|write| Position(u64::from(write.operation) + 1))
    }

    fn writes_to(&self, key: &Key) -> Option<&Writes> {
        Some(match key {
            Key::Entity(id) => &self.entities.get(id)?.record.writes,
            Key::Fact(id) => &self.facts.get(id)?.record.writes,
            Key::KnowledgeEdge(id) => &self.knowledge.get(id)?.record.writes,
            Key::Passage(id) => &self.passages.get(id)?.record.writes,
            Key::Session(id) => &self.sessions.get(id)?.writes,
            Key::Setting(key) => &self.settings.get(key)?.writes,
        })
    }

    /// Computes again which operations are live, after the newest operation reverted or restored other operations.
    ///
    /// An operation is live if no later live operation reverts it, so liveness is computed from the newest operation to
    /// the oldest. If an operation becomes live or stops being live, the keys of its changes are added to `touched`.
    /// The cost is proportional to the number of reverts and restores back to the earliest affected position, and to
    /// the number of operations that they affect.
    pub(super) fn recompute_live_operations(&mut self, touched: &mut Vec<Key>) {
        let newest = self.journal.len() as u64;
        let mut reverted = FxHashSet::default();
        // Positions of live restores, the newest first. Each position comes with the earliest position that this
        // restore or a newer restore returns to.
        let mut restores: Vec<(u64, u64)> = Vec::new();
        // Positions of the operations that may become live or stop being live, and the earliest of these positions.
        let (mut candidates, mut earliest) = (Vec::new(), newest);
        for index in self.reverts.iter().rev() {
            let position = u64::from(index) + 1;
            if position < earliest {
                break;
            }
            let entry = &self.journal[index as usize];
            let restored_to = restores.last().map(|(_, to)| *to);
            let live = !reverted.contains(&position) && restored_to.is_none_or(|to| position <= to);
            let may_change_others = position == newest || entry.live != live;
            for change in &entry.operation.changes {
                let targets = match change {
                    Change::Revert(Position(at)) => *at..at + 1,
                    Change::Restore(Position(to)) => to + 1..position,
                    _ => continue,
                };
                if may_change_others {
                    earliest = earliest.min(targets.start);
                    candidates.extend(targets);
                }
                match change {
                    Change::Revert(Position(at)) if live => _ = reverted.insert(*at),
                    Change::Restore(Position(to)) if live => {
                        let to = restores.last().map_or(*to, |(_, earlier)| *earlier.min(to));
                        restores.push((position, to));
                    }
                    _ => {}
                }
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        for position in candidates {
            let later_count = restores.partition_point(|(at, _)| *at > position);
            let restored_to = later_count.checked_sub(1).map(|last| restores[last].1);
            let live = !reverted.contains(&position) && restored_to.is_none_or(|to| position <= to);
            let index = position as usize - 1;
            if self.journal.get(index).is_some_and(|entry| entry.live != live) {
                let entry = &mut self.journal[index];
                entry.live = live;
                touched.extend(entry.operation.changes.iter().filter_map(Change::written_key));
            }
        }
    }
}

/// Returns whether the extractor recorded with an operation only what characters learned in a session.
fn records_lessons_of(operation: &Operation, session: &SessionId) -> bool {
    let is_lesson = |change: &Change| matches!(change, Change::Learn(edge) if edge.session.as_ref() == Some(session));
    operation.author == Author::Extractor && operation.changes.iter().all(is_lesson)
}

/// Returns the changes that revert the operation at a position, followed by operations of the extractor.
fn reverts(position: Position, extractions: &[Position]) -> Vec<Change> {
    std::iter::once(position).chain(extractions.iter().rev().copied()).map(Change::Revert).collect()
}
