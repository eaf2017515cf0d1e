//! Selects the reader for a folder, and reads the files of the folder.

use super::{
    NoteReader, Notes, Role,
    formats::{self, READERS},
};
use crate::{CampaignErrors, Folder, Format, ReadOptions, native::is_native};

/// Reads the files of a folder into notes, without building a campaign. Returns `None` if the files are in Hearsay's
/// own format.
///
/// # Errors
/// Returns an error if no reader recognizes the files, or if there is no reader for the format in `options`.
pub fn read_notes(folder: &Folder, options: &ReadOptions) -> Result<Option<Notes>, CampaignErrors> {
    if options.format == Some(Format::Native) || options.format.is_none() && is_native(folder) {
        return Ok(None);
    }
    let reader = match options.format {
        Some(format) => READERS.iter().find(|reader| reader.format() == format),
        None => best_reader(folder),
    };
    let Some(reader) = reader else { return Err(no_reader_error(folder, options)) };
    let mut notes = Notes { name: folder.name().to_owned(), format: Some(reader.format()), ..Notes::default() };
    notes.skipped.extend_from_slice(folder.skipped());
    reader.read(folder, options, &mut notes);
    if reader.format() != Format::Markdown {
        notes.notes.iter_mut().filter(|note| note.role == Role::Entity).for_each(formats::add_text_relations);
    }
    Ok(Some(notes))
}

/// Returns the reader with the highest score. Among equal scores, returns the first reader.
fn best_reader(folder: &Folder) -> Option<&'static &'static dyn NoteReader> {
    let mut best = None;
    for reader in READERS {
        if let Some(score) = reader.detect(folder)
            && best.is_none_or(|(best_score, _)| score > best_score)
        {
            best = Some((score, reader));
        }
    }
    best.map(|(_, reader)| reader)
}

fn no_reader_error(folder: &Folder, options: &ReadOptions) -> CampaignErrors {
    let message = match options.format {
        Some(format) => format!("these files cannot be read as {format}"),
        None => "the format of the files is unknown".to_owned(),
    };
    let names: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
    CampaignErrors::in_file(folder.name(), message, format!("name the format: one of {}", names.join(", ")))
}
