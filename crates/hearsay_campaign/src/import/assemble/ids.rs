//! Ids of entities. The ids are readable and stable. Entities with equal names get different ids.

use std::collections::{BTreeMap, HashSet};

use hearsay_model::{EntityId, ExternalId, slug};

use crate::{
    ReadOptions,
    import::{Note, Notes, Role},
};

/// Returns the entity id of each note; `None` for a note that is not an entity. An entity that was imported before
/// keeps its id. If several notes have the same name, the note whose key sorts first gets the plain id. The ids of the
/// other notes also contain the name of their folder or a part of a hash. A moved note is recognized by its name,
/// unless another note claims the entity.
pub(super) fn assign(notes: &Notes, options: &ReadOptions, source: &str) -> Vec<Option<EntityId>> {
    let mut ids: Vec<Option<EntityId>> = vec![None; notes.notes.len()];
    let mut taken: HashSet<EntityId> = options.earlier.of_others(source).cloned().collect();
    let mut by_slug: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut given: HashSet<EntityId> = HashSet::new();
    for (number, note) in notes.notes.iter().enumerate() {
        if note.role != Role::Entity {
            continue;
        }
        let own = ExternalId { system: note.tool.to_owned(), id: note.key.clone() };
        let mut all = std::iter::once(&own).chain(&note.ids);
        let known = all.find_map(|id| options.known.get(id).or_else(|| options.earlier.known(source, id)));
        match known {
            // If two notes claim the same id, only the first gets it.
            Some(id) if given.insert(id.clone()) => ids[number] = Some(id.clone()),
            _ => by_slug.entry(slug(&note.name)).or_default().push(number),
        }
    }
    taken.extend(given);
    for (plain, mut numbers) in by_slug {
        // A note that is a whole file comes before a note that is a heading within a file.
        let order = |number: &usize| (notes.notes[*number].key.contains('#'), notes.notes[*number].key.as_str());
        numbers.sort_by(|a, b| order(a).cmp(&order(b)));
        for number in numbers {
            let note = &notes.notes[number];
            let folder = notes.path(note.origin.file).rsplit('/').nth(1).unwrap_or_default();
            let hash = blake3::hash(note.key.as_bytes()).to_hex();
            let candidates = [plain.clone(), slug(&format!("{plain} {folder}")), shortened(&plain, note, &hash)];
            let free = candidates.iter().filter_map(|text| EntityId::new(text).ok()).find(|id| !taken.contains(id));
            if let Some(id) = free {
                taken.insert(id.clone());
                ids[number] = Some(id);
            }
        }
    }
    ids
}

fn shortened(plain: &str, note: &Note, hash: &str) -> String {
    let plain = if plain.is_empty() { note.tool } else { plain };
    let mut end = plain.len().min(100);
    while !plain.is_char_boundary(end) {
        end -= 1;
    }
    slug(&format!("{}-{}", &plain[..end], hash.get(..12).unwrap_or(hash)))
}
