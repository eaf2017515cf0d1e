//! Creates the rows of the graph tables from the state.

use std::collections::BTreeSet;

use hearsay_model::{
    Author, Date, EntityId, Evidence, Excerpt, Fact, Justification, Key, Knower, KnowledgeEdge, Object as FactObject,
    Passage, Provenance, Session, State, TalkKind, Validity, Value as FactValue, attribute,
};
use surrealdb::types::{Array, Number, Object, Value};

use super::row::{ProjectionRow, Table};
use crate::engine::values::{int, object, record};

/// Attributes whose values are also stored in the record of their entity.
const NAMING_ATTRIBUTES: [&str; 3] = [attribute::NAME, attribute::ALIAS, attribute::KIND];

/// Returns a row of the graph tables for each of the given keys, with the current contents from the state. If the state
/// contains no data for a key, the row deletes the record. To write the rows, call
/// [`Store::project`](crate::Store::project).
///
/// Pass [`Applied::touched`](hearsay_model::Applied::touched) as `touched`. If a touched fact states the name, an alias
/// or the kind of an entity, the result also contains the row of that entity.
pub fn rows(state: &State, touched: &[Key]) -> Vec<ProjectionRow> {
    let naming_facts = touched.iter().filter_map(|key| match key {
        Key::Fact(id) => state.asserted(*id).filter(|fact| NAMING_ATTRIBUTES.contains(&fact.predicate().as_str())),
        _ => None,
    });
    let mut rows = rows_for_keys(state, touched);
    // The rows of touched entities are already in `rows`.
    let mut named_entities: BTreeSet<&EntityId> = naming_facts.map(|fact| fact.subject()).collect();
    for key in touched {
        if let Key::Entity(id) = key {
            named_entities.remove(id);
        }
    }
    rows.extend(named_entities.into_iter().map(|id| ProjectionRow {
        table: Table::Entity,
        id: id.to_string(),
        content: entity_row(state, id),
    }));
    rows
}

/// Returns the same rows as [`rows()`], except for the additional rows of entities.
pub(crate) fn rows_for_keys(state: &State, touched: &[Key]) -> Vec<ProjectionRow> {
    let mut rows = Vec::with_capacity(touched.len());
    for key in touched {
        match key {
            Key::Entity(id) => {
                rows.push(ProjectionRow { table: Table::Entity, id: id.to_string(), content: entity_row(state, id) });
            }
            Key::Fact(id) => {
                let Some(asserted) = state.asserted(*id) else {
                    // The fact was a transient value that was replaced. Its table cannot be determined any more, so its
                    // record is deleted from both possible tables.
                    let deletion = |table| ProjectionRow { table, id: id.to_string(), content: None };
                    rows.extend([Table::Fact, Table::Attribute].map(deletion));
                    continue;
                };
                let table = fact_table(asserted);
                let content = state.fact(*id).map(|fact| fact_row(fact));
                rows.push(ProjectionRow { table, id: id.to_string(), content });
            }
            Key::KnowledgeEdge(id) => {
                let content = state.knowledge(*id).and_then(|edge| knowledge_row(state, edge));
                rows.push(ProjectionRow { table: Table::Knows, id: id.to_string(), content });
            }
            Key::Passage(id) => {
                let content = state.passage(*id).map(|passage| passage_row(passage));
                rows.push(ProjectionRow { table: Table::Passage, id: id.to_string(), content });
            }
            Key::Session(id) => {
                let content = state.session(id).map(|session| session_row(session));
                rows.push(ProjectionRow { table: Table::Session, id: id.to_string(), content });
            }
            Key::Setting(_) => {}
        }
    }
    rows
}

/// Returns the keys of all records that the graph tables must contain, in pages of at most `page` keys. The keys of each
/// kind of record are computed when the iterator reaches them.
pub fn all_keys(state: &State, page: usize) -> impl Iterator<Item = Vec<Key>> {
    let kinds: [fn(&State) -> Vec<Key>; 5] = [
        |state| state.entities().map(|entity| Key::Entity(entity.id.clone())).collect(),
        |state| state.sessions().map(|session| Key::Session(session.id.clone())).collect(),
        |state| state.passages().map(|(id, _)| Key::Passage(id)).collect(),
        |state| state.facts().map(|fact| Key::Fact(fact.id())).collect(),
        |state| state.all_knowledge().map(|(id, _)| Key::KnowledgeEdge(id)).collect(),
    ];
    let pages = move |keys: Vec<Key>| keys.chunks(page).map(<[Key]>::to_vec).collect::<Vec<_>>();
    kinds.into_iter().flat_map(move |keys| pages(keys(state)))
}

fn entity_row(state: &State, id: &EntityId) -> Option<Object> {
    let entity = state.entity(id)?;
    let external = entity
        .external_ids
        .iter()
        .map(|external| Value::Object(object([("system", text(&external.system)), ("id", text(&external.id))])));
    Some(object([
        ("name", optional(state.name(id))),
        ("kind", state.kind(id).map_or(Value::None, |kind| text(kind.as_str()))),
        ("names", array(state.names(id).into_iter().map(text))),
        ("external_ids", array(external)),
    ]))
}

fn fact_table(fact: &Fact) -> Table {
    if fact.object().entity().is_some() { Table::Fact } else { Table::Attribute }
}

fn fact_row(fact: &Fact) -> Object {
    let mut row = object([
        ("predicate", text(fact.predicate().as_str())),
        ("statement", text(fact.statement())),
        ("attitude", fact.attitude().map_or(Value::None, |attitude| int(attitude.get()))),
        ("rank", optional(fact.rank())),
        ("conditions", optional(fact.conditions())),
        ("validity", validity(fact.validity())),
        ("status", text(fact.status().as_str())),
        ("secrecy", text(fact.secrecy().as_str())),
        ("mentions", array(fact.mentions().iter().map(entity))),
        ("handle", optional(fact.handle())),
        ("provenance", provenance(fact.provenance())),
    ]);
    match fact.object() {
        FactObject::Entity(id) => {
            row.insert("in", entity(fact.subject()));
            row.insert("out", entity(id));
        }
        FactObject::Value(value) => {
            row.insert("entity", entity(fact.subject()));
            row.insert(
                "value",
                match value {
                    FactValue::Text(words) => text(words),
                    FactValue::Number(number) => float(number.get()),
                    FactValue::Flag(flag) => Value::Bool(*flag),
                },
            );
        }
    }
    row
}

fn knowledge_row(state: &State, edge: &KnowledgeEdge) -> Option<Object> {
    let fact = state.fact(edge.fact)?;
    let acquisition = &edge.acquisition;
    let link = |id: Option<&EntityId>| id.map_or(Value::None, entity);
    Some(object([
        ("in", knower(&edge.knower)),
        ("out", record(fact_table(fact).name(), fact.id().to_string())),
        ("acquisition", text(acquisition.name())),
        ("by", link(acquisition.teller())),
        ("document", link(acquisition.document())),
        ("deduced_from", array(acquisition.premises().into_iter().flatten().map(|id| Value::String(id.to_string())))),
        ("citing", link(acquisition.cited_source())),
        ("co_present", array(edge.co_present.iter().map(entity))),
        (
            "sources",
            array(edge.sources.iter().flat_map(Justification::edges).map(|id| record("knows", id.to_string()))),
        ),
        ("rank", optional(edge.rank.as_deref())),
        ("learned", edge.learned.as_ref().map_or(Value::None, date)),
        ("credence", float(edge.credence.get())),
        ("conceals", Value::Bool(edge.conceals)),
        ("session", edge.session.as_ref().map_or(Value::None, |id| record("session", id.as_str()))),
    ]))
}

fn passage_row(passage: &Passage) -> Object {
    let link = |id: &Option<EntityId>| id.as_ref().map_or(Value::None, entity);
    object([
        ("text", text(&passage.text)),
        ("title", optional(passage.title.as_deref())),
        ("speaker", link(&passage.speaker)),
        ("session", passage.session.as_ref().map_or(Value::None, |id| record("session", id.as_str()))),
        ("line", int(passage.line)),
        ("time", passage.time.as_ref().map_or(Value::None, date)),
        ("place", link(&passage.place)),
        ("heard_by", array(passage.heard_by.iter().map(knower))),
        ("read_by", array(passage.readers.iter().map(|reader| knower(&reader.knower)))),
        ("mentions", array(passage.mentions.iter().map(entity))),
        ("document", link(&passage.document)),
        ("evidence", array(passage.evidence.iter().map(evidence))),
        ("talk_kind", optional(passage.talk_kind.map(TalkKind::as_str))),
    ])
}

fn session_row(session: &Session) -> Object {
    object([
        ("number", session.number.map_or(Value::None, int)),
        ("title", text(&session.title)),
        ("date", optional(session.date.as_deref())),
        ("start", session.start.as_ref().map_or(Value::None, date)),
        ("end", session.end.as_ref().map_or(Value::None, date)),
        ("present", array(session.present.iter().map(entity))),
    ])
}

fn provenance(provenance: &Provenance) -> Value {
    let (author, name) = match &provenance.author {
        Author::Dm => ("dm", None),
        Author::Game => ("game", None),
        Author::Player(name) => ("player", Some(name.as_str())),
        Author::Importer(name) => ("importer", Some(name.as_str())),
        Author::Extractor => ("extractor", None),
    };
    let method = match provenance.method {
        hearsay_model::Method::Witnessed => "witnessed",
        hearsay_model::Method::Stated => "stated",
        hearsay_model::Method::Inferred => "inferred",
        hearsay_model::Method::Authored => "authored",
        hearsay_model::Method::Imported => "imported",
    };
    Value::Object(object([
        ("method", text(method)),
        ("author", text(author)),
        ("author_name", optional(name)),
        ("session", provenance.session.as_ref().map_or(Value::None, |id| record("session", id.as_str()))),
        ("speaker", provenance.speaker.as_ref().map_or(Value::None, entity)),
        ("recorded", int(provenance.recorded.0)),
        ("confidence", float(provenance.confidence.get())),
        ("confirmed", Value::Bool(provenance.confirmed)),
        ("evidence", array(provenance.evidence.iter().map(evidence))),
    ]))
}

fn evidence(evidence: &Evidence) -> Value {
    Value::Object(match evidence {
        Evidence::Passage { passage, span, quote } => object([
            ("passage", record("passage", passage.to_string())),
            ("start", int(span.start)),
            ("end", int(span.end)),
            ("quote", text(quote)),
        ]),
        Evidence::File { path, line, field } => {
            object([("path", text(path)), ("line", int(*line)), ("field", text(field))])
        }
        Evidence::Excerpt(excerpt) => {
            let Excerpt { path, line, field, span, quote, source, hash } = &**excerpt;
            object([
                ("path", text(path)),
                ("line", int(*line)),
                ("field", text(field)),
                ("start", int(span.start)),
                ("end", int(span.end)),
                ("quote", text(quote)),
                ("source", text(source)),
                ("hash", text(hash)),
            ])
        }
    })
}

fn validity(validity: &Validity) -> Value {
    let bound = |bound: &Option<Date>| bound.as_ref().map_or(Value::None, date);
    Value::Object(object([("from", bound(&validity.from)), ("until", bound(&validity.until))]))
}

fn date(date: &Date) -> Value {
    Value::Object(object([("raw", text(&date.raw)), ("time", date.time.map_or(Value::None, |time| int(time.0)))]))
}

fn entity(id: &EntityId) -> Value {
    record("entity", id.as_str())
}

fn knower(knower: &Knower) -> Value {
    match knower {
        Knower::World => record("world", "everyone"),
        Knower::Entity(id) => entity(id),
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn optional(words: Option<&str>) -> Value {
    words.map_or(Value::None, text)
}

fn float(number: f64) -> Value {
    Value::Number(Number::Float(number))
}

fn array(values: impl Iterator<Item = Value>) -> Value {
    Value::Array(Array::from(values.collect::<Vec<_>>()))
}
