//! Open threads: promises, debts, untold secrets, and unfinished quests.

use std::collections::BTreeSet;

use hearsay_belief::is_dead;
use hearsay_model::{EntityId, Fact, FactId, Kind, OpenThread, Predicate, SessionId, State, text};
use serde::{Deserialize, Serialize};

use super::promises::{is_settled, promise_quote};
use crate::{
    QueryError,
    ids::{require_entities, require_session},
    secrets::{SecretFilter, secrets},
};

/// Kind of an open thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// An unfinished quest.
    Quest,
    /// A promise: a fact that has not ended, has a predicate such as `PROMISED`, and was neither kept nor broken. The person
    /// who made the promise is alive.
    Promise,
    /// A debt: a fact that has not ended and has a predicate such as `OWES`.
    Debt,
    /// A secret that was never told.
    Secret,
}

/// An open thread: an unfinished quest, an unsettled promise or debt, or an untold secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Thread {
    /// Kind of the thread.
    pub kind: ThreadKind,
    /// Sentence that describes the thread.
    pub description: String,
    /// Fact that states the promise, debt or secret. For a quest, the fact that names the giver of the quest, or `None`
    /// if no giver is recorded.
    pub fact: Option<FactId>,
    /// Entity of the quest; `None` if the thread is not a quest.
    pub quest: Option<EntityId>,
    /// Entities that the thread concerns. These are the subject and object of a promise or debt, the knowers of a
    /// secret, or the giver of a quest. Sorted.
    pub entities: Vec<EntityId>,
    /// Game time at which the thread began, as text; `None` if the time is unknown.
    pub since: Option<String>,
    /// Session in which the thread was recorded; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Further details: the stage, objectives and reward of a quest, the words of a promise, the condition of a promise or
    /// debt, or that the debtor is dead.
    pub details: Vec<String>,
}

/// Filter for listing threads.
#[derive(Debug, Clone, Default)]
pub struct ThreadFilter {
    /// The query returns only threads of these kinds. If the list is empty, the query returns threads of all kinds.
    pub kinds: Vec<ThreadKind>,
    /// The query returns only threads that concern this entity. `None` means no restriction.
    pub about: Option<EntityId>,
    /// The query returns only threads that were recorded in this session, or that concern an entity that the session
    /// mentions. `None` means no restriction.
    pub session: Option<SessionId>,
}

/// Kinds of threads that consist of one fact. Such a thread is open until the fact ends or the promise is kept or broken.
const SINGLE_FACT_KINDS: [(ThreadKind, OpenThread); 2] =
    [(ThreadKind::Promise, OpenThread::Promise), (ThreadKind::Debt, OpenThread::Debt)];

/// Returns whether a fact is an open thread of the given type. The dead keep no promises.
fn is_open(state: &State, fact: &Fact, thread: OpenThread) -> bool {
    state.vocabulary().behavior(fact.predicate()).thread == Some(thread)
        && fact.is_in_effect()
        && !is_settled(state, fact)
        && !(thread == OpenThread::Promise && is_dead(state, fact.subject(), state.clock()))
}

/// Returns the open threads of a campaign: quests, promises, debts and secrets, in this order. The threads of each kind
/// are sorted by subject.
///
/// # Errors
/// Returns an error if the entity or the session does not exist.
pub fn threads(state: &State, filter: &ThreadFilter) -> Result<Vec<Thread>, QueryError> {
    require_entities(state, &filter.about)?;
    if let Some(session) = &filter.session {
        require_session(state, session)?;
    }
    let is_wanted = |kind| filter.kinds.is_empty() || filter.kinds.contains(&kind);
    let mut found = Vec::new();
    if is_wanted(ThreadKind::Quest) {
        found.extend(quests(state));
    }
    for (kind, thread) in SINGLE_FACT_KINDS {
        if is_wanted(kind) {
            found.extend(open_obligations(state, kind, thread));
        }
    }
    if is_wanted(ThreadKind::Secret) {
        found.extend(untold_secrets(state)?);
    }
    if let Some(about) = &filter.about {
        found.retain(|thread| {
            thread.entities.contains(about) || thread.quest.as_ref() == Some(about) || concerns(state, thread, about)
        });
    }
    if let Some(session) = &filter.session {
        let session_entities = entities_in_session(state, session);
        let concerns_session =
            |thread: &Thread| thread.entities.iter().chain(&thread.quest).any(|id| session_entities.contains(id));
        found.retain(|thread| thread.session.as_ref() == Some(session) || concerns_session(thread));
    }
    Ok(found)
}

fn concerns(state: &State, thread: &Thread, id: &EntityId) -> bool {
    let fact = thread.fact.and_then(|fact| state.fact(fact));
    fact.is_some_and(|fact| fact.entities().any(|entity| entity == id))
}

/// Returns the entities that spoke or were mentioned in a session. Out-of-character lines are ignored.
pub(super) fn entities_in_session(state: &State, session: &SessionId) -> BTreeSet<EntityId> {
    let lines = state.passages_in_session(Some(session)).map(|(_, passage)| passage);
    let lines = lines.filter(|passage| !passage.is_out_of_character());
    let line_entities = lines.flat_map(|passage| passage.mentions.iter().chain(&passage.speaker).cloned());
    let facts = state.facts().filter(|fact| fact.provenance().session.as_ref() == Some(session));
    line_entities.chain(facts.flat_map(|fact| fact.entities().cloned())).collect()
}

fn start_text(state: &State, fact: &Fact) -> Option<String> {
    let from = fact.validity().from.as_ref()?;
    Some(from.time.map_or_else(|| from.raw.clone(), |time| state.calendar().format(time)))
}

/// Returns the open promises or debts.
fn open_obligations(state: &State, kind: ThreadKind, thread: OpenThread) -> Vec<Thread> {
    let mut facts: Vec<_> = state.facts().filter(|fact| is_open(state, fact, thread)).collect();
    facts.sort_by_key(|fact| (fact.subject().clone(), fact.object().to_string(), fact.id()));
    facts.into_iter().map(|fact| obligation_thread(state, kind, fact)).collect()
}

/// Builds the thread for a promise or debt.
fn obligation_thread(state: &State, kind: ThreadKind, fact: &Fact) -> Thread {
    let quote = promise_quote(state, fact).map(|quote| format!("\u{201C}{quote}\u{201D}"));
    let condition = fact.conditions().map(|condition| format!("on condition: {condition}"));
    let subject = fact.subject();
    let death = is_dead(state, subject, state.clock()).then(|| format!("{} is dead", state.name_or_id(subject)));
    Thread {
        kind,
        description: fact.statement().to_owned(),
        fact: Some(fact.id()),
        quest: None,
        entities: sorted(std::iter::once(fact.subject()).chain(fact.object().entity()).cloned()),
        since: start_text(state, fact),
        session: fact.provenance().session.clone(),
        details: quote.into_iter().chain(condition).chain(death).collect(),
    }
}

/// Returns the open quests, promises and debts that concern an entity. Unlike [`threads`], this function reads only the
/// facts of that entity.
pub fn open_threads_of(state: &State, id: &EntityId) -> Vec<Thread> {
    let mut facts: Vec<&std::sync::Arc<Fact>> = state.facts_of(id).filter(|fact| fact.is_in_effect()).collect();
    facts.sort_by_key(|fact| (fact.subject().clone(), fact.object().to_string(), fact.id()));
    let quest_facts = facts.iter().filter(|fact| is_open(state, fact, OpenThread::Quest));
    let quests =
        quest_facts.flat_map(|fact| fact.entities()).chain([id]).filter(|id| state.kind(id) == Some(Kind::Quest));
    let mut found: Vec<Thread> = sorted(quests.cloned()).iter().filter_map(|id| quest(state, id)).collect();
    for (kind, thread) in SINGLE_FACT_KINDS {
        let obligations = facts.iter().filter(|fact| is_open(state, fact, thread));
        found.extend(obligations.map(|fact| obligation_thread(state, kind, fact)));
    }
    found
}

/// Returns the secrets that no player character knows.
fn untold_secrets(state: &State) -> Result<Vec<Thread>, QueryError> {
    let filter = SecretFilter { untold: true, limit: usize::MAX, ..SecretFilter::default() };
    let (rows, _) = secrets(state, &filter, None)?;
    let thread = |row: crate::secrets::SecretRow| {
        let fact = state.fact(row.fact);
        Thread {
            kind: ThreadKind::Secret,
            description: row.statement,
            fact: Some(row.fact),
            quest: None,
            entities: sorted(row.holders.into_iter().filter_map(|holder| holder.knower.entity().cloned())),
            since: fact.and_then(|fact| start_text(state, fact)),
            session: fact.and_then(|fact| fact.provenance().session.clone()),
            details: Vec::new(),
        }
    };
    // A secret that is false is a lie. Nobody needs to tell it, so it is not an open thread.
    Ok(rows.into_iter().filter(|row| row.status != hearsay_model::FactStatus::False).map(thread).collect())
}

/// Returns the open quests.
fn quests(state: &State) -> Vec<Thread> {
    let quests = state.entities().map(|entity| &entity.id).filter(|id| state.kind(id) == Some(Kind::Quest));
    quests.filter_map(|id| quest(state, id)).collect()
}

/// Returns whether the quest has ended according to its attributes, such as its stage.
fn has_ended(state: &State, id: &EntityId) -> bool {
    let predicates = state.vocabulary().with_behavior(|behavior| !behavior.ended_values.is_empty());
    predicates.into_iter().any(|predicate| {
        let ended = &state.vocabulary().behavior(predicate).ended_values;
        let is_ended_value = |value: &str| text::words(value).iter().take(2).any(|word| ended.contains(word));
        state.values(id, predicate).into_iter().any(|fact| is_ended_value(&fact.object().to_string()))
    })
}

fn quest(state: &State, id: &EntityId) -> Option<Thread> {
    let values = |name: &str| -> Vec<String> {
        let name = Predicate::new(name).ok();
        let facts = name.map(|name| state.values(id, &name)).unwrap_or_default();
        facts.into_iter().map(|fact| fact.object().to_string()).collect()
    };
    if has_ended(state, id) {
        return None;
    }
    let mut quest_facts: Vec<_> =
        state.links(id).map(|link| link.fact()).filter(|fact| is_open(state, fact, OpenThread::Quest)).collect();
    quest_facts.sort_by_key(|fact| fact.id());
    let detail =
        |name: &str, values: Vec<String>| values.into_iter().map(move |value| format!("{name}: {value}")).collect();
    let details: Vec<Vec<String>> = vec![
        detail("stage", values("stage")),
        detail("objective", values("objectives")),
        detail("reward", values("reward")),
        quest_facts.iter().map(|fact| fact.statement().to_owned()).collect(),
    ];
    Some(Thread {
        kind: ThreadKind::Quest,
        description: state.name_or_id(id).to_owned(),
        fact: quest_facts.first().map(|fact| fact.id()),
        quest: Some(id.clone()),
        entities: sorted(
            quest_facts
                .iter()
                .flat_map(|fact| std::iter::once(fact.subject()).chain(fact.object().entity()))
                .filter(|entity| *entity != id)
                .cloned(),
        ),
        since: quest_facts.first().and_then(|fact| start_text(state, fact)),
        session: quest_facts.first().and_then(|fact| fact.provenance().session.clone()),
        details: details.concat(),
    })
}

fn sorted(ids: impl Iterator<Item = EntityId>) -> Vec<EntityId> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}
