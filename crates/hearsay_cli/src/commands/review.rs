//! `review`: lists the items that wait for the DM's decision, and records the decisions.

use anyhow::Result;
use hearsay_commands::review::{Decision, Decisions};
use hearsay_engine::{Memory, ReadSnapshot, real_time};
use hearsay_model::Factuality;
use hearsay_query::{
    contradictions::Clash,
    review::{ReviewItem, ReviewQueue, ReviewRow, review_queue, review_rows},
};
use serde_json::json;

use super::{edit::print_edit, maintenance::format_duplicate};
use crate::{
    args::{self, DecisionArg},
    campaign::{self, Access},
    dry_run::write_or_preview,
    facts::print_fact_line,
    interrupt,
    names::Names,
    output::{CliError, Output, USAGE_ERROR, count},
    texts::EncoderUse,
};

pub(crate) fn run(args: &args::Review, output: &mut Output) -> Result<()> {
    let is_edit = matches!(args.decision, Some(DecisionArg::Edit));
    if is_edit != (args.object.is_some() || args.statement.is_some()) {
        let message = if is_edit {
            "the decision `edit` needs --object or --statement"
        } else {
            "--object and --statement are allowed only with the decision `edit`"
        };
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if is_edit && args.facts.len() > 1 {
        return Err(CliError::new(USAGE_ERROR, "the decision `edit` takes exactly one fact; name one fact").into());
    }
    let access = if args.decision.is_some() { Access::for_dry_run(args.dry_run) } else { Access::Read };
    let memory = campaign::open(&args.campaign, access, EncoderUse::Disabled, output)?;
    if let Some(decision) = args.decision {
        let names = Names::read(&memory, output)?;
        let facts = names.facts(&args.facts)?;
        let object = match (&args.object, &facts[..]) {
            (Some(object), [fact, ..]) => Some(names.replacement(*fact, object)?),
            _ => None,
        };
        drop(names);
        let decision = match decision {
            DecisionArg::Accept => Decision::Accept,
            DecisionArg::Edit => {
                Decision::Edit { subject: None, predicate: None, object, statement: args.statement.clone() }
            }
            DecisionArg::False => Decision::False,
            DecisionArg::Reject => Decision::Reject,
        };
        let decisions = Decisions { facts, decision, reason: args.reason.clone() };
        let build_operation = move |world: &ReadSnapshot| Ok(decisions.operation(&world.state, real_time())?);
        if let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? {
            print_edit(&memory, written, output)?;
        }
        return Ok(memory.close()?);
    }
    list(args, &memory, output)?;
    Ok(memory.close()?)
}

/// Lists the items in the review queue and, if the user asks for more, the items that triage holds back.
fn list(args: &args::Review, memory: &Memory, output: &mut Output) -> Result<()> {
    let (limit, lists_held_back) = (args.limit, args.more);
    let settings = memory.settings().review;
    let duplicates = interrupt::wait(&memory.duplicates()?)?;
    let read = memory.read_in_background(move |world| {
        let ReviewQueue { queued: mut items, held_back } = review_queue(&world.state, settings);
        items.extend(duplicates.into_iter().map(ReviewItem::Duplicate));
        let (queue_len, held_back_count) = (items.len(), held_back.len());
        if lists_held_back {
            items.extend(held_back);
        }
        let total = items.len();
        let rows = review_rows(&world.state, &world.learned, items.into_iter().take(limit));
        Ok((rows, total, queue_len, held_back_count))
    })?;
    let (rows, total, queue_len, held_back) = read.wait()?;
    output.data(&json!({ "items": rows, "all": total, "held_back": held_back }))?;
    if rows.is_empty() {
        output.line("Nothing waits for review.")?;
    }
    for (index, row) in rows.iter().enumerate() {
        if index == queue_len {
            output.line("Held back:")?;
        }
        print_row(row, output)?;
    }
    if !rows.is_empty() {
        output.line(format!("Decide: {}", args.campaign.command("review accept|edit|false|reject FACT…")))?;
    }
    output.omitted(rows.len(), total)?;
    if held_back > 0 && !lists_held_back {
        let items = count(held_back, "less certain item is", "less certain items are");
        output.line(format!("{items} held back; to list them: {}", args.campaign.command("review --more")))?;
    }
    Ok(())
}

fn print_row(row: &ReviewRow, output: &mut Output) -> Result<()> {
    match &row.item {
        ReviewItem::Doubtful { .. } => output.line(format!("Doubtful, {}:", format_doubt(row)))?,
        ReviewItem::Contradiction { subject, clash, .. } => {
            let topic = match clash {
                Clash::OneAtATime(predicate) => format!("{subject} {predicate}"),
                Clash::Opposites(object) => format!("{subject} and {object}"),
                Clash::Refuted(fact) => format!("{subject}: others deny {}", fact.short()),
            };
            output.line(format!("Contradiction ({topic}):"))?;
        }
        ReviewItem::Duplicate(duplicate) => {
            output.line("Possible duplicates (`entity merge`, or `entity duplicates not-the-same`):")?;
            output.line(format!("  {}", format_duplicate(duplicate)))?;
        }
    }
    for fact in &row.in_full {
        print_fact_line("  ", fact, output)?;
    }
    Ok(())
}

/// Formats the confidence of a proposal, with the reasons why it was adjusted.
fn format_doubt(row: &ReviewRow) -> String {
    let Some(fact) = row.in_full.first() else { return "unknown confidence".to_owned() };
    let mut text = format!("confidence {:.2}", fact.confidence);
    if let Some(extracted) = fact.extracted {
        text = format!("{text} ({extracted:.2} before calibration)");
    }
    if fact.factuality != Factuality::Asserted {
        text = format!("{text}, {}", fact.factuality);
    }
    if let Some(stage) = fact.stage {
        text = format!("{text}, found by {stage}");
    }
    for reason in &row.trust {
        let counts = reason.counts;
        text = format!(
            "{text}, {}: {} of {} confirmed",
            reason.trust,
            counts.confirmed,
            counts.confirmed + counts.rejected
        );
    }
    if let Some(lift) = row.lift {
        text = format!("{text}, similar to {}, which you confirmed (+{:.2})", lift.like.short(), lift.by);
    }
    text
}
