//! What a DM wants of somebody at a glance: when the table met it, its last words, who knows what of it, and where each
//! thing is written.

use std::collections::BTreeSet;

use hearsay_belief::{Via, View};
use hearsay_model::{
    EntityId, Evidence, Fact, FactId, GameTime, How, Knower, Passage, PassageId, SessionId, Standing, State, attribute,
};
use serde::Serialize;

use super::{
    Called, PartyKnower, date, how_called,
    knows::{players, print, way_called, ways},
};
use crate::{MemoryError, query::HolderRow};

/// In which way the players had to do with somebody or something. What says most comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// It was spoken of.
    Named,
    /// They were there: it is a place.
    Visited,
    /// It was with them.
    Present,
    /// It spoke to them.
    Spoke,
    /// It is a player's character, and took part.
    Played,
}

/// A time when the players had to do with somebody or something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Meeting {
    /// In which way.
    pub how: Met,
    /// The session.
    pub session: Option<SessionId>,
    /// What the session is called: its number and title.
    pub title: Option<String>,
    /// When, on the campaign's calendar.
    pub when: Option<String>,
    /// Where.
    pub place: Option<EntityId>,
}

/// What somebody said last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastWords {
    /// The words.
    pub text: String,
    /// The line.
    pub passage: PassageId,
    /// The session in which it was said.
    pub session: Option<SessionId>,
    /// When, on the campaign's calendar.
    pub when: Option<String>,
}

/// What the players had to do with somebody or something so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Meetings {
    /// The first time; the first time that it was spoken of, where they never met.
    pub first: Option<Meeting>,
    /// The last time, in the same way.
    pub last: Option<Meeting>,
    /// What it said last in their hearing.
    pub words: Option<LastWords>,
    /// The sessions in which it spoke, was there or was spoken of, in the order of play.
    pub sessions: Vec<SessionId>,
}

/// When something happened, as far as that can be told: by game time, then by the session's number, then by the line.
type Moment = (Option<GameTime>, Option<u32>, u32);

/// What the players had to do with somebody or something: by the lines of the sessions that they heard, by whose
/// characters were there, and by what they were told by it or saw in its company.
///
/// # Errors
/// When it is not there.
pub fn meetings(state: &State, id: &EntityId) -> Result<Meetings, MemoryError> {
    let id = crate::edit::resolve(state, id.as_str())?;
    let players: Vec<Knower> = players(state).into_iter().map(Knower::Entity).collect();
    let start_of = |session: Option<&SessionId>| {
        let session = session.and_then(|session| state.session(session));
        (session.and_then(|session| session.start.as_ref()?.time), session.and_then(|session| session.number))
    };
    let mut times: Vec<(Moment, Meeting)> = Vec::new();
    let mut words: Option<(Moment, PassageId, &Passage)> = None;
    let mut note = |moment: Moment, how, session: Option<&SessionId>, place: Option<&EntityId>| {
        let meeting = Meeting {
            how,
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
        let how = match passage {
            _ if passage.speaker.as_ref() == Some(&id) => Met::Spoke,
            _ if passage.speaker.is_none() && passage.session.is_none() => continue,
            _ if passage.heard_by.contains(&me) => Met::Present,
            _ if passage.place.as_ref() == Some(&id) => Met::Visited,
            _ if passage.mentions.contains(&id) => Met::Named,
            _ => continue,
        };
        let at_the_table = |knower: &Knower| *knower == Knower::World || players.contains(knower);
        let spoken = passage.speaker.clone().map(Knower::Entity);
        // A campaign without player characters has lines all the same.
        if !players.is_empty() && !passage.heard_by.iter().chain(&spoken).any(at_the_table) {
            continue;
        }
        let (start, number) = start_of(passage.session.as_ref());
        let moment = (passage.time.as_ref().and_then(|date| date.time).or(start), number, passage.line);
        note(
            moment,
            if is_player { how.max(Met::Present) } else { how },
            passage.session.as_ref(),
            passage.place.as_ref(),
        );
        if how == Met::Spoke && words.as_ref().is_none_or(|(last, ..)| *last <= moment) {
            words = Some((moment, passage_id, passage));
        }
    }
    for session in state.sessions().filter(|session| session.present.contains(&id)) {
        let (start, number) = start_of(Some(&session.id));
        note((start, number, 0), Met::Played, Some(&session.id), None);
    }
    for player in players.iter().filter(|player| **player != me) {
        for edge in state.knowledge_of(player) {
            let how = match &edge.how {
                How::Told { by: Some(by), .. } if *by == id => Met::Spoke,
                How::Witnessed if edge.company.contains(&id) => Met::Present,
                _ => continue,
            };
            let (start, number) = start_of(edge.session.as_ref());
            note((edge.learned_at().or(start), number, 0), how, edge.session.as_ref(), None);
        }
    }
    times.sort_by(|a, b| (a.0, b.1.how, &a.1.session).cmp(&(b.0, a.1.how, &b.1.session)));
    let mut sessions: Vec<SessionId> = Vec::new();
    for session in times.iter().filter_map(|(_, meeting)| meeting.session.as_ref()) {
        if !sessions.contains(session) {
            sessions.push(session.clone());
        }
    }
    let met = times.iter().any(|(_, meeting)| meeting.how > Met::Named);
    times.retain(|(_, meeting)| !met || meeting.how > Met::Named);
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

/// A session's number and title, as people speak of it.
pub fn session_title(state: &State, session: &SessionId) -> Option<String> {
    let session = state.session(session)?;
    Some(match session.number {
        Some(number) if session.title == format!("Session {number}") => session.title.clone(),
        Some(number) => format!("Session {number}, {}", session.title),
        None => session.title.clone(),
    })
}

/// Those who sit at the table: the player characters and their parties, each with what it knows. To find them reads every
/// entity, and takes a view of each of them: do it beside the worker.
#[derive(Debug)]
pub struct Table<'s> {
    state: &'s State,
    views: Vec<(EntityId, View)>,
    characters: usize,
}

/// What the table knows of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableKnows {
    /// Since when the first of them knows it; since ever, when nothing is said.
    pub since: Option<String>,
    /// The session in which the first of them learned it.
    pub session: Option<SessionId>,
    /// What that session is called: its number and title.
    pub title: Option<String>,
    /// Whether all player characters know it.
    pub all: bool,
    /// Who knows it, and how, in words with names.
    pub known_by: Vec<PartyKnower>,
}

impl<'s> Table<'s> {
    /// The table at a moment; at the end of all that is known, when nothing is said.
    pub fn of(state: &'s State, moment: Option<GameTime>) -> Self {
        let view = |id: EntityId| (id.clone(), View::of(state, &Knower::Entity(id), moment));
        let views: Vec<_> = players(state).into_iter().map(view).collect();
        let characters = views.iter().filter(|(id, _)| is_character(state, id)).count();
        Self { state, views, characters }
    }

    /// Who sits there. By id.
    pub fn players(&self) -> impl Iterator<Item = &EntityId> {
        self.views.iter().map(|(id, _)| id)
    }

    /// What they know of a fact; nothing, when none of them knows it.
    pub fn knows(&self, fact: FactId) -> Option<TableKnows> {
        let state = self.state;
        let mut first: Option<(Option<GameTime>, Option<SessionId>)> = None;
        let (mut known_by, mut characters) = (Vec::new(), 0);
        for (id, view) in &self.views {
            let Some(known) = view.fact(fact) else { continue };
            let learned = known.learned();
            let session = ways(known).iter().find_map(|way| way.edge.session.clone());
            let session = session.or_else(|| session_at(state, learned));
            if first.as_ref().is_none_or(|(earliest, _)| learned < *earliest) {
                first = Some((learned, session));
            }
            characters += usize::from(is_character(state, id));
            known_by.push(PartyKnower {
                knower: id.clone(),
                credence: view.belief(known).credence.get(),
                how: ways(known).first().map_or_else(String::new, |way| way_called(way, &by_name(state))),
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

    /// Whether all player characters know a fact, and there are any.
    pub fn all_know(&self, fact: FactId) -> bool {
        self.all(|view| view.fact(fact).is_some())
    }

    /// Whether a fact may be on a screen that players look at: it is in the world, no secret, nobody keeps it to itself, and
    /// all player characters know it.
    pub fn may_see(&self, fact: &Fact) -> bool {
        let open =
            matches!(fact.standing(), Standing::Canon | Standing::Claimed) && !super::is_secret(self.state, fact);
        open && self.all_know(fact.id())
    }

    /// Whether a name may be on it: they may see what somebody is called.
    pub fn may_name(&self, entity: &EntityId) -> bool {
        self.state.newest(entity, attribute::NAME).is_some_and(|name| self.may_see(name))
    }

    /// Whether all player characters heard or read a passage, and there are any.
    pub fn all_heard(&self, passage: PassageId) -> bool {
        self.all(|view| view.passage(passage).is_some())
    }

    fn all(&self, has: impl Fn(&View) -> bool) -> bool {
        let having = self.views.iter().filter(|(id, view)| is_character(self.state, id) && has(view)).count();
        self.characters > 0 && having == self.characters
    }

    /// Whether one of them knows it otherwise than as everybody does.
    pub fn learned(&self, fact: FactId) -> bool {
        let own = |view: &View| {
            let known = view.fact(fact);
            known.is_some_and(|known| ways(known).iter().any(|way| way.via != Via::Common))
        };
        self.views.iter().any(|(_, view)| own(view))
    }
}

/// The session that was played at a moment.
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

/// Who knows a fact by itself, and not as a member or resident of others that do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HeldBy {
    /// Whether it is common lore.
    pub everybody: bool,
    /// Groups and places: their members and residents have it from them. By name.
    pub groups: Vec<HolderRow>,
    /// Characters. By name.
    pub characters: Vec<HolderRow>,
}

/// Who knows a fact by itself. Other than [`who_knows`](super::who_knows), this takes no view of anybody: it is quick, and
/// gives credences as they were learned.
pub fn held_by(state: &State, fact: FactId) -> HeldBy {
    let mut held = HeldBy::default();
    let mut edges: Vec<_> = state.known_by(fact).filter(|edge| edge.how != How::Shared).collect();
    edges.sort_by_key(|edge| (edge.learned_at(), edge.id()));
    let called = by_name(state);
    for edge in edges {
        let Some(id) = edge.knower.entity() else {
            held.everybody = true;
            continue;
        };
        let into = if is_character(state, id) { &mut held.characters } else { &mut held.groups };
        let how = how_called(&edge.how, &called as Called);
        match into.iter_mut().find(|row| row.knower == *id) {
            Some(row) => {
                row.credence = row.credence.max(edge.credence.get());
                row.conceals |= edge.conceals;
                row.how.push(how);
            }
            None => into.push(HolderRow {
                knower: id.clone(),
                name: called(id),
                credence: edge.credence.get(),
                how: vec![how],
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

/// The words by which a fact is on record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceText {
    /// Where it stands: file and line with the field, or who said it in which session.
    pub place: String,
    /// The text; none, where the source is a field of a file.
    pub text: Option<String>,
    /// Which bytes of the text state the fact.
    pub quote: Option<(usize, usize)>,
    /// The passage.
    pub passage: Option<PassageId>,
    /// Who says it.
    pub speaker: Option<EntityId>,
}

/// Where a fact is written: each piece of its evidence, with the words.
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
        // The words stand alone: the file they are from may not be there any more.
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
                // Bytes of a text that was changed since may not be those of the quote.
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
