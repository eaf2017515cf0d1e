//! The data that the session panel displays.

use hearsay_model::{FactId, FactStatus, RecapReader, SessionId, TalkKind};
use hearsay_query::session::ChangeKind;
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// The sessions of a campaign, the current session, and defaults for the next session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SessionModel {
    /// All sessions, newest first.
    pub sessions: Vec<SessionLine>,
    /// The current session; `None` if no session is active.
    pub current: Option<CurrentSession>,
    /// Defaults for the next session.
    pub next: NextSessionDefaults,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionLine {
    /// Id of the session.
    pub id: SessionId,
    /// Number of the session, if it has one.
    pub number: Option<u32>,
    /// Title of the session.
    pub title: String,
    /// Real date of the session, if it is recorded.
    pub date: Option<String>,
    /// Game time from the start to the end of the session, for display.
    pub time: String,
    /// Player characters that took part.
    pub present: Vec<NamedEntity>,
    /// Number of log lines.
    pub lines: usize,
    /// Whether a recap for the DM is saved, and whether a recap for the players is saved.
    pub recaps: (bool, bool),
}

/// The current session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurrentSession {
    /// Id of the session.
    pub id: SessionId,
    /// Title of the session.
    pub title: String,
    /// Current place of the scene; `None` if it is unknown.
    pub place: Option<NamedEntity>,
    /// The later of two game times, for display: the time of the last log line, and the time of the game clock. `None`
    /// if both are unknown.
    pub time: Option<String>,
    /// Player characters who take part in the session.
    pub present: Vec<NamedEntity>,
    /// Player characters who do not take part in the session.
    pub absent: Vec<NamedEntity>,
}

/// Defaults for a session that starts now.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NextSessionDefaults {
    /// Number of the next session.
    pub number: u32,
    /// Player characters that are alive.
    pub players: Vec<NamedEntity>,
    /// Place of the last line of the latest session; `None` if it is unknown.
    pub place: Option<NamedEntity>,
    /// Current time of the game clock, as text; `None` if the clock is not set.
    pub clock: Option<String>,
}

/// The parts of a session that the panel can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionPart {
    /// The log of spoken and narrated lines.
    #[default]
    Log,
    /// The report: facts learned and changed, open threads, and facts to review.
    Report,
    /// The recap: a short summary of the session.
    Recap,
}

/// A request for a part of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPartRequest {
    /// Id of the session.
    pub session: SessionId,
    /// The part to read.
    pub part: SessionPart,
    /// Reader of the recap.
    pub reader: RecapReader,
    /// Maximum number of words of the recap.
    pub words: usize,
}

/// The content of one part of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum SessionPartModel {
    /// The last lines of the log, in order, and the number of omitted earlier lines.
    Log(Vec<LogLineModel>, usize),
    /// The report.
    Report(Box<ReportModel>),
    /// The recap.
    Recap(RecapModel),
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogLineModel {
    /// Number of the line in the session.
    pub line: u32,
    /// Speaker of the line; `None` for narration.
    pub speaker: Option<NamedEntity>,
    /// Text of the line.
    pub text: String,
    /// Time of the line, if it differs from the time of the previous line.
    pub when: Option<String>,
    /// Place of the line, if it differs from the place of the previous line.
    pub place: Option<String>,
    /// Hearers of the line, for display.
    pub heard_by: String,
    /// Whether at least one player character did not hear the line.
    pub private: bool,
    /// Kind of talk of the line; `None` if it is unknown.
    pub talk_kind: Option<TalkKind>,
}

/// Report of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReportModel {
    /// Numbers of lines, speakers and facts, as texts such as `25 lines` or `3 facts to review`.
    pub counts: Vec<String>,
    /// Doubtful facts that the DM should review first.
    pub review: Vec<ReviewFirstModel>,
    /// Secrets that player characters learned in the session.
    pub secrets_out: Vec<RevealedSecretModel>,
    /// Promises and debts that were made in the session.
    pub promises: Vec<OpenThreadModel>,
    /// Facts of the session that contradict other facts, in groups. The facts of one group cannot all be true.
    pub contradictions: Vec<Vec<ContradictingModel>>,
    /// Names in the lines that belong to no entity yet.
    pub new_names: Vec<NewNameModel>,
    /// Facts that each knower learned. Player characters come first.
    pub learned: Vec<LearnerModel>,
    /// Facts that changed in the session.
    pub changed: Vec<ChangedModel>,
    /// Other open threads related to the session.
    pub threads: Vec<OpenThreadModel>,
}

/// A secret that player characters learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealedSecretModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Text that names the characters who learned the secret, and says how each of them learned it.
    pub learned_by: String,
}

/// A fact that contradicts other facts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContradictingModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Status of the fact.
    pub status: FactStatus,
}

/// A name in the lines of a session that belongs to no entity yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewNameModel {
    /// The name.
    pub name: String,
    /// Fact that states the name.
    pub fact: FactId,
    /// Number of lines that contain the name.
    pub lines: usize,
}

/// Facts that one knower learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnerModel {
    /// The knower; `None` for everyone.
    pub knower: Option<NamedEntity>,
    /// Whether the knower is a player character or a party.
    pub player: bool,
    /// The facts that the knower learned.
    pub facts: Vec<LearnedModel>,
}

/// A fact that a knower learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// How and when the knower learned the fact, as text.
    pub acquisition: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the fact is secret.
    pub secret: bool,
}

/// A fact that changed in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedModel {
    /// Kind of the change, such as a move or a fact that ended.
    pub kind: ChangeKind,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Time of the change, for display; `None` if it is unknown.
    pub when: Option<String>,
}

/// An open thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenThreadModel {
    /// Kind of the thread, such as `promise`.
    pub kind: &'static str,
    /// Description of the thread, with links.
    pub description: LinkedText,
    /// Id of the fact that states the thread, if there is one.
    pub fact: Option<FactId>,
    /// Whether the thread is secret.
    pub secret: bool,
}

/// A fact that the DM should review first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewFirstModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Status of the fact.
    pub status: FactStatus,
    /// Confidence that the source really states the fact, from 0 to 1.
    pub confidence: f64,
    /// Reason why the DM should review this fact first.
    pub reason: String,
}

/// A recap.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RecapModel {
    /// Reader of the recap.
    #[serde(rename = "players")]
    pub reader: RecapReader,
    /// Title of the session.
    pub title: String,
    /// The text of the recap that the DM saved; `None` if no recap is saved.
    pub saved_text: Option<String>,
    /// The text of the recap, generated from the log and the facts.
    pub generated_text: String,
    /// Two numbers: the lines in the recap, and the log lines and facts from which these lines were selected.
    pub counts: (usize, usize),
}
