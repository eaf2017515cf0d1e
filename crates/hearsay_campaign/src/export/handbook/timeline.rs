//! The sessions that the readers attended, and their first meetings with entities.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, Kind, Session, State, attribute};

use super::{HandbookReaders, HandbookRequest, names::Names, shared::SharedView};

/// The sessions that the readers attended, and the first meeting with each entity in these sessions.
pub(super) struct Timeline<'a> {
    /// The sessions in the order of play.
    pub(super) sessions: Vec<&'a Session>,
    /// The first meeting with each entity that the readers met or heard of in play.
    pub(super) meetings: BTreeMap<EntityId, Meeting>,
}

/// The first contact of the readers with an entity. Sessions are positions in [`Timeline::sessions`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meeting {
    /// The session in which the entity spoke to the readers or was with them, or in which they were at the place.
    pub(super) met: Option<usize>,
    /// The session in which the readers heard of the entity.
    named: Option<usize>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(
        state: &'a State,
        request: &HandbookRequest,
        shared: &SharedView,
        names: &Names,
        kinds: &BTreeMap<EntityId, Kind>,
    ) -> Self {
        let is_reader = |id: &EntityId| match request.readers {
            HandbookReaders::Party => request.party.contains(id),
            HandbookReaders::Character(reader) => id == reader,
        };
        let is_past = |session: &Session| {
            let start = session.started_at();
            request.as_of.is_none_or(|now| start.is_none_or(|start| start <= now))
        };
        let attended = |session: &&Session| session.present.iter().any(is_reader) && is_past(session);
        let mut sessions: Vec<&Session> = state.sessions().map(AsRef::as_ref).filter(attended).collect();
        sessions.sort_by_key(|session| (session.started_at(), session.number, session.id.clone()));
        let mut timeline = Self { sessions, meetings: BTreeMap::new() };
        for (_, passage) in &shared.passages {
            let Some(session) = timeline.position(passage.session.as_ref()) else { continue };
            passage.speaker.iter().for_each(|id| timeline.meet(id, session));
            names.mentions(&passage.text).iter().for_each(|id| timeline.name(id, session));
        }
        for fact in &shared.facts {
            let known = fact.known();
            // The edge to the name of a place records a visit. A character who is met shows what everybody can see.
            let is_visit = known.is_name() && kinds.get(known.subject()) == Some(&Kind::Location);
            let is_visible = state.vocabulary().behavior(known.predicate()).visible;
            let is_meeting = is_visible
                && known.evidence_passages().next().is_none()
                && kinds.get(known.subject()).is_some_and(Kind::is_character);
            if is_visit || is_meeting {
                let seen = fact.witnessed_in().into_iter();
                let first = seen.filter_map(|session| timeline.position(Some(session))).min();
                first.into_iter().for_each(|session| timeline.meet(known.subject(), session));
            }
            let Some(session) = timeline.position(fact.learned().1) else { continue };
            fact.company().iter().for_each(|id| timeline.meet(id, session));
            if !known.is_name() && known.predicate().as_str() != attribute::KIND {
                let mut mentions = names.mentions_in_order(known.statement());
                if names.is_about_subject(known, &mentions) {
                    mentions.insert(0, known.subject().clone());
                }
                mentions.iter().for_each(|id| timeline.name(id, session));
            }
        }
        timeline.meetings.retain(|id, _| !request.party.contains(id));
        timeline
    }

    fn position(&self, session: Option<&hearsay_model::SessionId>) -> Option<usize> {
        self.sessions.iter().position(|other| Some(&other.id) == session)
    }

    fn meet(&mut self, id: &EntityId, session: usize) {
        let met = &mut self.meetings.entry(id.clone()).or_default().met;
        *met = Some(met.map_or(session, |earlier| earlier.min(session)));
    }

    fn name(&mut self, id: &EntityId, session: usize) {
        let named = &mut self.meetings.entry(id.clone()).or_default().named;
        *named = Some(named.map_or(session, |earlier| earlier.min(session)));
    }

    pub(super) fn session_title(&self, session: usize) -> String {
        let Session { number, title, .. } = self.sessions[session];
        match number {
            Some(number) if *title == format!("Session {number}") => title.clone(),
            Some(number) => format!("Session {number}: {title}"),
            None => title.clone(),
        }
    }

    /// Returns when the readers met an entity or heard of it, in words; Returns `None` if the readers neither met the
    /// entity nor heard of it in a session.
    pub(super) fn first_contact(&self, id: &EntityId, kind: Option<&Kind>) -> Option<String> {
        let meeting = self.meetings.get(id)?;
        let text = |verb: &str, session: usize| {
            let session = match self.sessions[session].number {
                Some(number) => format!("session {number}"),
                None => self.session_title(session),
            };
            format!("{verb} in {session}.")
        };
        let met = if kind == Some(&Kind::Location) { "First visited" } else { "Met" };
        meeting.met.map(|session| text(met, session)).or(meeting.named.map(|session| text("Heard of", session)))
    }
}
