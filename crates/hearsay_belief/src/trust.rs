//! Trust: how far one character believes what another says.

use hearsay_model::{Attitude, Bearing, Credence, EntityId, How, KnowledgeId, Source, Vocabulary, predicate};

use crate::{
    Known, Via, View,
    credence::{credence, experienced},
    view::are_against,
};

/// Trust in somebody of whom nothing is known.
const STRANGER: f64 = 0.6;

/// How far an attitude of 100 moves trust.
const SWAY: f64 = 0.35;

/// Experiences that count: the latest so many.
const MEMORY: usize = 16;

/// Something told that turned out to be so, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// The edge by which it was told.
    pub told: KnowledgeId,
    /// The edge by which the knower saw for itself.
    pub seen: KnowledgeId,
    /// Whether it was so.
    pub held: bool,
}

impl From<Experience> for Source {
    fn from(Experience { told, seen, held }: Experience) -> Self {
        Self::Experience { told, seen, held }
    }
}

/// How far one character believes what another says.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// What its feelings and allegiances make of it.
    pub first: Credence,
    /// What it has experienced with the other. The latest last.
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

    /// The trust with experience counted in, 0.0–1.0. See the [formula](crate::Weigher).
    pub fn level(&self) -> Credence {
        let kept = self.experiences.iter().filter(|experience| experience.held).count() as f64;
        let broken = self.experiences.len() as f64 - kept;
        credence(experienced(self.first.get(), kept, broken))
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

/// What the knower was told by somebody and then saw for itself, or saw to be otherwise: of what it has seen, and what it
/// was told.
pub(crate) fn experiences(
    told: &[&Known],
    seen: &[&Known],
    other: &EntityId,
    vocabulary: &Vocabulary,
) -> Vec<Experience> {
    let mut found = Vec::new();
    for known in told {
        for told in known.ways() {
            let by_other = matches!(&told.edge.how, How::Told { by: Some(by), .. } if by == other);
            if told.via != Via::Own || !by_other {
                continue;
            }
            let saw = |known: &Known| {
                let seen = known.ways().iter().filter(|way| way.via == Via::Own && way.edge.how == How::Witnessed);
                seen.map(|way| (way.since, way.id)).max()
            };
            let so = saw(known).map(|seen| (seen, true));
            let against = seen.iter().filter(|other| are_against(vocabulary, known, other));
            let not_so = against.filter_map(|other| {
                // What began after it was told does not make it wrong.
                let then = other.since().and_then(|date| date.time) <= told.since;
                let refutes = other.bearing() == Some(Bearing::Refutes(known.id()));
                saw(other).filter(|_| then || refutes).map(|seen| (seen, false))
            });
            if let Some(((when, seen), held)) = so.into_iter().chain(not_so).max() {
                found.push((when, Experience { told: told.id, seen, held }));
            }
        }
    }
    found.sort_by_key(|(when, experience)| (*when, experience.told, experience.seen));
    let most = found.len().saturating_sub(MEMORY);
    found.drain(..most);
    found.into_iter().map(|(_, experience)| experience).collect()
}
