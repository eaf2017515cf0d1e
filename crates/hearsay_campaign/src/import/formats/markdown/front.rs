//! Front matter: the YAML at the beginning of a file. Valid YAML is parsed strictly, invalid YAML line by line.

use std::ops::Range;

use hearsay_model::{Number, PredicateRole, Value};

use super::{links::Names, source::split};
use crate::{
    Limits,
    alias::AliasBytes,
    error::Faults,
    import::{
        Field, Link, Origin, Piece, Relation, Sure, Target, Text, Visibility,
        english::ENGLISH,
        lexicon::{self, Meaning},
        quote, secret,
    },
    yaml::{self, Key, Node, Yaml},
};

/// Returns the limits for front matter of `bytes` bytes. Its aliases may copy at most 4 KiB plus eight times its size.
fn limits_of_part(bytes: usize) -> Limits {
    Limits { alias_bytes: (4 << 10) + 8 * bytes as u64, ..Limits::default() }
}

/// The content of the front matter of a note.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) fields: Vec<Field>,
    /// Relations that are written as mappings: `{target: "[[Bob]]", type: rival}`.
    pub(super) links: Vec<Link>,
    /// Values that are passages of text, and not fields.
    pub(super) scenes: Vec<Scene>,
    /// The byte position at which the text after the front matter starts.
    pub(super) body: usize,
    /// The line and the description of an error, if the front matter is not valid YAML.
    pub(super) fault: Option<(u32, String)>,
}

/// A passage of text in the front matter.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) headings: Vec<String>,
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) visibility: Visibility,
}

/// Reads the front matter.
pub(super) fn read(text: &Text, names: &Names) -> Front {
    let content = &text.content;
    let Some((range, body)) = split(content) else { return Front::default() };
    let (offset, source) = (range.start, content.get(range).unwrap_or_default());
    let front = Front { body, ..Front::default() };
    let mut reading =
        Reading { text, names, offset, lines: line_starts(source), length: source.len(), front, origin: None };
    let mut faults = Faults::new(1);
    faults.files.push(String::new());
    match yaml::parse(source.as_bytes(), 0, &limits_of_part(source.len()), &AliasBytes::default(), &mut faults) {
        Some(Node { value: Yaml::Map(entries), .. }) => {
            for (number, (key, node)) in entries.iter().enumerate() {
                let next = entries.get(number + 1).map(|(key, _)| key.at.line);
                let span = reading.span(key.at.line, next);
                reading.node(&[&key.text], node, &span, &Visibility::Unmarked, 0);
            }
        }
        Some(_) => {}
        None if faults.found_none() => {}
        None => {
            if let Err(errors) = faults.finish()
                && let Some(error) = errors.errors.first()
            {
                reading.front.fault = Some((error.line + 1, error.message.clone()));
            }
            reading.leniently(source);
        }
    }
    reading.front
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct Reading<'a> {
    text: &'a Text,
    names: &'a Names,
    /// The start of the front matter in the file, in bytes.
    offset: usize,
    lines: Vec<usize>,
    length: usize,
    front: Front,
    /// The byte range that was converted last, and its origin.
    origin: Option<(Range<usize>, Origin)>,
}

/// Maximum length of a field value, in bytes. A longer value, or a value with several paragraphs, is a passage.
const LONGEST_VALUE: usize = 240;

impl Reading<'_> {
    /// Returns the origin of a field. Many fields may have the same range in the file, so the last origin is cached.
    fn origin(&mut self, field: String, span: Range<usize>) -> Origin {
        let held = match self.origin.take() {
            Some((held, origin)) if held == span => origin,
            _ => self.text.origin("", span.clone()),
        };
        let origin = Origin { field: field.into(), ..held.clone() };
        self.origin = Some((span, held));
        origin
    }

    /// Returns the bytes from the start of one line to the start of another.
    fn span(&self, line: u32, next: Option<u32>) -> Range<usize> {
        let start_of = |line: u32| self.lines.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.length);
        let (start, end) = (start_of(line), next.map_or(self.length, start_of));
        let source = self.text.content.get(self.offset + start..self.offset + end).unwrap_or_default();
        self.offset + start..self.offset + start + source.trim_end().len()
    }

    fn node(&mut self, path: &[&str], node: &Node, span: &Range<usize>, outer: &Visibility, depth: usize) {
        let name = path.last().copied().unwrap_or_default();
        let hidden = secret::is_secret(name);
        let visibility = if hidden { Visibility::SECRET.within(outer) } else { outer.clone() };
        match &node.value {
            Yaml::Null => {}
            Yaml::List(items)
                if depth == 0 && machinery(name) && items.iter().any(|item| matches!(item.value, Yaml::Map(_))) => {}
            Yaml::Map(_) if depth == 0 && machinery(name) => {}
            Yaml::List(items) => {
                let mut pieces = Vec::new();
                for item in items {
                    match &item.value {
                        Yaml::Map(_) if item.get("content").or(item.get("text")).is_some() => {
                            self.scene(path, item, span, &visibility);
                        }
                        Yaml::Map(_) if self.relation(path, item, span, &visibility) => {}
                        Yaml::Map(_) if depth < 3 => self.node(path, item, span, &visibility, depth + 1),
                        _ => pieces.extend(self.pieces(item)),
                    }
                }
                let mixed = items.iter().any(|item| matches!(item.value, Yaml::Map(_)));
                self.push(path, pieces, span, visibility, mixed);
            }
            Yaml::Map(_) if depth > 0 && self.relation(path, node, span, &visibility) => {}
            Yaml::Map(entries) => {
                if relates(name) && self.by_name(path, entries, span, &visibility) {
                    return;
                }
                if node.get("content").is_some() && node.get("title").is_some() {
                    return self.scene(path, node, span, &visibility);
                }
                // A map with the parts of a date is one value.
                if node.get("year").is_some() || node.get("month").is_some() && node.get("day").is_some() {
                    let pieces = vec![Piece { value: date_of(node).into(), links: Vec::new() }];
                    return self.push(path, pieces, span, visibility, true);
                }
                // Metadata for programs is ignored, except for `system/type`, which marks player characters.
                let inner = |key: &&(Key, Node)| match name {
                    "system" => &*key.0.text == "type" && key.1.text().is_some(),
                    _ => depth < 3,
                };
                if name != "system" && lexicon::meaning(name) == Meaning::Nothing && depth == 0 {
                    return;
                }
                for (key, value) in entries.iter().filter(inner) {
                    let path: Vec<&str> = path.iter().copied().chain([&*key.text]).collect();
                    self.node(&path, value, span, &visibility, depth + 1);
                }
            }
            // A value that contains a secret is a passage too.
            Yaml::Text(text)
                if text.len() > LONGEST_VALUE
                    || text.trim().contains('\n')
                    || !crate::import::markup::secret_ranges(text).is_empty() =>
            {
                let (text, headings) = (text.to_string(), vec![spoken(name)]);
                self.front.scenes.push(Scene { headings, text, span: span.clone(), visibility });
            }
            _ => {
                let pieces = self.pieces(node);
                let attribute = matches!(lexicon::meaning(name), Meaning::Attribute(_));
                let linked = |piece: &Piece| !piece.links.is_empty() && prose(&piece.value.to_string(), &piece.links);
                if let Some(text) = node.text().filter(|_| attribute && pieces.iter().any(linked)) {
                    let (text, headings) = (text.to_owned(), vec![spoken(name)]);
                    self.front.scenes.push(Scene { headings, text, span: span.clone(), visibility });
                    return;
                }
                self.push(path, pieces, span, visibility, depth > 0);
            }
        }
    }

    /// Adds the relation that a map such as `{target: "[[Bob]]", type: rival, attitude: -40}` states. Returns `false`
    /// if the map states no relation.
    fn relation(&mut self, path: &[&str], node: &Node, span: &Range<usize>, outer: &Visibility) -> bool {
        const TARGETS: [&str; 9] = ["target", "who", "with", "character", "entity", "to", "person", "npc", "name"];
        const WORDS: [&str; 6] = ["type", "relation", "relationship", "role", "kind", "as"];
        let find =
            |keys: &[&str]| keys.iter().find_map(|key| node.get(key).filter(|node| !self.pieces(node).is_empty()));
        let (Some(target), Some(words)) = (find(&TARGETS), find(&WORDS)) else { return false };
        let name = path.last().copied().unwrap_or_default();
        let pieces = self.pieces(target);
        let named = pieces.iter().flat_map(|piece| piece.links.clone()).next();
        // If the field is for relations, a name without brackets is a target.
        let plain = || pieces.first().map(|piece| Target::Name(piece.value.to_string())).filter(|_| relates(name));
        let Some(target) = named.or_else(plain) else { return false };
        let text = |key: &str| self.pieces_at(node, key).first().map(|piece| piece.value.to_string());
        let hidden = flagged(node) || secret::is_secret(&text("visibility").unwrap_or_default());
        let words = self.pieces(words).first().map(|piece| piece.value.to_string()).unwrap_or_default();
        // In a list of members, a role is a rank. In any other place, a role is the relation between the two entities.
        let listed =
            matches!(lexicon::meaning(name), Meaning::Relation(says) if !PredicateRole::Related.is(&says.predicate));
        let (words, role) = if listed { (name.to_owned(), Some(words)) } else { (words, None) };
        let said = format!(
            "{}: {}",
            role.as_ref().unwrap_or(&words),
            pieces.first().map(|piece| piece.value.to_string()).unwrap_or_default()
        );
        let relation = Relation {
            attitude: text("attitude").and_then(|text| text.trim().parse().ok()),
            rank: text("rank").or(role.clone()),
            since: text("since"),
            until: text("until"),
            ..Relation::typed(words)
        };
        let visibility = if hidden { Visibility::SECRET.within(outer) } else { outer.clone() };
        let mut origin = self.origin(path.join("/"), span.clone());
        origin.quote = quote(&said).into();
        self.front.links.push(Link { target, label: None, relation: Some(relation), origin, visibility });
        true
    }

    fn pieces_at(&self, node: &Node, key: &str) -> Vec<Piece> {
        node.get(key).map_or_else(Vec::new, |node| self.pieces(node))
    }

    /// Adds the relations that a map such as `relationships: {Bob: rival, "[[Eve]]": sister}` states. Returns `false`
    /// if the map does not have this form.
    fn by_name(
        &mut self,
        path: &[&str],
        entries: &[(Key, Node)],
        span: &Range<usize>,
        visibility: &Visibility,
    ) -> bool {
        let by_name = entries.iter().all(|(key, value)| {
            let short = value.text().is_some_and(|text| !text.contains("[[") && text.split_whitespace().count() <= 5);
            short && !lexicon::is_known(&key.text)
        });
        if !by_name || entries.is_empty() {
            return false;
        }
        for (key, value) in entries {
            let target = self.piece(&key.text).and_then(|piece| piece.links.into_iter().next());
            let target = target.unwrap_or_else(|| Target::Name(key.text.to_string()));
            let relation = Some(Relation::typed(value.text().unwrap_or_default()));
            let mut origin = self.origin(format!("{}/{}", path.join("/"), key.text), span.clone());
            origin.quote = quote(&format!("{}: {}", key.text, value.text().unwrap_or_default())).into();
            self.front.links.push(Link { target, label: None, relation, origin, visibility: visibility.clone() });
        }
        true
    }

    /// Adds the passage in a map `{title, content}`.
    fn scene(&mut self, path: &[&str], node: &Node, span: &Range<usize>, outer: &Visibility) {
        let text = |key: &str| node.get(key).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty());
        let title = text("title").or(text("name"));
        let Some(content) = text("content").or(text("text")) else { return };
        let hidden = title.is_some_and(secret::is_secret) || flagged(node);
        let visibility = if hidden { Visibility::SECRET.within(outer) } else { outer.clone() };
        let headings = [Some(spoken(path.last().copied().unwrap_or_default())), title.map(str::to_owned)];
        let headings = headings.into_iter().flatten().filter(|heading| !heading.is_empty()).collect();
        self.front.scenes.push(Scene { headings, text: content.to_owned(), span: span.clone(), visibility });
    }

    fn pieces(&self, node: &Node) -> Vec<Piece> {
        match &node.value {
            Yaml::Text(text) => self.piece(text).into_iter().collect(),
            Yaml::Number(number, written) => match Number::new(*number) {
                // Values such as `007` and `1.0.2` are not meant as numbers.
                Ok(number) if number.get().to_string() == **written => {
                    vec![Piece { value: Value::Number(number), links: Vec::new() }]
                }
                _ => vec![Piece::from(&**written)],
            },
            Yaml::Flag(flag) => vec![Piece { value: Value::Flag(*flag), links: Vec::new() }],
            // YAML reads `[[Name]]` without quotes as a list in a list.
            Yaml::List(items) => match &items[..] {
                [Node { value: Yaml::List(inner), .. }] if inner.len() == 1 => {
                    let name = inner.first().and_then(Node::text).unwrap_or_default();
                    self.piece(&format!("[[{name}]]")).into_iter().collect()
                }
                [one] if one.text().is_some() && items.len() == 1 => {
                    // YAML reads the item `- [[Name]]` of a list in the same way.
                    self.piece(&format!("[[{}]]", one.text().unwrap_or_default())).into_iter().collect()
                }
                items => items.iter().flat_map(|item| self.pieces(item)).collect(),
            },
            _ => Vec::new(),
        }
    }

    fn piece(&self, text: &str) -> Option<Piece> {
        piece(text, self.names)
    }

    fn push(&mut self, path: &[&str], values: Vec<Piece>, span: &Range<usize>, visibility: Visibility, mixed: bool) {
        if values.is_empty() {
            return;
        }
        let name = path.last().copied().unwrap_or_default().to_owned();
        let shown: Vec<String> = values.iter().map(|piece| piece.value.to_string()).collect();
        let mut origin = self.origin(path.join("/"), span.clone());
        if path.len() > 1 || mixed {
            // The text around the value may be secret, so the quote contains nothing but the value.
            origin.quote = quote(&format!("{name}: {}", shown.join(", "))).into();
        }
        push_field(&mut self.front.fields, Field { name, values, origin, visibility, sure: Sure::Typed });
    }

    /// Reads lines such as `key: value` and `- value` of front matter that is not valid YAML.
    fn leniently(&mut self, source: &str) {
        let mut key = "";
        for (number, line) in (1..).zip(source.lines()) {
            let span = self.span(number, Some(number + 1));
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
            let hidden = if secret::is_secret(key) { Visibility::SECRET } else { Visibility::Unmarked };
            // `[[A]], [[B]]` are several links, `[a, b]` is a list.
            let list =
                value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).filter(|_| !value.starts_with("[["));
            let pieces: Vec<Piece> = match list {
                Some(list) => {
                    list.split(',').filter_map(|item| self.piece(item.trim().trim_matches(['"', '\'']))).collect()
                }
                None => self.piece(value).into_iter().collect(),
            };
            self.push(&[key], pieces, &span, hidden, false);
        }
    }
}

/// Returns whether a field of this name contains relations of any type.
fn relates(name: &str) -> bool {
    matches!(lexicon::meaning(name), Meaning::Relation(says) if PredicateRole::Related.is(&says.predicate))
}

/// Returns whether a key of a Foundry document contains rules of the game instead of facts about the game world.
fn machinery(name: &str) -> bool {
    ["effects", "items", "prototypeToken", "flags", "ownership", "document", "token", "statblock", "folders", "grid"]
        .contains(&name)
}

/// Adds a field. Relations from values that contain prose besides their links are proposals.
pub(super) fn push_field(fields: &mut Vec<Field>, mut field: Field) {
    let is_prose = |piece: &Piece| !piece.links.is_empty() && prose(&piece.value.to_string(), &piece.links);
    let (guessed, typed): (Vec<_>, Vec<_>) = std::mem::take(&mut field.values).into_iter().partition(is_prose);
    if !guessed.is_empty() {
        fields.push(Field { values: guessed, sure: Sure::Guessed, ..field.clone() });
    }
    if !typed.is_empty() {
        fields.push(Field { values: typed, ..field });
    }
}

/// Returns whether a value contains prose besides its links: `the former captain of [[The Gull]]`.
fn prose(shown: &str, links: &[Target]) -> bool {
    let words = hearsay_model::text::words(shown).len();
    // The visible text of a link is its name, or a label with a similar number of words.
    let linked: usize = links
        .iter()
        .map(|link| match link {
            Target::Name(name) | Target::Key(name) => hearsay_model::text::words(name).len(),
        })
        .sum();
    let bracketed = shown
        .split_once('(')
        .map_or(0, |(_, rest)| hearsay_model::text::words(rest.split(')').next().unwrap_or_default()).len());
    words > linked + bracketed + links.len() + 1 || is_led_up_to(shown, links)
}

/// Returns whether words come before the first link: `revenge on [[the Guild]]`, `near [[Gull Bay]]`.
fn is_led_up_to(shown: &str, links: &[Target]) -> bool {
    let Some(Target::Name(name)) = links.first() else { return false };
    let name = name.split('#').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let Some(at) = shown.find(name).filter(|_| !name.is_empty()) else { return false };
    hearsay_model::text::words(&shown[..at]).iter().any(|word| !ENGLISH.words.function_words.link.contains(word))
}

/// Returns a value with its links. Returns `None` if the value is empty.
pub(super) fn piece(text: &str, names: &Names) -> Option<Piece> {
    let open = crate::import::markup::without_secrets(text);
    let text = open.trim();
    // The value is empty, or an unfilled prompt of a template.
    if text.is_empty() || text.starts_with("<%") || text.starts_with("{{") || text == "-" {
        return None;
    }
    let found = names.find(text);
    let (mut shown, mut links, mut at) = (String::new(), Vec::new(), 0);
    for link in found {
        shown.push_str(text.get(at..link.range.start).unwrap_or_default());
        shown.push_str(&link.label);
        at = link.range.end;
        links.extend(link.target);
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    let shown =
        if shown.contains(['<', '&']) { crate::import::markup::html_to_text(&shown) } else { shown.trim().to_owned() };
    (!shown.is_empty()).then(|| Piece { value: shown.into(), links })
}

/// Returns whether a map has a field that marks the map as secret.
pub(super) fn flagged(node: &Node) -> bool {
    let Yaml::Map(entries) = &node.value else { return false };
    // Many authors write `yes`, which strict YAML reads as text.
    let yes = |value: &Node| match &value.value {
        Yaml::Flag(flag) => *flag,
        Yaml::Number(number, _) => *number != 0.0,
        Yaml::Text(text) => !["no", "false", "off", "n", ""].contains(&text.trim().to_lowercase().as_str()),
        _ => false,
    };
    entries.iter().any(|(key, value)| secret::is_secret(&key.text) && yes(value))
}

/// Formats a date that is given in parts as one text: `1492-Hammer-3`.
fn date_of(node: &Node) -> String {
    let part = |key: &str| match node.get(key).map(|node| &node.value) {
        Some(Yaml::Text(text)) => Some(text.trim().to_owned()),
        Some(Yaml::Number(_, written)) => Some(written.to_string()),
        _ => None,
    };
    let parts = [part("year").or(Some("*".to_owned())), part("month"), part("day")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
}

/// Formats the name of a field as a heading: `dm_notes` becomes `Dm notes`.
fn spoken(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
