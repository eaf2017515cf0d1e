//! Conversion of HTML to blocks. The HTML is parsed as a browser parses it.

mod attributes;

use std::collections::HashSet;

use html5ever::{QualName, driver, local_name, ns, tendril::TendrilSink};
use scraper::{Html, HtmlTreeSink, Node, node::Element};

use super::{
    link_syntax::{LinkSyntax, no_links},
    writer::BlockWriter,
};
use crate::import::{Block, FileId, PlainText, SourceText, Visibility, secret};

use attributes::{MAX_ATTRIBUTES, find_overloaded_tag};

/// Converts a text in HTML to blocks (paragraphs, list items, rows of tables), and appends them to `blocks`.
///
/// The text of an element with a class such as `secret`, `spoiler` or `gm-only` is secret. Elements that are nested
/// more than 256 levels deep are omitted. After an element at level 512, or a tag with more than 256 attributes, the
/// rest of the text is read as plain text.
pub fn html(text: &SourceText, field: &str, visibility: &Visibility, link_syntax: LinkSyntax, blocks: &mut Vec<Block>) {
    let mut writer = BlockWriter::new(text, field, visibility.clone(), link_syntax, blocks);
    write(&text.content, &mut writer);
}

/// Returns the text of a piece of HTML on one line, without tags.
pub fn html_to_text(source: &str) -> String {
    if !source.contains(['<', '&']) {
        return source.trim().to_owned();
    }
    let text = SourceText::new(FileId(0), source.to_owned());
    let mut blocks = Vec::new();
    html(&text, "", &Visibility::Unmarked, no_links(), &mut blocks);
    let texts: Vec<&str> = blocks.iter().map(|Block { text: PlainText { text, .. }, .. }| text.as_str()).collect();
    texts.join(" ")
}

/// Maximum nesting depth. Elements that are nested deeper are left out.
const MAX_WRITTEN_DEPTH: usize = 256;

/// Heading level of a label that names a paragraph. The levels of real headings are 1 to 6.
pub(super) const LABEL_LEVEL: u8 = 7;

fn is_named(node: &Node, name: &str) -> bool {
    node.as_element().is_some_and(|element| element.name() == name)
}

/// Nesting depth at which parsing stops. The time that the parser needs grows with the square of the depth.
const MAX_PARSED_DEPTH: usize = 512;

/// Maximum number of bytes that one call passes to the parser.
const CHUNK_BYTES: usize = 1 << 10;

/// Parses HTML. Stops at HTML that is nested too deeply, that has a tag with too many attributes, or that makes the
/// parser repeat elements without end. Returns the tree and the number of bytes that were parsed.
fn parse(source: &str, writer: &BlockWriter) -> (Html, usize) {
    let source = &source[..find_overloaded_tag(source, MAX_ATTRIBUTES).unwrap_or(source.len())];
    let body = QualName::new(None, ns!(html), local_name!("body"));
    let sink = HtmlTreeSink::new(Html::new_fragment());
    let mut parser = driver::parse_fragment(sink, driver::ParseOpts::default(), body, Vec::new(), false);
    let (mut at, mut checked_nodes) = (0, 0);
    while at < source.len() && !writer.is_cancelled() {
        // Cut only before a tag, so that no tag is split.
        let mut end = source.len().min(at + CHUNK_BYTES);
        while !source.is_char_boundary(end) {
            end += 1;
        }
        let end = source[end..].find('<').map_or(source.len(), |length| end + length);
        parser.process(source[at..end].into());
        at = end;
        let tree = &parser.tokenizer.sink.sink.0.borrow().tree;
        let nodes = tree.nodes().len();
        // The new nodes are visited from the end, because skipping the earlier nodes would take time for each of them.
        let step = (nodes - checked_nodes) / 16 + 1;
        let mut new = tree.nodes().rev().take(nodes - checked_nodes).step_by(step);
        if nodes > at + CHUNK_BYTES || new.any(|node| node.ancestors().nth(MAX_PARSED_DEPTH).is_some()) {
            break;
        }
        checked_nodes = nodes;
    }
    (parser.finish(), at)
}

/// Writes the HTML that the parser did not read, as plain text. All of this text is secret if `is_secret_text` is true,
/// if one of its tags marks a secret, or if it contains the start or the end of a comment.
fn write_unparsed(source: &str, is_secret_text: bool, writer: &mut BlockWriter) {
    let tag_end =
        |rest: &str| rest.find('>').filter(|_| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'));
    let is_secret_tag = |rest: &str| tag_end(rest).and_then(|end| rest.get(..end)).is_some_and(secret::is_secret);
    let is_secret_text =
        is_secret_text || source.contains("<!--") || source.contains("-->") || source.split('<').any(is_secret_tag);
    if is_secret_text {
        writer.push_visibility(&Visibility::SECRET);
    }
    let mut parts = source.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(' ');
        text.push_str(tag_end(part).and_then(|end| part.get(end + 1..)).unwrap_or(part));
    }
    // The text has no more tags. The parser only decodes character references such as `&amp;`.
    for node in Html::parse_fragment(&text).tree.values() {
        if let Node::Text(words) = node {
            writer.add_words(words, None);
        }
    }
    writer.end_block();
    if is_secret_text {
        writer.pop_visibility();
    }
}

/// Writes a piece of HTML.
pub(super) fn write(source: &str, writer: &mut BlockWriter) {
    let (tree, parsed) = parse(source, writer);
    write_tree(&tree, writer);
    if let Some(rest) = source.get(parsed..).filter(|rest| !rest.is_empty() && !writer.is_cancelled()) {
        let has_secret = tree.tree.values().filter_map(Node::as_element).any(is_secret);
        write_unparsed(rest, has_secret, writer);
    }
}

fn write_tree(tree: &Html, writer: &mut BlockWriter) {
    // Tables that have a column for the DM.
    let mut tables = HashSet::new();
    for cell in tree.tree.nodes().filter(|node| is_named(node.value(), "th")) {
        let words: String =
            cell.descendants().filter_map(|node| node.value().as_text().map(|text| text.to_string())).collect();
        let table = cell.ancestors().take(MAX_WRITTEN_DEPTH).find(|node| is_named(node.value(), "table"));
        tables.extend(table.filter(|_| secret::is_secret(&words)).map(|node| node.id()));
    }
    let mut node = tree.tree.root();
    let mut depth = 0;
    // Start positions of the open anchors.
    let mut anchors = Vec::new();
    // The tree is walked without recursion, because a tree may be as deep as its source is long.
    'walk: loop {
        if writer.is_cancelled() {
            break;
        }
        let enter = depth < MAX_WRITTEN_DEPTH && enter_node(node.value(), writer, &mut anchors);
        if enter && tables.contains(&node.id()) {
            writer.push_visibility(&Visibility::SECRET);
        }
        if enter && let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            continue;
        }
        if enter {
            leave_node(node.value(), writer, &mut anchors);
            if tables.contains(&node.id()) {
                writer.pop_visibility();
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
            leave_node(node.value(), writer, &mut anchors);
            if tables.contains(&node.id()) {
                writer.pop_visibility();
            }
        }
    }
    writer.end_block();
}

/// Begins an element or writes a text. Returns whether the children of the node are written.
fn enter_node(node: &Node, writer: &mut BlockWriter, anchors: &mut Vec<usize>) -> bool {
    match node {
        Node::Text(words) => {
            writer.add_words(words, None);
            true
        }
        Node::Element(element) => {
            let name = element.name();
            if ["script", "style", "head", "template", "svg", "noscript"].contains(&name) {
                return false;
            }
            if is_block(name) {
                writer.end_block();
            }
            match name {
                "br" => writer.add_words("\n", None),
                "td" | "th" if !writer.is_blank() => write_cell_separator(writer),
                _ => {}
            }
            if is_secret(element) {
                writer.end_block();
                writer.push_visibility(&Visibility::SECRET);
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

/// Writes the separator between cells of a row: `name: value; value`.
fn write_cell_separator(writer: &mut BlockWriter) {
    let has_colon = writer.has_colon();
    let text = writer.current_text().trim_end();
    let separator = match () {
        () if text.ends_with([':', ';', '.', '!', '?']) => " ",
        () if has_colon => "; ",
        () => ": ",
    };
    writer.add_words(separator, None);
}

fn leave_node(node: &Node, writer: &mut BlockWriter, anchors: &mut Vec<usize>) {
    let Node::Element(element) = node else { return };
    let name = element.name();
    if let Some(address) = element.attr("href")
        && let Some(start) = anchors.pop().filter(|start| *start < writer.position())
    {
        writer.add_anchor(start, address);
    }
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => {
            writer.end_as_heading(level - b'0');
        }
        // The term becomes the heading of its definition.
        b"dt" => {
            writer.end_as_heading(LABEL_LEVEL);
        }
        b"dl" => {
            writer.end_block();
            writer.end_headings(LABEL_LEVEL);
        }
        b"p" | b"div" if writer.announces_secret() => {
            writer.end_as_heading(LABEL_LEVEL);
        }
        _ if is_block(name) => {
            writer.end_block();
        }
        _ => {}
    }
    if is_secret(element) {
        writer.end_block();
        writer.pop_visibility();
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
    // Foundry shows revealed secrets to players.
    let is_revealed = element.classes().any(|class| class == "revealed");
    let is_secret_class = |class: &str| secret::is_secret(class) && !(is_revealed && class == "secret");
    element.classes().any(is_secret_class) || element.attr("data-visibility").is_some_and(secret::is_secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::FileId;

    fn blocks(source: String) -> Vec<(String, bool)> {
        let mut blocks = Vec::new();
        html(&SourceText::new(FileId(0), source), "", &Visibility::Unmarked, no_links(), &mut blocks);
        blocks.into_iter().map(|block| (block.text.text, block.visibility.is_secret())).collect()
    }

    fn attributes(count: usize) -> String {
        (0..count).map(|number| format!(" a{number}='>'")).collect()
    }

    #[test]
    fn a_tag_with_too_many_attributes_ends_the_parse() {
        let page = |tag: &str| format!("<p>Before.</p>{tag}Inside.</i><p>After.</p>");
        let parsed = |tag: &str| blocks(page(tag)).len();
        assert_eq!(parsed(&format!("<i{}>", attributes(MAX_ATTRIBUTES))), 3);
        let [before, rest] = &blocks(page(&format!("<i{}>", attributes(MAX_ATTRIBUTES + 1))))[..] else { panic!() };
        assert_eq!(before, &("Before.".to_owned(), false));
        assert!(rest.0.contains("Inside. After.") && !rest.1, "{rest:?}");
        let [_, (_, secret)] = blocks(page(&format!("<i class=secret{}>", attributes(300))))[..] else { panic!() };
        assert!(secret);
    }

    #[test]
    fn a_comment_stays_secret_where_the_parse_ends() {
        for page in ["<b{}>x <!-- She is a spy. --> y", "x <!-- <b{}> She is a spy. --> y"] {
            let blocks = blocks(page.replace("{}", &attributes(300)));
            assert!(blocks.iter().any(|(text, secret)| text.contains("spy") && *secret), "{blocks:?}");
            assert!(!blocks.iter().any(|(text, secret)| text.contains("spy") && !*secret), "{blocks:?}");
        }
    }
}
