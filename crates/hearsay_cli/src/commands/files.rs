//! `import`, `sync`, `db restore`, `db clear`: commands that read or write files.

use std::{
    fs,
    io::BufReader,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use hearsay_campaign::{Backup, FileWatcher, Format};
use hearsay_engine::{
    ImportOptions, ImportOutcome, Memory, MemoryError, MemoryOptions, ModelSettings, SETTINGS_FILE, Settings,
    has_campaign_files,
};
use hearsay_model::Position;
use hearsay_store::{Store, StoreError, StoreOptions};
use serde::Serialize;
use serde_json::json;

use super::new::{is_vacant, write_settings};
use crate::{
    args,
    campaign::{self, Access},
    interrupt,
    output::{CliError, FILE_ERROR, Output, USAGE_ERROR, count},
    reveals::print_with_reveals,
    sync,
    texts::{self, EncoderUse, ExtractionReport},
};

pub(crate) fn import(args: &args::Import, output: &mut Output) -> Result<()> {
    let (directory, source) = (&args.campaign.campaign, &args.source);
    // Other sources can be imported into a campaign that does not exist yet.
    let is_new_campaign = is_vacant(directory);
    if is_new_campaign && !source.exists() {
        return Err(CliError::new(
            FILE_ERROR,
            format!("{}: there is no such file or directory; check the path", source.display()),
        )
        .into());
    }
    let options = ImportOptions {
        format: args.format.or(args.mapping.is_some().then_some(Format::Mapping)),
        mapping: args.mapping.clone(),
        open_folders: args.open_folders,
        name: args.name.clone(),
        ..ImportOptions::default()
    };
    let job =
        ImportJob { campaign: &args.campaign, source, is_new_campaign, options, cli_options: &args.import_options };
    run_import(&job, output)
}

/// Imports the campaign's own files.
pub(crate) fn sync(args: &args::Sync, output: &mut Output) -> Result<()> {
    let directory = &args.campaign.campaign;
    let server = campaign::settings(directory)?.store.endpoint;
    if let Some(server) = server.filter(|_| !has_campaign_files(directory)) {
        let message = format!(
            "{}: this directory has no campaign files, and its campaign is in the server {server}; usually, the campaign \
             files are on the machine of the server: run `hearsay sync` there",
            directory.display()
        );
        return Err(CliError::new(FILE_ERROR, message).into());
    }
    let job = ImportJob {
        campaign: &args.campaign,
        source: directory,
        is_new_campaign: false,
        options: ImportOptions::default(),
        cli_options: &args.import_options,
    };
    run_import(&job, output)
}

/// An import with its options.
struct ImportJob<'a> {
    campaign: &'a args::Campaign,
    source: &'a Path,
    /// Whether the import creates the campaign.
    is_new_campaign: bool,
    options: ImportOptions,
    cli_options: &'a args::ImportOptions,
}

impl ImportJob<'_> {
    /// Returns the campaign directory.
    fn directory(&self) -> &Path {
        &self.campaign.campaign
    }

    /// Returns whether the import reads the campaign's own files.
    fn imports_own_files(&self) -> bool {
        match (self.directory().canonicalize(), self.source.canonicalize()) {
            (Ok(directory), Ok(source)) => directory == source,
            _ => false,
        }
    }

    /// Opens the campaign. An import of other files first imports the changes in the campaign's own files, because notes
    /// can name the entities in these files.
    fn open(&self, output: &Output) -> Result<Memory> {
        let (campaign, imports_own_files) = (self.campaign, self.imports_own_files());
        if self.cli_options.dry_run {
            return match imports_own_files {
                true => campaign::open_for_dry_run(self.directory(), output),
                false => campaign::open_for_import_dry_run(campaign, output),
            };
        }
        match imports_own_files {
            true => campaign::open_without_sync(self.directory(), Access::Write, self.encoder_use(), output),
            false => campaign::open(campaign, Access::Write, self.encoder_use(), output),
        }
    }

    fn encoder_use(&self) -> EncoderUse {
        if self.cli_options.no_meaning { EncoderUse::Disabled } else { EncoderUse::Enabled }
    }
}

fn run_import(job: &ImportJob, output: &mut Output) -> Result<()> {
    let (directory, args) = (job.directory(), job.cli_options);
    let ImportJob { source, is_new_campaign, .. } = *job;
    let options = job.options.clone();
    if args.watch && output.is_json() {
        let message = "--watch prints a result for each change; use --jsonl instead of --json";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if args.jsonl {
        output.use_json_lines();
    }
    if args.dry_run {
        if !is_new_campaign {
            campaign::settings(directory)?;
        }
        let memory = job.open(output)?;
        let outcome = interrupt::wait(&memory.import_dry_run_with(source, options)?)?;
        output.data(&outcome)?;
        for line in outcome.report.to_string().lines() {
            output.line(line)?;
        }
        output.line("Dry run: nothing was changed.")?;
        return Ok(memory.close()?);
    }
    if is_new_campaign {
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
        write_settings(directory)?;
    }
    // Starts to watch before the first import, to detect changes during the import too.
    let watch = args.watch.then(|| FileWatcher::new(source, QUIET_TIME)).transpose();
    let watch = watch.with_context(|| format!("{} cannot be watched", source.display()))?;
    let memory = job.open(output)?;
    let import = memory.import_with(source, options)?;
    let outcome = interrupt::wait_with_spinner(&import, "importing", output)?;
    if outcome.written.is_none() {
        output.line("Nothing has changed since the last import.")?;
    }
    print_import(&memory, directory, outcome, output)?;
    texts::embed_all(&memory, job.encoder_use(), output)?;
    if let Some(watch) = watch {
        import_while_watching(&memory, job, watch, output)?;
    }
    Ok(memory.close()?)
}

/// JSON output of an import, with the outcome of extracting facts from its texts if extraction ran.
#[derive(Serialize)]
struct ImportOutput {
    #[serde(flatten)]
    outcome: ImportOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<ExtractionReport>,
}

/// Extracts facts from the imported texts, and prints the result of the import.
fn print_import(memory: &Memory, directory: &Path, outcome: ImportOutcome, output: &mut Output) -> Result<()> {
    if let Some(written) = &outcome.written {
        output.line(format!("{} (operation {})", written.summary, written.position))?;
    }
    sync::for_each_note(&outcome, |note| output.line(format!("  {note}")))?;
    let has_open_texts = outcome.report.audience.get("local").is_some_and(|facts| *facts > 0);
    if outcome.written.is_some() && outcome.report.format.is_some() && has_open_texts {
        output.line(
            "  The open text of a note is known to its entity, and to the characters who live with the entity or in it. To \
             hide a text from them, mark it as secret, and import the notes again.",
        )?;
    }
    let found = texts::extract_new_texts(memory, directory, output)?;
    print_with_reveals(memory, ImportOutput { outcome, found }, output)
}

/// Time for which the watched files must stay unchanged before the next import.
const QUIET_TIME: Duration = Duration::from_millis(500);

/// Imports changes until the user presses Ctrl-C. An error does not end the loop, because another program may still be
/// writing the file.
fn import_while_watching(memory: &Memory, job: &ImportJob, mut watch: FileWatcher, output: &mut Output) -> Result<()> {
    let ImportJob { source, options, .. } = job;
    output.note(format!("watching {}; press Ctrl-C to stop", source.display()));
    output.flush()?;
    while !interrupt::is_requested() {
        if !watch.wait(Duration::from_millis(100)) {
            continue;
        }
        let outcome = match interrupt::wait(&memory.import_with(source, options.clone())?) {
            Ok(outcome) => outcome,
            Err(_) if interrupt::is_requested() => break,
            Err(error) => {
                format!("not imported: {error:#}").lines().for_each(|line| output.note(line));
                continue;
            }
        };
        if outcome.written.is_none() {
            continue;
        }
        match print_import(memory, job.directory(), outcome, output) {
            Err(_) if interrupt::is_requested() => break,
            result => result?,
        }
        output.flush()?;
    }
    Ok(())
}

pub(crate) fn restore(args: &args::Restore, output: &mut Output) -> Result<()> {
    let file = hearsay_campaign::open_file(&args.backup)
        .map_err(|error| CliError::new(FILE_ERROR, format!("{}: cannot be read: {error}", args.backup.display())))?;
    let backup = hearsay_campaign::read_backup(BufReader::new(file)).map_err(|mut errors| {
        for error in &mut errors.errors {
            error.file = args.backup.display().to_string();
        }
        MemoryError::Campaign(errors)
    })?;
    let (directory, operation_count) = (&args.campaign.campaign, backup.len());
    if is_vacant(directory) {
        if args.dry_run {
            return print_restore_dry_run(directory, operation_count, output);
        }
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
        write_settings(directory)?;
    }
    let settings = campaign::settings(directory)?;
    campaign::expect_local(&settings)?;
    if directory.join(&settings.store.directory).exists() {
        let message =
            format!("{}: the campaign already has a database; `hearsay db clear` deletes it", directory.display());
        return Err(CliError::new(FILE_ERROR, message).into());
    }
    campaign::expect_campaign(directory, &settings)?;
    if args.dry_run {
        return print_restore_dry_run(directory, operation_count, output);
    }
    // Restores the backup to a temporary directory, which is renamed when it is complete. An interrupted restore
    // therefore never leaves an incomplete database in place.
    let mut temporary_directory = settings.store.directory.clone().into_os_string();
    temporary_directory.push(".restoring");
    let (target, temporary_directory) = (directory.join(&settings.store.directory), PathBuf::from(temporary_directory));
    let temporary_path = directory.join(&temporary_directory);
    hearsay_store::delete_campaign_directory(&temporary_path).map_err(MemoryError::Store)?;
    let mut temporary_settings = settings;
    temporary_settings.store.directory = temporary_directory;
    temporary_settings.model.enabled = false;
    temporary_settings.extraction.enabled = false;
    let result = write_all(directory, temporary_settings, backup, output).and_then(|()| {
        fs::rename(&temporary_path, &target)
            .with_context(|| format!("the restored database cannot be moved to {}", target.display()))
    });
    if let Err(error) = result {
        if let Err(discard_error) = hearsay_store::delete_campaign_directory(&temporary_path) {
            output.note(format!(
                "incomplete data of this restore remains, and the next `hearsay db restore` deletes it: {discard_error}"
            ));
        }
        if interrupt::is_requested() {
            let message = "stopped by Ctrl-C; nothing was restored: run the command again to restore the backup";
            return Err(CliError::new(interrupt::EXIT_CODE, message).into());
        }
        return Err(error);
    }
    output.data(&json!({ "restored": operation_count }))?;
    output.line(format!("{} restored to {}", count(operation_count, "operation", "operations"), directory.display()))
}

fn print_restore_dry_run(directory: &Path, operation_count: usize, output: &mut Output) -> Result<()> {
    output.data(&json!({ "restored": null, "operations": operation_count }))?;
    let operations = count(operation_count, "operation", "operations");
    output.line(format!("Dry run, nothing is changed: {operations} can be restored to {}", directory.display()))
}

/// Writes all operations to a new memory, and closes it.
fn write_all(directory: &Path, settings: Settings, backup: Backup, output: &Output) -> Result<()> {
    let Backup { compacted_to, compacted, operations } = backup;
    if compacted_to > Position(0) {
        let store_directory = directory.join(&settings.store.directory);
        let opened = Store::open(store_directory, StoreOptions::default()).map_err(MemoryError::Store)?;
        let compacted = compacted.into_iter().map(|(position, operation)| (position, Arc::new(operation))).collect();
        let result = opened.store.begin_compacted_blocking(compacted_to, compacted);
        result.and_then(|()| opened.store.close()).map_err(MemoryError::Store)?;
    }
    let options = MemoryOptions { share: false, ..MemoryOptions::with_settings(directory, settings) };
    let memory = Memory::open(options)?;
    let bar = output.progress("restoring");
    bar.set_length(operations.len() as u64);
    let mut tickets = std::collections::VecDeque::new();
    for operation in operations {
        let operation = operation.clone();
        tickets.push_back(memory.write(move |_| Ok(operation.clone()))?);
        if tickets.len() >= 64
            && let Some(ticket) = tickets.pop_front()
        {
            interrupt::wait(&ticket)?;
            bar.inc(1);
        }
    }
    for ticket in tickets {
        interrupt::wait(&ticket)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(memory.close()?)
}

pub(crate) fn clear(args: &args::Clear, output: &mut Output) -> Result<()> {
    let settings = campaign::settings(&args.campaign.campaign)?;
    campaign::expect_local(&settings)?;
    let directory = args.campaign.campaign.join(&settings.store.directory);
    if !directory.exists() {
        output.data(&json!({ "cleared": false }))?;
        return output.line("The campaign has no database to delete.");
    }
    if contains_campaign(&args.campaign.campaign, &directory) {
        bail!(
            "the database directory {} also contains campaign files, so Hearsay does not delete it; set \
             `store.directory` in {SETTINGS_FILE} to a separate directory",
            directory.display()
        );
    }
    if args.dry_run {
        output.data(&json!({ "cleared": false, "directory": directory }))?;
        let path = directory.display();
        return output.line(format!(
            "Dry run, nothing is changed: {path} would be deleted, with all data that is not in the campaign's files"
        ));
    }
    if !args.force {
        bail!(
            "this command would delete {}, with all data that is not in the campaign's files; to confirm, pass \
             --force; to save a copy first, run `hearsay export`",
            directory.display()
        );
    }
    let settings = Settings { model: ModelSettings { enabled: false, ..settings.model }, ..settings };
    // If the memory opens without sharing, no other process has the lock. A damaged database may be deleted too.
    let options = MemoryOptions { share: false, ..MemoryOptions::with_settings(&args.campaign.campaign, settings) };
    match Memory::open(options) {
        Ok(memory) => memory.close()?,
        Err(error @ MemoryError::Store(StoreError::InUse { .. })) => return Err(error.into()),
        Err(_) => {}
    }
    fs::remove_dir_all(&directory).with_context(|| format!("{} cannot be deleted", directory.display()))?;
    output.data(&json!({ "cleared": true }))?;
    output.line(format!("{} is deleted; the campaign's files are unchanged", directory.display()))
}

/// Returns whether the database's directory also contains the campaign directory or campaign files.
fn contains_campaign(campaign: &Path, database: &Path) -> bool {
    let is_ancestor = match (campaign.canonicalize(), database.canonicalize()) {
        (Ok(campaign), Ok(database)) => campaign.starts_with(database),
        _ => true,
    };
    is_ancestor || has_campaign_files(database)
}
