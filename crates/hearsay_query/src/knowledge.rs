//! A character's knowledge, the players' knowledge, and the parts of a session that a character missed.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{AccessPath, Hold, Known, KnownEdge, View};
use hearsay_model::{
    Belonging, EntityId, Fact, FactId, FactStatus, GameTime, Kind, Knower, Predicate, SessionId, State, attribute,
};
use hearsay_recall::stems;
use serde::Serialize;

use crate::{
    QueryError,
    as_of::{named_session, session_end},
    facts::{Called, how_called},
    resolve::{find_session, resolve},
};

/// Filter for listing the facts that a knower knows.
#[derive(Debug, Clone, Default)]
pub struct KnowsFilter {
    /// Only facts that concern this entity: an id or a name.
    pub about: Option<String>,
    /// Only facts with this predicate.
    pub predicate: Option<String>,
    /// Only facts with all of these words, in any inflection.
    pub words: Option<String>,
    /// Only facts learned since the start of this session, or since this date.
    pub since: Option<String>,
    /// Maximum number of facts.
    pub limit: usize,
}

/// A fact that a knower knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowsRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Id of the entity that the fact is about.
    pub subject: EntityId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// The knower's credence in the fact, 0.0–1.0. Contradicting beliefs lower this value.
    pub credence: f64,
    /// Whether the knower believes the fact, doubts it, or believes another fact instead.
    pub hold: Hold,
    /// How the knower learned the fact, in words. If the knower has several edges to the fact, this text describes the
    /// first: own edges come before edges through a group or place, and edges with higher credence come first.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the knower always knew the fact.
    pub since: Option<String>,
    /// Session in which the knower learned the fact.
    pub session: Option<SessionId>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
    /// Characters to whom the knower has told the fact.
    pub told: Vec<EntityId>,
}

/// Returns the session in which the knower learned a fact; `None` if no edge names a session.
pub fn learned_in(known: &Known) -> Option<&SessionId> {
    known.known_edges().iter().find_map(|way| way.edge.session.as_ref())
}

/// Describes in words how a knower learned a fact through an edge. `called` returns the names of the entities.
pub fn way_called(way: &KnownEdge, called: Called) -> String {
    let acquisition = how_called(&way.edge.acquisition, called);
    let authored = way.edge.acquisition.is_authored();
    match &way.access_path {
        AccessPath::Own if !way.edge.acquisition.gives_knowledge() => match &way.edge.co_present[..] {
            [] => MADE_UP.into(),
            told => format!("{MADE_UP}, and told {}", told.iter().map(called).collect::<Vec<_>>().join(", ")),
        },
        AccessPath::Own => acquisition,
        AccessPath::Common => "common lore".into(),
        AccessPath::Member(group) if authored => format!("as a member of {}", called(group)),
        AccessPath::Resident(place) if authored => format!("as a resident of {}", called(place)),
        AccessPath::Member(group) => format!("as a member of {}, which was {acquisition}", called(group)),
        AccessPath::Resident(place) => format!("as a resident of {}, where it was {acquisition}", called(place)),
    }
}

/// Describes in words how a knower learned a fact through an edge, with ids instead of names.
pub fn way_in_words(way: &KnownEdge) -> String {
    way_called(way, &EntityId::to_string)
}

/// Text for the acquisition of a fact that the knower made up.
const MADE_UP: &str = "made it up";

/// Returns the edges through which a knower knows a fact. For a fact that the knower made up, returns the edges that
/// record whom the knower told it.
pub fn known_edges(known: &Known) -> &[KnownEdge] {
    if known.is_made_up() { known.shared() } else { known.known_edges() }
}

pub(crate) fn known_how(known: &Known) -> String {
    known.known_edges().first().map_or_else(|| MADE_UP.into(), way_in_words)
}

pub(crate) fn print(state: &State, time: Option<GameTime>) -> Option<String> {
    time.map(|time| state.calendar().print(time))
}

fn row(state: &State, view: &View, known: &Known) -> KnowsRow {
    let belief = view.belief(known);
    let mut told: Vec<EntityId> = known.shared().iter().flat_map(|way| way.edge.co_present.iter().cloned()).collect();
    told.sort();
    told.dedup();
    KnowsRow {
        fact: known.id(),
        statement: known.statement().to_owned(),
        subject: known.subject().clone(),
        predicate: known.predicate().clone(),
        credence: belief.credence.get(),
        hold: belief.hold,
        acquisition: known_how(known),
        since: print(state, known.learned()),
        session: learned_in(known).cloned(),
        conceals: known.conceals(),
        told,
    }
}

/// Returns the game time at which a session or a date starts.
fn start_of(state: &State, given: &str) -> Result<Option<GameTime>, QueryError> {
    match named_session(state, given)? {
        Some(session) => match session.start.as_ref().and_then(|date| date.time) {
            None => Err(QueryError::NoSessionStart(session.id.clone())),
            start => Ok(start),
        },
        None => Ok(Some(state.calendar().parse_near(given, state.clock())?.first)),
    }
}

/// A [`KnowsFilter`] with resolved names and dates.
struct Wanted {
    about: Option<EntityId>,
    predicate: Option<Predicate>,
    words: Vec<String>,
    since: Option<GameTime>,
}

impl Wanted {
    fn of(state: &State, filter: &KnowsFilter) -> Result<Self, QueryError> {
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

/// Returns the facts that a character knows at a game time, up to the filter's limit, and the total number of facts
/// that pass the filter. The most recently learned facts come first.
///
/// # Errors
/// Returns an error if a name is unknown or ambiguous, or if the predicate or the date is invalid.
pub fn knows(
    state: &State,
    who: &str,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<KnowsRow>, usize), QueryError> {
    let view = View::of(state, &Knower::Entity(resolve(state, who)?), moment);
    let wanted = Wanted::of(state, filter)?;
    let mut found: Vec<&Known> = view.facts().filter(|known| wanted.lets_through(known)).collect();
    found.sort_by_key(|known| (std::cmp::Reverse(known.learned()), known.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|known| row(state, &view, known)).collect(), all))
}

/// A fact that the players know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartyRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Game time at which the first of the knowers learned the fact, as text; `None` if it was always known.
    pub since: Option<String>,
    /// Player characters and parties that know the fact. Sorted by id.
    pub known_by: Vec<PartyKnower>,
}

/// A player character or party that knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartyKnower {
    /// Id of the knower.
    pub knower: EntityId,
    /// The knower's credence in the fact, 0.0–1.0. Contradicting beliefs lower this value.
    pub credence: f64,
    /// How the knower learned the fact, in words. If the knower has several edges to the fact, this text describes the
    /// first: own edges come before edges through a group or place, and edges with higher credence come first.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text.
    pub since: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
}

/// Returns the player characters and their parties. Sorted by id.
pub fn players(state: &State) -> Vec<EntityId> {
    let (mut characters, mut parties) = (Vec::new(), Vec::new());
    // Reads the entities in index order, which is faster than id order, and then sorts only the matches.
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

/// Returns the facts that the player characters and their parties know, up to the filter's limit, and the total number
/// of facts that pass the filter. Omits common lore, names and kinds. The most recently learned facts come first.
///
/// # Errors
/// Returns an error if a name is unknown or ambiguous, or if the predicate or the date is invalid.
pub fn party(
    state: &State,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<PartyRow>, usize), QueryError> {
    let wanted = Wanted::of(state, filter)?;
    let views: Vec<(EntityId, View)> =
        players(state).into_iter().map(|id| (id.clone(), View::of(state, &Knower::Entity(id), moment))).collect();
    let mut found: BTreeMap<FactId, Vec<(&View, &EntityId, &Known)>> = BTreeMap::new();
    for (id, view) in &views {
        let common = |known: &Known| known_edges(known).iter().all(|way| way.access_path == AccessPath::Common);
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
            acquisition: known_edges(known).first().map_or_else(String::new, way_in_words),
            since: print(state, known.learned()),
            conceals: known.conceals(),
        };
        Some(PartyRow {
            fact: id,
            statement: fact.statement().to_owned(),
            status: fact.status(),
            since,
            known_by: knowers.into_iter().map(knower).collect(),
        })
    });
    Ok((rows.collect(), all))
}

/// Parts of a session that a character missed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// Id of the character.
    pub who: EntityId,
    /// Id of the session.
    pub session: SessionId,
    /// Whether the character was present in the session.
    pub was_there: bool,
    /// Characters that were present in the session.
    pub present: Vec<EntityId>,
    /// Facts that others learned in the session and that the character did not know when it ended, in the order in
    /// which they were learned.
    pub facts: Vec<MissedRow>,
    /// Lines that the character did not hear, in the order of the session.
    pub lines: Vec<MissedLine>,
}

/// A fact that others learned in a session and that the character missed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Characters that learned the fact in the session.
    pub learned_by: Vec<EntityId>,
    /// Game time at which the fact was first learned in the session, as text.
    pub since: Option<String>,
    /// How and when the character learned the missed fact later, as text; `None` if the character never learned it.
    pub heard_since: Option<String>,
}

/// A line that a character did not hear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedLine {
    /// Speaker; `None` for narration.
    pub speaker: Option<EntityId>,
    /// Text of the line.
    pub text: String,
}

/// Returns the facts and lines of a session that a character missed. A fact counts as missed if other characters who
/// were present, or their parties, learned it in the session, but this character did not know it when the session
/// ended.
///
/// # Errors
/// Returns an error if the name or the session is unknown.
pub fn missed(state: &State, who: &str, session: &str) -> Result<Missed, QueryError> {
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
            if in_session && edge.acquisition.gives_knowledge() && then.fact(edge.fact).is_none() {
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

/// Returns whether one of these characters is or was a member of a party, according to a canon fact.
fn belongs(state: &State, party: &EntityId, characters: &[EntityId]) -> bool {
    let is_member = |fact: &Fact| {
        let way = state.vocabulary().belonging(fact.predicate());
        let member = way == Some(Belonging::Member) && fact.object().entity() == Some(party);
        member && fact.status() == FactStatus::Canon && characters.contains(fact.subject())
    };
    state.kind(party) == Some(Kind::Party) && state.facts_of(party).any(|fact| is_member(fact))
}
