//! Reads threads and secrets from the state.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, FactId, FactStatus, SessionId, State, attribute, text};
use hearsay_query::{
    facts::is_secret,
    secrets::{SecretFilter, secrets},
    session::{ThreadFilter, ThreadKind, threads},
    table::Table,
};

use super::model::{ThreadRow, ThreadTab, ThreadsModel, ToldRow};
use crate::{names::Named, text::Linked};

/// Maximum number of open threads that are listed. The same limit applies to untold secrets and to told secrets.
const MOST: usize = 2_000;

impl ThreadsModel {
    /// Reads all threads and secrets. Call this function on a background thread, because it visits every fact.
    ///
    /// # Errors
    /// Returns an error if one of the underlying queries fails.
    pub fn load(world: &ReadSnapshot) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let table = Table::of(state, None);
        let kinds = vec![ThreadKind::Quest, ThreadKind::Promise, ThreadKind::Debt];
        let open = threads(state, &ThreadFilter { kinds, ..ThreadFilter::default() })?;
        let (secrets, _) = secrets(state, &SecretFilter { limit: usize::MAX, ..SecretFilter::default() }, None)?;
        // Format only the threads that are listed, because formatting is slow.
        let open_count = open.len();
        let mut rows: Vec<ThreadRow> =
            open.into_iter().take(MOST).map(|thread| open_row(state, &table, thread)).collect();
        let (mut untold, told): (Vec<_>, Vec<_>) = secrets.into_iter().partition(|secret| secret.told.is_empty());
        // A false fact is a lie, not a secret to reveal.
        untold.retain(|secret| secret.status != FactStatus::False);
        let all = open_count + untold.len() + told.len();
        for (tab, secrets) in [(ThreadTab::Untold, untold), (ThreadTab::Told, told)] {
            rows.extend(secrets.into_iter().take(MOST).map(|secret| secret_row(state, tab, secret)));
        }
        let more = all - rows.len();
        rows.iter_mut().for_each(|row| row.words = words(row));
        let clock = state.clock().map(|time| state.calendar().print(time));
        Ok(Self { rows, more, clock })
    }
}

fn open_row(state: &State, table: &Table, thread: hearsay_query::session::Thread) -> ThreadRow {
    let fact = thread.fact.and_then(|id| state.fact(id));
    let quest = thread.quest.as_ref().map(|id| Named::of(state, id));
    let hidden = |id: &EntityId| {
        let naming = state.facts_of(id).filter(|fact| fact.subject() == id && *fact.predicate() == *attribute::NAME);
        naming.into_iter().any(|fact| is_secret(state, fact))
    };
    ThreadRow {
        tab: match thread.kind {
            ThreadKind::Quest => ThreadTab::Quest,
            ThreadKind::Promise => ThreadTab::Promise,
            ThreadKind::Debt => ThreadTab::Debt,
            ThreadKind::Secret => ThreadTab::Untold,
        },
        what: match (&quest, fact) {
            (None, Some(fact)) => Linked::fact(state, fact),
            _ => Linked::of(state, &thread.what, thread.quest.iter().chain(&thread.who)),
        },
        fact: thread.fact,
        who: thread.who.iter().map(|id| Named::of(state, id)).collect(),
        since: thread.since,
        session: thread.session.map(|id| titled(state, id)),
        details: thread.details,
        told: Vec::new(),
        status: fact.map_or(FactStatus::Canon, |fact| fact.status()),
        secret: fact.is_some_and(|fact| is_secret(state, fact)) || thread.quest.as_ref().is_some_and(hidden),
        safe: fact.is_none_or(|fact| table.may_see(fact))
            && quest.as_ref().is_none_or(|quest| table.may_name(&quest.id)),
        words: String::new(),
        quest,
    }
}

fn secret_row(state: &State, tab: ThreadTab, secret: hearsay_query::secrets::SecretRow) -> ThreadRow {
    let fact = state.fact(secret.fact);
    let told = secret.told.into_iter().map(|telling| ToldRow {
        by: telling.by.as_ref().map(|id| Named::of(state, id)),
        to: telling.to.entity().map(|id| Named::of(state, id)),
        when: telling.when,
        session: telling.session.map(|id| titled(state, id).1),
    });
    let holders = secret.holders.iter().filter_map(|holder| holder.knower.entity());
    ThreadRow {
        tab,
        what: fact.map_or_else(|| Linked::plain(&secret.statement), |fact| Linked::fact(state, fact)),
        fact: Some(secret.fact),
        quest: None,
        who: holders.map(|id| Named::of(state, id)).collect(),
        since: since(state, secret.fact),
        session: fact.and_then(|fact| fact.provenance().session.clone()).map(|id| titled(state, id)),
        details: Vec::new(),
        told: told.collect(),
        status: secret.status,
        secret: true,
        safe: false,
        words: String::new(),
    }
}

fn since(state: &State, fact: FactId) -> Option<String> {
    let from = state.fact(fact)?.validity().from.clone()?;
    Some(from.time.map_or(from.raw, |time| state.calendar().print(time)))
}

/// Returns a session with its title.
fn titled(state: &State, id: SessionId) -> (SessionId, String) {
    let title = state.session(&id).map_or_else(|| id.to_string(), |session| session.title.clone());
    (id, title)
}

fn words(row: &ThreadRow) -> String {
    let names = row.who.iter().map(|named| named.name.as_str());
    let told = row.told.iter().flat_map(|told| told.by.iter().chain(&told.to)).map(|named| named.name.as_str());
    let session = row.session.iter().map(|(_, title)| title.as_str());
    let all = std::iter::once(row.what.text.as_str()).chain(row.details.iter().map(String::as_str));
    text::normal(&all.chain(names).chain(told).chain(session).collect::<Vec<_>>().join(" "))
}
