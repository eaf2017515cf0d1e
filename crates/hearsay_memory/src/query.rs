//! The usual queries of a state, with results that can be printed or serialized.
//!
//! Each query is a function of the state, for use in [`Memory::read`](crate::Memory::read).

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
    Acquisition, EntityId, Evidence, Excerpt, Fact, FactId, FactRelation, FactStatus, GameTime, Kind, Knower, Object,
    Position, Predicate, SessionId, State, Timestamp, Value, text,
};
use hearsay_recall::graph::{self, Direction, Traversal};
use serde::Serialize;

use crate::{
    Duplicate, MemoryError, ReviewItem, TrustCalibration,
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
    AgainstRow, BeliefRow, Believes, Derivation, LinkRow, ReasonRow, ThinksRow, TruthRow, believes, chain, thinks,
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
    /// Id of the fact.
    pub id: FactId,
    /// Handle given by the author.
    pub handle: Option<String>,
    /// Subject.
    pub subject: EntityId,
    /// Predicate.
    pub predicate: Predicate,
    /// Object as text: an id or a value.
    pub object: String,
    /// Whether the object is an entity.
    pub object_is_entity: bool,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Secrecy of the fact: `common`, `open`, `secret`.
    pub secrecy: &'static str,
    /// Date from which the fact holds.
    pub since: Option<String>,
    /// Date until which the fact held.
    pub until: Option<String>,
    /// Attitude of the subject to the object.
    pub attitude: Option<i8>,
    /// Confidence of the extraction, adjusted by trust learned from the DM's decisions.
    pub confidence: f64,
    /// Confidence of the extraction alone, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<f64>,
    /// Whether the DM confirmed the fact.
    pub confirmed: bool,
    /// Author of the fact, with the language model, if any.
    pub author: String,
    /// Session in which the fact was recorded.
    pub session: Option<SessionId>,
    /// Evidence: file, line and field, or the words that state the fact.
    pub evidence: Vec<String>,
    /// Relations to other facts.
    pub bears: Vec<FactRelationRow>,
    /// Knowers with their own edges, with credence and acquisition.
    pub known_by: Vec<KnowerRow>,
}

/// A knower of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowerRow {
    /// The knower: an id, or `*` for everybody.
    pub knower: Knower,
    /// Credence of the knower.
    pub credence: f64,
    /// Acquisition: `witnessed`, `told by odo-brandt`.
    pub acquisition: String,
    /// Time of the acquisition.
    pub learned: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
    /// Others present, as far as the knower noticed them. For a record of telling, the hearers.
    pub co_present: Vec<EntityId>,
    /// Whether the edge only records that the knower told the fact, and grants no knowledge.
    pub passed_on: bool,
    /// Lowest rank of members that share the group's knowledge.
    pub rank: Option<String>,
}

/// A relation of a fact to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactRelationRow {
    /// Kind of relation: `distorts`, `refutes`, `ends`, `covers`. In the other direction: `distorted by`, …
    pub what: &'static str,
    /// The other fact.
    pub fact: FactId,
    /// Sentence that states the other fact.
    pub statement: String,
}

/// Filter for listing facts.
#[derive(Debug, Clone, Default)]
pub struct FactFilter {
    /// Only facts with this subject: an id or a name.
    pub subject: Option<String>,
    /// Only facts with this predicate.
    pub predicate: Option<String>,
    /// Only facts with this object: an id or a name, or words of the value.
    pub object: Option<String>,
    /// Only facts of this status.
    pub status: Option<FactStatus>,
    /// Only facts known to this knower: an id or a name.
    pub knower: Option<String>,
    /// Game time of the knower's knowledge. Default: everything that it knows.
    pub as_of: Option<GameTime>,
    /// Only facts that hold in the world at this date of the calendar, or at the end of this session. Default: any
    /// time.
    pub holds_at: Option<String>,
    /// Maximum number of facts.
    pub limit: usize,
}

fn date(state: &State, date: Option<&hearsay_model::Date>) -> Option<String> {
    let date = date?;
    Some(if date.raw.is_empty() { date.time.map(|time| state.calendar().print(time))? } else { date.raw.clone() })
}

/// Function that returns the name of an entity for a sentence: its name, or its id.
pub type Called<'a> = &'a dyn Fn(&EntityId) -> String;

/// Describes an acquisition in words.
pub fn how_called(acquisition: &Acquisition, called: Called) -> String {
    match acquisition {
        Acquisition::Witnessed => "witnessed".into(),
        Acquisition::Told { by: Some(by), citing: None } => format!("told by {}", called(by)),
        Acquisition::Told { by: Some(by), citing: Some(citing) } => {
            format!("told by {}, who has it from {}", called(by), called(citing))
        }
        Acquisition::Told { by: None, .. } => "heard talk of it".into(),
        Acquisition::Shared => "passed it on".into(),
        Acquisition::Read { document: Some(document) } => format!("read in {}", called(document)),
        Acquisition::Read { document: None } => "read".into(),
        Acquisition::Authored => "knows it".into(),
        Acquisition::Deduced { from } if from.len() == 1 => "concluded from a fact".into(),
        Acquisition::Deduced { from } => format!("concluded from {} facts", from.len()),
    }
}

/// Describes an acquisition in words, with ids as names.
pub(crate) fn how_in_words(acquisition: &Acquisition) -> String {
    how_called(acquisition, &EntityId::to_string)
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

/// Returns a fact in full, with its knowers.
pub fn fact_row(state: &State, fact: &Fact) -> FactRow {
    let mut edges = would_learn(state, fact.id());
    // Shows only active edges, unless the whole fact is outside the world.
    if fact.status().is_in_world() {
        edges.retain(|edge| state.knowledge(edge.id()).is_some());
    }
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.id()));
    let known_by = edges.iter().map(|edge| KnowerRow {
        knower: edge.knower.clone(),
        credence: edge.credence.get(),
        acquisition: how_in_words(&edge.acquisition),
        learned: date(state, edge.learned.as_ref()),
        conceals: edge.conceals,
        co_present: edge.co_present.clone(),
        passed_on: edge.acquisition == Acquisition::Shared,
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
        status: fact.status(),
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

/// Returns the relations between a fact and others, in both directions.
fn bears(state: &State, fact: &Fact) -> Vec<FactRelationRow> {
    let row = |what, other: &Fact| FactRelationRow { what, fact: other.id(), statement: other.statement().to_owned() };
    let own = fact
        .fact_relation()
        .and_then(|fact_relation| Some(row(fact_relation.as_str(), state.asserted(fact_relation.fact())?)));
    let on_this = state.facts_of(fact.subject()).filter_map(|other| {
        let what = match other.fact_relation().filter(|fact_relation| fact_relation.fact() == fact.id())? {
            FactRelation::Distorts(_) => "distorted by",
            FactRelation::Refutes(_) => "refuted by",
            FactRelation::Ends(_) => "ended by",
            FactRelation::Covers(_) => "covered by",
        };
        Some(row(what, other))
    });
    let mut on_this: Vec<FactRelationRow> = on_this.collect();
    on_this.sort_by_key(|row| row.fact);
    own.into_iter().chain(on_this).collect()
}

/// Returns the facts that pass a filter, by subject, predicate and id, and their total number.
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
        .filter(|fact| filter.status.is_none_or(|status| fact.status() == status))
        .filter(|fact| moment.is_none_or(|moment| fact.validity().holds_at(Some(moment))))
        .filter(|fact| view.as_ref().is_none_or(|view| view.fact(fact.id()).is_some()))
        .filter(|fact| object.as_ref().is_none_or(|wanted| points_at(fact.object(), wanted)))
        .collect();
    found.sort_by(|a, b| (a.subject(), a.predicate(), a.id()).cmp(&(b.subject(), b.predicate(), b.id())));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|fact| fact_row(state, fact)).collect(), all))
}

/// An entity with all facts about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityPage {
    /// Id of the entity.
    pub id: EntityId,
    /// Primary name.
    pub name: Option<String>,
    /// Kind of the entity.
    pub kind: Option<Kind>,
    /// Further names.
    pub aliases: Vec<String>,
    /// Attributes.
    pub attributes: Vec<FactRow>,
    /// Relations from and to the entity.
    pub relations: Vec<FactRow>,
}

/// Result of `show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// An entity.
    Entity(EntityPage),
    /// A fact.
    Fact(FactRow),
}

/// Returns an entity by id or name, or a fact by id, the beginning of its id, or handle. The result is as seen by the
/// DM, or by a knower.
///
/// # Errors
/// When nothing matches, or several things do.
pub fn show(state: &State, what: &str, knower: Option<&str>, as_of: Option<GameTime>) -> Result<Shown, MemoryError> {
    let view = view_of(state, knower, as_of)?;
    let id = match resolve(state, what) {
        Ok(id) => id,
        Err(unknown) => {
            let fact = find_fact(state, what).map_err(|_| unknown)?;
            return Ok(Shown::Fact(fact_row(state, &fact)));
        }
    };
    let identity = graph::identity(state, &id, &Traversal { view: view.as_ref(), ..Traversal::default() });
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

/// Filter for traversing the graph.
#[derive(Debug, Clone, Default)]
pub struct WalkFilter {
    /// Direction in which relations are followed.
    pub direction: Direction,
    /// Only relations with these predicates.
    pub predicates: Vec<String>,
    /// Knower whose view is used: an id or a name.
    pub knower: Option<String>,
    /// Game time of the knower's view. Default: everything that it knows.
    pub as_of: Option<GameTime>,
}

/// An entity reached by a traversal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeighbourRow {
    /// Id of the entity.
    pub id: EntityId,
    /// Name of the entity for the DM. For a knower, the id, because it may not know the name.
    pub name: String,
    /// Number of hops from the start.
    pub distance: usize,
    /// Sentence of the relation that reached it.
    pub statement: String,
    /// Predicate of that relation.
    pub predicate: Predicate,
    /// Direction of that relation: `out` or `in`.
    pub direction: &'static str,
    /// Id of that relation.
    pub fact: FactId,
}

/// Returns the entities around an entity.
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
    let walk = Traversal { direction: filter.direction, predicates, view: view.as_ref() };
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
    let known = view.map(hearsay_recall::EntityLinker::of);
    move |id| match &known {
        Some(names) => names.name(id).unwrap_or(id.as_str()).to_owned(),
        None => state.name_or_id(id).to_owned(),
    }
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Entity that the step leads to.
    pub to: EntityId,
    /// Name of that entity.
    pub name: String,
    /// Sentence of the relation.
    pub statement: String,
    /// Id of the relation.
    pub fact: FactId,
}

/// Returns the shortest path between two entities, or `None` if there is none with at most `longest` steps.
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
    let walk = Traversal { direction: filter.direction, predicates, view: view.as_ref() };
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

/// Counts of the contents of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Entities by kind.
    pub entities: BTreeMap<String, usize>,
    /// Facts by predicate.
    pub predicates: BTreeMap<String, usize>,
    /// Facts by status.
    pub statuses: BTreeMap<String, usize>,
    /// Facts by author.
    pub sources: BTreeMap<String, usize>,
    /// Facts by secrecy.
    pub secrecy: BTreeMap<String, usize>,
    /// Knowledge edges.
    pub knowledge: usize,
    /// Passages.
    pub passages: usize,
    /// Sessions.
    pub sessions: usize,
    /// Facts in the world without a knower.
    pub known_to_nobody: usize,
}

/// Counts the contents of a campaign.
pub fn stats(state: &State) -> Stats {
    let mut stats = Stats::default();
    let count = |counts: &mut BTreeMap<String, usize>, key: &str| *counts.entry(key.to_owned()).or_default() += 1;
    for entity in state.entities() {
        count(&mut stats.entities, state.kind(&entity.id).as_ref().map_or("unknown", Kind::as_str));
    }
    for fact in state.facts() {
        count(&mut stats.predicates, fact.predicate().as_str());
        count(&mut stats.statuses, fact.status().as_str());
        count(&mut stats.sources, &fact.provenance().author.to_string());
        count(&mut stats.secrecy, fact.secrecy().as_str());
        stats.known_to_nobody += usize::from(fact.status().is_in_world() && state.known_by(fact.id()).next().is_none());
    }
    stats.knowledge = state.all_knowledge().count();
    stats.passages = state.passages().count();
    stats.sessions = state.sessions().count();
    stats
}

/// An operation of the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryRow {
    /// Position of the operation.
    pub position: Position,
    /// Author of the operation.
    pub author: String,
    /// Time, by the real clock.
    pub recorded: Timestamp,
    /// Summary.
    pub summary: String,
    /// Number of changes.
    pub changes: usize,
    /// Whether the operation is live, that is, not undone.
    pub live: bool,
}

/// Returns the newest operations, newest first.
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
    /// The item.
    #[serde(flatten)]
    pub item: ReviewItem,
    /// Facts of the item.
    pub in_full: Vec<FactRow>,
    /// For a doubtful fact: the learned trust that applies to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Reason>,
    /// For a doubtful fact: the increase of confidence from a similar confirmed fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift: Option<Lift>,
}

/// Returns the facts that wait for the DM, at most `limit`, and their total number.
pub fn review(state: &State, learned: &TrustCalibration, limit: usize) -> (Vec<ReviewRow>, usize) {
    review_with(state, learned, Vec::new(), limit)
}

/// Returns the facts that wait for the DM, followed by the given duplicates in their order.
pub fn review_with(
    state: &State,
    learned: &TrustCalibration,
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

/// Returns the author's note to the DM on a reveal.
fn note_of(state: &State, reveal: &str) -> Option<String> {
    state.reveals().find(|one| one.id == reveal)?.note.clone()
}

/// A secret that is told under a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealRow {
    /// Id of the reveal.
    pub reveal: String,
    /// The secret.
    pub fact: FactId,
    /// Sentence that states the secret.
    pub statement: String,
    /// Holder that may tell it when the condition holds.
    pub holder: EntityId,
    /// Whether the condition holds, for which characters, and the missing parts.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Author's note to the DM, such as how the secret is told and what follows.
    pub note: Option<String>,
}

/// Returns every reveal with its holders: whether its condition holds now, for which characters, and the missing parts.
/// Reads every entity to find the player characters.
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
