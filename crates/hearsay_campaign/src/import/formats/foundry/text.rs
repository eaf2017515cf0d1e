//! Texts of documents and pages.

use super::{
    document::Doc,
    library::{Access, Library},
    links,
};
use crate::import::{
    Note, Visibility,
    markup::Style,
    secret,
    tree::{Markup, Pen, Tree, Writing},
};

/// Adds a text in HTML.
#[allow(clippy::too_many_arguments)]
pub(super) fn write(
    library: &Library,
    doc: &Doc,
    tree: &Tree,
    place: &str,
    heading: Option<&str>,
    visibility: &Visibility,
    pen: Pen,
    note: &mut Note,
) {
    let inline = |text: &str| links::inline(library, doc, text);
    let style = Style { inline: &inline, address: &|_| None };
    let writing = Writing { field: place, heading, markup: Markup::Html, visibility, style };
    pen.blocks(tree, &writing, &mut note.texts);
}

/// Limits the visibility of a page to that of its journal.
pub(super) fn within(inner: &Access, outer: &Access) -> Access {
    Access { seen: inner.seen.within(&outer.seen), inner: inner.inner.within(&outer.inner), said: true }
}

/// Adds the text of a page.
pub(super) fn page_text(library: &Library, doc: &Doc, page: &Tree, outer: &Access, pen: Pen, note: &mut Note) {
    let access = within(&library.page_access(doc, page), outer);
    let name = page.get("name").word().unwrap_or_default();
    let alone = doc.tree.get("pages").items().len() <= 1 || name == note.name;
    let heading = Some(name.as_str()).filter(|_| !alone);
    let hides = secret::is_secret(&name);
    let visibility = if hides { Visibility::SECRET.within(&access.inner) } else { access.inner };
    let text = page.get("text");
    let markdown = text.get("format").integer() == Some(2) && text.get("markdown").text().is_some();
    let (tree, markup) = match markdown {
        true => (text.get("markdown"), Markup::Markdown),
        false => (text.get("content"), Markup::Html),
    };
    let inline = |text: &str| links::inline(library, doc, text);
    let style = Style { inline: &inline, address: &|_| None };
    let writing = Writing { field: "pages.text", heading, markup, visibility: &visibility, style };
    let first = note.texts.len();
    pen.blocks(tree, &writing, &mut note.texts);
    let mut at = 0;
    note.texts.retain(|block| {
        at += 1;
        at <= first || !is_template(&block.text.text)
    });
}

/// Returns whether the text is the unfilled template of a module.
fn is_template(text: &str) -> bool {
    let text = text.trim_end_matches(['.', '\u{2026}', ' ']);
    ["Location overview", "Shop overview", "NPC details", "Region overview", "Group overview", "Overview"]
        .contains(&text)
}
