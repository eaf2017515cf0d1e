//! Overview of an entity for the DM: the meetings of the players with the entity, and the last line that they heard
//! from it. Also the knowers and sources of a fact.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, Evidence, Fact, FactId, GameTime, Knower, Passage, PassageId, SessionId, State, lists};
use serde::Serialize;

use crate::{
    QueryError,
    dates::date_text,
    facts::{NameFn, describe_acquisition_with_names},
    ids::require_entity,
    knowledge::{players, time_text},
    table::{name_fn, session_title},
    who_knows::HolderRow,
};

/// Kind of contact between the players and an entity, from least to most significant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactKind {
    /// A line that the players heard mentions the entity.
    Named,
    /// The entity is a place, and the players were there.
    Visited,
    /// The entity was present with the players.
    Present,
    /// The entity spoke to the players.
    Spoke,
    /// The entity is a player character and took part in the session.
    Played,
}

/// A contact between the players and an entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Meeting {
    /// Kind of contact.
    pub acquisition: ContactKind,
    /// Session of the contact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Number and title of the session; `None` if there is no session.
    pub title: Option<String>,
    /// Game time of the contact, as text; `None` if the time is unknown.
    pub when: Option<String>,
    /// Place of the contact; `None` if the place is unknown.
    pub place: Option<EntityId>,
}

/// The last line that the players heard from an entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastLine {
    /// Text of the line.
    pub text: String,
    /// Passage that records the line.
    pub passage: PassageId,
    /// Session in which the line was said; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Game time at which the line was said, as text; `None` if the time is unknown.
    pub when: Option<String>,
}

/// Contacts between the players and an entity so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Meetings {
    /// First meeting of the players with the entity. If the players never met the entity, the first mention of the
    /// entity. `None` if the entity was never mentioned.
    pub first: Option<Meeting>,
    /// Last meeting of the players with the entity. If the players never met the entity, the last mention of the
    /// entity. `None` if the entity was never mentioned.
    pub last: Option<Meeting>,
    /// Last line that the players heard from the entity; `None` if they heard no line.
    pub words: Option<LastLine>,
    /// Sessions in which the entity spoke, was present or was mentioned, in the order of play.
    pub sessions: Vec<SessionId>,
}

/// Sort key of a contact: game time, session number, line number.
type Moment = (Option<GameTime>, Option<u32>, u32);

/// Returns the contacts between the players and an entity. The function finds contacts in the lines that the players
/// heard, and in the attendance of sessions. It also uses the facts that the entity told the players, and the facts
/// that the players witnessed in its presence.
///
/// # Errors
/// Returns an error if the entity does not exist.
pub fn meetings(state: &State, id: &EntityId) -> Result<Meetings, QueryError> {
    require_entity(state, id)?;
    let players: Vec<Knower> = players(state).into_iter().map(Knower::Entity).collect();
    let session_start = |session: Option<&SessionId>| {
        let session = session.and_then(|session| state.session(session));
        (session.and_then(|session| session.start.as_ref()?.time), session.and_then(|session| session.number))
    };
    let mut dated_meetings: Vec<(Moment, Meeting)> = Vec::new();
    let mut last_words: Option<(Moment, PassageId, &Passage)> = None;
    let mut add_meeting = |moment: Moment, acquisition, session: Option<&SessionId>, place: Option<&EntityId>| {
        let meeting = Meeting {
            acquisition,
            session: session.cloned(),
            title: session.and_then(|session| session_title(state, session)),
            when: time_text(state, moment.0),
            place: place.cloned(),
        };
        dated_meetings.push((moment, meeting));
    };
    let entity_knower = Knower::Entity(id.clone());
    let is_player = players.contains(&entity_knower);
    for (passage_id, passage) in state.passages() {
        let acquisition = match passage {
            _ if passage.is_out_of_character() => continue,
            _ if passage.speaker.as_ref() == Some(id) => ContactKind::Spoke,
            _ if passage.speaker.is_none() && passage.session.is_none() => continue,
            _ if passage.heard_by.contains(&entity_knower) => ContactKind::Present,
            _ if passage.place.as_ref() == Some(id) => ContactKind::Visited,
            _ if passage.mentions.contains(id) => ContactKind::Named,
            _ => continue,
        };
        let is_world_or_player = |knower: &Knower| *knower == Knower::World || players.contains(knower);
        let speaker_knower = passage.speaker.clone().map(Knower::Entity);
        // In a campaign without player characters, every line counts.
        if !players.is_empty() && !passage.heard_by.iter().chain(&speaker_knower).any(is_world_or_player) {
            continue;
        }
        let (start, number) = session_start(passage.session.as_ref());
        let moment = (passage.said_at().or(start), number, passage.line);
        add_meeting(
            moment,
            if is_player { acquisition.max(ContactKind::Present) } else { acquisition },
            passage.session.as_ref(),
            passage.place.as_ref(),
        );
        if acquisition == ContactKind::Spoke && last_words.as_ref().is_none_or(|(last, ..)| *last <= moment) {
            last_words = Some((moment, passage_id, passage));
        }
    }
    for session in state.sessions().filter(|session| session.present.contains(id)) {
        let (start, number) = session_start(Some(&session.id));
        add_meeting((start, number, 0), ContactKind::Played, Some(&session.id), None);
    }
    for player in players.iter().filter(|player| **player != entity_knower) {
        for edge in state.knowledge_of(player) {
            let acquisition = match &edge.acquisition {
                acquisition if acquisition.teller() == Some(id) => ContactKind::Spoke,
                acquisition if acquisition.is_witnessed() && edge.co_present.contains(id) => ContactKind::Present,
                _ => continue,
            };
            let (start, number) = session_start(edge.session.as_ref());
            add_meeting((edge.learned_at().or(start), number, 0), acquisition, edge.session.as_ref(), None);
        }
    }
    dated_meetings.sort_by(|a, b| (a.0, b.1.acquisition, &a.1.session).cmp(&(b.0, a.1.acquisition, &b.1.session)));
    let sessions = lists::distinct(dated_meetings.iter().filter_map(|(_, meeting)| meeting.session.clone()));
    let was_met = dated_meetings.iter().any(|(_, meeting)| meeting.acquisition > ContactKind::Named);
    dated_meetings.retain(|(_, meeting)| !was_met || meeting.acquisition > ContactKind::Named);
    Ok(Meetings {
        first: dated_meetings.first().map(|(_, meeting)| meeting.clone()),
        last: dated_meetings.last().map(|(_, meeting)| meeting.clone()),
        words: last_words.map(|((time, ..), passage_id, passage)| LastLine {
            text: passage.text.clone(),
            passage: passage_id,
            session: passage.session.clone(),
            when: time_text(state, time),
        }),
        sessions,
    })
}

/// Knowers with a knowledge edge to a fact. Members and residents who know the fact only through a group or place are
/// not listed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DirectKnowers {
    /// Whether the fact is common lore.
    pub everybody: bool,
    /// Groups and places whose members and residents know the fact. Sorted by name.
    pub groups: Vec<HolderRow>,
    /// Characters with a knowledge edge to the fact. Sorted by name.
    pub characters: Vec<HolderRow>,
}

/// Returns the knowers with a knowledge edge to a fact. Unlike [`who_knows`](super::who_knows), this function computes
/// no views. Therefore, it is faster, and refutations do not lower the returned credences.
pub fn direct_knowers(state: &State, fact: FactId) -> DirectKnowers {
    let mut knowers = DirectKnowers::default();
    let mut edges: Vec<_> = state.known_by(fact).filter(|edge| edge.acquisition.gives_knowledge()).collect();
    edges.sort_by_key(|edge| (edge.learned_at(), edge.id()));
    let name_of = name_fn(state);
    for edge in edges {
        let Some(id) = edge.knower.entity() else {
            knowers.everybody = true;
            continue;
        };
        let rows = if state.is_character(id) { &mut knowers.characters } else { &mut knowers.groups };
        let acquisition = describe_acquisition_with_names(&edge.acquisition, &name_of as NameFn);
        match rows.iter_mut().find(|row| row.knower == *id) {
            Some(row) => {
                row.credence = row.credence.max(edge.credence.get());
                row.conceals |= edge.conceals;
                row.acquisition.push(acquisition);
            }
            None => rows.push(HolderRow {
                knower: id.clone(),
                name: name_of(id),
                credence: edge.credence.get(),
                acquisition: vec![acquisition],
                since: date_text(state, edge.learned.as_ref()),
                conceals: edge.conceals,
            }),
        }
    }
    for rows in [&mut knowers.groups, &mut knowers.characters] {
        rows.sort_by(|a, b| (&a.name, &a.knower).cmp(&(&b.name, &b.knower)));
    }
    knowers
}

/// A text, or a location in a file, that states a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvidenceText {
    /// Location of the source in words: file, line and field, or speaker and session.
    pub place: String,
    /// Text of the source; `None` if the source is a field of a file.
    pub text: Option<String>,
    /// Byte range of the words in `text` that state the fact; `None` if the range is unknown or the text has changed.
    pub quote: Option<(usize, usize)>,
    /// Passage that contains the text; `None` if the source is a file.
    pub passage: Option<PassageId>,
    /// Speaker of the passage; `None` if the source has no speaker.
    pub speaker: Option<EntityId>,
}

/// Returns the sources of a fact. Each source is the location and text of one piece of evidence.
pub fn sources_of(state: &State, fact: &Fact) -> Vec<EvidenceText> {
    let mut seen = BTreeSet::new();
    let evidence = fact.provenance().evidence.iter();
    let rows = evidence.map(|evidence| match evidence {
        Evidence::File { path, line, field } => EvidenceText {
            place: format!("{path}, line {line} ({field})"),
            text: None,
            quote: None,
            passage: None,
            speaker: None,
        },
        // Shows only the quoted words, because the file that contained them may no longer exist.
        Evidence::Excerpt(excerpt) => EvidenceText {
            place: format!("{}, {}, line {}", excerpt.source, excerpt.path, excerpt.line),
            text: Some(excerpt.quote.to_string()).filter(|quote| !quote.is_empty()),
            quote: None,
            passage: None,
            speaker: None,
        },
        Evidence::Passage { passage: passage_id, span, quote } => match state.passage(*passage_id) {
            Some(passage) => {
                let session = passage.session.as_ref().and_then(|session| session_title(state, session));
                let speaker = passage.speaker.as_ref().map(|speaker| state.name_or_id(speaker).to_owned());
                let parts: Vec<String> = [passage.title.clone(), speaker, session].into_iter().flatten().collect();
                // If the text was changed later, the byte range may no longer match the quote.
                let is_quote_current = passage.text.get(span.start..span.end) == Some(quote.as_str());
                EvidenceText {
                    place: if parts.is_empty() { "a text".into() } else { parts.join(", ") },
                    text: Some(passage.text.clone()),
                    quote: is_quote_current.then_some((span.start, span.end)),
                    passage: Some(*passage_id),
                    speaker: passage.speaker.clone(),
                }
            }
            None => EvidenceText {
                place: "a deleted text".into(),
                text: Some(quote.clone()),
                quote: Some((0, quote.len())),
                passage: None,
                speaker: None,
            },
        },
    });
    rows.filter(|row| seen.insert((row.place.clone(), row.text.clone(), row.quote))).collect()
}
