//! Entry points for all formats.

use std::path::Path;

use super::{Folder, Format, NoteReader, Notes, Options, READERS, assemble::assemble_until, markdown, note::Role};
use hearsay_model::ExternalId;

use crate::{Campaign, CampaignError, CampaignErrors, Limits, exact::Records, files::CANCELLED};

/// Reads a campaign in any format: a folder, a file, or a zip archive. Detects the format unless the options name it.
///
/// Hearsay's own format is strict: any mistake is an error. In other formats everything readable is read, and
/// [`Campaign::findings`] lists the rest.
///
/// # Errors
/// If nothing is readable, or the format is unknown.
pub fn read_any(path: &Path, options: &Options, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    let Some(records) = Records::of(path, limits)? else { return read_pages(path, options, limits) };
    let mut options = options.clone();
    // An export keeps its format even if it is empty.
    let written = if path.join("campaign.yaml").is_file() { Format::Native } else { Format::Markdown };
    options.format = options.format.or(Some(written));
    options
        .known
        .extend(records.ids.iter().map(|id| (ExternalId { system: "id".to_owned(), id: id.to_string() }, id.clone())));
    let mut campaign = read_pages(path, &options, limits)?;
    // The vault of a campaign is a separate source beside the campaign's files.
    if campaign.findings.format.is_some() && records.campaign() == Some(campaign.source()) {
        options.name = Some(format!("{} vault", campaign.source()));
        campaign = read_pages(path, &options, limits)?;
    }
    records.over(&mut campaign);
    Ok(campaign)
}

/// Reads the human-readable files.
fn read_pages(path: &Path, options: &Options, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    if options.format == Some(Format::Native) {
        return crate::read(path, limits);
    }
    let folder = Folder::open(path, limits)?;
    let notes = match read_notes(&folder, options) {
        Ok(notes) => notes,
        // Files in an unknown format may be intended for Hearsay's own, whose errors describe the expected input.
        Err(_) if options.format.is_none() && may_be_native(&folder) => return crate::read(path, limits),
        Err(errors) => return Err(errors),
    };
    match notes {
        Some(_) if limits.cancel.is_cancelled() => Err(cancelled(&folder)),
        Some(notes) => match assemble_until(notes, options, &limits.cancel) {
            Some(campaign) => Ok(campaign),
            None => Err(cancelled(&folder)),
        },
        None => crate::read(path, limits),
    }
}

/// Reads the files into notes, without building a campaign. Returns `None` for Hearsay's own format.
///
/// # Errors
/// If no reader matches.
pub fn read_notes(folder: &Folder, options: &Options) -> Result<Option<Notes>, CampaignErrors> {
    if options.format == Some(Format::Native) || options.format.is_none() && is_native(folder) {
        return Ok(None);
    }
    let reader = match options.format {
        Some(format) => READERS.iter().find(|reader| reader.format() == format),
        None => best(folder),
    };
    let Some(reader) = reader else { return Err(no_reader(folder, options)) };
    let mut notes = Notes { name: folder.name().to_owned(), format: Some(reader.format()), ..Notes::default() };
    notes.skipped.extend_from_slice(folder.skipped());
    reader.read(folder, options, &mut notes);
    if reader.format() != Format::Markdown {
        notes.notes.iter_mut().filter(|note| note.role == Role::Entity).for_each(markdown::relate);
    }
    Ok(Some(notes))
}

/// Returns the reader with the highest score, or the first of several.
fn best(folder: &Folder) -> Option<&'static &'static dyn NoteReader> {
    let mut best = None;
    for reader in READERS {
        if let Some(score) = reader.detect(folder)
            && best.is_none_or(|(held, _)| score > held)
        {
            best = Some((score, reader));
        }
    }
    best.map(|(_, reader)| reader)
}

/// Whether a YAML file near the top contains `campaign:` with Hearsay's keys: `format: 1`, or entities with `kind`.
fn is_native(folder: &Folder) -> bool {
    let yaml = folder.files().filter(|entry| entry.has_extension(&["yaml", "yml"])).take(64);
    let heads: Vec<String> =
        yaml.map(|entry| String::from_utf8_lossy(&folder.head(entry, 16 << 10)).into_owned()).collect();
    let line = |start: &str| heads.iter().any(|head| head.lines().any(|line| line.starts_with(start)));
    let with_kind = heads
        .iter()
        .any(|head| head.lines().any(|line| line.trim_start().starts_with("kind:") || line.contains(", kind:")));
    line("campaign:") && (line("format: 1") || with_kind || line("calendar:") || line("audience:") || line("rumours:"))
}

fn may_be_native(folder: &Folder) -> bool {
    folder.files().any(|entry| entry.has_extension(&["yaml", "yml"]))
}

fn cancelled(folder: &Folder) -> CampaignErrors {
    fault(folder, CANCELLED.to_owned(), String::new())
}

fn fault(folder: &Folder, message: String, hint: String) -> CampaignErrors {
    let error = CampaignError { file: folder.name().to_owned(), line: 0, field: String::new(), message, hint };
    CampaignErrors { errors: vec![error], more: 0 }
}

fn no_reader(folder: &Folder, options: &Options) -> CampaignErrors {
    let message = match options.format {
        Some(format) => format!("there is no reader for {format} yet"),
        None => "the files are in no format that is known".to_owned(),
    };
    let names: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
    fault(folder, message, format!("name the format: one of {}", names.join(", ")))
}
