//! Front matter: the YAML at the beginning of a file. Valid YAML is parsed strictly, invalid YAML line by line.

use std::ops::Range;

use hearsay_model::{Number, PredicateRole, Value};

use super::{links::NoteNames, note_files::split_front_matter};
use crate::{
    Limits,
    alias::AliasBytes,
    error::Diagnostics,
    import::{
        Certainty, Field, FieldValue, LinkRelation, LinkTarget, NoteLink, Origin, SourceText, Visibility,
        english::ENGLISH,
        lexicon::{self, Meaning},
        quote, secret,
    },
    yaml::{self, Key, Node, Yaml},
};

/// Returns the limits for front matter of `bytes` bytes. The aliases in the front matter can copy at most 4 KiB plus
/// eight times the size of the front matter.
fn front_matter_limits(bytes: usize) -> Limits {
    Limits { alias_bytes: (4 << 10) + 8 * bytes as u64, ..Limits::default() }
}

/// The content of the front matter of a note.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    pub(super) fields: Vec<Field>,
    /// Relations that are written as mappings: `{target: "[[Bob]]", type: rival}`.
    pub(super) links: Vec<NoteLink>,
    /// Values that are passages of text, and not fields.
    pub(super) texts: Vec<TextValue>,
    /// The byte position at which the text after the front matter starts.
    pub(super) body: usize,
    /// The line and the description of an error, if the front matter is not valid YAML.
    pub(super) error: Option<(u32, String)>,
}

/// A passage of text in the front matter.
#[derive(Debug)]
pub(super) struct TextValue {
    pub(super) headings: Vec<String>,
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) visibility: Visibility,
}

/// Reads the front matter.
pub(super) fn read_front_matter(text: &SourceText, names: &NoteNames) -> FrontMatter {
    let content = &text.content;
    let Some((range, body)) = split_front_matter(content) else { return FrontMatter::default() };
    let (offset, source) = (range.start, content.get(range).unwrap_or_default());
    let front = FrontMatter { body, ..FrontMatter::default() };
    let mut reader = FrontMatterReader {
        text,
        names,
        offset,
        lines: line_starts(source),
        length: source.len(),
        front,
        origin: None,
    };
    let mut diagnostics = Diagnostics::new(1);
    diagnostics.files.push(String::new());
    match yaml::parse(
        source.as_bytes(),
        0,
        &front_matter_limits(source.len()),
        &AliasBytes::default(),
        &mut diagnostics,
    ) {
        Some(Node { value: Yaml::Map(entries), .. }) => {
            for (index, (key, node)) in entries.iter().enumerate() {
                let next = entries.get(index + 1).map(|(key, _)| key.at.line);
                let span = reader.line_span(key.at.line, next);
                reader.add_node(&[&key.text], node, &span, &Visibility::Unmarked, 0);
            }
        }
        Some(_) => {}
        None if diagnostics.has_no_errors() => {}
        None => {
            if let Err(errors) = diagnostics.finish()
                && let Some(error) = errors.errors.first()
            {
                reader.front.error = Some((error.line + 1, error.message.clone()));
            }
            reader.read_line_by_line(source);
        }
    }
    reader.front
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct FrontMatterReader<'a> {
    text: &'a SourceText,
    names: &'a NoteNames,
    /// The start of the front matter in the file, in bytes.
    offset: usize,
    lines: Vec<usize>,
    length: usize,
    front: FrontMatter,
    /// The byte range that was converted last, and its origin.
    origin: Option<(Range<usize>, Origin)>,
}

/// Maximum length of a field value, in bytes. A longer value, or a value with several paragraphs, is a passage.
const MAX_VALUE_BYTES: usize = 240;

impl FrontMatterReader<'_> {
    /// Returns the origin of a field. Many fields may have the same range in the file, so the last origin is cached.
    fn field_origin(&mut self, field: String, span: Range<usize>) -> Origin {
        let cached = match self.origin.take() {
            Some((cached, origin)) if cached == span => origin,
            _ => self.text.origin("", span.clone()),
        };
        let origin = Origin { field: field.into(), ..cached.clone() };
        self.origin = Some((span, cached));
        origin
    }

    /// Returns the bytes from the start of one line to the start of another.
    fn line_span(&self, line: u32, next: Option<u32>) -> Range<usize> {
        let start_of = |line: u32| self.lines.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.length);
        let (start, end) = (start_of(line), next.map_or(self.length, start_of));
        let source = self.text.content.get(self.offset + start..self.offset + end).unwrap_or_default();
        self.offset + start..self.offset + start + source.trim_end().len()
    }

    fn add_node(
        &mut self,
        path: &[&str],
        node: &Node,
        span: &Range<usize>,
        outer_visibility: &Visibility,
        depth: usize,
    ) {
        let name = path.last().copied().unwrap_or_default();
        let is_secret = secret::is_secret(name);
        let visibility = if is_secret { Visibility::SECRET.within(outer_visibility) } else { outer_visibility.clone() };
        match &node.value {
            Yaml::Null => {}
            Yaml::List(items)
                if depth == 0
                    && is_machine_key(name)
                    && items.iter().any(|item| matches!(item.value, Yaml::Map(_))) => {}
            Yaml::Map(_) if depth == 0 && is_machine_key(name) => {}
            Yaml::List(items) => {
                let mut field_values = Vec::new();
                for item in items {
                    match &item.value {
                        Yaml::Map(_) if item.get("content").or(item.get("text")).is_some() => {
                            self.add_titled_text(path, item, span, &visibility);
                        }
                        Yaml::Map(_) if self.add_relation(path, item, span, &visibility) => {}
                        Yaml::Map(_) if depth < 3 => self.add_node(path, item, span, &visibility, depth + 1),
                        _ => field_values.extend(self.values_of(item)),
                    }
                }
                let is_mixed = items.iter().any(|item| matches!(item.value, Yaml::Map(_)));
                self.add_field(path, field_values, span, visibility, is_mixed);
            }
            Yaml::Map(_) if depth > 0 && self.add_relation(path, node, span, &visibility) => {}
            Yaml::Map(entries) => {
                if is_relation_field(name) && self.add_relations_by_name(path, entries, span, &visibility) {
                    return;
                }
                if node.get("content").is_some() && node.get("title").is_some() {
                    return self.add_titled_text(path, node, span, &visibility);
                }
                // A map with the parts of a date is one value.
                if node.get("year").is_some() || node.get("month").is_some() && node.get("day").is_some() {
                    let field_values = vec![FieldValue { value: join_date_parts(node).into(), links: Vec::new() }];
                    return self.add_field(path, field_values, span, visibility, true);
                }
                // Metadata for programs is ignored, except for `system/type`, which marks player characters.
                let is_included = |key: &&(Key, Node)| match name {
                    "system" => &*key.0.text == "type" && key.1.text().is_some(),
                    _ => depth < 3,
                };
                if name != "system" && lexicon::meaning(name) == Meaning::Ignored && depth == 0 {
                    return;
                }
                for (key, value) in entries.iter().filter(is_included) {
                    let path: Vec<&str> = path.iter().copied().chain([&*key.text]).collect();
                    self.add_node(&path, value, span, &visibility, depth + 1);
                }
            }
            // A value that contains a secret is a passage too.
            Yaml::Text(text)
                if text.len() > MAX_VALUE_BYTES
                    || text.trim().contains('\n')
                    || !crate::import::markup::secret_ranges(text).is_empty() =>
            {
                let (text, headings) = (text.to_string(), vec![to_heading(name)]);
                self.front.texts.push(TextValue { headings, text, span: span.clone(), visibility });
            }
            _ => {
                let field_values = self.values_of(node);
                let is_attribute = matches!(lexicon::meaning(name), Meaning::Attribute(_));
                let is_linked_prose = |field_value: &FieldValue| {
                    !field_value.links.is_empty() && contains_prose(&field_value.value.to_string(), &field_value.links)
                };
                if let Some(text) = node.text().filter(|_| is_attribute && field_values.iter().any(is_linked_prose)) {
                    let (text, headings) = (text.to_owned(), vec![to_heading(name)]);
                    self.front.texts.push(TextValue { headings, text, span: span.clone(), visibility });
                    return;
                }
                self.add_field(path, field_values, span, visibility, depth > 0);
            }
        }
    }

    /// Adds the relation that a map such as `{target: "[[Bob]]", type: rival, attitude: -40}` states. Returns `false`
    /// if the map states no relation.
    fn add_relation(&mut self, path: &[&str], node: &Node, span: &Range<usize>, outer_visibility: &Visibility) -> bool {
        const TARGETS: [&str; 9] = ["target", "who", "with", "character", "entity", "to", "person", "npc", "name"];
        const MARKDOWN_WORDS: [&str; 6] = ["type", "relation", "relationship", "role", "kind", "as"];
        let find =
            |keys: &[&str]| keys.iter().find_map(|key| node.get(key).filter(|node| !self.values_of(node).is_empty()));
        let (Some(target), Some(words)) = (find(&TARGETS), find(&MARKDOWN_WORDS)) else { return false };
        let name = path.last().copied().unwrap_or_default();
        let field_values = self.values_of(target);
        let linked_target = field_values.iter().flat_map(|field_value| field_value.links.clone()).next();
        // If the field is for relations, a name without brackets is a target.
        let plain_target = || {
            field_values
                .first()
                .map(|field_value| LinkTarget::Name(field_value.value.to_string()))
                .filter(|_| is_relation_field(name))
        };
        let Some(target) = linked_target.or_else(plain_target) else { return false };
        let text = |key: &str| self.values_at(node, key).first().map(|field_value| field_value.value.to_string());
        let is_secret = is_marked_secret(node) || secret::is_secret(&text("visibility").unwrap_or_default());
        let words = self.values_of(words).first().map(|field_value| field_value.value.to_string()).unwrap_or_default();
        // In a list of members, a role is a rank. In any other place, a role is the relation between the two entities.
        let is_member_list =
            matches!(lexicon::meaning(name), Meaning::Relation(says) if !PredicateRole::Related.is(&says.predicate));
        let (words, role) = if is_member_list { (name.to_owned(), Some(words)) } else { (words, None) };
        let quote_text = format!(
            "{}: {}",
            role.as_ref().unwrap_or(&words),
            field_values.first().map(|field_value| field_value.value.to_string()).unwrap_or_default()
        );
        let relation = LinkRelation {
            attitude: text("attitude").and_then(|text| text.trim().parse().ok()),
            rank: text("rank").or(role.clone()),
            since: text("since"),
            until: text("until"),
            ..LinkRelation::explicit(words)
        };
        let visibility = if is_secret { Visibility::SECRET.within(outer_visibility) } else { outer_visibility.clone() };
        let mut origin = self.field_origin(path.join("/"), span.clone());
        origin.quote = quote(&quote_text).into();
        self.front.links.push(NoteLink { target, label: None, relation: Some(relation), origin, visibility });
        true
    }

    fn values_at(&self, node: &Node, key: &str) -> Vec<FieldValue> {
        node.get(key).map_or_else(Vec::new, |node| self.values_of(node))
    }

    /// Adds the relations that a map such as `relationships: {Bob: rival, "[[Eve]]": sister}` states. Returns `false`
    /// if the map does not have this form.
    fn add_relations_by_name(
        &mut self,
        path: &[&str],
        entries: &[(Key, Node)],
        span: &Range<usize>,
        visibility: &Visibility,
    ) -> bool {
        let is_by_name = entries.iter().all(|(key, value)| {
            let is_short =
                value.text().is_some_and(|text| !text.contains("[[") && text.split_whitespace().count() <= 5);
            is_short && !lexicon::is_known(&key.text)
        });
        if !is_by_name || entries.is_empty() {
            return false;
        }
        for (key, value) in entries {
            let target = self.parse_value(&key.text).and_then(|field_value| field_value.links.into_iter().next());
            let target = target.unwrap_or_else(|| LinkTarget::Name(key.text.to_string()));
            let relation = Some(LinkRelation::explicit(value.text().unwrap_or_default()));
            let mut origin = self.field_origin(format!("{}/{}", path.join("/"), key.text), span.clone());
            origin.quote = quote(&format!("{}: {}", key.text, value.text().unwrap_or_default())).into();
            self.front.links.push(NoteLink { target, label: None, relation, origin, visibility: visibility.clone() });
        }
        true
    }

    /// Adds the passage in a map `{title, content}`.
    fn add_titled_text(&mut self, path: &[&str], node: &Node, span: &Range<usize>, outer_visibility: &Visibility) {
        let text = |key: &str| node.get(key).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty());
        let title = text("title").or(text("name"));
        let Some(content) = text("content").or(text("text")) else { return };
        let is_secret = title.is_some_and(secret::is_secret) || is_marked_secret(node);
        let visibility = if is_secret { Visibility::SECRET.within(outer_visibility) } else { outer_visibility.clone() };
        let headings = [Some(to_heading(path.last().copied().unwrap_or_default())), title.map(str::to_owned)];
        let headings = headings.into_iter().flatten().filter(|heading| !heading.is_empty()).collect();
        self.front.texts.push(TextValue { headings, text: content.to_owned(), span: span.clone(), visibility });
    }

    fn values_of(&self, node: &Node) -> Vec<FieldValue> {
        match &node.value {
            Yaml::Text(text) => self.parse_value(text).into_iter().collect(),
            Yaml::Number(number, raw) => match Number::new(*number) {
                // Values such as `007` and `1.0.2` are not meant as numbers.
                Ok(number) if number.get().to_string() == **raw => {
                    vec![FieldValue { value: Value::Number(number), links: Vec::new() }]
                }
                _ => vec![FieldValue::from(&**raw)],
            },
            Yaml::Flag(flag) => vec![FieldValue { value: Value::Flag(*flag), links: Vec::new() }],
            // YAML reads `[[Name]]` without quotes as a list in a list.
            Yaml::List(items) => match &items[..] {
                [Node { value: Yaml::List(inner), .. }] if inner.len() == 1 => {
                    let name = inner.first().and_then(Node::text).unwrap_or_default();
                    self.parse_value(&format!("[[{name}]]")).into_iter().collect()
                }
                [single] if single.text().is_some() && items.len() == 1 => {
                    // YAML reads the item `- [[Name]]` of a list in the same way.
                    self.parse_value(&format!("[[{}]]", single.text().unwrap_or_default())).into_iter().collect()
                }
                items => items.iter().flat_map(|item| self.values_of(item)).collect(),
            },
            _ => Vec::new(),
        }
    }

    fn parse_value(&self, text: &str) -> Option<FieldValue> {
        parse_value(text, self.names)
    }

    fn add_field(
        &mut self,
        path: &[&str],
        values: Vec<FieldValue>,
        span: &Range<usize>,
        visibility: Visibility,
        is_mixed: bool,
    ) {
        if values.is_empty() {
            return;
        }
        let name = path.last().copied().unwrap_or_default().to_owned();
        let texts: Vec<String> = values.iter().map(|field_value| field_value.value.to_string()).collect();
        let mut origin = self.field_origin(path.join("/"), span.clone());
        if path.len() > 1 || is_mixed {
            // The text around the value may be secret, so the quote contains nothing but the value.
            origin.quote = quote(&format!("{name}: {}", texts.join(", "))).into();
        }
        push_field(&mut self.front.fields, Field { name, values, origin, visibility, certainty: Certainty::Explicit });
    }

    /// Reads lines such as `key: value` and `- value` of front matter that is not valid YAML.
    fn read_line_by_line(&mut self, source: &str) {
        let mut key = "";
        for (number, line) in (1..).zip(source.lines()) {
            let span = self.line_span(number, Some(number + 1));
            let value = match line.trim_start().strip_prefix("- ") {
                Some(item) => item,
                None if line.starts_with([' ', '\t']) => continue,
                None => {
                    let Some((name, value)) = line.split_once(':') else { continue };
                    key = name.trim();
                    value
                }
            };
            let value = value.trim().trim_matches(['"', '\'']);
            if key.is_empty() || value.is_empty() {
                continue;
            }
            let visibility = if secret::is_secret(key) { Visibility::SECRET } else { Visibility::Unmarked };
            // `[[A]], [[B]]` are several links, `[a, b]` is a list.
            let list =
                value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).filter(|_| !value.starts_with("[["));
            let field_values: Vec<FieldValue> = match list {
                Some(list) => {
                    list.split(',').filter_map(|item| self.parse_value(item.trim().trim_matches(['"', '\'']))).collect()
                }
                None => self.parse_value(value).into_iter().collect(),
            };
            self.add_field(&[key], field_values, &span, visibility, false);
        }
    }
}

/// Returns whether a field of this name contains relations of any type.
fn is_relation_field(name: &str) -> bool {
    matches!(lexicon::meaning(name), Meaning::Relation(says) if PredicateRole::Related.is(&says.predicate))
}

/// Returns whether a key of a Foundry document contains rules of the game instead of facts about the game world.
fn is_machine_key(name: &str) -> bool {
    ["effects", "items", "prototypeToken", "flags", "ownership", "document", "token", "statblock", "folders", "grid"]
        .contains(&name)
}

/// Adds a field. If a value contains other words besides its links, the relations of the field become proposals.
pub(super) fn push_field(fields: &mut Vec<Field>, mut field: Field) {
    let is_prose = |field_value: &FieldValue| {
        !field_value.links.is_empty() && contains_prose(&field_value.value.to_string(), &field_value.links)
    };
    let (inferred, explicit): (Vec<_>, Vec<_>) = std::mem::take(&mut field.values).into_iter().partition(is_prose);
    if !inferred.is_empty() {
        fields.push(Field { values: inferred, certainty: Certainty::Inferred, ..field.clone() });
    }
    if !explicit.is_empty() {
        fields.push(Field { values: explicit, ..field });
    }
}

/// Returns whether a value contains other words besides its links, such as `the former captain of [[The Gull]]`.
fn contains_prose(text: &str, links: &[LinkTarget]) -> bool {
    let word_count = hearsay_model::text::words(text).len();
    // The visible text of a link is its name, or a label with a similar number of words.
    let linked_words: usize = links
        .iter()
        .map(|link| match link {
            LinkTarget::Name(name) | LinkTarget::Key(name) => hearsay_model::text::words(name).len(),
        })
        .sum();
    let bracketed_words = text
        .split_once('(')
        .map_or(0, |(_, rest)| hearsay_model::text::words(rest.split(')').next().unwrap_or_default()).len());
    word_count > linked_words + bracketed_words + links.len() + 1 || has_words_before_link(text, links)
}

/// Returns whether words come before the first link: `revenge on [[the Guild]]`, `near [[Gull Bay]]`.
fn has_words_before_link(text: &str, links: &[LinkTarget]) -> bool {
    let Some(LinkTarget::Name(name)) = links.first() else { return false };
    let name = name.split('#').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let Some(at) = text.find(name).filter(|_| !name.is_empty()) else { return false };
    hearsay_model::text::words(&text[..at]).iter().any(|word| !ENGLISH.words.function_words.link.contains(word))
}

/// Returns a value with its links. Returns `None` if the value is empty.
pub(super) fn parse_value(text: &str, names: &NoteNames) -> Option<FieldValue> {
    let public_text = crate::import::markup::without_secrets(text);
    let text = public_text.trim();
    // The value is empty, or an unfilled prompt of a template.
    if text.is_empty() || text.starts_with("<%") || text.starts_with("{{") || text == "-" {
        return None;
    }
    let inline_links = names.find_links(text);
    let (mut plain_text, mut links, mut at) = (String::new(), Vec::new(), 0);
    for link in inline_links {
        plain_text.push_str(text.get(at..link.range.start).unwrap_or_default());
        plain_text.push_str(&link.label);
        at = link.range.end;
        links.extend(link.target);
    }
    plain_text.push_str(text.get(at..).unwrap_or_default());
    let plain_text = if plain_text.contains(['<', '&']) {
        crate::import::markup::html_to_text(&plain_text)
    } else {
        plain_text.trim().to_owned()
    };
    (!plain_text.is_empty()).then(|| FieldValue { value: plain_text.into(), links })
}

/// Returns whether a map has a field that marks the map as secret.
pub(super) fn is_marked_secret(node: &Node) -> bool {
    let Yaml::Map(entries) = &node.value else { return false };
    // Many authors write `yes`, which strict YAML reads as text.
    let is_yes = |value: &Node| match &value.value {
        Yaml::Flag(flag) => *flag,
        Yaml::Number(number, _) => *number != 0.0,
        Yaml::Text(text) => !["no", "false", "off", "n", ""].contains(&text.trim().to_lowercase().as_str()),
        _ => false,
    };
    entries.iter().any(|(key, value)| secret::is_secret(&key.text) && is_yes(value))
}

/// Formats a date that is given in parts as one text: `1492-Hammer-3`.
fn join_date_parts(node: &Node) -> String {
    let part = |key: &str| match node.get(key).map(|node| &node.value) {
        Some(Yaml::Text(text)) => Some(text.trim().to_owned()),
        Some(Yaml::Number(_, raw)) => Some(raw.to_string()),
        _ => None,
    };
    let parts = [part("year").or(Some("*".to_owned())), part("month"), part("day")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
}

/// Formats the name of a field as a heading: `dm_notes` becomes `Dm notes`.
fn to_heading(name: &str) -> String {
    hearsay_model::words::upper_first(&name.replace(['_', '-'], " "))
}
