//! `fact extract`: extracts facts from texts.

use std::{
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result};
use hearsay_commands::reading::{Draft, DraftExtraction};
use hearsay_engine::{ExtractedFact, Memory, TextType};
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    interrupt, llm,
    names::Names,
    output::{CliError, FILE_ERROR, Output, count},
    texts::{self, EncoderUse},
};

pub(crate) fn extract(args: &args::Extract, output: &mut Output) -> Result<()> {
    let text = match (&args.file, &args.text) {
        (Some(file), _) => Some(read_text(file)?),
        (None, text) => text.clone(),
    };
    let encoder_use = if args.meaning { EncoderUse::Enabled } else { EncoderUse::Disabled };
    // If a text is given, the command only shows its facts.
    let access = Access::for_dry_run(args.dry_run || text.is_some());
    let memory = campaign::open(&args.campaign, access, encoder_use, output)?;
    if args.dry_run && text.is_none() {
        return print_dry_run(memory, args.again, output);
    }
    if args.llm {
        llm::check(&memory)?;
    }
    texts::embed_if_few(&memory, encoder_use, output)?;
    match text {
        None => {
            let report = texts::extract_texts(&memory, args.again, output)?;
            if !args.llm {
                output.data(&report)?;
            }
            texts::print_extraction_report(&report, output)?;
            if args.llm {
                llm::read(&memory, output)?;
            }
            // The function for the language model already printed which texts were not processed.
            output.line(if args.llm {
                "`hearsay review` lists the facts that wait for you."
            } else {
                "All texts are processed. `hearsay review` lists the facts that wait for you."
            })?;
        }
        Some(text) => {
            let form = match (args.lore, args.narration) {
                (true, _) => TextType::Lore,
                (_, true) => TextType::Narration,
                _ => TextType::Talk,
            };
            let names = Names::read(&memory, output)?;
            let draft = Draft {
                text,
                form,
                speaker: names.optional_character(args.by.as_ref())?,
                present: names.characters(&args.present)?,
                place: names.optional_place(args.at.as_ref())?,
                before: Vec::new(),
            };
            let drafted = if args.llm { llm::draft(&memory, draft)? } else { interrupt::wait(&memory.draft(draft)?)? };
            output.data(&drafted)?;
            print_draft(&drafted, output)?;
        }
    }
    Ok(memory.close()?)
}

fn print_dry_run(memory: Memory, again: bool, output: &mut Output) -> Result<()> {
    let texts = match again {
        true => memory.read(|world| Ok(world.state.passages().count()))?.wait()?,
        false => memory.status()?.wait()?.unread,
    };
    output.data(&json!({ "written": null, "texts": texts }))?;
    let texts = count(texts, "text", "texts");
    output.line(format!("Dry run, nothing is changed: {texts} would be searched for facts"))?;
    Ok(memory.close()?)
}

/// Maximum size of a file to read, in bytes (64 MiB).
const MAX_FILE_BYTES: u64 = 64 << 20;

fn read_text(file: &Path) -> Result<String> {
    let to_error = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::NotFound { "; pass a text with --text" } else { "" };
        CliError::new(FILE_ERROR, format!("{}: {error}{hint}", file.display()))
    };
    let mut bytes = Vec::new();
    match file.as_os_str() == "-" {
        true => _ = io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?,
        false => bytes = hearsay_campaign::read_file(file, MAX_FILE_BYTES).map_err(to_error)?,
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid_up_to].iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("{}, line {line}: this is not UTF-8; save it as UTF-8 text", file.display());
        CliError::new(FILE_ERROR, message).into()
    })
}

fn print_draft(drafted: &DraftExtraction, output: &mut Output) -> Result<()> {
    let extraction = &drafted.extraction;
    if extraction.facts.is_empty() {
        output.line("No facts found in the text.")?;
    }
    let rows: Vec<[String; 4]> = extraction
        .facts
        .iter()
        .zip(&drafted.statuses)
        .map(|(fact, status)| {
            let outcome = status.map_or("dropped", hearsay_model::FactStatus::as_str);
            let outcome = if fact.denied { "a denial" } else { outcome };
            [format!("{:.2}", fact.confidence.get()), outcome.to_owned(), fact.statement.clone(), format_cues(fact)]
        })
        .collect();
    output.columns(&rows)?;
    for entity in &extraction.entities {
        let kind = entity.kind.as_ref().map_or("of unknown kind", hearsay_model::Kind::as_str);
        output.line(format!("{:.2}  new name  {} ({kind})", entity.confidence.get(), entity.name))?;
    }
    if extraction.addresses_program {
        output.line(
            "A sentence of the text tells the program what to do, so Hearsay treats the facts of this sentence as doubtful.",
        )?;
    }
    output.line(format!("{}; nothing was recorded.", count(extraction.facts.len(), "fact", "facts")))
}

fn format_cues(fact: &ExtractedFact) -> String {
    let mut notes: Vec<String> = fact.cues.iter().map(ToString::to_string).collect();
    notes.push(format!("\u{201C}{}\u{201D}", fact.quote));
    notes.join("; ")
}
