//! Secrets and their knowers, and the reasons why a knower does not know a fact.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{RevealEvaluation, StateViews, Trust, View, evaluate_reveals_for, is_dead, player_characters};
use hearsay_model::{
    Acquisition, EntityId, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeEdge, Secrecy, SessionId, State,
};
use serde::Serialize;

use crate::{
    QueryError,
    dates::date_text,
    duplicates::states_same,
    facts::{NameFn, describe_acquisition_with_names},
    ids::{require_entities, require_entity, require_fact},
    knowledge::{describe_edge, known_edges, time_text},
    reveals::reveal_note,
    who_knows::{HolderRow, is_known_at, who_knows},
};

/// A secret: a fact that is marked as secret, or that a knower conceals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Handle: a short name that a campaign file gives the fact; `None` if the fact has no handle.
    pub handle: Option<String>,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Knowers with a knowledge edge to the fact. A group or place represents all its members or residents. Sorted by
    /// id.
    pub holders: Vec<SecretHolder>,
    /// Whether no player character knows the secret, or another fact with the same content.
    pub untold: bool,
    /// Occasions on which a character told the secret to another, earliest first.
    pub told: Vec<TellingRow>,
}

/// A knower of a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretHolder {
    /// Id of the knower; `*` for everybody.
    pub knower: Knower,
    /// Whether the knower conceals the secret.
    pub conceals: bool,
    /// Game time at which the knower learned the secret, as text; `None` if the time is unknown.
    pub since: Option<String>,
}

/// One occasion on which a fact was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TellingRow {
    /// Character that told the fact; `None` for a rumour without a source.
    pub by: Option<EntityId>,
    /// Knower that heard the fact.
    pub to: Knower,
    /// Game time at which the fact was told, as text; `None` if the time is unknown.
    pub when: Option<String>,
    /// Session in which the fact was told; `None` if there is no session.
    pub session: Option<SessionId>,
}

/// Filter for listing secrets.
#[derive(Debug, Clone, Default)]
pub struct SecretFilter {
    /// The query returns only secrets that this character knows. `None` selects the secrets of all characters.
    pub character: Option<EntityId>,
    /// Whether the query returns only untold secrets, which no player character knows.
    pub untold: bool,
    /// Maximum number of secrets.
    pub limit: usize,
}

/// Returns the secrets that exist in a campaign at a game time, up to the filter's limit. Also returns the total number
/// of secrets that pass the filter. The secrets are sorted by subject and predicate.
///
/// # Errors
/// Returns an error if the character does not exist.
pub fn secrets(
    state: &State,
    filter: &SecretFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<SecretRow>, usize), QueryError> {
    let character = filter.character.as_ref();
    require_entities(state, character)?;
    let view = character.map(|character| View::new(state, &Knower::Entity(character.clone()), moment));
    let views = StateViews::new(state);
    let players: Vec<Knower> = player_characters(state).into_iter().map(Knower::Entity).collect();
    let mut found: Vec<(&Fact, SecretRow)> = Vec::new();
    for fact in state.facts().filter(|fact| fact.status().is_knowable()) {
        if view.as_ref().is_some_and(|view| view.fact(fact.id()).is_none()) {
            continue;
        }
        let mut edges: Vec<&KnowledgeEdge> =
            state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| is_known_at(edge, fact, moment)).collect();
        if fact.secrecy() != Secrecy::Secret && !edges.iter().any(|edge| edge.conceals) {
            continue;
        }
        edges.retain(|edge| edge.acquisition.gives_knowledge());
        if !existed_at(state, fact, &edges, moment) {
            continue;
        }
        let is_told = |id: FactId| players.iter().any(|player| views.get(player, moment).fact(id).is_some());
        let untold = !is_told(fact.id()) && !others_with_same_content(state, fact).any(is_told);
        if filter.untold && !untold {
            continue;
        }
        edges.sort_by_key(|edge| (edge.learned_at(), edge.knower.clone(), edge.id()));
        let mut holders: BTreeMap<&Knower, SecretHolder> = BTreeMap::new();
        for edge in &edges {
            let holder = holders.entry(&edge.knower).or_insert_with(|| SecretHolder {
                knower: edge.knower.clone(),
                conceals: false,
                since: date_text(state, edge.learned.as_ref()),
            });
            holder.conceals |= edge.conceals;
        }
        let tellings = edges.iter().filter(|edge| edge.acquisition.is_told()).map(|edge| TellingRow {
            by: edge.acquisition.teller().cloned(),
            to: edge.knower.clone(),
            when: date_text(state, edge.learned.as_ref()),
            session: edge.session.clone(),
        });
        let row = SecretRow {
            fact: fact.id(),
            handle: fact.handle().map(str::to_owned),
            statement: fact.statement().to_owned(),
            status: fact.status(),
            holders: holders.into_values().collect(),
            untold,
            told: tellings.collect(),
        };
        found.push((fact, row));
    }
    found.sort_by_key(|(fact, _)| (fact.subject(), fact.predicate(), fact.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|(_, row)| row).collect(), all))
}

/// Returns the other facts with the same content as a fact, for example a fact that a line stated in the words of the fact.
fn others_with_same_content<'a>(state: &'a State, fact: &'a Fact) -> impl Iterator<Item = FactId> + 'a {
    let others = state.facts_of(fact.subject()).filter(move |other| other.id() != fact.id());
    others.filter(move |other| states_same(state, fact, other)).map(|other| other.id())
}

/// Returns whether a secret existed at a game time. If the start of the fact is recorded, it must not be later than the
/// game time. If the start of the fact is not recorded, a knower must have known the fact by the game time. A secret
/// that nobody has ever learned always exists.
fn existed_at(state: &State, fact: &Fact, known_then: &[&KnowledgeEdge], moment: Option<GameTime>) -> bool {
    match (fact.validity().start(), moment) {
        (_, None) => true,
        (Some(start), Some(moment)) => start <= moment,
        (None, _) => {
            !known_then.is_empty() || state.known_by(fact.id()).all(|edge| !edge.acquisition.gives_knowledge())
        }
    }
}

/// Reasons why a knower does not know a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyNot {
    /// Id of the knower.
    pub knower: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the knower knows the fact; `None` if the knower does not know the fact. If the knower knows the fact,
    /// `reasons`, `sources` and `conditions` are empty.
    pub knows: Option<HolderRow>,
    /// Reasons why the knower does not know the fact, simplest reason first.
    pub reasons: Vec<Obstacle>,
    /// Living characters that know the fact. The most probable tellers come first. These are characters that do not
    /// conceal the fact, and that have a known relation, a group or a place in common with the knower.
    pub sources: Vec<SourceRow>,
    /// Conditions under which a character that knows the fact may tell it to the knower.
    pub conditions: Vec<ConditionRow>,
}

/// A condition under which a character may tell a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionRow {
    /// Id of the reveal.
    pub reveal: String,
    /// Character that may tell the secret once the condition is met.
    pub holder: EntityId,
    /// Whether the condition is met now.
    pub holds: bool,
    /// Parts of the condition that are not met yet, in words.
    pub missing: Vec<String>,
    /// Author's note to the DM, for example how the character tells the secret and what happens next; `None` if there
    /// is no note.
    pub note: Option<String>,
}

/// Returns the conditions under which other characters may tell a fact to `character`. Sorted by reveal and
/// teller.
fn conditions(state: &State, character: &EntityId, fact: FactId) -> Vec<ConditionRow> {
    if state.reveals_of(fact).next().is_none() {
        return Vec::new();
    }
    let revealables = evaluate_reveals_for(state, std::slice::from_ref(character), &|knower, other| {
        Trust::between(state, knower, other).level()
    });
    let other_holders =
        revealables.into_iter().filter(|revealable| revealable.fact == fact && revealable.holder != *character);
    let row = |RevealEvaluation { reveal, holder, judgement, .. }: RevealEvaluation| ConditionRow {
        note: reveal_note(state, &reveal),
        reveal,
        holder,
        holds: judgement.holds,
        missing: judgement.missing,
    };
    other_holders.map(row).collect()
}

/// A reason why a knower does not know a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Obstacle {
    /// The knower learns the fact only after the game time of the query.
    TooEarly {
        /// Game time at which the knower learns the fact, as text; `None` if the time is unknown.
        learns: Option<String>,
    },
    /// The fact waits for the DM's decision or was rejected, so nobody can know it.
    NotInWorld {
        /// Status of the fact.
        status: FactStatus,
    },
    /// Nobody has ever known the fact.
    NobodyKnows,
    /// The knower did not witness, hear or read the fact.
    NeverLearned,
    /// The knower knows another fact that distorts or refutes the fact.
    OtherVersion {
        /// Id of the distorting or refuting fact.
        fact: FactId,
        /// Sentence that states the distorting or refuting fact.
        statement: String,
    },
    /// A group or place knows the fact, but the knower is not a member or resident.
    NotAMember {
        /// Group or place that knows the fact.
        group: EntityId,
    },
    /// The knower left a group or place before the group or place learned the fact.
    LeftBefore {
        /// Group or place that knows the fact.
        group: EntityId,
        /// Game time at which the knower left, as text; `None` if the time is unknown.
        left: Option<String>,
        /// Game time at which the group or place learned the fact, as text; `None` if the time is unknown.
        learned: Option<String>,
    },
    /// A group knows the fact, but shares it only with members whose rank is higher than the rank of the knower.
    RankTooLow {
        /// Group that knows the fact.
        group: EntityId,
        /// Rank of the knower in the group; `None` if the knower has no rank.
        has: Option<String>,
        /// Lowest rank of the members who know the fact through the group.
        needs: String,
    },
    /// A group or place knows the fact. The knower is a member or resident of the group or place, but does not know of
    /// the membership or residence.
    UnawareOfBelonging {
        /// Group or place that knows the fact.
        group: EntityId,
    },
}

/// A character that knows a fact and could tell it to another character.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceRow {
    /// Id of the character.
    pub knower: EntityId,
    /// Name of the character.
    pub name: String,
    /// Whether the character conceals the fact.
    pub conceals: bool,
    /// Sentence that states a relation between this character and the knower who does not know the fact, or a note that
    /// both are player characters. `None` if the knower is aware of no such relation.
    pub acquainted: Option<String>,
    /// Groups and places of which both characters are members or residents. Sorted.
    pub shares: Vec<EntityId>,
}

/// Note that two characters know each other because the players play both.
const PARTY_COMRADES: &str = "both are player characters";

/// Returns the canon memberships and residences of an entity, with their groups and places.
fn belongings<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = (&'a EntityId, &'a Fact)> + use<'a> {
    let is_canon_belonging = |fact: &&std::sync::Arc<Fact>| {
        state.vocabulary().belonging(fact.predicate()).is_some() && fact.status() == FactStatus::Canon
    };
    let id = id.clone();
    let belonging_facts = state.facts_of(&id).filter(move |fact| *fact.subject() == id).filter(is_canon_belonging);
    belonging_facts.filter_map(|fact| Some((fact.object().entity()?, &**fact)))
}

/// Returns the reasons why a character does not know a fact at a game time, and the characters that could tell the
/// fact. The function computes the view of each character that may know the fact, so call it on a background thread.
///
/// # Errors
/// Returns an error if the character or the fact does not exist.
pub fn why_not(
    state: &State,
    character: &EntityId,
    fact: FactId,
    moment: Option<GameTime>,
) -> Result<WhyNot, QueryError> {
    require_entity(state, character)?;
    let fact = require_fact(state, fact)?;
    let view = View::new(state, &Knower::Entity(character.clone()), moment);
    let mut answer = WhyNot {
        knower: character.clone(),
        fact: fact.id(),
        statement: fact.statement().to_owned(),
        knows: None,
        reasons: Vec::new(),
        sources: Vec::new(),
        conditions: Vec::new(),
    };
    if let Some(known) = view.fact(fact.id()) {
        answer.knows = Some(HolderRow {
            knower: character.clone(),
            name: state.name_or_id(character).to_owned(),
            credence: view.belief(known).credence.get(),
            acquisition: known_edges(known).iter().map(describe_edge).collect(),
            since: time_text(state, known.learned()),
            conceals: known.conceals(),
        });
        return Ok(answer);
    }
    if !fact.status().is_knowable() {
        answer.reasons.push(Obstacle::NotInWorld { status: fact.status() });
        return Ok(answer);
    }
    let latest_view = View::new(state, &Knower::Entity(character.clone()), None);
    if let Some(known) = latest_view.fact(fact.id()) {
        answer.reasons.push(Obstacle::TooEarly { learns: time_text(state, known.learned()) });
    }
    let mut edges: Vec<&KnowledgeEdge> =
        state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| edge.acquisition.gives_knowledge()).collect();
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.learned_at(), edge.id()));
    // If a character made up the fact, the fact has a knower, even though that knower's edge gives no knowledge.
    let is_known_to_nobody = state.known_by(fact.id()).next().is_none();
    match (is_known_to_nobody, answer.reasons.is_empty()) {
        (true, _) => answer.reasons.push(Obstacle::NobodyKnows),
        (false, true) => answer.reasons.push(Obstacle::NeverLearned),
        _ => {}
    }
    let relates_to_fact = |known: &&hearsay_belief::Known| {
        known.fact_relation().is_some_and(|fact_relation| fact_relation.fact() == fact.id())
    };
    let other_versions = view.facts().filter(relates_to_fact);
    answer.reasons.extend(
        other_versions
            .map(|known| Obstacle::OtherVersion { fact: known.id(), statement: known.statement().to_owned() }),
    );
    if latest_view.fact(fact.id()).is_none() {
        for edge in &edges {
            let group = edge.knower.entity().filter(|id| !state.is_character(id));
            let obstacle = group
                .filter(|group| *group != character)
                .map(|group| obstacle(state, character, &latest_view, edge, fact, group));
            answer.reasons.extend(obstacle.filter(|obstacle| !answer.reasons.contains(obstacle)));
        }
    }
    answer.sources = sources(state, &view, character, fact, moment)?;
    answer.conditions = conditions(state, character, fact.id());
    Ok(answer)
}

/// Returns the reason why a group that knows a fact does not share it with a character.
fn obstacle(
    state: &State,
    character: &EntityId,
    view: &View,
    edge: &KnowledgeEdge,
    fact: &Fact,
    group: &EntityId,
) -> Obstacle {
    let group = group.clone();
    // A character may belong to a group directly, or through a smaller group or place that belongs to it.
    let mut pending = vec![character.clone()];
    let (mut seen, mut memberships) = (BTreeSet::new(), Vec::new());
    while let Some(member) = pending.pop() {
        for (container, link) in belongings(state, &member) {
            if *container == group {
                memberships.push(link);
            }
            if seen.insert(container.clone()) {
                pending.push(container.clone());
            }
        }
    }
    if memberships.is_empty() {
        return Obstacle::NotAMember { group };
    }
    if memberships.iter().all(|link| view.fact(link.id()).is_none()) {
        return Obstacle::UnawareOfBelonging { group };
    }
    let learned = edge.learned_at().or_else(|| fact.validity().start());
    let is_member_when_learned = |link: &&&Fact| {
        let end = link.validity().end();
        !link.validity().is_closed() || end.is_some_and(|end| learned.is_none_or(|learned| learned < end))
    };
    let current_membership = memberships.iter().find(is_member_when_learned);
    match (&edge.rank, current_membership) {
        (Some(needs), Some(link)) => {
            Obstacle::RankTooLow { group, has: link.rank().map(str::to_owned), needs: needs.clone() }
        }
        (_, None) => {
            let left =
                memberships.iter().filter_map(|link| link.validity().until.as_ref()).max_by_key(|date| date.time);
            Obstacle::LeftBefore { group, left: date_text(state, left), learned: time_text(state, learned) }
        }
        // The character does not know one of the facts that make it a member or resident.
        (None, Some(_)) => Obstacle::UnawareOfBelonging { group },
    }
}

fn sources(
    state: &State,
    view: &View,
    character: &EntityId,
    fact: &Fact,
    moment: Option<GameTime>,
) -> Result<Vec<SourceRow>, QueryError> {
    let own_groups: BTreeSet<&EntityId> = belongings(state, character)
        .filter(|(_, link)| link.validity().holds_at(moment))
        .map(|(group, _)| group)
        .collect();
    let players = player_characters(state);
    let holders = who_knows(state, fact.id(), moment)?;
    let mut rows: Vec<SourceRow> = holders
        .characters
        .into_iter()
        // The dead cannot tell anything.
        .filter(|holder| !is_dead(state, &holder.knower, moment.or(state.clock())))
        .map(|holder| {
            let their_groups = belongings(state, &holder.knower).filter(|(_, link)| link.validity().holds_at(moment));
            let mut shared_groups: Vec<EntityId> =
                their_groups.map(|(group, _)| group).filter(|group| own_groups.contains(group)).cloned().collect();
            shared_groups.sort();
            shared_groups.dedup();
            // Only a relation between the two characters shows that they are acquainted. Player characters travel together.
            let relates_both = |known: &&hearsay_belief::Known| {
                let ends = [Some(known.subject()), known.object().entity()];
                known.predicate().is_relation()
                    && ends.contains(&Some(character))
                    && ends.contains(&Some(&holder.knower))
            };
            let acquainted = view.facts().find(relates_both).map(|known| known.statement().to_owned());
            let are_comrades =
                shared_groups.is_empty() && [character, &holder.knower].iter().all(|id| players.contains(id));
            let acquainted = acquainted.or_else(|| are_comrades.then(|| PARTY_COMRADES.to_owned()));
            SourceRow {
                name: holder.name,
                conceals: holder.conceals,
                acquainted,
                shares: shared_groups,
                knower: holder.knower,
            }
        })
        .collect();
    rows.sort_by_key(|row| {
        (row.conceals, row.acquainted.is_none() && row.shares.is_empty(), row.acquainted.is_none(), row.knower.clone())
    });
    Ok(rows)
}

impl Obstacle {
    /// Describes the reason in words, with ids instead of names.
    pub fn describe(&self) -> String {
        self.describe_with_names(&EntityId::to_string)
    }

    /// Describes the reason in words. `name_of` returns the names of the entities.
    pub fn describe_with_names(&self, name_of: NameFn) -> String {
        let date_or_unknown =
            |date: &Option<String>| date.as_ref().map_or_else(|| "at an unknown time".to_owned(), Clone::clone);
        match self {
            Self::TooEarly { learns } => format!("the character learns it later: {}", date_or_unknown(learns)),
            Self::NotInWorld { status } => format!("the fact is {status}, so nobody in the world can know it"),
            Self::NobodyKnows => "nobody witnessed it, and nobody was told".into(),
            Self::NeverLearned => "the character did not witness it, was not told, and has not read about it".into(),
            Self::OtherVersion { fact, statement } => {
                format!("the character knows another version: \u{201C}{statement}\u{201D} [{}]", fact.short())
            }
            Self::NotAMember { group } => {
                format!("everybody in {} knows it, but the character is not a member or resident", name_of(group))
            }
            Self::LeftBefore { group, left, learned } => {
                format!(
                    "{} learned it ({}) after the character had left ({})",
                    name_of(group),
                    date_or_unknown(learned),
                    date_or_unknown(left)
                )
            }
            Self::RankTooLow { group, has, needs } => {
                let has = has.as_ref().map_or_else(|| "has no rank".into(), |has| format!("has the rank {has}"));
                format!("in {}, only members of rank {needs} and above know it; the character {has}", name_of(group))
            }
            Self::UnawareOfBelonging { group } => {
                format!(
                    "everybody in {} knows it, but the character does not know about its own membership or residence there",
                    name_of(group)
                )
            }
        }
    }
}

impl TellingRow {
    /// Returns a description of the telling in words: hearer, teller, time and session. `name_of` returns the names of the
    /// entities.
    pub fn describe_with_names(&self, name_of: NameFn) -> String {
        let acquisition = describe_acquisition_with_names(&Acquisition::told(self.by.clone()), name_of);
        let hearer = self.to.entity().map_or_else(|| "everybody".to_owned(), name_of);
        let parts = [
            Some(format!("{hearer} {acquisition}")),
            self.when.clone(),
            self.session.as_ref().map(ToString::to_string),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
