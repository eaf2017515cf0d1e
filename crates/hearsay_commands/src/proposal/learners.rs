//! Knowers that learn a proposed fact.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_belief::{
    Known, Occasion, StateViews, View, dead_entity, default_audience,
    learn::{self, HeardStatement, Sincerity},
};
use hearsay_model::{Acquisition, Change, Credence, EntityId, Fact, FactId, Knower, KnowledgeEdge, State};
use hearsay_query::{
    dates::clock_date,
    duplicates::{Claim, is_equivalent, is_other_occurrence, known_equivalent},
};

use super::{Proposal, recorded_match::has_witnessed, session_of};

/// Returns the edges with which the speaker and the hearers of a proposal learn a fact. `max_credence` is the maximum
/// credence of these edges.
pub(super) fn learner_edges(
    views: &StateViews,
    proposal: &Proposal,
    fact: &Arc<Fact>,
    max_credence: Credence,
) -> Vec<Arc<KnowledgeEdge>> {
    let (state, text) = (views.state(), proposal.text.as_ref());
    let time = text.map_or_else(|| state.clock().map(|_| clock_date(state)), |text| text.time.clone());
    let occasion = Occasion { time, place: None, session: session_of(state, proposal) };
    let Some(speaker) = &proposal.speaker else {
        return witness_edges(state, proposal, fact, max_credence, &occasion);
    };
    let view = views.get(&Knower::Entity(speaker.clone()), occasion.moment());
    // A speaker who saw the fact has it from nobody, even if the same sentence quotes another person.
    let cited = text.and_then(|text| text.citing.as_ref());
    let statement = HeardStatement {
        speaker,
        view: &view,
        alias: text.and_then(|text| text.alias.as_deref()),
        citing: cited.filter(|_| !has_witnessed(state, speaker, fact, occasion.moment())),
        hearers: &proposal.heard_by,
        fact,
        restates: known_equivalent(state, &view, fact, |known| !known.is_made_up() || known.is_disbelieved())
            .map(|known| known.id()),
        sincerity: text.map_or_else(Sincerity::default, |text| text.sincerity),
        certainty: max_credence,
    };
    let changes = learn::overhear(views, &statement, &occasion).changes;
    let edges = changes.iter().filter_map(Change::edge).cloned();
    let is_private = text.is_some_and(|text| text.is_private && text.sincerity == Sincerity::Sincere);
    if !is_private || !conceals_same_matter(&view, fact) {
        return edges.collect();
    }
    let in_confidence = |mut edge: Arc<KnowledgeEdge>| {
        if edge.fact == fact.id() && edge.acquisition.gives_knowledge() {
            Arc::make_mut(&mut edge).conceals = true;
        }
        edge
    };
    edges.map(in_confidence).collect()
}

/// Marks edges to a fact as concealed if their knowers conceal a recorded fact with the same content. Otherwise, these
/// knowers would tell their own secret as news.
pub(super) fn conceal_own_secrets(views: &StateViews, fact: &Fact, edges: &mut [Arc<KnowledgeEdge>]) {
    let state = views.state();
    let vocabulary = state.vocabulary();
    let claim = Claim::from_fact(vocabulary, fact);
    let is_concealed_duplicate = |other: &&Arc<Fact>| {
        other.id() != fact.id()
            && is_equivalent(vocabulary, (&claim, fact.statement()), other)
            && !is_other_occurrence(state, fact, other)
            && state.known_by(other.id()).any(|edge| edge.conceals)
    };
    let secrets: Vec<FactId> =
        state.facts_of(claim.subject()).filter(is_concealed_duplicate).map(|other| other.id()).collect();
    if secrets.is_empty() {
        return;
    }
    for edge in edges.iter_mut().filter(|edge| edge.fact == fact.id() && edge.acquisition.gives_knowledge()) {
        let view = views.get(&edge.knower, edge.learned_at());
        if secrets.iter().any(|secret| view.fact(*secret).is_some_and(Known::conceals)) {
            Arc::make_mut(edge).conceals = true;
        }
    }
}

/// Returns whether the holder of a view conceals another fact about one of the entities of `fact`.
fn conceals_same_matter(view: &View, fact: &Fact) -> bool {
    let entities: BTreeSet<&EntityId> = fact.entities().collect();
    let mut concealed = view.concealed_facts().filter(|known| known.id() != fact.id());
    concealed.any(|known| known.entities().any(|id| entities.contains(id)))
}

/// Returns the edges with which the hearers of a proposal without a speaker learn a fact. Nobody learns of its own death.
/// If the proposal has no hearers and no text, returns the edges of the default audience.
fn witness_edges(
    state: &State,
    proposal: &Proposal,
    fact: &Fact,
    max_credence: Credence,
    occasion: &Occasion,
) -> Vec<Arc<KnowledgeEdge>> {
    let (knowers, acquisition) = match &proposal.text {
        // The default audience need not have been present, so it did not witness the fact.
        None if proposal.heard_by.is_empty() => {
            let audience = state.vocabulary().audience(&state.audience_rules(), fact);
            (default_audience(audience, fact, state), Acquisition::Authored)
        }
        text => {
            let acquisition = text.as_ref().and_then(|text| text.acquisition.clone());
            (proposal.heard_by.clone(), acquisition.unwrap_or(Acquisition::Witnessed))
        }
    };
    let Occasion { time, session, .. } = occasion;
    let edge = |knower: Knower| KnowledgeEdge {
        acquisition: acquisition.clone(),
        learned: time.clone(),
        credence: max_credence,
        session: session.clone(),
        ..KnowledgeEdge::authored(knower, fact.id())
    };
    let survivors =
        knowers.into_iter().filter(|knower| knower.entity().is_none_or(|id| dead_entity(state, fact) != Some(id)));
    survivors.map(|knower| Arc::new(edge(knower))).collect()
}
