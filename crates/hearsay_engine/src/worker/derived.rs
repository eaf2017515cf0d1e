//! Files of derived data in the directory of the database: the terms and the vectors of texts. Both files can be
//! deleted while the campaign is closed.

use std::{
    io,
    path::Path,
    thread::{self, JoinHandle},
};

use crossbeam_channel::Sender;
use hearsay_recall::{CachedTexts, Index, TermCache, VectorSet};
use hearsay_store::FrameFile;

use super::Internal;
use crate::MemoryError;

/// Names of the files in the directory of the database.
const TERMS_FILE: &str = "terms";
const VECTORS_FILE: &str = "vectors";

/// Minimum number of texts that must be missing from the file of terms before it is rewritten. In a campaign with fewer
/// texts, all texts must be missing.
const MIN_MISSING_TEXTS: usize = 256;
/// Divisor: the file of terms is rewritten only if the number of missing texts is also at least the number of all texts
/// divided by this number.
const MISSING_TEXTS_DIVISOR: usize = 20;

/// Number of vectors of removed texts that a file of any size can contain before the file is rewritten.
const MAX_UNUSED_VECTORS: usize = 1_024;

/// Approximate size in bytes of a frame of the vector file, if many vectors are written at once.
const FRAME_SIZE_BYTES: usize = 1 << 20;

fn terms_key() -> String {
    format!("terms {}", TermCache::FORMAT)
}

fn vectors_key(model: &str) -> String {
    format!("vectors {} {model}", VectorSet::FORMAT)
}

/// The stored terms of texts, prepared for an index.
pub(super) type CachedTerms = (StoredTerms, CachedTexts);

/// Threads that read the files of derived data while the database opens.
pub(super) struct Reading {
    pub(super) terms: JoinHandle<CachedTerms>,
    /// Thread that sends [`Internal::StoredVectors`].
    pub(super) vectors: Option<JoinHandle<()>>,
}

impl Reading {
    /// Starts threads that read the stored terms and, if `with_vectors` is `true`, the stored vectors.
    pub(super) fn start(
        directory: &Path,
        with_vectors: bool,
        internal: &Sender<Internal>,
    ) -> Result<Self, MemoryError> {
        let thread = || thread::Builder::new().name("hearsay-reading".into());
        let path = directory.to_owned();
        let read = move || {
            let cache = read_terms(&path);
            (StoredTerms::from_cache(&cache), cache.into())
        };
        let terms = thread().spawn(read).map_err(MemoryError::Thread)?;
        let read = || {
            let (path, internal) = (directory.to_owned(), internal.clone());
            let read = move || drop(internal.send(Internal::StoredVectors(StoredVectors::read(&path).map(Box::new))));
            thread().spawn(read).map_err(MemoryError::Thread)
        };
        Ok(Self { terms, vectors: with_vectors.then(read).transpose()? })
    }
}

/// Reads the stored terms of texts. Returns an empty cache if the file cannot be read.
fn read_terms(directory: &Path) -> TermCache {
    let mut read = None;
    let opened = FrameFile::open(directory.join(TERMS_FILE), &terms_key(), |content, _| {
        read = read.is_none().then(|| TermCache::decode(content)).flatten();
        read.is_some()
    });
    if let Err(error) = opened {
        tracing::warn!(%error, "the file with the terms of texts cannot be read; counting the terms again");
    }
    read.unwrap_or_default()
}

/// Numbers of entries in the file of terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredTerms {
    texts: usize,
    /// Number of texts whose hash is stored.
    hashes: usize,
}

impl StoredTerms {
    fn from_cache(cache: &TermCache) -> Self {
        Self { texts: cache.len(), hashes: cache.hashed_text_count() }
    }
}

/// Rewrites the file of terms if many texts, or the hashes of many texts, are missing from it.
pub(super) fn write_terms(directory: &Path, index: &Index, stored: StoredTerms) {
    let unstored = index.len().abs_diff(stored.texts).max(index.hashed_text_count().saturating_sub(stored.hashes));
    if unstored < MIN_MISSING_TEXTS.max(index.len() / MISSING_TEXTS_DIVISOR).min(index.len().max(1)) {
        return;
    }
    let written = FrameFile::create(directory.join(TERMS_FILE), &terms_key(), [index.term_cache().encode()]);
    if let Err(error) = written {
        tracing::warn!(%error, "the terms of texts could not be stored; the next opening counts them again");
    }
}

/// Stored vectors of one model, with their file.
pub(crate) struct StoredVectors {
    pub(super) model: String,
    pub(super) set: VectorSet,
    pub(super) file: VectorFile,
}

/// File with the vectors of one model.
pub(super) struct VectorFile {
    file: FrameFile,
    /// Number of vectors in the file.
    count: usize,
}

impl StoredVectors {
    /// Reads the stored vectors, regardless of which model computed them.
    pub(super) fn read(directory: &Path) -> Option<Self> {
        let path = directory.join(VECTORS_FILE);
        let key = FrameFile::read_key(&path)?;
        let model = key.strip_prefix(&vectors_key(""))?.to_owned();
        let mut set = VectorSet::default();
        let opened = FrameFile::open(&path, &key, |content, following_bytes| {
            if set.is_empty()
                && let Some(dimension) = content.get(4..8)
            {
                let dimension = dimension.try_into().map_or(0, u32::from_le_bytes) as usize;
                let bytes = content.len() + usize::try_from(following_bytes).unwrap_or(0);
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
                tracing::warn!(%error, "the file with the vectors cannot be read; computing the vectors again");
                None
            }
        }
    }
}

impl VectorFile {
    /// Creates a file for the vectors of a model. Replaces an existing file.
    pub(super) fn create(directory: &Path, model: &str) -> io::Result<Self> {
        let file = FrameFile::create(directory.join(VECTORS_FILE), &vectors_key(model), [[0_u8; 0]; 0])?;
        Ok(Self { file, count: 0 })
    }

    /// Appends vectors to the file. Does nothing if the set is empty.
    pub(super) fn append(&mut self, set: &VectorSet) -> io::Result<()> {
        if !set.is_empty() {
            self.file.append(&set.encode())?;
            self.count += set.len();
        }
        Ok(())
    }

    /// Rewrites the file without the vectors of removed texts, if it contains many of them.
    pub(super) fn drop_unused(&mut self, index: &Index) -> io::Result<()> {
        if self.count < MAX_UNUSED_VECTORS || self.count - MAX_UNUSED_VECTORS < index.vector_count() * 4 / 3 {
            return Ok(());
        }
        let used = index.vectors_in_use();
        let frames = used.encode_parts(FRAME_SIZE_BYTES);
        self.file = FrameFile::create(self.file.path().to_owned(), self.file.key(), frames)?;
        self.count = used.len();
        Ok(())
    }
}
