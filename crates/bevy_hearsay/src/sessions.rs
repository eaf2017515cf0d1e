//! Sessions: a game, or a table that plays with one, begins and ends them and writes their log.

use bevy::prelude::*;
use hearsay_memory::{
    Log, LogLine, Memory, MemoryError, SessionStep, Ticket, Written,
    query::{self, SessionReport},
};
use hearsay_model::{Author, SessionId};

use crate::{
    happenings::{Happenings, Target, Unresolved, name},
    memory::MemoryTrouble,
    steps::Steps,
};

pub use hearsay_memory::NewSession;

/// What happens to a session. Trigger it, or use [`SessionCommands`], which trigger it. It waits its turn among
/// [what happens](crate::Happens): what was said before a session ends belongs to it.
#[derive(Event, Debug, Clone, PartialEq)]
pub enum SessionHappens {
    /// A session begins: what is recorded from now on carries it. Answered by [`SessionStarted`].
    Start(NewSession),
    /// Characters come late or leave early: they hear what is said from now on, or do not.
    Attend {
        /// Who comes.
        arrive: Vec<Target>,
        /// Who leaves.
        leave: Vec<Target>,
    },
    /// A line is written down: what somebody says, or what is told where nobody is named.
    Log {
        /// The words.
        text: String,
        /// Who says it.
        speaker: Option<Target>,
        /// Who hears it; those who are there, when nobody is named.
        heard_by: Vec<Target>,
    },
    /// The session that is played ends. Answered by [`SessionEnded`].
    End,
}

/// A session began: it is on the disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SessionStarted {
    /// Its id.
    pub session: SessionId,
}

/// A session ended.
#[derive(Message, Debug, Clone, PartialEq)]
pub struct SessionEnded {
    /// What it brought: who learned what, what changed, what is open, what to look at first.
    pub report: Box<SessionReport>,
}

/// Begins and ends sessions. What the memory refuses is a [`MemoryTrouble`], as when none is played.
pub trait SessionCommands {
    /// Begins a session with all living player characters, or those who are named.
    fn start_session(&mut self, session: NewSession);
    /// Somebody comes.
    fn arrive(&mut self, who: impl Into<Target>);
    /// Somebody leaves early.
    fn leave_early(&mut self, who: impl Into<Target>);
    /// Writes down what happens, as the log tells it.
    fn log_line(&mut self, text: impl Into<String>);
    /// Writes down what somebody says.
    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>);
    /// Ends the session that is played.
    fn end_session(&mut self);
}

impl SessionCommands for Commands<'_, '_> {
    fn start_session(&mut self, session: NewSession) {
        self.trigger(SessionHappens::Start(session));
    }

    fn arrive(&mut self, who: impl Into<Target>) {
        self.trigger(SessionHappens::Attend { arrive: vec![who.into()], leave: Vec::new() });
    }

    fn leave_early(&mut self, who: impl Into<Target>) {
        self.trigger(SessionHappens::Attend { arrive: Vec::new(), leave: vec![who.into()] });
    }

    fn log_line(&mut self, text: impl Into<String>) {
        self.trigger(SessionHappens::Log { text: text.into(), speaker: None, heard_by: Vec::new() });
    }

    fn log_line_by(&mut self, speaker: impl Into<Target>, text: impl Into<String>) {
        let speaker = Some(speaker.into());
        self.trigger(SessionHappens::Log { text: text.into(), speaker, heard_by: Vec::new() });
    }

    fn end_session(&mut self) {
        self.trigger(SessionHappens::End);
    }
}

/// What is asked of the memory once a session began or ended.
pub(crate) enum Asked {
    Started(Ticket<SessionId>),
    Ended(Ticket<SessionReport>),
}

/// What is to be told when something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    Nothing,
    Started,
    Ended,
}

impl Tells {
    pub(crate) fn of(happens: &SessionHappens) -> Self {
        match happens {
            SessionHappens::Start(_) => Self::Started,
            SessionHappens::End => Self::Ended,
            SessionHappens::Attend { .. } | SessionHappens::Log { .. } => Self::Nothing,
        }
    }

    /// Asks for it.
    pub(crate) fn ask(self, memory: &Memory) -> Result<Option<Asked>, MemoryError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Started => {
                let id = |world: &hearsay_memory::World| Ok(query::session_or_latest(&world.state, None)?.id.clone());
                Some(Asked::Started(memory.read(id)?))
            }
            Self::Ended => Some(Asked::Ended(memory.read_aside(|world| query::session_report(&world.state, None))?)),
        })
    }
}

pub(crate) fn on_session(
    on: On<SessionHappens>,
    mut happenings: ResMut<Happenings>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryTrouble>,
) {
    steps.wake();
    if let Err(what) = happenings.push_session(on.event().clone()) {
        trouble.write(MemoryTrouble { what, entity: None });
    }
}

/// Sends what happens to a session, with its names as the memory knows them.
pub(crate) fn send(
    world: &World,
    happens: &SessionHappens,
) -> Result<impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError> + use<>, Unresolved> {
    enum Sent {
        Step(SessionStep),
        Log(Log),
    }
    let names = |targets: &[Target]| targets.iter().map(|target| name(world, target)).collect::<Result<Vec<_>, _>>();
    let sent = match happens {
        SessionHappens::Start(session) => Sent::Step(SessionStep::Start(session.clone())),
        SessionHappens::Attend { arrive, leave } => {
            Sent::Step(SessionStep::Attend { arrive: names(arrive)?, leave: names(leave)? })
        }
        SessionHappens::End => Sent::Step(SessionStep::End { time: None }),
        SessionHappens::Log { text, speaker, heard_by } => {
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
