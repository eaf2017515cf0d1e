//! Fact entries: their content, marks and named knowers.

use std::{collections::hash_map, sync::Arc};

use hearsay_model::{
    Acquisition, Audience, Author, Confidence, Credence, EntityId, Evidence, Fact, FactError, FactRelation, FactStatus,
    Knower, Number, Object, Predicate, Provenance, Secrecy, Span, Validity, Value, attribute,
};

use super::{
    drafts::{Context, Later, Marks, Said},
    fact_relations::{leaves_subject, written_public},
    fields::{Fields, nth},
    holders::Usual,
    names::is_nobody,
    reader::CampaignReader,
};
use crate::{
    campaign::{Learned, Reach, Stated},
    error::Place,
    keys,
    yaml::{Node, Yaml},
};

const STATUSES: [&str; 4] = ["canon", "claimed", "proposed", "false"];

impl CampaignReader {
    /// Reads an entry that has a `type` with a `target` or a `value`, or that has only a text. Returns the index of its
    /// fact.
    pub(super) fn entry(&mut self, f: &Fields, context: &Context) -> Option<usize> {
        let mut marks = self.marks(f, context);
        let unsaid = f.get("type").is_none() && f.get("target").is_none() && f.get("value").is_none();
        if let Some(bears) = marks.bears.take_if(|bears| {
            unsaid && (context.subject.is_none() && leaves_subject(f) || marks.statement.is_none() && bears.speaks())
        }) {
            // The fact takes its content from the other fact. If the entry gives no subject, it takes the subject too.
            let given = ["subject", "source", "about"].iter().any(|key| f.get(key).is_some());
            let subject = match given || context.subject.is_some() {
                true => Some(self.subject(f, context, &mut marks)?),
                false => None,
            };
            return match (&marks.statement, bears.speaks()) {
                (None, false) => {
                    self.faults.add(
                        f.at,
                        &f.path,
                        "the fact has no content",
                        "add `text: …` with the distorted version",
                    );
                    None
                }
                _ => {
                    let (path, context) = (f.path.clone(), context.clone());
                    self.wait(Said { at: f.at, path, context, subject, says: None, marks }, bears)
                }
            };
        }
        let subject = self.subject(f, context, &mut marks)?;
        let target = ["target", "target_id", "target_name"].into_iter().find(|key| f.get(key).is_some());
        let written = self.text(f, "type");
        match (written, target) {
            (None, Some(target)) => {
                let hint = "add `type: …`, a relation such as RELATED_TO";
                self.faults.add(f.at, &f.below(target), "a target needs a type", hint);
                None
            }
            (None, None) if f.get("value").is_some() => {
                let hint = "add `type: …`, the name of the attribute";
                self.faults.add(f.at, &f.below("value"), "a value needs a type", hint);
                None
            }
            (None, None) if f.get("type").is_some() => None,
            (None, None) => {
                let Some(text) = marks.statement.clone() else {
                    if f.get("text").or(f.get("statement")).is_none() {
                        let hint = "add `text: …`, or `type` and `target`";
                        self.faults.add(f.at, &f.path, "the fact has no content", hint);
                    }
                    return None;
                };
                let lore = Predicate::new(attribute::LORE).ok()?;
                self.say(f.at, &f.path, context, subject, lore, Object::Value(text.into()), marks)
            }
            (Some(written), Some(key)) => self.relation(f, context, subject, written, key, marks),
            (Some(written), None) => {
                let predicate = match f.get("value") {
                    None if !written.contains(char::is_lowercase) => {
                        let hint = "add `target: …`, or write an attribute in lowercase";
                        self.faults.add(f.at, &f.path, format!("{written} has no target"), hint);
                        return None;
                    }
                    _ => self.attribute_name(written, f.get("type").map_or(f.at, |node| node.at), &f.below("type"))?,
                };
                let value = match (f.get("value"), marks.statement.clone()) {
                    (Some(node), _) => self.value(node, &f.below("value"))?,
                    (None, Some(text)) => text.into(),
                    (None, None) => {
                        self.faults.add(f.at, &f.path, format!("{written} has no value"), "add `value: …`");
                        return None;
                    }
                };
                self.say(f.at, &f.path, context, subject, predicate, Object::Value(value), marks)
            }
        }
    }

    fn subject(&mut self, f: &Fields, context: &Context, marks: &mut Marks) -> Option<EntityId> {
        if let Some(subject) = &context.subject {
            return Some(subject.clone());
        }
        for key in ["subject", "source"] {
            if f.get(key).is_some() {
                return self.refer(f, key);
            }
        }
        if marks.about.is_empty() {
            if f.get("about").is_none() {
                let hint = "add `subject: …`, or `about: […]` with the subject first";
                self.faults.add(f.at, &f.path, "the fact has no subject", hint);
            }
            return None;
        }
        Some(marks.about.remove(0))
    }

    fn relation(
        &mut self,
        f: &Fields,
        context: &Context,
        subject: EntityId,
        written: &str,
        key: &str,
        marks: Marks,
    ) -> Option<usize> {
        let at = f.get("type").map_or(f.at, |node| node.at);
        let (predicate, backwards) = self.relation_name(written, at, &f.below("type"))?;
        let target = f.get(key)?;
        // "None; works independently" names no entity, so no entity is created for it.
        if let Some(text) = target.text()
            && is_nobody(text)
            && !self.is_known(text.trim())
        {
            self.faults.warn(target.at, format!("`{text}` names no entity, so no {predicate} relation is recorded"));
            return None;
        }
        let object = self.reference(target, &f.below(key))?;
        let (subject, object) = if backwards { (object, subject) } else { (subject, object) };
        let both_ways = self.flag(f, "bidirectional").unwrap_or(false);
        let symmetric = self.vocabulary.predicate(&predicate).is_some_and(|def| def.symmetric);
        if both_ways && !symmetric {
            let back = Marks { handle: None, statement: None, reveals: Vec::new(), public: None, ..marks.clone() };
            let (subject, object) = (object.clone(), Object::Entity(subject.clone()));
            self.say(f.at, &f.below("bidirectional"), context, subject, predicate.clone(), object, back);
        }
        self.say(f.at, &f.path, context, subject, predicate, Object::Entity(object), marks)
    }

    /// Returns the relation with this name, and whether the name is that of the inverse relation.
    pub(super) fn relation_name(&mut self, written: &str, at: Place, path: &str) -> Option<(Predicate, bool)> {
        let name = Predicate::relation(written);
        let name = name.map_err(|error| self.faults.add(at, path, error.to_string(), "")).ok()?;
        if self.vocabulary.predicate(&name).is_some() {
            return Some((name, false));
        }
        if let Some(def) = self.vocabulary.inverse_of(&name) {
            return Some((def.name.clone(), true));
        }
        if self.undeclared.insert(name.clone()) {
            let near = keys::nearest(name.as_str(), self.vocabulary.predicates().map(|def| def.name.as_str()));
            let near = near.map_or(String::new(), |near| format!(" Did you mean {near}?"));
            let what = format!("{name} is not a known relation, and is added as a new one.{near}");
            self.faults.warn(at, what);
        }
        Some((name, false))
    }

    pub(super) fn attribute_name(&mut self, written: &str, at: Place, path: &str) -> Option<Predicate> {
        let name = Predicate::new(&hearsay_model::slug(written).replace('-', "_"));
        let name = name.map_err(|error| self.faults.add(at, path, error.to_string(), "")).ok()?;
        if self.vocabulary.attribute(&name).is_none() && self.undeclared.insert(name.clone()) {
            let known = self.vocabulary.attributes().map(|def| def.name.as_str());
            let near = keys::nearest(name.as_str(), known).filter(|near| strsim::levenshtein(near, name.as_str()) < 3);
            if let Some(near) = near {
                self.faults.warn(
                    at,
                    format!("`{name}` is not a known attribute, and is added as a new one. Did you mean `{near}`?"),
                );
            }
        }
        Some(name)
    }

    /// Reads a value: text, a number, true or false.
    pub(super) fn value(&mut self, node: &Node, path: &str) -> Option<Value> {
        match &node.value {
            Yaml::Number(number, raw) => {
                let message = format!("{raw} is not a finite number");
                Number::new(*number).map(Value::Number).map_err(|_| self.faults.add(node.at, path, message, "")).ok()
            }
            Yaml::Flag(flag) => Some(Value::Flag(*flag)),
            Yaml::Text(_) => self.text_of(node, path).map(|text| text.trim().into()),
            _ => {
                self.wrong(node, path, "text, a number, true or false");
                None
            }
        }
    }

    fn status(&mut self, f: &Fields) -> Option<FactStatus> {
        let node = f.get("status")?;
        if node.value == Yaml::Flag(false) {
            return Some(FactStatus::False);
        }
        match self.text(f, "status")? {
            "canon" => Some(FactStatus::Canon),
            "claimed" => Some(FactStatus::Claimed),
            "proposed" => Some(FactStatus::Proposed),
            "false" => Some(FactStatus::False),
            other => {
                let message = format!("unknown status `{other}`");
                self.faults.add(node.at, &f.below("status"), message, keys::hint(other, STATUSES));
                None
            }
        }
    }

    /// Reads the marks of an entry, such as its status, dates and audience.
    pub(super) fn marks(&mut self, f: &Fields, context: &Context) -> Marks {
        if f.get("text").is_some() && f.get("statement").is_some() {
            self.faults.add(
                f.at,
                &f.path,
                "the fact has both `text` and `statement`",
                "keep one of them; both have the same meaning",
            );
        }
        let handle = self.text(f, "id").and_then(|handle| {
            let at = f.get("id").map_or(f.at, |node| node.at);
            let slug =
                EntityId::new(handle).map_err(|error| self.faults.add(at, &f.below("id"), error.to_string(), ""));
            slug.ok().map(|_| (handle.to_owned(), at))
        });
        let (from, until) = (self.date(f, "since"), self.date(f, "until"));
        let (secret, common) = (self.flag(f, "secret"), self.flag(f, "common") == Some(true));
        let audience = self.audience(f, "audience");
        let unmarked = secret.is_none() && !common && audience.is_none();
        let secret = context.bearer.is_some() || secret == Some(true);
        if let Some(node) = f.get("public").filter(|_| !secret) {
            let hint = "add `secret: true`, or write the public version as a separate fact";
            self.faults.add(
                node.at,
                &f.below("public"),
                "`public` needs a secret: it is the version that is told instead of the secret",
                hint,
            );
        }
        if secret && (common || audience.is_some()) {
            let hint = "remove `secret`, or remove `common` and `audience`";
            self.faults.add(f.at, &f.path, "a secret is known only to the knowers in `known_by`", hint);
        }
        let common = common || audience == Some(Audience::Common);
        let secrecy = match (secret, common) {
            (true, _) => Secrecy::Secret,
            (_, true) => Secrecy::Common,
            _ => Secrecy::Open,
        };
        let reach = match secrecy {
            Secrecy::Secret => Some(Reach::Named),
            Secrecy::Common => Some(Reach::Only(Audience::Common)),
            Secrecy::Open => audience.map(Reach::Only),
        };
        Marks {
            handle,
            statement: self.owned(f, "text").or_else(|| self.owned(f, "statement")),
            about: self.refers(f, "about"),
            status: self.status(f),
            confidence: self.scale(f, "confidence", Confidence::new),
            validity: Validity { from, until },
            attitude: self.attitude(f),
            rank: self.owned(f, "rank"),
            conditions: self.owned(f, "conditions"),
            secrecy,
            reach,
            unmarked,
            learned: self.named(f, context),
            reveals: self.written_reveals(f),
            bears: self.bears(f),
            public: written_public(f),
        }
    }

    /// Returns the knowers in `known_by`, and the entity whose secret the entry is. Each result also states whether the
    /// knower conceals the fact.
    fn named(&mut self, f: &Fields, context: &Context) -> Vec<Learned> {
        let mut learned = self.holders(f, "known_by", &Usual::authored());
        let mut bearer_conceals = true;
        let mut concealing = Vec::new();
        match f.get("conceals") {
            Some(Node { value: Yaml::Flag(flag), .. }) if context.bearer.is_some() => bearer_conceals = *flag,
            Some(Node { value: Yaml::List(_), .. }) => concealing = self.refers(f, "conceals"),
            Some(node) => self.wrong(node, &f.below("conceals"), "a list of the characters who conceal the fact"),
            None => {}
        }
        if let Some(bearer) = &context.bearer {
            let said = f.get("known_by").map_or(&[][..], Node::items).iter().any(|item| item.get("conceals").is_some());
            match learned.iter_mut().find(|learned| learned.knower.entity() == Some(bearer)) {
                Some(own) if !said => own.conceals = bearer_conceals,
                Some(_) => {}
                None if self.index.kind(bearer).is_some_and(|kind| kind.can_know()) => {
                    learned.push(Learned::authored(bearer.clone(), Credence::FULL, bearer_conceals));
                }
                None => {}
            }
        }
        for id in concealing {
            let knower = Knower::Entity(id);
            if !learned.iter().any(|learned| learned.knower == knower) {
                learned.push(Learned::authored(knower.clone(), Credence::FULL, true));
            }
            for learned in learned.iter_mut().filter(|learned| learned.knower == knower) {
                learned.conceals = true;
            }
        }
        learned
    }

    /// Records a fact. Returns its index.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn say(
        &mut self,
        at: Place,
        path: &str,
        context: &Context,
        subject: EntityId,
        predicate: Predicate,
        object: Object,
        mut marks: Marks,
    ) -> Option<usize> {
        let bears = marks.bears.take();
        let (path, context) = (path.to_owned(), context.clone());
        let mut said = Said { at, path, context, subject: Some(subject), says: Some((predicate, object)), marks };
        if let Some(bears) = bears {
            return self.wait(said, bears);
        }
        let fact = self.built(&said, None)?;
        let reach = said.marks.reach.unwrap_or(said.context.reach);
        let learned = std::mem::take(&mut said.marks.learned);
        let number = match self.by_id.entry(fact.id()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(self.facts.len());
                self.spots.push(at);
                self.facts.push(Stated { fact: Arc::new(fact), reach, learned, speakers: Vec::new() });
                self.facts.len() - 1
            }
            hash_map::Entry::Occupied(entry) => {
                let number = *entry.get();
                if said.context.speaker.is_none() {
                    let first = self.faults.spot(self.spots[number]);
                    self.faults.warn(at, format!("duplicate of {first}; both are imported as one fact"));
                }
                self.facts[number].learned.extend(learned);
                number
            }
        };
        self.follow(number, &mut said);
        Some(number)
    }

    /// Registers the handle, the reveals and the public version of a fact.
    pub(super) fn follow(&mut self, number: usize, said: &mut Said) {
        let reveals = std::mem::take(&mut said.marks.reveals);
        self.unread_reveals.extend(reveals.into_iter().map(|written| (number, written)));
        if let Some((handle, at)) = said.marks.handle.clone() {
            match self.handles.entry(handle) {
                hash_map::Entry::Vacant(entry) => {
                    entry.insert((number, at));
                }
                hash_map::Entry::Occupied(entry) => {
                    let first = self.faults.spot(entry.get().1);
                    let message = format!("duplicate id `{}`: it is already used at {first}", entry.key());
                    self.faults.add(at, &said.path, message, "give one of them another `id`");
                }
            }
        }
        if let Some(written) = said.marks.public.take() {
            self.public(number, said, &written);
        }
    }

    /// Builds a fact. Returns `None` if its subject or content is unknown.
    pub(super) fn built(&mut self, said: &Said, fact_relation: Option<FactRelation>) -> Option<Fact> {
        let Said { at, path, context, subject: Some(subject), says: Some((predicate, object)), marks } = said else {
            return None;
        };
        let at = *at;
        let statement = marks.statement.clone().unwrap_or_else(|| {
            let object = object.entity().map_or_else(|| object.to_string(), |id| self.index.name(id).to_owned());
            self.vocabulary.sentence(predicate, self.index.name(subject), &object)
        });
        let mut provenance = Provenance::new(context.method, Author::Importer(self.source.clone()));
        provenance.session.clone_from(&context.session);
        provenance.speaker.clone_from(&context.speaker);
        provenance.confidence = marks.confidence.unwrap_or(Confidence::FULL);
        // The handle identifies the fact even if its entry is moved.
        let field = match (&marks.handle, path.rsplit_once('/')) {
            (Some((handle, _)), Some((list, _))) => format!("{list}/{handle}"),
            _ => path.clone(),
        };
        provenance.evidence.push(Evidence::File { path: self.faults.path(at).to_owned(), line: at.line, field });
        if let Some((passage, quote)) = &context.passage {
            let span = Span { start: 0, end: quote.len() };
            provenance.evidence.push(Evidence::Passage { passage: *passage, span, quote: quote.clone() });
        }
        let begun = match object {
            Object::Entity(id) => Fact::relation(subject, predicate.clone(), id, provenance),
            Object::Value(value) => Fact::attribute(subject, predicate.clone(), value.clone(), provenance),
        };
        let built = begun.and_then(|builder| {
            builder
                .statement(statement)
                .mentions(marks.about.iter().cloned())
                .attitude(marks.attitude)
                .rank(marks.rank.clone())
                .conditions(marks.conditions.clone())
                .validity(marks.validity.clone())
                .status(marks.status.unwrap_or(context.status))
                .secrecy(marks.secrecy)
                .handle(marks.handle.as_ref().map(|(handle, _)| handle.clone()))
                .fact_relation(fact_relation)
                .build()
        });
        let error = match built {
            Ok(fact) => return Some(fact),
            Err(error) => error,
        };
        let raw = |date: &Option<hearsay_model::Date>| date.as_ref().map_or(String::new(), |d| d.raw.clone());
        let message = match error {
            FactError::EndBeforeStart { .. } => {
                let (from, until) = (raw(&marks.validity.from), raw(&marks.validity.until));
                format!("the end ({until}) is before the beginning ({from})")
            }
            error => error.to_string(),
        };
        self.faults.add(at, path, message, "");
        None
    }

    /// Records a fact without marks.
    pub(super) fn plain(
        &mut self,
        at: Place,
        path: &str,
        subject: &EntityId,
        name: &str,
        object: Object,
    ) -> Option<usize> {
        let predicate = Predicate::new(name).ok()?;
        self.say(at, path, &Context::about(None), subject.clone(), predicate, object, Marks::default())
    }

    /// Reads a reference to a fact by its handle. The entry of that fact may come later in the files.
    pub(super) fn later(&mut self, f: &Fields, key: &str) -> Option<Later> {
        let node = f.get(key)?;
        self.later_of(node, &f.below(key))
    }

    fn later_of(&mut self, node: &Node, path: &str) -> Option<Later> {
        let handle = self.text_of(node, path)?.trim().to_owned();
        Some(Later {
            handle,
            at: node.at,
            path: path.into(),
            learned: Vec::new(),
            speaker: None,
            read_in: None,
            said_in: None,
        })
    }

    pub(super) fn rumour(&mut self, f: &Fields) {
        let status = match f.get("truth").map(|node| &node.value) {
            None => FactStatus::Claimed,
            Some(Yaml::Flag(true)) => FactStatus::Canon,
            Some(Yaml::Flag(false)) => FactStatus::False,
            Some(Yaml::Text(text)) if &**text == "unknown" => FactStatus::Claimed,
            Some(_) => {
                let at = f.get("truth").map_or(f.at, |node| node.at);
                self.faults.add(at, &f.below("truth"), "expected true, false or unknown", "");
                return;
            }
        };
        let heard = self.holders(f, "heard_by", &Usual { acquisition: Acquisition::told(None), credence: 0.5 });
        let context = Context { status, reach: Reach::Named, ..Context::about(None) };
        if let Some(number) = self.entry(f, &context) {
            self.facts[number].learned.extend(heard);
        }
        for (n, node) in self.list(f, "contradicts").iter().enumerate() {
            let later = self.later_of(node, &nth(&f.below("contradicts"), n));
            self.later.extend(later);
        }
    }

    pub(super) fn lie(&mut self, f: &Fields) {
        if f.get("by").is_none() {
            self.faults.add(f.at, &f.path, "the lie has no speaker", "add `by: …`, or make it a rumour");
        }
        let Some(liar) = self.refer(f, "by") else { return };
        let told = Acquisition::told(Some(liar.clone()));
        let told = self.holders(f, "told_to", &Usual { acquisition: told, credence: 0.8 });
        let context = Context {
            status: FactStatus::False,
            reach: Reach::Named,
            speaker: Some(liar.clone()),
            ..Context::about(None)
        };
        if let Some(number) = self.entry(f, &context) {
            let knows_better = Learned::authored(liar.clone(), Credence::NONE, false);
            self.facts[number].learned.push(knows_better);
            self.facts[number].learned.extend(told);
        }
        if let Some(mut later) = self.later(f, "truth_is") {
            later.learned.push(Learned::authored(liar, Credence::FULL, true));
            self.later.push(later);
        }
    }

    pub(super) fn knowledge(&mut self, f: &Fields) {
        let learned = self.holder_fields(f, &Usual::authored());
        if f.get("fact").is_none() {
            self.faults.add(f.at, &f.path, "the entry names no fact", "add `fact: …`, the id of a fact");
        }
        if let Some(mut later) = self.later(f, "fact") {
            later.learned.extend(learned);
            self.later.push(later);
        }
    }
}
