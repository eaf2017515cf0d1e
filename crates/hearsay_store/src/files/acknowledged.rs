//! The file `acknowledged`, which stores the newest acknowledged position outside the database.
//!
//! If a log is damaged, SurrealKV truncates it at the damage. SurrealKV also opens a directory without a manifest as an
//! empty database. In both cases, the remaining journal looks intact, but ends too early. The store detects this error
//! with the acknowledged position and its digest. The store writes the file after the commit, and does not sync it.
//! After a power loss, the position in the file may be too old, but it is never newer than the journal.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use hearsay_model::Position;

use crate::{StoreError, journal::JournalPosition};

const MAGIC: &[u8; 8] = b"hearmark";
const FILE_BYTES: usize = 64;

/// The open file `acknowledged` of a campaign directory.
#[derive(Debug)]
pub(crate) struct AcknowledgedFile {
    file: Mutex<File>,
}

impl AcknowledgedFile {
    /// Name of the file within the campaign directory.
    pub(crate) const NAME: &'static str = "acknowledged";

    /// Opens or creates the file and reads its contents. The contents are `None` if the file is new or damaged.
    pub(crate) fn open(directory: &Path) -> Result<(Self, Option<JournalPosition>), StoreError> {
        let path = directory.join(Self::NAME);
        let file_error = |source| StoreError::File {
            action: "write",
            path: path.clone(),
            advice: "choose a directory to which this user can write",
            source,
        };
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let mut file = file.map_err(file_error)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(file_error)?;
        let acknowledged = decode(&bytes);
        if acknowledged.is_none() && !bytes.is_empty() {
            tracing::warn!(path = %path.display(), "the file is damaged and is ignored");
        }
        Ok((Self { file: Mutex::new(file) }, acknowledged))
    }

    /// Writes the acknowledged position. A failure is only logged, because the commit itself is safe.
    pub(crate) fn write(&self, acknowledged: JournalPosition) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&encode(acknowledged)));
        if let Err(error) = written {
            tracing::warn!(%error, "the file `acknowledged` could not be written");
        }
    }
}

fn encode(JournalPosition { position, digest }: JournalPosition) -> [u8; FILE_BYTES] {
    let mut bytes = [0; FILE_BYTES];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&position.0.to_le_bytes());
    bytes[16..48].copy_from_slice(&digest);
    let checksum = blake3::hash(&bytes[..48]);
    bytes[48..].copy_from_slice(&checksum.as_bytes()[..16]);
    bytes
}

fn decode(bytes: &[u8]) -> Option<JournalPosition> {
    let bytes: &[u8; FILE_BYTES] = bytes.try_into().ok()?;
    let decoded = JournalPosition {
        position: Position(u64::from_le_bytes(bytes[8..16].try_into().ok()?)),
        digest: bytes[16..48].try_into().ok()?,
    };
    (encode(decoded) == *bytes).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_written_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let (file, acknowledged) = AcknowledgedFile::open(directory.path()).unwrap();
        assert_eq!(acknowledged, None);
        let at = |n| JournalPosition { position: Position(n), digest: [n as u8; 32] };
        file.write(at(3));
        file.write(at(4));
        assert_eq!(AcknowledgedFile::open(directory.path()).unwrap().1, Some(at(4)));
        let path = directory.path().join(AcknowledgedFile::NAME);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(AcknowledgedFile::open(directory.path()).unwrap().1, None);
    }
}
