//! Conditions under which a secret may be told: the key `reveal` of a fact, and the `flags` that conditions may name.

use std::collections::HashMap;

use hearsay_model::{
    Attitude, Condition, ConditionEntity, Credence, EntityId, FactId, Feeling, Predicate, Reveal, Value,
};

use super::{
    drafts::UnparsedNode,
    fields::{Fields, item_path},
    reader::CampaignReader,
};
use crate::{
    error::SourcePosition,
    keys::{self, Keys},
    yaml::{Node, Yaml},
};

impl CampaignReader {
    pub(super) fn read_flags(&mut self, f: &Fields) {
        let Some(node) = f.get("flags") else { return };
        let Some(map) = self.read_any_fields(node, "flags", "the flags by name") else { return };
        for (key, node) in map.entries() {
            let (name, path) = (key.text.to_string(), map.child_path(&key.text));
            if let Err(error) = EntityId::new(&name) {
                self.diagnostics.add(key.at, &path, error.to_string(), "");
            } else if let Some((_, first)) = self.flags.get(&name) {
                let message = format!(
                    "duplicate flag `{name}`: it is already declared at {}",
                    self.diagnostics.format_position(*first)
                );
                self.diagnostics.add(key.at, &path, message, "remove one of the two declarations");
            } else if let Some(value) = self.read_value(node, &path) {
                self.flags.insert(name, (value, key.at));
            }
        }
    }

    /// Returns the reveals of an entry, which has a single reveal or a list of reveals.
    pub(super) fn reveal_nodes(&mut self, f: &Fields) -> Vec<UnparsedNode> {
        let path = f.child_path("reveal");
        let unparsed = |node: &Node, path| UnparsedNode { node: node.clone(), path };
        match f.get("reveal") {
            Some(Node { value: Yaml::List(items), .. }) => {
                items.iter().enumerate().map(|(n, item)| unparsed(item, item_path(&path, n))).collect()
            }
            single => single.map(|node| unparsed(node, path)).into_iter().collect(),
        }
    }

    /// Reads all reveals. Facts, handles and flags must be complete before this call.
    pub(super) fn read_reveals(&mut self) {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut positions_by_id: HashMap<String, SourcePosition> = HashMap::new();
        for (index, UnparsedNode { node, path }) in std::mem::take(&mut self.pending_reveals) {
            let count = counts.entry(index).or_default();
            *count += 1;
            let Some(reveal) = self.read_reveal(index, *count, &node, &path) else { continue };
            match positions_by_id.get(&reveal.id) {
                None => {
                    positions_by_id.insert(reveal.id.clone(), node.at);
                    self.reveals.push(reveal);
                }
                Some(first_position) => {
                    let first_position = self.diagnostics.format_position(*first_position);
                    let message =
                        format!("duplicate id `{}`: it is already used by the reveal at {first_position}", reveal.id);
                    self.diagnostics.add(node.at, &path, message, "give one of the two reveals another `id`");
                }
            }
        }
    }

    fn read_reveal(&mut self, index: usize, count: usize, node: &Node, path: &str) -> Option<Reveal> {
        let f = self.read_fields(node, path, &keys::REVEAL)?;
        let holder = self.read_reference(&f, "holder");
        let campaign_fact = &self.facts[index];
        let fact = &campaign_fact.fact;
        let conceals = campaign_fact.knowers.iter().any(|entry| entry.conceals);
        let default_id =
            fact.handle().map_or_else(|| format!("{}-{}", fact.subject(), fact.id().short()), str::to_owned);
        let default_id = if count == 1 { default_id } else { format!("{default_id}-{count}") };
        let fact = fact.id();
        if f.get("holder").is_none() && !conceals {
            let hint = "add `holder: …`, or list the characters who conceal the fact under `conceals`";
            self.diagnostics.add(f.at, &f.path, "the reveal has no holder, and nobody conceals this fact", hint);
        }
        let id = self.read_trimmed_text(&f, "id").unwrap_or(default_id);
        let note = self.read_trimmed_text(&f, "note");
        let when = self.required_node(&f, "when")?;
        let when = self.read_condition(when, &f.child_path("when"))?;
        let reveal = Reveal { id, fact, holder, when, note };
        reveal.check().map_err(|error| self.diagnostics.add(f.at, &f.path, error.to_string(), "")).ok()?;
        Some(reveal)
    }

    /// Returns the value of a required key.
    fn required_node<'a>(&mut self, f: &Fields<'a>, key: &str) -> Option<&'a Node> {
        let node = f.get(key);
        if node.is_none() {
            let mapping_name = f.path.rsplit('/').next().unwrap_or_default();
            self.diagnostics.add(f.at, &f.path, format!("`{mapping_name}` needs `{key}`"), format!("add `{key}: …`"));
        }
        node
    }

    fn read_condition(&mut self, node: &Node, path: &str) -> Option<Condition> {
        let f = self.read_fields(node, path, &keys::CONDITION)?;
        let [(key, node)] = f.entries() else {
            let keys: Vec<_> = f.entries().iter().map(|(key, _)| format!("`{}`", key.text)).collect();
            let (message, hint) = match keys.len() {
                0 => ("the condition is empty".into(), "write a condition such as `flag: …`".to_owned()),
                _ => (
                    format!("a condition has exactly one key, not {}", keys.join(" and ")),
                    "write the conditions as a list: `all: [{…}, {…}]` or `any: [{…}, {…}]`".to_owned(),
                ),
            };
            self.diagnostics.add(f.at, path, message, hint);
            return None;
        };
        let path = f.child_path(&key.text);
        match &*key.text {
            "trust" => {
                let f = self.read_fields(node, &path, &keys::TRUST)?;
                let (who, of) = (
                    self.read_role(&f, "who", ConditionEntity::Holder)?,
                    self.read_role(&f, "of", ConditionEntity::Listener)?,
                );
                self.required_node(&f, "at_least")?;
                Some(Condition::Trusts { who, of, at_least: self.read_scale(&f, "at_least", Credence::new)? })
            }
            "feels" => self.read_feeling_condition(node, &path),
            "owns" => {
                let (f, who) = self.read_listener_condition(node, &path, &keys::OWNS)?;
                Some(Condition::Owns { who, item: self.read_required_reference(&f, "item")? })
            }
            "member" => {
                let (f, who) = self.read_listener_condition(node, &path, &keys::MEMBER)?;
                Some(Condition::Member {
                    who,
                    group: self.read_required_reference(&f, "group")?,
                    rank: self.read_trimmed_text(&f, "rank"),
                })
            }
            "at" => {
                let (f, who) = self.read_listener_condition(node, &path, &keys::AT)?;
                Some(Condition::At { who, place: self.read_required_reference(&f, "place")? })
            }
            "stage" => {
                let f = self.read_fields(node, &path, &keys::STAGE)?;
                let name = Predicate::new("stage").ok()?;
                Some(Condition::Attribute {
                    of: self.read_required_reference(&f, "quest")?,
                    name,
                    is: self.read_expected_value(&f)?,
                })
            }
            "attribute" => {
                let f = self.read_fields(node, &path, &keys::ATTRIBUTE_IS)?;
                let (of, name_node) = (self.read_required_reference(&f, "of")?, self.required_node(&f, "name")?);
                let name = self.read_text_node(name_node, &f.child_path("name"))?;
                let name = self.resolve_attribute_name(name, name_node.at, &f.child_path("name"))?;
                Some(Condition::Attribute { of, name, is: self.read_expected_value(&f)? })
            }
            "flag" => self.read_flag_condition(node, &path),
            "date" => {
                self.required_node(&f, "date")?;
                Some(Condition::Date { from: self.read_date(&f, "date")? })
            }
            "knows" => {
                let (f, who) = self.read_listener_condition(node, &path, &keys::KNOWS)?;
                let name_node = self.required_node(&f, "fact")?;
                Some(Condition::Knows { who, fact: self.resolve_handle(name_node, &f.child_path("fact"))? })
            }
            "all" => self.read_conditions(&f, "all").map(Condition::All),
            "any" => self.read_conditions(&f, "any").map(Condition::Any),
            "not" => Some(Condition::Not(Box::new(self.read_condition(node, &path)?))),
            // The unknown key was already reported as an error.
            _ => None,
        }
    }

    /// Reads `feels: {who: …, towards: …, feeling: …, at_least: …}`.
    fn read_feeling_condition(&mut self, node: &Node, path: &str) -> Option<Condition> {
        let f = self.read_fields(node, path, &keys::FEELS)?;
        let who = self.read_role(&f, "who", ConditionEntity::Holder)?;
        let towards = self.read_role(&f, "towards", ConditionEntity::Listener)?;
        let name_node = self.required_node(&f, "feeling")?;
        let name = self.read_text_node(name_node, &f.child_path("feeling"))?.trim();
        let Some(feeling) = Feeling::ALL.into_iter().find(|feeling| feeling.name() == name) else {
            let hint = keys::hint(name, Feeling::ALL.iter().map(|feeling| feeling.name()));
            let message = format!("`{name}` is not a feeling");
            self.diagnostics.add(name_node.at, &f.child_path("feeling"), message, hint);
            return None;
        };
        self.required_node(&f, "at_least")?;
        let at_least = self.read_integer(&f, "at_least")?;
        let at_least = self.check_scale(&f, "at_least", Attitude::new(at_least))?;
        Some(Condition::Feels { who, towards, feeling, at_least })
    }

    fn read_conditions(&mut self, f: &Fields, key: &str) -> Option<Vec<Condition>> {
        let (error_count, path) = (self.diagnostics.error_count(), f.child_path(key));
        let items = self.read_list(f, key);
        if items.is_empty() && self.diagnostics.error_count() == error_count {
            self.diagnostics.add(f.at, &path, "the list of conditions is empty", "add at least one condition");
        }
        let conditions = items.iter().enumerate().map(|(n, item)| self.read_condition(item, &item_path(&path, n)));
        // All conditions are read before the first invalid one ends the function, so that all errors are found.
        let conditions: Vec<_> = conditions.collect();
        conditions.into_iter().collect::<Option<Vec<_>>>().filter(|conditions| !conditions.is_empty())
    }

    /// Reads a condition that has a `who`. The default of `who` is the listener.
    fn read_listener_condition<'a>(
        &mut self,
        node: &'a Node,
        path: &str,
        keys: &Keys,
    ) -> Option<(Fields<'a>, ConditionEntity)> {
        let f = self.read_fields(node, path, keys)?;
        let who = self.read_role(&f, "who", ConditionEntity::Listener)?;
        Some((f, who))
    }

    fn read_role(&mut self, f: &Fields, key: &str, default_role: ConditionEntity) -> Option<ConditionEntity> {
        match f.get(key).map(Node::text) {
            None => Some(default_role),
            Some(Some("listener")) => Some(ConditionEntity::Listener),
            Some(Some("holder")) => Some(ConditionEntity::Holder),
            _ => self.read_reference(f, key).map(ConditionEntity::Entity),
        }
    }

    fn read_required_reference(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        let node = self.required_node(f, key)?;
        self.resolve_reference(node, &f.child_path(key))
    }

    /// Reads the value that an attribute must have, as text.
    fn read_expected_value(&mut self, f: &Fields) -> Option<String> {
        let node = self.required_node(f, "is")?;
        self.read_value(node, &f.child_path("is")).map(|value| value.to_string())
    }

    /// Reads `flag: name` or `flag: {name: value}`.
    fn read_flag_condition(&mut self, node: &Node, path: &str) -> Option<Condition> {
        let (name, is, at) = match &node.value {
            Yaml::Map(entries) => match entries.as_slice() {
                [(key, value)] => {
                    (key.text.to_string(), self.read_value(value, &format!("{path}/{}", key.text))?, key.at)
                }
                _ => {
                    self.diagnostics.add(
                        node.at,
                        path,
                        "expected one flag with its value",
                        "write `flag: {name: value}`",
                    );
                    return None;
                }
            },
            _ => (self.read_text_node(node, path)?.trim().to_owned(), Value::Flag(true), node.at),
        };
        let Some((declared, _)) = self.flags.get(&name) else {
            let hint = match self.flags.is_empty() {
                true => format!("declare it: `flags: {{{name}: false}}` beside `campaign`"),
                false => keys::hint(&name, self.flags.keys().map(String::as_str)),
            };
            self.diagnostics.add(at, path, format!("no flag `{name}` is declared under `flags`"), hint);
            return None;
        };
        if declared.kind() != is.kind() {
            let message = format!("the flag `{name}` is {}, so it never has the value `{is}`", declared.kind());
            self.diagnostics.add(at, path, message, format!("write `flag: {{{name}: …}}` with a value of that type"));
            return None;
        }
        Some(Condition::Flag { name, is })
    }

    /// Returns the fact with a handle.
    fn resolve_handle(&mut self, node: &Node, path: &str) -> Option<FactId> {
        let handle = self.read_text_node(node, path)?.trim();
        match self.handles.get(handle) {
            Some((index, _)) => Some(self.facts[*index].fact.id()),
            None => {
                self.add_unknown_handle_error(handle, node.at, path);
                None
            }
        }
    }
}
