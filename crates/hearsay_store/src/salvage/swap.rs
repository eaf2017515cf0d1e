//! Putting a repaired database in the place of a damaged one, so that a program that is killed in between loses nothing.
//!
//! The new files are written to the folder `repairing` within the campaign's directory. When they are whole, a note in it says
//! where the damaged ones go. From then on every opening first moves what is not moved yet.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::StoreError;

/// The folder within a campaign's directory in which a new database is written.
pub(super) const FOLDER: &str = "repairing";

/// The note within it: the name of the directory for the damaged files. Written when everything else is.
const NOTE: &str = "complete";

/// What is moved: the database last, so that it never stands beside another's mark.
const FILES: [&str; 3] = ["snapshot", "acknowledged", "db"];

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::File {
        action,
        path,
        advice: "check that the disk has room and the directory can be written to, and run `hearsay db repair` again",
        source,
    }
}

/// A new directory beside a campaign's directory, named after it.
pub(super) fn directory_for_damaged(directory: &Path) -> Result<PathBuf, StoreError> {
    let name = directory.file_name().unwrap_or_default();
    let mut number = 0_u32;
    loop {
        number += 1;
        let mut name = name.to_owned();
        name.push(format!(".damaged-{number}"));
        let beside = directory.with_file_name(name);
        match fs::create_dir(&beside) {
            Ok(()) => return Ok(beside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed("make", &beside)(error)),
        }
    }
}

/// Deletes what an earlier repair left that was not complete.
pub(super) fn discard(directory: &Path) -> Result<(), StoreError> {
    let folder = directory.join(FOLDER);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("delete", &folder)(error)),
        _ => Ok(()),
    }
}

/// Notes that the new files are complete, and puts them in place.
pub(super) fn swap(directory: &Path, damaged: &Path) -> Result<(), StoreError> {
    let note = directory.join(FOLDER).join(NOTE);
    let name = damaged.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let written = File::create(&note).and_then(|mut file| {
        file.write_all(name.as_bytes())?;
        file.sync_all()
    });
    let result = written.map_err(failed("write", &note)).and_then(|()| finish(directory).map(drop));
    // As long as nothing is moved, the campaign is as it was.
    if result.is_err() && FILES.iter().all(|file| !damaged.join(file).exists()) {
        let _ = fs::remove_file(&note);
    }
    result
}

/// Puts the files of a complete repair in place, if there is one. Whoever calls it holds the directory. Returns whether
/// there was one.
pub(crate) fn finish(directory: &Path) -> Result<bool, StoreError> {
    let folder = directory.join(FOLDER);
    let note = folder.join(NOTE);
    let name = match fs::read_to_string(&note) {
        Ok(name) if !name.is_empty() => name,
        // A note without a name was being written: nothing is moved yet.
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed("read", &note)(error)),
    };
    let damaged = directory.with_file_name(Path::new(&name).file_name().unwrap_or_default());
    fs::create_dir_all(&damaged).map_err(failed("make", &damaged))?;
    for file in FILES {
        let (new, place, kept) = (folder.join(file), directory.join(file), damaged.join(file));
        if !new.exists() {
            continue;
        }
        if place.exists() {
            fs::rename(&place, &kept).map_err(failed("move away", &place))?;
        }
        fs::rename(&new, &place).map_err(failed("put in place", &place))?;
    }
    // A loss of power after this finds the files where they belong.
    for directory in [directory, &damaged] {
        if let Ok(directory) = File::open(directory) {
            let _ = directory.sync_all();
        }
    }
    discard(directory)?;
    Ok(true)
}
