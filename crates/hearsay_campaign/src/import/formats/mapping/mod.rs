//! Reader for any JSON, YAML or CSV files. A mapping file defines the meaning of their fields. `MAPPING.md` describes
//! mapping files.

mod select;
mod spec;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::{
    Entry, Folder, Format, ReadOptions,
    import::{
        Alias, Block, Dated, Note, NoteReader, Notes, Origin, Piece, Relation, Role, Score, SessionHead, State, Sure,
        Target, Text, Visibility, lexicon,
        markup::no_links,
        prose::split_list,
        quote, resolve,
        tree::{Data, Pen, Tree, Writing, piece},
    },
    names::name_key,
    regular::read_file,
};
use select::{matches, select};
use spec::{Kinds, Part, Source, Spec};

/// The reader for files that have a mapping file.
pub(crate) struct Mapping;

const TOOL: &str = "mapping";

/// The score of a folder with a mapping file. It is higher than all other scores, because a person wrote the mapping
/// for these files.
const BEST: Score = Score(95);

impl NoteReader for Mapping {
    fn format(&self) -> Format {
        Format::Mapping
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        mapping_file(folder).map(|_| BEST)
    }

    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
        let Some((path, spec)) = spec(folder, options, notes) else { return };
        notes.name = spec.name.clone().unwrap_or_else(|| notes.name.clone());
        notes.description.clone_from(&spec.description);
        notes.system.clone_from(&spec.system);
        let mut made = Made::default();
        for (number, source) in spec.sources.iter().enumerate() {
            let mut found = false;
            for entry in folder.files() {
                if entry.path == path || !source.files.iter().any(|pattern| select::glob(pattern, &entry.path)) {
                    continue;
                }
                found = true;
                file(folder, entry, source, notes, &mut made);
            }
            if !found {
                let files = source.files.join(", ");
                notes.warn(&*path, source.line, format!("sources[{number}]: no file matches `{files}`"));
            }
        }
        made.finish(notes);
    }
}

/// Returns a mapping file in the folder: `mapping.yaml` or `*.mapping.yaml` with the content `mapping: 1`.
fn mapping_file(folder: &Folder) -> Option<&Entry> {
    let named = |entry: &&Entry| {
        let name = entry.name().to_lowercase();
        entry.has_extension(&["yaml", "yml", "json"]) && (name.starts_with("mapping.") || name.contains(".mapping."))
    };
    let mut found = folder.files().filter(named);
    found.find(|entry| {
        let head = String::from_utf8_lossy(&folder.head(entry, 4 << 10)).into_owned();
        head.lines().any(|line| {
            let line: String = line.chars().filter(|c| !matches!(c, ' ' | '{' | '"' | '\t')).collect();
            line.strip_prefix("mapping:").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    })
}

/// Returns the path and the content of the mapping file.
fn spec(folder: &Folder, options: &ReadOptions, notes: &mut Notes) -> Option<(String, Spec)> {
    let (path, text) = match &options.mapping {
        Some(path) => {
            let shown = path.display().to_string();
            let bytes = match read_file(path, folder.limits().file_bytes) {
                Ok(bytes) => bytes,
                Err(error) => {
                    notes.skip(shown, format!("the mapping cannot be read: {error}"));
                    return None;
                }
            };
            let file = notes.file(&shown, &bytes);
            match Text::decode(file, bytes) {
                Ok(text) => (shown, text),
                Err(why) => {
                    notes.skip(shown, why);
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
    let spec = folder.tree(&text, &path).and_then(|tree| Spec::read(&tree));
    match spec {
        Ok(spec) => Some((path, spec)),
        Err(why) => {
            notes.skip(path, format!("{why}; see MAPPING.md"));
            None
        }
    }
}

fn file(folder: &Folder, entry: &Entry, source: &Source, notes: &mut Notes, made: &mut Made) {
    let Some(text) = folder.text(entry, notes) else { return };
    let path = source.format.as_ref().map_or_else(|| entry.path.clone(), |format| format!("file.{format}"));
    let lines = path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".db");
    let mut trees = Vec::new();
    if lines {
        for line in Tree::lines(&text, folder.limits()) {
            match line {
                Ok(tree) => trees.push(tree),
                Err((line, why)) => notes.warn(&*entry.path, line, format!("skipped a line: {why}")),
            }
        }
    } else {
        match folder.tree(&text, &path) {
            Ok(tree) => trees.push(tree),
            Err(why) => return notes.skip(&*entry.path, why),
        }
    }
    let (mut nameless, mut first) = (0, 0);
    for tree in &trees {
        for (key, record) in select(tree, &source.records) {
            let records = match &record.data {
                Data::List(items) => items.iter().map(|item| (String::new(), item)).collect(),
                _ => vec![(key, record)],
            };
            for (key, record) in records {
                if !source.filters.iter().all(|filter| matches(record, &key, filter)) {
                    continue;
                }
                let writer = Writer { record, key: &key, source, pen: Pen { file: text.file } };
                match writer.note(made) {
                    Some(note) => notes.notes.push(note),
                    None => {
                        nameless += 1;
                        first = if first == 0 { record.line } else { first };
                    }
                }
            }
        }
    }
    if nameless > 0 {
        notes.warn(&*entry.path, first, format!("skipped {nameless} records without a name"));
    }
}

/// Entities that are created from values, such as a realm that has no record of its own.
#[derive(Default)]
struct Made {
    notes: Vec<Note>,
    places: HashMap<String, usize>,
}

impl Made {
    /// Returns the key of the entity that a value names. The entity is open if at least one of the records that name it
    /// is open.
    fn key(&mut self, name: &str, kind: &hearsay_model::Kind, origin: &Origin, visibility: &Visibility) -> String {
        let key = format!("{}:{}", kind.as_str(), name_key(name));
        let place = *self.places.entry(key.clone()).or_insert_with(|| {
            let mut note = Note {
                key: key.clone(),
                tool: TOOL,
                name: name.to_owned(),
                origin: origin.clone(),
                visibility: visibility.clone(),
                ..Note::default()
            };
            note.guess(kind.clone(), Sure::Typed, "the mapping");
            self.notes.push(note);
            self.notes.len() - 1
        });
        if let Some(note) = self.notes.get_mut(place)
            && note.visibility.is_secret()
            && !visibility.is_secret()
        {
            (note.visibility, note.origin) = (visibility.clone(), origin.clone());
        }
        key
    }

    /// Adds the created entities to the notes. If an entity already has a note, links point to that note.
    fn finish(self, notes: &mut Notes) {
        let mut held: HashMap<String, Vec<String>> = HashMap::new();
        for note in &notes.notes {
            held.entry(name_key(&note.name)).or_default().push(note.key.clone());
        }
        let mut instead: HashMap<String, String> = HashMap::new();
        let mut kept = Vec::new();
        for note in self.notes {
            match held.get(&name_key(&note.name)).map(Vec::as_slice) {
                Some([one]) => {
                    instead.insert(note.key, one.clone());
                }
                _ => kept.push(note),
            }
        }
        for link in notes.notes.iter_mut().flat_map(|note| note.links.iter_mut()) {
            if let Target::Key(key) = &mut link.target
                && let Some(other) = instead.get(key)
            {
                *key = other.clone();
            }
        }
        notes.notes.extend(kept);
    }
}

/// Converts one record.
struct Writer<'a> {
    record: &'a Tree,
    key: &'a str,
    source: &'a Source,
    pen: Pen,
}

impl<'a> Writer<'a> {
    fn values(&self, path: &str) -> Vec<&'a Tree> {
        select(self.record, path).into_iter().map(|(_, tree)| tree).filter(|tree| !tree.is_null()).collect()
    }

    fn word(&self, path: &str) -> Option<String> {
        if path == "$key" {
            return Some(self.key.to_owned()).filter(|key| !key.is_empty());
        }
        self.values(path).into_iter().find_map(Tree::word)
    }

    fn note(&self, made: &mut Made) -> Option<Note> {
        let (source, pen) = (self.source, self.pen);
        let name = source.name.iter().find_map(|path| self.word(path));
        let name = name.map(|name| crate::import::markup::html_to_text(&name)).filter(|name| !name.is_empty())?;
        let id = source.id.as_ref().and_then(|path| self.word(path));
        let key = format!("{}{}", source.prefix, id.unwrap_or_else(|| name.clone()));
        let mut note =
            Note { key, tool: TOOL, role: source.role, origin: pen.origin(self.record, ""), ..Note::default() };
        note.origin.quote = quote(&name).into();
        note.name = name;
        note.visibility = self.visibility();
        self.kind(&mut note);
        for part in &source.aliases {
            for (piece, tree) in self.pieces(part) {
                let origin = pen.origin(tree, &part.field);
                note.aliases.push(Alias { name: piece.value.to_string(), origin, visibility: self.seen(part) });
            }
        }
        for part in &source.fields {
            let pieces: Vec<_> = self.pieces(part);
            let Some(tree) = pieces.first().map(|(_, tree)| *tree) else { continue };
            let values = pieces.into_iter().map(|(piece, _)| piece).filter(|piece| !is_empty(piece)).collect();
            note.fields.extend(pen.field_of(&part.name(), values, tree, &part.field, &self.seen(part)));
        }
        for part in &source.states {
            for (piece, tree) in self.pieces(part) {
                let origin = pen.origin(tree, &part.field);
                note.states.push(State { word: piece.value.to_string(), origin, visibility: self.seen(part) });
            }
        }
        for date in &source.dates {
            for (piece, tree) in self.pieces(&date.part) {
                let raw = piece.value.to_string();
                let origin = pen.origin(tree, &date.part.field);
                let visibility = self.seen(&date.part);
                note.dates.push(Dated {
                    what: date.what,
                    raw,
                    readable: None,
                    title: date.title.clone(),
                    origin,
                    visibility,
                });
            }
        }
        for passage in &source.passages {
            self.passage(passage, &mut note.texts);
        }
        self.relations(&mut note, made);
        if source.role == Role::Session {
            let head = |path: &Option<String>| path.as_ref().and_then(|path| self.word(path));
            let number = head(&source.session.number).and_then(|number| number.parse().ok());
            let present = source.session.present.iter().flat_map(|part| self.pieces(part));
            let present = present.map(|(piece, _)| Target::Name(piece.value.to_string())).collect();
            let (date, start, end) =
                (head(&source.session.date), head(&source.session.start), head(&source.session.end));
            note.session = Some(SessionHead { number, date, start, end, present });
        }
        Some(note)
    }

    fn kind(&self, note: &mut Note) {
        let source = self.source;
        let kind = match &source.kind {
            Kinds::Constant(kind) => Some(kind.clone()),
            Kinds::Field { field, values, default } => {
                let word = self.word(field);
                let listed = word.as_ref().and_then(|word| {
                    values.iter().find(|(held, _)| held.eq_ignore_ascii_case(word)).map(|(_, kind)| kind.clone())
                });
                listed
                    .or_else(|| word.filter(|_| values.is_empty()).and_then(|word| lexicon::kind(&word)))
                    .or_else(|| default.clone())
            }
            Kinds::None => None,
        };
        if let Some(kind) = kind {
            note.player = kind == hearsay_model::Kind::Player;
            note.guess(kind, Sure::Typed, "the mapping");
        }
        if source.player.as_ref().is_some_and(|filter| matches(self.record, self.key, filter)) {
            note.player = true;
        }
    }

    /// Returns who may know the record.
    fn visibility(&self) -> Visibility {
        let holders: Vec<Target> = self
            .source
            .known_by
            .iter()
            .flat_map(|part| self.pieces(part))
            .map(|(piece, _)| Target::Name(piece.value.to_string()))
            .collect();
        let hides = self.source.secret.iter().any(|filter| matches(self.record, self.key, filter));
        if hides || !holders.is_empty() { Visibility::Secret(holders) } else { Visibility::Unmarked }
    }

    fn seen(&self, part: &Part) -> Visibility {
        if part.secret { Visibility::SECRET } else { Visibility::Unmarked }
    }

    /// Returns the values of a part, split as the mapping defines.
    fn pieces(&self, part: &Part) -> Vec<(Piece, &'a Tree)> {
        let mut pieces = Vec::new();
        if let Some(constant) = &part.constant {
            pieces.push((constant.as_str().into(), self.record));
        }
        if part.field.is_empty() {
            return pieces;
        }
        for tree in self.values(&part.field) {
            for one in tree.each() {
                let Some(piece) = piece(one) else { continue };
                let hearsay_model::Value::Text(text) = &piece.value else {
                    pieces.push((piece, one));
                    continue;
                };
                let texts: Vec<&str> = match part.split.as_deref() {
                    None => vec![text.as_str()],
                    Some("") => split_list(text),
                    Some(separator) => text.split(separator).collect(),
                };
                let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
                pieces.extend(texts.map(|text| (text.into(), one)));
            }
        }
        pieces
    }

    fn passage(&self, passage: &spec::Passage, texts: &mut Vec<Block>) {
        let visibility = self.seen(&passage.part);
        for tree in self.values(&passage.part.field) {
            for one in tree.each() {
                let writing = Writing {
                    field: &passage.part.field,
                    heading: passage.heading.as_deref(),
                    markup: passage.markup,
                    visibility: &visibility,
                    style: no_links(),
                };
                let first = texts.len();
                self.pen.blocks(one, &writing, texts);
                for block in texts.iter_mut().skip(first) {
                    let named = |heading: &String| {
                        passage.secret_headings.iter().any(|held| held.eq_ignore_ascii_case(heading.trim()))
                    };
                    if block.headings.iter().any(named) {
                        block.visibility = Visibility::SECRET;
                    }
                }
                // Only the innermost heading counts, so text under a nested heading is kept.
                let without = |block: &Block| {
                    block.headings.last().is_some_and(|heading| {
                        passage.skip_headings.iter().any(|held| held.eq_ignore_ascii_case(heading.trim()))
                    })
                };
                let mut at = 0;
                texts.retain(|block| {
                    at += 1;
                    at <= first || !without(block)
                });
            }
        }
    }

    fn relations(&self, note: &mut Note, made: &mut Made) {
        for relation in &self.source.relations {
            let (part, seen) = (&relation.part, self.seen(&relation.part));
            let words = relation.words.clone().unwrap_or_else(|| part.name());
            let typed = Relation {
                backwards: relation.backwards,
                both_ways: relation.both_ways,
                sure: relation.sure,
                ..Relation::typed(&*words)
            };
            let sure = Relation { sure: relation.sure, ..typed.clone() };
            let known = matches!(lexicon::meaning(&words), lexicon::Meaning::Relation(_));
            let pieces = self.pieces(part);
            let mut plain = Vec::new();
            for (piece, tree) in pieces {
                let text = piece.value.to_string();
                let nobody = resolve::is_nobody(&text) || resolve::is_generic(&text);
                let target = match (&relation.make, &relation.by_id) {
                    (_, true) => Some(Target::Key(format!("{}{text}", relation.prefix))),
                    (Some(kind), _) if !nobody => {
                        let origin = self.pen.origin(tree, &part.field);
                        Some(Target::Key(made.key(&text, kind, &origin, &seen.within(&note.visibility))))
                    }
                    (Some(_), _) => None,
                    // A relation that the lexicon knows is added as a field. The conversion of this field finds the
                    // targets. Other text in the field creates no entity.
                    (None, _) if known && !relation.backwards && !relation.both_ways => {
                        plain.push((piece, tree));
                        continue;
                    }
                    (None, _) => Some(Target::Name(text)).filter(|_| !nobody),
                };
                if let Some(target) = target {
                    note.links.push(self.pen.link(target, sure.clone(), tree, &part.field, &seen));
                }
            }
            let Some(tree) = plain.first().map(|(_, tree)| *tree) else { continue };
            let values = plain.into_iter().map(|(piece, _)| piece).collect();
            if let Some(mut field) = self.pen.field_of(&words, values, tree, &part.field, &seen) {
                field.sure = relation.sure;
                note.fields.push(field);
            }
        }
    }
}

fn is_empty(piece: &Piece) -> bool {
    matches!(&piece.value, hearsay_model::Value::Text(text) if text.trim().is_empty())
}
