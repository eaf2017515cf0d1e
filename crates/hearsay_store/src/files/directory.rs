//! Checks, copies and deletes the files in a campaign directory.

use std::path::Path;

use super::lock::Lock;
use crate::{
    StoreError,
    engine::raw_files::{self, FileDamage},
};

/// Returns an error if the files have damage that the engine would make worse.
pub(crate) fn preflight(place: &str, directory: &Path) -> Result<(), StoreError> {
    let damage = raw_files::preflight(directory).map_err(|source| StoreError::File {
        action: "read",
        path: directory.into(),
        advice: "check the disk and the permissions of the directory",
        source,
    })?;
    describe_damage(directory, &damage).map_or(Ok(()), |description| Err(StoreError::damaged(place, description)))
}

/// Part of the engine's error text if the sequence number in the manifest is not the highest sequence number of the
/// tables. Only the engine finds this damage, because reading the files does not need the number.
const WRONG_SEQUENCE_NUMBER: &str = "last_sequence mismatch";

/// If a file is damaged, adds its name to an error of the database.
pub(crate) fn name_damaged_file(directory: &Path, error: StoreError) -> StoreError {
    let (place, description) = match &error {
        StoreError::Damaged { place, description, .. } => (place, description),
        StoreError::Database { place, reason, .. } => (place, reason),
        _ => return error,
    };
    let mut damage = raw_files::read(directory, |_| {}).map_or_else(|_| Vec::new(), |scan| scan.damage);
    if damage.is_empty() && description.contains(WRONG_SEQUENCE_NUMBER) {
        let description = "its sequence number does not match the tables".to_owned();
        damage.push(FileDamage { file: raw_files::manifest_path(directory), description });
    }
    match describe_damage(directory, &damage) {
        Some(damage) => StoreError::damaged(place, format!("{damage} ({description})")),
        None => error,
    }
}

/// Describes the first damaged file, and says how many other files are damaged.
fn describe_damage(directory: &Path, damage: &[FileDamage]) -> Option<String> {
    let (first, others) = damage.split_first()?;
    let name = first.file.strip_prefix(directory).unwrap_or(&first.file);
    let suffix = match others.len() {
        0 => String::new(),
        1 => "; 1 more file is damaged".to_owned(),
        count => format!("; {count} more files are damaged"),
    };
    Some(format!("the file db/{}: {}{suffix}", name.display(), first.description))
}

/// Copies a campaign directory to a new directory that only this user can read. To open a campaign whose directory is
/// not writable, open the copy. If a program writes to the original directory at the same time, the copy may be
/// unusable.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or if the target directory already exists.
pub fn copy_for_reading(directory: &Path, copy: &Path) -> std::io::Result<()> {
    if copy.exists() {
        return Err(std::io::ErrorKind::AlreadyExists.into());
    }
    hearsay_files::create_private_directory(copy)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, copy.join(entry.file_name()));
        // Does not copy the lock files, nor the files that describe the lock holder.
        let is_lock =
            ["owner", "owner.lock", "server", "sharing", "LOCK"].iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() {
            copy_for_reading(&entry.path(), &to)?;
        } else if kind.is_file() && !is_lock {
            std::io::copy(&mut std::fs::File::open(entry.path())?, &mut std::fs::File::create_new(to)?)?;
        }
    }
    Ok(())
}

/// Deletes a campaign directory, for example after a restore into this directory failed. Does nothing if the directory
/// does not exist.
///
/// # Errors
/// Returns an error if another process has the directory open, or if the directory cannot be deleted.
pub fn delete_campaign_directory(directory: &Path) -> Result<(), StoreError> {
    if !directory.exists() {
        return Ok(());
    }
    let lock = Lock::acquire(directory, false)?;
    // Releases the lock first, because Windows cannot delete an open file. No other process locks the directory before
    // it is deleted, because no other process knows its path.
    drop(lock);
    std::fs::remove_dir_all(directory).map_err(|source| StoreError::File {
        action: "delete",
        path: directory.into(),
        advice: "delete this directory by hand",
        source,
    })
}
