//! Conversion of a Kanka entity to a note.

use hearsay_model::{Kind, PredicateRole};

use super::export::{Export, Held, TOOL};
use crate::import::{
    Alias, DateOf, Dated, Note, Relation, Role, SessionHead, State, Sure, Target, Visibility, lexicon,
    markup::Style,
    tree::{Data, Markup, Tree, Writing},
};

/// Returns the visibility of a record. The values of its `visibility_id` mean: 1 everyone, 2 administrators, 3
/// administrators and the author, 4 the author, 5 members.
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

/// Returns the note of an entity.
pub(super) fn note(export: &Export, held: &Held) -> Option<Note> {
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

    /// Returns secret if the entity whose id is in `field` is private, and `visibility` otherwise.
    fn of_entity(&self, tree: &Tree, field: &str, visibility: Visibility) -> Visibility {
        let held = tree.get(field).word().and_then(|id| self.export.held(&format!("entity.{id}")));
        if held.is_some_and(|held| held.private) { Visibility::SECRET } else { visibility }
    }

    fn links(&mut self) {
        let (tree, entity, open) = (self.held.tree, self.held.tree.get("entity"), Visibility::Unmarked);
        let is_place = self.held.module == "location";
        // These fields name the place that contains the entity. If the entity is itself a place, it is a part of that
        // place. Any other entity is located there.
        let place = if is_place { PredicateRole::Part.name() } else { PredicateRole::Location.name() };
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
        self.link(
            self.export.target("entity", parent),
            Relation::typed(PredicateRole::Part.name()),
            parent,
            "entity.parent_id",
            &open,
        );
        if !is_place && self.held.module != "character" {
            let name = format!("{}_id", self.held.module);
            let parent = [tree.get(&name), tree.get("parent_id")].into_iter().find(|parent| !parent.is_null());
            if let Some(parent) = parent.filter(|_| entity.get("parent_id").is_null()) {
                let target = self.export.target(&self.held.module, parent);
                self.link(target, Relation::typed(PredicateRole::Part.name()), parent, &name, &open);
            }
        }
        self.groups();
        self.others();
        for list in [entity.get("relationships"), entity.get("relations"), tree.get("relationships")] {
            for one in list.items() {
                // A relation may also be listed in the file of its target.
                let owner = one.get("owner_id").word().map(|id| format!("entity.{id}"));
                let backwards = owner.is_some_and(|owner| owner != self.held.key && self.export.held(&owner).is_some());
                let end = if backwards { "owner_id" } else { "target_id" };
                let words = one.get("relation").text().unwrap_or(PredicateRole::Related.name());
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
            self.link(target, Relation::typed(PredicateRole::Possession.name()), one, "entity.inventories", &seen(one));
        }
    }

    /// Adds memberships of characters in organisations and families. The file of either side may state them.
    fn groups(&mut self) {
        let (tree, open) = (self.held.tree, Visibility::Unmarked);
        let member = |one: &Tree, backwards: bool| {
            // The status 0 is an active member, 1 a former member, 2 is unknown.
            let until = (one.get("status_id").integer() == Some(1)).then(|| "no longer".to_owned());
            Relation {
                backwards,
                until,
                rank: one.get("role").text().map(str::to_owned),
                ..Relation::typed(PredicateRole::Membership.name())
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
            self.link(
                self.export.target("family", id),
                Relation::typed(PredicateRole::Membership.name()),
                id,
                "family_id",
                &open,
            );
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

    /// Adds owners and makers of items, and givers and participants of quests.
    fn others(&mut self) {
        let (tree, open) = (self.held.tree, Visibility::Unmarked);
        let (character, instigator, creator) =
            (tree.get("character_id"), tree.get("instigator_id"), tree.get("creator_id"));
        let of_character = match self.held.module.as_str() {
            "item" => Some(PredicateRole::Possession.name()),
            "quest" => Some(PredicateRole::Assignment.name()),
            "journal" => Some(PredicateRole::Creation.name()),
            _ => None,
        };
        if let Some(words) = of_character {
            let target = self.export.target("character", character);
            self.link(target, Relation::typed(words).backwards(), character, "character_id", &open);
        }
        self.link(
            self.export.target("entity", instigator),
            Relation::typed(PredicateRole::Assignment.name()).backwards(),
            instigator,
            "instigator_id",
            &open,
        );
        self.link(
            self.export.target("entity", creator),
            Relation::typed(PredicateRole::Creation.name()).backwards(),
            creator,
            "creator_id",
            &open,
        );
        let author = tree.get("author_id");
        self.link(
            self.export.target("entity", author),
            Relation::typed(PredicateRole::Creation.name()).backwards(),
            author,
            "author_id",
            &open,
        );
        if self.held.module == "quest" {
            for one in tree.get("elements").items() {
                let visibility = self.of_entity(one, "entity_id", seen(one));
                let rank = one.get("role").text().map(str::to_owned);
                let relation = Relation { rank, ..Relation::typed(PredicateRole::Participation.name()).backwards() };
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
            // A date on a calendar other than the campaign's becomes text with the name of that calendar.
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
