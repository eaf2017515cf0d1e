//! Reading: turns the facts extracted from a passage into proposals. The hearers of the passage learn these facts.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use hearsay_extract::{
    DocumentLine, ExtractedFact, Extraction, Extractor, FactObject, Lexicon, LineRole, LineStatements, Mention,
    ReadingModel, SentenceEncoder, Text, TextType,
};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Date, Entity, EntityId, Evidence, Fact, FactId, FactStatus, Knower,
    Object, Operation, Passage, PassageId, Predicate, Resolution, SessionId, State, Timestamp, Validity, attribute,
    text,
};
use hearsay_query::{
    resolve::resolve,
    review::{extracted_names, is_unconfirmed_entity},
};
use serde::Serialize;

use crate::{
    CommandError,
    policy::{Policy, PolicyDecision, StatementSource},
    proposal::{Proposal, ProposalCounts, ProposalRules, TextSource, propose},
};

/// Number of preceding lines that the reading model gets as context.
const MAX_CONTEXT_LINES: u32 = 16;

/// Number of preceding lines in which the patterns search for the entities that pronouns refer to.
const MAX_PATTERN_CONTEXT_LINES: usize = 3;

/// The confidence of a fact about a new entity is limited to the threshold minus this amount, so that the fact waits
/// for review.
const REVIEW_MARGIN: f64 = 0.01;

/// A text from which facts are extracted as a trial. The facts are not recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// Text from which facts are extracted.
    pub text: String,
    /// Type of the text.
    pub form: TextType,
    /// Speaker of the text: an id or a name.
    pub speaker: Option<String>,
    /// Entities that are present when the text is said: ids or names. They help to link names in the text to entities.
    pub present: Vec<String>,
    /// Place where the text is said: an id or a name.
    pub place: Option<String>,
    /// Lines that precede the text, earliest first.
    pub before: Vec<String>,
}

/// The result of extraction from a draft.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DraftExtraction {
    /// Facts and entities that were found in the text.
    #[serde(flatten)]
    pub extraction: Extraction,
    /// Status that the policy gives each extracted fact according to its confidence; `None` for a fact that the policy
    /// drops. Other rules are not applied.
    pub statuses: Vec<Option<FactStatus>>,
}

impl Draft {
    /// Replaces the names in the draft with ids. Returns an error if a name matches no entity or several entities.
    pub fn resolved(self, state: &State) -> Result<ResolvedDraft, CommandError> {
        let id = |name: &String| resolve(state, name);
        Ok(ResolvedDraft {
            speaker: self.speaker.as_ref().map(id).transpose()?,
            place: self.place.as_ref().map(id).transpose()?,
            present: self.present.iter().map(id).collect::<Result<_, _>>()?,
            text: self.text,
            form: self.form,
            before: self.before,
        })
    }
}

/// A [`Draft`] with names resolved to ids.
pub struct ResolvedDraft {
    text: String,
    form: TextType,
    speaker: Option<EntityId>,
    present: Vec<EntityId>,
    place: Option<EntityId>,
    before: Vec<String>,
}

impl ResolvedDraft {
    /// Extracts facts from the text with the patterns and the reading model.
    pub fn extract(&self, policy: &Policy, tools: &ReadingTools<'_>) -> DraftExtraction {
        let mut extraction = self.with_text(tools.encoder, |text| tools.extractor.extract(tools.lexicon, text));
        if let Some(model) = tools.model {
            let context_lines = self.before.iter().map(|text| (None, text.as_str()));
            let text_line = (self.speaker.as_ref(), self.text.as_str());
            let document_statements = document_statements(
                tools,
                model,
                &context_lines.chain([text_line]).collect::<Vec<_>>(),
                self.before.len(),
            );
            document_statements.into_iter().for_each(|statements| extraction.add_statements(statements, false));
        }
        self.draft_result(policy, extraction)
    }

    /// Extracts facts from the text by calling `extract`.
    ///
    /// # Errors
    /// Returns the error that `extract` returns.
    pub fn extract_with<E>(
        &self,
        policy: &Policy,
        extract: impl FnOnce(&Text<'_>) -> Result<Extraction, E>,
    ) -> Result<DraftExtraction, E> {
        Ok(self.draft_result(policy, self.with_text(None, extract)?))
    }

    fn with_text<T>(&self, encoder: Option<&dyn SentenceEncoder>, extract: impl FnOnce(&Text<'_>) -> T) -> T {
        let before: Vec<&str> = self.before.iter().map(String::as_str).collect();
        extract(&Text {
            speaker: self.speaker.as_ref(),
            place: self.place.as_ref(),
            present: &self.present,
            preceding: &before,
            encoder,
            ..Text::new(&self.text, self.form)
        })
    }

    fn draft_result(&self, policy: &Policy, extraction: Extraction) -> DraftExtraction {
        let status = |fact: &ExtractedFact| {
            let is_spoken = self.speaker.is_some() || fact.stated_by.is_some();
            match policy
                .decide(fact.confidence, if is_spoken { StatementSource::Character } else { StatementSource::World })
            {
                PolicyDecision::Record(status, _) => Some(status),
                PolicyDecision::Drop => None,
            }
        };
        let statuses = extraction.facts.iter().map(status).collect();
        DraftExtraction { extraction, statuses }
    }
}

/// A passage from which facts are extracted, with the preceding lines that the extractor needs as context.
pub struct PassageWithContext {
    /// The passage.
    pub passage: Arc<Passage>,
    /// Preceding lines, each with its speaker.
    before: Vec<(Option<EntityId>, String)>,
}

/// Cache of the lines of the session being read, in order. Without the cache, finding the lines before a passage would
/// mean searching all passages of the campaign.
#[derive(Debug, Default)]
pub struct SessionLines {
    session: Option<SessionId>,
    lines: BTreeMap<u32, Vec<PassageId>>,
    line_of: HashMap<PassageId, u32>,
}

impl SessionLines {
    /// Returns the passages of a session whose line numbers are in a range.
    fn passages_in_lines(
        &mut self,
        state: &State,
        session: &SessionId,
        lines: Range<u32>,
    ) -> impl Iterator<Item = PassageId> {
        if self.session.as_ref() != Some(session) {
            *self = Self { session: Some(session.clone()), ..Self::default() };
            for (id, passage) in state.passages() {
                self.note(id, Some(passage));
            }
        }
        self.lines.range(lines).flat_map(|(_, ids)| ids).copied()
    }

    /// Updates the cache after a passage was added, changed or removed. `passage` is `None` if it was removed.
    pub fn note(&mut self, id: PassageId, passage: Option<&Arc<Passage>>) {
        if self.session.is_none() {
            return;
        }
        if let Some(line) = self.line_of.remove(&id)
            && let Some(ids) = self.lines.get_mut(&line)
        {
            ids.retain(|recorded_id| *recorded_id != id);
        }
        if let Some(passage) = passage.filter(|passage| passage.session == self.session) {
            self.lines.entry(passage.line).or_default().push(id);
            self.line_of.insert(id, passage.line);
        }
    }
}

/// Findings in a passage: the facts and entities that were extracted from it.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The passage.
    pub passage: Arc<Passage>,
    /// Facts and entities that were extracted from the passage.
    pub extraction: Extraction,
    /// Name of the language model that extracted the facts; `None` if the extractor extracted them.
    pub model: Option<String>,
}

impl Findings {
    /// Returns the policy for the facts of the passage. It requires a higher confidence for facts from imported texts
    /// and transcripts.
    pub(crate) fn policy(&self, policy: &Policy) -> Policy {
        if is_imported(&self.passage) { policy.for_imports() } else { *policy }
    }
}

/// Returns whether the text of a passage comes from a file.
fn is_imported(passage: &Passage) -> bool {
    passage.evidence.iter().any(|evidence| matches!(evidence, Evidence::File { .. }))
}

impl PassageWithContext {
    /// Returns a passage with the preceding lines of its session that its speaker heard. If the passage has no speaker,
    /// returns the lines that its first hearer heard.
    pub fn load(state: &State, id: PassageId, lines: &mut SessionLines) -> Option<Self> {
        let passage = Arc::clone(state.passage(id)?);
        let mut before: Vec<(u32, &str, Option<&EntityId>)> = Vec::new();
        let listener = passage.speaker.clone().map(Knower::from).or_else(|| passage.heard_by.first().cloned());
        if let (Some(session), Some(listener)) = (&passage.session, &listener) {
            let range = passage.line.saturating_sub(MAX_CONTEXT_LINES)..passage.line;
            let earlier = lines.passages_in_lines(state, session, range).filter_map(|id| state.passage(id));
            let heard_lines = earlier.filter(|other| other.received_at(listener).is_some());
            before.extend(heard_lines.map(|other| (other.line, other.text.as_str(), other.speaker.as_ref())));
        }
        before.sort_unstable();
        let before = before.into_iter().map(|(_, text, speaker)| (speaker.cloned(), text.to_owned()));
        Some(Self { before: before.collect(), passage })
    }

    fn extract_with_patterns(&self, tools: &ReadingTools<'_>) -> Extraction {
        let passage = &self.passage;
        let present: Vec<EntityId> = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let first_line = self.before.len().saturating_sub(MAX_PATTERN_CONTEXT_LINES);
        let before: Vec<&str> = self.before[first_line..].iter().map(|(_, text)| text.as_str()).collect();
        let text = Text {
            form: form(passage),
            speaker: passage.speaker.as_ref(),
            present: &present,
            place: passage.place.as_ref(),
            preceding: &before,
            encoder: tools.encoder,
            ..Text::new(&passage.text, TextType::Lore)
        };
        tools.extractor.extract(tools.lexicon, &text)
    }

    /// Returns whether this page continues the previous page, that is, follows it in the same session or document and
    /// has the same hearers.
    fn continues(&self, previous: &Self) -> bool {
        let source_of = |page: &Self| (page.passage.session.clone(), page.passage.document.clone());
        let is_later = self.passage.line > previous.passage.line;
        is_later
            && source_of(self) == source_of(previous)
            && source_of(self) != (None, None)
            && self.passage.heard_by == previous.passage.heard_by
    }
}

/// Tools for reading passages: the extractor, its inputs, and the reading model.
#[derive(Clone, Copy)]
pub struct ReadingTools<'a> {
    /// Extractor with the words and patterns of the language.
    pub extractor: &'a Extractor,
    /// Lexicon, which contains the names of all entities.
    pub lexicon: &'a Lexicon,
    /// Sentence encoder for comparing sentences by meaning; `None` if there is none.
    pub encoder: Option<&'a dyn SentenceEncoder>,
    /// Reading model; `None` if only patterns are used.
    pub model: Option<&'a ReadingModel>,
}

/// Extracts facts and entities from passages. Returns the findings in the order of the passages. The reading model
/// reads consecutive passages of one session or document together, so that it has the context of each line.
pub fn read_passages(passages: Vec<PassageWithContext>, tools: &ReadingTools<'_>) -> Vec<Findings> {
    let mut statements = match tools.model {
        Some(model) => passage_statements(&passages, tools, model),
        None => Vec::new(),
    }
    .into_iter();
    let findings = passages.into_iter().map(|passage| {
        let mut extraction = passage.extract_with_patterns(tools);
        if let Some(page_statements) = statements.next() {
            let is_transcript = passage.passage.session.is_some() && is_imported(&passage.passage);
            extraction.add_statements(page_statements, is_transcript);
        }
        Findings { passage: passage.passage, extraction, model: None }
    });
    findings.collect()
}

/// Returns the statements in the lines of a document, starting at line `first_line`. If any line has a speaker, lines
/// without a speaker count as spoken by the DM. Otherwise, all lines count as written text. Returns nothing if the
/// model fails.
fn document_statements(
    tools: &ReadingTools<'_>,
    model: &ReadingModel,
    lines: &[(Option<&EntityId>, &str)],
    first_line: usize,
) -> Vec<LineStatements> {
    let has_speakers = lines.iter().any(|(speaker, _)| speaker.is_some());
    let role = |speaker: Option<&EntityId>| match speaker {
        Some(_) => LineRole::Player,
        None if has_speakers => LineRole::Dm,
        None => LineRole::Written,
    };
    let lines: Vec<DocumentLine<'_>> =
        lines.iter().map(|(speaker, text)| DocumentLine { text, role: role(*speaker), speaker: *speaker }).collect();
    tools.extractor.extract_statements(tools.lexicon, model, &lines, first_line).unwrap_or_default()
}

/// Returns the statements in each page. Returns nothing if the model fails, so that only the patterns apply.
fn passage_statements(
    pages: &[PassageWithContext],
    tools: &ReadingTools<'_>,
    model: &ReadingModel,
) -> Vec<LineStatements> {
    let mut found = Vec::with_capacity(pages.len());
    for text in pages.chunk_by(|previous, page| page.continues(previous)) {
        let Some(first) = text.first() else { continue };
        let before = first.before.iter().map(|(speaker, text)| (speaker.as_ref(), text.as_str()));
        let own = text.iter().map(|page| (page.passage.speaker.as_ref(), page.passage.text.as_str()));
        let lines: Vec<(Option<&EntityId>, &str)> = before.chain(own).collect();
        let read = document_statements(tools, model, &lines, first.before.len());
        if read.is_empty() {
            return Vec::new();
        }
        found.extend(read);
    }
    found
}

fn form(passage: &Passage) -> TextType {
    match (&passage.speaker, &passage.session) {
        (Some(_), _) => TextType::Talk,
        (None, Some(_)) => TextType::Narration,
        (None, None) => TextType::Lore,
    }
}

/// Result of looking up a name that the extractor could not link to an entity.
pub enum NameLookup {
    /// The name refers to this entity. The entity was added after the extraction, or its name still waits for the DM's
    /// decision.
    Known(EntityId),
    /// No entity with this name may be added, because the DM rejected the name or several entities have the name.
    Unusable,
    /// No entity has this name yet.
    Unknown,
}

impl NameLookup {
    /// Looks up a name among the recorded entities and among the names that wait for the DM's decision.
    pub fn find(state: &State, name: &str) -> Self {
        let normal = text::normalize(name);
        let is_open =
            |id: &EntityId| state.open_names(id).iter().any(|public_name| text::normalize(public_name) == normal);
        match state.resolve(name) {
            // Ignores secret names, because a match would reveal whose name it is.
            Resolution::One(id) if is_open(&id) => return Self::Known(id),
            Resolution::Ambiguous(_) => return Self::Unusable,
            _ => {}
        }
        for id in candidate_ids(name).take_while(|id| state.entity(id).is_some()) {
            let has_same_name = |fact: &&Fact| {
                fact.object().text().is_some_and(|recorded_name| text::normalize(recorded_name) == normal)
            };
            let statuses: Vec<FactStatus> =
                extracted_names(state, &id).filter(has_same_name).map(Fact::status).collect();
            // In autonomous mode, a new name becomes a claim immediately.
            if statuses.iter().any(|status| matches!(status, FactStatus::Proposed | FactStatus::Claimed)) {
                return Self::Known(id);
            }
            if statuses.contains(&FactStatus::Rejected) {
                return Self::Unusable;
            }
        }
        Self::Unknown
    }
}

/// Returns possible ids for a new entity with this name: the id generated from the name, followed by the same id with
/// numeric suffixes.
fn candidate_ids(name: &str) -> impl Iterator<Item = EntityId> {
    let base_id = EntityId::from_name(name).ok();
    let numbered_ids = base_id
        .clone()
        .into_iter()
        .flat_map(|base_id| (2..100).filter_map(move |number| EntityId::new(format!("{base_id}-{number}")).ok()));
    base_id.into_iter().chain(numbered_ids)
}

/// Returns the operation that records the facts and entities found in a passage, or `None` if there is nothing to
/// record. Also returns the number of proposals with each outcome, including dropped proposals.
pub fn operation(
    state: &State,
    rules: &ProposalRules,
    findings: &Findings,
    now: Timestamp,
) -> Result<(Option<Operation>, ProposalCounts), CommandError> {
    let passage = &findings.passage;
    if state.passage(passage.id()).is_none() {
        // The passage was removed after the extraction.
        return Ok((None, ProposalCounts::default()));
    }
    let policy = &findings.policy(rules.policy);
    let rules = &ProposalRules { policy, ..*rules };
    let model = findings.model.as_deref();
    let mut builder = ProposalBuilder { state, policy, passage, model, new: BTreeMap::new(), changes: Vec::new() };
    let (mut proposals, mut dropped_count) = (Vec::new(), 0);
    for fact in &findings.extraction.facts {
        // A new name is added only if a fact that refers to it is added.
        let is_above_floor = fact.confidence >= policy.floor;
        let is_new = |mention: &Mention| matches!(mention, Mention::New(_));
        let has_new_name = is_new(&fact.subject)
            || matches!(&fact.object, FactObject::Entity(mention) if is_new(mention))
            || fact.stated_by.as_ref().is_some_and(is_new);
        if has_new_name && !is_above_floor {
            dropped_count += 1;
            continue;
        }
        let Some(subject) = builder.entity(&findings.extraction, &fact.subject, &mut proposals) else { continue };
        let object = match &fact.object {
            FactObject::Value(value) => Object::Value(value.as_str().into()),
            FactObject::Entity(mention) => match builder.entity(&findings.extraction, mention, &mut proposals) {
                Some(id) => Object::Entity(id),
                None => continue,
            },
        };
        let stated_by = match &fact.stated_by {
            Some(mention) => match builder.entity(&findings.extraction, mention, &mut proposals) {
                Some(id) => Some(id),
                None => continue,
            },
            None => None,
        };
        proposals.extend(builder.proposal(fact, subject, object, stated_by));
    }
    let added_entities = builder.changes;
    let (operation, mut counts) = propose(state, rules, &proposals, &Author::Extractor, now)?;
    counts.dropped += dropped_count;
    let operation = operation.map(|mut operation| {
        operation.changes.splice(0..0, added_entities);
        let words: String = passage.text.chars().take(60).collect();
        operation.summary = format!("read \u{201C}{words}\u{201D}: {}", operation.summary);
        operation
    });
    Ok((operation, counts))
}

/// State while the findings of one passage are turned into proposals.
struct ProposalBuilder<'a> {
    state: &'a State,
    policy: &'a Policy,
    passage: &'a Passage,
    model: Option<&'a str>,
    /// Entity for each new name, by the index of the name in the extraction; `None` for a name that is not added.
    new: BTreeMap<usize, Option<EntityId>>,
    /// Changes that add these entities.
    changes: Vec<Change>,
}

impl ProposalBuilder<'_> {
    /// Returns the mentioned entity. For a new name, adds an entity that waits for the DM's decision.
    fn entity(
        &mut self,
        extraction: &Extraction,
        mention: &Mention,
        proposals: &mut Vec<Proposal>,
    ) -> Option<EntityId> {
        let index = match mention {
            Mention::Known(id) => return self.state.entity(id).map(|_| id.clone()),
            Mention::New(index) => *index,
        };
        if let Some(known) = self.new.get(&index) {
            return known.clone();
        }
        let entity = extraction.entities.get(index)?;
        let id = match NameLookup::find(self.state, &entity.name) {
            NameLookup::Known(id) => Some(id),
            NameLookup::Unusable => None,
            NameLookup::Unknown if entity.confidence < self.policy.floor => None,
            NameLookup::Unknown => self.unused_id(&entity.name),
        };
        self.new.insert(index, id.clone());
        let id = id?;
        if self.state.entity(&id).is_none() {
            self.changes.push(Change::AddEntity(Entity::new(id.clone())));
            let evidence = vec![self.evidence(entity.span)];
            let attribute_proposal = |name: &str, value: String| {
                let name = Predicate::new(name).ok()?;
                // The name is not confirmed yet, so the statement about the name must not use it as its subject.
                let subject_name = if name.as_str() == attribute::NAME { "Somebody" } else { &entity.name };
                let statement = Some(self.state.vocabulary().sentence(&name, subject_name, &value));
                let proposal = Proposal::new(id.clone(), name, Object::Value(value.into()));
                Some(Proposal {
                    evidence: evidence.clone(),
                    statement,
                    ..self.with_passage_details(proposal, entity.confidence)
                })
            };
            proposals.extend(attribute_proposal(attribute::NAME, entity.name.clone()));
            proposals.extend(
                entity.kind.as_ref().and_then(|kind| attribute_proposal(attribute::KIND, kind.as_str().to_owned())),
            );
        }
        Some(id)
    }

    fn unused_id(&self, name: &str) -> Option<EntityId> {
        let is_unused = |id: &EntityId| {
            self.state.entity(id).is_none() && !self.new.values().flatten().any(|used_id| used_id == id)
        };
        candidate_ids(name).find(is_unused)
    }

    fn evidence(&self, span: hearsay_model::Span) -> Evidence {
        let quote = self.passage.text.get(span.start..span.end).unwrap_or_default().to_owned();
        Evidence::Passage { passage: self.passage.id(), span, quote }
    }

    /// Adds the hearers, time and source of the passage to a proposal. Limits the confidence of facts about new
    /// entities, so that these facts wait for the DM's decision.
    fn with_passage_details(&self, proposal: Proposal, confidence: Confidence) -> Proposal {
        let passage = self.passage;
        let acquisition = match (&passage.session, &passage.document) {
            (Some(_), _) => Acquisition::Witnessed,
            (None, Some(document)) => Acquisition::Read { document: Some(document.clone()) },
            (None, None) => Acquisition::Authored,
        };
        let is_added = |id: &EntityId| self.state.entity(id).is_none();
        let is_new_entity = |id: &EntityId| is_added(id) || is_unconfirmed_entity(self.state, id);
        let concerns_new_entity =
            is_new_entity(&proposal.subject) || proposal.object.entity().is_some_and(is_new_entity);
        let max_confidence = Confidence::new(self.policy.threshold.get() - REVIEW_MARGIN).unwrap_or(self.policy.floor);
        Proposal {
            confidence: if concerns_new_entity { confidence.min(max_confidence) } else { confidence },
            heard_by: passage.heard_by.clone(),
            session: passage.session.clone(),
            model: self.model.map(str::to_owned),
            text: Some(TextSource {
                time: passage.time.clone(),
                acquisition: Some(acquisition),
                citing: None,
                alias: passage.speaker_alias.clone(),
            }),
            ..proposal
        }
    }

    fn proposal(
        &self,
        fact: &ExtractedFact,
        subject: EntityId,
        object: Object,
        stated_by: Option<EntityId>,
    ) -> Option<Proposal> {
        let (subject, name, object) = self.to_defined_predicate(subject, &fact.predicate, object);
        let refutes = match fact.denied {
            true => Some(self.find_recorded_fact(&subject, &name, &object)?),
            false => None,
        };
        let proposal = Proposal::new(subject, name, object);
        let mut proposal = self.with_passage_details(proposal, fact.confidence);
        proposal.statement = Some(fact.statement.clone());
        proposal.evidence = vec![self.evidence(fact.span)];
        proposal.refutes = refutes;
        if fact.ended {
            proposal.validity = Validity { from: None, until: Some(Date { raw: String::new(), time: None }) };
        }
        // If the passage attributes the statement to somebody other than its speaker, the speaker cites that other
        // entity.
        let (speaker, citing) = match (&self.passage.speaker, stated_by) {
            (Some(speaker), Some(stated_by_other)) if *speaker != stated_by_other => {
                (Some(speaker.clone()), Some(stated_by_other))
            }
            (Some(speaker), _) => (Some(speaker.clone()), None),
            (None, stated_by_other) => (stated_by_other, None),
        };
        let direct_hearers = fact.told_to.iter().filter_map(|mention| match mention {
            Mention::Known(id) => Some(Knower::from(id.clone())),
            Mention::New(_) => None,
        });
        proposal.heard_by.extend(direct_hearers);
        proposal.heard_by.sort();
        proposal.heard_by.dedup();
        proposal.speaker = speaker;
        if let Some(text) = &mut proposal.text {
            text.citing = citing;
        }
        Some(proposal)
    }

    /// Returns a relation under its defined predicate. If `name` is the inverse of a predicate, swaps subject and
    /// object.
    fn to_defined_predicate(
        &self,
        subject: EntityId,
        name: &Predicate,
        object: Object,
    ) -> (EntityId, Predicate, Object) {
        match (self.state.vocabulary().inverse_of(name), object) {
            (Some(def), Object::Entity(object)) => (object, def.name.clone(), Object::Entity(subject)),
            (_, object) => (subject, name.clone(), object),
        }
    }

    /// Returns whether a fact was stated before the passage. A passage can deny only earlier facts, not facts from a
    /// later text or from a text of unknown order. The result of reading a passage therefore does not depend on when or
    /// how often it is read.
    fn comes_before(&self, fact: &Fact) -> bool {
        let (state, provenance) = (self.state, fact.provenance());
        let session_number = |passage: &Passage| state.session(passage.session.as_ref()?)?.number;
        let is_earlier = |passage: &Passage| match (session_number(passage), session_number(self.passage)) {
            (Some(one), Some(other)) if one != other => one < other,
            _ => {
                let text_source = |passage: &Passage| (passage.session.clone(), passage.document.clone());
                text_source(passage) == text_source(self.passage) && passage.line < self.passage.line
            }
        };
        let is_in_earlier_passage = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, .. } => state.passage(*passage).is_some_and(|passage| is_earlier(passage)),
            Evidence::File { .. } | Evidence::Excerpt(_) => false,
        };
        provenance.author != Author::Extractor
            || provenance.confirmed
            || provenance.evidence.iter().any(is_in_earlier_passage)
    }

    /// Returns the recorded fact with this subject, predicate and object, if it was stated before the passage.
    fn find_recorded_fact(&self, subject: &EntityId, name: &Predicate, object: &Object) -> Option<FactId> {
        let symmetric = self.state.vocabulary().predicate(name).is_some_and(|def| def.symmetric);
        let is_same_fact = |fact: &&Arc<Fact>| {
            let forward = fact.subject() == subject && fact.object() == object;
            let backward = object.entity() == Some(fact.subject()) && fact.object().entity() == Some(subject);
            let is_not_rejected =
                matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed | FactStatus::Proposed);
            fact.predicate() == name
                && (forward || (symmetric && backward))
                && is_not_rejected
                && fact.fact_relation().is_none()
        };
        let matching_facts = self.state.facts_of(subject).filter(is_same_fact).filter(|fact| self.comes_before(fact));
        matching_facts.map(|fact| fact.id()).min()
    }
}

#[cfg(test)]
mod tests;
