//! Errors of commands.

use hearsay_belief::learn::LearnError;
use hearsay_model::{
    ApplyError, CalendarError, EntityId, FactError, FactId, IdError, Kind, Predicate, PredicateError, ScaleError,
    SessionId, TalkKind,
    words::{join_first_names, with_article},
};
use hearsay_query::QueryError;
use thiserror::Error;

/// Maximum number of speakers that an error lists.
const MAX_LISTED_SPEAKERS: usize = 8;

/// An error of a command. After an error, the campaign is unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// Error: an entity, fact, date or session in the command is unknown.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Error: another entity already has the id of the new entity.
    #[error("there is already an entity with the id `{id}`; choose another id", id = .0)]
    EntityExists(EntityId),
    /// Error: the new entity was already found in a text, and its name waits for review.
    #[error(
        "{name} waits for review as a new entity with the id `{id}`; accept it with `hearsay review accept {fact}`, or \
         choose another id",
        fact = fact.short()
    )]
    EntityWaits {
        /// Id of the entity.
        id: EntityId,
        /// Name of the entity.
        name: String,
        /// Fact that states the name.
        fact: FactId,
    },
    /// Error: the new speaker of a line was only found in a text, and its name waits for review.
    #[error(
        "{name} is no character yet, because the name waits for review; accept it with `hearsay review accept {fact}`, and \
         then correct the line",
        fact = fact.short()
    )]
    SpeakerWaits {
        /// Name of the speaker.
        name: String,
        /// Fact that states the name.
        fact: FactId,
    },
    /// Error: the draft of a reply is too long to be checked.
    #[error(
        "the draft has {sentences} sentences, and at most {limit} can be checked; check shorter parts of the draft"
    )]
    DraftTooLong {
        /// Number of sentences in the draft.
        sentences: usize,
        /// Maximum number of sentences.
        limit: usize,
    },
    /// Error: a flag with this name is already declared.
    #[error("the flag `{name}` is already declared; set its value without declaring it again", name = .0)]
    FlagExists(String),
    /// Error: the fact does not wait for review.
    #[error(
        "fact {fact} does not wait for review, because its status is {status}; choose a fact with the status proposed",
        fact = fact.short()
    )]
    NotProposed {
        /// Id of the fact.
        fact: FactId,
        /// Status of the fact.
        status: hearsay_model::FactStatus,
    },
    /// Error: the fact was rejected, so it cannot be corrected.
    #[error(
        "fact {fact} was rejected: \u{201C}{statement}\u{201D}; to reopen it, run `hearsay review accept {fact}` or `hearsay \
         review edit {fact} --statement \"\u{2026}\"`",
        fact = fact.short()
    )]
    Rejected {
        /// Id of the fact.
        fact: FactId,
        /// Statement of the fact.
        statement: String,
    },
    /// Error: the character has moved to another place since the move that the fact states.
    #[error(
        "\u{201C}{statement}\u{201D} is out of date, because `{character}` has moved to `{place}` since; reject the fact, \
         or record a new move"
    )]
    LaterMove {
        /// Statement of the fact.
        statement: String,
        /// Id of the character.
        character: EntityId,
        /// Id of the place where the character is now.
        place: EntityId,
    },
    /// Error: no knowledge edge connects the knower with the fact, so the knower cannot forget the fact.
    #[error(
        "{knower} did not learn \u{201C}{statement}\u{201D} personally, so {knower} cannot forget this fact{hint}",
        hint = inherited_knowledge_hint(*known)
    )]
    NotLearned {
        /// Id of the knower.
        knower: EntityId,
        /// Statement of the fact.
        statement: String,
        /// Whether the knower knows the fact indirectly: as a member, as a resident, or as common lore.
        known: bool,
    },
    /// Error: the entity has no current value of the predicate, so no value can end.
    #[error("`{entity}` has no current value of {predicate}, so there is nothing to end")]
    NoValue {
        /// Id of the entity.
        entity: EntityId,
        /// Predicate of the values.
        predicate: Predicate,
    },
    /// Error: the fact would end before it begins.
    #[error(
        "\u{201C}{statement}\u{201D} is true from {from} on, so this fact cannot end at the earlier date {until}; \
         choose a later date"
    )]
    EndsTooEarly {
        /// Statement of the fact.
        statement: String,
        /// Start of the validity of the fact.
        from: String,
        /// Requested end, which is too early.
        until: String,
    },
    /// Error: another session is already being played.
    #[error("session `{session}` is still running; first end this session with `session end`", session = .0)]
    Playing(SessionId),
    /// Error: the command needs a session that is being played, but no session is being played.
    #[error("no session is running; start one with `session start`, or name a session")]
    NotPlaying,
    /// Error: another session already has the id of the new session.
    #[error("there is already a session with the id `{id}`; choose another id", id = .0)]
    SessionExists(SessionId),
    /// Error: the session would end before its start.
    #[error("session `{session}` began at {start}, so it cannot end at the earlier time {end}; choose a later time")]
    SessionEndsTooEarly {
        /// Id of the session.
        session: SessionId,
        /// Start of the session.
        start: String,
        /// Requested end, which is too early.
        end: String,
    },
    /// Error: a leaving character is absent.
    #[error("{who} cannot leave now, because this character is not present in the session")]
    AlreadyAbsent {
        /// Id of the character.
        who: EntityId,
    },
    /// Error: a line of the log is invalid.
    #[error("line {number} of the new log lines is invalid: {source}")]
    LogLine {
        /// Number of the invalid line among the given lines, counted from 1.
        number: usize,
        /// Reason why the line is invalid.
        #[source]
        source: Box<CommandError>,
    },
    /// Error: the pronoun before the colon of a line refers to nobody.
    #[error(
        "nobody in the scene to whom \"{pronoun}\" can refer spoke or acted before; write the name of the speaker before \
         the colon"
    )]
    NoReferent {
        /// The pronoun.
        pronoun: String,
    },
    /// Error: the pronoun before the colon of a line can refer to several characters.
    #[error(
        "\"{pronoun}\" can refer to {}; write the name of the speaker before the colon",
        join_first_names(candidates, MAX_LISTED_SPEAKERS)
    )]
    AmbiguousReferent {
        /// The pronoun.
        pronoun: String,
        /// Names of the characters, the most likely first.
        candidates: Vec<String>,
    },
    /// Error: the transcript does not contain the given speaker.
    #[error(
        "the transcript has no speaker named `{name}`; its speakers are {}",
        join_first_names(speakers, MAX_LISTED_SPEAKERS)
    )]
    NoSpeaker {
        /// Name of the given speaker.
        name: String,
        /// Names of the speakers in the transcript, in the order of their first lines.
        speakers: Vec<String>,
    },
    /// Error: the session of a transcript already exists, without characters who should attend it.
    #[error(
        "session `{session}` already exists, without {}; to change who attended the session, undo its import with \
         `hearsay undo`, and import the file again",
        join_first_names(absent, MAX_LISTED_SPEAKERS)
    )]
    AttendanceOfImport {
        /// Session of the transcript.
        session: SessionId,
        /// Names of the characters who do not attend the session.
        absent: Vec<String>,
    },
    /// Error: the DM has already decided on all facts of the command, or all these facts already have the requested
    /// secrecy.
    #[error(
        "the decision would change nothing, because you already decided on these facts, or because these facts already \
         have the requested secrecy; choose other facts"
    )]
    NothingToDecide,
    /// Error: the session has no line with this number.
    #[error("session `{session}` has no line {line}; `session show --log` lists the lines with their numbers")]
    NoLine {
        /// Id of the session.
        session: SessionId,
        /// Number of the line.
        line: u32,
    },
    /// Error: the line already has the requested speaker and hearers.
    #[error("line {line} is already recorded with this speaker and these hearers, so nothing would change")]
    SameLine {
        /// Number of the line.
        line: u32,
    },
    /// Error: the line already has the requested kind of talk.
    #[error("line {line} is already recorded as {kind}, so nothing would change")]
    SameTalkKind {
        /// Number of the line.
        line: u32,
        /// Kind of talk.
        kind: TalkKind,
    },
    /// Error: a line of the log has no text.
    #[error("the line has no text; write the words that a character says, or describe what happens")]
    EmptyLine,
    /// Error: an entity that is neither a character nor a group speaks.
    #[error("{name} is {kind}, so it cannot speak; name a character or a group", kind = with_article(&kind.noun()))]
    CannotSpeak {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
    },
    /// Error: a request to write to the log of a session contains no lines.
    #[error("there are no lines to add to the log; give at least one line")]
    EmptyLog,
    /// Error: the validity of the fact cannot be ended, because the fact is not true.
    #[error(
        "\u{201C}{statement}\u{201D} has the status {status}, so its validity cannot end{hint}",
        hint = not_true_hint(*status)
    )]
    NotTrue {
        /// Statement of the fact.
        statement: String,
        /// Status of the fact.
        status: hearsay_model::FactStatus,
    },
    /// Error: no game time is given, and the game clock is not set.
    #[error(
        "the game clock is not set, so the date of the change is unknown; set `start` in campaign.yaml, or give the \
         date of the change"
    )]
    NoClock,
    /// Error: the command needs two different entities, but both arguments are the same entity.
    #[error("both names refer to `{entity}`; name two different entities", entity = .0)]
    SameEntity(EntityId),
    /// Error: the merge to split is not clear. No entity was merged into the named entity, or several entities were
    /// merged into it.
    #[error("{}", not_merged_message(entity, removed))]
    NotMerged {
        /// Entity that the command names.
        entity: EntityId,
        /// Ids of the entities that were merged into the named entity.
        removed: Vec<EntityId>,
    },
    /// Error: the merge cannot be split, because its operation is not in the journal of this campaign.
    #[error(
        "the merge of `{removed}` into `{remaining}` cannot be split, because the journal of this campaign does not \
         contain this merge; instead, add `{removed}` as a new entity, record the facts about `{removed}` for this entity, \
         and retract these facts from `{remaining}`"
    )]
    MergeNotInJournal {
        /// Entity that the merge removed.
        removed: EntityId,
        /// Entity into which the removed entity was merged.
        remaining: EntityId,
    },
    /// Error: the merge cannot be split yet. A later merge moved the same records again, so the later merge must be
    /// split first.
    #[error(
        "the records of `{removed}` were moved again when `{first}` was merged later; split `{first}` first, then \
         split `{removed}`"
    )]
    LaterMergeFirst {
        /// Entity to split.
        removed: EntityId,
        /// Entity that must be split first.
        first: EntityId,
    },
    /// Error: a request to prune facts contains no criterion for the facts.
    #[error("no criterion selects the facts to retract; give a maximum confidence, an age in days, or a status")]
    NoPruneCriteria,
    /// Error: the operation cannot be applied to the state.
    #[error(transparent)]
    Apply(Box<ApplyError>),
    /// Error: invalid fact.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// Error: the text is not a valid predicate.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// Error: the text is not a valid id.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Error: a number, such as a credence or an attitude, is out of range.
    #[error(transparent)]
    Scale(#[from] ScaleError),
    /// Error: the date is not on the calendar.
    #[error(transparent)]
    Calendar(Box<CalendarError>),
    /// Error: a fact cannot be learned or told.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Error: invalid gossip parameters.
    #[error(transparent)]
    Gossip(#[from] hearsay_belief::gossip::GossipError),
    /// Error: the transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] hearsay_campaign::TranscriptError),
}

fn not_merged_message(entity: &EntityId, removed: &[EntityId]) -> String {
    let names: Vec<_> = removed.iter().map(|id| format!("`{id}`")).collect();
    match names.as_slice() {
        [] => format!(
            "no entity was merged into `{entity}`, so there is nothing to split; `hearsay db history` lists the merges"
        ),
        names => {
            format!("several entities were merged into `{entity}`; name one of these entities: {}", names.join(", "))
        }
    }
}

fn not_true_hint(status: hearsay_model::FactStatus) -> &'static str {
    match status {
        hearsay_model::FactStatus::Proposed => "; first accept the fact with `review accept`",
        _ => "; only the validity of a true fact can end",
    }
}

fn inherited_knowledge_hint(known: bool) -> &'static str {
    if known {
        "; this character knows the fact only as a member of a group, as a resident of a place, or as common lore"
    } else {
        ""
    }
}

impl From<ApplyError> for CommandError {
    fn from(error: ApplyError) -> Self {
        Self::Apply(Box::new(error))
    }
}

impl From<CalendarError> for CommandError {
    fn from(error: CalendarError) -> Self {
        Self::Calendar(Box::new(error))
    }
}
