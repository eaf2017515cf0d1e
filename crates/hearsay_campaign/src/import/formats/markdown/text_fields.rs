//! Fields within texts: lines with a label, list items, and fields in brackets.

use hearsay_model::{ExternalId, PredicateRole, Value};

use super::{front_matter, links::NoteNames};
use crate::import::{
    Alias, Block, Certainty, Field, FieldValue, LinkRelation, LinkTarget, Note, NoteLink, SourceText,
    lexicon::{self, Meaning},
    markup,
    prose_list::split_list,
    truth::{self, Truth},
};

/// Adds a field to the note. Other names of the entity become aliases, and ids become external ids.
pub(super) fn add_field(note: &mut Note, field: Field) {
    if ["_id", "id", "uuid", "uid"].contains(&field.name.to_lowercase().as_str()) && !field.origin.field.contains('/') {
        for field_value in &field.values {
            let id = field_value.value.to_string();
            if !id.trim().is_empty() && id != note.key {
                note.ids.push(ExternalId { system: "id".to_owned(), id });
            }
        }
        return;
    }
    match lexicon::meaning(&field.name) {
        Meaning::Alias => {
            for name in field.values.iter().flat_map(|field_value| split_names(&field_value.value.to_string())) {
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                note.aliases.push(Alias { name, origin, visibility });
            }
        }
        _ => note.fields.push(field),
    }
}

/// Returns the names in a list such as `Mattias, Mads`. In contrast, `Odo, the Younger` is one name.
fn split_names(text: &str) -> Vec<String> {
    let parts = split_list(text);
    let is_name = |part: &&str| {
        let is_generation = ["Jr", "Sr", "Esq", "II", "III", "IV"].contains(part);
        part.chars().next().is_some_and(|c| !c.is_lowercase()) && !is_generation
    };
    let is_list = parts.len() > 1 && parts.iter().skip(1).all(is_name);
    match is_list {
        true => parts.into_iter().map(str::to_owned).collect(),
        false => vec![text.to_owned()],
    }
}

/// Adds the fields of a block to the note: the fields in brackets, and the field whose name is the label of the block.
/// Returns whether the block is also a text. `file` is the file that contains the block.
pub(super) fn add_labelled_fields(note: &mut Note, block: &Block, file: &SourceText, names: &NoteNames) -> bool {
    add_inline_fields(note, block, file, names);
    let Some(label) = block.label.clone().or_else(|| plain_label(block)) else { return true };
    let label = &label;
    let rest = block.text.text.strip_prefix(label.as_str()).unwrap_or_default();
    let is_inline = rest.starts_with("::");
    let rest = rest.trim_start_matches([':', ' ', '\u{2013}', '\u{2014}', '-']).trim();
    if rest.is_empty() || !(is_inline || lexicon::is_known(label)) {
        return true;
    }
    let links: Vec<LinkTarget> = block.links.iter().map(|link| link.target.clone()).collect();
    let has_links = !links.is_empty();
    let values = vec![FieldValue { value: Value::Text(rest.to_owned()), links }];
    let meaning = lexicon::meaning(label);
    // If the line is long, names without links become proposals. Whether a word is a name is decided later, when links
    // are resolved.
    let is_short = rest.len() <= 160 || has_links;
    let is_relation = matches!(meaning, Meaning::Relation(_));
    let certainty = if is_inline || has_links || !is_relation || rest.len() <= 80 {
        Certainty::Explicit
    } else {
        Certainty::Inferred
    };
    if meaning == Meaning::Kind
        && let Some(kind) = lexicon::kind(rest.split(['(', ',', '/']).next().unwrap_or_default())
    {
        note.set_kind(kind, Certainty::Inferred, format!("{label}: {rest}"));
    }
    let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
    let field = Field { name: label.clone(), values, origin, visibility, certainty };
    if is_short && !matches!(meaning, Meaning::Kind | Meaning::Name | Meaning::Session(_) | Meaning::Ignored)
        || is_inline
    {
        let mut fields = Vec::new();
        front_matter::push_field(&mut fields, field);
        fields.into_iter().for_each(|field| add_field(note, field));
    }
    !is_inline
}

/// Maximum number of links in a list item. In an item with more links, only the first link is a relation.
const MAX_LISTED_LINKS: usize = 100;

/// Maximum number of fields in brackets in one paragraph.
const MAX_INLINE_FIELDS: usize = 200;

/// Maximum length of a field in brackets, in bytes.
const MAX_INLINE_BYTES: usize = 4_000;

/// Adds the relations that a list item or a row of a table states under a heading such as `Allies` or `Relationships`:
/// `[[Bob]]`, `[[Bob]] (since the fire)`, `[[Bob]] — brother`. If a sentence continues after the link, the relations
/// become proposals.
pub(super) fn add_listed_relations(note: &mut Note, block: &Block) {
    let Some(heading) = block.headings.last().filter(|heading| heading.trim() != note.name) else { return };
    let Meaning::Relation(meaning) = lexicon::meaning(heading) else { return };
    let text = block.text.text.trim();
    let Some((link, rest)) = block.links.first().and_then(|link| {
        let label = link.label.as_deref().filter(|label| !label.is_empty())?;
        Some((link, text.strip_prefix(label)?.trim()))
    }) else {
        return;
    };
    if PredicateRole::Related.is(&meaning.predicate) {
        return add_related(note, link, rest);
    }
    if !lexicon::applies_to_list_items(&meaning) {
        return;
    }
    let certainty = if is_remark(rest) { Certainty::Explicit } else { Certainty::Inferred };
    let truth = truth::split_doubt(heading).0.max(Truth::from_text(rest));
    let relation = LinkRelation { certainty, truth, ..LinkRelation::explicit(heading.as_str()) };
    note.links.push(NoteLink { relation: Some(relation.clone()), ..link.clone() });
    // The item may be a list of links: `[[Ann]], [[Bob]] and [[Cid]]`.
    if block.links.len() > MAX_LISTED_LINKS {
        return;
    }
    let labels: Vec<&str> = block.links.iter().filter_map(|link| link.label.as_deref()).collect();
    let remaining = labels.iter().fold(text.to_owned(), |remaining, label| remaining.replacen(label, "", 1));
    if remaining.split_whitespace().all(|word| [",", "and", "&", ";", ",and"].contains(&word)) {
        let others = block.links.iter().skip(1).cloned();
        note.links.extend(others.map(|link| NoteLink { relation: Some(relation.clone()), ..link }));
    }
}

/// Returns whether the text after a link is a remark, rather than the continuation of a sentence.
fn is_remark(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['(', '-', '\u{2013}', '\u{2014}', ':', ',', ';', '|', '.'])
}

/// Adds the relation that an item under `Relationships` states. The words after the link name the relation.
fn add_related(note: &mut Note, link: &NoteLink, rest: &str) {
    if !is_remark(rest) {
        return;
    }
    let relation_label =
        rest.strip_prefix("; ").and_then(|rest| rest.split_once(": ")).filter(|(relation_label, _)| {
            ["relation", "relationship", "role", "type", "connection"].contains(&relation_label.to_lowercase().as_str())
        });
    let rest = relation_label.map_or(rest, |(_, rest)| rest);
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let words = rest.split([',', ';', '.', '(', ')', ':', '\u{2013}', '\u{2014}', '\n']).next().unwrap_or_default();
    let words = words.split(" - ").next().unwrap_or_default().trim();
    let truth = Truth::from_text(rest);
    // The words may begin with a word of doubt: `rumoured lover`.
    let words = truth::split_doubt(words).1;
    let is_known_relation = words.split_whitespace().count() <= 4
        && lexicon::is_known(words)
        && matches!(lexicon::meaning(words), Meaning::Relation(_));
    let (words, certainty) = match is_known_relation {
        true => (words, Certainty::Explicit),
        false => {
            (PredicateRole::Related.name(), if rest.is_empty() { Certainty::Explicit } else { Certainty::Inferred })
        }
    };
    let relation = LinkRelation { certainty, truth, ..LinkRelation::explicit(words) };
    note.links.push(NoteLink { relation: Some(relation), ..link.clone() });
}

/// Returns a label without markup before one or several links: `Brother: [[Fred]]`.
fn plain_label(block: &Block) -> Option<String> {
    let (label, rest) = block.text.text.split_once(':')?;
    let first = block.links.first()?.label.as_deref()?;
    let is_label = label.len() <= 60
        && label.split_whitespace().count() <= 3
        && !rest.contains(':')
        && rest.trim_start().starts_with(first)
        && matches!(lexicon::meaning(label), Meaning::Relation(_))
        && block.links.iter().all(|link| link.label.as_deref().is_none_or(|link_label| !label.contains(link_label)));
    is_label.then(|| label.trim().to_owned())
}

/// Adds the relations that the texts of a note state, in any format: lists under headings, and links after a label.
pub(crate) fn add_text_relations(note: &mut Note) {
    let texts = std::mem::take(&mut note.texts);
    for block in &texts {
        add_listed_relations(note, block);
        let Some(label) = plain_label(block) else { continue };
        let rest = block.text.text.split_once(':').map_or("", |(_, rest)| rest);
        let link_labels = block.links.iter().filter_map(|link| link.label.as_deref()).take(MAX_LISTED_LINKS);
        let remaining = link_labels.fold(rest.to_owned(), |remaining, label| remaining.replacen(label, "", 1));
        let is_only_links =
            remaining.split_whitespace().all(|word| [",", "and", "&", ";", ".", ",and"].contains(&word));
        let (certainty, max_links) =
            if is_only_links { (Certainty::Explicit, usize::MAX) } else { (Certainty::Inferred, 1) };
        let relation = LinkRelation { certainty, truth: Truth::from_text(rest), ..LinkRelation::explicit(label) };
        let links = block.links.iter().take(max_links);
        note.links.extend(links.map(|link| NoteLink { relation: Some(relation.clone()), ..link.clone() }));
    }
    note.texts = texts;
}

/// Adds the fields in brackets within a text: `[lives in:: [[Gull Bay]]]`, `(mood:: sour)`.
fn add_inline_fields(note: &mut Note, block: &Block, file: &SourceText, names: &NoteNames) {
    let source = &block.text.text;
    if !source.contains("::") {
        return;
    }
    let mut links: Vec<&NoteLink> = block.links.iter().collect();
    links.sort_by_key(|link| link.origin.span.start);
    let links_between = |open: usize, close: usize| {
        let file_position =
            |at| block.text.source_position(at).and_then(|at| u32::try_from(file.file_position(at)).ok());
        let (open, close) = file_position(open).zip(file_position(close))?;
        let first = links.partition_point(|link| link.origin.span.start < open);
        Some(links[first..].iter().take_while(move |link| link.origin.span.start < close))
    };
    let (mut at, mut field_count) = (0, 0);
    while let Some(mark) = source.get(at..).and_then(|rest| rest.find("::")).map(|mark| at + mark)
        && field_count < MAX_INLINE_FIELDS
    {
        at = mark + 2;
        let before = source[..mark].char_indices().rev().take(60);
        let Some((open, _)) = before.into_iter().find(|(_, c)| matches!(c, '[' | '(')) else { continue };
        let close = if source[open..].starts_with('[') { b']' } else { b')' };
        let Some(length) = source[mark..].bytes().take(MAX_INLINE_BYTES).position(|byte| byte == close) else {
            continue;
        };
        let (name, value) = (&source[open + 1..mark], source[mark + 2..mark + length].trim());
        if markup::inline_field(&format!("{name}:: {value}")).is_none() || value.is_empty() {
            continue;
        }
        field_count += 1;
        let Some(mut field_value) = front_matter::parse_value(value, names) else { continue };
        let links = links_between(open, mark + length).into_iter().flatten();
        field_value.links.extend(links.map(|link| link.target.clone()));
        let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
        let field = Field {
            name: name.trim().to_owned(),
            values: vec![field_value],
            origin,
            visibility,
            certainty: Certainty::Explicit,
        };
        add_field(note, field);
    }
}

/// Returns the targets that a value names: its links, or if it has none, the names in its comma-separated list.
pub(super) fn value_targets(field_value: &FieldValue) -> Vec<LinkTarget> {
    if !field_value.links.is_empty() {
        return field_value.links.clone();
    }
    let text = field_value.value.to_string();
    text.split([',', ';'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| LinkTarget::Name(name.to_owned()))
        .collect()
}
