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

use std::{path::Path, process::ExitCode};

use bevy::{
    log::LogPlugin,
    prelude::*,
    window::{PresentMode, WindowResolution},
    winit::{EventLoopProxyWrapper, UpdateMode, WinitSettings, WinitUserEvent},
};
use bevy_hearsay::{HearsayPlugins, MemoryPlugin};
use bevy_hearsay_panel::{HearsayPanelPlugin, SavedDesk};
use clap::Parser;
use hearsay_engine::{Settings, Waker, find_campaign_directory};

use args::Args;

/// Width and height of the window at the first start, in logical pixels.
const DEFAULT_SIZE: (u32, u32) = (1280, 720);

/// Exit code for an error in the command line or the campaign.
const EXIT_CODE_ERROR: u8 = 2;

/// Updates the app only for events of the window and when the [`Waker`] is called.
const ON_DEMAND: UpdateMode = UpdateMode::Reactive {
    wait: std::time::Duration::from_secs(600),
    react_to_device_events: false,
    react_to_user_events: true,
    react_to_window_events: true,
};

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
            "no campaign found in this directory or in any directory above it; pass the campaign directory with -C \
             DIR or with the environment variable HEARSAY_CAMPAIGN"
        );
    };
    anyhow::ensure!(
        directory.is_dir(),
        "{}: {}",
        directory.display(),
        match directory.exists() {
            true => "this path leads to a file; pass the directory of the campaign",
            false => "there is no such directory; to create a campaign, run `hearsay new`",
        }
    );
    let mut settings = Settings::read(&directory)?;
    anyhow::ensure!(
        hearsay_engine::is_campaign(&directory, &settings),
        "{}: this directory is not a campaign, because it has neither campaign files nor {}; to create a campaign, \
         run `hearsay new`",
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
        waker: None,
    };
    let memory = MemoryPlugin {
        campaign: Some(directory.clone()),
        save: Some(database),
        share: true,
        settings: Some(settings),
        sync_campaign_files: !args.no_sync,
        low_priority_threads: false,
        ..MemoryPlugin::default()
    };
    let window = window(args, &directory, panels.save_file.as_deref());
    Ok(app(args, window, memory, panels).run())
}

/// Returns the window of the console, with the size and the place that it had at the last exit.
fn window(args: &Args, directory: &Path, save_file: Option<&Path>) -> Window {
    let placement = save_file.and_then(SavedDesk::read).and_then(|saved| saved.window);
    let (width, height) = args.size.or(placement.map(|placement| placement.size.into())).unwrap_or(DEFAULT_SIZE);
    let position = placement.and_then(|placement| placement.position);
    let mut resolution = WindowResolution::new(width, height);
    if args.screenshot.is_some() {
        resolution.set_scale_factor_override(Some(1.0));
    }
    Window {
        title: format!("Hearsay \u{2013} {}", directory.display()),
        resolution,
        position: position.map_or_else(WindowPosition::default, |position| WindowPosition::At(position.into())),
        present_mode: PresentMode::AutoVsync,
        ..default()
    }
}

fn app(args: &Args, window: Window, memory: MemoryPlugin, panels: HearsayPanelPlugin) -> App {
    let mut app = App::new();
    app.add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }).set(LogPlugin {
        // Hide log messages of the database and the renderer, because they do not help a DM.
        filter: "warn,surrealkv=error,bevy_egui=error,bevy_render=error,wgpu=error,winit=error".into(),
        ..default()
    }));
    let waker = app.world().get_resource::<EventLoopProxyWrapper>().map(|proxy| {
        let proxy = (**proxy).clone();
        // The event loop has ended if this fails, so nothing is left to wake.
        Waker::new(move || _ = proxy.send_event(WinitUserEvent::WakeUp))
    });
    let memory = MemoryPlugin { waker: waker.clone(), ..memory };
    let hearsay = HearsayPlugins { memory, ..HearsayPlugins::empty() };
    app.add_plugins(hearsay.spawn_policy(bevy_hearsay::SpawnPolicy::Nothing))
        .add_plugins(HearsayPanelPlugin { waker, ..panels })
        // The window is redrawn only for input, for data and for animations, to save power.
        .insert_resource(WinitSettings { focused_mode: ON_DEMAND, unfocused_mode: ON_DEMAND })
        .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Camera2d));
    screenshot::plugin(&mut app, args);
    app
}
