//! Slots: named positions in the journal to which a game can return.
//!
//! A return to a slot reverts the operations after the slot, but does not remove the slots that these operations saved.
//! Therefore, a game can return to an early slot and then to a later slot.

use std::sync::Arc;

use super::{ApplyError, State};
use crate::{Change, Position, Timestamp};

/// A named position in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The name of the slot.
    pub name: String,
    /// The journal position that a return to the slot restores.
    pub position: Position,
    /// The real time at which the slot was saved.
    pub saved: Timestamp,
}

impl State {
    /// Returns the slots, the newest first. If several slots were saved under one name, the result contains only the
    /// newest of them.
    pub fn slots(&self) -> Vec<Slot> {
        self.slots.iter().rev().cloned().collect()
    }

    /// Updates the slots if a change of the newest operation saves or drops a slot.
    pub(super) fn note_slot(&mut self, change: &Change, saved: Timestamp) {
        let (Change::SaveSlot(name) | Change::DropSlot(name)) = change else { return };
        let position = self.position();
        let slots = Arc::make_mut(&mut self.slots);
        slots.retain(|slot| slot.name != *name);
        if matches!(change, Change::SaveSlot(_)) {
            slots.push(Slot { name: name.clone(), position, saved });
        }
    }

    /// Returns the slot with this name.
    ///
    /// # Errors
    /// Returns an error if no slot has this name. The error lists the existing slots.
    pub fn slot(&self, name: &str) -> Result<Slot, ApplyError> {
        let mut slots = self.slots();
        match slots.iter().position(|slot| slot.name == name) {
            Some(index) => Ok(slots.swap_remove(index)),
            None => {
                let known = slots.into_iter().map(|slot| slot.name).collect();
                Err(ApplyError::NoSlot { name: name.to_owned(), known })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Author, Entity, EntityId, Operation};

    fn apply(state: &mut State, change: Change) {
        state.apply(Operation::new(Author::Game, "a test", vec![change])).unwrap();
    }

    fn add(state: &mut State, id: &str) {
        apply(state, Change::AddEntity(Entity::new(EntityId::new(id).unwrap())));
    }

    fn load(state: &mut State, name: &str) -> Vec<String> {
        let position = state.slot(name).unwrap().position;
        apply(state, Change::Restore(position));
        state.entities().map(|entity| entity.id.to_string()).collect()
    }

    #[test]
    fn a_slot_is_gone_back_to_from_wherever_one_is() {
        let mut state = State::default();
        add(&mut state, "ann");
        apply(&mut state, Change::SaveSlot("early".into()));
        add(&mut state, "bob");
        apply(&mut state, Change::SaveSlot("late".into()));
        assert_eq!(load(&mut state, "early"), ["ann"]);
        add(&mut state, "cid");
        apply(&mut state, Change::SaveSlot("other".into()));
        assert_eq!(load(&mut state, "late"), ["ann", "bob"], "the abandoned future can be come back to");
        assert_eq!(load(&mut state, "other"), ["ann", "cid"]);
    }

    #[test]
    fn a_slot_names_the_last_saved_position_until_it_is_dropped() {
        let mut state = State::default();
        add(&mut state, "ann");
        apply(&mut state, Change::SaveSlot("quick".into()));
        add(&mut state, "bob");
        apply(&mut state, Change::SaveSlot("quick".into()));
        assert_eq!(state.slots().iter().map(|slot| slot.position.0).collect::<Vec<_>>(), [4]);
        apply(&mut state, Change::DropSlot("quick".into()));
        assert_eq!(state.slots(), []);
        let error = state.slot("quick").unwrap_err().to_string();
        assert_eq!(error, "there is no slot `quick`; the campaign has no slots");
        let blank_name = state.check(&Operation::new(Author::Game, "a test", vec![Change::SaveSlot(" ".into())]));
        assert_eq!(blank_name, Err(ApplyError::SlotName(" ".into())));
    }
}
