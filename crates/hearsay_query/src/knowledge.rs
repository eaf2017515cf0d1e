//! A character's knowledge, the players' knowledge, and the parts of a session that a character missed.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{AccessPath, BeliefStatus, EndKind, Known, KnownEdge, View};
use hearsay_model::{
    Belonging, EntityId, Fact, FactId, FactStatus, GameTime, Kind, Knower, KnowledgeEdge, Predicate, SessionId, State,
    attribute,
};
use hearsay_recall::stems;
use serde::Serialize;

use crate::{
    QueryError,
    as_of::{named_session, session_end},
    facts::{NameFn, describe_acquisition_with_names},
    ids::{require_entities, require_entity, require_session},
    known_facts::hearers,
    named_view::NamedView,
};

/// Filter for listing the facts that a knower knows.
#[derive(Debug, Clone, Default)]
pub struct KnowsFilter {
    /// The query returns only facts that concern this entity. A fact concerns the entity if the entity is its subject
    /// or object, or if its statement contains a name of the entity that the knower knows. [`party`] does not search
    /// for names, but uses the mentions of the fact. `None` means no restriction.
    pub about: Option<EntityId>,
    /// The query returns only facts with this predicate. `None` means no restriction.
    pub predicate: Option<String>,
    /// The query returns only facts whose statements contain all of these words, in any inflection. `None` means no
    /// restriction.
    pub words: Option<String>,
    /// The query returns only facts that the knower learned since the start of this session, or since this date. `None`
    /// means no restriction.
    pub since: Option<String>,
    /// Whether names, kinds and [redundant ends](EndKind::Redundant) of other facts are omitted. They are not omitted
    /// if `predicate` is set. [`party`] always omits names and kinds.
    pub without_labels: bool,
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
    /// The knower's credence in the fact, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// Whether the knower believes the fact, doubts it, or believes another fact instead.
    pub hold: BeliefStatus,
    /// How the knower learned the fact, in words. If the knower has several edges to the fact, the text describes the
    /// own edge with the highest credence. Without own edges, the text describes the edge of a group or place with the
    /// highest credence.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the knower always knew the fact.
    pub since: Option<String>,
    /// Session in which the knower learned the fact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
    /// Characters to whom the knower has told the fact.
    pub told: Vec<EntityId>,
}

/// Returns the session in which the knower learned a fact; `None` if no edge names a session.
pub fn learning_session(known: &Known) -> Option<&SessionId> {
    known.known_edges().iter().find_map(|known_edge| known_edge.edge.session.as_ref())
}

/// Describes in words how a knower learned a fact through an edge. `name_of` returns the names of the entities.
pub fn describe_edge_with_names(known_edge: &KnownEdge, name_of: NameFn) -> String {
    let acquisition = describe_acquisition_with_names(&known_edge.edge.acquisition, name_of);
    let is_authored = known_edge.edge.acquisition.is_authored();
    match &known_edge.access_path {
        AccessPath::Own if !known_edge.edge.acquisition.gives_knowledge() => {
            let how = describe_own_version(&known_edge.edge);
            match &known_edge.edge.co_present[..] {
                [] => how.into(),
                hearers => format!("{how}, and told {}", hearers.iter().map(name_of).collect::<Vec<_>>().join(", ")),
            }
        }
        AccessPath::Own => acquisition,
        AccessPath::Common => "common lore".into(),
        AccessPath::Member(group) if is_authored => format!("as a member of {}", name_of(group)),
        AccessPath::Resident(place) if is_authored => format!("as a resident of {}", name_of(place)),
        AccessPath::Member(group) => format!("as a member of {}, which was {acquisition}", name_of(group)),
        AccessPath::Resident(place) => format!("as a resident of {}, where it was {acquisition}", name_of(place)),
    }
}

/// Describes in words how a knower learned a fact through an edge, with ids instead of names.
pub fn describe_edge(known_edge: &KnownEdge) -> String {
    describe_edge_with_names(known_edge, &EntityId::to_string)
}

/// Describes how a knower has a fact that it only told others.
pub(crate) fn describe_own_version(edge: &KnowledgeEdge) -> &'static str {
    if edge.is_invention() { MADE_UP } else { OWN_VERSION }
}

/// Text for the acquisition of a fact that the knower made up.
const MADE_UP: &str = "made it up";

/// Text for the acquisition of a fact that is the knower's own version of another fact.
const OWN_VERSION: &str = "own version of what it heard";

/// Returns the edges through which a knower knows a fact. For a fact that the knower invented, returns the edges that
/// record to whom the knower told the fact.
pub fn known_edges(known: &Known) -> &[KnownEdge] {
    if known.is_made_up() { known.shared() } else { known.known_edges() }
}

fn describe_first_edge(known: &Known, name_of: NameFn) -> String {
    match known.known_edges().first() {
        Some(known_edge) => describe_edge_with_names(known_edge, name_of),
        None if known.is_own_version() => OWN_VERSION.into(),
        None => MADE_UP.into(),
    }
}

pub(crate) fn time_text(state: &State, time: Option<GameTime>) -> Option<String> {
    time.map(|time| state.calendar().format(time))
}

fn row(state: &State, view: &View, known: &Known) -> KnowsRow {
    let belief = view.belief(known);
    KnowsRow {
        fact: known.id(),
        statement: known.statement().to_owned(),
        subject: known.subject().clone(),
        predicate: known.predicate().clone(),
        credence: belief.credence.get(),
        hold: belief.status,
        acquisition: describe_first_edge(known, &EntityId::to_string),
        since: time_text(state, known.learned()),
        session: learning_session(known).cloned(),
        conceals: known.conceals(),
        told: hearers(known),
    }
}

/// Returns the game time at which a session or a date starts.
fn start_time(state: &State, start_text: &str) -> Result<Option<GameTime>, QueryError> {
    match named_session(state, start_text)? {
        Some(session) => match session.started_at() {
            None => Err(QueryError::NoSessionStart(session.id.clone())),
            start => Ok(start),
        },
        None => Ok(Some(state.calendar().parse_relative(start_text, state.clock())?.first)),
    }
}

/// A [`KnowsFilter`] with parsed predicates and dates.
struct ResolvedFilter {
    about: Option<EntityId>,
    predicate: Option<Predicate>,
    words: Vec<String>,
    since: Option<GameTime>,
    without_labels: bool,
}

impl ResolvedFilter {
    fn new(state: &State, filter: &KnowsFilter) -> Result<Self, QueryError> {
        require_entities(state, &filter.about)?;
        Ok(Self {
            about: filter.about.clone(),
            predicate: filter.predicate.as_deref().map(Predicate::new).transpose()?,
            words: filter.words.as_deref().map(stems).unwrap_or_default(),
            since: match &filter.since {
                Some(since) => start_time(state, since)?,
                None => None,
            },
            without_labels: filter.without_labels && filter.predicate.is_none(),
        })
    }

    /// Returns whether a fact passes all filters except `about`.
    fn matches(&self, view: &View, known: &Known) -> bool {
        let statement_stems = || stems(known.statement());
        self.predicate.as_ref().is_none_or(|predicate| known.predicate() == predicate)
            && self.since.is_none_or(|since| known.learned() >= Some(since))
            && !(self.without_labels && (is_name_or_kind(known) || view.end_kind(known) == Some(EndKind::Redundant)))
            && (self.words.is_empty() || {
                let statement_stems = statement_stems();
                self.words.iter().all(|word| statement_stems.contains(word))
            })
    }
}

/// Returns whether a fact states only the name or the kind of an entity.
fn is_name_or_kind(known: &Known) -> bool {
    [attribute::NAME, attribute::KIND].contains(&known.predicate().as_str())
}

/// Returns the facts that a character knows at a game time, up to the filter's limit. Also returns the total number of
/// facts that pass the filter. The most recently learned facts come first.
///
/// # Errors
/// Returns an error if an entity does not exist, or if the predicate or the date is invalid.
pub fn knows(
    state: &State,
    knower: &EntityId,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<KnowsRow>, usize), QueryError> {
    require_entity(state, knower)?;
    let own = NamedView::new(state, knower, moment);
    let resolved_filter = ResolvedFilter::new(state, filter)?;
    let mut found: Vec<&Known> = match &resolved_filter.about {
        Some(about) => own.facts_naming(about).collect(),
        None => own.view().facts().collect(),
    };
    found.retain(|known| resolved_filter.matches(own.view(), known));
    found.sort_by_key(|known| (std::cmp::Reverse(known.learned()), known.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|known| row(state, own.view(), known)).collect(), all))
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
    /// Earliest game time at which one of the knowers learned the fact, as text; `None` if a knower always knew the
    /// fact.
    pub since: Option<String>,
    /// Player characters and parties that know the fact. Sorted by id.
    pub known_by: Vec<PartyKnower>,
}

/// A player character or party that knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartyKnower {
    /// Id of the knower.
    pub knower: EntityId,
    /// The knower's credence in the fact, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// How the knower learned the fact, in words. If the knower has several edges to the fact, the text describes the
    /// own edge with the highest credence. Without own edges, the text describes the edge of a group or place with the
    /// highest credence.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the time is unknown.
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
    parties.retain(|id| is_party_of(state, id, &characters));
    characters.extend(parties);
    characters.sort();
    characters
}

/// Returns the facts that the player characters and their parties know, up to the filter's limit. Also returns the
/// total number of facts that pass the filter. Common lore, names and kinds are omitted. The most recently learned
/// facts come first.
///
/// # Errors
/// Returns an error if a name is unknown or ambiguous, or if the predicate or the date is invalid.
pub fn party(
    state: &State,
    filter: &KnowsFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<PartyRow>, usize), QueryError> {
    let resolved_filter = ResolvedFilter::new(state, filter)?;
    let views: Vec<(EntityId, View)> =
        players(state).into_iter().map(|id| (id.clone(), View::new(state, &Knower::Entity(id), moment))).collect();
    let is_about =
        |known: &Known| resolved_filter.about.as_ref().is_none_or(|about| known.entities().any(|id| id == about));
    let mut found: BTreeMap<FactId, Vec<(&View, &EntityId, &Known)>> = BTreeMap::new();
    for (id, view) in &views {
        let is_common_lore =
            |known: &Known| known_edges(known).iter().all(|known_edge| known_edge.access_path == AccessPath::Common);
        for known in view.facts().filter(|known| {
            !is_common_lore(known) && !is_name_or_kind(known) && is_about(known) && resolved_filter.matches(view, known)
        }) {
            found.entry(known.id()).or_default().push((view, id, known));
        }
    }
    let first_learned =
        |knowers: &[(&View, &EntityId, &Known)]| knowers.iter().map(|(.., known)| known.learned()).min().flatten();
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(id, knowers)| (std::cmp::Reverse(first_learned(knowers)), *id));
    let all = found.len();
    let rows = found.into_iter().take(filter.limit).filter_map(|(id, knowers)| {
        let fact = state.fact(id)?;
        let since = time_text(state, first_learned(&knowers));
        let party_knower = |(view, knower, known): (&View, &EntityId, &Known)| PartyKnower {
            knower: knower.clone(),
            credence: view.belief(known).credence.get(),
            acquisition: known_edges(known).first().map_or_else(String::new, describe_edge),
            since: time_text(state, known.learned()),
            conceals: known.conceals(),
        };
        Some(PartyRow {
            fact: id,
            statement: fact.statement().to_owned(),
            status: fact.status(),
            since,
            known_by: knowers.into_iter().map(party_knower).collect(),
        })
    });
    Ok((rows.collect(), all))
}

/// Facts and lines of a session that a character missed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    /// Id of the character.
    pub character: EntityId,
    /// Id of the session.
    pub session: SessionId,
    /// Whether the character was present in the session.
    pub was_there: bool,
    /// Characters that were present in the session.
    pub present: Vec<EntityId>,
    /// Facts that others learned in the session but that the character did not know at the end of the session. Sorted
    /// by the time of learning.
    pub facts: Vec<MissedRow>,
    /// Lines that the character did not hear, in the order of the session.
    pub lines: Vec<MissedLine>,
}

/// A fact that other characters learned in a session, but that the character missed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Characters that learned the fact in the session.
    pub learned_by: Vec<EntityId>,
    /// Game time at which a character first learned the fact in the session, as text; `None` if the time is unknown.
    pub since: Option<String>,
    /// How and when the character learned the missed fact after the session, in words; `None` if the character still
    /// does not know the fact.
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

/// Returns the facts and lines of a session that a character missed. The character missed a fact if other characters
/// who were present, or their parties, learned the fact in the session. In addition, the character must not have known
/// the fact at the end of the session.
///
/// # Errors
/// Returns an error if the character or the session does not exist.
pub fn missed(state: &State, character: &EntityId, session: &SessionId) -> Result<Missed, QueryError> {
    missed_with_names(state, character, session, &EntityId::to_string)
}

/// Returns the same as [`missed`], with names in the texts. `name_of` returns the names of the entities.
///
/// # Errors
/// Returns the errors of [`missed`].
pub fn missed_with_names(
    state: &State,
    character: &EntityId,
    session: &SessionId,
    name_of: NameFn,
) -> Result<Missed, QueryError> {
    require_entity(state, character)?;
    let session = require_session(state, session)?;
    let knower = Knower::Entity(character.clone());
    let end = session_end(state, session);
    let (view_at_end, current_view) = (View::new(state, &knower, end), View::new(state, &knower, None));
    let mut participants: BTreeSet<EntityId> = session.present.iter().cloned().collect();
    participants.extend(
        state.entities().map(|entity| &entity.id).filter(|id| is_party_of(state, id, &session.present)).cloned(),
    );
    participants.remove(character);
    let is_during_session = |time: Option<GameTime>| {
        let start = session.started_at();
        matches!((start, time, end), (Some(start), Some(time), Some(end)) if start <= time && time <= end)
    };
    let mut learned: BTreeMap<FactId, (Option<GameTime>, BTreeSet<EntityId>)> = BTreeMap::new();
    for other in &participants {
        for edge in state.knowledge_of(&Knower::Entity(other.clone())) {
            let in_session = match &edge.session {
                Some(edge_session) => *edge_session == session.id,
                None => is_during_session(edge.learned_at()),
            };
            if in_session && edge.acquisition.gives_knowledge() && view_at_end.fact(edge.fact).is_none() {
                let (first_learned, learners) =
                    learned.entry(edge.fact).or_insert_with(|| (edge.learned_at(), BTreeSet::new()));
                *first_learned = (*first_learned).min(edge.learned_at());
                learners.insert(other.clone());
            }
        }
    }
    let mut learned: Vec<_> = learned.into_iter().collect();
    learned.sort_by_key(|(id, (first_learned, _))| (*first_learned, *id));
    let facts = learned.into_iter().filter_map(|(id, (first_learned, learners))| {
        let learned_later = |known: &Known| match known.learned() {
            Some(time) => format!("{}, {}", describe_first_edge(known, name_of), state.calendar().format(time)),
            None => describe_first_edge(known, name_of),
        };
        Some(MissedRow {
            fact: id,
            statement: state.fact(id)?.statement().to_owned(),
            learned_by: learners.into_iter().collect(),
            since: time_text(state, first_learned),
            heard_since: current_view.fact(id).map(learned_later),
        })
    });
    let facts = facts.collect();
    let mut lines: Vec<_> = state
        .passages()
        .filter(|(id, passage)| passage.session.as_ref() == Some(&session.id) && view_at_end.passage(*id).is_none())
        .filter(|(_, passage)| !passage.is_out_of_character())
        .filter(|(_, passage)| {
            passage.heard_by.iter().any(|knower| knower.entity().is_some_and(|id| participants.contains(id)))
        })
        .collect();
    lines.sort_by_key(|(id, passage)| (passage.line, *id));
    let line =
        |passage: &hearsay_model::Passage| MissedLine { speaker: passage.speaker.clone(), text: passage.text.clone() };
    Ok(Missed {
        was_there: session.present.contains(character),
        character: character.clone(),
        session: session.id.clone(),
        present: session.present.clone(),
        facts,
        lines: lines.into_iter().map(|(_, passage)| line(passage)).collect(),
    })
}

/// Returns whether one of these characters is or was a member of a party, according to a canon fact.
fn is_party_of(state: &State, party: &EntityId, characters: &[EntityId]) -> bool {
    let is_member = |fact: &Fact| {
        let belonging = state.vocabulary().belonging(fact.predicate());
        let is_membership = belonging == Some(Belonging::Member) && fact.object().entity() == Some(party);
        is_membership && fact.status() == FactStatus::Canon && characters.contains(fact.subject())
    };
    state.kind(party) == Some(Kind::Party) && state.facts_of(party).any(|fact| is_member(fact))
}
