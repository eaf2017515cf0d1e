//! Detection of a display.

/// Checks whether a window can be opened.
///
/// # Errors
/// Returns an error on Linux if no display server answers. The error says what to do. Without this check, the window
/// system would end the program without an explanation.
pub(crate) fn check() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    {
        const HELP: &str = "dm_console opens a window. On a machine without a display, take a screenshot instead: install xvfb and mesa-vulkan-drivers, then run `xvfb-run dm_console -C CAMPAIGN --screenshot out.png`. The program `hearsay` needs no window";
        let Some(display) = std::env::var("DISPLAY").ok().filter(|display| !display.is_empty()) else {
            anyhow::bail!("there is no display (DISPLAY is not set): {HELP}");
        };
        // `:1.0` means screen 0 of the local server 1. Remote servers are not checked.
        let number = display.strip_prefix(':').map(|rest| rest.split('.').next().unwrap_or(rest));
        let connect = |number: &str| std::os::unix::net::UnixStream::connect(format!("/tmp/.X11-unix/X{number}"));
        if number.is_some_and(|number| connect(number).is_err()) {
            anyhow::bail!("no X server answers at DISPLAY={display}: {HELP}");
        }
    }
    Ok(())
}
