//! Text in BBCode, as World Anvil writes it. The text is converted to HTML, which is then parsed.

use super::{hidden::Places, html, style::Style, writer::Writer};
use crate::import::{Block, Text, Visibility, secret};

/// Converts a text in BBCode to blocks, and appends them to `blocks`.
///
/// The text between tags such as `[spoiler]`, `[gm]` or `[secret]` is secret. If such a tag is not closed, all text
/// after it is secret. A `[` that does not begin a tag is text.
pub fn bbcode(text: &Text, field: &str, visibility: &Visibility, style: Style, blocks: &mut Vec<Block>) {
    let mut writer = Writer::new(text, field, visibility.clone(), style, blocks);
    html::write(&to_html(&text.content), &mut writer);
}

/// The HTML equivalent of a BBCode tag.
enum Becomes {
    /// An element with this name.
    Element(&'static str),
    /// A secret element.
    Secret,
    /// Nothing, and the content is removed too. Examples are the address of an image and a dice roll.
    Nothing,
    /// Nothing, but the content stays.
    Plain,
    /// A line break.
    Break,
    /// Text: the tag is not a BBCode tag, so it stays as it is.
    Text,
}

fn becomes(name: &str) -> Becomes {
    match name {
        "b" | "i" | "u" | "s" | "em" | "strong" | "sup" | "sub" | "small" => Becomes::Element("span"),
        "h1" | "header1" => Becomes::Element("h1"),
        "h2" | "header2" | "heading" | "title" => Becomes::Element("h2"),
        "h3" | "header3" => Becomes::Element("h3"),
        "h4" | "header4" => Becomes::Element("h4"),
        "p" | "center" | "left" | "right" | "justify" | "row" | "col" | "column" | "columns" | "container"
        | "subcontainer" | "section" | "aloud" | "card" | "div" => Becomes::Element("div"),
        "quote" | "blockquote" => Becomes::Element("blockquote"),
        "ul" | "list" => Becomes::Element("ul"),
        "ol" => Becomes::Element("ol"),
        "li" | "*" => Becomes::Element("li"),
        "dl" => Becomes::Element("dl"),
        "dt" => Becomes::Element("dt"),
        "dd" => Becomes::Element("dd"),
        "table" => Becomes::Element("table"),
        "tr" => Becomes::Element("tr"),
        "td" => Becomes::Element("td"),
        "th" => Becomes::Element("th"),
        "br" | "hr" | "line" => Becomes::Break,
        "img" | "image" | "gallery" | "video" | "youtube" | "spotify" | "map" | "roll" | "dice" | "css"
        | "articletoc" | "toc" | "block" | "statblock" | "embed" | "audio" => Becomes::Nothing,
        "url" | "article" | "color" | "colour" | "size" | "font" | "tooltip" | "link" | "anchor" | "code" | "pre"
        | "abbr" | "dc" | "span" => Becomes::Plain,
        _ if secret::is_secret(name) || name == "ooc" => Becomes::Secret,
        _ => Becomes::Text,
    }
}

/// Returns whether a tag has no closing tag. If such a tag has content, the content follows after a colon in the tag.
fn is_alone(name: &str) -> bool {
    ["roll", "articletoc", "toc", "map", "block", "statblock", "embed", "css", "image"].contains(&name)
}

/// Maximum number of nested tags.
const MAX_OPEN: usize = 200;

fn to_html(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + source.len() / 4);
    let mut open: Vec<String> = Vec::new();
    // The number of open tags whose content is removed.
    let mut ignored = 0_usize;
    let (mut rest, mut places) = (source, Places::new(source));
    while let Some(start) = rest.find('[') {
        let (before, from) = rest.split_at(start);
        if ignored == 0 {
            push_text(&mut out, before);
        }
        let Some((closes, name, length)) = tag(from) else {
            if ignored == 0 {
                out.push('[');
            }
            rest = &from[1..];
            continue;
        };
        let kind = becomes(&name);
        if matches!(kind, Becomes::Text) {
            if ignored == 0 {
                push_text(&mut out, &from[..length]);
            }
        } else if closes {
            close(&mut out, &mut open, &mut ignored, &name);
        } else {
            match kind {
                // Tags beyond the limit have no effect, unless they are secret.
                _ if open.len() >= MAX_OPEN && !matches!(kind, Becomes::Secret) => {}
                Becomes::Element(element) if ignored == 0 => {
                    if name == "*" && open.last().is_some_and(|last| last == "*") {
                        close(&mut out, &mut open, &mut ignored, "*");
                    }
                    out.push_str(&format!("<{element}>"));
                    open.push(name);
                }
                Becomes::Secret => {
                    if ignored == 0 {
                        out.push_str("<div class=\"secret\">");
                    }
                    open.push(name);
                }
                Becomes::Nothing
                    if !is_alone(&name)
                        && places.next(&format!("[/{name}]"), source.len() - from.len() + length).is_some() =>
                {
                    ignored += 1;
                    open.push(name);
                }
                Becomes::Break if ignored == 0 => out.push_str("<p></p>"),
                _ => {}
            }
        }
        rest = &from[length..];
    }
    if ignored == 0 {
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
fn close(out: &mut String, open: &mut Vec<String>, ignored: &mut usize, name: &str) {
    let hides = |name: &String| matches!(becomes(name), Becomes::Secret);
    let last = open.iter().rposition(|held| held == name || hides(held));
    let Some(at) = last.filter(|at| open[*at] == name) else { return };
    for name in open.drain(at..).rev() {
        match becomes(&name) {
            Becomes::Element(element) if *ignored == 0 => out.push_str(&format!("</{element}>")),
            Becomes::Secret if *ignored == 0 => out.push_str("</div>"),
            Becomes::Nothing => *ignored = ignored.saturating_sub(1),
            _ => {}
        }
    }
}

/// Maximum length of a tag in bytes.
const MAX_TAG_BYTES: usize = 400;

/// Returns the tag at the beginning of a text: whether it is a closing tag, its name in lowercase, and its length in
/// bytes.
fn tag(text: &str) -> Option<(bool, String, usize)> {
    let end = text.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b']')?;
    let inner = &text[1..end];
    let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let name: String =
        inner.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '*' | '_' | '-')).collect();
    let behind = inner.get(name.len()..)?;
    let fits = !name.is_empty() && (behind.is_empty() || behind.starts_with([':', '=', '|', ' ']));
    fits.then(|| (closes, name.to_lowercase(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::bbcode;
    use crate::{
        import::markup::no_links,
        import::{FileId, Text, Visibility},
    };

    fn check(source: &str, expected: &[&str]) {
        let text = Text::new(FileId(0), source.to_owned());
        let mut blocks = Vec::new();
        bbcode(&text, "", &Visibility::Unmarked, no_links(), &mut blocks);
        let shown: Vec<String> = blocks
            .iter()
            .map(|block| {
                let heading = block.headings.last().map_or(String::new(), |heading| format!("{heading}> "));
                format!("{}{heading}{}", if block.visibility.is_secret() { "!" } else { "" }, block.text.text)
            })
            .collect();
        assert_eq!(shown, expected, "{source}");
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
