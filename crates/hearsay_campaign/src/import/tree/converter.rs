//! Converts parsed JSON, YAML or CSV to fields, links and texts. All readers use this conversion.

use super::value::{Data, Tree};
use crate::import::{
    Block, Certainty, Field, FieldValue, FileId, LinkRelation, LinkTarget, NoteLink, Origin, PlainText, SourceText,
    Visibility,
    markup::{self, LinkSyntax},
    secret,
};

/// The markup of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    Html,
    Markdown,
    Bbcode,
}

/// Converts the values of one file to fields, links and texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeConverter {
    pub(crate) file: FileId,
}

/// How to convert one text.
pub(crate) struct TextConversion<'a> {
    /// The field of the text.
    pub(crate) field: &'a str,
    /// The heading above the text.
    pub(crate) heading: Option<&'a str>,
    pub(crate) markup: Markup,
    pub(crate) visibility: &'a Visibility,
    pub(crate) style: LinkSyntax<'a>,
}

impl TreeConverter {
    /// Returns the origin of a value.
    pub(crate) fn origin(self, tree: &Tree, field: &str) -> Origin {
        let span = tree.span.start as usize..tree.span.end as usize;
        Origin::new(self.file, tree.line, field, span, &evidence_text(tree))
    }

    /// Adds the blocks of a text.
    pub(crate) fn add_blocks(self, tree: &Tree, conversion: &TextConversion, blocks: &mut Vec<Block>) {
        let Some(content) = tree.text() else { return };
        self.add_derived_blocks(tree, content, conversion, blocks);
    }

    /// Adds the blocks of a text that was derived from a value.
    pub(crate) fn add_derived_blocks(
        self,
        tree: &Tree,
        content: &str,
        conversion: &TextConversion,
        blocks: &mut Vec<Block>,
    ) {
        let first = blocks.len();
        let span = tree.span.start as usize..tree.span.end as usize;
        let content = match conversion.markup {
            // Without tags, each line is a paragraph.
            Markup::Html if !content.contains('<') => to_html_paragraphs(content),
            _ => content.to_owned(),
        };
        let text = SourceText::from_part(self.file, content, tree.line, span);
        match conversion.markup {
            Markup::Html => markup::html(&text, conversion.field, conversion.visibility, conversion.style, blocks),
            Markup::Bbcode => markup::bbcode(&text, conversion.field, conversion.visibility, conversion.style, blocks),
            Markup::Markdown => {
                markup::markdown(&text, 0..text.content.len(), conversion.visibility, conversion.style, blocks);
            }
        }
        let is_secret = conversion.heading.is_some_and(secret::is_secret);
        for block in blocks.iter_mut().skip(first) {
            // A position within the value is not a position in the file, so all blocks get the position of the value.
            block.text = PlainText::without_positions(std::mem::take(&mut block.text.text));
            let origin = |field: &str, source: &str| {
                let span = tree.span.start as usize..tree.span.end as usize;
                Origin::new(self.file, tree.line, field, span, source)
            };
            block.origin = origin(&block.origin.field, &block.text.text);
            for link in &mut block.links {
                link.origin = origin(&link.origin.field, link.label.as_deref().unwrap_or_default());
            }
            if let Some(heading) = conversion.heading.filter(|heading| !heading.trim().is_empty()) {
                let inner_headings =
                    block.headings.iter().filter(|inner_heading| inner_heading.as_str() != heading).cloned();
                block.headings = std::iter::once(heading.to_owned()).chain(inner_headings).collect();
            }
            if is_secret {
                block.visibility = Visibility::SECRET.within(&block.visibility);
                for link in &mut block.links {
                    link.visibility = Visibility::SECRET.within(&link.visibility);
                }
            }
        }
    }

    /// Returns a field with the values of a tree: a text, a number, or a list of them. A secret name makes the field
    /// secret.
    pub(crate) fn field(self, name: &str, tree: &Tree, field_path: &str, visibility: &Visibility) -> Option<Field> {
        let values: Vec<FieldValue> = tree.as_list().into_iter().filter_map(field_value).collect();
        self.field_with_values(name, values, tree, field_path, visibility)
    }

    /// Returns a field with these values.
    pub(crate) fn field_with_values(
        self,
        name: &str,
        values: Vec<FieldValue>,
        tree: &Tree,
        field_path: &str,
        visibility: &Visibility,
    ) -> Option<Field> {
        if values.is_empty() || name.trim().is_empty() {
            return None;
        }
        let is_secret = secret::is_secret(name) || secret::is_secret(field_path);
        let visibility = if is_secret { Visibility::SECRET.within(visibility) } else { visibility.clone() };
        let origin = self.origin(tree, field_path);
        Some(Field { name: name.trim().to_owned(), values, origin, visibility, certainty: Certainty::Explicit })
    }

    /// Returns a link outside of texts.
    pub(crate) fn link(
        self,
        target: LinkTarget,
        relation: LinkRelation,
        tree: &Tree,
        field_path: &str,
        visibility: &Visibility,
    ) -> NoteLink {
        let visibility = visibility.clone();
        NoteLink { target, label: None, relation: Some(relation), origin: self.origin(tree, field_path), visibility }
    }
}

/// Returns a value of a field, without markup.
pub(crate) fn field_value(tree: &Tree) -> Option<FieldValue> {
    let value = match &tree.data {
        Data::Text(text) => {
            let plain_text = markup::html_to_text(text);
            let plain_text = plain_text.split_whitespace().collect::<Vec<_>>().join(" ");
            if plain_text.is_empty() {
                return None;
            }
            plain_text.as_str().into()
        }
        Data::Number(number) => hearsay_model::Number::new(number.parse().ok()?)
            .map_or_else(|_| (&**number).into(), hearsay_model::Value::Number),
        Data::Flag(flag) => hearsay_model::Value::Flag(*flag),
        _ => return None,
    };
    Some(FieldValue { value, links: Vec::new() })
}

fn to_html_paragraphs(content: &str) -> String {
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("<p>{line}</p>")).collect()
}

/// Returns the text of a value, for evidence.
fn evidence_text(tree: &Tree) -> String {
    match &tree.data {
        Data::List(items) => items.iter().filter_map(Tree::to_text).collect::<Vec<_>>().join(", "),
        _ => tree.to_text().unwrap_or_default(),
    }
}
