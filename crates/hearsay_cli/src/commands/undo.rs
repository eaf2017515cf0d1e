//! `undo`.

use anyhow::{Context, Result, bail};
use hearsay_engine::{Memory, Written};
use hearsay_model::{Author, Entry, Key, Position, State, UndoPreview};
use hearsay_query as query;
use hearsay_query::journal::{HistoryRow, UndoTarget};
use serde_json::json;

use crate::{
    args::{self, AuthorArg},
    campaign::{self, Access},
    output::{Output, count},
    reveals::print_with_reveals,
    texts::{self, EncoderUse},
};

/// Maximum number of facts in a preview.
const MAX_SHOWN_FACTS: usize = 10;

/// Maximum number of operations in a preview.
const MAX_SHOWN_OPERATIONS: usize = 20;

/// A planned undo, with its effects.
struct UndoPlan {
    position: Position,
    preview: UndoPreview,
    /// Operations that an undo back to `position` reverts, newest first; `None` for an undo of the operation at
    /// `position`.
    undone: Option<Vec<HistoryRow>>,
    /// Whether the undo reverts an import.
    reverts_import: bool,
    /// Reason why the undo must be confirmed; `None` if it needs no confirmation.
    reason: Option<String>,
    /// Description of the effects.
    lines: Vec<String>,
}

pub(crate) fn undo(args: &args::Undo, output: &mut Output) -> Result<()> {
    // Does not import the campaign files first, because this would repeat the import that the user wants to revert.
    let memory = campaign::open_without_sync(
        &args.campaign.campaign,
        Access::for_dry_run(args.dry_run),
        EncoderUse::Disabled,
        output,
    )?;
    let plan = match args.to {
        Some(position) => plan_undo_back_to(&memory, Position(position))?,
        None => plan_undo_of(&memory, args)?,
    };
    if args.dry_run {
        let UndoPlan { position, preview, undone, .. } = &plan;
        output.data(&json!({
            "position": position, "lost": preview.lost, "changed": preview.changed,
            "extractions": preview.extractions, "dependents": preview.dependents, "undone": undone,
        }))?;
        for line in &plan.lines {
            output.line(line)?;
        }
        return Ok(memory.close()?);
    }
    if let Some(reason) = plan.reason.as_ref().filter(|_| !args.yes)
        && !is_confirmed(&plan, reason, output)
    {
        memory.close()?;
        bail!("nothing was undone, because {reason}; to undo without confirmation, pass --yes");
    }
    let written = match plan.undone {
        Some(_) => memory.restore(plan.position)?.wait()?,
        None => memory.undo(UndoTarget::At(plan.position))?.wait()?,
    };
    report_undo(&memory, args, written, plan.reverts_import, output)?;
    Ok(memory.close()?)
}

/// Prints the result of an undo.
fn report_undo(
    memory: &Memory,
    args: &args::Undo,
    written: Written,
    reverts_import: bool,
    output: &mut Output,
) -> Result<()> {
    output.line(format!("{} (operation {})", written.summary, written.position))?;
    let undo = args.campaign.command(&format!("undo {}", written.position));
    output.line(format!("  `{undo}` reverts this undo"))?;
    // Extracts facts from restored texts again, so that these facts are restored too.
    texts::extract_new_texts(memory, &args.campaign.campaign, output)?;
    print_with_reveals(memory, written, output)?;
    if reverts_import && hearsay_engine::has_campaign_files(&args.campaign.campaign) {
        output
            .line(format!("  Hearsay ignores the campaign files until you run `{}`", args.campaign.command("sync")))?;
    }
    Ok(())
}

/// Shows the effects of an undo, and asks the user to confirm it. Without a terminal, only shows the effects.
fn is_confirmed(plan: &UndoPlan, reason: &str, output: &Output) -> bool {
    for line in &plan.lines {
        output.note(line);
    }
    output.is_confirmed(&format!("{reason}; undo? [y/N] "))
}

fn plan_undo_of(memory: &Memory, args: &args::Undo) -> Result<UndoPlan> {
    let target = match (args.position, args.author) {
        (Some(position), _) => UndoTarget::At(undoable_operation(memory, args, Position(position))?),
        (_, Some(AuthorArg::Import)) => UndoTarget::At(last_import(memory)?),
        (_, Some(AuthorArg::Dm)) => UndoTarget::LastBy(Author::Dm),
        (_, Some(AuthorArg::Game)) => UndoTarget::LastBy(Author::Game),
        (_, Some(AuthorArg::Extractor)) => UndoTarget::LastBy(Author::Extractor),
        (None, None) => UndoTarget::Last,
    };
    let (position, preview) = memory.undo_preview(target)?.wait()?;
    let plan = memory.read(move |world| {
        let state = &world.state;
        let summary = |position| state.entry(position).map_or("", |entry| entry.operation.summary.as_str());
        let mut lines = vec![format!("Undoing {position}: {}", summary(position))];
        lines.extend(describe_effects(state, &preview));
        let extractions = preview.extractions.iter().take(MAX_SHOWN_OPERATIONS);
        lines.extend(extractions.map(|at| format!("  also undone, because its text is lost: {at}: {}", summary(*at))));
        lines.extend(remaining_line("  ", preview.extractions.len(), MAX_SHOWN_OPERATIONS));
        for dependent in &preview.dependents {
            lines.push(format!("  depends on this operation: {dependent}: {}", summary(*dependent)));
        }
        let reverts_import = query::journal::reverts_import(state, position);
        let import = reverts_import.then(|| {
            let lost = lost_counts(&preview)[..2].join(" and ");
            format!("operation {position} is an import (`{}`), with {lost}", summary(position))
        });
        let dependents = (!preview.dependents.is_empty()).then(|| {
            let later = count(preview.dependents.len(), "later operation depends", "later operations depend");
            format!("{later} on operation {position}")
        });
        let reasons: Vec<String> = import.into_iter().chain(dependents).collect();
        let reason = (!reasons.is_empty()).then(|| reasons.join(" and "));
        Ok(UndoPlan { position, preview, undone: None, reverts_import, reason, lines })
    })?;
    Ok(plan.wait()?)
}

fn plan_undo_back_to(memory: &Memory, position: Position) -> Result<UndoPlan> {
    let (preview, undone) = memory.restore_preview(position)?.wait()?;
    if undone.is_empty() {
        bail!("there is no operation after operation {position} to undo");
    }
    let plan = memory.read(move |world| {
        let operations = count(undone.len(), "operation", "operations");
        let mut lines = vec![format!("Undoing all operations after {position}: {operations}")];
        lines
            .extend(undone.iter().take(MAX_SHOWN_OPERATIONS).map(|row| format!("  {}: {}", row.position, row.summary)));
        lines.extend(remaining_line("  ", undone.len(), MAX_SHOWN_OPERATIONS));
        lines.extend(describe_effects(&world.state, &preview));
        let reverts_import = undone.iter().any(|row| query::journal::reverts_import(&world.state, row.position));
        let reason = Some(format!("{operations} would be undone"));
        Ok(UndoPlan { position, preview, undone: Some(undone), reverts_import, reason, lines })
    })?;
    Ok(plan.wait()?)
}

/// Returns the position of an operation, if its undo changes the campaign.
///
/// # Errors
/// Returns an error if the operation only records the progress of the program. The error names the operation before it.
fn undoable_operation(memory: &Memory, args: &args::Undo, position: Position) -> Result<Position> {
    let read = memory.read(move |world| {
        let state = &world.state;
        let is_internal = query::journal::records_only_progress(state, position);
        let summary = state.entry(position).map_or_else(String::new, |entry| entry.operation.summary.clone());
        let earlier =
            query::journal::visible_history(state, usize::MAX).into_iter().find(|row| row.position < position);
        Ok(is_internal.then_some((summary, earlier)))
    })?;
    let Some((summary, earlier)) = read.wait()? else { return Ok(position) };
    let before = earlier.map_or_else(String::new, |row| {
        format!("the operation before it is {} (\u{201C}{}\u{201D}); ", row.position, row.summary)
    });
    bail!(
        "operation {position} is internal (\u{201C}{summary}\u{201D}), so there is nothing to undo; {before}`{}` lists the \
         operations",
        args.campaign.command("db history")
    )
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

/// Describes in several lines which records an undo removes or changes.
fn describe_effects(state: &State, preview: &UndoPreview) -> Vec<String> {
    let mut lines = vec![format!("  lost: {}", lost_counts(preview).join(", "))];
    let facts = preview.lost.iter().filter_map(|key| match key {
        Key::Fact(id) => state.fact(*id),
        _ => None,
    });
    let facts: Vec<String> = facts.map(|fact| format!("    {}  {}", fact.id().short(), fact.statement())).collect();
    lines.extend(facts.iter().take(MAX_SHOWN_FACTS).cloned());
    lines.extend(remaining_line("    ", facts.len(), MAX_SHOWN_FACTS));
    lines.push(format!("  changed or restored: {}", count(preview.changed.len(), "record", "records")));
    lines
}

/// Returns the numbers of the entities, facts, knowledge edges and passages that an undo removes.
fn lost_counts(preview: &UndoPreview) -> [String; 4] {
    let count_lost = |is_kind: fn(&Key) -> bool| preview.lost.iter().filter(|key| is_kind(key)).count();
    [
        count(count_lost(|key| matches!(key, Key::Entity(_))), "entity", "entities"),
        count(count_lost(|key| matches!(key, Key::Fact(_))), "fact", "facts"),
        count(count_lost(|key| matches!(key, Key::KnowledgeEdge(_))), "knowledge edge", "knowledge edges"),
        count(count_lost(|key| matches!(key, Key::Passage(_))), "passage", "passages"),
    ]
}

/// Returns a line for the items of a list that are not shown; `None` if all items are shown.
fn remaining_line(indent: &str, total: usize, shown: usize) -> Option<String> {
    total.checked_sub(shown).filter(|remaining| *remaining > 0).map(|remaining| format!("{indent}and {remaining} more"))
}
