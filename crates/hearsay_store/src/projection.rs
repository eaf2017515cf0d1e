//! The graph: rows of tables that plain SurrealQL can walk, derived from the state.
//!
//! | table | holds | id |
//! |---|---|---|
//! | `entity` | name, kind, names, external ids | the slug |
//! | `fact` | relations, as edges entity → entity | the fact's id |
//! | `attribute` | facts with a value, linked by `entity` | the fact's id |
//! | `knows` | edges entity (or `world:everyone`) → fact or attribute | the edge's id |
//! | `passage`, `session` | texts and meetings | their ids |

use std::collections::BTreeSet;

use hearsay_model::{
    Author, Date, EntityId, Evidence, Excerpt, Fact, FactId, How, Key, Knower, Knowledge, Object as FactObject,
    Passage, Position, Provenance, Session, Source, State, Validity, Value as FactValue, attribute,
};
use surrealdb::types::{Array, Number, Object, RecordId, Value};

use crate::db::{int, object, record};

/// Tables in the order in which rows are written. They are deleted in the opposite order: edges before their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Entity,
    Session,
    Passage,
    Fact,
    Attribute,
    Knows,
}

impl Table {
    pub(crate) const ALL: [Self; 6] =
        [Self::Entity, Self::Session, Self::Passage, Self::Fact, Self::Attribute, Self::Knows];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Session => "session",
            Self::Passage => "passage",
            Self::Fact => "fact",
            Self::Attribute => "attribute",
            Self::Knows => "knows",
        }
    }

    /// Whether rows are edges.
    pub(crate) fn is_relation(self) -> bool {
        matches!(self, Self::Fact | Self::Knows)
    }
}

/// How far the graph tables show what was committed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Watermark {
    /// The position of the newest operation that they show.
    pub position: Position,
    /// The number of the newest batch of transient values that they show.
    pub batch: u64,
}

/// Tables that show no batch of transient values: those are written again at the next opening.
impl From<Position> for Watermark {
    fn from(position: Position) -> Self {
        Self { position, batch: 0 }
    }
}

/// Attributes that a record of an entity shows.
const NAMING: [&str; 3] = [attribute::NAME, attribute::ALIAS, attribute::KIND];

/// One record of the graph tables: what it is now, or that it is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub(crate) table: Table,
    pub(crate) id: String,
    /// Nothing, when the record is gone.
    pub(crate) content: Option<Object>,
}

impl Row {
    /// The table.
    pub fn table(&self) -> &'static str {
        self.table.name()
    }

    /// The id within the table.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the record is to be deleted.
    pub fn is_deletion(&self) -> bool {
        self.content.is_none()
    }

    pub(crate) fn record(&self) -> Value {
        record(self.table.name(), self.id.as_str())
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        fn weight(value: &Value) -> usize {
            16 + match value {
                Value::String(text) => text.len(),
                Value::Array(values) => values.iter().map(weight).sum(),
                Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + weight(value)).sum(),
                Value::RecordId(_) => 48,
                _ => 0,
            }
        }
        64 + self.content.iter().flat_map(|fields| fields.iter()).map(|(n, v)| n.len() + weight(v)).sum::<usize>()
    }
}

/// The records that show what some keys stand for, as the state is now. Pure.
///
/// `touched` is what [`Applied::touched`](hearsay_model::Applied::touched) says. Where a name or a kind is touched,
/// the record of the entity is made anew too.
pub fn rows(state: &State, touched: &[Key]) -> Vec<Row> {
    let named = touched.iter().filter_map(|key| match key {
        Key::Fact(id) => state.asserted(*id).filter(|fact| NAMING.contains(&fact.predicate().as_str())),
        _ => None,
    });
    let mut rows = own_rows(state, touched);
    // Entities that are touched themselves have their rows already.
    let mut others: BTreeSet<&EntityId> = named.map(|fact| fact.subject()).collect();
    for key in touched {
        if let Key::Entity(id) = key {
            others.remove(id);
        }
    }
    rows.extend(others.into_iter().map(|id| Row {
        table: Table::Entity,
        id: id.to_string(),
        content: entity_row(state, id),
    }));
    rows
}

/// As [`rows()`], without the records of entities whose names are touched.
pub(crate) fn own_rows(state: &State, touched: &[Key]) -> Vec<Row> {
    let mut rows = Vec::with_capacity(touched.len());
    for key in touched {
        match key {
            Key::Entity(id) => {
                rows.push(Row { table: Table::Entity, id: id.to_string(), content: entity_row(state, id) });
            }
            Key::Fact(id) => {
                let Some(asserted) = state.asserted(*id) else {
                    // A transient value that was replaced: nothing tells any more which table it was in.
                    let deletion = |table| Row { table, id: id.to_string(), content: None };
                    rows.extend([Table::Fact, Table::Attribute].map(deletion));
                    continue;
                };
                let table = fact_table(asserted);
                let content = state.fact(*id).map(|fact| fact_row(fact));
                rows.push(Row { table, id: id.to_string(), content });
            }
            Key::Knowledge(id) => {
                let content = state.knowledge(*id).and_then(|edge| knowledge_row(state, edge));
                rows.push(Row { table: Table::Knows, id: id.to_string(), content });
            }
            Key::Passage(id) => {
                let content = state.passage(*id).map(|passage| passage_row(passage));
                rows.push(Row { table: Table::Passage, id: id.to_string(), content });
            }
            Key::Session(id) => {
                let content = state.session(id).map(|session| session_row(session));
                rows.push(Row { table: Table::Session, id: id.to_string(), content });
            }
            Key::Setting(_) => {}
        }
    }
    rows
}

/// Every key that has a record.
pub(crate) fn all_keys(state: &State) -> Vec<Key> {
    let entities = state.entities().map(|entity| Key::Entity(entity.id.clone()));
    let sessions = state.sessions().map(|session| Key::Session(session.id.clone()));
    let passages = state.passages().map(|(id, _)| Key::Passage(id));
    let facts = state.facts().map(|fact| Key::Fact(fact.id()));
    let knowledge = state.all_knowledge().map(|(id, _)| Key::Knowledge(id));
    entities.chain(sessions).chain(passages).chain(facts).chain(knowledge).collect()
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
        ("standing", text(fact.standing().as_str())),
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

fn knowledge_row(state: &State, edge: &Knowledge) -> Option<Object> {
    let fact = state.fact(edge.fact)?;
    let (how, by, document, from) = match &edge.how {
        How::Witnessed => ("witnessed", Value::None, Value::None, &[][..]),
        How::Shared => ("shared", Value::None, Value::None, &[][..]),
        How::Told { by, .. } => ("told", by.as_ref().map_or(Value::None, entity), Value::None, &[][..]),
        How::Read { document } => ("read", Value::None, document.as_ref().map_or(Value::None, entity), &[][..]),
        How::Authored => ("authored", Value::None, Value::None, &[][..]),
        How::Deduced { from } => ("deduced", Value::None, Value::None, from.as_slice()),
    };
    let citing = match &edge.how {
        How::Told { citing: Some(citing), .. } => entity(citing),
        _ => Value::None,
    };
    Some(object([
        ("in", knower(&edge.knower)),
        ("out", record(fact_table(fact).name(), fact.id().to_string())),
        ("how", text(how)),
        ("by", by),
        ("document", document),
        ("deduced_from", array(from.iter().map(|id: &FactId| Value::String(id.to_string())))),
        ("citing", citing),
        ("company", array(edge.company.iter().map(entity))),
        ("sources", array(edge.sources.iter().flat_map(Source::edges).map(|id| record("knows", id.to_string())))),
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
    let side = |side: &Option<Date>| side.as_ref().map_or(Value::None, date);
    Value::Object(object([("from", side(&validity.from)), ("until", side(&validity.until))]))
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

/// The ids of rows of one table, to delete them.
pub(crate) fn ids<'a>(rows: impl Iterator<Item = &'a Row>) -> Value {
    array(rows.map(|row| Value::RecordId(RecordId::new(row.table.name(), row.id.as_str()))))
}
