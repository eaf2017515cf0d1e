//! Lines to write to the log of a session.

use hearsay_model::{EntityId, FactId, TalkKind};
use hearsay_query::resolve::Speaker;
use serde::{Deserialize, Serialize};

use super::table_talk::is_marked_out_of_character;

/// A line of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogLine {
    /// Text of the line.
    pub text: String,
    /// Speaker; `None` for narration.
    pub speaker: Option<Speaker>,
    /// Place where this line and the following lines are said. `None` means the place of the previous line. If a character
    /// speaks aloud who is with an attending character outside the scene, `None` means the place of the two, for this line
    /// only. The attending characters move to the place that the log reaches. If an attending character is already there, the
    /// others stay behind. If `heard_by` leaves out an attending character, only the speaker and the hearers go to the
    /// place, and the following lines are said at the previous place, unless the text [names the
    /// hearers](Self::names_hearers).
    pub place: Option<EntityId>,
    /// Whether the line is narration about characters who are at `place`, while the scene stays where it is. The characters
    /// at `place` hear the line, and nobody moves.
    pub is_aside: bool,
    /// Game time of the line. `None` means the later of the game clock and the time that the log has reached.
    pub time: Option<String>,
    /// Hearers of the line, without the speaker. If the list is empty, the hearers are the characters present in the
    /// session, and the non-player characters at the place of the line. If a character speaks a line with default hearers
    /// in the session being played, the character is in the scene from then on, unless it is with an attending character
    /// outside the scene.
    pub heard_by: Vec<EntityId>,
    /// Whether the text of the line names the hearers in `heard_by`, as a whisper does. Everybody in the scene then comes to
    /// the place of the line.
    pub names_hearers: bool,
    /// Characters that hear the line in addition to the hearers in `heard_by` or the default hearers.
    pub with: Vec<EntityId>,
    /// Characters that do not hear a line with default hearers, although they are present.
    pub unheard_by: Vec<EntityId>,
    /// Recorded facts that the line states. The hearers learn these facts from the speaker. If the line is narration,
    /// the hearers witness the facts.
    pub states: Vec<FactId>,
    /// For narration: secrets that the line may state, and that do not come out. If a hearer does not know one of these
    /// secrets, the line is [withheld](TalkKind::Withheld), so that no character hears it. A secret in `states` comes
    /// out.
    pub secrets: Vec<FactId>,
    /// Whether the speaker lies: `true` if the speaker does not believe the facts that the line states. If the line
    /// repeats a recorded line of the session, the recorded line becomes a lie. Must be `false` for narration.
    pub lie: bool,
    /// Number of a recorded line of the session; `None` to write a new line. If set, the fields `states` and `lie`
    /// apply to the recorded line, and the other fields are ignored. Only for a log with one line.
    pub recorded_line: Option<u32>,
    /// Whether the DM typed the text. A typed text can name the speaker and the hearers: see
    /// [`with_named_speaker`](Self::with_named_speaker).
    pub typed: bool,
    /// Whether a person at the table says the line, such as the player of the speaker. If `true`, the extraction decides
    /// whether the line is in character.
    pub at_table: bool,
    /// Kind of talk. `None` means out of character if the text is marked, for example with `(ooc)`. Otherwise, `None`
    /// means in character for a line with a speaker and narration for a line without a speaker, unless the line is
    /// [`at_table`](Self::at_table).
    pub talk_kind: Option<TalkKind>,
    /// Number of the line in the file from which the log comes, counted from 1; `None` if there is no file.
    pub number: Option<u32>,
}

impl LogLine {
    /// Creates a line of narration with default place, time and hearers.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a line that the DM typed. Its text can begin with the name of the speaker.
    pub fn typed(text: impl Into<String>) -> Self {
        Self { typed: true, ..Self::new(text) }
    }

    /// Returns whether the text is marked as out of character, for example with `(ooc)`. Returns `false` if the line
    /// states facts or is a lie.
    pub fn is_marked_out_of_character(&self) -> bool {
        self.states.is_empty() && !self.lie && is_marked_out_of_character(&self.text)
    }

    /// Returns the kind of talk that is known without reading the words; `None` if the extraction decides.
    pub(crate) fn known_talk_kind(&self, is_transcript: bool) -> Option<TalkKind> {
        let states_facts = self.lie || !self.states.is_empty();
        match self.talk_kind.or_else(|| self.is_marked_out_of_character().then_some(TalkKind::OutOfCharacter)) {
            Some(kind) => Some(kind),
            // The speakers of a transcript are people at the table.
            None if is_transcript || (self.at_table && !states_facts) => None,
            None if self.speaker.is_some() => Some(TalkKind::InCharacter),
            None => Some(TalkKind::Narration),
        }
    }
}
