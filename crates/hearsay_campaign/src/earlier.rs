//! The entities, the calendar and the vocabulary that exist before an import.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hearsay_model::{
    Author, Calendar, Change, EntityId, ExternalId, FactStatus, Kind, Secrecy, Setting, State, Vocabulary, WorldSetting,
};

/// The entities, the calendar and the vocabulary of a campaign before an import. Entities can be found by name, or by
/// external id: their id in the tool that wrote the files.
///
/// Two sources can use the same external id (for example, two vaults with a file `People/Odo.md`), so a lookup by
/// external id also needs the source.
#[derive(Debug, Clone, Default)]
pub struct EarlierImports {
    entities_by_external_id: HashMap<String, HashMap<ExternalId, EntityId>>,
    /// The author who first added each entity.
    owners: BTreeMap<EntityId, Author>,
    /// The entities by their canon names and aliases that are not secret, in lowercase.
    entities_by_name: HashMap<String, BTreeSet<EntityId>>,
    /// The kinds of the entities in `entities_by_name`.
    kinds: BTreeMap<EntityId, Kind>,
    /// The calendar of the campaign, if it has one.
    calendar: Option<Calendar>,
    /// The vocabulary of the campaign; the built-in vocabulary if there is no campaign yet.
    vocabulary: Vocabulary,
}

impl EarlierImports {
    /// Collects the entities, the calendar and the vocabulary of a state. If an entity was merged into another entity,
    /// its external id maps to the other entity.
    pub fn from_state(state: &State) -> Self {
        let has_calendar =
            state.settings().any(|setting| matches!(setting.as_ref(), Setting::World(WorldSetting::Calendar(_))));
        let mut earlier = Self {
            calendar: has_calendar.then(|| state.calendar().clone()),
            vocabulary: state.vocabulary().as_ref().clone(),
            ..Self::default()
        };
        for (_, entry) in state.journal().filter(|(_, entry)| entry.live) {
            for change in &entry.operation.changes {
                let Change::AddEntity(entity) = change else { continue };
                let mut id = &entity.id;
                // Merges have no cycles. The limit of 64 steps protects against invalid journals.
                for _ in 0..64 {
                    match state.merged_into(id) {
                        Some(merged_id) if state.entity(id).is_none() => id = merged_id,
                        _ => break,
                    }
                }
                if state.entity(id).is_none() {
                    continue;
                }
                earlier.owners.entry(id.clone()).or_insert_with(|| entry.operation.author.clone());
                if let Author::Importer(source) = &entry.operation.author {
                    let ids = earlier.entities_by_external_id.entry(source.clone()).or_default();
                    ids.extend(entity.external_ids.iter().map(|external| (external.clone(), id.clone())));
                }
            }
        }
        for fact in state.facts().filter(|fact| fact.is_name() && fact.status() == FactStatus::Canon) {
            let (id, name) = (fact.subject(), fact.object().text());
            if let Some(name) = name.filter(|_| fact.secrecy() != Secrecy::Secret && state.entity(id).is_some()) {
                earlier.entities_by_name.entry(lowercase_name(name)).or_default().insert(id.clone());
                earlier.kinds.extend(state.kind(id).map(|kind| (id.clone(), kind)));
            }
        }
        earlier
    }

    /// Returns the entity of another source that has this name or alias, ignoring case. Returns `None` if no entity or
    /// several entities have the name, or if the name is secret. Also returns `None` if both kinds are known and
    /// differ: `kind` and the kind of the entity.
    pub fn namesake(&self, source: &str, name: &str, kind: Option<&Kind>) -> Option<&EntityId> {
        let mut ids = self.entities_by_name.get(&lowercase_name(name))?.iter();
        let (Some(id), None) = (ids.next(), ids.next()) else { return None };
        let is_known = |kind: &&Kind| kind.as_str() != "unknown";
        let kinds = (kind.filter(is_known), self.kinds.get(id).filter(is_known));
        let has_kind = !matches!(kinds, (Some(kind), Some(existing_kind)) if kind != existing_kind);
        let is_own = matches!(self.owners.get(id), Some(Author::Importer(name)) if name == source);
        (has_kind && !is_own).then_some(id)
    }

    /// Returns the kind of an entity that has an open name, or `None` if the kind is not recorded.
    #[cfg(feature = "import")]
    pub(crate) fn kind(&self, id: &EntityId) -> Option<&Kind> {
        self.kinds.get(id)
    }

    /// Returns the entity that an earlier import of `source` created for this external id, or `None` if there is none.
    pub fn entity_id(&self, source: &str, id: &ExternalId) -> Option<&EntityId> {
        self.entities_by_external_id.get(source)?.get(id)
    }

    /// Returns the calendar of the campaign, or `None` if the campaign has no calendar. If the files define no
    /// calendar, dates use this calendar.
    pub fn calendar(&self) -> Option<&Calendar> {
        self.calendar.as_ref()
    }

    /// Returns the vocabulary of the campaign. Fields of notes can state the relations of this vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the entities that were first added by another source or author.
    pub fn foreign_entities(&self, source: &str) -> impl Iterator<Item = &EntityId> {
        let is_other = move |author: &Author| !matches!(author, Author::Importer(name) if name == source);
        self.owners.iter().filter(move |(_, author)| is_other(author)).map(|(id, _)| id)
    }
}

fn lowercase_name(name: &str) -> String {
    name.trim().to_lowercase()
}
