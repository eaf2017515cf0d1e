//! Secrets that may be told after a command, because the command fulfilled their conditions.

use std::collections::BTreeSet;

use anyhow::Result;
use hearsay_engine::{Event, Memory};
use hearsay_query as query;
use hearsay_query::reveals::RevealRow;
use serde::Serialize;

use crate::output::Output;

/// JSON output of a command, with the secrets whose conditions it fulfilled.
#[derive(Serialize)]
struct WithReveals<T: Serialize> {
    #[serde(flatten)]
    result: T,
    revealable: Vec<RevealRow>,
}

/// Returns the secrets whose conditions the last written operation fulfilled.
pub(crate) fn revealable(memory: &Memory) -> Result<Vec<RevealRow>> {
    // Events arrive before the answer to any later request, so all events have arrived after this answer.
    memory.status()?.wait()?;
    let fulfilled = memory.events().try_iter().filter_map(|event| match event {
        Event::Revealable { reveal, holder, .. } => Some((reveal, holder)),
        _ => None,
    });
    let fulfilled: BTreeSet<_> = fulfilled.collect();
    if fulfilled.is_empty() {
        return Ok(Vec::new());
    }
    let read = memory.read_in_background(move |world| {
        let mut rows = query::reveals::reveals(&world.state);
        rows.retain(|row| row.judgement.holds && fulfilled.contains(&(row.reveal.clone(), row.holder.clone())));
        Ok(rows)
    })?;
    Ok(read.wait()?)
}

/// Prints the secrets whose conditions the command fulfilled. With `--json`, prints the result of the command and these
/// secrets as JSON instead.
pub(crate) fn print_with_reveals<T: Serialize>(memory: &Memory, result: T, output: &mut Output) -> Result<()> {
    print_with_revealable(revealable(memory)?, result, output)
}

/// Does the same as [`print_with_reveals`] for a dry run. `revealable` contains the secrets whose conditions the command
/// would fulfil.
pub(crate) fn print_with_revealable<T: Serialize>(
    revealable: Vec<RevealRow>,
    result: T,
    output: &mut Output,
) -> Result<()> {
    for row in &revealable {
        print_reveal(row, output)?;
    }
    output.data(&WithReveals { result, revealable })
}

/// Formats one line that says whether a character may reveal a secret now.
pub(crate) fn format_reveal(row: &RevealRow) -> String {
    let permission = if row.judgement.holds { "may tell now" } else { "may not tell yet" };
    format!("{} {permission}: {} [{}]", row.holder, row.statement, row.fact.short())
}

/// Prints a secret with its conditions.
pub(crate) fn print_reveal(row: &RevealRow, output: &mut Output) -> Result<()> {
    output.line(format_reveal(row))?;
    if !row.judgement.listeners.is_empty() {
        let listeners: Vec<_> = row.judgement.listeners.iter().map(ToString::to_string).collect();
        output.line(format!("  to {}", listeners.join(", ")))?;
    }
    for missing in &row.judgement.missing {
        output.line(format!("  missing: {missing}"))?;
    }
    if let Some(note) = &row.note {
        output.line(format!("  note: {note}"))?;
    }
    Ok(())
}
