//! Strict access to the mappings of a campaign file.

use hearsay_model::{Attitude, Date, EntityId, ScaleError};

use super::reader::CampaignReader;
use crate::{
    error::Place,
    keys::{self, Keys},
    yaml::{Key, Node, Yaml},
};

/// A mapping whose keys have been checked.
#[derive(Clone)]
pub(super) struct Fields<'a> {
    pub(super) at: Place,
    /// The position in the file, such as `entities/odo-brandt/secrets/2`.
    pub(super) path: String,
    entries: &'a [(Key, Node)],
}

impl<'a> Fields<'a> {
    /// Returns the value of a key. A key whose value is empty counts as missing.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|(k, _)| &*k.text == key).map(|(_, node)| node).filter(|node| !node.is_null())
    }

    pub(super) fn entries(&self) -> &'a [(Key, Node)] {
        self.entries
    }

    pub(super) fn below(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}/{key}", self.path) }
    }
}

impl CampaignReader {
    /// Reads a mapping that may have any keys.
    pub(super) fn any_fields<'a>(&mut self, node: &'a Node, path: &str, what: &str) -> Option<Fields<'a>> {
        match &node.value {
            Yaml::Map(entries) => Some(Fields { at: node.at, path: path.into(), entries }),
            _ => {
                self.wrong(node, path, &format!("a mapping, `key: value`, for {what}"));
                None
            }
        }
    }

    /// Reads a mapping that may have only known keys.
    pub(super) fn fields<'a>(&mut self, node: &'a Node, path: &str, keys: &Keys) -> Option<Fields<'a>> {
        let fields = self.any_fields(node, path, keys.what)?;
        for (key, _) in fields.entries {
            if !keys.all().any(|known| known == &*key.text) {
                let hint = keys::hint(&key.text, keys.all());
                let message = format!("{} has no key `{}`", keys.what, key.text);
                self.faults.add(key.at, &fields.below(&key.text), message, hint);
            }
        }
        Some(fields)
    }

    pub(super) fn wrong(&mut self, node: &Node, path: &str, expected: &str) {
        let hint = match node.value {
            Yaml::Number(..) | Yaml::Flag(_) if expected.starts_with("text") => "put it in quotes",
            _ => "",
        };
        self.faults.add(node.at, path, format!("expected {expected}, found {}", node.what()), hint);
    }

    /// Reads text that is not empty.
    pub(super) fn text_of<'a>(&mut self, node: &'a Node, path: &str) -> Option<&'a str> {
        match node.text() {
            Some(text) if text.trim().is_empty() => {
                self.faults.add(node.at, path, "the text is empty", "write a text, or remove the field");
                None
            }
            Some(text) => Some(text),
            None => {
                self.wrong(node, path, "text");
                None
            }
        }
    }

    pub(super) fn text<'a>(&mut self, f: &Fields<'a>, key: &str) -> Option<&'a str> {
        self.text_of(f.get(key)?, &f.below(key))
    }

    pub(super) fn owned(&mut self, f: &Fields, key: &str) -> Option<String> {
        self.text(f, key).map(|text| text.trim().to_owned())
    }

    /// Reads a text that the mapping must have.
    pub(super) fn needed<'a>(&mut self, f: &Fields<'a>, key: &str, what: &str) -> Option<&'a str> {
        if f.get(key).is_none() {
            let hint = format!("add `{key}: …`");
            self.faults.add(f.at, &f.path, format!("{what} needs a {key}"), hint);
        }
        self.text(f, key)
    }

    pub(super) fn flag(&mut self, f: &Fields, key: &str) -> Option<bool> {
        let node = f.get(key)?;
        if let Yaml::Flag(flag) = node.value {
            return Some(flag);
        }
        self.wrong(node, &f.below(key), "true or false");
        None
    }

    pub(super) fn number(&mut self, f: &Fields, key: &str) -> Option<f64> {
        let node = f.get(key)?;
        if let Yaml::Number(number, _) = node.value {
            return Some(number);
        }
        self.wrong(node, &f.below(key), "a number");
        None
    }

    /// Reads a number within the range of a scale, such as the range 0 to 1 of a credence.
    pub(super) fn scale<T>(&mut self, f: &Fields, key: &str, take: fn(f64) -> Result<T, ScaleError>) -> Option<T> {
        let number = self.number(f, key)?;
        self.scaled(f, key, take(number))
    }

    pub(super) fn attitude(&mut self, f: &Fields) -> Option<Attitude> {
        let number = self.whole(f, "attitude")?;
        self.scaled(f, "attitude", Attitude::new(number))
    }

    pub(super) fn scaled<T>(&mut self, f: &Fields, key: &str, taken: Result<T, ScaleError>) -> Option<T> {
        let at = f.get(key).map_or(f.at, |node| node.at);
        taken.map_err(|error| self.faults.add(at, &f.below(key), error.to_string(), "")).ok()
    }

    pub(super) fn whole(&mut self, f: &Fields, key: &str) -> Option<i64> {
        let number = self.number(f, key)?;
        if number.fract() == 0.0 && number.abs() < 9e15 {
            return Some(number as i64);
        }
        let at = f.get(key).map_or(f.at, |node| node.at);
        self.faults.add(at, &f.below(key), format!("expected a whole number, not {number}"), "");
        None
    }

    /// Reads a whole number from 0 to [`u32::MAX`].
    pub(super) fn count(&mut self, f: &Fields, key: &str) -> Option<u32> {
        let number = self.whole(f, key)?;
        let at = f.get(key).map_or(f.at, |node| node.at);
        let message = format!("expected a number from 0 to {}, not {number}", u32::MAX);
        u32::try_from(number).map_err(|_| self.faults.add(at, &f.below(key), message, "")).ok()
    }

    /// Reads a date in the campaign's calendar. A date that is only a year may be a number.
    pub(super) fn date(&mut self, f: &Fields, key: &str) -> Option<Date> {
        let node = f.get(key)?;
        let raw = match &node.value {
            Yaml::Text(text) => text.trim(),
            Yaml::Number(number, raw) if number.fract() == 0.0 => raw,
            _ => {
                self.wrong(node, &f.below(key), "text with a date in it");
                return None;
            }
        };
        if !self.calendar_is_sound {
            return None;
        }
        let date = self.calendar.parse(raw);
        date.map_err(|error| self.faults.add(node.at, &f.below(key), error.to_string(), "")).ok()
    }

    pub(super) fn list<'a>(&mut self, f: &Fields<'a>, key: &str) -> &'a [Node] {
        let Some(node) = f.get(key) else { return &[] };
        if let Yaml::List(items) = &node.value {
            return items;
        }
        let path = f.below(key);
        let message = format!("expected a list, found {}", node.what());
        self.faults.add(node.at, &path, message, format!("write `{key}: […]`"));
        &[]
    }

    /// Reads a list. A single value counts as a list of one.
    pub(super) fn one_or_many<'a>(&mut self, f: &Fields<'a>, key: &str) -> &'a [Node] {
        match f.get(key) {
            Some(node) if !matches!(node.value, Yaml::List(_)) => std::slice::from_ref(node),
            _ => self.list(f, key),
        }
    }

    pub(super) fn texts(&mut self, f: &Fields, key: &str) -> Vec<String> {
        let items = self.list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| Some(self.text_of(item, &nth(&f.below(key), n))?.to_owned())).collect()
    }

    /// Reads the mappings of a list, each with its path.
    pub(super) fn maps<'a>(&mut self, f: &Fields<'a>, key: &str, keys: &Keys) -> Vec<Fields<'a>> {
        let items = self.list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.fields(item, &nth(&f.below(key), n), keys)).collect()
    }

    pub(super) fn refer(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        self.reference(f.get(key)?, &f.below(key))
    }

    pub(super) fn refers(&mut self, f: &Fields, key: &str) -> Vec<EntityId> {
        let items = self.list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.reference(item, &nth(&f.below(key), n))).collect()
    }
}

/// Returns the path of an item of a list. The first item has the number 1.
pub(super) fn nth(path: &str, index: usize) -> String {
    format!("{path}/{}", index + 1)
}
