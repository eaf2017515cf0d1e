//! Fact entries: their content, marks and named knowers.

use std::{collections::hash_map, sync::Arc};

use hearsay_model::{
    Acquisition, Audience, Author, Confidence, Credence, EntityId, Evidence, Fact, FactBuilder, FactError,
    FactRelation, FactStatus, Number, Object, Predicate, Provenance, RelationField, Secrecy, Span, Validity, Value,
    attribute,
};

use super::{
    drafts::{Context, FactEntry, HandleReference, Marks},
    fact_relations::{omits_subject, public_node},
    fields::{Fields, item_path},
    knowers::KnowerDefaults,
    reader::CampaignReader,
    references::is_no_entity,
};
use crate::{
    audience::undeclared_relation_note,
    campaign::{AudienceSource, CampaignFact, KnowerEntry},
    error::SourcePosition,
    keys,
    yaml::{Node, Yaml},
};

const STATUSES: [&str; 4] = ["canon", "claimed", "proposed", "false"];

impl CampaignReader {
    /// Reads an entry that has a `type` with a `target` or a `value`, or that has only a text. Returns the index of the
    /// fact.
    pub(super) fn read_fact(&mut self, f: &Fields, context: &Context) -> Option<usize> {
        let mut marks = self.read_marks(f, context);
        let has_no_content = f.get("type").is_none() && f.get("target").is_none() && f.get("value").is_none();
        if let Some(relation_draft) = marks.relation.take_if(|relation_draft| {
            has_no_content
                && (context.subject.is_none() && omits_subject(f)
                    || marks.statement.is_none() && relation_draft.implies_statement())
        }) {
            // The fact takes its content from the other fact. If the entry gives no subject, it takes the subject too.
            let has_subject = ["subject", "source", "about"].iter().any(|key| f.get(key).is_some());
            let subject = match has_subject || context.subject.is_some() {
                true => Some(self.read_subject(f, context, &mut marks)?),
                false => None,
            };
            if let Some(subject) = &subject {
                self.add_bearer(&mut marks, context, subject);
            }
            return match (&marks.statement, relation_draft.implies_statement()) {
                (None, false) => {
                    self.diagnostics.add(
                        f.at,
                        &f.path,
                        "the fact has no content",
                        "add `text: …` with the distorted version",
                    );
                    None
                }
                _ => {
                    let (path, context) = (f.path.clone(), context.clone());
                    self.defer_fact(
                        FactEntry { at: f.at, path, context, subject, content: None, marks },
                        relation_draft,
                    )
                }
            };
        }
        let subject = self.read_subject(f, context, &mut marks)?;
        let target = ["target", "target_id", "target_name"].into_iter().find(|key| f.get(key).is_some());
        let type_name = self.read_text(f, "type");
        match (type_name, target) {
            (None, Some(target)) => {
                let hint = "add `type: …`, a relation such as RELATED_TO";
                self.diagnostics.add(f.at, &f.child_path(target), "a target needs a type", hint);
                None
            }
            (None, None) if f.get("value").is_some() => {
                let hint = "add `type: …`, the name of the attribute";
                self.diagnostics.add(f.at, &f.child_path("value"), "a value needs a type", hint);
                None
            }
            (None, None) if f.get("type").is_some() => None,
            (None, None) => {
                let Some(text) = marks.statement.clone() else {
                    if f.get("text").or(f.get("statement")).is_none() {
                        let hint = "add `text: …`, or `type` and `target`";
                        self.diagnostics.add(f.at, &f.path, "the fact has no content", hint);
                    }
                    return None;
                };
                let lore = Predicate::new(attribute::LORE).ok()?;
                let content = (lore, Object::Value(text.into()));
                self.record_fact(FactEntry::new(f.at, &f.path, context, subject, content, marks))
            }
            (Some(type_name), Some(key)) => self.read_relation(f, context, subject, type_name, key, marks),
            (Some(type_name), None) => {
                let predicate = match f.get("value") {
                    None if !type_name.contains(char::is_lowercase) => {
                        let hint = "add `target: …`, or write an attribute in lowercase";
                        self.diagnostics.add(f.at, &f.path, format!("{type_name} has no target"), hint);
                        return None;
                    }
                    _ => self.resolve_attribute_name(
                        type_name,
                        f.get("type").map_or(f.at, |node| node.at),
                        &f.child_path("type"),
                    )?,
                };
                let value = match (f.get("value"), marks.statement.clone()) {
                    (Some(node), _) => self.read_value(node, &f.child_path("value"))?,
                    (None, Some(text)) => text.into(),
                    (None, None) => {
                        self.diagnostics.add(f.at, &f.path, format!("{type_name} has no value"), "add `value: …`");
                        return None;
                    }
                };
                let content = (predicate, Object::Value(value));
                self.record_fact(FactEntry::new(f.at, &f.path, context, subject, content, marks))
            }
        }
    }

    fn read_subject(&mut self, f: &Fields, context: &Context, marks: &mut Marks) -> Option<EntityId> {
        if let Some(subject) = &context.subject {
            return Some(subject.clone());
        }
        for key in ["subject", "source"] {
            if f.get(key).is_some() {
                return self.read_reference(f, key);
            }
        }
        if marks.about.is_empty() {
            if f.get("about").is_none() {
                let hint = "add `subject: …`, or `about: […]` with the subject first";
                self.diagnostics.add(f.at, &f.path, "the fact has no subject", hint);
            }
            return None;
        }
        Some(marks.about.remove(0))
    }

    fn read_relation(
        &mut self,
        f: &Fields,
        context: &Context,
        subject: EntityId,
        type_name: &str,
        key: &str,
        marks: Marks,
    ) -> Option<usize> {
        let at = f.get("type").map_or(f.at, |node| node.at);
        let (predicate, backwards) = self.resolve_relation_name(type_name, at, &f.child_path("type"))?;
        let target = f.get(key)?;
        // "None; works independently" names no entity, so no entity is created for it.
        if let Some(text) = target.text()
            && is_no_entity(text)
            && !self.is_known(text.trim())
        {
            self.diagnostics
                .warn(target.at, format!("`{text}` names no entity, so no {predicate} relation is recorded"));
            return None;
        }
        let object = self.resolve_reference(target, &f.child_path(key))?;
        let (subject, object) = if backwards { (object, subject) } else { (subject, object) };
        let is_bidirectional = self.read_flag(f, "bidirectional").unwrap_or(false);
        let is_symmetric = self.vocabulary.predicate(&predicate).is_some_and(|def| def.symmetric);
        if is_bidirectional && !is_symmetric {
            let reverse_marks =
                Marks { handle: None, statement: None, reveals: Vec::new(), public: None, ..marks.clone() };
            let content = (predicate.clone(), Object::Entity(subject.clone()));
            let path = f.child_path("bidirectional");
            self.record_fact(FactEntry::new(f.at, &path, context, object.clone(), content, reverse_marks));
        }
        let content = (predicate, Object::Entity(object));
        self.record_fact(FactEntry::new(f.at, &f.path, context, subject, content, marks))
    }

    /// Returns the relation with this name, and whether the name is that of the inverse relation. The name may be a
    /// field or a phrase of the relation, such as `rescued` for `SAVED`.
    pub(super) fn resolve_relation_name(
        &mut self,
        name_text: &str,
        at: SourcePosition,
        path: &str,
    ) -> Option<(Predicate, bool)> {
        let name = Predicate::relation(name_text);
        let name = name.map_err(|error| self.diagnostics.add(at, path, error.to_string(), "")).ok()?;
        if let Some(RelationField { predicate, is_inverse }) = self.vocabulary.relation_named(name_text) {
            return Some((predicate, is_inverse));
        }
        if self.undeclared.insert(name.clone()) {
            let note = undeclared_relation_note(&self.vocabulary, &name);
            self.diagnostics
                .warn(at, format!("{name} is not a known relation, so it is added as a new relation. {note}"));
        }
        Some((name, false))
    }

    pub(super) fn resolve_attribute_name(
        &mut self,
        name_text: &str,
        at: SourcePosition,
        path: &str,
    ) -> Option<Predicate> {
        let name = Predicate::new(&hearsay_model::slug(name_text).replace('-', "_"));
        let name = name.map_err(|error| self.diagnostics.add(at, path, error.to_string(), "")).ok()?;
        if self.vocabulary.attribute(&name).is_none() && self.undeclared.insert(name.clone()) {
            let known_names = self.vocabulary.attributes().map(|def| def.name.as_str());
            let nearest_name = keys::nearest(name.as_str(), known_names)
                .filter(|nearest_name| strsim::levenshtein(nearest_name, name.as_str()) < 3);
            if let Some(nearest_name) = nearest_name {
                self.diagnostics.warn(
                    at,
                    format!(
                        "`{name}` is not a known attribute, so it is added as a new attribute. Did you mean \
                         `{nearest_name}`?"
                    ),
                );
            }
        }
        Some(name)
    }

    /// Reads a value: text, a number, true or false.
    pub(super) fn read_value(&mut self, node: &Node, path: &str) -> Option<Value> {
        match &node.value {
            Yaml::Number(number, raw) => {
                let message = format!("{raw} is not a finite number");
                Number::new(*number)
                    .map(Value::Number)
                    .map_err(|_| self.diagnostics.add(node.at, path, message, ""))
                    .ok()
            }
            Yaml::Flag(flag) => Some(Value::Flag(*flag)),
            Yaml::Text(_) => self.read_text_node(node, path).map(|text| text.trim().into()),
            _ => {
                self.add_type_error(node, path, "text, a number, true or false");
                None
            }
        }
    }

    fn read_status(&mut self, f: &Fields) -> Option<FactStatus> {
        let node = f.get("status")?;
        if node.value == Yaml::Flag(false) {
            return Some(FactStatus::False);
        }
        match self.read_text(f, "status")? {
            "canon" => Some(FactStatus::Canon),
            "claimed" => Some(FactStatus::Claimed),
            "proposed" => Some(FactStatus::Proposed),
            "false" => Some(FactStatus::False),
            other => {
                let message = format!("unknown status `{other}`");
                self.diagnostics.add(node.at, &f.child_path("status"), message, keys::hint(other, STATUSES));
                None
            }
        }
    }

    /// Reads the marks of an entry, such as its status, dates and audience.
    pub(super) fn read_marks(&mut self, f: &Fields, context: &Context) -> Marks {
        if f.get("text").is_some() && f.get("statement").is_some() {
            self.diagnostics.add(
                f.at,
                &f.path,
                "the fact has both `text` and `statement`",
                "remove one of the two keys; both keys have the same meaning",
            );
        }
        let handle = self.read_text(f, "id").and_then(|handle| {
            let at = f.get("id").map_or(f.at, |node| node.at);
            let slug = EntityId::new(handle)
                .map_err(|error| self.diagnostics.add(at, &f.child_path("id"), error.to_string(), ""));
            slug.ok().map(|_| (handle.to_owned(), at))
        });
        let (from, until) = (self.read_date(f, "since"), self.read_date(f, "until"));
        let (is_secret, is_common_knowledge) = (self.read_flag(f, "secret"), self.read_flag(f, "common") == Some(true));
        let audience = self.read_audience(f, "audience");
        let is_unmarked = is_secret.is_none() && !is_common_knowledge && audience.is_none();
        let is_secret = context.secret_owner.is_some() || is_secret == Some(true);
        if let Some(node) = f.get("public").filter(|_| !is_secret) {
            let hint = "add `secret: true`, or write the public version as a separate fact";
            self.diagnostics.add(
                node.at,
                &f.child_path("public"),
                "`public` is allowed only for a secret: this key contains the version that characters tell instead \
                 of the secret",
                hint,
            );
        }
        if let Some(node) = f.get("bearer").filter(|_| !is_secret) {
            let message = "`bearer` is allowed only for a secret: this key states whether the entity to which the \
                           secret belongs (its bearer) knows the secret";
            self.diagnostics.add(node.at, &f.child_path("bearer"), message, "add `secret: true`, or remove `bearer`");
        }
        if is_secret && (is_common_knowledge || audience.is_some()) {
            let hint = "remove `secret`, or remove `common` and `audience`";
            self.diagnostics.add(
                f.at,
                &f.path,
                "a secret is known only to its bearer and to the knowers in `known_by`",
                hint,
            );
        }
        let is_common_knowledge = is_common_knowledge || audience == Some(Audience::Common);
        let secrecy = match (is_secret, is_common_knowledge) {
            (true, _) => Secrecy::Secret,
            (_, true) => Secrecy::Common,
            _ => Secrecy::Open,
        };
        let (knowers, bearer_conceals) = self.read_named_knowers(f, context, is_secret);
        let audience_source = match secrecy {
            Secrecy::Secret => Some(AudienceSource::NamedKnowers),
            Secrecy::Common => Some(AudienceSource::Stated(Audience::Common)),
            Secrecy::Open => audience.map(AudienceSource::Stated),
        };
        Marks {
            handle,
            statement: self.read_trimmed_text(f, "text").or_else(|| self.read_trimmed_text(f, "statement")),
            about: self.read_references(f, "about"),
            status: self.read_status(f),
            confidence: self.read_scale(f, "confidence", Confidence::new),
            validity: Validity { from, until },
            attitude: self.read_attitude(f),
            rank: self.read_trimmed_text(f, "rank"),
            conditions: self.read_trimmed_text(f, "conditions"),
            secrecy,
            audience_source,
            unmarked: is_unmarked,
            knowers,
            bearer_conceals,
            reveals: self.reveal_nodes(f),
            relation: self.read_fact_relation(f),
            public: public_node(f),
        }
    }

    /// Records a fact. Returns the index of the fact.
    pub(super) fn record_fact(&mut self, mut fact_entry: FactEntry) -> Option<usize> {
        let FactEntry { at, context, subject, marks, .. } = &mut fact_entry;
        let at = *at;
        if let Some(subject) = subject {
            self.add_bearer(marks, context, subject);
        }
        if let Some(relation_draft) = marks.relation.take() {
            return self.defer_fact(fact_entry, relation_draft);
        }
        let fact = self.build_fact(&fact_entry, None)?;
        let audience_source = fact_entry.marks.audience_source.unwrap_or(fact_entry.context.audience_source);
        let knowers = std::mem::take(&mut fact_entry.marks.knowers);
        let index = match self.fact_indices.entry(fact.id()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(self.facts.len());
                self.fact_positions.push(at);
                self.facts.push(CampaignFact { fact: Arc::new(fact), audience_source, knowers, speakers: Vec::new() });
                self.facts.len() - 1
            }
            hash_map::Entry::Occupied(entry) => {
                let index = *entry.get();
                if fact_entry.context.speaker.is_none() {
                    let first_position = self.diagnostics.format_position(self.fact_positions[index]);
                    self.diagnostics.warn(at, format!("duplicate of {first_position}; both are imported as one fact"));
                }
                // A secret takes precedence over the default audience of the same fact.
                let has_rules = self.facts[index].audience_source == AudienceSource::Rules;
                if fact.secrecy() == Secrecy::Secret && has_rules {
                    self.restrict_to_secret(index, Vec::new());
                }
                self.facts[index].knowers.extend(knowers);
                index
            }
        };
        self.register_marks(index, &mut fact_entry);
        Some(index)
    }

    /// Registers the handle, the reveals and the public version of a fact.
    pub(super) fn register_marks(&mut self, index: usize, fact_entry: &mut FactEntry) {
        let reveals = std::mem::take(&mut fact_entry.marks.reveals);
        self.pending_reveals.extend(reveals.into_iter().map(|unparsed| (index, unparsed)));
        if let Some((handle, at)) = fact_entry.marks.handle.clone() {
            match self.handles.entry(handle) {
                hash_map::Entry::Vacant(entry) => {
                    entry.insert((index, at));
                }
                hash_map::Entry::Occupied(entry) => {
                    let first_position = self.diagnostics.format_position(entry.get().1);
                    let message = format!("duplicate id `{}`: it is already used at {first_position}", entry.key());
                    self.diagnostics.add(at, &fact_entry.path, message, "give one of the two facts another `id`");
                }
            }
        }
        if let Some(unparsed) = fact_entry.marks.public.take() {
            self.read_public_version(index, fact_entry, &unparsed);
        }
    }

    /// Builds a fact. Returns `None` if the subject or the content of the fact is unknown.
    pub(super) fn build_fact(&mut self, fact_entry: &FactEntry, fact_relation: Option<FactRelation>) -> Option<Fact> {
        let FactEntry { at, path, context, subject: Some(subject), content: Some((predicate, object)), marks } =
            fact_entry
        else {
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
        provenance.evidence.push(Evidence::File { path: self.diagnostics.path(at).to_owned(), line: at.line, field });
        if let Some((passage, quote)) = &context.passage {
            let span = Span { start: 0, end: quote.len() };
            provenance.evidence.push(Evidence::Passage { passage: *passage, span, quote: quote.clone() });
        }
        let result = FactBuilder::new(subject.clone(), predicate.clone(), object.clone(), provenance)
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
            .build();
        let error = match result {
            Ok(fact) => return Some(fact),
            Err(error) => error,
        };
        let raw_date = |date: &Option<hearsay_model::Date>| date.as_ref().map_or(String::new(), |d| d.raw.clone());
        let message = match error {
            FactError::EndBeforeStart { .. } => {
                let (from, until) = (raw_date(&marks.validity.from), raw_date(&marks.validity.until));
                format!("the end ({until}) is before the beginning ({from}); correct `since` or `until`")
            }
            error => error.to_string(),
        };
        self.diagnostics.add(at, path, message, "");
        None
    }

    /// Records a fact without marks.
    pub(super) fn record_plain_fact(
        &mut self,
        at: SourcePosition,
        path: &str,
        subject: &EntityId,
        name: &str,
        object: Object,
    ) -> Option<usize> {
        let predicate = Predicate::new(name).ok()?;
        let (context, content) = (Context::for_subject(None), (predicate, object));
        self.record_fact(FactEntry::new(at, path, &context, subject.clone(), content, Marks::default()))
    }

    /// Reads a reference to a fact by its handle. The entry of that fact may come later in the files.
    pub(super) fn read_handle_reference(&mut self, f: &Fields, key: &str) -> Option<HandleReference> {
        let node = f.get(key)?;
        self.handle_reference(node, &f.child_path(key))
    }

    fn handle_reference(&mut self, node: &Node, path: &str) -> Option<HandleReference> {
        let handle = self.read_text_node(node, path)?.trim().to_owned();
        Some(HandleReference {
            handle,
            at: node.at,
            path: path.into(),
            knowers: Vec::new(),
            speaker: None,
            passage_index: None,
            log_line: None,
        })
    }

    pub(super) fn read_rumour(&mut self, f: &Fields) {
        let status = match f.get("truth").map(|node| &node.value) {
            None => FactStatus::Claimed,
            Some(Yaml::Flag(true)) => FactStatus::Canon,
            Some(Yaml::Flag(false)) => FactStatus::False,
            Some(Yaml::Text(text)) if &**text == "unknown" => FactStatus::Claimed,
            Some(_) => {
                let at = f.get("truth").map_or(f.at, |node| node.at);
                self.diagnostics.add(
                    at,
                    &f.child_path("truth"),
                    "expected true, false or unknown",
                    "write one of these values",
                );
                return;
            }
        };
        let hearers = self.read_knower_entries(f, "heard_by", &KnowerDefaults::open(Acquisition::told(None), 0.5));
        let context = Context { status, audience_source: AudienceSource::NamedKnowers, ..Context::for_subject(None) };
        let index = self.read_fact(f, &context);
        if let Some(index) = index {
            self.facts[index].knowers.extend(hearers);
        }
        for (n, node) in self.read_list(f, "contradicts").iter().enumerate() {
            let reference = self.handle_reference(node, &item_path(&f.child_path("contradicts"), n));
            let handle = reference.as_ref().map(|reference| reference.handle.clone());
            self.contradicted_handles.extend(index.zip(handle));
            self.handle_references.extend(reference);
        }
    }

    pub(super) fn read_lie(&mut self, f: &Fields) {
        if f.get("by").is_none() {
            self.diagnostics.add(f.at, &f.path, "the lie has no speaker", "add `by: …`, or make it a rumour");
        }
        let Some(liar) = self.read_reference(f, "by") else { return };
        let acquisition = Acquisition::told(Some(liar.clone()));
        let hearers = self.read_knower_entries(f, "told_to", &KnowerDefaults::open(acquisition, 0.8));
        let context = Context {
            status: FactStatus::False,
            audience_source: AudienceSource::NamedKnowers,
            speaker: Some(liar.clone()),
            ..Context::for_subject(None)
        };
        let index = self.read_fact(f, &context);
        if let Some(index) = index {
            let liar_entry = KnowerEntry::authored(liar.clone(), Credence::NONE, false);
            self.facts[index].knowers.push(liar_entry);
            self.facts[index].knowers.extend(hearers);
        }
        if let Some(mut reference) = self.read_handle_reference(f, "truth_is") {
            self.contradicted_handles.extend(index.map(|index| (index, reference.handle.clone())));
            reference.knowers.push(KnowerEntry::authored(liar, Credence::FULL, true));
            self.handle_references.push(reference);
        }
    }

    pub(super) fn read_knowledge(&mut self, f: &Fields) {
        let entry = self.read_knower_fields(f, &KnowerDefaults::authored());
        if f.get("fact").is_none() {
            self.diagnostics.add(f.at, &f.path, "the entry names no fact", "add `fact: …`, the id of a fact");
        }
        if let Some(mut reference) = self.read_handle_reference(f, "fact") {
            reference.knowers.extend(entry);
            self.handle_references.push(reference);
        }
    }
}
