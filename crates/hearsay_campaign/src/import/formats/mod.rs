//! The readers of other tools' formats.

mod foundry;
mod glyphoxa;
mod kanka;
mod mapping;
mod markdown;
mod roll20;
mod world_anvil;

use super::NoteReader;
pub(super) use markdown::add_text_relations;

/// All readers. If two readers give the same score, the first of them reads the files.
pub static READERS: &[&dyn NoteReader] = &[
    &mapping::Mapping,
    &kanka::Kanka,
    &foundry::Foundry,
    &roll20::Roll20,
    &world_anvil::WorldAnvil,
    &glyphoxa::Glyphoxa,
    &markdown::Markdown,
];
