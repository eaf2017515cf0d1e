//! Files of derived data beside the database: the terms of texts, and their vectors. Both may be deleted at any time.

use std::{
    io,
    path::Path,
    thread::{self, JoinHandle},
};

use crossbeam_channel::Sender;
use hearsay_recall::{Index, TermCache, VectorSet};
use hearsay_store::FrameFile;

use super::Internal;
use crate::MemoryError;

/// The names of the files within the campaign's directory.
const TERMS: &str = "terms";
const VECTORS: &str = "vectors";

/// Texts that may be counted anew on opening before their terms are stored again, and the share of all texts that may.
const MOST_UNSTORED: usize = 256;
const UNSTORED_SHARE: usize = 20;

/// Vectors of texts that are gone which may stay in the file.
const MOST_UNUSED: usize = 1_024;

/// Bytes of a frame, about, where many vectors are written at once.
const FRAME: usize = 1 << 20;

fn terms_key() -> String {
    format!("terms {}", TermCache::FORMAT)
}

fn vectors_key(model: &str) -> String {
    format!("vectors {} {model}", VectorSet::FORMAT)
}

/// Threads that read the files while the database opens.
pub(super) struct Reading {
    pub(super) terms: JoinHandle<TermCache>,
    /// Sends [`Internal::StoredVectors`].
    pub(super) vectors: Option<JoinHandle<()>>,
}

impl Reading {
    /// Starts to read the terms, and the vectors where they are wanted.
    pub(super) fn start(
        directory: &Path,
        with_vectors: bool,
        internal: &Sender<Internal>,
    ) -> Result<Self, MemoryError> {
        let thread = || thread::Builder::new().name("hearsay-reading".into());
        let path = directory.to_owned();
        let terms = thread().spawn(move || read_terms(&path)).map_err(MemoryError::Thread)?;
        let read = || {
            let (path, internal) = (directory.to_owned(), internal.clone());
            let read = move || drop(internal.send(Internal::StoredVectors(StoredVectors::read(&path).map(Box::new))));
            thread().spawn(read).map_err(MemoryError::Thread)
        };
        Ok(Self { terms, vectors: with_vectors.then(read).transpose()? })
    }
}

/// Reads the terms of texts; none, where they cannot be read.
pub(super) fn read_terms(directory: &Path) -> TermCache {
    let mut read = None;
    let opened = FrameFile::open(directory.join(TERMS), &terms_key(), |content, _| {
        read = read.is_none().then(|| TermCache::decode(content)).flatten();
        read.is_some()
    });
    if let Err(error) = opened {
        tracing::warn!(%error, "the terms of texts cannot be read, and are counted anew");
    }
    read.unwrap_or_default()
}

/// Stores the terms of texts, where so many are not stored that counting them anew would take a while.
pub(super) fn write_terms(directory: &Path, index: &Index, stored: usize) {
    let unstored = index.len().abs_diff(stored);
    if unstored < MOST_UNSTORED.max(index.len() / UNSTORED_SHARE).min(index.len().max(1)) {
        return;
    }
    let written = FrameFile::create(directory.join(TERMS), &terms_key(), [index.terms().encode()]);
    if let Err(error) = written {
        tracing::warn!(%error, "the terms of texts were not stored; the next opening counts them anew");
    }
}

/// The vectors of a model, and the file that they are in.
pub(crate) struct StoredVectors {
    pub(super) model: String,
    pub(super) set: VectorSet,
    pub(super) file: VectorFile,
}

/// The file of a model's vectors.
pub(super) struct VectorFile {
    file: FrameFile,
    /// The number of vectors in it.
    count: usize,
}

impl StoredVectors {
    /// Reads the vectors of whichever model made them.
    pub(super) fn read(directory: &Path) -> Option<Self> {
        let path = directory.join(VECTORS);
        let key = FrameFile::read_key(&path)?;
        let model = key.strip_prefix(&vectors_key(""))?.to_owned();
        let mut set = VectorSet::default();
        let opened = FrameFile::open(&path, &key, |content, follow| {
            if set.is_empty()
                && let Some(dimension) = content.get(4..8)
            {
                let dimension = dimension.try_into().map_or(0, u32::from_le_bytes) as usize;
                let bytes = content.len() + usize::try_from(follow).unwrap_or(0);
                set.reserve(dimension, bytes);
            }
            set.decode(content)
        });
        match opened {
            Ok(file) => {
                let file = VectorFile { file: file?, count: set.len() };
                Some(Self { model, set, file })
            }
            Err(error) => {
                tracing::warn!(%error, "stored vectors cannot be read, and are made anew");
                None
            }
        }
    }
}

impl VectorFile {
    /// Makes a file for the vectors of a model, in place of one that is there.
    pub(super) fn create(directory: &Path, model: &str) -> io::Result<Self> {
        let file = FrameFile::create(directory.join(VECTORS), &vectors_key(model), [[0_u8; 0]; 0])?;
        Ok(Self { file, count: 0 })
    }

    /// Adds vectors.
    pub(super) fn append(&mut self, set: &VectorSet) -> io::Result<()> {
        if !set.is_empty() {
            self.file.append(&set.encode())?;
            self.count += set.len();
        }
        Ok(())
    }

    /// Writes the file anew, where many of its vectors are of texts that are gone.
    pub(super) fn drop_unused(&mut self, index: &Index) -> io::Result<()> {
        if self.count < MOST_UNUSED || self.count - MOST_UNUSED < index.vector_count() * 4 / 3 {
            return Ok(());
        }
        let used = index.vectors_in_use();
        let frames = used.encode_parts(FRAME);
        self.file = FrameFile::create(self.file.path().to_owned(), self.file.key(), frames)?;
        self.count = used.len();
        Ok(())
    }
}
