//! Kanka export: a file for each entity, zipped or not.
//!
//! An entity has two ids. Mentions and relations use the entity id. Fields of other files use the id within its module
//! (a character, an organisation). Private entities, attributes, traits, members, posts and relations are secret.
//! Everything that only administrators or its author can see is secret too.

use std::collections::HashMap;

use hearsay_model::{Calendar, ExternalId, Kind};

use super::{
    Alias, DateOf, Dated, Folder, Format, Note, NoteReader, Notes, Options, Relation, Role, Score, SessionHead, State,
    Sure, Target, Visibility, calendar, lexicon,
    tree::{self, Data, Document, Markup, Pen, Tree, Writing},
};
use crate::text::{Inline, Style};

/// Reader for Kanka exports.
pub(crate) struct Kanka;

const TOOL: &str = "kanka";

/// The folders of an export, the module name in mentions, and the kind of their entities.
const MODULES: [(&str, &str, Option<Kind>); 14] = [
    ("characters", "character", Some(Kind::Npc)),
    ("locations", "location", Some(Kind::Location)),
    ("organisations", "organisation", Some(Kind::Faction)),
    ("families", "family", Some(Kind::Faction)),
    ("items", "item", Some(Kind::Item)),
    ("quests", "quest", Some(Kind::Quest)),
    ("events", "event", Some(Kind::Event)),
    ("journals", "journal", Some(Kind::Document)),
    ("timelines", "timeline", Some(Kind::Event)),
    ("races", "race", Some(Kind::Concept)),
    ("creatures", "creature", Some(Kind::Concept)),
    ("notes", "note", Some(Kind::Concept)),
    ("tags", "tag", None),
    ("maps", "map", None),
];

/// Folders that are not part of the world.
const OTHERS: [&str; 10] = [
    "calendars",
    "abilities",
    "conversations",
    "dice_rolls",
    "menu_links",
    "bookmarks",
    "attribute_templates",
    "gallery",
    "settings",
    "images",
];

impl NoteReader for Kanka {
    fn format(&self) -> Format {
        Format::Kanka
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let module = |name: &str| MODULES.iter().any(|(held, ..)| *held == name);
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"]));
        let mut of_modules = entries.filter(|entry| entry.folders().next_back().is_some_and(module)).take(12);
        let is_entity = |entry: &super::Entry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 64 << 10)).into_owned();
            let has = |name: &str| head.contains(&format!("\"{name}\""));
            has("entity") && (has("entity_id") || has("is_private") || has("entry")) && !has("_id")
        };
        of_modules.any(is_entity).then_some(Score::SURE)
    }

    fn read(&self, folder: &Folder, _: &Options, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut export = Export::default();
        let mut others = 0;
        for document in &documents {
            if document.name() == "campaign.json" {
                campaign(&document.tree, notes);
                continue;
            }
            let module = document.folder();
            if module == "calendars" && export.calendar(&document.tree) {
                continue;
            }
            if OTHERS.contains(&module) || module.is_empty() && document.tree.get("entity").is_null() {
                others += 1;
                continue;
            }
            export.entity(document, module, notes);
        }
        notes.calendar = export.choose_calendar();
        for held in &export.entities {
            if let Some(note) = note(&export, held) {
                notes.notes.push(note);
            }
        }
        if others > 0 {
            let what = format!("{others} files hold abilities, settings and the like, which are not read");
            notes.warn(folder.name(), 0, what);
        }
    }
}

fn campaign(tree: &Tree, notes: &mut Notes) {
    if let Some(name) = tree.get("name").text() {
        notes.name = name.trim().to_owned();
    }
}

/// An entity, before its note is created.
struct Held<'a> {
    tree: &'a Tree,
    pen: Pen,
    module: String,
    kind: Option<Kind>,
    /// The key of its note.
    key: String,
    /// The id within its module.
    own: Option<ExternalId>,
    name: String,
    private: bool,
}

#[derive(Default)]
struct Export<'a> {
    entities: Vec<Held<'a>>,
    /// The indices by key and by id.
    places: HashMap<String, usize>,
    /// The calendars by their ids. Once the campaign's calendar is chosen, it comes first.
    calendars: Vec<(String, Calendar)>,
}

impl<'a> Export<'a> {
    /// Adds a calendar that players may know. Returns whether its format is supported.
    fn calendar(&mut self, tree: &Tree) -> bool {
        let private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let read = calendar::of_kanka(&calendar::value(tree)).filter(|_| !private);
        let id = tree.get("id").word().unwrap_or_default();
        let known = read.is_some();
        self.calendars.extend(read.map(|calendar| (id, calendar)));
        known
    }

    /// Chooses the calendar with the most dates. In a tie, chooses the first.
    fn choose_calendar(&mut self) -> Option<Calendar> {
        let mut uses: HashMap<String, usize> = HashMap::new();
        for held in &self.entities {
            for one in held.tree.path("entity.reminders").items() {
                *uses.entry(one.get("calendar_id").word().unwrap_or_default()).or_default() += 1;
            }
        }
        self.calendars.sort_by_key(|(id, _)| std::cmp::Reverse(uses.get(id).copied().unwrap_or(0)));
        self.calendars.first().map(|(_, calendar)| calendar.clone())
    }

    fn entity(&mut self, document: &'a Document, module: &str, notes: &mut Notes) {
        let tree = &document.tree;
        let Some(name) = tree.get("name").text().or(tree.path("entity.name").text()) else {
            return notes.skip(&*document.path, "it has no `name`: an entity of Kanka is expected");
        };
        let known = MODULES.iter().find(|(folder, ..)| *folder == module);
        let singular = known.map_or_else(|| module.trim_end_matches('s').to_owned(), |(_, one, _)| (*one).to_owned());
        let entity = tree.path("entity.id").word().or_else(|| tree.get("entity_id").word());
        let own = tree.get("id").word().map(|id| format!("{singular}.{id}"));
        let Some(key) = entity.map(|id| format!("entity.{id}")).or_else(|| own.clone()) else {
            return notes.skip(&*document.path, "it has neither `entity.id` nor `id`: export it again");
        };
        let private = tree.get("is_private").is_marked() || tree.path("entity.is_private").is_marked();
        let held = Held {
            tree,
            pen: Pen { file: document.file },
            module: singular,
            kind: known.and_then(|(.., kind)| kind.clone()),
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

    fn held(&self, key: &str) -> Option<&Held<'a>> {
        self.places.get(key).and_then(|place| self.entities.get(*place))
    }

    /// Returns the target of a field such as `organisation_id`.
    fn target(&self, module: &str, id: &Tree) -> Option<Target> {
        let id = id.word().filter(|id| id != "0")?;
        let key = format!("{module}.{id}");
        Some(Target::Key(self.held(&key).map_or(key, |held| held.key.clone())))
    }

    /// Finds mentions: `[character:123|label]`. A private entity has no name for players, wherever it is mentioned.
    fn mentions(&self, text: &str, from: &Held) -> Vec<Inline> {
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

/// Whether a part of a mention is an option, not a label.
fn is_option(part: &str) -> bool {
    let name = part.split(':').next().unwrap_or_default();
    part.contains(':') && ["page", "anchor", "field", "params", "alias", "tab", "id"].contains(&name)
}

/// Returns the visibility for an id: 1 all, 2 administrators, 3 administrators and the author, 4 the author, 5 members.
fn seen(tree: &Tree) -> Visibility {
    let id = tree.get("visibility_id");
    let word = tree.get("visibility").word().unwrap_or_default();
    let open = match (id.word(), word.as_str()) {
        (Some(id), _) => ["1", "5"].contains(&id.as_str()),
        (None, "" | "all" | "members") => true,
        (None, _) => false,
    };
    let wrong = !id.is_null() && id.word().is_none();
    if tree.get("is_private").is_marked() || tree.get("is_hidden").is_marked() || !open || wrong {
        Visibility::SECRET
    } else {
        Visibility::Unmarked
    }
}

fn note(export: &Export, held: &Held) -> Option<Note> {
    let (tree, pen) = (held.tree, held.pen);
    let entity = tree.get("entity");
    if held.kind.is_none() && (held.module == "tag" || held.module == "map") {
        return None;
    }
    let mut note = Note {
        key: held.key.clone(),
        tool: TOOL,
        ids: held.own.iter().cloned().collect(),
        name: held.name.clone(),
        origin: pen.origin(tree.get("name"), "name"),
        visibility: if held.private { Visibility::SECRET } else { Visibility::Unmarked },
        ..Note::default()
    };
    let kind = tree.get("type").text().or(entity.path("type").text());
    let says = kind.and_then(lexicon::kind);
    if held.module == "journal" && kind.is_some_and(|kind| kind.to_lowercase().contains("session")) {
        note.role = Role::Session;
        let number = hearsay_model::text::words(&held.name).iter().find_map(|word| word.parse().ok());
        let date = tree.get("date").word();
        note.session = Some(SessionHead { number, date, ..SessionHead::default() });
    }
    note.player = held.module == "character" && (says == Some(Kind::Player) || is_tagged_player(export, entity));
    if let Some(kind) = &held.kind {
        note.guess(
            if note.player { Kind::Player } else { kind.clone() },
            Sure::Typed,
            format!("Kanka: {}", held.module),
        );
    } else if let Some(kind) = says {
        note.guess(kind, Sure::Guessed, format!("type {}", tree.get("type").word().unwrap_or_default()));
    }
    let mut writer = Writer { export, held, note };
    writer.about(kind);
    writer.entries();
    writer.links();
    writer.dates();
    Some(writer.note)
}

fn is_tagged_player(export: &Export, entity: &Tree) -> bool {
    tags(export, entity).iter().any(|tag| lexicon::kind(&tag.name) == Some(Kind::Player))
}

fn tags<'e, 'a>(export: &'e Export<'a>, entity: &Tree) -> Vec<&'e Held<'a>> {
    let lists = [entity.get("entityTags"), entity.get("tags")];
    let ids = lists.into_iter().flat_map(Tree::items);
    let ids = ids.filter_map(|tag| tag.get("tag_id").word().or_else(|| tag.word()));
    ids.filter_map(|id| export.held(&format!("tag.{id}"))).collect()
}

struct Writer<'e, 'a> {
    export: &'e Export<'a>,
    held: &'e Held<'a>,
    note: Note,
}

impl Writer<'_, '_> {
    fn field(&mut self, name: &str, tree: &Tree, place: &str, visibility: &Visibility) {
        let Some(mut field) = self.held.pen.field(name, tree, place, visibility) else { return };
        for piece in &mut field.values {
            let hearsay_model::Value::Text(text) = &mut piece.value else { continue };
            for link in self.export.mentions(&text.clone(), self.held).into_iter().rev() {
                text.replace_range(link.range, &link.label);
                piece.links.extend(link.target);
            }
        }
        self.note.fields.push(field);
    }

    fn text(&mut self, tree: &Tree, place: &str, heading: Option<&str>, visibility: &Visibility) {
        let inline = |text: &str| self.export.mentions(text, self.held);
        let style = Style { inline: &inline, address: &|_| None };
        let writing = Writing { field: place, heading, markup: Markup::Html, visibility, style };
        self.held.pen.blocks(tree, &writing, &mut self.note.texts);
    }

    fn link(&mut self, target: Option<Target>, relation: Relation, tree: &Tree, place: &str, visibility: &Visibility) {
        if let Some(target) = target {
            self.note.links.push(self.held.pen.link(target, relation, tree, place, visibility));
        }
    }

    /// Adds fields, attributes, traits and states.
    fn about(&mut self, kind: Option<&str>) {
        let (tree, entity, open) = (self.held.tree, self.held.tree.get("entity"), Visibility::Unmarked);
        for name in ["title", "age", "sex", "pronouns", "price", "size"] {
            self.field(name, tree.get(name), name, &open);
        }
        if kind.is_some() && !self.note.player {
            self.field("subtype", tree.get("type"), "type", &open);
        }
        let states =
            [("is_dead", "dead"), ("is_defunct", "defunct"), ("is_destroyed", "destroyed"), ("is_extinct", "extinct")];
        for (name, word) in states {
            if tree.get(name).is_true() {
                self.state(word, tree.get(name), name);
            }
        }
        match (self.held.module.as_str(), tree.get("status_id").integer()) {
            ("character", Some(1)) => self.state("dead", tree.get("status_id"), "status_id"),
            ("character", Some(2)) => self.state("missing", tree.get("status_id"), "status_id"),
            _ => {}
        }
        if tree.get("is_completed").is_true() {
            self.field(
                "quest-status",
                &Tree { data: Data::Text("completed".into()), ..tree.get("is_completed").clone() },
                "is_completed",
                &open,
            );
        }
        let visible = tree.get("is_personality_visible");
        let hides = !visible.is_null() && !visible.is_true();
        for one in tree.get("characterTraits").items() {
            let personality = one.get("section_id").integer() == Some(2);
            let visibility = if personality && hides { Visibility::SECRET } else { seen(one) };
            let name = one.get("name").word().unwrap_or_else(|| "trait".into());
            let entry = one.get("entry");
            if entry.text().is_some_and(|entry| entry.len() > 240) {
                self.text(entry, "characterTraits", Some(&name), &visibility);
            } else {
                self.field(&name, entry, "characterTraits", &visibility);
            }
        }
        let private = entity.get("is_attributes_private").is_marked() || tree.get("is_attributes_private").is_marked();
        for list in ["entityAttributes", "attributes"] {
            for one in entity.get(list).items() {
                let name = one.get("name").word().unwrap_or_default();
                let visibility = if private { Visibility::SECRET } else { seen(one) };
                // A name may have options for its input form: `[range:1,2]`.
                let name = name.split('[').next().unwrap_or_default();
                self.field(name, one.get("value"), "entity.entityAttributes", &visibility);
            }
        }
        for tag in tags(self.export, entity) {
            let visibility = if tag.private { Visibility::SECRET } else { Visibility::Unmarked };
            let place = "entity.entityTags";
            let value = vec![tag.name.as_str().into()];
            self.note.fields.extend(self.held.pen.field_of("tag", value, entity.get("entityTags"), place, &visibility));
        }
        for alias in entity.get("assets").items() {
            // An asset of type 3 is an alias.
            if alias.get("type_id").integer() == Some(3)
                && let Some(name) = alias.get("name").text()
            {
                let origin = self.held.pen.origin(alias.get("name"), "entity.assets.name");
                self.note.aliases.push(Alias { name: name.trim().to_owned(), origin, visibility: seen(alias) });
            }
        }
    }

    fn state(&mut self, word: &str, tree: &Tree, place: &str) {
        let origin = self.held.pen.origin(tree, place);
        self.note.states.push(State { word: word.into(), origin, visibility: Visibility::Unmarked });
    }

    fn entries(&mut self) {
        let (tree, entity, open) = (self.held.tree, self.held.tree.get("entity"), Visibility::Unmarked);
        self.text(tree.get("entry"), "entry", None, &open);
        if tree.get("entry").is_null() {
            self.text(entity.get("entry"), "entity.entry", None, &open);
        }
        self.text(entity.get("tooltip"), "entity.tooltip", None, &open);
        for list in ["posts", "notes"] {
            for post in entity.get(list).items() {
                let name = post.get("name").word();
                self.text(post.get("entry"), "entity.posts", name.as_deref(), &seen(post));
            }
        }
        for list in [tree.get("elements"), entity.get("elements")] {
            for element in list.items() {
                let name = element.get("name").word();
                let visibility = self.of_entity(element, "entity_id", seen(element));
                for field in ["description", "entry"] {
                    self.text(element.get(field), "elements", name.as_deref(), &visibility);
                }
            }
        }
        for era in tree.get("eras").items() {
            let name = era.get("name").word();
            self.text(era.get("entry"), "eras", name.as_deref(), &open);
            for element in era.get("elements").items() {
                let name = element.get("name").word();
                let visibility = self.of_entity(element, "entity_id", seen(element));
                self.text(element.get("entry"), "eras.elements", name.as_deref(), &visibility);
            }
        }
    }

    /// Makes the facts of a private entity private.
    fn of_entity(&self, tree: &Tree, field: &str, visibility: Visibility) -> Visibility {
        let held = tree.get(field).word().and_then(|id| self.export.held(&format!("entity.{id}")));
        if held.is_some_and(|held| held.private) { Visibility::SECRET } else { visibility }
    }

    fn links(&mut self) {
        let (tree, entity, open) = (self.held.tree, self.held.tree.get("entity"), Visibility::Unmarked);
        let is_place = self.held.module == "location";
        // The id of the containing place. A place is part of it, all others are located at it.
        let place = if is_place { "PART_OF" } else { "LOCATED_AT" };
        for name in ["location_id", "parent_location_id"] {
            self.link(
                self.export.target("location", tree.get(name)),
                Relation::typed(place),
                tree.get(name),
                name,
                &open,
            );
        }
        for list in [
            entity.get("entityLocations"),
            tree.get("characterLocations"),
            tree.get("locations"),
            tree.get("pivotLocations"),
        ] {
            for one in list.items() {
                let id = if one.get("location_id").is_null() { one.get("id") } else { one.get("location_id") };
                self.link(
                    self.export.target("location", id),
                    Relation::typed(place),
                    one,
                    "entityLocations",
                    &seen(one),
                );
            }
        }
        let parent = entity.get("parent_id");
        self.link(self.export.target("entity", parent), Relation::typed("PART_OF"), parent, "entity.parent_id", &open);
        if !is_place && self.held.module != "character" {
            let name = format!("{}_id", self.held.module);
            let parent = [tree.get(&name), tree.get("parent_id")].into_iter().find(|parent| !parent.is_null());
            if let Some(parent) = parent.filter(|_| entity.get("parent_id").is_null()) {
                let target = self.export.target(&self.held.module, parent);
                self.link(target, Relation::typed("PART_OF"), parent, &name, &open);
            }
        }
        self.groups();
        self.others();
        for list in [entity.get("relationships"), entity.get("relations"), tree.get("relationships")] {
            for one in list.items() {
                // A relation may also be listed at its target.
                let owner = one.get("owner_id").word().map(|id| format!("entity.{id}"));
                let backwards = owner.is_some_and(|owner| owner != self.held.key && self.export.held(&owner).is_some());
                let end = if backwards { "owner_id" } else { "target_id" };
                let words = one.get("relation").text().unwrap_or("RELATED_TO");
                let attitude = one.get("attitude").integer();
                let relation = Relation { attitude, backwards, ..Relation::typed(words) };
                let visibility = self.of_entity(one, end, seen(one));
                self.link(
                    self.export.target("entity", one.get(end)),
                    relation,
                    one,
                    "entity.relationships",
                    &visibility,
                );
            }
        }
        for one in entity.get("inventories").items() {
            let target = self.export.target("item", one.get("item_id"));
            self.link(target, Relation::typed("OWNS"), one, "entity.inventories", &seen(one));
        }
    }

    /// Adds memberships of characters in organisations and families, from both sides.
    fn groups(&mut self) {
        let (tree, open) = (self.held.tree, Visibility::Unmarked);
        let member = |one: &Tree, backwards: bool| {
            // 0 active, 1 no longer, 2 unknown.
            let until = (one.get("status_id").integer() == Some(1)).then(|| "no longer".to_owned());
            Relation {
                backwards,
                until,
                rank: one.get("role").text().map(str::to_owned),
                ..Relation::typed("MEMBER_OF")
            }
        };
        for name in ["organisationMemberships", "organisations"] {
            for one in tree.get(name).items() {
                let target = self.export.target("organisation", one.get("organisation_id"));
                self.link(target, member(one, false), one, name, &seen(one));
            }
        }
        for one in tree.get("members").items().into_iter().chain(tree.get("pivotMembers").items()) {
            let target = self.export.target("character", one.get("character_id"));
            self.link(target, member(one, true), one, "members", &seen(one));
        }
        for one in tree.get("characterFamilies").items() {
            let target = self.export.target("family", one.get("family_id"));
            self.link(target, member(one, false), one, "characterFamilies", &seen(one));
        }
        if self.held.module == "character" {
            let id = tree.get("family_id");
            self.link(self.export.target("family", id), Relation::typed("MEMBER_OF"), id, "family_id", &open);
        }
        let races = tree.get("characterRaces").items();
        let races: Vec<(&Tree, Visibility)> = races.into_iter().map(|one| (one.get("race_id"), seen(one))).collect();
        for (id, visibility) in races.into_iter().chain([(tree.get("race_id"), Visibility::Unmarked)]) {
            let race = id.word().and_then(|id| self.export.held(&format!("race.{id}")));
            if let Some(race) = race.filter(|_| self.held.module == "character") {
                let visibility = if race.private { Visibility::SECRET } else { visibility };
                let value = vec![race.name.as_str().into()];
                self.note.fields.extend(self.held.pen.field_of("species", value, id, "characterRaces", &visibility));
            }
        }
    }

    /// Adds owners, makers, and givers and participants of quests.
    fn others(&mut self) {
        let (tree, open) = (self.held.tree, Visibility::Unmarked);
        let (character, instigator, creator) =
            (tree.get("character_id"), tree.get("instigator_id"), tree.get("creator_id"));
        let of_character = match self.held.module.as_str() {
            "item" => Some("OWNS"),
            "quest" => Some("QUEST_GIVER"),
            "journal" => Some("CREATED"),
            _ => None,
        };
        if let Some(words) = of_character {
            let target = self.export.target("character", character);
            self.link(target, Relation::typed(words).backwards(), character, "character_id", &open);
        }
        self.link(
            self.export.target("entity", instigator),
            Relation::typed("QUEST_GIVER").backwards(),
            instigator,
            "instigator_id",
            &open,
        );
        self.link(
            self.export.target("entity", creator),
            Relation::typed("CREATED").backwards(),
            creator,
            "creator_id",
            &open,
        );
        let author = tree.get("author_id");
        self.link(
            self.export.target("entity", author),
            Relation::typed("CREATED").backwards(),
            author,
            "author_id",
            &open,
        );
        if self.held.module == "quest" {
            for one in tree.get("elements").items() {
                let visibility = self.of_entity(one, "entity_id", seen(one));
                let rank = one.get("role").text().map(str::to_owned);
                let relation = Relation { rank, ..Relation::typed("PARTICIPATED_IN").backwards() };
                self.link(self.export.target("entity", one.get("entity_id")), relation, one, "elements", &visibility);
            }
        }
    }

    fn dates(&mut self) {
        let (tree, entity) = (self.held.tree, self.held.tree.get("entity"));
        let mut dates = Vec::new();
        if let Some(raw) = tree.get("date").word().filter(|_| self.note.role == Role::Entity) {
            dates.push((DateOf::Start, raw, None, tree.get("date"), Visibility::Unmarked));
        }
        for one in entity.get("reminders").items().into_iter().chain(entity.get("events").items()) {
            let parts: Vec<String> = ["year", "month", "day"].iter().filter_map(|name| one.get(name).word()).collect();
            if parts.is_empty() {
                continue;
            }
            let what = match one.get("type_id").integer() {
                Some(2 | 4) => DateOf::Start,
                Some(3) => DateOf::End,
                _ => DateOf::Mention,
            };
            let title = one.get("comment").text().map(str::to_owned);
            let what = if what == DateOf::Mention && title.is_none() { DateOf::Start } else { what };
            // A date on another calendar than the campaign's keeps its original text.
            let calendars = &self.export.calendars;
            let other =
                one.get("calendar_id").word().and_then(|id| calendars.iter().skip(1).find(|(held, _)| *held == id));
            let written = match other {
                Some((_, calendar)) => format!("{} ({})", parts.join("-"), calendar.name),
                None => parts.join("-"),
            };
            dates.push((what, written, title, one, seen(one)));
        }
        for (what, raw, title, tree, visibility) in dates {
            let origin = self.held.pen.origin(tree, "date");
            let readable = Some(raw.clone());
            self.note.dates.push(Dated { what, raw, readable, title, origin, visibility });
        }
    }
}

#[cfg(test)]
mod tests;
