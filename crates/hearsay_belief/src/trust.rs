//! Trust: how far one character believes what another says.

use hearsay_model::{
    Attitude, Bearing, Credence, EntityId, GameTime, How, KnowledgeId, Source, State, Vocabulary, predicate,
};

use rustc_hash::FxHashMap;

use crate::{
    Known, Via, View, Way,
    credence::{credence, experienced},
    view::are_against,
};

/// Trust in somebody of whom nothing is known.
const STRANGER: f64 = 0.6;

/// How far an attitude of 100 moves trust.
const SWAY: f64 = 0.35;

/// Things told that count: the latest so many.
const MEMORY: usize = 16;

/// Something told that turned out to be so, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// The edge by which it was told.
    pub told: KnowledgeId,
    /// The edge by which the knower saw for itself.
    pub seen: KnowledgeId,
    /// When it saw.
    pub when: Option<GameTime>,
    /// Whether it was so.
    pub held: bool,
}

impl From<Experience> for Source {
    fn from(Experience { told, seen, held, .. }: Experience) -> Self {
        Self::Experience { told, seen, held }
    }
}

/// How far one character believes what another says.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// What its feelings and allegiances make of it.
    pub first: Credence,
    /// What it has experienced with the other: of the latest 16 things told, every sight. The latest thing told last.
    pub experiences: Vec<Experience>,
}

impl Trust {
    /// The trust of the one whose view it is in somebody.
    ///
    /// The first impression is 0.6, moved by how the knower feels about them, as far as it knows itself: by 0.35 for an
    /// attitude of ±100, in proportion. TRUSTS says it outright: 0 at −100, 1 at +100. Without an attitude of its own,
    /// HOSTILE_TO counts as −60, ALLIED_WITH, LIKES and CHILD_OF as +40, and KNOWS as +10; of several the strongest counts.
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

    /// The trust in somebody of whom nothing is known.
    pub fn of_stranger() -> Self {
        Self { first: credence(STRANGER), experiences: Vec::new() }
    }

    /// The trust of one character in another, as of what the game clock shows.
    pub fn between(state: &State, who: &EntityId, other: &EntityId) -> Self {
        Self::of(&View::of(state, &who.clone().into(), state.clock()), other)
    }

    /// The trust with experience counted in, 0.0–1.0. See the [formula](crate::Weigher).
    pub fn level(&self) -> Credence {
        let experiences = self.experiences.iter();
        let experiences = experiences.map(|sight| (sight.told, (sight.when, sight.seen), sight.held));
        credence(experienced(self.first.get(), experiences))
    }
}

/// What somebody's feelings and allegiances make of it, by what it knows of itself and the other.
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

/// What the knower was told by somebody and also saw for itself, or saw to be otherwise: of what it was told, and what it
/// has seen.
pub(crate) fn experiences(
    told: &[&Known],
    seen: &[&Known],
    other: &EntityId,
    vocabulary: &Vocabulary,
) -> Vec<Experience> {
    let sights = |known: &Known| known.ways().iter().any(|way| way.via == Via::Own && way.edge.how == How::Witnessed);
    let seen: Vec<&Known> = seen.iter().copied().filter(|known| sights(known)).collect();
    let mut by_subject: FxHashMap<&EntityId, Vec<&Known>> = FxHashMap::default();
    for known in &seen {
        by_subject.entry(known.subject()).or_default().push(known);
    }
    let mut tellings: Vec<(&Known, &Way)> = Vec::new();
    for known in told {
        let by_other = |way: &&Way| matches!(&way.edge.how, How::Told { by: Some(by), .. } if by == other);
        tellings
            .extend(known.ways().iter().filter(|way| way.via == Via::Own).filter(by_other).map(|way| (*known, way)));
    }
    tellings.sort_by_key(|(_, told)| std::cmp::Reverse((told.since, told.id)));
    let mut found: Vec<Vec<Experience>> = Vec::new();
    for (known, told) in tellings {
        let mut experiences = Vec::new();
        let mut note = |known: &Known, held| {
            let seen = known.ways().iter().filter(|way| way.via == Via::Own && way.edge.how == How::Witnessed);
            let sight = |way: &Way| Experience { told: told.id, seen: way.id, when: way.edge.learned_at(), held };
            experiences.extend(seen.map(sight));
        };
        note(known, true);
        let of_subject = by_subject.get(known.subject()).into_iter().flatten().copied();
        let refuting = seen.iter().copied().filter(|other| {
            other.subject() != known.subject() && other.bearing() == Some(Bearing::Refutes(known.id()))
        });
        for other in of_subject.chain(refuting).filter(|other| are_against(vocabulary, known, other)) {
            // What began after it was told does not make it wrong.
            let then = other.since().and_then(|date| date.time) <= told.since;
            if then || other.bearing() == Some(Bearing::Refutes(known.id())) {
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
