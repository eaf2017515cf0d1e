//! The mark: the newest acknowledged position, stored outside the database.
//!
//! SurrealKV repairs a damaged log by cutting it off at the damage. It opens a directory without a manifest as an empty
//! one. Both results look like an older, intact journal. The mark holds the last acknowledged position and its digest,
//! so that a journal that ends before this position is detected. The mark is written after the commit and is not
//! synced. After a power loss it may be behind the journal, but never ahead.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use hearsay_model::Position;

use crate::{StoreError, journal::Digest};

const MAGIC: &[u8; 8] = b"hearmark";
const LENGTH: usize = 64;

/// A position with the digest of its journal entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) position: Position,
    pub(crate) digest: Digest,
}

#[derive(Debug)]
pub(crate) struct Mark {
    file: Mutex<File>,
}

impl Mark {
    pub(crate) const FILE: &'static str = "acknowledged";

    /// Opens the mark and reads its contents, which are `None` for a new file or a wrong checksum.
    pub(crate) fn open(directory: &Path) -> Result<(Self, Option<Acknowledged>), StoreError> {
        let path = directory.join(Self::FILE);
        let refused = |source| StoreError::File {
            action: "write",
            path: path.clone(),
            advice: "choose a directory that this user may write to",
            source,
        };
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let mut file = file.map_err(refused)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(refused)?;
        let read = decode(&bytes);
        if read.is_none() && !bytes.is_empty() {
            tracing::warn!(path = %path.display(), "the mark of what was acknowledged is unreadable and is not used");
        }
        Ok((Self { file: Mutex::new(file) }, read))
    }

    /// Writes the acknowledged position. Logs a failure instead of returning it, because the commit itself is safe.
    pub(crate) fn write(&self, acknowledged: Acknowledged) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&encode(acknowledged)));
        if let Err(error) = written {
            tracing::warn!(%error, "the mark of what was acknowledged could not be written");
        }
    }
}

fn encode(Acknowledged { position, digest }: Acknowledged) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&position.0.to_le_bytes());
    bytes[16..48].copy_from_slice(&digest);
    let check = blake3::hash(&bytes[..48]);
    bytes[48..].copy_from_slice(&check.as_bytes()[..16]);
    bytes
}

fn decode(bytes: &[u8]) -> Option<Acknowledged> {
    let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
    let read = Acknowledged {
        position: Position(u64::from_le_bytes(bytes[8..16].try_into().ok()?)),
        digest: bytes[16..48].try_into().ok()?,
    };
    (encode(read) == *bytes).then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_written_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let (mark, read) = Mark::open(directory.path()).unwrap();
        assert_eq!(read, None);
        let at = |n| Acknowledged { position: Position(n), digest: [n as u8; 32] };
        mark.write(at(3));
        mark.write(at(4));
        assert_eq!(Mark::open(directory.path()).unwrap().1, Some(at(4)));
        let path = directory.path().join(Mark::FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Mark::open(directory.path()).unwrap().1, None);
    }
}
