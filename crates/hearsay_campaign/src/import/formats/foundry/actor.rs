//! Actors and items of Foundry.

use hearsay_model::{Audience, Kind, PredicateRole};

use super::{
    document::{Doc, is_physical_item, is_player, system},
    library::{Access, Library, start_note},
    links,
    text::add_html,
    words::FOUNDRY_WORDS,
};
use crate::import::{
    Certainty, LinkRelation, Note, Visibility, secret,
    tree::{Data, Tree, TreeConverter},
};

/// Returns the note of an actor.
pub(super) fn convert_actor(library: &Library, index: usize, converter: TreeConverter) -> Option<Note> {
    let doc = library.loaded.documents.get(index)?;
    let access = library.access(doc);
    let mut note = start_note(doc, &access, converter)?;
    let kind = doc.tree.get("type").text().unwrap_or_default().to_lowercase();
    if is_player(&doc.tree) {
        note.is_player = true;
    }
    let default_kind = if note.is_player { Kind::Player } else { Kind::Npc };
    let entity_kind = FOUNDRY_WORDS.kinds.kind(&kind).unwrap_or(default_kind);
    note.set_kind(entity_kind, Certainty::Explicit, format!("type {kind}"));
    let data = system(&doc.tree);
    add_fields(library, doc, data, converter, &access.content, &mut note);
    add_embedded_fields(doc, converter, &access.content, &mut note);
    add_members(library, doc, data, converter, &access.content, &mut note);
    add_texts(library, doc, data, &access, &mut note);
    Some(note)
}

fn add_fields(
    library: &Library,
    doc: &Doc,
    data: &Tree,
    converter: TreeConverter,
    visibility: &Visibility,
    note: &mut Note,
) {
    for base in ["details", ""] {
        for name in &FOUNDRY_WORDS.fields {
            let field_path = if base.is_empty() { format!("system.{name}") } else { format!("system.{base}.{name}") };
            let value = data.path(base).get(name);
            let value = match &value.data {
                Data::Map(_) => [value.get("value"), value.get("name")].into_iter().find(|value| !value.is_null()),
                _ => Some(value),
            };
            let Some(value) = value.filter(|value| matches!(value.data, Data::Text(_) | Data::Number(_))) else {
                continue;
            };
            // If the value is the id of an embedded document, use the name of that document.
            let displayed = match value.text().filter(|text| links::is_id(text.trim())) {
                Some(id) => match embedded_name(doc, id) {
                    Some(name_tree) => name_tree,
                    None => continue,
                },
                None => value,
            };
            if displayed.text().is_some_and(|text| text.len() > 400)
                || note.fields.iter().any(|field| field.name == *name)
            {
                continue;
            }
            let mut field = converter.field(name, displayed, &field_path, visibility);
            if let Some(field) = &mut field {
                for field_value in &mut field.values {
                    resolve_links(library, doc, field_value);
                }
            }
            note.fields.extend(field);
        }
    }
    let kind = data.path("details.type");
    let kind = if matches!(kind.data, Data::Map(_)) { kind.get("value") } else { kind };
    if kind.text().is_some_and(|text| text.len() < 60) && !note.fields.iter().any(|field| field.name == "species") {
        note.fields.extend(converter.field("species", kind, "system.details.type.value", visibility));
    }
}

/// Replaces each link in a value by its label, and adds the target of the link to the links of the value.
fn resolve_links(library: &Library, doc: &Doc, field_value: &mut crate::import::FieldValue) {
    let hearsay_model::Value::Text(text) = &mut field_value.value else { return };
    let mut plain_text = text.clone();
    for link in links::find_inline_links(library, doc, text).into_iter().rev() {
        if plain_text.get(link.range.clone()).is_some() {
            plain_text.replace_range(link.range, &link.label);
        }
        field_value.links.extend(link.target);
    }
    field_value.links.reverse();
    *text = plain_text;
}

/// Returns the name of the embedded document with this id.
fn embedded_name<'a>(doc: &'a Doc, id: &str) -> Option<&'a Tree> {
    let items = doc.tree.get("items").items();
    items.into_iter().find(|item| item.get("_id").to_text().as_deref() == Some(id.trim())).map(|item| item.get("name"))
}

/// Adds fields for the embedded documents that describe a person, such as the species or the class.
fn add_embedded_fields(doc: &Doc, converter: TreeConverter, visibility: &Visibility, note: &mut Note) {
    for item in doc.tree.get("items").items() {
        let name = match item.get("type").text() {
            Some("race" | "ancestry" | "species") => "species",
            Some("class" | "career" | "profession") => "class",
            Some("background") => "background",
            Some("deity") => "deity",
            _ => continue,
        };
        let value = item.get("name");
        let is_known = |field: &crate::import::Field| {
            field.name == name
                && (name != "class"
                    || field.values.iter().any(|field_value| Some(field_value) == text_value(value).as_ref()))
                || name == "species" && ["race", "ancestry"].contains(&field.name.as_str())
        };
        if !note.fields.iter().any(is_known) {
            note.fields.extend(converter.field(name, value, "items", visibility));
        }
    }
}

fn text_value(tree: &Tree) -> Option<crate::import::FieldValue> {
    tree.text().map(|text| text.trim().into())
}

/// Adds the members of an actor that is a group of actors.
fn add_members(
    library: &Library,
    doc: &Doc,
    data: &Tree,
    converter: TreeConverter,
    visibility: &Visibility,
    note: &mut Note,
) {
    for list in [data.get("members"), data.path("details.members")] {
        for member in list.items() {
            let uuid = match &member.data {
                Data::Map(_) => ["uuid", "actor", "_id", "id"].iter().find_map(|key| member.get(key).to_text()),
                _ => member.to_text(),
            };
            let Some(uuid) = uuid else { continue };
            let uuid = if uuid.contains('.') { uuid } else { format!("Actor.{uuid}") };
            if let Some(target) = library.link_target(&uuid, doc) {
                let relation = LinkRelation::explicit(PredicateRole::Membership.name()).backwards();
                note.links.push(converter.link(target, relation, member, "system.members", visibility));
            }
        }
    }
}

fn add_texts(library: &Library, doc: &Doc, data: &Tree, access: &Access, note: &mut Note) {
    let has_public_text = ["details.biography.public", "details.publicNotes", "biography.public"]
        .iter()
        .any(|path| data.path(path).text().is_some_and(|text| !crate::import::markup::html_to_text(text).is_empty()));
    visit_texts(data, &mut Vec::new(), &mut |path, tree| {
        let field_path = format!("system.{}", path.join("."));
        let last_key = path.last().copied().unwrap_or_default().to_lowercase();
        let is_public = last_key.starts_with("public") || last_key == "blurb";
        let is_secret_part =
            path.iter().any(|name| secret::is_secret(name) || ["keeper", "gm"].contains(&name.to_lowercase().as_str()));
        // If one text of an actor is public, its other texts are private.
        let is_private_sibling =
            has_public_text && !is_public && !access.content.is_secret() && !access.has_own_permissions;
        let visibility = match () {
            () if is_secret_part => Visibility::SECRET.within(&access.content),
            () if last_key == "notes" && !access.has_own_permissions => Visibility::SECRET,
            () if is_private_sibling => Visibility::SECRET,
            () if is_public => access.existence.clone(),
            () if !access.has_own_permissions && !note.is_player => Visibility::Marked(Audience::Private),
            () => access.content.clone(),
        };
        let heading = match last_key.as_str() {
            "value" | "public" | "biography" | "bio" | "description" => None,
            _ => path.last().copied(),
        };
        add_html(library, doc, tree, &field_path, heading, &visibility, note);
    });
}

/// Calls `visit` with each text below a tree and the names of the fields that lead to it.
fn visit_texts<'a>(tree: &'a Tree, path: &mut Vec<&'a str>, visit: &mut impl FnMut(&[&str], &Tree)) {
    if path.len() > 4 {
        return;
    }
    for (name, value) in tree.entries() {
        path.push(name);
        let is_text_field = |name: &&&str| FOUNDRY_WORDS.texts.contains(&name.to_lowercase());
        match &value.data {
            Data::Map(_) => visit_texts(value, path, visit),
            Data::Text(text) if !text.trim().is_empty() => {
                let is_value_key = &**name == "value";
                let is_in_text_field = path.iter().rev().nth(1).filter(is_text_field).is_some();
                let is_text =
                    !is_value_key && path.last().filter(is_text_field).is_some() || is_value_key && is_in_text_field;
                // Text of a single word is skipped: it is a value of the game's rules, or was already read as a field.
                if is_text
                    && !FOUNDRY_WORDS.fields.iter().any(|field| **field == **name)
                    && (text.contains(' ') || text.contains('<'))
                    && !is_rules_path(path)
                {
                    visit(path, tree.get(name));
                }
            }
            _ => {}
        }
        path.pop();
    }
}

/// Returns whether a path leads to notes about the rules of the game.
fn is_rules_path(path: &[&str]) -> bool {
    path.iter().any(|name| FOUNDRY_WORDS.rules.contains(*name))
}

/// Returns the note of an item. An item that is a rule of the game, such as a spell or a feat, has no note.
pub(super) fn convert_item(library: &Library, index: usize, converter: TreeConverter) -> Option<Note> {
    let doc = library.loaded.documents.get(index).filter(|doc| is_physical_item(doc))?;
    let access = library.access(doc);
    let mut note = start_note(doc, &access, converter)?;
    note.set_kind(Kind::Item, Certainty::Explicit, "an item of Foundry");
    let data = system(&doc.tree);
    let rarity = data.get("rarity");
    note.fields.extend(converter.field("rarity", rarity, "system.rarity", &access.content));
    let description = data.get("description");
    let parts: [(&Tree, &str, bool); 5] = [
        (description, "system.description", false),
        (description.get("value"), "system.description.value", false),
        (description.get("gm"), "system.description.gm", true),
        (description.get("secret"), "system.description.secret", true),
        (data.get("gmNotes"), "system.gmNotes", true),
    ];
    for (tree, field_path, is_secret_part) in parts {
        let visibility = if is_secret_part { Visibility::SECRET } else { access.content.clone() };
        add_html(library, doc, tree, field_path, None, &visibility, &mut note);
    }
    // An unidentified item has another name for players, so its own name is secret.
    let unidentified = data.get("identified");
    if matches!(unidentified.data, Data::Flag(false)) {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
    Some(note)
}
