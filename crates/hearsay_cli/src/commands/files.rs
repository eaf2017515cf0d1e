//! `import`, `sync`, `export`, `db restore`, `db clear`: commands that read or write files.

use std::{
    fs,
    io::{BufReader, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use hearsay_campaign::{Backup, Format, Watch};
use hearsay_commands::proposal::Proposed;
use hearsay_engine::{
    ImportOptions, ImportOutcome, Memory, MemoryError, MemoryOptions, ModelSettings, SETTINGS_FILE, Settings,
};
use hearsay_files::Durability;
use hearsay_model::Position;
use hearsay_query::knowledge::players;
use hearsay_store::{Store, StoreError, StoreOptions};
use serde::Serialize;
use serde_json::json;

use super::new::{is_vacant, write_settings};
use crate::{
    args::{self, Out},
    campaign::{self, Access},
    interrupt,
    output::{Fault, Output, WRONG_FILE, WRONG_LINE, count},
    reveals::tell_with_reveals,
    sync,
    texts::{self, Meaning},
};

pub(crate) fn import(args: &args::Import, output: &mut Output) -> Result<()> {
    let (directory, source) = (&args.campaign.campaign, &args.source);
    // Other sources can be imported into a campaign that does not exist yet.
    let begins = is_vacant(directory);
    if begins && !source.exists() {
        return Err(Fault::new(WRONG_FILE, format!("{}: there is no such file or directory", source.display())).into());
    }
    let options = ImportOptions {
        format: args.format.or(args.mapping.is_some().then_some(Format::Mapping)),
        mapping: args.mapping.clone(),
        name: args.name.clone(),
        ..ImportOptions::default()
    };
    run(&Job { directory, source, begins, options, how: &args.how }, output)
}

/// Imports the campaign's own files.
pub(crate) fn sync(args: &args::Sync, output: &mut Output) -> Result<()> {
    let directory = &args.campaign.campaign;
    let options = ImportOptions::default();
    run(&Job { directory, source: directory, begins: false, options, how: &args.how }, output)
}

/// An import with its options.
struct Job<'a> {
    directory: &'a Path,
    source: &'a Path,
    /// Whether the import creates the campaign.
    begins: bool,
    options: ImportOptions,
    how: &'a args::ImportOptions,
}

fn run(job: &Job, output: &mut Output) -> Result<()> {
    let Job { directory, source, begins, options, how: args } = job;
    let (directory, source, begins) = (*directory, *source, *begins);
    let options = options.clone();
    if args.dry_run {
        if !begins {
            campaign::settings(directory)?;
        }
        let memory = campaign::open_to_try(directory, output)?;
        let outcome = interrupt::wait(&memory.import_dry_run_with(source, options)?)?;
        output.data(&outcome)?;
        for line in outcome.report.to_string().lines() {
            output.line(line)?;
        }
        output.line("Dry run: nothing was changed.")?;
        return Ok(memory.close()?);
    }
    if begins {
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
        write_settings(directory)?;
    }
    let meaning = if args.no_meaning { Meaning::Without } else { Meaning::With };
    // Starts to watch before the first import, to detect changes during the import too.
    let watch = args.watch.then(|| Watch::new(source, QUIET)).transpose();
    let watch = watch.with_context(|| format!("{} cannot be watched", source.display()))?;
    let memory = campaign::open_plain(directory, Access::Write, meaning, output)?;
    let import = memory.import_with(source, options.clone())?;
    let outcome = interrupt::wait_busy(&import, "importing", output)?;
    match &outcome.written {
        None => output.line("Nothing has changed since the last import.")?,
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
    }
    sync::notes(&outcome, |note| output.line(format!("  {note}")))?;
    let found = texts::read_new_texts(&memory, directory, output)?;
    texts::embed_all(&memory, meaning, output)?;
    match watch {
        None => tell_with_reveals(&memory, Imported { outcome, found }, output)?,
        Some(watch) => keep_up(&memory, job, watch, output)?,
    }
    Ok(memory.close()?)
}

/// JSON output of an import, with the counts of facts extracted from its texts if extraction ran.
#[derive(Serialize)]
struct Imported {
    #[serde(flatten)]
    outcome: ImportOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Proposed>,
}

/// Time for which the watched files must stay unchanged before the next import.
const QUIET: Duration = Duration::from_millis(500);

/// Imports changes until the user presses Ctrl-C. An error does not end the loop, because another program may still be
/// writing the file.
fn keep_up(
    memory: &Memory,
    Job { directory, source, options, .. }: &Job,
    mut watch: Watch,
    output: &mut Output,
) -> Result<()> {
    output.note(format!("watching {}; press Ctrl-C to stop", source.display()));
    output.flush()?;
    while !interrupt::is_asked() {
        if !watch.wait(Duration::from_millis(100)) {
            continue;
        }
        let outcome = match interrupt::wait(&memory.import_with(source, options.clone())?) {
            Ok(outcome) => outcome,
            Err(_) if interrupt::is_asked() => break,
            Err(error) => {
                format!("not imported: {error:#}").lines().for_each(|line| output.note(line));
                continue;
            }
        };
        let Some(written) = &outcome.written else { continue };
        output.line(format!("{} (operation {})", written.summary, written.position))?;
        output.data(&outcome)?;
        sync::notes(&outcome, |note| {
            output.note(note);
            Ok(())
        })?;
        output.flush()?;
        match texts::read_new_texts(memory, directory, output) {
            Err(_) if interrupt::is_asked() => break,
            read => _ = read?,
        }
        output.flush()?;
    }
    Ok(())
}

pub(crate) fn export(args: &args::Export, output: &mut Output) -> Result<()> {
    let folder = matches!(args.format, Out::Yaml | Out::Obsidian);
    if folder && args.output.is_none() {
        return Err(Fault::new(WRONG_LINE, "this format writes a folder: name the folder with --output").into());
    }
    if let Some(path) = args.output.as_deref().filter(|_| folder)
        && !is_vacant(path)
        && !hearsay_campaign::is_export(path)
    {
        let what = format!("{}: the folder is not empty; name a new folder", path.display());
        return Err(Fault::new(WRONG_FILE, what).into());
    }
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (format, target) = (args.format, args.output.clone());
    let export = memory.read_in_background(move |world| {
        let (state, mut bytes) = (&world.state, Vec::new());
        let at = target.clone().unwrap_or_else(|| "export".into());
        let folder = || target.as_deref().unwrap_or(Path::new("export"));
        let written = match format {
            Out::Jsonl => hearsay_campaign::export_jsonl(state, &mut bytes),
            Out::Graphml => hearsay_campaign::export_graphml(state, &mut bytes),
            Out::Dot => hearsay_campaign::export_dot(state, &mut bytes),
            Out::Backup => hearsay_campaign::export_backup(state, &mut bytes),
            Out::Handbook => {
                let title = state.campaign().map_or("Handbook", |info| info.name.as_str());
                let book = hearsay_campaign::handbook(state, title, &players(state), state.clock());
                bytes.write_all(book.as_bytes())
            }
            Out::Yaml => hearsay_campaign::export_yaml(state, folder()),
            Out::Obsidian => hearsay_campaign::export_vault(state, folder()),
        };
        written.map_err(|source| MemoryError::File { path: at, source })?;
        Ok(bytes)
    })?;
    let bytes = interrupt::wait_busy(&export, "exporting", output)?;
    memory.close()?;
    match &args.output {
        Some(path) if folder => {
            output.data(&json!({ "folder": path }))?;
            output.line(format!("written to {}", path.display()))?;
        }
        Some(path) => {
            hearsay_files::replace(path, &bytes, hearsay_files::Access::Private, Durability::Synced)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            output.data(&json!({ "file": path, "lines": lines }))?;
            output.line(format!("{lines} lines written to {}", path.display()))?;
        }
        None => output.file(&bytes)?,
    }
    Ok(())
}

pub(crate) fn restore(args: &args::Restore, output: &mut Output) -> Result<()> {
    let file = hearsay_campaign::open_file(&args.backup)
        .map_err(|error| Fault::new(WRONG_FILE, format!("{}: cannot be read: {error}", args.backup.display())))?;
    let backup = hearsay_campaign::read_backup(BufReader::new(file)).map_err(|mut errors| {
        for error in &mut errors.errors {
            error.file = args.backup.display().to_string();
        }
        MemoryError::Campaign(errors)
    })?;
    let directory = &args.campaign.campaign;
    if is_vacant(directory) {
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
        write_settings(directory)?;
    }
    let settings = campaign::settings(directory)?;
    if directory.join(&settings.store.directory).exists() {
        let what =
            format!("{}: the campaign already has a database; `hearsay db clear` deletes it", directory.display());
        return Err(Fault::new(WRONG_FILE, what).into());
    }
    campaign::expect_campaign(directory, &settings)?;
    // Restores the backup to a temporary directory, which is renamed when it is complete. An interrupted restore
    // therefore never leaves an incomplete database in place.
    let mut beside = settings.store.directory.clone().into_os_string();
    beside.push(".restoring");
    let (target, beside) = (directory.join(&settings.store.directory), PathBuf::from(beside));
    let unfinished = directory.join(&beside);
    hearsay_store::discard(&unfinished).map_err(MemoryError::Store)?;
    let mut apart = settings;
    apart.store.directory = beside;
    apart.model.enabled = false;
    apart.extraction.enabled = false;
    let all = backup.len();
    let written = write_all(directory, apart, backup, output).and_then(|()| {
        fs::rename(&unfinished, &target)
            .with_context(|| format!("the restored database cannot be moved to {}", target.display()))
    });
    if let Err(error) = written {
        if let Err(left) = hearsay_store::discard(&unfinished) {
            output.note(format!("incomplete data remains, and the next `hearsay db restore` deletes it: {left}"));
        }
        return Err(error);
    }
    output.data(&json!({ "restored": all }))?;
    output.line(format!("{} restored to {}", count(all, "operation", "operations"), directory.display()))
}

/// Writes all operations to a new memory, and closes it.
fn write_all(directory: &Path, settings: Settings, backup: Backup, output: &Output) -> Result<()> {
    let Backup { compacted_to, compacted, operations } = backup;
    if compacted_to > Position(0) {
        let beside = directory.join(&settings.store.directory);
        let opened = Store::open(beside, StoreOptions::default()).map_err(MemoryError::Store)?;
        let compacted = compacted.into_iter().map(|(position, operation)| (position, Arc::new(operation))).collect();
        let begun = opened.store.begin_compacted_blocking(compacted_to, compacted);
        begun.and_then(|()| opened.store.close()).map_err(MemoryError::Store)?;
    }
    let memory = Memory::open(MemoryOptions::with_settings(directory, settings))?;
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
    let directory = args.campaign.campaign.join(&settings.store.directory);
    if !directory.exists() {
        output.data(&json!({ "cleared": false }))?;
        return output.line("The campaign has no database to delete.");
    }
    if holds_more(&args.campaign.campaign, &directory) {
        bail!(
            "{} also contains campaign files, so Hearsay does not delete it; set `store.directory` in {SETTINGS_FILE} to a separate directory",
            directory.display()
        );
    }
    if !args.force {
        bail!(
            "this deletes {}, with all data that is not in the campaign's files; pass --force to confirm, or save a copy with `hearsay export` first",
            directory.display()
        );
    }
    let settings = Settings { model: ModelSettings { enabled: false, ..settings.model }, ..settings };
    // If the memory opens, no other process has the lock. A damaged database may be deleted too.
    match Memory::open(MemoryOptions::with_settings(&args.campaign.campaign, settings)) {
        Ok(memory) => memory.close()?,
        Err(error @ MemoryError::Store(StoreError::Held { .. })) => return Err(error.into()),
        Err(_) => {}
    }
    fs::remove_dir_all(&directory).with_context(|| format!("{} cannot be deleted", directory.display()))?;
    output.data(&json!({ "cleared": true }))?;
    output.line(format!("{} is deleted; the campaign's files are unchanged", directory.display()))
}

/// Returns whether the database's directory also contains the campaign directory or campaign files.
fn holds_more(campaign: &Path, database: &Path) -> bool {
    let inside = match (campaign.canonicalize(), database.canonicalize()) {
        (Ok(campaign), Ok(database)) => campaign.starts_with(database),
        _ => true,
    };
    inside || hearsay_engine::has_campaign_files(database)
}
