//! A small game with a window. The chapel's bell is gone, and three people in a tavern each know a different story.
//! Walk to a person and ask about the bell, pass on a rumour to another person, or tell a lie. The panel shows the
//! memory of the nearest person, with sources and credence. Press Enter to say something in your own words. F5 saves
//! and F9 loads. The save remains after the game exits.
//!
//! ```sh
//! cargo run -p hearsay_examples --example tavern
//! ```
//!
//! `--model FILE` lets a language model from a GGUF file speak; without it, templates answer. `--new` starts a new game.
//! `--save DIR` changes the directory of the save (default: a directory in the system's temporary directory). `--screenshot FILE` saves a picture and exits. If `--script` is also set, the game plays by
//! itself, and saves a picture at every stage. The name of each picture is `FILE` with a number before its extension.
//!
//! | file | content |
//! |---|---|
//! | `room.rs` | the room, the people, walking |
//! | `knowledge.rs` | each character's knowledge, read again whenever the memory changes |
//! | `conversation.rs` | the text box: the player's own words, and replies |
//! | `talk.rs` | asking, telling, lying; saving |
//! | `panel.rs` | the panel, the choices, the help line |
//! | `style.rs` | colours and text |
//! | `script.rs` | `--screenshot` and `--script` |

#![allow(clippy::print_stderr)]

mod conversation;
mod knowledge;
mod panel;
mod room;
mod script;
mod style;
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
    if let Err(reason) = display() {
        eprintln!("{reason}");
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
        resolution: WindowResolution::new(style::WIDTH as u32, style::HEIGHT as u32),
        ..default()
    };
    let speech = match conversation::language_model() {
        Ok(speech) => speech.unwrap_or_default(),
        Err(error) => {
            eprintln!("{error}");
            return AppExit::error();
        }
    };
    App::new()
        .insert_resource(speech)
        .add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }).set(LogPlugin {
            // The database logs warnings about its files, which a player does not need.
            filter: format!("{DEFAULT_FILTER},surrealkv=error"),
            ..default()
        }))
        .add_plugins(memory)
        .add_plugins((
            room::plugin,
            knowledge::plugin,
            talk::plugin,
            conversation::plugin,
            panel::plugin,
            script::plugin,
        ))
        .run()
}
