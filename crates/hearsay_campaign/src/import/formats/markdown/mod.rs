//! Folders of Markdown in three styles: an Obsidian vault, whose links name files or aliases; a site, whose links name
//! titles; and files with several entities, one per heading.
//!
//! In a two-part link, one part is the target and the other part is the label. The target is the part that names notes
//! more often, counted over the whole folder. All other decisions are made for each note, so a folder may mix the
//! styles.

mod almanac;
mod front;
mod group;
mod identity;
mod labels;
mod links;
mod page;
mod reader;
mod signs;
mod source;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use labels::relate;
pub(super) use reader::Markdown;
