//! World Anvil: a JSON file for each article, with texts in BBCode.
//!
//! These parts are secret: private articles, drafts, articles for subscribers, sections whose key begins with `ggm`,
//! and text that BBCode tags hide.

use std::{collections::HashSet, sync::LazyLock};

use hearsay_model::{ExternalId, Kind};
use serde::Deserialize;

use crate::{
    Folder, FolderEntry, Format, ReadOptions,
    import::{
        Certainty, FieldValue, LinkRelation, LinkTarget, Note, NoteReader, Notes, Role, Score, SessionInfo, Visibility,
        english::WordMap,
        lexicon,
        markup::{InlineLink, LinkSyntax},
        secret,
        tree::{self, Data, Document, Markup, TextConversion, Tree, TreeConverter},
        word_lists::parse_table,
    },
};

/// The reader for World Anvil exports.
pub(crate) struct WorldAnvil;

const TOOL: &str = "world-anvil";

/// The words of `data/world_anvil.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldAnvilWords {
    page: HashSet<String>,
    kinds: WordMap,
}

static WORLD_ANVIL_WORDS: LazyLock<WorldAnvilWords> =
    LazyLock::new(|| parse_table("world_anvil.toml", include_str!("../../../data/world_anvil.toml")));

impl NoteReader for WorldAnvil {
    fn format(&self) -> Format {
        Format::WorldAnvil
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"])).take(24);
        let is_article = |entry: &FolderEntry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 256 << 10)).into_owned();
            let has_field = |name: &str| head.contains(&format!("\"{name}\""));
            has_field("templateType") || has_field("entityClass") && has_field("title") && has_field("content")
        };
        entries.into_iter().any(is_article).then_some(Score::CERTAIN)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut articles = Vec::new();
        for document in &documents {
            let article_count = articles.len();
            collect_articles(&document.tree, document, &mut articles, 0);
            if articles.len() == article_count {
                notes.skip(&*document.path, "not an article of World Anvil: expected `title` and `content`");
            }
        }
        let hidden_ids: HashSet<String> = articles
            .iter()
            .filter(|(tree, _)| is_hidden(tree))
            .filter_map(|(tree, _)| tree.get("id").to_text())
            .collect();
        let known_ids: HashSet<String> = articles.iter().filter_map(|(tree, _)| tree.get("id").to_text()).collect();
        for (tree, converter) in &articles {
            notes.notes.extend(convert_article(tree, *converter, &known_ids, &hidden_ids));
        }
    }
}

fn collect_articles<'a>(
    tree: &'a Tree,
    document: &Document,
    articles: &mut Vec<(&'a Tree, TreeConverter)>,
    depth: usize,
) {
    let is_article = tree.get("title").text().is_some()
        && ["content", "templateType", "entityClass", "sections", "relations"]
            .iter()
            .any(|key| !tree.get(key).is_null());
    if is_article {
        articles.push((tree, TreeConverter { file: document.file }));
    } else if depth < 3 {
        let lists = match &tree.data {
            Data::List(_) => tree.items(),
            _ => vec![tree.get("articles"), tree.get("article"), tree.get("entities")],
        };
        for child in lists {
            collect_articles(child, document, articles, depth + 1);
        }
    }
}

/// Returns whether an article is hidden from readers.
fn is_hidden(tree: &Tree) -> bool {
    let state = tree.get("state");
    let is_public = state.is_null() || state.text().is_some_and(|state| state.trim().eq_ignore_ascii_case("public"));
    let is_draft = ["isDraft", "isWip", "draft"].iter().any(|key| tree.get(key).is_marked());
    let is_restricted =
        ["subscriberGroups", "subscribergroups", "accessGroups"].iter().any(|key| !tree.get(key).items().is_empty());
    !is_public || is_draft || is_restricted || tree.get("isPrivate").is_marked()
}

fn template_kind(template: &str) -> Option<Kind> {
    let template = template.to_lowercase();
    WORLD_ANVIL_WORDS.kinds.kind(&template).or_else(|| lexicon::kind(&template))
}

fn convert_article(
    tree: &Tree,
    converter: TreeConverter,
    known_ids: &HashSet<String>,
    hidden_ids: &HashSet<String>,
) -> Option<Note> {
    let name = tree.get("title").text()?.trim().to_owned();
    let key = tree.get("id").to_text().unwrap_or_else(|| name.clone());
    let visibility = if is_hidden(tree) { Visibility::SECRET } else { Visibility::Unmarked };
    let ids = ["uuid", "slug"].iter().filter_map(|id| tree.get(id).to_text()).filter(|id| *id != key);
    let mut note = Note {
        ids: ids.map(|id| ExternalId { system: TOOL.to_owned(), id }).collect(),
        key,
        tool: TOOL,
        name,
        origin: converter.origin(tree.get("title"), "title"),
        visibility: visibility.clone(),
        ..Note::default()
    };
    let template = tree.get("templateType").text().or(tree.get("entityClass").text()).unwrap_or_default();
    let tags = split_tags(tree.get("tags"));
    match template.to_lowercase().as_str() {
        "report" | "sessionreport" | "session" => {
            let number = hearsay_model::text::words(&note.name).iter().find_map(|word| word.parse().ok());
            note.role = Role::Session;
            note.session = Some(SessionInfo { number, ..SessionInfo::default() });
        }
        // A generic article has a kind only if one of its tags names the kind.
        "article" | "generic" | "" => match tags.iter().find_map(|tag| lexicon::kind(tag)) {
            Some(kind) => note.set_kind(kind, Certainty::Inferred, "a tag"),
            None => note.role = Role::Text,
        },
        template => {
            if let Some(kind) = template_kind(template) {
                note.set_kind(kind, Certainty::Explicit, format!("template {template}"));
            }
        }
    }
    let is_person = note.kind.as_ref().is_some_and(|guess| guess.kind == Kind::Npc);
    if is_person && tags.iter().any(|tag| lexicon::kind(tag) == Some(Kind::Player)) {
        note.is_player = true;
    }
    let tags: Vec<FieldValue> = tags.iter().map(|tag| tag.as_str().into()).collect();
    note.fields.extend(converter.field_with_values("tag", tags, tree.get("tags"), "tags", &visibility));
    let add_text = |tree: &Tree, field_path: &str, heading: Option<&str>, visibility: &Visibility, note: &mut Note| {
        let is_secret_part = note.visibility.is_secret() || visibility.is_secret();
        let inline = |text: &str| find_mentions(text, hidden_ids, is_secret_part);
        let link_syntax = LinkSyntax { inline: &inline, address: &|_| None };
        let conversion =
            TextConversion { field: field_path, heading, markup: Markup::Bbcode, visibility, style: link_syntax };
        converter.add_blocks(tree, &conversion, &mut note.texts);
    };
    for field in ["content", "excerpt", "snippet", "seeded", "vignette"] {
        let visibility = if field == "seeded" { Visibility::SECRET } else { visibility.clone() };
        add_text(tree.get(field), field, None, &visibility, &mut note);
    }
    add_sections(tree, converter, &add_text, &mut note);
    add_relations(tree, converter, known_ids, &mut note);
    Some(note)
}

fn split_tags(tree: &Tree) -> Vec<String> {
    let words = tree.as_list().into_iter().filter_map(|tag| tag.to_text().or_else(|| tag.get("title").to_text()));
    let parts = words.flat_map(|word| word.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
    parts.filter(|tag| !tag.is_empty()).collect()
}

/// A function that adds a text to a note. The arguments are the text, its field, its heading, its visibility, and the
/// note.
type AddText<'a> = dyn Fn(&Tree, &str, Option<&str>, &Visibility, &mut Note) + 'a;

/// Adds sections. A short section becomes a field, a longer section becomes a text under a heading.
fn add_sections(tree: &Tree, converter: TreeConverter, add_text: &AddText<'_>, note: &mut Note) {
    for (key, section) in tree.get("sections").entries() {
        let content = match &section.data {
            Data::Map(_) => section.get("content"),
            _ => section,
        };
        let Some(text) = content.text() else { continue };
        let title = section.get("title").text().unwrap_or(key);
        let is_secret_part =
            key.to_lowercase().starts_with("ggm") || secret::is_secret(key) || secret::is_secret(title);
        let visibility = if is_secret_part { Visibility::SECRET } else { note.visibility.clone() };
        let field_path = format!("sections.{key}");
        let is_plain = !text.contains(['[', '<', '\n']) && text.len() <= 160 && !text.contains(". ");
        if is_plain && lexicon::is_known(key) {
            if let Some(field) = converter.field(key, content, &field_path, &visibility) {
                note.fields.push(field);
            }
            continue;
        }
        let heading = split_key(title);
        add_text(content, &field_path, Some(&heading), &visibility, note);
    }
}

/// Splits a key into words: `bodyFeatures` becomes `Body features`.
fn split_key(key: &str) -> String {
    let mut words = String::new();
    let mut previous = ' ';
    for c in key.chars() {
        if c.is_uppercase() && previous.is_lowercase() {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(if c == '_' { ' ' } else { c });
        }
        previous = c;
    }
    hearsay_model::words::upper_first(&words)
}

fn add_relations(tree: &Tree, converter: TreeConverter, known_ids: &HashSet<String>, note: &mut Note) {
    for (key, relation) in tree.get("relations").entries() {
        if WORLD_ANVIL_WORDS.page.contains(&key.to_lowercase()) {
            continue;
        }
        let is_secret_part = key.to_lowercase().starts_with("ggm") || secret::is_secret(key);
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
            let id = item.get("id").to_text().filter(|id| known_ids.contains(id));
            let target = id.map_or_else(|| LinkTarget::Name(title.trim().to_owned()), LinkTarget::Key);
            let is_relation = |words: &&str| matches!(lexicon::meaning(words), lexicon::Meaning::Relation(_));
            let words = item.get("relationshipType").text().filter(is_relation).unwrap_or(key);
            // A reference to a type (a species, a title) is not a relation.
            if let lexicon::Meaning::Attribute(name) = lexicon::meaning(key)
                && words == &**key
                && lexicon::is_known(key)
            {
                let field_values = vec![title.trim().into()];
                let visibility = if is_secret_part { Visibility::SECRET } else { note.visibility.clone() };
                note.fields.extend(converter.field_with_values(
                    name.as_str(),
                    field_values,
                    item,
                    &format!("relations.{key}"),
                    &visibility,
                ));
                continue;
            }
            let is_secret_part =
                is_secret_part || ["private", "secret"].contains(&item.get("state").text().unwrap_or_default());
            let visibility = if is_secret_part { Visibility::SECRET } else { note.visibility.clone() };
            let field_path = format!("relations.{key}");
            let mut link = converter.link(target, LinkRelation::explicit(words), item, &field_path, &visibility);
            link.label = Some(title.trim().to_owned());
            note.links.push(link);
        }
    }
}

/// Finds mentions such as `@[Title](type:uuid)`. In open texts, the label of a hidden article is replaced by
/// `(unknown)`.
fn find_mentions(text: &str, hidden_ids: &HashSet<String>, is_secret_text: bool) -> Vec<InlineLink> {
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
        let visible = if hidden_ids.contains(id) && !is_secret_text { "(unknown)" } else { label };
        let target = is_article.then(|| LinkTarget::Key(id.trim().to_owned()));
        found.push(InlineLink { range: start..end + 1, target, label: visible.to_owned() });
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests;
