//! Report of a session: items on which the DM should decide, learned facts, changes, and open threads.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::dead_entity;
use hearsay_model::{
    Change, EntityId, Fact, FactId, FactStatus, Kind, Position, PredicateRole, Session, SessionId, SessionSetting,
    Setting, SettingKey, State, attribute,
};
use serde::Serialize;

use super::{
    after_play::{NewName, RevealedSecret, new_names, revealed_secrets},
    learned::{LearnerRow, is_membership, learned_by_knower},
    line_effects::{ContradictionRow, contradictions_of},
    lines::{TalkCounts, session_or_latest},
    threads::{Thread, ThreadFilter, ThreadKind, threads},
};
use crate::{
    QueryError, as_of::session_end, contradictions::Contradictions, dates::calendar_text, review::consequence,
};

/// Report of a session. The items that need the DM's decision come first, and the events of the session follow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionReport {
    /// Details of the session.
    pub session: SessionRow,
    /// Numbers of lines, speakers and facts of the session.
    pub counts: SessionCounts,
    /// Facts of the session that wait for the DM's decision, or that contradict other facts. The most important facts come
    /// first, at most [`MAX_PRIORITY_FACTS`] facts.
    pub review: Vec<PriorityFact>,
    /// Number of further facts that wait for the DM's decision or contradict other facts.
    pub omitted_review: usize,
    /// Lines that no character hears because they may state a secret, in the order of the log.
    pub withheld: Vec<WithheldLine>,
    /// Secrets that player characters learned in the session.
    pub secrets_out: Vec<RevealedSecret>,
    /// Promises and debts of the session that are not settled yet.
    pub promises: Vec<Thread>,
    /// Contradictions that involve a fact of the session.
    pub contradictions: Vec<ContradictionRow>,
    /// Names in the lines of the session that belong to no recorded entity yet. The most frequent names come first.
    pub new_names: Vec<NewName>,
    /// Facts that knowers learned in the session, grouped by knower. Facts that state names, kinds, aliases or tags are
    /// omitted. Player characters and their parties come first, and the other knowers follow. Both parts are sorted by
    /// id.
    pub learned: Vec<LearnerRow>,
    /// Changes in the world during the session. Sorted by kind, then by fact.
    pub changed: Vec<ChangedRow>,
    /// Other open threads that concern the session.
    pub threads: Vec<Thread>,
    /// Number of further open threads. Most of them do not concern the session.
    pub omitted_threads: usize,
}

/// A line of narration that no character hears because it may state a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldLine {
    /// Number of the line in the session.
    pub line: u32,
    /// Text of the line.
    pub text: String,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRow {
    /// Id of the session.
    pub id: SessionId,
    /// Number of the session; `None` if the session has no number.
    pub number: Option<u32>,
    /// Title of the session.
    pub title: String,
    /// Real-world date of play; `None` if it is unknown.
    pub date: Option<String>,
    /// Game time of the start, as text; `None` if the time is unknown.
    pub start: Option<String>,
    /// Game time of the end, as text; `None` if the time is unknown.
    pub end: Option<String>,
    /// Whether the session is being played.
    pub playing: bool,
    /// Characters that were present in the session.
    pub present: Vec<EntityId>,
    /// Characters that are present in the session now; empty if the session is not being played.
    pub here: Vec<EntityId>,
    /// Number of lines in the log.
    pub lines: usize,
}

/// Numbers of lines, speakers and facts of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SessionCounts {
    /// Number of lines in the log.
    pub lines: usize,
    /// Numbers of lines by kind of talk.
    pub talk: TalkCounts,
    /// Number of characters that speak. Lines that no character hears are ignored.
    pub speakers: usize,
    /// Number of facts recorded in the session.
    pub facts: usize,
    /// Number of facts recorded in the session that wait for the DM's decision.
    pub waiting: usize,
    /// Number of facts that at least one knower learned in the session.
    pub learned: usize,
}

/// Kind of a change in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A character died.
    Died,
    /// An entity moved to another place.
    Moved,
    /// A character joined a group.
    Joined,
    /// A character left a group.
    Left,
    /// A predicate with only one value per subject at a time got a new value.
    Changed,
    /// A fact ended.
    Ended,
}

/// A change in the world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedRow {
    /// Kind of change.
    pub kind: ChangeKind,
    /// Id of the fact that changed.
    pub fact: FactId,
    /// Sentence that states the fact that changed.
    pub statement: String,
    /// Game time of the change, as text; `None` if the time is unknown.
    pub when: Option<String>,
}

/// A fact that the DM should review first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PriorityFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Confidence that the source really states the fact, 0.0–1.0.
    pub confidence: f64,
    /// Score of the consequences of the fact, as computed by [`consequence`].
    pub score: f64,
    /// Reasons for the score, in words.
    pub reasons: Vec<String>,
}

/// Maximum number of facts in [`SessionReport::review`].
pub const MAX_PRIORITY_FACTS: usize = 10;

/// Maximum number of threads in a report.
const MAX_THREADS: usize = 30;

/// Returns all sessions, sorted by number.
pub fn sessions(state: &State) -> Vec<SessionRow> {
    let mut sessions: Vec<_> = state.sessions().collect();
    sessions.sort_by_key(|session| (session.number.is_none(), session.number, session.id.clone()));
    let mut lines: BTreeMap<&SessionId, usize> = BTreeMap::new();
    for (_, passage) in state.passages() {
        passage.session.iter().for_each(|session| *lines.entry(session).or_default() += 1);
    }
    sessions
        .into_iter()
        .map(|session| session_row(state, session, lines.get(&session.id).copied().unwrap_or(0)))
        .collect()
}

fn session_row(state: &State, session: &Session, lines: usize) -> SessionRow {
    let playing = state.active_session().filter(|playing| playing.session == session.id);
    SessionRow {
        id: session.id.clone(),
        number: session.number,
        title: session.title.clone(),
        date: session.date.clone(),
        start: calendar_text(state, session.start.as_ref()),
        end: calendar_text(state, session.end.as_ref()),
        playing: playing.is_some(),
        present: session.present.clone(),
        here: playing.map(|playing| playing.here.clone()).unwrap_or_default(),
        lines,
    }
}

/// Returns the report of a session. If `session` is `None`, the function uses the session being played, or the latest
/// session if no session is being played. The report describes the given state, so it includes changes that were made
/// after the session. The function reads every edge, so call it on a background thread.
///
/// # Errors
/// Returns an error if the given session does not exist, or if no session is given and the campaign has no sessions.
pub fn session_report(state: &State, session: Option<&SessionId>) -> Result<SessionReport, QueryError> {
    let session = session_or_latest(state, session)?;
    let id = &session.id;
    let lines: Vec<_> =
        state.passages().map(|(_, passage)| passage).filter(|passage| passage.session.as_ref() == Some(id)).collect();
    let story_lines = lines.iter().filter(|passage| !passage.is_out_of_character());
    let speakers: BTreeSet<&EntityId> = story_lines.filter_map(|passage| passage.speaker.as_ref()).collect();
    let withheld = lines.iter().filter(|passage| passage.is_withheld());
    let mut withheld: Vec<WithheldLine> =
        withheld.map(|passage| WithheldLine { line: passage.line, text: passage.text.clone() }).collect();
    withheld.sort_by_key(|row| row.line);
    let facts: Vec<&Fact> =
        state.facts().map(AsRef::as_ref).filter(|fact| fact.provenance().session.as_ref() == Some(id)).collect();
    let learned_rows = learned_by_knower(state, session);
    let learned_facts: BTreeSet<FactId> =
        learned_rows.iter().flat_map(|row| row.facts.iter().map(|fact| fact.fact)).collect();
    let filter = ThreadFilter { session: Some(id.clone()), ..ThreadFilter::default() };
    let is_new_promise = |thread: &Thread| {
        [ThreadKind::Promise, ThreadKind::Debt].contains(&thread.kind) && thread.session.as_ref() == Some(id)
    };
    let all_threads = threads(state, &ThreadFilter::default())?;
    let (promises, mut threads): (Vec<_>, Vec<_>) = threads(state, &filter)?.into_iter().partition(is_new_promise);
    // Threads that began in this session come first.
    threads.sort_by_key(|thread| (thread.session.as_ref() != Some(id), thread.kind));
    threads.truncate(MAX_THREADS);
    let omitted_threads = all_threads.len() - promises.len() - threads.len();
    let recorded = facts.iter().map(|fact| fact.id()).collect();
    let contradictions = contradictions_of(state, &Contradictions::from_state(state), &recorded);
    let mut review = priority_facts(state, &facts, &contradictions);
    let omitted_review = review.len().saturating_sub(MAX_PRIORITY_FACTS);
    review.truncate(MAX_PRIORITY_FACTS);
    Ok(SessionReport {
        counts: SessionCounts {
            lines: lines.len(),
            talk: TalkCounts::from_passages(lines.iter().map(|passage| &***passage)),
            speakers: speakers.len(),
            facts: facts.len(),
            waiting: facts.iter().filter(|fact| fact.status() == FactStatus::Proposed).count(),
            learned: learned_facts.len(),
        },
        changed: world_changes(state, session, &facts),
        review,
        omitted_review,
        withheld,
        secrets_out: revealed_secrets(state, &learned_rows),
        promises,
        contradictions,
        new_names: new_names(state, session),
        session: session_row(state, session, lines.len()),
        learned: learned_rows,
        threads,
        omitted_threads,
    })
}

/// Returns the changes in the world during a session: facts that it recorded, facts that it ended, and the places to which
/// non-player characters went who did not attend it.
fn world_changes(state: &State, session: &Session, recorded: &[&Fact]) -> Vec<ChangedRow> {
    let mut rows = Vec::new();
    for fact in recorded.iter().filter(|fact| fact.status() == FactStatus::Canon) {
        let predicate = fact.predicate();
        let kind = if dead_entity(state, fact).is_some() {
            ChangeKind::Died
        } else if PredicateRole::Location.is(predicate) {
            ChangeKind::Moved
        } else if is_membership(state, fact) {
            ChangeKind::Joined
        } else if state.is_functional(predicate) && ![attribute::NAME, attribute::KIND].contains(&predicate.as_str()) {
            ChangeKind::Changed
        } else {
            continue;
        };
        let when = calendar_text(state, fact.validity().from.as_ref());
        rows.push(ChangedRow { kind, fact: fact.id(), statement: fact.statement().to_owned(), when });
    }
    let SessionJournal { ended, located } = SessionJournal::new(state, &session.id);
    for fact in located.values().filter_map(|fact| state.fact(*fact)) {
        let is_npc = state.kind(fact.subject()) == Some(Kind::Npc) && !session.present.contains(fact.subject());
        let is_there = fact.status() == FactStatus::Canon && !fact.validity().is_closed();
        if is_npc && is_there && !recorded.iter().any(|listed| listed.id() == fact.id()) {
            let (statement, when) = (fact.statement().to_owned(), calendar_text(state, fact.validity().from.as_ref()));
            rows.push(ChangedRow { kind: ChangeKind::Moved, fact: fact.id(), statement, when });
        }
    }
    let (start, end) = (session.started_at(), session_end(state, session));
    let ended_during_session = |fact: &Fact| {
        let until = fact.validity().end();
        matches!((start, until, end), (Some(start), Some(until), Some(end)) if start < until && until <= end)
    };
    for fact in state.facts().filter(|fact| fact.status().is_knowable() && fact.validity().is_closed()) {
        // Skips a fact that a new value replaced, because the new value is already listed.
        let replaced = recorded.iter().any(|newer| {
            newer.subject() == fact.subject()
                && newer.predicate() == fact.predicate()
                && state.is_functional(newer.predicate())
        });
        // The characters move with the scenes of the session.
        let has_moved =
            PredicateRole::Location.is(fact.predicate()) && !state.values(fact.subject(), fact.predicate()).is_empty();
        if (ended.contains(&fact.id()) || ended_during_session(fact)) && !replaced && !has_moved {
            let kind = if is_membership(state, fact) { ChangeKind::Left } else { ChangeKind::Ended };
            let when = calendar_text(state, fact.validity().until.as_ref());
            rows.push(ChangedRow { kind, fact: fact.id(), statement: fact.statement().to_owned(), when });
        }
    }
    rows.sort_by_key(|row| (row.kind, row.fact));
    rows
}

/// Facts that operations of a session changed, according to the journal.
#[derive(Default)]
struct SessionJournal {
    /// Facts that ended.
    ended: BTreeSet<FactId>,
    /// The last recorded location of each entity.
    located: BTreeMap<EntityId, FactId>,
}

impl SessionJournal {
    fn new(state: &State, session: &SessionId) -> Self {
        let mut playing: Option<Position> = None;
        let mut found = Self::default();
        for (position, entry) in state.journal().filter(|(_, entry)| entry.live) {
            for change in &entry.operation.changes {
                match change {
                    Change::Set(Setting::Session(SessionSetting::Playing(now))) => {
                        playing = (now.session == *session).then_some(position)
                    }
                    Change::Unset(SettingKey::Playing) => playing = None,
                    Change::EndFact { fact, .. } if playing.is_some() => _ = found.ended.insert(*fact),
                    Change::AssertFact(fact) if playing.is_some() && PredicateRole::Location.is(fact.predicate()) => {
                        found.located.insert(fact.subject().clone(), fact.id());
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Returns the facts of a session that wait in the review: proposed facts, and facts that contradict others. Facts that
/// contradict others come first. Apart from that, the facts are sorted by confidence and then by consequence, the highest first. `contradictions` contains the contradictions of
/// these facts.
fn priority_facts(state: &State, facts: &[&Fact], contradictions: &[ContradictionRow]) -> Vec<PriorityFact> {
    let clashing: BTreeSet<FactId> = contradictions.iter().flat_map(|row| &row.facts).map(|fact| fact.fact).collect();
    let needs_review = |fact: &&&Fact| fact.status() == FactStatus::Proposed || clashing.contains(&fact.id());
    let mut rows: Vec<PriorityFact> = facts
        .iter()
        .filter(needs_review)
        .map(|fact| {
            let (score, reasons) = consequence(state, fact, clashing.contains(&fact.id()));
            PriorityFact {
                fact: fact.id(),
                statement: fact.statement().to_owned(),
                status: fact.status(),
                confidence: fact.provenance().confidence.get(),
                score,
                reasons,
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let clash = |row: &PriorityFact| clashing.contains(&row.fact);
        let by_clash = clash(b).cmp(&clash(a));
        let by_confidence = by_clash.then(b.confidence.total_cmp(&a.confidence));
        by_confidence.then(b.score.total_cmp(&a.score)).then(a.fact.cmp(&b.fact))
    });
    rows
}
