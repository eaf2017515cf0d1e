//! Fields that stand in texts: labelled lines, items of lists, brackets.

use hearsay_model::{ExternalId, Value, predicate};

use super::{front, links::Names};
use crate::{
    notes::{
        Alias, Block, Field, Link, Note, Piece, Relation, Sure, Target,
        lexicon::{self, Meaning},
    },
    text,
};

/// A field goes into the note: names among the names, all else among the fields.
pub(super) fn take_field(note: &mut Note, field: Field) {
    if ["_id", "id", "uuid", "uid"].contains(&field.name.to_lowercase().as_str()) && !field.origin.field.contains('/') {
        for piece in &field.values {
            let id = piece.value.to_string();
            if !id.trim().is_empty() && id != note.key {
                note.ids.push(ExternalId { system: "id".to_owned(), id });
            }
        }
        return;
    }
    match lexicon::meaning(&field.name) {
        Meaning::Alias => {
            for piece in &field.values {
                let name = piece.value.to_string();
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                note.aliases.push(Alias { name, origin, visibility });
            }
        }
        _ => note.fields.push(field),
    }
}

/// The field that a text with a label is, if it is one. Returns whether the text is one besides.
pub(super) fn take_label(note: &mut Note, block: &Block, names: &Names) -> bool {
    inline_fields(note, block, names);
    let Some(label) = &block.label else { return true };
    let rest = block.text.text.strip_prefix(label.as_str()).unwrap_or_default();
    let inline = rest.starts_with("::");
    let rest = rest.trim_start_matches([':', ' ', '\u{2013}', '\u{2014}', '-']).trim();
    if rest.is_empty() || !(inline || lexicon::is_known(label)) {
        return true;
    }
    let links: Vec<Target> = block.links.iter().map(|link| link.target.clone()).collect();
    let linked = !links.is_empty();
    let values = vec![Piece { value: Value::Text(rest.to_owned()), links }];
    let meaning = lexicon::meaning(label);
    // Names without links in a line of prose are guessed to be meant.
    let sure = if inline || linked || !matches!(meaning, Meaning::Relation(_)) { Sure::Typed } else { Sure::Guessed };
    let short = rest.len() <= 160 || linked;
    let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
    let field = Field { name: label.clone(), values, origin, visibility, sure };
    if short && !matches!(meaning, Meaning::Kind | Meaning::Name | Meaning::Session(_) | Meaning::Nothing) || inline {
        let mut fields = Vec::new();
        front::push_field(&mut fields, field);
        fields.into_iter().for_each(|field| take_field(note, field));
    }
    !inline
}

/// The relation that an item of a list under a heading such as `Allies` is: `[[Bob]]`, `[[Bob]] (since the fire)`. Where more
/// is said of it, it is guessed.
pub(super) fn take_listed(note: &mut Note, block: &Block) {
    let Some(heading) = block.headings.last().filter(|heading| heading.trim() != note.name) else { return };
    let Meaning::Relation(says) = lexicon::meaning(heading) else { return };
    let lists = match says.predicate.as_str() {
        predicate::ALLIED_WITH | predicate::HOSTILE_TO | predicate::CHILD_OF | "SIBLING_OF" => {
            !says.backwards || heading.len() > 4
        }
        predicate::MEMBER_OF | predicate::RESIDENT_OF | "EMPLOYED_BY" => says.backwards && says.rank.is_none(),
        _ => false,
    };
    let Some(link) = block.links.first().filter(|_| lists && block.links.len() == 1) else { return };
    let label = link.label.as_deref().unwrap_or_default();
    let Some(rest) = block.text.text.strip_prefix(label) else { return };
    let rest = rest.trim();
    let alone = rest.is_empty() || rest.starts_with('(') && rest.ends_with(')');
    let sure = if alone { Sure::Typed } else { Sure::Guessed };
    let relation = Relation { sure, ..Relation::typed(heading.as_str()) };
    note.links.push(Link { relation: Some(relation), ..link.clone() });
}

/// Fields in brackets within a text: `[lives in:: [[Gull Bay]]]`, `(mood:: sour)`.
pub(super) fn inline_fields(note: &mut Note, block: &Block, names: &Names) {
    let source = &block.text.text;
    if !source.contains("::") {
        return;
    }
    let mut at = 0;
    while let Some(mark) = source.get(at..).and_then(|rest| rest.find("::")).map(|mark| at + mark) {
        at = mark + 2;
        let before = source[..mark].char_indices().rev().take(60);
        let Some((open, _)) = before.into_iter().find(|(_, c)| matches!(c, '[' | '(')) else { continue };
        let close = if source[open..].starts_with('[') { ']' } else { ')' };
        let Some(length) = source[mark..].find(close) else { continue };
        let (name, value) = (&source[open + 1..mark], source[mark + 2..mark + length].trim());
        if text::inline_field(&format!("{name}:: {value}")).is_none() || value.is_empty() {
            continue;
        }
        let within = |label: &Option<String>| label.as_deref().is_some_and(|label| value.contains(label));
        let links: Vec<Target> =
            block.links.iter().filter(|link| within(&link.label)).map(|link| link.target.clone()).collect();
        let Some(mut piece) = front::piece(value, names) else { continue };
        piece.links.extend(links);
        let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
        let field = Field { name: name.trim().to_owned(), values: vec![piece], origin, visibility, sure: Sure::Typed };
        take_field(note, field);
    }
}

/// Whom a value names: its links, or the names in a list.
pub(super) fn targets(piece: &Piece) -> Vec<Target> {
    if !piece.links.is_empty() {
        return piece.links.clone();
    }
    let text = piece.value.to_string();
    text.split([',', ';'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| Target::Name(name.to_owned()))
        .collect()
}
