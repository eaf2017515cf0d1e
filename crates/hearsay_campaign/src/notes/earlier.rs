//! What earlier imports made of notes.

use std::collections::{BTreeMap, HashMap};

use hearsay_model::{Author, Calendar, Change, EntityId, ExternalId, Setting, State};

/// The entities of a state by the ids that other tools have for them, and by who brought them.
///
/// Two sources may have the same ids (two vaults with a file `People/Odo.md`), so each has its own.
#[derive(Debug, Clone, Default)]
pub struct Earlier {
    known: HashMap<String, HashMap<ExternalId, EntityId>>,
    /// Who added each entity first.
    owners: BTreeMap<EntityId, Author>,
    /// How the campaign counts its days, where somebody has said so.
    calendar: Option<Calendar>,
}

impl Earlier {
    /// Looks through what counts of a journal. Of entities that were merged, the one that is left is meant.
    pub fn of(state: &State) -> Self {
        let set = state.settings().any(|setting| matches!(setting.as_ref(), Setting::Calendar(_)));
        let mut earlier = Self { calendar: set.then(|| state.calendar().clone()), ..Self::default() };
        for (_, entry) in state.journal().filter(|(_, entry)| entry.live) {
            for change in &entry.operation.changes {
                let Change::AddEntity(entity) = change else { continue };
                let mut id = &entity.id;
                // Merges never go in a circle; the bound is for journals that were written by hand.
                for _ in 0..64 {
                    match state.merged_into(id) {
                        Some(into) if state.entity(id).is_none() => id = into,
                        _ => break,
                    }
                }
                if state.entity(id).is_none() {
                    continue;
                }
                earlier.owners.entry(id.clone()).or_insert_with(|| entry.operation.author.clone());
                if let Author::Importer(source) = &entry.operation.author {
                    let ids = earlier.known.entry(source.clone()).or_default();
                    ids.extend(entity.external_ids.iter().map(|external| (external.clone(), id.clone())));
                }
            }
        }
        earlier
    }

    /// The entity that an earlier import of a source made of what has this id there.
    pub fn known(&self, source: &str, id: &ExternalId) -> Option<&EntityId> {
        self.known.get(source)?.get(id)
    }

    /// The calendar on which dates are read, where the files have none of their own.
    pub fn calendar(&self) -> Option<&Calendar> {
        self.calendar.as_ref()
    }

    /// The entities that others than this source brought.
    pub fn of_others(&self, source: &str) -> impl Iterator<Item = &EntityId> {
        let others = move |author: &Author| !matches!(author, Author::Importer(name) if name == source);
        self.owners.iter().filter(move |(_, author)| others(author)).map(|(id, _)| id)
    }
}
