//! The console that a dungeon master leaves open at the table.
//!
//! ```sh
//! cargo run --bin dm_console -- campaigns/gullhaven
//! ```
//!
//! It opens a campaign as the program `hearsay` does: its memory lies in the campaign's directory, and what changed in the
//! files is taken over. What the panels look like is kept with the memory.

mod args;
mod display;
mod picture;

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
use hearsay_memory::Settings;

use args::Args;

/// What is wrong with the command line or the campaign.
const WRONG: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(AppExit::Success) => ExitCode::SUCCESS,
        Ok(AppExit::Error(code)) => ExitCode::from(code.get()),
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::from(WRONG)
        }
    }
}

#[allow(clippy::print_stderr, reason = "a program without a window has nothing else to say it with")]
fn tell(what: &str) {
    eprintln!("{what}");
}

fn run(args: &Args) -> anyhow::Result<AppExit> {
    let directory = &args.campaign;
    anyhow::ensure!(
        directory.is_dir(),
        "{}: {}",
        directory.display(),
        match directory.exists() {
            true => "this is a file; name the directory of the campaign",
            false => "there is no such directory; `hearsay new` makes a campaign",
        }
    );
    let mut settings = Settings::read(directory)?;
    anyhow::ensure!(
        hearsay_memory::is_campaign(directory, &settings),
        "{}: this is no campaign: it has neither campaign files nor {}; `hearsay new` makes one",
        directory.display(),
        hearsay_memory::SETTINGS_FILE
    );
    settings.model.enabled &= !args.no_model;
    settings.model.directory = settings.model.directory.map(|model| directory.join(model));
    settings.extraction.language = settings.extraction.language.map(|language| directory.join(language));
    let theme = args.theme()?;
    display::check()?;

    let database = directory.join(&settings.store.directory);
    let panels = HearsayPanelPlugin {
        key: None,
        open: true,
        fills: true,
        // A picture shows the console as it is at first, and leaves no trace.
        kept: args.screenshot.is_none().then(|| database.join("console.json")),
        theme: Some(theme),
    };
    let memory = MemoryPlugin {
        campaign: Some(directory.clone()),
        save: Some(database),
        settings: Some(settings),
        take_over: !args.no_import,
        gives_way: false,
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
        // The database and the renderer tell of themselves; a DM does not ask.
        filter: "warn,surrealkv=error,bevy_egui=error,bevy_render=error,wgpu=error,winit=error".into(),
        ..default()
    }))
    .add_plugins(HearsayPlugins { memory, ..HearsayPlugins::empty() }.materialise(bevy_hearsay::Materialise::Nothing))
    .add_plugins(panels)
    // Looks at the memory now and then, and draws when something moves: a laptop at the table lasts longer.
    .insert_resource(WinitSettings {
        focused_mode: UpdateMode::reactive(std::time::Duration::from_millis(50)),
        unfocused_mode: UpdateMode::reactive(std::time::Duration::from_millis(200)),
    })
    .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Camera2d));
    picture::plugin(&mut app, args);
    Ok(app.run())
}
