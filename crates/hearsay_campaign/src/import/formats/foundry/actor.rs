//! Actors and items of Foundry.

use hearsay_model::{Audience, Kind, PredicateRole};

use super::{
    document::{Doc, is_player, is_thing, system},
    library::{Access, Library, begin},
    links,
    text::write,
    words::WORDS,
};
use crate::import::{
    Note, Relation, Sure, Visibility, secret,
    tree::{Data, Pen, Tree},
};

/// Returns the note of an actor.
pub(super) fn note(library: &Library, number: usize, pen: Pen) -> Option<Note> {
    let doc = library.docs.docs.get(number)?;
    let access = library.access(doc);
    let mut note = begin(doc, &access, pen)?;
    let kind = doc.tree.get("type").text().unwrap_or_default().to_lowercase();
    if is_player(&doc.tree) {
        note.player = true;
    }
    let person = if note.player { Kind::Player } else { Kind::Npc };
    let is = WORDS.kinds.kind(&kind).unwrap_or(person);
    note.guess(is, Sure::Typed, format!("type {kind}"));
    let data = system(&doc.tree);
    fields(library, doc, data, pen, &access.inner, &mut note);
    carried(doc, pen, &access.inner, &mut note);
    members(library, doc, data, pen, &access.inner, &mut note);
    texts(library, doc, data, pen, &access, &mut note);
    Some(note)
}

fn fields(library: &Library, doc: &Doc, data: &Tree, pen: Pen, visibility: &Visibility, note: &mut Note) {
    for base in ["details", ""] {
        for name in &WORDS.fields {
            let place = if base.is_empty() { format!("system.{name}") } else { format!("system.{base}.{name}") };
            let held = data.path(base).get(name);
            let held = match &held.data {
                Data::Map(_) => [held.get("value"), held.get("name")].into_iter().find(|held| !held.is_null()),
                _ => Some(held),
            };
            let Some(held) = held.filter(|held| matches!(held.data, Data::Text(_) | Data::Number(_))) else { continue };
            // If the value is the id of an embedded document, use the name of that document.
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

/// Replaces each link in a value by its label, and adds the target of the link to the links of the value.
fn plain(library: &Library, doc: &Doc, piece: &mut crate::import::Piece) {
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

/// Returns the name of the embedded document with this id.
fn embedded<'a>(doc: &'a Doc, id: &str) -> Option<&'a Tree> {
    let items = doc.tree.get("items").items();
    items.into_iter().find(|item| item.get("_id").word().as_deref() == Some(id.trim())).map(|item| item.get("name"))
}

/// Adds fields for the embedded documents that describe a person, such as the species or the class.
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
        let known = |field: &crate::import::Field| {
            field.name == name
                && (name != "class" || field.values.iter().any(|piece| Some(piece) == super_piece(value).as_ref()))
                || name == "species" && ["race", "ancestry"].contains(&field.name.as_str())
        };
        if !note.fields.iter().any(known) {
            note.fields.extend(pen.field(name, value, "items", visibility));
        }
    }
}

fn super_piece(tree: &Tree) -> Option<crate::import::Piece> {
    tree.text().map(|text| text.trim().into())
}

/// Adds the members of an actor that is a group of actors.
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
                let relation = Relation::typed(PredicateRole::Membership.name()).backwards();
                note.links.push(pen.link(target, relation, member, "system.members", visibility));
            }
        }
    }
}

fn texts(library: &Library, doc: &Doc, data: &Tree, pen: Pen, access: &Access, note: &mut Note) {
    let public = ["details.biography.public", "details.publicNotes", "biography.public"]
        .iter()
        .any(|path| data.path(path).text().is_some_and(|text| !crate::import::markup::html_to_text(text).is_empty()));
    walk(data, &mut Vec::new(), &mut |path, tree| {
        let place = format!("system.{}", path.join("."));
        let last = path.last().copied().unwrap_or_default().to_lowercase();
        let open = last.starts_with("public") || last == "blurb";
        let hides =
            path.iter().any(|name| secret::is_secret(name) || ["keeper", "gm"].contains(&name.to_lowercase().as_str()));
        // If one text of an actor is public, its other texts are private.
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

/// Calls `found` with each text below a tree and the names of the fields that lead to it.
fn walk<'a>(tree: &'a Tree, path: &mut Vec<&'a str>, found: &mut impl FnMut(&[&str], &Tree)) {
    if path.len() > 4 {
        return;
    }
    for (name, value) in tree.entries() {
        path.push(name);
        let known = |name: &&&str| WORDS.texts.contains(&name.to_lowercase());
        match &value.data {
            Data::Map(_) => walk(value, path, found),
            Data::Text(text) if !text.trim().is_empty() => {
                let value = &**name == "value";
                let within = path.iter().rev().nth(1).filter(known).is_some();
                let fits = !value && path.last().filter(known).is_some() || value && within;
                // A single word is a value of the game's rules, or was already read as a field.
                if fits
                    && !WORDS.fields.iter().any(|field| **field == **name)
                    && (text.contains(' ') || text.contains('<'))
                    && !is_rules(path)
                {
                    found(path, tree.get(name));
                }
            }
            _ => {}
        }
        path.pop();
    }
}

/// Returns whether a path leads to notes about the rules of the game.
fn is_rules(path: &[&str]) -> bool {
    path.iter().any(|name| WORDS.rules.contains(*name))
}

/// Returns the note of an item. An item that is a rule of the game, such as a spell or a feat, has no note.
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
    // An unidentified item has another name for players, so its own name is secret.
    let unidentified = data.get("identified");
    if matches!(unidentified.data, Data::Flag(false)) {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
    Some(note)
}
