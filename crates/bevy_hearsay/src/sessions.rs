//! Sessions: a game, or a table that plays with a game, starts and ends sessions and writes their log.

use bevy::prelude::*;
use hearsay_memory::{
    Log, LogLine, Memory, MemoryError, SessionStep, Ticket, Written,
    query::{self, SessionReport},
};
use hearsay_model::{Author, SessionId};

use crate::{
    game_events::{GameEvents, Target, Unresolved, name},
    memory::MemoryErrorMessage,
    steps::Steps,
};

pub use hearsay_memory::NewSession;

/// A session event. Trigger it, or use [`SessionCommands`], which trigger it. It is queued with [game
/// events](crate::GameEvent): an event that precedes the end of a session belongs to the session.
#[derive(Event, Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// Starts a session. Later records carry its id. [`SessionStarted`] confirms it.
    Start(NewSession),
    /// Characters arrive late or leave early. They hear later lines from now on, or no longer hear them.
    Attend {
        /// The characters that arrive.
        arrive: Vec<Target>,
        /// The characters that leave.
        leave: Vec<Target>,
    },
    /// Logs a line: the words of a speaker, or narration if there is no speaker.
    Log {
        /// The text of the line.
        text: String,
        /// The speaker.
        speaker: Option<Target>,
        /// The characters that hear the line. If empty, everyone present.
        heard_by: Vec<Target>,
    },
    /// Ends the current session. [`SessionEnded`] confirms it.
    End,
}

/// A session started, and its start is on the disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SessionStarted {
    /// Id of the session.
    pub session: SessionId,
}

/// A session ended.
#[derive(Message, Debug, Clone, PartialEq)]
pub struct SessionEnded {
    /// Report of the session: new knowledge, changes, open items, and the items to review first.
    pub report: Box<SessionReport>,
}

/// Commands that start and end sessions. A refused command, for example if no session is active, is reported as a
/// [`MemoryErrorMessage`].
pub trait SessionCommands {
    /// Starts a session with all living player characters, or with the characters named.
    fn start_session(&mut self, session: NewSession);
    /// Adds a character to the session.
    fn arrive(&mut self, who: impl Into<Target>);
    /// Removes a character from the session before its end.
    fn leave_early(&mut self, who: impl Into<Target>);
    /// Logs a line of narration.
    fn log_line(&mut self, text: impl Into<String>);
    /// Logs a line of a speaker.
    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>);
    /// Ends the current session.
    fn end_session(&mut self);
}

impl SessionCommands for Commands<'_, '_> {
    fn start_session(&mut self, session: NewSession) {
        self.trigger(SessionEvent::Start(session));
    }

    fn arrive(&mut self, who: impl Into<Target>) {
        self.trigger(SessionEvent::Attend { arrive: vec![who.into()], leave: Vec::new() });
    }

    fn leave_early(&mut self, who: impl Into<Target>) {
        self.trigger(SessionEvent::Attend { arrive: Vec::new(), leave: vec![who.into()] });
    }

    fn log_line(&mut self, text: impl Into<String>) {
        self.trigger(SessionEvent::Log { text: text.into(), speaker: None, heard_by: Vec::new() });
    }

    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>) {
        let speaker = Some(speaker.into());
        self.trigger(SessionEvent::Log { text: text.into(), speaker, heard_by: Vec::new() });
    }

    fn end_session(&mut self) {
        self.trigger(SessionEvent::End);
    }
}

/// A request to the memory that follows the start or end of a session.
pub(crate) enum Asked {
    Started(Ticket<SessionId>),
    Ended(Ticket<SessionReport>),
}

/// The message to write when a request is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    Nothing,
    Started,
    Ended,
}

impl Tells {
    pub(crate) fn of(event: &SessionEvent) -> Self {
        match event {
            SessionEvent::Start(_) => Self::Started,
            SessionEvent::End => Self::Ended,
            SessionEvent::Attend { .. } | SessionEvent::Log { .. } => Self::Nothing,
        }
    }

    /// Requests the content of the message.
    pub(crate) fn ask(self, memory: &Memory) -> Result<Option<Asked>, MemoryError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Started => {
                let id =
                    |world: &hearsay_memory::ReadSnapshot| Ok(query::session_or_latest(&world.state, None)?.id.clone());
                Some(Asked::Started(memory.read(id)?))
            }
            Self::Ended => {
                Some(Asked::Ended(memory.read_in_background(|world| query::session_report(&world.state, None))?))
            }
        })
    }
}

pub(crate) fn on_session(
    on: On<SessionEvent>,
    mut game_events: ResMut<GameEvents>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    if let Err(what) = game_events.push_session(on.event().clone()) {
        trouble.write(MemoryErrorMessage { what, entity: None });
    }
}

/// Returns a function that sends a session event with resolved names.
pub(crate) fn send(
    world: &World,
    event: &SessionEvent,
) -> Result<impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError> + use<>, Unresolved> {
    enum Sent {
        Step(SessionStep),
        Log(Log),
    }
    let names = |targets: &[Target]| targets.iter().map(|target| name(world, target)).collect::<Result<Vec<_>, _>>();
    let sent = match event {
        SessionEvent::Start(session) => Sent::Step(SessionStep::Start(session.clone())),
        SessionEvent::Attend { arrive, leave } => {
            Sent::Step(SessionStep::Attend { arrive: names(arrive)?, leave: names(leave)? })
        }
        SessionEvent::End => Sent::Step(SessionStep::End { time: None }),
        SessionEvent::Log { text, speaker, heard_by } => {
            let speaker = speaker.as_ref().map(|speaker| name(world, speaker)).transpose()?;
            let line = LogLine { speaker, heard_by: names(heard_by)?, ..LogLine::new(text.as_str()) };
            Sent::Log(Log { lines: vec![line], ..Log::default() })
        }
    };
    Ok(move |memory: &Memory| match sent {
        Sent::Step(step) => memory.session(Author::Game, step),
        Sent::Log(log) => memory.log(Author::Game, log),
    })
}
