//! Proposals: facts that a game, an extractor or an import thinks are said, on their way through the policy.

use std::sync::Arc;

use hearsay_belief::knowers;
use hearsay_model::{
    Author, Change, Confidence, Credence, EntityId, Evidence, Fact, How, Knower, Knowledge, Method, Object, Operation,
    Predicate, Provenance, SessionId, Standing, State, Timestamp, Validity,
};
use serde::Serialize;

use crate::{MemoryError, Policy, Verdict, Voice, edit};

/// A fact that is proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Whom or what it is about.
    pub subject: EntityId,
    /// What it says.
    pub predicate: Predicate,
    /// What it points at.
    pub object: Object,
    /// The sentence that states it; made from the predicate's phrase, when nothing is said.
    pub statement: Option<String>,
    /// When it holds.
    pub validity: Validity,
    /// How sure the proposer is that the source says this.
    pub confidence: Confidence,
    /// Who says it; the world speaks, when nobody does.
    pub speaker: Option<EntityId>,
    /// Who heard it; the audience rules decide, when the world speaks and nobody is named.
    pub heard_by: Vec<Knower>,
    /// The session in which it was said.
    pub session: Option<SessionId>,
    /// What it can be checked against.
    pub evidence: Vec<Evidence>,
}

impl Proposal {
    /// A proposal of the bare minimum, at full confidence.
    pub fn new(subject: EntityId, predicate: Predicate, object: Object) -> Self {
        Self {
            subject,
            predicate,
            object,
            statement: None,
            validity: Validity::default(),
            confidence: Confidence::FULL,
            speaker: None,
            heard_by: Vec::new(),
            session: None,
            evidence: Vec::new(),
        }
    }
}

/// What became of proposals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Recorded as canon.
    pub canon: usize,
    /// Recorded as claims.
    pub claimed: usize,
    /// Waiting for review.
    pub waiting: usize,
    /// Dropped, below the floor.
    pub dropped: usize,
    /// Left, because the DM has rejected them before.
    pub rejected_before: usize,
}

/// The operation that proposals become under a policy; none, when all are dropped.
///
/// # Errors
/// When a proposal names an entity that is not there, or makes no fact.
pub fn propose(
    state: &State,
    policy: &Policy,
    proposals: &[Proposal],
    author: &Author,
    now: Timestamp,
) -> Result<(Option<Operation>, Proposed), MemoryError> {
    let mut counts = Proposed::default();
    let mut changes = Vec::new();
    for proposal in proposals {
        let voice = if proposal.speaker.is_some() { Voice::Character } else { Voice::World };
        let Verdict::Take(standing, most) = policy.decide(proposal.confidence, voice) else {
            counts.dropped += 1;
            continue;
        };
        let fact = fact(state, proposal, standing, author, now)?;
        let known = state.fact(fact.id());
        if known.is_some_and(|fact| fact.standing() == Standing::Rejected) {
            counts.rejected_before += 1;
            continue;
        }
        match standing {
            Standing::Canon => counts.canon += 1,
            Standing::Claimed => counts.claimed += 1,
            _ => counts.waiting += 1,
        }
        if known.is_none() {
            if standing == Standing::Canon && *author == Author::Game {
                changes.extend(ended(state, &fact));
            }
            changes.push(Change::AssertFact(Arc::clone(&fact)));
        }
        changes.extend(learned(state, proposal, &fact, most));
    }
    let summary = match changes.len() {
        0 => return Ok((None, counts)),
        _ => format!("{} facts, {} for review", counts.canon + counts.claimed + counts.waiting, counts.waiting),
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes }), counts))
}

fn fact(
    state: &State,
    proposal: &Proposal,
    standing: Standing,
    author: &Author,
    now: Timestamp,
) -> Result<Arc<Fact>, MemoryError> {
    let method = match (&proposal.speaker, author) {
        (Some(_), _) => Method::Stated,
        (None, Author::Game) => Method::Witnessed,
        _ => Method::Inferred,
    };
    let provenance = Provenance {
        session: proposal.session.clone(),
        speaker: proposal.speaker.clone(),
        recorded: now,
        confidence: proposal.confidence,
        evidence: proposal.evidence.clone(),
        ..Provenance::new(method, author.clone())
    };
    let object = match &proposal.object {
        Object::Entity(id) => state.name_or_id(id).to_owned(),
        Object::Value(value) => value.to_string(),
    };
    let made = || state.vocabulary().sentence(&proposal.predicate, state.name_or_id(&proposal.subject), &object);
    let statement = proposal.statement.clone().unwrap_or_else(made);
    let builder = match &proposal.object {
        Object::Entity(id) => Fact::relation(&proposal.subject, proposal.predicate.clone(), id, provenance)?,
        Object::Value(value) => {
            Fact::attribute(&proposal.subject, proposal.predicate.clone(), value.clone(), provenance)?
        }
    };
    Ok(Arc::new(builder.statement(statement).validity(proposal.validity.clone()).standing(standing).build()?))
}

/// The game's word on a functional predicate ends what was so before (decision 5).
fn ended(state: &State, fact: &Fact) -> Vec<Change> {
    if !state.is_functional(fact.predicate()) || fact.validity().is_closed() {
        return Vec::new();
    }
    let until = fact.validity().from.clone().unwrap_or_else(|| edit::now(state));
    let older = state.values(fact.subject(), fact.predicate()).into_iter();
    let older = older.filter(|old| old.object() != fact.object());
    let older =
        older.filter(|old| until.time.is_none_or(|end| old.validity().start().is_none_or(|start| start <= end)));
    older.map(|old| Change::EndFact { fact: old.id(), until: until.clone() }).collect()
}

/// The edges of those who heard it, and of the speaker.
fn learned(state: &State, proposal: &Proposal, fact: &Fact, most: Credence) -> Vec<Change> {
    let audience = || {
        let audience = state.vocabulary().audience(&state.audience_rules(), fact);
        knowers(audience, fact, state)
    };
    let by_rule = proposal.heard_by.is_empty() && proposal.speaker.is_none();
    let hearers = if by_rule { audience() } else { proposal.heard_by.clone() };
    let learned = state.clock().map(|_| edit::now(state));
    let edge = |knower: Knower, how: How| {
        let session = proposal.session.clone();
        let edge = Knowledge {
            how,
            learned: learned.clone(),
            credence: most,
            session,
            ..Knowledge::authored(knower, fact.id())
        };
        Change::Learn(Arc::new(edge))
    };
    let how = match &proposal.speaker {
        Some(speaker) => How::Told { by: Some(speaker.clone()) },
        None => How::Witnessed,
    };
    let own = proposal.speaker.iter().map(|speaker| edge(speaker.clone().into(), How::Authored));
    let others =
        hearers.into_iter().filter(|knower| knower.entity() != proposal.speaker.as_ref() || proposal.speaker.is_none());
    own.chain(others.map(|knower| edge(knower, how.clone()))).collect()
}
