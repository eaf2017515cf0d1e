//! Errors of the memory.

use std::path::PathBuf;

use hearsay_belief::learn::LearnError;
use hearsay_campaign::CampaignErrors;
use hearsay_embed::EmbedError;
use hearsay_model::{
    ApplyError, CalendarError, EntityId, FactError, FactId, IdError, PredicateError, ScaleError, SessionId,
};
use hearsay_store::StoreError;
use thiserror::Error;

/// An error of a request. The request changed nothing, except with [`Uncertain`](Self::Uncertain), where this is
/// unknown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Error: invalid settings file.
    #[error("{path}: {what}", path = path.display())]
    Settings {
        /// Path of the file.
        path: PathBuf,
        /// Reason and location of the error.
        what: String,
    },
    /// Error: no language model is available.
    #[cfg(feature = "llm")]
    #[error("no language model is asked: {0}")]
    NoLlm(String),
    /// Error: the language model returned nothing.
    #[cfg(feature = "llm")]
    #[error("the language model: {0}")]
    Llm(String),
    /// Error from the database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Error from the encoder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Error: invalid campaign files.
    #[error(transparent)]
    Campaign(#[from] CampaignErrors),
    /// Error: the database refused a commit. The change was not made.
    #[error("the change was not committed: {0}")]
    NotCommitted(String),
    /// Error: a commit failed, it is unknown whether the change was made, and reading the journal again failed too.
    /// Writes fail until the memory is opened again.
    #[error("{0}")]
    Uncertain(String),
    /// Error: writing has stopped because the state in memory and the journal may differ.
    #[error("nothing is written any more: {0}; close the campaign and open it again")]
    Halted(String),
    /// Error: the change was not committed before closing timed out.
    #[error("the change was not committed before the campaign closed; make it again")]
    NotInTime,
    /// Error: the memory closed without committing all accepted changes.
    #[error("{not_committed} of {} changes were not committed when the campaign closed; make them again", committed + not_committed)]
    ClosedEarly {
        /// Number of changes that were committed during closing.
        committed: usize,
        /// Number of changes that were not committed.
        not_committed: usize,
    },
    /// Error: the change cannot be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Error: invalid fact.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// Error: malformed predicate.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// Error: malformed id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Error: number out of range.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// Error: date not on the calendar.
    #[error(transparent)]
    Calendar(#[from] CalendarError),
    /// Error: no entity has this name.
    #[error("nothing is called `{name}`{}", hint(nearest))]
    Unknown {
        /// The name.
        name: String,
        /// Most similar existing names.
        nearest: Vec<String>,
    },
    /// Error: several entities have this name.
    #[error("`{name}` may be any of {}: use the id", candidates.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Entities with this name.
        candidates: Vec<EntityId>,
    },
    /// Error: the id is in use.
    #[error("there is already an entity `{0}`; choose another id")]
    Taken(EntityId),
    /// Error: the flag is already declared.
    #[error("there is already a flag `{0}`; set it instead")]
    FlagTaken(String),
    /// Error: no fact matches, or several facts match the beginning of an id.
    #[error("{}", fact_reference(given, *count))]
    FactReference {
        /// The given reference.
        given: String,
        /// Number of matching facts.
        count: usize,
    },
    /// Error: the fact does not wait for review.
    #[error("fact {} does not wait for review: it is {status}", fact.short())]
    NotProposed {
        /// The fact.
        fact: FactId,
        /// Status of the fact.
        status: hearsay_model::FactStatus,
    },
    /// Error: a fact cannot be learned or told.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Error: the knower did not learn the fact itself, so it cannot forget it.
    #[error("{knower} never learned by itself that \u{201C}{statement}\u{201D}{}", inherited(*known))]
    NotLearned {
        /// The knower.
        knower: EntityId,
        /// Statement of the fact.
        statement: String,
        /// Whether it knows the fact as a member, as a resident, or as common lore.
        known: bool,
    },
    /// Error: a derivation is requested for a fact that the knower does not know.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}; `hearsay know why` explains it")]
    NotKnown {
        /// The knower.
        knower: EntityId,
        /// Statement of the fact.
        statement: String,
    },
    /// Error: the fact would end before it begins.
    #[error("\u{201C}{statement}\u{201D} is so since {from}: it cannot have ended at {until}")]
    EndsTooEarly {
        /// Statement of the fact.
        statement: String,
        /// Start of its validity.
        from: String,
        /// The given end.
        until: String,
    },
    /// Error: unknown session.
    #[error("there is no session `{given}`{}", sessions(known))]
    NoSession {
        /// The given reference.
        given: String,
        /// Existing sessions.
        known: Vec<SessionId>,
    },
    /// Error: the session's end in game time is unknown.
    #[error("nothing says when session `{0}` ended in game time; give its `end`, or a date instead")]
    NoSessionEnd(SessionId),
    /// Error: the session's start in game time is unknown.
    #[error("nothing says when session `{0}` began in game time; give its `start`, or a date instead")]
    NoSessionStart(SessionId),
    /// Error: another session is already being played.
    #[error("{0} is being played: end it first, with `session end`")]
    Playing(SessionId),
    /// Error: the request needs a session being played, and there is none.
    #[error("no session is being played: begin one with `session start`, or name one")]
    NotPlaying,
    /// Error: the session id is in use.
    #[error("there is already a session `{0}`; choose another id")]
    SessionTaken(SessionId),
    /// Error: the session would end before it began.
    #[error("session `{session}` began at {start}: it cannot have ended at {end}")]
    SessionEndsTooEarly {
        /// The session.
        session: SessionId,
        /// Start of the session.
        start: String,
        /// The given end.
        end: String,
    },
    /// Error: an arriving character is already present, or a leaving character is absent.
    #[error("{who} is {} at the table", if *here { "already" } else { "not" })]
    Attendance {
        /// The character.
        who: EntityId,
        /// Whether the character is present.
        here: bool,
    },
    /// Error: invalid log line.
    #[error("line {number} of the log: {source}")]
    LogLine {
        /// Number of the line among the given lines, from 1.
        number: usize,
        /// Reason.
        #[source]
        source: Box<MemoryError>,
    },
    /// Error: the transcript does not contain the given speaker.
    #[error("nobody called `{name}` speaks in the transcript{}", hint(speakers))]
    NoSpeaker {
        /// The given speaker.
        name: String,
        /// Speakers of the transcript.
        speakers: Vec<String>,
    },
    /// Error: the transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] hearsay_campaign::TranscriptError),
    /// Error: there is nothing left to decide.
    #[error("nothing is left to decide: it was decided already")]
    NothingToDecide,
    /// Error: there are no lines to write.
    #[error("there is no line to write down")]
    EmptyLog,
    /// Error: a fact that is not true cannot end.
    #[error("\u{201C}{statement}\u{201D} is {status}, so there is nothing to end{}", not_so(*status))]
    NotSo {
        /// Statement of the fact.
        statement: String,
        /// Status of the fact.
        status: hearsay_model::FactStatus,
    },
    /// Error: a search by a knower cannot filter by status or validity, which only the DM knows.
    #[error(
        "what stands and what holds in the world is for the DM alone: leave out the knower, or ask as of when it knew"
    )]
    KnowerOfStatus,
    /// Error: a time is needed, and the game clock is not set.
    #[error("the game clock is not set, so it is not known from when on; set `start` in the campaign, or give a time")]
    NoClock,
    /// Error: invalid gossip parameters.
    #[error(transparent)]
    Gossip(#[from] hearsay_belief::gossip::GossipError),
    /// Error: both names mean the same entity, where two are needed.
    #[error("both names mean `{0}`; name two entities")]
    OneEntity(EntityId),
    /// Error: the entity to split was not merged, or was merged with several others.
    #[error("{}", not_merged(given, gone))]
    NotMerged {
        /// The given name.
        given: String,
        /// Entities that were merged into it.
        gone: Vec<EntityId>,
    },
    /// Error: the operation of the merge is not in this journal.
    #[error(
        "`{gone}` was merged into `{into}` in another memory, before it was exported, so it cannot be split here: \
        add it again, and correct the facts about it"
    )]
    MergedElsewhere {
        /// Entity that was merged away.
        gone: EntityId,
        /// Entity that it was merged into.
        into: EntityId,
    },
    /// Error: a later merge builds on this one.
    #[error(
        "the merge of `{first}` came later and moved what this one had moved; split `{first}` first, then `{gone}`"
    )]
    SplitFirst {
        /// Entity to split.
        gone: EntityId,
        /// Entity that must be split first.
        first: EntityId,
    },
    /// Error: the machine's clock is wrong.
    #[error("the clock of this machine stands before 1970: set it, then try again")]
    Clock,
    /// Error: the question or search text is too long.
    #[error("the question has {given} characters, and may have {most}: shorten it")]
    LongQuestion {
        /// Length of the text, in characters.
        given: usize,
        /// Maximum length, in characters.
        most: usize,
    },
    /// Error: no criterion for pruning.
    #[error("say what is to go: facts below a confidence, older than some days, or of a status")]
    PruneWhat,
    /// Error: there is nothing to undo.
    #[error("there is nothing to undo{}", of.as_ref().map_or(String::new(), |of| format!(" by {of}")))]
    NothingToUndo {
        /// The author, if one was named.
        of: Option<String>,
    },
    /// Error: a file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// Error: the channel to the worker is full. Try again in a moment.
    #[error("the memory is busy: {waiting} requests wait already; try again in a moment")]
    Full {
        /// Number of waiting requests.
        waiting: usize,
    },
    /// Error: the request was cancelled.
    #[error("the request was cancelled")]
    Cancelled,
    /// Error: the request was not answered in time.
    #[error("the request was not answered within {0:?}")]
    Late(std::time::Duration),
    /// Error: a thread could not be started.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// Error: a panic in a closure of the request, or in the program itself. The log has the details.
    #[error("the request was ended by a panic in the program; the log says more")]
    Crashed,
    /// Error: the memory is closed.
    #[error("the memory is closed")]
    Closed,
}

fn fact_reference(given: &str, count: usize) -> String {
    match count {
        0 => format!("there is no fact `{given}`: give an id, at least four digits of one, or a handle"),
        _ => format!("`{given}` names {count} facts: give more digits of the id"),
    }
}

fn not_merged(given: &str, gone: &[EntityId]) -> String {
    let names: Vec<_> = gone.iter().map(|id| format!("`{id}`")).collect();
    match names.as_slice() {
        [] => format!("nothing was merged into `{given}`; `hearsay db history` lists merges"),
        names => format!("several were merged into `{given}`: name one of {}", names.join(", ")),
    }
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

fn not_so(status: hearsay_model::FactStatus) -> &'static str {
    match status {
        hearsay_model::FactStatus::Proposed => ": decide first, with `review`",
        _ => ": it never was so",
    }
}

fn inherited(known: bool) -> &'static str {
    if known { ": it knows it as a member or resident, or as everybody does" } else { "" }
}

fn sessions(known: &[SessionId]) -> String {
    match known {
        [] => ": none is on record".into(),
        ids => format!("; there are {}", ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")),
    }
}
