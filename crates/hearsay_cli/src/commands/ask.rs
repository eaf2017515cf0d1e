//! `ask` and `search`.

use std::time::Duration;

use anyhow::Result;
use hearsay_recall::Form;

use crate::{
    args,
    campaign::{self, Meaning},
    output::Output,
};

/// A program has time: it waits for the encoder.
const PATIENCE: Duration = Duration::from_secs(60);

fn meaning(without: bool) -> Meaning {
    if without { Meaning::Without } else { Meaning::With }
}

pub(crate) fn ask(args: &args::Ask, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, meaning(args.no_meaning), output)?;
    campaign::embed(&memory, output)?;
    let as_of = match args.as_of.clone() {
        None => None,
        Some(raw) => memory.read(move |world| Ok(world.state.calendar().parse(&raw)?.time))?.wait()?,
    };
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
    let memory = campaign::open(&args.campaign, meaning(args.no_meaning), output)?;
    campaign::embed(&memory, output)?;
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
        output.line(format!("{:.2}  {}  [{} {}]", hit.score, hit.text, hit.what, &hit.id[..8]))?;
    }
    Ok(memory.close()?)
}
