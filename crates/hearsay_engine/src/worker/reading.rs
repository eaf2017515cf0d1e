//! Extraction of facts from texts: the queue of passages, and the outcomes of their findings. The extractor runs on a
//! background thread.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    path::PathBuf,
    sync::Arc,
};

use crossbeam_channel::bounded;
use hearsay_commands::{
    proposal::ProposalCounts,
    reading::{
        Draft, DraftExtraction, Findings, PassageWithContext, ReadingTools, SessionLines, batch_size, read_passages,
    },
};
use hearsay_extract::{Extractor, Language, Lexicon, READING_MODEL, ReadingModel, SentenceEncoder};
use hearsay_model::{
    Author, Change, EngineSetting, Evidence, Fact, FactStatus, Key, Operation, PassageId, Position, Setting,
    SettingKey, State, attribute,
};
use hearsay_query::views::identifies_subject;

use super::{
    Internal, Worker, Write,
    encoder::SentenceSender,
    guarded,
    models::{EntailmentResource, LazyModel},
};
use crate::{ExtractionEngine, MemoryError, ModelStatus, Settings, clock::now, ticket::Responder};

/// Tools with which a background thread reads texts.
pub(super) struct ReadingResources {
    extractor: Arc<Extractor>,
    lexicon: Arc<Lexicon>,
    /// Channel for the vectors of sentences, if there is a sentence encoder.
    sentences: Option<SentenceSender>,
    model: Option<Arc<LazyModel<ReadingModel>>>,
}

impl ReadingResources {
    /// Returns the tools without the reading model.
    pub(super) fn without_model(self) -> Self {
        Self { model: None, ..self }
    }

    /// Returns the tools with other names.
    pub(super) fn with_lexicon(self, lexicon: Arc<Lexicon>) -> Self {
        Self { lexicon, ..self }
    }

    /// Returns the sentence encoder, if there is one.
    pub(super) fn sentence_encoder(&self) -> Option<EncoderMeaning> {
        self.sentences.clone().map(EncoderMeaning)
    }

    /// Calls a function with the tools.
    pub(super) fn with<T>(self, use_tools: impl FnOnce(&ReadingTools<'_>) -> T) -> T {
        let encoder = self.sentences.map(EncoderMeaning);
        use_tools(&ReadingTools {
            extractor: &self.extractor,
            lexicon: &self.lexicon,
            encoder: encoder.as_ref().map(|encoder| encoder as &dyn SentenceEncoder),
            model: self.model.as_deref().and_then(LazyModel::get),
        })
    }
}

/// Passages that wait to be read, and passages that were read.
#[derive(Default)]
pub(super) struct Readings {
    /// Whether reading is enabled. While reading is disabled, passages wait.
    enabled: bool,
    language: Option<PathBuf>,
    /// Passages that wait to be read, in reading order, each with the position of the operation that added it.
    waiting: VecDeque<(Position, PassageId)>,
    /// Passages whose facts were recorded by the same operation that added the passages. These passages are never read.
    with_stated_facts: HashSet<PassageId>,
    /// Number of passages being read.
    reading: usize,
    /// Number of waiting writes that contain or withdraw findings, or contain kinds of talk.
    writing: usize,
    /// Positions of the operations that contain the findings of each passage, from the extractor or a language model.
    read: HashMap<PassageId, Vec<Position>>,
    /// Positions of the operations with findings that were reverted. If the DM undoes the undo of a passage, its
    /// findings are live again.
    undone: HashMap<PassageId, Vec<Position>>,
    /// Lines of the session being read.
    lines: SessionLines,
    /// Names of the entities; `None` if they changed and must be collected again.
    lexicon: Option<Arc<Lexicon>>,
    extractor: Option<Arc<Extractor>>,
    /// Reading model; `None` if the settings select the patterns alone.
    model: Option<Arc<LazyModel<ReadingModel>>>,
    /// Entailment model; `None` if the settings disable the models.
    entailment: Option<EntailmentResource>,
    /// Counts of the outcomes of findings since the memory was opened.
    outcome_counts: ProposalCounts,
    /// Whether a text was read since the reading position was last recorded.
    has_unrecorded_progress: bool,
    /// Position of the first text that another program added to a campaign in a server since this program took over the
    /// reading. It is unknown whether the other program has read the text.
    foreign_since: Option<Position>,
}

impl Readings {
    pub(super) fn new(state: &State, settings: &Settings) -> Self {
        let extraction = &settings.extraction;
        let (enabled, language) = (extraction.enabled, extraction.language.clone());
        let uses_reading_model = extraction.engine == ExtractionEngine::Model;
        let model =
            uses_reading_model.then(|| Arc::new(LazyModel::new(&settings.model, READING_MODEL, ReadingModel::load)));
        let entailment = settings.model.enabled.then(|| EntailmentResource::new(&settings.model));
        let mut readings = Self { enabled, language, model, entailment, ..Self::default() };
        let (read_up_to, mut passages_with_findings) = (state.extracted_up_to(), HashSet::new());
        for (position, entry) in state.journal() {
            let passage = entry.operation.extracted_from();
            if !entry.live {
                passage.into_iter().for_each(|passage| readings.undone.entry(passage).or_default().push(position));
                continue;
            }
            if entry.operation.author == Author::Extractor {
                passages_with_findings.extend(passage.filter(|_| !is_from_language_model(&entry.operation)));
                readings.record_read(position, passage);
                continue;
            }
            if position > read_up_to {
                readings.record_stated(&entry.operation);
                let added_passages = entry.operation.changes.iter().filter_map(|change| match change {
                    Change::AddPassage(passage) => Some(passage.id()),
                    _ => None,
                });
                let touched: Vec<Key> = added_passages.map(Key::Passage).collect();
                readings.enqueue(state, position, &touched);
            }
        }
        // All findings of a text are in one operation. If this operation exists, the text was read completely, even if
        // the program ended before the reading position was recorded.
        readings.waiting.retain(|(_, passage)| !passages_with_findings.contains(passage));
        readings
    }

    /// Returns the entailment model.
    pub(super) fn entailment(&self) -> Option<EntailmentResource> {
        self.entailment.clone()
    }

    /// Returns the names of the entities in the state.
    pub(super) fn lexicon(&mut self, state: &State) -> Arc<Lexicon> {
        Arc::clone(self.lexicon.get_or_insert_with(|| Arc::new(Lexicon::from_state(state))))
    }

    /// Returns the counts of the outcomes of findings since the memory was opened.
    pub(super) fn found(&self) -> ProposalCounts {
        self.outcome_counts
    }

    /// Returns the number of passages that are not read yet, or whose findings are not written yet.
    pub(super) fn pending(&self) -> usize {
        self.waiting.len() + self.reading + self.writing
    }

    /// Returns whether there are findings for a passage.
    #[cfg(feature = "llm")]
    pub(super) fn has_read(&self, id: PassageId) -> bool {
        self.read.contains_key(&id)
    }

    /// Records that the operation at a position contains the findings of a passage.
    fn record_read(&mut self, position: Position, passage: Option<PassageId>) {
        if let Some(passage) = passage {
            self.read.entry(passage).or_default().push(position);
        }
    }

    /// Records the passages whose facts are stated by the operation that adds them.
    fn record_stated(&mut self, operation: &Operation) {
        let added_passages = operation.changes.iter().filter_map(|change| match change {
            Change::AddPassage(passage) => Some((passage.id(), &passage.session)),
            _ => None,
        });
        let added_passages: HashMap<PassageId, _> = added_passages.collect();
        if added_passages.is_empty() {
            return;
        }
        let replaces_line = operation.changes.iter().any(|change| matches!(change, Change::RemovePassage(_)))
            && !operation.changes.iter().any(|change| matches!(change, Change::RemoveEntity(_)));
        for change in &operation.changes {
            // Considers only new facts from the same session, because a fact from another source may have the passage
            // as additional evidence. A supported fact was recorded before, in any session.
            let (fact, is_supported) = match change {
                Change::AssertFact(fact) => (fact, false),
                Change::Support(fact) => (fact, true),
                _ => continue,
            };
            let provenance = fact.provenance();
            // A correction of a line records confirmed facts again, and the corrected line is read. A merge of entities
            // also replaces lines, but these are not read again.
            if replaces_line && matches!(provenance.author, Author::Dm | Author::Extractor) {
                continue;
            }
            let passages = provenance.evidence.iter().filter_map(Evidence::passage);
            self.with_stated_facts.extend(passages.filter(|passage| {
                let session = added_passages.get(passage);
                session.is_some_and(|session| is_supported || *session == &provenance.session)
            }));
        }
    }

    /// Adds new passages to the queue, unless the DM alone knows them or the operation that added them stated their facts.
    fn enqueue(&mut self, state: &State, position: Position, touched: &[Key]) {
        // Most of a game's operations add no text.
        if !touched.iter().any(|key| matches!(key, Key::Passage(_))) {
            return;
        }
        let is_new = |id: &PassageId| {
            let is_readable = state.passage(*id).is_some_and(|passage| !passage.is_for_dm_alone());
            is_readable && !self.read.contains_key(id) && !self.with_stated_facts.contains(id)
        };
        let new_passages = in_reading_order(state, passage_ids(touched).filter(is_new));
        self.waiting.extend(new_passages.into_iter().map(|id| (position, id)));
    }

    /// Adds passages to the queue that another program added and left unread.
    pub(super) fn enqueue_left(&mut self, state: &State, passages: Vec<PassageId>) {
        let touched: Vec<Key> = passages.into_iter().map(Key::Passage).collect();
        self.enqueue(state, state.position(), &touched);
    }

    /// Adds all unread passages of the campaign to the queue, because this program became the owner of the campaign.
    pub(super) fn take_over(&mut self, state: &State, settings: &Settings) {
        let Self { waiting, read, undone, with_stated_facts, .. } = Self::new(state, settings);
        (self.waiting, self.read, self.undone) = (waiting, read, undone);
        (self.with_stated_facts, self.foreign_since) = (with_stated_facts, None);
    }

    /// Removes all passages from the queue and returns them.
    pub(super) fn take_unread(&mut self) -> Vec<PassageId> {
        self.waiting.drain(..).map(|(_, id)| id).collect()
    }

    /// Removes the passages to be read next from the queue, and returns them.
    fn take_batch(&mut self, state: &State) -> Vec<PassageId> {
        let size = batch_size(state, self.waiting.iter().map(|(_, id)| *id));
        self.waiting.drain(..size).map(|(_, id)| id).collect()
    }
}

impl Worker {
    /// Updates the queue after an operation: adds new passages and drops removed ones.
    pub(super) fn follow_reading(&mut self, position: Position, operation: &Operation, touched: &[Key], write: &Write) {
        let state = Arc::clone(&self.snapshot.state);
        let changes_names = || match write {
            // A new entity has only a proposed name, which is not in the lexicon.
            Write::Findings { .. } => {
                let mut facts = operation.changes.iter().filter_map(Change::fact);
                facts.any(|fact| fact.status() != FactStatus::Proposed && affects_names(&state, fact))
            }
            _ => touched.iter().any(|key| may_change_names(&state, key)),
        };
        if self.readings.lexicon.is_some() && changes_names() {
            self.readings.lexicon = None;
        }
        for id in passage_ids(touched) {
            self.readings.lines.note(id, state.passage(id));
            self.restore_findings(&state, id);
        }
        let is_vocabulary_change =
            |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(is_vocabulary_change) {
            self.readings.extractor = None;
            #[cfg(feature = "llm")]
            self.update_llm_vocabulary();
        }
        if let Write::Findings { findings, .. } = write {
            self.readings.record_read(position, Some(findings.passage.id()));
            return;
        }
        let is_from_other_program = matches!(write, Write::Remote(_) | Write::Foreign);
        if operation.author == Author::Extractor {
            if is_from_other_program {
                self.readings.record_read(position, operation.extracted_from());
            }
            return;
        }
        let removed_passages =
            passage_ids(touched).filter(|id| state.passage(*id).is_none_or(|passage| passage.is_out_of_character()));
        // When a text is removed or proves to be out of character, its findings are withdrawn too. If several programs
        // share the campaign, the owner does this. In a server, the program that made the change does this.
        let withdraws = self.storage.own().is_some() || (self.storage.is_in_server() && !is_from_other_program);
        #[cfg(feature = "llm")]
        removed_passages.clone().for_each(|id| self.remove_from_llm_queue(id));
        for id in removed_passages.filter(|_| withdraws) {
            self.withdraw_findings(&state, id);
        }
        // The DM undid what the extractor recorded about a text. The extractor must not record it again.
        let is_extracted = |change: &Change| match change {
            Change::Revert(at) => state.entry(*at).is_some_and(|entry| entry.operation.author == Author::Extractor),
            _ => false,
        };
        if operation.changes.iter().all(is_extracted) {
            return;
        }
        self.readings.record_stated(operation);
        // The program that adds a text also extracts its facts.
        if !is_from_other_program {
            self.readings.enqueue(&state, position, touched);
            return;
        }
        if self.storage.is_in_server() && passage_ids(touched).next().is_some() {
            self.readings.foreign_since.get_or_insert(position);
        }
        #[cfg(feature = "llm")]
        self.enqueue_added_for_llm(operation);
    }

    /// Records the findings of a passage that are live again, because the DM undid the undo of the passage. The passage
    /// is then not read again.
    fn restore_findings(&mut self, state: &State, passage: PassageId) {
        let Some(undone) = self.readings.undone.remove(&passage) else { return };
        let (restored, undone): (Vec<Position>, Vec<Position>) = undone.into_iter().partition(|at| is_live(state, *at));
        if !undone.is_empty() {
            self.readings.undone.insert(passage, undone);
        }
        if restored.is_empty() {
            return;
        }
        #[cfg(feature = "llm")]
        {
            let mut entries = restored.iter().filter_map(|at| state.entry(*at));
            if !entries.any(|entry| is_from_language_model(&entry.operation)) {
                self.enqueue_restored_for_llm(passage);
            }
        }
        self.readings.read.entry(passage).or_default().extend(restored);
    }

    /// Withdraws the findings from a passage. If the passage was undone, the same operation reverted its findings.
    fn withdraw_findings(&mut self, state: &State, passage: PassageId) {
        for position in self.readings.read.remove(&passage).unwrap_or_default().into_iter().rev() {
            if is_live(state, position) {
                let summary = "withdraw the facts extracted from a text";
                let operation = Operation::new(Author::Extractor, summary, vec![Change::Revert(position)]);
                self.readings.writing += 1;
                self.writes.push(Write::Own(Operation { recorded: now(), ..operation }));
            } else {
                self.readings.undone.entry(passage).or_default().push(position);
            }
        }
    }

    /// Starts reading a batch of waiting passages, unless a batch is already being read.
    pub(super) fn read_more(&mut self) {
        let readings = &mut self.readings;
        // Waits for the sentence encoder to load, because extraction is better with it.
        let is_ready = readings.enabled && self.model != ModelStatus::Loading && !self.closing;
        if readings.reading > 0 || readings.waiting.is_empty() || readings.writing > 0 || !is_ready {
            return;
        }
        let state = &self.snapshot.state;
        let batch = readings.take_batch(state);
        readings.has_unrecorded_progress = true;
        let passages: Vec<PassageWithContext> =
            batch.iter().filter_map(|id| PassageWithContext::load(state, *id, &mut readings.lines)).collect();
        if passages.is_empty() {
            return;
        }
        let resources = match self.reading_tools() {
            Ok(resources) => resources,
            Err(error) => {
                self.readings.enabled = false;
                return self.fail(error.to_string());
            }
        };
        let count = passages.len();
        let started = self.run_in_background(move |internal| {
            let read = resources.with(|tools| read_passages(passages, tools));
            let _ = internal.send(Internal::Read(read));
        });
        self.readings.reading = if started { count } else { 0 };
    }

    /// Returns the tools for reading texts.
    pub(super) fn reading_tools(&mut self) -> Result<ReadingResources, MemoryError> {
        let (readings, state) = (&mut self.readings, &self.snapshot.state);
        let extractor = match &readings.extractor {
            Some(extractor) => Arc::clone(extractor),
            None => {
                let vocabulary = state.vocabulary().as_ref().clone();
                let extractor = Arc::new(Extractor::new(language(readings.language.as_deref())?, vocabulary));
                Arc::clone(readings.extractor.insert(extractor))
            }
        };
        let lexicon = readings.lexicon(state);
        let sentences = match self.model {
            ModelStatus::Ready { .. } => self.encoder.as_ref().map(super::encoder::EncoderThread::sentences),
            _ => None,
        };
        Ok(ReadingResources { extractor, lexicon, sentences, model: self.readings.model.clone() })
    }

    /// Extracts facts from a draft on a background thread, and sends them to the caller without recording them.
    pub(super) fn draft(&mut self, draft: Draft, responder: Responder<DraftExtraction>) {
        let checked = draft.check(&self.snapshot.state).map_err(MemoryError::from);
        let resources = match checked.and_then(|()| self.reading_tools()) {
            Ok(resources) => resources,
            Err(error) => return responder.give(Err(error)),
        };
        let policy = self.settings.policy;
        self.run_in_background(move |_| {
            responder.give(guarded(|| Ok(resources.with(|tools| draft.extract(&policy, tools)))));
        });
    }

    /// Enables reading of the waiting texts, even if the settings disable extraction. If `again` is `true`, queues
    /// every text again, for example after the language file changed. Returns the number of texts to read.
    pub(super) fn read_texts(&mut self, again: bool) -> usize {
        let readings = &mut self.readings;
        readings.enabled = true;
        if again {
            let state = &self.snapshot.state;
            let position = state.position();
            readings.extractor = None;
            let live_entries = state.journal().filter(|(_, entry)| entry.live);
            live_entries.for_each(|(_, entry)| readings.record_stated(&entry.operation));
            let passages = state.passages().map(|(id, _)| id);
            let readable = passages.filter(|id| !readings.with_stated_facts.contains(id));
            readings.waiting = in_reading_order(state, readable).into_iter().map(|id| (position, id)).collect();
            #[cfg(feature = "llm")]
            self.allow_llm_rereads();
        }
        self.readings.pending()
    }

    pub(super) fn take_read(&mut self, findings: Vec<Findings>) {
        self.readings.reading = 0;
        #[cfg(feature = "llm")]
        self.enqueue_for_llm(&findings);
        let unrecorded = findings.iter().filter(|findings| findings.passage.talk_kind.is_none());
        let kinds: Vec<_> =
            unrecorded.filter_map(|findings| Some((findings.passage.id(), findings.talk_kind?))).collect();
        if !kinds.is_empty() {
            self.readings.writing += 1;
            self.writes.push(Write::TalkKinds(kinds));
        }
        let findings_with_facts = findings.into_iter().filter(|findings| !findings.extraction.facts.is_empty());
        for findings in findings_with_facts {
            self.readings.writing += 1;
            let (findings, policy) = (Box::new(findings), self.settings.policy);
            self.writes.push(Write::Findings { findings, policy, counts: ProposalCounts::default() });
        }
    }

    /// Updates the counts if a write contains or withdraws findings, or contains kinds of talk. Called when the write is
    /// committed or has failed.
    pub(super) fn note_if_findings(&mut self, write: &Write) {
        // A text is not read until the findings of the text that it replaces are withdrawn.
        let withdraws_findings = matches!(write, Write::Own(operation) if is_withdrawal(operation));
        if withdraws_findings || matches!(write, Write::TalkKinds(_)) {
            self.readings.writing -= 1;
        }
        if let Write::Findings { findings, counts, .. } = write {
            if findings.model.is_some() {
                #[cfg(feature = "llm")]
                self.count_llm_findings(counts);
                return;
            }
            self.readings.writing -= 1;
            self.readings.outcome_counts += *counts;
        }
    }

    /// Queues a write that records the reading position, that is, the position up to which texts were read. Called
    /// before closing. Returns whether such a write is needed.
    pub(super) fn mark_reading(&mut self) -> bool {
        // An attached program cannot know which texts other programs are reading.
        let may_record = (self.storage.own().is_some() && self.clients.is_empty()) || self.storage.reads_for_all();
        if !std::mem::take(&mut self.readings.has_unrecorded_progress) || !may_record {
            return false;
        }
        let first_waiting = self.readings.waiting.front().map(|(position, _)| *position);
        let first_unread = first_waiting.into_iter().chain(self.readings.foreign_since).min();
        let newest = self.snapshot.state.position();
        let position = first_unread.map_or(newest, |position| Position(position.0.saturating_sub(1)));
        if position <= self.snapshot.state.extracted_up_to() {
            return false;
        }
        let change = Change::Set(Setting::Engine(EngineSetting::ExtractedUpTo(position)));
        let operation = Operation::new(Author::Extractor, "record the progress of fact extraction", vec![change]);
        self.writes.push(Write::Own(Operation { recorded: now(), ..operation }));
        true
    }
}

/// Returns the ids of the passages among some keys.
pub(super) fn passage_ids(keys: &[Key]) -> impl Iterator<Item = PassageId> + Clone {
    keys.iter().filter_map(|key| match key {
        Key::Passage(id) => Some(*id),
        _ => None,
    })
}

/// Maximum size of a language file, in bytes (16 MiB).
const MAX_LANGUAGE_BYTES: u64 = 16 << 20;

/// Returns the language data of the extractor, with the additions from the campaign's language file.
pub(crate) fn language(path: Option<&std::path::Path>) -> Result<Language, MemoryError> {
    let english = Language::english();
    let Some(path) = path else { return Ok(english) };
    let invalid = |message: String| MemoryError::Settings { path: path.to_owned(), message };
    let text =
        hearsay_campaign::read_text_file(path, MAX_LANGUAGE_BYTES).map_err(|error| invalid(error.to_string()))?;
    english.with(&text).map_err(|error| invalid(error.to_string()))
}

/// Returns whether the operation at a position is live.
fn is_live(state: &State, position: Position) -> bool {
    state.entry(position).is_some_and(|entry| entry.live)
}

/// Sorts passages in the order in which they were said or written, so that a denial is read after the statement that it
/// denies.
fn in_reading_order(state: &State, passages: impl Iterator<Item = PassageId>) -> Vec<PassageId> {
    let mut passages: Vec<PassageId> = passages.collect();
    passages.sort_by_cached_key(|id| {
        let passage = state.passage(*id)?;
        let session = passage.session.as_ref();
        let number = session.and_then(|session| state.session(session)?.number);
        Some((number, session.cloned(), passage.document.clone(), passage.line, *id))
    });
    passages
}

/// Returns whether an operation withdraws the findings of a text.
fn is_withdrawal(operation: &Operation) -> bool {
    operation.author == Author::Extractor && matches!(operation.changes[..], [Change::Revert(_)])
}

/// Returns whether a language model found the facts of an operation.
fn is_from_language_model(operation: &Operation) -> bool {
    operation.changes.iter().filter_map(Change::fact).any(|fact| fact.provenance().model.is_some())
}

/// Returns whether a change of a record can change the names of entities.
fn may_change_names(state: &State, key: &Key) -> bool {
    match key {
        Key::Entity(_) => true,
        Key::Fact(id) => state.asserted(*id).is_some_and(|fact| affects_names(state, fact)),
        _ => false,
    }
}

/// Returns whether a fact states a name or the kind of an entity, or is used to recognize the entity in texts.
fn affects_names(state: &State, fact: &Fact) -> bool {
    identifies_subject(state.vocabulary(), fact.predicate()) || fact.predicate().as_str() == attribute::DESCRIPTION
}

/// Requests the vectors of sentences from the encoder's thread.
pub(crate) struct EncoderMeaning(pub(crate) SentenceSender);

impl SentenceEncoder for EncoderMeaning {
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let (reply, answer) = bounded(1);
        self.0.send((texts.iter().map(|text| (*text).to_owned()).collect(), reply)).ok()?;
        answer.recv().ok()?
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Passage, Session, SessionId};

    use super::*;

    #[test]
    fn imported_lines_are_read_in_larger_batches_than_lines_of_play() {
        let file = Evidence::File { path: "session.txt".into(), line: 1, field: "session".into() };
        let id = SessionId::new("s1").unwrap();
        let passage = |line: u32, evidence: &[Evidence]| Passage {
            session: Some(id.clone()),
            line,
            evidence: evidence.to_vec(),
            ..Passage::new(format!("Line {line}."))
        };
        let imported = (0..150).map(|line| passage(line, std::slice::from_ref(&file)));
        let passages: Vec<Passage> = imported.chain((150..190).map(|line| passage(line, &[]))).collect();
        let session = Session { number: Some(1), ..Session::new(id.clone()) };
        let waiting = passages.iter().map(|passage| (Position(2), passage.id())).collect();
        let changes = passages.into_iter().map(|passage| Change::AddPassage(Arc::new(passage))).collect();
        let start = Operation::new(Author::Dm, "start", vec![Change::SetSession(session)]);
        let state = State::fold([start, Operation::new(Author::Dm, "say", changes)]).unwrap();
        let mut readings = Readings { waiting, ..Readings::default() };
        let mut sizes = Vec::new();
        while !readings.waiting.is_empty() {
            sizes.push(readings.take_batch(&state).len());
        }
        assert_eq!(sizes, [128, 22, 16, 16, 8]);
    }
}
