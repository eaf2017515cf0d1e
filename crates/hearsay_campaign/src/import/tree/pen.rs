//! Conversion of trees to fields, links and texts, shared by all readers.

use super::value::{Data, Tree};
use crate::import::{
    Block, Clean, Field, FileId, Link, Origin, Piece, Relation, Sure, Target, Text, Visibility,
    markup::{self, Style},
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
pub(crate) struct Pen {
    pub(crate) file: FileId,
}

/// How to convert one text.
pub(crate) struct Writing<'a> {
    /// The field of the text.
    pub(crate) field: &'a str,
    /// The heading above the text.
    pub(crate) heading: Option<&'a str>,
    pub(crate) markup: Markup,
    pub(crate) visibility: &'a Visibility,
    pub(crate) style: Style<'a>,
}

impl Pen {
    /// Returns the origin of a value.
    pub(crate) fn origin(self, tree: &Tree, field: &str) -> Origin {
        let span = tree.at.start as usize..tree.at.end as usize;
        Origin::new(self.file, tree.line, field, span, &written(tree))
    }

    /// Adds the blocks of a text.
    pub(crate) fn blocks(self, tree: &Tree, writing: &Writing, out: &mut Vec<Block>) {
        let Some(content) = tree.text() else { return };
        self.blocks_of(tree, content, writing, out);
    }

    /// Adds the blocks of a text that was derived from a value.
    pub(crate) fn blocks_of(self, tree: &Tree, content: &str, writing: &Writing, out: &mut Vec<Block>) {
        let first = out.len();
        let span = tree.at.start as usize..tree.at.end as usize;
        let content = match writing.markup {
            // Without tags, each line is a paragraph.
            Markup::Html if !content.contains('<') => paragraphs(content),
            _ => content.to_owned(),
        };
        let text = Text::within(self.file, content, tree.line, span);
        match writing.markup {
            Markup::Html => markup::html(&text, writing.field, writing.visibility, writing.style, out),
            Markup::Bbcode => markup::bbcode(&text, writing.field, writing.visibility, writing.style, out),
            Markup::Markdown => {
                markup::markdown(&text, 0..text.content.len(), writing.visibility, writing.style, out);
            }
        }
        let hides = writing.heading.is_some_and(secret::is_secret);
        for block in out.iter_mut().skip(first) {
            // A position within the value is not a position in the file, so all blocks get the position of the value.
            block.text = Clean::plain(std::mem::take(&mut block.text.text));
            let origin = |field: &str, source: &str| {
                let span = tree.at.start as usize..tree.at.end as usize;
                Origin::new(self.file, tree.line, field, span, source)
            };
            block.origin = origin(&block.origin.field, &block.text.text);
            for link in &mut block.links {
                link.origin = origin(&link.origin.field, link.label.as_deref().unwrap_or_default());
            }
            if let Some(heading) = writing.heading.filter(|heading| !heading.trim().is_empty()) {
                let below = block.headings.iter().filter(|held| held.as_str() != heading).cloned();
                block.headings = std::iter::once(heading.to_owned()).chain(below).collect();
            }
            if hides {
                block.visibility = Visibility::SECRET.within(&block.visibility);
                for link in &mut block.links {
                    link.visibility = Visibility::SECRET.within(&link.visibility);
                }
            }
        }
    }

    /// Returns a field with the values of a tree: a text, a number, or a list of them. A secret name makes the field
    /// secret.
    pub(crate) fn field(self, name: &str, tree: &Tree, place: &str, visibility: &Visibility) -> Option<Field> {
        let values: Vec<Piece> = tree.each().into_iter().filter_map(piece).collect();
        self.field_of(name, values, tree, place, visibility)
    }

    /// Returns a field with these values.
    pub(crate) fn field_of(
        self,
        name: &str,
        values: Vec<Piece>,
        tree: &Tree,
        place: &str,
        visibility: &Visibility,
    ) -> Option<Field> {
        if values.is_empty() || name.trim().is_empty() {
            return None;
        }
        let hides = secret::is_secret(name) || secret::is_secret(place);
        let visibility = if hides { Visibility::SECRET.within(visibility) } else { visibility.clone() };
        let origin = self.origin(tree, place);
        Some(Field { name: name.trim().to_owned(), values, origin, visibility, sure: Sure::Typed })
    }

    /// Returns a link outside of texts.
    pub(crate) fn link(
        self,
        target: Target,
        relation: Relation,
        tree: &Tree,
        place: &str,
        visibility: &Visibility,
    ) -> Link {
        let visibility = visibility.clone();
        Link { target, label: None, relation: Some(relation), origin: self.origin(tree, place), visibility }
    }
}

/// Returns a value of a field, without markup.
pub(crate) fn piece(tree: &Tree) -> Option<Piece> {
    let value = match &tree.data {
        Data::Text(text) => {
            let clean = markup::html_to_text(text);
            let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
            if clean.is_empty() {
                return None;
            }
            clean.as_str().into()
        }
        Data::Number(number) => hearsay_model::Number::new(number.parse().ok()?)
            .map_or_else(|_| (&**number).into(), hearsay_model::Value::Number),
        Data::Flag(flag) => hearsay_model::Value::Flag(*flag),
        _ => return None,
    };
    Some(Piece { value, links: Vec::new() })
}

fn paragraphs(content: &str) -> String {
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("<p>{line}</p>")).collect()
}

/// Returns the text of a value, for evidence.
fn written(tree: &Tree) -> String {
    match &tree.data {
        Data::List(items) => items.iter().filter_map(Tree::word).collect::<Vec<_>>().join(", "),
        _ => tree.word().unwrap_or_default(),
    }
}
