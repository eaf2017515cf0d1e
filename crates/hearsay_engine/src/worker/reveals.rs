//! Reveals: emits an event when a character may tell a secret.

use std::collections::BTreeSet;

use hearsay_belief::{RevealEvaluation, Trust, evaluate_reveals_for, player_characters};
use hearsay_model::{EntityId, Key, Kind, State, attribute};

use crate::Event;

/// Tracks the reveals whose conditions are met. Tracks nothing if the campaign has no reveals.
#[derive(Default)]
pub(super) struct Reveals {
    /// Player characters, sorted; `None` if the campaign has no reveals.
    players: Option<Vec<EntityId>>,
    /// Evaluations of the reveals whose conditions are met, at most one for each reveal and holder.
    fulfilled: Vec<RevealEvaluation>,
}

impl Reveals {
    pub(super) fn from_state(state: &State) -> Self {
        let mut reveals = Self::default();
        reveals.update(state);
        reveals
    }

    /// Returns the evaluations of the reveals whose conditions are met.
    pub(super) fn fulfilled(&self) -> &[RevealEvaluation] {
        &self.fulfilled
    }

    /// Updates the player characters after an operation that changed the records with the keys `touched`.
    pub(super) fn note(&mut self, state: &State, touched: &[Key]) {
        let Some(players) = &mut self.players else { return };
        for key in touched {
            let id = match key {
                Key::Entity(id) => id,
                Key::Fact(id) => match state.asserted(*id) {
                    Some(fact) if *fact.predicate() == *attribute::KIND => fact.subject(),
                    _ => continue,
                },
                _ => continue,
            };
            match (players.binary_search(id), state.kind(id) == Some(Kind::Player)) {
                (Err(at), true) => players.insert(at, id.clone()),
                (Ok(at), false) => _ = players.remove(at),
                _ => {}
            }
        }
    }

    /// Evaluates all reveals. Returns an event for each reveal whose condition is now met and was not met before.
    pub(super) fn update(&mut self, state: &State) -> Vec<Event> {
        if state.reveals().next().is_none() {
            *self = Self::default();
            return Vec::new();
        }
        let players = self.players.get_or_insert_with(|| player_characters(state));
        let mut fulfilled =
            evaluate_reveals_for(state, players, &|knower, other| Trust::between(state, knower, other).level());
        fulfilled.retain(|evaluation| evaluation.judgement.holds);
        let previous = std::mem::replace(&mut self.fulfilled, fulfilled);
        let previous: BTreeSet<_> = previous.iter().map(|one| (&one.reveal, &one.holder)).collect();
        let is_new = |one: &&RevealEvaluation| !previous.contains(&(&one.reveal, &one.holder));
        self.fulfilled.iter().filter(is_new).map(event).collect()
    }
}

/// Returns the event for a reveal whose condition is met.
fn event(evaluation: &RevealEvaluation) -> Event {
    Event::Revealable {
        reveal: evaluation.reveal.clone(),
        fact: evaluation.fact,
        holder: evaluation.holder.clone(),
        listeners: evaluation.judgement.listeners.clone(),
    }
}
