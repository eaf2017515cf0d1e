//! JSON, YAML and CSV as one type of tree, in which every value knows its position in the file.

mod csv;
mod json;
mod pen;
mod yaml;

use std::ops::Range;

pub(crate) use pen::{Markup, Pen, Writing, piece};

use super::{FileId, Folder, Notes, Text};
use crate::{Limits, alias::AliasBytes};

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    /// The bytes of the file.
    pub(crate) at: Range<u32>,
    /// The first line, counted from 1.
    pub(crate) line: u32,
    pub(crate) data: Data,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    Null,
    Flag(bool),
    /// The number as written.
    Number(Box<str>),
    Text(Box<str>),
    List(Vec<Tree>),
    Map(Vec<(Box<str>, Tree)>),
}

static NOTHING: Tree = Tree { at: 0..0, line: 0, data: Data::Null };

impl Tree {
    /// Parses a file according to its extension. Several documents, one per line or separated by `---`, become a list.
    /// `aliases` counts for all files of a campaign.
    pub(crate) fn parse(text: &Text, path: &str, limits: &Limits, aliases: &AliasBytes) -> Result<Self, String> {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
        match extension.as_str() {
            "yaml" | "yml" => yaml::parse(text, limits, aliases),
            "csv" => csv::parse(text, b','),
            "tsv" => csv::parse(text, b'\t'),
            _ => json::parse(text, limits),
        }
    }

    /// Parses one JSON document per line. A broken line becomes an error with its number, and parsing continues.
    pub(crate) fn lines<'a>(
        text: &'a Text,
        limits: &'a Limits,
    ) -> impl Iterator<Item = Result<Self, (u32, String)>> + use<'a> {
        json::lines(text, limits)
    }

    /// Returns the value of a key, or an empty tree.
    pub(crate) fn get(&self, key: &str) -> &Self {
        let Data::Map(entries) = &self.data else { return &NOTHING };
        entries.iter().find(|(name, _)| &**name == key).map_or(&NOTHING, |(_, value)| value)
    }

    /// Returns the value at a path of keys: `system.details.race`. A number is an index into a list.
    pub(crate) fn path(&self, path: &str) -> &Self {
        path.split('.').filter(|key| !key.is_empty()).fold(self, |tree, key| match &tree.data {
            Data::List(items) => key.parse().ok().and_then(|at: usize| items.get(at)).unwrap_or(&NOTHING),
            _ => tree.get(key),
        })
    }

    pub(crate) fn is_null(&self) -> bool {
        self.data == Data::Null
    }

    /// Returns a text that is not blank.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns a text, a number or a flag as text, because tools write ids in all three forms.
    pub(crate) fn word(&self) -> Option<String> {
        match &self.data {
            Data::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Data::Number(number) => Some(number.to_string()),
            Data::Flag(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match &self.data {
            Data::Number(text) | Data::Text(text) => {
                let text = text.trim();
                text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|n| n.abs() < 1e15).map(|n| n as i64))
            }
            Data::Flag(flag) => Some(i64::from(*flag)),
            _ => None,
        }
    }

    /// Whether the value means yes: `true`, `1`, `"yes"`.
    pub(crate) fn is_true(&self) -> bool {
        match &self.data {
            Data::Flag(flag) => *flag,
            Data::Number(number) => number.parse::<f64>().is_ok_and(|number| number != 0.0),
            Data::Text(text) => ["true", "yes", "1", "on"].contains(&text.trim().to_lowercase().as_str()),
            _ => false,
        }
    }

    /// Whether a mark is set: any value except nothing, `false`, `0` or `"no"`. Use it for marks of secrecy, where a
    /// doubtful value counts as set.
    pub(crate) fn is_marked(&self) -> bool {
        match &self.data {
            Data::Null => false,
            Data::Text(text) => !["", "false", "no", "0", "off"].contains(&text.trim().to_lowercase().as_str()),
            Data::Flag(_) | Data::Number(_) => self.is_true(),
            Data::List(_) | Data::Map(_) => true,
        }
    }

    /// Returns the items of a list, or the values of a map.
    pub(crate) fn items(&self) -> Vec<&Self> {
        match &self.data {
            Data::List(items) => items.iter().collect(),
            Data::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the items of a list. Any other value counts as a list of one.
    pub(crate) fn each(&self) -> Vec<&Self> {
        match &self.data {
            Data::List(items) => items.iter().collect(),
            Data::Null => Vec::new(),
            _ => vec![self],
        }
    }

    pub(crate) fn entries(&self) -> &[(Box<str>, Self)] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Removes these keys of a map.
    pub(crate) fn forget(&mut self, keys: &[&str]) {
        if let Data::Map(entries) = &mut self.data {
            entries.retain(|(key, _)| !keys.contains(&&**key));
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Data::Map(entries) = &mut self.data else { return None };
        entries.iter_mut().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }
}

/// Converts a position to `u32`, as trees store it.
fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) file: FileId,
    pub(crate) tree: Tree,
}

impl Document {
    /// Returns the name of the file without its folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the innermost folder of the file.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// Parses all files with these extensions. An unreadable file is recorded as skipped.
pub(crate) fn load(folder: &Folder, notes: &mut Notes, extensions: &[&str]) -> Vec<Document> {
    let mut documents = Vec::new();
    for entry in folder.files().filter(|entry| entry.has_extension(extensions)) {
        let Some(text) = folder.text(entry, notes) else { continue };
        match folder.tree(&text, &entry.path) {
            Ok(tree) => documents.push(Document { path: entry.path.clone(), file: text.file, tree }),
            Err(why) => notes.skip(&*entry.path, why),
        }
    }
    documents
}

#[cfg(test)]
mod tests;
