//! The usual readings of a state, as data that can be printed or serialised.
//!
//! Each is a function of the state, to be called in [`Memory::read`](crate::Memory::read).

mod as_of;
mod beliefs;
mod history;
mod holders;
mod knows;
mod portrait;
pub(crate) mod timeline;

use std::collections::BTreeMap;

use hearsay_belief::{Judgement, Revealable, Trust, View, revealable};
use hearsay_model::{
    Bearing, EntityId, Evidence, Excerpt, Fact, FactId, GameTime, How, Kind, Knower, Object, Position, Predicate,
    SessionId, Standing, State, Timestamp, Value, text,
};
use hearsay_recall::graph::{self, Direction, Walk};
use serde::Serialize;

use crate::{
    Duplicate, Learned, MemoryError, ReviewItem,
    edit::resolve,
    find_fact,
    learn::{Lift, Reason, lift},
    review_items, would_learn,
};

pub use crate::session::{
    ChangeKind, ChangedRow, FIRST, LearnedRow, LearnerRow, LineRow, RecapFor, ReviewFirst, SessionCounts, SessionRecap,
    SessionReport, SessionRow, Thread, ThreadFilter, ThreadKind, consequence, last_place, session_lines,
    session_or_latest, session_recap, session_report, sessions, threads, unsettled,
};
pub(crate) use as_of::session_end;
pub use as_of::{AsOf, find_session};
pub use beliefs::{
    AgainstRow, BeliefRow, Believes, Chain, LinkRow, ReasonRow, ThinksRow, TruthRow, believes, chain, thinks,
};
pub(crate) use history::undo_summary;
pub use history::{HistoryFilter, LostFact, OperationRow, Operations, UndoRow, operations, undo_in_words};
pub use holders::{
    ConditionRow, HolderRow, Obstacle, SecretFilter, SecretHolder, SecretRow, SourceRow, TellingRow, WhoKnows, WhyNot,
    secrets, who_knows, why_not,
};
pub use knows::{
    KnowsFilter, KnowsRow, Missed, MissedLine, MissedRow, PartyKnower, PartyRow, knows, missed, party, players,
    way_called,
};
pub use portrait::{
    HeldBy, LastWords, Meeting, Meetings, Met, SourceText, Table, TableKnows, held_by, meetings, session_title,
    sources_of,
};
pub use timeline::{MomentKind, MomentRow, SpanRow, Timeline, TimelineFilter, is_secret, timeline};

/// A fact in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactRow {
    /// Its id.
    pub id: FactId,
    /// The author's own name for it.
    pub handle: Option<String>,
    /// Its subject.
    pub subject: EntityId,
    /// Its predicate.
    pub predicate: Predicate,
    /// Its object as text: an id or a value.
    pub object: String,
    /// Whether the object is an entity.
    pub object_is_entity: bool,
    /// The sentence that states it.
    pub statement: String,
    /// What the world says of it.
    pub standing: Standing,
    /// How it is meant to be kept: `common`, `open`, `secret`.
    pub secrecy: &'static str,
    /// Since when it is so.
    pub since: Option<String>,
    /// Until when it was so.
    pub until: Option<String>,
    /// How the subject feels about the object.
    pub attitude: Option<i8>,
    /// How sure extraction was, with what was learned from the DM's decisions.
    pub confidence: f64,
    /// How sure extraction was by itself, where that is another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<f64>,
    /// Whether the DM confirmed it.
    pub confirmed: bool,
    /// Who recorded it, and with which language model, if with one.
    pub author: String,
    /// The session it was recorded in.
    pub session: Option<SessionId>,
    /// Where it is written: file, line and field, or the words that state it.
    pub evidence: Vec<String>,
    /// What it has to do with other facts.
    pub bears: Vec<BearingRow>,
    /// Who knows it by an edge, with credence and how.
    pub known_by: Vec<KnowerRow>,
}

/// Somebody who knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowerRow {
    /// Who: an id, or `*` for everybody.
    pub knower: Knower,
    /// How much they believe it.
    pub credence: f64,
    /// How they learned it: `witnessed`, `told by odo-brandt`.
    pub how: String,
    /// When.
    pub learned: Option<String>,
    /// Whether they keep it to themselves.
    pub conceals: bool,
    /// Who was there too, as far as they noticed; those they told, where they passed it on.
    pub company: Vec<EntityId>,
    /// Whether this is no way of knowing, but the record of having passed it on.
    pub passed_on: bool,
    /// From which rank on members of a group have it.
    pub rank: Option<String>,
}

/// What a fact has to do with another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BearingRow {
    /// `distorts`, `refutes`, `ends`, `covers`; of the other fact, where that bears on this one: `distorted by`, …
    pub what: &'static str,
    /// The other fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
}

/// Which facts to list.
#[derive(Debug, Clone, Default)]
pub struct FactFilter {
    /// Of this subject: an id or a name.
    pub subject: Option<String>,
    /// With this predicate.
    pub predicate: Option<String>,
    /// With this object: an id or a name; or words of the value.
    pub object: Option<String>,
    /// Of this standing.
    pub standing: Option<Standing>,
    /// Known to this knower: an id or a name.
    pub knower: Option<String>,
    /// What the knower knew then; all that it knows, when nothing is said.
    pub as_of: Option<GameTime>,
    /// So in the world at this date of the calendar or session, by its end; whenever, when nothing is said.
    pub holds_at: Option<String>,
    /// At most so many.
    pub limit: usize,
}

fn date(state: &State, date: Option<&hearsay_model::Date>) -> Option<String> {
    let date = date?;
    Some(if date.raw.is_empty() { date.time.map(|time| state.calendar().print(time))? } else { date.raw.clone() })
}

/// What an entity is called in a sentence: its name, or its id.
pub type Called<'a> = &'a dyn Fn(&EntityId) -> String;

/// How somebody learned something, in words.
pub fn how_called(how: &How, called: Called) -> String {
    match how {
        How::Witnessed => "witnessed".into(),
        How::Told { by: Some(by), citing: None } => format!("told by {}", called(by)),
        How::Told { by: Some(by), citing: Some(citing) } => {
            format!("told by {}, who has it from {}", called(by), called(citing))
        }
        How::Told { by: None, .. } => "heard talk of it".into(),
        How::Shared => "passed it on".into(),
        How::Read { document: Some(document) } => format!("read in {}", called(document)),
        How::Read { document: None } => "read".into(),
        How::Authored => "knows it".into(),
        How::Deduced { from } if from.len() == 1 => "concluded from a fact".into(),
        How::Deduced { from } => format!("concluded from {} facts", from.len()),
    }
}

/// The same by ids.
pub(crate) fn how_in_words(how: &How) -> String {
    how_called(how, &EntityId::to_string)
}

fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::File { path, line, field } => format!("{path}:{line} ({field})"),
        Evidence::Excerpt(excerpt) => {
            let Excerpt { path, line, field, quote, .. } = &**excerpt;
            let field = if field.is_empty() { String::new() } else { format!(" ({field})") };
            format!("{path}:{line}{field}: \u{201C}{quote}\u{201D}")
        }
        Evidence::Passage { passage, quote, .. } => format!("\u{201C}{quote}\u{201D} (passage {})", passage.short()),
    }
}

/// A fact in full, with who knows it.
pub fn fact_row(state: &State, fact: &Fact) -> FactRow {
    let mut edges = would_learn(state, fact.id());
    // What rests on something that fell is asleep, unless the fact as a whole is.
    if fact.standing().is_in_world() {
        edges.retain(|edge| state.knowledge(edge.id()).is_some());
    }
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.id()));
    let known_by = edges.iter().map(|edge| KnowerRow {
        knower: edge.knower.clone(),
        credence: edge.credence.get(),
        how: how_in_words(&edge.how),
        learned: date(state, edge.learned.as_ref()),
        conceals: edge.conceals,
        company: edge.company.clone(),
        passed_on: edge.how == How::Shared,
        rank: edge.rank.clone(),
    });
    let provenance = fact.provenance();
    FactRow {
        id: fact.id(),
        handle: fact.handle().map(str::to_owned),
        subject: fact.subject().clone(),
        predicate: fact.predicate().clone(),
        object: fact.object().to_string(),
        object_is_entity: fact.object().entity().is_some(),
        statement: fact.statement().to_owned(),
        standing: fact.standing(),
        secrecy: fact.secrecy().as_str(),
        since: date(state, fact.validity().from.as_ref()),
        until: date(state, fact.validity().until.as_ref()),
        attitude: fact.attitude().map(hearsay_model::Attitude::get),
        confidence: provenance.confidence.get(),
        extracted: provenance.extracted.map(hearsay_model::Confidence::get),
        confirmed: provenance.confirmed,
        author: match &provenance.model {
            Some(model) => format!("{} with {model}", provenance.author),
            None => provenance.author.to_string(),
        },
        session: provenance.session.clone(),
        evidence: provenance.evidence.iter().map(evidence).collect(),
        bears: bears(state, fact),
        known_by: known_by.collect(),
    }
}

/// What a fact has to do with others, and they with it.
fn bears(state: &State, fact: &Fact) -> Vec<BearingRow> {
    let row = |what, other: &Fact| BearingRow { what, fact: other.id(), statement: other.statement().to_owned() };
    let own = fact.bearing().and_then(|bearing| Some(row(bearing.as_str(), state.asserted(bearing.fact())?)));
    let on_this = state.facts_of(fact.subject()).filter_map(|other| {
        let what = match other.bearing().filter(|bearing| bearing.fact() == fact.id())? {
            Bearing::Distorts(_) => "distorted by",
            Bearing::Refutes(_) => "refuted by",
            Bearing::Ends(_) => "ended by",
            Bearing::Covers(_) => "covered by",
        };
        Some(row(what, other))
    });
    let mut on_this: Vec<BearingRow> = on_this.collect();
    on_this.sort_by_key(|row| row.fact);
    own.into_iter().chain(on_this).collect()
}

/// The facts that a filter lets through, by subject, predicate and id; and how many there are in all.
///
/// # Errors
/// When a name cannot be resolved or the predicate is malformed.
pub fn facts(state: &State, filter: &FactFilter) -> Result<(Vec<FactRow>, usize), MemoryError> {
    let subject = filter.subject.as_deref().map(|name| resolve(state, name)).transpose()?;
    let predicate = filter.predicate.as_deref().map(Predicate::new).transpose()?;
    let knower = filter.knower.as_deref().map(|name| resolve(state, name)).transpose()?;
    let view = knower.map(|knower| View::of(state, &Knower::Entity(knower), filter.as_of));
    let moment = AsOf { time: filter.holds_at.clone(), recorded: None }.moment(state)?;
    let object = filter.object.as_deref().map(|given| (resolve(state, given).ok(), text::normal(given)));
    let points_at = |object: &Object, (id, words): &(Option<EntityId>, String)| match object {
        Object::Entity(entity) => Some(entity) == id.as_ref(),
        Object::Value(Value::Text(value)) => text::normal(value).contains(words.as_str()),
        Object::Value(value) => text::normal(&value.to_string()) == *words,
    };
    let mut found: Vec<_> = state
        .facts()
        .filter(|fact| subject.as_ref().is_none_or(|subject| fact.subject() == subject))
        .filter(|fact| predicate.as_ref().is_none_or(|predicate| fact.predicate() == predicate))
        .filter(|fact| filter.standing.is_none_or(|standing| fact.standing() == standing))
        .filter(|fact| moment.is_none_or(|moment| fact.validity().holds_at(Some(moment))))
        .filter(|fact| view.as_ref().is_none_or(|view| view.fact(fact.id()).is_some()))
        .filter(|fact| object.as_ref().is_none_or(|wanted| points_at(fact.object(), wanted)))
        .collect();
    found.sort_by(|a, b| (a.subject(), a.predicate(), a.id()).cmp(&(b.subject(), b.predicate(), b.id())));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|fact| fact_row(state, fact)).collect(), all))
}

/// An entity with all that is said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityPage {
    /// Its id.
    pub id: EntityId,
    /// What it is called first of all.
    pub name: Option<String>,
    /// What it is.
    pub kind: Option<Kind>,
    /// Further names.
    pub aliases: Vec<String>,
    /// Attributes.
    pub attributes: Vec<FactRow>,
    /// Relations from and to it.
    pub relations: Vec<FactRow>,
}

/// What `show` shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// An entity.
    Entity(EntityPage),
    /// A fact.
    Fact(FactRow),
}

/// An entity by id or name, or a fact by id, the beginning of its id, or handle; as the DM sees it, or as a knower does.
///
/// # Errors
/// When nothing is meant, or several things are.
pub fn show(state: &State, what: &str, knower: Option<&str>, as_of: Option<GameTime>) -> Result<Shown, MemoryError> {
    let view = view_of(state, knower, as_of)?;
    let id = match resolve(state, what) {
        Ok(id) => id,
        Err(unknown) => {
            let fact = find_fact(state, what).map_err(|_| unknown)?;
            return Ok(Shown::Fact(fact_row(state, &fact)));
        }
    };
    let identity = graph::identity(state, &id, &Walk { view: view.as_ref(), ..Walk::default() });
    let rows = |facts: &[&Fact]| facts.iter().map(|fact| fact_row(state, fact)).collect();
    Ok(Shown::Entity(EntityPage {
        name: identity.name.map(str::to_owned),
        kind: identity.kind.clone(),
        aliases: identity.aliases.iter().filter_map(|fact| fact.object().text()).map(str::to_owned).collect(),
        attributes: rows(&identity.attributes),
        relations: rows(&identity.relations),
        id,
    }))
}

fn view_of(state: &State, knower: Option<&str>, as_of: Option<GameTime>) -> Result<Option<View>, MemoryError> {
    let id = knower.map(|name| resolve(state, name)).transpose()?;
    Ok(id.map(|id| View::of(state, &Knower::Entity(id), as_of)))
}

/// A walk through the graph.
#[derive(Debug, Clone, Default)]
pub struct WalkFilter {
    /// Which way relations are followed.
    pub direction: Direction,
    /// Only these.
    pub predicates: Vec<String>,
    /// As this knower sees it: an id or a name.
    pub knower: Option<String>,
    /// As the knower saw it then; by all that it knows, when nothing is said.
    pub as_of: Option<GameTime>,
}

/// An entity that a walk reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeighbourRow {
    /// Its id.
    pub id: EntityId,
    /// Its name, for the DM; the id, where a knower asks that may not know it.
    pub name: String,
    /// Hops from the start.
    pub distance: usize,
    /// The sentence by which it was reached.
    pub statement: String,
    /// The relation by which it was reached.
    pub predicate: Predicate,
    /// `out` or `in`.
    pub direction: &'static str,
    /// The relation's id.
    pub fact: FactId,
}

/// The entities around one.
///
/// # Errors
/// When a name cannot be resolved or a predicate is malformed.
pub fn neighbours(
    state: &State,
    from: &str,
    filter: &WalkFilter,
    depth: usize,
    limit: usize,
) -> Result<Vec<NeighbourRow>, MemoryError> {
    let from = resolve(state, from)?;
    let view = view_of(state, filter.knower.as_deref(), filter.as_of)?;
    let predicates = filter.predicates.iter().map(|name| Predicate::new(name)).collect::<Result<Vec<_>, _>>()?;
    let walk = Walk { direction: filter.direction, predicates, view: view.as_ref() };
    let called = names(state, view.as_ref());
    let row = |neighbour: graph::Neighbour| NeighbourRow {
        id: neighbour.id.clone(),
        name: called(neighbour.id),
        distance: neighbour.distance,
        statement: neighbour.fact.statement().to_owned(),
        predicate: neighbour.fact.predicate().clone(),
        direction: if neighbour.forward { "out" } else { "in" },
        fact: neighbour.fact.id(),
    };
    Ok(graph::neighbours(state, &from, &walk, depth, limit).into_iter().map(row).collect())
}

fn names<'a>(state: &'a State, view: Option<&View>) -> impl Fn(&EntityId) -> String + 'a {
    let known = view.map(hearsay_recall::Names::of);
    move |id| match &known {
        Some(names) => names.name(id).unwrap_or(id.as_str()).to_owned(),
        None => state.name_or_id(id).to_owned(),
    }
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Where it leads.
    pub to: EntityId,
    /// What that is called.
    pub name: String,
    /// The sentence that leads there.
    pub statement: String,
    /// The relation.
    pub fact: FactId,
}

/// The shortest path between two entities; nothing, when there is none of at most so many steps.
///
/// # Errors
/// When a name cannot be resolved or a predicate is malformed.
pub fn path(
    state: &State,
    from: &str,
    to: &str,
    filter: &WalkFilter,
    longest: usize,
) -> Result<Option<Vec<StepRow>>, MemoryError> {
    let (from, to) = (resolve(state, from)?, resolve(state, to)?);
    let view = view_of(state, filter.knower.as_deref(), filter.as_of)?;
    let predicates = filter.predicates.iter().map(|name| Predicate::new(name)).collect::<Result<Vec<_>, _>>()?;
    let walk = Walk { direction: filter.direction, predicates, view: view.as_ref() };
    let called = names(state, view.as_ref());
    let steps = graph::path(state, &from, &to, &walk, longest);
    Ok(steps.map(|steps| {
        let row = |step: graph::Step| StepRow {
            to: step.to.clone(),
            name: called(step.to),
            statement: step.fact.statement().to_owned(),
            fact: step.fact.id(),
        };
        steps.into_iter().map(row).collect()
    }))
}

/// How much there is of what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Entities by kind.
    pub entities: BTreeMap<String, usize>,
    /// Facts by predicate.
    pub predicates: BTreeMap<String, usize>,
    /// Facts by standing.
    pub standings: BTreeMap<String, usize>,
    /// Facts by who recorded them.
    pub sources: BTreeMap<String, usize>,
    /// Facts by secrecy.
    pub secrecy: BTreeMap<String, usize>,
    /// Edges of knowledge.
    pub knowledge: usize,
    /// Passages.
    pub passages: usize,
    /// Sessions.
    pub sessions: usize,
    /// Facts that are in the world but that nobody knows.
    pub known_to_nobody: usize,
}

/// Counts what there is.
pub fn stats(state: &State) -> Stats {
    let mut stats = Stats::default();
    let count = |counts: &mut BTreeMap<String, usize>, key: &str| *counts.entry(key.to_owned()).or_default() += 1;
    for entity in state.entities() {
        count(&mut stats.entities, state.kind(&entity.id).as_ref().map_or("unknown", Kind::as_str));
    }
    for fact in state.facts() {
        count(&mut stats.predicates, fact.predicate().as_str());
        count(&mut stats.standings, fact.standing().as_str());
        count(&mut stats.sources, &fact.provenance().author.to_string());
        count(&mut stats.secrecy, fact.secrecy().as_str());
        stats.known_to_nobody +=
            usize::from(fact.standing().is_in_world() && state.known_by(fact.id()).next().is_none());
    }
    stats.knowledge = state.all_knowledge().count();
    stats.passages = state.passages().count();
    stats.sessions = state.sessions().count();
    stats
}

/// An operation of the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryRow {
    /// Its position.
    pub position: Position,
    /// Who made it.
    pub author: String,
    /// When, by the real clock.
    pub recorded: Timestamp,
    /// What it did.
    pub summary: String,
    /// How many changes it made.
    pub changes: usize,
    /// Whether it counts: it was not undone.
    pub live: bool,
}

/// The newest operations, the newest first.
pub fn history(state: &State, limit: usize) -> Vec<HistoryRow> {
    state.journal().rev().take(limit).map(|(position, entry)| history_row(position, entry)).collect()
}

fn history_row(position: Position, entry: &hearsay_model::Entry) -> HistoryRow {
    HistoryRow {
        position,
        author: entry.operation.author.to_string(),
        recorded: entry.operation.recorded,
        summary: entry.operation.summary.clone(),
        changes: entry.operation.changes.len(),
        live: entry.live,
    }
}

/// An item that waits for the DM, with its facts in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewRow {
    /// Why it waits.
    #[serde(flatten)]
    pub item: ReviewItem,
    /// Its facts.
    pub in_full: Vec<FactRow>,
    /// Of a doubtful fact: what the DM's earlier decisions say of the like of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Reason>,
    /// Of a doubtful fact: by how much a confirmed one that is like it lifts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift: Option<Lift>,
}

/// What waits for the DM of facts, at most so many; and how many there are in all.
pub fn review(state: &State, learned: &Learned, limit: usize) -> (Vec<ReviewRow>, usize) {
    review_with(state, learned, Vec::new(), limit)
}

/// The same, and then entities that may be one, in the order given.
pub fn review_with(
    state: &State,
    learned: &Learned,
    duplicates: Vec<Duplicate>,
    limit: usize,
) -> (Vec<ReviewRow>, usize) {
    let duplicates = duplicates.into_iter().map(ReviewItem::Duplicate);
    let items: Vec<ReviewItem> = review_items(state).into_iter().chain(duplicates).collect();
    let all = items.len();
    let row = |item: ReviewItem| {
        let ids = match &item {
            ReviewItem::Doubtful { fact, also } => std::iter::once(*fact).chain(also.iter().copied()).collect(),
            ReviewItem::Contradiction { facts, .. } => facts.clone(),
            ReviewItem::Duplicate(_) => Vec::new(),
        };
        let doubtful = match &item {
            ReviewItem::Doubtful { fact, .. } => state.fact(*fact),
            _ => None,
        };
        let in_full = ids.iter().filter_map(|id| state.fact(*id)).map(|fact| fact_row(state, fact)).collect();
        let trust = doubtful.map(|fact| learned.reasons(fact.provenance(), fact.predicate())).unwrap_or_default();
        ReviewRow { item, in_full, trust, lift: doubtful.and_then(|fact| lift(state, fact)) }
    };
    (items.into_iter().take(limit).map(row).collect(), all)
}

/// The author's word to the DM on a reveal.
fn note_of(state: &State, reveal: &str) -> Option<String> {
    state.reveals().find(|one| one.id == reveal)?.note.clone()
}

/// A secret that is told under a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealRow {
    /// The reveal's id.
    pub reveal: String,
    /// The secret.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// Who may tell it, or may not yet.
    pub holder: EntityId,
    /// Whether the condition holds, for whom, and what is missing.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The author's word to the DM: how it is told, what follows.
    pub note: Option<String>,
}

/// When secrets may be told: for every reveal and who may tell it, whether its condition holds now, for whom, and what is
/// missing. Reads every entity, to find the player characters.
pub fn reveals(state: &State) -> Vec<RevealRow> {
    let row = |one: Revealable| RevealRow {
        note: note_of(state, &one.reveal),
        reveal: one.reveal,
        statement: state.fact(one.fact).map_or_else(String::new, |fact| fact.statement().to_owned()),
        fact: one.fact,
        holder: one.holder,
        judgement: one.judgement,
    };
    revealable(state, &|who, of| Trust::between(state, who, of).level()).into_iter().map(row).collect()
}
