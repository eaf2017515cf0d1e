//! Review: what waits for the DM, and what the DM says of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, Key, Knowledge, Operation, Predicate, SettingKey, Standing, State,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{Editor, find_fact, succession},
};

/// Why something waits for the DM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum ReviewItem {
    /// A fact whose confidence lies below the threshold.
    Doubtful {
        /// The fact.
        fact: FactId,
    },
    /// Facts that cannot all be so: one subject, a predicate that has one object at a time, times that overlap.
    Contradiction {
        /// Whom they are about.
        subject: EntityId,
        /// What they say.
        predicate: Predicate,
        /// The facts. Sorted.
        facts: Vec<FactId>,
    },
}

/// All that waits for the DM: doubtful facts first, the least sure first, then contradictions.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut doubtful: Vec<&Arc<Fact>> = state.facts().filter(|fact| fact.standing() == Standing::Proposed).collect();
    doubtful.sort_by_key(|fact| (fact.provenance().confidence, fact.id()));
    let mut groups: BTreeMap<(&EntityId, &Predicate), Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts() {
        if stands(fact) && state.is_functional(fact.predicate()) {
            groups.entry((fact.subject(), fact.predicate())).or_default().push(fact);
        }
    }
    let items = doubtful.into_iter().map(|fact| ReviewItem::Doubtful { fact: fact.id() });
    let contradictions = groups.into_iter().filter_map(|((subject, predicate), facts)| {
        let clash = |a: &&Arc<Fact>| facts.iter().any(|b| disagree(a, b));
        let facts: Vec<FactId> = facts.iter().copied().filter(clash).map(|fact| fact.id()).collect();
        (!facts.is_empty()).then(|| ReviewItem::Contradiction {
            subject: subject.clone(),
            predicate: predicate.clone(),
            facts,
        })
    });
    items.chain(contradictions).collect()
}

fn stands(fact: &Fact) -> bool {
    matches!(fact.standing(), Standing::Canon | Standing::Claimed)
}

/// Whether two facts of one subject and one functional predicate cannot both be so. What ended, nobody knows when, may
/// have ended before the other began.
fn disagree(a: &Fact, b: &Fact) -> bool {
    let ended = |fact: &Fact| fact.validity().is_closed() && fact.validity().end().is_none();
    a.object() != b.object() && !ended(a) && !ended(b) && a.validity().overlaps(b.validity())
}

/// How many items wait for the DM, kept up to date by what operations touch: [`review_items`] reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reviews {
    doubtful: BTreeSet<FactId>,
    contradictions: BTreeSet<(EntityId, Predicate)>,
}

impl Reviews {
    pub(crate) fn of(state: &State) -> Self {
        let mut reviews = Self::default();
        for item in review_items(state) {
            match item {
                ReviewItem::Doubtful { fact } => _ = reviews.doubtful.insert(fact),
                ReviewItem::Contradiction { subject, predicate, .. } => {
                    reviews.contradictions.insert((subject, predicate));
                }
            }
        }
        reviews
    }

    pub(crate) fn count(&self) -> usize {
        self.doubtful.len() + self.contradictions.len()
    }

    /// Takes over what an operation touched.
    pub(crate) fn update(&mut self, state: &State, touched: &[Key]) {
        let defines = |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(defines) {
            *self = Self::of(state);
            return;
        }
        let mut groups = BTreeSet::new();
        for key in touched {
            let Key::Fact(id) = key else { continue };
            match state.fact(*id).is_some_and(|fact| fact.standing() == Standing::Proposed) {
                true => self.doubtful.insert(*id),
                false => self.doubtful.remove(id),
            };
            if let Some(fact) = state.asserted(*id).filter(|fact| state.is_functional(fact.predicate())) {
                groups.insert((fact.subject().clone(), fact.predicate().clone()));
            }
        }
        for group in groups {
            let (subject, predicate) = &group;
            let of_group = |fact: &&Arc<Fact>| fact.subject() == subject && fact.predicate() == predicate;
            let facts: Vec<_> = state.facts_of(subject).filter(of_group).filter(|fact| stands(fact)).collect();
            match facts.iter().any(|a| facts.iter().any(|b| disagree(a, b))) {
                true => self.contradictions.insert(group),
                false => self.contradictions.remove(&group),
            };
        }
    }
}

/// What the DM says of a fact. Facts are named by id, the beginning of an id, or handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It is so.
    Accept,
    /// It is so, in other words or of another object.
    Edit {
        /// The object or value that is right.
        object: Option<String>,
        /// The sentence that is right.
        statement: Option<String>,
    },
    /// It is not so, though some believe it.
    False,
    /// It is no part of the world.
    Reject,
}

impl Decision {
    /// The operation that carries out the decision on a fact that waits for review or contradicts another.
    ///
    /// # Errors
    /// When there is no such fact, or it was rejected already.
    pub fn operation(&self, state: &State, fact: &str, now: Timestamp) -> Result<Operation, MemoryError> {
        let fact = find_fact(state, fact)?;
        let id = fact.id();
        if fact.standing() == Standing::Rejected {
            return Err(MemoryError::NotProposed { fact: id, standing: fact.standing() });
        }
        let judged = |word: &str, standing| {
            let changes = vec![Change::SetStanding { fact: id, standing }, Change::Confirm(id)];
            (format!("{word} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let (summary, changes) = match self {
            Self::Accept => {
                let (summary, mut changes) = judged("accept", Standing::Canon);
                // What is so now ends what was so before.
                let open = state.values(fact.subject(), fact.predicate());
                let mut validity = fact.validity().clone();
                changes.extend(succession(state, &open, fact.predicate(), fact.object(), &mut validity));
                (summary, changes)
            }
            Self::False => judged("mark false", Standing::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                vec![Change::SetStanding { fact: id, standing: Standing::Rejected }],
            ),
            Self::Edit { object, statement } => {
                let editor = Editor { state, author: Author::Dm, now };
                let (new, mut changes) =
                    editor.corrected(&fact, object.as_deref(), statement.as_deref(), Standing::Canon)?;
                // The words that were proposed stay on record as rejected, so that they are not proposed again.
                changes.push(match new.id() == id {
                    true => Change::Confirm(id),
                    false => Change::SetStanding { fact: id, standing: Standing::Rejected },
                });
                (format!("accept as \u{201C}{}\u{201D}", new.statement()), changes)
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}

/// Those who would learn a proposed fact once it is accepted.
pub fn would_learn(state: &State, fact: FactId) -> Vec<Arc<Knowledge>> {
    let mut edges: Vec<_> = state.recorded_knowledge(fact).cloned().collect();
    edges.sort_by_key(|edge| edge.id());
    edges
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Date, Entity, GameTime, Method, Object, Provenance, Validity};
    use proptest::prelude::*;

    use super::*;

    fn id(n: u8) -> EntityId {
        EntityId::new(format!("e{}", n % 4)).unwrap()
    }

    fn fact(n: u8) -> Fact {
        let name = ["LOCATED_AT", "EMPLOYED_BY", "OWES"][usize::from(n) % 3];
        let date = |minute: u8| Some(Date::at(GameTime(minute.into())));
        let validity = match n % 5 {
            0 => Validity { from: date(n % 7), until: None },
            1 => Validity { from: date(n % 7), until: date(n % 7 + 3) },
            2 => Validity { from: None, until: Some(Date { raw: "long ago".into(), time: None }) },
            _ => Validity::default(),
        };
        let provenance = Provenance::new(Method::Stated, Author::Extractor);
        let builder = Fact::relation(&id(n / 3), name, &id(n / 12), provenance).unwrap();
        builder.standing(Standing::ALL[usize::from(n / 7) % 5]).validity(validity).build().unwrap()
    }

    proptest! {
        #[test]
        fn the_count_follows_every_operation(steps in prop::collection::vec((0..7_u8, any::<u8>()), 1..60)) {
            let mut state = State::default();
            let mut reviews = Reviews::default();
            let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
            let mut changes = vec![begin];
            changes.extend(steps.into_iter().map(|(what, n)| vec![match what {
                0 => Change::SetStanding { fact: fact(n).id(), standing: Standing::ALL[usize::from(n) % 5] },
                1 => Change::RemoveEntity(id(n)),
                2 => Change::AddEntity(Entity::new(id(n))),
                3 => Change::Void(hearsay_model::Position(u64::from(n % 40))),
                4 => Change::EndFact { fact: fact(n).id(), until: Date::at(GameTime(9)) },
                _ => Change::AssertFact(Arc::new(fact(n))),
            }]));
            for changes in changes {
                if let Ok(applied) = state.apply(Operation::new(Author::Dm, "step", changes)) {
                    reviews.update(&state, &applied.touched);
                    prop_assert_eq!(&reviews, &Reviews::of(&state));
                }
            }
            prop_assert_eq!(reviews.count(), review_items(&state).len());
        }
    }

    #[test]
    fn facts_disagree_when_both_cannot_be_so() {
        let check = |a: (&str, Validity), b: (&str, Validity), expected: bool| {
            let build = |(object, validity): (&str, Validity)| {
                let provenance = Provenance::new(Method::Stated, Author::Extractor);
                let object = Object::Entity(EntityId::new(object).unwrap());
                let builder = Fact::relation(&id(0), "LOCATED_AT", &id(1), provenance).unwrap();
                builder.object(object).validity(validity).build().unwrap()
            };
            let (a, b) = (build(a), build(b));
            assert_eq!(disagree(&a, &b), expected);
            assert_eq!(disagree(&b, &a), expected);
        };
        let from_to = |from: Option<i64>, until: Option<i64>| {
            let date = |minute: i64| Date::at(GameTime(minute));
            Validity { from: from.map(date), until: until.map(date) }
        };
        let over = Validity { from: None, until: Some(Date { raw: String::new(), time: None }) };
        check(("inn", from_to(None, None)), ("mill", from_to(None, None)), true);
        check(("inn", from_to(None, None)), ("inn", from_to(None, None)), false);
        check(("inn", from_to(None, Some(5))), ("mill", from_to(Some(5), None)), false);
        check(("inn", from_to(None, Some(6))), ("mill", from_to(Some(5), None)), true);
        check(("inn", over.clone()), ("mill", from_to(None, None)), false);
        check(("inn", over.clone()), ("mill", over), false);
    }
}
