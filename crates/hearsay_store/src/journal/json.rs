//! Creates the JSON of operations. The JSON of a large operation is created and written in chunks, so the memory never
//! contains the whole JSON.

use std::{
    io::{self, Write},
    mem,
};

use hearsay_model::Operation;
use serde::ser::Error as _;
use tokio::sync::mpsc::Sender;

/// Returns the JSON of an operation, or `None` if the JSON has more than `max_bytes` bytes.
pub(crate) fn short_json(operation: &Operation, max_bytes: usize) -> Result<Option<String>, serde_json::Error> {
    let mut writer = LimitedWriter { bytes: Vec::new(), max_bytes };
    match serde_json::to_writer(&mut writer, operation) {
        Ok(()) => String::from_utf8(writer.bytes).map(Some).map_err(serde_json::Error::custom),
        // The writer returns an error if the JSON is too long, and never otherwise.
        Err(error) if error.is_io() => Ok(None),
        Err(error) => Err(error),
    }
}

/// A buffer that accepts at most `max_bytes` bytes.
struct LimitedWriter {
    bytes: Vec<u8>,
    max_bytes: usize,
}

impl Write for LimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends the JSON of an operation in chunks of at most `max_bytes` bytes. Blocks while the receiver has no room for a
/// chunk.
///
/// `max_bytes` must be at least 4, so that every character fits into a chunk.
///
/// # Errors
/// Returns an error if the operation cannot be represented as JSON, or if the receiver is dropped.
pub(super) fn send_json(operation: &Operation, max_bytes: usize, chunks: Sender<String>) -> io::Result<()> {
    let mut writer = ChunkWriter { buffer: Vec::new(), max_bytes, chunks };
    serde_json::to_writer(&mut writer, operation)?;
    writer.flush()
}

/// Divides a text into chunks.
struct ChunkWriter {
    /// Beginning of the next chunk.
    buffer: Vec<u8>,
    max_bytes: usize,
    chunks: Sender<String>,
}

impl ChunkWriter {
    /// Sends the buffered text. If the buffer ends within a character, this character remains in the buffer.
    fn send_chunk(&mut self) -> io::Result<()> {
        let length = match str::from_utf8(&self.buffer) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.buffer.split_off(length);
        let chunk = String::from_utf8(mem::replace(&mut self.buffer, rest)).map_err(io::Error::other)?;
        self.chunks.blocking_send(chunk).map_err(io::Error::other)
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.max_bytes - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..count]);
        if self.buffer.len() == self.max_bytes {
            self.send_chunk()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() { Ok(()) } else { self.send_chunk() }
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Passage};
    use tokio::sync::mpsc;

    use super::*;

    fn operation(text: &str) -> Operation {
        Operation::new(Author::Game, "add", vec![Change::AddPassage(Passage::new(text).into())])
    }

    #[test]
    fn short_json_is_complete_or_not_there() {
        let operation = operation("ß—x 𝄞 \"quoted\"");
        let json = serde_json::to_string(&operation).unwrap();
        assert_eq!(short_json(&operation, json.len()).unwrap().as_deref(), Some(json.as_str()));
        assert_eq!(short_json(&operation, json.len() - 1).unwrap(), None);
        assert_eq!(short_json(&operation, 0).unwrap(), None);
    }

    #[test]
    fn chunks_contain_the_whole_json_and_split_no_character() {
        let operation = operation(&"ß—x 𝄞 \"quoted\"\n".repeat(20));
        let json = serde_json::to_string(&operation).unwrap();
        for max_bytes in [4, 5, 6, 7, 64, json.len() - 1, json.len(), json.len() + 1] {
            let (sender, mut receiver) = mpsc::channel(json.len());
            send_json(&operation, max_bytes, sender).unwrap();
            let mut joined = String::new();
            while let Some(chunk) = receiver.blocking_recv() {
                assert!((1..=max_bytes).contains(&chunk.len()), "{max_bytes}: {}", chunk.len());
                joined += &chunk;
            }
            assert_eq!(joined, json, "{max_bytes}");
        }
    }

    #[test]
    fn the_json_is_created_while_the_chunks_are_received() {
        let operation = operation(&"x".repeat(1_000));
        let (sender, mut receiver) = mpsc::channel(1);
        let thread = std::thread::spawn(move || send_json(&operation, 8, sender));
        assert_eq!(receiver.blocking_recv().unwrap().len(), 8);
        // The thread can be at most one chunk ahead. Therefore, it cannot end before the receiver is dropped.
        assert!(!thread.is_finished());
        drop(receiver);
        assert!(thread.join().unwrap().is_err());
    }
}
