//! Reads the content of folders. The functions of this module run on a background thread.

use std::{fs, path::Path};

use super::model::{EntryModel, FolderModel};

/// Maximum number of listed entries.
const MAX_ENTRIES: usize = 500;

/// Extensions of files that can be imported.
const IMPORTABLE_EXTENSIONS: [&str; 9] = ["yaml", "yml", "jsonl", "json", "md", "html", "txt", "csv", "zip"];

impl FolderModel {
    /// Reads a folder. If the path is a file, reads the folder of this file.
    pub fn load(path: &Path) -> Self {
        let path = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        let path = match path.as_os_str().is_empty() {
            true => std::env::current_dir().unwrap_or_default(),
            false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        };
        let mut folder = Self { parent: path.parent().map(Path::to_owned), path: path.clone(), ..Self::default() };
        let dir_entries = match fs::read_dir(&path) {
            Ok(dir_entries) => dir_entries,
            Err(error) => {
                folder.error = Some(format!("{}: {error}", path.display()));
                return folder;
            }
        };
        let entries = dir_entries.filter_map(Result::ok).filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = fs::metadata(entry.path()).ok()?;
            let extension = Path::new(&name).extension().map(|extension| extension.to_string_lossy().to_lowercase());
            let is_importable =
                kind.is_dir() || extension.is_some_and(|extension| IMPORTABLE_EXTENSIONS.contains(&extension.as_str()));
            (is_importable && !name.starts_with('.')).then(|| EntryModel {
                path: entry.path(),
                folder: kind.is_dir(),
                name,
            })
        });
        folder.entries = entries.collect();
        folder.entries.sort_by_cached_key(|entry| (!entry.folder, entry.name.to_lowercase(), entry.name.clone()));
        folder.importable = folder.entries.iter().any(|entry| !entry.folder);
        folder.more = folder.entries.len().saturating_sub(MAX_ENTRIES);
        folder.entries.truncate(MAX_ENTRIES);
        folder
    }
}
