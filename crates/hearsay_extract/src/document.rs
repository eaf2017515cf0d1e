//! Documents: consecutive lines of a session, a summary or a note.

use hearsay_model::EntityId;

/// Who speaks a line, as far as the reading model distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// Nobody speaks: the line was written, for example in a summary.
    Written,
    /// The DM speaks.
    Master,
    /// A player or a character speaks.
    Player,
}

impl LineRole {
    /// Returns the token that stands for the role, one of the unused tokens of BERT's vocabulary.
    pub(crate) fn token(self) -> u32 {
        match self {
            Self::Written => 1,
            Self::Master => 2,
            Self::Player => 3,
        }
    }
}

/// A line of a document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentLine<'a> {
    /// Words of the line, without the name of the speaker.
    pub text: &'a str,
    /// Who speaks.
    pub role: LineRole,
    /// Character that speaks, or whose player speaks.
    pub speaker: Option<&'a EntityId>,
}
