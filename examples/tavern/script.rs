//! Options that take pictures of the game. `--screenshot FILE` takes one picture and exits. If `--script` is also set,
//! the game presses the player's keys itself, and takes a picture at every stage.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
};

use bevy::{
    input::InputSystems,
    prelude::*,
    render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk},
};
use bevy_hearsay::prelude::*;
use hearsay_examples::{flag, option};

use crate::room::Player;

#[derive(Clone, Copy)]
enum Step {
    /// Walks to a point, measured from the upper left corner.
    Traversal(f32, f32),
    /// Presses a key.
    Press(KeyCode),
    /// Waits for a number of seconds.
    Wait(f32),
    /// Takes a picture.
    Picture,
}

use Step::{Picture, Press, Traversal, Wait};

const SCRIPT_STEPS: [Step; 32] = [
    Wait(1.0),
    Picture,
    Traversal(230.0, 400.0),
    Press(KeyCode::Digit1),
    Wait(1.2),
    Picture,
    Press(KeyCode::Digit1),
    Wait(0.8),
    Traversal(330.0, 290.0),
    Traversal(330.0, 262.0),
    Wait(0.5),
    Picture,
    Press(KeyCode::F5),
    Wait(0.6),
    Press(KeyCode::Digit2),
    Wait(0.8),
    Press(KeyCode::Digit1),
    Wait(1.2),
    Picture,
    Press(KeyCode::Digit3),
    Wait(1.2),
    Picture,
    Traversal(600.0, 310.0),
    Press(KeyCode::Digit2),
    Wait(0.8),
    Press(KeyCode::Digit1),
    Wait(1.2),
    Picture,
    Press(KeyCode::F9),
    Wait(1.5),
    Picture,
    Wait(1.0),
];

#[derive(Resource)]
struct Script {
    file: PathBuf,
    steps: VecDeque<Step>,
    step_seconds: f32,
    picture_count: usize,
    pending_pictures: usize,
}

pub(crate) fn plugin(app: &mut App) {
    let Some(file) = option("--screenshot").map(PathBuf::from) else { return };
    let steps = if flag("--script") { SCRIPT_STEPS.into() } else { [Wait(2.0), Picture].into() };
    app.insert_resource(Script { file, steps, step_seconds: 0.0, picture_count: 0, pending_pictures: 0 })
        .add_systems(PreUpdate, run_script.after(InputSystems).run_if(memory_ready));
}

/// Returns `tavern.png`, or `tavern-3.png` for the third picture of a script.
fn numbered_path(file: &Path, number: usize) -> PathBuf {
    if !flag("--script") {
        return file.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    file.with_file_name(format!("{}-{number}.{}", part(file.file_stem()), part(file.extension())))
}

fn run_script(
    mut script: ResMut<Script>,
    mut keys: ResMut<ButtonInput<KeyCode>>,
    player: Query<&Transform, With<Player>>,
    time: Res<Time>,
    mut commands: Commands,
    mut exit: MessageWriter<AppExit>,
) {
    let Ok(player) = player.single() else { return };
    keys.release_all();
    let Some(step) = script.steps.front().copied() else {
        if script.pending_pictures == 0 {
            exit.write(AppExit::Success);
        }
        return;
    };
    script.step_seconds += time.delta_secs();
    let done = match step {
        Wait(seconds) => script.step_seconds >= seconds,
        Press(key) => {
            keys.press(key);
            true
        }
        Traversal(x, y) => {
            let offset = crate::style::at(x, y, 0.0).truncate() - player.translation.truncate();
            let pairs =
                [(offset.x, KeyCode::ArrowLeft, KeyCode::ArrowRight), (offset.y, KeyCode::ArrowDown, KeyCode::ArrowUp)];
            for (offset, negative_key, positive_key) in pairs.into_iter().filter(|(offset, ..)| offset.abs() > 6.0) {
                keys.press(if offset < 0.0 { negative_key } else { positive_key });
            }
            // An obstacle may block the way, so the step ends after five seconds.
            offset.abs().max_element() <= 6.0 || script.step_seconds > 5.0
        }
        Picture => {
            script.picture_count += 1;
            script.pending_pictures += 1;
            let file = numbered_path(&script.file, script.picture_count);
            commands
                .spawn(Screenshot::primary_window())
                .observe(save_to_disk(file))
                .observe(|_: On<ScreenshotCaptured>, mut script: ResMut<Script>| script.pending_pictures -= 1);
            true
        }
    };
    if done {
        script.steps.pop_front();
        script.step_seconds = 0.0;
    }
}
