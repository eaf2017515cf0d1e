//! Handbooks as Markdown.

use hearsay_model::escape::markdown;

use super::content::{Block, Entry, Handbook};

/// Returns a handbook as Markdown.
pub(super) fn to_markdown(handbook: &Handbook) -> String {
    let mut page = format!("# {}\n\n*{}*\n", markdown(&handbook.title), markdown(&handbook.subtitle));
    for chapter in &handbook.chapters {
        page.push_str(&format!("\n## {}\n", markdown(&chapter.title)));
        for entry in &chapter.entries {
            write_entry(&mut page, entry);
        }
    }
    page
}

fn write_entry(page: &mut String, entry: &Entry) {
    page.push_str(&format!("\n### {}\n", markdown(&entry.title)));
    for block in &entry.blocks {
        page.push('\n');
        match block {
            Block::Note(text) => page.push_str(&format!("*{}*\n", markdown(text))),
            Block::Paragraph(text) => page.push_str(&format!("{}\n", markdown(text))),
            Block::Details(details) => {
                let details =
                    details.iter().map(|(label, value)| format!("**{}:** {}", markdown(label), markdown(value)));
                page.push_str(&format!("{}\n", details.collect::<Vec<_>>().join(" \u{00B7} ")));
            }
            Block::List { label, items } => {
                if !label.is_empty() {
                    page.push_str(&format!("*{}*\n\n", markdown(label)));
                }
                for item in items {
                    page.push_str(&format!("- {}\n", markdown(item)));
                }
            }
            Block::Quote(lines) => {
                for line in lines {
                    page.push_str(format!("> {}", markdown(line)).trim_end());
                    page.push('\n');
                }
            }
            Block::Links { label, targets } => {
                let names: Vec<_> = targets.iter().map(|target| markdown(&target.name)).collect();
                page.push_str(&format!("**{}:** {}\n", markdown(label), names.join(", ")));
            }
        }
    }
}
