//! Converts a Kanka entity to a note.

use hearsay_model::{Kind, PredicateRole};

use super::export::{Export, KankaEntity, TOOL};
use crate::import::{
    Alias, Certainty, DateRole, EntityState, LinkRelation, LinkTarget, Note, NoteDate, Role, SessionInfo, Visibility,
    lexicon,
    markup::LinkSyntax,
    tree::{Data, Markup, TextConversion, Tree},
};

/// Returns the visibility of a record. The values of the record's `visibility_id` mean: 1 everyone, 2 administrators, 3
/// administrators and the author, 4 the author, 5 members.
fn record_visibility(tree: &Tree) -> Visibility {
    let id = tree.get("visibility_id");
    let word = tree.get("visibility").to_text().unwrap_or_default();
    let is_open = match (id.to_text(), word.as_str()) {
        (Some(id), _) => ["1", "5"].contains(&id.as_str()),
        (None, "" | "all" | "members") => true,
        (None, _) => false,
    };
    let is_malformed = !id.is_null() && id.to_text().is_none();
    if tree.get("is_private").is_marked() || tree.get("is_hidden").is_marked() || !is_open || is_malformed {
        Visibility::SECRET
    } else {
        Visibility::Unmarked
    }
}

/// Returns the note of an entity.
pub(super) fn convert_entity(export: &Export, kanka_entity: &KankaEntity) -> Option<Note> {
    let (tree, converter) = (kanka_entity.tree, kanka_entity.converter);
    let entity = tree.get("entity");
    if kanka_entity.kind.is_none() && (kanka_entity.module == "tag" || kanka_entity.module == "map") {
        return None;
    }
    let mut note = Note {
        key: kanka_entity.key.clone(),
        tool: TOOL,
        ids: kanka_entity.module_id.iter().cloned().collect(),
        name: kanka_entity.name.clone(),
        origin: converter.origin(tree.get("name"), "name"),
        visibility: if kanka_entity.is_private { Visibility::SECRET } else { Visibility::Unmarked },
        ..Note::default()
    };
    let kind = tree.get("type").text().or(entity.path("type").text());
    let named_kind = kind.and_then(lexicon::kind);
    if kanka_entity.module == "journal" && kind.is_some_and(|kind| kind.to_lowercase().contains("session")) {
        note.role = Role::Session;
        let number = hearsay_model::text::words(&kanka_entity.name).iter().find_map(|word| word.parse().ok());
        let date = tree.get("date").to_text();
        note.session = Some(SessionInfo { number, date, ..SessionInfo::default() });
    }
    note.is_player =
        kanka_entity.module == "character" && (named_kind == Some(Kind::Player) || is_tagged_player(export, entity));
    if let Some(kind) = &kanka_entity.kind {
        note.set_kind(
            if note.is_player { Kind::Player } else { kind.clone() },
            Certainty::Explicit,
            format!("Kanka: {}", kanka_entity.module),
        );
    } else if let Some(kind) = named_kind {
        note.set_kind(kind, Certainty::Inferred, format!("type {}", tree.get("type").to_text().unwrap_or_default()));
    }
    let mut writer = NoteBuilder { export, entity: kanka_entity, note };
    writer.add_details(kind);
    writer.add_texts();
    writer.add_links();
    writer.add_dates();
    Some(writer.note)
}

fn is_tagged_player(export: &Export, entity: &Tree) -> bool {
    entity_tags(export, entity).iter().any(|tag| lexicon::kind(&tag.name) == Some(Kind::Player))
}

fn entity_tags<'e, 'a>(export: &'e Export<'a>, entity: &Tree) -> Vec<&'e KankaEntity<'a>> {
    let lists = [entity.get("entityTags"), entity.get("tags")];
    let ids = lists.into_iter().flat_map(Tree::items);
    let ids = ids.filter_map(|tag| tag.get("tag_id").to_text().or_else(|| tag.to_text()));
    ids.filter_map(|id| export.find(&format!("tag.{id}"))).collect()
}

struct NoteBuilder<'e, 'a> {
    export: &'e Export<'a>,
    entity: &'e KankaEntity<'a>,
    note: Note,
}

impl NoteBuilder<'_, '_> {
    fn add_field(&mut self, name: &str, tree: &Tree, field_path: &str, visibility: &Visibility) {
        let Some(mut field) = self.entity.converter.field(name, tree, field_path, visibility) else { return };
        for field_value in &mut field.values {
            let hearsay_model::Value::Text(text) = &mut field_value.value else { continue };
            for link in self.export.find_mentions(&text.clone(), self.entity).into_iter().rev() {
                text.replace_range(link.range, &link.label);
                field_value.links.extend(link.target);
            }
        }
        self.note.fields.push(field);
    }

    fn add_text(&mut self, tree: &Tree, field_path: &str, heading: Option<&str>, visibility: &Visibility) {
        let inline = |text: &str| self.export.find_mentions(text, self.entity);
        let link_syntax = LinkSyntax { inline: &inline, address: &|_| None };
        let conversion =
            TextConversion { field: field_path, heading, markup: Markup::Html, visibility, style: link_syntax };
        self.entity.converter.add_blocks(tree, &conversion, &mut self.note.texts);
    }

    fn add_link(
        &mut self,
        target: Option<LinkTarget>,
        relation: LinkRelation,
        tree: &Tree,
        field_path: &str,
        visibility: &Visibility,
    ) {
        if let Some(target) = target {
            self.note.links.push(self.entity.converter.link(target, relation, tree, field_path, visibility));
        }
    }

    /// Adds fields, attributes, traits and states.
    fn add_details(&mut self, kind: Option<&str>) {
        let (tree, entity, open) = (self.entity.tree, self.entity.tree.get("entity"), Visibility::Unmarked);
        for name in ["title", "age", "sex", "pronouns", "price", "size"] {
            self.add_field(name, tree.get(name), name, &open);
        }
        if kind.is_some() && !self.note.is_player {
            self.add_field("subtype", tree.get("type"), "type", &open);
        }
        let states =
            [("is_dead", "dead"), ("is_defunct", "defunct"), ("is_destroyed", "destroyed"), ("is_extinct", "extinct")];
        for (name, word) in states {
            if tree.get(name).is_true() {
                self.add_state(word, tree.get(name), name);
            }
        }
        match (self.entity.module.as_str(), tree.get("status_id").integer()) {
            ("character", Some(1)) => self.add_state("dead", tree.get("status_id"), "status_id"),
            ("character", Some(2)) => self.add_state("missing", tree.get("status_id"), "status_id"),
            _ => {}
        }
        if tree.get("is_completed").is_true() {
            self.add_field(
                "quest-status",
                &Tree { data: Data::Text("completed".into()), ..tree.get("is_completed").clone() },
                "is_completed",
                &open,
            );
        }
        let visible = tree.get("is_personality_visible");
        let is_secret_part = !visible.is_null() && !visible.is_true();
        for record in tree.get("characterTraits").items() {
            let personality = record.get("section_id").integer() == Some(2);
            let visibility = if personality && is_secret_part { Visibility::SECRET } else { record_visibility(record) };
            let name = record.get("name").to_text().unwrap_or_else(|| "trait".into());
            let entry = record.get("entry");
            if entry.text().is_some_and(|entry| entry.len() > 240) {
                self.add_text(entry, "characterTraits", Some(&name), &visibility);
            } else {
                self.add_field(&name, entry, "characterTraits", &visibility);
            }
        }
        let private = entity.get("is_attributes_private").is_marked() || tree.get("is_attributes_private").is_marked();
        for list in ["entityAttributes", "attributes"] {
            for record in entity.get(list).items() {
                let name = record.get("name").to_text().unwrap_or_default();
                let visibility = if private { Visibility::SECRET } else { record_visibility(record) };
                // The name of an attribute may contain options for its input form, such as `[range:1,2]`.
                let name = name.split('[').next().unwrap_or_default();
                self.add_field(name, record.get("value"), "entity.entityAttributes", &visibility);
            }
        }
        for tag in entity_tags(self.export, entity) {
            let visibility = if tag.is_private { Visibility::SECRET } else { Visibility::Unmarked };
            let field_path = "entity.entityTags";
            let value = vec![tag.name.as_str().into()];
            self.note.fields.extend(self.entity.converter.field_with_values(
                "tag",
                value,
                entity.get("entityTags"),
                field_path,
                &visibility,
            ));
        }
        for alias in entity.get("assets").items() {
            // An asset of type 3 is an alias.
            if alias.get("type_id").integer() == Some(3)
                && let Some(name) = alias.get("name").text()
            {
                let origin = self.entity.converter.origin(alias.get("name"), "entity.assets.name");
                self.note.aliases.push(Alias {
                    name: name.trim().to_owned(),
                    origin,
                    visibility: record_visibility(alias),
                });
            }
        }
    }

    fn add_state(&mut self, word: &str, tree: &Tree, field_path: &str) {
        let origin = self.entity.converter.origin(tree, field_path);
        self.note.states.push(EntityState { word: word.into(), origin, visibility: Visibility::Unmarked });
    }

    fn add_texts(&mut self) {
        let (tree, entity, open) = (self.entity.tree, self.entity.tree.get("entity"), Visibility::Unmarked);
        self.add_text(tree.get("entry"), "entry", None, &open);
        if tree.get("entry").is_null() {
            self.add_text(entity.get("entry"), "entity.entry", None, &open);
        }
        self.add_text(entity.get("tooltip"), "entity.tooltip", None, &open);
        for list in ["posts", "notes"] {
            for post in entity.get(list).items() {
                let name = post.get("name").to_text();
                self.add_text(post.get("entry"), "entity.posts", name.as_deref(), &record_visibility(post));
            }
        }
        for list in [tree.get("elements"), entity.get("elements")] {
            for element in list.items() {
                let name = element.get("name").to_text();
                let visibility = self.visibility_with(element, "entity_id", record_visibility(element));
                for field in ["description", "entry"] {
                    self.add_text(element.get(field), "elements", name.as_deref(), &visibility);
                }
            }
        }
        for era in tree.get("eras").items() {
            let name = era.get("name").to_text();
            self.add_text(era.get("entry"), "eras", name.as_deref(), &open);
            for element in era.get("elements").items() {
                let name = element.get("name").to_text();
                let visibility = self.visibility_with(element, "entity_id", record_visibility(element));
                self.add_text(element.get("entry"), "eras.elements", name.as_deref(), &visibility);
            }
        }
    }

    /// Returns a secret visibility if the entity whose id is in `field` is private, and `visibility` otherwise.
    fn visibility_with(&self, tree: &Tree, field: &str, visibility: Visibility) -> Visibility {
        let other = tree.get(field).to_text().and_then(|id| self.export.find(&format!("entity.{id}")));
        if other.is_some_and(|other| other.is_private) { Visibility::SECRET } else { visibility }
    }

    fn add_links(&mut self) {
        let (tree, entity, open) = (self.entity.tree, self.entity.tree.get("entity"), Visibility::Unmarked);
        let is_place = self.entity.module == "location";
        // These fields name the place that contains the entity. If the entity is itself a place, it is a part of that
        // place. Any other entity is located there.
        let predicate = if is_place { PredicateRole::Part.name() } else { PredicateRole::Location.name() };
        for name in ["location_id", "parent_location_id"] {
            self.add_link(
                self.export.link_target("location", tree.get(name)),
                LinkRelation::explicit(predicate),
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
            for record in list.items() {
                let id = if record.get("location_id").is_null() { record.get("id") } else { record.get("location_id") };
                self.add_link(
                    self.export.link_target("location", id),
                    LinkRelation::explicit(predicate),
                    record,
                    "entityLocations",
                    &record_visibility(record),
                );
            }
        }
        let parent = entity.get("parent_id");
        self.add_link(
            self.export.link_target("entity", parent),
            LinkRelation::explicit(PredicateRole::Part.name()),
            parent,
            "entity.parent_id",
            &open,
        );
        if !is_place && self.entity.module != "character" {
            let name = format!("{}_id", self.entity.module);
            let parent = [tree.get(&name), tree.get("parent_id")].into_iter().find(|parent| !parent.is_null());
            if let Some(parent) = parent.filter(|_| entity.get("parent_id").is_null()) {
                let target = self.export.link_target(&self.entity.module, parent);
                self.add_link(target, LinkRelation::explicit(PredicateRole::Part.name()), parent, &name, &open);
            }
        }
        self.add_memberships();
        self.add_other_relations();
        for list in [entity.get("relationships"), entity.get("relations"), tree.get("relationships")] {
            for record in list.items() {
                // A relation may also be listed in the file of its target.
                let owner = record.get("owner_id").to_text().map(|id| format!("entity.{id}"));
                let backwards =
                    owner.is_some_and(|owner| owner != self.entity.key && self.export.find(&owner).is_some());
                let target_field = if backwards { "owner_id" } else { "target_id" };
                let words = record.get("relation").text().unwrap_or(PredicateRole::Related.name());
                let attitude = record.get("attitude").integer();
                let relation = LinkRelation { attitude, backwards, ..LinkRelation::explicit(words) };
                let visibility = self.visibility_with(record, target_field, record_visibility(record));
                self.add_link(
                    self.export.link_target("entity", record.get(target_field)),
                    relation,
                    record,
                    "entity.relationships",
                    &visibility,
                );
            }
        }
        for record in entity.get("inventories").items() {
            let target = self.export.link_target("item", record.get("item_id"));
            self.add_link(
                target,
                LinkRelation::explicit(PredicateRole::Possession.name()),
                record,
                "entity.inventories",
                &record_visibility(record),
            );
        }
    }

    /// Adds memberships of characters in organisations and families. A membership may be in the file of the character,
    /// or in the file of the organisation or family.
    fn add_memberships(&mut self) {
        let (tree, open) = (self.entity.tree, Visibility::Unmarked);
        let membership = |record: &Tree, backwards: bool| {
            // The status 0 is an active member, 1 a former member, 2 is unknown.
            let until = (record.get("status_id").integer() == Some(1)).then(|| "no longer".to_owned());
            LinkRelation {
                backwards,
                until,
                rank: record.get("role").text().map(str::to_owned),
                ..LinkRelation::explicit(PredicateRole::Membership.name())
            }
        };
        for name in ["organisationMemberships", "organisations"] {
            for record in tree.get(name).items() {
                let target = self.export.link_target("organisation", record.get("organisation_id"));
                self.add_link(target, membership(record, false), record, name, &record_visibility(record));
            }
        }
        for record in tree.get("members").items().into_iter().chain(tree.get("pivotMembers").items()) {
            let target = self.export.link_target("character", record.get("character_id"));
            self.add_link(target, membership(record, true), record, "members", &record_visibility(record));
        }
        for record in tree.get("characterFamilies").items() {
            let target = self.export.link_target("family", record.get("family_id"));
            self.add_link(target, membership(record, false), record, "characterFamilies", &record_visibility(record));
        }
        if self.entity.module == "character" {
            let id = tree.get("family_id");
            self.add_link(
                self.export.link_target("family", id),
                LinkRelation::explicit(PredicateRole::Membership.name()),
                id,
                "family_id",
                &open,
            );
        }
        let races = tree.get("characterRaces").items();
        let races: Vec<(&Tree, Visibility)> =
            races.into_iter().map(|record| (record.get("race_id"), record_visibility(record))).collect();
        for (id, visibility) in races.into_iter().chain([(tree.get("race_id"), Visibility::Unmarked)]) {
            let race = id.to_text().and_then(|id| self.export.find(&format!("race.{id}")));
            if let Some(race) = race.filter(|_| self.entity.module == "character") {
                let visibility = if race.is_private { Visibility::SECRET } else { visibility };
                let value = vec![race.name.as_str().into()];
                self.note.fields.extend(self.entity.converter.field_with_values(
                    "species",
                    value,
                    id,
                    "characterRaces",
                    &visibility,
                ));
            }
        }
    }

    /// Adds owners and makers of items, and givers and participants of quests.
    fn add_other_relations(&mut self) {
        let (tree, open) = (self.entity.tree, Visibility::Unmarked);
        let (character, instigator, creator) =
            (tree.get("character_id"), tree.get("instigator_id"), tree.get("creator_id"));
        let character_relation = match self.entity.module.as_str() {
            "item" => Some(PredicateRole::Possession.name()),
            "quest" => Some(PredicateRole::Assignment.name()),
            "journal" => Some(PredicateRole::Creation.name()),
            _ => None,
        };
        if let Some(words) = character_relation {
            let target = self.export.link_target("character", character);
            self.add_link(target, LinkRelation::explicit(words).backwards(), character, "character_id", &open);
        }
        self.add_link(
            self.export.link_target("entity", instigator),
            LinkRelation::explicit(PredicateRole::Assignment.name()).backwards(),
            instigator,
            "instigator_id",
            &open,
        );
        self.add_link(
            self.export.link_target("entity", creator),
            LinkRelation::explicit(PredicateRole::Creation.name()).backwards(),
            creator,
            "creator_id",
            &open,
        );
        let author = tree.get("author_id");
        self.add_link(
            self.export.link_target("entity", author),
            LinkRelation::explicit(PredicateRole::Creation.name()).backwards(),
            author,
            "author_id",
            &open,
        );
        if self.entity.module == "quest" {
            for element in tree.get("elements").items() {
                let visibility = self.visibility_with(element, "entity_id", record_visibility(element));
                let rank = element.get("role").text().map(str::to_owned);
                let relation =
                    LinkRelation { rank, ..LinkRelation::explicit(PredicateRole::Participation.name()).backwards() };
                self.add_link(
                    self.export.link_target("entity", element.get("entity_id")),
                    relation,
                    element,
                    "elements",
                    &visibility,
                );
            }
        }
    }

    fn add_dates(&mut self) {
        let (tree, entity) = (self.entity.tree, self.entity.tree.get("entity"));
        let mut dates = Vec::new();
        if let Some(raw) = tree.get("date").to_text().filter(|_| self.note.role == Role::Entity) {
            dates.push((DateRole::Start, raw, None, tree.get("date"), Visibility::Unmarked));
        }
        for reminder in entity.get("reminders").items().into_iter().chain(entity.get("events").items()) {
            let parts: Vec<String> =
                ["year", "month", "day"].iter().filter_map(|name| reminder.get(name).to_text()).collect();
            if parts.is_empty() {
                continue;
            }
            let role = match reminder.get("type_id").integer() {
                Some(2 | 4) => DateRole::Start,
                Some(3) => DateRole::End,
                _ => DateRole::Mention,
            };
            let title = reminder.get("comment").text().map(str::to_owned);
            let role = if role == DateRole::Mention && title.is_none() { DateRole::Start } else { role };
            // A date on a calendar other than the campaign's becomes text with the name of that calendar.
            let calendars = &self.export.calendars;
            let other_calendar = reminder
                .get("calendar_id")
                .to_text()
                .and_then(|id| calendars.iter().skip(1).find(|(calendar_id, _)| *calendar_id == id));
            let raw_date = match other_calendar {
                Some((_, calendar)) => format!("{} ({})", parts.join("-"), calendar.name),
                None => parts.join("-"),
            };
            dates.push((role, raw_date, title, reminder, record_visibility(reminder)));
        }
        for (role, raw, title, tree, visibility) in dates {
            let origin = self.entity.converter.origin(tree, "date");
            let readable = Some(raw.clone());
            self.note.dates.push(NoteDate { role, raw, readable, title, origin, visibility });
        }
    }
}
