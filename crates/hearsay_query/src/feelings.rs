//! The feelings of a character towards other characters, for the DM.

use std::collections::BTreeSet;

use hearsay_belief::{FeelingCause, FeelingValues, Feelings, View};
use hearsay_model::{EntityId, FactId, GameTime, State};
use serde::Serialize;

use crate::{QueryError, facts::source_text, ids::require_entity};

/// Feelings of a character towards another character.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeelingsRow {
    /// Id of the other character.
    pub towards: EntityId,
    /// Name of the other character.
    pub name: String,
    /// The feelings, each from −100 to 100.
    pub values: FeelingValues,
    /// The noticeable feelings in words, such as "is afraid of". A feeling is noticeable if its value is at least 20 or
    /// at most −20.
    pub words: Vec<&'static str>,
    /// The relations from which the baseline of the feelings comes, strongest first.
    pub baseline: Vec<FeelingCauseRow>,
    /// The facts that change the feelings, strongest change first.
    pub causes: Vec<FeelingCauseRow>,
}

/// A fact that causes feelings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeelingCauseRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Source of the fact: its evidence as text, such as a file with a line, or its author.
    pub source: String,
    /// Part of each feeling that comes from the fact at the game time of the query.
    pub change: FeelingValues,
}

/// Returns the characters to whom another character may have feelings: those in the relations that it knows. Sorted by
/// id.
pub(crate) fn related_characters(state: &State, view: &View, who: &EntityId) -> BTreeSet<EntityId> {
    let known = view.facts().filter(|known| known.predicate().is_relation());
    let ends = known.flat_map(|known| std::iter::once(known.subject()).chain(known.object().entity()));
    let is_other = |id: &&EntityId| *id != who && state.is_character(id);
    ends.filter(is_other).cloned().collect()
}

/// Returns the feelings of a character at a game time; `None` means the game clock. If `towards` is `None`, returns the
/// feelings towards all characters for whom the character has a noticeable feeling, the strongest first.
///
/// # Errors
/// Returns an error if a character does not exist.
pub fn feelings(
    state: &State,
    who: &EntityId,
    towards: Option<&EntityId>,
    moment: Option<GameTime>,
) -> Result<Vec<FeelingsRow>, QueryError> {
    require_entity(state, who)?;
    let view = View::new(state, &who.clone().into(), moment.or(state.clock()));
    let others: BTreeSet<EntityId> = match towards {
        Some(other) => {
            require_entity(state, other)?;
            BTreeSet::from([other.clone()])
        }
        None => related_characters(state, &view, who),
    };
    let rows = others.into_iter().map(|other| row(state, &view, other));
    let mut rows: Vec<FeelingsRow> = rows.filter(|row| towards.is_some() || !row.words.is_empty()).collect();
    rows.sort_by(|a, b| b.values.strength().total_cmp(&a.values.strength()).then_with(|| a.towards.cmp(&b.towards)));
    Ok(rows)
}

fn row(state: &State, view: &View, towards: EntityId) -> FeelingsRow {
    let feelings = Feelings::from_view(view, &towards);
    let words = feelings.words().into_iter().map(|words| words.third_person).collect();
    let cause_row = |FeelingCause { fact: id, change }: FeelingCause| {
        let fact = state.fact(id)?;
        Some(FeelingCauseRow { fact: id, statement: fact.statement().to_owned(), source: source_text(fact), change })
    };
    FeelingsRow {
        name: state.name_or_id(&towards).to_owned(),
        values: feelings.values,
        words,
        baseline: feelings.baseline_causes.into_iter().filter_map(cause_row).collect(),
        causes: feelings.causes.into_iter().filter_map(cause_row).collect(),
        towards,
    }
}
