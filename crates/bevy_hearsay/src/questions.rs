//! Questions to the memory. Each question is an entity that carries its state and then its reply.

use std::time::Instant;

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_memory::{Answer, Ask, Memory, MemoryError, ReadSnapshot, Search, SearchResults, Ticket, query};

use crate::{
    components::{MemoryId, PlaceId},
    diagnostics::FrameCost,
    game_events::{GameEvents, Target, hearers},
    memory::{MemoryState, NpcMemory},
    steps::{Step, Steps, StepsAppExt},
    sync::{self, Outbox, Registry},
};

/// Sends questions and takes their replies.
#[derive(Debug, Clone, Default)]
pub struct QuestionsPlugin;

impl Plugin for QuestionsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Inquiries>()
            .register_type::<QuestionState>()
            .register_type::<AskedOf>()
            .register_type::<Questions>()
            .add_step(Step::TakeReplies, has_sent, take_replies)
            .add_step(Step::SendQuestions, has_waiting, send);
    }
}

/// State of a question.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub enum QuestionState {
    /// The question waits for its reply. Despawn the entity to cancel the question.
    #[default]
    Waiting,
    /// The reply arrived: a [`Reply`] component on the same entity.
    Answered,
    /// The question gets no reply, for this reason.
    Failed(String),
}

/// The reply to a question.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct Reply<T: Send + Sync + 'static>(pub T);

/// Triggered on a question when its [`Reply`] arrives.
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Answered {
    /// The question.
    pub entity: Entity,
}

/// Triggered on a question that gets no reply. [`QuestionState::Failed`] contains the reason.
#[derive(EntityEvent, Debug, Clone)]
pub struct Unanswered {
    /// The question.
    pub entity: Entity,
    /// The reason, for display.
    pub why: String,
}

/// The character asked. Unloading the character cancels the question.
#[derive(Component, Debug, Clone, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Questions)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct AskedOf(pub Entity);

/// The questions that a character is asked.
#[derive(Component, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = AskedOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Questions(Vec<Entity>);

/// A question to a character in its scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// The place of the scene. Default: the character's place.
    pub place: Option<Target>,
    /// The others present. Default: everyone in [earshot](crate::Earshot).
    pub present: Option<Vec<Target>>,
    /// Maximum number of tokens of the context. Default: as in the settings.
    pub budget: Option<usize>,
    /// Maximum number of facts and passages. Default: as in the settings.
    pub limit: Option<usize>,
    /// Whether to cancel older waiting questions to the same character.
    pub supersede: bool,
}

impl Question {
    /// Makes a question at the character's current place and time.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Cancels older waiting questions to the same character.
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

/// Sends a question when its turn comes. Returns an error while the question cannot be sent.
type Sending = Box<dyn FnMut(&World, &Memory) -> Result<Taking, NotSent> + Send + Sync>;

/// Polls for a reply and inserts it on the entity of its question. Returns whether the question is complete.
type Taking = Box<dyn FnMut(&mut World, Entity) -> bool + Send + Sync>;

enum NotSent {
    /// The memory is busy, or the character has no id yet.
    NotYet,
    /// The question can never be sent.
    Never(String),
}

/// The questions that wait or were sent.
#[derive(Resource, Default)]
pub(crate) struct Inquiries {
    waiting: Vec<(Entity, u64, Sending)>,
    sent: Vec<(Entity, Instant, Taking)>,
    /// Latency of the last question.
    pub(crate) latency: Option<std::time::Duration>,
}

impl Inquiries {
    /// Returns the number of waiting questions, and the number of sent questions without a reply.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len())
    }

    /// Fails all questions, because their timeline was abandoned.
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
        question.insert(QuestionState::Failed(why.clone()));
        world.trigger(Unanswered { entity, why });
    }
}

fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    // A new character can only be asked once the memory holds it.
    if world.resource::<Outbox>().is_creating() {
        sync::flush(world);
    }
    let mut inquiries = world.resource_mut::<Inquiries>();
    let waiting = std::mem::take(&mut inquiries.waiting);
    let done = world.get_resource::<GameEvents>().map_or(u64::MAX, |game_events| game_events.done_count);
    let mut still = Vec::new();
    for (entity, after, mut sending) in waiting {
        if world.get_entity(entity).is_err() {
            continue;
        }
        // The reply must include all earlier events.
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
    // Questions that observers of a failure asked come last.
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

/// Returns a closure that inserts a reply on its question when the reply arrives.
fn taking<T: Send + Sync + 'static>(ticket: Ticket<T>) -> Taking {
    Box::new(move |world, entity| match ticket.try_take() {
        None => false,
        Some(Ok(reply)) => {
            world.entity_mut(entity).insert((Reply(reply), QuestionState::Answered));
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

/// Returns the id of an entity that is asked.
fn id_of(world: &World, entity: Entity) -> Result<String, NotSent> {
    let unknown = || NotSent::Never(format!("{entity} is unknown to the memory: it has no `MemoryId`"));
    let id = world.get::<MemoryId>(entity).ok_or_else(unknown)?.get().ok_or(NotSent::NotYet)?;
    // An entity that is still being created cannot be asked yet.
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
        let after = world.get_resource::<GameEvents>().map_or(0, GameEvents::mark);
        match world.get_resource_mut::<Inquiries>() {
            Some(mut inquiries) => {
                inquiries.waiting.push((entity, after, sending));
                world.resource_mut::<Steps>().wake();
            }
            None => tracing::error!("a question was asked, but `QuestionsPlugin` is not there"),
        }
    });
}

/// Questions that are not addressed to a character.
pub trait MemoryCommands {
    /// Searches by names, relations, words and meaning, as the DM or as the knower that the search names. The reply is
    /// a [`Reply<SearchResults>`](Reply).
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_>;

    /// Runs a function on the memory's state, on the memory's thread: keep the function short. [`query`] has the usual
    /// functions. The reply is a [`Reply<T>`](Reply).
    fn inquire<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&ReadSnapshot) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_>;
}

impl MemoryCommands for Commands<'_, '_> {
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_> {
        let entity = self.spawn(QuestionState::default()).id();
        queue(self, entity, Box::new(move |_, memory| sent::<SearchResults>(memory.search(search.clone()))));
        self.entity(entity)
    }

    fn inquire<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&ReadSnapshot) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_> {
        let entity = self.spawn(QuestionState::default()).id();
        queue(self, entity, Box::new(move |_, memory| sent(memory.read(read.clone()))));
        self.entity(entity)
    }
}

/// Questions to and about an entity that the memory knows. Each method returns the entity of the question, so that
/// observers can be attached: `commands.entity(npc).ask("Who took it?").observe(…)`.
pub trait EntityQuestionCommands {
    /// Asks a character a question. The reply is a [`Reply<Answer>`](Reply) with the facts that the character may say.
    /// Its scene context has a citation for every line, and includes all earlier events of the game.
    fn ask(&mut self, question: impl Into<Question>) -> EntityCommands<'_>;

    /// Lists related entities within `depth` steps, for the DM; at most `limit` entities. The reply is a
    /// `Reply<Vec<NeighbourRow>>`.
    fn neighbours(&mut self, depth: usize, limit: usize) -> EntityCommands<'_>;

    /// Returns the character's beliefs about a subject, with their derivations. The reply is a `Reply<Believes>`.
    fn beliefs_about(&mut self, subject: impl Into<Target>) -> EntityCommands<'_>;

    /// Lists the facts that the character knows, newest first, at most `limit`. The reply is a `Reply<Vec<KnowsRow>>`.
    fn knowledge(&mut self, limit: usize) -> EntityCommands<'_>;
}

impl EntityQuestionCommands for EntityCommands<'_> {
    fn ask(&mut self, question: impl Into<Question>) -> EntityCommands<'_> {
        let (npc, question) = (self.id(), question.into());
        let commands = self.commands_mut();
        if question.supersede {
            commands.queue(move |world: &mut World| supersede(world, npc));
        }
        let entity = commands.spawn((QuestionState::default(), AskedOf(npc))).id();
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
        let entity = commands.spawn((QuestionState::default(), AskedOf(npc))).id();
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
    read: impl Fn(&ReadSnapshot, &str) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
) -> EntityCommands<'a> {
    let npc = of.id();
    let commands = of.commands_mut();
    let entity = commands.spawn((QuestionState::default(), AskedOf(npc))).id();
    let sending: Sending = Box::new(move |world, memory| {
        let (who, read) = (id_of(world, npc)?, read.clone());
        sent(memory.read(move |world| read(world, &who)))
    });
    queue(commands, entity, sending);
    commands.entity(entity)
}

/// Cancels the waiting questions to a character.
fn supersede(world: &mut World, npc: Entity) {
    let older: Vec<Entity> = world.get::<Questions>(npc).map(|older| older.iter().collect()).unwrap_or_default();
    for question in older {
        if world.get::<QuestionState>(question) == Some(&QuestionState::Waiting) {
            world.despawn(question);
        }
    }
}

fn asked(world: &World, npc: Entity, question: &Question) -> Result<Ask, NotSent> {
    let speaker = id_of(world, npc)?;
    let place = match &question.place {
        Some(place) => Some(named(world, place)?),
        None => world.get::<PlaceId>(npc).map(|at| at.0.to_string()),
    };
    let there = question.present.clone().unwrap_or_else(|| hearers(world, npc));
    let present = there.iter().map(|target| named(world, target)).collect::<Result<Vec<_>, _>>()?;
    let (budget, limit) = (question.budget, question.limit);
    Ok(Ask { place, present, budget, limit, ..Ask::new(speaker, question.text.as_str()) })
}
