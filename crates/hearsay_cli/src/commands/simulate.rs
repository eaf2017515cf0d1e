//! `simulate gossip`, `simulate flag` and `know conditions`.

use std::collections::BTreeSet;

use anyhow::Result;
use hearsay_memory::{
    Edit, Event, Gossip, GossipReport, Memory, Written,
    query::{self, RevealRow},
};
use serde::Serialize;
use serde_json::json;

use super::edit::tell;
use crate::{
    args,
    campaign::{self, Meaning},
    interrupt,
    output::{Output, count},
};

/// JSON output of gossip, or of its dry run.
#[derive(Serialize)]
struct Talked {
    /// The written operation; `None` for a dry run or if nobody told anything.
    written: Option<Written>,
    #[serde(flatten)]
    report: GossipReport,
}

pub(crate) fn gossip(args: &args::GossipArgs, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let gossip = Gossip { days: args.days, seed: args.seed, ..Gossip::default() };
    let plan = interrupt::wait(&memory.gossip(gossip)?)?;
    let report = plan.report.clone();
    let written = if args.dry_run { None } else { Some(memory.commit_gossip(plan)?.wait()?) };
    match &written {
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
        None => output.line(format!("Dry run, nothing was changed: {}", report.summary))?,
    }
    output.line(format!("{} met.", count(report.meetings, "pair", "pairs")))?;
    for row in report.spread.iter().take(args.limit) {
        let places: Vec<_> = row.places.iter().map(ToString::to_string).collect();
        let at = format!("known by {} \u{2192} {}, told at {}", row.before, row.after, places.join(", "));
        output.line(format!("  {}  {}  [{at}]", row.fact.short(), row.statement))?;
    }
    if let more @ 1.. = report.spread.len().saturating_sub(args.limit) {
        output.line(format!("and {} more: raise --limit", count(more, "fact", "facts")))?;
    }
    if args.tellings {
        for row in &report.news {
            let what = format!("{} told {} (credence {:.2})", row.teller, row.hearer, row.credence.get());
            output.line(format!("  {}, {}: {what}: {}", row.when, row.place, row.statement))?;
        }
    }
    tell_with_reveals(&memory, Talked { written, report }, output)?;
    Ok(memory.close()?)
}

pub(crate) fn flag(args: &args::Flag, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    if let (Some(name), Some(value)) = (&args.name, &args.value) {
        let (name, value) = (name.clone(), value.clone());
        let edit = match args.declare {
            true => Edit::DeclareFlag { name, value },
            false => Edit::SetFlag { name, value },
        };
        let written = memory.edit(edit)?.wait()?;
        tell(&memory, written, output)?;
        return Ok(memory.close()?);
    }
    let wanted = args.name.clone();
    let read = memory.read(move |world| {
        if let Some(name) = &wanted {
            world.state.declared_flag(name)?;
        }
        let flags = world.state.flags().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name));
        Ok(flags.map(|(name, value)| (name.to_owned(), value.to_string())).collect::<Vec<_>>())
    })?;
    let flags = read.wait()?;
    output.data(&flags.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>())?;
    if flags.is_empty() {
        output.line("No flag is declared: `flags` in the campaign's files, or --declare.")?;
    }
    output.columns(&flags.into_iter().map(|(name, value)| [name, value]).collect::<Vec<_>>())?;
    Ok(memory.close()?)
}

/// JSON output of a command, with the secrets that became revealable through it.
#[derive(Serialize)]
pub(crate) struct WithReveals<T: Serialize> {
    #[serde(flatten)]
    pub(crate) told: T,
    pub(crate) revealable: Vec<RevealRow>,
}

/// Returns the secrets that became revealable through the last written operation.
pub(crate) fn revealable(memory: &Memory) -> Result<Vec<RevealRow>> {
    // Events arrive before the answer to a later request, so this waits for any answer.
    memory.status()?.wait()?;
    let opened = memory.events().try_iter().filter_map(|event| match event {
        Event::Revealable { reveal, holder, .. } => Some((reveal, holder)),
        _ => None,
    });
    let opened: BTreeSet<_> = opened.collect();
    if opened.is_empty() {
        return Ok(Vec::new());
    }
    let read = memory.read_in_background(move |world| {
        let mut rows = query::reveals(&world.state);
        rows.retain(|row| row.judgement.holds && opened.contains(&(row.reveal.clone(), row.holder.clone())));
        Ok(rows)
    })?;
    Ok(read.wait()?)
}

/// Prints the JSON output of a command, and the secrets that became revealable.
pub(crate) fn tell_with_reveals<T: Serialize>(memory: &Memory, told: T, output: &mut Output) -> Result<()> {
    let revealable = revealable(memory)?;
    for row in &revealable {
        reveal_lines(row, output)?;
    }
    output.data(&WithReveals { told, revealable })
}

/// Formats in one line which character may reveal a secret, or may not yet.
pub(crate) fn reveal_line(row: &RevealRow) -> String {
    let now = if row.judgement.holds { "may tell now" } else { "may not tell yet" };
    format!("{} {now}: {} [{}]", row.holder, row.statement, row.fact.short())
}

fn reveal_lines(row: &RevealRow, output: &mut Output) -> Result<()> {
    output.line(reveal_line(row))?;
    if !row.judgement.listeners.is_empty() {
        let to: Vec<_> = row.judgement.listeners.iter().map(ToString::to_string).collect();
        output.line(format!("  to {}", to.join(", ")))?;
    }
    for missing in &row.judgement.missing {
        output.line(format!("  missing: {missing}"))?;
    }
    if let Some(note) = &row.note {
        output.line(format!("  note: {note}"))?;
    }
    Ok(())
}

pub(crate) fn reveals(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::Without, output)?;
    let rows = memory.read_in_background(|world| Ok(query::reveals(&world.state)))?.wait()?;
    output.data(&rows.iter().map(|row| json!({ "statement": row.statement, "reveal": row })).collect::<Vec<_>>())?;
    if rows.is_empty() {
        output.line("No secret has conditions.")?;
    }
    for row in &rows {
        reveal_lines(row, output)?;
    }
    Ok(memory.close()?)
}
