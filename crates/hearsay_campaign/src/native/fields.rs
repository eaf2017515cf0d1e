//! Reads the YAML mappings of a campaign file, and checks their keys and values.

use hearsay_model::{Attitude, Date, EntityId, Predicate, ScaleError};

use super::reader::CampaignReader;
use crate::{
    error::SourcePosition,
    keys::{self, Keys},
    yaml::{Key, Node, Yaml},
};

/// A mapping whose keys have been checked.
#[derive(Clone)]
pub(super) struct Fields<'a> {
    pub(super) at: SourcePosition,
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

    pub(super) fn child_path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}/{key}", self.path) }
    }
}

impl CampaignReader {
    /// Reads a mapping that may have any keys.
    pub(super) fn read_any_fields<'a>(&mut self, node: &'a Node, path: &str, description: &str) -> Option<Fields<'a>> {
        match &node.value {
            Yaml::Map(entries) => Some(Fields { at: node.at, path: path.into(), entries }),
            _ => {
                self.add_type_error(node, path, &format!("a mapping, `key: value`, for {description}"));
                None
            }
        }
    }

    /// Reads a mapping that may have only known keys.
    pub(super) fn read_fields<'a>(&mut self, node: &'a Node, path: &str, keys: &Keys) -> Option<Fields<'a>> {
        let fields = self.read_any_fields(node, path, keys.description)?;
        for (key, value) in fields.entries {
            if !keys.all_keys().any(|allowed| allowed == &*key.text) {
                let is_relationship = keys.all_keys().any(|allowed| allowed == "target");
                let form = relationship_form(key, value).filter(|_| is_relationship);
                let hint = match form {
                    Some(form) => format!("write `{form}`"),
                    None => keys::hint(&key.text, keys.all_keys()),
                };
                let message = format!("{} has no key `{}`", keys.description, key.text);
                self.diagnostics.add(key.at, &fields.child_path(&key.text), message, hint);
            }
        }
        Some(fields)
    }

    pub(super) fn add_type_error(&mut self, node: &Node, path: &str, expected: &str) {
        let hint = match node.value {
            Yaml::Number(..) | Yaml::Flag(_) if expected.starts_with("text") => "put it in quotes",
            _ => "",
        };
        self.diagnostics.add(node.at, path, format!("expected {expected}, found {}", node.type_name()), hint);
    }

    /// Reads text that is not empty.
    pub(super) fn read_text_node<'a>(&mut self, node: &'a Node, path: &str) -> Option<&'a str> {
        match node.text() {
            Some(text) if text.trim().is_empty() => {
                self.diagnostics.add(node.at, path, "the text is empty", "write a text, or remove the field");
                None
            }
            Some(text) => Some(text),
            None => {
                self.add_type_error(node, path, "text");
                None
            }
        }
    }

    pub(super) fn read_text<'a>(&mut self, f: &Fields<'a>, key: &str) -> Option<&'a str> {
        self.read_text_node(f.get(key)?, &f.child_path(key))
    }

    pub(super) fn read_trimmed_text(&mut self, f: &Fields, key: &str) -> Option<String> {
        self.read_text(f, key).map(|text| text.trim().to_owned())
    }

    /// Reads a text that the mapping must have.
    pub(super) fn read_required_text<'a>(&mut self, f: &Fields<'a>, key: &str, description: &str) -> Option<&'a str> {
        if f.get(key).is_none() {
            let hint = format!("add `{key}: …`");
            self.diagnostics.add(f.at, &f.path, format!("{description} needs a {key}"), hint);
        }
        self.read_text(f, key)
    }

    pub(super) fn read_flag(&mut self, f: &Fields, key: &str) -> Option<bool> {
        let node = f.get(key)?;
        if let Yaml::Flag(flag) = node.value {
            return Some(flag);
        }
        self.add_type_error(node, &f.child_path(key), "true or false");
        None
    }

    pub(super) fn read_number(&mut self, f: &Fields, key: &str) -> Option<f64> {
        let node = f.get(key)?;
        if let Yaml::Number(number, _) = node.value {
            return Some(number);
        }
        self.add_type_error(node, &f.child_path(key), "a number");
        None
    }

    /// Reads a number within the range of a scale, such as the range 0 to 1 of a credence.
    pub(super) fn read_scale<T>(
        &mut self,
        f: &Fields,
        key: &str,
        parse: fn(f64) -> Result<T, ScaleError>,
    ) -> Option<T> {
        let number = self.read_number(f, key)?;
        self.check_scale(f, key, parse(number))
    }

    pub(super) fn read_attitude(&mut self, f: &Fields) -> Option<Attitude> {
        let number = self.read_integer(f, "attitude")?;
        self.check_scale(f, "attitude", Attitude::new(number))
    }

    pub(super) fn check_scale<T>(&mut self, f: &Fields, key: &str, result: Result<T, ScaleError>) -> Option<T> {
        let at = f.get(key).map_or(f.at, |node| node.at);
        result.map_err(|error| self.diagnostics.add(at, &f.child_path(key), error.to_string(), "")).ok()
    }

    pub(super) fn read_integer(&mut self, f: &Fields, key: &str) -> Option<i64> {
        let number = self.read_number(f, key)?;
        if number.fract() == 0.0 && number.abs() < 9e15 {
            return Some(number as i64);
        }
        let at = f.get(key).map_or(f.at, |node| node.at);
        self.diagnostics.add(at, &f.child_path(key), format!("expected a whole number, not {number}"), "");
        None
    }

    /// Reads a whole number from 0 to [`u32::MAX`].
    pub(super) fn read_count(&mut self, f: &Fields, key: &str) -> Option<u32> {
        let number = self.read_integer(f, key)?;
        let at = f.get(key).map_or(f.at, |node| node.at);
        let message = format!("expected a number from 0 to {}, not {number}", u32::MAX);
        u32::try_from(number).map_err(|_| self.diagnostics.add(at, &f.child_path(key), message, "")).ok()
    }

    /// Reads a date in the campaign's calendar. A date that is only a year may be a number.
    pub(super) fn read_date(&mut self, f: &Fields, key: &str) -> Option<Date> {
        let node = f.get(key)?;
        let raw = match &node.value {
            Yaml::Text(text) => text.trim(),
            Yaml::Number(number, raw) if number.fract() == 0.0 => raw,
            _ => {
                self.add_type_error(node, &f.child_path(key), "text with a date in it");
                return None;
            }
        };
        if !self.is_calendar_valid {
            return None;
        }
        let date = self.calendar.parse(raw);
        date.map_err(|error| self.diagnostics.add(node.at, &f.child_path(key), error.to_string(), "")).ok()
    }

    pub(super) fn read_list<'a>(&mut self, f: &Fields<'a>, key: &str) -> &'a [Node] {
        let Some(node) = f.get(key) else { return &[] };
        if let Yaml::List(items) = &node.value {
            return items;
        }
        let path = f.child_path(key);
        let message = format!("expected a list, found {}", node.type_name());
        let form = match &node.value {
            Yaml::Map(entries) => entries.iter().find_map(|(key, value)| relationship_form(key, value)),
            _ => None,
        };
        let form = form.unwrap_or_else(|| "…".to_owned());
        self.diagnostics.add(node.at, &path, message, format!("write `{key}: [{form}]`"));
        &[]
    }

    /// Reads a list. A single value counts as a list of one.
    pub(super) fn read_one_or_many<'a>(&mut self, f: &Fields<'a>, key: &str) -> &'a [Node] {
        match f.get(key) {
            Some(node) if !matches!(node.value, Yaml::List(_)) => std::slice::from_ref(node),
            _ => self.read_list(f, key),
        }
    }

    pub(super) fn read_texts(&mut self, f: &Fields, key: &str) -> Vec<String> {
        let items = self.read_list(f, key).iter().enumerate();
        items
            .filter_map(|(n, item)| Some(self.read_text_node(item, &item_path(&f.child_path(key), n))?.to_owned()))
            .collect()
    }

    /// Reads the mappings of a list, each with its path.
    pub(super) fn read_maps<'a>(&mut self, f: &Fields<'a>, key: &str, keys: &Keys) -> Vec<Fields<'a>> {
        let items = self.read_list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.read_fields(item, &item_path(&f.child_path(key), n), keys)).collect()
    }

    pub(super) fn read_reference(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        self.resolve_reference(f.get(key)?, &f.child_path(key))
    }

    pub(super) fn read_references(&mut self, f: &Fields, key: &str) -> Vec<EntityId> {
        let items = self.read_list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.resolve_reference(item, &item_path(&f.child_path(key), n))).collect()
    }
}

/// Returns a relationship as campaign files write it, if the key of its target is the name of a relation: `{type: LEADS,
/// target: the-guild}` for `LEADS: the-guild`.
fn relationship_form(key: &Key, target: &Node) -> Option<String> {
    let is_relation = Predicate::new(&key.text).is_ok_and(|name| name.is_relation());
    let is_capitalized = !key.text.chars().any(char::is_lowercase);
    (is_relation && is_capitalized).then(|| format!("{{type: {}, target: {}}}", key.text, target.text().unwrap_or("…")))
}

/// Returns the path of an item of a list. The first item has the number 1.
pub(super) fn item_path(path: &str, index: usize) -> String {
    format!("{path}/{}", index + 1)
}
