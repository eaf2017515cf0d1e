//! Loading of the documents of all files, in every supported container.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hearsay_model::Calendar;

use super::document::{Doc, Docs, What, system};
use crate::{
    Entry, Folder, ReadOptions,
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
const LOOKED_AT: usize = 48;

pub(super) fn detect(folder: &Folder) -> Option<Score> {
    let candidates = folder.files().filter(|entry| entry.has_extension(&["json", "yaml", "yml", "db"]));
    for entry in candidates.take(LOOKED_AT) {
        let head = String::from_utf8_lossy(&folder.head(entry, 32 << 10)).into_owned();
        let key = ["_key: '!", "_key: \"!", "\"_key\": \"!", "\"_key\":\"!"].iter().any(|sign| head.contains(sign));
        let has = |name: &str| head.contains(&format!("\"{name}\""));
        let id = has("_id") || head.lines().any(|line| line.starts_with("_id:"));
        let shape = has("prototypeToken") || has("pages") || has("ownership") || has("permission") || has("system");
        let world = has("actors") && (has("journal") || has("items")) && id;
        let yaml =
            head.lines().any(|line| line.starts_with("_id:")) && head.lines().any(|line| line.starts_with("name:"));
        if key || id && shape || world || yaml {
            // A Markdown vault may contain a few exported documents. In this case, the score is lower.
            let (notes, documents): (Vec<_>, Vec<_>) = folder.files().partition(|entry| entry.has_extension(&["md"]));
            return Some(if notes.len() > documents.len() { Score(40) } else { Score::SURE });
        }
    }
    folder.files().any(is_level_db).then_some(Score::POSSIBLE)
}

fn is_level_db(entry: &Entry) -> bool {
    entry.name() == "CURRENT" || entry.has_extension(&["ldb"]) || entry.name().starts_with("MANIFEST-")
}

pub(super) fn load(folder: &Folder, options: &ReadOptions, notes: &mut Notes) -> Docs {
    let packages = packages(folder, notes);
    let mut docs = Docs { open_packs: options.open_folders, ..Docs::default() };
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
        let mut from = Source::new(entry, &packages, folder.name());
        if entry.has_extension(&["db"]) {
            docs.nedb(folder, entry, &mut from, notes);
            continue;
        }
        let Some(text) = folder.text(entry, notes) else { continue };
        match folder.tree(&text, &entry.path) {
            Err(why) => notes.skip(&*entry.path, why),
            Ok(tree) => {
                let dated = docs.calendar.is_some();
                let (before, folders) = (docs.docs.len() + docs.pages.len(), docs.folders.len() + docs.users.len());
                docs.take(tree, text.file, &mut from, 0);
                let none = docs.docs.len() + docs.pages.len() == before;
                let none = none && docs.calendar.is_some() == dated;
                if none && docs.folders.len() + docs.users.len() == folders {
                    notes.skip(&*entry.path, "no actor, item or journal of Foundry found");
                }
            }
        }
    }
    for path in level_db {
        let why = "a compendium in LevelDB, which Hearsay cannot read: unpack it to JSON or YAML with Foundry's command-line tool (`fvtt package unpack`), or export its documents as JSON";
        notes.skip(if path.is_empty() { "." } else { &path }, why);
    }
    docs.adopt();
    docs
}

fn is_manifest(name: &str) -> bool {
    ["module.json", "system.json", "world.json", "package.json", "package-lock.json", "template.json", "tsconfig.json"]
        .contains(&name)
}

fn packages(folder: &Folder, notes: &mut Notes) -> Vec<Package> {
    let mut packages = Vec::new();
    for entry in folder.files().filter(|entry| ["module.json", "system.json", "world.json"].contains(&entry.name())) {
        let Some(text) = folder.text(entry, notes) else { continue };
        let tree = match folder.tree(&text, &entry.path) {
            Ok(tree) => tree,
            Err(why) => {
                notes.skip(&*entry.path, why);
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
        let id = tree.get("id").word().or_else(|| tree.get("name").word()).unwrap_or_default();
        let locked = |pack: &&Tree| {
            let player = pack.path("ownership.PLAYER").word().unwrap_or_default();
            pack.get("private").is_marked() || ["NONE", "0"].contains(&player.to_uppercase().as_str())
        };
        let packs = tree.get("packs").items();
        let locked = packs.iter().filter(|pack| locked(pack)).filter_map(|pack| pack.get("name").word()).collect();
        let below = entry.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        packages.push(Package { folder: below, id, locked });
    }
    // A file belongs to the innermost package that contains it.
    packages.sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
    packages
}

/// The origin of the documents in a file.
struct Source {
    package: String,
    pack: Option<String>,
    folders: Vec<String>,
    locked: bool,
    /// The type of documents in the current file or list, according to its name.
    holds: Option<&'static str>,
}

impl Source {
    fn new(entry: &Entry, packages: &[Package], root: &str) -> Self {
        let package = packages.iter().find(|package| entry.path.starts_with(&package.folder));
        let folders: Vec<&str> = entry.folders().collect();
        let packs = folders.iter().position(|name| *name == "packs" || *name == "_source");
        let id = match (package, packs) {
            (Some(package), _) => package.id.clone(),
            (None, Some(at)) => {
                let before = folders[..at].iter().rev().find(|name| !["src", "data", "packs"].contains(*name));
                before.map_or_else(|| root.to_owned(), |name| (*name).to_owned())
            }
            (None, None) => root.to_owned(),
        };
        let below: Vec<&str> =
            packs.map_or(&[][..], |at| &folders[at + 1..]).iter().copied().filter(|name| *name != "_source").collect();
        let pack = packs.map(|_| below.first().map_or_else(|| entry.stem().to_owned(), |name| (*name).to_owned()));
        let locked = match (package, &pack) {
            (Some(package), Some(pack)) => package.locked.contains(pack),
            _ => false,
        };
        let folders = below.iter().skip(1).map(|name| (*name).to_owned()).collect();
        Self { package: id, pack, folders, locked, holds: holds(entry.stem()) }
    }
}

/// Returns the type of the documents in a list or file with this name.
fn holds(name: &str) -> Option<&'static str> {
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

impl Docs {
    /// Reads a NeDB file. NeDB never changes a line, but appends a new one. If several lines have the same id, only the
    /// last one counts, which may also delete the document.
    fn nedb(&mut self, folder: &Folder, entry: &Entry, from: &mut Source, notes: &mut Notes) {
        let Some(text) = folder.text(entry, notes) else { return };
        let mut last: HashMap<String, usize> = HashMap::new();
        let mut lines: Vec<Option<Tree>> = Vec::new();
        for line in Tree::lines(&text, folder.limits()) {
            match line {
                Err((line, why)) => notes.warn(&*entry.path, line, format!("skipped a document: {why}")),
                Ok(tree) => {
                    let id = tree.get("_id").word().unwrap_or_default();
                    let gone = tree.get("$$deleted").is_true();
                    if let Some(before) = last.insert(id, lines.len())
                        && let Some(before) = lines.get_mut(before)
                    {
                        *before = None;
                    }
                    lines.push((!gone).then_some(tree));
                }
            }
        }
        for tree in lines.into_iter().flatten() {
            self.take(tree, text.file, from, 0);
        }
    }

    /// Adds the documents in a tree: a single document, a list, or a container of lists such as an export of a world or
    /// an adventure.
    fn take(&mut self, mut tree: Tree, file: FileId, from: &mut Source, depth: usize) {
        if depth > 4 {
            return;
        }
        if let Some(calendar) = simple_calendar(&tree) {
            self.calendar.get_or_insert(calendar);
            return;
        }
        if let Data::List(items) = tree.data {
            for item in items {
                self.take(item, file, from, depth + 1);
            }
            return;
        }
        let Some(kind) = kind(&tree, from.holds) else {
            let Data::Map(entries) = &mut tree.data else { return };
            for (name, list) in std::mem::take(entries) {
                if matches!(list.data, Data::List(_)) && holds(&name).is_some() {
                    let outer = std::mem::replace(&mut from.holds, holds(&name));
                    self.take(list, file, from, depth + 1);
                    from.holds = outer;
                } else if &*name == "world" || &*name == "data" && depth < 2 {
                    if let Some(title) = list.get("title").text() {
                        self.world = Some(title.to_owned());
                    }
                    self.take(list, file, from, depth + 1);
                }
            }
            return;
        };
        let keyed = tree.get("_key").word().and_then(|key| key.rsplit('!').next().map(str::to_owned));
        let id = tree.get("_id").word().or_else(|| keyed.clone()).or_else(|| tree.get("name").word());
        let Some(id) = id else { return };
        let what = match kind {
            "Folder" => {
                let name = tree.get("name").word().unwrap_or_default();
                let parent = tree.get("folder").word().or_else(|| tree.get("parent").word());
                self.folders.insert(id, (name, parent));
                return;
            }
            "User" => {
                self.users.insert(id, tree.get("character").word());
                return;
            }
            "JournalEntryPage" => {
                let journal = keyed.and_then(|key| key.split_once('.').map(|(journal, _)| journal.to_owned()));
                self.pages.extend(journal.map(|journal| (journal, file, tree)));
                return;
            }
            "Actor" => What::Actor,
            "Item" => What::Item,
            "JournalEntry" => What::Journal,
            _ => return,
        };
        // Most data of an actor are the rules of its items. They are dropped to save memory.
        tree.forget(&["effects", "prototypeToken", "token", "img", "_stats.systemId"]);
        if let Some(Tree { data: Data::List(items), .. }) = tree.get_mut("items") {
            for item in items {
                item.forget(&["system", "data", "effects", "flags", "_stats", "img"]);
            }
        }
        let name = what.as_str();
        let key = match &from.pack {
            Some(pack) => format!("Compendium.{}.{pack}.{name}.{id}", from.package),
            None => format!("{name}.{id}"),
        };
        self.docs.push(Doc {
            file,
            what,
            id,
            key,
            package: from.package.clone(),
            pack: from.pack.clone(),
            folders: from.folders.clone(),
            locked: from.locked,
            tree,
        });
    }

    /// Moves separately stored pages into their journals. If several pages have the same id, the last of them counts.
    fn adopt(&mut self) {
        let mut journals: HashMap<&str, usize> = HashMap::new();
        for (number, doc) in self.docs.iter().enumerate().filter(|(_, doc)| doc.what == What::Journal) {
            journals.entry(&doc.id).or_insert(number);
        }
        let mut adopted: BTreeMap<usize, Vec<(FileId, Tree)>> = BTreeMap::new();
        for (journal, file, page) in std::mem::take(&mut self.pages) {
            if let Some(number) = journals.get(journal.as_str()) {
                adopted.entry(*number).or_default().push((file, page));
            }
        }
        for (number, pages) in adopted {
            self.docs[number].adopt(pages);
        }
    }
}

impl Doc {
    fn adopt(&mut self, adopted: Vec<(FileId, Tree)>) {
        let file = self.file;
        let Data::Map(entries) = &mut self.tree.data else { return };
        let mut last: HashMap<Option<String>, usize> = HashMap::new();
        for (number, (_, page)) in adopted.iter().enumerate() {
            last.insert(page.get("_id").word(), number);
        }
        let counts = |number: usize, page: &Tree| last.get(&page.get("_id").word()) == Some(&number);
        let mut pages = Vec::new();
        for (number, (from, mut page)) in adopted.into_iter().enumerate() {
            if !counts(number, &page) {
                continue;
            }
            // The evidence of a page names the file of its journal. If the page is in another file, its positions are
            // removed.
            if from != file {
                unplaced(&mut page);
            }
            pages.push(page);
        }
        match entries.iter_mut().find(|(name, _)| &**name == "pages") {
            Some((_, Tree { data: Data::List(held), .. })) => {
                held.retain(|held| !matches!(held.data, Data::Text(_)) && !last.contains_key(&held.get("_id").word()));
                held.append(&mut pages);
            }
            _ => {
                let (at, line) = pages.first().map_or((0..0, 0), |page| (page.at.clone(), page.line));
                entries.push(("pages".into(), Tree { at, line, data: Data::List(pages) }));
            }
        }
    }
}

fn unplaced(tree: &mut Tree) {
    (tree.at, tree.line) = (0..0, 0);
    match &mut tree.data {
        Data::List(items) => items.iter_mut().for_each(unplaced),
        Data::Map(entries) => entries.iter_mut().for_each(|(_, value)| unplaced(value)),
        _ => {}
    }
}

/// Reads the calendar from a setting of Simple Calendar, or from an export of that module.
fn simple_calendar(tree: &Tree) -> Option<Calendar> {
    let key = tree.get("key").text().unwrap_or_default();
    let calendars = match key {
        "foundryvtt-simple-calendar.calendar-configuration" => calendar::value(tree.get("value")),
        _ if !tree.get("exportVersion").is_null() => calendar::value(tree.get("calendars")),
        _ => return None,
    };
    calendars.as_array()?.iter().find_map(calendar::of_simple_calendar)
}

/// Returns the type of a document, from its key, from the list that contains it, or from its shape.
fn kind(tree: &Tree, holds: Option<&'static str>) -> Option<&'static str> {
    if !matches!(tree.data, Data::Map(_)) {
        return None;
    }
    let key = tree.get("_key").word().unwrap_or_default();
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
    let has = |name: &str| !tree.get(name).is_null();
    let named = has("name") && (has("_id") || has("system") || has("data") || has("pages"));
    if collection == "adventures" || !named && !has("_id") {
        return None;
    }
    let lists = ["actors", "journal", "scenes"].iter().any(|name| matches!(tree.get(name).data, Data::List(_)));
    if lists && !has("system") {
        return None;
    }
    let kind = tree.get("type").text().unwrap_or_default();
    if let Some(holds) = holds {
        return Some(holds);
    }
    if matches!(tree.get("pages").data, Data::List(_)) {
        return Some("JournalEntry");
    }
    if has("prototypeToken") || has("token") || matches!(tree.get("items").data, Data::List(_)) && has("type") {
        return Some("Actor");
    }
    if ["Actor", "Item", "JournalEntry", "Scene", "RollTable", "Macro", "Playlist", "Cards", "Compendium"]
        .contains(&kind)
    {
        return Some("Folder");
    }
    let data = system(tree);
    if matches!(data.data, Data::Map(_)) && has("type") {
        let person = !data.get("details").is_null() || !data.get("attributes").is_null();
        return Some(if person && data.get("rarity").is_null() && data.get("quantity").is_null() {
            "Actor"
        } else {
            "Item"
        });
    }
    (has("content") && has("name")).then_some("JournalEntry")
}
