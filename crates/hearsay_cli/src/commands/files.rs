//! `import`, `export`, `clear`: what has to do with files.

use std::{
    fs,
    io::{BufWriter, Write},
};

use anyhow::{Context, Result, bail};
use hearsay_memory::{Memory, MemoryError, MemoryOptions, Settings};
use hearsay_store::StoreError;
use serde_json::json;

use crate::{
    args,
    campaign::{self, Meaning},
    output::Output,
};

pub(crate) fn import(args: &args::Import, output: &mut Output) -> Result<()> {
    let memory = campaign::open_plain(&args.campaign, Meaning::Without)?;
    let source = args.source.clone().unwrap_or_else(|| args.campaign.clone());
    let ticket = if args.dry_run { memory.import_dry_run(source)? } else { memory.import(source)? };
    let outcome = ticket.wait()?;
    output.data(&outcome)?;
    output.line(outcome.report.to_string().trim_end())?;
    match (&outcome.written, args.dry_run) {
        (_, true) => output.line("Dry run: nothing was changed.")?,
        (None, _) => output.line("Nothing has changed since the last import.")?,
        (Some(written), _) => output.line(format!("{} (operation {})", written.summary, written.position))?,
    }
    Ok(memory.close()?)
}

pub(crate) fn export(args: &args::Export, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let bytes = memory
        .read_aside(|world| {
            let mut bytes = Vec::new();
            let written = hearsay_campaign::export_jsonl(&world.state, &mut bytes);
            written.map_err(|source| MemoryError::File { path: "export".into(), source })?;
            Ok(bytes)
        })?
        .wait()?;
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
    let settings = Settings::read(&args.campaign)?;
    let directory = args.campaign.join(&settings.store.directory);
    if !directory.exists() {
        output.data(&json!({ "cleared": false }))?;
        return output.line("There is nothing to clear.");
    }
    if !args.force {
        bail!(
            "this deletes the memory in {}: say --force if you mean it; `hearsay export` keeps it first",
            directory.display()
        );
    }
    let settings = Settings { model: hearsay_memory::ModelSettings { enabled: false, ..settings.model }, ..settings };
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
