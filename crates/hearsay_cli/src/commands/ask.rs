//! `ask` and `search`.

use std::time::Duration;

use anyhow::Result;
use hearsay_memory::{Answer, resolve};
use hearsay_model::{Position, State};
use hearsay_recall::Form;

use super::know::{needs_knower, read};
use crate::{
    args,
    campaign::{self, Meaning},
    output::Output,
};

/// A program has time: it waits for the encoder.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is said of an answer from the record.
const WORDS_ALONE: &str = "as it was on record: answered by words and graph alone";

fn meaning(without: bool) -> Meaning {
    if without { Meaning::Without } else { Meaning::With }
}

pub(crate) fn ask(args: &args::Ask, output: &mut Output) -> Result<()> {
    let meaning = meaning(args.no_meaning || args.when.recorded.is_some());
    let memory = campaign::open(&args.campaign, meaning, output)?;
    // Names first: nobody waits for vectors to hear of a typing error.
    let names: Vec<String> = std::iter::once(&args.speaker).chain(&args.at).chain(&args.with).cloned().collect();
    let called = |state: &State, names: &[String]| names.iter().try_for_each(|name| resolve(state, name).map(drop));
    read(&memory, &args.when, move |state, _| called(state, &names))?;
    let question = |as_of| hearsay_memory::Ask {
        place: args.at.clone(),
        present: args.with.clone(),
        as_of,
        budget: args.budget,
        limit: args.limit,
        deadline: Some(PATIENCE),
        ..hearsay_memory::Ask::new(&args.speaker, &args.question)
    };
    let answer = match args.when.recorded {
        Some(recorded) => {
            let (ask, settings) = (question(None), memory.settings().recall.clone());
            let context = read(&memory, &args.when, move |state, as_of| {
                hearsay_memory::Ask { as_of, ..ask }.context_of(state, &settings)
            })?;
            output.note(WORDS_ALONE);
            Answer { context, pending_vectors: 0, cut: vec!["meaning"], position: Position(recorded) }
        }
        None => {
            let as_of = read(&memory, &args.when, |_, as_of| Ok(as_of))?;
            campaign::embed(&memory, meaning, output)?;
            memory.ask(question(as_of))?.wait()?
        }
    };
    output.data(&answer)?;
    let (form, receipts) = match args.form {
        args::Form::Text => (Form::Text, !args.no_receipts),
        args::Form::Markdown => (Form::Markdown, !args.no_receipts),
        args::Form::Prompt => (Form::Prompt, args.receipts),
    };
    output.line(answer.context.render(form, receipts).trim_end())?;
    Ok(memory.close()?)
}

pub(crate) fn search(args: &args::Search, output: &mut Output) -> Result<()> {
    needs_knower(&args.when, args.knower.as_ref())?;
    let meaning = meaning(args.no_meaning || args.when.recorded.is_some());
    let memory = campaign::open(&args.campaign, meaning, output)?;
    let knower = args.knower.clone();
    let as_of = read(&memory, &args.when, move |state, as_of| {
        knower.iter().try_for_each(|knower| resolve(state, knower).map(drop))?;
        Ok(as_of)
    })?;
    let search = hearsay_memory::Search {
        text: args.text.clone(),
        knower: args.knower.clone(),
        as_of,
        limit: args.limit,
        deadline: Some(PATIENCE),
    };
    let hits = match args.when.recorded {
        Some(_) => {
            output.note(WORDS_ALONE);
            read(&memory, &args.when, move |state, _| search.hits_of(state))?
        }
        None => {
            campaign::embed(&memory, meaning, output)?;
            memory.search(search)?.wait()?
        }
    };
    output.data(&hits)?;
    if hits.is_empty() {
        output.line("Nothing was found.")?;
    }
    for hit in &hits {
        output.line(format!(
            "{:.2}  {}  [{} {}]",
            hit.score,
            hit.text,
            hit.what,
            hit.id.get(..8).unwrap_or(&hit.id)
        ))?;
    }
    Ok(memory.close()?)
}
