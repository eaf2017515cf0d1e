//! Roll20 exports: characters and handouts, all in one file or each in its own file.
//!
//! The DM's notes are always secret. A character or handout is secret if no player has it in the journal. If only some
//! players have it in their journals, the characters of these players know it.

use std::{collections::HashSet, sync::LazyLock};

use hearsay_model::Kind;
use serde::Deserialize;

use crate::{
    Folder, FolderEntry, Format, ReadOptions,
    import::{
        Certainty, FieldValue, FileId, LinkTarget, Note, NoteReader, Notes, Score, SourceText, Visibility, lexicon,
        markup::LinkSyntax,
        secret,
        tree::{self, Data, Markup, TextConversion, Tree, TreeConverter},
        word_lists::parse_table,
    },
};

/// The reader for Roll20 exports.
pub(crate) struct Roll20;

const TOOL: &str = "roll20";

/// The words of `data/roll20.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roll20Words {
    attributes: HashSet<String>,
}

static ROLL20_WORDS: LazyLock<Roll20Words> =
    LazyLock::new(|| parse_table("roll20.toml", include_str!("../../../data/roll20.toml")));

impl NoteReader for Roll20 {
    fn format(&self) -> Format {
        Format::Roll20
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"])).take(16);
        let is_export = |entry: &FolderEntry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 256 << 10)).into_owned();
            ["\"gmnotes\"", "\"inplayerjournals\"", "\"controlledby\""].iter().any(|sign| head.contains(sign))
        };
        entries.into_iter().any(is_export).then_some(Score::CERTAIN)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut records = Vec::new();
        let mut folders = Vec::new();
        for document in &documents {
            let record_count = records.len();
            collect_records(&document.tree, document.file, None, &mut records, 0);
            for name in ["journalfolder", "jukeboxfolder"] {
                if name == "journalfolder" {
                    read_folders(document.tree.get(name), &mut Vec::new(), &mut folders, folder);
                }
            }
            if let Some(name) =
                document.tree.get("campaign_title").text().or(document.tree.path("campaign.name").text())
            {
                notes.name = name.trim().to_owned();
            }
            if records.len() == record_count {
                notes.skip(&*document.path, "no characters or handouts of Roll20 found");
            }
        }
        // The characters of each player.
        let mut characters_by_player: Vec<(String, String)> = Vec::new();
        for record in records.iter().filter(|record| record.is_character) {
            characters_by_player.extend(
                split_ids(record.tree.get("controlledby")).into_iter().map(|player| (player, record.key.clone())),
            );
        }
        for record in &records {
            notes.notes.extend(convert_record(record, &characters_by_player, &folders));
        }
    }
}

struct JournalRecord<'a> {
    tree: &'a Tree,
    converter: TreeConverter,
    key: String,
    is_character: bool,
}

fn collect_records<'a>(
    tree: &'a Tree,
    file: FileId,
    is_character: Option<bool>,
    records: &mut Vec<JournalRecord<'a>>,
    depth: usize,
) {
    if depth > 4 {
        return;
    }
    if let Data::List(items) = &tree.data {
        for item in items {
            collect_records(item, file, is_character, records, depth + 1);
        }
        return;
    }
    let lists = [("characters", true), ("handouts", false)];
    let mut has_lists = false;
    for (name, is_character) in lists {
        let list = tree.get(name);
        if !list.is_null() {
            has_lists = true;
            for item in list.items() {
                collect_records(item, file, Some(is_character), records, depth + 1);
            }
        }
    }
    if has_lists {
        return;
    }
    for name in ["character", "handout", "campaign"] {
        let inner = tree.get(name);
        if matches!(inner.data, Data::Map(_)) {
            return collect_records(
                inner,
                file,
                (name != "campaign").then_some(name == "character"),
                records,
                depth + 1,
            );
        }
    }
    let kind = tree.get("type").text().or(tree.get("_type").text()).unwrap_or_default();
    let has_field = |name: &str| !tree.get(name).is_null();
    let is_character = match (is_character, kind) {
        (Some(is_character), _) => is_character,
        (None, "handout") => false,
        (None, "character") => true,
        (None, _) => {
            has_field("bio")
                || has_field("attribs")
                || has_field("attributes")
                || has_field("controlledby") && !has_field("notes")
        }
    };
    let is_record = has_field("gmnotes")
        || has_field("inplayerjournals")
        || has_field("controlledby")
        || has_field("bio")
        || has_field("notes")
        || has_field("attribs");
    if is_record && let Some(name) = tree.get("name").text() {
        let id = ["id", "_id", "oldId"].iter().find_map(|key| tree.get(key).to_text());
        let kind = if is_character { "character" } else { "handout" };
        let key = format!("{kind}/{}", id.unwrap_or_else(|| name.to_owned()));
        records.push(JournalRecord { tree, converter: TreeConverter { file }, key, is_character });
    }
}

/// Reads the folders of the journal: `[{n: name, i: [id, …]}]`. The list may be encoded as text.
fn read_folders(tree: &Tree, path: &mut Vec<String>, folders: &mut Vec<(String, Vec<String>)>, source_folder: &Folder) {
    if let Some(text) = tree.text().filter(|text| text.trim_start().starts_with('[')) {
        let text = SourceText::new(FileId(0), text.to_owned());
        if let Ok(tree) = source_folder.tree(&text, "journal.json") {
            read_folders(&tree, path, folders, source_folder);
        }
        return;
    }
    if path.len() > 16 {
        return;
    }
    for item in tree.items() {
        match item.to_text() {
            Some(id) => folders.push((id, path.clone())),
            None => {
                path.push(item.get("n").to_text().unwrap_or_default());
                read_folders(item.get("i"), path, folders, source_folder);
                path.pop();
            }
        }
    }
}

/// Returns the ids in a list, or in a text that contains ids separated by commas.
fn split_ids(tree: &Tree) -> Vec<String> {
    let words = tree.as_list().into_iter().filter_map(Tree::to_text);
    let words = words.flat_map(|word| word.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
    words.filter(|word| !word.is_empty()).collect()
}

/// Decodes text with percent encoding such as `%3Cp%3E`. Roll20 exports text in this form.
fn decode_percent(text: &str) -> String {
    if !text.contains("%3C") && !text.contains("%20") {
        return text.to_owned();
    }
    let (mut bytes, mut at, source) = (Vec::with_capacity(text.len()), 0, text.as_bytes());
    while let Some(byte) = source.get(at) {
        let hex = text.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(decoded_byte) => {
                bytes.push(decoded_byte);
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

fn convert_record(
    record: &JournalRecord,
    characters_by_player: &[(String, String)],
    folders: &[(String, Vec<String>)],
) -> Option<Note> {
    let (tree, converter) = (record.tree, record.converter);
    let name = tree.get("name").text()?.trim().to_owned();
    let readers = split_ids(tree.get("inplayerjournals"));
    let players: Vec<String> = split_ids(tree.get("controlledby"));
    let characters_of = |players: &[String]| -> Vec<LinkTarget> {
        let characters = characters_by_player.iter().filter(|(player, _)| players.contains(player));
        characters.map(|(_, key)| LinkTarget::Key(key.clone())).collect()
    };
    let is_everybody = |ids: &[String]| ids.iter().any(|id| id == "all");
    let visibility = match () {
        () if is_everybody(&readers) || is_everybody(&players) => Visibility::Unmarked,
        // A player who controls a character also sees this character in the journal.
        () if readers.is_empty() && players.is_empty() => Visibility::SECRET,
        () => Visibility::Secret(characters_of(&readers).into_iter().chain(characters_of(&players)).collect()),
    };
    let id = record.key.rsplit('/').next().unwrap_or_default();
    let mut note = Note {
        key: record.key.clone(),
        tool: TOOL,
        ids: vec![hearsay_model::ExternalId { system: TOOL.to_owned(), id: id.to_owned() }],
        name,
        origin: converter.origin(tree.get("name"), "name"),
        visibility: visibility.clone(),
        is_player: record.is_character && players.iter().any(|player| player != "all"),
        ..Note::default()
    };
    let path =
        folders.iter().find(|(listed_id, _)| listed_id == id).map(|(_, path)| path.as_slice()).unwrap_or_default();
    let folder_kind = path.iter().rev().find_map(|name| Some((lexicon::kind(name)?, name)));
    if path.iter().any(|name| secret::is_secret(name)) {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
    if note.is_player {
        note.set_kind(Kind::Player, Certainty::Explicit, "a player controls it");
    } else if record.is_character {
        note.set_kind(Kind::Npc, Certainty::Explicit, "a character of Roll20");
    } else if let Some((kind, folder)) = folder_kind {
        note.set_kind(kind, Certainty::Inferred, format!("folder {folder}"));
    } else {
        note.set_kind(Kind::Document, Certainty::Inferred, "a handout of Roll20");
    }
    let open_fields = if record.is_character { ["bio", "avatarbio"] } else { ["notes", "blurb"] };
    for field in open_fields {
        add_text(converter, tree.get(field), field, &Visibility::Unmarked, &mut note);
    }
    for field in ["gmnotes", "gm_notes", "gmNotes"] {
        add_text(converter, tree.get(field), field, &Visibility::SECRET, &mut note);
    }
    for list in ["attribs", "attributes"] {
        for attribute in tree.get(list).items() {
            let name = attribute.get("name").to_text().unwrap_or_default();
            if !ROLL20_WORDS.attributes.contains(&name.to_lowercase().replace(' ', "_")) {
                continue;
            }
            let current = attribute.get("current");
            if current.text().is_some_and(|text| text.len() > 240 || text.contains('\n')) {
                add_text(converter, current, &name, &Visibility::Unmarked, &mut note);
            } else {
                note.fields.extend(converter.field(&name, current, list, &Visibility::Unmarked));
            }
        }
    }
    let tags = tree.get("tags");
    let tags = tags.text().filter(|text| text.trim_start().starts_with('[')).map_or_else(
        || split_ids(tags),
        |text| {
            text.split(['[', ']', ',', '"']).map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
        },
    );
    let tags: Vec<FieldValue> = tags.iter().map(|tag| tag.as_str().into()).collect();
    note.fields.extend(converter.field_with_values("tag", tags, tree.get("tags"), "tags", &Visibility::Unmarked));
    Some(note)
}

fn add_text(converter: TreeConverter, tree: &Tree, field: &str, visibility: &Visibility, note: &mut Note) {
    let Some(content) = tree.text().map(decode_percent) else { return };
    let link_syntax = LinkSyntax { inline: &|_| Vec::new(), address: &address_target };
    let heading = Some(field).filter(|field| !["bio", "notes", "blurb", "avatarbio"].contains(field));
    let conversion = TextConversion { field, heading, markup: Markup::Html, visibility, style: link_syntax };
    converter.add_derived_blocks(tree, &content, &conversion, &mut note.texts);
}

/// Returns the target of an address: `http://journal.roll20.net/character/-Kabc` is a link to a character.
fn address_target(address: &str) -> Option<LinkTarget> {
    let (_, rest) = address.split_once("journal.roll20.net/")?;
    let (kind, id) = rest.split_once('/')?;
    let id = id.split(['/', '?', '#']).next().filter(|id| !id.is_empty())?;
    ["character", "handout"].contains(&kind).then(|| LinkTarget::Key(format!("{kind}/{id}")))
}

#[cfg(test)]
mod tests;
