//! `simulate gossip`, `simulate flag` and `know conditions`.

use anyhow::Result;
use hearsay_commands::{
    edit::Edit,
    gossip::{Gossip, GossipReport, UntoldRow},
};
use hearsay_engine::Written;
use hearsay_query as query;
use serde::Serialize;
use serde_json::json;

use super::edit::write_edit;
use crate::{
    args,
    campaign::{self, Access},
    dry_run::WriteContext,
    interrupt,
    output::{Output, count},
    reveals::{print_reveal, print_with_reveals},
    texts::EncoderUse,
};

/// Maximum number of facts to list for each reason why facts are not told, unless all are requested.
const FACTS_PER_REASON: usize = 3;

/// JSON output of a gossip simulation, or of its dry run.
#[derive(Serialize)]
struct GossipOutput {
    /// Operation that was written; `None` for a dry run, or if nobody told anything.
    written: Option<Written>,
    #[serde(flatten)]
    report: GossipReport,
}

pub(crate) fn gossip(args: &args::GossipArgs, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::for_dry_run(args.dry_run), EncoderUse::Disabled, output)?;
    let gossip = Gossip { days: args.days, seed: args.seed, explain: true, ..Gossip::default() };
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
        let details = format!("known by {} \u{2192} {}, told at {}", row.before, row.after, places.join(", "));
        output.line(format!("  {}  {}  [{details}]", row.fact.short(), row.statement))?;
    }
    if let more @ 1.. = report.spread.len().saturating_sub(args.limit) {
        output.line(format!("and {} more: raise --limit", count(more, "fact", "facts")))?;
    }
    if args.tellings {
        for row in &report.news {
            let telling = format!("{} told {} (credence {:.2})", row.teller, row.hearer, row.credence.get());
            output.line(format!("  {}, {}: {telling}: {}", row.when, row.place, row.statement))?;
        }
    }
    if !report.variants.is_empty() {
        output.line(format!("Distorted ({}):", count(report.variants.len(), "fact", "facts")))?;
    }
    for row in report.variants.iter().take(args.limit) {
        output.line(format!("  {}, {} {}: {}", row.when, row.teller, row.kind.as_str(), row.original_statement))?;
        output.line(format!("    {}  {}", row.fact.short(), row.statement))?;
    }
    if let more @ 1.. = report.variants.len().saturating_sub(args.limit) {
        output.line(format!("  and {} more: raise --limit", count(more, "fact", "facts")))?;
    }
    let per_reason = if args.untold { args.limit } else { args.limit.min(FACTS_PER_REASON) };
    print_untold(&report.untold, per_reason, output)?;
    print_with_reveals(&memory, GossipOutput { written, report }, output)?;
    Ok(memory.close()?)
}

/// Prints the facts that nobody tells, grouped by the reason.
fn print_untold(untold: &[UntoldRow], per_reason: usize, output: &mut Output) -> Result<()> {
    for rows in untold.chunk_by(|a, b| a.reason == b.reason) {
        let total = count(rows.len(), "fact", "facts");
        output.line(format!("Not told ({total}): {}.", rows[0].reason.explanation()))?;
        for row in rows.iter().take(per_reason) {
            let knowers = match row.knowers.as_slice() {
                [] => "known by no living NPC".to_owned(),
                [first] => format!("known by {first}"),
                [first, rest @ ..] => format!("known by {first} and {} more", rest.len()),
            };
            let details = row.details.as_ref().map_or(knowers.clone(), |details| format!("{knowers}, {details}"));
            output.line(format!("  {}  {}  [{details}]", row.fact.short(), row.statement))?;
        }
        if let more @ 1.. = rows.len().saturating_sub(per_reason) {
            output.line(format!("  and {} more: use --untold and raise --limit", count(more, "fact", "facts")))?;
        }
    }
    Ok(())
}

pub(crate) fn flag(args: &args::Flag, output: &mut Output) -> Result<()> {
    let access = if args.value.is_some() { Access::for_dry_run(args.dry_run) } else { Access::Read };
    let memory = campaign::open(&args.campaign, access, EncoderUse::Disabled, output)?;
    if let (Some(name), Some(value)) = (&args.name, &args.value) {
        let (name, value) = (name.clone(), value.clone());
        let edit = match args.declare {
            true => Edit::DeclareFlag { name, value },
            false => Edit::SetFlag { name, value },
        };
        write_edit(&memory, WriteContext::new(&args.campaign, args.dry_run), edit, output)?;
        return Ok(memory.close()?);
    }
    let requested = args.name.clone();
    let read = memory.read(move |world| {
        if let Some(name) = &requested {
            world.state.declared_flag(name)?;
        }
        let flags =
            world.state.flags().filter(|(name, _)| requested.as_deref().is_none_or(|requested| requested == *name));
        Ok(flags.map(|(name, value)| (name.to_owned(), value.to_string())).collect::<Vec<_>>())
    })?;
    let flags = read.wait()?;
    output.data(&flags.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>())?;
    if flags.is_empty() {
        output.line("No flag is declared. Declare flags under `flags` in the campaign's files, or with --declare.")?;
    }
    output.columns(&flags.into_iter().map(|(name, value)| [name, value]).collect::<Vec<_>>())?;
    Ok(memory.close()?)
}

pub(crate) fn reveals(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Access::Read, EncoderUse::Disabled, output)?;
    let rows = memory.read_in_background(|world| Ok(query::reveals::reveals(&world.state)))?.wait()?;
    output.data(&rows.iter().map(|row| json!({ "statement": row.statement, "reveal": row })).collect::<Vec<_>>())?;
    if rows.is_empty() {
        output.line("No secret has conditions.")?;
    }
    for row in &rows {
        print_reveal(row, output)?;
    }
    Ok(memory.close()?)
}
