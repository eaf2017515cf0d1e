//! Segments of the write-ahead log: files `wal/<number>.wal` in the directory of the database.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use surrealdb_kvs::err::{Error, Result};

use super::health::write_error;

/// The write-ahead log of a database.
#[derive(Debug, Clone)]
pub(crate) struct WriteAheadLog {
    directory: PathBuf,
    /// Open handle of the directory, to detect that the directory was deleted and created again.
    handle: Option<Arc<File>>,
    /// Number of the newest segment at the last call of [`newest`](Self::newest); [`UNKNOWN`] before the first call.
    newest: Arc<AtomicU64>,
}

/// Value of `WriteAheadLog::newest` before the first call. No segment has this number.
const UNKNOWN: u64 = u64::MAX;

/// One file of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) size_bytes: u64,
}

impl WriteAheadLog {
    /// Returns the log of the database in `directory`.
    pub(crate) fn new(directory: &Path) -> Self {
        let directory = directory.join("wal");
        let handle = File::open(&directory).ok().map(Arc::new);
        Self { directory, handle, newest: Arc::new(AtomicU64::new(UNKNOWN)) }
    }

    /// Returns the segments in no particular order. A segment that is deleted during the call is left out.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read.
    pub(crate) fn segments(&self) -> io::Result<Vec<Segment>> {
        let mut segments = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let entry = entry?;
            let Some(number) = segment_number(&entry.path()) else { continue };
            match entry.metadata() {
                Ok(metadata) => segments.push(Segment { number, size_bytes: metadata.len() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(segments)
    }

    /// Returns the number of the newest segment. An open database always has a segment.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read, was deleted, or has no segment.
    pub(crate) fn newest(&self) -> io::Result<u64> {
        if self.handle.as_ref().is_some_and(|handle| is_deleted(handle)) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the directory was deleted while it was in use"));
        }
        let known = self.newest.load(Ordering::Relaxed);
        // Segments are created and deleted in the order of their numbers. So if a segment still exists after its
        // successor was not found, the successor was not created yet.
        if known != UNKNOWN && !self.exists(known + 1)? && self.exists(known)? {
            return Ok(known);
        }
        let mut newest = None;
        for entry in std::fs::read_dir(&self.directory)? {
            newest = newest.max(segment_number(&entry?.path()));
        }
        let newest = newest.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the log file is missing"))?;
        self.newest.store(newest, Ordering::Relaxed);
        Ok(newest)
    }

    fn exists(&self, number: u64) -> io::Result<bool> {
        self.directory.join(format!("{number:020}.wal")).try_exists()
    }
}

impl WriteAheadLog {
    /// Returns an error if the log is not empty. Call this function after the engine shuts down, because the engine
    /// only logs the errors of a failed shutdown and does not return them.
    pub(crate) fn check_empty(&self) -> Result<()> {
        let segments = self.segments().map_err(|error| Error::Datastore(error.to_string()))?;
        if segments.iter().all(|segment| segment.size_bytes == 0) {
            return Ok(());
        }
        let reason = write_error(&self.directory).unwrap_or_else(|| "the engine could not write tables".into());
        Err(Error::Datastore(format!("its log could not be moved into tables: {reason}")))
    }
}

/// Returns whether an open file or directory was deleted, so that no path leads to it any more.
#[cfg(unix)]
fn is_deleted(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

/// Returns `false`, because systems other than Unix do not delete directories that are in use.
#[cfg(not(unix))]
fn is_deleted(_: &File) -> bool {
    false
}

fn segment_number(path: &Path) -> Option<u64> {
    if path.extension()? != "wal" {
        return None;
    }
    path.file_stem()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_segment_is_found_among_other_files() {
        let directory = tempfile::tempdir().unwrap();
        let log = WriteAheadLog::new(directory.path());
        assert_eq!(log.newest().unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::create_dir(directory.path().join("wal")).unwrap();
        assert_eq!(log.newest().unwrap_err().kind(), io::ErrorKind::NotFound);
        for (name, size) in [("00000000000000000009.wal", 3), ("00000000000000000010.wal", 0), ("99.wal.repair", 1)] {
            std::fs::write(directory.path().join("wal").join(name), vec![0; size]).unwrap();
        }
        assert_eq!(log.newest().unwrap(), 10);
        let mut segments = log.segments().unwrap();
        segments.sort_by_key(|segment| segment.number);
        let sizes: Vec<_> = segments.iter().map(|segment| (segment.number, segment.size_bytes)).collect();
        assert_eq!(sizes, [(9, 3), (10, 0)]);
        let file = |number: u64| directory.path().join(format!("wal/{number:020}.wal"));
        for (created, deleted) in [(11, 9), (12, 10)] {
            std::fs::write(file(created), "").unwrap();
            std::fs::remove_file(file(deleted)).unwrap();
            assert_eq!((log.newest().unwrap(), log.newest().unwrap()), (created, created));
        }
        // Between two calls, the log can rotate several times.
        std::fs::write(file(14), "").unwrap();
        for deleted in [11, 12] {
            std::fs::remove_file(file(deleted)).unwrap();
        }
        assert_eq!(log.newest().unwrap(), 14);
    }
}
