//! Attitudes between two entities, according to the relations that a knower knows.

use hearsay_model::{Attitude, EntityId, FactId, PredicateRole, Vocabulary};

use crate::Known;

/// Returns the strongest attitude between a knower and another entity, from −100 to 100, according to the relations
/// that the knower believes.
pub(crate) fn strongest_attitude<'k>(
    vocabulary: &Vocabulary,
    knower: &EntityId,
    other: &EntityId,
    known: impl IntoIterator<Item = &'k Known>,
) -> i32 {
    attitudes(vocabulary, knower, other, known).strongest.map_or(0, |stated| stated.level)
}

/// The attitudes that the relations between a knower and another entity state.
pub(crate) struct Attitudes {
    /// The strongest attitude. `None` if no relation states an attitude other than 0.
    pub(crate) strongest: Option<StatedLevel>,
    /// The level of the latest TRUSTS fact.
    pub(crate) stated_trust: Option<StatedLevel>,
}

/// An attitude or a trust, with the fact that states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StatedLevel {
    /// The level, from −100 to 100.
    pub(crate) level: i32,
    /// The fact.
    pub(crate) fact: FactId,
}

/// Returns the attitudes between a knower and another entity.
pub(crate) fn attitudes<'k>(
    vocabulary: &Vocabulary,
    knower: &EntityId,
    other: &EntityId,
    known: impl IntoIterator<Item = &'k Known>,
) -> Attitudes {
    let mut strongest = None::<StatedLevel>;
    let mut stated_trust = None;
    for known in known {
        let object = known.object().entity();
        let is_towards_other = known.subject() == knower && object == Some(other);
        let is_between_both = is_towards_other || (known.subject() == other && object == Some(knower));
        if !is_between_both {
            continue;
        }
        let behavior = vocabulary.behavior(known.predicate());
        let default_attitude = if is_towards_other { behavior.attitude } else { behavior.object_attitude };
        let default_attitude = default_attitude.map_or(0, |attitude| i32::from(attitude.get()));
        let stated_attitude =
            known.attitude().filter(|_| is_towards_other).map(|attitude| i32::from(Attitude::get(attitude)));
        if is_towards_other && PredicateRole::Trust.is(known.predicate()) {
            let stated = StatedLevel { level: stated_attitude.unwrap_or(100), fact: known.id() };
            stated_trust = stated_trust.max(Some((known.recency(), stated)));
        } else if known.credence().get() >= 0.5 {
            let attitude = stated_attitude.unwrap_or(default_attitude);
            let current = strongest.map_or(0, |stated| stated.level);
            if (attitude.abs(), attitude) > (current.abs(), current) {
                strongest = Some(StatedLevel { level: attitude, fact: known.id() });
            }
        }
    }
    Attitudes { strongest, stated_trust: stated_trust.map(|(_, stated)| stated) }
}
