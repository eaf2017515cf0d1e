//! Output in a pager: text that does not fit on the terminal is shown by `$PAGER`, or by `less -FRX`.

use std::{
    env,
    io::{self, Write},
    process::{Command, Stdio},
};

/// Pager that is used if `$PAGER` is not set.
const DEFAULT_PAGER: &str = "less -FRX";

/// Assumed number of rows if the size of the terminal is unknown.
const DEFAULT_ROWS: usize = 24;

/// Writes text to standard output, which is a terminal. If the text does not fit on the terminal, shows it in the
/// pager.
pub(crate) fn show(text: &[u8]) -> io::Result<()> {
    let rows = terminal_size::terminal_size().map_or(DEFAULT_ROWS, |(_, height)| height.0.into());
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    if lines < rows || !show_in_pager(text) {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text)?;
        stdout.flush()?;
    }
    Ok(())
}

/// Shows text in the pager. Returns `false` if there is no pager.
fn show_in_pager(text: &[u8]) -> bool {
    let pager = env::var("PAGER").unwrap_or_else(|_| DEFAULT_PAGER.to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    // Without these options, `less` would show colour codes as text and clear the screen.
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Ignores errors, because the user may quit the pager before the end of the text.
        let _ = input.write_all(text);
    }
    let _ = child.wait();
    true
}
