//! Commands that save and load slots.

use std::path::PathBuf;

use bevy::prelude::*;

use super::queue::{SaveRequest, queue_request};

/// Name of the slot of [`SaveCommands::quick_save`].
const QUICK_SAVE_SLOT: &str = "quick";

/// Commands that save and load slots. The message [`SlotSaved`](crate::SlotSaved) or [`SlotLoaded`](crate::SlotLoaded)
/// confirms success. A [`MemoryErrorMessage`](crate::MemoryErrorMessage) reports an error.
pub trait SaveCommands {
    /// Saves the current state of the game to a slot.
    fn save_slot(&mut self, name: impl Into<String>);
    /// Loads a slot. The plugin cancels pending questions and drops unsent changes, because they belong to the state
    /// before loading.
    fn load_slot(&mut self, name: impl Into<String>);
    /// Deletes a slot. The operations in the journal remain, because a slot is only a name for a position in the
    /// journal.
    fn drop_slot(&mut self, name: impl Into<String>);
    /// Saves to the slot `quick`.
    fn quick_save(&mut self) {
        self.save_slot(QUICK_SAVE_SLOT);
    }
    /// Loads the slot `quick`.
    fn quick_load(&mut self) {
        self.load_slot(QUICK_SAVE_SLOT);
    }
    /// Exports the memory to one `.jsonl` file, which another save can import.
    fn export_memory(&mut self, path: impl Into<PathBuf>);
}

impl SaveCommands for Commands<'_, '_> {
    fn save_slot(&mut self, name: impl Into<String>) {
        queue_request(self, SaveRequest::Save(name.into()));
    }

    fn load_slot(&mut self, name: impl Into<String>) {
        queue_request(self, SaveRequest::Load(name.into()));
    }

    fn drop_slot(&mut self, name: impl Into<String>) {
        queue_request(self, SaveRequest::Drop(name.into()));
    }

    fn export_memory(&mut self, path: impl Into<PathBuf>) {
        queue_request(self, SaveRequest::Export(path.into()));
    }
}
