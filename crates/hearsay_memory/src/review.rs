//! Review: what waits for the DM, and what the DM says of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_campaign::LeftOut;
use hearsay_model::{
    Author, Bearing, Change, EntityId, Fact, FactId, Key, Knowledge, Operation, Predicate, SettingKey, Standing, State,
    Timestamp, attribute,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    duplicates::{Claim, Duplicate},
    edit::{Editor, Right, find_fact, succession},
    learn::lift,
    query::consequence,
    reading::is_newcomer,
};

/// Why something waits for the DM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum ReviewItem {
    /// A fact whose confidence lies below the threshold.
    Doubtful {
        /// The fact: the surest, where several sources say the same; the name of somebody new.
        fact: FactId,
        /// What others say that is the same; of what kind somebody new is. It is decided with it. Sorted.
        also: Vec<FactId>,
    },
    /// Facts of one subject that cannot all be so.
    Contradiction {
        /// Whom they are about.
        subject: EntityId,
        /// In what they clash.
        clash: Clash,
        /// The facts. Sorted.
        facts: Vec<FactId>,
    },
    /// Two entities that may be one.
    Duplicate(Duplicate),
}

/// Why facts cannot all be so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clash {
    /// A predicate that has one object at a time has several, at times that overlap.
    OneAtATime(Predicate),
    /// Opposite relations to one and the same entity.
    Opposites(EntityId),
    /// One is refuted by the others.
    Refuted(FactId),
}

/// What waits for the DM of facts: the most consequential first, by how likely it is, too. Entities that may be one are
/// looked for by [`duplicates`](crate::duplicates::duplicates), which takes longer.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut claims: BTreeMap<Together, Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.standing() == Standing::Proposed) {
        claims.entry(Together::of(state, fact)).or_default().push(fact);
    }
    let subjects: BTreeSet<&EntityId> = state.facts().filter(|fact| stands(fact)).map(|fact| fact.subject()).collect();
    let clashes: Vec<ReviewItem> = subjects.into_iter().flat_map(|subject| contradictions(state, subject)).collect();
    let mut items: Vec<(f64, ReviewItem)> = Vec::new();
    for facts in claims.values() {
        let is_name = |fact: &Fact| fact.predicate().as_str() == attribute::NAME;
        let surest = facts.iter().max_by_key(|fact| (is_name(fact), fact.provenance().confidence, fact.id()));
        let Some(surest) = surest else { continue };
        let mut also: Vec<FactId> = facts.iter().map(|fact| fact.id()).filter(|id| *id != surest.id()).collect();
        also.sort_unstable();
        let lift = lift(state, surest).map_or(0.0, |lift| lift.by);
        let stake = stake(state, surest, false).0 * (1.0 + lift);
        items.push((stake, ReviewItem::Doubtful { fact: surest.id(), also }));
    }
    for item in clashes {
        let ReviewItem::Contradiction { facts, .. } = &item else { continue };
        let stakes = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| stake(state, fact, true).0);
        items.push((stakes.fold(0.0, f64::max), item));
    }
    // The sort keeps the order of those at which the same is at stake: by claim, then by subject.
    items.sort_by(|a, b| b.0.total_cmp(&a.0));
    items.into_iter().map(|(_, item)| item).collect()
}

/// How much is at stake with a fact, and why: how much follows from it, times how likely it is to be so. A guess about
/// somebody whom all know waits behind what was said in plain words.
pub fn stake(state: &State, fact: &Fact, contradicts: bool) -> (f64, Vec<String>) {
    let (follows, why) = consequence(state, fact, contradicts);
    // That files have no sign of what somebody is, is a question that can wait, however many there are of it.
    let asks = fact.predicate().as_str() == attribute::KIND && fact.object().text() == Some("unknown");
    let worth = if asks { 0.1 } else { 1.0 };
    (worth * follows * fact.provenance().confidence.get(), why)
}

/// What is decided together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Together {
    /// What says the same.
    Claim(Claim),
    /// What somebody new is called, and of what kind it is.
    Naming(EntityId),
}

impl Together {
    fn of(state: &State, fact: &Fact) -> Self {
        match is_naming(fact) {
            true => Self::Naming(fact.subject().clone()),
            false => Self::Claim(Claim::of(state.vocabulary(), fact)),
        }
    }

    fn subject(&self) -> &EntityId {
        match self {
            Self::Claim(claim) => claim.subject(),
            Self::Naming(id) => id,
        }
    }
}

/// Whether a text that has somebody new says so.
pub(crate) fn is_naming(fact: &Fact) -> bool {
    let names = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    names && fact.provenance().author == Author::Extractor
}

/// The contradictions in what is said of a subject.
fn contradictions(state: &State, subject: &EntityId) -> Vec<ReviewItem> {
    let standing: Vec<&Arc<Fact>> = state.facts_of(subject).filter(|fact| stands(fact)).collect();
    let own: Vec<&Arc<Fact>> = standing.iter().copied().filter(|fact| fact.subject() == subject).collect();
    let mut clashes: BTreeMap<Clash, BTreeSet<FactId>> = BTreeMap::new();
    let mut note = |clash, a: &Fact, b: &Fact| {
        clashes.entry(clash).or_default().extend([a.id(), b.id()]);
    };
    // Only what may clash is compared: the states of one functional predicate, the relations to one entity.
    let mut states: BTreeMap<&Predicate, Vec<&Fact>> = BTreeMap::new();
    let mut relations: BTreeMap<&EntityId, Vec<&Fact>> = BTreeMap::new();
    for fact in &own {
        if state.is_functional(fact.predicate()) {
            states.entry(fact.predicate()).or_default().push(fact);
        }
        if let Some(object) = fact.object().entity() {
            relations.entry(object).or_default().push(fact);
        }
    }
    for (predicate, facts) in states {
        for (a, b) in pairs(&facts).filter(|(a, b)| a.object() != b.object() && must_overlap(a, b)) {
            note(Clash::OneAtATime(predicate.clone()), a, b);
        }
    }
    for (object, facts) in relations {
        let vocabulary = state.vocabulary();
        for (a, b) in pairs(&facts) {
            if vocabulary.are_opposites(a.predicate(), b.predicate()) && must_overlap(a, b) {
                note(Clash::Opposites(object.clone()), a, b);
            }
        }
    }
    for other in &standing {
        if let Some(Bearing::Refutes(id)) = other.bearing()
            && let Some(refuted) = own.iter().find(|fact| fact.id() == id)
        {
            note(Clash::Refuted(id), refuted, other);
        }
    }
    let item = |(clash, facts): (Clash, BTreeSet<FactId>)| ReviewItem::Contradiction {
        subject: subject.clone(),
        clash,
        facts: facts.into_iter().collect(),
    };
    clashes.into_iter().map(item).collect()
}

fn stands(fact: &Fact) -> bool {
    matches!(fact.standing(), Standing::Canon | Standing::Claimed)
}

fn pairs<'a>(facts: &'a [&Fact]) -> impl Iterator<Item = (&'a Fact, &'a Fact)> {
    facts.iter().enumerate().flat_map(|(number, a)| facts[number + 1..].iter().map(|b| (*a, *b)))
}

/// Whether two facts may both hold at some time. What ended, nobody knows when, may have ended before the other began.
pub(crate) fn overlap(a: &Fact, b: &Fact) -> bool {
    let ended = |fact: &Fact| fact.validity().is_closed() && fact.validity().end().is_none();
    !ended(a) && !ended(b) && a.validity().overlaps(b.validity())
}

/// Whether they must: what began, nobody knows when, and goes on may have begun when the other ended.
fn must_overlap(a: &Fact, b: &Fact) -> bool {
    let follows = |one: &Fact, other: &Fact| {
        let (one, other) = (one.validity(), other.validity());
        one.from.is_none() && !one.is_closed() && other.is_closed()
    };
    overlap(a, b) && !follows(a, b) && !follows(b, a)
}

/// How many items wait for the DM, kept up to date by what operations touch: [`review_items`] reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reviews {
    doubtful: BTreeMap<FactId, Together>,
    /// How many of these are decided together.
    claims: BTreeMap<Together, usize>,
    /// By subject, how many there are.
    contradictions: BTreeMap<EntityId, usize>,
}

impl Reviews {
    pub(crate) fn of(state: &State) -> Self {
        let mut reviews = Self::default();
        let mut subjects = BTreeSet::new();
        for fact in state.facts() {
            reviews.note(state, fact.id());
            if stands(fact) {
                subjects.insert(fact.subject());
            }
        }
        let counted = subjects.into_iter().map(|subject| (subject.clone(), contradictions(state, subject).len()));
        reviews.contradictions = counted.filter(|(_, count)| *count > 0).collect();
        reviews
    }

    pub(crate) fn count(&self) -> usize {
        self.claims.len() + self.contradictions.values().sum::<usize>()
    }

    fn note(&mut self, state: &State, id: FactId) {
        if let Some(claim) = self.doubtful.remove(&id)
            && let Some(count) = self.claims.get_mut(&claim)
        {
            *count -= 1;
            if *count == 0 {
                self.claims.remove(&claim);
            }
        }
        if let Some(fact) = state.fact(id).filter(|fact| fact.standing() == Standing::Proposed) {
            let claim = Together::of(state, fact);
            *self.claims.entry(claim.clone()).or_default() += 1;
            self.doubtful.insert(id, claim);
        }
    }

    /// Takes over what an operation touched.
    pub(crate) fn update(&mut self, state: &State, touched: &[Key]) {
        let defines = |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(defines) {
            *self = Self::of(state);
            return;
        }
        let mut subjects = BTreeSet::new();
        for key in touched {
            let Key::Fact(id) = key else { continue };
            self.note(state, *id);
            // What refutes another mentions its subject.
            subjects.extend(state.asserted(*id).into_iter().flat_map(|fact| fact.entities().cloned()));
        }
        for subject in subjects {
            match contradictions(state, &subject).len() {
                0 => self.contradictions.remove(&subject),
                count => self.contradictions.insert(subject, count),
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
    /// It is so, but of somebody else, in another way, or in other words.
    Edit {
        /// Of whom it is so: an id or a name.
        #[serde(default)]
        subject: Option<String>,
        /// What is so of them: `OWES`, or words such as `works for`; the name of an attribute.
        #[serde(default)]
        predicate: Option<String>,
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
        if let Some(left_out) = LeftOut::of(&fact) {
            return Ok(self.left_out(state, &fact, left_out, now));
        }
        let mut same = waiting_with(state, &fact);
        match self {
            // What is so of somebody new says that there is somebody of that name; what is no name, that nothing is so.
            Self::Accept | Self::Edit { .. } => {}
            Self::Reject | Self::False => same.extend(stands_on(state, &fact)),
        }
        same.sort_unstable();
        same.dedup();
        let confirm = |fact| [Change::SetStanding { fact, standing: Standing::Canon }, Change::Confirm(fact)];
        let judged = |word: &str, standing| {
            let judge = |fact| [Change::SetStanding { fact, standing }, Change::Confirm(fact)];
            let changes: Vec<Change> = std::iter::once(id).chain(same.iter().copied()).flat_map(judge).collect();
            (format!("{word} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let rejected = |fact| Change::SetStanding { fact, standing: Standing::Rejected };
        let (summary, changes) = match self {
            Self::Accept => {
                let (summary, mut changes) = judged("accept", Standing::Canon);
                changes.extend(names_in(state, &fact).into_iter().flat_map(confirm));
                // What is so now ends what was so before.
                let open = state.values(fact.subject(), fact.predicate());
                let mut validity = fact.validity().clone();
                changes.extend(succession(state, &open, fact.predicate(), fact.object(), &mut validity));
                (summary, changes)
            }
            Self::False => judged("mark false", Standing::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                std::iter::once(id).chain(same.iter().copied()).map(rejected).collect(),
            ),
            Self::Edit { subject, predicate, object, statement } => {
                let editor = Editor { state, author: Author::Dm, now };
                let right = Right {
                    subject: subject.as_deref(),
                    predicate: predicate.as_deref(),
                    object: object.as_deref(),
                    statement: statement.as_deref(),
                };
                let (new, mut changes) = editor.corrected(&fact, &right, Standing::Canon)?;
                // The words that were proposed stay on record as rejected, so that they are not proposed again.
                changes.push(match new.id() == id {
                    true => Change::Confirm(id),
                    false => rejected(id),
                });
                changes.extend(same.iter().copied().map(rejected));
                (format!("accept as \u{201C}{}\u{201D}", new.statement()), changes)
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }

    /// Withdraws what a source has no more, if the DM says so; else it stays, and is not asked for again.
    fn left_out(&self, state: &State, proposal: &Fact, what: LeftOut, now: Timestamp) -> Operation {
        let id = proposal.id();
        let (word, changes) = match self {
            Self::Accept => {
                let withdraw = match what {
                    LeftOut::Fact(fact) => state.fact(fact).map(|_| Change::RetractFact(fact)),
                    LeftOut::Passage(passage) => state.passage(passage).map(|_| Change::RemovePassage(passage)),
                    LeftOut::Entity(entity) => state.entity(&entity).map(|_| Change::RemoveEntity(entity)),
                };
                ("withdraw", std::iter::once(Change::RetractFact(id)).chain(withdraw).collect())
            }
            _ => ("keep", vec![Change::SetStanding { fact: id, standing: Standing::Rejected }]),
        };
        let summary = format!("{word}: {}", proposal.statement());
        Operation { author: Author::Dm, recorded: now, summary, changes }
    }
}

/// What others say that waits too, and is the same.
pub(crate) fn waiting_with(state: &State, fact: &Fact) -> Vec<FactId> {
    if fact.standing() != Standing::Proposed {
        return Vec::new();
    }
    let claim = Together::of(state, fact);
    let waiting = waiting_about(state, claim.subject()).filter(|other| other.id() != fact.id());
    let mut same: Vec<FactId> =
        waiting.filter(|other| Together::of(state, other) == claim).map(|other| other.id()).collect();
    same.sort_unstable();
    same.dedup();
    same
}

pub(crate) fn waiting_about<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
    state.facts_of(id).filter(|fact| fact.standing() == Standing::Proposed)
}

/// What a fact stands on: the names, and kinds, of those in it who are new.
fn names_in<'a>(state: &'a State, fact: &'a Fact) -> Vec<FactId> {
    let ends = std::iter::once(fact.subject()).chain(fact.object().entity());
    let new = ends.filter(|id| is_newcomer(state, id));
    let naming =
        |id: &'a EntityId| waiting_about(state, id).filter(move |other| is_naming(other) && other.subject() == id);
    new.flat_map(naming).map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// What stands on a name: all that waits of somebody who is nobody without it.
fn stands_on(state: &State, fact: &Fact) -> Vec<FactId> {
    let id = fact.subject();
    let is_its_name = fact.predicate().as_str() == attribute::NAME && is_newcomer(state, id);
    let waiting = is_its_name.then(|| waiting_about(state, id)).into_iter().flatten();
    waiting.map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// Those who would learn a proposed fact once it is accepted.
pub fn would_learn(state: &State, fact: FactId) -> Vec<Arc<Knowledge>> {
    let mut edges: Vec<_> = state.recorded_knowledge(fact).cloned().collect();
    edges.sort_by_key(|edge| edge.id());
    edges
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Date, Entity, GameTime, Method, Provenance, Validity};
    use proptest::prelude::*;

    use super::*;

    fn id(n: u8) -> EntityId {
        EntityId::new(format!("e{}", n % 4)).unwrap()
    }

    fn fact(n: u8) -> Fact {
        let name = ["LOCATED_AT", "EMPLOYED_BY", "ALLIED_WITH", "HOSTILE_TO"][usize::from(n) % 4];
        let date = |minute: u8| Some(Date::at(GameTime(minute.into())));
        let validity = match n % 5 {
            0 => Validity { from: date(n % 7), until: None },
            1 => Validity { from: date(n % 7), until: date(n % 7 + 3) },
            2 => Validity { from: None, until: Some(Date { raw: "long ago".into(), time: None }) },
            _ => Validity::default(),
        };
        let provenance = Provenance::new(Method::Stated, Author::Extractor);
        let builder = Fact::relation(&id(n / 3), name, &id(n / 12), provenance).unwrap();
        let builder = builder.standing(Standing::ALL[usize::from(n / 7) % 5]).validity(validity);
        let refuted = n.is_multiple_of(6).then(|| fact(n / 2 + 1));
        let builder = builder.mentions(refuted.as_ref().map(|fact| fact.subject().clone()));
        builder.bearing(refuted.map(|fact| Bearing::Refutes(fact.id()))).build().unwrap()
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
    fn states_clash_when_both_cannot_be_so() {
        let check = |a: (&str, Validity), b: (&str, Validity), expected: bool| {
            let mut state = State::default();
            let mut changes: Vec<Change> =
                ["e0", "inn", "mill"].map(|id| Change::AddEntity(Entity::new(EntityId::new(id).unwrap()))).into();
            for (object, validity) in [a, b] {
                let provenance = Provenance::new(Method::Stated, Author::Extractor);
                let object = EntityId::new(object).unwrap();
                let fact = Fact::relation(&id(0), "LOCATED_AT", &object, provenance).unwrap();
                changes.push(Change::AssertFact(Arc::new(fact.validity(validity).build().unwrap())));
            }
            state.apply(Operation::new(Author::Dm, "say", changes)).unwrap();
            assert_eq!(!review_items(&state).is_empty(), expected);
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
