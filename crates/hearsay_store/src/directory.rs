//! Directory of a campaign as files: finding damage and copying.

use std::path::Path;

use crate::{
    StoreError,
    kv::files::{self, FileDamage},
};

/// Checks the files that the engine would damage further if they are already damaged.
pub(crate) fn preflight(place: &str, directory: &Path) -> Result<(), StoreError> {
    let damage = files::preflight(directory).map_err(|source| StoreError::File {
        action: "read",
        path: directory.into(),
        advice: "check the disk, and that this user may read the directory",
        source,
    })?;
    describe(directory, &damage).map_or(Ok(()), |what| Err(StoreError::damaged(place, what)))
}

/// Adds the name of a damaged file to the error of an unusable database, if a file is damaged.
pub(crate) fn name_damaged_file(directory: &Path, error: StoreError) -> StoreError {
    let (place, what) = match &error {
        StoreError::Damaged { place, what, .. } => (place, what),
        StoreError::Database { place, reason, .. } => (place, reason),
        _ => return error,
    };
    match files::read(directory, |_| {}).ok().and_then(|found| describe(directory, &found.damage)) {
        Some(file) => StoreError::damaged(place, format!("{file} ({what})")),
        None => error,
    }
}

/// Describes the first damaged file and counts the others.
fn describe(directory: &Path, damage: &[FileDamage]) -> Option<String> {
    let (first, more) = damage.split_first()?;
    let name = first.file.strip_prefix(directory).unwrap_or(&first.file);
    let more = match more.len() {
        0 => String::new(),
        1 => "; 1 more is damaged".to_owned(),
        count => format!("; {count} more are damaged"),
    };
    Some(format!("the file db/{}: {}{more}", name.display(), first.what))
}

/// Copies the directory of a campaign to a new directory that only this user may read, so that the copy can be opened.
/// Use it for a directory that is not writable. If a program writes to the original during the copy, the copy may not
/// open.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or the target directory exists.
pub fn copy_to_read(directory: &Path, copy: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(copy)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, copy.join(entry.file_name()));
        // The lock files and the description of the lock holder belong to the original.
        let is_lock = ["owner", "owner.lock", "LOCK"].iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() {
            copy_to_read(&entry.path(), &to)?;
        } else if kind.is_file() && !is_lock {
            std::io::copy(&mut std::fs::File::open(entry.path())?, &mut std::fs::File::create_new(to)?)?;
        }
    }
    Ok(())
}
