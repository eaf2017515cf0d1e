//! Finds the entities that the headings of a page name.

use hearsay_campaign::{
    Folder, Format, Limits, ReadOptions,
    import::{Visibility, lexicon, read_notes},
};
use hearsay_model::{Kind, text::words};

use super::{
    super::{answers::is_name, draft::clean, sentences::sentences},
    blocks::PageBlock,
    kinds::kind_of_noun_phrase,
    sections::{is_section_title, listed_kind},
};

/// An entity that a heading names.
#[derive(Debug)]
pub(super) struct HeadingEntity {
    pub(super) name: String,
    pub(super) kind: Option<Kind>,
    /// State of the entity, such as `dead`, if the heading states it: "Mirela Voss (dead)".
    pub(super) condition: Option<String>,
}

impl HeadingEntity {
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
            HeadingEntity { name: clean(&note.name), kind, condition }
        })
        .collect()
}

/// Adds the headings below a heading such as `People`, and the headings whose own text states the kind of an entity: "##
/// The Broken Wheel" above "An inn on the salt road."
fn add_described(title: Option<&str>, blocks: &[PageBlock], headings: &mut Vec<HeadingEntity>) {
    for block in blocks.iter().filter(|block| !block.is_secret) {
        let Some((heading, above)) = block.headings.split_last() else { continue };
        let is_entity = headings.iter().any(|entity| block.headings.iter().any(|heading| entity.is_named_by(heading)));
        let announces =
            title == Some(heading.as_str()) || is_section_title(heading) || lexicon::announced_kind(heading).is_some();
        if is_entity || announces || lexicon::is_part_title(heading) || !is_name(heading) {
            continue;
        }
        let first = sentences(&block.text).first().copied().unwrap_or_default().to_owned();
        let kind = above.last().and_then(|above| listed_kind(above));
        let kind = kind.or_else(|| kind_of_noun_phrase(&first)).or_else(|| lexicon::name_kind(heading));
        if let Some(kind) = kind {
            headings.push(HeadingEntity { name: heading.clone(), kind: Some(kind), condition: None });
        }
    }
}
