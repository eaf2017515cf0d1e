//! Commands that save and load.

use std::path::PathBuf;

use bevy::prelude::*;

use super::queue::{Action, queue};

/// Name of the slot of [`SaveCommands::quick_save`].
const QUICK: &str = "quick";

/// Commands that save and load slots. The message [`SlotSaved`](crate::SlotSaved) or [`SlotLoaded`](crate::SlotLoaded)
/// confirms success. A [`MemoryErrorMessage`](crate::MemoryErrorMessage) reports an error.
pub trait SaveCommands {
    /// Saves the current state of the game to a slot.
    fn save_slot(&mut self, name: impl Into<String>);
    /// Loads a slot. Pending questions get no reply, and unsent changes are dropped, because both belong to the
    /// timeline before loading.
    fn load_slot(&mut self, name: impl Into<String>);
    /// Deletes a slot: the name for a position in the journal. The recorded play is not deleted.
    fn drop_slot(&mut self, name: impl Into<String>);
    /// Saves to the slot `quick`.
    fn quick_save(&mut self) {
        self.save_slot(QUICK);
    }
    /// Loads the slot `quick`.
    fn quick_load(&mut self) {
        self.load_slot(QUICK);
    }
    /// Exports the memory to one `.jsonl` file, which another save can import.
    fn export_memory(&mut self, path: impl Into<PathBuf>);
}

impl SaveCommands for Commands<'_, '_> {
    fn save_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Save(name.into()));
    }

    fn load_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Load(name.into()));
    }

    fn drop_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Drop(name.into()));
    }

    fn export_memory(&mut self, path: impl Into<PathBuf>) {
        queue(self, Action::Export(path.into()));
    }
}
