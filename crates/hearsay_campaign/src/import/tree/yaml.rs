//! YAML with the position of every value. Depth and alias copies are bounded while the tree grows.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::value::{Data, Tree, small};
use crate::{
    Limits,
    alias::{AliasBytes, Aliases, Size},
    cancel::CANCELLED,
    import::Text,
};

pub(super) fn parse(text: &Text, limits: &Limits, aliases: &AliasBytes) -> Result<Tree, String> {
    let mut grower = Grower {
        bytes: Bytes::new(&text.content),
        text,
        limits,
        aliases: Aliases::new(limits, aliases),
        open: Vec::new(),
        anchors: HashMap::new(),
        documents: Vec::new(),
    };
    for event in Parser::new_from_str(&text.content) {
        if limits.cancel.is_cancelled() {
            return Err(CANCELLED.to_owned());
        }
        let (event, span) = event.map_err(|error| {
            let line = error.marker().line();
            format!("line {line}: invalid YAML: {}; check indentation, quotes and brackets", error.info())
        })?;
        grower.event(event, span)?;
    }
    Ok(match grower.documents.len() {
        1 => grower.documents.remove(0),
        _ => Tree { at: 0..small(text.content.len()), line: 1, data: Data::List(grower.documents) },
    })
}

/// The byte position of every 64th character: the parser counts characters, files count bytes.
struct Bytes<'a> {
    content: &'a str,
    steps: Vec<u32>,
    ascii: bool,
}

impl<'a> Bytes<'a> {
    fn new(content: &'a str) -> Self {
        let ascii = content.is_ascii();
        let steps =
            if ascii { Vec::new() } else { content.char_indices().step_by(64).map(|(byte, _)| small(byte)).collect() };
        Self { content, steps, ascii }
    }

    fn at(&self, letter: usize) -> usize {
        if self.ascii {
            return letter.min(self.content.len());
        }
        let Some(start) = self.steps.get(letter / 64).map(|start| *start as usize) else { return self.content.len() };
        let rest = self.content.get(start..).unwrap_or_default();
        rest.char_indices().nth(letter % 64).map_or(self.content.len(), |(byte, _)| start + byte)
    }
}

enum Open {
    List(Vec<Tree>),
    Map(Vec<(Box<str>, Tree)>, Option<Box<str>>),
}

struct Grower<'a> {
    bytes: Bytes<'a>,
    text: &'a Text,
    limits: &'a Limits,
    open: Vec<(usize, u32, usize, Open)>,
    anchors: HashMap<usize, (Size, Tree)>,
    aliases: Aliases<'a>,
    documents: Vec<Tree>,
}

impl Grower<'_> {
    fn event(&mut self, event: Event, span: Span) -> Result<(), String> {
        let (start, line) = (self.bytes.at(span.start.index()), small(span.start.line()));
        match event {
            Event::SequenceStart(anchor, _) => self.begin(start, line, anchor, Open::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.begin(start, line, anchor, Open::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((start, line, anchor, open)) = self.open.pop() else { return Ok(()) };
                let data = match open {
                    Open::List(items) => Data::List(items),
                    Open::Map(entries, _) => Data::Map(entries),
                };
                let end = self.bytes.at(span.end.index());
                self.put(self.tree(start..end, line, data), anchor)
            }
            Event::Scalar(written, style, anchor, _) => {
                let end = self.bytes.at(span.end.index());
                let data = scalar(&written, style);
                self.put(self.tree(start..end, line, data), anchor)
            }
            Event::Alias(id) => {
                let held = self.anchors.get(&id);
                let (size, tree) =
                    held.ok_or_else(|| format!("line {line}: the alias has no anchor; write the value instead"))?;
                self.aliases.copy(*size).map_err(|what| copies(line, &what))?;
                let tree = tree.clone();
                self.put(tree, 0)
            }
            _ => Ok(()),
        }
    }

    fn tree(&self, span: std::ops::Range<usize>, line: u32, data: Data) -> Tree {
        Tree { at: small(self.text.on_disk(span.start))..small(self.text.on_disk(span.end)), line, data }
    }

    fn begin(&mut self, start: usize, line: u32, anchor: usize, open: Open) -> Result<(), String> {
        if self.open.len() >= self.limits.depth {
            return Err(format!(
                "line {line}: lists and mappings are nested more than {} levels deep; flatten them",
                self.limits.depth
            ));
        }
        self.open.push((start, line, anchor, open));
        Ok(())
    }

    fn put(&mut self, tree: Tree, anchor: usize) -> Result<(), String> {
        if anchor > 0 {
            let size = size(&tree);
            self.aliases.copy(size).map_err(|what| copies(tree.line, &what))?;
            self.anchors.insert(anchor, (size, tree.clone()));
        }
        match self.open.last_mut() {
            None => self.documents.push(tree),
            Some((.., Open::List(items))) => items.push(tree),
            Some((.., Open::Map(entries, key))) => match key.take() {
                Some(name) => {
                    // `<<: *base` adds the keys of `base` that the mapping itself does not have.
                    match (&*name, tree.data) {
                        ("<<", Data::Map(base)) => entries.extend(base),
                        (_, data) => entries.push((name, Tree { at: tree.at, line: tree.line, data })),
                    }
                }
                None => {
                    let name = tree.word().unwrap_or_default();
                    *key = Some(name.into());
                }
            },
        }
        Ok(())
    }
}

fn copies(line: u32, what: &str) -> String {
    format!("line {line}: {what}; write the values instead")
}

/// The limit on depth bounds the recursion.
fn size(tree: &Tree) -> Size {
    match &tree.data {
        Data::Null | Data::Flag(_) => Size::node::<Tree>(0),
        Data::Number(text) | Data::Text(text) => Size::node::<Tree>(text.len()),
        Data::List(items) => Size::node::<Tree>(0) + items.iter().map(size).sum(),
        Data::Map(entries) => {
            let entry = |(key, value): &(Box<str>, Tree)| Size::node::<Box<str>>(key.len()) + size(value);
            Size::node::<Tree>(0) + entries.iter().map(entry).sum()
        }
    }
}

fn scalar(written: &str, style: ScalarStyle) -> Data {
    if style != ScalarStyle::Plain {
        return Data::Text(written.into());
    }
    match written {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Flag(true),
        "false" | "False" | "FALSE" => Data::Flag(false),
        _ => {
            let number = written.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
                && written.parse::<f64>().is_ok();
            if number { Data::Number(written.into()) } else { Data::Text(written.into()) }
        }
    }
}
