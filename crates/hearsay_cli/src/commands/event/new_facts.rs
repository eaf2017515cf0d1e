//! Notes about the new facts of an event.

use anyhow::Result;
use hearsay_commands::game_event::{GameEvent, Stated};
use hearsay_engine::Memory;
use hearsay_model::Object;

use crate::{commands::edit::did_you_mean, output::Output};

/// Prints a note for each relation of new facts that the vocabulary does not contain.
pub(super) fn note_new_relations(memory: &Memory, game_event: &GameEvent, output: &Output) -> Result<()> {
    let relation = |stated: &Stated| match stated {
        Stated::Parts { predicate, object: Object::Entity(_), .. } => Some(predicate.clone()),
        _ => None,
    };
    let relations: Vec<String> = game_event.stated_facts().iter().filter_map(relation).collect();
    let new_relations = memory.read(move |world| {
        let vocabulary = world.state.vocabulary();
        let unknown = relations.iter().filter(|name| vocabulary.relation_named(name).is_none());
        Ok(unknown.map(|name| (name.clone(), did_you_mean(vocabulary, name))).collect::<Vec<_>>())
    })?;
    for (relation, remark) in new_relations.wait()? {
        output.note(format!(
            "{relation} is not in the vocabulary{remark}, so it is a new relation (`hearsay vocabulary` lists all \
             relations)"
        ));
    }
    Ok(())
}
