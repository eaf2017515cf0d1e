//! Reader for any JSON, YAML or CSV files. A mapping file defines the meaning of their fields. `MAPPING.md` describes
//! mapping files.

mod select;
mod spec;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::{
    Folder, FolderEntry, Format, ReadOptions,
    import::{
        Alias, Block, Certainty, EntityState, FieldValue, LinkRelation, LinkTarget, Note, NoteDate, NoteReader, Notes,
        Origin, Role, Score, SessionInfo, SourceText, Visibility, lexicon,
        markup::no_links,
        prose_list::split_list,
        quote, resolve,
        tree::{Data, TextConversion, Tree, TreeConverter, field_value},
    },
    names::name_key,
    regular_file::read_file,
};
use select::{matches_filter, select};
use spec::{KindSpec, MappingSpec, SourceSpec, ValueSpec};

/// The reader for files that have a mapping file.
pub(crate) struct Mapping;

const TOOL: &str = "mapping";

/// The score of a folder with a mapping file. This score is higher than all other scores, because a person wrote the
/// mapping for these files.
const MAPPING_SCORE: Score = Score(95);

impl NoteReader for Mapping {
    fn format(&self) -> Format {
        Format::Mapping
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        mapping_file(folder).map(|_| MAPPING_SCORE)
    }

    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
        let Some((path, spec)) = read_spec(folder, options, notes) else { return };
        notes.name = spec.name.clone().unwrap_or_else(|| notes.name.clone());
        notes.description.clone_from(&spec.description);
        notes.system.clone_from(&spec.system);
        let mut derived = DerivedEntities::default();
        for (index, source) in spec.sources.iter().enumerate() {
            let mut has_match = false;
            for entry in folder.files() {
                if entry.path == path || !source.files.iter().any(|pattern| select::matches_glob(pattern, &entry.path))
                {
                    continue;
                }
                has_match = true;
                read_file_records(folder, entry, source, notes, &mut derived);
            }
            if !has_match {
                let files = source.files.join(", ");
                notes.warn(&*path, source.line, format!("sources[{index}]: no file matches `{files}`"));
            }
        }
        derived.finish(notes);
    }
}

/// Returns a mapping file in the folder: `mapping.yaml` or `*.mapping.yaml` with the content `mapping: 1`.
fn mapping_file(folder: &Folder) -> Option<&FolderEntry> {
    let is_mapping_name = |entry: &&FolderEntry| {
        let name = entry.name().to_lowercase();
        entry.has_extension(&["yaml", "yml", "json"]) && (name.starts_with("mapping.") || name.contains(".mapping."))
    };
    let mut found = folder.files().filter(is_mapping_name);
    found.find(|entry| {
        let head = String::from_utf8_lossy(&folder.head(entry, 4 << 10)).into_owned();
        head.lines().any(|line| {
            let line: String = line.chars().filter(|c| !matches!(c, ' ' | '{' | '"' | '\t')).collect();
            line.strip_prefix("mapping:").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    })
}

/// Returns the path and the content of the mapping file.
fn read_spec(folder: &Folder, options: &ReadOptions, notes: &mut Notes) -> Option<(String, MappingSpec)> {
    let (path, text) = match &options.mapping {
        Some(path) => {
            let display_path = path.display().to_string();
            let bytes = match read_file(path, folder.limits().file_bytes) {
                Ok(bytes) => bytes,
                Err(error) => {
                    notes.skip(display_path, format!("the mapping cannot be read: {error}"));
                    return None;
                }
            };
            let file = notes.add_file(&display_path, &bytes);
            match SourceText::decode(file, bytes) {
                Ok(text) => (display_path, text),
                Err(reason) => {
                    notes.skip(display_path, reason);
                    return None;
                }
            }
        }
        None => {
            let Some(entry) = mapping_file(folder) else {
                notes.skip(folder.name(), "no mapping file found: pass one with --mapping; see MAPPING.md");
                return None;
            };
            (entry.path.clone(), folder.text(entry, notes)?)
        }
    };
    let spec = folder.tree(&text, &path).and_then(|tree| MappingSpec::read(&tree));
    match spec {
        Ok(spec) => Some((path, spec)),
        Err(reason) => {
            notes.skip(path, format!("{reason}; see MAPPING.md"));
            None
        }
    }
}

fn read_file_records(
    folder: &Folder,
    entry: &FolderEntry,
    source: &SourceSpec,
    notes: &mut Notes,
    derived: &mut DerivedEntities,
) {
    let Some(text) = folder.text(entry, notes) else { return };
    let path = source.format.as_ref().map_or_else(|| entry.path.clone(), |format| format!("file.{format}"));
    let is_line_based = path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".db");
    let mut trees = Vec::new();
    if is_line_based {
        for line in Tree::lines(&text, folder.limits()) {
            match line {
                Ok(tree) => trees.push(tree),
                Err((line, reason)) => notes.warn(&*entry.path, line, format!("skipped a line: {reason}")),
            }
        }
    } else {
        match folder.tree(&text, &path) {
            Ok(tree) => trees.push(tree),
            Err(reason) => return notes.skip(&*entry.path, reason),
        }
    }
    let (mut nameless_count, mut first_line) = (0, 0);
    for tree in &trees {
        for (key, record) in select(tree, &source.records) {
            let records = match &record.data {
                Data::List(items) => items.iter().map(|item| (String::new(), item)).collect(),
                _ => vec![(key, record)],
            };
            for (key, record) in records {
                if !source.filters.iter().all(|filter| matches_filter(record, &key, filter)) {
                    continue;
                }
                let writer =
                    RecordConverter { record, key: &key, source, converter: TreeConverter { file: text.file } };
                match writer.convert_record(derived) {
                    Some(note) => notes.notes.push(note),
                    None => {
                        nameless_count += 1;
                        first_line = if first_line == 0 { record.line } else { first_line };
                    }
                }
            }
        }
    }
    if nameless_count > 0 {
        notes.warn(&*entry.path, first_line, format!("skipped {nameless_count} records without a name"));
    }
}

/// Entities that are created from values, such as a realm that has no record of its own.
#[derive(Default)]
struct DerivedEntities {
    notes: Vec<Note>,
    indices: HashMap<String, usize>,
}

impl DerivedEntities {
    /// Returns the key of the entity that a value names. The entity is open if at least one of the records that name it
    /// is open.
    fn entity_key(
        &mut self,
        name: &str,
        kind: &hearsay_model::Kind,
        origin: &Origin,
        visibility: &Visibility,
    ) -> String {
        let key = format!("{}:{}", kind.as_str(), name_key(name));
        let index = *self.indices.entry(key.clone()).or_insert_with(|| {
            let mut note = Note {
                key: key.clone(),
                tool: TOOL,
                name: name.to_owned(),
                origin: origin.clone(),
                visibility: visibility.clone(),
                ..Note::default()
            };
            note.set_kind(kind.clone(), Certainty::Explicit, "the mapping");
            self.notes.push(note);
            self.notes.len() - 1
        });
        if let Some(note) = self.notes.get_mut(index)
            && note.visibility.is_secret()
            && !visibility.is_secret()
        {
            (note.visibility, note.origin) = (visibility.clone(), origin.clone());
        }
        key
    }

    /// Adds the created entities to the notes. If an entity already has a note, links point to that note.
    fn finish(self, notes: &mut Notes) {
        let mut keys_by_name: HashMap<String, Vec<String>> = HashMap::new();
        for note in &notes.notes {
            keys_by_name.entry(name_key(&note.name)).or_default().push(note.key.clone());
        }
        let mut replacements: HashMap<String, String> = HashMap::new();
        let mut unmatched = Vec::new();
        for note in self.notes {
            match keys_by_name.get(&name_key(&note.name)).map(Vec::as_slice) {
                Some([existing_key]) => {
                    replacements.insert(note.key, existing_key.clone());
                }
                _ => unmatched.push(note),
            }
        }
        for link in notes.notes.iter_mut().flat_map(|note| note.links.iter_mut()) {
            if let LinkTarget::Key(key) = &mut link.target
                && let Some(replacement) = replacements.get(key)
            {
                *key = replacement.clone();
            }
        }
        notes.notes.extend(unmatched);
    }
}

/// Converts one record.
struct RecordConverter<'a> {
    record: &'a Tree,
    key: &'a str,
    source: &'a SourceSpec,
    converter: TreeConverter,
}

impl<'a> RecordConverter<'a> {
    fn trees_at(&self, path: &str) -> Vec<&'a Tree> {
        select(self.record, path).into_iter().map(|(_, tree)| tree).filter(|tree| !tree.is_null()).collect()
    }

    fn text_at(&self, path: &str) -> Option<String> {
        if path == "$key" {
            return Some(self.key.to_owned()).filter(|key| !key.is_empty());
        }
        self.trees_at(path).into_iter().find_map(Tree::to_text)
    }

    fn convert_record(&self, derived: &mut DerivedEntities) -> Option<Note> {
        let (source, converter) = (self.source, self.converter);
        let name = source.name.iter().find_map(|path| self.text_at(path));
        let name = name.map(|name| crate::import::markup::html_to_text(&name)).filter(|name| !name.is_empty())?;
        let id = source.id.as_ref().and_then(|path| self.text_at(path));
        let key = format!("{}{}", source.prefix, id.unwrap_or_else(|| name.clone()));
        let mut note =
            Note { key, tool: TOOL, role: source.role, origin: converter.origin(self.record, ""), ..Note::default() };
        note.origin.quote = quote(&name).into();
        note.name = name;
        note.visibility = self.record_visibility();
        self.set_kind(&mut note);
        for value_spec in &source.aliases {
            for (field_value, tree) in self.field_values(value_spec) {
                let origin = converter.origin(tree, &value_spec.field);
                note.aliases.push(Alias {
                    name: field_value.value.to_string(),
                    origin,
                    visibility: self.part_visibility(value_spec),
                });
            }
        }
        for value_spec in &source.fields {
            let field_values: Vec<_> = self.field_values(value_spec);
            let Some(tree) = field_values.first().map(|(_, tree)| *tree) else { continue };
            let values = field_values
                .into_iter()
                .map(|(field_value, _)| field_value)
                .filter(|field_value| !is_empty_value(field_value))
                .collect();
            note.fields.extend(converter.field_with_values(
                &value_spec.name(),
                values,
                tree,
                &value_spec.field,
                &self.part_visibility(value_spec),
            ));
        }
        for value_spec in &source.states {
            for (field_value, tree) in self.field_values(value_spec) {
                let origin = converter.origin(tree, &value_spec.field);
                note.states.push(EntityState {
                    word: field_value.value.to_string(),
                    origin,
                    visibility: self.part_visibility(value_spec),
                });
            }
        }
        for date in &source.dates {
            for (field_value, tree) in self.field_values(&date.value) {
                let raw = field_value.value.to_string();
                let origin = converter.origin(tree, &date.value.field);
                let visibility = self.part_visibility(&date.value);
                note.dates.push(NoteDate {
                    role: date.role,
                    raw,
                    readable: None,
                    title: date.title.clone(),
                    origin,
                    visibility,
                });
            }
        }
        for passage in &source.passages {
            self.add_passage(passage, &mut note.texts);
        }
        self.add_relations(&mut note, derived);
        if source.role == Role::Session {
            let text_field = |path: &Option<String>| path.as_ref().and_then(|path| self.text_at(path));
            let number = text_field(&source.session.number).and_then(|number| number.parse().ok());
            let present = source.session.present.iter().flat_map(|value_spec| self.field_values(value_spec));
            let present = present.map(|(field_value, _)| LinkTarget::Name(field_value.value.to_string())).collect();
            let (date, start, end) =
                (text_field(&source.session.date), text_field(&source.session.start), text_field(&source.session.end));
            note.session = Some(SessionInfo { number, date, start, end, present });
        }
        Some(note)
    }

    fn set_kind(&self, note: &mut Note) {
        let source = self.source;
        let kind = match &source.kind {
            KindSpec::Constant(kind) => Some(kind.clone()),
            KindSpec::Field { field, values, default } => {
                let word = self.text_at(field);
                let listed_kind = word.as_ref().and_then(|word| {
                    values
                        .iter()
                        .find(|(listed_word, _)| listed_word.eq_ignore_ascii_case(word))
                        .map(|(_, kind)| kind.clone())
                });
                listed_kind
                    .or_else(|| word.filter(|_| values.is_empty()).and_then(|word| lexicon::kind(&word)))
                    .or_else(|| default.clone())
            }
            KindSpec::None => None,
        };
        if let Some(kind) = kind {
            note.is_player = kind == hearsay_model::Kind::Player;
            note.set_kind(kind, Certainty::Explicit, "the mapping");
        }
        if source.player.as_ref().is_some_and(|filter| matches_filter(self.record, self.key, filter)) {
            note.is_player = true;
        }
    }

    /// Returns the visibility of the record.
    fn record_visibility(&self) -> Visibility {
        let holders: Vec<LinkTarget> = self
            .source
            .known_by
            .iter()
            .flat_map(|value_spec| self.field_values(value_spec))
            .map(|(field_value, _)| LinkTarget::Name(field_value.value.to_string()))
            .collect();
        let is_secret = self.source.secret.iter().any(|filter| matches_filter(self.record, self.key, filter));
        if is_secret || !holders.is_empty() { Visibility::Secret(holders) } else { Visibility::Unmarked }
    }

    fn part_visibility(&self, value_spec: &ValueSpec) -> Visibility {
        if value_spec.secret { Visibility::SECRET } else { Visibility::Unmarked }
    }

    /// Returns the values that `value_spec` selects in the record. Splits lists in a text if the mapping says so.
    fn field_values(&self, value_spec: &ValueSpec) -> Vec<(FieldValue, &'a Tree)> {
        let mut field_values = Vec::new();
        if let Some(constant) = &value_spec.constant {
            field_values.push((constant.as_str().into(), self.record));
        }
        if value_spec.field.is_empty() {
            return field_values;
        }
        for tree in self.trees_at(&value_spec.field) {
            for item in tree.as_list() {
                let Some(field_value) = field_value(item) else { continue };
                let hearsay_model::Value::Text(text) = &field_value.value else {
                    field_values.push((field_value, item));
                    continue;
                };
                let texts: Vec<&str> = match value_spec.split.as_deref() {
                    None => vec![text.as_str()],
                    Some("") => split_list(text),
                    Some(separator) => text.split(separator).collect(),
                };
                let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
                field_values.extend(texts.map(|text| (text.into(), item)));
            }
        }
        field_values
    }

    fn add_passage(&self, passage: &spec::PassageSpec, texts: &mut Vec<Block>) {
        let visibility = self.part_visibility(&passage.value);
        for tree in self.trees_at(&passage.value.field) {
            for item in tree.as_list() {
                let conversion = TextConversion {
                    field: &passage.value.field,
                    heading: passage.heading.as_deref(),
                    markup: passage.markup,
                    visibility: &visibility,
                    style: no_links(),
                };
                let first = texts.len();
                self.converter.add_blocks(item, &conversion, texts);
                for block in texts.iter_mut().skip(first) {
                    let is_secret_heading = |heading: &String| {
                        passage
                            .secret_headings
                            .iter()
                            .any(|listed_heading| listed_heading.eq_ignore_ascii_case(heading.trim()))
                    };
                    if block.headings.iter().any(is_secret_heading) {
                        block.visibility = Visibility::SECRET;
                    }
                }
                // Only the innermost heading counts, so text under a nested heading is kept.
                let is_skipped = |block: &Block| {
                    block.headings.last().is_some_and(|heading| {
                        passage
                            .skip_headings
                            .iter()
                            .any(|listed_heading| listed_heading.eq_ignore_ascii_case(heading.trim()))
                    })
                };
                let mut index = 0;
                texts.retain(|block| {
                    index += 1;
                    index <= first || !is_skipped(block)
                });
            }
        }
    }

    fn add_relations(&self, note: &mut Note, derived: &mut DerivedEntities) {
        for relation in &self.source.relations {
            let (value_spec, visibility) = (&relation.value, self.part_visibility(&relation.value));
            let words = relation.words.clone().unwrap_or_else(|| value_spec.name());
            let explicit = LinkRelation {
                backwards: relation.backwards,
                bidirectional: relation.bidirectional,
                certainty: relation.certainty,
                ..LinkRelation::explicit(&*words)
            };
            let link_relation = LinkRelation { certainty: relation.certainty, ..explicit.clone() };
            let is_known = matches!(lexicon::meaning(&words), lexicon::Meaning::Relation(_));
            let field_values = self.field_values(value_spec);
            let mut plain_values = Vec::new();
            for (field_value, tree) in field_values {
                let text = field_value.value.to_string();
                let is_no_entity = resolve::is_no_entity(&text) || resolve::is_generic(&text);
                let target = match (&relation.create_kind, &relation.is_target_id) {
                    (_, true) => Some(LinkTarget::Key(format!("{}{text}", relation.prefix))),
                    (Some(kind), _) if !is_no_entity => {
                        let origin = self.converter.origin(tree, &value_spec.field);
                        Some(LinkTarget::Key(derived.entity_key(
                            &text,
                            kind,
                            &origin,
                            &visibility.within(&note.visibility),
                        )))
                    }
                    (Some(_), _) => None,
                    // A known relation is added as a field. When the fields are converted, the names in them are
                    // resolved. A value that names no entity does not create one.
                    (None, _) if is_known && !relation.backwards && !relation.bidirectional => {
                        plain_values.push((field_value, tree));
                        continue;
                    }
                    (None, _) => Some(LinkTarget::Name(text)).filter(|_| !is_no_entity),
                };
                if let Some(target) = target {
                    note.links.push(self.converter.link(
                        target,
                        link_relation.clone(),
                        tree,
                        &value_spec.field,
                        &visibility,
                    ));
                }
            }
            let Some(tree) = plain_values.first().map(|(_, tree)| *tree) else { continue };
            let values = plain_values.into_iter().map(|(field_value, _)| field_value).collect();
            if let Some(mut field) =
                self.converter.field_with_values(&words, values, tree, &value_spec.field, &visibility)
            {
                field.certainty = relation.certainty;
                note.fields.push(field);
            }
        }
    }
}

fn is_empty_value(field_value: &FieldValue) -> bool {
    matches!(&field_value.value, hearsay_model::Value::Text(text) if text.trim().is_empty())
}
