//! What can go wrong.

use std::path::PathBuf;

use hearsay_belief::learn::LearnError;
use hearsay_campaign::CampaignErrors;
use hearsay_embed::EmbedError;
use hearsay_model::{
    ApplyError, CalendarError, EntityId, FactError, FactId, IdError, PredicateError, ScaleError, SessionId,
};
use hearsay_store::StoreError;
use thiserror::Error;

/// Why a request was not carried out. Nothing was changed, but for [`Uncertain`](Self::Uncertain), which cannot say.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The settings file is wrong.
    #[error("{path}: {what}", path = path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// No language model is asked.
    #[cfg(feature = "llm")]
    #[error("no language model is asked: {0}")]
    NoLlm(String),
    /// The language model gave nothing.
    #[cfg(feature = "llm")]
    #[error("the language model: {0}")]
    Llm(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The encoder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Campaign files are wrong.
    #[error(transparent)]
    Campaign(#[from] CampaignErrors),
    /// The database refused a commit. The change was not made.
    #[error("the change was not committed: {0}")]
    NotCommitted(String),
    /// A commit failed in a way that leaves open whether the change was made, and the journal could not be read anew to
    /// find out. Nothing can be written until the memory is opened again.
    #[error("{0}")]
    Uncertain(String),
    /// Nothing is written any more, because the state in memory and the journal may differ.
    #[error("nothing is written any more: {0}; close the campaign and open it again")]
    Halted(String),
    /// Closing took too long, so that the change was not committed.
    #[error("the change was not committed before the campaign closed; make it again")]
    NotInTime,
    /// The memory closed, but some changes that were accepted were not committed.
    #[error("{not_committed} of {} changes were not committed when the campaign closed; make them again", committed + not_committed)]
    ClosedEarly {
        /// Changes that were committed while it closed.
        committed: usize,
        /// Changes that were not.
        not_committed: usize,
    },
    /// The change cannot be made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A fact cannot be.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// A predicate is malformed.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// An id is malformed.
    #[error(transparent)]
    Id(#[from] IdError),
    /// A number is off its scale.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// A date is not on the calendar.
    #[error(transparent)]
    Calendar(#[from] CalendarError),
    /// A name that nothing has.
    #[error("nothing is called `{name}`{}", hint(nearest))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest names there are.
        nearest: Vec<String>,
    },
    /// A name that several have.
    #[error("`{name}` may be any of {}: use the id", candidates.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Those who have it.
        candidates: Vec<EntityId>,
    },
    /// An id that is taken.
    #[error("there is already an entity `{0}`; choose another id")]
    Taken(EntityId),
    /// A flag that is declared already.
    #[error("there is already a flag `{0}`; set it instead")]
    FlagTaken(String),
    /// A fact that is not there, or a beginning of an id that several facts have.
    #[error("{}", fact_reference(given, *count))]
    FactReference {
        /// What was given.
        given: String,
        /// How many facts it may mean.
        count: usize,
    },
    /// A fact that does not wait for review.
    #[error("fact {} does not wait for review: it is {standing}", fact.short())]
    NotProposed {
        /// The fact.
        fact: FactId,
        /// Its standing.
        standing: hearsay_model::Standing,
    },
    /// Something cannot be learned or told.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Somebody is to forget what it never learned by itself.
    #[error("{knower} never learned by itself that \u{201C}{statement}\u{201D}{}", inherited(*known))]
    NotLearned {
        /// Who.
        knower: EntityId,
        /// The fact's sentence.
        statement: String,
        /// Whether it knows it as a member or resident, or as everybody does.
        known: bool,
    },
    /// Somebody is asked how it comes to know what it does not know.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}; `why-not` tells why")]
    NotKnown {
        /// Who.
        knower: EntityId,
        /// The fact's sentence.
        statement: String,
    },
    /// A fact would end before it begins.
    #[error("\u{201C}{statement}\u{201D} is so since {from}: it cannot have ended at {until}")]
    EndsTooEarly {
        /// The fact's sentence.
        statement: String,
        /// Since when it is so.
        from: String,
        /// The end given.
        until: String,
    },
    /// A session that is not there.
    #[error("there is no session `{given}`{}", sessions(known))]
    NoSession {
        /// What was given.
        given: String,
        /// The sessions there are.
        known: Vec<SessionId>,
    },
    /// A session of which nobody knows when it ended in the game.
    #[error("nothing says when session `{0}` ended in game time; give its `end`, or a date instead")]
    NoSessionEnd(SessionId),
    /// A session of which nobody knows when it began in the game.
    #[error("nothing says when session `{0}` began in game time; give its `start`, or a date instead")]
    NoSessionStart(SessionId),
    /// A session is to begin while another is being played.
    #[error("{0} is being played: end it first, with `session end`")]
    Playing(SessionId),
    /// Something has to do with the session that is being played, and none is.
    #[error("no session is being played: begin one with `session start`, or name one")]
    NotPlaying,
    /// A session is to begin under an id that is taken.
    #[error("there is already a session `{0}`; choose another id")]
    SessionTaken(SessionId),
    /// A session would end before it began.
    #[error("session `{session}` began at {start}: it cannot have ended at {end}")]
    SessionEndsTooEarly {
        /// The session.
        session: SessionId,
        /// Its start.
        start: String,
        /// The end given.
        end: String,
    },
    /// Somebody is to come who is there, or to leave who is not.
    #[error("{who} is {} at the table", if *here { "already" } else { "not" })]
    Attendance {
        /// Who.
        who: EntityId,
        /// Whether it is there.
        here: bool,
    },
    /// A line of a log is wrong.
    #[error("line {number} of the log: {source}")]
    LogLine {
        /// Its place among the lines given, from 1.
        number: usize,
        /// What is wrong.
        #[source]
        source: Box<MemoryError>,
    },
    /// A speaker is given that a transcript does not have.
    #[error("nobody called `{name}` speaks in the transcript{}", hint(speakers))]
    NoSpeaker {
        /// The speaker.
        name: String,
        /// Those who speak.
        speakers: Vec<String>,
    },
    /// A transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] hearsay_campaign::TranscriptError),
    /// Nothing is left to decide.
    #[error("nothing is left to decide: it was decided already")]
    NothingToDecide,
    /// There is nothing to write down.
    #[error("there is no line to write down")]
    EmptyLog,
    /// Something is to end that was not so in the first place.
    #[error("\u{201C}{statement}\u{201D} is {standing}, so there is nothing to end{}", not_so(*standing))]
    NotSo {
        /// The fact's sentence.
        statement: String,
        /// What the world says of it.
        standing: hearsay_model::Standing,
    },
    /// What stands in the world is the DM's to know.
    #[error(
        "what stands and what holds in the world is for the DM alone: leave out the knower, or ask as of when it knew"
    )]
    KnowerOfStanding,
    /// A time is needed, and the game clock is not set.
    #[error("the game clock is not set, so it is not known from when on; set `start` in the campaign, or give a time")]
    NoClock,
    /// Gossip that cannot be.
    #[error(transparent)]
    Gossip(#[from] hearsay_belief::gossip::GossipError),
    /// Two names of one entity, where two entities are meant.
    #[error("both names mean `{0}`; name two entities")]
    OneEntity(EntityId),
    /// Something is to be split that was not merged, or with several.
    #[error("{}", not_merged(given, gone))]
    NotMerged {
        /// What was given.
        given: String,
        /// What was merged into it.
        gone: Vec<EntityId>,
    },
    /// A merge whose operation is not in this journal.
    #[error(
        "`{gone}` was merged into `{into}` in another memory, before it was exported, so it cannot be split here: \
        `add` it anew, and `correct` what is meant of it"
    )]
    MergedElsewhere {
        /// The entity that is there no more.
        gone: EntityId,
        /// The one that it is.
        into: EntityId,
    },
    /// A merge that another was built upon.
    #[error(
        "the merge of `{first}` came later and moved what this one had moved; split `{first}` first, then `{gone}`"
    )]
    SplitFirst {
        /// The entity that is to be split.
        gone: EntityId,
        /// The one that has to be split before.
        first: EntityId,
    },
    /// The machine's clock cannot be right.
    #[error("the clock of this machine stands before 1970: set it, then try again")]
    Clock,
    /// A question, or what is searched for, is longer than any.
    #[error("the question has {given} characters, and may have {most}: shorten it")]
    LongQuestion {
        /// How many it has.
        given: usize,
        /// How many it may have.
        most: usize,
    },
    /// Pruning without saying what.
    #[error("say what is to go: facts below a confidence, older than some days, or of a standing")]
    PruneWhat,
    /// Nothing to undo.
    #[error("there is nothing to undo{}", of.as_ref().map_or(String::new(), |of| format!(" by {of}")))]
    NothingToUndo {
        /// The author, where one was named.
        of: Option<String>,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The channel to the worker is full: it is busy. Try again in a moment.
    #[error("the memory is busy: {waiting} requests wait already; try again in a moment")]
    Full {
        /// How many requests wait.
        waiting: usize,
    },
    /// The request was cancelled.
    #[error("the request was cancelled")]
    Cancelled,
    /// The request was not answered in time.
    #[error("the request was not answered within {0:?}")]
    Late(std::time::Duration),
    /// No thread could be started.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// A part of the program panicked: a function that was given with the request, or a bug. The log says more.
    #[error("the request was ended by a panic in the program; the log says more")]
    Crashed,
    /// The memory is closed.
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
        [] => format!("nothing was merged into `{given}`; `history` lists what was merged"),
        names => format!("several were merged into `{given}`: name one of {}", names.join(", ")),
    }
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

fn not_so(standing: hearsay_model::Standing) -> &'static str {
    match standing {
        hearsay_model::Standing::Proposed => ": decide first, with `review`",
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
