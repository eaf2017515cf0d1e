//! Actors and items.

use hearsay_model::Kind;

use super::{
    TOOL,
    library::{Access, Library},
    links,
    load::{Doc, system},
};
use crate::{
    notes::{
        Note, Relation, Sure, Visibility, secret,
        tree::{Data, Markup, Pen, Tree, Writing},
    },
    text::Style,
};
use hearsay_model::Audience;

/// Fields of an actor, wherever its game system stores them.
const FIELDS: &[&str] = &[
    "alignment",
    "race",
    "species",
    "ancestry",
    "heritage",
    "background",
    "age",
    "gender",
    "pronouns",
    "occupation",
    "profession",
    "title",
    "faith",
    "deity",
    "ideal",
    "bond",
    "flaw",
    "trait",
    "motivation",
    "goals",
    "culture",
    "rank",
    "homeland",
    "residence",
    "class",
    "archetype",
    "concept",
];

/// Names of fields with texts.
const TEXTS: &[&str] = &[
    "biography",
    "bio",
    "description",
    "background",
    "backstory",
    "history",
    "appearance",
    "notes",
    "publicnotes",
    "privatenotes",
    "gmnotes",
    "gm",
    "secret",
    "secrets",
    "keeper",
    "blurb",
    "personality",
    "details",
    "public",
    "value",
    "summary",
    "physicaldescription",
];

/// Whether actors of this type belong to players.
pub(super) fn is_player(tree: &Tree) -> bool {
    let kind = tree.get("type").text().unwrap_or_default().to_lowercase();
    ["character", "pc", "player", "hero", "investigator", "playercharacter", "player character"]
        .contains(&kind.as_str())
}

/// Returns the note of an actor.
pub(super) fn note(library: &Library, number: usize, pen: Pen) -> Option<Note> {
    let doc = library.docs.docs.get(number)?;
    let access = library.access(doc);
    let mut note = begin(doc, &access, pen)?;
    let kind = doc.tree.get("type").text().unwrap_or_default().to_lowercase();
    if is_player(&doc.tree) {
        note.player = true;
    }
    let is = match kind.as_str() {
        "group" | "party" => Kind::Party,
        "vehicle" | "ship" | "starship" | "loot" | "hazard" | "trap" => Kind::Item,
        "organization" | "faction" | "crew" => Kind::Faction,
        "base" | "stronghold" | "merchant" | "shop" | "location" => Kind::Location,
        _ if note.player => Kind::Player,
        _ => Kind::Npc,
    };
    note.guess(is, Sure::Typed, format!("type {kind}"));
    let data = system(&doc.tree);
    fields(library, doc, data, pen, &access.inner, &mut note);
    carried(doc, pen, &access.inner, &mut note);
    members(library, doc, data, pen, &access.inner, &mut note);
    texts(library, doc, data, pen, &access, &mut note);
    Some(note)
}

fn begin(doc: &Doc, access: &Access, pen: Pen) -> Option<Note> {
    let name = doc.tree.get("name").text()?.trim().to_owned();
    Some(Note {
        key: doc.key.clone(),
        tool: TOOL,
        name,
        origin: pen.origin(doc.tree.get("name"), "name"),
        visibility: access.seen.clone(),
        ..Note::default()
    })
}

fn fields(library: &Library, doc: &Doc, data: &Tree, pen: Pen, visibility: &Visibility, note: &mut Note) {
    for base in ["details", ""] {
        for name in FIELDS {
            let place = if base.is_empty() { format!("system.{name}") } else { format!("system.{base}.{name}") };
            let held = data.path(base).get(name);
            let held = match &held.data {
                Data::Map(_) => [held.get("value"), held.get("name")].into_iter().find(|held| !held.is_null()),
                _ => Some(held),
            };
            let Some(held) = held.filter(|held| matches!(held.data, Data::Text(_) | Data::Number(_))) else { continue };
            // The value is the id of an embedded document, so its name is used.
            let shown = match held.text().filter(|text| links::is_id(text.trim())) {
                Some(id) => match embedded(doc, id) {
                    Some(found) => found,
                    None => continue,
                },
                None => held,
            };
            if shown.text().is_some_and(|text| text.len() > 400) || note.fields.iter().any(|field| field.name == *name)
            {
                continue;
            }
            let mut field = pen.field(name, shown, &place, visibility);
            if let Some(field) = &mut field {
                for piece in &mut field.values {
                    plain(library, doc, piece);
                }
            }
            note.fields.extend(field);
        }
    }
    let kind = data.path("details.type");
    let kind = if matches!(kind.data, Data::Map(_)) { kind.get("value") } else { kind };
    if kind.text().is_some_and(|text| text.len() < 60) && !note.fields.iter().any(|field| field.name == "species") {
        note.fields.extend(pen.field("species", kind, "system.details.type.value", visibility));
    }
}

/// Replaces links in a value by their labels, and adds them to the links of the value.
fn plain(library: &Library, doc: &Doc, piece: &mut crate::notes::Piece) {
    let hearsay_model::Value::Text(text) = &mut piece.value else { return };
    let mut shown = text.clone();
    for link in links::inline(library, doc, text).into_iter().rev() {
        if shown.get(link.range.clone()).is_some() {
            shown.replace_range(link.range, &link.label);
        }
        piece.links.extend(link.target);
    }
    piece.links.reverse();
    *text = shown;
}

/// Returns the name of an embedded document with this id.
fn embedded<'a>(doc: &'a Doc, id: &str) -> Option<&'a Tree> {
    let items = doc.tree.get("items").items();
    items.into_iter().find(|item| item.get("_id").word().as_deref() == Some(id.trim())).map(|item| item.get("name"))
}

/// Adds those embedded documents that describe a person.
fn carried(doc: &Doc, pen: Pen, visibility: &Visibility, note: &mut Note) {
    for item in doc.tree.get("items").items() {
        let name = match item.get("type").text() {
            Some("race" | "ancestry" | "species") => "species",
            Some("class" | "career" | "profession") => "class",
            Some("background") => "background",
            Some("deity") => "deity",
            _ => continue,
        };
        let value = item.get("name");
        let known = |field: &crate::notes::Field| {
            field.name == name
                && (name != "class" || field.values.iter().any(|piece| Some(piece) == super_piece(value).as_ref()))
                || name == "species" && ["race", "ancestry"].contains(&field.name.as_str())
        };
        if !note.fields.iter().any(known) {
            note.fields.extend(pen.field(name, value, "items", visibility));
        }
    }
}

fn super_piece(tree: &Tree) -> Option<crate::notes::Piece> {
    tree.text().map(|text| text.trim().into())
}

/// Adds the members of a group of actors.
fn members(library: &Library, doc: &Doc, data: &Tree, pen: Pen, visibility: &Visibility, note: &mut Note) {
    for list in [data.get("members"), data.path("details.members")] {
        for member in list.items() {
            let uuid = match &member.data {
                Data::Map(_) => ["uuid", "actor", "_id", "id"].iter().find_map(|key| member.get(key).word()),
                _ => member.word(),
            };
            let Some(uuid) = uuid else { continue };
            let uuid = if uuid.contains('.') { uuid } else { format!("Actor.{uuid}") };
            if let Some(target) = library.target(&uuid, doc) {
                let relation = Relation::typed("MEMBER_OF").backwards();
                note.links.push(pen.link(target, relation, member, "system.members", visibility));
            }
        }
    }
}

fn texts(library: &Library, doc: &Doc, data: &Tree, pen: Pen, access: &Access, note: &mut Note) {
    let public = ["details.biography.public", "details.publicNotes", "biography.public"]
        .iter()
        .any(|path| data.path(path).text().is_some_and(|text| !crate::text::html_to_text(text).is_empty()));
    walk(data, &mut Vec::new(), &mut |path, tree| {
        let place = format!("system.{}", path.join("."));
        let last = path.last().copied().unwrap_or_default().to_lowercase();
        let open = last.starts_with("public") || last == "blurb";
        let hides =
            path.iter().any(|name| secret::is_secret(name) || ["keeper", "gm"].contains(&name.to_lowercase().as_str()));
        // Notes beside the public text are private.
        let beside = public && !open && !access.inner.is_secret() && !access.said;
        let visibility = match () {
            () if hides => Visibility::SECRET.within(&access.inner),
            () if last == "notes" && !access.said => Visibility::SECRET,
            () if beside => Visibility::SECRET,
            () if open => access.seen.clone(),
            () if !access.said && !note.player => Visibility::Marked(Audience::Private),
            () => access.inner.clone(),
        };
        let heading = match last.as_str() {
            "value" | "public" | "biography" | "bio" | "description" => None,
            _ => path.last().copied(),
        };
        write(library, doc, tree, &place, heading, &visibility, pen, note);
    });
}

/// Adds a text in HTML.
#[allow(clippy::too_many_arguments)]
pub(super) fn write(
    library: &Library,
    doc: &Doc,
    tree: &Tree,
    place: &str,
    heading: Option<&str>,
    visibility: &Visibility,
    pen: Pen,
    note: &mut Note,
) {
    let inline = |text: &str| links::inline(library, doc, text);
    let style = Style { inline: &inline, address: &|_| None };
    let writing = Writing { field: place, heading, markup: Markup::Html, visibility, style };
    pen.blocks(tree, &writing, &mut note.texts);
}

/// Visits the texts below a tree, with the names of their fields.
fn walk<'a>(tree: &'a Tree, path: &mut Vec<&'a str>, found: &mut impl FnMut(&[&str], &Tree)) {
    if path.len() > 4 {
        return;
    }
    for (name, value) in tree.entries() {
        path.push(name);
        let known = |name: &&&str| TEXTS.contains(&name.to_lowercase().as_str());
        match &value.data {
            Data::Map(_) => walk(value, path, found),
            Data::Text(text) if !text.trim().is_empty() => {
                let value = &**name == "value";
                let within = path.iter().rev().nth(1).filter(known).is_some();
                let fits = !value && path.last().filter(known).is_some() || value && within;
                // A single word is a value of the game's rules, or a field of its own.
                if fits && !FIELDS.contains(&&**name) && (text.contains(' ') || text.contains('<')) && !is_rules(path) {
                    found(path, tree.get(name));
                }
            }
            _ => {}
        }
        path.pop();
    }
}

/// Whether fields contain notes about the rules of the game.
fn is_rules(path: &[&str]) -> bool {
    let rules = [
        "attributes",
        "traits",
        "abilities",
        "resources",
        "skills",
        "spells",
        "source",
        "initiative",
        "saves",
        "bonuses",
    ];
    path.iter().any(|name| rules.contains(name))
}

/// Whether an item is a thing of the world, and not a rule.
pub(super) fn is_thing(doc: &Doc) -> bool {
    let kind = doc.tree.get("type").text().unwrap_or_default().to_lowercase();
    [
        "weapon",
        "equipment",
        "consumable",
        "tool",
        "loot",
        "container",
        "backpack",
        "treasure",
        "armor",
        "armour",
        "shield",
        "gear",
        "item",
        "object",
        "book",
        "ammo",
        "ammunition",
        "artifact",
        "relic",
        "potion",
        "vehicle",
        "magicitem",
        "misc",
        "trinket",
        "starshipweapon",
        "valuable",
        "goods",
    ]
    .contains(&kind.as_str())
}

/// Returns the note of an item. A rule (a spell, a feat) has no note.
pub(super) fn item(library: &Library, number: usize, pen: Pen) -> Option<Note> {
    let doc = library.docs.docs.get(number).filter(|doc| is_thing(doc))?;
    let access = library.access(doc);
    let mut note = begin(doc, &access, pen)?;
    note.guess(Kind::Item, Sure::Typed, "an item of Foundry");
    let data = system(&doc.tree);
    let rarity = data.get("rarity");
    note.fields.extend(pen.field("rarity", rarity, "system.rarity", &access.inner));
    let description = data.get("description");
    let parts: [(&Tree, &str, bool); 5] = [
        (description, "system.description", false),
        (description.get("value"), "system.description.value", false),
        (description.get("gm"), "system.description.gm", true),
        (description.get("secret"), "system.description.secret", true),
        (data.get("gmNotes"), "system.gmNotes", true),
    ];
    for (tree, place, hides) in parts {
        let visibility = if hides { Visibility::SECRET } else { access.inner.clone() };
        write(library, doc, tree, place, None, &visibility, pen, &mut note);
    }
    // Players see another name for an unidentified item.
    let unidentified = data.get("identified");
    if matches!(unidentified.data, Data::Flag(false)) {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
    Some(note)
}
