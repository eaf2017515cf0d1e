//! `fact extract`: reads texts for facts.

use std::{
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result};
use hearsay_memory::{Draft, Drafted, ExtractedFact, Form};

use crate::{
    args,
    campaign::{self, Meaning},
    interrupt, llm,
    output::{Fault, Output, WRONG_FILE, count},
};

pub(crate) fn extract(args: &args::Extract, output: &mut Output) -> Result<()> {
    let text = match (&args.file, &args.text) {
        (Some(file), _) => Some(read(file)?),
        (None, text) => text.clone(),
    };
    let meaning = if args.meaning { Meaning::With } else { Meaning::Without };
    let memory = campaign::open(&args.campaign, meaning, output)?;
    if args.llm {
        llm::check(&memory)?;
    }
    campaign::embed_few(&memory, meaning, output)?;
    match text {
        None => {
            let found = campaign::read_texts(&memory, args.again, output)?;
            if !args.llm {
                output.data(&found)?;
            }
            campaign::tell_found(&found, output)?;
            if args.llm {
                llm::read(&memory, output)?;
            }
            // The language model already printed which texts it did not read.
            output.line(if args.llm {
                "`hearsay review` shows what waits for you."
            } else {
                "All texts are read. `hearsay review` shows what waits for you."
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

/// Maximum size in bytes of a file to read; 64 MiB.
const MAX_FILE_BYTES: u64 = 64 << 20;

fn read(file: &Path) -> Result<String> {
    let wrong = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::NotFound { "; a text of yours goes with --text" } else { "" };
        Fault::new(WRONG_FILE, format!("{}: {error}{hint}", file.display()))
    };
    let mut bytes = Vec::new();
    match file.as_os_str() == "-" {
        true => _ = io::stdin().read_to_end(&mut bytes).context("standard input")?,
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
        output.line("Nothing is stated in it.")?;
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
        output.line("The text speaks to the program: nothing in it is beyond doubt.")?;
    }
    output.line(format!("{}; nothing was recorded.", count(found.facts.len(), "fact", "facts")))
}

fn cues(fact: &ExtractedFact) -> String {
    let mut notes: Vec<String> = fact.cues.iter().map(ToString::to_string).collect();
    notes.push(format!("\u{201C}{}\u{201D}", fact.quote));
    notes.join("; ")
}
