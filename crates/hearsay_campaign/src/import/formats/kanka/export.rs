//! The entities and calendars of an export.

use std::collections::HashMap;

use hearsay_model::{Calendar, ExternalId, Kind};

use super::words::KANKA_WORDS;
use crate::import::{
    LinkTarget, Notes, calendar,
    markup::InlineLink,
    tree::{Document, Tree, TreeConverter},
};

/// The name of the tool in external ids.
pub(super) const TOOL: &str = "kanka";

/// An entity of an export, before its note is created.
pub(super) struct KankaEntity<'a> {
    pub(super) tree: &'a Tree,
    pub(super) converter: TreeConverter,
    pub(super) module: String,
    pub(super) kind: Option<Kind>,
    /// The key of its note.
    pub(super) key: String,
    /// The id of the entity within its module, such as the id of a character.
    pub(super) module_id: Option<ExternalId>,
    pub(super) name: String,
    pub(super) is_private: bool,
}

#[derive(Default)]
pub(super) struct Export<'a> {
    pub(super) entities: Vec<KankaEntity<'a>>,
    /// The index of each entity, by the key of its note and by its id within a module.
    pub(super) entity_indices: HashMap<String, usize>,
    /// The calendars by id. The calendar that is chosen as the campaign's calendar is moved to the front.
    pub(super) calendars: Vec<(String, Calendar)>,
}

impl<'a> Export<'a> {
    /// Adds a calendar, unless it is private. Returns whether the calendar was added.
    pub(super) fn add_calendar(&mut self, tree: &Tree) -> bool {
        let is_private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let converted = calendar::from_kanka(&calendar::tree_to_json(tree)).filter(|_| !is_private);
        let id = tree.get("id").to_text().unwrap_or_default();
        let is_added = converted.is_some();
        self.calendars.extend(converted.map(|calendar| (id, calendar)));
        is_added
    }

    /// Returns the calendar that most reminders use. If several calendars are used equally often, returns the first of
    /// them.
    pub(super) fn choose_calendar(&mut self) -> Option<Calendar> {
        let mut uses: HashMap<String, usize> = HashMap::new();
        for entity in &self.entities {
            for reminder in entity.tree.path("entity.reminders").items() {
                *uses.entry(reminder.get("calendar_id").to_text().unwrap_or_default()).or_default() += 1;
            }
        }
        self.calendars.sort_by_key(|(id, _)| std::cmp::Reverse(uses.get(id).copied().unwrap_or(0)));
        self.calendars.first().map(|(_, calendar)| calendar.clone())
    }

    pub(super) fn add_entity(&mut self, document: &'a Document, module: &str, notes: &mut Notes) {
        let tree = &document.tree;
        let Some(name) = tree.get("name").text().or(tree.path("entity.name").text()) else {
            return notes.skip(&*document.path, "no `name`: expected an entity of Kanka");
        };
        let module_words = KANKA_WORDS.modules.get(module);
        let singular = module_words
            .map_or_else(|| module.trim_end_matches('s').to_owned(), |module_words| module_words.singular.clone());
        let entity = tree.path("entity.id").to_text().or_else(|| tree.get("entity_id").to_text());
        let module_id = tree.get("id").to_text().map(|id| format!("{singular}.{id}"));
        let Some(key) = entity.map(|id| format!("entity.{id}")).or_else(|| module_id.clone()) else {
            return notes.skip(&*document.path, "neither `entity.id` nor `id`: export the campaign from Kanka again");
        };
        let is_private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let kanka_entity = KankaEntity {
            tree,
            converter: TreeConverter { file: document.file },
            module: singular,
            kind: module_words.and_then(|module_words| module_words.kind.clone()),
            module_id: module_id
                .filter(|module_id| *module_id != key)
                .map(|id| ExternalId { system: TOOL.to_owned(), id }),
            key: key.clone(),
            name: name.trim().to_owned(),
            is_private,
        };
        if let Some(module_id) = &kanka_entity.module_id {
            self.entity_indices.insert(module_id.id.clone(), self.entities.len());
        }
        self.entity_indices.insert(key, self.entities.len());
        self.entities.push(kanka_entity);
    }

    pub(super) fn find(&self, key: &str) -> Option<&KankaEntity<'a>> {
        self.entity_indices.get(key).and_then(|index| self.entities.get(*index))
    }

    /// Returns the target of a field that contains an id, such as `organisation_id`.
    pub(super) fn link_target(&self, module: &str, id: &Tree) -> Option<LinkTarget> {
        let id = id.to_text().filter(|id| id != "0")?;
        let key = format!("{module}.{id}");
        Some(LinkTarget::Key(self.find(&key).map_or(key, |entity| entity.key.clone())))
    }

    /// Finds mentions in a text: `[character:123|label]`. The label of a private entity is replaced by `(unknown)`,
    /// unless the text belongs to a private entity too.
    pub(super) fn find_mentions(&self, text: &str, source_entity: &KankaEntity) -> Vec<InlineLink> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(start) = text.get(at..).and_then(|rest| rest.find('[')).map(|start| at + start) {
            at = start + 1;
            let Some(end) = text[start..].find(']').filter(|end| *end < 300) else { continue };
            let inner = &text[start + 1..start + end];
            let mut parts = inner.split('|');
            let Some((module, id)) = parts.next().and_then(|first| first.split_once(':')) else { continue };
            let is_module_name =
                !module.is_empty() && module.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            if !is_module_name || id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let label =
                parts.find(|part| !part.trim().is_empty() && !is_option(part)).map(|part| part.trim().to_owned());
            let key = format!("entity.{id}");
            let entity = self.find(&key);
            let is_hidden = entity.is_some_and(|entity| entity.is_private) && !source_entity.is_private;
            let label = match (is_hidden, label, entity) {
                (true, ..) => "(unknown)".to_owned(),
                (false, Some(label), _) => label,
                (false, None, Some(entity)) => entity.name.clone(),
                (false, None, None) => String::new(),
            };
            let is_note = entity.is_none_or(|entity| entity.kind.is_some() || entity.module != "tag");
            let target = Some(LinkTarget::Key(key)).filter(|_| is_note && !label.is_empty());
            found.push(InlineLink { range: start..start + end + 1, target, label });
            at = start + end + 1;
        }
        found
    }
}

/// Returns whether a part of a mention is an option, not a label.
fn is_option(part: &str) -> bool {
    let name = part.split(':').next().unwrap_or_default();
    part.contains(':') && ["page", "anchor", "field", "params", "alias", "tab", "id"].contains(&name)
}
