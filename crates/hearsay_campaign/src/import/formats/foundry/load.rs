//! Loads the Foundry documents from all files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hearsay_model::Calendar;

use super::document::{Doc, DocumentType, LoadedDocuments, system};
use crate::{
    Folder, FolderEntry, ReadOptions,
    import::{
        FileId, Notes, Score, calendar,
        tree::{Data, Tree},
    },
};

/// A package: its folder, its id, and its compendiums that players may not open.
struct Package {
    folder: String,
    id: String,
    locked: BTreeSet<String>,
}

/// Maximum number of files that are checked to detect the format.
const MAX_DETECTION_FILES: usize = 48;

pub(super) fn detect(folder: &Folder) -> Option<Score> {
    let candidates = folder.files().filter(|entry| entry.has_extension(&["json", "yaml", "yml", "db"]));
    for entry in candidates.take(MAX_DETECTION_FILES) {
        let head = String::from_utf8_lossy(&folder.head(entry, 32 << 10)).into_owned();
        let has_key = ["_key: '!", "_key: \"!", "\"_key\": \"!", "\"_key\":\"!"].iter().any(|sign| head.contains(sign));
        let has_field = |name: &str| head.contains(&format!("\"{name}\""));
        let has_id = has_field("_id") || head.lines().any(|line| line.starts_with("_id:"));
        let has_document_shape = has_field("prototypeToken")
            || has_field("pages")
            || has_field("ownership")
            || has_field("permission")
            || has_field("system");
        let is_world = has_field("actors") && (has_field("journal") || has_field("items")) && has_id;
        let is_yaml =
            head.lines().any(|line| line.starts_with("_id:")) && head.lines().any(|line| line.starts_with("name:"));
        if has_key || has_id && has_document_shape || is_world || is_yaml {
            // A Markdown vault may contain a few exported documents. In this case, the score is lower.
            let (notes, documents): (Vec<_>, Vec<_>) = folder.files().partition(|entry| entry.has_extension(&["md"]));
            return Some(if notes.len() > documents.len() { Score(40) } else { Score::CERTAIN });
        }
    }
    folder.files().any(is_level_db).then_some(Score::POSSIBLE)
}

fn is_level_db(entry: &FolderEntry) -> bool {
    entry.name() == "CURRENT" || entry.has_extension(&["ldb"]) || entry.name().starts_with("MANIFEST-")
}

pub(super) fn load_documents(folder: &Folder, options: &ReadOptions, notes: &mut Notes) -> LoadedDocuments {
    let packages = read_packages(folder, notes);
    let mut docs = LoadedDocuments { open_packs: options.open_folders, ..LoadedDocuments::default() };
    let mut level_db = BTreeSet::new();
    for entry in folder.files() {
        if is_level_db(entry) {
            level_db.insert(entry.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
        }
    }
    for entry in folder.files().filter(|entry| entry.has_extension(&["json", "yaml", "yml", "db"])) {
        if is_manifest(entry.name()) {
            continue;
        }
        let mut document_source = DocumentSource::new(entry, &packages, folder.name());
        if entry.has_extension(&["db"]) {
            docs.read_nedb(folder, entry, &mut document_source, notes);
            continue;
        }
        let Some(text) = folder.text(entry, notes) else { continue };
        match folder.tree(&text, &entry.path) {
            Err(reason) => notes.skip(&*entry.path, reason),
            Ok(tree) => {
                let had_calendar = docs.calendar.is_some();
                let (document_count, folder_count) =
                    (docs.documents.len() + docs.pages.len(), docs.folders.len() + docs.users.len());
                docs.add_tree(tree, text.file, &mut document_source, 0);
                let has_no_documents = docs.documents.len() + docs.pages.len() == document_count;
                let has_no_documents = has_no_documents && docs.calendar.is_some() == had_calendar;
                if has_no_documents && docs.folders.len() + docs.users.len() == folder_count {
                    notes.skip(&*entry.path, "no actor, item or journal of Foundry found");
                }
            }
        }
    }
    for path in level_db {
        let reason = "a compendium in LevelDB, which Hearsay cannot read: unpack it to JSON or YAML with Foundry's command-line tool (`fvtt package unpack`), or export its documents as JSON";
        notes.skip(if path.is_empty() { "." } else { &path }, reason);
    }
    docs.attach_pages();
    docs
}

fn is_manifest(name: &str) -> bool {
    ["module.json", "system.json", "world.json", "package.json", "package-lock.json", "template.json", "tsconfig.json"]
        .contains(&name)
}

fn read_packages(folder: &Folder, notes: &mut Notes) -> Vec<Package> {
    let mut packages = Vec::new();
    for entry in folder.files().filter(|entry| ["module.json", "system.json", "world.json"].contains(&entry.name())) {
        let Some(text) = folder.text(entry, notes) else { continue };
        let tree = match folder.tree(&text, &entry.path) {
            Ok(tree) => tree,
            Err(reason) => {
                notes.skip(&*entry.path, reason);
                continue;
            }
        };
        if entry.name() == "world.json" || notes.description.is_empty() {
            if let Some(title) = tree.get("title").text().or(tree.get("name").text()) {
                notes.name = title.to_owned();
            }
            if let Some(system) = tree.get("system").text() {
                notes.system = system.to_owned();
            }
        }
        let id = tree.get("id").to_text().or_else(|| tree.get("name").to_text()).unwrap_or_default();
        let locked = |pack: &&Tree| {
            let player = pack.path("ownership.PLAYER").to_text().unwrap_or_default();
            pack.get("private").is_marked() || ["NONE", "0"].contains(&player.to_uppercase().as_str())
        };
        let packs = tree.get("packs").items();
        let locked = packs.iter().filter(|pack| locked(pack)).filter_map(|pack| pack.get("name").to_text()).collect();
        let folder_prefix = entry.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        packages.push(Package { folder: folder_prefix, id, locked });
    }
    // A file belongs to the innermost package that contains it.
    packages.sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
    packages
}

/// The origin of the documents in a file.
struct DocumentSource {
    package: String,
    pack: Option<String>,
    folders: Vec<String>,
    locked: bool,
    /// The type of documents in the current file or list, according to its name.
    listed_type: Option<&'static str>,
}

impl DocumentSource {
    fn new(entry: &FolderEntry, packages: &[Package], root: &str) -> Self {
        let package = packages.iter().find(|package| entry.path.starts_with(&package.folder));
        let folders: Vec<&str> = entry.folders().collect();
        let packs = folders.iter().position(|name| *name == "packs" || *name == "_source");
        let id = match (package, packs) {
            (Some(package), _) => package.id.clone(),
            (None, Some(index)) => {
                let package_folder =
                    folders[..index].iter().rev().find(|name| !["src", "data", "packs"].contains(*name));
                package_folder.map_or_else(|| root.to_owned(), |name| (*name).to_owned())
            }
            (None, None) => root.to_owned(),
        };
        let pack_folders: Vec<&str> = packs
            .map_or(&[][..], |index| &folders[index + 1..])
            .iter()
            .copied()
            .filter(|name| *name != "_source")
            .collect();
        let pack =
            packs.map(|_| pack_folders.first().map_or_else(|| entry.stem().to_owned(), |name| (*name).to_owned()));
        let locked = match (package, &pack) {
            (Some(package), Some(pack)) => package.locked.contains(pack),
            _ => false,
        };
        let folders = pack_folders.iter().skip(1).map(|name| (*name).to_owned()).collect();
        Self { package: id, pack, folders, locked, listed_type: listed_type(entry.stem()) }
    }
}

/// Returns the type of the documents in a list or file with this name.
fn listed_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "actors" | "actor" => "Actor",
        "items" | "item" => "Item",
        "journal" | "journals" | "journalEntries" => "JournalEntry",
        "folders" => "Folder",
        "users" => "User",
        "scenes" | "tables" | "macros" | "playlists" | "cards" | "combats" | "messages" | "settings" | "fog"
        | "chat" => "",
        _ => return None,
    })
}

impl LoadedDocuments {
    /// Reads a NeDB file. NeDB never changes a line, but appends a new one. If several lines have the same id, only the
    /// last one counts, which may also delete the document.
    fn read_nedb(
        &mut self,
        folder: &Folder,
        entry: &FolderEntry,
        document_source: &mut DocumentSource,
        notes: &mut Notes,
    ) {
        let Some(text) = folder.text(entry, notes) else { return };
        let mut last_index: HashMap<String, usize> = HashMap::new();
        let mut lines: Vec<Option<Tree>> = Vec::new();
        for line in Tree::lines(&text, folder.limits()) {
            match line {
                Err((line, reason)) => notes.warn(&*entry.path, line, format!("skipped a document: {reason}")),
                Ok(tree) => {
                    let id = tree.get("_id").to_text().unwrap_or_default();
                    let is_deleted = tree.get("$$deleted").is_true();
                    if let Some(previous) = last_index.insert(id, lines.len())
                        && let Some(previous) = lines.get_mut(previous)
                    {
                        *previous = None;
                    }
                    lines.push((!is_deleted).then_some(tree));
                }
            }
        }
        for tree in lines.into_iter().flatten() {
            self.add_tree(tree, text.file, document_source, 0);
        }
    }

    /// Adds the documents in a tree: a single document, a list, or a container of lists such as an export of a world or
    /// an adventure.
    fn add_tree(&mut self, mut tree: Tree, file: FileId, document_source: &mut DocumentSource, depth: usize) {
        if depth > 4 {
            return;
        }
        if let Some(calendar) = read_simple_calendar(&tree) {
            self.calendar.get_or_insert(calendar);
            return;
        }
        if let Data::List(items) = tree.data {
            for item in items {
                self.add_tree(item, file, document_source, depth + 1);
            }
            return;
        }
        let Some(kind) = detect_type(&tree, document_source.listed_type) else {
            let Data::Map(entries) = &mut tree.data else { return };
            for (name, value) in std::mem::take(entries) {
                if matches!(value.data, Data::List(_)) && listed_type(&name).is_some() {
                    let outer_type = std::mem::replace(&mut document_source.listed_type, listed_type(&name));
                    self.add_tree(value, file, document_source, depth + 1);
                    document_source.listed_type = outer_type;
                } else if &*name == "world" || &*name == "data" && depth < 2 {
                    if let Some(title) = value.get("title").text() {
                        self.world = Some(title.to_owned());
                    }
                    self.add_tree(value, file, document_source, depth + 1);
                }
            }
            return;
        };
        let id_from_key = tree.get("_key").to_text().and_then(|key| key.rsplit('!').next().map(str::to_owned));
        let id = tree.get("_id").to_text().or_else(|| id_from_key.clone()).or_else(|| tree.get("name").to_text());
        let Some(id) = id else { return };
        let document_type = match kind {
            "Folder" => {
                let name = tree.get("name").to_text().unwrap_or_default();
                let parent = tree.get("folder").to_text().or_else(|| tree.get("parent").to_text());
                self.folders.insert(id, (name, parent));
                return;
            }
            "User" => {
                self.users.insert(id, tree.get("character").to_text());
                return;
            }
            "JournalEntryPage" => {
                let journal = id_from_key.and_then(|key| key.split_once('.').map(|(journal, _)| journal.to_owned()));
                self.pages.extend(journal.map(|journal| (journal, file, tree)));
                return;
            }
            "Actor" => DocumentType::Actor,
            "Item" => DocumentType::Item,
            "JournalEntry" => DocumentType::Journal,
            _ => return,
        };
        // Most data of an actor are the rules of its items. They are dropped to save memory.
        tree.remove_keys(&["effects", "prototypeToken", "token", "img", "_stats.systemId"]);
        if let Some(Tree { data: Data::List(items), .. }) = tree.get_mut("items") {
            for item in items {
                item.remove_keys(&["system", "data", "effects", "flags", "_stats", "img"]);
            }
        }
        let name = document_type.as_str();
        let key = match &document_source.pack {
            Some(pack) => format!("Compendium.{}.{pack}.{name}.{id}", document_source.package),
            None => format!("{name}.{id}"),
        };
        self.documents.push(Doc {
            file,
            document_type,
            id,
            key,
            package: document_source.package.clone(),
            pack: document_source.pack.clone(),
            folders: document_source.folders.clone(),
            locked: document_source.locked,
            tree,
        });
    }

    /// Moves separately stored pages into their journals. If several pages have the same id, the last of them counts.
    fn attach_pages(&mut self) {
        let mut journals: HashMap<&str, usize> = HashMap::new();
        for (index, doc) in
            self.documents.iter().enumerate().filter(|(_, doc)| doc.document_type == DocumentType::Journal)
        {
            journals.entry(&doc.id).or_insert(index);
        }
        let mut adopted: BTreeMap<usize, Vec<(FileId, Tree)>> = BTreeMap::new();
        for (journal, file, page) in std::mem::take(&mut self.pages) {
            if let Some(index) = journals.get(journal.as_str()) {
                adopted.entry(*index).or_default().push((file, page));
            }
        }
        for (index, pages) in adopted {
            self.documents[index].attach_pages(pages);
        }
    }
}

impl Doc {
    fn attach_pages(&mut self, adopted: Vec<(FileId, Tree)>) {
        let file = self.file;
        let Data::Map(entries) = &mut self.tree.data else { return };
        let mut last_index: HashMap<Option<String>, usize> = HashMap::new();
        for (index, (_, page)) in adopted.iter().enumerate() {
            last_index.insert(page.get("_id").to_text(), index);
        }
        let is_last = |index: usize, page: &Tree| last_index.get(&page.get("_id").to_text()) == Some(&index);
        let mut pages = Vec::new();
        for (index, (page_file, mut page)) in adopted.into_iter().enumerate() {
            if !is_last(index, &page) {
                continue;
            }
            // The evidence of a page names the file of its journal. If the page is in another file, its positions are
            // removed.
            if page_file != file {
                clear_positions(&mut page);
            }
            pages.push(page);
        }
        match entries.iter_mut().find(|(name, _)| &**name == "pages") {
            Some((_, Tree { data: Data::List(existing), .. })) => {
                existing.retain(|existing| {
                    !matches!(existing.data, Data::Text(_)) && !last_index.contains_key(&existing.get("_id").to_text())
                });
                existing.append(&mut pages);
            }
            _ => {
                let (span, line) = pages.first().map_or((0..0, 0), |page| (page.span.clone(), page.line));
                entries.push(("pages".into(), Tree { span, line, data: Data::List(pages) }));
            }
        }
    }
}

fn clear_positions(tree: &mut Tree) {
    (tree.span, tree.line) = (0..0, 0);
    match &mut tree.data {
        Data::List(items) => items.iter_mut().for_each(clear_positions),
        Data::Map(entries) => entries.iter_mut().for_each(|(_, value)| clear_positions(value)),
        _ => {}
    }
}

/// Reads the calendar from a setting of Simple Calendar, or from an export of that module.
fn read_simple_calendar(tree: &Tree) -> Option<Calendar> {
    let key = tree.get("key").text().unwrap_or_default();
    let calendars = match key {
        "foundryvtt-simple-calendar.calendar-configuration" => calendar::tree_to_json(tree.get("value")),
        _ if !tree.get("exportVersion").is_null() => calendar::tree_to_json(tree.get("calendars")),
        _ => return None,
    };
    calendars.as_array()?.iter().find_map(calendar::from_simple_calendar)
}

/// Returns the type of a document, from its key, from the list that contains it, or from its shape.
fn detect_type(tree: &Tree, listed_type: Option<&'static str>) -> Option<&'static str> {
    if !matches!(tree.data, Data::Map(_)) {
        return None;
    }
    let key = tree.get("_key").to_text().unwrap_or_default();
    let collection = key.strip_prefix('!').and_then(|key| key.split('!').next()).unwrap_or_default();
    match collection {
        "actors" => return Some("Actor"),
        "items" => return Some("Item"),
        "journal" => return Some("JournalEntry"),
        "journal.pages" => return Some("JournalEntryPage"),
        "folders" => return Some("Folder"),
        "" | "adventures" => {}
        _ => return Some(""),
    }
    let has_field = |name: &str| !tree.get(name).is_null();
    let is_named =
        has_field("name") && (has_field("_id") || has_field("system") || has_field("data") || has_field("pages"));
    if collection == "adventures" || !is_named && !has_field("_id") {
        return None;
    }
    let has_document_lists =
        ["actors", "journal", "scenes"].iter().any(|name| matches!(tree.get(name).data, Data::List(_)));
    if has_document_lists && !has_field("system") {
        return None;
    }
    let kind = tree.get("type").text().unwrap_or_default();
    if let Some(listed_type) = listed_type {
        return Some(listed_type);
    }
    if matches!(tree.get("pages").data, Data::List(_)) {
        return Some("JournalEntry");
    }
    if has_field("prototypeToken")
        || has_field("token")
        || matches!(tree.get("items").data, Data::List(_)) && has_field("type")
    {
        return Some("Actor");
    }
    if ["Actor", "Item", "JournalEntry", "Scene", "RollTable", "Macro", "Playlist", "Cards", "Compendium"]
        .contains(&kind)
    {
        return Some("Folder");
    }
    let data = system(tree);
    if matches!(data.data, Data::Map(_)) && has_field("type") {
        let is_person = !data.get("details").is_null() || !data.get("attributes").is_null();
        return Some(if is_person && data.get("rarity").is_null() && data.get("quantity").is_null() {
            "Actor"
        } else {
            "Item"
        });
    }
    (has_field("content") && has_field("name")).then_some("JournalEntry")
}
