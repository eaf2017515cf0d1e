//! Conversion of notes to a campaign: entities with stable ids, facts, passages, sessions, and knowers.

mod dates;
mod facts;
mod ids;
mod mentions;
pub(crate) mod relations;
mod texts;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Attitude, Audience, Author, Calendar, CampaignInfo, Confidence, EntityId, Evidence, Excerpt, ExternalId, FactId,
    FactStatus, History, Kind, Knower, Method, Object, Passage, Predicate, PredicateDef, Provenance, Secrecy, Session,
    Setting, Vocabulary, attribute, slug,
};

use super::{FileId, Found, Index, Note, Notes, Options, Origin, Role, Sure, Target, Visibility, truth::Truth};
use crate::{
    Campaign, Cancel,
    campaign::{Learned, Reach, Stated, Text},
    findings::{Findings, Place},
};
use mentions::Mentions;

/// Confidence of a field of the format, of a convention, and of free text. Only the last is below the threshold, and
/// waits for review.
const TYPED: f64 = 0.95;
const GUESSED: f64 = 0.5;

/// Maximum number of positions in the evidence of a fact.
const MAX_EVIDENCE: usize = 64;

/// The number of notes after which their memory is released.
const RELEASED: usize = 4096;

/// Builds a campaign from notes.
///
/// - Everything that is marked secret, and all facts about a secret note, are secret: only named holders know them. A
///   fact that is stated both openly and in secret is secret.
/// - Fields of the format are canon. Guesses are proposed, with a confidence below the threshold.
/// - A dangling link creates a stub, whose kind is proposed to the DM.
/// - Ambiguous links are listed, and none of their targets is used.
pub fn assemble(notes: Notes, options: &Options) -> Campaign {
    assembled(notes, options, &Cancel::default())
}

/// Works like [`assemble`]. Returns `None` if it was cancelled.
pub(crate) fn assemble_until(notes: Notes, options: &Options, cancel: &Cancel) -> Option<Campaign> {
    let campaign = assembled(notes, options, cancel);
    (!cancel.is_cancelled()).then_some(campaign)
}

fn assembled(mut notes: Notes, options: &Options, cancel: &Cancel) -> Campaign {
    let name = options.name.clone().unwrap_or_else(|| std::mem::take(&mut notes.name));
    let name = name.trim();
    let source = match slug(name) {
        empty if empty.is_empty() => "campaign".to_owned(),
        source => source,
    };
    let ids = ids::assign(&notes, options, &source);
    let (index, mentions) = (Index::new(&notes), Mentions::new(&notes, &ids));
    // Notes may be large, so each is dropped when its facts are complete.
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

struct Assembly<'a> {
    notes: &'a Notes,
    index: Index,
    mentions: Mentions,
    /// The entity of each note; `None` for a log or a text.
    ids: Vec<Option<EntityId>>,
    kinds: BTreeMap<EntityId, Kind>,
    names: HashMap<EntityId, String>,
    external: BTreeMap<EntityId, Vec<ExternalId>>,
    stubs: BTreeMap<EntityId, Stub>,
    /// The entities whose existence is secret.
    hidden: HashSet<EntityId>,
    /// The entities of other sources.
    others: HashSet<EntityId>,
    vocabulary: Vocabulary,
    calendar: Option<Calendar>,
    author: Author,
    facts: Vec<Stated>,
    by_id: HashMap<FactId, usize>,
    /// Symmetric relations, in the direction in which they were first stated.
    both_ways: HashMap<(Predicate, EntityId, EntityId), Option<Attitude>>,
    /// Links that are listed already: a file may have the same link in many positions.
    listed: HashSet<(FileId, String)>,
    /// The key of the note in the latest evidence.
    last_key: Arc<str>,
    passages: Vec<Text>,
    sessions: Vec<Session>,
    session_ids: HashSet<String>,
    findings: Findings,
}

/// An entity that is only the target of links.
struct Stub {
    name: String,
    origin: Origin,
    key: String,
    /// The knowers. The stub is open if one of its links is.
    visibility: Visibility,
}

/// The content of a fact, before it is built.
struct Saying<'s> {
    subject: &'s EntityId,
    predicate: Predicate,
    object: Object,
    /// The sentence of the fact; `None` to generate it.
    statement: Option<String>,
    sure: Sure,
    truth: Truth,
    origin: &'s Origin,
    /// The external id of the note that states it.
    key: &'s str,
    visibility: Visibility,
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
        // Taken from the end, so that memory of finished notes can be released while facts use more.
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

    /// Returns the entity of a target, if it has one. A dangling link creates a stub.
    fn target(
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

    fn place(&self, at: &Origin, what: &str) -> Place {
        Place { path: self.notes.path(at.file).to_owned(), line: at.line, what: what.to_owned() }
    }

    fn source(&self) -> &str {
        match &self.author {
            Author::Importer(source) => source,
            _ => "",
        }
    }

    fn stub(&mut self, name: &str, from: &Note, at: &Origin, visibility: &Visibility) -> Option<EntityId> {
        let name = name.split('#').next().unwrap_or_default().trim().trim_end_matches(".md");
        let name = name.rsplit('/').next().unwrap_or_default().trim();
        let mut id = EntityId::from_name(name).ok()?;
        if self.others.contains(&id) {
            // An entity of another source has this name. The DM decides whether it is the same.
            id = EntityId::from_name(&format!("{name} {}", self.source())).ok()?;
        }
        if self.kinds.contains_key(&id) && !self.stubs.contains_key(&id) {
            // The entity with that id is not the target, because the link would have been resolved.
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

    #[allow(clippy::too_many_arguments)]
    fn attribute(
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
    fn say(&mut self, saying: Saying<'_>, more: impl FnOnce(hearsay_model::FactBuilder) -> hearsay_model::FactBuilder) {
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
            let place = self.place(origin, "a fact that cannot be");
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

    /// Merges a second statement of a fact. The more certain and the more secret one wins.
    fn twice(&mut self, number: usize, again: &hearsay_model::Fact, reach: Reach, learned: Vec<Learned>) {
        let stated = &mut self.facts[number];
        let held = &stated.fact;
        let secrecy = held.secrecy().max(again.secrecy());
        let surer = again.provenance().confidence > held.provenance().confidence;
        let mut provenance = if surer { again.provenance() } else { held.provenance() }.clone();
        let other = if surer { held } else { again };
        let room = MAX_EVIDENCE.saturating_sub(provenance.evidence.len());
        provenance.evidence.extend(other.provenance().evidence.iter().take(room.min(8)).cloned());
        // A fact that is stated without doubt anywhere is not a rumour.
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

    fn audience(&mut self, visibility: &Visibility, _subject: &EntityId) -> (Secrecy, Reach, Vec<Learned>) {
        match visibility {
            Visibility::Unmarked => (Secrecy::Open, Reach::Rules, Vec::new()),
            Visibility::Marked(hearsay_model::Audience::Common) => {
                (Secrecy::Common, Reach::Only(hearsay_model::Audience::Common), Vec::new())
            }
            Visibility::Marked(audience) => (Secrecy::Open, Reach::Only(*audience), Vec::new()),
            Visibility::Secret(holders) => (Secrecy::Secret, Reach::Named, self.holders(holders)),
        }
    }

    fn holders(&self, holders: &[Target]) -> Vec<Learned> {
        let nobody = Note::default();
        let found = holders.iter().filter_map(|holder| match self.index.find(holder, &nobody, self.notes) {
            Found::One(number) => self.ids[number].clone(),
            _ => None,
        });
        let knows = found.filter(|id| self.kinds.get(id).is_some_and(Kind::can_know));
        knows.map(|id| Learned::authored(id, hearsay_model::Credence::FULL, true)).collect()
    }

    fn evidence(&mut self, origin: &Origin, key: &str) -> Evidence {
        // Facts of one note are consecutive.
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

    fn finish(mut self, info: CampaignInfo) -> Campaign {
        if !info.description.is_empty() {
            let mut passage = Passage::new(&info.description);
            passage.title = Some(info.name.clone());
            passage.heard_by = vec![Knower::World];
            self.passages.insert(0, Text { passage, reach: Reach::Named, subject: None, facts: Vec::new() });
        }
        let mut settings = vec![Setting::Campaign(info.clone())];
        settings.extend(self.notes.calendar.clone().map(Setting::Calendar));
        settings.extend(self.notes.rules.clone().map(Setting::Audience));
        // Symmetric relations of the campaign's own.
        for name in BOTH_WAYS.iter().filter_map(|(name, _)| Predicate::new(name).ok()) {
            if self.both_ways.keys().any(|(held, ..)| *held == name) {
                settings.extend(self.vocabulary.predicate(&name).cloned().map(Setting::Predicate));
            }
        }
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

/// Symmetric relations that files use and the vocabulary lacks.
const BOTH_WAYS: [(&str, &str); 2] = [("MARRIED_TO", "is married to"), ("SIBLING_OF", "is a sibling of")];

fn vocabulary() -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for (name, phrase) in BOTH_WAYS {
        let Ok(name) = Predicate::new(name) else { continue };
        let def = PredicateDef {
            name,
            inverse: None,
            phrase: format!("{{subject}} {phrase} {{object}}"),
            inverse_phrase: Some(format!("{{object}} {phrase} {{subject}}")),
            symmetric: true,
            functional: false,
            history: History::Full,
            embedded: true,
            audience: Some(Audience::Local),
            opposites: Vec::new(),
            examples: Vec::new(),
        };
        // The names are free, because the vocabulary is still the default.
        let _ = vocabulary.define(def);
    }
    vocabulary
}

/// Returns the kind of an unknown entity.
fn unknown() -> Kind {
    Kind::Custom("unknown".into())
}

/// Returns the entities without duplicates, in the order of their ids.
fn sorted(ids: impl IntoIterator<Item = EntityId>) -> Vec<EntityId> {
    ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}
