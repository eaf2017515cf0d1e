//! Entities: names, kind, description, places, attributes, relations, facts and secrets.

use hearsay_model::{
    Credence, EntityId, Kind, Knower, Object, Passage, Predicate, PredicateRole, Secrecy, attribute,
    entity_field_predicate, text,
};

use super::{
    drafts::{Context, FactEntry},
    fields::{Fields, item_path},
    reader::CampaignReader,
    references::{is_no_entity, parse_kind},
};
use crate::{
    campaign::{AudienceSource, CampaignPassage, KnowerEntry},
    keys,
    yaml::{Key, Node, Yaml},
};

impl CampaignReader {
    pub(super) fn read_entity(&mut self, id: &EntityId, node: &Node) {
        let Some(f) = self.read_fields(node, &format!("entities/{id}"), &keys::ENTITY) else { return };
        let first = self.facts.len();
        if let Some(name) = self.read_required_text(&f, "name", "an entity") {
            let at = f.get("name").map_or(f.at, |node| node.at);
            self.record_plain_fact(at, &f.child_path("name"), id, attribute::NAME, Object::Value(name.trim().into()));
        }
        let kind = self.read_kind(&f, id);
        self.read_aliases(&f, id);
        self.read_description(&f, id);
        let name_facts = first..self.facts.len();
        self.read_places(&f, id, &kind);
        self.read_groups(&f, id);
        for section in ["attributes", "properties"] {
            if let Some(node) = f.get(section)
                && let Some(map) = self.read_any_fields(node, &f.child_path(section), "the attributes")
            {
                for (key, node) in map.entries() {
                    // Other tools write `properties`, often with empty values.
                    if node.is_null() && section == "attributes" {
                        let follows_section =
                            f.entries().iter().any(|(name, _)| *name.text == *section && name.at == key.at);
                        let shares_line = map.entries().iter().filter(|(other, _)| other.at == key.at).count() > 1;
                        let is_inline = follows_section || shares_line;
                        self.check_no_value(key, &map.child_path(&key.text), is_inline);
                    }
                    self.read_attribute(id, &key.text, node, &map.child_path(&key.text));
                }
            }
        }
        for key in [attribute::PLAYER, "pronouns", "personality", "behavior_rules"] {
            if let Some(node) = f.get(key) {
                self.read_attribute(id, key, node, &f.child_path(key));
            }
        }
        for (n, tag) in self.read_list(&f, "tags").iter().enumerate() {
            let path = item_path(&f.child_path("tags"), n);
            if let Some(tag) = self.read_value(tag, &path) {
                self.record_plain_fact(f.at, &path, id, entity_field_predicate("tags"), Object::Value(tag));
            }
        }
        self.read_knowledge_scope(&f, id);
        let context = Context::for_subject(Some(id));
        for f in self.read_maps(&f, "relationships", &keys::RELATIONSHIP) {
            self.read_fact(&f, &context);
        }
        for f in self.read_maps(&f, "facts", &keys::ENTITY_FACT) {
            self.read_fact(&f, &context);
        }
        let secret = Context { secret_owner: Some(id.clone()), ..context };
        for f in self.read_maps(&f, "secrets", &keys::ENTITY_FACT) {
            self.read_fact(&f, &secret);
        }
        for (n, item) in self.read_one_or_many(&f, "secret_knowledge").iter().enumerate() {
            let path = item_path(&f.child_path("secret_knowledge"), n);
            if let Some(text) = self.read_text_node(item, &path) {
                let lore = Object::Value(text.trim().into());
                if let Some(index) = self.record_plain_fact(item.at, &path, id, attribute::LORE, lore) {
                    self.make_secret(index, id);
                }
            }
        }
        self.read_visibility(&f, name_facts, id);
    }

    fn read_kind(&mut self, f: &Fields, id: &EntityId) -> Kind {
        let key = if f.get("type").is_some() { "type" } else { "kind" };
        if f.get("kind").is_some() && f.get("type").is_some() {
            self.diagnostics.add(
                f.at,
                &f.path,
                "the entity has both `kind` and `type`",
                "remove `type`; both keys have the same meaning",
            );
        }
        let Some(kind_text) =
            self.read_required_text(f, key, "an entity").filter(|word| !hearsay_model::slug(word).is_empty())
        else {
            return Kind::Custom("unknown".into());
        };
        let at = f.get(key).map_or(f.at, |node| node.at);
        let kind = parse_kind(kind_text);
        if let Kind::Custom(word) = &kind {
            let nearest_kind = keys::nearest(word, Kind::BUILT_IN.iter().map(Kind::as_str));
            if let Some(nearest_kind) =
                nearest_kind.filter(|nearest_kind| strsim::damerau_levenshtein(nearest_kind, word) < 3)
            {
                self.diagnostics.warn(
                    at,
                    format!(
                        "`{word}` is not a known kind, so it is added as a new kind. Did you mean \
                         `{nearest_kind}`?"
                    ),
                );
            }
        }
        self.record_plain_fact(at, &f.child_path(key), id, attribute::KIND, Object::Value(kind.as_str().into()));
        kind
    }

    fn read_aliases(&mut self, f: &Fields, id: &EntityId) {
        for (n, node) in self.read_list(f, "aliases").iter().enumerate() {
            let path = item_path(&f.child_path("aliases"), n);
            let Yaml::Map(_) = node.value else {
                if let Some(name) = self.read_text_node(node, &path) {
                    self.record_plain_fact(node.at, &path, id, attribute::ALIAS, Object::Value(name.trim().into()));
                }
                continue;
            };
            let Some(f) = self.read_fields(node, &path, &keys::ALIAS) else { continue };
            let Some(name) = self.read_required_text(&f, "name", "an alias") else { continue };
            // A secret name is a secret of the entity that has the name.
            let secret = f.get("secret").is_some_and(|node| node.value == Yaml::Flag(true));
            let context = Context { secret_owner: secret.then(|| id.clone()), ..Context::for_subject(Some(id)) };
            let marks = self.read_marks(&f, &context);
            let Ok(alias) = Predicate::new(attribute::ALIAS) else { continue };
            let content = (alias, Object::Value(name.trim().into()));
            self.record_fact(FactEntry::new(f.at, &f.path, &context, id.clone(), content, marks));
        }
    }

    /// Reads the description of an entity. Each paragraph becomes a fact.
    fn read_description(&mut self, f: &Fields, id: &EntityId) {
        let Some(text) = self.read_text(f, "description") else { return };
        let at = f.get("description").map_or(f.at, |node| node.at);
        for (n, paragraph) in paragraphs(text).into_iter().enumerate() {
            let path = if n == 0 { f.child_path("description") } else { item_path(&f.child_path("description"), n) };
            self.record_plain_fact(at, &path, id, attribute::DESCRIPTION, Object::Value(paragraph.into()));
        }
    }

    fn read_places(&mut self, f: &Fields, id: &EntityId, kind: &Kind) {
        let location = self.read_place(f, "location");
        let home = match f.get("home") {
            Some(_) => self.read_place(f, "home"),
            // A player character is a guest at its location.
            None => location.clone().filter(|_| *kind == Kind::Npc),
        };
        let part_of = self.read_reference(f, "part_of");
        for (key, place) in [("home", home), ("location", location), ("part_of", part_of)] {
            if let Some(place) = place {
                let at = f.get(key).or(f.get("location")).map_or(f.at, |node| node.at);
                let name = entity_field_predicate(key);
                self.record_plain_fact(at, &f.child_path(key), id, name, Object::Entity(place));
            }
        }
    }

    /// Reads a reference to a place, which may also be `none`.
    fn read_place(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        let is_no_place =
            f.get(key).and_then(Node::text).is_some_and(|text| is_no_entity(text) && !self.is_known(text.trim()));
        if is_no_place { None } else { self.read_reference(f, key) }
    }

    /// Reads the groups of which the entity is a member.
    fn read_groups(&mut self, f: &Fields, id: &EntityId) {
        let key = "faction";
        for (n, node) in self.read_one_or_many(f, key).iter().enumerate() {
            let path = if n == 0 { f.child_path(key) } else { item_path(&f.child_path(key), n) };
            if let Some(group) = self.resolve_reference(node, &path) {
                self.record_plain_fact(node.at, &path, id, entity_field_predicate(key), Object::Entity(group));
            }
        }
    }

    /// Checks an attribute without a value. In a map within a line, several words are an error: a colon is missing
    /// (`{occupation cook}`), or a text with a comma is not in quotes (in `{mood: glad, but tired}`, YAML reads `but tired` as
    /// a key). On a line of its own, a name without a value is an empty field of a template.
    fn check_no_value(&mut self, name: &Key, path: &str, is_inline: bool) {
        if is_inline && name.text.trim().contains(char::is_whitespace) {
            let message = format!("`{}` has no colon or no value", name.text);
            let hint = "write `name: value`; if it is part of a text with a comma, put the whole text in quotes";
            self.diagnostics.add(name.at, path, message, hint);
            return;
        }
        self.diagnostics.warn(
            name.at,
            format!(
                "the attribute `{}` has no value, so it is ignored; add a value, or remove the attribute; if it is \
                 part of a text with a comma, put the whole text in quotes",
                name.text
            ),
        );
    }

    /// Reads one attribute: a single value, a list of values, or a mapping with a value and marks.
    fn read_attribute(&mut self, id: &EntityId, name: &str, node: &Node, path: &str) {
        if node.is_null() {
            return;
        }
        if ["name", "kind"].contains(&name) {
            let hint = format!("move `{name}` from `attributes` to the entity");
            return self.diagnostics.add(
                node.at,
                path,
                format!("`{name}` is a field of the entity, not an attribute"),
                hint,
            );
        }
        let Some(predicate) = self.resolve_attribute_name(name, node.at, path) else { return };
        match &node.value {
            // The order of ranks matters, so a list of ranks is one value.
            Yaml::List(items) if predicate == *attribute::RANKS => {
                let ranks =
                    items.iter().enumerate().filter_map(|(n, item)| self.read_text_node(item, &item_path(path, n)));
                let ranks: Vec<&str> = ranks.collect();
                if !ranks.is_empty() {
                    self.record_plain_fact(
                        node.at,
                        path,
                        id,
                        predicate.as_str(),
                        Object::Value(ranks.join(", ").into()),
                    );
                }
            }
            Yaml::List(items) => {
                for (n, item) in items.iter().enumerate().filter(|(_, item)| !item.is_null()) {
                    self.read_attribute_value(id, &predicate, item, &item_path(path, n));
                }
            }
            _ => self.read_attribute_value(id, &predicate, node, path),
        }
    }

    fn read_attribute_value(&mut self, id: &EntityId, predicate: &Predicate, node: &Node, path: &str) {
        if let Yaml::Map(_) = node.value {
            if node.get("content").is_some() {
                return self.read_titled_text(id, node, path);
            }
            let Some(f) = self.read_fields(node, path, &keys::ATTRIBUTE) else { return };
            if f.get("value").is_none() {
                return self.diagnostics.add(f.at, path, "the attribute has no value", "add `value: …`");
            }
            let context = Context::for_subject(Some(id));
            let marks = self.read_marks(&f, &context);
            for node in self.read_one_or_many(&f, "value") {
                if let Some(value) = self.read_value(node, &f.child_path("value")) {
                    let content = (predicate.clone(), Object::Value(value));
                    self.record_fact(FactEntry::new(node.at, path, &context, id.clone(), content, marks.clone()));
                }
            }
        } else if let Some(value) = self.read_value(node, path) {
            self.record_plain_fact(node.at, path, id, predicate.as_str(), Object::Value(value));
        }
    }

    /// Reads an attribute with `title` and `content`. The paragraphs of the content become passages about the entity.
    fn read_titled_text(&mut self, id: &EntityId, node: &Node, path: &str) {
        let Some(f) = self.read_fields(node, path, &keys::SCENE) else { return };
        let (title, content) = (self.read_trimmed_text(&f, "title"), self.read_trimmed_text(&f, "content"));
        for paragraph in content.iter().flat_map(|content| paragraphs(content)) {
            let mut passage = Passage::new(paragraph.as_str());
            passage.title.clone_from(&title);
            passage.mentions = self.find_mentions(&paragraph, std::iter::once(id.clone()));
            passage.evidence.push(self.file_evidence(f.at, path));
            self.passages.push(CampaignPassage {
                passage,
                audience_source: AudienceSource::Rules,
                subject: Some(id.clone()),
                facts: Vec::new(),
            });
        }
    }

    /// Reads the `knowledge_scope` of an NPC, a key of other tools. An entry that names an entity becomes a relation.
    /// Any other entry becomes an attribute.
    fn read_knowledge_scope(&mut self, f: &Fields, id: &EntityId) {
        for (n, node) in self.read_one_or_many(f, "knowledge_scope").iter().enumerate() {
            let path = item_path(&f.child_path("knowledge_scope"), n);
            let Some(text) = self.read_text_node(node, &path) else { continue };
            if self.is_known(text.trim()) {
                if let Some(known_entity) = self.resolve_reference(node, &path) {
                    self.record_plain_fact(
                        node.at,
                        &path,
                        id,
                        PredicateRole::Awareness.name(),
                        Object::Entity(known_entity),
                    );
                }
            } else if let Some(index) =
                self.record_plain_fact(node.at, &path, id, "knowledge_scope", Object::Value(text.trim().into()))
            {
                self.facts[index].audience_source = AudienceSource::Stated(hearsay_model::Audience::Private);
            }
        }
    }

    /// Reads the `visibility` of an entity, a key of other tools. If the visibility contains the names of knowers, the
    /// facts about the entity that have no mark of their own are known only to these knowers and to the entity itself.
    /// `gm` adds no knower, and makes the description a secret. `public` makes the name, kind and description common.
    fn read_visibility(&mut self, f: &Fields, name_facts: std::ops::Range<usize>, id: &EntityId) {
        let (mut knowers, mut is_secret, mut is_public) = (Vec::new(), false, false);
        for (n, node) in self.read_one_or_many(f, "visibility").iter().enumerate() {
            let path = item_path(&f.child_path("visibility"), n);
            let Some(text) = self.read_text_node(node, &path) else { continue };
            match text::normalize(text).as_str() {
                "gm" | "dm" | "hidden" | "secret" | "private" => is_secret = true,
                "all" | "public" | "everyone" | "players" => is_public = true,
                _ => knowers.extend(self.read_knower(node, &path)),
            }
        }
        let open_facts =
            name_facts.filter(|index| self.facts[*index].fact.secrecy() != Secrecy::Secret).collect::<Vec<_>>();
        if is_public {
            for index in open_facts {
                self.facts[index].audience_source = AudienceSource::Stated(hearsay_model::Audience::Common);
            }
        } else if is_secret || !knowers.is_empty() {
            for index in open_facts {
                if is_secret && *self.facts[index].fact.predicate() == *attribute::DESCRIPTION {
                    self.make_secret(index, id);
                }
            }
            knowers.extend(self.index.kind(id).filter(|kind| kind.can_know()).map(|_| Knower::Entity(id.clone())));
            knowers.sort();
            knowers.dedup();
            self.restricted_knowers.insert(id.clone(), knowers);
        }
    }

    /// Applies the restricted visibility of entities: only the named knowers of such an entity know the facts and
    /// passages about it. Facts that have a mark of their own do not change.
    pub(super) fn apply_restricted_visibility(&mut self) {
        let restricted_knowers = |entities: &mut dyn Iterator<Item = &EntityId>| {
            entities.filter_map(|id| self.restricted_knowers.get(id)).cloned().reduce(|mut common, other| {
                common.retain(|knower| other.contains(knower));
                common
            })
        };
        for campaign_fact in
            self.facts.iter_mut().filter(|campaign_fact| matches!(campaign_fact.audience_source, AudienceSource::Rules))
        {
            let fact = &campaign_fact.fact;
            if let Some(knowers) =
                restricted_knowers(&mut std::iter::once(fact.subject()).chain(fact.object().entity()))
            {
                campaign_fact.audience_source = AudienceSource::NamedKnowers;
                let entries = knowers.into_iter().map(|knower| KnowerEntry::authored(knower, Credence::FULL, false));
                campaign_fact.knowers.extend(entries);
            }
        }
        for campaign_passage in self
            .passages
            .iter_mut()
            .filter(|campaign_passage| matches!(campaign_passage.audience_source, AudienceSource::Rules))
        {
            if let Some(knowers) = restricted_knowers(&mut campaign_passage.subject.iter()) {
                campaign_passage.audience_source = AudienceSource::NamedKnowers;
                campaign_passage.passage.heard_by.extend(knowers);
            }
        }
    }

    /// Makes a fact a secret of the entity `owner`, who knows and conceals it.
    fn make_secret(&mut self, index: usize, owner: &EntityId) {
        let knows = self.index.kind(owner).is_some_and(Kind::can_know);
        let bearer = knows.then(|| KnowerEntry::authored(owner.clone(), Credence::FULL, true));
        self.restrict_to_secret(index, bearer.into_iter().collect());
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
