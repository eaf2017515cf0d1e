//! Fields within texts: lines with a label, list items, and fields in brackets.

use hearsay_model::{ExternalId, PredicateRole, Value};

use super::{front, links::Names};
use crate::import::{
    Alias, Block, Field, Link, Note, Piece, Relation, Sure, Target, Text,
    lexicon::{self, Meaning},
    markup,
    prose::split_list,
    truth::{self, Truth},
};

/// Adds a field to the note. If the field contains other names, they become aliases. If it contains ids, they become
/// external ids.
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
            for name in field.values.iter().flat_map(|piece| names_in(&piece.value.to_string())) {
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                note.aliases.push(Alias { name, origin, visibility });
            }
        }
        _ => note.fields.push(field),
    }
}

/// Returns the names in a list such as `Mattias, Mads`. In contrast, `Odo, the Younger` is one name.
fn names_in(written: &str) -> Vec<String> {
    let parts = split_list(written);
    let is_name = |part: &&str| {
        let generation = ["Jr", "Sr", "Esq", "II", "III", "IV"].contains(part);
        part.chars().next().is_some_and(|c| !c.is_lowercase()) && !generation
    };
    let several = parts.len() > 1 && parts.iter().skip(1).all(is_name);
    match several {
        true => parts.into_iter().map(str::to_owned).collect(),
        false => vec![written.to_owned()],
    }
}

/// Adds the fields of a block to the note: the fields in brackets, and the field whose name is the label of the block.
/// Returns whether the block is also a text. `file` is the file that contains the block.
pub(super) fn take_label(note: &mut Note, block: &Block, file: &Text, names: &Names) -> bool {
    inline_fields(note, block, file, names);
    let Some(label) = block.label.clone().or_else(|| plain_label(block)) else { return true };
    let label = &label;
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
    // In a longer line, names without links become proposals. The resolution of links later decides whether a word is a
    // name.
    let short = rest.len() <= 160 || linked;
    let relates = matches!(meaning, Meaning::Relation(_));
    let sure = if inline || linked || !relates || rest.len() <= 80 { Sure::Typed } else { Sure::Guessed };
    if meaning == Meaning::Kind
        && let Some(kind) = lexicon::kind(rest.split(['(', ',', '/']).next().unwrap_or_default())
    {
        note.guess(kind, Sure::Guessed, format!("{label}: {rest}"));
    }
    let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
    let field = Field { name: label.clone(), values, origin, visibility, sure };
    if short && !matches!(meaning, Meaning::Kind | Meaning::Name | Meaning::Session(_) | Meaning::Nothing) || inline {
        let mut fields = Vec::new();
        front::push_field(&mut fields, field);
        fields.into_iter().for_each(|field| take_field(note, field));
    }
    !inline
}

/// Maximum number of links in a list item. In an item with more links, only the first link is a relation.
const MAX_LISTED: usize = 100;

/// Maximum number of fields in brackets in one paragraph.
const MAX_INLINE_FIELDS: usize = 200;

/// Maximum length of a field in brackets, in bytes.
const MAX_INLINE_BYTES: usize = 4_000;

/// Adds the relations that a list item or a row of a table states under a heading such as `Allies` or `Relationships`:
/// `[[Bob]]`, `[[Bob]] (since the fire)`, `[[Bob]] — brother`. If a sentence continues after the link, the relations
/// become proposals.
pub(super) fn take_listed(note: &mut Note, block: &Block) {
    let Some(heading) = block.headings.last().filter(|heading| heading.trim() != note.name) else { return };
    let Meaning::Relation(says) = lexicon::meaning(heading) else { return };
    let text = block.text.text.trim();
    let Some((link, rest)) = block.links.first().and_then(|link| {
        let label = link.label.as_deref().filter(|label| !label.is_empty())?;
        Some((link, text.strip_prefix(label)?.trim()))
    }) else {
        return;
    };
    if PredicateRole::Related.is(&says.predicate) {
        return take_related(note, link, rest);
    }
    if !lexicon::lists(&says) {
        return;
    }
    let sure = if is_apart(rest) { Sure::Typed } else { Sure::Guessed };
    let truth = truth::named(heading).0.max(Truth::of(rest));
    let relation = Relation { sure, truth, ..Relation::typed(heading.as_str()) };
    note.links.push(Link { relation: Some(relation.clone()), ..link.clone() });
    // The item may be a list of links: `[[Ann]], [[Bob]] and [[Cid]]`.
    if block.links.len() > MAX_LISTED {
        return;
    }
    let labels: Vec<&str> = block.links.iter().filter_map(|link| link.label.as_deref()).collect();
    let left = labels.iter().fold(text.to_owned(), |left, label| left.replacen(label, "", 1));
    if left.split_whitespace().all(|word| [",", "and", "&", ";", ",and"].contains(&word)) {
        let others = block.links.iter().skip(1).cloned();
        note.links.extend(others.map(|link| Link { relation: Some(relation.clone()), ..link }));
    }
}

/// Returns whether the text after a link is a remark, rather than the continuation of a sentence.
fn is_apart(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['(', '-', '\u{2013}', '\u{2014}', ':', ',', ';', '|', '.'])
}

/// Adds the relation that an item under `Relationships` states. The words after the link name the relation.
fn take_related(note: &mut Note, link: &Link, rest: &str) {
    if !is_apart(rest) {
        return;
    }
    let head = rest.strip_prefix("; ").and_then(|rest| rest.split_once(": ")).filter(|(head, _)| {
        ["relation", "relationship", "role", "type", "connection"].contains(&head.to_lowercase().as_str())
    });
    let rest = head.map_or(rest, |(_, rest)| rest);
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let words = rest.split([',', ';', '.', '(', ')', ':', '\u{2013}', '\u{2014}', '\n']).next().unwrap_or_default();
    let words = words.split(" - ").next().unwrap_or_default().trim();
    let truth = Truth::of(rest);
    // The words may begin with a word of doubt: `rumoured lover`.
    let words = truth::named(words).1;
    let named = words.split_whitespace().count() <= 4
        && lexicon::is_known(words)
        && matches!(lexicon::meaning(words), Meaning::Relation(_));
    let (words, sure) = match named {
        true => (words, Sure::Typed),
        false => (PredicateRole::Related.name(), if rest.is_empty() { Sure::Typed } else { Sure::Guessed }),
    };
    let relation = Relation { sure, truth, ..Relation::typed(words) };
    note.links.push(Link { relation: Some(relation), ..link.clone() });
}

/// Returns a label without markup before one or several links: `Brother: [[Fred]]`.
fn plain_label(block: &Block) -> Option<String> {
    let (label, rest) = block.text.text.split_once(':')?;
    let first = block.links.first()?.label.as_deref()?;
    let fits = label.len() <= 60
        && label.split_whitespace().count() <= 3
        && !rest.contains(':')
        && rest.trim_start().starts_with(first)
        && matches!(lexicon::meaning(label), Meaning::Relation(_))
        && block.links.iter().all(|link| link.label.as_deref().is_none_or(|shown| !label.contains(shown)));
    fits.then(|| label.trim().to_owned())
}

/// Adds the relations that the texts of a note state, in any format: lists under headings, and links after a label.
pub(crate) fn relate(note: &mut Note) {
    let texts = std::mem::take(&mut note.texts);
    for block in &texts {
        take_listed(note, block);
        let Some(label) = plain_label(block) else { continue };
        let rest = block.text.text.split_once(':').map_or("", |(_, rest)| rest);
        let shown = block.links.iter().filter_map(|link| link.label.as_deref()).take(MAX_LISTED);
        let left = shown.fold(rest.to_owned(), |left, shown| left.replacen(shown, "", 1));
        let alone = left.split_whitespace().all(|word| [",", "and", "&", ";", ".", ",and"].contains(&word));
        let (sure, many) = if alone { (Sure::Typed, usize::MAX) } else { (Sure::Guessed, 1) };
        let relation = Relation { sure, truth: Truth::of(rest), ..Relation::typed(label) };
        let links = block.links.iter().take(many);
        note.links.extend(links.map(|link| Link { relation: Some(relation.clone()), ..link.clone() }));
    }
    note.texts = texts;
}

/// Adds the fields in brackets within a text: `[lives in:: [[Gull Bay]]]`, `(mood:: sour)`.
fn inline_fields(note: &mut Note, block: &Block, file: &Text, names: &Names) {
    let source = &block.text.text;
    if !source.contains("::") {
        return;
    }
    let mut links: Vec<&Link> = block.links.iter().collect();
    links.sort_by_key(|link| link.origin.span.start);
    let links_between = |open: usize, close: usize| {
        let place = |at| block.text.source(at).and_then(|at| u32::try_from(file.on_disk(at)).ok());
        let (open, close) = place(open).zip(place(close))?;
        let first = links.partition_point(|link| link.origin.span.start < open);
        Some(links[first..].iter().take_while(move |link| link.origin.span.start < close))
    };
    let (mut at, mut taken) = (0, 0);
    while let Some(mark) = source.get(at..).and_then(|rest| rest.find("::")).map(|mark| at + mark)
        && taken < MAX_INLINE_FIELDS
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
        taken += 1;
        let Some(mut piece) = front::piece(value, names) else { continue };
        let links = links_between(open, mark + length).into_iter().flatten();
        piece.links.extend(links.map(|link| link.target.clone()));
        let (origin, visibility) = (block.origin.clone(), block.visibility.clone());
        let field = Field { name: name.trim().to_owned(), values: vec![piece], origin, visibility, sure: Sure::Typed };
        take_field(note, field);
    }
}

/// Returns the targets that a value names: its links, or if it has none, the names in its comma-separated list.
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
