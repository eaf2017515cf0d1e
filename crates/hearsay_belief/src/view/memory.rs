//! Forgetting: how well a character remembers a fact.
//!
//! Hearsay computes the memory of a character from its knowledge edges, and does not store it. Forgetting deletes
//! nothing.
//!
//! # Activation
//!
//! The model is the base-level activation of ACT-R (Anderson and Schooler 1991, "Reflections of the environment in
//! memory"). In this model, memory decays with a power of time:
//!
//! ```text
//! B = ln Σ t^(−d) + salience
//! ```
//!
//! The sum contains one term for each *practice* of the fact. A practice is an event: the character learned the fact,
//! or told the fact to others. Each practice is recorded as a knowledge edge. The age `t` of a practice is counted in
//! days, and is at least 1/24. The decay `d` depends on the rule [`forgetting`](hearsay_model::MindRules::forgetting).
//!
//! *Salience* is a bonus for impressive facts. A fact gets 0.35 if the character witnessed it, 0.35 if it is secret or
//! the character conceals it, 0.25 if its predicate is [notable](hearsay_model::Behavior::notable), and 0.5 if it
//! states a death. The sum is limited to 0.75.
//!
//! # Retention
//!
//! [`Retention`] is a logistic function of activation: `1 ÷ (1 + e^((τ − B) ÷ 0.25))`. The threshold τ is −d ln *h*. A
//! fact that the character heard once, and that has no salience, therefore has a retention of 0.5 after *h* days. The
//! number *h* is 90 for mild forgetting and 20 for strong forgetting. A fact with a retention below 0.5 is *faded*.
//!
//! # Facts that never fade
//!
//! - facts that the knower has always known, and facts that the author of the campaign gave to the knower;
//! - facts that the knower also knows through a group or place, and common lore;
//! - names and kinds of entities, because the character identifies entities by them;
//! - facts that describe the knower in a scene context, and the memberships and residences of the knower.
//!
//! Groups and places do not forget.

use hearsay_model::{Degree, EntityId, GameTime, Kind, Knower, Object, State, Value, Vocabulary, attribute};
use serde::Serialize;

use super::{AccessPath, Known, KnownEdge, View};

/// Minimum age of a practice, in days.
const MIN_AGE_DAYS: f64 = 1.0 / 24.0;

/// Scale of the logistic function that converts activation to retention.
const RETENTION_SCALE: f64 = 0.25;

/// Salience of a fact that the character witnessed.
const WITNESSED_SALIENCE: f64 = 0.35;

/// Salience of a fact that is secret or that the character conceals.
const SECRET_SALIENCE: f64 = 0.35;

/// Salience of a fact with a notable predicate.
const NOTABLE_SALIENCE: f64 = 0.25;

/// Salience of a death.
const DEATH_SALIENCE: f64 = 0.5;

/// Maximum sum of the bonuses for salience.
const MAX_SALIENCE: f64 = 0.75;

/// How well a knower remembers a fact, from 0 (forgotten) to 1 (remembered exactly).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Retention(f64);

impl Retention {
    /// The retention of a fact that does not fade: 1.0.
    pub const FULL: Self = Self(1.0);

    /// The threshold of fading: a fact with a lower retention is faded.
    pub const FADED_BELOW: f64 = 0.5;

    /// Returns the retention as a number from 0.0 to 1.0.
    #[inline]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns whether the fact is faded: the knower remembers the fact only dimly.
    #[inline]
    pub fn is_faded(self) -> bool {
        self.0 < Self::FADED_BELOW
    }

    /// Returns the retention for an activation. `half_life_days` is the age at which a fact that was heard once has a
    /// retention of 0.5.
    fn from_activation(activation: f64, Decay { exponent, half_life_days }: Decay) -> Self {
        let threshold = -exponent * half_life_days.ln();
        Self(1.0 / (1.0 + ((threshold - activation) / RETENTION_SCALE).exp()))
    }
}

/// Parameters of forgetting.
#[derive(Debug, Clone, Copy)]
struct Decay {
    /// Exponent of the power law.
    exponent: f64,
    /// Age at which a fact without salience that was heard once has a retention of 0.5.
    half_life_days: f64,
}

/// Returns the parameters for a rule; `None` if nothing fades. The exponent 0.5 is the default value of ACT-R.
fn decay(forgetting: Degree) -> Option<Decay> {
    match forgetting {
        Degree::Off => None,
        Degree::Mild => Some(Decay { exponent: 0.3, half_life_days: 90.0 }),
        Degree::Strong => Some(Decay { exponent: 0.5, half_life_days: 20.0 }),
    }
}

/// How one knower forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryRules {
    pub(crate) forgetting: Degree,
    minutes_per_day: i64,
}

impl MemoryRules {
    /// Rules with which nothing fades.
    pub(crate) const NONE: Self = Self { forgetting: Degree::Off, minutes_per_day: 1 };

    /// Returns the rules for a knower: the value of its attribute `forgetting`, or else the rule of the campaign.
    pub(crate) fn new(state: &State, knower: &Knower) -> Self {
        let Some(id) = knower.entity() else { return Self::NONE };
        let forgetting = own_forgetting(state, id).unwrap_or_else(|| state.mind_rules().forgetting);
        if forgetting == Degree::Off || state.kind(id).is_some_and(|kind: Kind| !kind.is_character()) {
            return Self::NONE;
        }
        Self { forgetting, minutes_per_day: state.calendar().minutes_per_day().max(1) }
    }

    /// Returns how well a knower remembers a fact at a moment. Without a moment, nothing is faded.
    pub(crate) fn retention(
        self,
        vocabulary: &Vocabulary,
        knower: &Knower,
        known: &Known,
        now: Option<GameTime>,
    ) -> Retention {
        let Some((decay, now)) = decay(self.forgetting).zip(now) else { return Retention::FULL };
        if is_lasting(vocabulary, knower, known) {
            return Retention::FULL;
        }
        let mut strength = 0.0;
        for known_edge in practices(known) {
            let Some(practiced) = known_edge.since else { return Retention::FULL };
            let age = now.0.saturating_sub(practiced.0) as f64 / self.minutes_per_day as f64;
            strength += age.max(MIN_AGE_DAYS).powf(-decay.exponent);
        }
        Retention::from_activation(strength.ln() + salience(vocabulary, known), decay)
    }
}

/// Returns the value of a character's attribute `forgetting`; `None` if the character has no valid value.
fn own_forgetting(state: &State, id: &EntityId) -> Option<Degree> {
    match state.newest(id, attribute::FORGETTING)?.object() {
        Object::Value(Value::Text(text)) => Degree::from_name(&text.trim().to_lowercase()),
        // Some programs read the word `off` in a YAML file as `false`.
        Object::Value(Value::Flag(false)) => Some(Degree::Off),
        _ => None,
    }
}

/// Returns the edges that are practices of a fact, if the knower knows the fact only through its own edges.
fn practices(known: &Known) -> impl Iterator<Item = &KnownEdge> {
    known.known_edges().iter().chain(known.shared())
}

/// Returns whether a fact never fades, whatever its age.
fn is_lasting(vocabulary: &Vocabulary, knower: &Knower, known: &Known) -> bool {
    let is_naming = || known.is_name() || *known.predicate() == *attribute::KIND;
    let describes_knower = || {
        let behavior = vocabulary.behavior(known.predicate());
        knower.entity() == Some(known.subject()) && (behavior.identity.is_some() || behavior.belonging.is_some())
    };
    let is_lasting =
        |known_edge: &KnownEdge| known_edge.access_path != AccessPath::Own || known_edge.edge.acquisition.is_authored();
    known.known_edges().iter().any(is_lasting) || is_naming() || describes_knower()
}

fn salience(vocabulary: &Vocabulary, known: &Known) -> f64 {
    let behavior = vocabulary.behavior(known.predicate());
    let is_witnessed = known.known_edges().iter().any(|known_edge| known_edge.edge.acquisition.is_witnessed());
    let bonuses = [
        (is_witnessed, WITNESSED_SALIENCE),
        (known.is_secret() || known.conceals(), SECRET_SALIENCE),
        (behavior.notable, NOTABLE_SALIENCE),
        (known.dead_entity(vocabulary).is_some(), DEATH_SALIENCE),
    ];
    let sum: f64 = bonuses.into_iter().filter(|(applies, _)| *applies).map(|(_, bonus)| bonus).sum();
    sum.min(MAX_SALIENCE)
}

impl View {
    /// Returns how fast the knower forgets.
    pub fn forgetting(&self) -> Degree {
        self.memory.forgetting
    }

    /// Returns how well the knower remembers a fact of the view at the moment `now`. If `now` is `None`, the moment of
    /// the view is used. If the view has no moment either, the result is [`Retention::FULL`].
    pub fn retention(&self, known: &Known, now: Option<GameTime>) -> Retention {
        self.memory.retention(&self.vocabulary, &self.knower, known, now.or(self.as_of))
    }
}

impl Known {
    /// Returns the number of occasions on which the knower learned the fact itself or told the fact to others.
    pub fn practice_count(&self) -> usize {
        practices(self).filter(|known_edge| known_edge.access_path == AccessPath::Own).count()
    }

    /// Returns the latest moment at which the knower learned the fact or told the fact to others; `None` if there is no
    /// such moment.
    pub fn last_practiced(&self) -> Option<GameTime> {
        practices(self)
            .filter(|known_edge| known_edge.access_path == AccessPath::Own)
            .filter_map(|known_edge| known_edge.since)
            .max()
    }
}

#[cfg(test)]
mod tests;
