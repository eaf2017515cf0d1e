//! Exports over an earlier export in the same folder.

use std::{io, path::Path};

use hearsay_model::{EngineSetting, Setting, State, words::join_first_names};

use crate::{
    Limits, ReadOptions,
    lossless::{Pages, other_campaign},
    read_any,
};

/// The files of an earlier export that a new export may overwrite or remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Only files of the same campaign without changes by a person. Changed files are overwritten too if their changes
    /// were imported into the campaign.
    Unedited,
    /// All files that the earlier export wrote, and all files that the new export writes.
    All,
}

/// Maximum number of files that an error lists.
const MAX_LISTED_FILES: usize = 8;

/// Writes the pages of an export into a folder. If an edited file would be lost, returns an error and writes nothing.
pub(super) fn write_pages(pages: &Pages, state: &State, folder: &Path, overwrite: Overwrite) -> io::Result<()> {
    if overwrite == Overwrite::Unedited {
        check_folder(pages, state, folder)?;
    }
    pages.write(state, folder)
}

fn check_folder(pages: &Pages, state: &State, folder: &Path) -> io::Result<()> {
    let refuse = |message: String| Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    if let Some(other) = other_campaign(state, folder) {
        let other = if other.is_empty() { String::new() } else { format!(", `{other}`") };
        return refuse(format!(
            "the folder contains the export of another campaign{other}; pass an empty folder, or pass --force to \
             overwrite this export"
        ));
    }
    let files = pages.edited_files(folder);
    if files.is_empty() || is_imported(state, folder) {
        return Ok(());
    }
    let listed = join_first_names(&files, MAX_LISTED_FILES);
    refuse(format!(
        "the export would overwrite changes that were not imported, in these files: {listed}; first import the folder, \
         or pass --force to overwrite the changes"
    ))
}

/// Returns whether the files in a folder are the files that the last import from this source read.
fn is_imported(state: &State, folder: &Path) -> bool {
    let Ok(campaign) = read_any(folder, &ReadOptions::default(), &Limits::default()) else { return false };
    let digest = campaign.digest();
    state.settings().any(|setting| match &**setting {
        Setting::Engine(EngineSetting::Imported { digest: last, .. }) => last == digest,
        _ => false,
    })
}
