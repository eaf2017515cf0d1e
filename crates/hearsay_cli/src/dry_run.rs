//! Writes operations, or shows their effects in a dry run.

use anyhow::Result;
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Written};
use hearsay_model::Operation;
use hearsay_query::{
    preview::{Preview, preview_applied, state_after},
    reveals::newly_fulfilled,
};
use serde::Serialize;

use crate::{
    args::Campaign,
    campaign::{self, Access},
    display_names::DisplayNames,
    facts::print_fact_line,
    output::{Output, count},
    reveals::print_with_revealable,
    texts::EncoderUse,
};

/// The campaign that a command changes, and whether the command only shows the changes.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext<'a> {
    pub(crate) campaign: &'a Campaign,
    pub(crate) dry_run: bool,
}

impl<'a> WriteContext<'a> {
    pub(crate) fn new(campaign: &'a Campaign, dry_run: bool) -> Self {
        Self { campaign, dry_run }
    }

    /// Opens the campaign without the sentence encoder. A dry run opens it only to read.
    pub(crate) fn open(self, output: &Output) -> Result<Memory> {
        campaign::open(self.campaign, Access::for_dry_run(self.dry_run), EncoderUse::Disabled, output)
    }

    /// Opens the campaign like [`campaign::open_for_recording`]. A dry run opens it only to read.
    pub(crate) fn open_for_recording(self, output: &Output) -> Result<Memory> {
        campaign::open_for_recording(self.campaign, Access::for_dry_run(self.dry_run), output)
    }

    /// Opens the campaign like [`campaign::open_for_speech`]. A dry run opens it only to read.
    pub(crate) fn open_for_speech(self, output: &Output) -> Result<Memory> {
        campaign::open_for_speech(self.campaign, Access::for_dry_run(self.dry_run), output)
    }

    /// Writes an operation, or shows its effects in a dry run: see [`write_or_preview`].
    pub(crate) fn write(
        self,
        memory: &Memory,
        build_operation: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
        output: &mut Output,
    ) -> Result<Option<Written>> {
        write_or_preview(memory, self.dry_run, build_operation, output)
    }
}

/// JSON output of a dry run.
#[derive(Serialize)]
struct DryRunOutput {
    /// Always `None`, because a dry run writes no operation.
    written: Option<Written>,
    #[serde(flatten)]
    preview: Preview,
}

/// Writes an operation. In a dry run, prints the effects of the operation instead, and returns `None`.
pub(crate) fn write_or_preview(
    memory: &Memory,
    dry_run: bool,
    build_operation: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    output: &mut Output,
) -> Result<Option<Written>> {
    if dry_run {
        print_dry_run(memory, build_operation, output)?;
        return Ok(None);
    }
    Ok(Some(memory.write(build_operation)?.wait()?))
}

/// Prints the summary and the position of an operation that was written.
pub(crate) fn print_written(written: &Written, output: &mut Output) -> Result<()> {
    output.line(format!("{} (operation {})", written.summary, written.position))
}

/// Prints the effects of an operation without writing it.
fn print_dry_run(
    memory: &Memory,
    build_operation: impl FnOnce(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    output: &mut Output,
) -> Result<()> {
    let read = memory.read_in_background(move |world| {
        let operation = build_operation(world)?;
        let after = state_after(&world.state, operation.clone())?;
        Ok((preview_applied(&world.state, &after, operation), newly_fulfilled(&world.state, &after)))
    })?;
    let (preview, revealable) = read.wait()?;
    output.line(format!("Dry run, nothing is changed: {}", preview.summary))?;
    print_effects(&preview, &DisplayNames::read(memory)?, output)?;
    print_with_revealable(revealable, DryRunOutput { written: None, preview }, output)
}

/// Prints the effects of an operation on entities, facts and knowledge.
pub(crate) fn print_effects(preview: &Preview, names: &DisplayNames, output: &mut Output) -> Result<()> {
    for id in &preview.entities {
        output.line(format!("  new entity: {id}"))?;
    }
    for fact in &preview.facts {
        print_fact_line("  new: ", fact, output)?;
    }
    for fact in &preview.ended {
        print_fact_line("  ended: ", fact, output)?;
    }
    // If there is only one fact, the line above already states it.
    let first = preview.lessons.first().map(|lesson| lesson.fact);
    let is_single_fact = preview.lessons.iter().all(|lesson| Some(lesson.fact) == first);
    for lesson in &preview.lessons {
        let previous = match lesson.before {
            Some(previous) => format!(", before {previous:.2}"),
            None => ", did not know it before".to_owned(),
        };
        let fact_text =
            if is_single_fact { String::new() } else { format!("  {} [{}]", lesson.statement, lesson.fact.short()) };
        let details = format!("{}, credence {:.2}{previous}", lesson.acquisition, lesson.credence);
        output.line(format!("  {}: {details}{fact_text}", names.knower(&lesson.knower)))?;
    }
    for loss in &preview.lost {
        let change = if loss.still_knows { "loses one source, but still knows" } else { "loses" };
        let fact_text = format!("{} [{}]", loss.statement, loss.fact.short());
        output.line(format!("  {} ({}) {change}: {fact_text}", names.knower(&loss.knower), loss.acquisition))?;
    }
    for change in &preview.moved {
        let fact_text = format!("{} [{}]", change.statement, change.fact.short());
        output.line(format!(
            "  credence of {}: {:.2} \u{2192} {:.2}: {fact_text}",
            names.knower(&change.knower),
            change.before,
            change.after
        ))?;
    }
    for refuted in &preview.refuted {
        let label = if refuted.is_version { "its version" } else { "refuted" };
        let believers = count(refuted.believers, "knower believes", "knowers believe");
        output.line(format!(
            "  {label}: {} [{}]: {believers} it, {} before",
            refuted.statement,
            refuted.fact.short(),
            refuted.believers_before
        ))?;
    }
    for believer in &preview.still {
        let fact_text = format!("{} [{}]", believer.statement, believer.fact.short());
        output.line(format!(
            "  still believes it: {} ({:.2}): {fact_text}",
            names.knower(&believer.knower),
            believer.credence
        ))?;
    }
    Ok(())
}
