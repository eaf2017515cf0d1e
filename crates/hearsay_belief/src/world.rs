//! Test worlds that are written in a compact notation.

use std::sync::Arc;

use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Fact, FactId, GameTime, Knower, KnowledgeEdge, Method, Operation,
    Provenance, State, Validity,
};

use crate::{Known, Occasion, View, learn::Learning};

/// A test world that is written in a compact notation.
#[derive(Default, Clone)]
pub(crate) struct World(pub(crate) State);

pub(crate) fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

pub(crate) fn knower(text: &str) -> Knower {
    text.parse().unwrap()
}

pub(crate) fn at(minute: i64) -> Option<Date> {
    Some(Date::at(GameTime(minute)))
}

impl World {
    pub(crate) fn new(entities: &str) -> Self {
        let mut world = Self::default();
        for entity in entities.split_whitespace() {
            world.apply(vec![Change::AddEntity(Entity::new(id(entity)))]);
        }
        world
    }

    pub(crate) fn apply(&mut self, changes: Vec<Change>) {
        self.0.apply(Operation::new(Author::Dm, "edit", changes)).unwrap();
    }

    /// Adds a relation that nobody knows yet.
    pub(crate) fn relation(&mut self, subject: &str, predicate: &str, object: &str, validity: Validity) -> FactId {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::relation(&id(subject), predicate, &id(object), provenance).unwrap();
        let fact = Arc::new(fact.validity(validity).build().unwrap());
        self.apply(vec![Change::AssertFact(Arc::clone(&fact))]);
        fact.id()
    }

    /// Adds a membership, a residence or a part-of relation, and makes the subject and the object know it.
    pub(crate) fn belongs(
        &mut self,
        subject: &str,
        predicate: &str,
        object: &str,
        from: Option<i64>,
        until: Option<i64>,
    ) -> FactId {
        let date = |minute: i64| Date::at(GameTime(minute));
        let fact = self.relation(subject, predicate, object, Validity { from: from.map(date), until: until.map(date) });
        self.learn(subject, fact, None);
        self.learn(object, fact, None);
        fact
    }

    pub(crate) fn learn(&mut self, name: &str, fact: FactId, learned: Option<i64>) {
        let learned = learned.and_then(at);
        self.apply(vec![Change::Learn(Arc::new(KnowledgeEdge {
            learned,
            ..KnowledgeEdge::authored(knower(name), fact)
        }))]);
    }

    /// Adds a fact that a group or place learns at a moment.
    pub(crate) fn lore(&mut self, knower: &str, text: &str, learned: Option<i64>) -> FactId {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id("thing"), "lore", text, provenance).unwrap().build().unwrap();
        let id = fact.id();
        self.apply(vec![Change::AssertFact(fact.into())]);
        self.learn(knower, id, learned);
        id
    }

    pub(crate) fn knows(&self, name: &str, fact: FactId, as_of: Option<i64>) -> bool {
        View::new(&self.0, &knower(name), as_of.map(GameTime)).fact(fact).is_some()
    }

    pub(crate) fn view(&self, name: &str) -> View {
        View::new(&self.0, &knower(name), None)
    }

    pub(crate) fn credence(&self, knower: &str, fact: FactId) -> Option<f64> {
        self.view(knower).fact(fact).map(Known::credence).map(f64::from)
    }

    /// Creates a fact that is not recorded yet.
    pub(crate) fn saying(subject: &str, text: &str) -> Arc<Fact> {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id(subject), "lore", text, provenance).unwrap();
        Arc::new(fact.statement(text).build().unwrap())
    }

    pub(crate) fn commit(&mut self, learning: Learning) -> Learning {
        self.apply(learning.changes.clone());
        learning
    }
}

pub(crate) fn occasion_at(minute: i64) -> Occasion {
    Occasion { time: at(minute), ..Occasion::default() }
}

pub(crate) fn ids(text: &str) -> Vec<EntityId> {
    text.split_whitespace().map(id).collect()
}
