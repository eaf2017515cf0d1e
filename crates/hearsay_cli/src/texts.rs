//! Texts of a campaign: waits for their vectors and for the extraction of facts.

use std::path::Path;

use anyhow::{Context, Result};
use hearsay_commands::proposal::Proposed;
use hearsay_engine::{Memory, ModelStatus, Settings, Status};

use crate::{
    interrupt,
    output::{Output, count},
};

/// Whether the command uses the sentence encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    With,
    Without,
}

/// Maximum number of texts without a vector for which `ask` and `search` wait. If there are more, the user must run `db
/// embed`.
const MOST_WAITED: usize = 1_000;

/// Waits until the stored vectors are read and the sentence encoder is loaded or turns out to be missing. Returns the
/// status of the memory.
pub(crate) fn settle(memory: &Memory) -> Result<Status> {
    memory.wait_until_settled(|| !interrupt::is_asked()).map_err(|error| match interrupt::check() {
        Err(stopped) => stopped,
        Ok(()) => error.into(),
    })
}

/// Waits until every text has its vector, and shows a progress bar on the terminal.
pub(crate) fn embed(memory: &Memory, output: &Output) -> Result<Status> {
    let bar = output.progress("embedding");
    let status = memory.wait_for_vectors(|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        !interrupt::is_asked()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    status.context("waiting for vectors")
}

/// If at most [`MOST_WAITED`] texts have no vector, waits until every text has one. Prints a note if an answer cannot
/// rank all texts by meaning.
pub(crate) fn embed_few(memory: &Memory, meaning: Meaning, output: &Output) -> Result<()> {
    embed_up_to(memory, meaning, MOST_WAITED, output)
}

/// Waits until every text has a vector, unless `meaning` is `Without`. Prints a note if an answer cannot rank all texts
/// by meaning.
pub(crate) fn embed_all(memory: &Memory, meaning: Meaning, output: &Output) -> Result<()> {
    embed_up_to(memory, meaning, usize::MAX, output)
}

fn embed_up_to(memory: &Memory, meaning: Meaning, most: usize, output: &Output) -> Result<()> {
    if meaning == Meaning::Without {
        return Ok(());
    }
    let mut status = settle(memory)?;
    if (1..=most).contains(&status.pending_vectors) || status.unindexed > 0 {
        status = embed(memory, output)?;
    }
    match status.model {
        ModelStatus::None { why } => {
            output.note(format!("the answer uses words and relations only, not meaning: {}", brief(&why)));
        }
        _ if status.pending_vectors > 0 => {
            let texts = count(status.pending_vectors, "text has", "texts have");
            output.note(format!(
                "{texts} no vector and can be found by words only; run `hearsay db embed` to compute the vectors"
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Extracts facts from the texts that are not processed yet, and waits for the result. If `again` is `true`, processes
/// all texts. After an interruption, the next run processes the remaining texts.
pub(crate) fn read_texts(memory: &Memory, again: bool, output: &Output) -> Result<Proposed> {
    let before = memory.status()?.wait()?.found;
    let all = memory.read_texts(again)?.wait()? as u64;
    let bar = output.progress("extracting facts");
    bar.set_length(all);
    let status = memory.wait_for_reading(|left| {
        bar.set_position(all.saturating_sub(left as u64));
        !interrupt::is_asked()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    Ok(difference(&status.context("reading texts")?.found, &before))
}

/// Returns the counts in `now` minus the counts in `before`. The memory counts since it was opened, so only the
/// difference belongs to one command.
fn difference(now: &Proposed, before: &Proposed) -> Proposed {
    Proposed {
        canon: now.canon - before.canon,
        claimed: now.claimed - before.claimed,
        waiting: now.waiting - before.waiting,
        dropped: now.dropped - before.dropped,
        rejected_before: now.rejected_before - before.rejected_before,
        known: now.known - before.known,
        supported: now.supported - before.supported,
        left_out: now.left_out - before.left_out,
    }
}

/// Returns whether the settings of a campaign enable automatic extraction.
fn extracts(directory: &Path) -> Result<bool> {
    Ok(Settings::read(directory)?.extraction.enabled)
}

/// Calls [`read_texts`] and prints the counts, if the settings of the campaign enable automatic extraction.
pub(crate) fn read_new_texts(memory: &Memory, directory: &Path, output: &mut Output) -> Result<Option<Proposed>> {
    if !extracts(directory)? {
        return Ok(None);
    }
    let found = read_texts(memory, false, output)?;
    tell_found(&found, output)?;
    Ok(Some(found))
}

/// Extracts facts from the waiting texts, and prints the counts on standard error. Does nothing if the settings disable
/// automatic extraction.
pub(crate) fn catch_up(memory: &Memory, directory: &Path, output: &Output) -> Result<()> {
    let waiting = memory.status()?.wait()?.unread;
    if waiting == 0 || !extracts(directory)? {
        return Ok(());
    }
    let found = read_texts(memory, false, output)?;
    let counts = counts(&found);
    let counts = if counts.is_empty() { "no facts found".to_owned() } else { counts.join(", ") };
    output.note(format!("searched {} for facts: {counts}", count(waiting, "text", "texts")));
    Ok(())
}

/// Describes how many extracted facts had each outcome, such as recorded or dropped.
fn counts(found: &Proposed) -> Vec<String> {
    let parts = [
        (found.canon, "recorded as canon"),
        (found.claimed, "recorded as claims"),
        (found.waiting, "waiting for review"),
        (found.known, "already recorded"),
        (found.rejected_before, "rejected earlier"),
        (found.dropped, "dropped as too uncertain"),
    ];
    parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

/// Prints the counts of extracted facts by outcome.
pub(crate) fn tell_found(found: &Proposed, output: &mut Output) -> Result<()> {
    let counts = counts(found);
    if !counts.is_empty() {
        output.line(format!("  facts found in the text: {}", counts.join(", ")))?;
    }
    match found.left_out {
        0 => Ok(()),
        left_out => output.line(format!(
            "  {} not proposed, to keep the review short; decide on the waiting facts, then run `hearsay fact extract --again`",
            count(left_out, "doubtful fact", "doubtful facts")
        )),
    }
}

/// Returns the first line of a reason, with a hint that names the command for the rest.
pub(crate) fn brief(why: &str) -> String {
    match why.split_once('\n') {
        None => why.to_owned(),
        Some((first, _)) => {
            let first = first.trim_end_matches("Searched:").trim_end_matches([' ', '.']);
            format!("{first}; `hearsay db model` lists the searched directories")
        }
    }
}
