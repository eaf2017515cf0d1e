//! A file or standard input that another program is still writing.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, SyncSender},
    thread,
    time::Duration,
};

use anyhow::Result;
use hearsay_engine::real_time;

use super::transcript::transcript_name;
use crate::output::{CliError, FILE_ERROR};

/// Time between two attempts to read more.
pub(super) const POLL_TIME: Duration = Duration::from_millis(100);

/// Maximum size of a transcript, in bytes (64 MiB).
const MAX_BYTES: u64 = 64 << 20;

/// A file or standard input that another program is still writing.
pub(super) struct LiveInput {
    /// Name that identifies the transcript.
    pub(super) name: String,
    /// The bytes, in the order in which they were written. The channel closes at the end of standard input. A file has
    /// no end.
    pub(super) chunks: Receiver<Result<Vec<u8>>>,
}

impl LiveInput {
    /// Opens a file, or standard input for the path `-`, and starts to read it.
    ///
    /// # Errors
    /// Returns an error if the file does not exist or cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(16);
        if path == Path::new("-") {
            thread::spawn(move || read_to_end(io::stdin().lock(), &sender));
            // Standard input has no name, so each run is a transcript of its own.
            let name = format!("standard input {}", real_time().0);
            return Ok(Self { name, chunks });
        }
        let file_error = |error: io::Error| {
            let hint = "expected a transcript that another program writes: text, WebVTT or JSON lines";
            CliError::new(FILE_ERROR, format!("{}: {error}; {hint}", path.display()))
        };
        if fs::metadata(path).map_err(file_error)?.is_dir() {
            return Err(file_error(io::ErrorKind::IsADirectory.into()).into());
        }
        let (name, path) = (transcript_name(path), path.to_owned());
        // Opening a pipe waits for the program that writes it, so it is opened on this thread too.
        thread::spawn(move || follow_file(&path, &sender));
        Ok(Self { name, chunks })
    }
}

/// Sends everything that a reader returns, until its end.
fn read_to_end(mut reader: impl Read, sender: &SyncSender<Result<Vec<u8>>>) {
    let mut total = 0;
    while read_chunk(&mut reader, &mut total, sender).is_some_and(|length| length > 0) {}
}

/// Sends what is in a file and what is added to it, until the receiver is dropped or the file cannot be read.
fn follow_file(path: &PathBuf, sender: &SyncSender<Result<Vec<u8>>>) {
    let name = path.display();
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return send_error(format!("{name}: {error}"), sender),
    };
    let mut total = 0;
    loop {
        match read_chunk(&mut file, &mut total, sender) {
            None => return,
            Some(0) => thread::sleep(POLL_TIME),
            Some(_) => {}
        }
        if file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() < total) {
            let message = format!(
                "{name}: the file became shorter while Hearsay followed it, so Hearsay cannot tell new lines from old \
                 lines; all earlier lines are recorded; write the new lines to another file, and follow that file"
            );
            return send_error(message, sender);
        }
    }
}

/// Reads and sends one chunk. Returns its length, or `None` if nothing more should be read. `total` is the number of
/// bytes so far.
fn read_chunk(reader: &mut impl Read, total: &mut u64, sender: &SyncSender<Result<Vec<u8>>>) -> Option<usize> {
    let mut chunk = vec![0; 1 << 16];
    match reader.read(&mut chunk) {
        Ok(length) => {
            *total += length as u64;
            if *total > MAX_BYTES {
                send_error(format!("the transcript is larger than {} MiB", MAX_BYTES >> 20), sender);
                return None;
            }
            chunk.truncate(length);
            (length == 0 || sender.send(Ok(chunk)).is_ok()).then_some(length)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Some(1),
        Err(error) => {
            send_error(format!("the transcript cannot be read: {error}"), sender);
            None
        }
    }
}

fn send_error(message: String, sender: &SyncSender<Result<Vec<u8>>>) {
    // If the receiver is gone, the command has ended.
    let _ = sender.send(Err(CliError::new(FILE_ERROR, message).into()));
}
