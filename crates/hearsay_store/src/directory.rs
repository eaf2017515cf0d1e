//! A campaign's directory as files: what is damaged in it, and a copy of it.

use std::path::Path;

use crate::{
    StoreError,
    kv::files::{self, FileDamage},
};

/// Looks at files that the engine would make worse if they are damaged.
pub(crate) fn preflight(place: &str, directory: &Path) -> Result<(), StoreError> {
    let damage = files::preflight(directory).map_err(|source| StoreError::File {
        action: "read",
        path: directory.into(),
        advice: "check the disk, and that this user may read the directory",
        source,
    })?;
    describe(directory, &damage).map_or(Ok(()), |what| Err(StoreError::damaged(place, what)))
}

/// Says of a database that cannot be used which file is damaged, if one is.
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

/// Names the first of some damaged files.
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

/// Copies a campaign's directory to one that nobody else may read, to open it there. For a directory that cannot be written
/// to; if a program writes to it meanwhile, the copy may not open.
///
/// # Errors
/// When something cannot be read or written, or the copy's directory is there already.
pub fn copy_to_read(directory: &Path, copy: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(copy)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, copy.join(entry.file_name()));
        // Locks, and the note of who holds them, stay with the original.
        let is_lock = ["owner", "owner.lock", "LOCK"].iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() {
            copy_to_read(&entry.path(), &to)?;
        } else if kind.is_file() && !is_lock {
            std::io::copy(&mut std::fs::File::open(entry.path())?, &mut std::fs::File::create_new(to)?)?;
        }
    }
    Ok(())
}
