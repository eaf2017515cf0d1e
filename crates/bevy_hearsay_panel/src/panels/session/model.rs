//! What the panel shows.

use hearsay_memory::query::ChangeKind;
use hearsay_model::{FactId, SessionId, Standing};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// The sessions of a campaign, and how the table stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SessionModel {
    /// All sessions, the newest first.
    pub sessions: Vec<SessionLine>,
    /// The one that is played.
    pub playing: Option<Playing>,
    /// The one that would be next.
    pub next: Next,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionLine {
    /// Its id.
    pub id: SessionId,
    /// Its number.
    pub number: Option<u32>,
    /// What it is called.
    pub title: String,
    /// When it was played, in the real world.
    pub date: Option<String>,
    /// From when to when, in game time.
    pub time: String,
    /// Whose characters were there.
    pub present: Vec<Named>,
    /// How many lines its log has.
    pub lines: usize,
    /// Whether a recap is kept: for the DM, for the players.
    pub recaps: (bool, bool),
}

/// The session that is played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Playing {
    /// Its id.
    pub id: SessionId,
    /// What it is called.
    pub title: String,
    /// Where the scene is.
    pub place: Option<Named>,
    /// How far the log or the clock has come.
    pub time: Option<String>,
    /// Whose characters are at the table.
    pub here: Vec<Named>,
    /// Player characters who are not.
    pub away: Vec<Named>,
}

/// What a session that begins now would be.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Next {
    /// Its number.
    pub number: u32,
    /// The player characters who live.
    pub players: Vec<Named>,
    /// Where the last line was said.
    pub place: Option<Named>,
    /// The game clock.
    pub clock: Option<String>,
}

/// Which part of a session is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What was said so far.
    #[default]
    Log,
    /// What it brought.
    Report,
    /// The recap.
    Recap,
}

/// What is asked for of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRequest {
    /// The session.
    pub session: SessionId,
    /// Which part.
    pub part: Part,
    /// The recap for the players, not that for the DM.
    pub players: bool,
    /// So many words the recap has at most.
    pub words: usize,
}

/// A part of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum PartModel {
    /// The lines of its log, in order, and how many came before.
    Log(Vec<LineModel>, usize),
    /// What it brought.
    Report(Box<ReportModel>),
    /// Its recap.
    Recap(RecapModel),
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineModel {
    /// Its number.
    pub line: u32,
    /// Who says it.
    pub speaker: Option<Named>,
    /// The words.
    pub text: String,
    /// When; only where it is another time than before.
    pub when: Option<String>,
    /// Where; only where it is another place than before.
    pub place: Option<String>,
    /// Who heard it.
    pub heard_by: String,
    /// Whether players must not see it.
    pub private: bool,
}

/// What a session brought.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReportModel {
    /// How much, in words: `25 lines`, `3 facts wait for you`.
    pub counts: Vec<String>,
    /// What was learned, by whom: the player characters first.
    pub learned: Vec<LearnerModel>,
    /// What changed in the world.
    pub changed: Vec<ChangedModel>,
    /// What is open and has to do with it: what kind, what, whether it is secret.
    pub threads: Vec<OpenModel>,
    /// What to look at first.
    pub review: Vec<FirstModel>,
}

/// What somebody learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnerModel {
    /// Who; everybody, when it is nobody in particular.
    pub who: Option<Named>,
    /// Whether it is a player's character, or a party.
    pub player: bool,
    /// What: the fact, its sentence, how and when, whether it is secret.
    pub facts: Vec<LearnedModel>,
}

/// Something that was learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedModel {
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub what: Linked,
    /// How, and when.
    pub how: String,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether players must not see it.
    pub secret: bool,
}

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedModel {
    /// In which way.
    pub kind: ChangeKind,
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub what: Linked,
    /// When.
    pub when: Option<String>,
    /// Whether players must not see it.
    pub secret: bool,
}

/// Something that is open.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenModel {
    /// What kind: `promise`.
    pub kind: &'static str,
    /// What.
    pub what: Linked,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// Whether players must not see it.
    pub secret: bool,
}

/// A fact to look at first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirstModel {
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub what: Linked,
    /// What the world says of it.
    pub standing: Standing,
    /// How sure extraction was.
    pub confidence: f64,
    /// Why it comes first.
    pub why: String,
}

/// A recap.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RecapModel {
    /// Whether it is for the players.
    pub players: bool,
    /// What the session is called.
    pub title: String,
    /// As it is kept, where the DM wrote it.
    pub kept: Option<String>,
    /// As it is made from what is on record.
    pub made: String,
    /// How many lines and facts it was made from, and how many it tells.
    pub of: (usize, usize),
}
