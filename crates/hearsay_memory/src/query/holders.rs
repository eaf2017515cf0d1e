//! Who knows something; which secrets there are; why somebody cannot know something.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Revealable, Trust, Via, View, is_dead, revealable_to};
use hearsay_model::{
    EntityId, Fact, FactId, GameTime, How, Knower, Knowledge, Secrecy, SessionId, Standing, State, predicate,
};
use serde::Serialize;

use super::{
    Called, date, how_in_words,
    knows::{print, way_in_words, ways},
    note_of,
};
use crate::{MemoryError, edit::resolve, find_fact};

/// Who knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhoKnows {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether it is common lore.
    pub everybody: bool,
    /// The groups and places that know it: their members and residents have it from them. By id.
    pub groups: Vec<HolderRow>,
    /// The characters who know it, but for those who know it as everybody does. By id.
    pub characters: Vec<HolderRow>,
    /// Characters whom it concerns, and who do not know it. By id.
    pub unaware: Vec<EntityId>,
}

/// One who knows something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HolderRow {
    /// Who.
    pub knower: EntityId,
    /// What it is called.
    pub name: String,
    /// How far it believes it, what speaks against it counted in.
    pub credence: f64,
    /// How it knows it: each way, the one that counts first.
    pub how: Vec<String>,
    /// Since when; since ever, when nothing is said.
    pub since: Option<String>,
    /// Whether it keeps it to itself.
    pub conceals: bool,
}

/// All who know a fact at a moment. With many characters, this takes a view of each: do it beside the worker.
///
/// # Errors
/// When the fact cannot be understood.
pub fn who_knows(state: &State, fact: &str, moment: Option<GameTime>) -> Result<WhoKnows, MemoryError> {
    let fact = find_fact(state, fact)?;
    let edges = || state.known_by(fact.id());
    let everybody = edges().any(|edge| edge.knower == Knower::World && is_past(edge, &fact, moment));
    let mut direct: BTreeSet<EntityId> = edges().filter_map(|edge| edge.knower.entity().cloned()).collect();
    let is_group = |id: &EntityId| !state.kind(id).is_some_and(|kind| kind.is_character());
    // Whoever belongs to a group or place may have it from there.
    if direct.iter().any(is_group) {
        direct.extend(state.entities().map(|entity| entity.id.clone()).filter(|id| !is_group(id)));
    }
    let (mut groups, mut characters) = (Vec::new(), Vec::new());
    for id in direct {
        let view = View::of(state, &Knower::Entity(id.clone()), moment);
        let Some(known) = view.fact(fact.id()) else { continue };
        if ways(known).iter().all(|way| way.via == Via::Common) {
            continue;
        }
        let into = if is_group(&id) { &mut groups } else { &mut characters };
        into.push(HolderRow {
            name: state.name_or_id(&id).to_owned(),
            credence: view.belief(known).credence.get(),
            how: ways(known).iter().map(way_in_words).collect(),
            since: print(state, known.learned()),
            conceals: known.conceals(),
            knower: id,
        });
    }
    let mut unaware: Vec<EntityId> = fact.entities().filter(|id| !is_group(id)).cloned().collect();
    unaware.retain(|id| !everybody && characters.iter().all(|row| row.knower != *id));
    unaware.sort();
    unaware.dedup();
    let (statement, standing) = (fact.statement().to_owned(), fact.standing());
    Ok(WhoKnows { fact: fact.id(), statement, standing, everybody, groups, characters, unaware })
}

fn is_past(edge: &Knowledge, fact: &Fact, moment: Option<GameTime>) -> bool {
    let learned = edge.learned_at().or_else(|| fact.validity().start());
    moment.is_none_or(|now| learned.is_none_or(|learned| learned <= now))
}

/// A secret: a fact that is meant as one, or that somebody keeps to itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretRow {
    /// The fact.
    pub fact: FactId,
    /// The author's own name for it.
    pub handle: Option<String>,
    /// The sentence that states it.
    pub statement: String,
    /// What the world says of it.
    pub standing: Standing,
    /// Who knows it by itself; a group or place stands for its members or residents. By id.
    pub holders: Vec<SecretHolder>,
    /// Who was told it by whom, the earliest first; nobody, when it is untold.
    pub told: Vec<TellingRow>,
}

/// One who knows a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretHolder {
    /// Who; `*` for everybody.
    pub knower: Knower,
    /// Whether it keeps it to itself.
    pub conceals: bool,
    /// Since when.
    pub since: Option<String>,
}

/// One time that something was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TellingRow {
    /// Who told it; nobody, for talk of the town.
    pub by: Option<EntityId>,
    /// To whom.
    pub to: Knower,
    /// When.
    pub when: Option<String>,
    /// In which session.
    pub session: Option<SessionId>,
}

/// Which secrets to list.
#[derive(Debug, Clone, Default)]
pub struct SecretFilter {
    /// Only those that this one holds: an id or a name.
    pub who: Option<String>,
    /// Only those that nobody was told.
    pub untold: bool,
    /// At most so many.
    pub limit: usize,
}

/// The secrets of a campaign at a moment, by subject and predicate, at most as many as the filter says; and how many there
/// are in all.
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
    for fact in state.facts().filter(|fact| fact.standing().is_in_world()) {
        if view.as_ref().is_some_and(|view| view.fact(fact.id()).is_none()) {
            continue;
        }
        let mut edges: Vec<&Knowledge> =
            state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| is_past(edge, fact, moment)).collect();
        if fact.secrecy() != Secrecy::Secret && !edges.iter().any(|edge| edge.conceals) {
            continue;
        }
        edges.retain(|edge| edge.how != How::Shared);
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
        let told = edges.iter().filter_map(|edge| match &edge.how {
            How::Told { by, .. } => Some(TellingRow {
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
            standing: fact.standing(),
            holders: holders.into_values().collect(),
            told,
        };
        found.push((fact, row));
    }
    found.sort_by_key(|(fact, _)| (fact.subject(), fact.predicate(), fact.id()));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|(_, row)| row).collect(), all))
}

/// Whether a secret was one already at a moment: it was so then, as far as anybody wrote down since when it is so, or
/// else as far as somebody knew it; what nobody knows to this day was there all along.
fn was_there(state: &State, fact: &Fact, known_then: &[&Knowledge], moment: Option<GameTime>) -> bool {
    match (fact.validity().start(), moment) {
        (_, None) => true,
        (Some(start), Some(moment)) => start <= moment,
        (None, _) => !known_then.is_empty() || state.known_by(fact.id()).all(|edge| edge.how == How::Shared),
    }
}

/// Why somebody does not know something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyNot {
    /// Who.
    pub who: EntityId,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How it knows it, where it does.
    pub knows: Option<HolderRow>,
    /// Why not. The plainest reason first.
    pub reasons: Vec<Obstacle>,
    /// Living characters who know it, those first from whom it could hear it: whom it knows of, or shares a group or
    /// place with, and who do not conceal it.
    pub sources: Vec<SourceRow>,
    /// Under which conditions somebody tells it: what would have to happen.
    pub conditions: Vec<ConditionRow>,
}

/// A condition under which somebody tells a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionRow {
    /// The reveal's id.
    pub reveal: String,
    /// Who would tell it.
    pub holder: EntityId,
    /// Whether it may be told now.
    pub holds: bool,
    /// What is missing, in words.
    pub missing: Vec<String>,
    /// The author's word to the DM: how it is told, what follows.
    pub note: Option<String>,
}

/// The conditions under which a fact is told to somebody. By reveal and holder.
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

/// What keeps somebody from knowing something.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Obstacle {
    /// It learns it, but later than the moment that was asked about.
    TooEarly {
        /// When it learns it.
        learns: Option<String>,
    },
    /// The fact waits for the DM or was rejected: nobody in the world knows it.
    NotInWorld {
        /// What the world says of it.
        standing: Standing,
    },
    /// Nobody ever knew it.
    NobodyKnows,
    /// It was not there, nobody told it, and it read nothing of it.
    NeverLearned,
    /// It only knows it retold wrongly, or refuted.
    OtherVersion {
        /// The fact that it knows.
        fact: FactId,
        /// Its sentence.
        statement: String,
    },
    /// A group or place that knows it, to which it does not belong.
    NotAMember {
        /// The group or place.
        group: EntityId,
    },
    /// A group or place learned it after it had left.
    LeftBefore {
        /// The group or place.
        group: EntityId,
        /// When it left.
        left: Option<String>,
        /// When the group learned it.
        learned: Option<String>,
    },
    /// A group keeps it for ranks that it does not have.
    RankTooLow {
        /// The group.
        group: EntityId,
        /// The rank that it has.
        has: Option<String>,
        /// The rank from which on members have it.
        needs: String,
    },
    /// It belongs to a group or place that knows it, and does not know that it belongs there.
    UnawareOfBelonging {
        /// The group or place.
        group: EntityId,
    },
}

/// A character who knows what another does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceRow {
    /// Who.
    pub knower: EntityId,
    /// What it is called.
    pub name: String,
    /// Whether it keeps it to itself.
    pub conceals: bool,
    /// A sentence by which the one who does not know it knows of it.
    pub acquainted: Option<String>,
    /// The groups and places that both belong to. Sorted.
    pub shares: Vec<EntityId>,
}

/// Memberships and residences that are canon: group, and until when.
fn belongings<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = (&'a EntityId, &'a Fact)> + use<'a> {
    let of = |fact: &&std::sync::Arc<Fact>| {
        let name = fact.predicate().as_str();
        let structure = [predicate::MEMBER_OF, predicate::RESIDENT_OF, predicate::PART_OF].contains(&name);
        structure && fact.standing() == Standing::Canon
    };
    let id = id.clone();
    let own = state.facts_of(&id).filter(move |fact| *fact.subject() == id).filter(of);
    own.filter_map(|fact| Some((fact.object().entity()?, &**fact)))
}

/// Why somebody does not know a fact at a moment, and from whom it could hear it. With many characters, this takes a view
/// of each who may know it: do it beside the worker.
///
/// # Errors
/// When a name or a fact cannot be understood.
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
            how: ways(known).iter().map(way_in_words).collect(),
            since: print(state, known.learned()),
            conceals: known.conceals(),
        });
        return Ok(answer);
    }
    if !fact.standing().is_in_world() {
        answer.reasons.push(Obstacle::NotInWorld { standing: fact.standing() });
        return Ok(answer);
    }
    let ever = View::of(state, &Knower::Entity(who.clone()), None);
    if let Some(known) = ever.fact(fact.id()) {
        answer.reasons.push(Obstacle::TooEarly { learns: print(state, known.learned()) });
    }
    let mut edges: Vec<&Knowledge> =
        state.known_by(fact.id()).map(AsRef::as_ref).filter(|edge| edge.how != How::Shared).collect();
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.learned_at(), edge.id()));
    // Whoever made it up knows it too.
    let nobody = state.known_by(fact.id()).next().is_none();
    match (nobody, answer.reasons.is_empty()) {
        (true, _) => answer.reasons.push(Obstacle::NobodyKnows),
        (false, true) => answer.reasons.push(Obstacle::NeverLearned),
        _ => {}
    }
    let about = |known: &&hearsay_belief::Known| known.bearing().is_some_and(|bearing| bearing.fact() == fact.id());
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

/// Why what a group knows does not reach somebody.
fn obstacle(state: &State, who: &EntityId, view: &View, edge: &Knowledge, fact: &Fact, group: &EntityId) -> Obstacle {
    let group = group.clone();
    // Directly, or by a group or place within it.
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
        // It belongs there by a stay whose way it does not know all of.
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
        // The dead tell nothing.
        .filter(|holder| !is_dead(state, &holder.knower, moment.or(state.clock())))
        .map(|holder| {
            let theirs = belongings(state, &holder.knower).filter(|(_, link)| link.validity().holds_at(moment));
            let mut shares: Vec<EntityId> =
                theirs.map(|(group, _)| group).filter(|group| own.contains(group)).cloned().collect();
            shares.sort();
            shares.dedup();
            // A relation between the two says more than one that only names the other.
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
    /// The reason in words, by ids.
    pub fn in_words(&self) -> String {
        self.called(&EntityId::to_string)
    }

    /// The reason in words.
    pub fn called(&self, called: Called) -> String {
        let when = |date: &Option<String>| date.as_ref().map_or_else(|| "nobody knows when".to_owned(), Clone::clone);
        match self {
            Self::TooEarly { learns } => format!("they learn it only then: {}", when(learns)),
            Self::NotInWorld { standing } => format!("the fact is {standing}: nobody in the world can know it"),
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

/// How somebody knows something, told in a telling of its own.
impl TellingRow {
    /// Who told whom, when and where, in words.
    pub fn in_words(&self) -> String {
        let how = how_in_words(&How::told(self.by.clone()));
        let parts =
            [Some(format!("{} {how}", self.to)), self.when.clone(), self.session.as_ref().map(ToString::to_string)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
