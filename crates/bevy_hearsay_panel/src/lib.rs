//! The DM console: egui panels for Hearsay's NPC memory. The DM uses the panels to review facts, search, prepare
//! scenes, see the graph and let time pass. The panels work in any bevy_egui app.
//!
//! # Use case 1: one line
//!
//! [`HearsayPanelPlugin`] adds the complete DM console to an app that has a memory. The key F10 opens and closes the
//! console.
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
//! [`Request`]s that `ui` returns. [`PanelContextPoller`] keeps the [`PanelContext`], which all panels need, up to
//! date. [`DeskCommandQueue`] sends the commands that change the memory. [`Desk`], the DM console, combines these types
//! with tabs, keys and undo, and does not depend on Bevy. Each panel has a model of plain data, a function that reads
//! the model from the memory, and a function that draws the model. For example, [`panels::review::review_ui`] draws a
//! [`panels::review::ReviewModel`].
//!
//! # Guarantees
//!
//! - **No call blocks.** Requests to the memory return tickets, and a separate thread writes files.
//! - **Every change is one operation.** Undo names the operation and reverts it. If later operations depend on this
//!   operation, undo asks first.
//! - **No typed text is lost** when the window closes: drafts, filters and layout are saved in [`SavedDesk`].
//! - **In screen-safe mode, the panels draw no secrets.** They read a [`CommonView`], which contains only facts that
//!   every player character knows.
//! - **The panels show each state also without colour.** Every clickable widget has a name for screen readers.
//!
//! # Appearance
//!
//! One [theme file](Theme) defines a dark and a light theme. The user can set the scale of the interface from 0.75 to
//! 2.0. The panels use the system's fonts for scripts that the built-in fonts do not cover. [One table](commands)
//! defines all keys. The help (`?`) and the command palette (Ctrl+P) show this table.
//!
//! # Troubleshooting
//!
//! **Nothing opens.** egui draws on the app's first camera, so spawn a camera.
//!
//! **The game receives typed keys.** Add `run_if(not(egui_wants_any_keyboard_input))` to the game's input systems.
//!
//! **The panels are empty.** While the memory is not open, the panels show the
//! [`MemoryPhase`](bevy_hearsay::MemoryPhase). If the phase is `Failed`, the resource
//! [`MemoryFailure`](bevy_hearsay::MemoryFailure) contains the reason.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod alarm;
mod async_model;
pub mod commands;
mod desk;
mod desk_commands;
pub mod direction;
mod keyboard;
mod names;
mod panel;
mod panel_context;
mod panel_source;
pub mod panels;
mod plugin;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod testing;
pub mod text;
pub mod theme;
pub mod widgets;

pub use commands::PanelKind;
pub use desk::{Desk, SavedDesk, WindowPlacement};
pub use desk_commands::DeskCommandQueue;
pub use names::{NameIndex, NamedEntity};
pub use panel::{
    CommandOutcome, CommandReport, DeskCommand, DisplayContext, MakeOperation, Panel, Request, SavedState,
    StatusMessage, restore_state, save_state,
};
pub use panel_context::{PanelContext, PanelContextPoller, poll_ticket};
pub use panel_source::{CommonView, PanelSource};
pub use plugin::{HearsayPanelPlugin, PanelDesk};
pub use theme::{Shade, Theme, Tone};
