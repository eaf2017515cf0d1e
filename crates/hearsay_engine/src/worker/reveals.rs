//! Reveals: emits an event when a character may tell a secret.

use std::collections::BTreeSet;

use hearsay_belief::{Trust, evaluate_reveals_for, player_characters};
use hearsay_model::{EntityId, Key, Kind, State, attribute};

use crate::Event;

/// Tracks the reveals whose conditions are met. Tracks nothing if the campaign has no reveals.
#[derive(Default)]
pub(super) struct Reveals {
    /// Player characters, sorted; `None` if the campaign has no reveals.
    players: Option<Vec<EntityId>>,
    /// Reveals whose conditions are met, each with the character that may tell its secret.
    fulfilled: BTreeSet<(String, EntityId)>,
}

impl Reveals {
    pub(super) fn from_state(state: &State) -> Self {
        let mut reveals = Self::default();
        reveals.update(state);
        reveals
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
        let revealables =
            evaluate_reveals_for(state, players, &|knower, other| Trust::between(state, knower, other).level());
        let before = std::mem::take(&mut self.fulfilled);
        let mut events = Vec::new();
        for revealable in revealables.into_iter().filter(|revealable| revealable.judgement.holds) {
            let key = (revealable.reveal, revealable.holder);
            if !before.contains(&key) {
                let (reveal, holder) = key.clone();
                events.push(Event::Revealable { reveal, fact: revealable.fact, holder });
            }
            self.fulfilled.insert(key);
        }
        events
    }
}
