//! Pictures: `--screenshot FILE` takes one picture and exits. With `--script` too, the game presses the player's keys
//! itself, and takes a picture at every stage.

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

const PLAY: [Step; 32] = [
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
    waited: f32,
    pictures: usize,
    under_way: usize,
}

pub(crate) fn plugin(app: &mut App) {
    let Some(file) = option("--screenshot").map(PathBuf::from) else { return };
    let steps = if flag("--script") { PLAY.into() } else { [Wait(2.0), Picture].into() };
    app.insert_resource(Script { file, steps, waited: 0.0, pictures: 0, under_way: 0 })
        .add_systems(PreUpdate, play.after(InputSystems).run_if(memory_ready));
}

/// Returns `tavern.png`, or `tavern-3.png` for the third picture of a script.
fn numbered(file: &Path, number: usize) -> PathBuf {
    if !flag("--script") {
        return file.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    file.with_file_name(format!("{}-{number}.{}", part(file.file_stem()), part(file.extension())))
}

fn play(
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
        if script.under_way == 0 {
            exit.write(AppExit::Success);
        }
        return;
    };
    script.waited += time.delta_secs();
    let done = match step {
        Wait(seconds) => script.waited >= seconds,
        Press(key) => {
            keys.press(key);
            true
        }
        Traversal(x, y) => {
            let way = crate::look::at(x, y, 0.0).truncate() - player.translation.truncate();
            let pairs =
                [(way.x, KeyCode::ArrowLeft, KeyCode::ArrowRight), (way.y, KeyCode::ArrowDown, KeyCode::ArrowUp)];
            for (way, back, forth) in pairs.into_iter().filter(|(way, ..)| way.abs() > 6.0) {
                keys.press(if way < 0.0 { back } else { forth });
            }
            // An obstacle may block the way, so the step ends after five seconds.
            way.abs().max_element() <= 6.0 || script.waited > 5.0
        }
        Picture => {
            script.pictures += 1;
            script.under_way += 1;
            let file = numbered(&script.file, script.pictures);
            commands
                .spawn(Screenshot::primary_window())
                .observe(save_to_disk(file))
                .observe(|_: On<ScreenshotCaptured>, mut script: ResMut<Script>| script.under_way -= 1);
            true
        }
    };
    if done {
        script.steps.pop_front();
        script.waited = 0.0;
    }
}
