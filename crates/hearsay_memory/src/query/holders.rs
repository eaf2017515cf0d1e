//! Knowers of a fact, secrets, and the reasons that a knower does not know a fact.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{AccessPath, Revealable, Trust, View, is_dead, revealable_to};
use hearsay_model::{
    Acquisition, EntityId, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeEdge, Secrecy, SessionId, State,
    predicate,
};
use serde::Serialize;

use super::{
    Called, date, how_in_words,
    knows::{known_edges, print, way_in_words},
    note_of,
};
use crate::{MemoryError, edit::resolve, find_fact};

/// Knowers of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhoKnows {
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the fact is common lore.
    pub everybody: bool,
    /// Groups and places that know the fact and share it with their members and residents. By id.
    pub groups: Vec<HolderRow>,
    /// Characters that know the fact, except those that know it only as common lore. By id.
    pub characters: Vec<HolderRow>,
    /// Characters in the fact that do not know it. By id.
    pub unaware: Vec<EntityId>,
}

/// A knower of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HolderRow {
    /// The knower.
    pub knower: EntityId,
    /// Name of the knower.
    pub name: String,
    /// Credence, reduced by contrary beliefs.
    pub credence: f64,
    /// Acquisitions in words, the decisive one first.
    pub acquisition: Vec<String>,
    /// Time of the acquisition; `None` if always known.
    pub since: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
}

/// Returns all knowers of a fact at a time. With many characters, this computes a view of each, so call it on a
/// background thread.
///
/// # Errors
/// When the fact is invalid.
pub fn who_knows(state: &State, fact: &str, moment: Option<GameTime>) -> Result<WhoKnows, MemoryError> {
    let fact = find_fact(state, fact)?;
    let edges = || state.known_by(fact.id());
    let everybody = edges().any(|edge| edge.knower == Knower::World && is_past(edge, &fact, moment));
    let mut direct: BTreeSet<EntityId> = edges().filter_map(|edge| edge.knower.entity().cloned()).collect();
    let is_group = |id: &EntityId| !state.kind(id).is_some_and(|kind| kind.is_character());
    // Members and residents may have the fact from their group or place.
    if direct.iter().any(is_group) {
        direct.extend(state.entities().map(|entity| entity.id.clone()).filter(|id| !is_group(id)));
    }
    let (mut groups, mut characters) = (Vec::new(), Vec::new());
    for id in direct {
        let view = View::of(state, &Knower::Entity(id.clone()), moment);
        let Some(known) = view.fact(fact.id()) else { continue };
        if known_edges(known).iter().all(|way| way.access_path == AccessPath::Common) {
            continue;
        }
        let into = if is_group(&id) { &mut groups } else { &mut characters };
        into.push(HolderRow {
            name: state.name_or_id(&id).to_owned(),
            credence: view.belief(known).credence.get(),
            acquisition: known_edges(known).iter().map(way_in_words).collect(),
            since: print(state, known.learned()),
            conceals: known.conceals(),
            knower: id,
        });
    }
    let mut unaware: Vec<EntityId> = fact.entities().filter(|id| !is_group(id)).cloned().collect();
    unaware.retain(|id| !everybody && characters.iter().all(|row| row.knower != *id));
    unaware.sort();
    unaware.dedup();
    let (statement, status) = (fact.statement().to_owned(), fact.status());
    Ok(WhoKnows { fact: fact.id(), statement, status, everybody, groups, characters, unaware })
}

fn is_past(edge: &KnowledgeEdge, fact: &Fact, moment: Option<GameTime>) -> bool {
    let learned = edge.learned_at().or_else(|| fact.validity().start());
    moment.is_none_or(|now| learned.is_none_or(|learned| learned <= now))
}

/// A secret: a fact that is marked as one, or that a knower conceals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretRow {
    /// The fact.
    pub fact: FactId,
    /// Handle given by the author.
    pub handle: Option<String>,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Knowers with their own edges. A group or place represents its members or residents. By id.
    pub holders: Vec<SecretHolder>,
    /// Tellings of the secret, earliest first; empty if it is untold.
    pub told: Vec<TellingRow>,
}

/// A knower of a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretHolder {
    /// The knower; `*` for everybody.
    pub knower: Knower,
    /// Whether the knower conceals the secret.
    pub conceals: bool,
    /// Time of the acquisition.
    pub since: Option<String>,
}

/// A single telling of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TellingRow {
    /// Character that told it; `None` for rumours without a source.
    pub by: Option<EntityId>,
    /// Hearer.
    pub to: Knower,
    /// Time.
    pub when: Option<String>,
    /// Session.
    pub session: Option<SessionId>,
}

/// Filter for listing secrets.
#[derive(Debug, Clone, Default)]
pub struct SecretFilter {
    /// Only secrets of this holder: an id or a name.
    pub who: Option<String>,
    /// Only secrets that were never told.
    pub untold: bool,
    /// Maximum number of secrets.
    pub limit: usize,
}

/// Returns the secrets of a campaign at a time, by subject and predicate, up to the limit of the filter, and their
/// total number.
///
/// # Errors
/// When the name cannot be resolved.
pub fn secrets(
    state: &State,
    filter: &SecretFilter,
    moment: Option<GameTime>,
) -> Result<(Vec<SecretRow>, usize), MemoryError> {
    let who = filter.who.as_deref().map(|name| resolve(state, name)).transpose()?;
    let view = who.as_ref().map(|who| View::of(state, &Knower::Entity(who.clone()), moment));
    let mut found: Vec<(&Fact, SecretRow)> = Vec::new();
    for fact in state.facts().filter(|fact| fact.status().is_in_world()) {
        if view.as_ref().is_some_and(|view| view.fact(fact.id()).is_none()) {
            continue;
        }
        let mut edges: Vec<&KnowledgeEdge> =
            state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| is_past(edge, fact, moment)).collect();
        if fact.secrecy() != Secrecy::Secret && !edges.iter().any(|edge| edge.conceals) {
            continue;
        }
        edges.retain(|edge| edge.acquisition != Acquisition::Shared);
        if !was_there(state, fact, &edges, moment) {
            continue;
        }
        edges.sort_by_key(|edge| (edge.learned_at(), edge.knower.clone(), edge.id()));
        let mut holders: BTreeMap<&Knower, SecretHolder> = BTreeMap::new();
        for edge in &edges {
            let holder = holders.entry(&edge.knower).or_insert_with(|| SecretHolder {
                knower: edge.knower.clone(),
                conceals: false,
                since: date(state, edge.learned.as_ref()),
            });
            holder.conceals |= edge.conceals;
        }
        let told = edges.iter().filter_map(|edge| match &edge.acquisition {
            Acquisition::Told { by, .. } => Some(TellingRow {
                by: by.clone(),
                to: edge.knower.clone(),
                when: date(state, edge.learned.as_ref()),
                session: edge.session.clone(),
            }),
            _ => None,
        });
        let told: Vec<TellingRow> = told.collect();
        if filter.untold && !told.is_empty() {
            continue;
        }
        let row = SecretRow {
            fact: fact.id(),
            handle: fact.handle().map(str::to_owned),
            statement: fact.statement().to_owned(),
            status: fact.status(),
            holders: holders.into_values().collect(),
            told,
        };
        found.push((fact, row));
    }
    found.sort_by_key(|(fact, _)| (fact.subject(), fact.predicate(), fact.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|(_, row)| row).collect(), all))
}

/// Whether a secret existed at a time. If the start of the fact is known, the fact must have begun. Otherwise a knower
/// must have known it. A fact that is unknown to everybody even now existed all along.
fn was_there(state: &State, fact: &Fact, known_then: &[&KnowledgeEdge], moment: Option<GameTime>) -> bool {
    match (fact.validity().start(), moment) {
        (_, None) => true,
        (Some(start), Some(moment)) => start <= moment,
        (None, _) => {
            !known_then.is_empty() || state.known_by(fact.id()).all(|edge| edge.acquisition == Acquisition::Shared)
        }
    }
}

/// Reasons that a knower does not know a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyNot {
    /// The knower.
    pub who: EntityId,
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Knowledge of the fact, if the knower has it after all.
    pub knows: Option<HolderRow>,
    /// Reasons, simplest first.
    pub reasons: Vec<Obstacle>,
    /// Living characters that know the fact. First come those that could tell it: they do not conceal it, and the
    /// knower knows of them or shares a group or place with them.
    pub sources: Vec<SourceRow>,
    /// Conditions under which a holder tells it, with their missing parts.
    pub conditions: Vec<ConditionRow>,
}

/// A condition under which a holder tells a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionRow {
    /// Id of the reveal.
    pub reveal: String,
    /// Holder that would tell it.
    pub holder: EntityId,
    /// Whether the holder may tell it now.
    pub holds: bool,
    /// Missing parts of the condition, in words.
    pub missing: Vec<String>,
    /// Author's note to the DM, such as how the secret is told and what follows.
    pub note: Option<String>,
}

/// Returns the conditions under which a fact is told to a character. By reveal and holder.
fn conditions(state: &State, who: &EntityId, fact: FactId) -> Vec<ConditionRow> {
    if state.reveals_of(fact).next().is_none() {
        return Vec::new();
    }
    let all = revealable_to(state, std::slice::from_ref(who), &|who, of| Trust::between(state, who, of).level());
    let of_fact = all.into_iter().filter(|revealable| revealable.fact == fact && revealable.holder != *who);
    let row = |Revealable { reveal, holder, judgement, .. }: Revealable| ConditionRow {
        note: note_of(state, &reveal),
        reveal,
        holder,
        holds: judgement.holds,
        missing: judgement.missing,
    };
    of_fact.map(row).collect()
}

/// A reason that a knower does not know a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Obstacle {
    /// The knower learns the fact after the time in question.
    TooEarly {
        /// Time at which the knower learns it.
        learns: Option<String>,
    },
    /// The fact waits for the DM or was rejected, so it has no knowers in the world.
    NotInWorld {
        /// Status of the fact.
        status: FactStatus,
    },
    /// The fact never had a knower.
    NobodyKnows,
    /// The knower did not witness the fact, was not told it, and did not read it.
    NeverLearned,
    /// The knower knows only a distorted or refuting version.
    OtherVersion {
        /// The known fact.
        fact: FactId,
        /// Statement of the known fact.
        statement: String,
    },
    /// The knower does not belong to a group or place that knows the fact.
    NotAMember {
        /// The group or place.
        group: EntityId,
    },
    /// The knower had left when the group or place learned the fact.
    LeftBefore {
        /// The group or place.
        group: EntityId,
        /// Time at which the knower left.
        left: Option<String>,
        /// Time at which the group learned it.
        learned: Option<String>,
    },
    /// The group shares the fact only with higher ranks.
    RankTooLow {
        /// The group.
        group: EntityId,
        /// Rank of the knower.
        has: Option<String>,
        /// Lowest rank that shares the fact.
        needs: String,
    },
    /// The knower belongs to a group or place that knows the fact but is unaware of belonging there.
    UnawareOfBelonging {
        /// The group or place.
        group: EntityId,
    },
}

/// A character that knows a fact unknown to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceRow {
    /// The character.
    pub knower: EntityId,
    /// Name of the character.
    pub name: String,
    /// Whether the character conceals the fact.
    pub conceals: bool,
    /// Sentence by which the unknowing character knows of this one.
    pub acquainted: Option<String>,
    /// Groups and places of both. Sorted.
    pub shares: Vec<EntityId>,
}

/// Returns the canon memberships and residences of an entity, with their groups and places.
fn belongings<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = (&'a EntityId, &'a Fact)> + use<'a> {
    let of = |fact: &&std::sync::Arc<Fact>| {
        let name = fact.predicate().as_str();
        let structure = [predicate::MEMBER_OF, predicate::RESIDENT_OF, predicate::PART_OF].contains(&name);
        structure && fact.status() == FactStatus::Canon
    };
    let id = id.clone();
    let own = state.facts_of(&id).filter(move |fact| *fact.subject() == id).filter(of);
    own.filter_map(|fact| Some((fact.object().entity()?, &**fact)))
}

/// Returns the reasons that a character does not know a fact at a time, and possible sources for it. With many
/// characters, this computes a view of each possible knower, so call it on a background thread.
///
/// # Errors
/// When a name or a fact is invalid.
pub fn why_not(state: &State, who: &str, fact: &str, moment: Option<GameTime>) -> Result<WhyNot, MemoryError> {
    let (who, fact) = (resolve(state, who)?, find_fact(state, fact)?);
    let view = View::of(state, &Knower::Entity(who.clone()), moment);
    let mut answer = WhyNot {
        who: who.clone(),
        fact: fact.id(),
        statement: fact.statement().to_owned(),
        knows: None,
        reasons: Vec::new(),
        sources: Vec::new(),
        conditions: Vec::new(),
    };
    if let Some(known) = view.fact(fact.id()) {
        answer.knows = Some(HolderRow {
            knower: who.clone(),
            name: state.name_or_id(&who).to_owned(),
            credence: view.belief(known).credence.get(),
            acquisition: known_edges(known).iter().map(way_in_words).collect(),
            since: print(state, known.learned()),
            conceals: known.conceals(),
        });
        return Ok(answer);
    }
    if !fact.status().is_in_world() {
        answer.reasons.push(Obstacle::NotInWorld { status: fact.status() });
        return Ok(answer);
    }
    let ever = View::of(state, &Knower::Entity(who.clone()), None);
    if let Some(known) = ever.fact(fact.id()) {
        answer.reasons.push(Obstacle::TooEarly { learns: print(state, known.learned()) });
    }
    let mut edges: Vec<&KnowledgeEdge> =
        state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| edge.acquisition != Acquisition::Shared).collect();
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.learned_at(), edge.id()));
    // The inventor of the fact knows it too.
    let nobody = state.known_by(fact.id()).next().is_none();
    match (nobody, answer.reasons.is_empty()) {
        (true, _) => answer.reasons.push(Obstacle::NobodyKnows),
        (false, true) => answer.reasons.push(Obstacle::NeverLearned),
        _ => {}
    }
    let about = |known: &&hearsay_belief::Known| {
        known.fact_relation().is_some_and(|fact_relation| fact_relation.fact() == fact.id())
    };
    let versions = view.facts().filter(about);
    answer.reasons.extend(
        versions.map(|known| Obstacle::OtherVersion { fact: known.id(), statement: known.statement().to_owned() }),
    );
    if ever.fact(fact.id()).is_none() {
        for edge in &edges {
            let group = edge.knower.entity().filter(|id| !state.kind(id).is_some_and(|kind| kind.is_character()));
            let obstacle =
                group.filter(|group| **group != who).map(|group| obstacle(state, &who, &ever, edge, &fact, group));
            answer.reasons.extend(obstacle.filter(|obstacle| !answer.reasons.contains(obstacle)));
        }
    }
    answer.sources = sources(state, &view, &who, &fact, moment)?;
    answer.conditions = conditions(state, &who, fact.id());
    Ok(answer)
}

/// Returns the reason that a group's knowledge does not reach a character.
fn obstacle(
    state: &State,
    who: &EntityId,
    view: &View,
    edge: &KnowledgeEdge,
    fact: &Fact,
    group: &EntityId,
) -> Obstacle {
    let group = group.clone();
    // Memberships may be direct, or through a group or place within it.
    let mut open = vec![who.clone()];
    let (mut seen, mut stays) = (BTreeSet::new(), Vec::new());
    while let Some(member) = open.pop() {
        for (into, link) in belongings(state, &member) {
            if *into == group {
                stays.push(link);
            }
            if seen.insert(into.clone()) {
                open.push(into.clone());
            }
        }
    }
    if stays.is_empty() {
        return Obstacle::NotAMember { group };
    }
    if stays.iter().all(|link| view.fact(link.id()).is_none()) {
        return Obstacle::UnawareOfBelonging { group };
    }
    let learned = edge.learned_at().or_else(|| fact.validity().start());
    let stays_on = |link: &&&Fact| {
        let end = link.validity().end();
        !link.validity().is_closed() || end.is_some_and(|end| learned.is_none_or(|learned| learned < end))
    };
    let staying = stays.iter().find(stays_on);
    match (&edge.rank, staying) {
        (Some(needs), Some(link)) => {
            Obstacle::RankTooLow { group, has: link.rank().map(str::to_owned), needs: needs.clone() }
        }
        (_, None) => {
            let left = stays.iter().filter_map(|link| link.validity().until.as_ref()).max_by_key(|date| date.time);
            Obstacle::LeftBefore { group, left: date(state, left), learned: print(state, learned) }
        }
        // The knower is unaware of some link in its membership.
        (None, Some(_)) => Obstacle::UnawareOfBelonging { group },
    }
}

fn sources(
    state: &State,
    view: &View,
    who: &EntityId,
    fact: &Fact,
    moment: Option<GameTime>,
) -> Result<Vec<SourceRow>, MemoryError> {
    let own: BTreeSet<&EntityId> =
        belongings(state, who).filter(|(_, link)| link.validity().holds_at(moment)).map(|(group, _)| group).collect();
    let holders = who_knows(state, &fact.id().to_string(), moment)?;
    let mut rows: Vec<SourceRow> = holders
        .characters
        .into_iter()
        // The dead cannot tell anything.
        .filter(|holder| !is_dead(state, &holder.knower, moment.or(state.clock())))
        .map(|holder| {
            let theirs = belongings(state, &holder.knower).filter(|(_, link)| link.validity().holds_at(moment));
            let mut shares: Vec<EntityId> =
                theirs.map(|(group, _)| group).filter(|group| own.contains(group)).cloned().collect();
            shares.sort();
            shares.dedup();
            // A relation between the two is more informative than one that only mentions the other.
            let of_both = |known: &&hearsay_belief::Known| {
                let ends = [Some(known.subject()), known.object().entity()];
                known.predicate().is_relation() && ends.contains(&Some(who)) && ends.contains(&Some(&holder.knower))
            };
            let acquainted = view.facts().find(of_both).map(|known| known.statement().to_owned());
            SourceRow { name: holder.name, conceals: holder.conceals, acquainted, shares, knower: holder.knower }
        })
        .collect();
    rows.sort_by_key(|row| {
        (row.conceals, row.acquainted.is_none() && row.shares.is_empty(), row.acquainted.is_none(), row.knower.clone())
    });
    Ok(rows)
}

impl Obstacle {
    /// Describes the reason in words, with ids as names.
    pub fn in_words(&self) -> String {
        self.called(&EntityId::to_string)
    }

    /// Describes the reason in words.
    pub fn called(&self, called: Called) -> String {
        let when = |date: &Option<String>| date.as_ref().map_or_else(|| "nobody knows when".to_owned(), Clone::clone);
        match self {
            Self::TooEarly { learns } => format!("they learn it only then: {}", when(learns)),
            Self::NotInWorld { status } => format!("the fact is {status}: nobody in the world can know it"),
            Self::NobodyKnows => "nobody knows it: no one saw it, and no one was told".into(),
            Self::NeverLearned => "they were not there, nobody told them, and they read nothing of it".into(),
            Self::OtherVersion { fact, statement } => {
                format!("they know another version: \u{201C}{statement}\u{201D} [{}]", fact.short())
            }
            Self::NotAMember { group } => format!("{} knows it, and they do not belong there", called(group)),
            Self::LeftBefore { group, left, learned } => {
                format!("{} learned it ({}) after they had left ({})", called(group), when(learned), when(left))
            }
            Self::RankTooLow { group, has, needs } => {
                let has = has.as_ref().map_or_else(|| "have no rank".into(), |has| format!("are {has}"));
                format!("{} keeps it for {needs} and above; they {has}", called(group))
            }
            Self::UnawareOfBelonging { group } => {
                format!("{} knows it, and they do not know that they belong there", called(group))
            }
        }
    }
}

/// Description of a single telling.
impl TellingRow {
    /// Describes the hearer, the teller, the time and the session in words.
    pub fn in_words(&self) -> String {
        let acquisition = how_in_words(&Acquisition::told(self.by.clone()));
        let parts = [
            Some(format!("{} {acquisition}", self.to)),
            self.when.clone(),
            self.session.as_ref().map(ToString::to_string),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
