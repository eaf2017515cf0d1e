//! `fact list`, `entity show`, `fact show`, `entity neighbours`, `entity path`, `status` and `db stats`: commands that
//! only read.

use std::collections::BTreeMap;

use anyhow::Result;
use hearsay_belief::graph::Direction;
use hearsay_engine::{Memory, ModelStatus, SharingStatus};
use hearsay_model::{FactId, Factuality, GameTime, Position};
use hearsay_query as query;
use hearsay_query::{
    QueryError,
    entities::{EntityPage, entity_page},
    facts::{FactFilter, FactRelationRow, FactRow, KnowerRow, ObjectFilter, fact_row},
    graph::TraversalFilter,
    ids::require_fact,
    known_facts::{ViewFactRow, view_entity_page, view_fact_row, view_facts},
};
use serde::Serialize;
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    facts::{belief_remark, format_ids, print_fact_line, print_view_fact_line, require_knower},
    names::{EntityOrFact, Names},
    output::{CliError, NOT_FOUND, Output, count},
    style::{Line, Style},
    texts::{self, EncoderUse},
};

/// Opens a campaign to show it at a point in time, as a knower sees it. Without a knower, shows the whole campaign. Also
/// returns the names, and the requested game time.
fn open_view(
    campaign: &args::Campaign,
    point_in_time: &args::PointInTime,
    knower: Option<&String>,
    output: &Output,
) -> Result<(Memory, Names, Option<GameTime>)> {
    require_knower(point_in_time, knower)?;
    let memory = campaign::open(campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, as_of) = Names::read_at(&memory, point_in_time, output)?;
    let names = names.in_view_of_optional(knower, as_of)?;
    Ok((memory, names, as_of))
}

pub(crate) fn facts(args: &args::Facts, output: &mut Output) -> Result<()> {
    let (memory, names, _) = open_view(&args.campaign, &args.point_in_time, args.knower.as_ref(), output)?;
    // An object that is the name of no entity is a part of a value.
    let object = |text: &String| ObjectFilter { entity: names.find_entity(text).ok(), words: text.clone() };
    let filter = FactFilter {
        subject: names.optional_entity(args.subject.as_ref())?,
        about: names.optional_entity(args.about.as_ref())?,
        predicate: names.optional_predicate(args.predicate.as_ref())?,
        object: args.object.as_ref().map(object),
        status: args.status.map(Into::into),
        holds_at: args.holds_at.clone(),
        limit: args.limit,
    };
    match names.own_view() {
        Some(own) => print_list(view_facts(names.state(), own, &filter)?, print_view_fact_line, output)?,
        None => print_list(query::facts::facts(names.state(), &filter)?, print_fact_line, output)?,
    }
    Ok(memory.close()?)
}

/// Prints the first facts of a list. `total` is the number of facts in the list.
fn print_list<R: Serialize>(
    (rows, total): (Vec<R>, usize),
    print_line: impl Fn(&str, &R, &mut Output) -> Result<()>,
    output: &mut Output,
) -> Result<()> {
    output.data(&json!({ "facts": rows, "all": total }))?;
    for row in &rows {
        print_line("", row, output)?;
    }
    if total == 0 {
        output.line("No fact matches.")?;
    }
    output.omitted(rows.len(), total)
}

/// JSON output of `entity show` and `fact show`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Shown<R> {
    Entity(EntityPage<R>),
    Fact(Box<R>),
}

pub(crate) fn show(args: &args::Show, output: &mut Output) -> Result<()> {
    let (memory, names, _) = open_view(&args.campaign, &args.point_in_time, args.knower.as_ref(), output)?;
    let state = names.state();
    let item = names.entity_or_fact(&args.reference).map_err(unknown_reference)?;
    match names.own_view() {
        Some(own) => {
            let shown = match item {
                EntityOrFact::Entity(id) => Shown::Entity(view_entity_page(state, own, &id)),
                EntityOrFact::Fact(id) => {
                    let known = own.view().fact(id).ok_or(QueryError::UnknownFact(id))?;
                    Shown::Fact(Box::new(view_fact_row(state, own, known)))
                }
            };
            print_shown(&shown, print_view_fact_line, print_view_fact, output)?;
        }
        None => {
            let shown = match item {
                EntityOrFact::Entity(id) => Shown::Entity(entity_page(state, &id)?),
                EntityOrFact::Fact(id) => Shown::Fact(Box::new(fact_row(state, require_fact(state, id)?))),
            };
            print_shown(&shown, print_fact_line, print_fact, output)?;
        }
    }
    Ok(memory.close()?)
}

fn print_shown<R: Serialize>(
    shown: &Shown<R>,
    print_line: impl Fn(&str, &R, &mut Output) -> Result<()>,
    print_fact: impl Fn(&R, &mut Output) -> Result<()>,
    output: &mut Output,
) -> Result<()> {
    output.data(shown)?;
    let page = match shown {
        Shown::Entity(page) => page,
        Shown::Fact(row) => return print_fact(row, output),
    };
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
            print_line("  ", row, output)?;
        }
    }
    Ok(())
}

/// Adds a hint to the error about a reference that is similar to no name.
fn unknown_reference(error: anyhow::Error) -> anyhow::Error {
    let message = match error.downcast_ref() {
        Some(QueryError::Unknown { name, nearest }) if nearest.is_empty() => {
            format!("`{name}` is unknown: no entity has this id or name, and no fact has this handle or id")
        }
        Some(QueryError::UnknownToKnower { knower, name, nearest }) if nearest.is_empty() => {
            format!(
                "{knower} does not know `{name}`: the character knows no entity with this id or name, and no fact with \
                 this handle, id or words"
            )
        }
        _ => return error,
    };
    CliError::new(NOT_FOUND, message).into()
}

/// The rows of the page of a fact, each with a label and a text.
#[derive(Default)]
struct FactPage(Vec<[String; 2]>);

impl FactPage {
    fn add(&mut self, label: &str, text: impl Into<String>) {
        self.0.push([format!("  {label}"), text.into()]);
    }

    /// Adds the id, the handle, and the subject, predicate and object of a fact.
    fn add_parts(&mut self, id: FactId, handle: Option<&String>, parts: [&str; 3], statement: &str) {
        self.add("fact", id.to_string());
        if let Some(handle) = handle {
            self.add("handle", handle);
        }
        let [subject, predicate, object] = parts;
        // Omits the value of a free-text fact, because the statement repeats it.
        let object = if object == statement { "" } else { object };
        self.add("says", format!("{subject} {predicate} {object}").trim_end());
    }

    /// Adds the attitude, and the dates between which a fact is true.
    fn add_attitude_and_dates(&mut self, attitude: Option<i8>, since: Option<&String>, until: Option<&String>) {
        if let Some(attitude) = attitude {
            self.add("attitude", format!("{attitude:+}"));
        }
        for (label, date) in [("since", since), ("until", until)] {
            if let Some(date) = date {
                self.add(label, date);
            }
        }
    }

    fn add_relations(&mut self, relations: &[FactRelationRow]) {
        for relation in relations {
            self.add(relation.relation, format!("{} [{}]", relation.statement, relation.fact.short()));
        }
    }
}

/// Prints a fact as one character knows it.
fn print_view_fact(row: &ViewFactRow, output: &mut Output) -> Result<()> {
    output.line(Line::heading(&row.statement))?;
    let mut page = FactPage::default();
    page.add_parts(row.id, None, [row.subject.as_str(), row.predicate.as_str(), &row.object], &row.statement);
    page.add("secrecy", if row.secret { "secret" } else { "open" });
    page.add_attitude_and_dates(row.attitude, row.since.as_ref(), row.until.as_ref());
    let remark = belief_remark(&row.hold, row.credence);
    let remark = if remark.is_empty() { String::new() } else { format!(", {remark}") };
    page.add("credence", format!("{:.2}{remark}", row.credence));
    page.add("learned", row.citation.line());
    if row.citation.conceals {
        page.add("conceals", "yes");
    }
    if !row.told.is_empty() {
        page.add("told", format_ids(&row.told));
    }
    page.add_relations(&row.fact_relations);
    output.columns(&page.0)
}

fn print_fact(row: &FactRow, output: &mut Output) -> Result<()> {
    output.line(Line::heading(&row.statement))?;
    let mut page = FactPage::default();
    let parts = [row.subject.as_str(), row.predicate.as_str(), &row.object];
    page.add_parts(row.id, row.handle.as_ref(), parts, &row.statement);
    let confirmed = if row.confirmed { ", confirmed by the DM" } else { "" };
    let extracted = row.extracted.map_or(String::new(), |extracted| format!(" ({extracted:.2} before calibration)"));
    let confidence = format!("confidence {:.2}{extracted}", row.confidence);
    page.add("status", format!("{}, {}, {confidence}{confirmed}", row.status, row.secrecy));
    if row.factuality != Factuality::Asserted {
        page.add("source says", row.factuality.to_string());
    }
    if !row.mentions.is_empty() {
        page.add("names", format_ids(&row.mentions));
    }
    page.add_attitude_and_dates(row.attitude, row.since.as_ref(), row.until.as_ref());
    let session = row.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
    let stage = row.stage.map_or(String::new(), |stage| format!(", found by {stage}"));
    page.add("recorded by", format!("{}{stage}{session}", row.author));
    for evidence in &row.evidence {
        page.add("written in", evidence);
    }
    page.add_relations(&row.fact_relations);
    if row.known_by.is_empty() {
        page.add("known by", "nobody");
    }
    for knower in &row.known_by {
        page.add("known by", knower_text(knower));
    }
    output.columns(&page.0)
}

/// Describes how a knower learned a fact.
fn knower_text(knower: &KnowerRow) -> String {
    let knower_name = if knower.knower.entity().is_none() { "everybody" } else { knower.knower.as_str() };
    let learned = knower.learned.as_ref().map_or(String::new(), |learned| format!(", {learned}"));
    let conceals = if knower.conceals { ", conceals it" } else { "" };
    let rank = knower.rank.as_ref().map_or(String::new(), |rank| format!(", {rank} and above"));
    let co_present = match (format_ids(&knower.co_present), knower.passed_on) {
        (ids, _) if ids.is_empty() => String::new(),
        (ids, true) => format!(" to {ids}"),
        (ids, false) => format!(", with {ids}"),
    };
    let credence = if knower.passed_on { String::new() } else { format!(", credence {:.2}", knower.credence) };
    format!("{knower_name}: {}{co_present}{credence}{learned}{rank}{conceals}", knower.acquisition)
}

fn traversal_filter(args: &args::TraversalOptions, names: &Names, as_of: Option<GameTime>) -> TraversalFilter {
    let direction = match args.direction {
        args::DirectionArg::Out => Direction::Out,
        args::DirectionArg::In => Direction::In,
        args::DirectionArg::Both => Direction::Both,
    };
    TraversalFilter { direction, predicates: args.predicate.clone(), knower: names.knower(), as_of }
}

pub(crate) fn neighbours(args: &args::Neighbours, output: &mut Output) -> Result<()> {
    let args::TraversalOptions { point_in_time, knower, .. } = &args.traversal;
    let (memory, names, as_of) = open_view(&args.campaign, point_in_time, knower.as_ref(), output)?;
    let (entity, filter) = (names.entity(&args.entity)?, traversal_filter(&args.traversal, &names, as_of));
    let rows = query::graph::neighbours(names.state(), &entity, &filter, args.depth, args.limit)?;
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
    let args::TraversalOptions { point_in_time, knower, .. } = &args.traversal;
    let (memory, names, as_of) = open_view(&args.campaign, point_in_time, knower.as_ref(), output)?;
    let (from, to) = (names.entity(&args.from)?, names.entity(&args.to)?);
    let filter = traversal_filter(&args.traversal, &names, as_of);
    let steps = query::graph::path(names.state(), &from, &to, &filter, args.max)?;
    output.data(&steps)?;
    match &steps {
        None => {
            let steps = count(args.max, "step", "steps");
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
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Enabled, output)?;
    let mut status = texts::wait_until_ready(&memory)?;
    if args.wait {
        status = texts::embed(&memory, output)?;
    }
    output.data(&status)?;
    let model = match &status.model {
        ModelStatus::Ready { id } => id.clone(),
        ModelStatus::None { why } => {
            format!("none; search uses words and relations only, not meaning: {}", texts::first_line_with_hint(why))
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
    let mut reviews = match status.reviews {
        0 => "nothing waits for your decision".to_owned(),
        waiting => format!("{} for your decision: run `hearsay review`", count(waiting, "item waits", "items wait")),
    };
    if status.held_back > 0 {
        reviews = format!("{reviews}; {} held back: add `--more`", count(status.held_back, "item is", "items are"));
    }
    let undo = match status.compacted_to {
        Position(0) => "possible back to the first operation".to_owned(),
        to => format!(
            "possible back to operation {}; the journal contains {}",
            to.next(),
            count_operations(status.operations as u64)
        ),
    };
    let llm_status = crate::llm::status(&status);
    let rows = [
        ["entities", &status.entities.to_string()],
        ["facts", &status.facts.to_string()],
        ["texts", &texts],
        ["review", &reviews],
        ["model", &model],
        ["language model", &llm_status],
        ["journal", &format!("{}, {graph}", count_operations(status.position.0))],
        ["undo", &undo],
    ];
    let recovery = describe_recovery(status.replayed_log, status.repaired_records, status.snapshot_ignored.as_deref());
    let mut rows = Vec::from(rows.map(|cells| cells.map(str::to_owned)));
    rows.extend(recovery.map(|text| ["recovery".to_owned(), text]));
    rows.extend(describe_sharing(&status.sharing).map(|text| ["sharing".to_owned(), text]));
    if let Some(line) = storage_line(status.storage_failure.as_deref()) {
        output.line(line)?;
    }
    output.table([Style::Heading, Style::Plain], &rows)?;
    Ok(memory.close()?)
}

/// Describes what was recovered when the campaign was opened. Returns `None` if nothing had to be recovered.
fn describe_recovery(replayed_log: bool, repaired_records: usize, snapshot_ignored: Option<&str>) -> Option<String> {
    let log = replayed_log
        .then(|| "the previous program did not close the campaign, so the log of the database was replayed".to_owned());
    let records = count(repaired_records, "record", "records");
    let tables = (repaired_records > 0).then(|| format!("{records} of the graph tables repaired"));
    let snapshot = snapshot_ignored.map(|reason| format!("the snapshot was not used: {reason}"));
    let parts: Vec<String> = [log, tables, snapshot].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Describes the server of the campaign, or the other programs that have the campaign open. Returns `None` if there are
/// none.
fn describe_sharing(sharing: &SharingStatus) -> Option<String> {
    match sharing {
        SharingStatus::NotShared => None,
        SharingStatus::Owner { programs } if programs.is_empty() => None,
        SharingStatus::Owner { programs } => Some(format!("also open in {}", programs.join(", "))),
        SharingStatus::Attached { owner } => Some(format!("also open in {owner}")),
        SharingStatus::Reconnecting => Some("connecting to the program or server that has the campaign open".into()),
        SharingStatus::Server { endpoint, connected: true, .. } => Some(format!("connected to the server {endpoint}")),
        SharingStatus::Server { endpoint, last_heard_s, reason, .. } => {
            let seconds = last_heard_s.unwrap_or_default();
            let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            Some(format!(
                "no connection to the server {endpoint} for {seconds} s{reason}; this is the last known state"
            ))
        }
    }
}

/// Returns a warning if the storage has failed.
fn storage_line(failure: Option<&str>) -> Option<Line> {
    let advice = "close the programs that use the campaign, solve the problem, and then open the campaign again";
    let text = |failure: &str| format!(" nothing is saved any more: {failure}; {advice}");
    failure.map(|failure| Line::default().styled(Style::Warning, "warning:").plain(text(failure)))
}

fn count_operations(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "operation", "operations")
}

pub(crate) fn stats(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Access::Read, EncoderUse::Disabled, output)?;
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
    let other_counts = [
        (stats.knowledge, "knowledge edges"),
        (stats.passages, "passages"),
        (stats.sessions, "sessions"),
        (stats.known_to_nobody, "facts that nobody knows"),
    ];
    for (count, label) in other_counts {
        output.line(format!("  {count:>6}  {label}"))?;
    }
    Ok(memory.close()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_names_what_was_recovered() {
        assert_eq!(describe_recovery(false, 0, None), None);
        let text = describe_recovery(true, 12, Some("it is truncated")).unwrap_or_default();
        let parts = ["did not close the campaign", "12 records of the graph tables", "not used: it is truncated"];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert_eq!(describe_recovery(false, 1, None).as_deref(), Some("1 record of the graph tables repaired"));
    }

    #[test]
    fn a_failed_storage_is_told() {
        assert!(storage_line(None).is_none());
        let line = storage_line(Some("the disk is full")).map(|line| line.paint(false)).unwrap_or_default();
        assert!(line.starts_with("warning: nothing is saved any more: the disk is full; "), "{line}");
    }
}
