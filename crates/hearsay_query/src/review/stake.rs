//! Stake of a fact: a score for the importance of the DM's decision on this fact.

use std::collections::BTreeSet;

use hearsay_belief::dead_entity;
use hearsay_model::{EntityId, Fact, Factuality, Knower, State, attribute};

/// Score for the death of a character. It is higher than the other parts of the score usually are together, because a
/// dead character hears and says nothing more.
const DEATH_SCORE: f64 = 4.0;

/// Returns the stake of a fact, and the reasons for the stake in words. The stake measures the importance of the DM's
/// decision on the fact. The stake is the [`consequence`] of the fact multiplied by its confidence.
pub fn stake(state: &State, fact: &Fact, contradicts: bool) -> (f64, Vec<String>) {
    let (consequence_score, reasons) = consequence(state, fact, contradicts);
    // An `unknown` kind is only a minor question for the DM, but many entities may raise it.
    let is_unknown_kind = fact.predicate().as_str() == attribute::KIND && fact.object().text() == Some("unknown");
    let weight = if is_unknown_kind { 0.1 } else { 1.0 };
    (weight * consequence_score * fact.provenance().confidence.get(), reasons)
}

/// Returns a score for the consequences of a fact, and the reasons for the score in words. The score is the sum of:
///
/// - the natural logarithm of 1 plus the number of entities that would learn the fact
/// - half of the natural logarithm of 1 plus the number of relations of its subject
/// - half of the natural logarithm of 1 plus the number of relations of its object
/// - 4 if the fact states that a character is dead
/// - 2 if the fact contradicts another fact
/// - 1 if the fact is a secret
/// - twice the difference between 1 and the confidence of the fact
///
/// A high score means that the DM's decision on the fact is important. A high score does not mean that the fact is
/// probably wrong.
pub fn consequence(state: &State, fact: &Fact, contradicts: bool) -> (f64, Vec<String>) {
    let knowers: BTreeSet<&Knower> = state.recorded_knowledge(fact.id()).map(|edge| &edge.knower).collect();
    let learner_total: usize = knowers.into_iter().map(|knower| learner_count(state, knower)).sum();
    let degree = |id: &EntityId| state.links(id).count();
    let (subject_degree, object_degree) = (degree(fact.subject()), fact.object().entity().map_or(0, degree));
    let (doubt, secret) = (1.0 - fact.provenance().confidence.get(), fact.secrecy() == hearsay_model::Secrecy::Secret);
    let is_death = fact.factuality() == Factuality::Asserted
        && dead_entity(state, fact).is_some_and(|dead| state.is_character(dead));
    let log = |count: usize| (1.0 + count as f64).ln();
    let score = log(learner_total)
        + 0.5 * (log(subject_degree) + log(object_degree))
        + if is_death { DEATH_SCORE } else { 0.0 }
        + if contradicts { 2.0 } else { 0.0 }
        + if secret { 1.0 } else { 0.0 }
        + 2.0 * doubt;
    let mut reasons = vec![format!("entities that would learn it: {learner_total}")];
    reasons.extend(is_death.then(|| "it states that a character is dead".to_owned()));
    reasons.extend(contradicts.then(|| "it contradicts another fact".to_owned()));
    reasons.extend(secret.then(|| "it is a secret".to_owned()));
    reasons.extend((doubt > 0.0).then(|| format!("confidence {:.2}", fact.provenance().confidence.get())));
    let max_degree = subject_degree.max(object_degree);
    reasons.extend((max_degree >= 10).then(|| format!("about an entity with {max_degree} relations")));
    (score, reasons)
}

/// Returns the number of entities that learn a fact when `knower` learns it: the knower and its direct members or
/// residents, or every entity if the knower is the world.
fn learner_count(state: &State, knower: &Knower) -> usize {
    let Some(id) = knower.entity() else { return state.entity_count() };
    let memberships = state.links(id).filter(|link| !link.is_forward() && link.fact().is_in_effect());
    let memberships =
        memberships.filter(|link| state.vocabulary().behavior(link.fact().predicate()).is_direct_belonging());
    1 + memberships.count()
}
