//! Review: items that wait for the DM, and the DM's decisions on them.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_campaign::LeftOut;
use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, FactStatus, Key, KnowledgeEdge, Operation, SettingKey, State, Timestamp,
    attribute,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    contradictions::{Clash, Contradictions},
    duplicates::{Claim, Duplicate},
    edit::{Editor, Right, find_fact, succession},
    learn::lift,
    query::consequence,
    reading::is_newcomer,
};

/// An item that waits for the DM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum ReviewItem {
    /// A fact with a confidence below the threshold.
    Doubtful {
        /// The fact. Of equivalent facts from several sources, the most confident; of a newcomer, its name.
        fact: FactId,
        /// Equivalent facts from other sources, or the kind of a newcomer. They are decided together with `fact`.
        /// Sorted.
        also: Vec<FactId>,
    },
    /// Facts of one subject that cannot all be true.
    Contradiction {
        /// Subject of the facts.
        subject: EntityId,
        /// Kind of contradiction.
        clash: Clash,
        /// The facts. Sorted.
        facts: Vec<FactId>,
    },
    /// Two entities that may be the same.
    Duplicate(Duplicate),
}

/// Returns the facts that wait for the DM, most consequential first, weighted by their likelihood.
/// [`duplicates`](crate::duplicates::duplicates) finds duplicate entities, which takes longer.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut claims: BTreeMap<Together, Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.status() == FactStatus::Proposed) {
        claims.entry(Together::of(state, fact)).or_default().push(fact);
    }
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
    for (subject, clash, facts) in Contradictions::of(state).iter() {
        let stakes = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| stake(state, fact, true).0);
        let item = ReviewItem::Contradiction { subject: subject.clone(), clash: clash.clone(), facts: facts.clone() };
        items.push((stakes.fold(0.0, f64::max), item));
    }
    // The stable sort keeps items with equal stakes in the order of their claims, then of their subjects.
    items.sort_by(|a, b| b.0.total_cmp(&a.0));
    items.into_iter().map(|(_, item)| item).collect()
}

/// Returns the stake of a fact and its reasons: its consequences multiplied by its likelihood. A guess about a
/// well-known entity therefore ranks below a plain statement.
pub fn stake(state: &State, fact: &Fact, contradicts: bool) -> (f64, Vec<String>) {
    let (follows, why) = consequence(state, fact, contradicts);
    // A missing kind in campaign files is a minor question, even if there are many of them.
    let asks = fact.predicate().as_str() == attribute::KIND && fact.object().text() == Some("unknown");
    let worth = if asks { 0.1 } else { 1.0 };
    (worth * follows * fact.provenance().confidence.get(), why)
}

/// Key of facts that are decided together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Together {
    /// Facts with the same claim.
    Claim(Claim),
    /// Name and kind of a newcomer.
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

/// Whether a fact is the name or kind of an entity that a text introduced.
pub(crate) fn is_naming(fact: &Fact) -> bool {
    let names = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    names && fact.provenance().author == Author::Extractor
}

/// Number of review items, updated incrementally from the keys that operations touch. [`review_items`] reads every fact
/// instead.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reviews {
    doubtful: BTreeMap<FactId, Together>,
    /// Number of doubtful facts per key.
    claims: BTreeMap<Together, usize>,
    contradictions: Contradictions,
}

impl Reviews {
    pub(crate) fn of(state: &State) -> Self {
        let mut reviews = Self { contradictions: Contradictions::of(state), ..Self::default() };
        for fact in state.facts() {
            reviews.note(state, fact.id());
        }
        reviews
    }

    pub(crate) fn count(&self) -> usize {
        self.claims.len() + self.contradictions.count()
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
        if let Some(fact) = state.fact(id).filter(|fact| fact.status() == FactStatus::Proposed) {
            let claim = Together::of(state, fact);
            *self.claims.entry(claim.clone()).or_default() += 1;
            self.doubtful.insert(id, claim);
        }
    }

    /// Updates the counts from the keys that an operation touched.
    pub(crate) fn update(&mut self, state: &State, touched: &[Key]) {
        let defines = |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(defines) {
            *self = Self::of(state);
            return;
        }
        for key in touched {
            if let Key::Fact(id) = key {
                self.note(state, *id);
            }
        }
        self.contradictions.update(state, touched);
    }
}

/// The DM's decision on a fact. Facts are named by id, the beginning of an id, or handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The fact is true.
    Accept,
    /// The fact is true with another subject, predicate, object or wording.
    Edit {
        /// Correct subject: an id or a name.
        #[serde(default)]
        subject: Option<String>,
        /// Correct predicate: `OWES`, words such as `works for`, or the name of an attribute.
        #[serde(default)]
        predicate: Option<String>,
        /// Correct object or value.
        object: Option<String>,
        /// Correct sentence.
        statement: Option<String>,
    },
    /// The fact is not true, although some believe it.
    False,
    /// The fact is not part of the world.
    Reject,
}

impl Decision {
    /// Returns the operation that applies the decision to a fact that waits for review or contradicts another.
    ///
    /// # Errors
    /// When the fact does not exist, or was already rejected.
    pub fn operation(&self, state: &State, fact: &str, now: Timestamp) -> Result<Operation, MemoryError> {
        let fact = find_fact(state, fact)?;
        let id = fact.id();
        if fact.status() == FactStatus::Rejected {
            return Err(MemoryError::NotProposed { fact: id, status: fact.status() });
        }
        if let Some(left_out) = LeftOut::of(&fact) {
            return Ok(self.left_out(state, &fact, left_out, now));
        }
        let mut same = waiting_with(state, &fact);
        match self {
            // Accepting a fact about a newcomer confirms its name too. Rejecting a name rejects everything about its
            // newcomer.
            Self::Accept | Self::Edit { .. } => {}
            Self::Reject | Self::False => same.extend(stands_on(state, &fact)),
        }
        same.sort_unstable();
        same.dedup();
        let confirm = |fact| [Change::SetStatus { fact, status: FactStatus::Canon }, Change::Confirm(fact)];
        let judged = |word: &str, status| {
            let judge = |fact| [Change::SetStatus { fact, status }, Change::Confirm(fact)];
            let changes: Vec<Change> = std::iter::once(id).chain(same.iter().copied()).flat_map(judge).collect();
            (format!("{word} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let rejected = |fact| Change::SetStatus { fact, status: FactStatus::Rejected };
        let (summary, changes) = match self {
            Self::Accept => {
                let (summary, mut changes) = judged("accept", FactStatus::Canon);
                changes.extend(names_in(state, &fact).into_iter().flat_map(confirm));
                // The accepted fact ends older values of its predicate.
                let open = state.values(fact.subject(), fact.predicate());
                let mut validity = fact.validity().clone();
                changes.extend(succession(state, &open, fact.predicate(), fact.object(), &mut validity));
                (summary, changes)
            }
            Self::False => judged("mark false", FactStatus::False),
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
                let (new, mut changes) = editor.corrected(&fact, &right, FactStatus::Canon)?;
                // The original wording stays on record as rejected, so that it is not proposed again.
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

    /// Withdraws a fact that its source no longer contains, if the DM agrees. Otherwise the fact stays, and the
    /// question is not asked again.
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
            _ => ("keep", vec![Change::SetStatus { fact: id, status: FactStatus::Rejected }]),
        };
        let summary = format!("{word}: {}", proposal.statement());
        Operation { author: Author::Dm, recorded: now, summary, changes }
    }
}

/// Returns the waiting facts from other sources that are equivalent to a fact.
pub(crate) fn waiting_with(state: &State, fact: &Fact) -> Vec<FactId> {
    if fact.status() != FactStatus::Proposed {
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
    state.facts_of(id).filter(|fact| fact.status() == FactStatus::Proposed)
}

/// Returns the waiting names and kinds of the newcomers in a fact, on which the fact depends.
fn names_in<'a>(state: &'a State, fact: &'a Fact) -> Vec<FactId> {
    let ends = std::iter::once(fact.subject()).chain(fact.object().entity());
    let new = ends.filter(|id| is_newcomer(state, id));
    let naming =
        |id: &'a EntityId| waiting_about(state, id).filter(move |other| is_naming(other) && other.subject() == id);
    new.flat_map(naming).map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// Returns the waiting facts about a newcomer, all of which depend on its name.
fn stands_on(state: &State, fact: &Fact) -> Vec<FactId> {
    let id = fact.subject();
    let is_its_name = fact.predicate().as_str() == attribute::NAME && is_newcomer(state, id);
    let waiting = is_its_name.then(|| waiting_about(state, id)).into_iter().flatten();
    waiting.map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// Returns the edges of knowers that would learn a proposed fact on acceptance.
pub fn would_learn(state: &State, fact: FactId) -> Vec<Arc<KnowledgeEdge>> {
    let mut edges: Vec<_> = state.recorded_knowledge(fact).cloned().collect();
    edges.sort_by_key(|edge| edge.id());
    edges
}

#[cfg(test)]
mod tests;
