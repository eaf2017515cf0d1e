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
use bevy_hearsay::{EncoderStatus, MemoryState};
use bevy_hearsay_panel::{PanelDesk, PanelKind, Request};
use hearsay_engine::ModelStatus;
use hearsay_model::EntityId;

use crate::args::Args;

/// Maximum time to wait for the model and for data before the screenshot.
const PATIENCE: Duration = Duration::from_secs(150);

/// Time between two frames before the screenshot. The memory's threads have lower priority than the rendering threads.
/// With software rendering, frames without a pause would leave the memory little processor time.
const FRAME: Duration = Duration::from_millis(33);

/// Number of idle frames before the screenshot. Loading the fonts and computing the layout take two frames.
const CALM: usize = 45;

/// Largest difference between two colour values (0 to 255) that counts as equal. Drivers round colours differently.
const SHADES: u8 = 32;

/// Maximum number of colour values per thousand that may differ by more than [`SHADES`].
const FEW: usize = 5;

#[derive(Resource)]
struct Picture {
    file: PathBuf,
    /// An earlier screenshot, to compare the new screenshot with.
    kept: Option<PathBuf>,
    calm: usize,
    waited: Duration,
    taken: bool,
}

#[derive(Resource)]
struct Opening(Vec<Request>);

pub(crate) fn plugin(app: &mut App, args: &Args) {
    let mut first: Vec<Request> = Vec::new();
    if let Some(Ok(id)) = args.show.as_ref().map(EntityId::new) {
        first.push(match args.panel {
            Some(PanelKind::Graph) => Request::Graph(id),
            Some(PanelKind::Scene) => Request::Scene { place: None, speaker: Some(id) },
            _ => Request::Show(id),
        });
    }
    first.extend(args.search.clone().map(Request::Search));
    first.extend(args.panel.map(Request::Open));
    app.insert_resource(Opening(first));
    let screen_safe = args.screen_safe;
    app.add_systems(Startup, move |mut desk: ResMut<PanelDesk>| {
        if screen_safe {
            desk.desk.set_screen_safe(true);
        }
    });
    app.add_systems(bevy_egui::EguiPrimaryContextPass, open_first.run_if(resource_exists::<Opening>));
    let Some(file) = args.screenshot.clone() else { return };
    // The pointer of a virtual display is in the middle of the window, and would trigger hover effects.
    app.add_systems(First, |mut windows: Query<&mut Window>| {
        for mut window in &mut windows {
            window.set_cursor_position(Some(Vec2::splat(1.0)));
        }
    });
    let pace = UpdateMode::reactive_low_power(FRAME);
    app.insert_resource(Picture { file, kept: args.compare.clone(), calm: 0, waited: Duration::ZERO, taken: false })
        .insert_resource(WinitSettings { focused_mode: pace, unfocused_mode: pace })
        .add_systems(Last, take);
}

fn open_first(
    mut contexts: EguiContexts,
    first: Res<Opening>,
    state: Res<MemoryState>,
    mut desk: ResMut<PanelDesk>,
    mut commands: Commands,
) {
    let Ok(ctx) = contexts.ctx_mut() else { return };
    if *state != MemoryState::Ready || desk.desk.is_busy() {
        return;
    }
    for request in &first.0 {
        desk.desk.request(ctx, request.clone());
    }
    commands.remove_resource::<Opening>();
}

fn take(
    mut picture: ResMut<Picture>,
    time: Res<Time<Real>>,
    state: Res<MemoryState>,
    encoder: Res<EncoderStatus>,
    first: Option<Res<Opening>>,
    desk: Res<PanelDesk>,
    mut commands: Commands,
) {
    picture.waited += time.delta();
    let late = picture.waited > PATIENCE;
    let opened = match *state {
        MemoryState::Ready => encoder.0 != ModelStatus::Loading && first.is_none() && !desk.desk.is_busy(),
        MemoryState::Failed(_) => true,
        _ => false,
    };
    picture.calm = if opened { picture.calm + 1 } else { 0 };
    if picture.taken || !(picture.calm > CALM || late) {
        return;
    }
    picture.taken = true;
    if !opened {
        warn!("not all panels are loaded after {} s; the screenshot shows their present state", PATIENCE.as_secs());
    }
    let (file, kept) = (picture.file.clone(), picture.kept.clone());
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            let compare = || kept.as_ref().map_or(Ok(()), |kept| compare(&captured.image, kept));
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
fn compare(image: &Image, kept: &Path) -> anyhow::Result<()> {
    let read = || {
        let bytes = std::fs::read(kept)?;
        let png = ImageType::Extension("png");
        let (formats, assets) = (CompressedImageFormats::NONE, RenderAssetUsages::MAIN_WORLD);
        anyhow::Ok(Image::from_buffer(&bytes, png, formats, true, ImageSampler::Default, assets)?)
    };
    let before = read().with_context(|| kept.display().to_string())?.try_into_dynamic()?.to_rgb8();
    let now = image.clone().try_into_dynamic()?.to_rgb8();
    anyhow::ensure!(now.dimensions() == before.dimensions(), "the screenshot and {} differ in size", kept.display());
    let is_other = |(a, b): &(&u8, &u8)| a.abs_diff(**b) > SHADES;
    let other = now.as_raw().iter().zip(before.as_raw()).filter(is_other).count();
    let thousandths = other * 1000 / now.as_raw().len().max(1);
    anyhow::ensure!(
        thousandths <= FEW,
        "{thousandths} of 1000 colour values differ from {}; at most {FEW} may differ",
        kept.display()
    );
    Ok(())
}
