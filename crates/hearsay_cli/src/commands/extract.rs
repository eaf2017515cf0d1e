//! `fact extract`: extracts facts from texts.

use std::{
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result};
use hearsay_commands::reading::{Draft, Drafted};
use hearsay_engine::{ExtractedFact, Form};

use crate::{
    args,
    campaign::{self, Access},
    interrupt, llm,
    output::{Fault, Output, WRONG_FILE, count},
    texts::{self, Meaning},
};

pub(crate) fn extract(args: &args::Extract, output: &mut Output) -> Result<()> {
    let text = match (&args.file, &args.text) {
        (Some(file), _) => Some(read(file)?),
        (None, text) => text.clone(),
    };
    let meaning = if args.meaning { Meaning::With } else { Meaning::Without };
    // If a text is given, the command only shows its facts.
    let access = if text.is_some() { Access::Read } else { Access::Write };
    let memory = campaign::open(&args.campaign, access, meaning, output)?;
    if args.llm {
        llm::check(&memory)?;
    }
    texts::embed_few(&memory, meaning, output)?;
    match text {
        None => {
            let found = texts::read_texts(&memory, args.again, output)?;
            if !args.llm {
                output.data(&found)?;
            }
            texts::tell_found(&found, output)?;
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
                (true, _) => Form::Lore,
                (_, true) => Form::Narration,
                _ => Form::Talk,
            };
            let (speaker, place, present) = (args.by.clone(), args.at.clone(), args.present.clone());
            let draft = Draft { text, form, speaker, present, place, before: Vec::new() };
            let drafted = if args.llm { llm::draft(&memory, draft)? } else { interrupt::wait(&memory.draft(draft)?)? };
            output.data(&drafted)?;
            show(&drafted, output)?;
        }
    }
    Ok(memory.close()?)
}

/// Maximum size of a file to read, in bytes (64 MiB).
const MAX_FILE_BYTES: u64 = 64 << 20;

fn read(file: &Path) -> Result<String> {
    let wrong = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::NotFound { "; pass a text with --text" } else { "" };
        Fault::new(WRONG_FILE, format!("{}: {error}{hint}", file.display()))
    };
    let mut bytes = Vec::new();
    match file.as_os_str() == "-" {
        true => _ = io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?,
        false => bytes = hearsay_campaign::read_file(file, MAX_FILE_BYTES).map_err(wrong)?,
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        let what = format!("{}, line {line}: this is not UTF-8; save it as UTF-8 text", file.display());
        Fault::new(WRONG_FILE, what).into()
    })
}

fn show(drafted: &Drafted, output: &mut Output) -> Result<()> {
    let found = &drafted.extraction;
    if found.facts.is_empty() {
        output.line("No facts found in the text.")?;
    }
    let rows: Vec<[String; 4]> = found
        .facts
        .iter()
        .zip(&drafted.statuses)
        .map(|(fact, status)| {
            let becomes = status.map_or("dropped", hearsay_model::FactStatus::as_str);
            let becomes = if fact.denied { "a denial" } else { becomes };
            [format!("{:.2}", fact.confidence.get()), becomes.to_owned(), fact.statement.clone(), cues(fact)]
        })
        .collect();
    output.columns(&rows)?;
    for entity in &found.entities {
        let kind = entity.kind.as_ref().map_or("of unknown kind", hearsay_model::Kind::as_str);
        output.line(format!("{:.2}  new name  {} ({kind})", entity.confidence.get(), entity.name))?;
    }
    if found.addresses_program {
        output.line("The text contains instructions to the program, so all its facts are doubtful.")?;
    }
    output.line(format!("{}; nothing was recorded.", count(found.facts.len(), "fact", "facts")))
}

fn cues(fact: &ExtractedFact) -> String {
    let mut notes: Vec<String> = fact.cues.iter().map(ToString::to_string).collect();
    notes.push(format!("\u{201C}{}\u{201D}", fact.quote));
    notes.join("; ")
}
