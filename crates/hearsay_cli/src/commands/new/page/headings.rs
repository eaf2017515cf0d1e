//! Finds the entities that the headings of a page name.

use hearsay_campaign::{
    Folder, Format, Limits, ReadOptions,
    import::{Visibility, lexicon, read_notes, secret},
};
use hearsay_model::{Kind, text::words};

use super::{
    super::{answers::is_name, draft::clean, sentences::sentences},
    blocks::PageBlock,
    kinds::{kind_of_noun_phrase, kind_of_remark},
    layout::split_entry,
    sections::{is_section_title, listed_kind},
};

/// An entity that a heading names.
#[derive(Debug)]
pub(super) struct HeadingEntity {
    pub(super) name: String,
    /// The words after a dash behind the name: "Mirela Voss - landlady of the Gull".
    pub(super) remark: Option<String>,
    pub(super) kind: Option<Kind>,
    /// State of the entity, such as `dead`, if the heading states it: "Mirela Voss (dead)".
    pub(super) condition: Option<String>,
}

impl HeadingEntity {
    /// Creates the entity that a heading names. Without a kind, the remark behind the name can state the kind.
    fn new(heading: &str, kind: Option<Kind>, condition: Option<String>) -> Self {
        // "Chapter 1: The Mill" is no name with a remark.
        let entry = split_entry(heading).filter(|_| !heading.contains(": "));
        let (name, remark) = entry.unwrap_or((heading, ""));
        let kind = kind.or_else(|| kind_of_remark(remark));
        let is_open = !remark.is_empty() && !secret::is_secret(heading);
        let remark = is_open.then(|| remark.to_owned());
        Self { name: name.to_owned(), remark, kind, condition }
    }

    /// Returns whether this is the entity that a heading names. The heading can have more words: "Mirela Voss (dead)".
    pub(super) fn is_named_by(&self, heading: &str) -> bool {
        let name = words(&self.name);
        !name.is_empty() && words(heading).starts_with(&name)
    }
}

/// Returns the entities that the headings of a page name.
pub(super) fn heading_entities(page: &str, title: Option<&str>, blocks: &[PageBlock]) -> Vec<HeadingEntity> {
    let mut headings = imported_entities(page, title);
    headings.retain(|entity| !is_section_title(&entity.name));
    add_described(title, blocks, &mut headings);
    headings
}

/// Returns the entities that the headings of a page name, as the import of notes finds them. The title of the page states
/// no kind.
fn imported_entities(page: &str, title: Option<&str>) -> Vec<HeadingEntity> {
    const PAGE: &str = "page.md";
    let folder = Folder::from_files("page", [(PAGE.to_owned(), page.as_bytes().to_vec())], &Limits::default());
    let options = ReadOptions { format: Some(Format::Markdown), ..ReadOptions::default() };
    let Ok(Some(notes)) = read_notes(&folder, &options) else { return Vec::new() };
    let entities = notes.notes.into_iter().filter(|note| note.key != PAGE);
    let title_evidence = title.map(|title| format!("heading {title}"));
    entities
        .map(|note| {
            let guess = note.kind.filter(|guess| Some(&guess.evidence) != title_evidence.as_ref());
            let kind = if note.is_player { Some(Kind::Player) } else { guess.map(|guess| guess.kind) };
            let is_open = |visibility: &Visibility| !visibility.within(&note.visibility).is_secret();
            let state = note.states.iter().find(|state| state.word != "alive" && is_open(&state.visibility));
            let condition = state.map(|state| state.word.clone());
            HeadingEntity::new(&clean(&note.name), kind, condition)
        })
        .collect()
}

/// Adds the headings below a heading such as `People`, and the headings whose own text states the kind of an entity: "##
/// The Broken Wheel" above "An inn on the salt road."
fn add_described(title: Option<&str>, blocks: &[PageBlock], headings: &mut Vec<HeadingEntity>) {
    for block in blocks.iter().filter(|block| !block.is_secret) {
        let Some((heading, above)) = block.headings.split_last() else { continue };
        let is_entity = headings.iter().any(|entity| block.headings.iter().any(|heading| entity.is_named_by(heading)));
        let kind = above.last().and_then(|above| listed_kind(above));
        let entity = HeadingEntity::new(heading, kind, None);
        let announces = title == Some(heading.as_str())
            || is_section_title(heading)
            || is_section_title(&entity.name)
            || lexicon::announced_kind(heading).is_some();
        if is_entity || announces || lexicon::is_part_title(heading) || !is_name(&entity.name) {
            continue;
        }
        let first = sentences(&block.text).first().copied().unwrap_or_default().to_owned();
        let kind = entity.kind.clone().or_else(|| kind_of_noun_phrase(&first));
        let kind = kind.or_else(|| lexicon::name_kind(&entity.name));
        if kind.is_some() {
            headings.push(HeadingEntity { kind, ..entity });
        }
    }
}
