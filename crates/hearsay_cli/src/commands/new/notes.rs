//! Reads the notes for `new --from`: a file, or all pages of a folder, joined into one page.

use std::path::Path;

use anyhow::Result;
use hearsay_campaign::{
    Folder, FolderEntry, Limits,
    import::{FileId, SourceText},
    read_file,
};
use hearsay_model::{slug, words::upper_first};

use super::draft::clean;
use crate::output::{CliError, FILE_ERROR};

/// Maximum size of the notes, in bytes.
const MAX_BYTES: u64 = 256 << 10;

/// Extensions of files with notes. Files with the first two extensions are Markdown.
const EXTENSIONS: [&str; 3] = ["md", "markdown", "txt"];

/// Notes as one page.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) text: String,
    /// Content of the copy of the page in the campaign directory.
    pub(super) bytes: Vec<u8>,
    /// Name of the copy.
    pub(super) copy_name: &'static str,
    /// Whether the page consists of the files of a folder.
    pub(super) is_joined: bool,
    /// Files of the folder with front matter. Such a file describes one entity, and `import` reads it.
    pub(super) left_to_import: Vec<String>,
}

/// Reads a page of notes, or a folder with pages. `title` is the title of the joined page if the first page of the folder
/// has no title.
pub(super) fn read(path: &Path, title: &str) -> Result<Notes> {
    if path.is_dir() { read_folder(path, title) } else { read_page(path) }
}

fn read_page(file: &Path) -> Result<Notes> {
    let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ["yaml", "yml", "json", "jsonl", "zip", "csv"].contains(&extension.as_str()) {
        return Err(error(file, "this is not a page of notes").into());
    }
    let bytes = read_file(file, MAX_BYTES).map_err(|reason| error(file, &format!("cannot be read: {reason}")))?;
    let text = SourceText::decode(FileId::default(), bytes.clone()).map_err(|reason| error(file, &reason))?.content;
    if !has_text(&text) {
        return Err(error(file, "the file has no text").into());
    }
    let is_markdown = EXTENSIONS[..2].contains(&extension.as_str());
    let copy_name = if is_markdown { "notes.md" } else { "notes.txt" };
    Ok(Notes { text, bytes, copy_name, is_joined: false, left_to_import: Vec::new() })
}

/// Joins the files of a folder, in the order of their names. Each file begins with a heading.
fn read_folder(path: &Path, title: &str) -> Result<Notes> {
    let folder = Folder::open(path, &Limits::default()).map_err(|errors| error(path, &errors.to_string()))?;
    let (mut page, mut left_to_import) = (String::new(), Vec::new());
    for entry in folder.files().filter(|entry| entry.has_extension(&EXTENSIONS)) {
        let file = path.join(&entry.path);
        let bytes = folder.read(entry).map_err(|reason| error(&file, &reason))?;
        let text = SourceText::decode(FileId::default(), bytes).map_err(|reason| error(&file, &reason))?.content;
        if text.lines().next().is_some_and(|line| line.trim_end() == "---") {
            left_to_import.push(entry.path.clone());
        } else if has_text(&text) {
            add_file(&mut page, entry, &text, title);
        }
        if page.len() as u64 > MAX_BYTES {
            let reason = format!("the notes have more than {} KiB; split the folder", MAX_BYTES >> 10);
            return Err(error(path, &reason).into());
        }
    }
    if page.is_empty() {
        let reason = if left_to_import.is_empty() {
            "the folder contains no notes"
        } else {
            "all notes in the folder have front matter, so each describes one entity; create a campaign without --from, \
             and import the folder"
        };
        return Err(error(path, reason).into());
    }
    Ok(Notes { bytes: page.clone().into_bytes(), text: page, copy_name: "notes.md", is_joined: true, left_to_import })
}

/// Adds a file to the joined page. The page begins with a title, and each file begins with a heading, so that the text of
/// a file never continues the last section of the file before.
fn add_file(page: &mut String, entry: &FolderEntry, text: &str, title: &str) {
    let heading = heading(entry.stem());
    let mut headings = Vec::new();
    // The title of a file with the same name, such as `Jory Tan`, is an entity.
    let is_title = |title: &String| slug(title) != slug(&heading);
    if page.is_empty() && super::page::title(text).filter(is_title).is_none() {
        headings.push(title);
    }
    if !text.trim_start().starts_with('#') {
        headings.push(&heading);
    }
    let before = if page.is_empty() { "" } else { "\n" };
    page.push_str(before);
    headings.into_iter().for_each(|heading| page.extend(["# ", heading, "\n\n"]));
    page.push_str(text.trim_end());
    page.push('\n');
}

/// Makes a heading of the name of a file: `02-house_rules` becomes `House rules`.
fn heading(stem: &str) -> String {
    let name = stem.trim_start_matches(|c: char| c.is_ascii_digit() || "-_. ".contains(c));
    let name = if name.is_empty() { stem } else { name };
    match name.chars().any(char::is_uppercase) {
        true => clean(name),
        false => upper_first(&clean(&name.replace(['-', '_'], " "))),
    }
}

fn has_text(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn error(path: &Path, reason: &str) -> CliError {
    let path = path.display();
    let message = format!(
        "{path}: {reason}; --from needs a file of plain text or Markdown, or a folder with such files; `hearsay import` \
         reads other formats, and folders with one note for each entity"
    );
    CliError::new(FILE_ERROR, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_headings() {
        for (stem, expected) in
            [("people", "People"), ("02-house_rules", "House rules"), ("Jory Tan", "Jory Tan"), ("1482", "1482")]
        {
            assert_eq!(heading(stem), expected);
        }
    }
}
