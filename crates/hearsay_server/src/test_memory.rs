//! Memories for the tests of this crate.

use std::{fs, sync::Arc};

use hearsay_engine::{ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings};

/// Returns a memory without files and models, with a campaign in YAML.
pub(crate) fn open_memory(campaign: &str) -> Arc<Memory> {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let settings = Settings { model, extraction, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("campaign.yaml"), campaign).unwrap();
    memory.import(directory.path()).unwrap().wait().unwrap();
    Arc::new(memory)
}
