//! The strict YAML campaign of Glyphoxa, in both published layouts: each relation within its entity, or all relations
//! in a separate list.
//!
//! If an entity has a `visibility`, only the knowers in it know the entity. Only the NPC itself knows its secret
//! knowledge. Behavior rules are for the DM.

use std::collections::HashMap;

use hearsay_model::{ExternalId, Kind, PredicateRole};

use crate::{
    Folder, Format, ReadOptions,
    import::{
        Link, Note, NoteReader, Notes, Relation, Score, Sure, Target, Visibility, lexicon,
        markup::no_links,
        tree::{self, Data, Markup, Pen, Tree, Writing},
    },
    names::name_key,
};

/// The reader for Glyphoxa campaigns.
pub(crate) struct Glyphoxa;

const TOOL: &str = "glyphoxa";

impl NoteReader for Glyphoxa {
    fn format(&self) -> Format {
        Format::Glyphoxa
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let entries = folder.files().filter(|entry| entry.has_extension(&["yaml", "yml", "json"])).take(32);
        let mut best = None;
        for entry in entries {
            let head = String::from_utf8_lossy(&folder.head(entry, 64 << 10)).into_owned();
            let line = |start: &str| head.lines().any(|line| line.starts_with(start));
            let typed = head.lines().any(|line| line.trim_start().trim_start_matches("- ").starts_with("type:"))
                || head.contains(", type:")
                || head.contains("{type:");
            let json = head.contains("\"entities\"") && head.contains("\"type\"") && !head.contains("\"_id\"");
            if line("entities:") && typed || json {
                let score = if line("campaign:") || line("relationships:") { Score::SURE } else { Score::LIKELY };
                best = best.max(Some(score));
            }
        }
        best
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["yaml", "yml", "json"]);
        let mut campaign = Campaign::default();
        let mut relations = Vec::new();
        for document in &documents {
            let pen = Pen { file: document.file };
            let head = document.tree.get("campaign");
            for (name, place) in
                [("name", &mut notes.name), ("description", &mut notes.description), ("system", &mut notes.system)]
            {
                if let Some(text) = head.get(name).text() {
                    *place = text.trim().to_owned();
                }
            }
            let mut found = 0;
            for list in
                [document.tree.get("entities"), document.tree.get("npcs"), head.get("entities"), head.get("npcs")]
            {
                let npcs = std::ptr::eq(list, document.tree.get("npcs")) || std::ptr::eq(list, head.get("npcs"));
                for entity in list.items() {
                    found += 1;
                    campaign.entity(entity, pen, npcs && !list.is_null(), &document.path, notes);
                }
            }
            for list in [document.tree.get("relationships"), head.get("relationships")] {
                found += list.items().len();
                relations.extend(list.items().into_iter().map(|relation| (relation, pen)));
            }
            if found == 0 && head.is_null() {
                notes.skip(&*document.path, "no `entities`: expected a campaign of Glyphoxa");
            }
        }
        let mut written: Vec<Note> = campaign.entities.iter().map(|held| campaign.note(held)).collect();
        for (relation, pen) in relations {
            let end = |names: [&str; 4]| names.iter().find_map(|name| relation.get(name).word());
            let source = end(["source", "source_id", "source_name", "from"]);
            let target = end(["target", "target_id", "target_name", "to"]);
            let place = source.as_deref().and_then(|source| campaign.place(source));
            match (place, target) {
                (Some(place), Some(target)) => {
                    let seen = visibility(relation, &campaign);
                    let link = campaign.link(relation, &target, pen, "relationships", &seen);
                    if let Some(note) = written.get_mut(place) {
                        note.links.push(link);
                    }
                }
                _ => {
                    let path = notes.path(pen.file).to_owned();
                    let shown = source.unwrap_or_else(|| "nobody".into());
                    notes.warn(
                        path,
                        relation.line,
                        format!("skipped a relation of `{shown}`, which is not an entity of the file"),
                    );
                }
            }
        }
        notes.notes.append(&mut written);
    }
}

struct Held<'a> {
    tree: &'a Tree,
    pen: Pen,
    key: String,
    name: String,
    npc: bool,
}

#[derive(Default)]
struct Campaign<'a> {
    entities: Vec<Held<'a>>,
    by_key: HashMap<String, usize>,
    /// The index of the entity with each normalized name; `None` if several entities have this name.
    by_name: HashMap<String, Option<usize>>,
}

impl<'a> Campaign<'a> {
    fn entity(&mut self, tree: &'a Tree, pen: Pen, npc: bool, path: &str, notes: &mut Notes) {
        let Some(name) = tree.get("name").word() else {
            return notes.warn(path, tree.line, "skipped an entity without a `name`");
        };
        let id = tree.get("id").word();
        let mut key = id.unwrap_or_else(|| hearsay_model::slug(&name));
        if self.by_key.contains_key(&key) {
            notes.warn(path, tree.line, format!("two entities have the id `{key}`"));
            key = format!("{key}@{path}:{}", tree.line);
        }
        let place = self.entities.len();
        self.by_key.insert(key.clone(), place);
        let named = self.by_name.entry(name_key(&name)).or_insert(Some(place));
        if *named != Some(place) {
            *named = None;
        }
        self.entities.push(Held { tree, pen, key, name, npc });
    }

    /// Returns the index of an entity by its id or name.
    fn place(&self, word: &str) -> Option<usize> {
        let word = word.trim();
        let by_name = || self.by_name.get(&name_key(word)).copied().flatten();
        self.by_key.get(word).copied().or_else(by_name)
    }

    fn target(&self, word: &str) -> Target {
        let held = self.place(word).and_then(|place| self.entities.get(place));
        held.map_or_else(|| Target::Name(word.trim().to_owned()), |held| Target::Key(held.key.clone()))
    }

    fn link(&self, tree: &Tree, target: &str, pen: Pen, place: &str, visibility: &Visibility) -> Link {
        let words = ["type", "relation", "relationship"].iter().find_map(|name| tree.get(name).text());
        let words = words.unwrap_or(PredicateRole::Related.name());
        let attitude = ["attitude", "disposition"].iter().find_map(|name| tree.get(name).integer());
        let both_ways = tree.get("bidirectional").is_true();
        let rank = tree.get("role").text().or(tree.get("rank").text()).map(str::to_owned);
        let since = tree.get("since").word();
        let until = tree.get("until").word();
        let relation = Relation { both_ways, attitude, rank, since, until, ..Relation::typed(words) };
        let mut link = pen.link(self.target(target), relation, tree, place, visibility);
        link.label = Some(target.to_owned());
        link
    }

    fn note(&self, held: &Held) -> Note {
        let (tree, pen) = (held.tree, held.pen);
        let open = visibility(tree, self);
        let mut note = Note {
            key: held.key.clone(),
            tool: TOOL,
            ids: Vec::<ExternalId>::new(),
            name: held.name.trim().to_owned(),
            origin: pen.origin(tree.get("name"), "name"),
            visibility: open.clone(),
            ..Note::default()
        };
        let kind = tree.get("type").text().or(tree.get("kind").text()).unwrap_or(if held.npc { "npc" } else { "" });
        let kind = lexicon::kind(kind).or_else(|| (!kind.trim().is_empty()).then(|| Kind::from(kind)));
        if let Some(kind) = kind {
            note.player = kind == Kind::Player;
            note.guess(kind, Sure::Typed, "type");
        }
        for name in ["aliases", "alias"] {
            note.fields.extend(pen.field("aliases", tree.get(name), name, &open));
        }
        note.fields.extend(pen.field("tag", tree.get("tags"), "tags", &open));
        note.fields.extend(pen.field("knowledge_scope", tree.get("knowledge_scope"), "knowledge_scope", &open));
        for map in ["properties", "attributes"] {
            for (name, value) in tree.get(map).entries() {
                note.fields.extend(pen.field(name, value, &format!("{map}.{name}"), &open));
            }
        }
        let own = Visibility::Secret(vec![Target::Key(held.key.clone())]);
        let hidden = |name: &str| match name {
            "secret_knowledge" => own.clone(),
            "behavior_rules" | "behaviour_rules" | "secrets" | "gm_notes" | "dm_notes" => Visibility::SECRET,
            _ => open.clone(),
        };
        let texts = [
            "description",
            "personality",
            "backstory",
            "knowledge",
            "secret_knowledge",
            "secrets",
            "behavior_rules",
            "behaviour_rules",
            "gm_notes",
            "dm_notes",
        ];
        for name in texts {
            let visibility = hidden(name);
            let heading = Some(name.replace('_', " ")).filter(|_| name != "description");
            for one in tree.get(name).each() {
                let first = note.texts.len();
                let style = no_links();
                let writing =
                    Writing { field: name, heading: None, markup: Markup::Markdown, visibility: &visibility, style };
                pen.blocks(one, &writing, &mut note.texts);
                for block in note.texts.iter_mut().skip(first) {
                    let headings = heading.iter().cloned().chain(block.headings.iter().cloned());
                    block.headings = headings.collect();
                }
            }
        }
        for relation in tree.get("relationships").items() {
            let target = ["target_id", "target_name", "target", "to"].iter().find_map(|name| relation.get(name).word());
            let Some(target) = target else { continue };
            let seen = visibility(relation, self).within(&open);
            note.links.push(self.link(relation, &target, pen, "relationships", &seen));
        }
        note
    }
}

/// Returns who may know an entity or a relation. The field `visibility` contains the names of the knowers. If it
/// contains no names, the audience rules decide.
fn visibility(tree: &Tree, campaign: &Campaign) -> Visibility {
    if ["secret", "private", "gm_only", "dm_only", "hidden"].iter().any(|name| tree.get(name).is_marked()) {
        return Visibility::SECRET;
    }
    let list = tree.get("visibility");
    let wrong = matches!(list.data, Data::Map(_) | Data::Number(_));
    let names: Vec<String> = list.each().into_iter().filter_map(Tree::word).collect();
    let open = ["all", "everyone", "everybody", "public", "players", "*", "true"];
    match () {
        () if wrong => Visibility::SECRET,
        () if names.is_empty() && list.items().is_empty() => Visibility::Unmarked,
        () if names.iter().any(|name| open.contains(&name.to_lowercase().as_str())) => Visibility::Unmarked,
        () => Visibility::Secret(
            names.iter().filter(|name| campaign.place(name).is_some()).map(|name| campaign.target(name)).collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
