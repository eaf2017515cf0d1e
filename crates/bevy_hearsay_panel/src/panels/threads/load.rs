//! Reads threads and secrets from the state.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, FactId, FactStatus, SessionId, State, attribute, text};
use hearsay_query::{
    facts::is_secret,
    secrets::{SecretFilter, secrets},
    session::{ThreadFilter, ThreadKind, threads},
};

use super::model::{TellingLine, ThreadCategory, ThreadRow, ThreadsModel};
use crate::{names::NamedEntity, text::LinkedText};

/// Maximum number of open threads that are listed. The same limit applies to untold secrets and to told secrets.
const MAX_LISTED: usize = 2_000;

impl ThreadsModel {
    /// Reads all threads and secrets. Call this function on a background thread, because it visits every fact.
    ///
    /// # Errors
    /// Returns an error if one of the underlying queries fails.
    pub fn load(world: &ReadSnapshot) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let kinds = vec![ThreadKind::Quest, ThreadKind::Promise, ThreadKind::Debt];
        let open_threads = threads(state, &ThreadFilter { kinds, ..ThreadFilter::default() })?;
        let (secrets, _) = secrets(state, &SecretFilter { limit: usize::MAX, ..SecretFilter::default() }, None)?;
        // Format only the threads that are listed, because formatting is slow.
        let open_count = open_threads.len();
        let mut rows: Vec<ThreadRow> =
            open_threads.into_iter().take(MAX_LISTED).map(|thread| open_row(state, thread)).collect();
        let (mut untold, told): (Vec<_>, Vec<_>) = secrets.into_iter().partition(|secret| secret.untold);
        // A false fact is a lie, not a secret to reveal.
        untold.retain(|secret| secret.status != FactStatus::False);
        let total = open_count + untold.len() + told.len();
        for (category, secrets) in [(ThreadCategory::Untold, untold), (ThreadCategory::Told, told)] {
            rows.extend(secrets.into_iter().take(MAX_LISTED).map(|secret| secret_row(state, category, secret)));
        }
        let more = total - rows.len();
        rows.iter_mut().for_each(|row| row.search_text = search_text(row));
        let clock = state.clock().map(|time| state.calendar().format(time));
        Ok(Self { rows, more, clock })
    }
}

fn open_row(state: &State, thread: hearsay_query::session::Thread) -> ThreadRow {
    let fact = thread.fact.and_then(|id| state.fact(id));
    let quest = thread.quest.as_ref().map(|id| NamedEntity::new(state, id));
    let is_name_secret = |id: &EntityId| {
        let name_facts =
            state.facts_of(id).filter(|fact| fact.subject() == id && *fact.predicate() == *attribute::NAME);
        name_facts.into_iter().any(|fact| is_secret(state, fact))
    };
    ThreadRow {
        category: match thread.kind {
            ThreadKind::Quest => ThreadCategory::Quest,
            ThreadKind::Promise => ThreadCategory::Promise,
            ThreadKind::Debt => ThreadCategory::Debt,
            ThreadKind::Secret => ThreadCategory::Untold,
        },
        description: match (&quest, fact) {
            (None, Some(fact)) => LinkedText::from_fact(state, fact),
            _ => LinkedText::with_links(state, &thread.description, thread.quest.iter().chain(&thread.entities)),
        },
        fact: thread.fact,
        entities: thread.entities.iter().map(|id| NamedEntity::new(state, id)).collect(),
        since: thread.since,
        session: thread.session.map(|id| with_title(state, id)),
        details: thread.details,
        tellings: Vec::new(),
        status: fact.map_or(FactStatus::Canon, |fact| fact.status()),
        secret: fact.is_some_and(|fact| is_secret(state, fact)) || thread.quest.as_ref().is_some_and(is_name_secret),
        search_text: String::new(),
        quest,
    }
}

fn secret_row(state: &State, category: ThreadCategory, secret: hearsay_query::secrets::SecretRow) -> ThreadRow {
    let fact = state.fact(secret.fact);
    let tellings = secret.told.into_iter().map(|telling| TellingLine {
        teller: telling.by.as_ref().map(|id| NamedEntity::new(state, id)),
        hearer: telling.to.entity().map(|id| NamedEntity::new(state, id)),
        when: telling.when,
        session: telling.session.map(|id| with_title(state, id).1),
    });
    let holders = secret.holders.iter().filter_map(|holder| holder.knower.entity());
    ThreadRow {
        category,
        description: fact
            .map_or_else(|| LinkedText::plain(&secret.statement), |fact| LinkedText::from_fact(state, fact)),
        fact: Some(secret.fact),
        quest: None,
        entities: holders.map(|id| NamedEntity::new(state, id)).collect(),
        since: since(state, secret.fact),
        session: fact.and_then(|fact| fact.provenance().session.clone()).map(|id| with_title(state, id)),
        details: Vec::new(),
        tellings: tellings.collect(),
        status: secret.status,
        secret: true,
        search_text: String::new(),
    }
}

fn since(state: &State, fact: FactId) -> Option<String> {
    let from = state.fact(fact)?.validity().from.clone()?;
    Some(from.time.map_or(from.raw, |time| state.calendar().format(time)))
}

/// Returns a session with its title.
fn with_title(state: &State, id: SessionId) -> (SessionId, String) {
    let title = state.session(&id).map_or_else(|| id.to_string(), |session| session.title.clone());
    (id, title)
}

fn search_text(row: &ThreadRow) -> String {
    let names = row.entities.iter().map(|entity| entity.name.as_str());
    let telling_names = row
        .tellings
        .iter()
        .flat_map(|telling| telling.teller.iter().chain(&telling.hearer))
        .map(|entity| entity.name.as_str());
    let session = row.session.iter().map(|(_, title)| title.as_str());
    let texts = std::iter::once(row.description.text.as_str()).chain(row.details.iter().map(String::as_str));
    text::normalize(&texts.chain(names).chain(telling_names).chain(session).collect::<Vec<_>>().join(" "))
}
