//! A value of a parsed file, with its position.

use std::ops::Range;

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    /// The bytes of the value in the file.
    pub(crate) span: Range<u32>,
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

static NULL_TREE: Tree = Tree { span: 0..0, line: 0, data: Data::Null };

impl Tree {
    /// Returns the value of a key, or an empty tree.
    pub(crate) fn get(&self, key: &str) -> &Self {
        let Data::Map(entries) = &self.data else { return &NULL_TREE };
        entries.iter().find(|(name, _)| &**name == key).map_or(&NULL_TREE, |(_, value)| value)
    }

    /// Returns the value at a path of keys: `system.details.race`. A number is an index into a list.
    pub(crate) fn path(&self, path: &str) -> &Self {
        path.split('.').filter(|key| !key.is_empty()).fold(self, |tree, key| match &tree.data {
            Data::List(items) => key.parse().ok().and_then(|at: usize| items.get(at)).unwrap_or(&NULL_TREE),
            _ => tree.get(key),
        })
    }

    pub(crate) fn is_null(&self) -> bool {
        self.data == Data::Null
    }

    /// Returns the value if it is a text that is not blank.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns a text, a number or a flag as text, because tools write ids in all three forms.
    pub(crate) fn to_text(&self) -> Option<String> {
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

    /// Returns whether the value means yes: `true`, `1`, `"yes"`.
    pub(crate) fn is_true(&self) -> bool {
        match &self.data {
            Data::Flag(flag) => *flag,
            Data::Number(number) => number.parse::<f64>().is_ok_and(|number| number != 0.0),
            Data::Text(text) => ["true", "yes", "1", "on"].contains(&text.trim().to_lowercase().as_str()),
            _ => false,
        }
    }

    /// Returns whether a mark is set: any value except nothing, `false`, `0` or `"no"`. Marks of secrecy use this
    /// function, so that a doubtful value counts as set.
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
    pub(crate) fn as_list(&self) -> Vec<&Self> {
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
    pub(crate) fn remove_keys(&mut self, keys: &[&str]) {
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
pub(super) fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
