//! Trust: how much one character believes the statements of another.

use hearsay_model::{
    Acquisition, Attitude, Credence, EntityId, FactRelation, GameTime, Justification, KnowledgeId, State, Vocabulary,
    predicate,
};

use rustc_hash::FxHashMap;

use crate::{
    AccessPath, Known, KnownEdge, View,
    credence::{credence, experienced},
    view::are_against,
};

/// Trust in an entity about which nothing is known.
const STRANGER: f64 = 0.6;

/// Change of trust for an attitude of 100.
const SWAY: f64 = 0.35;

/// Number of recent testimonies that affect trust.
const MEMORY: usize = 16;

/// A testimony that the knower saw confirmed or disproved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// The edge by which the knower was told.
    pub told: KnowledgeId,
    /// The edge by which the knower saw for itself.
    pub seen: KnowledgeId,
    /// When the knower saw it.
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
    /// The first impression, from attitudes and allegiances.
    pub first: Credence,
    /// All observations for the latest 16 testimonies of the other. The latest testimony comes last.
    pub experiences: Vec<Experience>,
}

impl Trust {
    /// Returns the trust of the view's knower in another entity.
    ///
    /// The first impression is 0.6, changed by the attitude towards the other, as far as the knower knows it. An
    /// attitude of ±100 changes it by 0.35, smaller ones in proportion. TRUSTS sets it directly: 0 at −100, 1 at +100.
    /// Without an explicit attitude, HOSTILE_TO counts as −60, ALLIED_WITH, LIKES and CHILD_OF as +40, and KNOWS as
    /// +10. Of several, the strongest counts.
    pub fn of(view: &View, other: &EntityId) -> Self {
        let first = match view.knower().entity() {
            Some(knower) => first_impression(knower, other, view.facts_about(knower)),
            None => STRANGER,
        };
        let told: Vec<&Known> = view.told_by(other).collect();
        let experiences = match told.is_empty() {
            true => Vec::new(),
            false => experiences(&told, &view.facts().collect::<Vec<_>>(), other, view.vocabulary()),
        };
        Self { first: credence(first), experiences }
    }

    /// Returns the trust in an entity about which nothing is known.
    pub fn of_stranger() -> Self {
        Self { first: credence(STRANGER), experiences: Vec::new() }
    }

    /// Returns the trust of one character in another at the time of the game clock.
    pub fn between(state: &State, who: &EntityId, other: &EntityId) -> Self {
        Self::of(&View::of(state, &who.clone().into(), state.clock()), other)
    }

    /// Returns the trust with experience included, 0.0–1.0. See the [formula](crate::Weigher).
    pub fn level(&self) -> Credence {
        let experiences = self.experiences.iter();
        let experiences = experiences.map(|sight| (sight.told, (sight.when, sight.seen), sight.held));
        credence(experienced(self.first.get(), experiences))
    }
}

/// Returns the first impression of another entity, from the knower's facts about both.
pub(crate) fn first_impression<'k>(
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
        let usual = match known.predicate().as_str() {
            predicate::HOSTILE_TO if towards => -60,
            predicate::LIKES if towards => 40,
            predicate::ALLIED_WITH | predicate::CHILD_OF if between => 40,
            predicate::KNOWS if between => 10,
            _ => 0,
        };
        let of_its_own = known.attitude().filter(|_| towards).map(|attitude| i32::from(Attitude::get(attitude)));
        if towards && *known.predicate() == *predicate::TRUSTS {
            let level = of_its_own.unwrap_or(100);
            said = said.max(Some((known.recency(), level)));
        } else if (towards || between) && known.credence().get() >= 0.5 {
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

/// Returns the testimonies of another entity that the knower's own observations confirm or contradict.
pub(crate) fn experiences(
    told: &[&Known],
    seen: &[&Known],
    other: &EntityId,
    vocabulary: &Vocabulary,
) -> Vec<Experience> {
    let sights = |known: &Known| {
        known
            .known_edges()
            .iter()
            .any(|way| way.access_path == AccessPath::Own && way.edge.acquisition == Acquisition::Witnessed)
    };
    let seen: Vec<&Known> = seen.iter().copied().filter(|known| sights(known)).collect();
    let mut by_subject: FxHashMap<&EntityId, Vec<&Known>> = FxHashMap::default();
    for known in &seen {
        by_subject.entry(known.subject()).or_default().push(known);
    }
    let mut tellings: Vec<(&Known, &KnownEdge)> = Vec::new();
    for known in told {
        let by_other =
            |way: &&KnownEdge| matches!(&way.edge.acquisition, Acquisition::Told { by: Some(by), .. } if by == other);
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
                .filter(|way| way.access_path == AccessPath::Own && way.edge.acquisition == Acquisition::Witnessed);
            let sight = |way: &KnownEdge| Experience { told: told.id, seen: way.id, when: way.edge.learned_at(), held };
            experiences.extend(seen.map(sight));
        };
        note(known, true);
        let of_subject = by_subject.get(known.subject()).into_iter().flatten().copied();
        let refuting = seen.iter().copied().filter(|other| {
            other.subject() != known.subject() && other.fact_relation() == Some(FactRelation::Refutes(known.id()))
        });
        for other in of_subject.chain(refuting).filter(|other| are_against(vocabulary, known, other)) {
            // A state that began after the testimony does not make the testimony wrong.
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
