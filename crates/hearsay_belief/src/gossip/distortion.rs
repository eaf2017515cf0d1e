//! Rumours that change: a character tells a distorted version of a fact instead of the fact that it heard.
//!
//! A version depends only on the seed, the teller and the teller's knowledge. A character that has told a version of a
//! fact tells the same version again. A character that has told the exact fact never distorts the fact.

mod rewording;

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Author, Degree, EntityId, Fact, FactBuilder, FactId, FactRelation, FactStatus, Factuality, GameTime,
    Method, Number, Object, PredicateRole, Provenance, Secrecy, Value, attribute,
};
use serde::Serialize;

use super::{
    Conversation, Simulation,
    knowledge::CharacterKnowledge,
    meetings::{Person, RandomDraws},
};
use crate::{AccessPath, Known};

/// Purposes of random draws.
const DISTORTION_DRAW: u64 = 6;
const KIND_DRAW: u64 = 7;
const DETAIL_DRAW: u64 = 8;

/// How a version of a fact differs from the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DistortionKind {
    /// The version lacks a detail, such as the place or the time.
    LostDetail,
    /// The version names another person, place or thing.
    Swapped,
    /// The version contains a greater number.
    Exaggerated,
    /// The fact states a guess, and the version states the guess as certain.
    GainedCertainty,
}

impl DistortionKind {
    /// Returns the kind as words in plain English.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LostDetail => "lost a detail",
            Self::Swapped => "swapped a name",
            Self::Exaggerated => "exaggerated a number",
            Self::GainedCertainty => "gained certainty",
        }
    }
}

/// A new version of a fact that a character tells for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistortedFact {
    /// The version. It [distorts](FactRelation::Distorts) the original.
    pub fact: Arc<Fact>,
    /// The fact as the teller heard it.
    pub original: FactId,
    /// The teller that distorted the fact.
    pub teller: EntityId,
    /// The game time at which the teller told the version for the first time.
    pub when: GameTime,
    /// How the version differs from the original.
    pub kind: DistortionKind,
}

/// The version of a fact that a character tells.
pub(super) enum Version {
    /// The fact as the character knows it.
    Exact,
    /// A version that the character told before.
    Recorded(FactId),
    /// A new version.
    New(Arc<Fact>, DistortionKind),
}

/// Returns the probability that a character with an honesty of 1 distorts a fact.
fn base_probability(distortion: Degree) -> f64 {
    match distortion {
        Degree::Off => 0.0,
        Degree::Mild => 0.08,
        Degree::Strong => 0.25,
    }
}

/// Returns a hash of the id of a fact, for random draws.
pub(super) fn fact_hash(id: FactId) -> u64 {
    (id.as_u128() >> 64) as u64 ^ id.as_u128() as u64
}

impl Simulation<'_> {
    /// Returns the version of a fact that the teller of a conversation tells. Returns `None` if the teller must not
    /// tell its version to the hearer, because the version is about the hearer.
    pub(super) fn version_to_tell(&mut self, conversation: &Conversation, known: &Known) -> Option<Version> {
        let &Conversation { teller, hearer, when, .. } = conversation;
        if self.distortion == Degree::Off || !is_only_heard(known) || !known.shared().is_empty() {
            return Some(Version::Exact);
        }
        let fact = Arc::clone(self.knowledge.fact(known.id())?);
        let version = match self.knowledge.told_version(teller.index, known.id()) {
            Some(version) => Version::Recorded(version),
            None => self.new_version(teller, &fact, when),
        };
        let told = match &version {
            Version::Exact => return Some(version),
            Version::Recorded(id) => Arc::clone(self.knowledge.fact(*id)?),
            Version::New(fact, _) => Arc::clone(fact),
        };
        let names_hearer = |fact: &Fact| fact.entities().any(|id| id == hearer.id);
        let is_about_hearer = super::untold::is_about(&told, hearer.id) || names_hearer(&told) && !names_hearer(&fact);
        (!is_about_hearer).then_some(version)
    }

    /// Returns the version of a fact that a character tells for the first time: the exact fact or a distorted one.
    fn new_version(&mut self, teller: &Person, fact: &Fact, when: GameTime) -> Version {
        let (draws, hash) = (self.draws, fact_hash(fact.id()));
        let probability = base_probability(self.distortion) * (2.0 - teller.honesty);
        let is_distorted = draws.fraction([DISTORTION_DRAW, teller.hash, hash]) < probability;
        // A character repeats exactly what it heard about itself. A version of a refutation would refute nothing.
        let is_linked = !matches!(fact.fact_relation(), None | Some(FactRelation::Distorts(_)));
        if !is_distorted || is_linked || self.affects_trust(fact) || super::untold::is_about(fact, teller.id) {
            return Version::Exact;
        }
        let distorted = distort(&mut self.knowledge, teller, fact, when, draws);
        distorted.map_or(Version::Exact, |(fact, kind)| Version::New(Arc::new(fact), kind))
    }
}

impl Simulation<'_> {
    /// Returns whether a fact can change trust or feelings. Such a fact is never distorted, because trust during a step
    /// depends only on facts that were recorded before the step.
    fn affects_trust(&self, fact: &Fact) -> bool {
        let behavior = self.knowledge.vocabulary().behavior(fact.predicate());
        fact.attitude().is_some()
            || behavior.attitude.is_some()
            || behavior.object_attitude.is_some()
            || !behavior.feelings.is_none()
            || PredicateRole::Trust.is(fact.predicate())
    }
}

/// Returns whether a character knows a fact only because others told it the fact.
fn is_only_heard(known: &Known) -> bool {
    known.known_edges().iter().all(|known_edge| {
        known_edge.access_path == AccessPath::Own && matches!(known_edge.edge.acquisition, Acquisition::Told { .. })
    })
}

/// Returns a distorted version of a fact that a character heard. Returns `None` if no kind of distortion applies.
fn distort(
    knowledge: &mut CharacterKnowledge,
    teller: &Person,
    fact: &Fact,
    now: GameTime,
    draws: RandomDraws,
) -> Option<(Fact, DistortionKind)> {
    let hash = fact_hash(fact.id());
    let detail = draws.fraction([DETAIL_DRAW, teller.hash, hash]);
    let mut versions: Vec<(FactBuilder, DistortionKind)> = Vec::new();
    versions.extend(without_detail(knowledge, teller, fact, now).map(|fact| (fact, DistortionKind::LostDetail)));
    versions.extend(with_swap(knowledge, teller, fact, now, detail).map(|fact| (fact, DistortionKind::Swapped)));
    versions.extend(with_greater_number(fact, detail).map(|fact| (fact, DistortionKind::Exaggerated)));
    let certain = rewording::gain_certainty(fact.statement()).map(|text| reworded(fact, &text));
    let certain = certain.map(|builder| match fact.factuality() {
        Factuality::Hedged => builder.factuality(Factuality::Asserted),
        _ => builder,
    });
    versions.extend(certain.map(|fact| (fact, DistortionKind::GainedCertainty)));
    let index = (draws.fraction([KIND_DRAW, teller.hash, hash]) * versions.len() as f64) as usize;
    let (builder, kind) = versions.into_iter().nth(index)?;
    let provenance = Provenance { speaker: Some(teller.id.clone()), ..Provenance::new(Method::Stated, Author::Game) };
    let builder = builder.handle(None).provenance(provenance).status(FactStatus::Claimed);
    let distorted = builder.fact_relation(Some(FactRelation::Distorts(fact.id()))).build().ok()?;
    knowledge.is_eligible_as_news(&distorted).then_some((distorted, kind))
}

/// Returns a fact with another statement. If the value repeats the old statement, the value changes too.
fn reworded(fact: &Fact, statement: &str) -> FactBuilder {
    let builder = fact.to_builder().statement(statement);
    let plain = |text: &str| text.trim_end_matches(['.', '!', '?', ' ']).to_owned();
    let value = match fact.object() {
        Object::Value(Value::Text(text)) => text,
        _ => return builder,
    };
    if plain(statement).contains(&plain(value)) || *fact.predicate() == *attribute::LORE {
        let is_lore = *fact.predicate() == *attribute::LORE;
        return if is_lore { builder.object(Object::Value(statement.into())) } else { builder };
    }
    // The value no longer fits the statement. The version becomes lore, like a retelling with a free statement.
    let mentions: Vec<EntityId> = fact.entities().cloned().collect();
    match Fact::attribute(fact.subject(), attribute::LORE, statement, fact.provenance().clone()) {
        Ok(lore) => {
            let lore = lore.statement(statement).mentions(mentions).secrecy(fact.secrecy());
            lore.validity(fact.validity().clone()).factuality(fact.factuality())
        }
        Err(_) => builder,
    }
}

/// Returns a fact without the last detail of its statement, and without the mentions in this detail.
fn without_detail(knowledge: &CharacterKnowledge, teller: &Person, fact: &Fact, now: GameTime) -> Option<FactBuilder> {
    let names = |id: &EntityId| knowledge.known_names(teller.index, id, now);
    let essential: Vec<String> =
        [Some(fact.subject()), fact.object().entity()].into_iter().flatten().flat_map(names).collect();
    let is_detail = |lost: &str| !essential.iter().any(|name| rewording::contains_name(lost, name));
    let shortened = rewording::lose_detail(fact.statement(), is_detail)?;
    let is_lost = |id: &EntityId| {
        let names = names(id);
        names.iter().any(|name| rewording::contains_name(&shortened.lost, name))
            && !names.iter().any(|name| rewording::contains_name(&shortened.statement, name))
    };
    let mentions: Vec<EntityId> = fact.mentions().iter().filter(|id| !is_lost(id)).cloned().collect();
    Some(reworded(&fact.to_builder().mentions(mentions).build().ok()?, &shortened.statement))
}

/// Returns a fact in which another entity takes the place of the object or of a mention.
fn with_swap(
    knowledge: &mut CharacterKnowledge,
    teller: &Person,
    fact: &Fact,
    now: GameTime,
    draw: f64,
) -> Option<FactBuilder> {
    let mut swaps: Vec<(EntityId, EntityId)> = Vec::new();
    for id in fact.object().entity().into_iter().chain(fact.mentions()).filter(|id| *id != teller.id) {
        let similar = knowledge.similar_entities(teller.index, id, now).into_iter();
        let similar = similar.filter(|other| other != teller.id && !fact.entities().any(|id| id == other));
        swaps.extend(similar.map(|other| (id.clone(), other)));
    }
    let (old, new) = swaps.get((draw * swaps.len() as f64) as usize)?;
    let new_name = knowledge.known_names(teller.index, new, now).into_iter().next()?;
    let old_names = knowledge.known_names(teller.index, old, now);
    let is_object = fact.object().entity() == Some(old);
    let mut statement = fact.statement().to_owned();
    let mut is_named = false;
    for name in &old_names {
        if let Some(replaced) = rewording::replace_name(&statement, name, &new_name) {
            (statement, is_named) = (replaced, true);
        }
    }
    if !is_named {
        let subject = knowledge.known_names(teller.index, fact.subject(), now).into_iter().next()?;
        statement = is_object.then(|| knowledge.vocabulary().sentence(fact.predicate(), &subject, &new_name))?;
    }
    let replace = |id: &EntityId| if id == old { new.clone() } else { id.clone() };
    let mentions: Vec<EntityId> = fact.mentions().iter().map(replace).collect();
    let builder = fact.to_builder().mentions(mentions);
    let builder = if is_object { builder.object(Object::Entity(new.clone())) } else { builder };
    Some(reworded(&builder.build().ok()?, &statement))
}

/// Returns a fact with a greater number as its value, or with a greater number in its statement.
fn with_greater_number(fact: &Fact, draw: f64) -> Option<FactBuilder> {
    if let Object::Value(Value::Number(number)) = fact.object() {
        let greater = rewording::exaggerate(number.get(), draw)?;
        let statement = rewording::replace_number(fact.statement(), number.get(), greater)?;
        let value = Value::Number(Number::new(greater).ok()?);
        return Some(fact.to_builder().object(Object::Value(value)).statement(statement));
    }
    rewording::exaggerate_statement(fact.statement(), draw).map(|statement| reworded(fact, &statement))
}

impl CharacterKnowledge<'_> {
    /// Returns the open names by which a character knows an entity; longer names come first.
    fn known_names(&self, character: u32, id: &EntityId, now: GameTime) -> Vec<String> {
        let names = self.state().facts_of(id).filter(|fact| fact.subject() == id && fact.is_name());
        let known = names.filter(|fact| fact.secrecy() != Secrecy::Secret && self.knows(character, fact.id(), now));
        let mut names: Vec<String> = known.filter_map(|fact| fact.object().text().map(str::to_owned)).collect();
        names.sort_unstable_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        names.dedup();
        names
    }

    /// Returns the kinds of an entity that a character knows, sorted.
    fn known_kinds(&self, character: u32, id: &EntityId, now: GameTime) -> Vec<String> {
        let kinds =
            self.state().facts_of(id).filter(|fact| fact.subject() == id && *fact.predicate() == *attribute::KIND);
        let known = kinds.filter(|fact| fact.secrecy() != Secrecy::Secret && self.knows(character, fact.id(), now));
        let mut kinds: Vec<String> = known.filter_map(|fact| fact.object().text().map(str::to_owned)).collect();
        kinds.sort_unstable();
        kinds
    }

    /// Returns the entities that a character can mistake for an entity: entities of the same kind that the character
    /// knows by name, and that it knows to be linked with the entity or with the same place or group. Sorted by id.
    fn similar_entities(&self, character: u32, id: &EntityId, now: GameTime) -> Vec<EntityId> {
        let kinds = self.known_kinds(character, id, now);
        if kinds.is_empty() {
            return Vec::new();
        }
        let links = |id: &EntityId, is_wanted: &dyn Fn(&Fact) -> bool| -> Vec<EntityId> {
            let links = self.state().links(id).filter(|link| {
                // Versions of other facts do not count, so the result is the same before and after they are recorded.
                let fact = link.fact();
                let is_version = matches!(fact.fact_relation(), Some(FactRelation::Distorts(_)));
                !is_version && is_wanted(fact) && self.knows(character, fact.id(), now)
            });
            links.map(|link| link.other().clone()).collect()
        };
        let is_belonging = |fact: &Fact| {
            self.vocabulary().belonging(fact.predicate()).is_some()
                || hearsay_model::PredicateRole::Location.is(fact.predicate())
        };
        let mut similar = links(id, &|_| true);
        for hub in links(id, &is_belonging) {
            similar.extend(links(&hub, &is_belonging));
        }
        similar.sort_unstable();
        similar.dedup();
        similar.retain(|other| {
            other != id
                && self.known_kinds(character, other, now) == kinds
                && !self.known_names(character, other, now).is_empty()
        });
        similar
    }
}
