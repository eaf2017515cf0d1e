//! Game events, and the operations that record them.

use std::sync::Arc;

use hearsay_belief::{
    View,
    learn::{self, Learning, Sincerity, Telling},
    withdrawal_changes,
};
use hearsay_model::{Author, Credence, EntityId, Fact, FactId, Knower, KnowledgeEdge, Operation, State, Timestamp};
use hearsay_query::{
    dates::parse_date,
    ids::{require_entities, require_entity, require_fact},
    resolve::Speaker,
};
use serde::{Deserialize, Serialize};

use super::{
    event_context::{EventContext, FactSource, Outcome, forget_fact, quoted, secret_name},
    parts::{Circumstances, Hearers, Retelling, Stated},
};
use crate::{CommandError, presence::require_speaker};

/// Event in the game from which characters learn facts.
///
/// Dates in an event are texts, written for the campaign's calendar. Characters learn only the facts and texts in the
/// event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEvent {
    /// Characters witness facts. A new fact is recorded as canon.
    Witness {
        /// Facts that the witnesses see.
        facts: Vec<Stated>,
        /// Witnesses.
        witnesses: Hearers,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// A character says a line aloud. All hearers learn the line, its speaker, and the facts that it states. A new fact
    /// is recorded as a claim. If the event states no facts, Hearsay later extracts facts from the words.
    Say {
        /// Speaker of the line.
        speaker: Speaker,
        /// Words of the line.
        text: String,
        /// Facts that the words state.
        states: Vec<Stated>,
        /// Hearers of the line.
        hearers: Hearers,
        /// Whether the speaker lies. New facts that a liar states are recorded as false. Facts that are extracted from
        /// the words of a liar are also recorded as false.
        lie: bool,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// A character tells others a fact. The fact is a recorded fact that the character knows, or a new fact. A new fact
    /// is recorded as a claim whose origin is the teller.
    Tell {
        /// Character that tells the fact.
        teller: Speaker,
        /// Fact that the teller tells.
        fact: Stated,
        /// Characters to whom the teller tells the fact.
        hearers: Hearers,
        /// Distorted version of the fact that the teller tells; `None` if the teller tells the fact exactly.
        retold: Option<Retelling>,
        /// Whether the teller lies. A new fact that a liar tells is recorded as false.
        lie: bool,
        /// Entity that the teller names as its own source; `None` if the teller names no source.
        citing: Option<EntityId>,
        /// Credence of the hearers in the fact, 0.0–1.0. If `None`, the credence is computed from the hearers' trust in
        /// the teller.
        credence: Option<f64>,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// Characters read a document. The readers learn the passages of the document, and the facts that these passages
    /// state.
    Read {
        /// Document that the characters read.
        document: EntityId,
        /// Characters that read the document.
        readers: Vec<EntityId>,
        /// Credence of the readers in the facts, 0.0–1.0. `None` means 1.0.
        credence: Option<f64>,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// A character deduces a fact from other facts that it knows (the premises). If the character no longer knows a
    /// premise, it no longer knows the deduced fact through this deduction.
    Deduce {
        /// Character that makes the deduction.
        knower: EntityId,
        /// Conclusion of the deduction. A new fact is recorded as a claim.
        conclusion: Stated,
        /// Premises: facts from which the conclusion follows.
        from: Vec<FactId>,
        /// Certainty that the conclusion follows from the premises, 0.0–1.0. `None` means 1.0.
        certainty: Option<f64>,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// Characters hear or see that a fact is not true. The event adds a new fact that refutes the given fact. The
    /// status of the given fact does not change.
    Refute {
        /// Fact to refute.
        fact: FactId,
        /// Sentence that refutes the fact. If `None`, the sentence is generated from the statement of the fact.
        statement: Option<String>,
        /// Character who tells the hearers that the fact is not true; `None` if the hearers see this for themselves.
        teller: Option<Speaker>,
        /// Characters that hear or see that the fact is not true.
        hearers: Hearers,
        /// Credence of the hearers in the refutation, 0.0–1.0. If `None`, the credence is computed from the hearers'
        /// trust in the teller.
        credence: Option<f64>,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// A character tells a secret that it knows. If `openly` is `false`, the character continues to conceal the secret
    /// from everyone else.
    Reveal {
        /// Character that tells the secret.
        holder: Speaker,
        /// Secret fact.
        fact: FactId,
        /// Characters to whom the holder tells the secret.
        to: Hearers,
        /// Whether the character stops concealing the secret from everyone.
        openly: bool,
        /// Place, time and session of the event.
        circumstances: Circumstances,
    },
    /// A knower forgets a fact. The event removes the knowledge edges from this knower to the fact, and edges that
    /// depend on them become inactive. If the knower invented the fact, the characters to whom the knower told the fact
    /// also forget the fact.
    Forget {
        /// Knower that forgets.
        knower: EntityId,
        /// Fact to forget.
        fact: FactId,
    },
}

/// The operation that records a game event, with its facts and the characters that perceive it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPlan {
    /// Operation that records the event.
    pub operation: Operation,
    /// Ids of the facts that the event states, in the order of its statements. If a statement repeats a fact that the
    /// speaker knows, the list contains the known fact. If characters read a document, the list contains the facts that
    /// the document states, sorted by id. If a knower forgets a fact, the list contains this fact.
    pub facts: Vec<FactId>,
    /// Characters that hear or see the event, or that read the document. The speaker or teller is not included. Empty
    /// if a character deduces or forgets a fact. Sorted and unique.
    pub heard_by: Vec<EntityId>,
}

impl GameEvent {
    /// Returns the facts that the event states.
    pub fn stated_facts(&self) -> &[Stated] {
        match self {
            Self::Witness { facts, .. } | Self::Say { states: facts, .. } => facts,
            Self::Tell { fact, .. } | Self::Deduce { conclusion: fact, .. } => std::slice::from_ref(fact),
            Self::Read { .. } | Self::Refute { .. } | Self::Reveal { .. } | Self::Forget { .. } => &[],
        }
    }

    /// Returns the facts that the event states, for changes.
    pub(crate) fn stated_facts_mut(&mut self) -> &mut [Stated] {
        match self {
            Self::Witness { facts, .. } | Self::Say { states: facts, .. } => facts,
            Self::Tell { fact, .. } | Self::Deduce { conclusion: fact, .. } => std::slice::from_mut(fact),
            Self::Read { .. } | Self::Refute { .. } | Self::Reveal { .. } | Self::Forget { .. } => &mut [],
        }
    }

    /// Returns the operation that records the game event.
    ///
    /// # Errors
    /// Returns the same errors as [`plan`](Self::plan).
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, CommandError> {
        Ok(self.plan(state, author, now)?.operation)
    }

    /// Returns the operation that records the game event, the facts of the event, and the characters that perceive it.
    ///
    /// # Errors
    /// Returns an error if an entity, a fact or a session does not exist, or if a date is invalid. Also returns an
    /// error if a teller does not know the fact, or if a participant is dead or cannot know facts. Finally, returns an
    /// error if no character is present to learn the fact.
    pub fn plan(&self, state: &State, author: Author, now: Timestamp) -> Result<EventPlan, CommandError> {
        let context = |circumstances: &Circumstances| {
            let time = circumstances.time.as_deref().map(|raw| parse_date(state, raw)).transpose()?;
            let circumstances = Circumstances { time: time.map(|date| date.raw), ..circumstances.clone() };
            EventContext::new(state, &author, now, &circumstances)
        };
        let outcome = match self {
            Self::Witness { facts, witnesses, circumstances } => context(circumstances)?.witness(facts, witnesses)?,
            Self::Say { speaker, text, states, hearers, lie, circumstances } => {
                context(circumstances)?.say(speaker, text, states, hearers, Sincerity::from_lie_mark(*lie))?
            }
            Self::Tell { teller, fact, hearers, retold, lie, citing, credence, circumstances } => {
                let context = context(circumstances)?;
                let alias = secret_name(state, teller)?;
                let teller = &teller.id;
                require_speaker(state, teller)?;
                require_entities(state, citing)?;
                let hearers = context.hearers(hearers, Some(teller))?;
                let is_new = !matches!(fact, Stated::Recorded(_));
                let sincerity = Sincerity::from_lie_mark(*lie);
                let source = FactSource::Speaker(teller, sincerity);
                let (fact, _) = context.stated_fact(fact, source, None)?;
                let retold = retold.as_ref().map(|retold| context.distorted_fact(&fact, retold, source)).transpose()?;
                let telling = Telling {
                    teller,
                    alias,
                    hearers: &hearers,
                    fact: &fact,
                    retold: retold.as_ref(),
                    sincerity,
                    citing: citing.as_ref(),
                    credence: credence.map(Credence::new).transpose()?,
                };
                let record_telling = if is_new { learn::claim } else { learn::tell };
                let learning = record_telling(state, &telling, &context.occasion)?;
                let told = retold.as_ref().unwrap_or(&fact);
                let summary = context.telling_summary("tells", teller, &hearers, told);
                Outcome { summary, facts: vec![told.id()], heard_by: hearers, learning }
            }
            Self::Read { document, readers, credence, circumstances } => {
                let context = context(circumstances)?;
                require_entities(state, std::iter::once(document).chain(readers))?;
                let credence = credence.map(Credence::new).transpose()?.unwrap_or(Credence::FULL);
                let learning = learn::read(state, document, readers, credence, &context.occasion)?;
                let verb = if readers.len() == 1 { "reads" } else { "read" };
                let summary = format!("{} {verb} {}", context.list_names(readers), state.name_or_id(document));
                let mut facts: Vec<FactId> = learning.learned_facts.iter().map(|learned| learned.fact).collect();
                facts.sort_unstable();
                facts.dedup();
                Outcome { summary, facts, heard_by: readers.clone(), learning }
            }
            Self::Deduce { knower, conclusion, from, certainty, circumstances } => {
                let context = context(circumstances)?;
                require_entity(state, knower)?;
                let (fact, _) = context.stated_fact(conclusion, FactSource::Deduction, None)?;
                from.iter().try_for_each(|premise| require_fact(state, *premise).map(drop))?;
                let certainty = certainty.map(Credence::new).transpose()?.unwrap_or(Credence::FULL);
                let learning = learn::deduce(state, knower, &fact, from, certainty, &context.occasion)?;
                let summary = format!("{} deduces {}", state.name_or_id(knower), quoted(&fact));
                Outcome { summary, facts: vec![fact.id()], heard_by: Vec::new(), learning }
            }
            Self::Refute { fact, statement, teller, hearers, credence, circumstances } => {
                let context = context(circumstances)?;
                let credence = credence.map(Credence::new).transpose()?;
                let fact = require_fact(state, *fact)?;
                context.refute(fact, statement.as_deref(), teller.as_ref(), hearers, credence)?
            }
            Self::Reveal { holder, fact, to, openly, circumstances } => {
                let context = context(circumstances)?;
                context.reveal(holder, require_fact(state, *fact)?, to, *openly)?
            }
            Self::Forget { knower, fact } => {
                require_entity(state, knower)?;
                let fact = require_fact(state, *fact)?;
                match withdraw_invention(state, knower, fact) {
                    Some(withdrawn) => withdrawn,
                    None => forget_fact(state, knower, fact)?,
                }
            }
        };
        let Outcome { summary, facts, mut heard_by, learning } = outcome;
        heard_by.sort_unstable();
        heard_by.dedup();
        let operation = Operation { author, recorded: now, summary, changes: learning.changes };
        Ok(EventPlan { operation, facts, heard_by })
    }
}

/// Returns the outcome that withdraws a fact that the knower made up, together with the edges of the knower's hearers.
/// Returns `None` if the knower did not make the fact up.
fn withdraw_invention(state: &State, knower: &EntityId, fact: &Fact) -> Option<Outcome> {
    let id = Knower::Entity(knower.clone());
    View::new(state, &id, None).fact(fact.id()).filter(|known| known.is_made_up())?;
    // The hearers' edges do not depend on an edge of the knower who made the fact up, so they are withdrawn explicitly.
    let is_from_telling = |edge: &&Arc<KnowledgeEdge>| {
        let is_record = !edge.acquisition.gives_knowledge() && edge.knower == id;
        is_record || edge.acquisition.teller() == Some(knower)
    };
    let telling_edges = state.known_by(fact.id()).filter(is_from_telling).filter(|edge| !edge.has_basis());
    let mut told_ids: Vec<_> = telling_edges.map(|edge| edge.id()).collect();
    told_ids.sort_unstable();
    let summary = format!("{} never told its invention: {}", state.name_or_id(knower), quoted(fact));
    let learning = Learning { changes: withdrawal_changes(state, &told_ids), ..Learning::default() };
    Some(Outcome { summary, facts: vec![fact.id()], heard_by: Vec::new(), learning })
}
