//! Questions to the memory: each is an entity that carries its state and then its reply.

use std::time::Instant;

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_memory::{Answer, Ask, Found, Memory, MemoryError, Search, Ticket, World as MemoryWorld, query};

use crate::{
    components::{MemoryId, Whereabouts},
    diagnostics::FrameCost,
    happenings::{Happenings, Target, hearers},
    memory::{MemoryState, NpcMemory},
    steps::{Step, Steps, StepsAppExt},
    sync::{self, Outbox, Registry},
};

/// Sends questions, and takes their replies.
#[derive(Debug, Clone, Default)]
pub struct QuestionsPlugin;

impl Plugin for QuestionsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Inquiries>()
            .register_type::<Inquiry>()
            .register_type::<AskedOf>()
            .register_type::<Questions>()
            .add_step(Step::TakeReplies, has_sent, take_replies)
            .add_step(Step::SendQuestions, has_waiting, send);
    }
}

/// How a question stands.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub enum Inquiry {
    /// It waits for its reply. Despawn the entity to cancel it.
    #[default]
    Waiting,
    /// Its reply is there: a [`Reply`] component on the same entity.
    Answered,
    /// It has no reply: why not.
    Failed(String),
}

/// The reply to a question.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct Reply<T: Send + Sync + 'static>(pub T);

/// Triggered on a question when its [`Reply`] is there.
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Answered {
    /// The question.
    pub entity: Entity,
}

/// Triggered on a question that gets no reply. [`Inquiry::Failed`] says why.
#[derive(EntityEvent, Debug, Clone)]
pub struct Unanswered {
    /// The question.
    pub entity: Entity,
    /// Why not, for people.
    pub why: String,
}

/// Who was asked. When it is unloaded, the question is cancelled.
#[derive(Component, Debug, Clone, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Questions)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct AskedOf(pub Entity);

/// The questions that somebody was asked.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = AskedOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Questions(Vec<Entity>);

/// A question to a character in its scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The words.
    pub text: String,
    /// Where it is asked; where the character is, when nothing is said.
    pub place: Option<Target>,
    /// Who else is there; those in [earshot](crate::Earshot), when nothing is said.
    pub present: Option<Vec<Target>>,
    /// Tokens that the context may have; as the settings say, when nothing is said.
    pub budget: Option<usize>,
    /// Facts and passages at most; as the settings say, when nothing is said.
    pub limit: Option<usize>,
    /// Whether older questions to the same character that wait are cancelled.
    pub supersede: bool,
}

impl Question {
    /// A question, here and now.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Older questions to the same character that wait are cancelled.
    pub fn superseding(self) -> Self {
        Self { supersede: true, ..self }
    }
}

impl From<&str> for Question {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Question {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Sends a question, when its turn has come; it is given back while it cannot be sent.
type Sending = Box<dyn FnMut(&World, &Memory) -> Result<Taking, NotSent> + Send + Sync>;

/// Looks for a reply, and puts it on the entity of its question; whether it is done.
type Taking = Box<dyn FnMut(&mut World, Entity) -> bool + Send + Sync>;

enum NotSent {
    /// The memory is busy, or the character has no id yet.
    NotYet,
    /// It never will be.
    Never(String),
}

/// Questions under way.
#[derive(Resource, Default)]
pub(crate) struct Inquiries {
    waiting: Vec<(Entity, u64, Sending)>,
    sent: Vec<(Entity, Instant, Taking)>,
    /// How long the last one took.
    pub(crate) latency: Option<std::time::Duration>,
}

impl Inquiries {
    /// How many wait, and how many were sent and have no reply yet.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len())
    }

    /// Ends all that is under way: its world is gone.
    pub(crate) fn fail_all(world: &mut World, why: &str) {
        let mut inquiries = world.resource_mut::<Self>();
        let waiting = std::mem::take(&mut inquiries.waiting).into_iter().map(|(entity, ..)| entity);
        let sent = std::mem::take(&mut inquiries.sent).into_iter().map(|(entity, ..)| entity);
        for entity in waiting.chain(sent).collect::<Vec<_>>() {
            fail(world, entity, why.to_owned());
        }
    }
}

fn has_waiting(world: &World) -> bool {
    !world.resource::<Inquiries>().waiting.is_empty() && *world.resource::<MemoryState>() != MemoryState::Loading
}

fn has_sent(world: &World) -> bool {
    !world.resource::<Inquiries>().sent.is_empty()
}

fn fail(world: &mut World, entity: Entity, why: String) {
    if let Ok(mut question) = world.get_entity_mut(entity) {
        question.insert(Inquiry::Failed(why.clone()));
        world.trigger(Unanswered { entity, why });
    }
}

fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    // Somebody new can only be asked once the memory holds it.
    if world.resource::<Outbox>().is_creating() {
        sync::flush(world);
    }
    let mut inquiries = world.resource_mut::<Inquiries>();
    let waiting = std::mem::take(&mut inquiries.waiting);
    let done = world.get_resource::<Happenings>().map_or(u64::MAX, |happenings| happenings.done_count);
    let mut still = Vec::new();
    for (entity, after, mut sending) in waiting {
        if world.get_entity(entity).is_err() {
            continue;
        }
        // What was said before it is in its reply.
        if after > done && world.resource::<NpcMemory>().get().is_some() {
            still.push((entity, after, sending));
            continue;
        }
        let sent = match world.resource::<NpcMemory>().get() {
            Some(memory) => sending(world, memory),
            None => Err(NotSent::Never("the memory is not open".to_owned())),
        };
        match sent {
            Ok(taking) => world.resource_mut::<Inquiries>().sent.push((entity, Instant::now(), taking)),
            Err(NotSent::NotYet) => still.push((entity, after, sending)),
            Err(NotSent::Never(why)) => fail(world, entity, why),
        }
    }
    let mut inquiries = world.resource_mut::<Inquiries>();
    // Those that were asked meanwhile, by observers of what failed, come after.
    still.append(&mut inquiries.waiting);
    inquiries.waiting = still;
}

fn take_replies(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    let mut sent = std::mem::take(&mut world.resource_mut::<Inquiries>().sent);
    sent.retain_mut(|(entity, since, taking)| {
        if world.get_entity(*entity).is_err() {
            // Dropping the ticket cancels it.
            return false;
        }
        let done = taking(world, *entity);
        if done {
            world.resource_mut::<Inquiries>().latency = Some(since.elapsed());
        }
        !done
    });
    let mut inquiries = world.resource_mut::<Inquiries>();
    sent.append(&mut inquiries.sent);
    inquiries.sent = sent;
}

/// Puts a reply on its question when it is there.
fn taking<T: Send + Sync + 'static>(ticket: Ticket<T>) -> Taking {
    Box::new(move |world, entity| match ticket.try_take() {
        None => false,
        Some(Ok(reply)) => {
            world.entity_mut(entity).insert((Reply(reply), Inquiry::Answered));
            world.trigger(Answered { entity });
            true
        }
        Some(Err(error)) => {
            fail(world, entity, error.to_string());
            true
        }
    })
}

fn sent<T: Send + Sync + 'static>(result: Result<Ticket<T>, MemoryError>) -> Result<Taking, NotSent> {
    match result {
        Ok(ticket) => Ok(taking(ticket)),
        Err(MemoryError::Full { .. }) => Err(NotSent::NotYet),
        Err(error) => Err(NotSent::Never(error.to_string())),
    }
}

/// The id of an entity that is asked.
fn id_of(world: &World, entity: Entity) -> Result<String, NotSent> {
    let unknown = || NotSent::Never(format!("{entity} is unknown to the memory: it has no `MemoryId`"));
    let id = world.get::<MemoryId>(entity).ok_or_else(unknown)?.get().ok_or(NotSent::NotYet)?;
    // What is being created is not there to be asked yet.
    let is_there =
        world.resource::<Registry>().entity(id).is_some() && world.resource::<Outbox>().creates(id).is_none();
    if is_there { Ok(id.to_string()) } else { Err(NotSent::NotYet) }
}

fn named(world: &World, target: &Target) -> Result<String, NotSent> {
    match target {
        Target::Named(name) => Ok(name.clone()),
        Target::Entity(entity) => id_of(world, *entity),
    }
}

fn queue(commands: &mut Commands, entity: Entity, sending: Sending) {
    commands.queue(move |world: &mut World| {
        let after = world.get_resource::<Happenings>().map_or(0, Happenings::mark);
        match world.get_resource_mut::<Inquiries>() {
            Some(mut inquiries) => {
                inquiries.waiting.push((entity, after, sending));
                world.resource_mut::<Steps>().wake();
            }
            None => tracing::error!("a question was asked, but `QuestionsPlugin` is not there"),
        }
    });
}

/// Questions that no character is asked.
pub trait MemoryCommands {
    /// Searches by names, relations, words and meaning, as the DM, or as the knower that the search names. The reply is
    /// a [`Reply<Found>`](Reply).
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_>;

    /// Reads anything from the memory's state, on its thread: be brief. [`query`] has the usual readings. The reply is a
    /// [`Reply<T>`](Reply).
    fn inquire<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&MemoryWorld) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_>;
}

impl MemoryCommands for Commands<'_, '_> {
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_> {
        let entity = self.spawn(Inquiry::default()).id();
        queue(self, entity, Box::new(move |_, memory| sent::<Found>(memory.search(search.clone()))));
        self.entity(entity)
    }

    fn inquire<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&MemoryWorld) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_> {
        let entity = self.spawn(Inquiry::default()).id();
        queue(self, entity, Box::new(move |_, memory| sent(memory.read(read.clone()))));
        self.entity(entity)
    }
}

/// Questions to, and about, an entity that the memory knows. Each returns the entity of the question, to attach
/// observers to: `commands.entity(npc).ask("Who took it?").observe(…)`.
pub trait EntityQuestionCommands {
    /// Asks a character what it may say. The reply is a [`Reply<Answer>`](Reply), whose scene context has a receipt for
    /// every line. What was said in the game before is in it.
    fn ask(&mut self, question: impl Into<Question>) -> EntityCommands<'_>;

    /// Those it is related to, within so many steps, for the DM; at most so many. The reply is a
    /// `Reply<Vec<NeighbourRow>>`.
    fn neighbours(&mut self, depth: usize, limit: usize) -> EntityCommands<'_>;

    /// What it believes of somebody or something, and why. The reply is a `Reply<Believes>`.
    fn beliefs_about(&mut self, subject: impl Into<Target>) -> EntityCommands<'_>;

    /// What it knows, the newest first, at most so many. The reply is a `Reply<Vec<KnowsRow>>`.
    fn knowledge(&mut self, limit: usize) -> EntityCommands<'_>;
}

impl EntityQuestionCommands for EntityCommands<'_> {
    fn ask(&mut self, question: impl Into<Question>) -> EntityCommands<'_> {
        let (npc, question) = (self.id(), question.into());
        let commands = self.commands_mut();
        if question.supersede {
            commands.queue(move |world: &mut World| supersede(world, npc));
        }
        let entity = commands.spawn((Inquiry::default(), AskedOf(npc))).id();
        let sending: Sending = Box::new(move |world, memory| {
            let ask = asked(world, npc, &question)?;
            sent::<Answer>(memory.ask(ask))
        });
        queue(commands, entity, sending);
        commands.entity(entity)
    }

    fn neighbours(&mut self, depth: usize, limit: usize) -> EntityCommands<'_> {
        about(self, move |world, who| query::neighbours(&world.state, who, &query::WalkFilter::default(), depth, limit))
    }

    fn beliefs_about(&mut self, subject: impl Into<Target>) -> EntityCommands<'_> {
        let (npc, subject) = (self.id(), subject.into());
        let commands = self.commands_mut();
        let entity = commands.spawn((Inquiry::default(), AskedOf(npc))).id();
        let sending: Sending = Box::new(move |world, memory| {
            let (who, subject) = (id_of(world, npc)?, named(world, &subject)?);
            sent(memory.read(move |world| query::believes(&world.state, &who, &subject, None, None)))
        });
        queue(commands, entity, sending);
        commands.entity(entity)
    }

    fn knowledge(&mut self, limit: usize) -> EntityCommands<'_> {
        about(self, move |world, who| {
            let filter = query::KnowsFilter { limit, ..query::KnowsFilter::default() };
            query::knows(&world.state, who, &filter, None).map(|(rows, _)| rows)
        })
    }
}

fn about<'a, T: Send + Sync + 'static>(
    of: &'a mut EntityCommands<'_>,
    read: impl Fn(&MemoryWorld, &str) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
) -> EntityCommands<'a> {
    let npc = of.id();
    let commands = of.commands_mut();
    let entity = commands.spawn((Inquiry::default(), AskedOf(npc))).id();
    let sending: Sending = Box::new(move |world, memory| {
        let (who, read) = (id_of(world, npc)?, read.clone());
        sent(memory.read(move |world| read(world, &who)))
    });
    queue(commands, entity, sending);
    commands.entity(entity)
}

/// Cancels the questions to somebody that wait.
fn supersede(world: &mut World, npc: Entity) {
    let older: Vec<Entity> = world.get::<Questions>(npc).map(|older| older.iter().collect()).unwrap_or_default();
    for question in older {
        if world.get::<Inquiry>(question) == Some(&Inquiry::Waiting) {
            world.despawn(question);
        }
    }
}

fn asked(world: &World, npc: Entity, question: &Question) -> Result<Ask, NotSent> {
    let speaker = id_of(world, npc)?;
    let place = match &question.place {
        Some(place) => Some(named(world, place)?),
        None => world.get::<Whereabouts>(npc).map(|at| at.0.to_string()),
    };
    let there = question.present.clone().unwrap_or_else(|| hearers(world, npc));
    let present = there.iter().map(|target| named(world, target)).collect::<Result<Vec<_>, _>>()?;
    let (budget, limit) = (question.budget, question.limit);
    Ok(Ask { place, present, budget, limit, ..Ask::new(speaker, question.text.as_str()) })
}
