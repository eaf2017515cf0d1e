//! Handbooks as one HTML page, with a table of contents and a style sheet for the screen and for print.

use hearsay_model::escape;

use super::content::{Block, Entry, Handbook};

const STYLE: &str = include_str!("style.css");

/// Returns a handbook as an HTML page. The page contains no script and refers to no other file.
pub(super) fn to_html(handbook: &Handbook) -> String {
    let title = html(&handbook.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p class=\"subtitle\">{}</p>\n</header>\n",
        html(&handbook.subtitle)
    );
    page.push_str("<nav>\n<h2>Contents</h2>\n<ul>\n");
    for (number, chapter) in handbook.chapters.iter().enumerate() {
        page.push_str(&format!("<li><a href=\"#chapter-{number}\">{}</a>\n<ul>\n", html(&chapter.title)));
        for entry in &chapter.entries {
            page.push_str(&format!("<li><a href=\"#{}\">{}</a></li>\n", html(&entry.anchor), html(&entry.title)));
        }
        page.push_str("</ul>\n</li>\n");
    }
    page.push_str("</ul>\n</nav>\n<main>\n");
    for (number, chapter) in handbook.chapters.iter().enumerate() {
        page.push_str(&format!("<section id=\"chapter-{number}\">\n<h2>{}</h2>\n", html(&chapter.title)));
        chapter.entries.iter().for_each(|entry| write_entry(&mut page, entry));
        page.push_str("</section>\n");
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn write_entry(page: &mut String, entry: &Entry) {
    page.push_str(&format!("<article id=\"{}\">\n<h3>{}</h3>\n", html(&entry.anchor), html(&entry.title)));
    for block in &entry.blocks {
        match block {
            Block::Note(text) => page.push_str(&format!("<p class=\"note\">{}</p>\n", html(text))),
            Block::Paragraph(text) => page.push_str(&format!("<p>{}</p>\n", html(text))),
            Block::Details(details) => {
                page.push_str("<dl>\n");
                for (label, value) in details {
                    page.push_str(&format!("<div><dt>{}</dt> <dd>{}</dd></div>\n", html(label), html(value)));
                }
                page.push_str("</dl>\n");
            }
            Block::List { label, items } => {
                if !label.is_empty() {
                    page.push_str(&format!("<p class=\"note\">{}</p>\n", html(label)));
                }
                page.push_str("<ul>\n");
                items.iter().for_each(|item| page.push_str(&format!("<li>{}</li>\n", html(item))));
                page.push_str("</ul>\n");
            }
            Block::Quote(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| html(line)).collect();
                page.push_str(&format!("<blockquote>{}</blockquote>\n", lines.join("<br>\n")));
            }
            Block::Links { label, targets } => {
                let links = targets.iter().map(|target| match &target.anchor {
                    Some(anchor) => format!("<a href=\"#{}\">{}</a>", html(anchor), html(&target.name)),
                    None => html(&target.name),
                });
                let links = links.collect::<Vec<_>>().join(", ");
                page.push_str(&format!("<p class=\"links\"><b>{}:</b> {links}</p>\n", html(label)));
            }
        }
    }
    page.push_str("</article>\n");
}

/// Escapes text for the content of an element or a quoted attribute. Control characters are made visible.
fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in escape::line(text.trim()).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
