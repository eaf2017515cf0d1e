//! Session events: a game starts a session, ends a session, or logs a line of a session.

use bevy::prelude::*;
use hearsay_commands::session::{Log, LogLine, SessionStep};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, Written, real_time};
use hearsay_model::{Author, Operation, SessionId, State};
use hearsay_query as query;
use hearsay_query::session::SessionReport;

use super::target::{Target, Unresolved, find_speaker, find_targets, name_target, name_targets};
use crate::{bridge::report_missing_plugin, schedule::PluginName};

pub use hearsay_commands::session::NewSession;

/// A session event. Trigger this event directly or with [`SessionCommands`]. Session events and [game
/// events](crate::GameEvent) share one queue, so a game event that is triggered before a session ends belongs to this
/// session.
#[derive(Event, Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// Starts a session. The memory records the id of this session with every operation until the session ends. The
    /// message [`SessionStarted`] confirms the start.
    Start(NewSession),
    /// Adds characters that arrive late, and removes characters that leave early. Only characters that are present hear
    /// the lines that are logged after this event.
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
        /// The speaker; `None` for narration.
        speaker: Option<Target>,
        /// The characters that hear the line. If the list is empty, everyone present hears the line.
        heard_by: Vec<Target>,
    },
    /// Ends the current session. The message [`SessionEnded`] confirms the end.
    End,
}

impl SessionEvent {
    /// Returns the event with ids instead of Bevy entities.
    pub(crate) fn named(&self, world: &World) -> Result<Self, Unresolved> {
        Ok(match self {
            Self::Attend { arrive, leave } => {
                Self::Attend { arrive: name_targets(world, arrive)?, leave: name_targets(world, leave)? }
            }
            Self::Log { text, speaker, heard_by } => Self::Log {
                text: text.clone(),
                speaker: speaker.as_ref().map(|speaker| name_target(world, speaker)).transpose()?,
                heard_by: name_targets(world, heard_by)?,
            },
            event @ (Self::Start(_) | Self::End) => event.clone(),
        })
    }
}

/// Message: a session started, and its start is saved to the disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SessionStarted {
    /// Id of the session.
    pub session: SessionId,
}

/// Message: a session ended, and its report is ready.
#[derive(Message, Debug, Clone, PartialEq)]
pub struct SessionEnded {
    /// Report of the session: new knowledge, changes, open plot threads, and the facts that the DM should review first.
    pub report: Box<SessionReport>,
}

/// Commands that start and end sessions, and log their lines. If the memory rejects a command, for example because no
/// session is active, the plugin sends a [`MemoryErrorMessage`](crate::MemoryErrorMessage). The commands need
/// [`GameEventsPlugin`](crate::GameEventsPlugin).
pub trait SessionCommands {
    /// Starts a session with all living player characters, or with the characters that `session` names.
    fn start_session(&mut self, session: NewSession);
    /// Adds a character that arrives after the start of the session.
    fn arrive(&mut self, character: impl Into<Target>);
    /// Removes a character that leaves before the end of the session.
    fn leave_early(&mut self, character: impl Into<Target>);
    /// Logs a line of narration.
    fn log_line(&mut self, text: impl Into<String>);
    /// Logs a line that a character says.
    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>);
    /// Ends the current session.
    fn end_session(&mut self);
}

impl SessionCommands for Commands<'_, '_> {
    fn start_session(&mut self, session: NewSession) {
        trigger(self, SessionEvent::Start(session));
    }

    fn arrive(&mut self, character: impl Into<Target>) {
        trigger(self, SessionEvent::Attend { arrive: vec![character.into()], leave: Vec::new() });
    }

    fn leave_early(&mut self, character: impl Into<Target>) {
        trigger(self, SessionEvent::Attend { arrive: Vec::new(), leave: vec![character.into()] });
    }

    fn log_line(&mut self, text: impl Into<String>) {
        trigger(self, SessionEvent::Log { text: text.into(), speaker: None, heard_by: Vec::new() });
    }

    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>) {
        let speaker = Some(speaker.into());
        trigger(self, SessionEvent::Log { text: text.into(), speaker, heard_by: Vec::new() });
    }

    fn end_session(&mut self) {
        trigger(self, SessionEvent::End);
    }
}

fn trigger(commands: &mut Commands, event: SessionEvent) {
    commands.queue(move |world: &mut World| {
        if !report_missing_plugin(world, PluginName::GameEvents, None) {
            world.trigger(event);
        }
    });
}

/// A request for the content of [`SessionStarted`] or [`SessionEnded`].
pub(super) enum PendingSessionMessage {
    Started(Ticket<SessionId>),
    Ended(Ticket<SessionReport>),
}

/// The message to write when a request is complete, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionMessage {
    Nothing,
    Started,
    Ended,
}

impl SessionMessage {
    pub(super) fn for_event(event: &SessionEvent) -> Self {
        match event {
            SessionEvent::Start(_) => Self::Started,
            SessionEvent::End => Self::Ended,
            SessionEvent::Attend { .. } | SessionEvent::Log { .. } => Self::Nothing,
        }
    }

    /// Requests the content of the message.
    pub(super) fn request_content(self, memory: &Memory) -> Result<Option<PendingSessionMessage>, MemoryError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Started => {
                let id = |world: &ReadSnapshot| Ok(query::session::session_or_latest(&world.state, None)?.id.clone());
                Some(PendingSessionMessage::Started(memory.read(id)?))
            }
            Self::Ended => Some(PendingSessionMessage::Ended(
                memory.read_in_background(|world| Ok(query::session::session_report(&world.state, None)?))?,
            )),
        })
    }
}

/// Returns a function that sends a session event. The memory's thread resolves the names in the event.
pub(super) fn session_request(
    world: &World,
    event: &SessionEvent,
) -> Result<impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError> + use<>, Unresolved> {
    let event = event.named(world)?;
    Ok(move |memory: &Memory| memory.write(move |snapshot| session_operation(&event, &snapshot.state)))
}

/// Returns the operation that records a session event.
fn session_operation(event: &SessionEvent, state: &State) -> Result<Operation, MemoryError> {
    let step = match event {
        SessionEvent::Start(session) => SessionStep::Start(session.clone()),
        SessionEvent::Attend { arrive, leave } => {
            SessionStep::Attend { arrive: find_targets(state, arrive)?, leave: find_targets(state, leave)? }
        }
        SessionEvent::End => SessionStep::End { time: None },
        SessionEvent::Log { text, speaker, heard_by } => {
            let speaker = speaker.as_ref().map(|speaker| find_speaker(state, speaker)).transpose()?;
            let line = LogLine { speaker, heard_by: find_targets(state, heard_by)?, ..LogLine::new(text.as_str()) };
            let log = Log { lines: vec![line], ..Log::default() };
            return Ok(log.operation(state, Author::Game, real_time())?);
        }
    };
    Ok(step.operation(state, Author::Game, real_time())?)
}
