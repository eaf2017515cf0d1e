//! `db history` and `undo`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use hearsay_engine::Memory;
use hearsay_model::{Author, Entry, Key, Position, State, UndoPreview};
use hearsay_query as query;
use hearsay_query::journal::UndoTarget;
use serde_json::json;

use crate::{
    args::{self, AuthorArg},
    campaign::{self, Access},
    output::{Output, count},
    reveals::print_with_reveals,
    style::Style,
    texts::{self, EncoderUse},
};

pub(crate) fn history(args: &args::History, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (limit, verbose) = (args.limit, args.verbose);
    let rows = memory
        .read(move |world| {
            Ok(if verbose {
                query::journal::history(&world.state, limit)
            } else {
                query::journal::visible_history(&world.state, limit)
            })
        })?
        .wait()?;
    output.data(&rows)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            let recorded = Duration::from_millis(u64::try_from(row.recorded.0).unwrap_or(0));
            let undone = if row.live { "" } else { "  (undone)" };
            let position = format!("{:>4}", row.position.0);
            let summary = format!("{}{undone}", row.summary);
            [position, format_age(now.saturating_sub(recorded)), row.author.clone(), summary]
        })
        .collect();
    output.table([Style::Id, Style::Id, Style::Plain, Style::Plain], &lines)?;
    if lines.is_empty() {
        output.line("The journal is empty.")?;
    }
    Ok(memory.close()?)
}

/// Formats an elapsed time in one word.
fn format_age(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => "just now".into(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => count(usize::try_from(minutes / 1440).unwrap_or(usize::MAX), "day ago", "days ago"),
    }
}

/// Returns the position of the newest import that was not reverted.
fn last_import(memory: &Memory) -> Result<Position> {
    let read = memory.read(|world| {
        let mut newest = world.state.journal().rev();
        let is_import = |entry: &Entry| entry.live && matches!(entry.operation.author, Author::Importer(_));
        Ok(newest.find(|(_, entry)| is_import(entry)).map(|(position, _)| position))
    })?;
    read.wait()?.context("there is no import to undo")
}

pub(crate) fn undo(args: &args::Undo, output: &mut Output) -> Result<()> {
    // Does not import the campaign files first, because this would repeat the import that the user wants to revert.
    let memory = campaign::open_without_sync(
        &args.campaign.campaign,
        Access::for_dry_run(args.dry_run),
        EncoderUse::Disabled,
        output,
    )?;
    let target = match (args.position, args.author) {
        (Some(position), _) => UndoTarget::At(Position(position)),
        (_, Some(AuthorArg::Import)) => UndoTarget::At(last_import(&memory)?),
        (_, Some(AuthorArg::Dm)) => UndoTarget::LastBy(Author::Dm),
        (_, Some(AuthorArg::Game)) => UndoTarget::LastBy(Author::Game),
        (_, Some(AuthorArg::Extractor)) => UndoTarget::LastBy(Author::Extractor),
        (None, None) => UndoTarget::Last,
    };
    let (position, preview) = memory.undo_preview(target)?.wait()?;
    let (preview_copy, dependents) = (preview.clone(), preview.dependents.clone());
    let lines = memory.read(move |world| Ok(describe_undo(&world.state, position, &preview_copy)))?.wait()?;
    if args.dry_run {
        output.data(&json!({
            "position": position, "lost": preview.lost, "changed": preview.changed, "dependents": dependents,
        }))?;
        for line in lines {
            output.line(line)?;
        }
        return Ok(memory.close()?);
    }
    if !dependents.is_empty() && !args.force {
        for line in lines {
            output.note(line);
        }
        memory.close()?;
        let later = count(dependents.len(), "later operation depends", "later operations depend");
        bail!("operation {position} was not undone, because {later} on it; to undo it anyway, pass --force");
    }
    let is_import = memory.read(move |world| {
        let entry = world.state.entry(position);
        Ok(entry.is_some_and(|entry| matches!(entry.operation.author, Author::Importer(_))))
    })?;
    let is_import = is_import.wait()?;
    let written = memory.undo(UndoTarget::At(position))?.wait()?;
    output.line(format!("{} (operation {})", written.summary, written.position))?;
    let undo = args.campaign.command(&format!("undo {}", written.position));
    output.line(format!("  `{undo}` redoes the operation"))?;
    // Extracts facts from restored texts again, so that these facts are restored too.
    texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
    print_with_reveals(&memory, written, output)?;
    if is_import && hearsay_engine::has_campaign_files(&args.campaign.campaign) {
        output
            .line(format!("  Hearsay ignores the campaign files until you run `{}`", args.campaign.command("sync")))?;
    }
    Ok(memory.close()?)
}

/// Maximum number of facts in a preview.
const MAX_SHOWN_FACTS: usize = 10;

/// Describes the effects of a revert in several lines.
fn describe_undo(state: &State, position: Position, preview: &UndoPreview) -> Vec<String> {
    let summary = |position| state.entry(position).map_or("", |entry| entry.operation.summary.as_str());
    let mut lines = vec![format!("Undoing {position}: {}", summary(position))];
    let count_lost = |is_kind: fn(&Key) -> bool| preview.lost.iter().filter(|key| is_kind(key)).count();
    let facts_lost = count_lost(|key| matches!(key, Key::Fact(_)));
    let lost = [
        count(count_lost(|key| matches!(key, Key::Entity(_))), "entity", "entities"),
        count(facts_lost, "fact", "facts"),
        count(count_lost(|key| matches!(key, Key::KnowledgeEdge(_))), "knowledge edge", "knowledge edges"),
        count(count_lost(|key| matches!(key, Key::Passage(_))), "passage", "passages"),
    ];
    lines.push(format!("  lost: {}", lost.join(", ")));
    let facts = preview.lost.iter().filter_map(|key| match key {
        Key::Fact(id) => state.fact(*id),
        _ => None,
    });
    lines.extend(facts.take(MAX_SHOWN_FACTS).map(|fact| format!("    {}  {}", fact.id().short(), fact.statement())));
    if facts_lost > MAX_SHOWN_FACTS {
        lines.push(format!("    and {} more", facts_lost - MAX_SHOWN_FACTS));
    }
    lines.push(format!("  changed or restored: {}", count(preview.changed.len(), "record", "records")));
    for dependent in &preview.dependents {
        lines.push(format!("  depends on this operation: {dependent}: {}", summary(*dependent)));
    }
    lines
}
