//! `ask` and `search`.

use std::time::Duration;

use anyhow::Result;
use hearsay_memory::resolve;
use hearsay_recall::Form;

use crate::{
    args,
    campaign::{self, Meaning},
    output::{Fault, Output, WRONG_LINE},
};

/// A program has time: it waits for the encoder.
const PATIENCE: Duration = Duration::from_secs(60);

fn meaning(without: bool) -> Meaning {
    if without { Meaning::Without } else { Meaning::With }
}

pub(crate) fn ask(args: &args::Ask, output: &mut Output) -> Result<()> {
    let meaning = meaning(args.no_meaning);
    let memory = campaign::open(&args.campaign, meaning, output)?;
    // Names first: nobody waits for vectors to hear of a typing error.
    let names: Vec<String> = std::iter::once(&args.speaker).chain(&args.at).chain(&args.with).cloned().collect();
    memory.read(move |world| names.iter().try_for_each(|name| resolve(&world.state, name).map(drop)))?.wait()?;
    let as_of = match args.as_of.clone() {
        None => None,
        Some(raw) => {
            let date = memory.read(move |world| Ok(world.state.calendar().parse(&raw)?))?.wait()?;
            let vague = || Fault::new(WRONG_LINE, format!("`{}` is no day on the campaign's calendar", date.raw));
            Some(date.time.ok_or_else(vague)?)
        }
    };
    campaign::embed(&memory, meaning, output)?;
    let answer = memory
        .ask(hearsay_memory::Ask {
            place: args.at.clone(),
            present: args.with.clone(),
            as_of,
            budget: args.budget,
            limit: args.limit,
            deadline: Some(PATIENCE),
            ..hearsay_memory::Ask::new(&args.speaker, &args.question)
        })?
        .wait()?;
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
    let meaning = meaning(args.no_meaning);
    let memory = campaign::open(&args.campaign, meaning, output)?;
    if let Some(knower) = args.knower.clone() {
        memory.read(move |world| resolve(&world.state, &knower).map(drop))?.wait()?;
    }
    campaign::embed(&memory, meaning, output)?;
    let search = hearsay_memory::Search {
        text: args.text.clone(),
        knower: args.knower.clone(),
        limit: args.limit,
        deadline: Some(PATIENCE),
        ..hearsay_memory::Search::default()
    };
    let hits = memory.search(search)?.wait()?;
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
