//! Overview of an entity for the DM: its meetings with the players, its last words, its knowers, and the sources of its
//! facts.

use std::collections::BTreeSet;

use hearsay_belief::{AccessPath, View};
use hearsay_model::{
    Acquisition, EntityId, Evidence, Fact, FactId, FactStatus, GameTime, Knower, Passage, PassageId, SessionId, State,
    attribute,
};
use serde::Serialize;

use super::{
    Called, PartyKnower, date, how_called,
    knows::{known_edges, players, print, way_called},
};
use crate::{MemoryError, query::HolderRow};

/// Kind of contact between the players and an entity, in ascending order of significance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// The entity was mentioned.
    Named,
    /// The players were at this place.
    Visited,
    /// The entity was present.
    Present,
    /// The entity spoke to the players.
    Spoke,
    /// The entity is a player character and took part.
    Played,
}

/// A contact between the players and an entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Meeting {
    /// Kind of contact.
    pub acquisition: Met,
    /// Session.
    pub session: Option<SessionId>,
    /// Number and title of the session.
    pub title: Option<String>,
    /// Time, on the campaign's calendar.
    pub when: Option<String>,
    /// Place.
    pub place: Option<EntityId>,
}

/// Last words of a speaker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastWords {
    /// Words of the line.
    pub text: String,
    /// Passage of the line.
    pub passage: PassageId,
    /// Session of the line.
    pub session: Option<SessionId>,
    /// Time, on the campaign's calendar.
    pub when: Option<String>,
}

/// Contacts between the players and an entity so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Meetings {
    /// First meeting, or first mention if they never met.
    pub first: Option<Meeting>,
    /// Last contact of the same kind.
    pub last: Option<Meeting>,
    /// Last words that the players heard from the entity.
    pub words: Option<LastWords>,
    /// Sessions in which the entity spoke, was present or was mentioned, in the order of play.
    pub sessions: Vec<SessionId>,
}

/// Sort key of a time: game time, then session number, then line.
type Moment = (Option<GameTime>, Option<u32>, u32);

/// Returns the contacts between the players and an entity. Sources are the lines that the players heard, the attendance
/// of sessions, facts told by the entity, and facts witnessed in its presence.
///
/// # Errors
/// When the entity does not exist.
pub fn meetings(state: &State, id: &EntityId) -> Result<Meetings, MemoryError> {
    let id = crate::edit::resolve(state, id.as_str())?;
    let players: Vec<Knower> = players(state).into_iter().map(Knower::Entity).collect();
    let start_of = |session: Option<&SessionId>| {
        let session = session.and_then(|session| state.session(session));
        (session.and_then(|session| session.start.as_ref()?.time), session.and_then(|session| session.number))
    };
    let mut times: Vec<(Moment, Meeting)> = Vec::new();
    let mut words: Option<(Moment, PassageId, &Passage)> = None;
    let mut note = |moment: Moment, acquisition, session: Option<&SessionId>, place: Option<&EntityId>| {
        let meeting = Meeting {
            acquisition,
            session: session.cloned(),
            title: session.and_then(|session| session_title(state, session)),
            when: print(state, moment.0),
            place: place.cloned(),
        };
        times.push((moment, meeting));
    };
    let me = Knower::Entity(id.clone());
    let is_player = players.contains(&me);
    for (passage_id, passage) in state.passages() {
        let acquisition = match passage {
            _ if passage.speaker.as_ref() == Some(&id) => Met::Spoke,
            _ if passage.speaker.is_none() && passage.session.is_none() => continue,
            _ if passage.heard_by.contains(&me) => Met::Present,
            _ if passage.place.as_ref() == Some(&id) => Met::Visited,
            _ if passage.mentions.contains(&id) => Met::Named,
            _ => continue,
        };
        let at_the_table = |knower: &Knower| *knower == Knower::World || players.contains(knower);
        let spoken = passage.speaker.clone().map(Knower::Entity);
        // In a campaign without player characters, every line counts.
        if !players.is_empty() && !passage.heard_by.iter().chain(&spoken).any(at_the_table) {
            continue;
        }
        let (start, number) = start_of(passage.session.as_ref());
        let moment = (passage.time.as_ref().and_then(|date| date.time).or(start), number, passage.line);
        note(
            moment,
            if is_player { acquisition.max(Met::Present) } else { acquisition },
            passage.session.as_ref(),
            passage.place.as_ref(),
        );
        if acquisition == Met::Spoke && words.as_ref().is_none_or(|(last, ..)| *last <= moment) {
            words = Some((moment, passage_id, passage));
        }
    }
    for session in state.sessions().filter(|session| session.present.contains(&id)) {
        let (start, number) = start_of(Some(&session.id));
        note((start, number, 0), Met::Played, Some(&session.id), None);
    }
    for player in players.iter().filter(|player| **player != me) {
        for edge in state.knowledge_of(player) {
            let acquisition = match &edge.acquisition {
                Acquisition::Told { by: Some(by), .. } if *by == id => Met::Spoke,
                Acquisition::Witnessed if edge.co_present.contains(&id) => Met::Present,
                _ => continue,
            };
            let (start, number) = start_of(edge.session.as_ref());
            note((edge.learned_at().or(start), number, 0), acquisition, edge.session.as_ref(), None);
        }
    }
    times.sort_by(|a, b| (a.0, b.1.acquisition, &a.1.session).cmp(&(b.0, a.1.acquisition, &b.1.session)));
    let mut sessions: Vec<SessionId> = Vec::new();
    for session in times.iter().filter_map(|(_, meeting)| meeting.session.as_ref()) {
        if !sessions.contains(session) {
            sessions.push(session.clone());
        }
    }
    let met = times.iter().any(|(_, meeting)| meeting.acquisition > Met::Named);
    times.retain(|(_, meeting)| !met || meeting.acquisition > Met::Named);
    Ok(Meetings {
        first: times.first().map(|(_, meeting)| meeting.clone()),
        last: times.last().map(|(_, meeting)| meeting.clone()),
        words: words.map(|((time, ..), passage_id, passage)| LastWords {
            text: passage.text.clone(),
            passage: passage_id,
            session: passage.session.clone(),
            when: print(state, time),
        }),
        sessions,
    })
}

/// Returns the number and title of a session.
pub fn session_title(state: &State, session: &SessionId) -> Option<String> {
    let session = state.session(session)?;
    Some(match session.number {
        Some(number) if session.title == format!("Session {number}") => session.title.clone(),
        Some(number) => format!("Session {number}, {}", session.title),
        None => session.title.clone(),
    })
}

/// The table: the player characters and their parties, each with its view. Creating it reads every entity and computes
/// a view of each knower, so do it on a background thread.
#[derive(Debug)]
pub struct Table<'s> {
    state: &'s State,
    views: Vec<(EntityId, View)>,
    characters: usize,
}

/// Knowledge of the table about a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableKnows {
    /// Time at which the first of them learned it; `None` if always known.
    pub since: Option<String>,
    /// Session in which the first of them learned it.
    pub session: Option<SessionId>,
    /// Number and title of that session.
    pub title: Option<String>,
    /// Whether all player characters know it.
    pub all: bool,
    /// Knowers with their acquisition, in words with names.
    pub known_by: Vec<PartyKnower>,
}

impl<'s> Table<'s> {
    /// Creates the table at a time. Default: with everything known so far.
    pub fn of(state: &'s State, moment: Option<GameTime>) -> Self {
        let view = |id: EntityId| (id.clone(), View::of(state, &Knower::Entity(id), moment));
        let views: Vec<_> = players(state).into_iter().map(view).collect();
        let characters = views.iter().filter(|(id, _)| is_character(state, id)).count();
        Self { state, views, characters }
    }

    /// Returns the player characters and their parties. By id.
    pub fn players(&self) -> impl Iterator<Item = &EntityId> {
        self.views.iter().map(|(id, _)| id)
    }

    /// Returns the table's knowledge of a fact, or `None` if nobody at the table knows it.
    pub fn knows(&self, fact: FactId) -> Option<TableKnows> {
        let state = self.state;
        let mut first: Option<(Option<GameTime>, Option<SessionId>)> = None;
        let (mut known_by, mut characters) = (Vec::new(), 0);
        for (id, view) in &self.views {
            let Some(known) = view.fact(fact) else { continue };
            let learned = known.learned();
            let session = known_edges(known).iter().find_map(|way| way.edge.session.clone());
            let session = session.or_else(|| session_at(state, learned));
            if first.as_ref().is_none_or(|(earliest, _)| learned < *earliest) {
                first = Some((learned, session));
            }
            characters += usize::from(is_character(state, id));
            known_by.push(PartyKnower {
                knower: id.clone(),
                credence: view.belief(known).credence.get(),
                acquisition: known_edges(known)
                    .first()
                    .map_or_else(String::new, |way| way_called(way, &by_name(state))),
                since: print(state, learned),
                conceals: known.conceals(),
            });
        }
        let (learned, session) = first?;
        Some(TableKnows {
            since: print(state, learned),
            title: session.as_ref().and_then(|session| session_title(state, session)),
            session,
            all: characters == self.characters,
            known_by,
        })
    }

    /// Whether there are player characters and all of them know a fact.
    pub fn all_know(&self, fact: FactId) -> bool {
        self.all(|view| view.fact(fact).is_some())
    }

    /// Whether a fact may appear on a screen that players see. It must be in the world, not secret, concealed by
    /// nobody, and known to all player characters.
    pub fn may_see(&self, fact: &Fact) -> bool {
        let open =
            matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed) && !super::is_secret(self.state, fact);
        open && self.all_know(fact.id())
    }

    /// Whether the name of an entity may appear on such a screen.
    pub fn may_name(&self, entity: &EntityId) -> bool {
        self.state.newest(entity, attribute::NAME).is_some_and(|name| self.may_see(name))
    }

    /// Whether there are player characters and all of them heard or read a passage.
    pub fn all_heard(&self, passage: PassageId) -> bool {
        self.all(|view| view.passage(passage).is_some())
    }

    fn all(&self, has: impl Fn(&View) -> bool) -> bool {
        let having = self.views.iter().filter(|(id, view)| is_character(self.state, id) && has(view)).count();
        self.characters > 0 && having == self.characters
    }

    /// Whether anybody at the table knows a fact other than as common lore.
    pub fn learned(&self, fact: FactId) -> bool {
        let own = |view: &View| {
            let known = view.fact(fact);
            known.is_some_and(|known| known_edges(known).iter().any(|way| way.access_path != AccessPath::Common))
        };
        self.views.iter().any(|(_, view)| own(view))
    }
}

/// Returns the session played at a time.
fn session_at(state: &State, moment: Option<GameTime>) -> Option<SessionId> {
    let moment = moment?;
    let time = |date: &Option<hearsay_model::Date>| date.as_ref().and_then(|date| date.time);
    let spans = |session: &&std::sync::Arc<hearsay_model::Session>| {
        let (start, end) = (time(&session.start), time(&session.end));
        start.is_some_and(|start| start <= moment) && end.is_some_and(|end| moment <= end)
    };
    state.sessions().find(spans).map(|session| session.id.clone())
}

fn is_character(state: &State, id: &EntityId) -> bool {
    state.kind(id).is_some_and(|kind| kind.is_character())
}

fn by_name(state: &State) -> impl Fn(&EntityId) -> String {
    |id| state.name_or_id(id).to_owned()
}

/// Knowers of a fact with their own edges, not through a group or place.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HeldBy {
    /// Whether the fact is common lore.
    pub everybody: bool,
    /// Groups and places, which share it with their members and residents. By name.
    pub groups: Vec<HolderRow>,
    /// Characters. By name.
    pub characters: Vec<HolderRow>,
}

/// Returns the knowers of a fact with their own edges. Unlike [`who_knows`](super::who_knows), it computes no views: it
/// is fast, and credences are as learned.
pub fn held_by(state: &State, fact: FactId) -> HeldBy {
    let mut held = HeldBy::default();
    let mut edges: Vec<_> = state.known_by(fact).filter(|edge| edge.acquisition != Acquisition::Shared).collect();
    edges.sort_by_key(|edge| (edge.learned_at(), edge.id()));
    let called = by_name(state);
    for edge in edges {
        let Some(id) = edge.knower.entity() else {
            held.everybody = true;
            continue;
        };
        let into = if is_character(state, id) { &mut held.characters } else { &mut held.groups };
        let acquisition = how_called(&edge.acquisition, &called as Called);
        match into.iter_mut().find(|row| row.knower == *id) {
            Some(row) => {
                row.credence = row.credence.max(edge.credence.get());
                row.conceals |= edge.conceals;
                row.acquisition.push(acquisition);
            }
            None => into.push(HolderRow {
                knower: id.clone(),
                name: called(id),
                credence: edge.credence.get(),
                acquisition: vec![acquisition],
                since: date(state, edge.learned.as_ref()),
                conceals: edge.conceals,
            }),
        }
    }
    for rows in [&mut held.groups, &mut held.characters] {
        rows.sort_by(|a, b| (&a.name, &a.knower).cmp(&(&b.name, &b.knower)));
    }
    held
}

/// Source text of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceText {
    /// Location: file, line and field, or speaker and session.
    pub place: String,
    /// The text; `None` if the source is a field of a file.
    pub text: Option<String>,
    /// Byte range of the text that states the fact.
    pub quote: Option<(usize, usize)>,
    /// The passage.
    pub passage: Option<PassageId>,
    /// Speaker.
    pub speaker: Option<EntityId>,
}

/// Returns the sources of a fact: each piece of evidence with its words.
pub fn sources_of(state: &State, fact: &Fact) -> Vec<SourceText> {
    let mut seen = BTreeSet::new();
    let evidence = fact.provenance().evidence.iter();
    let rows = evidence.map(|evidence| match evidence {
        Evidence::File { path, line, field } => SourceText {
            place: format!("{path}, line {line} ({field})"),
            text: None,
            quote: None,
            passage: None,
            speaker: None,
        },
        // Shows the quoted words alone, because their file may no longer exist.
        Evidence::Excerpt(excerpt) => SourceText {
            place: format!("{}, {}, line {}", excerpt.source, excerpt.path, excerpt.line),
            text: Some(excerpt.quote.to_string()).filter(|quote| !quote.is_empty()),
            quote: None,
            passage: None,
            speaker: None,
        },
        Evidence::Passage { passage, span, quote } => match state.passage(*passage) {
            Some(said) => {
                let session = said.session.as_ref().and_then(|session| session_title(state, session));
                let speaker = said.speaker.as_ref().map(|speaker| state.name_or_id(speaker).to_owned());
                let parts: Vec<String> = [said.title.clone(), speaker, session].into_iter().flatten().collect();
                // In a text that was changed since then, the byte range may no longer match the quote.
                let stands = said.text.get(span.start..span.end) == Some(quote.as_str());
                SourceText {
                    place: if parts.is_empty() { "a text".into() } else { parts.join(", ") },
                    text: Some(said.text.clone()),
                    quote: stands.then_some((span.start, span.end)),
                    passage: Some(*passage),
                    speaker: said.speaker.clone(),
                }
            }
            None => SourceText {
                place: "a text that is gone".into(),
                text: Some(quote.clone()),
                quote: Some((0, quote.len())),
                passage: None,
                speaker: None,
            },
        },
    });
    rows.filter(|row| seen.insert((row.place.clone(), row.text.clone(), row.quote))).collect()
}
