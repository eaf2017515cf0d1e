//! Proposals: facts that a game, the extractor or an import suggests and that the policy decides on.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
    sync::Arc,
};

use hearsay_belief::{View, default_audience};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Credence, Date, EntityId, Evidence, Fact, FactId, FactRelation,
    FactStatus, Knower, KnowledgeEdge, KnowledgeId, Method, Object, Operation, Predicate, Provenance, SessionId, State,
    Timestamp, Validity,
};
use hearsay_query::{
    contradictions::may_overlap,
    dates::clock_date,
    duplicates::{Claim, canonical_relation, is_equivalent, is_implied_by},
    resolve::public_name,
    trust::TrustCalibration,
};
use serde::Serialize;

use crate::{
    CommandError,
    edit::succession,
    policy::{Policy, PolicyDecision, StatementSource},
};

/// A proposed fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Entity that the fact is about.
    pub subject: EntityId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Object of the fact.
    pub object: Object,
    /// Sentence that states the fact. Default: generated from the predicate's phrase.
    pub statement: Option<String>,
    /// Period in which the fact is true.
    pub validity: Validity,
    /// Probability that the source really states this fact, 0.0–1.0, as estimated by the author of the proposal.
    pub confidence: Confidence,
    /// Character that states the fact; `None` if the source is not a character, such as narration or notes.
    pub speaker: Option<EntityId>,
    /// Knowers that heard the statement. If there are no hearers, no speaker and no `text`, the default audience learns
    /// the fact.
    pub heard_by: Vec<Knower>,
    /// Session in which the fact was stated. Default without a `text`: the session being played.
    pub session: Option<SessionId>,
    /// Evidence for the fact.
    pub evidence: Vec<Evidence>,
    /// Language model that extracted the fact, if any.
    pub model: Option<String>,
    /// Details of the text that states the fact, if any. If set, only the speaker and the hearers of the text learn the
    /// fact.
    pub text: Option<TextSource>,
    /// Fact that the proposed fact refutes, if any.
    pub refutes: Option<FactId>,
}

/// Details of a text that states a fact, such as its time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextSource {
    /// Game time at which the text was said.
    pub time: Option<Date>,
    /// For a text without a speaker: how its hearers or readers learn the fact.
    pub acquisition: Option<Acquisition>,
    /// Source that the speaker cites for the fact.
    pub citing: Option<EntityId>,
    /// Secret name that the speaker uses. For a hearer who does not know whose name it is, the source of the fact is
    /// unknown. Such a hearer learns no facts about the speaker.
    pub alias: Option<String>,
}

impl Proposal {
    /// Creates a proposal with full confidence and defaults for all other fields.
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
            model: None,
            text: None,
            refutes: None,
        }
    }
}

/// Number of proposals or facts for each outcome of a decision by the policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ProposalCounts {
    /// Number of proposed facts that were recorded as canon.
    pub canon: usize,
    /// Number of proposed facts that were recorded as claims.
    pub claimed: usize,
    /// Number of proposed facts that wait for review.
    pub waiting: usize,
    /// Number of proposals that were dropped because their confidence is below the policy's floor.
    pub dropped: usize,
    /// Number of proposals that were skipped because the DM had already rejected an equivalent fact.
    pub rejected_before: usize,
    /// Number of proposals whose fact was already recorded. Their hearers learn the recorded fact.
    pub known: usize,
    /// Number of recorded facts that gained evidence from these proposals.
    pub supported: usize,
    /// Number of doubtful proposals that triage omitted, because other proposals from the same texts or about the same
    /// entities are more important. Once the DM has decided on the other proposals, a second extraction from the texts
    /// proposes the omitted facts.
    pub left_out: usize,
}

impl AddAssign for ProposalCounts {
    fn add_assign(&mut self, more: Self) {
        self.canon += more.canon;
        self.claimed += more.claimed;
        self.waiting += more.waiting;
        self.dropped += more.dropped;
        self.rejected_before += more.rejected_before;
        self.known += more.known;
        self.supported += more.supported;
        self.left_out += more.left_out;
    }
}

/// Inputs for the decision on proposals, besides the state.
#[derive(Clone, Copy)]
pub struct ProposalRules<'a> {
    /// Policy that decides by confidence.
    pub policy: &'a Policy,
    /// Trust calibration, which adjusts confidence according to the DM's earlier decisions.
    pub learned: &'a TrustCalibration,
}

/// Effects of the proposals of a batch so far.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    asserted: BTreeMap<FactId, Arc<Fact>>,
    ended: BTreeSet<FactId>,
    /// New edges with their indices in `changes`.
    learned: BTreeMap<KnowledgeId, usize>,
}

impl Batch {
    /// Returns the canon values of a predicate that are still valid after the earlier proposals of the batch.
    fn values<'a>(&'a self, state: &'a State, subject: &EntityId, predicate: &Predicate) -> Vec<&'a Fact> {
        let batch_values = self.asserted.values().map(Arc::as_ref).filter(|fact| {
            let is_open = fact.status() == FactStatus::Canon && !fact.validity().is_closed();
            is_open && fact.subject() == subject && fact.predicate() == predicate
        });
        let recorded_values =
            state.values(subject, predicate).into_iter().filter(|fact| !self.asserted.contains_key(&fact.id()));
        recorded_values.chain(batch_values).filter(|fact| !self.ended.contains(&fact.id())).collect()
    }

    /// Returns the status of a fact after the earlier proposals of the batch, and whether its validity has ended.
    fn recorded_status(&self, state: &State, id: FactId) -> Option<(FactStatus, bool)> {
        let fact = self.asserted.get(&id).or_else(|| state.fact(id))?;
        Some((fact.status(), fact.validity().is_closed() || self.ended.contains(&id)))
    }

    /// Returns the facts about a subject, including those of earlier proposals of the batch.
    fn facts_of<'a>(&'a self, state: &'a State, subject: &EntityId) -> Vec<&'a Arc<Fact>> {
        let recorded_facts = state.facts_of(subject).filter(|fact| !self.asserted.contains_key(&fact.id()));
        let batch_facts = self.asserted.values().filter(|fact| fact.entities().any(|id| id == subject));
        let mut facts: Vec<&Arc<Fact>> = recorded_facts.chain(batch_facts).collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Adds edges. If an author creates several edges with the same id, the highest credence is recorded, regardless of
    /// the order in which texts are read. If a text is read again (`is_repeated`), recorded and withdrawn edges do not
    /// change. Edges recorded by other authors stay unchanged.
    fn learn(&mut self, state: &State, author: &Author, edges: Vec<KnowledgeEdge>, is_repeated: bool) {
        for edge in edges {
            let id = edge.id();
            if let Some(Change::Learn(pending_edge)) =
                self.learned.get(&id).and_then(|index| self.changes.get_mut(*index))
            {
                if pending_edge.credence < edge.credence {
                    Arc::make_mut(pending_edge).credence = edge.credence;
                }
                continue;
            }
            let recorded =
                state.recorded_edges(edge.fact).find(|(recorded, _)| *recorded == id).map(|(_, recorded)| recorded);
            let edge = match recorded {
                Some(recorded) if is_repeated || recorded.credence >= edge.credence => continue,
                Some(recorded) if state.edge_author(id) == Some(author) => {
                    KnowledgeEdge { credence: edge.credence, ..KnowledgeEdge::clone(recorded) }
                }
                Some(_) => continue,
                None if is_repeated && state.edge_author(id).is_some() => continue,
                None => edge,
            };
            self.learned.insert(id, self.changes.len());
            self.changes.push(Change::Learn(Arc::new(edge)));
        }
    }

    fn assert(&mut self, fact: &Arc<Fact>) {
        self.changes.push(Change::AssertFact(Arc::clone(fact)));
        self.ended.remove(&fact.id());
        self.asserted.insert(fact.id(), Arc::clone(fact));
    }
}

/// Returns whether an author is neither the game nor the DM. Proposals by such an author cannot override the DM's
/// decisions.
fn is_untrusted_author(author: &Author) -> bool {
    !matches!(author, Author::Game | Author::Dm)
}

/// Returns the operation for proposals, or `None` if there is nothing to write. Also returns the counts of the
/// outcomes.
///
/// # Errors
/// Returns an error if a proposal refers to an unknown entity, or if its fact is invalid.
pub fn propose(
    state: &State,
    rules: &ProposalRules,
    proposals: &[Proposal],
    author: &Author,
    now: Timestamp,
) -> Result<(Option<Operation>, ProposalCounts), CommandError> {
    let mut counts = ProposalCounts::default();
    let mut batch = Batch::default();
    let policy = rules.policy;
    for proposal in proposals {
        let provenance = provenance(state, proposal, author, rules.learned, now);
        let confidence = provenance.confidence;
        let source = if proposal.speaker.is_some() { StatementSource::Character } else { StatementSource::World };
        let PolicyDecision::Record(mut status, mut max_credence) = policy.decide(confidence, source) else {
            counts.dropped += 1;
            continue;
        };
        let Proposal { subject, predicate, object, .. } = proposal;
        let (mut validity, mut ended_values) = (proposal.validity.clone(), Vec::new());
        if status == FactStatus::Canon {
            let open_values = batch.values(state, subject, predicate);
            if !is_untrusted_author(author) {
                ended_values = succession(state, &open_values, predicate, object, &mut validity);
            } else if state.is_functional(predicate)
                && open_values.iter().any(|old| old.object() != object && old.validity().overlaps(&validity))
            {
                // This author must not end a recorded fact, so the new fact is doubtful instead.
                (status, max_credence) = policy.decide_doubtful(confidence);
            }
        }
        let mut fact = fact(state, proposal, validity, status, provenance)?;
        if is_untrusted_author(author) {
            // A fact that contradicts canon confirmed by the DM becomes doubtful, and the review shows the
            // contradiction.
            if status == FactStatus::Canon && contradicts_confirmed_canon(state, &batch, &fact) {
                (status, max_credence) = policy.decide_doubtful(confidence);
            }
            match find_recorded_match(state, &batch, &fact) {
                RecordedMatch::None => {}
                RecordedMatch::Rejected => {
                    counts.rejected_before += 1;
                    continue;
                }
                RecordedMatch::CanonElsewhere if status == FactStatus::Proposed => {
                    // Another source has already made the fact canon, so this statement needs no review.
                    let credence = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    (status, max_credence) = (FactStatus::Claimed, credence);
                }
                RecordedMatch::CanonElsewhere => {}
                RecordedMatch::SameSource { earlier, is_canon_elsewhere } => {
                    let is_repeated = is_repeated_reading(&earlier, &fact);
                    if is_repeated {
                        counts.known += 1;
                        batch.learn(state, author, learner_edges(state, proposal, &earlier, max_credence), is_repeated);
                        continue;
                    }
                    if is_canon_elsewhere && status == FactStatus::Proposed {
                        max_credence = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    }
                    let becomes_accepted = earlier.status() == FactStatus::Proposed && status != FactStatus::Proposed;
                    let merged =
                        with_added_evidence(&earlier, &fact, if becomes_accepted { status } else { earlier.status() })?;
                    let has_new_evidence = merged.provenance().evidence.len() > earlier.provenance().evidence.len();
                    if becomes_accepted {
                        count_outcome(&mut counts, status);
                        batch.assert(&merged);
                    } else {
                        counts.known += 1;
                        counts.supported += usize::from(has_new_evidence);
                    }
                    if !becomes_accepted && (has_new_evidence || confidence > earlier.provenance().confidence) {
                        let new_evidence = earlier.to_builder().provenance(Provenance {
                            evidence: fact.provenance().evidence.clone(),
                            ..merged.provenance().clone()
                        });
                        batch.changes.push(Change::Support(Arc::new(new_evidence.build()?)));
                    }
                    batch.learn(state, author, learner_edges(state, proposal, &earlier, max_credence), is_repeated);
                    continue;
                }
            }
            if fact.status() != status {
                fact = Arc::new(fact.to_builder().status(status).build()?);
            }
        }
        let recorded = batch.recorded_status(state, fact.id());
        if recorded.is_some_and(|(status, _)| status == FactStatus::Rejected) {
            counts.rejected_before += 1;
            continue;
        }
        let is_new = recorded.is_none_or(|(recorded, is_over)| {
            // A proposed fact is now accepted, or a fact that had ended is valid again.
            let becomes_accepted = recorded == FactStatus::Proposed && status != FactStatus::Proposed;
            becomes_accepted || (is_over && !fact.validity().is_closed() && recorded == status)
        });
        if is_new {
            count_outcome(&mut counts, status);
            for end in &ended_values {
                if let Change::EndFact { fact, .. } = end {
                    batch.ended.insert(*fact);
                }
            }
            batch.changes.append(&mut ended_values);
            batch.assert(&fact);
        } else {
            counts.known += 1;
        }
        let edges = learner_edges(state, proposal, &fact, max_credence);
        match is_untrusted_author(author) {
            true => batch.learn(state, author, edges, false),
            false => batch.changes.extend(edges.into_iter().map(|edge| Change::Learn(Arc::new(edge)))),
        }
    }
    let summary = match batch.changes.len() {
        0 => return Ok((None, counts)),
        _ => {
            let facts = counts.canon + counts.claimed + counts.waiting;
            let noun = if facts == 1 { "fact" } else { "facts" };
            match counts.waiting {
                0 => format!("{facts} {noun}"),
                waiting => format!("{facts} {noun}, {waiting} for review"),
            }
        }
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes: batch.changes }), counts))
}

fn count_outcome(counts: &mut ProposalCounts, status: FactStatus) {
    match status {
        FactStatus::Canon => counts.canon += 1,
        FactStatus::Claimed => counts.claimed += 1,
        _ => counts.waiting += 1,
    }
}

/// Result of looking up a proposed fact in the state.
enum RecordedMatch {
    /// The DM has not decided on the fact, and no equivalent fact is recorded.
    None,
    /// The DM rejected the fact or marked it false.
    Rejected,
    /// The fact is already canon from another source.
    CanonElsewhere,
    /// The same source stated the fact before. The earlier fact gains the new evidence.
    SameSource {
        /// The earlier fact.
        earlier: Arc<Fact>,
        /// Whether another source has also made the fact canon.
        is_canon_elsewhere: bool,
    },
}

fn find_recorded_match(state: &State, batch: &Batch, fact: &Fact) -> RecordedMatch {
    if state.is_retracted(fact.id()) {
        return RecordedMatch::Rejected;
    }
    let vocabulary = state.vocabulary();
    let (claim, speaker) = (Claim::of(vocabulary, fact), &fact.provenance().speaker);
    let facts_about_subject = batch.facts_of(state, claim.subject());
    let is_same_statement = |other: &&&Arc<Fact>| is_equivalent(vocabulary, (&claim, fact.statement()), other);
    let equivalents: Vec<&Arc<Fact>> = facts_about_subject.iter().filter(is_same_statement).copied().collect();
    let is_confirmed = |fact: &Fact| fact.provenance().confirmed;
    let is_confirmed_as = |equivalent: &Fact, status| equivalent.status() == status && is_confirmed(equivalent);
    let is_confirmed_canon = equivalents.iter().any(|equivalent| is_confirmed_as(equivalent, FactStatus::Canon));
    let has_same_source = |equivalent: &&&Arc<Fact>| {
        let earlier = equivalent.provenance();
        (&earlier.author, &earlier.speaker) == (&fact.provenance().author, speaker)
    };
    // If narration repeats a fact that earlier narration made canon, no separate fact is recorded.
    let is_repeated_narration = |equivalent: &&&Arc<Fact>| {
        speaker.is_none() && equivalent.status() == FactStatus::Canon && equivalent.provenance().speaker.is_none()
    };
    let was_rejected = equivalents.iter().any(|equivalent| equivalent.status() == FactStatus::Rejected);
    let was_marked_false =
        speaker.is_none() && equivalents.iter().any(|equivalent| is_confirmed_as(equivalent, FactStatus::False));
    let is_not_rejected = |equivalent: &&&Arc<Fact>| equivalent.status() != FactStatus::Rejected;
    if !is_confirmed_canon
        && (was_rejected || (was_marked_false && !equivalents.iter().any(|equivalent| has_same_source(&equivalent))))
    {
        return RecordedMatch::Rejected;
    }
    let earlier = equivalents.iter().filter(is_not_rejected).find(|equivalent| has_same_source(equivalent));
    // If a recorded fact from the same source says more and is at least as certain, it gains the evidence of the
    // proposal. A less certain fact does not, because the evidence supports only part of it.
    let is_as_certain = |candidate: &Fact| {
        candidate.is_in_effect() && candidate.provenance().confidence >= fact.provenance().confidence
    };
    let implies_fact = |candidate: &&&Arc<Fact>| {
        is_as_certain(candidate)
            && (has_same_source(candidate) || is_repeated_narration(candidate))
            && is_implied_by(vocabulary, fact, candidate)
    };
    let earlier = earlier.or_else(|| equivalents.iter().find(|equivalent| is_repeated_narration(equivalent)));
    let was_narrated = equivalents.iter().any(|equivalent| is_repeated_narration(&equivalent));
    let is_canon_from_others =
        equivalents.iter().any(|equivalent| equivalent.status() == FactStatus::Canon && !has_same_source(&equivalent));
    if let Some(earlier) = earlier.or_else(|| facts_about_subject.iter().find(implies_fact)) {
        return RecordedMatch::SameSource {
            earlier: Arc::clone(earlier),
            is_canon_elsewhere: is_canon_from_others && !was_narrated,
        };
    }
    if equivalents.iter().any(|equivalent| equivalent.status() == FactStatus::Canon) {
        return RecordedMatch::CanonElsewhere;
    }
    RecordedMatch::None
}

/// Returns whether a proposed fact comes from a repeated reading of the same text. This is so if the recorded fact
/// already has all evidence of the proposed fact, and the extraction is not more confident than before. Compares the
/// confidence before adjustment by learned trust, because the trust may have changed since the first reading.
fn is_repeated_reading(recorded: &Fact, proposed: &Fact) -> bool {
    let (before, now) = (recorded.provenance(), proposed.provenance());
    let extraction_confidence = |provenance: &Provenance| provenance.extracted.unwrap_or(provenance.confidence);
    let is_recorded_evidence =
        |evidence: &Evidence| matches!(evidence, Evidence::Passage { .. }) && before.evidence.contains(evidence);
    !now.evidence.is_empty()
        && now.evidence.iter().all(is_recorded_evidence)
        && extraction_confidence(now) <= extraction_confidence(before)
}

/// Returns whether a fact contradicts a canon fact that the DM confirmed.
fn contradicts_confirmed_canon(state: &State, batch: &Batch, fact: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let (subject, predicate, object) =
        canonical_relation(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    let contradicts = |other: &&Arc<Fact>| {
        let is_confirmed_canon = other.provenance().confirmed && other.status() == FactStatus::Canon;
        if !is_confirmed_canon || !may_overlap(fact, other) {
            return false;
        }
        let (other_subject, other_predicate, other_object) =
            canonical_relation(vocabulary, (other.subject(), other.predicate(), other.object()));
        let is_other_value = other_subject == subject
            && other_predicate == predicate
            && other_object != object
            && vocabulary.is_functional(&other_predicate);
        let relates_same_entities = (&other_subject, &other_object) == (&subject, &object)
            || (other_object.entity() == Some(&subject) && object.entity() == Some(&other_subject));
        is_other_value || (relates_same_entities && vocabulary.are_opposites(&other_predicate, &predicate))
    };
    batch.facts_of(state, &subject).iter().any(contradicts)
}

/// Returns the fact `recorded` with a new status, the evidence of both facts, and the higher of their confidences.
fn with_added_evidence(recorded: &Fact, proposed: &Fact, status: FactStatus) -> Result<Arc<Fact>, CommandError> {
    let mut provenance = recorded.provenance().clone();
    let added = proposed.provenance();
    if added.confidence > provenance.confidence {
        (provenance.confidence, provenance.extracted) = (added.confidence, added.extracted);
        provenance.model.clone_from(&added.model);
    }
    for evidence in &added.evidence {
        if !provenance.evidence.contains(evidence) {
            provenance.evidence.push(evidence.clone());
        }
    }
    Ok(Arc::new(recorded.to_builder().provenance(provenance).status(status).build()?))
}

/// Returns the provenance of a proposal, with the confidence adjusted by learned trust.
fn provenance(
    state: &State,
    proposal: &Proposal,
    author: &Author,
    learned: &TrustCalibration,
    now: Timestamp,
) -> Provenance {
    let method = match (&proposal.speaker, author) {
        (Some(_), _) => Method::Stated,
        (None, Author::Game) => Method::Witnessed,
        _ => Method::Inferred,
    };
    let mut provenance = Provenance {
        session: session_of(state, proposal),
        speaker: proposal.speaker.clone(),
        recorded: now,
        confidence: proposal.confidence,
        evidence: proposal.evidence.clone(),
        model: proposal.model.clone(),
        ..Provenance::new(method, author.clone())
    };
    let adjusted = learned.adjusted_confidence(&provenance, &proposal.predicate);
    if adjusted != proposal.confidence {
        (provenance.confidence, provenance.extracted) = (adjusted, Some(proposal.confidence));
    }
    provenance
}

fn fact(
    state: &State,
    proposal: &Proposal,
    validity: Validity,
    status: FactStatus,
    provenance: Provenance,
) -> Result<Arc<Fact>, CommandError> {
    let object_name = match &proposal.object {
        Object::Entity(id) => public_name(state, id).to_owned(),
        Object::Value(value) => value.to_string(),
    };
    let generated_statement =
        || state.vocabulary().sentence(&proposal.predicate, public_name(state, &proposal.subject), &object_name);
    let statement = proposal.statement.clone().unwrap_or_else(generated_statement);
    let builder = match &proposal.object {
        Object::Entity(id) => Fact::relation(&proposal.subject, proposal.predicate.clone(), id, provenance)?,
        Object::Value(value) => {
            Fact::attribute(&proposal.subject, proposal.predicate.clone(), value.clone(), provenance)?
        }
    };
    let fact_relation = proposal.refutes.map(FactRelation::Refutes);
    Ok(Arc::new(builder.statement(statement).validity(validity).status(status).fact_relation(fact_relation).build()?))
}

/// Returns the session in which a proposed fact was stated.
fn session_of(state: &State, proposal: &Proposal) -> Option<SessionId> {
    let playing_session = || {
        state
            .active_session()
            .filter(|_| proposal.text.is_none())
            .map(|playing_session| playing_session.session.clone())
    };
    proposal.session.clone().or_else(playing_session)
}

/// Returns the speaker's and the hearers' edges to a fact. `max_credence` is their maximum credence.
fn learner_edges(state: &State, proposal: &Proposal, fact: &Fact, max_credence: Credence) -> Vec<KnowledgeEdge> {
    let audience = || {
        let audience = state.vocabulary().audience(&state.audience_rules(), fact);
        default_audience(audience, fact, state)
    };
    let uses_default_audience = proposal.heard_by.is_empty() && proposal.speaker.is_none() && proposal.text.is_none();
    let hearers = if uses_default_audience { audience() } else { proposal.heard_by.clone() };
    let text_time = proposal.text.as_ref().map(|text| text.time.clone());
    let learned_at = text_time.unwrap_or_else(|| state.clock().map(|_| clock_date(state)));
    let citing = proposal.text.as_ref().and_then(|text| text.citing.clone());
    let alias = proposal.text.as_ref().and_then(|text| text.alias.as_deref()).zip(proposal.speaker.as_ref());
    let knows_speaker =
        |knower: &Knower| alias.is_none_or(|(alias, speaker)| View::of(state, knower, None).knows_name(speaker, alias));
    let edge = |knower: Knower, acquisition: Acquisition| {
        let session = session_of(state, proposal);
        KnowledgeEdge {
            acquisition,
            learned: learned_at.clone(),
            credence: max_credence,
            session,
            ..KnowledgeEdge::authored(knower, fact.id())
        }
    };
    let acquisition = match &proposal.speaker {
        Some(speaker) => Acquisition::Told { by: Some(speaker.clone()), citing: citing.clone() },
        // The default audience need not have been present, so it did not witness the fact.
        None if uses_default_audience => Acquisition::Authored,
        None => proposal.text.as_ref().and_then(|text| text.acquisition.clone()).unwrap_or(Acquisition::Witnessed),
    };
    let speaker_acquisition = if citing.is_some() { Acquisition::told(citing.clone()) } else { Acquisition::Authored };
    let speaker_edge = proposal.speaker.iter().map(|speaker| edge(speaker.clone().into(), speaker_acquisition.clone()));
    let hearer_edges =
        hearers.into_iter().filter(|knower| knower.entity() != proposal.speaker.as_ref() || proposal.speaker.is_none());
    let hearer_edges = hearer_edges.filter_map(|knower| match knows_speaker(&knower) {
        true => Some(edge(knower, acquisition.clone())),
        false if fact.entities().any(|id| Some(id) == proposal.speaker.as_ref()) => None,
        false => Some(edge(knower, Acquisition::Told { by: None, citing: citing.clone() })),
    });
    speaker_edge.chain(hearer_edges).collect()
}

#[cfg(test)]
mod tests;
