//! Undoing and restoring: which operations are live, and what would change if another one were voided.

use rustc_hash::FxHashSet;

use super::{ApplyError, State, rows::Writes};
use crate::{Author, Change, Key, Operation, Position};

/// What voiding an operation would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPreview {
    /// Records that would disappear. Sorted.
    pub lost: Vec<Key>,
    /// Records that would change or come back. Sorted.
    pub changed: Vec<Key>,
    /// Later operations that wrote to records that would disappear: what they wrote disappears too. But for what was read
    /// in texts: it goes with them, and comes back with them. Sorted.
    pub dependents: Vec<Position>,
}

impl State {
    /// What voiding an operation would do, without doing it.
    ///
    /// # Errors
    /// When there is no live operation at this position.
    pub fn undo_preview(&self, position: Position) -> Result<UndoPreview, ApplyError> {
        let mut after = self.clone();
        let void = Operation::new(Author::Dm, "undo", vec![Change::Void(position)]);
        let touched = after.apply(void)?.touched;
        let (mut lost, mut changed) = (Vec::new(), Vec::new());
        for key in touched {
            match (self.shows(&key), after.shows(&key)) {
                (true, false) => lost.push(key),
                (true, true) if self.same(&after, &key) => {}
                (false, false) => {}
                (_, true) => changed.push(key),
            }
        }
        let writes = lost.iter().filter_map(|key| self.writes_to(key)).flat_map(Writes::iter);
        let positions = writes.map(|write| Position(u64::from(write.operation) + 1));
        let depends = |at: &Position| {
            let entry = self.entry(*at).filter(|_| *at > position);
            entry.is_some_and(|entry| entry.live && entry.operation.author != Author::Extractor)
        };
        let mut dependents: Vec<Position> = positions.filter(depends).collect();
        dependents.sort_unstable();
        dependents.dedup();
        Ok(UndoPreview { lost, changed, dependents })
    }

    fn writes_to(&self, key: &Key) -> Option<&Writes> {
        Some(match key {
            Key::Entity(id) => &self.entities.get(id)?.record.writes,
            Key::Fact(id) => &self.facts.get(id)?.record.writes,
            Key::Knowledge(id) => &self.knowledge.get(id)?.record.writes,
            Key::Passage(id) => &self.passages.get(id)?.record.writes,
            Key::Session(id) => &self.sessions.get(id)?.writes,
            Key::Setting(key) => &self.settings.get(key)?.writes,
        })
    }

    /// Decides anew which operations are live after the newest one voided or restored: from the newest to the oldest, one
    /// counts unless a later one that counts voids it. What the operations that change sides wrote is touched.
    ///
    /// It looks at operations that void or restore, back to the earliest position that changes, and at what they name.
    pub(super) fn relive(&mut self, touched: &mut Vec<Key>) {
        let newest = self.journal.len() as u64;
        let mut voided = FxHashSet::default();
        // Live operations that restore, with the earliest position to which they and later ones restore.
        let mut restores: Vec<(u64, u64)> = Vec::new();
        // Positions that may change sides, and the earliest of them.
        let (mut open, mut earliest) = (Vec::new(), newest);
        for index in self.reverts.iter().rev() {
            let position = u64::from(index) + 1;
            if position < earliest {
                break;
            }
            let entry = &self.journal[index as usize];
            let restored_to = restores.last().map(|(_, to)| *to);
            let live = !voided.contains(&position) && restored_to.is_none_or(|to| position <= to);
            let changes_sides = position == newest || entry.live != live;
            for change in &entry.operation.changes {
                let targets = match change {
                    Change::Void(Position(at)) => *at..at + 1,
                    Change::Restore(Position(to)) => to + 1..position,
                    _ => continue,
                };
                if changes_sides {
                    earliest = earliest.min(targets.start);
                    open.extend(targets);
                }
                match change {
                    Change::Void(Position(at)) if live => _ = voided.insert(*at),
                    Change::Restore(Position(to)) if live => {
                        let to = restores.last().map_or(*to, |(_, earlier)| *earlier.min(to));
                        restores.push((position, to));
                    }
                    _ => {}
                }
            }
        }
        open.sort_unstable();
        open.dedup();
        for position in open {
            let later = restores.partition_point(|(at, _)| *at > position);
            let restored_to = later.checked_sub(1).map(|last| restores[last].1);
            let live = !voided.contains(&position) && restored_to.is_none_or(|to| position <= to);
            let index = position as usize - 1;
            if self.journal.get(index).is_some_and(|entry| entry.live != live) {
                let entry = &mut self.journal[index];
                entry.live = live;
                touched.extend(entry.operation.changes.iter().filter_map(Change::key));
            }
        }
    }
}
