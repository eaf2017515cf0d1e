//! `import`, `export`, `clear`: what has to do with files.

use std::{
    fs,
    io::{BufWriter, Write},
    path::Path,
};

use anyhow::{Context, Result, bail};
use hearsay_memory::{Memory, MemoryError, MemoryOptions, ModelSettings, SETTINGS_FILE, Settings};
use hearsay_store::StoreError;
use serde_json::json;

use super::{
    new::{is_vacant, write_settings},
    story::tell_with_reveals,
};
use crate::{
    args,
    campaign::{self, Meaning},
    interrupt,
    output::{Fault, Output, WRONG_FILE},
};

pub(crate) fn import(args: &args::Import, output: &mut Output) -> Result<()> {
    let directory = &args.campaign;
    let source = args.source.as_deref().unwrap_or(directory);
    // What comes from elsewhere may begin a campaign.
    let begins = args.source.is_some() && is_vacant(directory);
    if begins && !source.exists() {
        return Err(Fault::new(WRONG_FILE, format!("{}: there is no such file or directory", source.display())).into());
    }
    if args.dry_run {
        if !begins {
            campaign::settings(directory)?;
        }
        let memory = campaign::open_to_try(directory)?;
        let outcome = interrupt::wait(&memory.import_dry_run(source)?)?;
        output.data(&outcome)?;
        output.line(outcome.report.to_string().trim_end())?;
        output.line("Dry run: nothing was changed.")?;
        return Ok(memory.close()?);
    }
    if begins {
        fs::create_dir_all(directory).with_context(|| format!("{} cannot be made", directory.display()))?;
        write_settings(directory)?;
    }
    let memory = campaign::open_plain(directory, Meaning::Without)?;
    let outcome = interrupt::wait(&memory.import(source)?)?;
    match &outcome.written {
        None => output.line("Nothing has changed since the last import.")?,
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
    }
    campaign::notes(&outcome, |note| output.line(format!("  {note}")))?;
    campaign::read_new_texts(&memory, directory, output)?;
    tell_with_reveals(&memory, outcome, output)?;
    Ok(memory.close()?)
}

pub(crate) fn export(args: &args::Export, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let export = memory.read_aside(|world| {
        let mut bytes = Vec::new();
        let written = hearsay_campaign::export_jsonl(&world.state, &mut bytes);
        written.map_err(|source| MemoryError::File { path: "export".into(), source })?;
        Ok(bytes)
    })?;
    let bytes = interrupt::wait(&export)?;
    memory.close()?;
    match &args.output {
        Some(path) => {
            let file = fs::File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
            let mut file = BufWriter::new(file);
            file.write_all(&bytes).and_then(|()| file.flush()).with_context(|| format!("{}", path.display()))?;
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            output.data(&json!({ "file": path, "lines": lines }))?;
            output.line(format!("{lines} lines written to {}", path.display()))?;
        }
        None => output.raw().write_all(&bytes)?,
    }
    Ok(())
}

pub(crate) fn clear(args: &args::Clear, output: &mut Output) -> Result<()> {
    let settings = campaign::settings(&args.campaign)?;
    let directory = args.campaign.join(&settings.store.directory);
    if !directory.exists() {
        output.data(&json!({ "cleared": false }))?;
        return output.line("There is nothing to clear.");
    }
    if holds_more(&args.campaign, &directory) {
        bail!(
            "{} holds campaign files too, so it is not deleted; give `store.directory` in {SETTINGS_FILE} a directory of its own",
            directory.display()
        );
    }
    if !args.force {
        bail!(
            "this deletes {}, with all that is not in the campaign's files: say --force if you mean it; `hearsay export` keeps a copy",
            directory.display()
        );
    }
    let settings = Settings { model: ModelSettings { enabled: false, ..settings.model }, ..settings };
    // Opening shows that nobody else has it. A database that is damaged may be cleared.
    match Memory::open(MemoryOptions::with_settings(&args.campaign, settings)) {
        Ok(memory) => memory.close()?,
        Err(error @ MemoryError::Store(StoreError::Held { .. })) => return Err(error.into()),
        Err(_) => {}
    }
    fs::remove_dir_all(&directory).with_context(|| format!("{} cannot be deleted", directory.display()))?;
    output.data(&json!({ "cleared": true }))?;
    output.line(format!("{} is deleted; the campaign's files are as they were", directory.display()))
}

/// Whether the directory of a database holds something else: the campaign itself, or campaign files.
fn holds_more(campaign: &Path, database: &Path) -> bool {
    let inside = match (campaign.canonicalize(), database.canonicalize()) {
        (Ok(campaign), Ok(database)) => campaign.starts_with(database),
        _ => true,
    };
    inside || hearsay_memory::has_campaign_files(database)
}
