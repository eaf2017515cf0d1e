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
    contradictions::overlap,
    dates::clock_date,
    duplicates::{Claim, canonical, says_no_more, says_the_same},
    resolve::spoken_of,
    trust::TrustCalibration,
};
use serde::Serialize;

use crate::{
    CommandError,
    edit::succession,
    policy::{Policy, Verdict, Voice},
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
    /// How the hearers acquired the fact, if the text has no speaker.
    pub acquisition: Option<Acquisition>,
    /// Source that the speaker cites for the fact.
    pub citing: Option<EntityId>,
    /// Secret name that the speaker uses. A hearer who does not know that the name is the speaker's learns the fact
    /// from an unknown source, and learns no facts about the speaker.
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

/// Counts of the outcomes of proposals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Number of facts recorded as canon.
    pub canon: usize,
    /// Number of facts recorded as claims.
    pub claimed: usize,
    /// Number of facts that wait for review.
    pub waiting: usize,
    /// Number of proposals dropped because their confidence is below the floor.
    pub dropped: usize,
    /// Number of proposals skipped because the DM had already rejected an equivalent fact.
    pub rejected_before: usize,
    /// Number of proposals whose fact was already recorded. Their hearers learn the recorded fact.
    pub known: usize,
    /// Number of recorded facts that gained evidence from these proposals.
    pub supported: usize,
    /// Number of doubtful proposals that triage left out, because other proposals from the same texts or about the same
    /// entities deserve the DM's time more. Once the DM has decided on those, reading the texts again suggests the
    /// omitted proposals.
    pub left_out: usize,
}

impl AddAssign for Proposed {
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
pub struct Guide<'a> {
    /// Policy that decides by confidence.
    pub policy: &'a Policy,
    /// Adjustments of confidence, learned from the DM's earlier decisions.
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
        let mine = self.asserted.values().map(Arc::as_ref).filter(|fact| {
            let open = fact.status() == FactStatus::Canon && !fact.validity().is_closed();
            open && fact.subject() == subject && fact.predicate() == predicate
        });
        let held = state.values(subject, predicate).into_iter().filter(|fact| !self.asserted.contains_key(&fact.id()));
        held.chain(mine).filter(|fact| !self.ended.contains(&fact.id())).collect()
    }

    /// Returns the status of a fact after the earlier proposals of the batch, and whether its validity has ended.
    fn held(&self, state: &State, id: FactId) -> Option<(FactStatus, bool)> {
        let fact = self.asserted.get(&id).or_else(|| state.fact(id))?;
        Some((fact.status(), fact.validity().is_closed() || self.ended.contains(&id)))
    }

    /// Returns the facts about a subject, including those of earlier proposals of the batch.
    fn facts_of<'a>(&'a self, state: &'a State, subject: &EntityId) -> Vec<&'a Arc<Fact>> {
        let held = state.facts_of(subject).filter(|fact| !self.asserted.contains_key(&fact.id()));
        let mine = self.asserted.values().filter(|fact| fact.entities().any(|id| id == subject));
        let mut facts: Vec<&Arc<Fact>> = held.chain(mine).collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Adds edges. If an author creates several edges with the same id, the highest credence is recorded, regardless of
    /// the order in which texts are read. A repeated reading of a text (`again`) changes no recorded or withdrawn edge.
    /// Edges recorded by other authors stay unchanged.
    fn learn(&mut self, state: &State, author: &Author, edges: Vec<KnowledgeEdge>, again: bool) {
        for edge in edges {
            let id = edge.id();
            if let Some(Change::Learn(made)) = self.learned.get(&id).and_then(|at| self.changes.get_mut(*at)) {
                if made.credence < edge.credence {
                    Arc::make_mut(made).credence = edge.credence;
                }
                continue;
            }
            let held = state.recorded_edges(edge.fact).find(|(held, _)| *held == id).map(|(_, held)| held);
            let edge = match held {
                Some(held) if again || held.credence >= edge.credence => continue,
                Some(held) if state.edge_author(id) == Some(author) => {
                    KnowledgeEdge { credence: edge.credence, ..KnowledgeEdge::clone(held) }
                }
                Some(_) => continue,
                None if again && state.edge_author(id).is_some() => continue,
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
fn is_lesser(author: &Author) -> bool {
    !matches!(author, Author::Game | Author::Dm)
}

/// Returns the operation for proposals, or `None` if there is nothing to write. Also returns the counts of the
/// outcomes.
///
/// # Errors
/// Returns an error if a proposal refers to an unknown entity, or if its fact is invalid.
pub fn propose(
    state: &State,
    guide: &Guide,
    proposals: &[Proposal],
    author: &Author,
    now: Timestamp,
) -> Result<(Option<Operation>, Proposed), CommandError> {
    let mut counts = Proposed::default();
    let mut batch = Batch::default();
    let policy = guide.policy;
    for proposal in proposals {
        let provenance = provenance(state, proposal, author, guide.learned, now);
        let confidence = provenance.confidence;
        let voice = if proposal.speaker.is_some() { Voice::Character } else { Voice::World };
        let Verdict::Take(mut status, mut most) = policy.decide(confidence, voice) else {
            counts.dropped += 1;
            continue;
        };
        let Proposal { subject, predicate, object, .. } = proposal;
        let (mut validity, mut ended) = (proposal.validity.clone(), Vec::new());
        if status == FactStatus::Canon {
            let open = batch.values(state, subject, predicate);
            if !is_lesser(author) {
                ended = succession(state, &open, predicate, object, &mut validity);
            } else if state.is_functional(predicate)
                && open.iter().any(|old| old.object() != object && old.validity().overlaps(&validity))
            {
                // This author must not end a recorded fact, so the new fact is doubtful instead.
                (status, most) = policy.doubt(confidence);
            }
        }
        let mut fact = fact(state, proposal, validity, status, provenance)?;
        if is_lesser(author) {
            // A fact that contradicts canon confirmed by the DM becomes doubtful, and the review shows the
            // contradiction.
            if status == FactStatus::Canon && is_outranked(state, &batch, &fact) {
                (status, most) = policy.doubt(confidence);
            }
            match on_record(state, &batch, &fact) {
                OnRecord::Nothing => {}
                OnRecord::Refused => {
                    counts.rejected_before += 1;
                    continue;
                }
                OnRecord::Decided if status == FactStatus::Proposed => {
                    // Another source has already made the fact canon, so this statement needs no review.
                    let credence = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    (status, most) = (FactStatus::Claimed, credence);
                }
                OnRecord::Decided => {}
                OnRecord::Said { said, decided } => {
                    let again = is_read_again(&said, &fact);
                    if again {
                        counts.known += 1;
                        batch.learn(state, author, learned(state, proposal, &said, most), again);
                        continue;
                    }
                    if decided && status == FactStatus::Proposed {
                        most = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    }
                    let surer = said.status() == FactStatus::Proposed && status != FactStatus::Proposed;
                    let more = supported(&said, &fact, if surer { status } else { said.status() })?;
                    let found = more.provenance().evidence.len() > said.provenance().evidence.len();
                    if surer {
                        count(&mut counts, status);
                        batch.assert(&more);
                    } else {
                        counts.known += 1;
                        counts.supported += usize::from(found);
                    }
                    if !surer && (found || confidence > said.provenance().confidence) {
                        let only_new = said.to_builder().provenance(Provenance {
                            evidence: fact.provenance().evidence.clone(),
                            ..more.provenance().clone()
                        });
                        batch.changes.push(Change::Support(Arc::new(only_new.build()?)));
                    }
                    batch.learn(state, author, learned(state, proposal, &said, most), again);
                    continue;
                }
            }
            if fact.status() != status {
                fact = Arc::new(fact.to_builder().status(status).build()?);
            }
        }
        let held = batch.held(state, fact.id());
        if held.is_some_and(|(status, _)| status == FactStatus::Rejected) {
            counts.rejected_before += 1;
            continue;
        }
        let is_new = held.is_none_or(|(held, is_over)| {
            // A proposed fact is now accepted, or a fact that had ended is valid again.
            let surer = held == FactStatus::Proposed && status != FactStatus::Proposed;
            surer || (is_over && !fact.validity().is_closed() && held == status)
        });
        if is_new {
            count(&mut counts, status);
            for end in &ended {
                if let Change::EndFact { fact, .. } = end {
                    batch.ended.insert(*fact);
                }
            }
            batch.changes.append(&mut ended);
            batch.assert(&fact);
        } else {
            counts.known += 1;
        }
        let edges = learned(state, proposal, &fact, most);
        match is_lesser(author) {
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

fn count(counts: &mut Proposed, status: FactStatus) {
    match status {
        FactStatus::Canon => counts.canon += 1,
        FactStatus::Claimed => counts.claimed += 1,
        _ => counts.waiting += 1,
    }
}

/// Result of looking up a proposed fact in the state.
enum OnRecord {
    /// The DM has not decided on the fact, and no equivalent fact is recorded.
    Nothing,
    /// The DM rejected the fact or marked it false.
    Refused,
    /// The fact is already canon from another source.
    Decided,
    /// The same source stated the fact before. The earlier fact gains the new evidence.
    Said {
        /// The earlier fact.
        said: Arc<Fact>,
        /// Whether another source has also made the fact canon.
        decided: bool,
    },
}

fn on_record(state: &State, batch: &Batch, fact: &Fact) -> OnRecord {
    if state.is_retracted(fact.id()) {
        return OnRecord::Refused;
    }
    let vocabulary = state.vocabulary();
    let (claim, voice) = (Claim::of(vocabulary, fact), &fact.provenance().speaker);
    let there = batch.facts_of(state, claim.subject());
    let same = |other: &&&Arc<Fact>| says_the_same(vocabulary, (&claim, fact.statement()), other);
    let twins: Vec<&Arc<Fact>> = there.iter().filter(same).copied().collect();
    let is_confirmed = |fact: &Fact| fact.provenance().confirmed;
    let by_dm = |twin: &Fact, status| twin.status() == status && is_confirmed(twin);
    let is_so = twins.iter().any(|twin| by_dm(twin, FactStatus::Canon));
    let own = |twin: &&&Arc<Fact>| {
        let said = twin.provenance();
        (&said.author, &said.speaker) == (&fact.provenance().author, voice)
    };
    // If narration repeats a fact that earlier narration made canon, no separate fact is recorded.
    let told = |twin: &&&Arc<Fact>| {
        voice.is_none() && twin.status() == FactStatus::Canon && twin.provenance().speaker.is_none()
    };
    let rejected = twins.iter().any(|twin| twin.status() == FactStatus::Rejected);
    let untrue = voice.is_none() && twins.iter().any(|twin| by_dm(twin, FactStatus::False));
    let stands = |twin: &&&Arc<Fact>| twin.status() != FactStatus::Rejected;
    if !is_so && (rejected || (untrue && !twins.iter().any(|twin| own(&twin)))) {
        return OnRecord::Refused;
    }
    let said = twins.iter().filter(stands).find(|twin| own(twin));
    // If a recorded fact from the same source says more and is at least as certain, it gains the evidence of the
    // proposal. A less certain fact does not, because the evidence supports only part of it.
    let sure = |held: &Fact| held.stands() && held.provenance().confidence >= fact.provenance().confidence;
    let more = |held: &&&Arc<Fact>| sure(held) && (own(held) || told(held)) && says_no_more(vocabulary, fact, held);
    let said = said.or_else(|| twins.iter().find(|twin| told(twin)));
    let is_told = twins.iter().any(|twin| told(&twin));
    let by_others = twins.iter().any(|twin| twin.status() == FactStatus::Canon && !own(&twin));
    if let Some(said) = said.or_else(|| there.iter().find(more)) {
        return OnRecord::Said { said: Arc::clone(said), decided: by_others && !is_told };
    }
    if twins.iter().any(|twin| twin.status() == FactStatus::Canon) {
        return OnRecord::Decided;
    }
    OnRecord::Nothing
}

/// Returns whether a proposed fact comes from a repeated reading of the same text. This is so if the recorded fact
/// already has all its evidence, and the extraction is not more confident than before. Compares the confidence before
/// adjustment by learned trust, because the trust may have changed since the first reading.
fn is_read_again(said: &Fact, again: &Fact) -> bool {
    let (before, now) = (said.provenance(), again.provenance());
    let found = |provenance: &Provenance| provenance.extracted.unwrap_or(provenance.confidence);
    let shown =
        |evidence: &Evidence| matches!(evidence, Evidence::Passage { .. }) && before.evidence.contains(evidence);
    !now.evidence.is_empty() && now.evidence.iter().all(shown) && found(now) <= found(before)
}

/// Returns whether a fact contradicts a canon fact that the DM confirmed.
fn is_outranked(state: &State, batch: &Batch, fact: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let (subject, predicate, object) = canonical(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    let clashes = |other: &&Arc<Fact>| {
        let is_so = other.provenance().confirmed && other.status() == FactStatus::Canon;
        if !is_so || !overlap(fact, other) {
            return false;
        }
        let (whose, what, to) = canonical(vocabulary, (other.subject(), other.predicate(), other.object()));
        let state_of_one = whose == subject && what == predicate && to != object && vocabulary.is_functional(&what);
        let same_two =
            (&whose, &to) == (&subject, &object) || (to.entity() == Some(&subject) && object.entity() == Some(&whose));
        state_of_one || (same_two && vocabulary.are_opposites(&what, &predicate))
    };
    batch.facts_of(state, &subject).iter().any(clashes)
}

/// Returns the fact `said` with a new status, the evidence of both facts, and the higher of their confidences.
fn supported(said: &Fact, more: &Fact, status: FactStatus) -> Result<Arc<Fact>, CommandError> {
    let mut provenance = said.provenance().clone();
    let given = more.provenance();
    if given.confidence > provenance.confidence {
        (provenance.confidence, provenance.extracted) = (given.confidence, given.extracted);
        provenance.model.clone_from(&given.model);
    }
    for evidence in &given.evidence {
        if !provenance.evidence.contains(evidence) {
            provenance.evidence.push(evidence.clone());
        }
    }
    Ok(Arc::new(said.to_builder().provenance(provenance).status(status).build()?))
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
    let adjusted = learned.adjusted(&provenance, &proposal.predicate);
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
    let object = match &proposal.object {
        Object::Entity(id) => spoken_of(state, id).to_owned(),
        Object::Value(value) => value.to_string(),
    };
    let made = || state.vocabulary().sentence(&proposal.predicate, spoken_of(state, &proposal.subject), &object);
    let statement = proposal.statement.clone().unwrap_or_else(made);
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
    let playing = || state.playing().filter(|_| proposal.text.is_none()).map(|playing| playing.session.clone());
    proposal.session.clone().or_else(playing)
}

/// Returns the speaker's and the hearers' edges to a fact. `most` is their maximum credence.
fn learned(state: &State, proposal: &Proposal, fact: &Fact, most: Credence) -> Vec<KnowledgeEdge> {
    let audience = || {
        let audience = state.vocabulary().audience(&state.audience_rules(), fact);
        default_audience(audience, fact, state)
    };
    let by_rule = proposal.heard_by.is_empty() && proposal.speaker.is_none() && proposal.text.is_none();
    let hearers = if by_rule { audience() } else { proposal.heard_by.clone() };
    let said = proposal.text.as_ref().map(|text| text.time.clone());
    let learned = said.unwrap_or_else(|| state.clock().map(|_| clock_date(state)));
    let citing = proposal.text.as_ref().and_then(|text| text.citing.clone());
    let alias = proposal.text.as_ref().and_then(|text| text.alias.as_deref()).zip(proposal.speaker.as_ref());
    let knows_speaker =
        |knower: &Knower| alias.is_none_or(|(alias, speaker)| View::of(state, knower, None).knows_name(speaker, alias));
    let edge = |knower: Knower, acquisition: Acquisition| {
        let session = session_of(state, proposal);
        KnowledgeEdge {
            acquisition,
            learned: learned.clone(),
            credence: most,
            session,
            ..KnowledgeEdge::authored(knower, fact.id())
        }
    };
    let acquisition = match &proposal.speaker {
        Some(speaker) => Acquisition::Told { by: Some(speaker.clone()), citing: citing.clone() },
        // The default audience need not have been present, so it did not witness the fact.
        None if by_rule => Acquisition::Authored,
        None => proposal.text.as_ref().and_then(|text| text.acquisition.clone()).unwrap_or(Acquisition::Witnessed),
    };
    let had = if citing.is_some() { Acquisition::told(citing.clone()) } else { Acquisition::Authored };
    let own = proposal.speaker.iter().map(|speaker| edge(speaker.clone().into(), had.clone()));
    let others =
        hearers.into_iter().filter(|knower| knower.entity() != proposal.speaker.as_ref() || proposal.speaker.is_none());
    let others = others.filter_map(|knower| match knows_speaker(&knower) {
        true => Some(edge(knower, acquisition.clone())),
        false if fact.entities().any(|id| Some(id) == proposal.speaker.as_ref()) => None,
        false => Some(edge(knower, Acquisition::Told { by: None, citing: citing.clone() })),
    });
    own.chain(others).collect()
}

#[cfg(test)]
mod tests;
