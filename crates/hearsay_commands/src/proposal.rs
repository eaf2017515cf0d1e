//! Proposals: facts that a game, the extractor or an import suggests. The policy decides on proposals.

mod batch;
mod recorded_match;

use std::{collections::BTreeSet, ops::AddAssign, sync::Arc};

use hearsay_belief::{
    Known, Occasion, StateViews, View, default_audience,
    learn::{self, HeardStatement, Sincerity},
};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Credence, Date, EntityId, Evidence, ExtractionStage, Fact, FactId,
    FactRelation, FactStatus, Factuality, Knower, KnowledgeEdge, Method, Object, Operation, Predicate, Provenance,
    Secrecy, SessionId, State, Timestamp, Validity,
};
use hearsay_query::{
    dates::clock_date,
    duplicates::{Claim, is_equivalent, is_other_occurrence, known_equivalent, recorded_secret},
    resolve::public_name,
    trust::TrustCalibration,
};
use serde::Serialize;

use crate::{
    CommandError,
    edit::succession,
    lie::mark_as_lie,
    policy::{Policy, PolicyDecision, StatementSource, TextOrigin},
};
use batch::Batch;
use recorded_match::{
    RecordedMatch, contradicts_confirmed_canon, find_recorded_match, has_witnessed, is_repeated_reading,
    restates_stated_fact, with_added_evidence,
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
    /// [`Policy::floor`](crate::policy::Policy::floor).
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
    let Proposer { batch, counts, .. } = proposer;
    if batch.changes.is_empty() {
        return Ok((None, counts));
    }
    let fact_count = counts.canon + counts.claimed + counts.waiting;
    let noun = if fact_count == 1 { "fact" } else { "facts" };
    let summary = match counts.waiting {
        0 => format!("{fact_count} {noun}"),
        waiting => format!("{fact_count} {noun}, {waiting} for review"),
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes: batch.changes }), counts))
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
    /// Decides on a proposal.
    fn propose(&mut self, proposal: &Proposal) -> Result<(), CommandError> {
        let (state, policy) = (self.state, self.rules.policy);
        let provenance = provenance(state, proposal, self.author, self.rules.learned, self.now);
        if is_untrusted_author(self.author) && self.restore(proposal, &provenance) {
            return Ok(());
        }
        let confidence = provenance.confidence;
        let source = if proposal.speaker.is_some() { StatementSource::Character } else { StatementSource::World };
        let origin = proposal.text.as_ref().map(|text| text.origin);
        let Proposal { subject, predicate, object, .. } = proposal;
        let states_death = state.vocabulary().behavior(predicate).dead_entity(subject, object).is_some();
        let decision = policy.decide(confidence, source, origin, states_death);
        let PolicyDecision::Record(mut status, mut max_credence) = decision else {
            self.counts.dropped += 1;
            return Ok(());
        };
        if is_untrusted_author(self.author) && restates_stated_fact(state, proposal) {
            self.counts.known += 1;
            return Ok(());
        }
        let is_lie = proposal.text.as_ref().is_some_and(|text| text.sincerity == Sincerity::Lie);
        let claim_status = if is_lie { FactStatus::False } else { FactStatus::Claimed };
        // The DM has marked the lie, so a lie needs no review.
        if status == FactStatus::Claimed || (is_lie && status == FactStatus::Proposed) {
            status = claim_status;
        }
        let (mut validity, mut ended_values) = (proposal.validity.clone(), Vec::new());
        if status == FactStatus::Canon {
            let open_values = self.batch.values(state, subject, predicate);
            if !is_untrusted_author(self.author) {
                ended_values = succession(state, &open_values, predicate, object, &mut validity);
            } else if state.is_functional(predicate)
                && open_values.iter().any(|old| old.object() != object && old.validity().overlaps(&validity))
            {
                // This author must not end a recorded fact, so the new fact is doubtful instead.
                (status, max_credence) = policy.decide_doubtful(confidence);
            }
        }
        let mut fact = fact(state, proposal, validity, status, provenance)?;
        if is_untrusted_author(self.author) {
            // A fact that contradicts canon confirmed by the DM becomes doubtful, and the review shows the
            // contradiction.
            if status == FactStatus::Canon && contradicts_confirmed_canon(state, &self.batch, &fact) {
                (status, max_credence) = policy.decide_doubtful(confidence);
            }
            match find_recorded_match(state, &self.batch, &fact) {
                RecordedMatch::None => {}
                RecordedMatch::Rejected => {
                    self.counts.rejected_before += 1;
                    return Ok(());
                }
                RecordedMatch::CanonElsewhere if status == FactStatus::Proposed => {
                    // Another source has already made the fact canon, so this statement needs no review.
                    (status, max_credence) = (claim_status, credence(confidence));
                }
                RecordedMatch::CanonElsewhere => {}
                RecordedMatch::SameSource { earlier, is_canon_elsewhere } => {
                    // If the text is read again, nobody learns more, and edges that were withdrawn stay withdrawn.
                    if state.fact(earlier.id()).is_some_and(|recorded| is_repeated_reading(recorded, &fact)) {
                        self.counts.known += 1;
                        return Ok(());
                    }
                    if is_canon_elsewhere && status == FactStatus::Proposed {
                        max_credence = credence(confidence);
                    }
                    self.support(&earlier, &fact, status)?;
                    self.teach(proposal, &earlier, max_credence);
                    return Ok(());
                }
            }
            if fact.status() != status {
                fact = Arc::new(fact.to_builder().status(status).build()?);
            }
        }
        if self.is_copy_of_secret(proposal, &fact) {
            fact = Arc::new(fact.to_builder().secrecy(Secrecy::Secret).build()?);
        }
        let recorded = self.batch.recorded_status(state, fact.id());
        if recorded.is_some_and(|(status, _)| status == FactStatus::Rejected) {
            self.counts.rejected_before += 1;
            return Ok(());
        }
        self.record(&fact, recorded, ended_values);
        self.teach(proposal, &fact, max_credence);
        Ok(())
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
        self.teach(proposal, &fact, max_credence);
        true
    }

    /// Records that the speaker and the hearers of a proposal learn its fact.
    fn teach(&mut self, proposal: &Proposal, fact: &Arc<Fact>, max_credence: Credence) {
        let is_lie = proposal.text.as_ref().is_some_and(|text| text.sincerity == Sincerity::Lie);
        let recorded = self.state.fact(fact.id()).filter(|_| is_lie);
        if let (Some(recorded), Some(speaker)) = (recorded, &proposal.speaker)
            && self.batch.lies.insert((recorded.id(), speaker.clone()))
        {
            // The speaker may have said the same before the DM knew that it is a lie.
            self.batch.changes.extend(mark_as_lie(&self.views, speaker, recorded));
        }
        let mut edges = learner_edges(&self.views, proposal, fact, max_credence);
        conceal_own_secrets(&self.views, fact, &mut edges);
        if is_untrusted_author(self.author) {
            self.batch.learn(self.state, self.author, edges);
        } else {
            self.batch.changes.extend(edges.into_iter().map(Change::Learn));
        }
    }

    /// Adds the evidence of a proposed fact to the fact that the same source stated before. `status` is the status that
    /// the policy gives to the proposed fact.
    fn support(&mut self, earlier: &Fact, fact: &Fact, status: FactStatus) -> Result<(), CommandError> {
        let becomes_accepted = earlier.status() == FactStatus::Proposed && status != FactStatus::Proposed;
        let merged = with_added_evidence(earlier, fact, if becomes_accepted { status } else { earlier.status() })?;
        if becomes_accepted {
            count_outcome(&mut self.counts, status);
            self.batch.assert(&merged);
            return Ok(());
        }
        let has_new_evidence = merged.provenance().evidence.len() > earlier.provenance().evidence.len();
        self.counts.known += 1;
        self.counts.supported += usize::from(has_new_evidence);
        if has_new_evidence || fact.provenance().confidence > earlier.provenance().confidence {
            let new_evidence = earlier
                .to_builder()
                .provenance(Provenance { evidence: fact.provenance().evidence.clone(), ..merged.provenance().clone() });
            self.batch.changes.push(Change::Support(Arc::new(new_evidence.build()?)));
        }
        Ok(())
    }

    /// Records a fact, and ends the older values that it replaces. `recorded` is the recorded status of the fact, and
    /// whether its validity has ended. If the fact is already recorded with this status and is still valid, this
    /// function only counts the proposal.
    fn record(&mut self, fact: &Arc<Fact>, recorded: Option<(FactStatus, bool)>, ended_values: Vec<Change>) {
        let status = fact.status();
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

/// Returns the edges with which the speaker and the hearers of a proposal learn a fact. `max_credence` is the maximum
/// credence of these edges.
fn learner_edges(
    views: &StateViews,
    proposal: &Proposal,
    fact: &Arc<Fact>,
    max_credence: Credence,
) -> Vec<Arc<KnowledgeEdge>> {
    let (state, text) = (views.state(), proposal.text.as_ref());
    let time = text.map_or_else(|| state.clock().map(|_| clock_date(state)), |text| text.time.clone());
    let occasion = Occasion { time, place: None, session: session_of(state, proposal) };
    let Some(speaker) = &proposal.speaker else {
        return witness_edges(state, proposal, fact, max_credence, &occasion);
    };
    let view = views.get(&Knower::Entity(speaker.clone()), occasion.moment());
    // A speaker who saw the fact has it from nobody, even if the same sentence quotes another person.
    let cited = text.and_then(|text| text.citing.as_ref());
    let statement = HeardStatement {
        speaker,
        view: &view,
        alias: text.and_then(|text| text.alias.as_deref()),
        citing: cited.filter(|_| !has_witnessed(state, speaker, fact, occasion.moment())),
        hearers: &proposal.heard_by,
        fact,
        restates: known_equivalent(state, &view, fact, |known| !known.is_made_up() || known.is_disbelieved())
            .map(|known| known.id()),
        sincerity: text.map_or_else(Sincerity::default, |text| text.sincerity),
        certainty: max_credence,
    };
    let changes = learn::overhear(views, &statement, &occasion).changes;
    let edges = changes.iter().filter_map(Change::edge).cloned();
    let is_private = text.is_some_and(|text| text.is_private && text.sincerity == Sincerity::Sincere);
    if !is_private || !conceals_same_matter(&view, fact) {
        return edges.collect();
    }
    let in_confidence = |mut edge: Arc<KnowledgeEdge>| {
        if edge.fact == fact.id() && edge.acquisition.gives_knowledge() {
            Arc::make_mut(&mut edge).conceals = true;
        }
        edge
    };
    edges.map(in_confidence).collect()
}

/// Marks edges to a fact as concealed if their knowers conceal a recorded fact with the same content. Otherwise, these
/// knowers would tell their own secret as news.
fn conceal_own_secrets(views: &StateViews, fact: &Fact, edges: &mut [Arc<KnowledgeEdge>]) {
    let state = views.state();
    let vocabulary = state.vocabulary();
    let claim = Claim::from_fact(vocabulary, fact);
    let is_concealed_duplicate = |other: &&Arc<Fact>| {
        other.id() != fact.id()
            && is_equivalent(vocabulary, (&claim, fact.statement()), other)
            && !is_other_occurrence(state, fact, other)
            && state.known_by(other.id()).any(|edge| edge.conceals)
    };
    let secrets: Vec<FactId> =
        state.facts_of(claim.subject()).filter(is_concealed_duplicate).map(|other| other.id()).collect();
    if secrets.is_empty() {
        return;
    }
    for edge in edges.iter_mut().filter(|edge| edge.fact == fact.id() && edge.acquisition.gives_knowledge()) {
        let view = views.get(&edge.knower, edge.learned_at());
        if secrets.iter().any(|secret| view.fact(*secret).is_some_and(Known::conceals)) {
            Arc::make_mut(edge).conceals = true;
        }
    }
}

/// Returns whether the holder of a view conceals another fact about one of the entities of `fact`.
fn conceals_same_matter(view: &View, fact: &Fact) -> bool {
    let entities: BTreeSet<&EntityId> = fact.entities().collect();
    let mut concealed = view.concealed_facts().filter(|known| known.id() != fact.id());
    concealed.any(|known| known.entities().any(|id| entities.contains(id)))
}

/// Returns the edges with which the hearers of a proposal without a speaker learn a fact. If the proposal has no
/// hearers and no text, returns the edges of the default audience.
fn witness_edges(
    state: &State,
    proposal: &Proposal,
    fact: &Fact,
    max_credence: Credence,
    occasion: &Occasion,
) -> Vec<Arc<KnowledgeEdge>> {
    let (knowers, acquisition) = match &proposal.text {
        // The default audience need not have been present, so it did not witness the fact.
        None if proposal.heard_by.is_empty() => {
            let audience = state.vocabulary().audience(&state.audience_rules(), fact);
            (default_audience(audience, fact, state), Acquisition::Authored)
        }
        text => {
            let acquisition = text.as_ref().and_then(|text| text.acquisition.clone());
            (proposal.heard_by.clone(), acquisition.unwrap_or(Acquisition::Witnessed))
        }
    };
    let Occasion { time, session, .. } = occasion;
    let edge = |knower: Knower| KnowledgeEdge {
        acquisition: acquisition.clone(),
        learned: time.clone(),
        credence: max_credence,
        session: session.clone(),
        ..KnowledgeEdge::authored(knower, fact.id())
    };
    knowers.into_iter().map(|knower| Arc::new(edge(knower))).collect()
}

#[cfg(test)]
mod tests;
