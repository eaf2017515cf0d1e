//! Adds the texts of Foundry documents and pages to notes.

use super::{
    document::Doc,
    library::{Access, Library},
    links,
};
use crate::import::{
    Note, Visibility,
    markup::LinkSyntax,
    secret,
    tree::{Markup, TextConversion, Tree, TreeConverter},
};

/// Adds a text in HTML.
pub(super) fn add_html(
    library: &Library,
    doc: &Doc,
    tree: &Tree,
    field_path: &str,
    heading: Option<&str>,
    visibility: &Visibility,
    note: &mut Note,
) {
    let inline = |text: &str| links::find_inline_links(library, doc, text);
    let link_syntax = LinkSyntax { inline: &inline, address: &|_| None };
    let conversion =
        TextConversion { field: field_path, heading, markup: Markup::Html, visibility, style: link_syntax };
    TreeConverter { file: doc.file }.add_blocks(tree, &conversion, &mut note.texts);
}

/// Limits the visibility of a page to that of its journal.
pub(super) fn restrict_access(inner: &Access, outer: &Access) -> Access {
    Access {
        existence: inner.existence.within(&outer.existence),
        content: inner.content.within(&outer.content),
        has_own_permissions: true,
    }
}

/// Adds the text of a page.
pub(super) fn add_page_text(
    library: &Library,
    doc: &Doc,
    page: &Tree,
    journal_access: &Access,
    converter: TreeConverter,
    note: &mut Note,
) {
    let access = restrict_access(&library.page_access(doc, page), journal_access);
    let name = page.get("name").to_text().unwrap_or_default();
    let is_only_page = doc.tree.get("pages").items().len() <= 1 || name == note.name;
    let heading = Some(name.as_str()).filter(|_| !is_only_page);
    let is_secret_part = secret::is_secret(&name);
    let visibility = if is_secret_part { Visibility::SECRET.within(&access.content) } else { access.content };
    let text = page.get("text");
    let markdown = text.get("format").integer() == Some(2) && text.get("markdown").text().is_some();
    let (tree, markup) = match markdown {
        true => (text.get("markdown"), Markup::Markdown),
        false => (text.get("content"), Markup::Html),
    };
    let inline = |text: &str| links::find_inline_links(library, doc, text);
    let link_syntax = LinkSyntax { inline: &inline, address: &|_| None };
    let conversion =
        TextConversion { field: "pages.text", heading, markup, visibility: &visibility, style: link_syntax };
    let first = note.texts.len();
    converter.add_blocks(tree, &conversion, &mut note.texts);
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
