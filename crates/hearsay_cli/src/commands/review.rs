//! `review`: what waits for the DM.

use anyhow::Result;
use hearsay_memory::{Decision, ReviewItem, query};
use serde_json::json;

use super::look::fact_line;
use crate::{
    args::{self, DecisionArg},
    campaign::{self, Meaning},
    output::Output,
};

pub(crate) fn run(args: &args::Review, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    if let (Some(decision), Some(fact)) = (args.decision, args.fact.clone()) {
        let decision = match decision {
            DecisionArg::Accept => Decision::Accept,
            DecisionArg::Edit => Decision::Edit { object: args.object.clone(), statement: args.statement.clone() },
            DecisionArg::False => Decision::False,
            DecisionArg::Reject => Decision::Reject,
        };
        let written = memory.decide(fact, decision)?.wait()?;
        output.data(&written)?;
        output.line(format!("{} (operation {})", written.summary, written.position))?;
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
            ReviewItem::Contradiction { subject, predicate, .. } => {
                output.line(format!("These cannot all be so ({subject} {predicate}):"))?;
            }
        }
        for fact in &row.in_full {
            fact_line(fact, output)?;
        }
    }
    if all > rows.len() {
        output.line(format!("and {} more: raise --limit", all - rows.len()))?;
    }
    Ok(memory.close()?)
}
