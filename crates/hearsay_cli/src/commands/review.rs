//! `review`: what waits for the DM.

use anyhow::Result;
use hearsay_memory::{Clash, Decision, ReviewItem, query};
use serde_json::json;

use super::{edit::tell, look::fact_line};
use crate::{
    args::{self, DecisionArg},
    campaign::{self, Meaning},
    output::{Fault, Output, WRONG_LINE},
};

pub(crate) fn run(args: &args::Review, output: &mut Output) -> Result<()> {
    let edits = matches!(args.decision, Some(DecisionArg::Edit));
    if edits != (args.object.is_some() || args.statement.is_some()) {
        let what =
            if edits { "`edit` needs --object or --statement" } else { "--object and --statement go with `edit`" };
        return Err(Fault::new(WRONG_LINE, what).into());
    }
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    if let (Some(decision), Some(fact)) = (args.decision, args.fact.clone()) {
        let decision = match decision {
            DecisionArg::Accept => Decision::Accept,
            DecisionArg::Edit => Decision::Edit { object: args.object.clone(), statement: args.statement.clone() },
            DecisionArg::False => Decision::False,
            DecisionArg::Reject => Decision::Reject,
        };
        let written = memory.decide(fact, decision)?.wait()?;
        tell(&memory, written, output)?;
        return Ok(memory.close()?);
    }
    let limit = args.limit;
    let (rows, all) = memory.read(move |world| Ok(query::review(&world.state, limit)))?.wait()?;
    output.data(&json!({ "items": rows, "all": all }))?;
    if rows.is_empty() {
        output.line("Nothing waits for review.")?;
    }
    for row in &rows {
        match &row.item {
            ReviewItem::Doubtful { .. } => {
                let confidence = row.in_full.first().map_or(0.0, |fact| fact.confidence);
                output.line(format!("Doubtful, confidence {confidence:.2}:"))?;
            }
            ReviewItem::Contradiction { subject, clash, .. } => {
                let what = match clash {
                    Clash::OneAtATime(predicate) => format!("{subject} {predicate}"),
                    Clash::Opposites(object) => format!("{subject} and {object}"),
                    Clash::Refuted(fact) => format!("{subject}: others say that {} is not so", fact.short()),
                };
                output.line(format!("These cannot all be so ({what}):"))?;
            }
        }
        for fact in &row.in_full {
            fact_line("  ", fact, output)?;
        }
    }
    if !rows.is_empty() {
        let directory = args.campaign.campaign.display();
        output.line(format!("Decide: hearsay review {directory} accept|edit|false|reject FACT"))?;
    }
    if all > rows.len() {
        output.line(format!("and {} more: raise --limit", all - rows.len()))?;
    }
    Ok(memory.close()?)
}
