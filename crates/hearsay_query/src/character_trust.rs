//! The trust of a character in other characters, and the reasons for this trust, for the DM.

use std::collections::BTreeSet;

use hearsay_belief::{AccessPath, FeelingCause, Feelings, Trust, View};
use hearsay_model::{EntityId, FactId, GameTime, State};
use serde::Serialize;

use crate::{QueryError, facts::source_text, feelings::related_characters, ids::require_entity};

/// Trust of a character in another character.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CharacterTrustRow {
    /// Id of the other character.
    pub towards: EntityId,
    /// Name of the other character.
    pub name: String,
    /// The trust, 0.0–1.0.
    pub trust: f64,
    /// The trust before the character has found out whether statements of the other character are true, 0.0–1.0.
    pub first_impression: f64,
    /// Reasons for the trust. If the list is empty, the trust is the default for strangers.
    pub reasons: Vec<TrustReasonRow>,
}

/// Kind of a reason for trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustReasonKind {
    /// A TRUSTS fact declares the first impression.
    Declared,
    /// A relation states the attitude on which the first impression is based.
    Relation,
    /// A deed changes the affinity on which the first impression is based.
    Deed,
    /// The other character stated the fact, and the character saw that it is true.
    FoundTrue,
    /// The other character stated the fact, and the character saw that it is untrue.
    FoundUntrue,
}

/// A reason for trust.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TrustReasonRow {
    /// Kind of the reason.
    pub kind: TrustReasonKind,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Source of the fact: its evidence as text, such as a file with a line, or its author.
    pub source: String,
}

/// Trust of a character in several other characters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CharacterTrust {
    /// Trust in all characters who are not listed, 0.0–1.0.
    pub default: f64,
    /// Trust in each listed character, highest first.
    pub trust: Vec<CharacterTrustRow>,
}

/// Returns the trust of a character in another character at a game time; `None` means the game clock. If `towards` is
/// `None`, returns the trust in all characters for whom there is a reason, or who told the character something.
///
/// # Errors
/// Returns an error if a character does not exist.
pub fn character_trust(
    state: &State,
    who: &EntityId,
    towards: Option<&EntityId>,
    moment: Option<GameTime>,
) -> Result<CharacterTrust, QueryError> {
    require_entity(state, who)?;
    let view = View::new(state, &who.clone().into(), moment.or(state.clock()));
    let own_edges = view.facts().flat_map(|known| known.known_edges());
    let own_edges = own_edges.filter(|known_edge| known_edge.access_path == AccessPath::Own);
    let tellers: BTreeSet<EntityId> =
        own_edges.filter_map(|known_edge| known_edge.edge.acquisition.teller()).cloned().collect();
    let others: BTreeSet<EntityId> = match towards {
        Some(other) => {
            require_entity(state, other)?;
            BTreeSet::from([other.clone()])
        }
        None => related_characters(state, &view, who).union(&tellers).filter(|other| *other != who).cloned().collect(),
    };
    let rows = others.into_iter().map(|other| row(state, &view, other));
    let is_listed =
        |row: &CharacterTrustRow| towards.is_some() || !row.reasons.is_empty() || tellers.contains(&row.towards);
    let mut trust: Vec<CharacterTrustRow> = rows.filter(is_listed).collect();
    trust.sort_by(|a, b| b.trust.total_cmp(&a.trust).then_with(|| a.towards.cmp(&b.towards)));
    Ok(CharacterTrust { default: Trust::for_stranger().level().get(), trust })
}

fn row(state: &State, view: &View, towards: EntityId) -> CharacterTrustRow {
    let trust = Trust::from_view(view, &towards);
    let mut reasons: Vec<(TrustReasonKind, FactId)> = match Trust::stated_in_view(view, &towards) {
        Some(fact) => vec![(TrustReasonKind::Declared, fact)],
        None => {
            let feelings = Feelings::from_view(view, &towards);
            let reasons = |causes: Vec<FeelingCause>, kind| {
                let causes = causes.into_iter().filter(|cause| cause.change.affinity != 0.0);
                causes.map(move |cause| (kind, cause.fact))
            };
            let relations = reasons(feelings.baseline_causes, TrustReasonKind::Relation);
            relations.chain(reasons(feelings.causes, TrustReasonKind::Deed)).collect()
        }
    };
    let experiences = trust.experiences.iter().filter_map(|experience| {
        let kind = if experience.was_true { TrustReasonKind::FoundTrue } else { TrustReasonKind::FoundUntrue };
        Some((kind, state.knowledge(experience.testimony)?.fact))
    });
    // Several observations can confirm one statement.
    reasons.extend(experiences.collect::<BTreeSet<_>>());
    let reason_row = |(kind, id): (TrustReasonKind, FactId)| {
        let fact = state.fact(id)?;
        Some(TrustReasonRow { kind, fact: id, statement: fact.statement().to_owned(), source: source_text(fact) })
    };
    CharacterTrustRow {
        name: state.name_or_id(&towards).to_owned(),
        trust: trust.level().get(),
        first_impression: trust.first_impression.get(),
        reasons: reasons.into_iter().filter_map(reason_row).collect(),
        towards,
    }
}
