//! Console for the dungeon master during play.
//!
//! ```sh
//! cargo run --bin dm_console -- -C campaigns/gullhaven
//! ```
//!
//! Like the program `hearsay`, the console searches for the campaign from the working directory upward, opens the
//! memory in the campaign's directory, and imports changes in the campaign's files. The layout of the panels is saved
//! in the directory of the database.

mod args;
mod display;
mod screenshot;

use std::process::ExitCode;

use bevy::{
    log::LogPlugin,
    prelude::*,
    window::{PresentMode, WindowResolution},
    winit::{UpdateMode, WinitSettings},
};
use bevy_hearsay::{HearsayPlugins, MemoryPlugin};
use bevy_hearsay_panel::HearsayPanelPlugin;
use clap::Parser;
use hearsay_engine::{Settings, find_campaign_directory};

use args::Args;

/// Exit code for an error in the command line or the campaign.
const EXIT_CODE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(AppExit::Success) => ExitCode::SUCCESS,
        Ok(AppExit::Error(code)) => ExitCode::from(code.get()),
        Err(error) => {
            print_error(&format!("error: {error:#}"));
            ExitCode::from(EXIT_CODE_ERROR)
        }
    }
}

#[allow(clippy::print_stderr, reason = "there is no window yet that could show the error")]
fn print_error(message: &str) {
    eprintln!("{message}");
}

fn run(args: &Args) -> anyhow::Result<AppExit> {
    let Some(directory) = find_campaign_directory(args.campaign.clone()) else {
        anyhow::bail!(
            "no campaign found in this directory or above it; name the campaign directory with -C DIR or with the \
             environment variable HEARSAY_CAMPAIGN"
        );
    };
    anyhow::ensure!(
        directory.is_dir(),
        "{}: {}",
        directory.display(),
        match directory.exists() {
            true => "this is a file; name the directory of the campaign",
            false => "there is no such directory; `hearsay new` creates a campaign",
        }
    );
    let mut settings = Settings::read(&directory)?;
    anyhow::ensure!(
        hearsay_engine::is_campaign(&directory, &settings),
        "{}: not a campaign: it has neither campaign files nor {}; `hearsay new` creates a campaign",
        directory.display(),
        hearsay_engine::SETTINGS_FILE
    );
    settings.model.enabled &= !args.no_meaning;
    settings.model.directory = settings.model.directory.map(|model| directory.join(model));
    settings.extraction.language = settings.extraction.language.map(|language| directory.join(language));
    let theme = args.theme()?;
    display::check()?;

    let database = directory.join(&settings.store.directory);
    let panels = HearsayPanelPlugin {
        key: None,
        open: true,
        fill_window: true,
        // A screenshot shows the default layout, and must not overwrite the saved layout.
        save_file: args.screenshot.is_none().then(|| database.join("console.json")),
        theme: Some(theme),
    };
    let memory = MemoryPlugin {
        campaign: Some(directory.clone()),
        save: Some(database),
        settings: Some(settings),
        sync_campaign_files: !args.no_sync,
        low_priority_threads: false,
        ..MemoryPlugin::default()
    };
    let (width, height) = args.size;
    let mut resolution = WindowResolution::new(width, height);
    if args.screenshot.is_some() {
        resolution.set_scale_factor_override(Some(1.0));
    }
    let window = Window {
        title: format!("Hearsay \u{2013} {}", directory.display()),
        resolution,
        present_mode: PresentMode::AutoVsync,
        ..default()
    };
    let mut app = App::new();
    app.add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }).set(LogPlugin {
        // Hide log messages of the database and the renderer, because they do not help a DM.
        filter: "warn,surrealkv=error,bevy_egui=error,bevy_render=error,wgpu=error,winit=error".into(),
        ..default()
    }))
    .add_plugins(HearsayPlugins { memory, ..HearsayPlugins::empty() }.spawn_policy(bevy_hearsay::SpawnPolicy::Nothing))
    .add_plugins(panels)
    // The window is redrawn only after changes and at intervals, to save power.
    .insert_resource(WinitSettings {
        focused_mode: UpdateMode::reactive(std::time::Duration::from_millis(50)),
        unfocused_mode: UpdateMode::reactive(std::time::Duration::from_millis(200)),
    })
    .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Camera2d));
    screenshot::plugin(&mut app, args);
    Ok(app.run())
}
