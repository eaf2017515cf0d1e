//! Game events: a character says, tells, sees, reads or reveals something, and the memory records it.

use std::{collections::VecDeque, fmt, sync::Arc};

use bevy::prelude::*;
use hearsay_memory::{Circumstances, Edit, GameEvent as EngineEvent, Memory, MemoryError, Stated, Ticket, Written};
use hearsay_model::{Author, EntityId};

use crate::{
    components::{MemoryId, PlaceId},
    diagnostics::FrameCost,
    memory::{MemoryErrorMessage, MemoryExit, NpcMemory},
    sessions::{self, Asked, SessionEnded, SessionEvent, SessionStarted, Tells},
    steps::{Step, Steps, StepsAppExt},
    sync,
};

/// Takes game events, finds who hears them, and sends them to the memory.
#[derive(Debug, Clone)]
pub struct GameEventsPlugin {
    /// Who hears a line. Default: the characters at the same place.
    pub earshot: Earshot,
    /// Maximum number of game events that wait while the memory is being opened or busy. Further events are refused
    /// with a [`MemoryErrorMessage`]. Default 10,000.
    pub queue: usize,
}

impl Default for GameEventsPlugin {
    fn default() -> Self {
        Self { earshot: Earshot::Place, queue: 10_000 }
    }
}

type Hearers = Arc<dyn Fn(&World, Entity) -> Vec<Entity> + Send + Sync>;

/// Who hears and sees a game event that names nobody.
#[derive(Resource, Clone, Default)]
pub enum Earshot {
    /// The characters at the same place according to the memory, loaded or not.
    #[default]
    Place,
    /// The characters with a [`MemoryId`] whose [`GlobalTransform`] is within this distance of the actor.
    Distance(f32),
    /// The entities that a function returns.
    Custom(Hearers),
}

impl fmt::Debug for Earshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place => f.write_str("Place"),
            Self::Distance(distance) => write!(f, "Distance({distance})"),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

impl Earshot {
    /// Uses a function that returns the hearers.
    pub fn custom(hearers: impl Fn(&World, Entity) -> Vec<Entity> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(hearers))
    }
}

/// A reference to an entity that the memory knows: an entity of the game or an id, loaded or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// An entity with a [`MemoryId`].
    Entity(Entity),
    /// An id or a name.
    Named(String),
}

impl From<Entity> for Target {
    fn from(entity: Entity) -> Self {
        Self::Entity(entity)
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for Target {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

impl From<&EntityId> for Target {
    fn from(id: &EntityId) -> Self {
        Self::Named(id.to_string())
    }
}

impl From<&MemoryId> for Target {
    fn from(id: &MemoryId) -> Self {
        Self::Named(id.as_str().to_owned())
    }
}

/// A fact that a game event mentions, before its names are resolved.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A recorded fact: its id, the beginning of its id, or its handle in the campaign.
    Fact(String),
    /// A sentence about an entity. It is a claim of its speaker and has no other source. To pass on existing knowledge,
    /// use [`Fact`](Self::Fact).
    Lore {
        /// The entity that the sentence is about.
        about: Target,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// The subject.
        subject: Target,
        /// The relation (`OWES` or `owes`) or the attribute (such as `occupation`).
        predicate: String,
        /// An entity, or the value of the attribute.
        object: Target,
    },
}

impl Statement {
    /// Makes a reference to a recorded fact.
    pub fn fact(fact: impl ToString) -> Self {
        Self::Fact(fact.to_string())
    }

    /// Makes a sentence about an entity.
    pub fn lore(about: impl Into<Target>, text: impl Into<String>) -> Self {
        Self::Lore { about: about.into(), text: text.into() }
    }

    /// Makes a relation to another entity, or an attribute.
    pub fn parts(subject: impl Into<Target>, predicate: impl Into<String>, object: impl Into<Target>) -> Self {
        Self::Parts { subject: subject.into(), predicate: predicate.into(), object: object.into() }
    }
}

/// An action from which other characters, or the actor, learn a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum GameAction {
    /// Says a line aloud. Everyone in earshot learns that the line was said, and learns the facts that it states.
    Say {
        /// The words.
        text: String,
        /// The facts that the words state.
        states: Vec<Statement>,
        /// Whether the actor lies: new facts in the line are false.
        lie: bool,
    },
    /// Tells others a fact that the actor knows. A new fact becomes a claim of the actor.
    Tell {
        /// The fact.
        what: Statement,
        /// Whether the actor lies.
        lie: bool,
    },
    /// Does something, or undergoes something, that others see. A new fact becomes canon.
    Show(Vec<Statement>),
    /// Sees something alone.
    Witness(Vec<Statement>),
    /// Reads a document.
    Read(Target),
    /// Tells a secret that the actor holds. The secret stays concealed from everyone who is not told.
    Reveal {
        /// The secret: its id, the beginning of its id, or its handle.
        fact: String,
        /// Whether the actor stops concealing the secret from everyone.
        openly: bool,
    },
    /// Deduces a fact from facts that the actor knows.
    Deduce {
        /// The conclusion.
        conclusion: Statement,
        /// The facts it follows from.
        from: Vec<String>,
    },
    /// Removes a fact from the actor's knowledge, as if the actor had never learned it.
    Forget {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
    },
}

/// A game event of an entity. Trigger it, or use the commands of [`EntityMemoryCommands`](crate::EntityMemoryCommands),
/// which trigger it.
#[derive(EntityEvent, Debug, Clone)]
pub struct GameEvent {
    /// The actor.
    pub entity: Entity,
    /// The action.
    pub action: GameAction,
    /// The listeners or witnesses. If empty, everyone in [earshot](Earshot).
    pub to: Vec<Target>,
    /// The author of the record: the game, the DM or a player.
    pub author: Author,
}

impl GameEvent {
    /// Makes an event that everyone in earshot perceives, with the game as its author.
    pub fn new(entity: Entity, action: GameAction) -> Self {
        Self { entity, action, to: Vec::new(), author: Author::Game }
    }
}

/// A request that waits: a game event, a manual edit, or a session event.
enum Request {
    GameEvent { by: Target, game_event: GameEvent },
    Edit { edit: Edit, author: Author },
    Session(SessionEvent),
}

/// Game events that wait to be sent, and those that were sent.
#[derive(Resource, Default)]
pub(crate) struct GameEvents {
    waiting: VecDeque<Request>,
    sent: Vec<(Option<Entity>, Tells, Ticket<Written>)>,
    /// Questions about sessions that follow from completed requests.
    asked: Vec<Asked>,
    most: usize,
    /// Number of requests sent, and number of those completed. Requests complete in order.
    pub(crate) sent_count: u64,
    pub(crate) done_count: u64,
}

impl GameEvents {
    /// Returns the number of waiting requests, and the number of sent requests without an answer.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len() + self.asked.len())
    }

    /// Drops the waiting requests, because their timeline was abandoned.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Returns the value that `done_count` must reach before a question sees all earlier events.
    pub(crate) fn mark(&self) -> u64 {
        self.sent_count + self.waiting.len() as u64
    }

    /// Queues a session event.
    pub(crate) fn push_session(&mut self, event: SessionEvent) -> Result<(), String> {
        match self.push(Request::Session(event)) {
            true => Ok(()),
            false => {
                Err(format!("{} game events wait for the memory already; the session goes on without this", self.most))
            }
        }
    }

    fn push(&mut self, request: Request) -> bool {
        let room = self.waiting.len() < self.most;
        if room {
            self.waiting.push_back(request);
        }
        room
    }
}

impl Plugin for GameEventsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.earshot.clone())
            .insert_resource(GameEvents { most: self.queue, ..GameEvents::default() })
            .add_message::<SessionStarted>()
            .add_message::<SessionEnded>()
            .add_observer(on_game_event)
            .add_observer(sessions::on_session)
            .add_step(Step::TakeGameEvents, has_sent, take_done)
            .add_step(Step::SendGameEvents, has_waiting, send);
    }
}

fn has_waiting(world: &World) -> bool {
    !world.resource::<GameEvents>().waiting.is_empty() && world.resource::<NpcMemory>().get().is_some()
}

fn has_sent(world: &World) -> bool {
    let game_events = world.resource::<GameEvents>();
    !game_events.sent.is_empty() || !game_events.asked.is_empty()
}

fn on_game_event(
    on: On<GameEvent>,
    ids: Query<&MemoryId>,
    mut game_events: ResMut<GameEvents>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    let game_event = on.event().clone();
    // Resolve the id now: the entity may be despawned when the event is sent.
    let by = match ids.get(game_event.entity).ok().and_then(MemoryId::get) {
        Some(id) => Target::from(id),
        None => Target::Entity(game_event.entity),
    };
    let entity = Some(game_event.entity);
    if !game_events.push(Request::GameEvent { by, game_event }) {
        let what = format!("{} game events wait for the memory already; this one is not remembered", game_events.most);
        trouble.write(MemoryErrorMessage { what, entity });
    }
}

/// Queues a manual edit.
pub(crate) fn edit(world: &mut World, edit: Edit, author: Author) {
    if let Some(mut game_events) = world.get_resource_mut::<GameEvents>() {
        game_events.push(Request::Edit { edit, author });
        world.resource_mut::<Steps>().wake();
    }
}

/// Sends the waiting requests in order, after the component changes that precede them.
pub(crate) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<sync::Outbox>().is_loading() {
        return;
    }
    sync::flush(world);
    loop {
        let Some(request) = world.resource_mut::<GameEvents>().waiting.pop_front() else { return };
        let sent = match &request {
            Request::Edit { edit, author } => {
                let (edit, author) = (edit.clone(), author.clone());
                write(world, None, Tells::Nothing, |memory| memory.edit_as(author, edit))
            }
            Request::GameEvent { by, game_event } => match resolved(world, by, game_event) {
                Ok(event) => {
                    let author = game_event.author.clone();
                    write(world, Some(game_event.entity), Tells::Nothing, |memory| memory.learn(author, event))
                }
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, Some(game_event.entity)),
            },
            Request::Session(event) => match sessions::send(world, event) {
                Ok(send) => write(world, None, Tells::of(event), send),
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, None),
            },
        };
        if !sent {
            // The memory is busy, or an entity has no id yet. Later requests wait too, to keep the order.
            world.resource_mut::<GameEvents>().waiting.push_front(request);
            return;
        }
    }
}

/// Sends the waiting requests at exit. Returns whether no remaining request can be sent later: an entity that still has
/// no id at exit never gets one.
pub(crate) fn send_at_exit(world: &mut World) -> bool {
    send(world);
    let game_events = world.resource::<GameEvents>();
    let Some(first) = game_events.waiting.front() else { return true };
    let never = match first {
        Request::GameEvent { by, game_event } => matches!(resolved(world, by, game_event), Err(Unresolved::NotYet)),
        Request::Edit { .. } | Request::Session(_) => false,
    };
    never || world.resource::<sync::Outbox>().is_loading()
}

/// Counts the answered requests at exit.
pub(crate) fn take_at_exit(world: &mut World, exit: &mut MemoryExit) {
    let Some(mut game_events) = world.get_resource_mut::<GameEvents>() else { return };
    game_events.sent.retain(|(_, _, ticket)| match ticket.try_take() {
        Some(answer) => {
            exit.count(answer.is_ok());
            false
        }
        None => true,
    });
}

/// Counts all requests once the memory is closed. A request without an answer, or never sent, is not committed.
pub(crate) fn count_at_exit(world: &mut World, exit: &mut MemoryExit) {
    take_at_exit(world, exit);
    let Some(game_events) = world.get_resource::<GameEvents>() else { return };
    exit.not_committed += game_events.sent.len() + game_events.waiting.len();
}

/// Reports a request that can never be sent. Later requests do not wait for it.
fn never(world: &mut World, what: String, entity: Option<Entity>) -> bool {
    world.write_message(MemoryErrorMessage { what, entity });
    let mut game_events = world.resource_mut::<GameEvents>();
    game_events.sent_count += 1;
    game_events.done_count += 1;
    true
}

fn write(
    world: &mut World,
    entity: Option<Entity>,
    tells: Tells,
    send: impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError>,
) -> bool {
    let Some(memory) = world.resource::<NpcMemory>().get() else { return false };
    match send(memory) {
        Ok(ticket) => {
            let mut game_events = world.resource_mut::<GameEvents>();
            game_events.sent_count += 1;
            game_events.sent.push((entity, tells, ticket));
            true
        }
        Err(MemoryError::Full { .. }) => false,
        Err(error) => never(world, error.to_string(), entity),
    }
}

pub(crate) enum Unresolved {
    NotYet,
    Never(String),
}

/// Returns the id or name under which the memory knows a target.
pub(crate) fn name(world: &World, target: &Target) -> Result<String, Unresolved> {
    match target {
        Target::Named(name) => Ok(name.clone()),
        Target::Entity(entity) => {
            let never = || {
                Unresolved::Never(format!("{entity} is unknown to the memory: it has no `MemoryId`, or is despawned"))
            };
            let id = world.get::<MemoryId>(*entity).ok_or_else(never)?;
            id.get().map(EntityId::to_string).ok_or(Unresolved::NotYet)
        }
    }
}

fn stated(world: &World, what: &Statement) -> Result<Stated, Unresolved> {
    Ok(match what {
        Statement::Fact(fact) => Stated::Recorded(fact.clone()),
        Statement::Lore { about, text } => Stated::Lore { about: name(world, about)?, text: text.clone() },
        Statement::Parts { subject, predicate, object } => Stated::Parts {
            subject: name(world, subject)?,
            predicate: predicate.clone(),
            object: name(world, object)?,
            statement: None,
        },
    })
}

fn all_stated(world: &World, what: &[Statement]) -> Result<Vec<Stated>, Unresolved> {
    what.iter().map(|what| stated(world, what)).collect()
}

/// Returns the hearers of an event. If the list is empty, the memory uses the characters at the actor's place.
pub(crate) fn hearers(world: &World, entity: Entity) -> Vec<Target> {
    let there: Vec<Entity> = match world.get_resource::<Earshot>() {
        None | Some(Earshot::Place) => return Vec::new(),
        Some(Earshot::Custom(hearers)) => hearers(world, entity),
        Some(Earshot::Distance(distance)) => {
            let Some(from) = world.get::<GlobalTransform>(entity).map(GlobalTransform::translation) else {
                return Vec::new();
            };
            let near = |other: &EntityRef| {
                let there = other.get::<GlobalTransform>().map(GlobalTransform::translation);
                there.is_some_and(|there| there.distance_squared(from) <= distance * distance)
            };
            let kept = world.resource::<sync::Registry>().bound.values();
            let others = kept.filter_map(|other| world.get_entity(*other).ok()).filter(near);
            others.filter(is_character).map(|other| other.id()).collect()
        }
    };
    let mut there: Vec<Entity> = there.into_iter().filter(|other| *other != entity).collect();
    there.sort_unstable();
    there.dedup();
    there.into_iter().map(Target::Entity).collect()
}

fn is_character(entity: &EntityRef) -> bool {
    entity.get::<crate::Remembered>().is_some_and(|kind| kind.0.is_character())
}

/// Converts an event to the memory's type.
fn resolved(world: &World, by: &Target, game_event: &GameEvent) -> Result<EngineEvent, Unresolved> {
    let actor = name(world, by)?;
    let circumstances = Circumstances {
        place: world.get::<PlaceId>(game_event.entity).map(|at| at.0.to_string()),
        ..Circumstances::default()
    };
    let names = |targets: &[Target]| targets.iter().map(|target| name(world, target)).collect::<Result<Vec<_>, _>>();
    let to = match game_event.to.is_empty() {
        true => names(&hearers(world, game_event.entity))?,
        false => names(&game_event.to)?,
    };
    Ok(match &game_event.action {
        GameAction::Say { text, states, lie } => EngineEvent::Say {
            speaker: actor,
            text: text.clone(),
            states: all_stated(world, states)?,
            hearers: to,
            lie: *lie,
            circumstances,
        },
        GameAction::Tell { what, lie } => EngineEvent::Tell {
            teller: actor,
            fact: stated(world, what)?,
            hearers: to,
            retold: None,
            lie: *lie,
            citing: None,
            credence: None,
            circumstances,
        },
        GameAction::Show(what) => {
            let mut witnesses = to;
            if !witnesses.is_empty() {
                witnesses.push(actor);
            }
            EngineEvent::Witness { facts: all_stated(world, what)?, witnesses, circumstances }
        }
        GameAction::Witness(what) => {
            EngineEvent::Witness { facts: all_stated(world, what)?, witnesses: vec![actor], circumstances }
        }
        GameAction::Read(document) => {
            EngineEvent::Read { document: name(world, document)?, readers: vec![actor], credence: None, circumstances }
        }
        GameAction::Reveal { fact, openly } => {
            EngineEvent::Reveal { holder: actor, fact: fact.clone(), to, openly: *openly, circumstances }
        }
        GameAction::Deduce { conclusion, from } => EngineEvent::Deduce {
            knower: actor,
            conclusion: stated(world, conclusion)?,
            from: from.clone(),
            certainty: None,
            circumstances,
        },
        GameAction::Forget { fact } => EngineEvent::Forget { knower: actor, fact: fact.clone() },
    })
}

/// Takes the answers of sent requests and reports the refused ones.
fn take_done(
    mut game_events: ResMut<GameEvents>,
    memory: Res<NpcMemory>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
    mut started: MessageWriter<SessionStarted>,
    mut ended: MessageWriter<SessionEnded>,
) {
    let game_events = game_events.as_mut();
    let mut fail = |error: MemoryError, entity| {
        if !matches!(error, MemoryError::Closed) {
            tracing::warn!("not remembered: {error}");
            trouble.write(MemoryErrorMessage { what: error.to_string(), entity });
        }
    };
    while let Some((entity, tells, answer)) =
        game_events.sent.first().and_then(|(entity, tells, ticket)| Some((*entity, *tells, ticket.try_take()?)))
    {
        drop(game_events.sent.remove(0));
        game_events.done_count += 1;
        let asked = answer.and_then(|_| memory.get().map_or(Ok(None), |memory| tells.ask(memory)));
        match asked {
            Ok(asked) => game_events.asked.extend(asked),
            Err(error) => fail(error, entity),
        }
    }
    game_events.asked.retain_mut(|asked| {
        let answer = match asked {
            Asked::Started(ticket) => {
                ticket.try_take().map(|id| id.map(|session| _ = started.write(SessionStarted { session })))
            }
            Asked::Ended(ticket) => ticket
                .try_take()
                .map(|report| report.map(|report| _ = ended.write(SessionEnded { report: Box::new(report) }))),
        };
        match answer {
            None => true,
            Some(answer) => {
                answer.err().into_iter().for_each(|error| fail(error, None));
                false
            }
        }
    });
}
