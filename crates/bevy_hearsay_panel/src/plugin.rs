//! The Bevy plugin: opens the DM console with a key, and saves its state to a file.

use std::{
    fs,
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::Duration,
};

use bevy::{
    app::AppExit,
    prelude::*,
    window::{CursorMoved, Monitor, PrimaryWindow},
};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPreUpdateSet, EguiPrimaryContextPass, EguiZoomFactor};
use bevy_hearsay::{LoadProgress, MemoryFailure, MemoryPhase, NpcMemory};
use crossbeam_channel::{Sender, bounded};
use hearsay_engine::Waker;
use hearsay_files::{Access, Durability};

use crate::{
    alarm::Alarm,
    desk::{Desk, SavedDesk, WindowPlacement},
    keyboard::{self, KeyQueue},
    theme::Theme,
    widgets::empty_state,
};

/// Adds the DM console to an app that has a memory. The key F10 opens and closes the console.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_hearsay::HearsayPlugins;
/// use bevy_hearsay_panel::HearsayPanelPlugin;
///
/// App::new()
///     .add_plugins((DefaultPlugins, HearsayPlugins::new_or_continue("campaigns/gullhaven", "saves/slot1")))
///     .add_plugins(HearsayPanelPlugin::default())
///     .run();
/// ```
///
/// The plugin adds [`EguiPlugin`] if the app does not have it. egui draws on the app's first camera. Without a camera,
/// the console is not visible. To prevent the game from receiving keys that the user types into the panels, add
/// `run_if(not(egui_wants_any_keyboard_input))` to the game's input systems.
#[derive(Debug, Clone)]
pub struct HearsayPanelPlugin {
    /// Key that opens and closes the DM console. Default F10. With `None`, no key opens the console, and the app must
    /// set [`PanelDesk::open`] itself.
    pub key: Option<KeyCode>,
    /// Whether the DM console is open at the start. Default false.
    pub open: bool,
    /// Whether the DM console fills the window. If `false`, the console is a movable window above the game. Default
    /// `false`.
    pub fill_window: bool,
    /// File in which the layout, the theme and the typed text are saved. With `None` (the default), nothing is saved.
    pub save_file: Option<PathBuf>,
    /// Theme to use if no theme was saved. Default: the built-in dark theme.
    pub theme: Option<Theme>,
    /// Function that wakes an app that draws frames only on demand. If this field is set, the DM console requests
    /// frames only for input, new data and animations. Default `None`, for a game that draws frames all the time.
    pub waker: Option<Waker>,
}

impl Default for HearsayPanelPlugin {
    fn default() -> Self {
        Self { key: Some(KeyCode::F10), open: false, fill_window: false, save_file: None, theme: None, waker: None }
    }
}

/// Resource: the DM console of the app, and whether it is open.
#[derive(Resource)]
pub struct PanelDesk {
    /// The DM console.
    pub desk: Desk,
    /// Whether the DM console is shown.
    pub open: bool,
}

/// Size and place of the window, if the DM console fills it.
#[derive(Resource, Clone, Copy, Default)]
struct Placement(Option<WindowPlacement>);

#[derive(Resource)]
struct Settings {
    key: Option<KeyCode>,
    fill_window: bool,
    alarm: Option<Alarm>,
}

/// Writes the state of the DM console on a separate thread.
#[derive(Resource)]
struct DeskSaver {
    sender: Option<Sender<String>>,
    writer: Option<JoinHandle<()>>,
    last_saved: String,
}

impl DeskSaver {
    fn new(file: PathBuf) -> Self {
        let (sender, receiver) = bounded::<String>(2);
        let write = move || {
            for text in receiver {
                if let Err(error) = write_atomically(&file, &text) {
                    tracing::warn!("cannot save the layout of the panels to {}: {error}", file.display());
                }
            }
        };
        let writer = thread::Builder::new().name("hearsay-panels".into()).spawn(write);
        let writer = writer.inspect_err(|error| tracing::warn!("cannot save the layout of the panels: {error}")).ok();
        Self { sender: Some(sender), writer, last_saved: String::new() }
    }

    fn save_if_changed(&mut self, saved_desk: &SavedDesk) {
        let Ok(text) = serde_json::to_string(saved_desk) else { return };
        if text != self.last_saved
            && let Some(sender) = &self.sender
            && sender.try_send(text.clone()).is_ok()
        {
            self.last_saved = text;
        }
    }
}

/// Writes a file atomically. Creates the directory of the file if necessary.
fn write_atomically(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    hearsay_files::replace(file, text.as_bytes(), Access::Default, Durability::Deferred)
}

impl Plugin for HearsayPanelPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        let mut desk = Desk::default();
        if let Some(theme) = &self.theme {
            desk.set_theme(theme.clone());
        }
        if let Some(file) = &self.save_file {
            if let Some(saved_desk) = SavedDesk::read(file) {
                desk.restore(saved_desk);
            }
            app.insert_resource(DeskSaver::new(file.clone()));
        }
        app.insert_resource(PanelDesk { desk, open: self.open })
            .insert_resource(Settings {
                key: self.key,
                fill_window: self.fill_window,
                alarm: self.waker.clone().map(Alarm::start),
            })
            .add_systems(PreUpdate, toggle.after(bevy::input::InputSystems))
            .init_resource::<KeyQueue>()
            .add_systems(PreUpdate, keyboard::replace_conversion.before(EguiPreUpdateSet::ProcessInput))
            .add_systems(
                PreUpdate,
                (keyboard::read_keys, keyboard::send_keys)
                    .chain()
                    .after(EguiPreUpdateSet::ProcessInput)
                    .before(EguiPreUpdateSet::BeginPass),
            )
            .init_resource::<Placement>()
            .add_systems(Update, keep_on_screen.run_if(any_with_component::<Monitor>.and_then(run_once)))
            .add_systems(PostUpdate, remember_window)
            .add_systems(First, resend_pointer_position)
            .add_systems(EguiPrimaryContextPass, draw)
            .add_systems(
                Last,
                (
                    save_desk.run_if(bevy::time::common_conditions::on_timer(Duration::from_secs(2))),
                    save_at_exit.run_if(on_message::<AppExit>),
                )
                    .run_if(resource_exists::<DeskSaver>),
            );
    }
}

fn toggle(keys: Option<Res<ButtonInput<KeyCode>>>, settings: Res<Settings>, mut desk: ResMut<PanelDesk>) {
    if let (Some(keys), Some(key)) = (keys, settings.key)
        && keys.just_pressed(key)
    {
        desk.open = !desk.open;
    }
}

/// Sends the position of the pointer to egui after a change of the scale. Otherwise egui would use the old position
/// until the pointer moves, and a second click on the same button would miss the button.
fn resend_pointer_position(
    scaled_windows: Query<(), Changed<EguiZoomFactor>>,
    windows: Query<(Entity, &Window)>,
    mut cursor_moved: MessageWriter<CursorMoved>,
) {
    if scaled_windows.is_empty() {
        return;
    }
    for (window, at) in windows.iter().filter_map(|(id, window)| Some((id, window.cursor_position()?))) {
        cursor_moved.write(CursorMoved { window, position: at, delta: None });
    }
}

fn draw(
    mut contexts: EguiContexts,
    memory: Res<NpcMemory>,
    (phase, failure): (Res<State<MemoryPhase>>, Option<Res<MemoryFailure>>),
    progress: Res<LoadProgress>,
    mut settings: ResMut<Settings>,
    mut desk: ResMut<PanelDesk>,
) {
    if !desk.open {
        // While the DM console is closed, continue pending commands and keep the number of waiting items up to date.
        if let Some(memory) = memory.get() {
            desk.desk.update_in_background(memory);
        }
        return;
    }
    // An app whose window is closed has no egui context.
    let Ok(ctx) = contexts.ctx_mut() else { return };
    let ctx = ctx.clone();
    if let Some(alarm) = settings.alarm.take() {
        ctx.set_request_repaint_callback(move |request| alarm.wake_after(request.delay));
    }
    desk.desk.theme().apply(&ctx);
    let PanelDesk { desk, open } = &mut *desk;
    let mut draw_content = |ui: &mut egui::Ui| match memory.get() {
        Some(memory) => desk.ui(ui, memory),
        None => placeholder_ui(ui, desk, *phase.get(), failure.as_deref(), &progress),
    };
    if settings.fill_window {
        let builder = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
        let mut ui = egui::Ui::new(ctx.clone(), egui::Id::new("hearsay desk"), builder);
        draw_content(&mut ui);
    } else {
        let size = ctx.content_rect().size() * 0.85;
        egui::Window::new("Hearsay").default_size(size).open(open).show(&ctx, draw_content);
    }
}

/// Draws a placeholder instead of the panels while the memory is not open.
fn placeholder_ui(
    ui: &mut egui::Ui,
    desk: &Desk,
    phase: MemoryPhase,
    failure: Option<&MemoryFailure>,
    progress: &LoadProgress,
) {
    let display = crate::DisplayContext { theme: desk.theme().clone().into(), ..crate::DisplayContext::default() };
    let frame = egui::Frame::new().fill(display.theme.palette().surface);
    if failure.is_none() {
        // The thread that opens the memory does not wake the app.
        ui.ctx().request_repaint_after(Duration::from_millis(50));
    }
    egui::CentralPanel::default().frame(frame).show(ui, |ui| {
        let (title, hint) = match (phase, failure) {
            (_, Some(failure)) => ("The campaign could not be opened", failure.0.to_string()),
            (MemoryPhase::Closed, None) => ("No campaign is open", String::new()),
            _ => ("Opening\u{2026}", progress.stage.clone()),
        };
        empty_state(ui, &display, title, &hint, None);
    });
}

/// Remembers the size and the place of the window that the DM console fills. At exit, the window is already closed.
fn remember_window(
    settings: Res<Settings>,
    windows: Query<&Window, (With<PrimaryWindow>, Changed<Window>)>,
    mut placement: ResMut<Placement>,
) {
    if let Ok(window) = windows.single()
        && settings.fill_window
        && window.width() >= 1.0
        && window.height() >= 1.0
    {
        let position = match window.position {
            WindowPosition::At(position) => Some(position.to_array()),
            WindowPosition::Automatic | WindowPosition::Centered(_) => placement.0.and_then(|last| last.position),
        };
        placement.0 = Some(WindowPlacement { size: [window.width() as u32, window.height() as u32], position });
    }
}

/// Moves the window to the primary monitor if the window is on no monitor, for example because a monitor was
/// disconnected since the last start.
fn keep_on_screen(
    settings: Res<Settings>,
    monitors: Query<&Monitor>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let Ok(mut window) = windows.single_mut() else { return };
    let WindowPosition::At(position) = window.position else { return };
    let title_bar = position + IVec2::new(window.physical_width() as i32 / 2, 8);
    let contains = |monitor: &Monitor| {
        let end = monitor.physical_position + monitor.physical_size().as_ivec2();
        title_bar.cmpge(monitor.physical_position).all() && title_bar.cmplt(end).all()
    };
    if settings.fill_window && !monitors.iter().any(contains) {
        window.position = WindowPosition::Centered(MonitorSelection::Primary);
    }
}

fn saved_desk(desk: &Desk, placement: Placement) -> SavedDesk {
    let mut saved_desk = desk.save();
    saved_desk.window = placement.0;
    saved_desk
}

fn save_desk(mut desk_saver: ResMut<DeskSaver>, desk: Res<PanelDesk>, placement: Res<Placement>) {
    desk_saver.save_if_changed(&saved_desk(&desk.desk, *placement));
}

fn save_at_exit(mut desk_saver: ResMut<DeskSaver>, desk: Res<PanelDesk>, placement: Res<Placement>) {
    let started_at = std::time::Instant::now();
    let Ok(text) = serde_json::to_string(&saved_desk(&desk.desk, *placement)) else { return };
    if let Some(sender) = desk_saver.sender.take() {
        let _ = sender.send_timeout(text, Duration::from_secs(1));
    }
    let Some(writer) = desk_saver.writer.take() else { return };
    // Wait until the file is written, but at most two seconds.
    while !writer.is_finished() && started_at.elapsed() < Duration::from_secs(2) {
        thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use bevy::{ecs::system::RunSystemOnce, window::WindowResolution};

    use super::*;

    fn app(fill_window: bool, position: WindowPosition) -> App {
        let mut app = App::new();
        app.insert_resource(Settings { key: None, fill_window, alarm: None }).init_resource::<Placement>();
        let monitor = Monitor {
            name: None,
            physical_width: 1920,
            physical_height: 1080,
            physical_position: IVec2::ZERO,
            refresh_rate_millihertz: None,
            scale_factor: 1.0,
            video_modes: Vec::new(),
        };
        app.world_mut().spawn(monitor);
        let resolution = WindowResolution::new(1500, 800);
        app.world_mut().spawn((Window { resolution, position, ..default() }, PrimaryWindow));
        app
    }

    fn placement(app: &mut App) -> Option<WindowPlacement> {
        app.world_mut().run_system_once(remember_window).unwrap();
        app.world().resource::<Placement>().0
    }

    #[test]
    fn the_window_keeps_its_size_and_its_place() {
        let mut app = app(true, WindowPosition::At(IVec2::new(40, 30)));
        let expected = WindowPlacement { size: [1500, 800], position: Some([40, 30]) };
        assert_eq!(placement(&mut app), Some(expected));
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("console.json");
        let saved_desk = saved_desk(&Desk::default(), Placement(Some(expected)));
        write_atomically(&file, &serde_json::to_string(&saved_desk).unwrap()).unwrap();
        assert_eq!(SavedDesk::read(&file).unwrap().window, Some(expected));
        // The window of a game belongs to the game.
        assert_eq!(placement(&mut self::app(false, WindowPosition::At(IVec2::ZERO))), None);
    }

    #[test]
    fn a_window_on_a_missing_monitor_returns_to_the_screen() {
        for (fill_window, at, is_moved) in [
            (true, IVec2::new(2500, 0), true),
            (true, IVec2::new(100, 100), false),
            (false, IVec2::new(2500, 0), false),
        ] {
            let mut app = app(fill_window, WindowPosition::At(at));
            app.world_mut().run_system_once(keep_on_screen).unwrap();
            let mut windows = app.world_mut().query::<&Window>();
            let position = windows.single(app.world()).unwrap().position;
            assert_eq!(position != WindowPosition::At(at), is_moved, "{at}");
        }
    }
}
