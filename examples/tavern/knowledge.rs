//! Each character's knowledge of the bell. The game reads this knowledge from the memory whenever the memory changes.

use std::collections::BTreeMap;

use bevy::{platform::collections::HashSet, prelude::*};
use bevy_hearsay::{
    SlotLoaded,
    engine::ReadSnapshot,
    model::State,
    prelude::*,
    query::knowledge::{KnowsFilter, KnowsRow, knows},
};

/// Subject of the rumours.
pub(crate) const TOPIC: &str = "chapel-bell";

/// Each character's knowledge of the bell, by the id of the character.
#[derive(Resource, Default)]
pub(crate) struct CharacterKnowledge {
    known: BTreeMap<String, Vec<KnowsRow>>,
    /// Statements that the last change added to the knowledge of characters, as pairs of character id and statement.
    new_statements: HashSet<(String, String)>,
}

type KnowledgeById = BTreeMap<String, Vec<KnowsRow>>;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<CharacterKnowledge>().add_observer(receive_knowledge).add_systems(
        Update,
        request_knowledge.run_if(
            on_message::<MemoryChanged>.or_else(on_message::<SlotLoaded>).or_else(memory_ready.and_then(run_once)),
        ),
    );
}

impl CharacterKnowledge {
    /// Returns a character's knowledge, newest first.
    pub(crate) fn known_facts(&self, id: &MemoryId) -> &[KnowsRow] {
        self.known.get(id.as_str()).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the last change added this row to the character's knowledge.
    pub(crate) fn is_new(&self, id: &MemoryId, row: &KnowsRow) -> bool {
        self.new_statements.contains(&(id.as_str().to_owned(), row.statement.clone()))
    }
}

fn request_knowledge(mut commands: Commands) {
    commands.read_memory(|world: &ReadSnapshot| {
        let filter = KnowsFilter { about: Some(EntityId::new(TOPIC)?), limit: 50, ..KnowsFilter::default() };
        let state = &world.state;
        let read_character = |id: &EntityId| {
            let (mut rows, _) = knows(state, id, &filter, None)?;
            // Everyone knows the bell's name and kind.
            rows.retain(|row| !matches!(row.predicate.as_str(), "name" | "kind"));
            rows.iter_mut().for_each(|row| row.acquisition = with_names(state, &row.acquisition));
            Ok((id.to_string(), rows))
        };
        let ids = state.entities().map(|entity| &entity.id);
        ids.filter(|id| state.kind(id).is_some_and(|kind| kind.is_character()))
            .map(read_character)
            .collect::<Result<KnowledgeById, _>>()
    });
}

/// Replaces the id in an acquisition by a name, as in `told by mara`.
fn with_names(state: &State, acquisition: &str) -> String {
    let name = |word: &str| match EntityId::new(word).ok().and_then(|id| state.name(&id)) {
        Some("You") => "you".to_owned(),
        Some(name) => name.to_owned(),
        None => word.to_owned(),
    };
    acquisition.split(' ').map(name).collect::<Vec<_>>().join(" ")
}

/// Replaces the characters' knowledge. If a slot is loaded before the answer arrives, the question fails, and the
/// knowledge is read again.
fn receive_knowledge(
    answered: On<Answered>,
    replies: Query<&Reply<KnowledgeById>>,
    mut knowledge: ResMut<CharacterKnowledge>,
) {
    let Ok(Reply(received)) = replies.get(answered.entity) else { return };
    if knowledge.known == *received {
        return;
    }
    let is_first_read = knowledge.known.is_empty();
    let pairs = |known: &KnowledgeById| -> HashSet<(String, String)> {
        let statements = |(id, rows): (&String, &Vec<KnowsRow>)| {
            rows.iter().map(|row| (id.clone(), row.statement.clone())).collect::<Vec<_>>()
        };
        known.iter().flat_map(statements).collect()
    };
    let old_pairs = pairs(&knowledge.known);
    knowledge.new_statements =
        if is_first_read { HashSet::default() } else { pairs(received).difference(&old_pairs).cloned().collect() };
    knowledge.known = received.clone();
}
