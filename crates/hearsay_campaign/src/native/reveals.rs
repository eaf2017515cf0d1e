//! Conditions under which a secret may be told: the key `reveal` of a fact, and the `flags` that conditions may name.

use std::collections::HashMap;

use hearsay_model::{Condition, ConditionEntity, Credence, EntityId, FactId, Predicate, Reveal, Value};

use super::{
    drafts::Written,
    fields::{Fields, nth},
    reader::CampaignReader,
};
use crate::{
    error::Place,
    keys::{self, Keys},
    yaml::{Node, Yaml},
};

impl CampaignReader {
    pub(super) fn flags_of(&mut self, f: &Fields) {
        let Some(node) = f.get("flags") else { return };
        let Some(map) = self.any_fields(node, "flags", "the flags by name") else { return };
        for (key, node) in map.entries() {
            let (name, path) = (key.text.to_string(), map.below(&key.text));
            if let Err(error) = EntityId::new(&name) {
                self.faults.add(key.at, &path, error.to_string(), "");
            } else if let Some((_, first)) = self.flags.get(&name) {
                let message =
                    format!("duplicate flag `{name}`: it is already declared at {}", self.faults.spot(*first));
                self.faults.add(key.at, &path, message, "keep one of them");
            } else if let Some(value) = self.value(node, &path) {
                self.flags.insert(name, (value, key.at));
            }
        }
    }

    /// Returns the reveals of an entry, which has a single reveal or a list of reveals.
    pub(super) fn written_reveals(&mut self, f: &Fields) -> Vec<Written> {
        let path = f.below("reveal");
        let written = |node: &Node, path| Written { node: node.clone(), path };
        match f.get("reveal") {
            Some(Node { value: Yaml::List(items), .. }) => {
                items.iter().enumerate().map(|(n, item)| written(item, nth(&path, n))).collect()
            }
            one => one.map(|node| written(node, path)).into_iter().collect(),
        }
    }

    /// Reads all reveals. Facts, handles and flags must be complete before this call.
    pub(super) fn read_reveals(&mut self) {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut taken: HashMap<String, Place> = HashMap::new();
        for (number, Written { node, path }) in std::mem::take(&mut self.unread_reveals) {
            let count = counts.entry(number).or_default();
            *count += 1;
            let Some(reveal) = self.reveal(number, *count, &node, &path) else { continue };
            match taken.get(&reveal.id) {
                None => {
                    taken.insert(reveal.id.clone(), node.at);
                    self.reveals.push(reveal);
                }
                Some(first) => {
                    let first = self.faults.spot(*first);
                    let message = format!("duplicate id `{}`: it is already used by the reveal at {first}", reveal.id);
                    self.faults.add(node.at, &path, message, "give one of them another `id`");
                }
            }
        }
    }

    fn reveal(&mut self, number: usize, count: usize, node: &Node, path: &str) -> Option<Reveal> {
        let f = self.fields(node, path, &keys::REVEAL)?;
        let holder = self.refer(&f, "holder");
        let stated = &self.facts[number];
        let fact = &stated.fact;
        let conceals = stated.learned.iter().any(|learned| learned.conceals);
        let made = fact.handle().map_or_else(|| format!("{}-{}", fact.subject(), fact.id().short()), str::to_owned);
        let made = if count == 1 { made } else { format!("{made}-{count}") };
        let fact = fact.id();
        if f.get("holder").is_none() && !conceals {
            let hint = "add `holder: …`, or list the characters who conceal the fact under `conceals`";
            self.faults.add(f.at, &f.path, "the reveal has no holder, and nobody conceals this fact", hint);
        }
        let id = self.owned(&f, "id").unwrap_or(made);
        let note = self.owned(&f, "note");
        let when = self.must(&f, "when")?;
        let when = self.condition(when, &f.below("when"))?;
        let reveal = Reveal { id, fact, holder, when, note };
        reveal.check().map_err(|error| self.faults.add(f.at, &f.path, error.to_string(), "")).ok()?;
        Some(reveal)
    }

    /// Returns the value of a required key.
    fn must<'a>(&mut self, f: &Fields<'a>, key: &str) -> Option<&'a Node> {
        let node = f.get(key);
        if node.is_none() {
            let what = f.path.rsplit('/').next().unwrap_or_default();
            self.faults.add(f.at, &f.path, format!("`{what}` needs `{key}`"), format!("add `{key}: …`"));
        }
        node
    }

    fn condition(&mut self, node: &Node, path: &str) -> Option<Condition> {
        let f = self.fields(node, path, &keys::CONDITION)?;
        let [(key, node)] = f.entries() else {
            let found: Vec<_> = f.entries().iter().map(|(key, _)| format!("`{}`", key.text)).collect();
            let (message, hint) = match found.len() {
                0 => ("the condition is empty".into(), "write a condition such as `flag: …`".to_owned()),
                _ => (
                    format!("a condition has exactly one key, not {}", found.join(" and ")),
                    "put them in a list: `all: [{…}, {…}]`, or `any`".to_owned(),
                ),
            };
            self.faults.add(f.at, path, message, hint);
            return None;
        };
        let path = f.below(&key.text);
        match &*key.text {
            "trust" => {
                let f = self.fields(node, &path, &keys::TRUST)?;
                let (who, of) =
                    (self.who(&f, "who", ConditionEntity::Holder)?, self.who(&f, "of", ConditionEntity::Listener)?);
                self.must(&f, "at_least")?;
                Some(Condition::Trusts { who, of, at_least: self.scale(&f, "at_least", Credence::new)? })
            }
            "owns" => {
                let (f, who) = self.of_listener(node, &path, &keys::OWNS)?;
                Some(Condition::Owns { who, item: self.must_refer(&f, "item")? })
            }
            "member" => {
                let (f, who) = self.of_listener(node, &path, &keys::MEMBER)?;
                Some(Condition::Member { who, group: self.must_refer(&f, "group")?, rank: self.owned(&f, "rank") })
            }
            "at" => {
                let (f, who) = self.of_listener(node, &path, &keys::AT)?;
                Some(Condition::At { who, place: self.must_refer(&f, "place")? })
            }
            "stage" => {
                let f = self.fields(node, &path, &keys::STAGE)?;
                let name = Predicate::new("stage").ok()?;
                Some(Condition::Attribute { of: self.must_refer(&f, "quest")?, name, is: self.is(&f)? })
            }
            "attribute" => {
                let f = self.fields(node, &path, &keys::ATTRIBUTE_IS)?;
                let (of, named) = (self.must_refer(&f, "of")?, self.must(&f, "name")?);
                let name = self.text_of(named, &f.below("name"))?;
                let name = self.attribute_name(name, named.at, &f.below("name"))?;
                Some(Condition::Attribute { of, name, is: self.is(&f)? })
            }
            "flag" => self.flag_is(node, &path),
            "date" => {
                self.must(&f, "date")?;
                Some(Condition::Date { from: self.date(&f, "date")? })
            }
            "knows" => {
                let (f, who) = self.of_listener(node, &path, &keys::KNOWS)?;
                let named = self.must(&f, "fact")?;
                Some(Condition::Knows { who, fact: self.handle(named, &f.below("fact"))? })
            }
            "all" => self.conditions(&f, "all").map(Condition::All),
            "any" => self.conditions(&f, "any").map(Condition::Any),
            "not" => Some(Condition::Not(Box::new(self.condition(node, &path)?))),
            // The unknown key was already reported as an error.
            _ => None,
        }
    }

    fn conditions(&mut self, f: &Fields, key: &str) -> Option<Vec<Condition>> {
        let (before, path) = (self.faults.count(), f.below(key));
        let items = self.list(f, key);
        if items.is_empty() && self.faults.count() == before {
            self.faults.add(f.at, &path, "the list of conditions is empty", "add at least one condition");
        }
        let read = items.iter().enumerate().map(|(n, item)| self.condition(item, &nth(&path, n)));
        // All conditions are read before the first invalid one ends the function, so that all errors are found.
        let read: Vec<_> = read.collect();
        read.into_iter().collect::<Option<Vec<_>>>().filter(|conditions| !conditions.is_empty())
    }

    /// Reads a condition that has a `who`. The default of `who` is the listener.
    fn of_listener<'a>(&mut self, node: &'a Node, path: &str, keys: &Keys) -> Option<(Fields<'a>, ConditionEntity)> {
        let f = self.fields(node, path, keys)?;
        let who = self.who(&f, "who", ConditionEntity::Listener)?;
        Some((f, who))
    }

    fn who(&mut self, f: &Fields, key: &str, usual: ConditionEntity) -> Option<ConditionEntity> {
        match f.get(key).map(Node::text) {
            None => Some(usual),
            Some(Some("listener")) => Some(ConditionEntity::Listener),
            Some(Some("holder")) => Some(ConditionEntity::Holder),
            _ => self.refer(f, key).map(ConditionEntity::Entity),
        }
    }

    fn must_refer(&mut self, f: &Fields, key: &str) -> Option<EntityId> {
        let node = self.must(f, key)?;
        self.reference(node, &f.below(key))
    }

    /// Reads the value that an attribute must have, as text.
    fn is(&mut self, f: &Fields) -> Option<String> {
        let node = self.must(f, "is")?;
        self.value(node, &f.below("is")).map(|value| value.to_string())
    }

    /// Reads `flag: name` or `flag: {name: value}`.
    fn flag_is(&mut self, node: &Node, path: &str) -> Option<Condition> {
        let (name, is, at) = match &node.value {
            Yaml::Map(entries) => match entries.as_slice() {
                [(key, value)] => (key.text.to_string(), self.value(value, &format!("{path}/{}", key.text))?, key.at),
                _ => {
                    self.faults.add(node.at, path, "expected one flag with its value", "write `flag: {name: value}`");
                    return None;
                }
            },
            _ => (self.text_of(node, path)?.trim().to_owned(), Value::Flag(true), node.at),
        };
        let Some((held, _)) = self.flags.get(&name) else {
            let hint = match self.flags.is_empty() {
                true => format!("declare it: `flags: {{{name}: false}}` beside `campaign`"),
                false => keys::hint(&name, self.flags.keys().map(String::as_str)),
            };
            self.faults.add(at, path, format!("no flag `{name}` is declared under `flags`"), hint);
            return None;
        };
        if held.kind() != is.kind() {
            let message = format!("the flag `{name}` is {}, so it never has the value `{is}`", held.kind());
            self.faults.add(at, path, message, format!("write `flag: {{{name}: …}}` with a value of that type"));
            return None;
        }
        Some(Condition::Flag { name, is })
    }

    /// Returns the fact with a handle.
    fn handle(&mut self, node: &Node, path: &str) -> Option<FactId> {
        let handle = self.text_of(node, path)?.trim();
        match self.handles.get(handle) {
            Some((number, _)) => Some(self.facts[*number].fact.id()),
            None => {
                self.no_handle(handle, node.at, path);
                None
            }
        }
    }
}
