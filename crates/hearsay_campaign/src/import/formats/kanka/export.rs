//! The entities and calendars of an export.

use std::collections::HashMap;

use hearsay_model::{Calendar, ExternalId, Kind};

use super::words::WORDS;
use crate::import::{
    Notes, Target, calendar,
    markup::Inline,
    tree::{Document, Pen, Tree},
};

/// The name of the tool in external ids.
pub(super) const TOOL: &str = "kanka";

/// An entity of an export, before its note is created.
pub(super) struct Held<'a> {
    pub(super) tree: &'a Tree,
    pub(super) pen: Pen,
    pub(super) module: String,
    pub(super) kind: Option<Kind>,
    /// The key of its note.
    pub(super) key: String,
    /// The id of the entity within its module, such as the id of a character.
    pub(super) own: Option<ExternalId>,
    pub(super) name: String,
    pub(super) private: bool,
}

#[derive(Default)]
pub(super) struct Export<'a> {
    pub(super) entities: Vec<Held<'a>>,
    /// The index of each entity, by the key of its note and by its id within a module.
    pub(super) places: HashMap<String, usize>,
    /// The calendars by id. The calendar that is chosen as the campaign's calendar is moved to the front.
    pub(super) calendars: Vec<(String, Calendar)>,
}

impl<'a> Export<'a> {
    /// Adds a calendar, unless it is private. Returns whether the calendar was added.
    pub(super) fn calendar(&mut self, tree: &Tree) -> bool {
        let private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let read = calendar::of_kanka(&calendar::value(tree)).filter(|_| !private);
        let id = tree.get("id").word().unwrap_or_default();
        let known = read.is_some();
        self.calendars.extend(read.map(|calendar| (id, calendar)));
        known
    }

    /// Returns the calendar that most reminders use. If several calendars are used equally often, returns the first of
    /// them.
    pub(super) fn choose_calendar(&mut self) -> Option<Calendar> {
        let mut uses: HashMap<String, usize> = HashMap::new();
        for held in &self.entities {
            for one in held.tree.path("entity.reminders").items() {
                *uses.entry(one.get("calendar_id").word().unwrap_or_default()).or_default() += 1;
            }
        }
        self.calendars.sort_by_key(|(id, _)| std::cmp::Reverse(uses.get(id).copied().unwrap_or(0)));
        self.calendars.first().map(|(_, calendar)| calendar.clone())
    }

    pub(super) fn entity(&mut self, document: &'a Document, module: &str, notes: &mut Notes) {
        let tree = &document.tree;
        let Some(name) = tree.get("name").text().or(tree.path("entity.name").text()) else {
            return notes.skip(&*document.path, "no `name`: expected an entity of Kanka");
        };
        let known = WORDS.modules.get(module);
        let singular = known.map_or_else(|| module.trim_end_matches('s').to_owned(), |known| known.singular.clone());
        let entity = tree.path("entity.id").word().or_else(|| tree.get("entity_id").word());
        let own = tree.get("id").word().map(|id| format!("{singular}.{id}"));
        let Some(key) = entity.map(|id| format!("entity.{id}")).or_else(|| own.clone()) else {
            return notes.skip(&*document.path, "neither `entity.id` nor `id`: export the campaign from Kanka again");
        };
        let private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let held = Held {
            tree,
            pen: Pen { file: document.file },
            module: singular,
            kind: known.and_then(|known| known.kind.clone()),
            own: own.filter(|own| *own != key).map(|id| ExternalId { system: TOOL.to_owned(), id }),
            key: key.clone(),
            name: name.trim().to_owned(),
            private,
        };
        if let Some(own) = &held.own {
            self.places.insert(own.id.clone(), self.entities.len());
        }
        self.places.insert(key, self.entities.len());
        self.entities.push(held);
    }

    pub(super) fn held(&self, key: &str) -> Option<&Held<'a>> {
        self.places.get(key).and_then(|place| self.entities.get(*place))
    }

    /// Returns the target of a field that contains an id, such as `organisation_id`.
    pub(super) fn target(&self, module: &str, id: &Tree) -> Option<Target> {
        let id = id.word().filter(|id| id != "0")?;
        let key = format!("{module}.{id}");
        Some(Target::Key(self.held(&key).map_or(key, |held| held.key.clone())))
    }

    /// Finds mentions in a text: `[character:123|label]`. The label of a private entity is replaced by `(unknown)`,
    /// unless the text belongs to a private entity too.
    pub(super) fn mentions(&self, text: &str, from: &Held) -> Vec<Inline> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(start) = text.get(at..).and_then(|rest| rest.find('[')).map(|start| at + start) {
            at = start + 1;
            let Some(end) = text[start..].find(']').filter(|end| *end < 300) else { continue };
            let inner = &text[start + 1..start + end];
            let mut parts = inner.split('|');
            let Some((module, id)) = parts.next().and_then(|first| first.split_once(':')) else { continue };
            let fits = !module.is_empty() && module.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            if !fits || id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let label =
                parts.find(|part| !part.trim().is_empty() && !is_option(part)).map(|part| part.trim().to_owned());
            let key = format!("entity.{id}");
            let held = self.held(&key);
            let hidden = held.is_some_and(|held| held.private) && !from.private;
            let label = match (hidden, label, held) {
                (true, ..) => "(unknown)".to_owned(),
                (false, Some(label), _) => label,
                (false, None, Some(held)) => held.name.clone(),
                (false, None, None) => String::new(),
            };
            let is_note = held.is_none_or(|held| held.kind.is_some() || held.module != "tag");
            let target = Some(Target::Key(key)).filter(|_| is_note && !label.is_empty());
            found.push(Inline { range: start..start + end + 1, target, label });
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
