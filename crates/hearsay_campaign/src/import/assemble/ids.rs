//! Assigns ids to entities. An id is readable, and stays the same in later imports. Entities with equal names get
//! different ids.

use std::collections::{BTreeMap, HashSet};

use hearsay_model::{EntityId, ExternalId, Kind, slug};

use crate::{
    ReadOptions,
    import::{Note, Notes, Role},
};

/// Returns the entity id of each note; `None` for a note that is not an entity. An entity that was imported before
/// keeps its id. If several notes have the same name, the note whose key sorts first gets the name as its id. The ids
/// of the other notes also contain the name of their folder or a part of a hash. If only one note has a name, and
/// exactly one entity of another source has the same name, the note describes this entity. If a note was moved, its
/// entity is found by the name of the note, unless another note already has this entity.
pub(super) fn assign_ids(notes: &Notes, options: &ReadOptions, source: &str) -> Vec<Option<EntityId>> {
    let mut ids: Vec<Option<EntityId>> = vec![None; notes.notes.len()];
    let mut used: HashSet<EntityId> = options.earlier.foreign_entities(source).cloned().collect();
    let mut by_slug: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut claimed: HashSet<EntityId> = HashSet::new();
    for (index, note) in notes.notes.iter().enumerate() {
        if note.role != Role::Entity {
            continue;
        }
        let external_id = ExternalId { system: note.tool.to_owned(), id: note.key.clone() };
        let mut note_ids = std::iter::once(&external_id).chain(&note.ids);
        let earlier_id =
            note_ids.find_map(|id| options.known_entities.get(id).or_else(|| options.earlier.entity_id(source, id)));
        match earlier_id {
            // If two notes claim the same id, only the first gets it.
            Some(id) if claimed.insert(id.clone()) => ids[index] = Some(id.clone()),
            _ => by_slug.entry(slug(&note.name)).or_default().push(index),
        }
    }
    used.extend(claimed.iter().cloned());
    for (base, mut indices) in by_slug {
        if let &[index] = indices.as_slice() {
            let note = &notes.notes[index];
            let guess = note.kind.as_ref().map(|guess| guess.kind.clone());
            let kind = if note.is_player { Some(Kind::Player) } else { guess };
            let namesake = options.earlier.namesake(source, &note.name, kind.as_ref());
            if let Some(id) = namesake.filter(|id| claimed.insert((*id).clone())) {
                ids[index] = Some(id.clone());
                continue;
            }
        }
        // A note that is a whole file comes before a note that is a heading within a file.
        let order = |index: &usize| (notes.notes[*index].key.contains('#'), notes.notes[*index].key.as_str());
        indices.sort_by(|a, b| order(a).cmp(&order(b)));
        for index in indices {
            let note = &notes.notes[index];
            let folder = notes.path(note.origin.file).rsplit('/').nth(1).unwrap_or_default();
            let hash = blake3::hash(note.key.as_bytes()).to_hex();
            let candidates = [base.clone(), slug(&format!("{base} {folder}")), with_hash(&base, note, &hash)];
            let unused = candidates.iter().filter_map(|text| EntityId::new(text).ok()).find(|id| !used.contains(id));
            if let Some(id) = unused {
                used.insert(id.clone());
                ids[index] = Some(id);
            }
        }
    }
    ids
}

fn with_hash(base: &str, note: &Note, hash: &str) -> String {
    let base = if base.is_empty() { note.tool } else { base };
    let mut end = base.len().min(100);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    slug(&format!("{}-{}", &base[..end], hash.get(..12).unwrap_or(hash)))
}
