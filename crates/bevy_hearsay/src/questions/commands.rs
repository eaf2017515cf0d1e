//! Commands that ask questions.

use std::sync::Arc;

use bevy::{ecs::system::EntityCommands, prelude::*};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::EntityId;
use hearsay_query as query;
use hearsay_query::{
    ask::{Answer, Ask},
    resolve::{resolve, resolve_all},
    search::{Search, SearchResults},
};

use super::{
    question::{AskedOf, Question, QuestionState, Questions},
    queue::{NotSentReason, SendFn, queue_question, receiver_for_request},
};
use crate::{
    components::PlaceId,
    events::{Target, hearers, resolve_entity},
    schedule::{PluginName, is_installed},
    sync::{Outbox, Registry, SyncedTypes},
};

/// Returns the id of the entity to which a question is addressed, or that the question is about.
fn resolve_id(world: &World, entity: Entity) -> Result<EntityId, NotSentReason> {
    let id = resolve_entity(world, entity)?;
    // The memory cannot answer for an entity that has not been added to it yet.
    let is_recorded =
        || world.resource::<Registry>().entity(id).is_some() && world.resource::<Outbox>().creating_batch(id).is_none();
    if is_installed(world, PluginName::Sync) && !is_recorded() {
        return Err(NotSentReason::NotYet);
    }
    Ok(id.clone())
}

/// Returns the id or name by which the memory knows a target.
fn name_of(world: &World, target: &Target) -> Result<String, NotSentReason> {
    match target {
        Target::Named(name) => Ok(name.clone()),
        Target::Entity(entity) => resolve_id(world, *entity).map(String::from),
    }
}

/// Commands for questions to the whole memory instead of a single entity.
pub trait MemoryCommands {
    /// Searches by names, relations, keywords and meaning. If the search names a knower, it covers only the facts that
    /// this knower knows. Otherwise, it covers the whole campaign, including secrets. The reply is a
    /// [`Reply<SearchResults>`](crate::Reply).
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_>;

    /// Runs a function that reads the memory's state. The function runs on the memory's thread, so it must be fast. The
    /// module [`query`] contains functions that you can use here. The reply is a [`Reply<T>`](crate::Reply).
    fn read_memory<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&ReadSnapshot) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_>;
}

impl MemoryCommands for Commands<'_, '_> {
    fn search_memory(&mut self, search: Search) -> EntityCommands<'_> {
        let entity = self.spawn(QuestionState::default()).id();
        queue_question(
            self,
            entity,
            Box::new(move |_, memory| receiver_for_request::<SearchResults>(memory.search(search.clone()))),
        );
        self.entity(entity)
    }

    fn read_memory<T: Send + Sync + 'static>(
        &mut self,
        read: impl Fn(&ReadSnapshot) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
    ) -> EntityCommands<'_> {
        let entity = self.spawn(QuestionState::default()).id();
        queue_question(self, entity, Box::new(move |_, memory| receiver_for_request(memory.read(read.clone()))));
        self.entity(entity)
    }
}

/// Questions to a character, and questions about an entity. Each method returns the commands of a new Bevy entity,
/// which represents the question. You can attach an observer to this entity:
/// `commands.entity(npc).ask("Who took it?").observe(…)`. The plugin despawns this entity after the observers of
/// [`Answered`](crate::Answered) or [`Unanswered`](crate::Unanswered) have run, unless it has the component
/// [`KeepAnswer`](crate::KeepAnswer).
pub trait EntityQuestionCommands {
    /// Asks a character a question. The reply is a [`Reply<Answer>`](crate::Reply) with the relevant facts that the
    /// character knows. Each line contains the source of a fact, and says to whom the character is allowed to tell the
    /// fact. The answer takes all earlier game events into account.
    fn ask(&mut self, question: impl Into<Question>) -> EntityCommands<'_>;

    /// Requests at most `limit` entities that are at most `depth` relations away from this entity. Secret relations are
    /// included. The reply is a `Reply<Vec<NeighbourRow>>`.
    fn neighbours(&mut self, depth: usize, limit: usize) -> EntityCommands<'_>;

    /// Requests the character's beliefs about the entity `subject`, with the sources of each belief. The reply is a
    /// `Reply<BeliefReport>`.
    fn beliefs_about(&mut self, subject: impl Into<Target>) -> EntityCommands<'_>;

    /// Requests at most `limit` facts that the character knows, newest first. The reply is a `Reply<Vec<KnowsRow>>`.
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
        let send_question: SendFn = Box::new(move |world, memory| {
            let build_ask = ask_builder(world, npc, &question)?;
            receiver_for_request::<Answer>(memory.ask_with(build_ask))
        });
        queue_question(commands, entity, send_question);
        commands.entity(entity)
    }

    fn neighbours(&mut self, depth: usize, limit: usize) -> EntityCommands<'_> {
        ask_about(self, move |world, id| {
            Ok(query::graph::neighbours(&world.state, id, &query::graph::TraversalFilter::default(), depth, limit)?)
        })
    }

    fn beliefs_about(&mut self, subject: impl Into<Target>) -> EntityCommands<'_> {
        let (npc, subject) = (self.id(), subject.into());
        let commands = self.commands_mut();
        let entity = commands.spawn((QuestionState::default(), AskedOf(npc))).id();
        let send_question: SendFn = Box::new(move |world, memory| {
            let (id, subject) = (resolve_id(world, npc)?, name_of(world, &subject)?);
            receiver_for_request(memory.read(move |world| {
                let subject = resolve(&world.state, &subject)?;
                Ok(query::beliefs::beliefs(&world.state, &id, &subject, None, None)?)
            }))
        });
        queue_question(commands, entity, send_question);
        commands.entity(entity)
    }

    fn knowledge(&mut self, limit: usize) -> EntityCommands<'_> {
        ask_about(self, move |world, id| {
            let filter = query::knowledge::KnowsFilter { limit, ..query::knowledge::KnowsFilter::default() };
            Ok(query::knowledge::knows(&world.state, id, &filter, None).map(|(rows, _)| rows)?)
        })
    }
}

fn ask_about<'a, T: Send + Sync + 'static>(
    target: &'a mut EntityCommands<'_>,
    read: impl Fn(&ReadSnapshot, &EntityId) -> Result<T, MemoryError> + Clone + Send + Sync + 'static,
) -> EntityCommands<'a> {
    let npc = target.id();
    let commands = target.commands_mut();
    let entity = commands.spawn((QuestionState::default(), AskedOf(npc))).id();
    let send_question: SendFn = Box::new(move |world, memory| {
        let (id, read) = (resolve_id(world, npc)?, read.clone());
        receiver_for_request(memory.read(move |world| read(world, &id)))
    });
    queue_question(commands, entity, send_question);
    commands.entity(entity)
}

/// Cancels the questions to a character that have no reply yet.
fn supersede(world: &mut World, npc: Entity) {
    let older_questions: Vec<Entity> =
        world.get::<Questions>(npc).map(|older_questions| older_questions.iter().collect()).unwrap_or_default();
    for question in older_questions {
        if world.get::<QuestionState>(question) == Some(&QuestionState::Waiting) {
            world.despawn(question);
        }
    }
}

/// Returns a function that creates the question. The function resolves names on the memory's thread.
pub(crate) fn ask_builder(
    world: &World,
    npc: Entity,
    question: &Question,
) -> Result<impl FnOnce(&ReadSnapshot) -> Result<Ask, MemoryError> + Send + use<>, NotSentReason> {
    let speaker = resolve_id(world, npc)?;
    let place = match &question.place {
        Some(place) => Some(name_of(world, place)?),
        None => world.get::<PlaceId>(npc).map(|at| at.0.to_string()),
    };
    let targets = question.present.clone().or_else(|| hearers(world, npc)).unwrap_or_default();
    let present = targets.iter().map(|target| name_of(world, target)).collect::<Result<Vec<_>, _>>()?;
    let (text, budget, limit) = (question.text.clone(), question.budget, question.limit);
    let hidden = Arc::new(world.get_resource::<SyncedTypes>().map(SyncedTypes::hidden_attributes).unwrap_or_default());
    Ok(move |snapshot: &ReadSnapshot| {
        let place = place.map(|place| resolve(&snapshot.state, &place)).transpose()?;
        let present = resolve_all(&snapshot.state, &present)?;
        Ok(Ask { place, present, budget, limit, hidden, ..Ask::new(speaker, text) })
    })
}
