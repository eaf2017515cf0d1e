//! Open threads: promises, debts, untold secrets, and unfinished quests.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Fact, FactId, Kind, Predicate, SessionId, State, text};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::resolve,
    query::{SecretFilter, find_session, secrets},
};

/// Kind of an open thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// An unfinished quest.
    Quest,
    /// A promise: an open `PROMISED` fact.
    Promise,
    /// A debt: an open `OWES` fact.
    Debt,
    /// A secret that was never told.
    Secret,
}

/// An open thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Thread {
    /// Kind of the thread.
    pub kind: ThreadKind,
    /// Description in a sentence.
    pub what: String,
    /// The fact, if the thread is one.
    pub fact: Option<FactId>,
    /// The quest, if the thread is one.
    pub quest: Option<EntityId>,
    /// Entities concerned: both ends of a promise or debt, the holders of a secret, the giver of a quest. Sorted.
    pub who: Vec<EntityId>,
    /// Start, on the campaign's calendar.
    pub since: Option<String>,
    /// Session in which the thread was recorded.
    pub session: Option<SessionId>,
    /// Further facts about a quest: its stage, objectives and reward.
    pub details: Vec<String>,
}

/// Filter for listing threads.
#[derive(Debug, Clone, Default)]
pub struct ThreadFilter {
    /// Only threads of these kinds; empty for all.
    pub kinds: Vec<ThreadKind>,
    /// Only threads that concern this entity: an id or a name.
    pub about: Option<String>,
    /// Only threads recorded in this session, or about an entity named in it: the session's id or number.
    pub session: Option<String>,
}

/// Stages that mean that a quest has ended.
const DONE: [&str; 12] = [
    "done",
    "finished",
    "complete",
    "completed",
    "closed",
    "failed",
    "abandoned",
    "over",
    "solved",
    "ended",
    "fulfilled",
    "resolved",
];

/// Predicates that are threads as long as they hold.
const BONDS: [(ThreadKind, &str); 2] = [(ThreadKind::Promise, "PROMISED"), (ThreadKind::Debt, "OWES")];

/// Returns the open threads of a campaign: quests, promises, debts and secrets, each kind in the order of its subjects.
///
/// # Errors
/// When the name or the session is invalid.
pub fn threads(state: &State, filter: &ThreadFilter) -> Result<Vec<Thread>, MemoryError> {
    let about = filter.about.as_deref().map(|name| resolve(state, name)).transpose()?;
    let session = filter.session.as_deref().map(|given| find_session(state, given)).transpose()?;
    let wants = |kind| filter.kinds.is_empty() || filter.kinds.contains(&kind);
    let mut found = Vec::new();
    if wants(ThreadKind::Quest) {
        found.extend(quests(state));
    }
    for (kind, predicate) in BONDS {
        if wants(kind) {
            found.extend(binding(state, kind, predicate));
        }
    }
    if wants(ThreadKind::Secret) {
        found.extend(untold(state)?);
    }
    if let Some(about) = &about {
        found.retain(|thread| {
            thread.who.contains(about) || thread.quest.as_ref() == Some(about) || concerns(state, thread, about)
        });
    }
    if let Some(session) = &session {
        let named = named_in(state, &session.id);
        let is_named = |thread: &Thread| thread.who.iter().chain(&thread.quest).any(|id| named.contains(id));
        found.retain(|thread| thread.session.as_ref() == Some(&session.id) || is_named(thread));
    }
    Ok(found)
}

fn concerns(state: &State, thread: &Thread, id: &EntityId) -> bool {
    let fact = thread.fact.and_then(|fact| state.fact(fact));
    fact.is_some_and(|fact| fact.entities().any(|entity| entity == id))
}

/// Returns the entities that spoke or were named in a session.
pub(super) fn named_in(state: &State, session: &SessionId) -> BTreeSet<EntityId> {
    let lines =
        state.passages().map(|(_, passage)| passage).filter(|passage| passage.session.as_ref() == Some(session));
    let of_lines = lines.flat_map(|passage| passage.mentions.iter().chain(&passage.speaker).cloned());
    let facts = state.facts().filter(|fact| fact.provenance().session.as_ref() == Some(session));
    of_lines.chain(facts.flat_map(|fact| fact.entities().cloned())).collect()
}

fn since(state: &State, fact: &Fact) -> Option<String> {
    let from = fact.validity().from.as_ref()?;
    Some(from.time.map_or_else(|| from.raw.clone(), |time| state.calendar().print(time)))
}

/// Returns the open promises or debts.
fn binding(state: &State, kind: ThreadKind, predicate: &str) -> Vec<Thread> {
    let holds = |fact: &&std::sync::Arc<Fact>| *fact.predicate() == *predicate && fact.stands();
    let mut facts: Vec<_> = state.facts().filter(holds).collect();
    facts.sort_by_key(|fact| (fact.subject().clone(), fact.object().to_string(), fact.id()));
    facts.into_iter().map(|fact| bond(state, kind, fact)).collect()
}

/// Returns a promise or debt as a thread.
fn bond(state: &State, kind: ThreadKind, fact: &Fact) -> Thread {
    Thread {
        kind,
        what: fact.statement().to_owned(),
        fact: Some(fact.id()),
        quest: None,
        who: sorted(std::iter::once(fact.subject()).chain(fact.object().entity()).cloned()),
        since: since(state, fact),
        session: fact.provenance().session.clone(),
        details: fact.conditions().map(|when| format!("on condition: {when}")).into_iter().collect(),
    }
}

/// Returns the quests, promises and debts of [`threads`] that concern an entity. Unlike `threads`, it reads only the
/// facts of that entity.
pub fn unsettled(state: &State, id: &EntityId) -> Vec<Thread> {
    let mut facts: Vec<&std::sync::Arc<Fact>> = state.facts_of(id).filter(|fact| fact.stands()).collect();
    facts.sort_by_key(|fact| (fact.subject().clone(), fact.object().to_string(), fact.id()));
    let given = facts.iter().filter(|fact| *fact.predicate() == *"QUEST_GIVER");
    let quests = given.flat_map(|fact| fact.entities()).chain([id]).filter(|id| state.kind(id) == Some(Kind::Quest));
    let mut found: Vec<Thread> = sorted(quests.cloned()).iter().filter_map(|id| quest(state, id)).collect();
    for (kind, predicate) in BONDS {
        let bonds = facts.iter().filter(|fact| *fact.predicate() == *predicate);
        found.extend(bonds.map(|fact| bond(state, kind, fact)));
    }
    found
}

/// Returns the secrets that have a holder and were never told.
fn untold(state: &State) -> Result<Vec<Thread>, MemoryError> {
    let filter = SecretFilter { untold: true, limit: usize::MAX, ..SecretFilter::default() };
    let (rows, _) = secrets(state, &filter, None)?;
    let thread = |row: crate::query::SecretRow| {
        let fact = state.fact(row.fact);
        Thread {
            kind: ThreadKind::Secret,
            what: row.statement,
            fact: Some(row.fact),
            quest: None,
            who: sorted(row.holders.into_iter().filter_map(|holder| holder.knower.entity().cloned())),
            since: fact.and_then(|fact| since(state, fact)),
            session: fact.and_then(|fact| fact.provenance().session.clone()),
            details: Vec::new(),
        }
    };
    // A false fact is a lie to maintain, not a secret to tell.
    Ok(rows.into_iter().filter(|row| row.status != hearsay_model::FactStatus::False).map(thread).collect())
}

/// Returns the quests whose stage does not say that they have ended.
fn quests(state: &State) -> Vec<Thread> {
    let quests = state.entities().map(|entity| &entity.id).filter(|id| state.kind(id) == Some(Kind::Quest));
    quests.filter_map(|id| quest(state, id)).collect()
}

fn quest(state: &State, id: &EntityId) -> Option<Thread> {
    let values = |name: &str| -> Vec<String> {
        let name = Predicate::new(name).ok();
        let facts = name.map(|name| state.values(id, &name)).unwrap_or_default();
        facts.into_iter().map(|fact| fact.object().to_string()).collect()
    };
    let stages = values("stage");
    let is_done = |stage: &String| text::words(stage).iter().take(2).any(|word| DONE.contains(&word.as_str()));
    if stages.iter().any(is_done) {
        return None;
    }
    let mut given: Vec<_> = state
        .links(id)
        .map(|link| link.fact())
        .filter(|fact| *fact.predicate() == *"QUEST_GIVER" && fact.stands())
        .collect();
    given.sort_by_key(|fact| fact.id());
    let detail =
        |name: &str, values: Vec<String>| values.into_iter().map(move |value| format!("{name}: {value}")).collect();
    let details: Vec<Vec<String>> = vec![
        detail("stage", stages),
        detail("objective", values("objectives")),
        detail("reward", values("reward")),
        given.iter().map(|fact| fact.statement().to_owned()).collect(),
    ];
    Some(Thread {
        kind: ThreadKind::Quest,
        what: state.name_or_id(id).to_owned(),
        fact: given.first().map(|fact| fact.id()),
        quest: Some(id.clone()),
        who: sorted(
            given
                .iter()
                .flat_map(|fact| std::iter::once(fact.subject()).chain(fact.object().entity()))
                .filter(|who| *who != id)
                .cloned(),
        ),
        since: given.first().and_then(|fact| since(state, fact)),
        session: given.first().and_then(|fact| fact.provenance().session.clone()),
        details: details.concat(),
    })
}

fn sorted(ids: impl Iterator<Item = EntityId>) -> Vec<EntityId> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}
