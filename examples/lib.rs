//! Runnable examples, each with one command: `cargo run -p hearsay_examples --example minimal`.
//!
//! | example | what it shows |
//! |---|---|
//! | `minimal` | the plugin in an app of twenty lines |
//! | `tavern` | a small game with a window: carry a rumour from one to another, and watch what they remember |
//! | `headless_server` | a server without a window whose characters move and talk |
//! | `bring_your_own_llm` | a language model speaks the lines, from what the character knows |
//! | `custom_components` | a game's own components, earshot, and what the plugin spawns in the game's clothes |
//! | `large_world` | ten thousand characters, and what they cost |
//! | `panel` | the DM's panels above a game: one line, and F10 |
//! | `ask` | the engine without Bevy |
//!
//! This library is what several of them need.

use std::path::{Path, PathBuf};

/// The directory of one of the example campaigns.
pub fn campaign(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../campaigns").join(name)
}

/// What follows an option of the command line, as in `--frames 120`.
pub fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}

/// Whether an option stands on the command line.
pub fn flag(name: &str) -> bool {
    std::env::args().skip(1).any(|arg| arg == name)
}

/// Whether there is a display for a window; why not, where there is none.
///
/// # Errors
/// On Linux, when no X server answers: Bevy would panic there.
pub fn display() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        let without = "this example opens a window. `headless_server` and the others run without one.";
        let Some(display) = std::env::var("DISPLAY").ok().filter(|display| !display.is_empty()) else {
            return Err(format!("there is no display (DISPLAY is not set), and {without}"));
        };
        // `:1.0` is the first screen of the local server 1; a server elsewhere is not looked for.
        let number = display.strip_prefix(':').map(|rest| rest.split('.').next().unwrap_or(rest));
        let answers = |number: &str| std::os::unix::net::UnixStream::connect(format!("/tmp/.X11-unix/X{number}"));
        if number.is_some_and(|number| answers(number).is_err()) {
            return Err(format!("no X server answers at DISPLAY={display}, and {without}"));
        }
    }
    Ok(())
}
