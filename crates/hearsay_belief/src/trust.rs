//! Trust: how much one character believes the statements of another.

use hearsay_model::{
    Attitude, Credence, EntityId, FactRelation, GameTime, Justification, KnowledgeId, PredicateRole, State, Vocabulary,
};

use rustc_hash::FxHashMap;

use crate::{
    AccessPath, Known, KnownEdge, View,
    credence::{credence, experienced},
    view::are_against,
};

/// First impression of an entity about which the knower knows nothing.
const STRANGER: f64 = 0.6;

/// Change of the first impression for an attitude of 100.
const SWAY: f64 = 0.35;

/// Number of the latest testimonies that affect trust.
const MEMORY: usize = 16;

/// A testimony that the knower later saw to be true or untrue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// The edge that records the testimony.
    pub told: KnowledgeId,
    /// The edge that records the observation.
    pub seen: KnowledgeId,
    /// The game time of the observation.
    pub when: Option<GameTime>,
    /// Whether the testimony was true.
    pub held: bool,
}

impl From<Experience> for Justification {
    fn from(Experience { told, seen, held, .. }: Experience) -> Self {
        Self::Experience { told, seen, held }
    }
}

/// Trust of one character in another.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// The first impression of the other character, computed from attitudes.
    pub first: Credence,
    /// All observations that confirm or contradict one of the other character's latest 16 testimonies. The latest
    /// testimony comes last.
    pub experiences: Vec<Experience>,
}

impl Trust {
    /// Returns the trust of the view's knower in another entity.
    ///
    /// The first impression is 0.6, changed by the knower's attitude towards the other entity. An attitude of +100 or
    /// −100 changes the first impression by 0.35, and a smaller attitude changes it proportionally less. A TRUSTS fact
    /// sets the first impression directly: 0 for an attitude of −100, 1 for +100. If a fact states no attitude, the
    /// attitude that the vocabulary defines for its predicate counts: −60 for HOSTILE_TO, +40 for ALLIED_WITH, LIKES
    /// and CHILD_OF, +10 for KNOWS. If there are several attitudes, the strongest counts. Only facts that the knower
    /// knows are used.
    pub fn of(view: &View, other: &EntityId) -> Self {
        let first = match view.knower().entity() {
            Some(knower) => first_impression(view.vocabulary(), knower, other, view.facts_about(knower)),
            None => STRANGER,
        };
        let told: Vec<&Known> = view.told_by(other).collect();
        let experiences = match told.is_empty() {
            true => Vec::new(),
            false => experiences(&told, &view.facts().collect::<Vec<_>>(), other, view.vocabulary()),
        };
        Self { first: credence(first), experiences }
    }

    /// Returns the trust in an entity about which the knower knows nothing.
    pub fn of_stranger() -> Self {
        Self { first: credence(STRANGER), experiences: Vec::new() }
    }

    /// Returns the trust of one character in another at the current game time.
    pub fn between(state: &State, who: &EntityId, other: &EntityId) -> Self {
        Self::of(&View::of(state, &who.clone().into(), state.clock()), other)
    }

    /// Returns the trust as a number from 0.0 to 1.0, computed from the first impression and the experiences.
    pub fn level(&self) -> Credence {
        let experiences = self.experiences.iter();
        let experiences = experiences.map(|sight| (sight.told, (sight.when, sight.seen), sight.held));
        credence(experienced(self.first.get(), experiences))
    }
}

/// Returns the first impression of another entity, computed from the facts about both entities that the knower knows.
pub(crate) fn first_impression<'k>(
    vocabulary: &Vocabulary,
    knower: &EntityId,
    other: &EntityId,
    known: impl IntoIterator<Item = &'k Known>,
) -> f64 {
    if knower == other {
        return 1.0;
    }
    let mut strongest = 0_i32;
    let mut said = None;
    for known in known {
        let object = known.object().entity();
        let towards = known.subject() == knower && object == Some(other);
        let between = towards || (known.subject() == other && object == Some(knower));
        if !between {
            continue;
        }
        let behavior = vocabulary.behavior(known.predicate());
        let usual = if towards { behavior.attitude } else { behavior.object_attitude };
        let usual = usual.map_or(0, |attitude| i32::from(attitude.get()));
        let of_its_own = known.attitude().filter(|_| towards).map(|attitude| i32::from(Attitude::get(attitude)));
        if towards && PredicateRole::Trust.is(known.predicate()) {
            let level = of_its_own.unwrap_or(100);
            said = said.max(Some((known.recency(), level)));
        } else if known.credence().get() >= 0.5 {
            let felt = of_its_own.unwrap_or(usual);
            if (felt.abs(), felt) > (strongest.abs(), strongest) {
                strongest = felt;
            }
        }
    }
    match said {
        Some((_, level)) => f64::from(level + 100) / 200.0,
        None => STRANGER + SWAY * f64::from(strongest) / 100.0,
    }
}

/// Returns the observations of the knower that confirm or contradict testimonies of another entity.
pub(crate) fn experiences(
    told: &[&Known],
    seen: &[&Known],
    other: &EntityId,
    vocabulary: &Vocabulary,
) -> Vec<Experience> {
    let sights = |known: &Known| {
        known.known_edges().iter().any(|way| way.access_path == AccessPath::Own && way.edge.acquisition.is_witnessed())
    };
    let seen: Vec<&Known> = seen.iter().copied().filter(|known| sights(known)).collect();
    let mut by_subject: FxHashMap<&EntityId, Vec<&Known>> = FxHashMap::default();
    for known in &seen {
        by_subject.entry(known.subject()).or_default().push(known);
    }
    let mut tellings: Vec<(&Known, &KnownEdge)> = Vec::new();
    for known in told {
        let by_other = |way: &&KnownEdge| way.edge.acquisition.teller() == Some(other);
        tellings.extend(
            known
                .known_edges()
                .iter()
                .filter(|way| way.access_path == AccessPath::Own)
                .filter(by_other)
                .map(|way| (*known, way)),
        );
    }
    tellings.sort_by_key(|(_, told)| std::cmp::Reverse((told.since, told.id)));
    let mut found: Vec<Vec<Experience>> = Vec::new();
    for (known, told) in tellings {
        let mut experiences = Vec::new();
        let mut note = |known: &Known, held| {
            let seen = known
                .known_edges()
                .iter()
                .filter(|way| way.access_path == AccessPath::Own && way.edge.acquisition.is_witnessed());
            let sight = |way: &KnownEdge| Experience { told: told.id, seen: way.id, when: way.edge.learned_at(), held };
            experiences.extend(seen.map(sight));
        };
        note(known, true);
        let of_subject = by_subject.get(known.subject()).into_iter().flatten().copied();
        let refuting = seen.iter().copied().filter(|other| {
            other.subject() != known.subject() && other.fact_relation() == Some(FactRelation::Refutes(known.id()))
        });
        for other in of_subject.chain(refuting).filter(|other| are_against(vocabulary, known, other)) {
            // A fact that became true only after the testimony does not make the testimony wrong.
            let then = other.since().and_then(|date| date.time) <= told.since;
            if then || other.fact_relation() == Some(FactRelation::Refutes(known.id())) {
                note(other, false);
            }
        }
        if !experiences.is_empty() {
            experiences.sort_by_key(|sight| (sight.when, sight.seen));
            found.push(experiences);
        }
        if found.len() == MEMORY {
            break;
        }
    }
    found.into_iter().rev().flatten().collect()
}
