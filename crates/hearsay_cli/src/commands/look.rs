//! `fact list`, `entity show`, `fact show`, `entity neighbours`, `entity path`, `status`, `db stats`: read-only views.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use hearsay_belief::View;
use hearsay_memory::{
    MemoryError, ModelStatus,
    query::{self, FactFilter, FactRow, Shown, WalkFilter},
    resolve,
};
use hearsay_model::{EntityId, FactStatus, Knower, Position, State};
use hearsay_recall::graph::Direction;
use serde_json::json;

use super::know::{needs_knower, read};
use crate::{
    args,
    campaign::{self, Meaning},
    output::{Fault, NO_SUCH, Output, count},
};

pub(crate) fn facts(args: &args::Facts, output: &mut Output) -> Result<()> {
    needs_knower(&args.when, args.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
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
            Ok(predicate) => query::facts(state, &FactFilter { predicate, as_of, ..filter }).map(Ok),
            Err(fault) => Ok(Err(fault)),
        }
    })?;
    let (rows, all) = read?;
    output.data(&json!({ "facts": rows, "all": all }))?;
    for row in &rows {
        fact_line("", row, output)?;
    }
    match all - rows.len() {
        0 if all == 0 => output.line("No fact fits.")?,
        0 => {}
        more => output.line(format!("and {more} more: raise --limit"))?,
    }
    Ok(memory.close()?)
}

/// Resolves a predicate in any spelling, from the vocabulary or from any fact.
pub(crate) fn known_predicate(state: &State, given: &str) -> Result<String, Fault> {
    let plain = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let wanted = plain(given);
    let vocabulary = state.vocabulary();
    let mut known: BTreeSet<&str> = state.facts().map(|fact| fact.predicate().as_str()).collect();
    known.extend(vocabulary.predicates().map(|def| def.name.as_str()));
    known.extend(vocabulary.attributes().map(|def| def.name.as_str()));
    if known.contains(given) {
        return Ok(given.to_owned());
    }
    if let Some(name) = known.iter().find(|name| plain(name) == wanted) {
        return Ok((*name).to_owned());
    }
    let alike: Vec<_> = known.iter().filter(|name| shares_word(&plain(name), &wanted)).take(5).copied().collect();
    let hint = if alike.is_empty() {
        "`hearsay db stats` lists those in use".to_owned()
    } else {
        format!("did you mean {}?", alike.join(", "))
    };
    Err(Fault::new(NO_SUCH, format!("no fact has the predicate `{given}`; {hint}")))
}

fn shares_word(a: &str, b: &str) -> bool {
    a.split('_').any(|word| word.len() > 3 && b.split('_').any(|other| word == other))
}

/// Prints a fact in one line: id, statement, and its marks.
pub(crate) fn fact_line(before: &str, row: &FactRow, output: &mut Output) -> Result<()> {
    let mut marks = vec![row.predicate.to_string()];
    if row.status != FactStatus::Canon {
        marks.push(row.status.to_string());
    }
    if row.secrecy != "open" {
        marks.push(row.secrecy.to_owned());
    }
    marks.extend(row.until.as_ref().map(|until| format!("until {until}")));
    // The full page has the field; the short form leaves it out.
    let short = |evidence: &String| evidence.split_once(" (").map_or(evidence.clone(), |(place, _)| place.to_owned());
    marks.extend(row.evidence.first().map(short));
    output.line(format!("{before}{}  {}  [{}]", row.id.short(), row.statement, marks.join(" \u{00B7} ")))
}

pub(crate) fn show(args: &args::Show, output: &mut Output) -> Result<()> {
    needs_knower(&args.when, args.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (what, knower) = (args.what.clone(), args.knower.clone());
    let read = read(&memory, &args.when, move |state, as_of| {
        let knower = knower.as_deref().map(|name| resolve(state, name)).transpose()?;
        let shown = match query::show(state, &what, knower.as_ref().map(EntityId::as_str), as_of) {
            Err(MemoryError::Unknown { name, nearest }) if nearest.is_empty() => {
                let what = "no entity has this id or name, and no fact this handle, id or beginning of an id";
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
            let kind = page.kind.as_ref().map_or("of a kind that is not known", |kind| kind.as_str());
            let name = page.name.as_deref().unwrap_or("Somebody or something without a known name");
            output.line(format!("{name} ({kind}, {})", page.id))?;
            if !page.aliases.is_empty() {
                output.line(format!("also {}", page.aliases.join(", ")))?;
            }
            for (title, rows) in [("Attributes", &page.attributes), ("Relations", &page.relations)] {
                if !rows.is_empty() {
                    output.line("")?;
                    output.line(title)?;
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
    output.line(&row.statement)?;
    let mut lines: Vec<[String; 2]> = Vec::new();
    let mut tell = |what: &str, text: String| lines.push([format!("  {what}"), text]);
    tell("fact", row.id.to_string());
    if let Some(handle) = &row.handle {
        tell("handle", handle.clone());
    }
    // The value of a free-text fact is its statement.
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
        let conceals = if knower.conceals { ", keeps it to themselves" } else { "" };
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
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (entity, filter, depth, limit) = (args.entity.clone(), walk(&args.walk), args.depth, args.limit);
    let rows = read(&memory, &args.walk.when, move |state, as_of| {
        query::neighbours(state, &entity, &WalkFilter { as_of, ..filter }, depth, limit)
    })?;
    output.data(&rows)?;
    if rows.is_empty() {
        output.line("No relation leads anywhere.")?;
    }
    let line = |row: &query::NeighbourRow| {
        [row.distance.to_string(), format!("{} ({})", row.name, row.id), row.statement.clone()]
    };
    output.columns(&rows.iter().map(line).collect::<Vec<_>>())?;
    Ok(memory.close()?)
}

pub(crate) fn path(args: &args::Path, output: &mut Output) -> Result<()> {
    needs_knower(&args.walk.when, args.walk.knower.as_ref())?;
    let memory = campaign::open(&args.campaign, Meaning::Without, output)?;
    let (from, to, filter, longest) = (args.from.clone(), args.to.clone(), walk(&args.walk), args.max);
    let steps = read(&memory, &args.walk.when, move |state, as_of| {
        query::path(state, &from, &to, &WalkFilter { as_of, ..filter }, longest)
    })?;
    output.data(&steps)?;
    match &steps {
        None => {
            let steps = count(longest, "step", "steps");
            output.line(format!("There is no path of at most {steps}."))?;
        }
        Some(steps) if steps.is_empty() => output.line("Both are the same.")?,
        Some(steps) => {
            let line = |(number, step): (usize, &query::StepRow)| {
                [(number + 1).to_string(), format!("{} ({})", step.name, step.to), step.statement.clone()]
            };
            output.columns(&steps.iter().enumerate().map(line).collect::<Vec<_>>())?;
        }
    }
    Ok(memory.close()?)
}

pub(crate) fn status(args: &args::Status, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Meaning::With, output)?;
    let mut status = campaign::settle(&memory)?;
    if args.wait {
        status = campaign::embed(&memory, output)?;
    }
    output.data(&status)?;
    let model = match &status.model {
        ModelStatus::Ready { id } => id.clone(),
        ModelStatus::None { why } => format!("none, so only words and graph are used: {}", campaign::brief(why)),
        ModelStatus::Loading => "loading".into(),
    };
    let mut texts = format!("{} facts and passages can be searched", status.texts);
    if matches!(status.model, ModelStatus::Ready { .. }) && status.pending_vectors > 0 {
        texts = format!("{texts}; {} are not embedded yet: `hearsay db embed` embeds them", status.pending_vectors);
    }
    let graph = if status.projected == status.position {
        "graph tables up to date".to_owned()
    } else {
        format!("graph tables show the first {}", status.projected)
    };
    let reviews = match status.reviews {
        0 => "nothing waits for you".to_owned(),
        waiting => format!("{} for you: `hearsay review`", count(waiting, "item waits", "items wait")),
    };
    let undo = match status.compacted_to {
        Position(0) => "possible back to the first operation".to_owned(),
        to => format!(
            "possible back to operation {}; {} kept in all",
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
        ["opened", &status.opened],
    ];
    output.columns(&lines.map(|cells| cells.map(str::to_owned)))?;
    Ok(memory.close()?)
}

fn count_operations(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "operation", "operations")
}

pub(crate) fn stats(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::Without, output)?;
    let stats = memory.read(|world| Ok(query::stats(&world.state)))?.wait()?;
    output.data(&stats)?;
    let mut table = |title: &str, counts: &BTreeMap<String, usize>| -> Result<()> {
        output.line(format!("{title} ({})", counts.values().sum::<usize>()))?;
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
    output.line("Besides")?;
    let besides = [
        (stats.knowledge, "edges of knowledge"),
        (stats.passages, "passages"),
        (stats.sessions, "sessions"),
        (stats.known_to_nobody, "facts that nobody knows"),
    ];
    for (count, what) in besides {
        output.line(format!("  {count:>6}  {what}"))?;
    }
    Ok(memory.close()?)
}
