//! Reads YAML campaigns of the tool Glyphoxa. Relations can be inside their entities or in a separate list.
//!
//! If an entity has the field `visibility`, only the knowers in this field know the entity. Only an NPC itself knows
//! its secret knowledge. Behavior rules are for the DM only.

use std::collections::HashMap;

use hearsay_model::{ExternalId, Kind, PredicateRole};

use crate::{
    Folder, Format, ReadOptions,
    import::{
        Certainty, LinkRelation, LinkTarget, Note, NoteLink, NoteReader, Notes, Score, Visibility, lexicon,
        markup::no_links,
        tree::{self, Data, Markup, TextConversion, Tree, TreeConverter},
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
            let has_line = |start: &str| head.lines().any(|line| line.starts_with(start));
            let has_types = head.lines().any(|line| line.trim_start().trim_start_matches("- ").starts_with("type:"))
                || head.contains(", type:")
                || head.contains("{type:");
            let is_json = head.contains("\"entities\"") && head.contains("\"type\"") && !head.contains("\"_id\"");
            if has_line("entities:") && has_types || is_json {
                let score =
                    if has_line("campaign:") || has_line("relationships:") { Score::CERTAIN } else { Score::LIKELY };
                best = best.max(Some(score));
            }
        }
        best
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["yaml", "yml", "json"]);
        let mut campaign = GlyphoxaCampaign::default();
        let mut relations = Vec::new();
        for document in &documents {
            let converter = TreeConverter { file: document.file };
            let head = document.tree.get("campaign");
            for (name, destination) in
                [("name", &mut notes.name), ("description", &mut notes.description), ("system", &mut notes.system)]
            {
                if let Some(text) = head.get(name).text() {
                    *destination = text.trim().to_owned();
                }
            }
            let mut found = 0;
            for list in
                [document.tree.get("entities"), document.tree.get("npcs"), head.get("entities"), head.get("npcs")]
            {
                let is_npc_list = std::ptr::eq(list, document.tree.get("npcs")) || std::ptr::eq(list, head.get("npcs"));
                for entity in list.items() {
                    found += 1;
                    campaign.add_entity(entity, converter, is_npc_list && !list.is_null(), &document.path, notes);
                }
            }
            for list in [document.tree.get("relationships"), head.get("relationships")] {
                found += list.items().len();
                relations.extend(list.items().into_iter().map(|relation| (relation, converter)));
            }
            if found == 0 && head.is_null() {
                notes.skip(&*document.path, "no `entities`: expected a campaign of Glyphoxa");
            }
        }
        let mut converted: Vec<Note> = campaign.entities.iter().map(|record| campaign.convert_entity(record)).collect();
        for (relation, converter) in relations {
            let endpoint = |names: [&str; 4]| names.iter().find_map(|name| relation.get(name).to_text());
            let source = endpoint(["source", "source_id", "source_name", "from"]);
            let target = endpoint(["target", "target_id", "target_name", "to"]);
            let index = source.as_deref().and_then(|source| campaign.entity_index(source));
            match (index, target) {
                (Some(field_path), Some(target)) => {
                    let visibility = read_visibility(relation, &campaign);
                    let link = campaign.convert_link(relation, &target, converter, "relationships", &visibility);
                    if let Some(note) = converted.get_mut(field_path) {
                        note.links.push(link);
                    }
                }
                _ => {
                    let path = notes.path(converter.file).to_owned();
                    let source_name = source.unwrap_or_else(|| "nobody".into());
                    notes.warn(
                        path,
                        relation.line,
                        format!("skipped a relation of `{source_name}`, which is not an entity of the file"),
                    );
                }
            }
        }
        notes.notes.append(&mut converted);
    }
}

struct EntityRecord<'a> {
    tree: &'a Tree,
    converter: TreeConverter,
    key: String,
    name: String,
    is_npc: bool,
}

#[derive(Default)]
struct GlyphoxaCampaign<'a> {
    entities: Vec<EntityRecord<'a>>,
    by_key: HashMap<String, usize>,
    /// The index of the entity with each normalized name; `None` if several entities have this name.
    by_name: HashMap<String, Option<usize>>,
}

impl<'a> GlyphoxaCampaign<'a> {
    fn add_entity(&mut self, tree: &'a Tree, converter: TreeConverter, is_npc: bool, path: &str, notes: &mut Notes) {
        let Some(name) = tree.get("name").to_text() else {
            return notes.warn(path, tree.line, "skipped an entity without a `name`");
        };
        let id = tree.get("id").to_text();
        let mut key = id.unwrap_or_else(|| hearsay_model::slug(&name));
        if self.by_key.contains_key(&key) {
            notes.warn(path, tree.line, format!("two entities have the id `{key}`"));
            key = format!("{key}@{path}:{}", tree.line);
        }
        let index = self.entities.len();
        self.by_key.insert(key.clone(), index);
        let indexed = self.by_name.entry(name_key(&name)).or_insert(Some(index));
        if *indexed != Some(index) {
            *indexed = None;
        }
        self.entities.push(EntityRecord { tree, converter, key, name, is_npc });
    }

    /// Returns the index of an entity by its id or name.
    fn entity_index(&self, word: &str) -> Option<usize> {
        let word = word.trim();
        let find_by_name = || self.by_name.get(&name_key(word)).copied().flatten();
        self.by_key.get(word).copied().or_else(find_by_name)
    }

    fn link_target(&self, word: &str) -> LinkTarget {
        let record = self.entity_index(word).and_then(|index| self.entities.get(index));
        record.map_or_else(|| LinkTarget::Name(word.trim().to_owned()), |record| LinkTarget::Key(record.key.clone()))
    }

    fn convert_link(
        &self,
        tree: &Tree,
        target: &str,
        converter: TreeConverter,
        field_path: &str,
        visibility: &Visibility,
    ) -> NoteLink {
        let words = ["type", "relation", "relationship"].iter().find_map(|name| tree.get(name).text());
        let words = words.unwrap_or(PredicateRole::Related.name());
        let attitude = ["attitude", "disposition"].iter().find_map(|name| tree.get(name).integer());
        let bidirectional = tree.get("bidirectional").is_true();
        let rank = tree.get("role").text().or(tree.get("rank").text()).map(str::to_owned);
        let since = tree.get("since").to_text();
        let until = tree.get("until").to_text();
        let relation = LinkRelation { bidirectional, attitude, rank, since, until, ..LinkRelation::explicit(words) };
        let mut link = converter.link(self.link_target(target), relation, tree, field_path, visibility);
        link.label = Some(target.to_owned());
        link
    }

    fn convert_entity(&self, record: &EntityRecord) -> Note {
        let (tree, converter) = (record.tree, record.converter);
        let entity_visibility = read_visibility(tree, self);
        let mut note = Note {
            key: record.key.clone(),
            tool: TOOL,
            ids: Vec::<ExternalId>::new(),
            name: record.name.trim().to_owned(),
            origin: converter.origin(tree.get("name"), "name"),
            visibility: entity_visibility.clone(),
            ..Note::default()
        };
        let kind =
            tree.get("type").text().or(tree.get("kind").text()).unwrap_or(if record.is_npc { "npc" } else { "" });
        let kind = lexicon::kind(kind).or_else(|| (!kind.trim().is_empty()).then(|| Kind::from(kind)));
        if let Some(kind) = kind {
            note.is_player = kind == Kind::Player;
            note.set_kind(kind, Certainty::Explicit, "type");
        }
        for name in ["aliases", "alias"] {
            note.fields.extend(converter.field("aliases", tree.get(name), name, &entity_visibility));
        }
        note.fields.extend(converter.field("tag", tree.get("tags"), "tags", &entity_visibility));
        note.fields.extend(converter.field(
            "knowledge_scope",
            tree.get("knowledge_scope"),
            "knowledge_scope",
            &entity_visibility,
        ));
        for map in ["properties", "attributes"] {
            for (name, value) in tree.get(map).entries() {
                note.fields.extend(converter.field(name, value, &format!("{map}.{name}"), &entity_visibility));
            }
        }
        let own_secret = Visibility::Secret(vec![LinkTarget::Key(record.key.clone())]);
        let text_visibility = |name: &str| match name {
            "secret_knowledge" => own_secret.clone(),
            "behavior_rules" | "behaviour_rules" | "secrets" | "gm_notes" | "dm_notes" => Visibility::SECRET,
            _ => entity_visibility.clone(),
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
            let visibility = text_visibility(name);
            let heading = Some(name.replace('_', " ")).filter(|_| name != "description");
            for text in tree.get(name).as_list() {
                let first = note.texts.len();
                let link_syntax = no_links();
                let conversion = TextConversion {
                    field: name,
                    heading: None,
                    markup: Markup::Markdown,
                    visibility: &visibility,
                    style: link_syntax,
                };
                converter.add_blocks(text, &conversion, &mut note.texts);
                for block in note.texts.iter_mut().skip(first) {
                    let headings = heading.iter().cloned().chain(block.headings.iter().cloned());
                    block.headings = headings.collect();
                }
            }
        }
        for relation in tree.get("relationships").items() {
            let target =
                ["target_id", "target_name", "target", "to"].iter().find_map(|name| relation.get(name).to_text());
            let Some(target) = target else { continue };
            let link_visibility = read_visibility(relation, self).within(&entity_visibility);
            note.links.push(self.convert_link(relation, &target, converter, "relationships", &link_visibility));
        }
        note
    }
}

/// Returns the visibility of an entity or a relation. The field `visibility` contains the names of the knowers. If the
/// field contains no names, the audience rules decide.
fn read_visibility(tree: &Tree, campaign: &GlyphoxaCampaign) -> Visibility {
    if ["secret", "private", "gm_only", "dm_only", "hidden"].iter().any(|name| tree.get(name).is_marked()) {
        return Visibility::SECRET;
    }
    let list = tree.get("visibility");
    let is_malformed = matches!(list.data, Data::Map(_) | Data::Number(_));
    let names: Vec<String> = list.as_list().into_iter().filter_map(Tree::to_text).collect();
    let public_words = ["all", "everyone", "everybody", "public", "players", "*", "true"];
    match () {
        () if is_malformed => Visibility::SECRET,
        () if names.is_empty() && list.items().is_empty() => Visibility::Unmarked,
        () if names.iter().any(|name| public_words.contains(&name.to_lowercase().as_str())) => Visibility::Unmarked,
        () => Visibility::Secret(
            names
                .iter()
                .filter(|name| campaign.entity_index(name).is_some())
                .map(|name| campaign.link_target(name))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
