//! YAML as a tree in which every node has its line. The tree is built from the events of the parser. The reader can
//! therefore limit depth and aliases while the tree grows, and the error for a duplicate key can name both lines.

use std::collections::HashMap;

use saphyr::{Scalar, ScalarStyle, Tag};
use saphyr_parser::{Event, Parser};

use crate::{
    Limits,
    alias::{AliasBytes, AliasCounter, Size},
    cancel::CANCELLED,
    error::{Diagnostics, SourcePosition},
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: SourcePosition,
    pub(crate) value: Yaml,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Yaml {
    Null,
    Flag(bool),
    /// A number, with its text in the file.
    Number(f64, Box<str>),
    Text(Box<str>),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) at: SourcePosition,
    pub(crate) text: Box<str>,
}

impl Node {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Yaml::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.value == Yaml::Null
    }

    /// Returns the value of a key, unless the value is empty.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Yaml::Map(entries) = &self.value else { return None };
        entries.iter().find(|(k, _)| &*k.text == key).map(|(_, node)| node).filter(|node| !node.is_null())
    }

    pub(crate) fn items(&self) -> &[Node] {
        match &self.value {
            Yaml::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the name of the node's type, for error messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.value {
            Yaml::Null => "nothing",
            Yaml::Flag(_) => "true or false",
            Yaml::Number(..) => "a number",
            Yaml::Text(_) => "text",
            Yaml::List(_) => "a list",
            Yaml::Map(_) => "a mapping",
        }
    }

    /// Returns the size of this node and of all nested nodes. The recursion cannot overflow the stack, because the
    /// depth of a tree is limited.
    fn size(&self) -> Size {
        match &self.value {
            Yaml::Null | Yaml::Flag(_) => Size::node::<Self>(0),
            Yaml::Number(_, text) | Yaml::Text(text) => Size::node::<Self>(text.len()),
            Yaml::List(items) => Size::node::<Self>(0) + items.iter().map(Self::size).sum(),
            Yaml::Map(entries) => {
                let entry = |(key, node): &(Key, Self)| Size::node::<Key>(key.text.len()) + node.size();
                Size::node::<Self>(0) + entries.iter().map(entry).sum()
            }
        }
    }
}

/// Parses one file. Returns `None` if the file is empty. If the file cannot be parsed, adds an error to `diagnostics`
/// and returns `None`. `aliases` counts the bytes that aliases have copied in all files of a campaign.
pub(crate) fn parse(
    bytes: &[u8],
    file: u32,
    limits: &Limits,
    aliases: &AliasBytes,
    diagnostics: &mut Diagnostics,
) -> Option<Node> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{FEFF}').unwrap_or(text),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u32;
            diagnostics.add(
                SourcePosition { file, line },
                "",
                "the file is not UTF-8 text",
                "save the file as UTF-8 in your editor",
            );
            return None;
        }
    };
    let aliases = AliasCounter::new(limits, aliases);
    let tree = TreeBuilder { file, limits, aliases, open: Vec::new(), anchors: HashMap::new(), root: None };
    match tree.build(text, diagnostics) {
        Ok(root) => root.filter(|root| !root.is_null()),
        Err(ParseError(at, message, hint)) => {
            diagnostics.add(at, "", message, hint);
            None
        }
    }
}

/// The reason why parsing stopped, with the position and a hint.
struct ParseError(SourcePosition, String, &'static str);

enum OpenCollection {
    List(Vec<Node>),
    Map(Vec<(Key, Node)>, Option<Key>),
}

struct TreeBuilder<'a> {
    file: u32,
    limits: &'a Limits,
    open: Vec<(SourcePosition, usize, OpenCollection)>,
    anchors: HashMap<usize, (Size, Node)>,
    aliases: AliasCounter<'a>,
    root: Option<Node>,
}

impl TreeBuilder<'_> {
    fn build(mut self, text: &str, diagnostics: &mut Diagnostics) -> Result<Option<Node>, ParseError> {
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            if self.limits.cancel.is_cancelled() {
                return Err(ParseError(SourcePosition { file: self.file, line: 0 }, CANCELLED.into(), ""));
            }
            let (event, span) = event.map_err(|error| {
                let line = error.marker().line() as u32;
                let hint = "check indentation, quotes and brackets here and in the line above";
                ParseError(SourcePosition { file: self.file, line }, format!("invalid YAML: {}", error.info()), hint)
            })?;
            let at = SourcePosition { file: self.file, line: span.start.line() as u32 };
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(ParseError(
                            at,
                            "a second document begins here".into(),
                            "move it to a separate file",
                        ));
                    }
                }
                Event::SequenceStart(anchor, _) => {
                    self.open_collection(at, anchor, OpenCollection::List(Vec::new()))?
                }
                Event::MappingStart(anchor, _) => {
                    self.open_collection(at, anchor, OpenCollection::Map(Vec::new(), None))?
                }
                Event::SequenceEnd | Event::MappingEnd => self.close_collection(diagnostics)?,
                Event::Scalar(text, style, anchor, tag) => {
                    let value = parse_scalar(&text, style, tag.as_deref());
                    let value = value.ok_or_else(|| {
                        ParseError(
                            at,
                            format!("`{text}` does not match its tag"),
                            "remove the tag, or correct the value",
                        )
                    })?;
                    self.add_node(Node { at, value }, anchor)?;
                }
                Event::Alias(id) => {
                    let anchored = self.anchors.get(&id);
                    let (size, node) = anchored
                        .ok_or_else(|| ParseError(at, "the alias has no anchor".into(), "write the value instead"))?;
                    self.aliases.count_copy(*size).map_err(|message| alias_error(at, message))?;
                    let node = node.clone();
                    self.add_node(node, 0)?;
                }
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        Ok(self.root)
    }

    fn open_collection(&mut self, at: SourcePosition, anchor: usize, open: OpenCollection) -> Result<(), ParseError> {
        if self.open.len() >= self.limits.depth {
            let message = format!("lists and mappings are nested more than {} levels deep", self.limits.depth);
            return Err(ParseError(at, message, "flatten them"));
        }
        self.open.push((at, anchor, open));
        Ok(())
    }

    fn close_collection(&mut self, diagnostics: &mut Diagnostics) -> Result<(), ParseError> {
        let Some((at, anchor, open)) = self.open.pop() else { return Ok(()) };
        let value = match open {
            OpenCollection::List(items) => Yaml::List(items),
            OpenCollection::Map(entries, _) => {
                let mut keys: Vec<&Key> = entries.iter().map(|(key, _)| key).collect();
                keys.sort_by(|a, b| a.text.cmp(&b.text).then(a.at.cmp(&b.at)));
                for pair in keys.windows(2).filter(|pair| pair[0].text == pair[1].text) {
                    let message = format!("duplicate key: it is also in line {}", pair[0].at.line);
                    diagnostics.add(
                        pair[1].at,
                        &pair[1].text,
                        message,
                        "remove one of the two keys; if the key has several values, write them as a list",
                    );
                }
                Yaml::Map(entries)
            }
        };
        self.add_node(Node { at, value }, anchor)
    }

    fn add_node(&mut self, node: Node, anchor: usize) -> Result<(), ParseError> {
        if anchor > 0 {
            let size = node.size();
            self.aliases.count_copy(size).map_err(|message| alias_error(node.at, message))?;
            self.anchors.insert(anchor, (size, node.clone()));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some((_, _, OpenCollection::List(items))) => items.push(node),
            Some((_, _, OpenCollection::Map(entries, key))) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => {
                    let at = node.at;
                    let text = match node.value {
                        Yaml::Text(text) | Yaml::Number(_, text) => text,
                        Yaml::Flag(flag) => flag.to_string().into(),
                        _ => {
                            let message = format!("a key must be a word, not {}", node.type_name());
                            return Err(ParseError(at, message, "write `key: value`"));
                        }
                    };
                    *key = Some(Key { at, text });
                }
            },
        }
        Ok(())
    }
}

fn alias_error(at: SourcePosition, message: String) -> ParseError {
    ParseError(at, message, "write the values instead")
}

fn parse_scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Option<Yaml> {
    let tag = tag.map(std::borrow::Cow::Borrowed);
    Some(match Scalar::parse_from_cow_and_metadata(text.into(), style, tag.as_ref())? {
        Scalar::Null => Yaml::Null,
        Scalar::Boolean(flag) => Yaml::Flag(flag),
        Scalar::Integer(number) => Yaml::Number(number as f64, text.into()),
        Scalar::FloatingPoint(number) => Yaml::Number(*number, text.into()),
        // YAML folding turns a blank line into one line break. In the result, two line breaks separate paragraphs in
        // every style.
        Scalar::String(_) => match style {
            ScalarStyle::Folded | ScalarStyle::Plain | ScalarStyle::SingleQuoted if text.trim_end().contains('\n') => {
                Yaml::Text(text.trim_end().replace('\n', "\n\n").into())
            }
            _ => Yaml::Text(text.into()),
        },
    })
}
