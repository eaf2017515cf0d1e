//! egui panels over Hearsay's NPC memory: review, search, scenes, graph and time, for any bevy_egui app.
//!
//! # Use case 1: one line
//!
//! [`HearsayPanelPlugin`] puts the whole desk into an app that has a memory. F10 opens and closes it.
//!
//! ```no_run
//! # use bevy::prelude::*;
//! # use bevy_hearsay::HearsayPlugins;
//! # use bevy_hearsay_panel::HearsayPanelPlugin;
//! App::new()
//!     .add_plugins((DefaultPlugins, HearsayPlugins::new_or_continue("campaigns/gullhaven", "saves/slot1")))
//!     .add_plugins(HearsayPanelPlugin::default());
//! ```
//!
//! # Use case 2: panels by hand
//!
//! Each panel is a [`Panel`]: call [`update`](Panel::update) and [`ui`](Panel::ui) each frame, and do what it asks for in
//! [`Request`]s. [`Watch`] keeps the [`News`] that panels need, [`Deeds`] carries out what changes the memory. [`Desk`]
//! does all of it, with tabs, keys and undo, and knows no Bevy. Below a panel lie a model of plain data, a function that
//! reads it, and a function that draws it: [`panels::review::review_ui`] over a [`panels::review::ReviewModel`].
//!
//! # Guarantees
//!
//! - **Nothing waits.** What is asked of the memory comes back as a ticket; files are written by a thread of their own.
//! - **Every change is one operation**, which undo takes back and names; where others rest on it, undo asks first.
//! - **Nothing typed is lost** when the window closes: drafts, filters and layout are kept, see [`KeptDesk`].
//! - **In screen-safe mode nothing secret is drawn**, nor what only some heard.
//! - **State is never colour alone**, and all that can be clicked has a name for screen readers.
//!
//! # Looks
//!
//! One [theme file](Theme), dark and light, at scales from 0.75 to 2.0. Scripts that the built-in fonts lack are taken from
//! the system's. All keys stand in [one table](commands), which feeds the help (`?`) and the palette (Ctrl+P).
//!
//! # Troubleshooting
//!
//! **Nothing opens.** egui draws on the app's first camera: spawn one. **The game hears what I type.** Gate its systems
//! with `run_if(not(egui_wants_any_keyboard_input))`. **The panels are empty.** They show what
//! [`MemoryState`](bevy_hearsay::MemoryState) says while the memory opens; `Failed` says why.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod commands;
mod deeds;
mod desk;
pub mod direction;
mod fresh;
#[cfg(test)]
mod moments;
mod names;
mod news;
mod panel;
pub mod panels;
mod plugin;
#[cfg(test)]
mod snapshots;
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
