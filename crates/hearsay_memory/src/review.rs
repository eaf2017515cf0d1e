//! Review: what waits for the DM, and what the DM says of it.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_campaign::LeftOut;
use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, Key, Knowledge, Operation, SettingKey, Standing, State, Timestamp,
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

/// What waits for the DM of facts: the most consequential first, by how likely it is, too. Entities that may be one are
/// looked for by [`duplicates`](crate::duplicates::duplicates), which takes longer.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut claims: BTreeMap<Together, Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts().filter(|fact| fact.standing() == Standing::Proposed) {
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

/// How many items wait for the DM, kept up to date by what operations touch: [`review_items`] reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reviews {
    doubtful: BTreeMap<FactId, Together>,
    /// How many of these are decided together.
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
        for key in touched {
            if let Key::Fact(id) = key {
                self.note(state, *id);
            }
        }
        self.contradictions.update(state, touched);
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
mod tests;
