//! Lies: statements that were recorded as sincere and that the DM later marks as lies.

use std::sync::Arc;

use hearsay_belief::{
    Occasion,
    learn::{self, HeardStatement, LearnerViews, Sincerity},
};
use hearsay_model::{
    Change, Credence, EntityId, Fact, FactStatus, Justification, Knower, KnowledgeEdge, KnowledgeId, State,
};

/// Returns the changes after which the speaker of a claim does not believe the claim. The characters who heard the
/// claim from the speaker still believe it as before. If this speaker is the source of the fact and the DM has not
/// confirmed the fact, its status becomes false.
///
/// Does not change the knowledge of a speaker who knows the fact from another source, or who did not claim the fact
/// during play.
pub(crate) fn mark_as_lie(state: &State, speaker: &EntityId, fact: &Arc<Fact>) -> Vec<Change> {
    let knower = Knower::Entity(speaker.clone());
    let is_own_word = |edge: &KnowledgeEdge| edge.acquisition.is_authored() && edge.session.is_some();
    let (records, known): (Vec<_>, Vec<_>) = state
        .recorded_edges(fact.id())
        .filter(|(_, edge)| edge.knower == knower)
        .partition(|(_, edge)| !edge.acquisition.gives_knowledge());
    let mut changes = Vec::new();
    let is_own_claim = fact.provenance().speaker.as_ref() == Some(speaker) && !fact.provenance().confirmed;
    if is_own_claim && matches!(fact.status(), FactStatus::Claimed | FactStatus::Proposed) {
        changes.push(Change::SetStatus { fact: fact.id(), status: FactStatus::False });
    }
    if known.is_empty() || !known.iter().all(|(_, edge)| is_own_word(edge)) {
        return changes;
    }
    let own_edges: Vec<KnowledgeId> = known.iter().map(|(id, _)| *id).collect();
    let depends_on_own_word = |edge: &KnowledgeEdge| {
        let mut sources = edge.sources.iter();
        sources.any(|source| matches!(source, Justification::Basis { edge, .. } if own_edges.contains(edge)))
    };
    let records: Vec<_> = records.into_iter().filter(|(_, edge)| depends_on_own_word(edge)).collect();
    changes.extend(own_edges.iter().copied().chain(records.iter().map(|(id, _)| *id)).map(Change::Unlearn));
    let mut views = LearnerViews::new(state);
    for (_, record) in records {
        let occasion = Occasion { time: record.learned.clone(), place: None, session: record.session.clone() };
        let view = views.get(&knower, occasion.moment());
        let hearers: Vec<Knower> = record.co_present.iter().cloned().map(Knower::Entity).collect();
        let statement = HeardStatement {
            speaker,
            view: &view,
            alias: None,
            citing: None,
            hearers: &hearers,
            fact,
            restates: None,
            sincerity: Sincerity::Lie,
            certainty: Credence::FULL,
        };
        changes.extend(learn::overhear(&mut views, &statement, &occasion).changes);
    }
    changes
}
