//! Conversion of all notes, in order.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Author, CampaignInfo, ExternalId, Kind, Knower, Passage, PredicateDef, Setting, Vocabulary, WorldSetting,
    attribute, slug,
};

use super::{
    assembly::{Assembly, Stub, unknown},
    ids,
    mentions::Mentions,
};
use crate::{
    Campaign, Cancel, ReadOptions,
    campaign::{Reach, Text},
    findings::Findings,
    import::{Index, Note, Notes, Role, Sure, english::ENGLISH},
};

/// Number of converted notes after which their memory is released.
const RELEASED: usize = 4096;

/// Builds a campaign from the notes that a reader returned.
///
/// - Everything that is marked as secret is secret: only its named knowers know it. If a note is secret, all facts
///   about its entity are secret. A fact that is stated both openly and in secret is secret.
/// - Facts from fields of the format become canon. Facts from free text become proposals with a low confidence.
/// - A link whose target does not exist creates an entity, called a stub. The kind of the stub is proposed to the DM.
/// - A link that matches several notes is listed in the findings. If it states a relation and matches at most four
///   notes, a relation to each of them is proposed to the DM.
pub fn assemble(notes: Notes, options: &ReadOptions) -> Campaign {
    assembled(notes, options, &Cancel::default())
}

/// Works like [`assemble`]. Returns `None` if reading was cancelled.
pub(crate) fn assemble_until(notes: Notes, options: &ReadOptions, cancel: &Cancel) -> Option<Campaign> {
    let campaign = assembled(notes, options, cancel);
    (!cancel.is_cancelled()).then_some(campaign)
}

fn assembled(mut notes: Notes, options: &ReadOptions, cancel: &Cancel) -> Campaign {
    let name = options.name.clone().unwrap_or_else(|| std::mem::take(&mut notes.name));
    let name = name.trim();
    let source = match slug(name) {
        empty if empty.is_empty() => "campaign".to_owned(),
        source => source,
    };
    let ids = ids::assign(&notes, options, &source);
    let (index, mentions) = (Index::new(&notes), Mentions::new(&notes, &ids));
    // Notes may be large, so each note is dropped as soon as its facts are complete.
    let bodies = std::mem::take(&mut notes.notes);
    let notes = &notes;
    let mut assembly = Assembly {
        notes,
        index,
        mentions,
        ids,
        kinds: BTreeMap::new(),
        names: HashMap::new(),
        external: BTreeMap::new(),
        stubs: BTreeMap::new(),
        hidden: HashSet::new(),
        others: options.earlier.of_others(&source).cloned().collect(),
        vocabulary: vocabulary(),
        calendar: notes.calendar.clone().or_else(|| options.earlier.calendar().cloned()),
        author: Author::Importer(source.clone()),
        facts: Vec::new(),
        by_id: HashMap::new(),
        both_ways: HashMap::new(),
        listed: HashSet::new(),
        last_key: Arc::default(),
        passages: Vec::new(),
        sessions: Vec::new(),
        session_ids: HashSet::new(),
        findings: Findings { format: notes.format, skipped: notes.skipped.clone(), ..Findings::default() },
    };
    assembly.all(bodies, cancel);
    let info = CampaignInfo {
        id: source,
        name: if name.is_empty() { "Campaign".to_owned() } else { name.to_owned() },
        description: notes.description.clone(),
        system: notes.system.clone(),
    };
    assembly.finish(info)
}

impl Assembly<'_> {
    fn all(&mut self, mut bodies: Vec<Note>, cancel: &Cancel) {
        for (number, note) in bodies.iter().enumerate() {
            let Some(id) = self.ids[number].clone() else { continue };
            let kind = if note.player {
                Kind::Player
            } else {
                note.kind.as_ref().map_or_else(unknown, |guess| guess.kind.clone())
            };
            self.kinds.insert(id.clone(), kind);
            self.names.insert(id.clone(), note.name.clone());
            if note.visibility.is_secret() {
                self.hidden.insert(id.clone());
            }
            let own = ExternalId { system: note.tool.to_owned(), id: note.key.clone() };
            self.external.insert(id, std::iter::once(own).chain(note.ids.iter().cloned()).collect());
        }
        let facts = bodies.iter().map(|note| 2 + note.aliases.len() + note.fields.len() + note.states.len()).sum();
        self.by_id.reserve(facts);
        // Notes are taken from the end of the list, so that the memory of finished notes can be released for new facts.
        bodies.reverse();
        let mut number = 0;
        while let Some(note) = bodies.pop().filter(|_| !cancel.is_cancelled()) {
            if bodies.len().is_multiple_of(RELEASED) {
                bodies.shrink_to_fit();
            }
            let note = &note;
            match (self.ids[number].clone(), note.role) {
                (Some(id), _) => self.entity(&id, note),
                (None, Role::Session) => self.session(note),
                (None, _) => self.texts(None, note),
            }
            number += 1;
        }
        self.stubs();
    }

    fn stubs(&mut self) {
        for (id, stub) in std::mem::take(&mut self.stubs) {
            let Stub { name, origin, key, visibility } = stub;
            let (key, visibility) = (key.as_str(), &visibility);
            self.attribute(&id, attribute::NAME, &name, Sure::Typed, &origin, key, visibility);
            self.attribute(&id, attribute::KIND, unknown().as_str(), Sure::Guessed, &origin, key, visibility);
            self.external.insert(id.clone(), Vec::new());
            self.findings.stubs.push(id);
        }
    }

    fn finish(mut self, info: CampaignInfo) -> Campaign {
        if !info.description.is_empty() {
            let mut passage = Passage::new(&info.description);
            passage.title = Some(info.name.clone());
            passage.heard_by = vec![Knower::World];
            self.passages.insert(0, Text { passage, reach: Reach::Named, subject: None, facts: Vec::new() });
        }
        let mut settings = vec![WorldSetting::Campaign(info.clone())];
        settings.extend(self.notes.calendar.clone().map(WorldSetting::Calendar));
        settings.extend(self.notes.rules.clone().map(WorldSetting::Audience));
        let is_used = |def: &&PredicateDef| self.both_ways.keys().any(|(held, ..)| *held == def.name);
        settings.extend(ENGLISH.relations.predicate.iter().filter(is_used).cloned().map(WorldSetting::Predicate));
        let settings = settings.into_iter().map(Setting::World).collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"hearsay notes 1");
        for file in &self.notes.files {
            hasher.update(file.path.as_bytes());
            hasher.update(file.digest.as_bytes());
        }
        let mut warnings = self.notes.warnings.clone();
        warnings.sort();
        warnings.dedup();
        self.findings.sort();
        Campaign {
            info,
            settings,
            vocabulary: self.vocabulary,
            rules: self.notes.rules.clone().unwrap_or_default(),
            entities: self.kinds,
            external: self.external,
            sessions: self.sessions,
            facts: self.facts,
            passages: self.passages,
            reveals: Vec::new(),
            warnings,
            digest: hasher.finalize().to_hex().to_string(),
            findings: self.findings,
            exact: None,
        }
    }
}

/// Returns the built-in vocabulary, extended by the relations that only notes use.
fn vocabulary() -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for def in &ENGLISH.relations.predicate {
        // A test checks that all definitions are valid.
        let _ = vocabulary.define(def.clone());
    }
    vocabulary
}
