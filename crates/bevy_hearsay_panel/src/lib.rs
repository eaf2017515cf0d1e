//! egui panels over Hearsay's NPC memory: review, search, scenes, graph and time, for any bevy_egui app.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod commands;
mod deeds;
mod desk;
mod fresh;
#[cfg(test)]
mod moments;
mod names;
mod news;
mod panel;
pub mod panels;
mod plugin;
#[cfg(test)]
mod testing;
pub mod text;
pub mod theme;
pub mod widgets;

pub use deeds::Deeds;
pub use desk::{Desk, KeptDesk};
pub use names::{Named, Names};
pub use news::{Watch, taken};
pub use panel::{Deed, Done, Look, Make, News, Note, Outcome, Panel, PanelKind, Request, Saved, restored, saved};
pub use plugin::{HearsayPanelPlugin, PanelDesk};
pub use theme::{Shade, Theme, Tone};
