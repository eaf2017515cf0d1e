//! Resolution of links: finding the note that a link refers to.

use std::collections::{HashMap, HashSet};

use hearsay_model::text;

use super::{Note, Notes, Target, english::ENGLISH};
use crate::names::name_key;

/// An index of the notes by all names that links can use.
#[derive(Debug, Default)]
pub struct Index {
    keys: HashMap<String, Vec<u32>>,
    /// Notes by normalized path without extension.
    paths: HashMap<String, Vec<u32>>,
    titles: HashMap<String, Vec<u32>>,
    stems: HashMap<String, Vec<u32>>,
    aliases: HashMap<String, Vec<u32>>,
    /// The notes that are a heading within a file, and not a whole file.
    headed: HashSet<u32>,
    /// The folder of each note.
    folders: Vec<String>,
    /// The normalized path of each note without extension, if it has one.
    pages: Vec<String>,
}

/// The result of resolving a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// One note matches. The value is its index in the list of notes.
    One(usize),
    /// Several notes match equally well, so the link has no certain target. The values are the indices of these notes.
    Several(Vec<usize>),
    /// No note matches, although the link names an entity. The import creates an entity, called a stub, which the DM
    /// reviews.
    Dangling,
    /// The link names no entity. It is, for example, a dice roll, `None; works independently` or `Local Militia`.
    Nobody,
}

impl Index {
    /// Builds an index of all names of the notes.
    pub fn new(notes: &Notes) -> Self {
        let mut index = Self::default();
        for (number, note) in notes.notes.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let path = notes.path(note.origin.file);
            index.folders.push(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
            let page = path.rsplit_once('.').map_or(path, |(page, _)| page);
            index.pages.push(if note.tool == "file" { text::normalize(page) } else { String::new() });
            let mut put = |map: fn(&mut Self) -> &mut HashMap<String, Vec<u32>>, name: String| {
                if !name.is_empty() {
                    let held = map(&mut index).entry(name).or_default();
                    if held.last() != Some(&number) {
                        held.push(number);
                    }
                }
            };
            put(|index| &mut index.keys, note.key.clone());
            for id in &note.ids {
                put(|index| &mut index.keys, id.id.clone());
            }
            put(|index| &mut index.titles, name_key(&note.name));
            for alias in &note.aliases {
                put(|index| &mut index.aliases, name_key(&alias.name));
            }
            if note.tool == "file" {
                // The key of an entity under a heading is `path#heading`. The key of the page is its path.
                let (page, heading) = note.key.split_once('#').unwrap_or((&note.key, ""));
                let page = page.rsplit_once('.').map_or(page, |(page, _)| page);
                let stem = page.rsplit('/').next().unwrap_or_default();
                if heading.is_empty() {
                    put(|index| &mut index.paths, text::normalize(page));
                    if ["index", "_index", "readme"].contains(&stem) {
                        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
                        put(|index| &mut index.paths, text::normalize(folder));
                        put(|index| &mut index.stems, name_key(folder.rsplit('/').next().unwrap_or_default()));
                    } else {
                        put(|index| &mut index.stems, name_key(stem));
                    }
                } else {
                    put(|index| &mut index.paths, format!("{}#{}", text::normalize(page), name_key(heading)));
                    index.headed.insert(number);
                }
            }
        }
        index
    }

    /// Returns the note that a link refers to. `from` is the note that contains the link. If several notes match, a
    /// note in the same folder is preferred.
    pub fn find(&self, target: &Target, from: &Note, notes: &Notes) -> Found {
        match target {
            Target::Key(key) => match self.keys.get(key).map(Vec::as_slice) {
                Some([one]) => Found::One(*one as usize),
                Some(several) => Found::Several(several.iter().map(|one| *one as usize).collect()),
                None => Found::Dangling,
            },
            Target::Name(name) => self.named(name, notes.path(from.origin.file)),
        }
    }

    fn named(&self, name: &str, from: &str) -> Found {
        if is_dice(name) {
            return Found::Nobody;
        }
        let (page, heading) = name.split_once('#').unwrap_or((name, ""));
        let heading = heading.rsplit('#').next().unwrap_or_default().trim_start_matches('^');
        let written = page.trim();
        let page = written.trim_end_matches(".md");
        if page.is_empty() && !heading.is_empty() {
            let own = from.rsplit_once('.').map_or(from, |(page, _)| page);
            let own = text::normalize(own);
            let under = self.paths.get(&format!("{own}#{}", name_key(heading))).or_else(|| self.paths.get(&own));
            return under.map_or(Found::Dangling, |found| self.one(found, from));
        }
        let path = text::normalize(page.trim_start_matches("./").trim_matches('/'));
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let relative = normal_path(&format!("{folder}/{page}"));
        let name = name_key(page);
        if !heading.is_empty() {
            let stem = path.rsplit('/').next().unwrap_or_default();
            let candidates = self.stems.get(&name_key(stem)).or_else(|| self.titles.get(&name));
            let mut found = Vec::new();
            for page in [&path, &relative] {
                found.extend(self.paths.get(&format!("{page}#{}", name_key(heading))).into_iter().flatten().copied());
            }
            let headed = self.titles.get(&name_key(heading)).into_iter().flatten();
            let same_page = |one: &&u32| {
                candidates.is_some_and(|pages| {
                    pages.iter().any(|page| self.folders.get(*page as usize) == self.folders.get(**one as usize))
                })
            };
            if found.is_empty() {
                found.extend(headed.filter(same_page).copied());
            }
            found.sort_unstable();
            found.dedup();
            if !found.is_empty() {
                return self.one(&found, from);
            }
        }
        let is_path = page.contains('/') || written.len() > page.len();
        let exact = self.paths.get(&relative).or_else(|| self.paths.get(&path)).filter(|_| is_path);
        let by_name = || [&self.titles, &self.stems, &self.aliases].into_iter().find_map(|map| map.get(&name));
        // `[[folder/Name]]` may be the end of a path.
        let by_end = || {
            let end = format!("/{path}");
            let named = self.stems.get(&name_key(path.rsplit('/').next()?))?;
            named.iter().copied().find(|one| self.pages.get(*one as usize).is_some_and(|held| held.ends_with(&end)))
        };
        if let Some(found) = exact {
            return self.one(found, from);
        }
        if page.contains('/')
            && let Some(one) = by_end()
        {
            return Found::One(one as usize);
        }
        match by_name() {
            Some(found) => self.one(found, from),
            None if is_nobody(page) || is_generic(page) => Found::Nobody,
            None => Found::Dangling,
        }
    }

    /// Chooses one of several notes: the only note that is a whole file, or else the only note in the same folder as
    /// the link.
    fn one(&self, found: &[u32], from: &str) -> Found {
        let files: Vec<_> = found.iter().filter(|one| !self.headed.contains(one)).copied().collect();
        let found = if files.is_empty() { found } else { &files };
        if let [one] = found {
            return Found::One(*one as usize);
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let near: Vec<_> =
            found.iter().filter(|one| self.folders.get(**one as usize).is_some_and(|held| held == folder)).collect();
        match near[..] {
            [one] => Found::One(*one as usize),
            _ => Found::Several(found.iter().map(|one| *one as usize).collect()),
        }
    }

    /// Returns the indices of the notes with this title, file name or alias. Titles are tried first, then file names,
    /// then aliases.
    pub fn by_name(&self, name: &str) -> Vec<usize> {
        let name = name_key(name);
        let found = [&self.titles, &self.stems, &self.aliases].into_iter().find_map(|map| map.get(&name));
        found.into_iter().flatten().map(|one| *one as usize).collect()
    }
}

/// Returns a normalized path without `.` and `..`.
fn normal_path(path: &str) -> String {
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
    let roll = |word: &str| {
        let (count, sides) = word.split_once(['d', 'D']).unwrap_or(("x", ""));
        let sides: String = sides.chars().take_while(char::is_ascii_digit).collect();
        count.bytes().all(|byte| byte.is_ascii_digit()) && !sides.is_empty()
    };
    let command = name.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    command
        .is_some_and(|command| command.chars().all(char::is_alphanumeric) && (name.contains(' ') || command.len() <= 4))
        || name.split_whitespace().next().is_some_and(roll)
}

/// Returns whether a text says that there is no entity, such as `none`, `N/A` or `None; works independently.`
pub fn is_nobody(written: &str) -> bool {
    let written = text::normalize(written);
    let first = written.split([';', ',', '.', ':', '(', '-']).next().unwrap_or_default().trim();
    ENGLISH.words.no_entity.nobody.contains(first) || first.starts_with("none ") && first.split(' ').count() <= 4
}

/// Returns whether a text names a type of entity and not an entity, such as `rival faction`, `Local Militia`, `town
/// guard` or `a merchant`.
pub fn is_generic(written: &str) -> bool {
    let text = text::normalize(written);
    let text = text.split(['(', ';', ',']).next().unwrap_or_default();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let Some(last) = words.last() else { return true };
    let no_entity = &ENGLISH.words.no_entity;
    let sort = no_entity.sorts.contains(*last);
    match words.len() {
        1 => sort,
        _ => {
            sort && words[..words.len() - 1]
                .iter()
                .all(|word| no_entity.vague.contains(*word) || no_entity.sorts.contains(*word))
        }
    }
}
