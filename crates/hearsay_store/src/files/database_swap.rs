//! Replaces a damaged database with a repaired database. The program may be killed at any moment without loss of data.
//!
//! The new files are written to the folder `repairing` within the campaign directory. When the new files are complete,
//! the file `complete` is written to the same folder. The file `complete` contains the name of the directory for the
//! damaged files. If the program is killed before all files are moved, the next opening of the campaign moves the
//! remaining files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability};

use crate::StoreError;

/// Name of the folder within the campaign directory in which the new database is written.
pub(crate) const FOLDER: &str = "repairing";

/// Name of the file that marks the new files as complete. This file is written last and contains the name of the
/// directory for the damaged files.
const COMPLETE_MARKER: &str = "complete";

/// Files to move, in this order. The database is last, so that the new database is never combined with the old
/// acknowledged position.
const FILES: [&str; 3] = ["snapshot", "acknowledged", "db"];

fn file_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::File {
        action,
        path,
        advice: "check that the disk has free space and that you can write to the directory; then run `hearsay db \
                 repair` again",
        source,
    }
}

/// Creates a new directory for the damaged files. The new directory is next to the campaign directory and named
/// `<campaign>.damaged-<number>`.
pub(crate) fn create_directory_for_damaged(directory: &Path) -> Result<PathBuf, StoreError> {
    let name = directory.file_name().unwrap_or_default();
    let mut number = 0_u32;
    loop {
        number += 1;
        let mut name = name.to_owned();
        name.push(format!(".damaged-{number}"));
        let candidate = directory.with_file_name(name);
        match fs::create_dir(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(file_error("create", &candidate)(error)),
        }
    }
}

/// Deletes the folder [`FOLDER`] with its files.
pub(crate) fn delete_new_files(directory: &Path) -> Result<(), StoreError> {
    let folder = directory.join(FOLDER);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_error("delete", &folder)(error)),
        _ => Ok(()),
    }
}

/// Marks the new files as complete, then moves the damaged files away and the new files into the campaign directory.
pub(crate) fn swap(directory: &Path, damaged: &Path) -> Result<(), StoreError> {
    let marker = directory.join(FOLDER).join(COMPLETE_MARKER);
    let name = damaged.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let written = hearsay_files::replace(&marker, name.as_bytes(), Access::Default, Durability::Synced);
    let result = written.map_err(file_error("write", &marker)).and_then(|()| finish(directory).map(drop));
    // If no file was moved, the campaign is unchanged, so the repair can be cancelled.
    if result.is_err() && FILES.iter().all(|file| !damaged.join(file).exists()) {
        let _ = fs::remove_file(&marker);
    }
    result
}

/// Moves the files of a completed repair into the campaign directory. Returns whether there was a completed repair. The
/// caller must have locked the directory.
pub(crate) fn finish(directory: &Path) -> Result<bool, StoreError> {
    let folder = directory.join(FOLDER);
    let marker = folder.join(COMPLETE_MARKER);
    let name = match fs::read_to_string(&marker) {
        Ok(name) if !name.is_empty() => name,
        // The file was not written completely, so no file has been moved yet.
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(file_error("read", &marker)(error)),
    };
    let damaged = directory.with_file_name(Path::new(&name).file_name().unwrap_or_default());
    fs::create_dir_all(&damaged).map_err(file_error("create", &damaged))?;
    for file in FILES {
        let (new_path, current_path, damaged_path) = (folder.join(file), directory.join(file), damaged.join(file));
        if !new_path.exists() {
            continue;
        }
        if current_path.exists() {
            fs::rename(&current_path, &damaged_path)
                .map_err(file_error("move the damaged files from", &current_path))?;
        }
        fs::rename(&new_path, &current_path).map_err(file_error("move the new files to", &current_path))?;
    }
    // Syncs both directories, so that a power loss cannot undo the moves.
    for directory in [directory, &damaged] {
        let _ = hearsay_files::sync_directory(directory);
    }
    delete_new_files(directory)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    /// Creates a campaign directory with old files and the new files of a repair.
    fn directory(parent: &Path) -> PathBuf {
        let directory = parent.join("campaign");
        for (folder, word) in [(directory.clone(), "old"), (directory.join(FOLDER), "new")] {
            fs::create_dir_all(folder.join("db")).unwrap();
            fs::write(folder.join("db/table"), word).unwrap();
            fs::write(folder.join("acknowledged"), word).unwrap();
            fs::write(folder.join("snapshot"), word).unwrap();
        }
        fs::write(directory.join("terms"), "derived").unwrap();
        directory
    }

    fn expect_new(directory: &Path, damaged: &Path) {
        for file in ["db/table", "acknowledged", "snapshot"] {
            assert_eq!(content(&directory.join(file)).as_deref(), Some("new"), "{file}");
            assert_eq!(content(&damaged.join(file)).as_deref(), Some("old"), "{file}");
        }
        assert_eq!(content(&directory.join("terms")).as_deref(), Some("derived"));
        assert!(!directory.join(FOLDER).exists());
    }

    #[test]
    fn a_swap_that_was_stopped_after_any_step_is_finished() {
        for steps in 0..=2 * FILES.len() {
            let parent = tempfile::tempdir().unwrap();
            let directory = directory(parent.path());
            let damaged = create_directory_for_damaged(&directory).unwrap();
            fs::write(directory.join(FOLDER).join(COMPLETE_MARKER), "campaign.damaged-1").unwrap();
            for step in 0..steps {
                let file = FILES[step / 2];
                match step % 2 {
                    0 => fs::rename(directory.join(file), damaged.join(file)).unwrap(),
                    _ => fs::rename(directory.join(FOLDER).join(file), directory.join(file)).unwrap(),
                }
            }
            assert!(finish(&directory).unwrap(), "after {steps} steps");
            expect_new(&directory, &damaged);
            assert!(!finish(&directory).unwrap());
        }
    }

    #[test]
    fn what_is_not_complete_changes_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let directory = directory(parent.path());
        assert!(!finish(&directory).unwrap());
        fs::write(directory.join(FOLDER).join(COMPLETE_MARKER), "").unwrap();
        assert!(!finish(&directory).unwrap());
        assert_eq!(content(&directory.join("db/table")).as_deref(), Some("old"));
        delete_new_files(&directory).unwrap();
        assert!(!directory.join(FOLDER).exists() && directory.join("db").exists());
        // Each repair gets its own directory for the damaged files.
        let names = [1, 2].map(|_| create_directory_for_damaged(&directory).unwrap());
        assert_eq!(
            names.map(|path| path.file_name().unwrap().to_owned()),
            ["campaign.damaged-1", "campaign.damaged-2"]
        );
    }

    #[test]
    fn files_that_cannot_be_moved_away_leave_the_campaign_as_it_was() {
        let parent = tempfile::tempdir().unwrap();
        let directory = directory(parent.path());
        // A file at the path of the directory for the damaged files makes the swap fail.
        let damaged = parent.path().join("campaign.damaged-1");
        fs::write(&damaged, "").unwrap();
        assert!(swap(&directory, &damaged).is_err());
        assert!(!finish(&directory).unwrap());
        assert_eq!(content(&directory.join("db/table")).as_deref(), Some("old"));
        fs::remove_file(&damaged).unwrap();
        swap(&directory, &damaged).unwrap();
        expect_new(&directory, &damaged);
    }
}
