//! Stores the vectors of texts in a file. A program needs minutes to compute the vectors, but only seconds to measure
//! with stored vectors.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use hearsay_embed::{EmbedError, Encoder, TextHash, text_hash};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Error while reading, computing or storing vectors.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The file cannot be read or written.
    #[error("{}: {source}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is not a vector cache.
    #[error("{file}: the file is not a cache of vectors; pass another file with --cache, or delete this file", file = .0.display())]
    NotACache(PathBuf),
    /// The system has no directory for caches.
    #[error("this system has no directory for caches; pass the path of a cache file with --cache")]
    NoCacheDirectory,
    /// The sentence encoder could not compute a vector.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// The first bytes of a cache file.
const FILE_HEADER: &[u8; 16] = b"hearsay vectors1";

/// Number of texts that are encoded before their vectors are written.
const BATCH: usize = 64;

/// Size of a record's header, in bytes. The header consists of the hash of the model's id and the hash of the text. The
/// vector follows it.
const RECORD_HEADER_BYTES: usize = 2 * size_of::<TextHash>();

/// The vectors of one model, by text, with the cache file in which they are stored.
#[derive(Debug)]
pub struct VectorCache {
    file: PathBuf,
    model: TextHash,
    vectors: BTreeMap<TextHash, Vec<f32>>,
}

impl VectorCache {
    /// Returns the default path of the cache file, in the system's cache directory.
    ///
    /// # Errors
    /// Returns an error if the system has no directory for caches.
    pub fn default_file() -> Result<PathBuf, CacheError> {
        let path_var = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let dir = if cfg!(windows) {
            path_var("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            env::home_dir().map(|home| home.join("Library/Caches"))
        } else {
            path_var("XDG_CACHE_HOME").or_else(|| Some(env::home_dir()?.join(".cache")))
        };
        Ok(dir.ok_or(CacheError::NoCacheDirectory)?.join("hearsay/eval-vectors.bin"))
    }

    /// Reads the vectors of one model from a cache file. `dimension` is the length of a vector of this model. If the
    /// file ends with an incomplete record, removes this record.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a vector cache.
    pub fn open(file: &Path, model: &str, dimension: usize) -> Result<Self, CacheError> {
        let failed = |source| CacheError::File { file: file.to_owned(), source };
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut cache = Self { file: file.to_owned(), model: text_hash(model), vectors: BTreeMap::new() };
        if bytes.is_empty() {
            if let Some(dir) = file.parent() {
                fs::create_dir_all(dir).map_err(failed)?;
            }
            fs::write(file, FILE_HEADER).map_err(failed)?;
            return Ok(cache);
        }
        let mut rest = bytes.strip_prefix(FILE_HEADER).ok_or_else(|| CacheError::NotACache(file.to_owned()))?;
        while let Some((length, record)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            let Some((record, after)) = record.split_at_checked(RECORD_HEADER_BYTES + length * 4) else { break };
            let (keys, numbers) = record.split_at(RECORD_HEADER_BYTES);
            if keys[..RECORD_HEADER_BYTES / 2] == cache.model && length == dimension {
                let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
                let vector = numbers.as_chunks::<4>().0.iter().map(number).collect();
                let mut hash = TextHash::default();
                hash.copy_from_slice(&keys[RECORD_HEADER_BYTES / 2..]);
                cache.vectors.insert(hash, vector);
            }
            rest = after;
        }
        if !rest.is_empty() {
            let cache_file = OpenOptions::new().write(true).open(file).map_err(failed)?;
            cache_file.set_len((bytes.len() - rest.len()) as u64).map_err(failed)?;
        }
        Ok(cache)
    }

    /// Returns the vector of a text, if the cache contains it.
    pub fn get(&self, text: &str) -> Option<&[f32]> {
        self.vectors.get(&text_hash(text)).map(Vec::as_slice)
    }

    /// Computes and stores the vectors of all texts that are not in the cache yet. Calls `progress` with the number of
    /// remaining texts.
    ///
    /// # Errors
    /// Returns an error if a text cannot be encoded, or the file cannot be written.
    pub fn fill(
        &mut self,
        texts: &BTreeSet<String>,
        encoder: &Encoder,
        mut progress: impl FnMut(usize),
    ) -> Result<(), CacheError> {
        let missing: Vec<&str> = texts.iter().map(String::as_str).filter(|text| self.get(text).is_none()).collect();
        let mut left = missing.len();
        for batch in missing.chunks(BATCH) {
            progress(left);
            let vectors = encoder.encode(batch)?;
            self.store(batch.iter().copied().zip(vectors))?;
            left -= batch.len();
        }
        Ok(())
    }

    /// Adds vectors to the cache and to its file. Each vector is given with its text.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn store<'a>(&mut self, vectors: impl IntoIterator<Item = (&'a str, Vec<f32>)>) -> Result<(), CacheError> {
        let mut bytes = Vec::new();
        for (text, vector) in vectors {
            let hash = text_hash(text);
            bytes.extend_from_slice(&(vector.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&self.model);
            bytes.extend_from_slice(&hash);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
            self.vectors.insert(hash, vector);
        }
        let append = OpenOptions::new().append(true).open(&self.file);
        let written = append.and_then(|mut file| file.write_all(&bytes));
        written.map_err(|source| CacheError::File { file: self.file.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_and_a_broken_end_is_cut_away() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("deep/cache.bin");
        let mut cache = VectorCache::open(&file, "a@1", 2).unwrap();
        cache.store([("rats", vec![0.6, 0.8]), ("cats", vec![1.0, 0.0])]).unwrap();
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 3]).unwrap();
        let mut cache = VectorCache::open(&file, "a@1", 2).unwrap();
        assert_eq!((cache.get("rats"), cache.get("cats")), (Some(&[0.6, 0.8][..]), None));
        cache.store([("cats", vec![0.0, 1.0])]).unwrap();
        assert_eq!(VectorCache::open(&file, "a@1", 2).unwrap().get("cats"), Some(&[0.0, 1.0][..]));
        assert!(VectorCache::open(&file, "b@1", 2).unwrap().get("rats").is_none(), "of another model");
        fs::write(&file, "something else").unwrap();
        assert!(matches!(VectorCache::open(&file, "a@1", 2), Err(CacheError::NotACache(_))));
    }
}
