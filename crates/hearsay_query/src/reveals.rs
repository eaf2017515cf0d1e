//! Reveals: conditions under which a character may tell a secret.

use hearsay_belief::{Judgement, Revealable, Trust, revealable};
use hearsay_model::{EntityId, FactId, State};
use serde::Serialize;

/// Returns the author's note to the DM about a reveal.
pub(crate) fn note_of(state: &State, reveal: &str) -> Option<String> {
    state.reveals().find(|one| one.id == reveal)?.note.clone()
}

/// A secret that its holder may tell once a condition is met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealRow {
    /// Id of the reveal.
    pub reveal: String,
    /// Id of the secret fact.
    pub fact: FactId,
    /// Sentence that states the secret.
    pub statement: String,
    /// Character that may tell the secret once the condition is met.
    pub holder: EntityId,
    /// Result of checking the condition: whether it is met, for which characters, and which parts are still missing.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Author's note to the DM, such as how the character tells the secret and what happens next.
    pub note: Option<String>,
}

/// Returns one row for each reveal and each character that may tell its secret. Reads every entity to find the player
/// characters.
pub fn reveals(state: &State) -> Vec<RevealRow> {
    let row = |one: Revealable| RevealRow {
        note: note_of(state, &one.reveal),
        reveal: one.reveal,
        statement: state.fact(one.fact).map_or_else(String::new, |fact| fact.statement().to_owned()),
        fact: one.fact,
        holder: one.holder,
        judgement: one.judgement,
    };
    revealable(state, &|who, of| Trust::between(state, who, of).level()).into_iter().map(row).collect()
}
