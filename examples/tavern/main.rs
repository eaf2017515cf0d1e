//! A small game with a window. The chapel's bell is gone, and three people in a tavern each know a different story. Walk
//! up to one, ask, carry what you hear to another, or make something up; the panel shows what the one before you
//! remembers, from whom, and how sure. F5 keeps the moment and F9 goes back to it; what you did is still there tomorrow.
//!
//! ```sh
//! cargo run -p hearsay_examples --example tavern
//! ```
//!
//! `--new` begins anew, `--save DIR` keeps the game elsewhere than in the system's temporary directory.
//! `--screenshot FILE` saves a picture and ends; with `--script` it plays a while, and saves a picture at every stage
//! (`FILE` with a number before its ending).
//!
//! | file | what it holds |
//! |---|---|
//! | `room.rs` | the room, the people, walking |
//! | `minds.rs` | what everybody knows, read anew whenever the memory changes |
//! | `talk.rs` | asking, telling, lying; saving |
//! | `panel.rs` | the panel, the choices, the help line |
//! | `look.rs` | colours and text |
//! | `script.rs` | the pictures |

#![allow(clippy::print_stderr)]

mod look;
mod minds;
mod panel;
mod room;
mod script;
mod talk;

use std::path::PathBuf;

use bevy::{
    log::{DEFAULT_FILTER, LogPlugin},
    prelude::*,
    window::WindowResolution,
};
use bevy_hearsay::prelude::*;
use hearsay_examples::{campaign, display, flag, option};

fn main() -> AppExit {
    if let Err(why) = display() {
        eprintln!("{why}");
        return AppExit::error();
    }
    let save = option("--save").map_or_else(|| std::env::temp_dir().join("hearsay-tavern"), PathBuf::from);
    let campaign = campaign("tavern-rumour");
    let memory = match flag("--new") || flag("--script") {
        true => HearsayPlugins::new_game(campaign, save),
        false => HearsayPlugins::new_or_continue(campaign, save),
    };
    let window = Window {
        title: "Hearsay: the tavern".into(),
        resolution: WindowResolution::new(look::WIDTH as u32, look::HEIGHT as u32),
        ..default()
    };
    App::new()
        .add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }).set(LogPlugin {
            // The database tells of its files; a player does not ask.
            filter: format!("{DEFAULT_FILTER},surrealkv=error"),
            ..default()
        }))
        .add_plugins(memory)
        .add_plugins((room::plugin, minds::plugin, talk::plugin, panel::plugin, script::plugin))
        .run()
}
