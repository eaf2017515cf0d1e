//! Details and lists of the facts that one knower knows. The results contain only data that the knower knows: no fact
//! status, no other knowers, and no unknown facts.

use hearsay_belief::{
    BeliefStatus, EndKind, Known,
    graph::{self, Traversal},
};
use hearsay_model::{Attitude, EntityId, Fact, FactId, FactRelation, Predicate, State};
use hearsay_recall::{Citation, Citations};
use serde::Serialize;

use crate::{
    QueryError,
    dates::date_text,
    entities::EntityPage,
    facts::{FactFilter, FactRelationRow, inverse_relation},
    named_view::NamedView,
};

/// A fact, with only the data that one knower knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewFactRow {
    /// Id of the fact.
    pub id: FactId,
    /// Id of the entity that the fact is about.
    pub subject: EntityId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Object of the fact as text: the id of an entity, or a value.
    pub object: String,
    /// Whether the object is an entity. If `false`, the object is a value.
    pub object_is_entity: bool,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the fact is secret.
    pub secret: bool,
    /// Date at which the fact became true; `None` if the fact states no start.
    pub since: Option<String>,
    /// Date at which the fact ceased to be true; `None` if the knower knows neither the end nor its date.
    pub until: Option<String>,
    /// Attitude of the subject to the object, −100 to 100; `None` if the fact states no attitude.
    pub attitude: Option<i8>,
    /// The knower's credence in the fact, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// Whether the knower believes the fact, doubts it, or believes another fact instead.
    pub hold: BeliefStatus,
    /// How the knower learned the fact, and where the fact was recorded.
    pub citation: Citation,
    /// Characters to whom the knower has told the fact.
    pub told: Vec<EntityId>,
    /// Relations between this fact and other facts that the knower knows, such as a refutation. Both directions are
    /// included.
    pub fact_relations: Vec<FactRelationRow>,
}

/// Returns the details of a fact that the knower of a view knows.
pub fn view_fact_row(state: &State, own: &NamedView, known: &Known) -> ViewFactRow {
    let belief = own.view().belief(known);
    let citations = Citations { names: own.names(), calendar: state.calendar(), knower: Some(own.knower()) };
    ViewFactRow {
        id: known.id(),
        subject: known.subject().clone(),
        predicate: known.predicate().clone(),
        object: known.object().to_string(),
        object_is_entity: known.object().entity().is_some(),
        statement: known.statement().to_owned(),
        secret: known.is_secret(),
        since: date_text(state, known.since()),
        until: own.view().known_end(known).and_then(|end| date_text(state, end.date)),
        attitude: known.attitude().map(Attitude::get),
        credence: belief.credence.get(),
        hold: belief.status,
        citation: citations.fact_citation(known),
        told: hearers(known),
        fact_relations: fact_relations(own, known),
    }
}

/// Returns the characters to whom the knower has told a fact. Sorted by id.
pub(crate) fn hearers(known: &Known) -> Vec<EntityId> {
    let mut hearers: Vec<EntityId> =
        known.shared().iter().flat_map(|known_edge| known_edge.edge.co_present.iter().cloned()).collect();
    hearers.sort();
    hearers.dedup();
    hearers
}

/// Returns the known facts that refute, end or contradict a fact, or that the fact refutes, ends or contradicts. Omits
/// relations of the kinds *distorts* and *covers*, because only the DM may see them.
fn fact_relations(own: &NamedView, known: &Known) -> Vec<FactRelationRow> {
    let row = |relation, other: &Known| FactRelationRow {
        relation,
        fact: other.id(),
        statement: other.statement().to_owned(),
    };
    let is_visible = |relation: &FactRelation| matches!(relation, FactRelation::Refutes(_) | FactRelation::Ends(_));
    let outgoing = known
        .fact_relation()
        .filter(is_visible)
        .and_then(|relation| Some(row(relation.as_str(), own.view().fact(relation.fact())?)));
    let incoming = own.view().relations_to(known.id()).filter_map(|other| {
        let relation = other.fact_relation().filter(is_visible)?;
        Some(row(inverse_relation(relation), other))
    });
    let mut incoming: Vec<FactRelationRow> = incoming.collect();
    incoming.sort_by_key(|row| row.fact);
    let contradicted = known.contradicts().iter().filter_map(|id| Some(row("contradicts", own.view().fact(*id)?)));
    let contradicting = own.view().facts_against(known.id()).map(|other| row("contradicted by", other));
    outgoing.into_iter().chain(incoming).chain(contradicted).chain(contradicting).collect()
}

/// Returns the facts that the knower of a view knows and that pass a filter, up to the filter's limit. Also returns the
/// total number of these facts. The facts are sorted by subject, predicate and id.
///
/// A fact is about an entity if the entity is its subject or object, or if its statement contains a known name of the
/// entity.
///
/// # Errors
/// Returns an error if the predicate is invalid. Also returns an error if the filter contains a status or a date of
/// validity, because only the DM may see this data.
pub fn view_facts(
    state: &State,
    own: &NamedView,
    filter: &FactFilter,
) -> Result<(Vec<ViewFactRow>, usize), QueryError> {
    if filter.status.is_some() || filter.holds_at.is_some() {
        return Err(QueryError::DmOnlyFilter);
    }
    let predicate = filter.predicate.as_deref().map(Predicate::new).transpose()?;
    let candidates: Vec<&Known> = match &filter.about {
        Some(about) => own.facts_naming(about).collect(),
        None => own.view().facts().collect(),
    };
    let mut found: Vec<&Known> = candidates
        .into_iter()
        .filter(|known| filter.subject.as_ref().is_none_or(|subject| known.subject() == subject))
        .filter(|known| predicate.as_ref().is_none_or(|predicate| known.predicate() == predicate))
        .filter(|known| filter.object.as_ref().is_none_or(|filter| filter.matches(known.object())))
        .collect();
    found.sort_by(|a, b| (a.subject(), a.predicate(), a.id()).cmp(&(b.subject(), b.predicate(), b.id())));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|known| view_fact_row(state, own, known)).collect(), all))
}

/// Returns an entity with all facts about it that the knower of a view knows, except
/// [redundant ends](EndKind::Redundant) of other facts.
pub fn view_entity_page(state: &State, own: &NamedView, id: &EntityId) -> EntityPage<ViewFactRow> {
    let traversal = Traversal { view: Some(own.view()), ..Traversal::default() };
    let row = |fact: &Fact| {
        let known =
            own.view().fact(fact.id()).filter(|known| own.view().end_kind(known) != Some(EndKind::Redundant))?;
        Some(view_fact_row(state, own, known))
    };
    EntityPage::from_identity(id, graph::identity(state, id, &traversal), row)
}
