//! Reads folders of Markdown files in three styles. In an Obsidian vault, links contain file names or aliases. In the
//! source of a website, links contain titles. In the third style, a file contains several entities, one per heading.
//!
//! In a two-part link, one part is the target and the other part is the label. The reader compares all links of the
//! folder. The part that is more often the name of a note is the target. All other decisions are made for each note, so
//! a folder may mix the styles.

mod calendarium;
mod classification;
mod front_matter;
mod links;
mod note_files;
mod page;
mod reader;
mod sections;
mod session;
#[cfg(test)]
mod tests;
mod text_fields;
mod title;
mod words;

pub(super) use reader::Markdown;
pub(crate) use text_fields::add_text_relations;
