//! The handler of Ctrl-C. The first press requests a clean end of the command, or ends the program immediately while the
//! command waits for an answer of the user. The second press always ends the program immediately.

use std::{
    io::{self, BufRead, Write},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Message with which the first press of Ctrl-C ends the program immediately. `None` while the first press requests a
/// clean end.
static END_MESSAGE: Mutex<Option<&str>> = Mutex::new(None);

/// Function that is called before the program ends immediately while it waits for the user.
static CLEAN_UP: OnceLock<fn()> = OnceLock::new();

/// Exit code of a program that Ctrl-C stopped.
pub(crate) const EXIT_CODE: u8 = 130;

/// Message of a command that Ctrl-C stopped and that may have written operations before.
pub(crate) const STOPPED: &str = "stopped by Ctrl-C; Hearsay saved each finished operation completely; \
                                  `hearsay db history` lists the saved operations";

/// Message of a command that Ctrl-C stopped before it wrote anything.
pub(crate) const NOTHING_WRITTEN: &str = "stopped by Ctrl-C; nothing was written";

/// Installs the handler for Ctrl-C. `clean_up` is called before the program ends immediately while the command waits for
/// the user. Even an immediate end of the program is safe, because every acknowledged operation is on the disk.
pub(crate) fn install(clean_up: fn()) {
    let _ = CLEAN_UP.set(clean_up);
    let installed = ctrlc::set_handler(|| {
        let is_second = REQUESTED.swap(true, Ordering::SeqCst);
        let message = *end_message();
        match message {
            Some(message) => end(message),
            None if is_second => std::process::exit(EXIT_CODE.into()),
            None => {}
        }
    });
    if let Err(error) = installed {
        tracing::warn!("cannot install the Ctrl-C handler; Ctrl-C ends the program immediately: {error}");
    }
}

/// Runs a function that waits for the user and writes nothing. Meanwhile, the first press of Ctrl-C ends the program
/// immediately with `message`, because a read from the terminal cannot be stopped.
pub(crate) fn end_immediately_during<T>(message: &'static str, run: impl FnOnce() -> T) -> T {
    let earlier = end_message().replace(message);
    // The user can press Ctrl-C between the question and this function.
    if is_requested() {
        end(message);
    }
    let result = run();
    *end_message() = earlier;
    result
}

/// Reads a line that the user types as the answer to a question. Meanwhile, the first press of Ctrl-C ends the program
/// immediately. Returns `None` at the end of the input. The caller must not hold the lock of the standard error output,
/// because the handler of Ctrl-C writes to it.
pub(crate) fn read_answer(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let length = end_immediately_during(STOPPED, || input.read_line(&mut line))?;
    Ok((length > 0).then_some(line))
}

/// Returns whether the user pressed Ctrl-C.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Prints a message, cleans up and ends the program.
fn end(message: &str) -> ! {
    let _ = writeln!(io::stderr(), "\n{message}");
    if let Some(clean_up) = CLEAN_UP.get() {
        clean_up();
    }
    std::process::exit(EXIT_CODE.into())
}

fn end_message() -> MutexGuard<'static, Option<&'static str>> {
    END_MESSAGE.lock().unwrap_or_else(PoisonError::into_inner)
}
