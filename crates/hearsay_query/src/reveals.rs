//! Reveals: conditions under which a character may tell a secret.

use std::collections::BTreeSet;

use hearsay_belief::{Judgement, RevealEvaluation, Trust, evaluate_reveals};
use hearsay_model::{EntityId, FactId, State};
use serde::Serialize;

/// Returns the author's note to the DM about a reveal.
pub(crate) fn reveal_note(state: &State, reveal: &str) -> Option<String> {
    state.reveals().find(|candidate| candidate.id == reveal)?.note.clone()
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
    /// Result of the evaluation of the condition: whether the condition is met, to whom the holder may tell the secret,
    /// and which parts of the condition are not met.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Author's note to the DM, for example how the character tells the secret and what happens next; `None` if there
    /// is no note.
    pub note: Option<String>,
}

/// Evaluates all reveals at the current game time. Reads every entity to find the player characters.
pub(crate) fn evaluations(state: &State) -> Vec<RevealEvaluation> {
    evaluate_reveals(state, &|knower, other| Trust::between(state, knower, other).level())
}

/// Returns one row for each reveal and each holder of its secret. The function reads every entity to find the player
/// characters.
pub fn reveals(state: &State) -> Vec<RevealRow> {
    let row = |revealable: RevealEvaluation| RevealRow {
        note: reveal_note(state, &revealable.reveal),
        reveal: revealable.reveal,
        statement: state.fact(revealable.fact).map_or_else(String::new, |fact| fact.statement().to_owned()),
        fact: revealable.fact,
        holder: revealable.holder,
        judgement: revealable.judgement,
    };
    evaluations(state).into_iter().map(row).collect()
}

/// Returns one row for each reveal and each holder of its secret if the condition is fulfilled in the state `after`, but
/// not in `state`.
pub fn newly_fulfilled(state: &State, after: &State) -> Vec<RevealRow> {
    let fulfilled = evaluations(state).into_iter().filter(|evaluation| evaluation.judgement.holds);
    let before: BTreeSet<_> = fulfilled.map(|evaluation| (evaluation.reveal, evaluation.holder)).collect();
    let mut rows = reveals(after);
    rows.retain(|row| row.judgement.holds && !before.contains(&(row.reveal.clone(), row.holder.clone())));
    rows
}
