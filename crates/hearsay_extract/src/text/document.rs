//! Documents: consecutive lines of a session, a summary or a note.

use hearsay_model::EntityId;

/// Type of the speaker of a line. A written line has no speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// Written line without a speaker, for example in a summary.
    Written,
    /// Line that the DM speaks.
    Dm,
    /// Line that a player or a character speaks.
    Player,
}

impl LineRole {
    /// Returns the id of the token that represents the role: one of the unused tokens in BERT's vocabulary.
    pub(crate) fn token(self) -> u32 {
        match self {
            Self::Written => 1,
            Self::Dm => 2,
            Self::Player => 3,
        }
    }
}

/// Line of a document, with its speaker.
#[derive(Debug, Clone, Copy)]
pub struct DocumentLine<'a> {
    /// Words of the line, without the name of the speaker.
    pub text: &'a str,
    /// Type of the speaker.
    pub role: LineRole,
    /// Character who speaks, or the character of the player who speaks. `None` if no character of the campaign belongs
    /// to the line.
    pub speaker: Option<&'a EntityId>,
    /// Entity whose note contains the line. This entity is the subject of sentences without a subject. `None` if the
    /// line does not belong to the note of an entity.
    pub topic: Option<&'a EntityId>,
}
