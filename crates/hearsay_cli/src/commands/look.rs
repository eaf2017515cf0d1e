//! `fact list`, `entity show`, `fact show`, `entity neighbours`, `entity path`, `status` and `db stats`: commands that
//! only read.

use std::collections::BTreeMap;

use anyhow::Result;
use hearsay_belief::{View, graph::Direction};
use hearsay_engine::ModelStatus;
use hearsay_model::{EntityId, Knower, Position};
use hearsay_query as query;
use hearsay_query::{
    QueryError,
    entities::Shown,
    facts::{FactFilter, FactRow},
    graph::WalkFilter,
    resolve::resolve,
};
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    facts::{fact_line, known_predicate, needs_knower, read},
    output::{Fault, NO_SUCH, Output, count},
    style::{Line, Style},
    texts::{self, Meaning},
};

pub(crate) fn facts(args: &args::Facts, output: &mut Output) -> Result<()> {
    needs_knower(&args.when, args.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let filter = FactFilter {
        subject: args.subject.clone(),
        predicate: args.predicate.clone(),
        object: args.object.clone(),
        status: args.status.map(Into::into),
        knower: args.knower.clone(),
        as_of: None,
        holds_at: args.holds_at.clone(),
        limit: args.limit,
    };
    let read = read(&memory, &args.when, move |state, as_of| {
        let predicate = filter.predicate.as_deref().map(|given| known_predicate(state, given)).transpose();
        match predicate {
            Ok(predicate) => Ok(query::facts::facts(state, &FactFilter { predicate, as_of, ..filter }).map(Ok)?),
            Err(fault) => Ok(Err(fault)),
        }
    })?;
    let (rows, all) = read?;
    output.data(&json!({ "facts": rows, "all": all }))?;
    for row in &rows {
        fact_line("", row, output)?;
    }
    match all - rows.len() {
        0 if all == 0 => output.line("No fact matches.")?,
        0 => {}
        more => output.line(format!("and {more} more: raise --limit"))?,
    }
    Ok(memory.close()?)
}

pub(crate) fn show(args: &args::Show, output: &mut Output) -> Result<()> {
    needs_knower(&args.when, args.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (what, knower) = (args.what.clone(), args.knower.clone());
    let read = read(&memory, &args.when, move |state, as_of| {
        let knower = knower.as_deref().map(|name| resolve(state, name)).transpose()?;
        let shown = match query::entities::show(state, &what, knower.as_ref().map(EntityId::as_str), as_of) {
            Err(QueryError::Unknown { name, nearest }) if nearest.is_empty() => {
                let what = "no entity has this id or name, and no fact has this handle or id";
                return Ok(Err(Fault::new(NO_SUCH, format!("nothing is called `{name}`: {what}"))));
            }
            shown => shown?,
        };
        if let (Shown::Fact(fact), Some(knower)) = (&shown, knower) {
            let view = View::of(state, &Knower::Entity(knower.clone()), as_of);
            if view.fact(fact.id).is_none() {
                return Ok(Err(Fault::new(NO_SUCH, format!("{knower} does not know fact {}", fact.id.short()))));
            }
        }
        Ok(Ok(shown))
    })?;
    let shown = read?;
    output.data(&shown)?;
    match &shown {
        Shown::Entity(page) => {
            let kind = page.kind.as_ref().map_or("of unknown kind", |kind| kind.as_str());
            let name = page.name.as_deref().unwrap_or("Entity without a known name");
            output.line(Line::heading(name).id(format!(" ({kind}, {})", page.id)))?;
            if !page.aliases.is_empty() {
                output.line(format!("also called {}", page.aliases.join(", ")))?;
            }
            for (title, rows) in [("Attributes", &page.attributes), ("Relations", &page.relations)] {
                if !rows.is_empty() {
                    output.line("")?;
                    output.line(Line::heading(title))?;
                }
                for row in rows {
                    fact_line("  ", row, output)?;
                }
            }
        }
        Shown::Fact(row) => fact_page(row, output)?,
    }
    Ok(memory.close()?)
}

fn fact_page(row: &FactRow, output: &mut Output) -> Result<()> {
    output.line(Line::heading(&row.statement))?;
    let mut lines: Vec<[String; 2]> = Vec::new();
    let mut tell = |what: &str, text: String| lines.push([format!("  {what}"), text]);
    tell("fact", row.id.to_string());
    if let Some(handle) = &row.handle {
        tell("handle", handle.clone());
    }
    // Omits the value of a free-text fact, because the statement repeats it.
    let object = if row.object == row.statement { "" } else { row.object.as_str() };
    tell("says", format!("{} {} {object}", row.subject, row.predicate).trim_end().to_owned());
    let confirmed = if row.confirmed { ", confirmed by the DM" } else { "" };
    let alone = row.extracted.map_or(String::new(), |alone| format!(" ({alone:.2} before calibration)"));
    let sure = format!("confidence {:.2}{alone}", row.confidence);
    tell("status", format!("{}, {}, {sure}{confirmed}", row.status, row.secrecy));
    if let Some(attitude) = row.attitude {
        tell("attitude", format!("{attitude:+}"));
    }
    for (what, date) in [("since", &row.since), ("until", &row.until)] {
        if let Some(date) = date {
            tell(what, date.clone());
        }
    }
    let session = row.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
    tell("recorded by", format!("{}{session}", row.author));
    for evidence in &row.evidence {
        tell("written in", evidence.clone());
    }
    for bears in &row.bears {
        tell(bears.what, format!("{} [{}]", bears.statement, bears.fact.short()));
    }
    if row.known_by.is_empty() {
        tell("known by", "nobody".into());
    }
    for knower in &row.known_by {
        let who = if knower.knower.entity().is_none() { "everybody" } else { knower.knower.as_str() };
        let learned = knower.learned.as_ref().map_or(String::new(), |learned| format!(", {learned}"));
        let conceals = if knower.conceals { ", conceals it" } else { "" };
        let rank = knower.rank.as_ref().map_or(String::new(), |rank| format!(", {rank} and above"));
        let co_present = knower.co_present.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", ");
        let co_present = match (co_present.is_empty(), knower.passed_on) {
            (true, _) => String::new(),
            (false, true) => format!(" to {co_present}"),
            (false, false) => format!(", with {co_present}"),
        };
        let credence = if knower.passed_on { String::new() } else { format!(", credence {:.2}", knower.credence) };
        tell("known by", format!("{who}: {}{co_present}{credence}{learned}{rank}{conceals}", knower.acquisition));
    }
    output.columns(&lines)
}

fn walk(args: &args::Walk) -> WalkFilter {
    let direction = match args.direction {
        args::DirectionArg::Out => Direction::Out,
        args::DirectionArg::In => Direction::In,
        args::DirectionArg::Both => Direction::Both,
    };
    WalkFilter { direction, predicates: args.predicate.clone(), knower: args.knower.clone(), as_of: None }
}

pub(crate) fn neighbours(args: &args::Neighbours, output: &mut Output) -> Result<()> {
    needs_knower(&args.walk.when, args.walk.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (entity, filter, depth, limit) = (args.entity.clone(), walk(&args.walk), args.depth, args.limit);
    let rows = read(&memory, &args.walk.when, move |state, as_of| {
        Ok(query::graph::neighbours(state, &entity, &WalkFilter { as_of, ..filter }, depth, limit)?)
    })?;
    output.data(&rows)?;
    if rows.is_empty() {
        output.line("The entity has no matching relations.")?;
    }
    let line = |row: &query::graph::NeighbourRow| {
        [row.distance.to_string(), format!("{} ({})", row.name, row.id), row.statement.clone()]
    };
    output.columns(&rows.iter().map(line).collect::<Vec<_>>())?;
    Ok(memory.close()?)
}

pub(crate) fn path(args: &args::Path, output: &mut Output) -> Result<()> {
    needs_knower(&args.walk.when, args.walk.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (from, to, filter, longest) = (args.from.clone(), args.to.clone(), walk(&args.walk), args.max);
    let steps = read(&memory, &args.walk.when, move |state, as_of| {
        Ok(query::graph::path(state, &from, &to, &WalkFilter { as_of, ..filter }, longest)?)
    })?;
    output.data(&steps)?;
    match &steps {
        None => {
            let steps = count(longest, "step", "steps");
            output.line(format!("There is no path of at most {steps}."))?;
        }
        Some(steps) if steps.is_empty() => output.line("Both names refer to the same entity.")?,
        Some(steps) => {
            let line = |(number, step): (usize, &query::graph::StepRow)| {
                [(number + 1).to_string(), format!("{} ({})", step.name, step.to), step.statement.clone()]
            };
            output.columns(&steps.iter().enumerate().map(line).collect::<Vec<_>>())?;
        }
    }
    Ok(memory.close()?)
}

pub(crate) fn status(args: &args::Status, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::With, output)?;
    let mut status = texts::settle(&memory)?;
    if args.wait {
        status = texts::embed(&memory, output)?;
    }
    output.data(&status)?;
    let model = match &status.model {
        ModelStatus::Ready { id } => id.clone(),
        ModelStatus::None { why } => {
            format!("none; answers use words and relations only, not meaning: {}", texts::brief(why))
        }
        ModelStatus::Loading => "loading".into(),
    };
    let mut texts = format!("{} facts and passages can be searched", status.texts);
    if matches!(status.model, ModelStatus::Ready { .. }) && status.pending_vectors > 0 {
        texts = format!("{texts}; {} have no vector yet: run `hearsay db embed`", status.pending_vectors);
    }
    let graph = match status.projected == status.position {
        true => "graph tables up to date".to_owned(),
        false => format!("graph tables contain {} of them so far", status.projected),
    };
    let reviews = match status.reviews {
        0 => "nothing waits for your decision".to_owned(),
        waiting => format!("{} for your decision: run `hearsay review`", count(waiting, "item waits", "items wait")),
    };
    let undo = match status.compacted_to {
        Position(0) => "possible back to the first operation".to_owned(),
        to => format!(
            "possible back to operation {}; the journal contains {}",
            to.next(),
            count_operations(status.operations as u64)
        ),
    };
    let asked = crate::llm::status(&status);
    let lines = [
        ["entities", &status.entities.to_string()],
        ["facts", &status.facts.to_string()],
        ["texts", &texts],
        ["review", &reviews],
        ["model", &model],
        ["language model", &asked],
        ["journal", &format!("{}, {graph}", count_operations(status.position.0))],
        ["undo", &undo],
    ];
    if let Some(line) = storage_line(status.storage_failure.as_deref()) {
        output.line(line)?;
    }
    output.table([Style::Heading, Style::Plain], &lines.map(|cells| cells.map(str::to_owned)))?;
    Ok(memory.close()?)
}

/// Returns a warning if the storage has failed.
fn storage_line(failure: Option<&str>) -> Option<Line> {
    let advice = "close the programs that use the campaign, correct the cause, and open it again";
    let text = |failure: &str| format!(" nothing is saved any more: {failure}; {advice}");
    failure.map(|failure| Line::default().and(Style::Warning, "warning:").plain(text(failure)))
}

fn count_operations(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "operation", "operations")
}

pub(crate) fn stats(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Access::Read, Meaning::Without, output)?;
    let stats = memory.read(|world| Ok(query::stats::stats(&world.state)))?.wait()?;
    output.data(&stats)?;
    let mut table = |title: &str, counts: &BTreeMap<String, usize>| -> Result<()> {
        output.line(Line::heading(format!("{title} ({})", counts.values().sum::<usize>())))?;
        let mut rows: Vec<_> = counts.iter().collect();
        rows.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        for (name, count) in rows {
            output.line(format!("  {count:>6}  {name}"))?;
        }
        Ok(())
    };
    table("Entities", &stats.entities)?;
    table("Facts by predicate", &stats.predicates)?;
    table("Facts by status", &stats.statuses)?;
    table("Facts by source", &stats.sources)?;
    table("Facts by secrecy", &stats.secrecy)?;
    output.line(Line::heading("Other records"))?;
    let besides = [
        (stats.knowledge, "knowledge edges"),
        (stats.passages, "passages"),
        (stats.sessions, "sessions"),
        (stats.known_to_nobody, "facts that nobody knows"),
    ];
    for (count, what) in besides {
        output.line(format!("  {count:>6}  {what}"))?;
    }
    Ok(memory.close()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_storage_is_told() {
        assert!(storage_line(None).is_none());
        let line = storage_line(Some("the disk is full")).map(|line| line.paint(false)).unwrap_or_default();
        assert!(line.starts_with("warning: nothing is saved any more: the disk is full; "), "{line}");
    }
}
