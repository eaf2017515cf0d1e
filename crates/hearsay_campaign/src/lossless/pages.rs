//! Writes the pages and records of an export.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io::{self, Write},
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability, Replacement};
use hearsay_model::{Key, State};

use super::line::{FORMAT, Line, PAGE_LINE, RECORDS, line_hash, page_hash, page_subject};
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
        for (page, _) in EarlierExport::read_all(folder).into_iter().flat_map(|earlier| earlier.pages) {
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

    /// Returns the paths of the files that [`write`](Self::write) would replace or remove, although no earlier export
    /// wrote their content. A person has edited or added these files.
    pub(crate) fn edited_files(&self, folder: &Path) -> Vec<String> {
        let Ok(root) = folder.canonicalize() else { return Vec::new() };
        let earlier = EarlierExport::read_all(folder);
        let written: HashSet<&(String, String)> = earlier.iter().flat_map(|earlier| &earlier.pages).collect();
        let earlier_paths = written.iter().map(|(path, _)| path);
        let paths: BTreeSet<&String> = self.pages.keys().chain(earlier_paths).collect();
        let is_edited = |path: &&&String| {
            let Some(file) = within_folder(&root, path) else { return false };
            match regular_file::read_file(&file, Limits::default().total_bytes) {
                Ok(bytes) => {
                    let is_new_content = self.pages.get(**path).is_some_and(|page| page.as_bytes() == bytes);
                    !is_new_content && !written.contains(&((**path).clone(), page_hash(&bytes)))
                }
                Err(error) => error.kind() != io::ErrorKind::NotFound,
            }
        };
        paths.iter().filter(is_edited).map(|path| (*path).clone()).collect()
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
        write_line(&Line::HearsayRecords { format: FORMAT, campaign: campaign_id(state).map(str::to_owned) })?;
        let present_hashes: HashSet<String> = self.line_hashes().collect();
        for (hash, keys) in self.keys_by_line.iter().filter(|(hash, _)| present_hashes.contains(*hash)) {
            write_line(&Line::Written { hash: hash.clone(), keys: keys.iter().cloned().collect() })?;
        }
        for (path, page) in &self.pages {
            write_line(&Line::Page { path: path.clone(), hash: page_hash(page.as_bytes()) })?;
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

/// Returns the id of the campaign of a state; `None` if the campaign has no id.
fn campaign_id(state: &State) -> Option<&str> {
    state.campaign().map(|info| info.id.as_str()).filter(|id| !id.is_empty())
}

/// Returns the id of another campaign whose export is in the folder. The id is empty if the other campaign has no id.
/// Returns `None` if the folder has no export of another campaign.
pub(crate) fn other_campaign(state: &State, folder: &Path) -> Option<String> {
    let mut earlier = EarlierExport::read_all(folder).into_iter().map(|earlier| earlier.campaign);
    earlier.find(|campaign| campaign.as_deref() != campaign_id(state)).map(Option::unwrap_or_default)
}

/// The content of the records file of an earlier export.
#[derive(Debug)]
struct EarlierExport {
    /// The id of the exported campaign; `None` if the campaign has no id.
    campaign: Option<String>,
    /// The path of each page, and the hash of its bytes.
    pages: Vec<(String, String)>,
}

impl EarlierExport {
    /// Reads the earlier export in a folder, and an export that was interrupted.
    fn read_all(folder: &Path) -> Vec<Self> {
        let records = folder.join(RECORDS);
        let temporary = hearsay_files::temporary_path(&records);
        [records, temporary].iter().filter_map(|records| Self::read(records)).collect()
    }

    /// Reads a records file. Returns `None` if the file does not exist, is empty or cannot be read.
    fn read(records: &Path) -> Option<Self> {
        let text = regular_file::read_file(records, Limits::default().total_bytes).ok()?;
        // The records file of an interrupted export may end within a character.
        let text = String::from_utf8_lossy(&text);
        let campaign = match serde_json::from_str(text.lines().next()?) {
            Ok(Line::HearsayRecords { campaign, .. }) => campaign,
            _ => None,
        };
        let lines = text.lines().filter(|line| line.starts_with(PAGE_LINE));
        let pages = lines.filter_map(|line| match serde_json::from_str(line) {
            Ok(Line::Page { path, hash }) => Some((path, hash)),
            _ => None,
        });
        Some(Self { campaign, pages: pages.collect() })
    }
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
