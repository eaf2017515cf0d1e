//! World Anvil: a JSON file for each article, with texts in BBCode.
//!
//! These parts are secret: private articles, drafts, articles for subscribers, sections whose key begins with `ggm`,
//! and text that BBCode tags hide.

use std::{collections::HashSet, sync::LazyLock};

use hearsay_model::{ExternalId, Kind};
use serde::Deserialize;

use crate::{
    Entry, Folder, Format, ReadOptions,
    import::{
        Note, NoteReader, Notes, Piece, Relation, Role, Score, SessionHead, Sure, Target, Visibility,
        english::WordMap,
        lexicon,
        markup::{Inline, Style},
        secret,
        tables::table,
        tree::{self, Data, Document, Markup, Pen, Tree, Writing},
    },
};

/// The reader for World Anvil exports.
pub(crate) struct WorldAnvil;

const TOOL: &str = "world-anvil";

/// The words of `data/world_anvil.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    page: HashSet<String>,
    kinds: WordMap,
}

static WORDS: LazyLock<Words> =
    LazyLock::new(|| table("world_anvil.toml", include_str!("../../../data/world_anvil.toml")));

impl NoteReader for WorldAnvil {
    fn format(&self) -> Format {
        Format::WorldAnvil
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"])).take(24);
        let is_article = |entry: &Entry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 256 << 10)).into_owned();
            let has = |name: &str| head.contains(&format!("\"{name}\""));
            has("templateType") || has("entityClass") && has("title") && has("content")
        };
        entries.into_iter().any(is_article).then_some(Score::SURE)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut articles = Vec::new();
        for document in &documents {
            let before = articles.len();
            collect(&document.tree, document, &mut articles, 0);
            if articles.len() == before {
                notes.skip(&*document.path, "not an article of World Anvil: expected `title` and `content`");
            }
        }
        let hidden: HashSet<String> =
            articles.iter().filter(|(tree, _)| is_hidden(tree)).filter_map(|(tree, _)| tree.get("id").word()).collect();
        let known: HashSet<String> = articles.iter().filter_map(|(tree, _)| tree.get("id").word()).collect();
        for (tree, pen) in &articles {
            notes.notes.extend(note(tree, *pen, &known, &hidden));
        }
    }
}

fn collect<'a>(tree: &'a Tree, document: &Document, articles: &mut Vec<(&'a Tree, Pen)>, depth: usize) {
    let is_article = tree.get("title").text().is_some()
        && ["content", "templateType", "entityClass", "sections", "relations"]
            .iter()
            .any(|key| !tree.get(key).is_null());
    if is_article {
        articles.push((tree, Pen { file: document.file }));
    } else if depth < 3 {
        let lists = match &tree.data {
            Data::List(_) => tree.items(),
            _ => vec![tree.get("articles"), tree.get("article"), tree.get("entities")],
        };
        for one in lists {
            collect(one, document, articles, depth + 1);
        }
    }
}

/// Returns whether an article is hidden from readers.
fn is_hidden(tree: &Tree) -> bool {
    let state = tree.get("state");
    let public = state.is_null() || state.text().is_some_and(|state| state.trim().eq_ignore_ascii_case("public"));
    let draft = ["isDraft", "isWip", "draft"].iter().any(|key| tree.get(key).is_marked());
    let circle =
        ["subscriberGroups", "subscribergroups", "accessGroups"].iter().any(|key| !tree.get(key).items().is_empty());
    !public || draft || circle || tree.get("isPrivate").is_marked()
}

fn kind(template: &str) -> Option<Kind> {
    let template = template.to_lowercase();
    WORDS.kinds.kind(&template).or_else(|| lexicon::kind(&template))
}

fn note(tree: &Tree, pen: Pen, known: &HashSet<String>, hidden: &HashSet<String>) -> Option<Note> {
    let name = tree.get("title").text()?.trim().to_owned();
    let key = tree.get("id").word().unwrap_or_else(|| name.clone());
    let visibility = if is_hidden(tree) { Visibility::SECRET } else { Visibility::Unmarked };
    let ids = ["uuid", "slug"].iter().filter_map(|id| tree.get(id).word()).filter(|id| *id != key);
    let mut note = Note {
        ids: ids.map(|id| ExternalId { system: TOOL.to_owned(), id }).collect(),
        key,
        tool: TOOL,
        name,
        origin: pen.origin(tree.get("title"), "title"),
        visibility: visibility.clone(),
        ..Note::default()
    };
    let template = tree.get("templateType").text().or(tree.get("entityClass").text()).unwrap_or_default();
    let tags = tags(tree.get("tags"));
    match template.to_lowercase().as_str() {
        "report" | "sessionreport" | "session" => {
            let number = hearsay_model::text::words(&note.name).iter().find_map(|word| word.parse().ok());
            note.role = Role::Session;
            note.session = Some(SessionHead { number, ..SessionHead::default() });
        }
        // A generic article has a kind only if one of its tags names the kind.
        "article" | "generic" | "" => match tags.iter().find_map(|tag| lexicon::kind(tag)) {
            Some(kind) => note.guess(kind, Sure::Guessed, "a tag"),
            None => note.role = Role::Text,
        },
        template => {
            if let Some(kind) = kind(template) {
                note.guess(kind, Sure::Typed, format!("template {template}"));
            }
        }
    }
    let is_person = note.kind.as_ref().is_some_and(|guess| guess.kind == Kind::Npc);
    if is_person && tags.iter().any(|tag| lexicon::kind(tag) == Some(Kind::Player)) {
        note.player = true;
    }
    let tags: Vec<Piece> = tags.iter().map(|tag| tag.as_str().into()).collect();
    note.fields.extend(pen.field_of("tag", tags, tree.get("tags"), "tags", &visibility));
    let write = |tree: &Tree, place: &str, heading: Option<&str>, visibility: &Visibility, note: &mut Note| {
        let hides = note.visibility.is_secret() || visibility.is_secret();
        let inline = |text: &str| mentions(text, hidden, hides);
        let style = Style { inline: &inline, address: &|_| None };
        let writing = Writing { field: place, heading, markup: Markup::Bbcode, visibility, style };
        pen.blocks(tree, &writing, &mut note.texts);
    };
    for field in ["content", "excerpt", "snippet", "seeded", "vignette"] {
        let visibility = if field == "seeded" { Visibility::SECRET } else { visibility.clone() };
        write(tree.get(field), field, None, &visibility, &mut note);
    }
    sections(tree, pen, &write, &mut note);
    relations(tree, pen, known, &mut note);
    Some(note)
}

fn tags(tree: &Tree) -> Vec<String> {
    let words = tree.each().into_iter().filter_map(|tag| tag.word().or_else(|| tag.get("title").word()));
    let parts = words.flat_map(|word| word.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
    parts.filter(|tag| !tag.is_empty()).collect()
}

/// A function that adds a text to a note. The arguments are the text, its field, its heading, its visibility, and the
/// note.
type Write<'a> = dyn Fn(&Tree, &str, Option<&str>, &Visibility, &mut Note) + 'a;

/// Adds sections. A short section becomes a field, a longer section becomes a text under a heading.
fn sections(tree: &Tree, pen: Pen, write: &Write<'_>, note: &mut Note) {
    for (key, section) in tree.get("sections").entries() {
        let content = match &section.data {
            Data::Map(_) => section.get("content"),
            _ => section,
        };
        let Some(text) = content.text() else { continue };
        let title = section.get("title").text().unwrap_or(key);
        let hides = key.to_lowercase().starts_with("ggm") || secret::is_secret(key) || secret::is_secret(title);
        let visibility = if hides { Visibility::SECRET } else { note.visibility.clone() };
        let place = format!("sections.{key}");
        let plain = !text.contains(['[', '<', '\n']) && text.len() <= 160 && !text.contains(". ");
        if plain && lexicon::is_known(key) {
            if let Some(field) = pen.field(key, content, &place, &visibility) {
                note.fields.push(field);
            }
            continue;
        }
        let heading = spaced(title);
        write(content, &place, Some(&heading), &visibility, note);
    }
}

/// Splits a key into words: `bodyFeatures` becomes `Body features`.
fn spaced(key: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in key.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
            spaced.extend(c.to_lowercase());
        } else {
            spaced.push(if c == '_' { ' ' } else { c });
        }
        before = c;
    }
    let mut letters = spaced.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn relations(tree: &Tree, pen: Pen, known: &HashSet<String>, note: &mut Note) {
    for (key, relation) in tree.get("relations").entries() {
        if WORDS.page.contains(&key.to_lowercase()) {
            continue;
        }
        let hides = key.to_lowercase().starts_with("ggm") || secret::is_secret(key);
        let items = match relation.get("items") {
            items if !items.is_null() => match &items.data {
                Data::Map(_) if items.get("title").text().is_some() => vec![items],
                _ => items.items(),
            },
            _ => match &relation.data {
                Data::List(_) => relation.items(),
                _ => vec![relation],
            },
        };
        for item in items {
            let Some(title) = item.get("title").text().or_else(|| item.text()) else { continue };
            let id = item.get("id").word().filter(|id| known.contains(id));
            let target = id.map_or_else(|| Target::Name(title.trim().to_owned()), Target::Key);
            let says = |words: &&str| matches!(lexicon::meaning(words), lexicon::Meaning::Relation(_));
            let words = item.get("relationshipType").text().filter(says).unwrap_or(key);
            // A reference to a type (a species, a title) is not a relation.
            if let lexicon::Meaning::Attribute(name) = lexicon::meaning(key)
                && words == &**key
                && lexicon::is_known(key)
            {
                let piece = vec![title.trim().into()];
                let visibility = if hides { Visibility::SECRET } else { note.visibility.clone() };
                note.fields.extend(pen.field_of(name.as_str(), piece, item, &format!("relations.{key}"), &visibility));
                continue;
            }
            let hides = hides || ["private", "secret"].contains(&item.get("state").text().unwrap_or_default());
            let visibility = if hides { Visibility::SECRET } else { note.visibility.clone() };
            let place = format!("relations.{key}");
            let mut link = pen.link(target, Relation::typed(words), item, &place, &visibility);
            link.label = Some(title.trim().to_owned());
            note.links.push(link);
        }
    }
}

/// Finds mentions such as `@[Title](type:uuid)`. In open texts, the label of a hidden article is replaced by
/// `(unknown)`.
fn mentions(text: &str, hidden: &HashSet<String>, in_secret: bool) -> Vec<Inline> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("@[")).map(|start| at + start) {
        at = start + 2;
        let Some(middle) = text.get(at..).and_then(|rest| rest.find("](")).map(|middle| at + middle) else { break };
        let Some(end) = text[middle..].find(')').map(|end| middle + end) else { break };
        let label = text[at..middle].trim();
        let address = &text[middle + 2..end];
        if label.len() > 200 || label.contains('\n') || end - middle > 120 {
            continue;
        }
        let (kind, id) = address.split_once(':').unwrap_or(("", address));
        let is_article = !["image", "map", "timeline", "block", "variable", "user"].contains(&kind);
        let shown = if hidden.contains(id) && !in_secret { "(unknown)" } else { label };
        let target = is_article.then(|| Target::Key(id.trim().to_owned()));
        found.push(Inline { range: start..end + 1, target, label: shown.to_owned() });
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests;
