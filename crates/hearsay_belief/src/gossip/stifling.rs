//! Loss of interest: a character stops telling a fact that is no news any more.
//!
//! A character's loss of interest is not stored. It is computed from the recorded tellings, from the knowledge of the
//! hearers, and from the seed.

use hearsay_model::{Degree, EntityId, FactId, GameTime};

use super::{
    Simulation,
    distortion::fact_hash,
    meetings::{Person, hash},
};
use crate::Known;

/// Purpose of random draws.
const STIFLING_DRAW: u64 = 9;

/// A character that lost interest in telling a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostInterest {
    /// The fact.
    pub fact: FactId,
    /// The character, which told the fact to a hearer who already knew it.
    pub teller: EntityId,
    /// The game time of this telling.
    pub when: GameTime,
}

/// Returns the probability that one cause, such as a hearer who already knows the fact, makes a character lose interest.
fn probability(stifling: Degree) -> f64 {
    match stifling {
        Degree::Off => 0.0,
        Degree::Mild => 0.25,
        Degree::Strong => 1.0,
    }
}

impl Simulation<'_> {
    /// Returns whether a character has lost interest in telling a fact by the moment `now`.
    pub(super) fn has_lost_interest(&mut self, teller: &Person, known: &Known, now: GameTime) -> bool {
        if self.stifling == Degree::Off {
            return false;
        }
        let told = self.knowledge.told_version(teller.index, known.id()).unwrap_or(known.id());
        let tellings = self.knowledge.tellings(teller.index, told);
        let tellings = tellings.filter_map(|(hearer, told_at)| Some((hearer.clone(), told_at?)));
        let tellings: Vec<(EntityId, GameTime)> = tellings.filter(|(_, told_at)| *told_at <= now).collect();
        if tellings.into_iter().any(|(hearer, told_at)| self.is_stifled_by(teller, told, &hearer, told_at, now)) {
            return true;
        }
        // A denial does not impress a character that observed the fact.
        if known.is_observed() {
            return false;
        }
        let refutations = self.knowledge.known_refutations(teller.index, known, now);
        refutations.into_iter().any(|refutation| self.loses_interest(teller, known.id(), fact_hash(refutation)))
    }

    /// Returns whether a telling makes the teller lose interest in the fact: the hearer already knew the fact before the
    /// telling, and the random draw decides so. `now` is the time of the present conversation.
    pub(super) fn is_stifled_by(
        &mut self,
        teller: &Person,
        fact: FactId,
        hearer: &EntityId,
        told_at: GameTime,
        now: GameTime,
    ) -> bool {
        if !self.loses_interest(teller, fact, hash(hearer)) {
            return false;
        }
        let Some(hearer) = self.state.index_of(hearer) else { return false };
        self.knowledge.prepare(hearer, now);
        self.knowledge.knows(hearer, fact, GameTime(told_at.0.saturating_sub(1)))
    }

    /// Draws whether one cause makes a character lose interest in telling a fact. `cause` is a hash of the hearer or of
    /// the refutation, so the same cause always has the same effect.
    fn loses_interest(&self, teller: &Person, fact: FactId, cause: u64) -> bool {
        let draw = self.draws.fraction([STIFLING_DRAW, teller.hash, fact_hash(fact), cause]);
        draw < probability(self.stifling)
    }
}
