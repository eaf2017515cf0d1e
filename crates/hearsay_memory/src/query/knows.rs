//! What somebody knows; what the players know; what somebody missed.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Hold, Known, Via, View, Way};
use hearsay_model::{
    EntityId, Fact, FactId, GameTime, How, Kind, Knower, Predicate, SessionId, Standing, State, attribute, predicate,
};
use hearsay_recall::stems;
use serde::Serialize;

use super::{
    Called,
    as_of::{named_session, session_end},
    find_session, how_called,
};
use crate::{MemoryError, edit::resolve};

/// What to list of what somebody knows.
#[derive(Debug, Clone, Default)]
pub struct KnowsFilter {
    /// Only what has to do with this: an id or a name.
    pub about: Option<String>,
    /// Only with this predicate.
    pub predicate: Option<String>,
    /// Only what says all of these words, in any form.
    pub words: Option<String>,
    /// Only what was learned since the start of this session, or this date.
    pub since: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// Something that somebody knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowsRow {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// Its subject.
    pub subject: EntityId,
    /// Its predicate.
    pub predicate: Predicate,
    /// How far it is believed, what speaks against it counted in.
    pub credence: f64,
    /// How it is held: believed, doubted, ended, …
    pub hold: Hold,
    /// How it is known, by the way that counts.
    pub how: String,
    /// Since when, on the campaign's calendar; since ever, when nothing is said.
    pub since: Option<String>,
    /// The session in which it was learned.
    pub session: Option<SessionId>,
    /// Whether the knower keeps it to itself.
    pub conceals: bool,
    /// Whom the knower has told.
    pub told: Vec<EntityId>,
}

/// The session in which the knower learned something.
pub(super) fn learned_in(known: &Known) -> Option<&SessionId> {
    known.ways().iter().find_map(|way| way.edge.session.as_ref())
}

/// How a way leads to its knower, in words.
pub fn way_called(way: &Way, called: Called) -> String {
    let how = how_called(&way.edge.how, called);
    let authored = way.edge.how == How::Authored;
    match &way.via {
        Via::Own if way.edge.how == How::Shared => match &way.edge.company[..] {
            [] => MADE_UP.into(),
            told => format!("{MADE_UP}, and told {}", told.iter().map(called).collect::<Vec<_>>().join(", ")),
        },
        Via::Own => how,
        Via::Common => "common lore".into(),
        Via::Member(group) if authored => format!("as a member of {}", called(group)),
        Via::Resident(place) if authored => format!("as a resident of {}", called(place)),
        Via::Member(group) => format!("as a member of {}, which was {how}", called(group)),
        Via::Resident(place) => format!("as a resident of {}, where it was {how}", called(place)),
    }
}

/// The same by ids.
pub(super) fn way_in_words(way: &Way) -> String {
    way_called(way, &EntityId::to_string)
}

/// How something is known by somebody who said it, and has it from nowhere.
const MADE_UP: &str = "made it up";

/// The ways in which something is known; of what was made up, the records of having told it.
pub(super) fn ways(known: &Known) -> &[Way] {
    if known.is_made_up() { known.shared() } else { known.ways() }
}

pub(super) fn known_how(known: &Known) -> String {
    known.ways().first().map_or_else(|| MADE_UP.into(), way_in_words)
}

pub(super) fn print(state: &State, time: Option<GameTime>) -> Option<String> {
    time.map(|time| state.calendar().print(time))
}

fn row(state: &State, view: &View, known: &Known) -> KnowsRow {
    let belief = view.belief(known);
    let mut told: Vec<EntityId> = known.shared().iter().flat_map(|way| way.edge.company.iter().cloned()).collect();
    told.sort();
    told.dedup();
    KnowsRow {
        fact: known.id(),
        statement: known.statement().to_owned(),
        subject: known.subject().clone(),
        predicate: known.predicate().clone(),
        credence: belief.credence.get(),
        hold: belief.hold,
        how: known_how(known),
        since: print(state, known.learned()),
        session: learned_in(known).cloned(),
        conceals: known.conceals(),
        told,
    }
}

/// A start in game time: of a session, or of a date.
fn start_of(state: &State, given: &str) -> Result<Option<GameTime>, MemoryError> {
    match named_session(state, given)? {
        Some(session) => match session.start.as_ref().and_then(|date| date.time) {
            None => Err(MemoryError::NoSessionStart(session.id.clone())),
            start => Ok(start),
        },
        None => Ok(Some(state.calendar().parse_near(given, state.clock())?.first)),
    }
}

/// What a filter lets through.
struct Wanted {
    about: Option<EntityId>,
    predicate: Option<Predicate>,
    words: Vec<String>,
    since: Option<GameTime>,
}

impl Wanted {
    fn of(state: &State, filter: &KnowsFilter) -> Result<Self, MemoryError> {
        Ok(Self {
            about: filter.about.as_deref().map(|name| resolve(state, name)).transpose()?,
            predicate: filter.predicate.as_deref().map(Predicate::new).transpose()?,
            words: filter.words.as_deref().map(stems).unwrap_or_default(),
            since: match &filter.since {
                Some(given) => start_of(state, given)?,
                None => None,
            },
        })
    }

    fn lets_through(&self, known: &Known) -> bool {
        let said = || stems(known.statement());
        self.about.as_ref().is_none_or(|about| known.entities().any(|id| id == about))
            && self.predicate.as_ref().is_none_or(|predicate| known.predicate() == predicate)
            && self.since.is_none_or(|since| known.learned() >= Some(since))
            && (self.words.is_empty() || {
                let said = said();
                self.words.iter().all(|word| said.contains(word))
            })
    }
}

/// What somebody knows at a moment, what was learned last first, at most as many as the filter says; and how much in all.
///
/// # Errors
/// When a name, a predicate or a date cannot be understood.
pub fn knows(
    state: &State,
    who: &str,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<KnowsRow>, usize), MemoryError> {
    let view = View::of(state, &Knower::Entity(resolve(state, who)?), moment);
    let wanted = Wanted::of(state, filter)?;
    let mut found: Vec<&Known> = view.facts().filter(|known| wanted.lets_through(known)).collect();
    found.sort_by_key(|known| (std::cmp::Reverse(known.learned()), known.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|known| row(state, &view, known)).collect(), all))
}

/// Something that the players know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartyRow {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// What the world says of it.
    pub standing: Standing,
    /// Since when the first of them knows it; since ever, when nothing is said.
    pub since: Option<String>,
    /// Who knows it, and how: player characters, and the party they belong to. By id.
    pub known_by: Vec<PartyKnower>,
}

/// A player character, or a party, that knows something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartyKnower {
    /// Who.
    pub knower: EntityId,
    /// How far it believes it, what speaks against it counted in.
    pub credence: f64,
    /// How it is known, by the way that counts.
    pub how: String,
    /// Since when.
    pub since: Option<String>,
    /// Whether it keeps it to itself.
    pub conceals: bool,
}

/// The player characters, and the parties to which one of them belongs. By id.
pub fn players(state: &State) -> Vec<EntityId> {
    let (mut characters, mut parties) = (Vec::new(), Vec::new());
    // In one pass, and in no order: of many entities, few are sorted.
    for id in (0..state.index_count() as u32).filter_map(|index| state.id_at(index)) {
        match state.kind(id) {
            Some(Kind::Player) => characters.push(id.clone()),
            Some(Kind::Party) => parties.push(id.clone()),
            _ => {}
        }
    }
    parties.retain(|id| belongs(state, id, &characters));
    characters.extend(parties);
    characters.sort();
    characters
}

/// What the players know, and since when: each of the player characters, and the parties to which one of them belongs.
/// Common lore, and the names and kinds of things, are left out. What was learned last first, at most as many as the
/// filter says; and how much in all.
///
/// # Errors
/// When a name, a predicate or a date cannot be understood.
pub fn party(
    state: &State,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<PartyRow>, usize), MemoryError> {
    let wanted = Wanted::of(state, filter)?;
    let views: Vec<(EntityId, View)> =
        players(state).into_iter().map(|id| (id.clone(), View::of(state, &Knower::Entity(id), moment))).collect();
    let mut found: BTreeMap<FactId, Vec<(&View, &EntityId, &Known)>> = BTreeMap::new();
    for (id, view) in &views {
        let common = |known: &Known| ways(known).iter().all(|way| way.via == Via::Common);
        let names = |known: &Known| [attribute::NAME, attribute::KIND].contains(&known.predicate().as_str());
        for known in view.facts().filter(|known| !common(known) && !names(known) && wanted.lets_through(known)) {
            found.entry(known.id()).or_default().push((view, id, known));
        }
    }
    let first =
        |knowers: &[(&View, &EntityId, &Known)]| knowers.iter().map(|(.., known)| known.learned()).min().flatten();
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(id, knowers)| (std::cmp::Reverse(first(knowers)), *id));
    let all = found.len();
    let rows = found.into_iter().take(filter.limit).filter_map(|(id, knowers)| {
        let fact = state.fact(id)?;
        let since = print(state, first(&knowers));
        let knower = |(view, knower, known): (&View, &EntityId, &Known)| PartyKnower {
            knower: knower.clone(),
            credence: view.belief(known).credence.get(),
            how: ways(known).first().map_or_else(String::new, way_in_words),
            since: print(state, known.learned()),
            conceals: known.conceals(),
        };
        Some(PartyRow {
            fact: id,
            statement: fact.statement().to_owned(),
            standing: fact.standing(),
            since,
            known_by: knowers.into_iter().map(knower).collect(),
        })
    });
    Ok((rows.collect(), all))
}

/// What somebody missed of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// Who.
    pub who: EntityId,
    /// Which session.
    pub session: SessionId,
    /// Whether it was there all the same.
    pub was_there: bool,
    /// Whose characters were there.
    pub present: Vec<EntityId>,
    /// What the others learned, and it did not. In the order in which it was learned.
    pub facts: Vec<MissedRow>,
    /// What was said or told that it did not hear, in the order of the session.
    pub lines: Vec<MissedLine>,
}

/// Something that others learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedRow {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// Who learned it.
    pub learned_by: Vec<EntityId>,
    /// When the first of them did.
    pub since: Option<String>,
    /// How and when the absent one came to know it afterwards.
    pub heard_since: Option<String>,
}

/// A line that somebody did not hear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedLine {
    /// Who said it; nobody, when it was narrated.
    pub speaker: Option<EntityId>,
    /// The words.
    pub text: String,
}

/// What the player characters and parties, and all others who were there, learned in a session and somebody did not.
///
/// # Errors
/// When the name or the session cannot be understood.
pub fn missed(state: &State, who: &str, session: &str) -> Result<Missed, MemoryError> {
    let who = resolve(state, who)?;
    let session = find_session(state, session)?;
    let knower = Knower::Entity(who.clone());
    let end = session_end(state, &session);
    let (then, now) = (View::of(state, &knower, end), View::of(state, &knower, None));
    let mut there: BTreeSet<EntityId> = session.present.iter().cloned().collect();
    there.extend(state.entities().map(|entity| &entity.id).filter(|id| belongs(state, id, &session.present)).cloned());
    there.remove(&who);
    let during = |time: Option<GameTime>| {
        let start = session.start.as_ref().and_then(|date| date.time);
        matches!((start, time, end), (Some(start), Some(time), Some(end)) if start <= time && time <= end)
    };
    let mut learned: BTreeMap<FactId, (Option<GameTime>, BTreeSet<EntityId>)> = BTreeMap::new();
    for other in &there {
        for edge in state.knowledge_of(&Knower::Entity(other.clone())) {
            let in_session = match &edge.session {
                Some(given) => *given == session.id,
                None => during(edge.learned_at()),
            };
            if in_session && edge.how != How::Shared && then.fact(edge.fact).is_none() {
                let (first, by) = learned.entry(edge.fact).or_insert_with(|| (edge.learned_at(), BTreeSet::new()));
                *first = (*first).min(edge.learned_at());
                by.insert(other.clone());
            }
        }
    }
    let mut learned: Vec<_> = learned.into_iter().collect();
    learned.sort_by_key(|(id, (first, _))| (*first, *id));
    let facts = learned.into_iter().filter_map(|(id, (first, by))| {
        let since = |known: &Known| match known.learned() {
            Some(time) => format!("{}, {}", known_how(known), state.calendar().print(time)),
            None => known_how(known),
        };
        Some(MissedRow {
            fact: id,
            statement: state.fact(id)?.statement().to_owned(),
            learned_by: by.into_iter().collect(),
            since: print(state, first),
            heard_since: now.fact(id).map(since),
        })
    });
    let facts = facts.collect();
    let mut lines: Vec<_> = state
        .passages()
        .filter(|(id, passage)| passage.session.as_ref() == Some(&session.id) && then.passage(*id).is_none())
        .filter(|(_, passage)| {
            passage.heard_by.iter().any(|knower| knower.entity().is_some_and(|id| there.contains(id)))
        })
        .collect();
    lines.sort_by_key(|(id, passage)| (passage.line, *id));
    let line =
        |passage: &hearsay_model::Passage| MissedLine { speaker: passage.speaker.clone(), text: passage.text.clone() };
    Ok(Missed {
        was_there: session.present.contains(&who),
        who,
        session: session.id.clone(),
        present: session.present.clone(),
        facts,
        lines: lines.into_iter().map(|(_, passage)| line(passage)).collect(),
    })
}

/// Whether this is a party of which one of these is, or was, a canon member.
fn belongs(state: &State, party: &EntityId, characters: &[EntityId]) -> bool {
    let is_member = |fact: &Fact| {
        let member = *fact.predicate() == *predicate::MEMBER_OF && fact.object().entity() == Some(party);
        member && fact.standing() == Standing::Canon && characters.contains(fact.subject())
    };
    state.kind(party) == Some(Kind::Party) && state.facts_of(party).any(|fact| is_member(fact))
}
