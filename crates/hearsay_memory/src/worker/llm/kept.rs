//! The stored queue of the language model.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use hearsay_model::PassageId;
use serde::{Deserialize, Serialize};

use super::Queue;

/// Name of the file in the directory of the database.
pub(super) const FILE: &str = "llm-queue.json";

/// Data that outlives the program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    /// Queue of texts to read.
    pub(super) queue: Queue,
    /// Recently read passages, so that they are not read again after a crash.
    pub(super) read: BTreeSet<PassageId>,
}

impl Kept {
    /// Reads the file. Returns an empty queue if there is no file, and sets an unreadable file aside.
    pub(super) fn read(path: &Path) -> Self {
        let read = fs::read(path).and_then(|bytes| Ok(serde_json::from_slice::<Self>(&bytes)?));
        match read {
            Ok(kept) => Self { queue: kept.queue.restarted(), ..kept },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => {
                let aside = path.with_extension("json.damaged");
                tracing::warn!("{}: {error}; it is put aside, and `extract --again` reads all anew", path.display());
                if let Err(error) = fs::rename(path, &aside) {
                    tracing::warn!("{}: {error}", aside.display());
                }
                Self::default()
            }
        }
    }

    /// Writes the file, complete or not at all.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let beside = path.with_extension("json.new");
        let mut file = File::create(&beside)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_put_aside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        assert!(Kept::read(&path).read.is_empty());
        fs::write(&path, "{\"queue\": 5").unwrap();
        assert!(Kept::read(&path).read.is_empty());
        assert!(!path.exists() && path.with_extension("json.damaged").exists());
        let kept = Kept { read: BTreeSet::from([hearsay_model::Passage::new("Odo sings.").id()]), ..Kept::default() };
        kept.write(&path).unwrap();
        assert_eq!(Kept::read(&path).read, kept.read);
    }
}
