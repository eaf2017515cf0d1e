//! The readers of other tools' formats.

mod foundry;
mod glyphoxa;
mod kanka;
mod mapping;
mod markdown;
mod roll20;
mod world_anvil;

use super::NoteReader;
pub(super) use markdown::relate;

/// All readers. If two readers have the same score, the earlier reader is used.
pub static READERS: &[&dyn NoteReader] = &[
    &mapping::Mapping,
    &kanka::Kanka,
    &foundry::Foundry,
    &roll20::Roll20,
    &world_anvil::WorldAnvil,
    &glyphoxa::Glyphoxa,
    &markdown::Markdown,
];
