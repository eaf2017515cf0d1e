//! Converts the BBCode of World Anvil to blocks. The BBCode is first converted to HTML, and the HTML is then parsed.

use super::{hidden::MarkPositions, html, link_syntax::LinkSyntax, writer::BlockWriter};
use crate::import::{Block, SourceText, Visibility, secret};

/// Converts a text in BBCode to blocks, and appends them to `blocks`.
///
/// The text between tags such as `[spoiler]`, `[gm]` or `[secret]` is secret. If such a tag is not closed, all text
/// after it is secret. A `[` that does not begin a tag is text.
pub fn bbcode(
    text: &SourceText,
    field: &str,
    visibility: &Visibility,
    link_syntax: LinkSyntax,
    blocks: &mut Vec<Block>,
) {
    let mut writer = BlockWriter::new(text, field, visibility.clone(), link_syntax, blocks);
    html::write(&to_html(&text.content), &mut writer);
}

/// The HTML equivalent of a BBCode tag.
enum HtmlEquivalent {
    /// An element with this name.
    Element(&'static str),
    /// A secret element.
    Secret,
    /// The tag and its content are removed. Examples are the address of an image and a dice roll.
    Removed,
    /// The tag is removed, but its content stays.
    ContentOnly,
    /// A line break.
    LineBreak,
    /// The text is not a BBCode tag, so it stays unchanged.
    Unchanged,
}

fn html_equivalent(name: &str) -> HtmlEquivalent {
    match name {
        "b" | "i" | "u" | "s" | "em" | "strong" | "sup" | "sub" | "small" => HtmlEquivalent::Element("span"),
        "h1" | "header1" => HtmlEquivalent::Element("h1"),
        "h2" | "header2" | "heading" | "title" => HtmlEquivalent::Element("h2"),
        "h3" | "header3" => HtmlEquivalent::Element("h3"),
        "h4" | "header4" => HtmlEquivalent::Element("h4"),
        "p" | "center" | "left" | "right" | "justify" | "row" | "col" | "column" | "columns" | "container"
        | "subcontainer" | "section" | "aloud" | "card" | "div" => HtmlEquivalent::Element("div"),
        "quote" | "blockquote" => HtmlEquivalent::Element("blockquote"),
        "ul" | "list" => HtmlEquivalent::Element("ul"),
        "ol" => HtmlEquivalent::Element("ol"),
        "li" | "*" => HtmlEquivalent::Element("li"),
        "dl" => HtmlEquivalent::Element("dl"),
        "dt" => HtmlEquivalent::Element("dt"),
        "dd" => HtmlEquivalent::Element("dd"),
        "table" => HtmlEquivalent::Element("table"),
        "tr" => HtmlEquivalent::Element("tr"),
        "td" => HtmlEquivalent::Element("td"),
        "th" => HtmlEquivalent::Element("th"),
        "br" | "hr" | "line" => HtmlEquivalent::LineBreak,
        "img" | "image" | "gallery" | "video" | "youtube" | "spotify" | "map" | "roll" | "dice" | "css"
        | "articletoc" | "toc" | "block" | "statblock" | "embed" | "audio" => HtmlEquivalent::Removed,
        "url" | "article" | "color" | "colour" | "size" | "font" | "tooltip" | "link" | "anchor" | "code" | "pre"
        | "abbr" | "dc" | "span" => HtmlEquivalent::ContentOnly,
        _ if secret::is_secret(name) || name == "ooc" => HtmlEquivalent::Secret,
        _ => HtmlEquivalent::Unchanged,
    }
}

/// Returns whether a tag has no closing tag. If such a tag has content, the content follows after a colon in the tag.
fn has_no_closing_tag(name: &str) -> bool {
    ["roll", "articletoc", "toc", "map", "block", "statblock", "embed", "css", "image"].contains(&name)
}

/// Maximum number of nested tags.
const MAX_OPEN: usize = 200;

fn to_html(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + source.len() / 4);
    let mut open: Vec<String> = Vec::new();
    // The number of open tags whose content is removed.
    let mut ignored_depth = 0_usize;
    let (mut rest, mut closing_tags) = (source, MarkPositions::new(source));
    while let Some(start) = rest.find('[') {
        let (before, from_tag) = rest.split_at(start);
        if ignored_depth == 0 {
            push_text(&mut out, before);
        }
        let Some((is_closing, name, length)) = parse_tag(from_tag) else {
            if ignored_depth == 0 {
                out.push('[');
            }
            rest = &from_tag[1..];
            continue;
        };
        let kind = html_equivalent(&name);
        if matches!(kind, HtmlEquivalent::Unchanged) {
            if ignored_depth == 0 {
                push_text(&mut out, &from_tag[..length]);
            }
        } else if is_closing {
            close_tag(&mut out, &mut open, &mut ignored_depth, &name);
        } else {
            match kind {
                // Tags beyond the limit have no effect, unless they are secret.
                _ if open.len() >= MAX_OPEN && !matches!(kind, HtmlEquivalent::Secret) => {}
                HtmlEquivalent::Element(element) if ignored_depth == 0 => {
                    if name == "*" && open.last().is_some_and(|last| last == "*") {
                        close_tag(&mut out, &mut open, &mut ignored_depth, "*");
                    }
                    out.push_str(&format!("<{element}>"));
                    open.push(name);
                }
                HtmlEquivalent::Secret => {
                    if ignored_depth == 0 {
                        out.push_str("<div class=\"secret\">");
                    }
                    open.push(name);
                }
                HtmlEquivalent::Removed
                    if !has_no_closing_tag(&name)
                        && closing_tags
                            .next(&format!("[/{name}]"), source.len() - from_tag.len() + length)
                            .is_some() =>
                {
                    ignored_depth += 1;
                    open.push(name);
                }
                HtmlEquivalent::LineBreak if ignored_depth == 0 => out.push_str("<p></p>"),
                _ => {}
            }
        }
        rest = &from_tag[length..];
    }
    if ignored_depth == 0 {
        push_text(&mut out, rest);
    }
    out
}

/// Appends text, with line breaks between its lines.
fn push_text(out: &mut String, text: &str) {
    let text = text.replace('\r', "");
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push_str("<p></p>");
        }
        out.push_str(line);
    }
}

/// Closes a tag and all tags within it. Has no effect if the tag is not open, or if a secret within the tag is still
/// open.
fn close_tag(out: &mut String, open: &mut Vec<String>, ignored_depth: &mut usize, name: &str) {
    let is_secret = |name: &String| matches!(html_equivalent(name), HtmlEquivalent::Secret);
    let last = open.iter().rposition(|open_name| open_name == name || is_secret(open_name));
    let Some(at) = last.filter(|at| open[*at] == name) else { return };
    for name in open.drain(at..).rev() {
        match html_equivalent(&name) {
            HtmlEquivalent::Element(element) if *ignored_depth == 0 => out.push_str(&format!("</{element}>")),
            HtmlEquivalent::Secret if *ignored_depth == 0 => out.push_str("</div>"),
            HtmlEquivalent::Removed => *ignored_depth = ignored_depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Maximum length of a tag in bytes.
const MAX_TAG_BYTES: usize = 400;

/// Returns the tag at the beginning of a text: whether it is a closing tag, its name in lowercase, and its length in
/// bytes.
fn parse_tag(text: &str) -> Option<(bool, String, usize)> {
    let end = text.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b']')?;
    let inner = &text[1..end];
    let (is_closing, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let name: String =
        inner.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '*' | '_' | '-')).collect();
    let after_name = inner.get(name.len()..)?;
    let is_tag = !name.is_empty() && (after_name.is_empty() || after_name.starts_with([':', '=', '|', ' ']));
    is_tag.then(|| (is_closing, name.to_lowercase(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::bbcode;
    use crate::{
        import::markup::no_links,
        import::{FileId, SourceText, Visibility},
    };

    fn check(source: &str, expected: &[&str]) {
        let text = SourceText::new(FileId(0), source.to_owned());
        let mut blocks = Vec::new();
        bbcode(&text, "", &Visibility::Unmarked, no_links(), &mut blocks);
        let rendered: Vec<String> = blocks
            .iter()
            .map(|block| {
                let heading = block.headings.last().map_or(String::new(), |heading| format!("{heading}> "));
                format!("{}{heading}{}", if block.visibility.is_secret() { "!" } else { "" }, block.text.text)
            })
            .collect();
        assert_eq!(rendered, expected, "{source}");
    }

    #[test]
    fn bbcode_becomes_clean_text() {
        check("[h1]Harbour[/h1][p]A [b]busy[/b] place.[/p]", &["Harbour> A busy place."]);
        check("One.\n\nTwo &amp; three.", &["One.", "Two & three."]);
        check("[ul][li]Rope[/li][li]Tar[/li][/ul]", &["Rope", "Tar"]);
        check("[list][*]Rope[*]Tar[/list]", &["Rope", "Tar"]);
        check("[table][tr][td]Ruler[/td][td]Mara[/td][/tr][/table]", &["Ruler: Mara"]);
        check(
            "[img:123] [roll:1d20] Left [1] and [unknown]kept[/unknown].",
            &["Left [1] and [unknown]kept[/unknown]."],
        );
        check("[img]http://x/y.png[/img]A [url:http://x]page[/url].", &["A page."]);
    }

    #[test]
    fn text_hidden_by_tags_is_secret() {
        check("Open. [spoiler]She did it.[/spoiler] Open.", &["Open.", "!She did it.", "Open."]);
        check("Open. [gm]She did it.", &["Open.", "!She did it."]);
        check("[b]Open [secret:abc]hidden[/b] hidden still[/secret] open", &["Open", "!hidden hidden still", "open"]);
        check("[spoiler]hidden[/quote][/gm] hidden still[/spoiler]", &["!hidden hidden still"]);
    }

    #[test]
    fn broken_bbcode_is_text() {
        check("[", &[]);
        check("[b", &["[b"]);
        check("[b]bold", &["bold"]);
        check("[/b]x[/spoiler]", &["x"]);
    }
}
