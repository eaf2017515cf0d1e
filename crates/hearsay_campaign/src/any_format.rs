//! Reads campaigns in any format.

use std::path::Path;

use hearsay_model::ExternalId;

use crate::{
    Campaign, CampaignErrors, Folder, Format, Limits, ReadOptions,
    lossless::Records,
    native::{may_be_native, read},
};

/// Reads a campaign in any format from a folder, a file or a zip archive. If the options name no format, detects the
/// format.
///
/// Hearsay's own format is strict: any mistake is an error. In other formats, the function reads all readable data, and
/// [`Campaign::findings`] lists the data that was not read.
///
/// # Errors
/// Returns an error if no data is readable, or if the format is unknown. Without the feature `import`, also returns an
/// error for files of other tools and for archives.
pub fn read_any(path: &Path, options: &ReadOptions, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    let Some(records) = Records::read(path, limits)? else { return read_pages(path, options, limits) };
    let mut options = options.clone();
    // The format is not detected from the pages, because all pages of an export can be empty.
    let written_format = if path.join("campaign.yaml").is_file() { Format::Native } else { Format::Markdown };
    options.format = options.format.or(Some(written_format));
    options
        .known_entities
        .extend(records.ids.iter().map(|id| (ExternalId { system: "id".to_owned(), id: id.to_string() }, id.clone())));
    let mut campaign = read_pages(path, &options, limits)?;
    // A vault that was exported from a campaign gets its own source name. It does not replace the campaign's own files.
    if campaign.findings.format.is_some() && records.campaign_id() == Some(campaign.source()) {
        options.name = Some(format!("{} vault", campaign.source()));
        campaign = read_pages(path, &options, limits)?;
    }
    records.merge_into(&mut campaign);
    Ok(campaign)
}

/// Reads the files of a campaign, except the exact records of an export.
fn read_pages(path: &Path, options: &ReadOptions, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    if options.format == Some(Format::Native) {
        return read(path, limits);
    }
    let folder = Folder::open(path, limits)?;
    read_detected(path, &folder, options, limits)
}

/// Reads files whose format is known or detected. Without the feature `import`, only files in Hearsay's own format are
/// read.
fn read_detected(
    path: &Path,
    folder: &Folder,
    options: &ReadOptions,
    limits: &Limits,
) -> Result<Campaign, CampaignErrors> {
    #[cfg(feature = "import")]
    {
        let cancelled = || CampaignErrors::in_file(folder.name(), crate::cancel::CANCELLED, "");
        match crate::import::read_notes(folder, options) {
            Ok(Some(_)) if limits.cancel.is_cancelled() => Err(cancelled()),
            Ok(Some(notes)) => {
                crate::import::assemble_cancellable(notes, options, &limits.cancel).ok_or_else(cancelled)
            }
            Ok(None) => read(path, limits),
            Err(_) if options.format.is_none() && may_be_native(folder) => read(path, limits),
            Err(errors) => Err(errors),
        }
    }
    #[cfg(not(feature = "import"))]
    {
        let needs_import =
            |message: String| CampaignErrors::in_file(folder.name(), message, crate::error::NEEDS_IMPORT);
        if let Some(format) = options.format {
            return Err(needs_import(format!("this program does not read the format {format}")));
        }
        if !may_be_native(folder) {
            return Err(needs_import("the folder has no campaign in Hearsay's own format (YAML)".to_owned()));
        }
        read(path, limits).map_err(|mut errors| {
            if !crate::native::is_native(folder) {
                errors.errors.extend(needs_import("the files may have the format of another tool".to_owned()).errors);
            }
            errors
        })
    }
}
