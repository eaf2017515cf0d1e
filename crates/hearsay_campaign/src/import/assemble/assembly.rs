//! The campaign that is being built from notes.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Attitude, Author, Calendar, Confidence, EntityId, Evidence, Excerpt, ExternalId, FactBuilder, FactId, FactStatus,
    Kind, Method, Object, Predicate, Provenance, Secrecy, Session, Vocabulary,
};

use super::entity_names::EntityNames;
use crate::{
    EarlierImports,
    campaign::{AudienceSource, CampaignFact, CampaignPassage, KnowerEntry},
    findings::{FileLocation, ImportFindings},
    import::{Certainty, FileId, LinkResolution, LinkTarget, Note, NoteIndex, Notes, Origin, Visibility, truth::Truth},
};

/// Confidence of a fact from a field or convention of the format. Such a fact needs no review.
const EXPLICIT_CONFIDENCE: f64 = 0.95;
/// Confidence of a fact from free text. This confidence is so low that the fact waits for review.
const INFERRED_CONFIDENCE: f64 = 0.5;

/// Maximum number of evidence entries of a fact.
const MAX_EVIDENCE: usize = 64;

/// The campaign that is being built from notes.
pub(super) struct Assembly<'a> {
    pub(super) notes: &'a Notes,
    pub(super) index: NoteIndex,
    pub(super) mentions: EntityNames,
    /// The entity of each note; `None` for a note that is a session log or a text.
    pub(super) entity_ids: Vec<Option<EntityId>>,
    pub(super) kinds: BTreeMap<EntityId, Kind>,
    pub(super) names: HashMap<EntityId, String>,
    pub(super) external_ids: BTreeMap<EntityId, Vec<ExternalId>>,
    pub(super) stubs: BTreeMap<EntityId, Stub>,
    /// The usual places of each entity whose note states no home.
    pub(super) usual_places: BTreeMap<EntityId, Vec<UsualPlace>>,
    /// The entities whose existence is secret.
    pub(super) secret_entities: HashSet<EntityId>,
    pub(super) earlier: &'a EarlierImports,
    /// Entities that other sources added.
    pub(super) foreign_entities: HashSet<EntityId>,
    pub(super) vocabulary: Vocabulary,
    pub(super) calendar: Option<Calendar>,
    pub(super) author: Author,
    pub(super) facts: Vec<CampaignFact>,
    pub(super) fact_indices: HashMap<FactId, usize>,
    /// Symmetric relations with their attitudes, in the direction in which they were first stated.
    pub(super) symmetric_relations: HashMap<(Predicate, EntityId, EntityId), Option<Attitude>>,
    /// Links that are already in the findings. A file can contain the same link several times.
    pub(super) reported_links: HashSet<(FileId, String)>,
    /// The note key of the latest evidence. The facts of one note share this string.
    pub(super) last_key: Arc<str>,
    pub(super) passages: Vec<CampaignPassage>,
    pub(super) sessions: Vec<Session>,
    pub(super) session_ids: HashSet<String>,
    pub(super) findings: ImportFindings,
}

/// An entity without a note of its own: it exists only because links refer to it.
pub(super) struct Stub {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) key: String,
    /// The visibility of the stub. The stub is open if at least one of the links to the stub is open.
    pub(super) visibility: Visibility,
}

/// The place that a note states as the location of its entity.
pub(super) struct UsualPlace {
    pub(super) place: EntityId,
    pub(super) origin: Origin,
    /// The external id of the note.
    pub(super) key: String,
    pub(super) visibility: Visibility,
}

/// The content of a fact that is not built yet.
pub(super) struct FactDraft<'s> {
    pub(super) subject: &'s EntityId,
    pub(super) predicate: Predicate,
    pub(super) object: Object,
    /// The sentence of the fact; `None` to generate it.
    pub(super) statement: Option<String>,
    pub(super) certainty: Certainty,
    pub(super) truth: Truth,
    pub(super) origin: &'s Origin,
    /// The external id of the note that states the fact.
    pub(super) key: &'s str,
    pub(super) visibility: Visibility,
}

/// The part of a note that states an attribute or a relation.
#[derive(Clone, Copy)]
pub(super) struct NotePart<'s> {
    pub(super) origin: &'s Origin,
    /// The external id of the note.
    pub(super) key: &'s str,
    pub(super) visibility: &'s Visibility,
}

impl Assembly<'_> {
    /// Returns the entity of a link target, or `None` if the target is ambiguous or names no entity. A link whose
    /// target does not exist creates a stub.
    pub(super) fn resolve_target(
        &mut self,
        target: &LinkTarget,
        label: Option<&str>,
        source_note: &Note,
        origin: &Origin,
        visibility: &Visibility,
    ) -> Option<EntityId> {
        let display_name = match target {
            LinkTarget::Name(name) => name.as_str(),
            LinkTarget::Key(key) => label.unwrap_or(key),
        };
        match self.index.find(target, source_note, self.notes) {
            LinkResolution::One(index) => {
                self.findings.resolved += 1;
                self.entity_ids[index].clone()
            }
            LinkResolution::NoEntity => {
                self.findings.nobody += 1;
                None
            }
            LinkResolution::Ambiguous(indices) => {
                if self.reported_links.insert((origin.file, display_name.to_owned())) {
                    let candidates = indices.iter().filter_map(|index| self.entity_ids[*index].clone()).collect();
                    let location = self.location(origin, display_name);
                    self.findings.ambiguous.push((location, candidates));
                }
                None
            }
            LinkResolution::Dangling => {
                if let Some(id) = self.find_namesake(display_name) {
                    self.findings.resolved += 1;
                    return Some(id);
                }
                if self.reported_links.insert((origin.file, display_name.to_owned())) {
                    let location = self.location(origin, display_name);
                    self.findings.dangling.push(location);
                }
                self.add_stub(display_name, source_note, origin, visibility)
            }
        }
    }

    /// Returns the entity of another source that has the name of a link without a note.
    fn find_namesake(&mut self, name: &str) -> Option<EntityId> {
        let earlier = self.earlier;
        let id = earlier.namesake(self.source(), name, None)?;
        let kind = || earlier.kind(id).cloned().unwrap_or_else(unknown_kind);
        self.kinds.entry(id.clone()).or_insert_with(kind);
        self.names.entry(id.clone()).or_insert_with(|| name.to_owned());
        Some(id.clone())
    }

    pub(super) fn location(&self, origin: &Origin, text: &str) -> FileLocation {
        FileLocation { path: self.notes.path(origin.file).to_owned(), line: origin.line, text: text.to_owned() }
    }

    pub(super) fn source(&self) -> &str {
        match &self.author {
            Author::Importer(source) => source,
            _ => "",
        }
    }

    pub(super) fn add_stub(
        &mut self,
        name: &str,
        source_note: &Note,
        origin: &Origin,
        visibility: &Visibility,
    ) -> Option<EntityId> {
        let name = name.split('#').next().unwrap_or_default().trim().trim_end_matches(".md");
        let name = name.rsplit('/').next().unwrap_or_default().trim();
        let mut id = EntityId::from_name(name).ok()?;
        if self.foreign_entities.contains(&id) {
            // An entity of another source has this name. The DM decides whether both are the same.
            id = EntityId::from_name(&format!("{name} {}", self.source())).ok()?;
        }
        if self.kinds.contains_key(&id) && !self.stubs.contains_key(&id) {
            // Another entity has this id. The link cannot refer to that entity, because otherwise the caller would have
            // found the entity.
            return None;
        }
        let visibility = visibility.within(&source_note.visibility);
        let stub = self.stubs.entry(id.clone()).or_insert_with(|| Stub {
            name: name.to_owned(),
            origin: origin.clone(),
            key: source_note.key.clone(),
            visibility: visibility.clone(),
        });
        if stub.visibility.is_secret() && !visibility.is_secret() {
            (stub.visibility, stub.origin, stub.key) = (visibility, origin.clone(), source_note.key.clone());
        }
        self.kinds.entry(id.clone()).or_insert_with(unknown_kind);
        self.names.entry(id.clone()).or_insert_with(|| name.to_owned());
        Some(id)
    }

    pub(super) fn record_attribute(
        &mut self,
        subject: &EntityId,
        name: &str,
        value: &str,
        certainty: Certainty,
        part: NotePart<'_>,
    ) {
        if value.trim().is_empty() {
            return;
        }
        let Ok(predicate) = Predicate::new(name) else { return };
        let object = Object::Value(value.trim().into());
        let NotePart { origin, key, visibility } = part;
        let (truth, visibility) = (Truth::Plain, visibility.clone());
        self.record_fact(
            FactDraft { subject, predicate, object, statement: None, certainty, truth, origin, key, visibility },
            |builder| builder,
        );
    }

    /// Records a fact.
    pub(super) fn record_fact(&mut self, draft: FactDraft<'_>, customize: impl FnOnce(FactBuilder) -> FactBuilder) {
        let FactDraft { subject, predicate, object, statement, certainty, truth, origin, key, visibility } = draft;
        let mut statement = statement.unwrap_or_else(|| {
            let object_name = object.entity().map_or_else(|| object.to_string(), |id| self.entity_name(id).to_owned());
            self.vocabulary.sentence(&predicate, self.entity_name(subject), &object_name)
        });
        statement.shrink_to_fit();
        let mut provenance = Provenance::new(Method::Imported, self.author.clone());
        let confidence = if certainty == Certainty::Explicit { EXPLICIT_CONFIDENCE } else { INFERRED_CONFIDENCE };
        provenance.confidence = Confidence::new(confidence).unwrap_or(Confidence::FULL);
        provenance.evidence = vec![self.excerpt_evidence(origin, key)];
        let (secrecy, audience_source, knowers) = self.audience_for(&visibility, subject);
        let status = if certainty == Certainty::Explicit { truth.status() } else { FactStatus::Proposed };
        let builder = FactBuilder::new(subject.clone(), predicate, object, provenance);
        let Ok(fact) = customize(builder.statement(statement).status(status).secrecy(secrecy)).build() else {
            let location = self.location(origin, "an invalid fact");
            self.findings.not_understood.push(location);
            return;
        };
        match self.fact_indices.get(&fact.id()) {
            None => {
                self.fact_indices.insert(fact.id(), self.facts.len());
                self.facts.push(CampaignFact { fact: Arc::new(fact), audience_source, knowers, speakers: Vec::new() });
            }
            Some(index) => self.merge_statement(*index, &fact, audience_source, knowers),
        }
    }

    /// Merges a second statement of a fact into the first. The result has the status and provenance of the more certain
    /// statement, and the stricter secrecy of the two.
    pub(super) fn merge_statement(
        &mut self,
        index: usize,
        restated: &hearsay_model::Fact,
        audience_source: AudienceSource,
        knowers: Vec<KnowerEntry>,
    ) {
        let campaign_fact = &mut self.facts[index];
        let existing = &campaign_fact.fact;
        let secrecy = existing.secrecy().max(restated.secrecy());
        let is_more_certain = restated.provenance().confidence > existing.provenance().confidence;
        let mut provenance = if is_more_certain { restated.provenance() } else { existing.provenance() }.clone();
        let other = if is_more_certain { existing } else { restated };
        let remaining_capacity = MAX_EVIDENCE.saturating_sub(provenance.evidence.len());
        provenance.evidence.extend(other.provenance().evidence.iter().take(remaining_capacity.min(8)).cloned());
        // If any note states the fact without doubt, the fact is not a rumour.
        let removes_doubt = restated.status() == FactStatus::Canon && existing.status() == FactStatus::Claimed;
        let status = if is_more_certain || removes_doubt { restated.status() } else { existing.status() };
        if secrecy == Secrecy::Secret {
            campaign_fact.audience_source = AudienceSource::NamedKnowers;
            campaign_fact.knowers.extend(knowers);
        } else if audience_source != AudienceSource::Rules {
            campaign_fact.audience_source = audience_source;
        }
        if let Ok(fact) = existing.to_builder().secrecy(secrecy).status(status).provenance(provenance).build() {
            campaign_fact.fact = Arc::new(fact);
        }
    }

    pub(super) fn audience_for(
        &mut self,
        visibility: &Visibility,
        _subject: &EntityId,
    ) -> (Secrecy, AudienceSource, Vec<KnowerEntry>) {
        match visibility {
            Visibility::Unmarked => (Secrecy::Open, AudienceSource::Rules, Vec::new()),
            Visibility::Marked(hearsay_model::Audience::Common) => {
                (Secrecy::Common, AudienceSource::Stated(hearsay_model::Audience::Common), Vec::new())
            }
            Visibility::Marked(audience) => (Secrecy::Open, AudienceSource::Stated(*audience), Vec::new()),
            Visibility::Secret(holders) => {
                (Secrecy::Secret, AudienceSource::NamedKnowers, self.resolve_holders(holders))
            }
        }
    }

    pub(super) fn resolve_holders(&self, holders: &[LinkTarget]) -> Vec<KnowerEntry> {
        let no_note = Note::default();
        let holder_ids = holders.iter().filter_map(|holder| match self.index.find(holder, &no_note, self.notes) {
            LinkResolution::One(index) => self.entity_ids[index].clone(),
            _ => None,
        });
        let knowers = holder_ids.filter(|id| self.kinds.get(id).is_some_and(Kind::can_know));
        knowers.map(|id| KnowerEntry::authored(id, hearsay_model::Credence::FULL, true)).collect()
    }

    pub(super) fn excerpt_evidence(&mut self, origin: &Origin, key: &str) -> Evidence {
        // The facts of one note are recorded one after the other, so they share one string for the key.
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
pub(super) fn unknown_kind() -> Kind {
    Kind::Custom("unknown".into())
}
