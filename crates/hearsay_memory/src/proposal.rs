//! Proposals: facts that a game, an extractor or an import thinks are said, on their way through the policy.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::knowers;
use hearsay_model::{
    Author, Bearing, Change, Confidence, Credence, Date, EntityId, Evidence, Fact, FactId, How, Knower, Knowledge,
    Method, Object, Operation, Predicate, Provenance, SessionId, Standing, State, Timestamp, Validity,
};
use serde::Serialize;

use crate::{
    MemoryError, Policy, Verdict, Voice,
    edit::{self, succession},
};

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
    /// The session in which it was said; the one that is being played, when nothing is said.
    pub session: Option<SessionId>,
    /// What it can be checked against.
    pub evidence: Vec<Evidence>,
    /// The text that says it, if one does: then those who heard it are all who learn it.
    pub text: Option<TextSource>,
    /// The fact of which it says that it is not so.
    pub refutes: Option<FactId>,
}

/// A text that says something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextSource {
    /// When it was said, in game time.
    pub time: Option<Date>,
    /// How those who heard it learn what it says, where nobody in the world says it.
    pub how: Option<How>,
    /// From whom the speaker says to have it.
    pub citing: Option<EntityId>,
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
            text: None,
            refutes: None,
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
    /// Left as they are, because they are on record already. Who heard them now knows them too.
    pub known: usize,
}

/// What the earlier proposals of a batch do.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    asserted: BTreeMap<FactId, Arc<Fact>>,
    ended: BTreeSet<FactId>,
}

impl Batch {
    /// The canon values of a predicate that hold after the earlier proposals.
    fn values<'a>(&'a self, state: &'a State, subject: &EntityId, predicate: &Predicate) -> Vec<&'a Fact> {
        let mine = self.asserted.values().map(Arc::as_ref).filter(|fact| {
            let open = fact.standing() == Standing::Canon && !fact.validity().is_closed();
            open && fact.subject() == subject && fact.predicate() == predicate
        });
        let held = state.values(subject, predicate).into_iter().filter(|fact| !self.asserted.contains_key(&fact.id()));
        held.chain(mine).filter(|fact| !self.ended.contains(&fact.id())).collect()
    }

    /// A fact as it is after the earlier proposals: its standing, and whether it is over.
    fn held(&self, state: &State, id: FactId) -> Option<(Standing, bool)> {
        let fact = self.asserted.get(&id).or_else(|| state.fact(id))?;
        Some((fact.standing(), fact.validity().is_closed() || self.ended.contains(&id)))
    }
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
    let mut batch = Batch::default();
    for proposal in proposals {
        let voice = if proposal.speaker.is_some() { Voice::Character } else { Voice::World };
        let Verdict::Take(mut standing, mut most) = policy.decide(proposal.confidence, voice) else {
            counts.dropped += 1;
            continue;
        };
        let Proposal { subject, predicate, object, .. } = proposal;
        let (mut validity, mut ended) = (proposal.validity.clone(), Vec::new());
        if standing == Standing::Canon {
            let open = batch.values(state, subject, predicate);
            if matches!(author, Author::Game | Author::Dm) {
                ended = succession(state, &open, predicate, object, &mut validity);
            } else if state.is_functional(predicate)
                && open.iter().any(|old| old.object() != object && old.validity().overlaps(&validity))
            {
                // Nothing that was true is retired by guess (decision 5).
                (standing, most) = policy.doubt(proposal.confidence);
            }
        }
        let fact = fact(state, proposal, validity, standing, author, now)?;
        let held = batch.held(state, fact.id());
        if held.is_some_and(|(standing, _)| standing == Standing::Rejected) {
            counts.rejected_before += 1;
            continue;
        }
        let is_new = held.is_none_or(|(held, is_over)| {
            // It is surer now, or so again.
            let surer = held == Standing::Proposed && standing != Standing::Proposed;
            surer || (is_over && !fact.validity().is_closed() && held == standing)
        });
        if is_new {
            match standing {
                Standing::Canon => counts.canon += 1,
                Standing::Claimed => counts.claimed += 1,
                _ => counts.waiting += 1,
            }
            for end in &ended {
                if let Change::EndFact { fact, .. } = end {
                    batch.ended.insert(*fact);
                }
            }
            batch.changes.append(&mut ended);
            batch.changes.push(Change::AssertFact(Arc::clone(&fact)));
            batch.ended.remove(&fact.id());
            batch.asserted.insert(fact.id(), Arc::clone(&fact));
        } else {
            counts.known += 1;
        }
        batch.changes.extend(learned(state, proposal, &fact, most));
    }
    let summary = match batch.changes.len() {
        0 => return Ok((None, counts)),
        _ => format!("{} facts, {} for review", counts.canon + counts.claimed + counts.waiting, counts.waiting),
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes: batch.changes }), counts))
}

fn fact(
    state: &State,
    proposal: &Proposal,
    validity: Validity,
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
        session: session_of(state, proposal),
        speaker: proposal.speaker.clone(),
        recorded: now,
        confidence: proposal.confidence,
        evidence: proposal.evidence.clone(),
        ..Provenance::new(method, author.clone())
    };
    let object = match &proposal.object {
        Object::Entity(id) => edit::spoken_of(state, id).to_owned(),
        Object::Value(value) => value.to_string(),
    };
    let made = || state.vocabulary().sentence(&proposal.predicate, edit::spoken_of(state, &proposal.subject), &object);
    let statement = proposal.statement.clone().unwrap_or_else(made);
    let builder = match &proposal.object {
        Object::Entity(id) => Fact::relation(&proposal.subject, proposal.predicate.clone(), id, provenance)?,
        Object::Value(value) => {
            Fact::attribute(&proposal.subject, proposal.predicate.clone(), value.clone(), provenance)?
        }
    };
    let bearing = proposal.refutes.map(Bearing::Refutes);
    Ok(Arc::new(builder.statement(statement).validity(validity).standing(standing).bearing(bearing).build()?))
}

/// The session in which something was said.
fn session_of(state: &State, proposal: &Proposal) -> Option<SessionId> {
    let playing = || state.playing().filter(|_| proposal.text.is_none()).map(|playing| playing.session.clone());
    proposal.session.clone().or_else(playing)
}

/// The edges of those who heard it, and of the speaker.
fn learned(state: &State, proposal: &Proposal, fact: &Fact, most: Credence) -> Vec<Change> {
    let audience = || {
        let audience = state.vocabulary().audience(&state.audience_rules(), fact);
        knowers(audience, fact, state)
    };
    let by_rule = proposal.heard_by.is_empty() && proposal.speaker.is_none() && proposal.text.is_none();
    let hearers = if by_rule { audience() } else { proposal.heard_by.clone() };
    let said = proposal.text.as_ref().map(|text| text.time.clone());
    let learned = said.unwrap_or_else(|| state.clock().map(|_| edit::now(state)));
    let citing = proposal.text.as_ref().and_then(|text| text.citing.clone());
    let edge = |knower: Knower, how: How| {
        let session = session_of(state, proposal);
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
        Some(speaker) => How::Told { by: Some(speaker.clone()), citing: citing.clone() },
        // Whom the rules name know of it; they need not have been there.
        None if by_rule => How::Authored,
        None => proposal.text.as_ref().and_then(|text| text.how.clone()).unwrap_or(How::Witnessed),
    };
    let had = if citing.is_some() { How::told(citing) } else { How::Authored };
    let own = proposal.speaker.iter().map(|speaker| edge(speaker.clone().into(), had.clone()));
    let others =
        hearers.into_iter().filter(|knower| knower.entity() != proposal.speaker.as_ref() || proposal.speaker.is_none());
    own.chain(others.map(|knower| edge(knower, how.clone()))).collect()
}
