//! Game events: a character sees, says, tells, reads or concludes something, and others learn from it.
//!
//! Like an [`Edit`](crate::Edit), a game event refers to everything by name. It makes the changes of one operation from
//! the current state and applies none.

mod stage;

use std::sync::Arc;

use hearsay_belief::{
    View,
    learn::{self, Learning, Telling},
    withdrawal,
};
use hearsay_model::{
    Acquisition, Author, Credence, EntityId, Fact, Justification, Knower, KnowledgeEdge, Operation, State, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{date_of, find_fact, resolve, resolve_speaker},
};
pub(crate) use stage::mentioned;
use stage::{Stage, Voice, forget, quoted, sincerity};

/// Something that happens in the game and from which characters learn.
///
/// Entities are named by id or name. Facts are named by id, the beginning of an id, or handle. Dates are written on the
/// campaign's calendar. Characters learn only from the named or stated content: the game world itself is not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEvent {
    /// Characters see something happen. New facts are canon.
    Witness {
        /// Facts that are seen.
        facts: Vec<Stated>,
        /// Witnesses. Default: the characters at the place at that time.
        witnesses: Vec<String>,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// A line is said aloud. All hearers learn the line and its speaker, and learn the facts that it states. New facts
    /// are claims.
    Say {
        /// Speaker of the line.
        speaker: String,
        /// Words of the line.
        text: String,
        /// Facts that the words state.
        states: Vec<Stated>,
        /// Hearers. Default: the characters at the speaker's place.
        hearers: Vec<String>,
        /// Whether the speaker lies. A new fact in a lie is false.
        lie: bool,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// A character tells others a fact that it knows. A new fact is a claim that originates with the teller.
    Tell {
        /// Character that tells it.
        teller: String,
        /// Fact that is told.
        fact: Stated,
        /// Hearers. Default: the characters at the teller's place.
        hearers: Vec<String>,
        /// Distorted version, if the teller retells the fact wrongly.
        retold: Option<Retelling>,
        /// Whether the teller lies. A new fact in a lie is false.
        lie: bool,
        /// Source that the teller cites.
        citing: Option<String>,
        /// Credence of the hearers, 0.0–1.0. Default: by their trust in the teller.
        credence: Option<f64>,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// Characters read a document: its passages, and the facts that they state.
    Read {
        /// Document that is read.
        document: String,
        /// Characters that read it.
        readers: Vec<String>,
        /// Credence of the readers, 0.0–1.0. Default: full.
        credence: Option<f64>,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// A character deduces a fact from others that it knows. The deduction becomes inactive when a premise does.
    Deduce {
        /// Character that concludes.
        knower: String,
        /// Conclusion. A new fact is a claim.
        conclusion: Stated,
        /// Facts from which it follows.
        from: Vec<String>,
        /// Certainty of the inference, 0.0–1.0. Default: certain.
        certainty: Option<f64>,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// A character tells, or sees, that a fact is not so. This adds a fact that refutes the other. The status of the
    /// refuted fact is unchanged.
    Refute {
        /// Fact that is refuted.
        fact: String,
        /// Sentence that refutes the fact. Default: made from the fact's sentence.
        statement: Option<String>,
        /// Character that tells it; `None` if it is seen.
        teller: Option<String>,
        /// Characters that are told or see it. Default: the characters present.
        hearers: Vec<String>,
        /// Credence of those who are told, 0.0–1.0. Default: by their trust in the teller.
        credence: Option<f64>,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// A holder of a secret tells it. The secret stays concealed from others.
    Reveal {
        /// Holder that tells the secret.
        holder: String,
        /// Fact that is the secret.
        fact: String,
        /// Hearers. Default: the characters at the holder's place.
        to: Vec<String>,
        /// Whether the holder stops concealing the secret from everybody.
        openly: bool,
        /// Place, time and session.
        circumstances: Circumstances,
    },
    /// Withdraws the edges by which a knower learned a fact itself. Edges that depend on them become inactive. If the
    /// knower made the fact up, its hearers lose it too.
    Forget {
        /// Knower that forgets.
        knower: String,
        /// Fact that is forgotten.
        fact: String,
    },
}

/// A recorded fact, or a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A recorded fact: its id, the beginning of its id, or its handle.
    Recorded(String),
    /// A sentence about an entity.
    Lore {
        /// Entity that the sentence is about: an id or a name.
        about: String,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// Subject: an id or a name.
        subject: String,
        /// Predicate: `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// Object: an id or a name, or the attribute's value.
        object: String,
        /// Sentence that states the fact. Default: made from the predicate's phrase.
        statement: Option<String>,
    },
}

/// A distorted version of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// Sentence of the distorted version. Default: made from the predicate's phrase, if there is an object.
    pub statement: Option<String>,
    /// Other object or value. If unset, only the sentence differs.
    pub object: Option<String>,
}

/// Place, time and session of a game event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Place: an id or a name.
    pub place: Option<String>,
    /// Time. Default: the end of the named session. Without a named session, the present by the game clock or by the
    /// log of the session being played.
    pub time: Option<String>,
    /// Session: its id or number. Default: the session being played.
    pub session: Option<String>,
}

impl GameEvent {
    /// Returns the operation that records the game event.
    ///
    /// # Errors
    /// When a name, a fact, a session or a date is invalid. When a character tells a fact that it does not know, is
    /// dead, cannot know anything, or has no hearers.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let stage = |circumstances: &Circumstances| {
            let time = circumstances.time.as_deref().map(|raw| date_of(state, raw)).transpose()?;
            let circumstances = Circumstances { time: time.map(|date| date.raw), ..circumstances.clone() };
            Stage::new(state, &author, now, &circumstances)
        };
        let (summary, learning) = match self {
            Self::Witness { facts, witnesses, circumstances } => stage(circumstances)?.witness(facts, witnesses)?,
            Self::Say { speaker, text, states, hearers, lie, circumstances } => {
                stage(circumstances)?.say(speaker, text, states, hearers, sincerity(*lie))?
            }
            Self::Tell { teller, fact, hearers, retold, lie, citing, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let (teller, alias) = resolve_speaker(state, teller)?;
                let citing = citing.as_ref().map(|name| resolve(state, name)).transpose()?;
                let hearers = stage.hearers(hearers, Some(&teller))?;
                let is_new = !matches!(fact, Stated::Recorded(_));
                let (fact, _) = stage.stated(fact, Voice::of(&teller, *lie), None)?;
                let retold = retold.as_ref().map(|retold| stage.retold(&fact, retold, &teller, *lie)).transpose()?;
                let telling = Telling {
                    teller: &teller,
                    alias: alias.as_deref(),
                    hearers: &hearers,
                    fact: &fact,
                    retold: retold.as_ref(),
                    sincerity: sincerity(*lie),
                    citing: citing.as_ref(),
                    credence: credence.map(Credence::new).transpose()?,
                };
                let tell = if is_new { learn::claim } else { learn::tell };
                let learning = tell(state, &telling, &stage.occasion)?;
                (stage.told("tells", &teller, telling.hearers, retold.as_ref().unwrap_or(&fact)), learning)
            }
            Self::Read { document, readers, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let document = resolve(state, document)?;
                let readers = stage.all(readers)?;
                let credence = credence.map(Credence::new).transpose()?.unwrap_or(Credence::FULL);
                let learning = learn::read(state, &document, &readers, credence, &stage.occasion)?;
                let read = if readers.len() == 1 { "reads" } else { "read" };
                (format!("{} {read} {}", stage.names(&readers), state.name_or_id(&document)), learning)
            }
            Self::Deduce { knower, conclusion, from, certainty, circumstances } => {
                let stage = stage(circumstances)?;
                let knower = resolve(state, knower)?;
                let (fact, _) = stage.stated(conclusion, Voice::Mind, None)?;
                let from =
                    from.iter().map(|fact| find_fact(state, fact).map(|fact| fact.id())).collect::<Result<Vec<_>, _>>();
                let (from, certainty) = (from?, certainty.map(Credence::new).transpose()?.unwrap_or(Credence::FULL));
                let learning = learn::deduce(state, &knower, &fact, &from, certainty, &stage.occasion)?;
                (format!("{} concludes {}", state.name_or_id(&knower), quoted(&fact)), learning)
            }
            Self::Refute { fact, statement, teller, hearers, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let teller = teller.as_ref().map(|name| resolve_speaker(state, name)).transpose()?;
                let credence = credence.map(Credence::new).transpose()?;
                stage.refute(&*find_fact(state, fact)?, statement.as_deref(), teller.as_ref(), hearers, credence)?
            }
            Self::Reveal { holder, fact, to, openly, circumstances } => {
                let stage = stage(circumstances)?;
                let (holder, fact) = (resolve_speaker(state, holder)?, find_fact(state, fact)?);
                stage.reveal(&holder, &fact, to, *openly)?
            }
            Self::Forget { knower, fact } => {
                let (knower, fact) = (resolve(state, knower)?, find_fact(state, fact)?);
                match never_made_up(state, &knower, &fact) {
                    Some(withdrawn) => withdrawn,
                    None => forget(state, &knower, &fact)?,
                }
            }
        };
        Ok(Operation { author, recorded: now, summary, changes: learning.changes })
    }
}

/// Returns the withdrawal of a fact that the knower made up, including the edges of its hearers. Returns `None` if the
/// knower did not make it up.
fn never_made_up(state: &State, knower: &EntityId, fact: &Fact) -> Option<(String, Learning)> {
    let id = Knower::Entity(knower.clone());
    View::of(state, &id, None).fact(fact.id()).filter(|known| known.is_made_up())?;
    // An invented fact has no justification, so the edges of its hearers do not depend on the record of telling it.
    let of_telling = |edge: &&Arc<KnowledgeEdge>| match &edge.acquisition {
        Acquisition::Shared => edge.knower == id,
        Acquisition::Told { by: Some(by), .. } => by == knower,
        _ => false,
    };
    let rests =
        |edge: &&Arc<KnowledgeEdge>| edge.sources.iter().any(|source| matches!(source, Justification::Basis { .. }));
    let telling = state.known_by(fact.id()).filter(of_telling).filter(|edge| !rests(edge));
    let mut told: Vec<_> = telling.map(|edge| edge.id()).collect();
    told.sort_unstable();
    let summary = format!("{} never told what it had made up: {}", state.name_or_id(knower), quoted(fact));
    Some((summary, Learning { changes: withdrawal(state, &told), ..Learning::default() }))
}
