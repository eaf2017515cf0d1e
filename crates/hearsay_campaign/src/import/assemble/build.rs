//! Converts all notes to a campaign, in order.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Author, CampaignInfo, EntityId, Evidence, ExternalId, Kind, Knower, Passage, Setting, Vocabulary, WorldSetting,
    attribute, slug,
};

use super::{
    assembly::{Assembly, NotePart, Stub, unknown_kind},
    entity_names::EntityNames,
    ids,
};
use crate::{
    Campaign, CancelToken, ReadOptions, Warning,
    audience::undeclared_relation_note,
    campaign::{AudienceSource, CampaignFact, CampaignPassage},
    findings::ImportFindings,
    import::{Certainty, Note, NoteIndex, Notes, Role},
};

/// Number of converted notes after which the memory of these notes is released.
const NOTES_PER_RELEASE: usize = 4096;

/// Builds a campaign from the notes that a reader returned.
///
/// - If a part of a note is marked as secret, its facts are secret: only their named knowers know them. If a whole note
///   is secret, all facts about its entity are secret. If a fact is stated both openly and in secret, the fact is
///   secret.
/// - Facts from fields of the format become canon. Facts from free text become proposals with a low confidence.
/// - A link whose target does not exist creates an entity, called a stub. The kind of the stub is proposed to the DM.
/// - A link that matches several notes is listed in the findings. If the link states a relation and matches at most
///   four notes, a relation to each of these notes is proposed to the DM.
pub fn assemble(notes: Notes, options: &ReadOptions) -> Campaign {
    build_campaign(notes, options, &CancelToken::default())
}

/// Works like [`assemble`]. Returns `None` if reading was cancelled.
pub(crate) fn assemble_cancellable(notes: Notes, options: &ReadOptions, cancel: &CancelToken) -> Option<Campaign> {
    let campaign = build_campaign(notes, options, cancel);
    (!cancel.is_cancelled()).then_some(campaign)
}

fn build_campaign(mut notes: Notes, options: &ReadOptions, cancel: &CancelToken) -> Campaign {
    let name = options.name.clone().unwrap_or_else(|| std::mem::take(&mut notes.name));
    let name = name.trim();
    let source = match slug(name) {
        empty if empty.is_empty() => "campaign".to_owned(),
        source => source,
    };
    let entity_ids = ids::assign_ids(&notes, options, &source);
    let foreign_entities: HashSet<_> = options.earlier.foreign_entities(&source).cloned().collect();
    let known_entities: HashSet<_> = options.known_entities.values().collect();
    let is_linked = |id: &&EntityId| foreign_entities.contains(*id) && !known_entities.contains(*id);
    let linked = entity_ids.iter().flatten().filter(is_linked).cloned().collect();
    let (index, mentions) = (NoteIndex::new(&notes), EntityNames::new(&notes, &entity_ids));
    // Notes may be large, so each note is dropped as soon as its facts are complete.
    let bodies = std::mem::take(&mut notes.notes);
    let notes = &notes;
    let mut assembly = Assembly {
        notes,
        index,
        mentions,
        entity_ids,
        kinds: BTreeMap::new(),
        names: HashMap::new(),
        external_ids: BTreeMap::new(),
        stubs: BTreeMap::new(),
        usual_places: BTreeMap::new(),
        secret_entities: HashSet::new(),
        earlier: &options.earlier,
        foreign_entities,
        vocabulary: options.earlier.vocabulary().clone(),
        calendar: notes.calendar.clone().or_else(|| options.earlier.calendar().cloned()),
        author: Author::Importer(source.clone()),
        facts: Vec::new(),
        fact_indices: HashMap::new(),
        symmetric_relations: HashMap::new(),
        reported_links: HashSet::new(),
        last_key: Arc::default(),
        passages: Vec::new(),
        sessions: Vec::new(),
        session_ids: HashSet::new(),
        findings: ImportFindings {
            format: notes.format,
            skipped: notes.skipped.clone(),
            linked,
            ..ImportFindings::default()
        },
    };
    assembly.add_notes(bodies, cancel);
    let info = CampaignInfo {
        id: source,
        name: if name.is_empty() { "Campaign".to_owned() } else { name.to_owned() },
        description: notes.description.clone(),
        system: notes.system.clone(),
    };
    assembly.finish(info)
}

impl Assembly<'_> {
    fn add_notes(&mut self, mut bodies: Vec<Note>, cancel: &CancelToken) {
        for (index, note) in bodies.iter().enumerate() {
            let Some(id) = self.entity_ids[index].clone() else { continue };
            let kind = if note.is_player {
                Kind::Player
            } else {
                note.kind.as_ref().map_or_else(unknown_kind, |guess| guess.kind.clone())
            };
            self.kinds.insert(id.clone(), kind);
            self.names.insert(id.clone(), note.name.clone());
            if note.visibility.is_secret() {
                self.secret_entities.insert(id.clone());
            }
            let external_id = ExternalId { system: note.tool.to_owned(), id: note.key.clone() };
            self.external_ids.insert(id, std::iter::once(external_id).chain(note.ids.iter().cloned()).collect());
        }
        let fact_count = bodies.iter().map(|note| 2 + note.aliases.len() + note.fields.len() + note.states.len()).sum();
        self.fact_indices.reserve(fact_count);
        // Notes are taken from the end of the list, so that the memory of finished notes can be released for new facts.
        bodies.reverse();
        let mut index = 0;
        while let Some(note) = bodies.pop().filter(|_| !cancel.is_cancelled()) {
            if bodies.len().is_multiple_of(NOTES_PER_RELEASE) {
                bodies.shrink_to_fit();
            }
            let note = &note;
            match (self.entity_ids[index].clone(), note.role) {
                (Some(id), _) => self.add_entity(&id, note),
                (None, Role::Session) => self.add_session(note),
                (None, _) => self.add_texts(None, note),
            }
            index += 1;
        }
        self.add_homes();
        self.add_stubs();
    }

    fn add_stubs(&mut self) {
        for (id, stub) in std::mem::take(&mut self.stubs) {
            let Stub { name, origin, key, visibility } = stub;
            let part = NotePart { origin: &origin, key: &key, visibility: &visibility };
            self.record_attribute(&id, attribute::NAME, &name, Certainty::Explicit, part);
            self.record_attribute(&id, attribute::KIND, unknown_kind().as_str(), Certainty::Inferred, part);
            self.external_ids.insert(id.clone(), Vec::new());
            self.findings.stubs.push(id);
        }
    }

    fn finish(mut self, info: CampaignInfo) -> Campaign {
        if !info.description.is_empty() {
            let mut passage = Passage::new(&info.description);
            passage.title = Some(info.name.clone());
            passage.heard_by = vec![Knower::World];
            self.passages.insert(
                0,
                CampaignPassage {
                    passage,
                    audience_source: AudienceSource::NamedKnowers,
                    subject: None,
                    facts: Vec::new(),
                },
            );
        }
        let mut settings = vec![WorldSetting::Campaign(info.clone())];
        settings.extend(self.notes.calendar.clone().map(WorldSetting::Calendar));
        settings.extend(self.notes.rules.clone().map(WorldSetting::Audience));
        let settings = settings.into_iter().map(Setting::World).collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"hearsay notes 1");
        for file in &self.notes.files {
            hasher.update(file.path.as_bytes());
            hasher.update(file.digest.as_bytes());
        }
        let mut warnings = self.notes.warnings.clone();
        warnings.extend(undeclared_relation_warnings(&self.vocabulary, &self.facts));
        warnings.sort();
        warnings.dedup();
        self.findings.sort();
        Campaign {
            info,
            settings,
            vocabulary: self.vocabulary,
            rules: self.notes.rules.clone().unwrap_or_default(),
            entities: self.kinds,
            external_ids: self.external_ids,
            sessions: self.sessions,
            facts: self.facts,
            passages: self.passages,
            reveals: Vec::new(),
            warnings,
            digest: hasher.finalize().to_hex().to_string(),
            findings: self.findings,
            unchanged_records: None,
        }
    }
}

/// Returns a warning for the first fact of each relation that the vocabulary does not define.
fn undeclared_relation_warnings(vocabulary: &Vocabulary, facts: &[CampaignFact]) -> Vec<Warning> {
    let (mut found, mut warnings) = (HashSet::new(), Vec::new());
    for CampaignFact { fact, .. } in facts {
        let name = fact.predicate();
        if !name.is_relation() || vocabulary.predicate(name).is_some() || !found.insert(name) {
            continue;
        }
        let Some(Evidence::Excerpt(excerpt)) = fact.provenance().evidence.first() else { continue };
        let message = format!("{name} is not a known relation. {}", undeclared_relation_note(vocabulary, name));
        warnings.push(Warning { path: excerpt.path.to_string(), line: excerpt.line, message });
    }
    warnings
}
