//! Details and lists of facts.
//!
//! Each query takes a state as its argument, so you can run the query in `Memory::read`. You can print or serialize the
//! result.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, EntityId, Evidence, Excerpt, ExtractionStage, Fact, FactId, FactRelation, FactStatus, Factuality,
    Knower, KnowledgeEdge, Object, Predicate, Secrecy, SessionId, State, Value, attribute, text,
};
use serde::Serialize;

use crate::{QueryError, as_of::AsOf, dates::date_text, ids::require_entities};

/// A fact with all details.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactRow {
    /// Id of the fact.
    pub id: FactId,
    /// Handle: a short name that a campaign file gives the fact; `None` if the fact has no handle.
    pub handle: Option<String>,
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
    /// Entities that the statement names besides the subject and the object.
    pub mentions: Vec<EntityId>,
    /// Status of the fact.
    pub status: FactStatus,
    /// Assertion status: whether the source asserts the fact, negates it, plans it, hedges it, or says that it ended.
    pub factuality: Factuality,
    /// Secrecy of the fact: `common`, `open` or `secret`.
    pub secrecy: &'static str,
    /// Date at which the fact became true; `None` if the fact states no start.
    pub since: Option<String>,
    /// Date at which the fact ceased to be true; `None` if the fact states no end.
    pub until: Option<String>,
    /// Attitude of the subject to the object, −100 to 100; `None` if the fact states no attitude.
    pub attitude: Option<i8>,
    /// Confidence, 0.0–1.0, after its adjustment by trust calibration.
    pub confidence: f64,
    /// Confidence before its adjustment by trust calibration, 0.0–1.0; `None` if trust calibration did not change the
    /// value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<f64>,
    /// Stage of the extraction that found the fact; `None` if the fact was not extracted from a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<ExtractionStage>,
    /// Whether the DM confirmed the fact.
    pub confirmed: bool,
    /// Author of the fact. If a language model extracted the fact, the text also names the model.
    pub author: String,
    /// Session in which the fact was recorded; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Evidence for the fact, as text. Each item names a file, a line and a field, or quotes the words that state the
    /// fact.
    pub evidence: Vec<String>,
    /// Relations between this fact and other facts, in both directions.
    pub fact_relations: Vec<FactRelationRow>,
    /// Knowers with a knowledge edge to the fact. Members and residents who know the fact only through a group or place
    /// are not listed.
    pub known_by: Vec<KnowerRow>,
}

/// A knower of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowerRow {
    /// The knower: an id, or `*` for everybody.
    pub knower: Knower,
    /// The knower's credence in the fact according to the edge alone, 0.0–1.0.
    pub credence: f64,
    /// How the knower learned the fact, in words: `witnessed`, `told by odo-brandt`.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the time is unknown.
    pub learned: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
    /// Other characters who were present and whom the knower noticed. If `passed_on` is `true`, the list contains the
    /// hearers instead.
    pub co_present: Vec<EntityId>,
    /// Whether the edge only records that the knower told the fact to others. This edge alone does not mean that the
    /// knower knows the fact.
    pub passed_on: bool,
    /// If the knower is a group, the lowest rank of the members who know the fact through the group. `None` means that
    /// all members know the fact.
    pub rank: Option<String>,
}

/// A relation of a fact to another fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactRelationRow {
    /// Kind of relation: `distorts`, `refutes`, `ends`, `covers` or `contradicts`. For a relation from the other fact
    /// to this fact, the kind is `distorted by`, `refuted by`, `ended by`, `covered by` or `contradicted by`.
    pub relation: &'static str,
    /// Id of the other fact.
    pub fact: FactId,
    /// Sentence that states the other fact.
    pub statement: String,
}

/// Filter for the object of a fact: an entity or a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectFilter {
    /// The required entity; `None` if only values match.
    pub entity: Option<EntityId>,
    /// Text that a value must match. A text value must contain this text. A number or a boolean must equal this text.
    pub words: String,
}

impl ObjectFilter {
    pub(crate) fn matches(&self, object: &Object) -> bool {
        let words = text::normalize(&self.words);
        match object {
            Object::Entity(entity) => Some(entity) == self.entity.as_ref(),
            Object::Value(Value::Text(value)) => text::normalize(value).contains(words.as_str()),
            Object::Value(value) => text::normalize(&value.to_string()) == words,
        }
    }
}

/// Filter for listing facts.
#[derive(Debug, Clone, Default)]
pub struct FactFilter {
    /// The query returns only facts with this subject. `None` means no restriction.
    pub subject: Option<EntityId>,
    /// The query returns only facts that have this entity as subject, object or mention. `None` means no restriction.
    pub about: Option<EntityId>,
    /// The query returns only facts with this predicate. `None` means no restriction.
    pub predicate: Option<String>,
    /// The query returns only facts with this object. `None` means no restriction.
    pub object: Option<ObjectFilter>,
    /// The query returns only facts with this status. `None` means no restriction.
    pub status: Option<FactStatus>,
    /// The query returns only facts that are true at this date of the calendar, or at the end of this session. `None`
    /// selects facts of any time.
    pub holds_at: Option<String>,
    /// Maximum number of facts that the query returns.
    pub limit: usize,
}

/// Function that returns the text by which a sentence refers to an entity, such as its name or id.
pub type NameFn<'a> = &'a dyn Fn(&EntityId) -> String;

/// Describes in words how a knower acquired a fact. `name_of` returns the names of the entities.
pub fn describe_acquisition_with_names(acquisition: &Acquisition, name_of: NameFn) -> String {
    acquisition.describe(name_of)
}

/// Describes in words how a knower acquired a fact, with the names that the DM knows.
pub(crate) fn describe_acquisition_to_dm(state: &State, acquisition: &Acquisition) -> String {
    describe_acquisition_with_names(acquisition, &|id| state.name_or_id(id).to_owned())
}

/// Describes in words how a knower acquired a fact, with ids instead of names.
pub fn describe_acquisition(acquisition: &Acquisition) -> String {
    describe_acquisition_with_names(acquisition, &EntityId::to_string)
}

/// Returns the first evidence for a fact as text. Without evidence, returns the author of the fact.
pub(crate) fn source_text(fact: &Fact) -> String {
    let provenance = fact.provenance();
    provenance.evidence.first().map_or_else(|| format!("recorded by {}", provenance.author), evidence_text)
}

fn evidence_text(evidence: &Evidence) -> String {
    match evidence {
        Evidence::File { path, line, field } => format!("{path}:{line} ({field})"),
        Evidence::Excerpt(excerpt) => {
            let Excerpt { path, line, field, quote, .. } = &**excerpt;
            let field = if field.is_empty() { String::new() } else { format!(" ({field})") };
            format!("{path}:{line}{field}: \u{201C}{quote}\u{201D}")
        }
        Evidence::Passage { passage, quote, .. } => format!("\u{201C}{quote}\u{201D} (passage {})", passage.short()),
    }
}

/// Returns all details of a fact, including its knowers.
pub fn fact_row(state: &State, fact: &Fact) -> FactRow {
    let mut edges = recorded_edges(state, fact.id());
    // Shows only active edges. For a proposed or rejected fact, shows all edges, because none of them is active.
    if fact.status().is_knowable() {
        edges.retain(|edge| state.knowledge(edge.id()).is_some());
    }
    edges.sort_by_key(|edge| (edge.knower.clone(), edge.id()));
    let known_by = edges.iter().map(|edge| KnowerRow {
        knower: edge.knower.clone(),
        credence: edge.credence.get(),
        acquisition: describe_acquisition(&edge.acquisition),
        learned: date_text(state, edge.learned.as_ref()),
        conceals: edge.conceals,
        co_present: edge.co_present.clone(),
        passed_on: !edge.acquisition.gives_knowledge(),
        rank: edge.rank.clone(),
    });
    let provenance = fact.provenance();
    FactRow {
        id: fact.id(),
        handle: fact.handle().map(str::to_owned),
        subject: fact.subject().clone(),
        predicate: fact.predicate().clone(),
        object: fact.object().to_string(),
        object_is_entity: fact.object().entity().is_some(),
        statement: fact.statement().to_owned(),
        mentions: fact.mentions().to_vec(),
        status: fact.status(),
        factuality: fact.factuality(),
        secrecy: fact.secrecy().as_str(),
        since: date_text(state, fact.validity().from.as_ref()),
        until: date_text(state, fact.validity().until.as_ref()),
        attitude: fact.attitude().map(hearsay_model::Attitude::get),
        confidence: provenance.confidence.get(),
        extracted: provenance.extracted.map(hearsay_model::Confidence::get),
        stage: provenance.stage,
        confirmed: provenance.confirmed,
        author: match &provenance.model {
            Some(model) => format!("{} with {model}", provenance.author),
            None => provenance.author.to_string(),
        },
        session: provenance.session.clone(),
        evidence: provenance.evidence.iter().map(evidence_text).collect(),
        fact_relations: fact_relations(state, fact),
        known_by: known_by.collect(),
    }
}

/// Returns the kind of a relation as text, as seen from the other fact.
pub(crate) fn inverse_relation(relation: FactRelation) -> &'static str {
    match relation {
        FactRelation::Distorts(_) => "distorted by",
        FactRelation::Refutes(_) => "refuted by",
        FactRelation::Ends(_) => "ended by",
        FactRelation::Covers(_) => "covered by",
    }
}

/// Returns the relations between a fact and other facts, in both directions.
fn fact_relations(state: &State, fact: &Fact) -> Vec<FactRelationRow> {
    let row = |relation, other: &Fact| FactRelationRow {
        relation,
        fact: other.id(),
        statement: other.statement().to_owned(),
    };
    let outgoing = fact
        .fact_relation()
        .and_then(|fact_relation| Some(row(fact_relation.as_str(), state.asserted(fact_relation.fact())?)));
    let incoming = state.facts_of(fact.subject()).filter_map(|other| {
        let relation = other.fact_relation().filter(|fact_relation| fact_relation.fact() == fact.id())?;
        Some(row(inverse_relation(relation), other))
    });
    let mut incoming: Vec<FactRelationRow> = incoming.collect();
    incoming.sort_by_key(|row| row.fact);
    let contradicted = fact.contradicts().iter().filter_map(|id| Some(row("contradicts", state.asserted(*id)?)));
    let mut contradicting: Vec<FactRelationRow> = fact
        .entities()
        .flat_map(|id| state.facts_of(id))
        .filter(|other| other.contradicts().contains(&fact.id()))
        .map(|other| row("contradicted by", other))
        .collect();
    contradicting.sort_by_key(|row| row.fact);
    contradicting.dedup();
    outgoing.into_iter().chain(incoming).chain(contradicted).chain(contradicting).collect()
}

/// Returns the facts of the campaign that pass a filter, up to the filter's limit. Also returns the total number of
/// facts that pass the filter. The facts are sorted by subject, predicate and id.
/// [`view_facts`](crate::known_facts::view_facts()) returns the facts that one knower knows.
///
/// # Errors
/// Returns an error if an entity does not exist, or if the predicate or the date is invalid.
pub fn facts(state: &State, filter: &FactFilter) -> Result<(Vec<FactRow>, usize), QueryError> {
    let (subject, about) = (filter.subject.as_ref(), filter.about.as_ref());
    require_entities(state, subject.into_iter().chain(about))?;
    let predicate = filter.predicate.as_deref().map(Predicate::new).transpose()?;
    let moment = AsOf { time: filter.holds_at.clone(), recorded: None }.moment(state)?;
    let candidates: Box<dyn Iterator<Item = &Arc<Fact>>> = match about {
        Some(about) => Box::new(state.facts_of(about)),
        None => Box::new(state.facts()),
    };
    let mut found: Vec<_> = candidates
        .filter(|fact| subject.is_none_or(|subject| fact.subject() == subject))
        .filter(|fact| predicate.as_ref().is_none_or(|predicate| fact.predicate() == predicate))
        .filter(|fact| filter.status.is_none_or(|status| fact.status() == status))
        .filter(|fact| moment.is_none_or(|moment| fact.validity().holds_at(Some(moment))))
        .filter(|fact| filter.object.as_ref().is_none_or(|filter| filter.matches(fact.object())))
        .collect();
    found.sort_by(|a, b| (a.subject(), a.predicate(), a.id()).cmp(&(b.subject(), b.predicate(), b.id())));
    let all = found.len();
    Ok((found.into_iter().take(filter.limit).map(|fact| fact_row(state, fact)).collect(), all))
}

/// Returns all recorded knowledge edges to a fact, active and inactive, sorted by id. For a proposed fact, the edges
/// show who learns the fact when the DM accepts the fact.
pub fn recorded_edges(state: &State, fact: FactId) -> Vec<Arc<KnowledgeEdge>> {
    let mut edges: Vec<_> = state.recorded_knowledge(fact).cloned().collect();
    edges.sort_by_key(|edge| edge.id());
    edges
}

/// Returns whether a predicate only labels its subject: it states a name, a kind, an alias or a tag.
pub(crate) fn is_label(predicate: &Predicate) -> bool {
    [attribute::NAME, attribute::KIND, attribute::ALIAS, attribute::TAG].contains(&predicate.as_str())
}

/// Returns whether a fact is marked as secret, or whether a knower conceals the fact.
pub fn is_secret(state: &State, fact: &Fact) -> bool {
    fact.secrecy() == Secrecy::Secret || state.known_by(fact.id()).any(|edge| edge.conceals)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn a_statement_is_found_by_everyone_who_takes_part() {
        let id = |name: &str| EntityId::new(name).unwrap();
        let stage = Some(ExtractionStage::Statements);
        let provenance = Provenance { stage, ..Provenance::new(Method::Inferred, Author::Extractor) };
        let meeting = Fact::attribute(&id("lanterns"), "lore", "The Lanterns will meet Kash.", provenance).unwrap();
        let meeting = meeting.mentions([id("kash")]).factuality(Factuality::Planned).build().unwrap();
        let mut changes = ["lanterns", "kash", "odo"].map(|name| Change::AddEntity(Entity::new(id(name)))).to_vec();
        changes.push(Change::AssertFact(meeting.into()));
        let mut state = State::default();
        state.apply(Operation::new(Author::Dm, "a meeting", changes)).unwrap();
        let count = |filter: FactFilter| facts(&state, &FactFilter { limit: 9, ..filter }).unwrap().1;
        let about = |name: &str| FactFilter { about: Some(id(name)), ..FactFilter::default() };
        let with_subject = |name: &str| FactFilter { subject: Some(id(name)), ..FactFilter::default() };
        assert_eq!(["lanterns", "kash", "odo"].map(|name| count(about(name))), [1, 1, 0]);
        assert_eq!(["lanterns", "kash", "odo"].map(|name| count(with_subject(name))), [1, 0, 0]);
        let (rows, _) = facts(&state, &FactFilter { limit: 9, ..about("kash") }).unwrap();
        let row = &rows[0];
        assert_eq!((&row.mentions[..], row.factuality, row.stage), (&[id("kash")][..], Factuality::Planned, stage));
    }
}
