//! Finds the note that a link refers to.

use std::collections::{HashMap, HashSet};

use hearsay_model::text;

use super::{LinkTarget, Note, Notes, english::ENGLISH};
use crate::names::name_key;

/// An index of the notes by all names that links can use.
#[derive(Debug, Default)]
pub struct NoteIndex {
    keys: HashMap<String, Vec<u32>>,
    /// Notes by normalized path without extension.
    paths: HashMap<String, Vec<u32>>,
    titles: HashMap<String, Vec<u32>>,
    stems: HashMap<String, Vec<u32>>,
    aliases: HashMap<String, Vec<u32>>,
    /// The notes that come from a heading within a file, and not from a whole file.
    heading_notes: HashSet<u32>,
    /// The folder of each note.
    folders: Vec<String>,
    /// The normalized path of each note without extension, if it has one.
    pages: Vec<String>,
}

/// The result of resolving a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkResolution {
    /// One note matches. The value is the index of the note in the list of notes.
    One(usize),
    /// Several notes match equally well, so the link has no certain target. The values are the indices of these notes.
    Ambiguous(Vec<usize>),
    /// No note matches, although the link names an entity. The import creates an entity, called a stub, which the DM
    /// reviews.
    Dangling,
    /// The link does not name an entity. Examples are a dice roll, `None; works independently` and `Local Militia`.
    NoEntity,
}

impl NoteIndex {
    /// Builds an index of all names of the notes.
    pub fn new(notes: &Notes) -> Self {
        let mut index = Self::default();
        for (note_index, note) in notes.notes.iter().enumerate() {
            let note_index = u32::try_from(note_index).unwrap_or(u32::MAX);
            let path = notes.path(note.origin.file);
            index.folders.push(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
            let page = path.rsplit_once('.').map_or(path, |(page, _)| page);
            index.pages.push(if note.tool == "file" { text::normalize(page) } else { String::new() });
            let mut add = |map: fn(&mut Self) -> &mut HashMap<String, Vec<u32>>, name: String| {
                if !name.is_empty() {
                    let indices = map(&mut index).entry(name).or_default();
                    if indices.last() != Some(&note_index) {
                        indices.push(note_index);
                    }
                }
            };
            add(|index| &mut index.keys, note.key.clone());
            for id in &note.ids {
                add(|index| &mut index.keys, id.id.clone());
            }
            add(|index| &mut index.titles, name_key(&note.name));
            for alias in &note.aliases {
                add(|index| &mut index.aliases, name_key(&alias.name));
            }
            if note.tool == "file" {
                // The key of an entity under a heading is `path#heading`. The key of the page is its path.
                let (page, heading) = note.key.split_once('#').unwrap_or((&note.key, ""));
                let page = page.rsplit_once('.').map_or(page, |(page, _)| page);
                let stem = page.rsplit('/').next().unwrap_or_default();
                if heading.is_empty() {
                    add(|index| &mut index.paths, text::normalize(page));
                    if ["index", "_index", "readme"].contains(&stem) {
                        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
                        add(|index| &mut index.paths, text::normalize(folder));
                        add(|index| &mut index.stems, name_key(folder.rsplit('/').next().unwrap_or_default()));
                    } else {
                        add(|index| &mut index.stems, name_key(stem));
                    }
                } else {
                    add(|index| &mut index.paths, format!("{}#{}", text::normalize(page), name_key(heading)));
                    index.heading_notes.insert(note_index);
                }
            }
        }
        index
    }

    /// Returns the note that a link refers to. `source_note` is the note that contains the link. If several notes
    /// match, a note in the same folder is preferred.
    pub fn find(&self, target: &LinkTarget, source_note: &Note, notes: &Notes) -> LinkResolution {
        match target {
            LinkTarget::Key(key) => match self.keys.get(key).map(Vec::as_slice) {
                Some([index]) => LinkResolution::One(*index as usize),
                Some(indices) => LinkResolution::Ambiguous(indices.iter().map(|index| *index as usize).collect()),
                None => LinkResolution::Dangling,
            },
            LinkTarget::Name(name) => self.find_by_name(name, notes.path(source_note.origin.file)),
        }
    }

    fn find_by_name(&self, name: &str, source_path: &str) -> LinkResolution {
        if is_dice(name) {
            return LinkResolution::NoEntity;
        }
        let (page, heading) = name.split_once('#').unwrap_or((name, ""));
        let heading = heading.rsplit('#').next().unwrap_or_default().trim_start_matches('^');
        let page_text = page.trim();
        let page = page_text.trim_end_matches(".md");
        if page.is_empty() && !heading.is_empty() {
            let own_path = source_path.rsplit_once('.').map_or(source_path, |(page, _)| page);
            let own_path = text::normalize(own_path);
            let section_notes =
                self.paths.get(&format!("{own_path}#{}", name_key(heading))).or_else(|| self.paths.get(&own_path));
            return section_notes.map_or(LinkResolution::Dangling, |found| self.choose(found, source_path));
        }
        let path = text::normalize(page.trim_start_matches("./").trim_matches('/'));
        let folder = source_path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let relative = normalize_path(&format!("{folder}/{page}"));
        let name = name_key(page);
        if !heading.is_empty() {
            let stem = path.rsplit('/').next().unwrap_or_default();
            let candidates = self.stems.get(&name_key(stem)).or_else(|| self.titles.get(&name));
            let mut found = Vec::new();
            for page in [&path, &relative] {
                found.extend(self.paths.get(&format!("{page}#{}", name_key(heading))).into_iter().flatten().copied());
            }
            let with_heading = self.titles.get(&name_key(heading)).into_iter().flatten();
            let is_same_folder = |index: &&u32| {
                candidates.is_some_and(|pages| {
                    pages.iter().any(|page| self.folders.get(*page as usize) == self.folders.get(**index as usize))
                })
            };
            if found.is_empty() {
                found.extend(with_heading.filter(is_same_folder).copied());
            }
            found.sort_unstable();
            found.dedup();
            if !found.is_empty() {
                return self.choose(&found, source_path);
            }
        }
        let is_path = page.contains('/') || page_text.len() > page.len();
        let by_path = self.paths.get(&relative).or_else(|| self.paths.get(&path)).filter(|_| is_path);
        let find_name = || [&self.titles, &self.stems, &self.aliases].into_iter().find_map(|map| map.get(&name));
        // `[[folder/Name]]` may be the end of a path.
        let find_path_end = || {
            let end = format!("/{path}");
            let with_stem = self.stems.get(&name_key(path.rsplit('/').next()?))?;
            with_stem
                .iter()
                .copied()
                .find(|index| self.pages.get(*index as usize).is_some_and(|page_path| page_path.ends_with(&end)))
        };
        if let Some(found) = by_path {
            return self.choose(found, source_path);
        }
        if page.contains('/')
            && let Some(index) = find_path_end()
        {
            return LinkResolution::One(index as usize);
        }
        match find_name() {
            Some(found) => self.choose(found, source_path),
            None if is_no_entity(page) || is_generic(page) => LinkResolution::NoEntity,
            None => LinkResolution::Dangling,
        }
    }

    /// Chooses one of several notes: the only note that is a whole file, or else the only note in the same folder as
    /// the link.
    fn choose(&self, found: &[u32], source_path: &str) -> LinkResolution {
        let whole_files: Vec<_> = found.iter().filter(|index| !self.heading_notes.contains(index)).copied().collect();
        let found = if whole_files.is_empty() { found } else { &whole_files };
        if let [index] = found {
            return LinkResolution::One(*index as usize);
        }
        let folder = source_path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let same_folder: Vec<_> = found
            .iter()
            .filter(|index| self.folders.get(**index as usize).is_some_and(|note_folder| note_folder == folder))
            .collect();
        match same_folder[..] {
            [index] => LinkResolution::One(*index as usize),
            _ => LinkResolution::Ambiguous(found.iter().map(|index| *index as usize).collect()),
        }
    }

    /// Returns the indices of the notes with this title, file name or alias. Searches titles first, then file names,
    /// then aliases.
    pub fn by_name(&self, name: &str) -> Vec<usize> {
        let name = name_key(name);
        let found = [&self.titles, &self.stems, &self.aliases].into_iter().find_map(|map| map.get(&name));
        found.into_iter().flatten().map(|index| *index as usize).collect()
    }
}

/// Returns a normalized path without `.` and `..`.
fn normalize_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    text::normalize(&parts.join("/"))
}

/// Returns whether the content of a link is a dice roll or a command, such as `/check Athletics 15` or `/r 1d20`.
pub fn is_dice(name: &str) -> bool {
    let name = name.trim();
    let is_roll = |word: &str| {
        let (count, sides) = word.split_once(['d', 'D']).unwrap_or(("x", ""));
        let sides: String = sides.chars().take_while(char::is_ascii_digit).collect();
        count.bytes().all(|byte| byte.is_ascii_digit()) && !sides.is_empty()
    };
    let command = name.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    command
        .is_some_and(|command| command.chars().all(char::is_alphanumeric) && (name.contains(' ') || command.len() <= 4))
        || name.split_whitespace().next().is_some_and(is_roll)
}

/// Returns whether a text means that there is no entity, such as `none`, `N/A` or `None; works independently.`
pub fn is_no_entity(phrase: &str) -> bool {
    let phrase = text::normalize(phrase);
    let first = phrase.split([';', ',', '.', ':', '(', '-']).next().unwrap_or_default().trim();
    ENGLISH.words.no_entity.nobody.contains(first) || first.starts_with("none ") && first.split(' ').count() <= 4
}

/// Returns whether a text names a type of entity and not an entity, such as `rival faction`, `Local Militia`, `town
/// guard` or `a merchant`.
pub fn is_generic(phrase: &str) -> bool {
    let text = text::normalize(phrase);
    let text = text.split(['(', ';', ',']).next().unwrap_or_default();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let Some(last) = words.last() else { return true };
    let no_entity = &ENGLISH.words.no_entity;
    let is_type_word = no_entity.sorts.contains(*last);
    match words.len() {
        1 => is_type_word,
        _ => {
            is_type_word
                && words[..words.len() - 1]
                    .iter()
                    .all(|word| no_entity.vague.contains(*word) || no_entity.sorts.contains(*word))
        }
    }
}
