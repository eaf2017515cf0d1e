//! Query for the DM: how well a character remembers facts.

use hearsay_belief::View;
use hearsay_model::{Degree, EntityId, FactId, GameTime, State};
use serde::Serialize;

use crate::{QueryError, ids::require_entity, knowledge::time_text};

/// Memory of a character: the facts that can fade.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CharacterMemory {
    /// How fast the character forgets.
    pub forgetting: Degree,
    /// Facts that can fade, the worst remembered first.
    pub facts: Vec<MemoryRow>,
    /// Number of facts that the character knows.
    pub known: usize,
}

/// A fact, and how well a character remembers it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How well the character remembers the fact, from 0 (forgotten) to 1 (remembered exactly).
    pub retention: f64,
    /// Whether the fact is faded: its retention is below 0.5.
    pub is_faded: bool,
    /// Number of times that the character learned the fact or told the fact to others.
    pub practices: usize,
    /// Game time at which the character last learned or told the fact, as text; `None` if the time is unknown.
    pub last_practiced: Option<String>,
}

/// Facts that the query [`memory`] returns. Facts that cannot fade, such as common lore, are always omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionFilter {
    /// Only faded facts.
    Faded,
    /// All facts that the character does not remember exactly.
    Fading,
}

/// Returns how well a character remembers the facts that it knows at a game time; `None` means the game clock.
///
/// # Errors
/// Returns an error if the character does not exist.
pub fn memory(
    state: &State,
    who: &EntityId,
    filter: RetentionFilter,
    moment: Option<GameTime>,
) -> Result<CharacterMemory, QueryError> {
    require_entity(state, who)?;
    let view = View::new(state, &who.clone().into(), moment.or(state.clock()));
    let mut facts: Vec<MemoryRow> = Vec::new();
    for known in view.facts() {
        let retention = view.retention(known, None);
        let is_shown = match filter {
            RetentionFilter::Faded => retention.is_faded(),
            RetentionFilter::Fading => retention.get() < 1.0,
        };
        if is_shown {
            facts.push(MemoryRow {
                fact: known.id(),
                statement: known.statement().to_owned(),
                retention: retention.get(),
                is_faded: retention.is_faded(),
                practices: known.practice_count(),
                last_practiced: time_text(state, known.last_practiced()),
            });
        }
    }
    facts.sort_by(|a, b| a.retention.total_cmp(&b.retention).then_with(|| a.fact.cmp(&b.fact)));
    Ok(CharacterMemory { forgetting: view.forgetting(), facts, known: view.facts().count() })
}
