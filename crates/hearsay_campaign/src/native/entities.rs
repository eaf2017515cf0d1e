//! Entities: names, kind, description, places, attributes, relations, facts and secrets.

use hearsay_model::{
    Credence, EntityId, Kind, Knower, Object, Passage, Predicate, PredicateRole, Secrecy, attribute, text,
};

use super::{
    drafts::Context,
    fields::{Fields, nth},
    names::{is_nobody, kind_of},
    reader::CampaignReader,
};
use crate::{
    campaign::{Learned, Reach, Text},
    keys,
    yaml::{Node, Yaml},
};

impl CampaignReader {
    pub(super) fn entity(&mut self, id: &EntityId, node: &Node) {
        let Some(f) = self.fields(node, &format!("entities/{id}"), &keys::ENTITY) else { return };
        let first = self.facts.len();
        if let Some(name) = self.needed(&f, "name", "an entity") {
            let at = f.get("name").map_or(f.at, |node| node.at);
            self.plain(at, &f.below("name"), id, attribute::NAME, Object::Value(name.trim().into()));
        }
        let kind = self.kind(&f, id);
        self.aliases(&f, id);
        self.description(&f, id);
        let named = first..self.facts.len();
        self.whereabouts(&f, id, &kind);
        for key in ["attributes", "properties"] {
            if let Some(node) = f.get(key)
                && let Some(map) = self.any_fields(node, &f.below(key), "the attributes")
            {
                for (key, node) in map.entries() {
                    self.attribute(id, &key.text, node, &map.below(&key.text));
                }
            }
        }
        for key in ["personality", "behavior_rules"] {
            if let Some(node) = f.get(key) {
                self.attribute(id, key, node, &f.below(key));
            }
        }
        for (n, tag) in self.list(&f, "tags").iter().enumerate() {
            let path = nth(&f.below("tags"), n);
            if let Some(tag) = self.value(tag, &path) {
                self.plain(f.at, &path, id, attribute::TAG, Object::Value(tag));
            }
        }
        self.scope(&f, id);
        let context = Context::about(Some(id));
        for f in self.maps(&f, "relationships", &keys::RELATIONSHIP) {
            self.entry(&f, &context);
        }
        for f in self.maps(&f, "facts", &keys::ENTITY_FACT) {
            self.entry(&f, &context);
        }
        let secret = Context { bearer: Some(id.clone()), ..context };
        for f in self.maps(&f, "secrets", &keys::ENTITY_FACT) {
            self.entry(&f, &secret);
        }
        for (n, item) in self.one_or_many(&f, "secret_knowledge").iter().enumerate() {
            let path = nth(&f.below("secret_knowledge"), n);
            if let Some(text) = self.text_of(item, &path) {
                let lore = Object::Value(text.trim().into());
                if let Some(number) = self.plain(item.at, &path, id, attribute::LORE, lore) {
                    self.hide(number, id);
                }
            }
        }
        self.visibility(&f, named, id);
    }

    fn kind(&mut self, f: &Fields, id: &EntityId) -> Kind {
        let key = if f.get("type").is_some() { "type" } else { "kind" };
        if f.get("kind").is_some() && f.get("type").is_some() {
            self.faults.add(
                f.at,
                &f.path,
                "the entity has both `kind` and `type`",
                "keep `kind`; both have the same meaning",
            );
        }
        let Some(written) = self.needed(f, key, "an entity").filter(|word| !hearsay_model::slug(word).is_empty())
        else {
            return Kind::Custom("unknown".into());
        };
        let at = f.get(key).map_or(f.at, |node| node.at);
        let kind = kind_of(written);
        if let Kind::Custom(word) = &kind {
            let near = keys::nearest(word, Kind::BUILT_IN.iter().map(Kind::as_str));
            if let Some(near) = near.filter(|near| strsim::damerau_levenshtein(near, word) < 3) {
                self.faults.warn(
                    at,
                    format!("`{word}` is not a known kind, and is added as a new one. Did you mean `{near}`?"),
                );
            }
        }
        self.plain(at, &f.below(key), id, attribute::KIND, Object::Value(kind.as_str().into()));
        kind
    }

    fn aliases(&mut self, f: &Fields, id: &EntityId) {
        for (n, node) in self.list(f, "aliases").iter().enumerate() {
            let path = nth(&f.below("aliases"), n);
            let Yaml::Map(_) = node.value else {
                if let Some(name) = self.text_of(node, &path) {
                    self.plain(node.at, &path, id, attribute::ALIAS, Object::Value(name.trim().into()));
                }
                continue;
            };
            let Some(f) = self.fields(node, &path, &keys::ALIAS) else { continue };
            let Some(name) = self.needed(&f, "name", "an alias") else { continue };
            // A secret name is a secret of the entity that has the name.
            let secret = f.get("secret").is_some_and(|node| node.value == Yaml::Flag(true));
            let context = Context { bearer: secret.then(|| id.clone()), ..Context::about(Some(id)) };
            let marks = self.marks(&f, &context);
            let Ok(alias) = Predicate::new(attribute::ALIAS) else { continue };
            self.say(f.at, &f.path, &context, id.clone(), alias, Object::Value(name.trim().into()), marks);
        }
    }

    /// Reads the description of an entity. Each paragraph becomes a fact.
    fn description(&mut self, f: &Fields, id: &EntityId) {
        let Some(text) = self.text(f, "description") else { return };
        let at = f.get("description").map_or(f.at, |node| node.at);
        for (n, paragraph) in paragraphs(text).into_iter().enumerate() {
            let path = if n == 0 { f.below("description") } else { nth(&f.below("description"), n) };
            self.plain(at, &path, id, attribute::DESCRIPTION, Object::Value(paragraph.into()));
        }
    }

    fn whereabouts(&mut self, f: &Fields, id: &EntityId, kind: &Kind) {
        let location = self.place(f, "location");
        let home = match f.get("home") {
            Some(_) => self.place(f, "home"),
            None => location.clone().filter(|_| kind.is_character()),
        };
        let part_of = self.refer(f, "part_of");
        let places = [
            ("home", PredicateRole::Residence.name(), home),
            ("location", PredicateRole::Location.name(), location),
            ("part_of", PredicateRole::Part.name(), part_of),
        ];
        for (key, name, place) in places {
            if let Some(place) = place {
                let at = f.get(key).or(f.get("location")).map_or(f.at, |node| node.at);
                self.plain(at, &f.below(key), id, name, Object::Entity(place));
            }
        }
    }

    /// Reads a reference to a place, which may also be `none`.
    fn place(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        let nowhere =
            f.get(key).and_then(Node::text).is_some_and(|text| is_nobody(text) && !self.is_known(text.trim()));
        if nowhere { None } else { self.refer(f, key) }
    }

    /// Reads one attribute. It has a single value, a list of values, or a mapping with a value and marks.
    fn attribute(&mut self, id: &EntityId, name: &str, node: &Node, path: &str) {
        if node.is_null() {
            return;
        }
        if ["name", "kind"].contains(&name) {
            let hint = format!("move `{name}` from `attributes` to the entity");
            return self.faults.add(
                node.at,
                path,
                format!("`{name}` is a field of the entity, not an attribute"),
                hint,
            );
        }
        let Some(predicate) = self.attribute_name(name, node.at, path) else { return };
        match &node.value {
            // The order of ranks matters, so a list of ranks is one value.
            Yaml::List(items) if predicate == *attribute::RANKS => {
                let ranks = items.iter().enumerate().filter_map(|(n, item)| self.text_of(item, &nth(path, n)));
                let ranks: Vec<&str> = ranks.collect();
                if !ranks.is_empty() {
                    self.plain(node.at, path, id, predicate.as_str(), Object::Value(ranks.join(", ").into()));
                }
            }
            Yaml::List(items) => {
                for (n, item) in items.iter().enumerate().filter(|(_, item)| !item.is_null()) {
                    self.attribute_value(id, &predicate, item, &nth(path, n));
                }
            }
            _ => self.attribute_value(id, &predicate, node, path),
        }
    }

    fn attribute_value(&mut self, id: &EntityId, predicate: &Predicate, node: &Node, path: &str) {
        if let Yaml::Map(_) = node.value {
            if node.get("content").is_some() {
                return self.scene(id, node, path);
            }
            let Some(f) = self.fields(node, path, &keys::ATTRIBUTE) else { return };
            if f.get("value").is_none() {
                return self.faults.add(f.at, path, "the attribute has no value", "add `value: …`");
            }
            let context = Context::about(Some(id));
            let marks = self.marks(&f, &context);
            for node in self.one_or_many(&f, "value") {
                if let Some(value) = self.value(node, &f.below("value")) {
                    let (predicate, object) = (predicate.clone(), Object::Value(value));
                    self.say(node.at, path, &context, id.clone(), predicate, object, marks.clone());
                }
            }
        } else if let Some(value) = self.value(node, path) {
            self.plain(node.at, path, id, predicate.as_str(), Object::Value(value));
        }
    }

    /// Reads an attribute with `title` and `content`. The paragraphs of the content become passages about the entity.
    fn scene(&mut self, id: &EntityId, node: &Node, path: &str) {
        let Some(f) = self.fields(node, path, &keys::SCENE) else { return };
        let (title, content) = (self.owned(&f, "title"), self.owned(&f, "content"));
        for paragraph in content.iter().flat_map(|content| paragraphs(content)) {
            let mut passage = Passage::new(paragraph.as_str());
            passage.title.clone_from(&title);
            passage.mentions = self.mentions(&paragraph, std::iter::once(id.clone()));
            passage.evidence.push(self.evidence(f.at, path));
            self.passages.push(Text { passage, reach: Reach::Rules, subject: Some(id.clone()), facts: Vec::new() });
        }
    }

    /// Reads the `knowledge_scope` of an NPC, a key of other tools. An entry that names an entity becomes a relation.
    /// Any other entry becomes an attribute.
    fn scope(&mut self, f: &Fields, id: &EntityId) {
        for (n, node) in self.one_or_many(f, "knowledge_scope").iter().enumerate() {
            let path = nth(&f.below("knowledge_scope"), n);
            let Some(text) = self.text_of(node, &path) else { continue };
            if self.is_known(text.trim()) {
                if let Some(about) = self.reference(node, &path) {
                    self.plain(node.at, &path, id, PredicateRole::Awareness.name(), Object::Entity(about));
                }
            } else if let Some(number) =
                self.plain(node.at, &path, id, "knowledge_scope", Object::Value(text.trim().into()))
            {
                self.facts[number].reach = Reach::Only(hearsay_model::Audience::Private);
            }
        }
    }

    /// Reads the `visibility` of an entity, a key of other tools. If the visibility contains the names of knowers, the
    /// facts about the entity that have no mark of their own are known only to these knowers and to the entity itself.
    /// `gm` adds no knower, and makes the description a secret. `public` makes the name, kind and description common.
    fn visibility(&mut self, f: &Fields, named: std::ops::Range<usize>, id: &EntityId) {
        let (mut seen_by, mut hidden, mut public) = (Vec::new(), false, false);
        for (n, node) in self.one_or_many(f, "visibility").iter().enumerate() {
            let path = nth(&f.below("visibility"), n);
            let Some(text) = self.text_of(node, &path) else { continue };
            match text::normalize(text).as_str() {
                "gm" | "dm" | "hidden" | "secret" | "private" => hidden = true,
                "all" | "public" | "everyone" | "players" => public = true,
                _ => seen_by.extend(self.knower(node, &path)),
            }
        }
        let open = named.filter(|number| self.facts[*number].fact.secrecy() != Secrecy::Secret).collect::<Vec<_>>();
        if public {
            for number in open {
                self.facts[number].reach = Reach::Only(hearsay_model::Audience::Common);
            }
        } else if hidden || !seen_by.is_empty() {
            for number in open {
                if hidden && *self.facts[number].fact.predicate() == *attribute::DESCRIPTION {
                    self.hide(number, id);
                }
            }
            seen_by.extend(self.index.kind(id).filter(|kind| kind.can_know()).map(|_| Knower::Entity(id.clone())));
            seen_by.sort();
            seen_by.dedup();
            self.seen_by.insert(id.clone(), seen_by);
        }
    }

    /// Applies the restricted visibility of entities: only the named knowers of such an entity know the facts and
    /// passages about it. Facts that have a mark of their own do not change.
    pub(super) fn keep_unseen(&mut self) {
        let seen_by = |about: &mut dyn Iterator<Item = &EntityId>| {
            about.filter_map(|id| self.seen_by.get(id)).cloned().reduce(|mut one, other| {
                one.retain(|knower| other.contains(knower));
                one
            })
        };
        for stated in self.facts.iter_mut().filter(|stated| matches!(stated.reach, Reach::Rules)) {
            let fact = &stated.fact;
            if let Some(knowers) = seen_by(&mut std::iter::once(fact.subject()).chain(fact.object().entity())) {
                stated.reach = Reach::Named;
                let learned = knowers.into_iter().map(|knower| Learned::authored(knower, Credence::FULL, false));
                stated.learned.extend(learned);
            }
        }
        for text in self.passages.iter_mut().filter(|text| matches!(text.reach, Reach::Rules)) {
            if let Some(knowers) = seen_by(&mut text.subject.iter()) {
                text.reach = Reach::Named;
                text.passage.heard_by.extend(knowers);
            }
        }
    }

    /// Makes a fact a secret of the entity `bearer`, who knows and conceals it.
    fn hide(&mut self, number: usize, bearer: &EntityId) {
        let stated = &mut self.facts[number];
        if let Ok(fact) = stated.fact.to_builder().secrecy(Secrecy::Secret).build() {
            stated.fact = fact.into();
        }
        stated.reach = Reach::Named;
        if self.index.kind(bearer).is_some_and(Kind::can_know) {
            stated.learned.push(Learned::authored(bearer.clone(), Credence::FULL, true));
        }
    }
}

/// Splits a text into paragraphs at blank lines, and joins the lines of each paragraph.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines().map(str::trim) {
        match paragraphs.last_mut() {
            Some(last) if !line.is_empty() => {
                last.push_str(if last.is_empty() { "" } else { " " });
                last.push_str(line);
            }
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    #[test]
    fn blank_lines_part_paragraphs() {
        let check = |text: &str, expected: &[&str]| assert_eq!(paragraphs(text), expected, "{text:?}");
        check("One line\nand its rest.\n\n\nAnother.\n", &["One line and its rest.", "Another."]);
        check("  \n", &[]);
    }
}
