//! What happens in the game: somebody sees, says, tells, reads or concludes something, and others learn of it.
//!
//! Like an [`Edit`](crate::Edit), a happening names everything in words, makes the changes of one operation from the
//! state as it is, and applies none.

mod stage;

use std::sync::Arc;

use hearsay_belief::{
    View,
    learn::{self, Learning, Telling},
    withdrawal,
};
use hearsay_model::{Author, Credence, EntityId, Fact, How, Knower, Knowledge, Operation, Source, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{date_of, find_fact, resolve, resolve_speaker},
};
pub(crate) use stage::mentioned;
use stage::{Stage, Voice, forget, quoted, sincerity};

/// Something that happens, by which somebody learns something.
///
/// Whoever is named, is named by id or name; facts by id, the beginning of an id, or handle; dates are written on the
/// campaign's calendar. Nobody learns what is not named or said: the world is not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// Something happens before somebody's eyes. What is new is canon.
    Witness {
        /// What is seen.
        facts: Vec<Stated>,
        /// Who sees it; those who are at the place at that time, when nobody is named.
        witnesses: Vec<String>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// A line is said aloud. Everyone in earshot learns that it was said and by whom, and takes up what it states. What
    /// is new is a claim.
    Say {
        /// Who says it.
        speaker: String,
        /// The words.
        text: String,
        /// What the words state.
        states: Vec<Stated>,
        /// Who hears it; those who are where the speaker is, when nobody is named.
        hearers: Vec<String>,
        /// Whether the speaker lies. What it makes up is untrue.
        lie: bool,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody tells others what it knows; or what it says first, where the fact is new: a claim.
    Tell {
        /// Who tells it.
        teller: String,
        /// What.
        fact: Stated,
        /// To whom; those who are where the teller is, when nobody is named.
        hearers: Vec<String>,
        /// What it says instead, when it retells it wrongly.
        retold: Option<Retelling>,
        /// Whether the teller lies. What it makes up is untrue.
        lie: bool,
        /// From whom it says to have it.
        citing: Option<String>,
        /// How far the hearers believe it, 0.0–1.0, where their trust is not to decide.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody reads a document: its passages, and what they state.
    Read {
        /// Which document.
        document: String,
        /// Who reads it.
        readers: Vec<String>,
        /// How far they believe it, 0.0–1.0; fully, when nothing is said.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody concludes something from what it knows. When what it follows from falls, so does the conclusion.
    Deduce {
        /// Who concludes.
        knower: String,
        /// What. What is new is a claim.
        conclusion: Stated,
        /// The facts it follows from.
        from: Vec<String>,
        /// How surely it follows, 0.0–1.0; for certain, when nothing is said.
        certainty: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody tells, or sees, that something is not so: a fact of its own, which refutes the other. What the world
    /// says of the other stays as it is.
    Refute {
        /// What is not so.
        fact: String,
        /// The sentence that says so; made from the fact's, when nothing is said.
        statement: Option<String>,
        /// Who tells it; nobody, when it is seen.
        teller: Option<String>,
        /// Who is told it, or sees it; those present, when nobody is named.
        hearers: Vec<String>,
        /// How far those who are told believe it, 0.0–1.0, where their trust is not to decide.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// A secret is told by one who holds it. From others it stays concealed.
    Reveal {
        /// Who tells it.
        holder: String,
        /// The secret.
        fact: String,
        /// To whom; those who are where the holder is, when nobody is named.
        to: Vec<String>,
        /// Whether the holder keeps it from nobody any more.
        openly: bool,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody never learned something: what it learned of it by itself is withdrawn, and what rests on that falls. What
    /// it made up, it never told: those who were told it lose it too.
    Forget {
        /// Who.
        knower: String,
        /// What.
        fact: String,
    },
}

/// A fact that is on record, or a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A fact on record: its id, the beginning of its id, or its handle.
    Recorded(String),
    /// A sentence about somebody or something.
    Lore {
        /// Whom or what it is about: an id or a name.
        about: String,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// Its subject: an id or a name.
        subject: String,
        /// `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// An id or a name, or the attribute's value.
        object: String,
        /// The sentence that states it; made from the predicate's phrase, when nothing is said.
        statement: Option<String>,
    },
}

/// What somebody makes of a fact when retelling it wrongly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// The sentence; made from the predicate's phrase, when there is an object.
    pub statement: Option<String>,
    /// The other object or value; when nothing is said, the retelling is no more than its sentence.
    pub object: Option<String>,
}

/// Where and when something happens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Where: an id or a name.
    pub place: Option<String>,
    /// When; at the end of the session that is named, or else now by the game clock or the log of the session that is
    /// being played, when nothing is said.
    pub time: Option<String>,
    /// In which session: its id or number; in the one that is being played, when nothing is said.
    pub session: Option<String>,
}

impl Happening {
    /// The operation by which it is learned.
    ///
    /// # Errors
    /// When a name, a fact, a session or a date cannot be understood; when somebody tells what it does not know, is
    /// dead, cannot know anything, or has nobody to tell it to.
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

/// What takes back that somebody told what it made up, from those it told too; nothing, where it made nothing up.
fn never_made_up(state: &State, knower: &EntityId, fact: &Fact) -> Option<(String, Learning)> {
    let id = Knower::Entity(knower.clone());
    View::of(state, &id, None).fact(fact.id()).filter(|known| known.is_made_up())?;
    // What is made up rests on nothing, so that what was told does not fall with the record of telling it.
    let of_telling = |edge: &&Arc<Knowledge>| match &edge.how {
        How::Shared => edge.knower == id,
        How::Told { by: Some(by), .. } => by == knower,
        _ => false,
    };
    let rests = |edge: &&Arc<Knowledge>| edge.sources.iter().any(|source| matches!(source, Source::Basis { .. }));
    let telling = state.known_by(fact.id()).filter(of_telling).filter(|edge| !rests(edge));
    let mut told: Vec<_> = telling.map(|edge| edge.id()).collect();
    told.sort_unstable();
    let summary = format!("{} never told what it had made up: {}", state.name_or_id(knower), quoted(fact));
    Some((summary, Learning { changes: withdrawal(state, &told), ..Learning::default() }))
}
