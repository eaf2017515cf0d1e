//! `gossip`, `flag`, `reveals`: the game goes on, and what follows from that.

use anyhow::Result;
use hearsay_memory::{Edit, Gossip, GossipReport, Written, query};
use serde::Serialize;
use serde_json::json;

use super::edit::tell;
use crate::{
    args,
    campaign::{self, Meaning},
    interrupt,
    output::{Output, count},
};

/// What gossip wrote, or would write.
#[derive(Serialize)]
struct Talked {
    /// What was written; nothing, when it was a dry run or nothing happened.
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
        None => output.line(format!("Dry run, nothing is changed: {}", report.summary))?,
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
    output.data(&Talked { written, report })?;
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

pub(crate) fn reveals(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::Without, output)?;
    let read = memory.read_aside(|world| {
        let statement = |id| world.state.fact(id).map_or_else(String::new, |fact| fact.statement().to_owned());
        let rows = query::reveals(&world.state).into_iter();
        Ok(rows.map(|row| (statement(row.fact), row)).collect::<Vec<_>>())
    })?;
    let rows = read.wait()?;
    output.data(
        &rows.iter().map(|(statement, row)| json!({ "statement": statement, "reveal": row })).collect::<Vec<_>>(),
    )?;
    if rows.is_empty() {
        output.line("No secret has a condition under which it is told.")?;
    }
    for (statement, row) in &rows {
        let now = match row.judgement.holds {
            true => "may tell now",
            false => "may not tell yet",
        };
        output.line(format!("{} {now}: {statement} [{}]", row.holder, row.fact.short()))?;
        if !row.judgement.listeners.is_empty() {
            let to: Vec<_> = row.judgement.listeners.iter().map(ToString::to_string).collect();
            output.line(format!("  to {}", to.join(", ")))?;
        }
        for missing in &row.judgement.missing {
            output.line(format!("  missing: {missing}"))?;
        }
    }
    Ok(memory.close()?)
}
