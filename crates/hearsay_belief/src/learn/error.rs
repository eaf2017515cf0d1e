//! Error for facts that cannot be learned or told.

use hearsay_model::{EntityId, FactError};
use thiserror::Error;

/// Error: a fact cannot be learned or told.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearnError {
    /// The teller does not know the fact.
    #[error(
        "{teller} does not know that \u{201C}{statement}\u{201D}, so {teller} cannot tell this fact; first record how {teller} learned the fact, or mark the statement as a lie"
    )]
    NotKnown {
        /// The teller.
        teller: EntityId,
        /// The statement of the fact.
        statement: String,
    },
    /// The knower does not know a premise of the deduction.
    #[error(
        "{knower} does not know that \u{201C}{statement}\u{201D}, so {knower} cannot deduce another fact from it; first record how {knower} learned the fact"
    )]
    UnknownPremise {
        /// The knower.
        knower: EntityId,
        /// The statement of the premise.
        statement: String,
    },
    /// The teller or a learner is dead.
    #[error("{character} is dead at the time of the event, so {character} cannot learn or tell facts; name another character", character = .0)]
    Dead(EntityId),
    /// The entity cannot know facts. For example, an item, a document or an event cannot know facts.
    #[error("{entity} is not a character, group or place, so it cannot know facts; name another knower", entity = .0)]
    CannotKnow(EntityId),
    /// No hearer is given.
    #[error("nobody would learn the fact; name at least one character who sees, hears or reads the fact")]
    NoHearers,
    /// A line has no speaker.
    #[error("the line has no speaker; name the character who says the line")]
    NoSpeaker,
    /// The teller is among the hearers.
    #[error("{teller} cannot tell a fact to itself; name another hearer", teller = .0)]
    TellerIsHearer(EntityId),
    /// The fact is proposed or rejected, so no character can know it.
    #[error("\u{201C}{statement}\u{201D} is {status}, so no character can learn this fact; accept the fact first")]
    NotInWorld {
        /// The statement of the fact.
        statement: String,
        /// The status of the fact.
        status: &'static str,
    },
    /// The document to read has no passages.
    #[error(
        "the campaign contains no text of the document {document}, so no character can read it; add a passage with \
         `document: {document}` to a campaign file",
        document = .0
    )]
    NoText(EntityId),
    /// A deduction has no premises.
    #[error("a deduction needs at least one premise; name a known fact from which the new fact follows")]
    NoPremises,
    /// The fact to record is invalid.
    #[error(transparent)]
    Fact(#[from] FactError),
}
