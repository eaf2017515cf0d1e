//! Start options of the console (panel, search text and others), and screenshots.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use bevy::{
    asset::RenderAssetUsages,
    image::{CompressedImageFormats, ImageSampler, ImageType},
    prelude::*,
    render::view::screenshot::{Screenshot, ScreenshotCaptured},
    winit::{UpdateMode, WinitSettings},
};
use bevy_egui::EguiContexts;
use bevy_hearsay::{EncoderStatus, MemoryPhase, NpcMemory};
use bevy_hearsay_panel::{PanelDesk, PanelKind, Request};
use hearsay_engine::ModelStatus;
use hearsay_model::EntityId;

use crate::args::Args;

/// Maximum time to wait for the model, for data, and for the extraction of facts before the screenshot.
const TIMEOUT: Duration = Duration::from_secs(150);

/// Time between two frames before the screenshot. The memory's threads have lower priority than the rendering threads.
/// With software rendering, frames without a pause would leave the memory little processor time.
const FRAME_INTERVAL: Duration = Duration::from_millis(33);

/// Number of idle frames before the screenshot. Loading the fonts and computing the layout take two frames.
const MIN_IDLE_FRAMES: usize = 45;

/// Two colour values (0 to 255) count as equal up to this difference, because drivers round colours differently.
const MAX_COLOUR_DIFFERENCE: u8 = 32;

/// Maximum number of colour values per thousand that may differ by more than [`MAX_COLOUR_DIFFERENCE`].
const MAX_DIFFERENT_PER_MILLE: usize = 5;

#[derive(Resource)]
struct ScreenshotTask {
    file: PathBuf,
    /// An earlier screenshot, to compare the new screenshot with.
    reference: Option<PathBuf>,
    idle_frames: usize,
    elapsed: Duration,
    is_taken: bool,
}

#[derive(Resource)]
struct StartRequests(Vec<Request>);

pub(crate) fn plugin(app: &mut App, args: &Args) {
    let mut start_requests: Vec<Request> = Vec::new();
    if let Some(Ok(id)) = args.show.as_ref().map(EntityId::new) {
        start_requests.push(match args.panel {
            Some(PanelKind::Graph) => Request::Graph(id),
            Some(PanelKind::Scene) => Request::Scene { place: None, speaker: Some(id) },
            _ => Request::ShowEntity(id),
        });
    }
    start_requests.extend(args.search.clone().map(Request::Search));
    start_requests.extend(args.panel.map(Request::Open));
    app.insert_resource(StartRequests(start_requests));
    let screen_safe = args.screen_safe;
    app.add_systems(Startup, move |mut desk: ResMut<PanelDesk>| {
        if screen_safe {
            desk.desk.set_screen_safe(true);
        }
    });
    app.add_systems(bevy_egui::EguiPrimaryContextPass, send_start_requests.run_if(resource_exists::<StartRequests>));
    let Some(file) = args.screenshot.clone() else { return };
    // The pointer of a virtual display is in the middle of the window, and would trigger hover effects.
    app.add_systems(First, |mut windows: Query<&mut Window>| {
        for mut window in &mut windows {
            window.set_cursor_position(Some(Vec2::splat(1.0)));
        }
    });
    let update_mode = UpdateMode::reactive_low_power(FRAME_INTERVAL);
    app.insert_resource(ScreenshotTask {
        file,
        reference: args.compare.clone(),
        idle_frames: 0,
        elapsed: Duration::ZERO,
        is_taken: false,
    })
    .insert_resource(WinitSettings { focused_mode: update_mode, unfocused_mode: update_mode })
    .add_systems(Last, take_screenshot);
}

fn send_start_requests(
    mut contexts: EguiContexts,
    start_requests: Res<StartRequests>,
    memory: Res<NpcMemory>,
    mut desk: ResMut<PanelDesk>,
    mut commands: Commands,
) {
    let Ok(ctx) = contexts.ctx_mut() else { return };
    if memory.get().is_none() || desk.desk.is_busy() {
        return;
    }
    for request in &start_requests.0 {
        desk.desk.request(ctx, request.clone());
    }
    commands.remove_resource::<StartRequests>();
}

fn take_screenshot(
    mut task: ResMut<ScreenshotTask>,
    time: Res<Time<Real>>,
    phase: Res<State<MemoryPhase>>,
    encoder: Res<EncoderStatus>,
    start_requests: Option<Res<StartRequests>>,
    desk: Res<PanelDesk>,
    mut commands: Commands,
) {
    task.elapsed += time.delta();
    let is_late = task.elapsed > TIMEOUT;
    let is_loaded = match phase.get() {
        MemoryPhase::Playable => {
            encoder.0 != ModelStatus::Loading
                && start_requests.is_none()
                && !desk.desk.is_busy()
                && desk.desk.unread_texts() == Some(0)
        }
        MemoryPhase::Failed => true,
        MemoryPhase::Closed | MemoryPhase::Opening | MemoryPhase::Loading => false,
    };
    task.idle_frames = if is_loaded { task.idle_frames + 1 } else { 0 };
    if task.is_taken || !(task.idle_frames > MIN_IDLE_FRAMES || is_late) {
        return;
    }
    task.is_taken = true;
    if !is_loaded {
        warn!(
            "not all panels have loaded after {} s; the screenshot shows the panels as they are now",
            TIMEOUT.as_secs()
        );
    }
    let (file, reference) = (task.file.clone(), task.reference.clone());
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            let compare = || reference.as_ref().map_or(Ok(()), |reference| compare(&captured.image, reference));
            exit.write(match save(&captured.image, &file).and_then(|()| compare()) {
                Ok(()) => AppExit::Success,
                Err(error) => {
                    error!("{}: {error:#}", file.display());
                    AppExit::error()
                }
            });
        },
    );
}

fn save(image: &Image, file: &Path) -> anyhow::Result<()> {
    // Remove the alpha channel, because its content depends on the compositor.
    image.clone().try_into_dynamic()?.to_rgb8().save(file).context("the screenshot could not be written")
}

/// Fails if a screenshot differs from an earlier screenshot.
fn compare(image: &Image, reference: &Path) -> anyhow::Result<()> {
    let read = || {
        let bytes = std::fs::read(reference)?;
        let png = ImageType::Extension("png");
        let (formats, assets) = (CompressedImageFormats::NONE, RenderAssetUsages::MAIN_WORLD);
        anyhow::Ok(Image::from_buffer(&bytes, png, formats, true, ImageSampler::Default, assets)?)
    };
    let reference_image = read().with_context(|| reference.display().to_string())?.try_into_dynamic()?.to_rgb8();
    let screenshot = image.clone().try_into_dynamic()?.to_rgb8();
    anyhow::ensure!(
        screenshot.dimensions() == reference_image.dimensions(),
        "the new screenshot and {} differ in size",
        reference.display()
    );
    let is_different = |(a, b): &(&u8, &u8)| a.abs_diff(**b) > MAX_COLOUR_DIFFERENCE;
    let different_count = screenshot.as_raw().iter().zip(reference_image.as_raw()).filter(is_different).count();
    let per_mille = different_count * 1000 / screenshot.as_raw().len().max(1);
    anyhow::ensure!(
        per_mille <= MAX_DIFFERENT_PER_MILLE,
        "{per_mille} of 1000 colour values of the screenshot differ from {}; at most {MAX_DIFFERENT_PER_MILLE} of \
         1000 are allowed to differ",
        reference.display()
    );
    Ok(())
}
