//! The stored queue of the language model.

use std::{collections::BTreeSet, fs, io, path::Path};

use hearsay_files::{Access, Durability};
use hearsay_model::PassageId;
use serde::{Deserialize, Serialize};

use super::Queue;

/// Name of the file in the directory of the database.
pub(super) const FILE_NAME: &str = "llm-queue.json";

/// Queue and other data that the file stores between runs of the program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedQueue {
    /// Queue of texts to read.
    pub(super) queue: Queue,
    /// Recently read passages. The queue file stores these passages, so that they are not read again after a crash.
    pub(super) read: BTreeSet<PassageId>,
}

impl SavedQueue {
    /// Reads the file. If the file cannot be read, renames it. Returns an empty queue if the file is missing or
    /// unreadable.
    pub(super) fn read(path: &Path) -> Self {
        let result = fs::read(path).and_then(|bytes| Ok(serde_json::from_slice::<Self>(&bytes)?));
        match result {
            Ok(saved) => Self { queue: saved.queue.after_restart(), ..saved },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => {
                let damaged_file = path.with_extension("json.damaged");
                tracing::warn!(
                    "{}: {error}; the file is renamed; run `hearsay fact extract --again` to read all texts again",
                    path.display()
                );
                if let Err(error) = fs::rename(path, &damaged_file) {
                    tracing::warn!("{}: {error}", damaged_file.display());
                }
                Self::default()
            }
        }
    }

    /// Writes the file. If this fails, the old file stays unchanged.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        hearsay_files::replace(path, &serde_json::to_vec(self)?, Access::Default, Durability::Synced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_damaged_or_from_another_version_is_put_aside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        assert!(SavedQueue::read(&path).read.is_empty());
        for damaged in ["{\"queue\": 5", "{\"queue\": {\"field_of_another_version\": 1}}"] {
            fs::write(&path, damaged).unwrap();
            assert!(SavedQueue::read(&path).read.is_empty());
            assert!(!path.exists() && path.with_extension("json.damaged").exists(), "{damaged}");
            fs::remove_file(path.with_extension("json.damaged")).unwrap();
        }
        let saved = SavedQueue {
            read: BTreeSet::from([hearsay_model::Passage::new("Odo sings.").id()]),
            ..SavedQueue::default()
        };
        saved.write(&path).unwrap();
        assert_eq!(SavedQueue::read(&path).read, saved.read);
    }
}
