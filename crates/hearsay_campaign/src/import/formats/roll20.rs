//! Roll20 exports: characters and handouts, all in one file or each in its own file.
//!
//! The DM's notes are always secret. A character or handout that no player has in the journal is secret. If only some
//! players have it in their journals, the characters of these players know it.

use std::{collections::HashSet, sync::LazyLock};

use hearsay_model::Kind;
use serde::Deserialize;

use crate::{
    Entry, Folder, Format, ReadOptions,
    import::{
        FileId, Note, NoteReader, Notes, Piece, Score, Sure, Target, Text, Visibility, lexicon,
        markup::Style,
        secret,
        tables::table,
        tree::{self, Data, Markup, Pen, Tree, Writing},
    },
};

/// The reader for Roll20 exports.
pub(crate) struct Roll20;

const TOOL: &str = "roll20";

/// The words of `data/roll20.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    attributes: HashSet<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| table("roll20.toml", include_str!("../../../data/roll20.toml")));

impl NoteReader for Roll20 {
    fn format(&self) -> Format {
        Format::Roll20
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"])).take(16);
        let is_export = |entry: &Entry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 256 << 10)).into_owned();
            ["\"gmnotes\"", "\"inplayerjournals\"", "\"controlledby\""].iter().any(|sign| head.contains(sign))
        };
        entries.into_iter().any(is_export).then_some(Score::SURE)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut held = Vec::new();
        let mut folders = Vec::new();
        for document in &documents {
            let before = held.len();
            collect(&document.tree, document.file, None, &mut held, 0);
            for name in ["journalfolder", "jukeboxfolder"] {
                if name == "journalfolder" {
                    journal(document.tree.get(name), &mut Vec::new(), &mut folders, folder);
                }
            }
            if let Some(name) =
                document.tree.get("campaign_title").text().or(document.tree.path("campaign.name").text())
            {
                notes.name = name.trim().to_owned();
            }
            if held.len() == before {
                notes.skip(&*document.path, "no characters or handouts of Roll20 found");
            }
        }
        // The characters of each player.
        let mut played: Vec<(String, String)> = Vec::new();
        for one in held.iter().filter(|one| one.character) {
            played.extend(list(one.tree.get("controlledby")).into_iter().map(|player| (player, one.key.clone())));
        }
        for one in &held {
            notes.notes.extend(note(one, &played, &folders));
        }
    }
}

struct Held<'a> {
    tree: &'a Tree,
    pen: Pen,
    key: String,
    character: bool,
}

fn collect<'a>(tree: &'a Tree, file: FileId, character: Option<bool>, held: &mut Vec<Held<'a>>, depth: usize) {
    if depth > 4 {
        return;
    }
    if let Data::List(items) = &tree.data {
        for item in items {
            collect(item, file, character, held, depth + 1);
        }
        return;
    }
    let lists = [("characters", true), ("handouts", false)];
    let mut found = false;
    for (name, character) in lists {
        let list = tree.get(name);
        if !list.is_null() {
            found = true;
            for item in list.items() {
                collect(item, file, Some(character), held, depth + 1);
            }
        }
    }
    if found {
        return;
    }
    for name in ["character", "handout", "campaign"] {
        let inner = tree.get(name);
        if matches!(inner.data, Data::Map(_)) {
            return collect(inner, file, (name != "campaign").then_some(name == "character"), held, depth + 1);
        }
    }
    let kind = tree.get("type").text().or(tree.get("_type").text()).unwrap_or_default();
    let has = |name: &str| !tree.get(name).is_null();
    let character = match (character, kind) {
        (Some(character), _) => character,
        (None, "handout") => false,
        (None, "character") => true,
        (None, _) => has("bio") || has("attribs") || has("attributes") || has("controlledby") && !has("notes"),
    };
    let fits = has("gmnotes")
        || has("inplayerjournals")
        || has("controlledby")
        || has("bio")
        || has("notes")
        || has("attribs");
    if fits && let Some(name) = tree.get("name").text() {
        let id = ["id", "_id", "oldId"].iter().find_map(|key| tree.get(key).word());
        let kind = if character { "character" } else { "handout" };
        let key = format!("{kind}/{}", id.unwrap_or_else(|| name.to_owned()));
        held.push(Held { tree, pen: Pen { file }, key, character });
    }
}

/// Reads the folders of the journal: `[{n: name, i: [id, …]}]`. The list may be encoded as text.
fn journal(tree: &Tree, path: &mut Vec<String>, folders: &mut Vec<(String, Vec<String>)>, from: &Folder) {
    if let Some(text) = tree.text().filter(|text| text.trim_start().starts_with('[')) {
        let text = Text::new(FileId(0), text.to_owned());
        if let Ok(tree) = from.tree(&text, "journal.json") {
            journal(&tree, path, folders, from);
        }
        return;
    }
    if path.len() > 16 {
        return;
    }
    for one in tree.items() {
        match one.word() {
            Some(id) => folders.push((id, path.clone())),
            None => {
                path.push(one.get("n").word().unwrap_or_default());
                journal(one.get("i"), path, folders, from);
                path.pop();
            }
        }
    }
}

/// Returns the ids in a list, or in a text that contains ids separated by commas.
fn list(tree: &Tree) -> Vec<String> {
    let words = tree.each().into_iter().filter_map(Tree::word);
    let words = words.flat_map(|word| word.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
    words.filter(|word| !word.is_empty()).collect()
}

/// Decodes text with percent encoding such as `%3Cp%3E`. Roll20 exports text in this form.
fn decoded(text: &str) -> String {
    if !text.contains("%3C") && !text.contains("%20") {
        return text.to_owned();
    }
    let (mut bytes, mut at, source) = (Vec::with_capacity(text.len()), 0, text.as_bytes());
    while let Some(byte) = source.get(at) {
        let hex = text.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(decoded) => {
                bytes.push(decoded);
                at += 3;
            }
            None => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn note(held: &Held, played: &[(String, String)], folders: &[(String, Vec<String>)]) -> Option<Note> {
    let (tree, pen) = (held.tree, held.pen);
    let name = tree.get("name").text()?.trim().to_owned();
    let readers = list(tree.get("inplayerjournals"));
    let players: Vec<String> = list(tree.get("controlledby"));
    let of = |players: &[String]| -> Vec<Target> {
        let characters = played.iter().filter(|(player, _)| players.contains(player));
        characters.map(|(_, key)| Target::Key(key.clone())).collect()
    };
    let everybody = |ids: &[String]| ids.iter().any(|id| id == "all");
    let visibility = match () {
        () if everybody(&readers) || everybody(&players) => Visibility::Unmarked,
        // A player who controls a character also sees this character in the journal.
        () if readers.is_empty() && players.is_empty() => Visibility::SECRET,
        () => Visibility::Secret(of(&readers).into_iter().chain(of(&players)).collect()),
    };
    let id = held.key.rsplit('/').next().unwrap_or_default();
    let mut note = Note {
        key: held.key.clone(),
        tool: TOOL,
        ids: vec![hearsay_model::ExternalId { system: TOOL.to_owned(), id: id.to_owned() }],
        name,
        origin: pen.origin(tree.get("name"), "name"),
        visibility: visibility.clone(),
        player: held.character && players.iter().any(|player| player != "all"),
        ..Note::default()
    };
    let path = folders.iter().find(|(held, _)| held == id).map(|(_, path)| path.as_slice()).unwrap_or_default();
    let by_folder = path.iter().rev().find_map(|name| Some((lexicon::kind(name)?, name)));
    if path.iter().any(|name| secret::is_secret(name)) {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
    if note.player {
        note.guess(Kind::Player, Sure::Typed, "a player controls it");
    } else if held.character {
        note.guess(Kind::Npc, Sure::Typed, "a character of Roll20");
    } else if let Some((kind, folder)) = by_folder {
        note.guess(kind, Sure::Guessed, format!("folder {folder}"));
    } else {
        note.guess(Kind::Document, Sure::Guessed, "a handout of Roll20");
    }
    let open = if held.character { ["bio", "avatarbio"] } else { ["notes", "blurb"] };
    for field in open {
        text(pen, tree.get(field), field, &Visibility::Unmarked, &mut note);
    }
    for field in ["gmnotes", "gm_notes", "gmNotes"] {
        text(pen, tree.get(field), field, &Visibility::SECRET, &mut note);
    }
    for list in ["attribs", "attributes"] {
        for one in tree.get(list).items() {
            let name = one.get("name").word().unwrap_or_default();
            if !WORDS.attributes.contains(&name.to_lowercase().replace(' ', "_")) {
                continue;
            }
            let current = one.get("current");
            if current.text().is_some_and(|text| text.len() > 240 || text.contains('\n')) {
                text(pen, current, &name, &Visibility::Unmarked, &mut note);
            } else {
                note.fields.extend(pen.field(&name, current, list, &Visibility::Unmarked));
            }
        }
    }
    let tags = tree.get("tags");
    let tags = tags.text().filter(|text| text.trim_start().starts_with('[')).map_or_else(
        || list(tags),
        |text| {
            text.split(['[', ']', ',', '"']).map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
        },
    );
    let tags: Vec<Piece> = tags.iter().map(|tag| tag.as_str().into()).collect();
    note.fields.extend(pen.field_of("tag", tags, tree.get("tags"), "tags", &Visibility::Unmarked));
    Some(note)
}

fn text(pen: Pen, tree: &Tree, field: &str, visibility: &Visibility, note: &mut Note) {
    let Some(content) = tree.text().map(decoded) else { return };
    let style = Style { inline: &|_| Vec::new(), address: &address };
    let heading = Some(field).filter(|field| !["bio", "notes", "blurb", "avatarbio"].contains(field));
    let writing = Writing { field, heading, markup: Markup::Html, visibility, style };
    pen.blocks_of(tree, &content, &writing, &mut note.texts);
}

/// Returns the target of an address: `http://journal.roll20.net/character/-Kabc` is a link to a character.
fn address(address: &str) -> Option<Target> {
    let (_, rest) = address.split_once("journal.roll20.net/")?;
    let (kind, id) = rest.split_once('/')?;
    let id = id.split(['/', '?', '#']).next().filter(|id| !id.is_empty())?;
    ["character", "handout"].contains(&kind).then(|| Target::Key(format!("{kind}/{id}")))
}

#[cfg(test)]
mod tests;
