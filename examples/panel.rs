//! The DM's panels in an app with a memory. One line of code adds the panels. F10 opens and closes them.
//!
//! ```sh
//! cargo run -p hearsay_examples --example panel
//! ```
#![allow(clippy::print_stderr)]

use bevy::{
    log::{DEFAULT_FILTER, LogPlugin},
    prelude::*,
};
use bevy_hearsay::prelude::*;
use bevy_hearsay_panel::HearsayPanelPlugin;
use hearsay_examples::{campaign, display};

fn main() -> AppExit {
    if let Err(reason) = display() {
        eprintln!("{reason}");
        return AppExit::error();
    }
    let save = std::env::temp_dir().join("hearsay-panel");
    App::new()
        .add_plugins(DefaultPlugins.set(LogPlugin {
            // The database logs warnings about its files, which a player does not need.
            filter: format!("{DEFAULT_FILTER},surrealkv=error"),
            ..default()
        }))
        .add_plugins(HearsayPlugins::new_or_continue(campaign("gullhaven"), save))
        // This line adds the panels.
        .add_plugins(HearsayPanelPlugin { open: true, ..default() })
        .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Camera2d))
        .run()
}
