//! YAML with the position of every value. The parser checks the limits on depth and on copies by aliases while it
//! builds the tree.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::value::{Data, Tree, to_u32};
use crate::{
    Limits,
    alias::{AliasBytes, AliasCounter, Size},
    cancel::CANCELLED,
    import::SourceText,
};

pub(super) fn parse(text: &SourceText, limits: &Limits, aliases: &AliasBytes) -> Result<Tree, String> {
    let mut builder = TreeBuilder {
        bytes: BytePositions::new(&text.content),
        text,
        limits,
        aliases: AliasCounter::new(limits, aliases),
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
        builder.add_event(event, span)?;
    }
    Ok(match builder.documents.len() {
        1 => builder.documents.remove(0),
        _ => Tree { span: 0..to_u32(text.content.len()), line: 1, data: Data::List(builder.documents) },
    })
}

/// The byte position of every 64th character. These positions are needed because the parser counts characters, but
/// positions in files are counted in bytes.
struct BytePositions<'a> {
    content: &'a str,
    steps: Vec<u32>,
    ascii: bool,
}

impl<'a> BytePositions<'a> {
    fn new(content: &'a str) -> Self {
        let ascii = content.is_ascii();
        let steps =
            if ascii { Vec::new() } else { content.char_indices().step_by(64).map(|(byte, _)| to_u32(byte)).collect() };
        Self { content, steps, ascii }
    }

    fn byte_position(&self, char_index: usize) -> usize {
        if self.ascii {
            return char_index.min(self.content.len());
        }
        let Some(start) = self.steps.get(char_index / 64).map(|start| *start as usize) else {
            return self.content.len();
        };
        let rest = self.content.get(start..).unwrap_or_default();
        rest.char_indices().nth(char_index % 64).map_or(self.content.len(), |(byte, _)| start + byte)
    }
}

enum OpenCollection {
    List(Vec<Tree>),
    Map(Vec<(Box<str>, Tree)>, Option<Box<str>>),
}

struct TreeBuilder<'a> {
    bytes: BytePositions<'a>,
    text: &'a SourceText,
    limits: &'a Limits,
    open: Vec<(usize, u32, usize, OpenCollection)>,
    anchors: HashMap<usize, (Size, Tree)>,
    aliases: AliasCounter<'a>,
    documents: Vec<Tree>,
}

impl TreeBuilder<'_> {
    fn add_event(&mut self, event: Event, span: Span) -> Result<(), String> {
        let (start, line) = (self.bytes.byte_position(span.start.index()), to_u32(span.start.line()));
        match event {
            Event::SequenceStart(anchor, _) => {
                self.open_collection(start, line, anchor, OpenCollection::List(Vec::new()))
            }
            Event::MappingStart(anchor, _) => {
                self.open_collection(start, line, anchor, OpenCollection::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((start, line, anchor, open)) = self.open.pop() else { return Ok(()) };
                let data = match open {
                    OpenCollection::List(items) => Data::List(items),
                    OpenCollection::Map(entries, _) => Data::Map(entries),
                };
                let end = self.bytes.byte_position(span.end.index());
                self.add_value(self.make_tree(start..end, line, data), anchor)
            }
            Event::Scalar(raw, style, anchor, _) => {
                let end = self.bytes.byte_position(span.end.index());
                let data = parse_scalar(&raw, style);
                self.add_value(self.make_tree(start..end, line, data), anchor)
            }
            Event::Alias(id) => {
                let anchored = self.anchors.get(&id);
                let (size, tree) =
                    anchored.ok_or_else(|| format!("line {line}: the alias has no anchor; write the value instead"))?;
                self.aliases.count_copy(*size).map_err(|message| alias_error(line, &message))?;
                let tree = tree.clone();
                self.add_value(tree, 0)
            }
            _ => Ok(()),
        }
    }

    fn make_tree(&self, span: std::ops::Range<usize>, line: u32, data: Data) -> Tree {
        Tree {
            span: to_u32(self.text.file_position(span.start))..to_u32(self.text.file_position(span.end)),
            line,
            data,
        }
    }

    fn open_collection(&mut self, start: usize, line: u32, anchor: usize, open: OpenCollection) -> Result<(), String> {
        if self.open.len() >= self.limits.depth {
            return Err(format!(
                "line {line}: lists and mappings are nested more than {} levels deep; flatten them",
                self.limits.depth
            ));
        }
        self.open.push((start, line, anchor, open));
        Ok(())
    }

    fn add_value(&mut self, tree: Tree, anchor: usize) -> Result<(), String> {
        if anchor > 0 {
            let size = tree_size(&tree);
            self.aliases.count_copy(size).map_err(|message| alias_error(tree.line, &message))?;
            self.anchors.insert(anchor, (size, tree.clone()));
        }
        match self.open.last_mut() {
            None => self.documents.push(tree),
            Some((.., OpenCollection::List(items))) => items.push(tree),
            Some((.., OpenCollection::Map(entries, key))) => match key.take() {
                Some(name) => {
                    // `<<: *base` adds the keys of `base` that the mapping itself does not have.
                    match (&*name, tree.data) {
                        ("<<", Data::Map(base)) => entries.extend(base),
                        (_, data) => entries.push((name, Tree { span: tree.span, line: tree.line, data })),
                    }
                }
                None => {
                    let name = tree.to_text().unwrap_or_default();
                    *key = Some(name.into());
                }
            },
        }
        Ok(())
    }
}

fn alias_error(line: u32, message: &str) -> String {
    format!("line {line}: {message}; write the values instead")
}

/// Returns the size of a tree. The recursion cannot overflow the stack, because the depth of a tree is limited.
fn tree_size(tree: &Tree) -> Size {
    match &tree.data {
        Data::Null | Data::Flag(_) => Size::node::<Tree>(0),
        Data::Number(text) | Data::Text(text) => Size::node::<Tree>(text.len()),
        Data::List(items) => Size::node::<Tree>(0) + items.iter().map(tree_size).sum(),
        Data::Map(entries) => {
            let entry = |(key, value): &(Box<str>, Tree)| Size::node::<Box<str>>(key.len()) + tree_size(value);
            Size::node::<Tree>(0) + entries.iter().map(entry).sum()
        }
    }
}

fn parse_scalar(raw: &str, style: ScalarStyle) -> Data {
    if style != ScalarStyle::Plain {
        return Data::Text(raw.into());
    }
    match raw {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Flag(true),
        "false" | "False" | "FALSE" => Data::Flag(false),
        _ => {
            let is_number = raw.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
                && raw.parse::<f64>().is_ok();
            if is_number { Data::Number(raw.into()) } else { Data::Text(raw.into()) }
        }
    }
}
