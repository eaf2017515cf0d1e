//! Proposals: facts that a game, the extractor or an import suggests. The policy decides on proposals.

mod batch;
mod learners;
mod recorded_match;

use std::{ops::AddAssign, sync::Arc};

use hearsay_belief::{StateViews, learn::Sincerity};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Credence, Date, EntityId, Evidence, ExtractionStage, Fact, FactBuilder,
    FactId, FactRelation, FactStatus, Factuality, Knower, Method, Object, Operation, Predicate, Provenance, Secrecy,
    SessionId, State, Timestamp, Validity, words,
};
use hearsay_query::{duplicates::recorded_secret, resolve::public_sentence, trust::TrustCalibration};
use serde::Serialize;

use crate::{
    CommandError,
    edit::succession,
    lie::mark_as_lie,
    moves::Move,
    policy::{Policy, PolicyDecision, StatementSource, TextOrigin},
};
use batch::Batch;
use learners::{conceal_own_secrets, learner_edges};
use recorded_match::{
    RecordedMatch, contradicts_confirmed_canon, find_recorded_match, is_repeated_reading, restates_stated_fact,
    with_added_evidence,
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
    /// Sentence that states the fact. If `None`, Hearsay generates a sentence from the phrase of the predicate.
    pub statement: Option<String>,
    /// Entities that the statement names besides the subject and the object.
    pub participants: Vec<EntityId>,
    /// Assertion status of the fact.
    pub factuality: Factuality,
    /// Period in which the fact is true.
    pub validity: Validity,
    /// Probability that the source really states this fact, 0.0–1.0, as estimated by the author of the proposal.
    pub confidence: Confidence,
    /// Character that states the fact; `None` if the source is not a character, such as narration or notes.
    pub speaker: Option<EntityId>,
    /// Knowers that heard the statement. If the statement has a speaker, the credence of the hearers depends on their
    /// trust in the speaker and on the speaker's credence. If the proposal has no hearers, no speaker and no `text`,
    /// the default audience of the predicate learns the fact.
    pub heard_by: Vec<Knower>,
    /// Session in which the fact was stated. If both this field and `text` are `None`, the session being played is
    /// used.
    pub session: Option<SessionId>,
    /// Evidence for the fact.
    pub evidence: Vec<Evidence>,
    /// Language model that extracted the fact; `None` if no language model extracted the fact.
    pub model: Option<String>,
    /// Stage of the extraction that found the fact; `None` if the fact was not extracted from a text.
    pub stage: Option<ExtractionStage>,
    /// Details of the text that states the fact; `None` if the proposal does not come from a text. If the proposal has
    /// a text, only the speaker and the hearers of the text learn the fact.
    pub text: Option<TextSource>,
    /// Fact that the proposed fact refutes; `None` if the proposed fact refutes no fact.
    pub refutes: Option<FactId>,
}

/// Details of a text that states a fact, such as the time when the text was spoken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextSource {
    /// Origin of the text. The policy can require a higher confidence for texts of this origin.
    pub origin: TextOrigin,
    /// Game time at which the text was said; `None` if it is unknown.
    pub time: Option<Date>,
    /// For a text without a speaker: how its hearers or readers learn the fact. `None` for a text with a speaker.
    pub acquisition: Option<Acquisition>,
    /// Source that the speaker cites for the fact; `None` if the speaker cites no source.
    pub citing: Option<EntityId>,
    /// Secret name that the speaker uses; `None` if the speaker uses no secret name. A hearer who does not know that
    /// the name belongs to the speaker treats the speaker as a stranger. This hearer learns no facts about the speaker.
    pub alias: Option<String>,
    /// Whether the speaker lies. A fact that a liar states is recorded as false.
    pub sincerity: Sincerity,
    /// Whether the speaker said the text only to certain characters. After a private text, the speaker and the hearers
    /// conceal the stated fact if the speaker already conceals another fact about one of its entities.
    pub is_private: bool,
}

impl Proposal {
    /// Creates a proposal with full confidence and defaults for all other fields.
    pub fn new(subject: EntityId, predicate: Predicate, object: Object) -> Self {
        Self {
            subject,
            predicate,
            object,
            statement: None,
            participants: Vec::new(),
            factuality: Factuality::default(),
            validity: Validity::default(),
            confidence: Confidence::FULL,
            speaker: None,
            heard_by: Vec::new(),
            session: None,
            evidence: Vec::new(),
            model: None,
            stage: None,
            text: None,
            refutes: None,
        }
    }

    /// Returns whether the speaker lies.
    fn is_lie(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.sincerity == Sincerity::Lie)
    }

    /// Returns the proposal as a statement in which the speaker does not lie.
    fn without_lie(&self) -> Self {
        let text = self.text.clone().map(|text| TextSource { sincerity: Sincerity::Sincere, ..text });
        Self { text, ..self.clone() }
    }

    /// Returns the status of the fact if it is recorded as the statement of its speaker.
    fn claim_status(&self) -> FactStatus {
        if self.is_lie() { FactStatus::False } else { FactStatus::Claimed }
    }
}

/// Numbers of proposals with each outcome, such as recorded or dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ProposalCounts {
    /// Number of proposed facts that were recorded as canon.
    pub canon: usize,
    /// Number of proposed facts that were recorded as claims, or as lies.
    pub claimed: usize,
    /// Number of proposed facts that wait for review.
    pub waiting: usize,
    /// Number of proposals that were dropped because their confidence is below
    /// [`Policy::floor`](crate::policy::Policy::floor), because a pronoun of narration would mean a character who has
    /// left, or because narration only says what passes in the scene.
    pub dropped: usize,
    /// Number of proposals that were skipped because the DM had already rejected an equivalent fact.
    pub rejected_before: usize,
    /// Number of proposals whose fact was already recorded. The hearers of these proposals learn the recorded fact,
    /// unless the proposal comes from a text that was read before.
    pub known: usize,
    /// Number of recorded facts that gained evidence from these proposals.
    pub supported: usize,
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
    }
}

/// Rules for the decision on proposals: the policy, and the trust calibration.
#[derive(Clone, Copy)]
pub struct ProposalRules<'a> {
    /// Policy, which decides on proposals by their confidence.
    pub policy: &'a Policy,
    /// Trust calibration, which adjusts confidence according to the DM's earlier decisions.
    pub learned: &'a TrustCalibration,
}

/// Returns whether an author is neither the game nor the DM. Proposals by such an author cannot override the DM's
/// decisions.
fn is_untrusted_author(author: &Author) -> bool {
    !matches!(author, Author::Game | Author::Dm)
}

/// Returns the operation that records proposals; `None` if there is nothing to record. Also returns the number of
/// proposals with each outcome.
///
/// # Errors
/// Returns an error if a proposal refers to an unknown entity, or if the fact of a proposal is invalid.
pub fn propose(
    state: &State,
    rules: &ProposalRules,
    proposals: &[Proposal],
    author: &Author,
    now: Timestamp,
) -> Result<(Option<Operation>, ProposalCounts), CommandError> {
    let (batch, views, counts) = (Batch::default(), StateViews::new(state), ProposalCounts::default());
    let mut proposer = Proposer { state, rules: *rules, author, now, batch, views, counts };
    for proposal in proposals {
        proposer.propose(proposal)?;
    }
    proposer.record_moves()?;
    let Proposer { batch, counts, .. } = proposer;
    if batch.changes.is_empty() {
        return Ok((None, counts));
    }
    let fact_count = counts.canon + counts.claimed + counts.waiting;
    let facts = words::count(fact_count, "fact", "facts");
    let summary = match counts.waiting {
        0 => facts,
        waiting => format!("{facts}, {waiting} for review"),
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes: batch.changes }), counts))
}

/// Decision on a proposal.
enum Outcome {
    /// The confidence is below the floor of the policy.
    Dropped,
    /// The fact is already recorded, and nobody learns it from this proposal.
    Known,
    /// The DM has already rejected an equivalent fact.
    RejectedBefore,
    /// The fact is the same as an earlier fact of the same source, which gains the evidence of the proposal.
    Supports {
        earlier: Arc<Fact>,
        fact: Arc<Fact>,
        /// Status that the policy gives to the proposed fact.
        status: FactStatus,
        /// Maximum credence of the knowers that learn the fact.
        max_credence: Credence,
    },
    /// A part of a lie states a canon fact of another source. The hearers learn the canon fact.
    Restates {
        canon: Arc<Fact>,
        /// Maximum credence of the knowers that learn the fact.
        max_credence: Credence,
    },
    /// The source states the fact for the first time, or states it exactly as it is recorded.
    Stated {
        fact: Arc<Fact>,
        /// Changes that end the older values that the fact replaces.
        ended_values: Vec<Change>,
        /// Maximum credence of the knowers that learn the fact.
        max_credence: Credence,
    },
}

/// Decides on the proposals of one author, one after the other.
struct Proposer<'a> {
    state: &'a State,
    rules: ProposalRules<'a>,
    author: &'a Author,
    now: Timestamp,
    batch: Batch,
    views: StateViews<'a>,
    counts: ProposalCounts,
}

impl Proposer<'_> {
    /// Decides on a proposal, and records the outcome.
    fn propose(&mut self, proposal: &Proposal) -> Result<(), CommandError> {
        let provenance = provenance(self.state, proposal, self.author, self.rules.learned, self.now);
        if is_untrusted_author(self.author) && self.restore(proposal, &provenance) {
            return Ok(());
        }
        match self.decide(proposal, provenance)? {
            Outcome::Dropped => self.counts.dropped += 1,
            Outcome::Known => self.counts.known += 1,
            Outcome::RejectedBefore => self.counts.rejected_before += 1,
            Outcome::Supports { earlier, fact, status, max_credence } => {
                let has_new_evidence = self.support(&earlier, &fact, status)?;
                self.teach(proposal, &earlier, max_credence, has_new_evidence);
            }
            Outcome::Restates { canon, max_credence } => {
                self.counts.known += 1;
                self.teach(&proposal.without_lie(), &canon, max_credence, false);
            }
            Outcome::Stated { fact, ended_values, max_credence } => {
                self.record(&fact, ended_values);
                self.teach(proposal, &fact, max_credence, false);
            }
        }
        Ok(())
    }

    /// Returns the decision on a proposal.
    fn decide(&self, proposal: &Proposal, provenance: Provenance) -> Result<Outcome, CommandError> {
        let (state, policy) = (self.state, self.rules.policy);
        // The DM has decided only on facts above the floor, so these decisions say nothing about a fact below it.
        if proposal.confidence < policy.floor {
            return Ok(Outcome::Dropped);
        }
        let confidence = provenance.confidence;
        let source = if proposal.speaker.is_some() { StatementSource::Character } else { StatementSource::World };
        let origin = proposal.text.as_ref().map(|text| text.origin);
        let Proposal { subject, predicate, object, .. } = proposal;
        let states_death = state.vocabulary().behavior(predicate).dead_entity(subject, object).is_some();
        let decision = policy.decide(confidence, source, origin, states_death);
        let PolicyDecision::Record(status, max_credence) = decision else { return Ok(Outcome::Dropped) };
        let is_untrusted = is_untrusted_author(self.author);
        if is_untrusted && restates_stated_fact(state, proposal) {
            return Ok(Outcome::Known);
        }
        // The DM has marked the lie, so a lie needs no review.
        let needs_no_review = status == FactStatus::Claimed || (proposal.is_lie() && status == FactStatus::Proposed);
        let status = if needs_no_review { proposal.claim_status() } else { status };
        let open_values = match status {
            FactStatus::Canon => self.batch.values(state, subject, predicate),
            _ => Vec::new(),
        };
        let mut validity = proposal.validity.clone();
        if !is_untrusted {
            let ended_values = match status {
                FactStatus::Canon => succession(state, &open_values, predicate, object, &mut validity),
                _ => Vec::new(),
            };
            let fact = fact(state, proposal, validity, status, provenance)?;
            return self.decide_by_content(proposal, fact, ended_values, max_credence);
        }
        // This author must not end a recorded fact, so a fact that would end one is doubtful instead.
        let replaces_value = state.is_functional(predicate)
            && open_values.iter().any(|old| old.object() != object && old.validity().overlaps(&validity));
        let (status, max_credence) =
            if replaces_value { policy.decide_doubtful(confidence) } else { (status, max_credence) };
        let fact = fact(state, proposal, validity, status, provenance)?;
        self.decide_by_records(proposal, fact, max_credence)
    }

    /// Returns the decision on a proposal of an untrusted author, by comparison with the recorded facts. The status of
    /// `fact` and `max_credence` are the decision so far.
    fn decide_by_records(
        &self,
        proposal: &Proposal,
        fact: Arc<Fact>,
        max_credence: Credence,
    ) -> Result<Outcome, CommandError> {
        let (state, status, confidence) = (self.state, fact.status(), fact.provenance().confidence);
        // A fact that contradicts canon confirmed by the DM becomes doubtful, and the review shows the contradiction.
        let is_contradiction = status == FactStatus::Canon && contradicts_confirmed_canon(state, &self.batch, &fact);
        let (status, max_credence) =
            if is_contradiction { self.rules.policy.decide_doubtful(confidence) } else { (status, max_credence) };
        let waits = status == FactStatus::Proposed;
        let (status, max_credence) = match find_recorded_match(state, &self.batch, &fact) {
            RecordedMatch::Rejected => return Ok(Outcome::RejectedBefore),
            RecordedMatch::SameSource { earlier, is_canon_elsewhere } => {
                // If the text is read again, nobody learns more, and edges that were withdrawn stay withdrawn.
                if state.fact(earlier.id()).is_some_and(|recorded| is_repeated_reading(recorded, &fact)) {
                    return Ok(Outcome::Known);
                }
                let max_credence = if is_canon_elsewhere && waits { credence(confidence) } else { max_credence };
                return Ok(Outcome::Supports { earlier, fact, status, max_credence });
            }
            // A true part of a lie is not false. If it is a secret, nobody learns the secret from the lie.
            RecordedMatch::CanonElsewhere { canon } if proposal.is_lie() => {
                let is_secret = canon.secrecy() == Secrecy::Secret;
                let restated = Outcome::Restates { canon, max_credence: credence(confidence) };
                return Ok(if is_secret { Outcome::Known } else { restated });
            }
            // Another source has already made the fact canon, so this statement needs no review.
            RecordedMatch::CanonElsewhere { .. } if waits => (proposal.claim_status(), credence(confidence)),
            RecordedMatch::CanonElsewhere { .. } | RecordedMatch::None => (status, max_credence),
        };
        let fact = if fact.status() == status { fact } else { Arc::new(fact.to_builder().status(status).build()?) };
        self.decide_by_content(proposal, fact, Vec::new(), max_credence)
    }

    /// Returns the decision on a proposal whose source has not stated `fact` before. A copy of a secret becomes a
    /// secret.
    fn decide_by_content(
        &self,
        proposal: &Proposal,
        fact: Arc<Fact>,
        ended_values: Vec<Change>,
        max_credence: Credence,
    ) -> Result<Outcome, CommandError> {
        let fact = if self.is_copy_of_secret(proposal, &fact) {
            Arc::new(fact.to_builder().secrecy(Secrecy::Secret).build()?)
        } else {
            fact
        };
        let recorded = self.batch.recorded_status(self.state, fact.id());
        if recorded.is_some_and(|(status, _)| status == FactStatus::Rejected) {
            return Ok(Outcome::RejectedBefore);
        }
        Ok(Outcome::Stated { fact, ended_values, max_credence })
    }

    /// Returns whether a text states the content of a recorded secret. A statement of a speaker counts only if the speaker
    /// knows the secret.
    fn is_copy_of_secret(&self, proposal: &Proposal, fact: &Fact) -> bool {
        if proposal.text.is_none() || fact.status() == FactStatus::False {
            return false;
        }
        let Some(secret) = recorded_secret(self.state, fact, fact.id()) else { return false };
        let knows =
            |speaker: &EntityId| self.views.get(&Knower::Entity(speaker.clone()), None).fact(secret.id()).is_some();
        proposal.speaker.as_ref().is_none_or(knows)
    }

    /// If the DM confirmed the fact of a proposal before its text was changed, and the new text contains the same words,
    /// records the fact with the DM's decision. Returns whether the fact was recorded.
    fn restore(&mut self, proposal: &Proposal, provenance: &Provenance) -> bool {
        let (status, max_credence) = self.rules.policy.decide_doubtful(provenance.confidence);
        let Ok(fact) = fact(self.state, proposal, proposal.validity.clone(), status, provenance.clone()) else {
            return false;
        };
        let decided = self.state.with_withdrawn_decisions(&fact);
        let Some(decided) = decided.filter(|decided| decided.status() != FactStatus::Rejected) else { return false };
        self.counts.known += 1;
        self.batch.restore(&fact, decided);
        self.teach(proposal, &fact, max_credence, false);
        true
    }

    /// Records that the speaker and the hearers of a proposal learn its fact. `has_new_evidence` is whether the fact was
    /// recorded before and gains evidence from the proposal.
    fn teach(&mut self, proposal: &Proposal, fact: &Arc<Fact>, max_credence: Credence, has_new_evidence: bool) {
        let recorded = self.state.fact(fact.id()).filter(|_| proposal.is_lie());
        if let (Some(recorded), Some(speaker)) = (recorded, &proposal.speaker)
            && self.batch.lies.insert((recorded.id(), speaker.clone()))
        {
            // The speaker may have said the same before the DM knew that it is a lie.
            self.batch.changes.extend(mark_as_lie(&self.views, speaker, recorded));
        }
        let mut edges = learner_edges(&self.views, proposal, fact, max_credence);
        conceal_own_secrets(&self.views, fact, &mut edges);
        if is_untrusted_author(self.author) {
            self.batch.learn(self.state, self.author, edges, has_new_evidence);
        } else {
            self.batch.changes.extend(edges.into_iter().map(Change::Learn));
        }
    }

    /// Records what follows from the moves that become canon without review. A move that the DM accepts has the same
    /// consequences. A text about another time, such as a line of an earlier session, does not change who is in the scene.
    /// In a game, the game decides where the characters are.
    fn record_moves(&mut self) -> Result<(), CommandError> {
        let facts = if is_untrusted_author(self.author) { self.batch.new_canon() } else { Vec::new() };
        for fact in &facts {
            let Some(moved) = Move::from_fact(self.state, fact).filter(Move::may_change_scene) else { continue };
            let edges = self.state.known_by(fact.id()).chain(self.batch.edges_to(fact.id()));
            let consequences = moved.accepted(edges, &[], self.now)?;
            self.batch.add_consequences(consequences);
        }
        Ok(())
    }

    /// Adds the evidence of a proposed fact to the fact that the same source stated before. `status` is the status that
    /// the policy gives to the proposed fact. Returns whether any of the evidence is new.
    fn support(&mut self, earlier: &Fact, fact: &Fact, status: FactStatus) -> Result<bool, CommandError> {
        let becomes_accepted = earlier.status() == FactStatus::Proposed && status != FactStatus::Proposed;
        let merged = with_added_evidence(earlier, fact, if becomes_accepted { status } else { earlier.status() })?;
        let has_new_evidence = merged.provenance().evidence.len() > earlier.provenance().evidence.len();
        if becomes_accepted {
            count_outcome(&mut self.counts, status);
            self.batch.assert(&merged);
            return Ok(has_new_evidence);
        }
        self.counts.known += 1;
        self.counts.supported += usize::from(has_new_evidence);
        if has_new_evidence || fact.provenance().confidence > earlier.provenance().confidence {
            let new_evidence = earlier
                .to_builder()
                .provenance(Provenance { evidence: fact.provenance().evidence.clone(), ..merged.provenance().clone() });
            self.batch.changes.push(Change::Support(Arc::new(new_evidence.build()?)));
        }
        Ok(has_new_evidence)
    }

    /// Records a fact, and ends the older values that it replaces. If the fact is already recorded with this status and
    /// is still valid, this function only counts the proposal.
    fn record(&mut self, fact: &Arc<Fact>, ended_values: Vec<Change>) {
        let status = fact.status();
        let recorded = self.batch.recorded_status(self.state, fact.id());
        let is_new = recorded.is_none_or(|(recorded, is_over)| {
            // A proposed fact is now accepted, or a fact that had ended is valid again.
            let becomes_accepted = recorded == FactStatus::Proposed && status != FactStatus::Proposed;
            becomes_accepted || (is_over && !fact.validity().is_closed() && recorded == status)
        });
        if !is_new {
            self.counts.known += 1;
            return;
        }
        count_outcome(&mut self.counts, status);
        for end in &ended_values {
            if let Change::EndFact { fact, .. } = end {
                self.batch.ended.insert(*fact);
            }
        }
        self.batch.changes.extend(ended_values);
        self.batch.assert(fact);
    }
}

/// Returns the credence that corresponds to a confidence.
fn credence(confidence: Confidence) -> Credence {
    Credence::new(confidence.get()).unwrap_or(Credence::NONE)
}

fn count_outcome(counts: &mut ProposalCounts, status: FactStatus) {
    match status {
        FactStatus::Canon => counts.canon += 1,
        FactStatus::Claimed | FactStatus::False => counts.claimed += 1,
        _ => counts.waiting += 1,
    }
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
        stage: proposal.stage,
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
    let Proposal { subject, predicate, object, .. } = proposal;
    let generated_statement = || public_sentence(state, subject, predicate, object);
    let statement = proposal.statement.clone().unwrap_or_else(generated_statement);
    let builder = FactBuilder::new(subject.clone(), predicate.clone(), object.clone(), provenance);
    let participants = proposal.participants.iter().filter(|id| state.entity(id).is_some()).cloned();
    let builder = builder.statement(statement).mentions(participants).factuality(proposal.factuality);
    let fact_relation = proposal.refutes.map(FactRelation::Refutes);
    Ok(Arc::new(builder.validity(validity).status(status).fact_relation(fact_relation).build()?))
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

#[cfg(test)]
mod tests;
