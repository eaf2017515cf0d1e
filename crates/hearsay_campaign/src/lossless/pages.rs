//! Writes the pages and records of an export.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::{self, Write},
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability, Replacement};
use hearsay_model::{Key, State};
use serde::Deserialize;

use super::line::{FORMAT, Line, RECORDS, line_hash, page_subject};
use crate::{Limits, export_jsonl, regular_file};

/// Returns whether an export wrote this folder, even if the export was interrupted. Another export is allowed to
/// replace such a folder.
pub fn is_export_folder(folder: &Path) -> bool {
    let records = folder.join(RECORDS);
    records.is_file() || hearsay_files::temporary_path(&records).is_file()
}

/// The pages of an export, and the records that each of their lines represents.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: BTreeMap<String, String>,
    keys_by_line: BTreeMap<String, BTreeSet<Key>>,
}

impl Pages {
    /// Adds a line to a page. `page_id` is the id of the entity or session that the page describes. The page id
    /// distinguishes equal lines on different pages.
    pub(crate) fn add_line(&mut self, path: &str, page_id: &str, line: &str, keys: impl IntoIterator<Item = Key>) {
        let page = self.pages.entry(path.to_owned()).or_default();
        page.push_str(line);
        page.push('\n');
        if !line.trim().is_empty() {
            self.keys_by_line.entry(line_hash(page_id, line)).or_default().extend(keys);
        }
    }

    /// Removes lines from a page. Line numbers count from 1.
    pub(crate) fn remove_lines(&mut self, path: &str, lines: &BTreeSet<u32>) {
        if let Some(page) = self.pages.get_mut(path) {
            let remaining_lines = (1..).zip(page.lines()).filter(|(number, _)| !lines.contains(number));
            *page = remaining_lines.map(|(_, line)| format!("{line}\n")).collect();
        }
    }

    pub(crate) fn page(&self, path: &str) -> &str {
        self.pages.get(path).map_or("", String::as_str)
    }

    /// Writes the pages and the records of a state into a folder. Removes pages of an earlier export that are no longer
    /// needed, and unfinished files of an interrupted export.
    pub(crate) fn write(&self, state: &State, folder: &Path) -> io::Result<()> {
        hearsay_files::create_private_directory(folder)?;
        let (records, root) = (folder.join(RECORDS), folder.canonicalize()?);
        let temporary = hearsay_files::temporary_path(&records);
        for page in earlier_pages(&records).into_iter().chain(earlier_pages(&temporary)) {
            let Some(page) = within_folder(&root, &page) else { continue };
            hearsay_files::remove(&hearsay_files::temporary_path(&page))?;
            if page.strip_prefix(&root).is_ok_and(|path| !self.contains(path)) {
                hearsay_files::remove(&page)?;
            }
        }
        // The records are written first, so that the pages of an interrupted export can be recognized.
        let bytes = self.serialize_records(state)?;
        let mut replacement = Replacement::create(records, Access::Private)?;
        replacement.file().write_all(&bytes)?;
        for (path, page) in &self.pages {
            if let Some(parent) = root.join(path).parent() {
                hearsay_files::create_private_directory(parent)?;
            }
            let page_path = within_folder(&root, path)
                .ok_or_else(|| io::Error::other(format!("{path}: a symbolic link points outside the folder")))?;
            hearsay_files::replace(&page_path, page.as_bytes(), Access::Private, Durability::Deferred)?;
        }
        // The records file gets its final name last, so an export with this name is complete.
        replacement.commit(Durability::Deferred).map(drop)
    }

    fn contains(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        self.pages.contains_key(&parts.join("/"))
    }

    fn serialize_records(&self, state: &State) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut write_line = |line: &Line| -> io::Result<()> {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.write_all(b"\n")
        };
        write_line(&Line::HearsayRecords { format: FORMAT })?;
        let present_hashes: HashSet<String> = self.line_hashes().collect();
        for (hash, keys) in self.keys_by_line.iter().filter(|(hash, _)| present_hashes.contains(*hash)) {
            write_line(&Line::Written { hash: hash.clone(), keys: keys.iter().cloned().collect() })?;
        }
        for path in self.pages.keys() {
            bytes.extend_from_slice(format!("{{\"type\":\"page\",\"path\":{}}}\n", serde_json::json!(path)).as_bytes());
        }
        export_jsonl(state, &mut bytes)?;
        Ok(bytes)
    }

    fn line_hashes(&self) -> impl Iterator<Item = String> {
        self.pages.values().flat_map(|page| {
            let page_id = page_subject(page);
            page.lines().map(move |line| line_hash(&page_id, line)).collect::<Vec<_>>()
        })
    }
}

/// Returns the pages that a records file lists.
fn earlier_pages(records: &Path) -> Vec<String> {
    #[derive(Deserialize)]
    struct Page {
        r#type: String,
        path: String,
    }
    let Ok(text) = regular_file::read_file(records, Limits::default().total_bytes) else { return Vec::new() };
    // The records file of an interrupted export may end within a character.
    let text = String::from_utf8_lossy(&text);
    let pages = text.lines().filter(|line| line.starts_with("{\"type\":\"page\""));
    let pages = pages.filter_map(|line| serde_json::from_str::<Page>(line).ok());
    pages.filter(|page| page.r#type == "page").map(|page| page.path).collect()
}

/// Returns the full path of a page of an export, or `None` if the page is not within the folder. A link that points
/// outside the folder is not followed.
fn within_folder(root: &Path, path: &str) -> Option<PathBuf> {
    let is_page = [".md", ".yaml"].iter().any(|extension| path.ends_with(extension));
    let is_safe = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    if !is_page || !path.split('/').all(is_safe) {
        return None;
    }
    let path = root.join(path);
    path.parent()?.canonicalize().ok().filter(|parent| parent.starts_with(root))?;
    Some(path)
}
