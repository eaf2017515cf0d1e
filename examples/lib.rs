//! Runnable examples, each with one command: `cargo run -p hearsay_examples --example minimal`.
//!
//! | example | content |
//! |---|---|
//! | `minimal` | the plugin in an app of twenty lines |
//! | `tavern` | a small game with a window: carry a rumour from one character to another, and see their memory |
//! | `headless_server` | a server without a window whose characters move and talk |
//! | `bring_your_own_llm` | a language model speaks the lines, from the facts that the character knows |
//! | `custom_components` | a game's own components, a custom earshot, and portraits for spawned characters |
//! | `large_world` | ten thousand characters, and the time that the plugin needs for them per frame |
//! | `panel` | the DM's panels on top of a game, which need one line of code and open with F10 |
//! | `ask` | the engine without Bevy |
//!
//! This library contains the code that several examples share.

use std::path::{Path, PathBuf};

/// Returns the directory of an example campaign, such as `gullhaven`.
pub fn campaign(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../campaigns").join(name)
}

/// Returns the value of a command line option: `120` for `--frames 120`. Returns `None` if the option or its value is
/// missing.
pub fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}

/// Returns whether a command line option is set.
pub fn flag(name: &str) -> bool {
    std::env::args().skip(1).any(|arg| arg == name)
}

/// Checks that there is a display for a window.
///
/// # Errors
/// Returns an error on Linux if `DISPLAY` is not set or no X server answers. Without this check, Bevy would panic. The
/// error contains the reason.
pub fn display() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        let hint = "this example opens a window; `minimal`, `headless_server` and `ask` need no display";
        let Some(display) = std::env::var("DISPLAY").ok().filter(|display| !display.is_empty()) else {
            return Err(format!("there is no display (DISPLAY is not set), and {hint}"));
        };
        // `:1.0` means screen 0 of the local server 1. Remote servers are not checked.
        let number = display.strip_prefix(':').map(|rest| rest.split('.').next().unwrap_or(rest));
        let connect = |number: &str| std::os::unix::net::UnixStream::connect(format!("/tmp/.X11-unix/X{number}"));
        if number.is_some_and(|number| connect(number).is_err()) {
            return Err(format!("no X server answers at DISPLAY={display}, and {hint}"));
        }
    }
    Ok(())
}
