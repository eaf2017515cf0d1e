//! `export`: writes the campaign in other formats.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hearsay_belief::player_characters;
use hearsay_campaign::{Handbook, HandbookChanges, HandbookFormat, HandbookReaders, HandbookRequest, Overwrite};
use hearsay_engine::{Memory, MemoryError};
use hearsay_files::Durability;
use hearsay_model::{EntityId, State};
use serde_json::json;

use super::new::is_vacant;
use crate::{
    args::{self, ExportFormat},
    campaign, interrupt,
    names::Names,
    output::{CliError, FILE_ERROR, Output, USAGE_ERROR, count},
    texts::EncoderUse,
};

pub(crate) fn export(args: &args::Export, output: &mut Output) -> Result<()> {
    let is_folder = matches!(args.format, ExportFormat::Yaml | ExportFormat::Obsidian);
    if is_folder && args.output.is_none() {
        return Err(CliError::new(
            USAGE_ERROR,
            "this format writes a folder; pass the path of the folder with \
                                               --output",
        )
        .into());
    }
    if let Some(path) = args.output.as_deref().filter(|_| is_folder)
        && !is_vacant(path)
        && !hearsay_campaign::is_export_folder(path)
    {
        let message = format!(
            "{}: the folder is not empty; pass an empty folder, or a folder that does not exist \
                               yet",
            path.display()
        );
        return Err(CliError::new(FILE_ERROR, message).into());
    }
    if args.handbook_format().is_none() && (args.each || args.reader.is_some()) {
        let message = "--as and --each require a handbook format; add --format handbook or --format handbook-html";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    let memory = campaign::open(&args.campaign, campaign::Access::Read, EncoderUse::Disabled, output)?;
    if let (Some(format), Some(folder), true) = (args.handbook_format(), &args.output, args.each) {
        return export_each_handbook(memory, format, folder, output);
    }
    let reader = args.reader.as_ref().map(|name| player_character(&memory, name, output)).transpose()?;
    let (format, target) = (args.format, args.output.clone());
    let overwrite = if args.force { Overwrite::All } else { Overwrite::Unedited };
    let export = memory.read_in_background(move |world| {
        let (state, mut bytes) = (&world.state, Vec::new());
        let error_path = target.clone().unwrap_or_else(|| "export".into());
        let folder = || target.as_deref().unwrap_or(Path::new("export"));
        let result = match format {
            ExportFormat::Jsonl => hearsay_campaign::export_jsonl(state, &mut bytes),
            ExportFormat::Graphml => hearsay_campaign::export_graphml(state, &mut bytes),
            ExportFormat::Dot => hearsay_campaign::export_dot(state, &mut bytes),
            ExportFormat::Backup => hearsay_campaign::export_backup(state, &mut bytes),
            ExportFormat::Handbook => {
                bytes = handbook(state, reader.as_ref(), HandbookFormat::Markdown);
                Ok(())
            }
            ExportFormat::HandbookHtml => {
                bytes = handbook(state, reader.as_ref(), HandbookFormat::Html);
                Ok(())
            }
            ExportFormat::Yaml => hearsay_campaign::export_yaml(state, folder(), overwrite),
            ExportFormat::Obsidian => hearsay_campaign::export_vault(state, folder(), overwrite),
        };
        result.map_err(|source| MemoryError::File { path: error_path, source })?;
        Ok(bytes)
    })?;
    let bytes = interrupt::wait_with_spinner(&export, "exporting", output)?;
    memory.close()?;
    match &args.output {
        Some(path) if is_folder => {
            output.data(&json!({ "folder": path }))?;
            output.line(format!("written to {}", path.display()))?;
        }
        Some(path) => {
            let changes = handbook_changes(args.format, path, &bytes);
            hearsay_files::replace(path, &bytes, hearsay_files::Access::Private, Durability::Synced)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            output.data(&json!({ "file": path, "lines": lines, "changes": changes }))?;
            output.line(format!("{lines} lines written to {}", path.display()))?;
            print_changes(changes.as_ref(), output)?;
        }
        None => output.file(&bytes)?,
    }
    Ok(())
}

/// Maximum size of an earlier handbook, in bytes (16 MiB).
const MAX_HANDBOOK_BYTES: u64 = 16 << 20;

/// Compares a handbook in Markdown with the file that it replaces. Returns `None` for other formats, and if there is no
/// earlier handbook that can be read.
fn handbook_changes(format: ExportFormat, path: &Path, bytes: &[u8]) -> Option<HandbookChanges> {
    if format != ExportFormat::Handbook {
        return None;
    }
    let earlier = hearsay_campaign::read_text_file(path, MAX_HANDBOOK_BYTES).ok()?;
    Some(HandbookChanges::between(&earlier, &String::from_utf8_lossy(bytes)))
}

fn print_changes(changes: Option<&HandbookChanges>, output: &mut Output) -> Result<()> {
    let Some(changes) = changes else { return Ok(()) };
    if changes.is_empty() {
        return output.line("  nothing changed since the earlier handbook");
    }
    let groups = [("new", &changes.added), ("changed", &changes.changed), ("removed", &changes.removed)];
    for (label, entries) in groups.into_iter().filter(|(_, entries)| !entries.is_empty()) {
        output.line(format!("  {label} since the earlier handbook: {}", entries.join("; ")))?;
    }
    Ok(())
}

/// Returns the title of the handbooks of a campaign.
fn title(state: &State) -> &str {
    state.campaign().map_or("Handbook", |info| info.name.as_str())
}

fn handbook(state: &State, reader: Option<&EntityId>, format: HandbookFormat) -> Vec<u8> {
    let party = player_characters(state);
    let readers = reader.map_or(HandbookReaders::Party, HandbookReaders::Character);
    let request = HandbookRequest { title: title(state), party: &party, readers, as_of: state.clock() };
    Handbook::new(state, &request).write(format).into_bytes()
}

/// Returns the player character with a name on the command line.
fn player_character(memory: &Memory, name: &str, output: &Output) -> Result<EntityId> {
    let names = Names::read(memory, output)?;
    let id = names.character(name)?;
    let party = player_characters(names.state());
    if !party.contains(&id) {
        let characters = party.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("{id} is not a player character; the player characters are: {characters}");
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    Ok(id)
}

/// Writes the handbook of the party and one for each player character into a folder.
fn export_each_handbook(memory: Memory, format: HandbookFormat, folder: &Path, output: &mut Output) -> Result<()> {
    let target = folder.to_owned();
    let export = memory.read_in_background(move |world| {
        let (state, party) = (&world.state, player_characters(&world.state));
        let request = HandbookRequest {
            title: title(state),
            party: &party,
            readers: HandbookReaders::Party,
            as_of: state.clock(),
        };
        hearsay_campaign::export_handbooks(state, &request, &target, format)
            .map_err(|source| MemoryError::File { path: target.clone(), source })
    })?;
    let files: Vec<PathBuf> = interrupt::wait_with_spinner(&export, "exporting", output)?;
    memory.close()?;
    output.data(&json!({ "folder": folder, "files": files }))?;
    output.line(format!("{} written to {}", count(files.len(), "handbook", "handbooks"), folder.display()))?;
    Ok(())
}
