//! Proposals: facts that a game, an extractor or an import thinks are said, on their way through the policy.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
    sync::Arc,
};

use hearsay_belief::{View, knowers};
use hearsay_model::{
    Author, Bearing, Change, Confidence, Credence, Date, EntityId, Evidence, Fact, FactId, How, Knower, Knowledge,
    KnowledgeId, Method, Object, Operation, Predicate, Provenance, SessionId, Standing, State, Timestamp, Validity,
};
use serde::Serialize;

use crate::{
    Learned, MemoryError, Policy, Verdict, Voice,
    contradictions::overlap,
    duplicates::{Claim, canonical, says_no_more, says_the_same},
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
    /// The language model that found it, if one did.
    pub model: Option<String>,
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
    /// The secret name under which the speaker speaks: whoever does not know whose it is has it from nobody in particular,
    /// and learns nothing of the speaker.
    pub alias: Option<String>,
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
            model: None,
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
    /// Left, because the DM has rejected them before, in these words or in others.
    pub rejected_before: usize,
    /// Left as they are, because they are on record already. Who heard them now knows them too.
    pub known: usize,
    /// Of these, the facts that gained evidence.
    pub supported: usize,
    /// Guesses that were left out, because others of the same texts, or about the same entity, are more worth the DM's
    /// time. The texts keep them: what is read again proposes them, once the DM has decided on what waits.
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

/// What decides on proposals besides the state.
#[derive(Clone, Copy)]
pub struct Guide<'a> {
    /// What becomes of them, by their confidence.
    pub policy: &'a Policy,
    /// What was learned from the DM, which moves their confidence.
    pub learned: &'a Learned,
}

/// What the earlier proposals of a batch do.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    asserted: BTreeMap<FactId, Arc<Fact>>,
    ended: BTreeSet<FactId>,
    /// The edges that are made, with their place among the changes.
    learned: BTreeMap<KnowledgeId, usize>,
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

    /// The facts of a subject after the earlier proposals.
    fn facts_of<'a>(&'a self, state: &'a State, subject: &EntityId) -> Vec<&'a Arc<Fact>> {
        let held = state.facts_of(subject).filter(|fact| !self.asserted.contains_key(&fact.id()));
        let mine = self.asserted.values().filter(|fact| fact.entities().any(|id| id == subject));
        let mut facts: Vec<&Arc<Fact>> = held.chain(mine).collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Makes edges. Of an author's edges with one id the surest counts, whichever text is read first and however often: a
    /// text that is read again says nothing new, and one that says the same less surely takes nothing away. What others
    /// recorded or withdrew stays as they left it.
    fn learn(&mut self, state: &State, author: &Author, edges: Vec<Knowledge>, again: bool) {
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
                    Knowledge { credence: edge.credence, ..Knowledge::clone(held) }
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

/// Whether somebody's word is not the game's own, nor the DM's: it is checked against what the DM decided.
fn is_lesser(author: &Author) -> bool {
    !matches!(author, Author::Game | Author::Dm)
}

/// The operation that proposals become; none, when all are dropped.
///
/// # Errors
/// When a proposal names an entity that is not there, or makes no fact.
pub fn propose(
    state: &State,
    guide: &Guide,
    proposals: &[Proposal],
    author: &Author,
    now: Timestamp,
) -> Result<(Option<Operation>, Proposed), MemoryError> {
    let mut counts = Proposed::default();
    let mut batch = Batch::default();
    let policy = guide.policy;
    for proposal in proposals {
        let provenance = provenance(state, proposal, author, guide.learned, now);
        let confidence = provenance.confidence;
        let voice = if proposal.speaker.is_some() { Voice::Character } else { Voice::World };
        let Verdict::Take(mut standing, mut most) = policy.decide(confidence, voice) else {
            counts.dropped += 1;
            continue;
        };
        let Proposal { subject, predicate, object, .. } = proposal;
        let (mut validity, mut ended) = (proposal.validity.clone(), Vec::new());
        if standing == Standing::Canon {
            let open = batch.values(state, subject, predicate);
            if !is_lesser(author) {
                ended = succession(state, &open, predicate, object, &mut validity);
            } else if state.is_functional(predicate)
                && open.iter().any(|old| old.object() != object && old.validity().overlaps(&validity))
            {
                // Nothing that was true is retired by guess (decision 5).
                (standing, most) = policy.doubt(confidence);
            }
        }
        let mut fact = fact(state, proposal, validity, standing, provenance)?;
        if is_lesser(author) {
            // That somebody says so is no more than a claim, and review shows what it contradicts.
            if standing == Standing::Canon && is_outranked(state, &batch, &fact) {
                (standing, most) = policy.doubt(confidence);
            }
            match on_record(state, &batch, &fact) {
                OnRecord::Nothing => {}
                OnRecord::Refused => {
                    counts.rejected_before += 1;
                    continue;
                }
                OnRecord::Decided if standing == Standing::Proposed => {
                    // The world has it already: that somebody says so needs no review.
                    let credence = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    (standing, most) = (Standing::Claimed, credence);
                }
                OnRecord::Decided => {}
                OnRecord::Said { said, decided } => {
                    let again = is_read_again(&said, &fact);
                    if again {
                        counts.known += 1;
                        batch.learn(state, author, learned(state, proposal, &said, most), again);
                        continue;
                    }
                    if decided && standing == Standing::Proposed {
                        most = Credence::new(confidence.get()).unwrap_or(Credence::NONE);
                    }
                    let surer = said.standing() == Standing::Proposed && standing != Standing::Proposed;
                    let more = supported(&said, &fact, if surer { standing } else { said.standing() })?;
                    let found = more.provenance().evidence.len() > said.provenance().evidence.len();
                    if surer {
                        count(&mut counts, standing);
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
            if fact.standing() != standing {
                fact = Arc::new(fact.to_builder().standing(standing).build()?);
            }
        }
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
            count(&mut counts, standing);
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
        _ => format!("{} facts, {} for review", counts.canon + counts.claimed + counts.waiting, counts.waiting),
    };
    Ok((Some(Operation { author: author.clone(), recorded: now, summary, changes: batch.changes }), counts))
}

fn count(counts: &mut Proposed, standing: Standing) {
    match standing {
        Standing::Canon => counts.canon += 1,
        Standing::Claimed => counts.claimed += 1,
        _ => counts.waiting += 1,
    }
}

/// What the record says to something that is proposed.
enum OnRecord {
    /// Nothing.
    Nothing,
    /// The DM said that it is no part of the world, or not so.
    Refused,
    /// It is canon already, by another's word.
    Decided,
    /// This source said it before: that fact gains the evidence.
    Said {
        /// The fact.
        said: Arc<Fact>,
        /// Whether it would be [decided](Self::Decided), had this source not said it before.
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
    let by_dm = |twin: &Fact, standing| twin.standing() == standing && is_confirmed(twin);
    let is_so = twins.iter().any(|twin| by_dm(twin, Standing::Canon));
    let own = |twin: &&&Arc<Fact>| {
        let said = twin.provenance();
        (&said.author, &said.speaker) == (&fact.provenance().author, voice)
    };
    // What a narrator says that is canon needs no fact of its own.
    let told = |twin: &&&Arc<Fact>| {
        voice.is_none() && twin.standing() == Standing::Canon && twin.provenance().speaker.is_none()
    };
    let rejected = twins.iter().any(|twin| twin.standing() == Standing::Rejected);
    let untrue = voice.is_none() && twins.iter().any(|twin| by_dm(twin, Standing::False));
    let stands = |twin: &&&Arc<Fact>| twin.standing() != Standing::Rejected;
    if !is_so && (rejected || (untrue && !twins.iter().any(|twin| own(&twin)))) {
        return OnRecord::Refused;
    }
    let said = twins.iter().filter(stands).find(|twin| own(twin));
    // What is as sure and says more, it bears out; what is doubtful becomes no surer by half of it.
    let sure = |held: &Fact| held.stands() && held.provenance().confidence >= fact.provenance().confidence;
    let more = |held: &&&Arc<Fact>| sure(held) && (own(held) || told(held)) && says_no_more(vocabulary, fact, held);
    let said = said.or_else(|| twins.iter().find(|twin| told(twin)));
    let is_told = twins.iter().any(|twin| told(&twin));
    let by_others = twins.iter().any(|twin| twin.standing() == Standing::Canon && !own(&twin));
    if let Some(said) = said.or_else(|| there.iter().find(more)) {
        return OnRecord::Said { said: Arc::clone(said), decided: by_others && !is_told };
    }
    if twins.iter().any(|twin| twin.standing() == Standing::Canon) {
        return OnRecord::Decided;
    }
    OnRecord::Nothing
}

/// Whether a fact has all the evidence of what says the same, which is no surer by itself: the same text, read again. What
/// was learned from the DM since then makes no text surer.
fn is_read_again(said: &Fact, again: &Fact) -> bool {
    let (before, now) = (said.provenance(), again.provenance());
    let found = |provenance: &Provenance| provenance.extracted.unwrap_or(provenance.confidence);
    let shown =
        |evidence: &Evidence| matches!(evidence, Evidence::Passage { .. }) && before.evidence.contains(evidence);
    !now.evidence.is_empty() && now.evidence.iter().all(shown) && found(now) <= found(before)
}

/// Whether the DM confirmed what a fact cannot be so beside: canon by the DM is never retired by anybody else's word.
fn is_outranked(state: &State, batch: &Batch, fact: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let (subject, predicate, object) = canonical(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    let clashes = |other: &&Arc<Fact>| {
        let is_so = other.provenance().confirmed && other.standing() == Standing::Canon;
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

/// A fact with the evidence of what says the same, and the surer confidence of both.
fn supported(said: &Fact, more: &Fact, standing: Standing) -> Result<Arc<Fact>, MemoryError> {
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
    Ok(Arc::new(said.to_builder().provenance(provenance).standing(standing).build()?))
}

/// Where a proposal comes from, and how sure it is with what was learned from the DM.
fn provenance(state: &State, proposal: &Proposal, author: &Author, learned: &Learned, now: Timestamp) -> Provenance {
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
    standing: Standing,
    provenance: Provenance,
) -> Result<Arc<Fact>, MemoryError> {
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
fn learned(state: &State, proposal: &Proposal, fact: &Fact, most: Credence) -> Vec<Knowledge> {
    let audience = || {
        let audience = state.vocabulary().audience(&state.audience_rules(), fact);
        knowers(audience, fact, state)
    };
    let by_rule = proposal.heard_by.is_empty() && proposal.speaker.is_none() && proposal.text.is_none();
    let hearers = if by_rule { audience() } else { proposal.heard_by.clone() };
    let said = proposal.text.as_ref().map(|text| text.time.clone());
    let learned = said.unwrap_or_else(|| state.clock().map(|_| edit::now(state)));
    let citing = proposal.text.as_ref().and_then(|text| text.citing.clone());
    let alias = proposal.text.as_ref().and_then(|text| text.alias.as_deref()).zip(proposal.speaker.as_ref());
    let knows_speaker =
        |knower: &Knower| alias.is_none_or(|(alias, speaker)| View::of(state, knower, None).knows_name(speaker, alias));
    let edge = |knower: Knower, how: How| {
        let session = session_of(state, proposal);
        Knowledge { how, learned: learned.clone(), credence: most, session, ..Knowledge::authored(knower, fact.id()) }
    };
    let how = match &proposal.speaker {
        Some(speaker) => How::Told { by: Some(speaker.clone()), citing: citing.clone() },
        // Whom the rules name know of it; they need not have been there.
        None if by_rule => How::Authored,
        None => proposal.text.as_ref().and_then(|text| text.how.clone()).unwrap_or(How::Witnessed),
    };
    let had = if citing.is_some() { How::told(citing.clone()) } else { How::Authored };
    let own = proposal.speaker.iter().map(|speaker| edge(speaker.clone().into(), had.clone()));
    let others =
        hearers.into_iter().filter(|knower| knower.entity() != proposal.speaker.as_ref() || proposal.speaker.is_none());
    let others = others.filter_map(|knower| match knows_speaker(&knower) {
        true => Some(edge(knower, how.clone())),
        false if fact.entities().any(|id| Some(id) == proposal.speaker.as_ref()) => None,
        false => Some(edge(knower, How::Told { by: None, citing: citing.clone() })),
    });
    own.chain(others).collect()
}

#[cfg(test)]
mod tests;
