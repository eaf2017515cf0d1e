//! `history` and `undo`.

use anyhow::{Result, bail};
use hearsay_memory::{UndoTarget, query};
use hearsay_model::{Author, Key, Position, State, UndoPreview};
use serde_json::json;

use crate::{
    args::{self, AuthorArg},
    campaign::{self, Meaning},
    output::Output,
};

pub(crate) fn history(args: &args::History, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let limit = args.limit;
    let rows = memory.read(move |world| Ok(query::history(&world.state, limit)))?.wait()?;
    output.data(&rows)?;
    for row in &rows {
        let undone = if row.live { "" } else { "  (undone)" };
        output.line(format!("{:>6}  {}: {}{undone}", row.position.0, row.author, row.summary))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn undo(args: &args::Undo, output: &mut Output) -> Result<()> {
    // Files are not read first: an import that is being undone would come back at once.
    let memory = campaign::open_plain(&args.campaign.campaign, Meaning::Without)?;
    let target = match (args.position, args.author) {
        (Some(position), _) => UndoTarget::At(Position(position)),
        (_, Some(AuthorArg::Dm)) => UndoTarget::LastBy(Author::Dm),
        (_, Some(AuthorArg::Game)) => UndoTarget::LastBy(Author::Game),
        (_, Some(AuthorArg::Extractor)) => UndoTarget::LastBy(Author::Extractor),
        (None, None) => UndoTarget::Last,
    };
    let (position, preview) = memory.undo_preview(target)?.wait()?;
    let (told, dependents) = (preview.clone(), preview.dependents.clone());
    let lines = memory.read(move |world| Ok(describe(&world.state, position, &told)))?.wait()?;
    if args.preview {
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
        bail!("later operations depend on it; --force undoes it all the same");
    }
    let written = memory.undo(UndoTarget::At(position))?.wait()?;
    output.data(&written)?;
    output.line(format!("{} (operation {}; undoing that one brings it back)", written.summary, written.position))?;
    Ok(memory.close()?)
}

/// What undoing would do, in lines for people.
fn describe(state: &State, position: Position, preview: &UndoPreview) -> Vec<String> {
    let summary = |position| state.entry(position).map_or("", |entry| entry.operation.summary.as_str());
    let mut lines = vec![format!("Undoing {position}: {}", summary(position))];
    let count = |keys: &[Key], is: fn(&Key) -> bool| keys.iter().filter(|key| is(key)).count();
    lines.push(format!(
        "  lost: {} entities, {} facts, {} edges of knowledge, {} passages",
        count(&preview.lost, |key| matches!(key, Key::Entity(_))),
        count(&preview.lost, |key| matches!(key, Key::Fact(_))),
        count(&preview.lost, |key| matches!(key, Key::Knowledge(_))),
        count(&preview.lost, |key| matches!(key, Key::Passage(_))),
    ));
    let facts = preview.lost.iter().filter_map(|key| match key {
        Key::Fact(id) => state.fact(*id),
        _ => None,
    });
    lines.extend(facts.take(10).map(|fact| format!("    {}  {}", fact.id().short(), fact.statement())));
    lines.push(format!("  changed or back again: {} records", preview.changed.len()));
    for dependent in &preview.dependents {
        lines.push(format!("  depends on it: {dependent}: {}", summary(*dependent)));
    }
    lines
}
