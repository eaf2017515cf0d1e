//! A campaign under construction from notes.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Attitude, Author, Calendar, Confidence, EntityId, Evidence, Excerpt, ExternalId, FactId, FactStatus, Kind, Method,
    Object, Predicate, Provenance, Secrecy, Session, Vocabulary,
};

use super::mentions::Mentions;
use crate::{
    campaign::{Learned, Reach, Stated, Text},
    findings::{Findings, Place},
    import::{FileId, Found, Index, Note, Notes, Origin, Sure, Target, Visibility, truth::Truth},
};

/// Confidence of a fact from a field or convention of the format. Such a fact needs no review.
const TYPED: f64 = 0.95;
/// Confidence of a fact from free text. It is so low that the fact waits for review.
const GUESSED: f64 = 0.5;

/// Maximum number of evidence entries of a fact.
const MAX_EVIDENCE: usize = 64;

/// A campaign under construction from notes.
pub(super) struct Assembly<'a> {
    pub(super) notes: &'a Notes,
    pub(super) index: Index,
    pub(super) mentions: Mentions,
    /// The entity of each note; `None` for a note that is a session log or a text.
    pub(super) ids: Vec<Option<EntityId>>,
    pub(super) kinds: BTreeMap<EntityId, Kind>,
    pub(super) names: HashMap<EntityId, String>,
    pub(super) external: BTreeMap<EntityId, Vec<ExternalId>>,
    pub(super) stubs: BTreeMap<EntityId, Stub>,
    /// The entities whose existence is secret.
    pub(super) hidden: HashSet<EntityId>,
    /// Entities that other sources added.
    pub(super) others: HashSet<EntityId>,
    pub(super) vocabulary: Vocabulary,
    pub(super) calendar: Option<Calendar>,
    pub(super) author: Author,
    pub(super) facts: Vec<Stated>,
    pub(super) by_id: HashMap<FactId, usize>,
    /// Symmetric relations with their attitudes, in the direction in which they were first stated.
    pub(super) both_ways: HashMap<(Predicate, EntityId, EntityId), Option<Attitude>>,
    /// Links that are already in the findings. A file may contain the same link several times.
    pub(super) listed: HashSet<(FileId, String)>,
    /// The note key of the latest evidence. Facts of the same note share this key.
    pub(super) last_key: Arc<str>,
    pub(super) passages: Vec<Text>,
    pub(super) sessions: Vec<Session>,
    pub(super) session_ids: HashSet<String>,
    pub(super) findings: Findings,
}

/// An entity without a note of its own: it exists only because links refer to it.
pub(super) struct Stub {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) key: String,
    /// The visibility of the stub. It is open if at least one of the links to the stub is open.
    pub(super) visibility: Visibility,
}

/// The content of a fact that is not built yet.
pub(super) struct Saying<'s> {
    pub(super) subject: &'s EntityId,
    pub(super) predicate: Predicate,
    pub(super) object: Object,
    /// The sentence of the fact; `None` to generate it.
    pub(super) statement: Option<String>,
    pub(super) sure: Sure,
    pub(super) truth: Truth,
    pub(super) origin: &'s Origin,
    /// The external id of the note that states the fact.
    pub(super) key: &'s str,
    pub(super) visibility: Visibility,
}

impl Assembly<'_> {
    /// Returns the entity of a link target, or `None` if the target is ambiguous or names no entity. A link whose
    /// target does not exist creates a stub.
    pub(super) fn target(
        &mut self,
        target: &Target,
        label: Option<&str>,
        from: &Note,
        at: &Origin,
        visibility: &Visibility,
    ) -> Option<EntityId> {
        let shown = match target {
            Target::Name(name) => name.as_str(),
            Target::Key(key) => label.unwrap_or(key),
        };
        match self.index.find(target, from, self.notes) {
            Found::One(number) => {
                self.findings.resolved += 1;
                self.ids[number].clone()
            }
            Found::Nobody => {
                self.findings.nobody += 1;
                None
            }
            Found::Several(several) => {
                if self.listed.insert((at.file, shown.to_owned())) {
                    let meant = several.iter().filter_map(|number| self.ids[*number].clone()).collect();
                    let place = self.place(at, shown);
                    self.findings.ambiguous.push((place, meant));
                }
                None
            }
            Found::Dangling => {
                if self.listed.insert((at.file, shown.to_owned())) {
                    let place = self.place(at, shown);
                    self.findings.dangling.push(place);
                }
                self.stub(shown, from, at, visibility)
            }
        }
    }

    pub(super) fn place(&self, at: &Origin, what: &str) -> Place {
        Place { path: self.notes.path(at.file).to_owned(), line: at.line, what: what.to_owned() }
    }

    pub(super) fn source(&self) -> &str {
        match &self.author {
            Author::Importer(source) => source,
            _ => "",
        }
    }

    pub(super) fn stub(&mut self, name: &str, from: &Note, at: &Origin, visibility: &Visibility) -> Option<EntityId> {
        let name = name.split('#').next().unwrap_or_default().trim().trim_end_matches(".md");
        let name = name.rsplit('/').next().unwrap_or_default().trim();
        let mut id = EntityId::from_name(name).ok()?;
        if self.others.contains(&id) {
            // An entity of another source has this name. The DM decides whether both are the same.
            id = EntityId::from_name(&format!("{name} {}", self.source())).ok()?;
        }
        if self.kinds.contains_key(&id) && !self.stubs.contains_key(&id) {
            // Another entity has this id. The link does not refer to that entity, because then it would have been
            // resolved.
            return None;
        }
        let visibility = visibility.within(&from.visibility);
        let stub = self.stubs.entry(id.clone()).or_insert_with(|| Stub {
            name: name.to_owned(),
            origin: at.clone(),
            key: from.key.clone(),
            visibility: visibility.clone(),
        });
        if stub.visibility.is_secret() && !visibility.is_secret() {
            (stub.visibility, stub.origin, stub.key) = (visibility, at.clone(), from.key.clone());
        }
        self.kinds.entry(id.clone()).or_insert_with(unknown);
        self.names.entry(id.clone()).or_insert_with(|| name.to_owned());
        Some(id)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn attribute(
        &mut self,
        subject: &EntityId,
        name: &str,
        value: &str,
        sure: Sure,
        origin: &Origin,
        key: &str,
        visibility: &Visibility,
    ) {
        if value.trim().is_empty() {
            return;
        }
        let Ok(predicate) = Predicate::new(name) else { return };
        let object = Object::Value(value.trim().into());
        let visibility = visibility.clone();
        let truth = Truth::Plain;
        self.say(
            Saying { subject, predicate, object, statement: None, sure, truth, origin, key, visibility },
            |builder| builder,
        );
    }

    /// Records a fact.
    pub(super) fn say(
        &mut self,
        saying: Saying<'_>,
        more: impl FnOnce(hearsay_model::FactBuilder) -> hearsay_model::FactBuilder,
    ) {
        let Saying { subject, predicate, object, statement, sure, truth, origin, key, visibility } = saying;
        let mut statement = statement.unwrap_or_else(|| {
            let shown = object.entity().map_or_else(|| object.to_string(), |id| self.name(id).to_owned());
            self.vocabulary.sentence(&predicate, self.name(subject), &shown)
        });
        statement.shrink_to_fit();
        let mut provenance = Provenance::new(Method::Imported, self.author.clone());
        let confidence = if sure == Sure::Typed { TYPED } else { GUESSED };
        provenance.confidence = Confidence::new(confidence).unwrap_or(Confidence::FULL);
        provenance.evidence = vec![self.evidence(origin, key)];
        let (secrecy, reach, learned) = self.audience(&visibility, subject);
        let status = if sure == Sure::Typed { truth.status() } else { FactStatus::Proposed };
        let begun = match &object {
            Object::Entity(id) => hearsay_model::Fact::relation(subject, predicate, id, provenance),
            Object::Value(value) => hearsay_model::Fact::attribute(subject, predicate, value.clone(), provenance),
        };
        let built =
            begun.and_then(|builder| more(builder.statement(statement).status(status).secrecy(secrecy)).build());
        let Ok(fact) = built else {
            let place = self.place(origin, "an invalid fact");
            self.findings.unclear.push(place);
            return;
        };
        match self.by_id.get(&fact.id()) {
            None => {
                self.by_id.insert(fact.id(), self.facts.len());
                self.facts.push(Stated { fact: Arc::new(fact), reach, learned, speakers: Vec::new() });
            }
            Some(number) => self.twice(*number, &fact, reach, learned),
        }
    }

    /// Merges a second statement of a fact into the first. The result has the status and provenance of the more certain
    /// statement, and the stricter secrecy of the two.
    pub(super) fn twice(&mut self, number: usize, again: &hearsay_model::Fact, reach: Reach, learned: Vec<Learned>) {
        let stated = &mut self.facts[number];
        let held = &stated.fact;
        let secrecy = held.secrecy().max(again.secrecy());
        let surer = again.provenance().confidence > held.provenance().confidence;
        let mut provenance = if surer { again.provenance() } else { held.provenance() }.clone();
        let other = if surer { held } else { again };
        let room = MAX_EVIDENCE.saturating_sub(provenance.evidence.len());
        provenance.evidence.extend(other.provenance().evidence.iter().take(room.min(8)).cloned());
        // If any note states the fact without doubt, the fact is not a rumour.
        let plainer = again.status() == FactStatus::Canon && held.status() == FactStatus::Claimed;
        let status = if surer || plainer { again.status() } else { held.status() };
        if secrecy == Secrecy::Secret {
            stated.reach = Reach::Named;
            stated.learned.extend(learned);
        } else if reach != Reach::Rules {
            stated.reach = reach;
        }
        if let Ok(fact) = held.to_builder().secrecy(secrecy).status(status).provenance(provenance).build() {
            stated.fact = Arc::new(fact);
        }
    }

    pub(super) fn audience(&mut self, visibility: &Visibility, _subject: &EntityId) -> (Secrecy, Reach, Vec<Learned>) {
        match visibility {
            Visibility::Unmarked => (Secrecy::Open, Reach::Rules, Vec::new()),
            Visibility::Marked(hearsay_model::Audience::Common) => {
                (Secrecy::Common, Reach::Only(hearsay_model::Audience::Common), Vec::new())
            }
            Visibility::Marked(audience) => (Secrecy::Open, Reach::Only(*audience), Vec::new()),
            Visibility::Secret(holders) => (Secrecy::Secret, Reach::Named, self.holders(holders)),
        }
    }

    pub(super) fn holders(&self, holders: &[Target]) -> Vec<Learned> {
        let nobody = Note::default();
        let found = holders.iter().filter_map(|holder| match self.index.find(holder, &nobody, self.notes) {
            Found::One(number) => self.ids[number].clone(),
            _ => None,
        });
        let knows = found.filter(|id| self.kinds.get(id).is_some_and(Kind::can_know));
        knows.map(|id| Learned::authored(id, hearsay_model::Credence::FULL, true)).collect()
    }

    pub(super) fn evidence(&mut self, origin: &Origin, key: &str) -> Evidence {
        // The facts of one note are recorded one after the other, so they share the key.
        if &*self.last_key != key {
            self.last_key = key.into();
        }
        Evidence::Excerpt(Arc::new(Excerpt {
            path: self.notes.files.get(origin.file.0 as usize).map(|file| file.path.clone()).unwrap_or_default(),
            line: origin.line,
            field: origin.field.clone(),
            span: origin.span(),
            quote: origin.quote.clone(),
            source: self.last_key.clone(),
            hash: format!("{:016x}", origin.hash),
        }))
    }
}

/// Returns the kind of an entity whose kind is unknown.
pub(super) fn unknown() -> Kind {
    Kind::Custom("unknown".into())
}
