//! egui panels for Hearsay's NPC memory: review, search, scenes, graph and time, for any bevy_egui app.
//!
//! # Use case 1: one line
//!
//! [`HearsayPanelPlugin`] adds the complete desk to an app that has a memory. F10 opens and closes it.
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
//! # Use case 2: single panels
//!
//! Each panel is a [`Panel`]. Call [`update`](Panel::update) and [`ui`](Panel::ui) each frame, and handle the
//! [`Request`]s that `ui` returns. [`Watch`] maintains the [`PanelContext`] that panels need. [`Deeds`] carries out the
//! commands that change the memory. [`Desk`] combines all of this with tabs, keys and undo, and does not depend on
//! Bevy. Each panel consists of a model of plain data, a function that reads the model, and a function that draws it:
//! [`panels::review::review_ui`] draws a [`panels::review::ReviewModel`].
//!
//! # Guarantees
//!
//! - **No call blocks.** Requests to the memory return tickets, and a separate thread writes files.
//! - **Every change is one operation**, which undo names and reverts. If later operations depend on it, undo asks
//!   first.
//! - **No typed text is lost** when the window closes: drafts, filters and layout are saved, see [`KeptDesk`].
//! - **Screen-safe mode draws no secrets**, and no facts that only some of the players know.
//! - **Colour is never the only sign of a state**, and every clickable widget has a name for screen readers.
//!
//! # Appearance
//!
//! One [theme file](Theme) defines a dark and a light theme, at scales from 0.75 to 2.0. Scripts that the built-in
//! fonts lack use the system's fonts. [One table](commands) defines all keys. The help (`?`) and the palette (Ctrl+P)
//! use the same table.
//!
//! # Troubleshooting
//!
//! **Nothing opens.** egui draws on the app's first camera: spawn a camera. **The game receives typed keys.** Gate its
//! systems with `run_if(not(egui_wants_any_keyboard_input))`. **The panels are empty.** While the memory opens, they
//! show its [`MemoryState`](bevy_hearsay::MemoryState). `Failed` contains the reason.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod async_model;
pub mod commands;
mod desk;
mod desk_commands;
pub mod direction;
#[cfg(test)]
mod moments;
mod names;
mod panel;
mod panel_context;
pub mod panels;
mod plugin;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod testing;
pub mod text;
pub mod theme;
pub mod widgets;

pub use desk::{Desk, KeptDesk};
pub use desk_commands::Deeds;
pub use names::{Named, Names};
pub use panel::{
    DeskCommand, Done, Look, Make, Note, Outcome, Panel, PanelContext, PanelKind, Request, Saved, restored, saved,
};
pub use panel_context::{Watch, taken};
pub use plugin::{HearsayPanelPlugin, PanelDesk};
pub use theme::{Shade, Theme, Tone};
