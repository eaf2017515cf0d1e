//! `facts`, `show`, `neighbours`, `path`, `status`, `stats`: looking around.

use std::collections::BTreeMap;

use anyhow::Result;
use hearsay_memory::{
    ModelStatus,
    query::{self, FactFilter, FactRow, Shown, WalkFilter},
};
use hearsay_model::Standing;
use hearsay_recall::graph::Direction;
use serde_json::json;

use crate::{
    args,
    campaign::{self, Meaning},
    output::Output,
};

pub(crate) fn facts(args: &args::Facts, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let filter = FactFilter {
        subject: args.subject.clone(),
        predicate: args.predicate.clone(),
        object: args.object.clone(),
        standing: args.standing.map(Into::into),
        knower: args.knower.clone(),
        limit: args.limit,
    };
    let (rows, all) = memory.read(move |world| query::facts(&world.state, &filter))?.wait()?;
    output.data(&json!({ "facts": rows, "all": all }))?;
    for row in &rows {
        fact_line(row, output)?;
    }
    match all - rows.len() {
        0 if all == 0 => output.line("No fact fits.")?,
        0 => {}
        more => output.line(format!("and {more} more: raise --limit"))?,
    }
    Ok(memory.close()?)
}

/// A fact in one line: id, statement, and what is unusual about it.
pub(crate) fn fact_line(row: &FactRow, output: &mut Output) -> Result<()> {
    let mut marks = vec![row.predicate.to_string()];
    if row.standing != Standing::Canon {
        marks.push(row.standing.to_string());
    }
    if row.secrecy != "open" {
        marks.push(row.secrecy.to_owned());
    }
    marks.extend(row.until.as_ref().map(|until| format!("until {until}")));
    marks.extend(row.evidence.first().cloned());
    output.line(format!("{}  {}  [{}]", row.id.short(), row.statement, marks.join(" \u{00B7} ")))
}

pub(crate) fn show(args: &args::Show, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (what, knower) = (args.what.clone(), args.knower.clone());
    let shown = memory.read(move |world| query::show(&world.state, &what, knower.as_deref()))?.wait()?;
    output.data(&shown)?;
    match &shown {
        Shown::Entity(page) => {
            let kind = page.kind.as_ref().map_or("unknown", |kind| kind.as_str());
            output.line(format!("{} ({kind}, {})", page.name.as_deref().unwrap_or("nameless"), page.id))?;
            if !page.aliases.is_empty() {
                output.line(format!("also {}", page.aliases.join(", ")))?;
            }
            for row in page.attributes.iter().chain(&page.relations) {
                fact_line(row, output)?;
            }
        }
        Shown::Fact(row) => fact_page(row, output)?,
    }
    Ok(memory.close()?)
}

fn fact_page(row: &FactRow, output: &mut Output) -> Result<()> {
    output.line(&row.statement)?;
    output.line(format!("  {} {} {}", row.subject, row.predicate, row.object))?;
    output.line(format!("  fact {}{}", row.id, row.handle.as_ref().map_or(String::new(), |h| format!(" ({h})"))))?;
    let confirmed = if row.confirmed { ", confirmed by the DM" } else { "" };
    output.line(format!("  {}, {}, confidence {:.2}{confirmed}", row.standing, row.secrecy, row.confidence))?;
    for (what, date) in [("since", &row.since), ("until", &row.until)] {
        if let Some(date) = date {
            output.line(format!("  {what} {date}"))?;
        }
    }
    let session = row.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
    output.line(format!("  recorded by {}{session}", row.author))?;
    for evidence in &row.evidence {
        output.line(format!("  {evidence}"))?;
    }
    if row.known_by.is_empty() {
        output.line("  known to nobody")?;
    }
    for knower in &row.known_by {
        let who = if knower.knower.entity().is_none() { "everybody" } else { knower.knower.as_str() };
        let learned = knower.learned.as_ref().map_or(String::new(), |learned| format!(", {learned}"));
        let conceals = if knower.conceals { ", keeps it to themselves" } else { "" };
        output.line(format!("  {who}: {}, credence {:.2}{learned}{conceals}", knower.how, knower.credence))?;
    }
    Ok(())
}

fn walk(args: &args::Walk) -> WalkFilter {
    let direction = match args.direction {
        args::DirectionArg::Out => Direction::Out,
        args::DirectionArg::In => Direction::In,
        args::DirectionArg::Both => Direction::Both,
    };
    WalkFilter { direction, predicates: args.predicate.clone(), knower: args.knower.clone() }
}

pub(crate) fn neighbours(args: &args::Neighbours, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (entity, filter, depth, limit) = (args.entity.clone(), walk(&args.walk), args.depth, args.limit);
    let rows = memory.read(move |world| query::neighbours(&world.state, &entity, &filter, depth, limit))?.wait()?;
    output.data(&rows)?;
    if rows.is_empty() {
        output.line("Nobody and nothing.")?;
    }
    for row in &rows {
        output.line(format!("{}  {} ({})  {}", row.distance, row.name, row.id, row.statement))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn path(args: &args::Path, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (from, to, filter, longest) = (args.from.clone(), args.to.clone(), walk(&args.walk), args.max);
    let steps = memory.read(move |world| query::path(&world.state, &from, &to, &filter, longest))?.wait()?;
    output.data(&steps)?;
    match &steps {
        None => output.line(format!("There is no path of at most {longest} steps."))?,
        Some(steps) => {
            for (number, step) in steps.iter().enumerate() {
                output.line(format!("{}  {} ({})  {}", number + 1, step.name, step.to, step.statement))?;
            }
        }
    }
    Ok(memory.close()?)
}

pub(crate) fn status(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::With, output)?;
    // The model loads in the background: wait until it is there or not.
    let status = loop {
        let status = memory.status()?.wait()?;
        if status.model != ModelStatus::Loading {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    output.data(&status)?;
    output.line(format!("{} entities, {} facts, {} texts", status.entities, status.facts, status.texts))?;
    output.line(format!("journal at {}, graph tables at {}", status.position, status.projected))?;
    output.line(format!("{} items wait for review", status.reviews))?;
    match &status.model {
        ModelStatus::Ready { id } => output.line(format!("model {id}, {} vectors to make", status.pending_vectors))?,
        ModelStatus::None { why } => output.line(format!("no model: {why}"))?,
        ModelStatus::Loading => {}
    }
    output.line(format!("opened {}", status.opened))?;
    Ok(memory.close()?)
}

pub(crate) fn stats(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::Without, output)?;
    let stats = memory.read(|world| Ok(query::stats(&world.state)))?.wait()?;
    output.data(&stats)?;
    let mut table = |title: &str, counts: &BTreeMap<String, usize>| -> Result<()> {
        output.line(format!("{title} ({})", counts.values().sum::<usize>()))?;
        let mut rows: Vec<_> = counts.iter().collect();
        rows.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        for (name, count) in rows {
            output.line(format!("  {count:>6}  {name}"))?;
        }
        Ok(())
    };
    table("Entities", &stats.entities)?;
    table("Facts by predicate", &stats.predicates)?;
    table("Facts by standing", &stats.standings)?;
    table("Facts by source", &stats.sources)?;
    table("Facts by secrecy", &stats.secrecy)?;
    output.line(format!(
        "{} edges of knowledge, {} passages, {} sessions",
        stats.knowledge, stats.passages, stats.sessions
    ))?;
    output.line(format!("{} facts are known to nobody", stats.known_to_nobody))?;
    Ok(memory.close()?)
}
