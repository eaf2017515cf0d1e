//! What happens in the game becomes memory: somebody says, tells, sees, reads, or reveals something.

use std::{collections::VecDeque, fmt, sync::Arc};

use bevy::prelude::*;
use hearsay_memory::{Circumstances, Edit, Happening, Memory, MemoryError, Stated, Ticket, Written};
use hearsay_model::{Author, EntityId};

use crate::{
    components::{MemoryId, Whereabouts},
    diagnostics::FrameCost,
    memory::{MemoryExit, MemoryTrouble, NpcMemory},
    sessions::{self, Asked, SessionEnded, SessionHappens, SessionStarted, Tells},
    steps::{Step, Steps, StepsAppExt},
    sync,
};

/// Takes what happens, works out who hears it, and sends it to the memory.
#[derive(Debug, Clone)]
pub struct HappeningsPlugin {
    /// Who hears what is said. Default: those who are at the same place.
    pub earshot: Earshot,
    /// How much may wait while the memory is opened or busy; what comes on top is refused with a
    /// [`MemoryTrouble`]. Default 10,000.
    pub queue: usize,
}

impl Default for HappeningsPlugin {
    fn default() -> Self {
        Self { earshot: Earshot::Place, queue: 10_000 }
    }
}

type Hearers = Arc<dyn Fn(&World, Entity) -> Vec<Entity> + Send + Sync>;

/// Who hears, and sees, what happens with somebody when nobody is named.
#[derive(Resource, Clone, Default)]
pub enum Earshot {
    /// Those who are at the same place by the memory, loaded or not.
    #[default]
    Place,
    /// Those with a [`MemoryId`] whose [`GlobalTransform`] is at most so far from that of the one who acts.
    Distance(f32),
    /// Those whom a function names.
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
    /// Those whom a function names.
    pub fn custom(hearers: impl Fn(&World, Entity) -> Vec<Entity> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(hearers))
    }
}

/// Somebody or something that the memory knows: an entity of the game, or an id, loaded or not.
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

/// Something that is said, told or seen, before the names in it are known.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A fact on record: its id, the beginning of its id, or its handle in the campaign.
    Fact(String),
    /// A sentence about somebody or something: a claim of whoever says it, known from nobody else. What is known already
    /// is passed on as a [`Fact`](Self::Fact).
    Lore {
        /// Whom or what it is about.
        about: Target,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// Of whom or what.
        subject: Target,
        /// `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// An entity, or the attribute's value.
        object: Target,
    },
}

impl What {
    /// A fact on record.
    pub fn fact(fact: impl ToString) -> Self {
        Self::Fact(fact.to_string())
    }

    /// A sentence about somebody or something.
    pub fn lore(about: impl Into<Target>, text: impl Into<String>) -> Self {
        Self::Lore { about: about.into(), text: text.into() }
    }

    /// A relation to another, or an attribute.
    pub fn parts(subject: impl Into<Target>, predicate: impl Into<String>, object: impl Into<Target>) -> Self {
        Self::Parts { subject: subject.into(), predicate: predicate.into(), object: object.into() }
    }
}

/// What somebody does by which others, or it itself, learn something.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Says a line aloud: everyone in earshot learns that it was said, and takes up what it states.
    Say {
        /// The words.
        text: String,
        /// What the words state.
        states: Vec<What>,
        /// Whether it lies: what it makes up is untrue.
        lie: bool,
    },
    /// Tells others what it knows; or what it says first, where that is new.
    Tell {
        /// What.
        what: What,
        /// Whether it lies.
        lie: bool,
    },
    /// Does something, or has something happen to it, that others see. What is new is canon.
    Show(Vec<What>),
    /// Sees something itself, alone.
    Witness(Vec<What>),
    /// Reads a document.
    Read(Target),
    /// Tells a secret that it holds; from others it stays concealed.
    Reveal {
        /// The secret: its id, the beginning of its id, or its handle.
        fact: String,
        /// Whether it keeps it from nobody any more.
        openly: bool,
    },
    /// Concludes something from what it knows.
    Deduce {
        /// What.
        conclusion: What,
        /// The facts it follows from.
        from: Vec<String>,
    },
    /// Never learned something, by the game's word.
    Forget {
        /// What: its id, the beginning of its id, or its handle.
        fact: String,
    },
}

/// Something that happens with an entity of the game. Trigger it, or use the commands of
/// [`EntityMemoryCommands`](crate::EntityMemoryCommands), which trigger it.
#[derive(EntityEvent, Debug, Clone)]
pub struct Happens {
    /// Who acts.
    pub entity: Entity,
    /// What it does.
    pub deed: Deed,
    /// To whom, or before whose eyes; those in [earshot](Earshot), when nobody is named.
    pub to: Vec<Target>,
    /// Who says so: the game, unless it was the DM or a player.
    pub author: Author,
}

impl Happens {
    /// A deed before those in earshot, by the game's word.
    pub fn new(entity: Entity, deed: Deed) -> Self {
        Self { entity, deed, to: Vec::new(), author: Author::Game }
    }
}

/// Something of what waits: what happened, or what is changed by hand.
enum Request {
    Happens { by: Target, happens: Happens },
    Edit { edit: Edit, author: Author },
    Session(SessionHappens),
}

/// What happened and waits to be sent, and what was sent.
#[derive(Resource, Default)]
pub(crate) struct Happenings {
    waiting: VecDeque<Request>,
    sent: Vec<(Option<Entity>, Tells, Ticket<Written>)>,
    /// What is asked since.
    asked: Vec<Asked>,
    most: usize,
    /// How many were sent, and how many of these are done, in order.
    pub(crate) sent_count: u64,
    pub(crate) done_count: u64,
}

impl Happenings {
    /// How many wait, and how many were sent and are not done.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len() + self.asked.len())
    }

    /// Drops what waits: its world is gone.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// What must be done before a question sees all that was said before it.
    pub(crate) fn mark(&self) -> u64 {
        self.sent_count + self.waiting.len() as u64
    }

    /// Queues what happens to a session.
    pub(crate) fn push_session(&mut self, happens: SessionHappens) -> Result<(), String> {
        match self.push(Request::Session(happens)) {
            true => Ok(()),
            false => {
                Err(format!("{} happenings wait for the memory already; the session goes on without this", self.most))
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

impl Plugin for HappeningsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.earshot.clone())
            .insert_resource(Happenings { most: self.queue, ..Happenings::default() })
            .add_message::<SessionStarted>()
            .add_message::<SessionEnded>()
            .add_observer(on_happens)
            .add_observer(sessions::on_session)
            .add_step(Step::TakeHappenings, has_sent, take_done)
            .add_step(Step::SendHappenings, has_waiting, send);
    }
}

fn has_waiting(world: &World) -> bool {
    !world.resource::<Happenings>().waiting.is_empty() && world.resource::<NpcMemory>().get().is_some()
}

fn has_sent(world: &World) -> bool {
    let happenings = world.resource::<Happenings>();
    !happenings.sent.is_empty() || !happenings.asked.is_empty()
}

fn on_happens(
    on: On<Happens>,
    ids: Query<&MemoryId>,
    mut happenings: ResMut<Happenings>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryTrouble>,
) {
    steps.wake();
    let happens = on.event().clone();
    // The id is taken now: the entity may be gone when it is sent.
    let by = match ids.get(happens.entity).ok().and_then(MemoryId::get) {
        Some(id) => Target::from(id),
        None => Target::Entity(happens.entity),
    };
    let entity = Some(happens.entity);
    if !happenings.push(Request::Happens { by, happens }) {
        let what = format!("{} happenings wait for the memory already; this one is not remembered", happenings.most);
        trouble.write(MemoryTrouble { what, entity });
    }
}

/// Queues a change by hand.
pub(crate) fn edit(world: &mut World, edit: Edit, author: Author) {
    if let Some(mut happenings) = world.get_resource_mut::<Happenings>() {
        happenings.push(Request::Edit { edit, author });
        world.resource_mut::<Steps>().wake();
    }
}

/// Sends what waits, in order, after what changed before it.
pub(crate) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<sync::Outbox>().is_loading() {
        return;
    }
    sync::flush(world);
    loop {
        let Some(request) = world.resource_mut::<Happenings>().waiting.pop_front() else { return };
        let sent = match &request {
            Request::Edit { edit, author } => {
                let (edit, author) = (edit.clone(), author.clone());
                write(world, None, Tells::Nothing, |memory| memory.edit_as(author, edit))
            }
            Request::Happens { by, happens } => match resolved(world, by, happens) {
                Ok(happening) => {
                    let author = happens.author.clone();
                    write(world, Some(happens.entity), Tells::Nothing, |memory| memory.learn(author, happening))
                }
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, Some(happens.entity)),
            },
            Request::Session(happens) => match sessions::send(world, happens) {
                Ok(send) => write(world, None, Tells::of(happens), send),
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, None),
            },
        };
        if !sent {
            // The memory is busy, or an entity has no id yet: what comes after waits too, so that the order is kept.
            world.resource_mut::<Happenings>().waiting.push_front(request);
            return;
        }
    }
}

/// Sends what waits, at exit. Whether nothing is left that could be sent later: somebody who has no id by now gets none.
pub(crate) fn send_at_exit(world: &mut World) -> bool {
    send(world);
    let happenings = world.resource::<Happenings>();
    let Some(first) = happenings.waiting.front() else { return true };
    let never = match first {
        Request::Happens { by, happens } => matches!(resolved(world, by, happens), Err(Unresolved::NotYet)),
        Request::Edit { .. } | Request::Session(_) => false,
    };
    never || world.resource::<sync::Outbox>().is_loading()
}

/// Counts what was answered, at exit.
pub(crate) fn take_at_exit(world: &mut World, exit: &mut MemoryExit) {
    let Some(mut happenings) = world.get_resource_mut::<Happenings>() else { return };
    happenings.sent.retain(|(_, _, ticket)| match ticket.try_take() {
        Some(answer) => {
            exit.count(answer.is_ok());
            false
        }
        None => true,
    });
}

/// Counts all once the memory is closed: what has no answer, or was never sent, is not committed.
pub(crate) fn count_at_exit(world: &mut World, exit: &mut MemoryExit) {
    take_at_exit(world, exit);
    let Some(happenings) = world.get_resource::<Happenings>() else { return };
    exit.not_committed += happenings.sent.len() + happenings.waiting.len();
}

/// Says that something cannot be sent: what comes after need not wait for it.
fn never(world: &mut World, what: String, entity: Option<Entity>) -> bool {
    world.write_message(MemoryTrouble { what, entity });
    let mut happenings = world.resource_mut::<Happenings>();
    happenings.sent_count += 1;
    happenings.done_count += 1;
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
            let mut happenings = world.resource_mut::<Happenings>();
            happenings.sent_count += 1;
            happenings.sent.push((entity, tells, ticket));
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

/// The name under which the memory knows somebody.
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

fn stated(world: &World, what: &What) -> Result<Stated, Unresolved> {
    Ok(match what {
        What::Fact(fact) => Stated::Recorded(fact.clone()),
        What::Lore { about, text } => Stated::Lore { about: name(world, about)?, text: text.clone() },
        What::Parts { subject, predicate, object } => Stated::Parts {
            subject: name(world, subject)?,
            predicate: predicate.clone(),
            object: name(world, object)?,
            statement: None,
        },
    })
}

fn all_stated(world: &World, what: &[What]) -> Result<Vec<Stated>, Unresolved> {
    what.iter().map(|what| stated(world, what)).collect()
}

/// Those who hear what somebody does: nobody named means those at its place, by the memory.
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

/// A happening in the memory's words.
fn resolved(world: &World, by: &Target, happens: &Happens) -> Result<Happening, Unresolved> {
    let actor = name(world, by)?;
    let circumstances = Circumstances {
        place: world.get::<Whereabouts>(happens.entity).map(|at| at.0.to_string()),
        ..Circumstances::default()
    };
    let names = |targets: &[Target]| targets.iter().map(|target| name(world, target)).collect::<Result<Vec<_>, _>>();
    let to = match happens.to.is_empty() {
        true => names(&hearers(world, happens.entity))?,
        false => names(&happens.to)?,
    };
    Ok(match &happens.deed {
        Deed::Say { text, states, lie } => Happening::Say {
            speaker: actor,
            text: text.clone(),
            states: all_stated(world, states)?,
            hearers: to,
            lie: *lie,
            circumstances,
        },
        Deed::Tell { what, lie } => Happening::Tell {
            teller: actor,
            fact: stated(world, what)?,
            hearers: to,
            retold: None,
            lie: *lie,
            citing: None,
            credence: None,
            circumstances,
        },
        Deed::Show(what) => {
            let mut witnesses = to;
            if !witnesses.is_empty() {
                witnesses.push(actor);
            }
            Happening::Witness { facts: all_stated(world, what)?, witnesses, circumstances }
        }
        Deed::Witness(what) => {
            Happening::Witness { facts: all_stated(world, what)?, witnesses: vec![actor], circumstances }
        }
        Deed::Read(document) => {
            Happening::Read { document: name(world, document)?, readers: vec![actor], credence: None, circumstances }
        }
        Deed::Reveal { fact, openly } => {
            Happening::Reveal { holder: actor, fact: fact.clone(), to, openly: *openly, circumstances }
        }
        Deed::Deduce { conclusion, from } => Happening::Deduce {
            knower: actor,
            conclusion: stated(world, conclusion)?,
            from: from.clone(),
            certainty: None,
            circumstances,
        },
        Deed::Forget { fact } => Happening::Forget { knower: actor, fact: fact.clone() },
    })
}

/// Looks after what was sent: what the memory refuses is said.
fn take_done(
    mut happenings: ResMut<Happenings>,
    memory: Res<NpcMemory>,
    mut trouble: MessageWriter<MemoryTrouble>,
    mut started: MessageWriter<SessionStarted>,
    mut ended: MessageWriter<SessionEnded>,
) {
    let happenings = happenings.as_mut();
    let mut fail = |error: MemoryError, entity| {
        if !matches!(error, MemoryError::Closed) {
            tracing::warn!("not remembered: {error}");
            trouble.write(MemoryTrouble { what: error.to_string(), entity });
        }
    };
    while let Some((entity, tells, answer)) =
        happenings.sent.first().and_then(|(entity, tells, ticket)| Some((*entity, *tells, ticket.try_take()?)))
    {
        drop(happenings.sent.remove(0));
        happenings.done_count += 1;
        let asked = answer.and_then(|_| memory.get().map_or(Ok(None), |memory| tells.ask(memory)));
        match asked {
            Ok(asked) => happenings.asked.extend(asked),
            Err(error) => fail(error, entity),
        }
    }
    happenings.asked.retain_mut(|asked| {
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
