//! HTML, read by a real parser, so that unclosed tags and entities are what a browser makes of them.

use std::collections::HashSet;

use scraper::{Html, Node, node::Element};

use super::{Clean, Style, Writer, no_links};
use crate::notes::{Block, Text, Visibility, secret};

/// Makes blocks of a text in HTML: paragraphs, list items, rows of tables. What stands in an element with a class such as
/// `secret`, `spoiler` or `gm-only` is secret. Elements nested more than 256 deep are left out.
pub fn html(text: &Text, field: &str, visibility: &Visibility, style: Style, blocks: &mut Vec<Block>) {
    let mut writer = Writer::new(text, field, visibility.clone(), style, blocks);
    write(&text.content, &mut writer);
}

/// The text of a piece of HTML on one line.
pub fn html_to_text(source: &str) -> String {
    if !source.contains(['<', '&']) {
        return source.trim().to_owned();
    }
    let text = Text::new(crate::notes::FileId(0), source.to_owned());
    let mut blocks = Vec::new();
    html(&text, "", &Visibility::Unmarked, no_links(), &mut blocks);
    let texts: Vec<&str> = blocks.iter().map(|Block { text: Clean { text, .. }, .. }| text.as_str()).collect();
    texts.join(" ")
}

const DEEPEST: usize = 256;

/// The level of what names a paragraph and is no heading: below all headings.
pub(super) const LABEL_LEVEL: u8 = 7;

fn is_named(node: &Node, name: &str) -> bool {
    node.as_element().is_some_and(|element| element.name() == name)
}

/// Writes a piece of HTML.
pub(super) fn write(source: &str, writer: &mut Writer) {
    let tree = Html::parse_fragment(source);
    // Tables with a column for the DM.
    let mut tables = HashSet::new();
    for cell in tree.tree.nodes().filter(|node| is_named(node.value(), "th")) {
        let words: String =
            cell.descendants().filter_map(|node| node.value().as_text().map(|text| text.to_string())).collect();
        let table = cell.ancestors().take(DEEPEST).find(|node| is_named(node.value(), "table"));
        tables.extend(table.filter(|_| secret::is_secret(&words)).map(|node| node.id()));
    }
    let mut node = tree.tree.root();
    let mut depth = 0;
    // Where the anchors that are open began.
    let mut anchors = Vec::new();
    // Walked without recursion: a tree may be as deep as its source is long.
    'walk: loop {
        let enter = depth < DEEPEST && begin(node.value(), writer, &mut anchors);
        if enter && tables.contains(&node.id()) {
            writer.open(&Visibility::SECRET);
        }
        if enter && let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            continue;
        }
        if enter {
            finish(node.value(), writer, &mut anchors);
            if tables.contains(&node.id()) {
                writer.close();
            }
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                continue 'walk;
            }
            let Some(parent) = node.parent() else { break 'walk };
            node = parent;
            depth -= 1;
            finish(node.value(), writer, &mut anchors);
            if tables.contains(&node.id()) {
                writer.close();
            }
        }
    }
    writer.end();
}

/// Begins an element or writes a text. Returns whether what is within it is written.
fn begin(node: &Node, writer: &mut Writer, anchors: &mut Vec<usize>) -> bool {
    match node {
        Node::Text(words) => {
            writer.words(words, None);
            true
        }
        Node::Element(element) => {
            let name = element.name();
            if ["script", "style", "head", "template", "svg", "noscript"].contains(&name) {
                return false;
            }
            if is_block(name) {
                writer.end();
            }
            match name {
                "br" => writer.words("\n", None),
                "td" | "th" if !writer.so_far().trim().is_empty() => separate(writer),
                _ => {}
            }
            if is_secret(element) {
                writer.end();
                writer.open(&Visibility::SECRET);
            }
            if element.attr("href").is_some() {
                anchors.push(writer.position());
            }
            true
        }
        Node::Document | Node::Fragment => true,
        _ => false,
    }
}

/// Cells of a row are told apart: `name: value; value`.
fn separate(writer: &mut Writer) {
    let written = writer.so_far().trim_end();
    let mark = match () {
        () if written.ends_with([':', ';', '.', '!', '?']) => " ",
        () if written.contains(": ") => "; ",
        () => ": ",
    };
    writer.words(mark, None);
}

fn finish(node: &Node, writer: &mut Writer, anchors: &mut Vec<usize>) {
    let Node::Element(element) = node else { return };
    let name = element.name();
    if let Some(address) = element.attr("href")
        && let Some(start) = anchors.pop().filter(|start| *start < writer.position())
    {
        writer.anchor(start, address);
    }
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => {
            writer.end_as_heading(level - b'0');
        }
        // What is defined stands under its name.
        b"dt" => {
            writer.end_as_heading(LABEL_LEVEL);
        }
        b"dl" => {
            writer.end();
            writer.end_heading(LABEL_LEVEL);
        }
        b"p" | b"div" if writer.announces_secret() => {
            writer.end_as_heading(LABEL_LEVEL);
        }
        _ if is_block(name) => {
            writer.end();
        }
        _ => {}
    }
    if is_secret(element) {
        writer.end();
        writer.close();
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "aside"
            | "header"
            | "footer"
            | "main"
            | "nav"
            | "figure"
            | "figcaption"
            | "ul"
            | "ol"
            | "li"
            | "dl"
            | "dt"
            | "dd"
            | "table"
            | "thead"
            | "tbody"
            | "tfoot"
            | "tr"
            | "caption"
            | "blockquote"
            | "pre"
            | "hr"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "details"
            | "summary"
            | "address"
            | "fieldset"
            | "form"
            | "html"
            | "body"
    )
}

fn is_secret(element: &Element) -> bool {
    // Foundry shows players those of its secrets that have been revealed.
    let revealed = element.classes().any(|class| class == "revealed");
    let hides = |class: &str| secret::is_secret(class) && !(revealed && class == "secret");
    element.classes().any(hides) || element.attr("data-visibility").is_some_and(secret::is_secret)
}
