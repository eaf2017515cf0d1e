//! Trust: the degree to which one character believes the statements of another character.

use hearsay_model::{
    Credence, EntityId, FactId, FactRelation, GameTime, Justification, KnowledgeId, State, Vocabulary,
};

use rustc_hash::FxHashMap;

use crate::{
    AccessPath, Known, KnownEdge, View,
    attitudes::{Attitudes, attitudes},
    credence::{credence, trust_from_experiences},
    feelings::{affinity_change, causes_in_view},
    view::are_contradictory,
};

/// First impression of an entity about which the knower knows nothing.
const STRANGER_TRUST: f64 = 0.6;

/// Change of the first impression for an attitude of 100.
const MAX_ATTITUDE_EFFECT: f64 = 0.35;

/// Number of the latest testimonies that affect trust.
const MAX_TESTIMONIES: usize = 16;

/// A testimony that the knower later saw to be true or untrue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// The edge that records the testimony.
    pub testimony: KnowledgeId,
    /// The edge that records the observation.
    pub observation: KnowledgeId,
    /// The game time of the observation; `None` if the time is unknown.
    pub observed_at: Option<GameTime>,
    /// Whether the testimony was true.
    pub was_true: bool,
}

impl From<Experience> for Justification {
    fn from(Experience { testimony, observation, was_true, .. }: Experience) -> Self {
        Self::Experience { told: testimony, seen: observation, held: was_true }
    }
}

/// Trust of one character in another.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// The first impression of the other character, computed from attitudes.
    pub first_impression: Credence,
    /// All observations that confirm or contradict one of the latest 16 testimonies of the other character. Sorted by
    /// testimony, the latest last.
    pub experiences: Vec<Experience>,
}

impl Trust {
    /// Returns the trust of the view's knower in another entity.
    ///
    /// The first impression is `0.6 + 0.35 × attitude ÷ 100`. The attitude is the knower's attitude towards the other
    /// entity, from −100 to 100. If a fact states no attitude, its predicate determines the attitude: −60 for
    /// HOSTILE_TO, +40 for ALLIED_WITH, LIKES and CHILD_OF, and +10 for KNOWS. If the knower knows several attitudes,
    /// only the strongest attitude is used. The changes of the knower's affinity towards the other entity (see
    /// [`Feelings`](crate::Feelings)) are added to the attitude. A TRUSTS fact sets the first impression directly, from
    /// 0 for an attitude of −100 to 1 for an attitude of +100. This function uses only facts that the knower knows.
    pub fn from_view(view: &View, other: &EntityId) -> Self {
        let first_impression = match view.knower().entity() {
            Some(knower) => {
                let affinity_change = affinity_change(&causes_in_view(view, other, None));
                self::first_impression(view.vocabulary(), knower, other, view.facts_about(knower), affinity_change)
            }
            None => STRANGER_TRUST,
        };
        let told: Vec<&Known> = view.told_by(other).collect();
        let experiences = if told.is_empty() {
            Vec::new()
        } else {
            experiences(&told, &view.facts().collect::<Vec<_>>(), other, view.vocabulary())
        };
        Self { first_impression: credence(first_impression), experiences }
    }

    /// Returns the trust in a stranger: an entity about which the knower knows no facts.
    pub fn for_stranger() -> Self {
        Self { first_impression: credence(STRANGER_TRUST), experiences: Vec::new() }
    }

    /// Returns the TRUSTS fact that sets the first impression of another entity. `None` if the view's knower knows no
    /// such fact: the first impression then comes from the affinity of its [`Feelings`](crate::Feelings).
    pub fn stated_in_view(view: &View, other: &EntityId) -> Option<FactId> {
        let knower = view.knower().entity().filter(|knower| *knower != other)?;
        let stated = attitudes(view.vocabulary(), knower, other, view.facts_about(knower)).stated_trust?;
        Some(stated.fact)
    }

    /// Returns the trust of one character in another at the current game time.
    pub fn between(state: &State, truster: &EntityId, other: &EntityId) -> Self {
        Self::from_view(&View::new(state, &truster.clone().into(), state.clock()), other)
    }

    /// Returns the trust as a number from 0.0 to 1.0, computed from the first impression and the experiences.
    pub fn level(&self) -> Credence {
        let experiences = self.experiences.iter().map(|experience| {
            (experience.testimony, (experience.observed_at, experience.observation), experience.was_true)
        });
        credence(trust_from_experiences(self.first_impression.get(), experiences))
    }
}

/// Returns the first impression of another entity, computed from the facts about both entities that the knower knows.
pub(crate) fn first_impression<'k>(
    vocabulary: &Vocabulary,
    knower: &EntityId,
    other: &EntityId,
    known: impl IntoIterator<Item = &'k Known>,
    affinity_change: f64,
) -> f64 {
    if knower == other {
        return 1.0;
    }
    let Attitudes { strongest, stated_trust } = attitudes(vocabulary, knower, other, known);
    match stated_trust {
        Some(stated) => f64::from(stated.level + 100) / 200.0,
        None => {
            let strongest = strongest.map_or(0.0, |stated| f64::from(stated.level));
            let attitude = (strongest + affinity_change).clamp(-100.0, 100.0);
            STRANGER_TRUST + MAX_ATTITUDE_EFFECT * attitude / 100.0
        }
    }
}

/// Returns the observations of the knower that confirm or contradict testimonies of another entity.
pub(crate) fn experiences(
    told_facts: &[&Known],
    seen_facts: &[&Known],
    other: &EntityId,
    vocabulary: &Vocabulary,
) -> Vec<Experience> {
    let observed: Vec<&Known> =
        seen_facts.iter().copied().filter(|known| known.known_edges().iter().any(is_own_observation)).collect();
    let mut by_subject: FxHashMap<&EntityId, Vec<&Known>> = FxHashMap::default();
    for known in &observed {
        by_subject.entry(known.subject()).or_default().push(known);
    }
    let mut testimonies: Vec<(&Known, &KnownEdge)> = Vec::new();
    for known in told_facts {
        let is_testimony = |known_edge: &&KnownEdge| {
            known_edge.access_path == AccessPath::Own && known_edge.edge.acquisition.teller() == Some(other)
        };
        testimonies.extend(known.known_edges().iter().filter(is_testimony).map(|known_edge| (*known, known_edge)));
    }
    testimonies.sort_by_key(|(_, testimony)| std::cmp::Reverse((testimony.since, testimony.id)));
    let mut by_testimony: Vec<Vec<Experience>> = Vec::new();
    for (known, testimony) in testimonies {
        let mut experiences = Vec::new();
        let mut add_observations = |known: &Known, was_true| {
            let observations = known.known_edges().iter().filter(|known_edge| is_own_observation(known_edge));
            experiences.extend(observations.map(|observation| Experience {
                testimony: testimony.id,
                observation: observation.id,
                observed_at: observation.edge.learned_at(),
                was_true,
            }));
        };
        add_observations(known, true);
        let of_subject = by_subject.get(known.subject()).into_iter().flatten().copied();
        let refuting = observed.iter().copied().filter(|other| {
            other.subject() != known.subject() && other.fact_relation() == Some(FactRelation::Refutes(known.id()))
        });
        for other in of_subject.chain(refuting).filter(|other| are_contradictory(vocabulary, known, other)) {
            // A fact that became true only after the testimony does not make the testimony wrong.
            let was_true_before = other.since().and_then(|date| date.time) <= testimony.since;
            if was_true_before || other.fact_relation() == Some(FactRelation::Refutes(known.id())) {
                add_observations(other, false);
            }
        }
        if !experiences.is_empty() {
            experiences.sort_by_key(|experience| (experience.observed_at, experience.observation));
            by_testimony.push(experiences);
        }
        if by_testimony.len() == MAX_TESTIMONIES {
            break;
        }
    }
    by_testimony.into_iter().rev().flatten().collect()
}

/// Returns whether an edge records that the knower itself observed the fact.
fn is_own_observation(known_edge: &KnownEdge) -> bool {
    known_edge.access_path == AccessPath::Own && known_edge.edge.acquisition.is_witnessed()
}
