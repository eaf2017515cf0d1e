//! Vectors of texts. This module finds the texts that need a vector, reads and stores vectors, and sends texts to the
//! encoder.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use hearsay_embed::{TextHash, text_hash};
use hearsay_model::{Author, Change, EngineSetting, Fact, Key, Operation, Setting, State};
use hearsay_recall::{DocId, Index, VectorSet, document_text};

use super::{
    Event, Internal, ModelStatus, Worker, Write,
    derived::{StoredVectors, VectorFile},
    encoder::{Encoded, MAX_BATCH_SIZE},
};
use crate::clock::now;

/// Texts without a vector, and vectors that are not stored yet.
#[derive(Default)]
pub(super) struct Vectors {
    /// Texts that need a vector, by the hash of their words.
    requested: HashMap<TextHash, BTreeSet<DocId>>,
    /// Number of texts in `requested`.
    pending: usize,
    /// Hashes of the texts to encode, in the order in which the texts were added.
    queue: VecDeque<TextHash>,
    /// Vectors that are not in the file yet.
    unstored: VectorSet,
    /// File of vectors, with the id of the model that computed them.
    file: Option<(String, Arc<Mutex<VectorFile>>)>,
    /// Whether the stored vectors have been read. Until the stored vectors have been read, it is unknown which texts
    /// have no vector.
    is_read: bool,
    /// Whether the model has been recorded in the journal since the memory was opened.
    recorded: bool,
    /// Whether a batch is being encoded.
    encoding: bool,
}

/// Number of vectors in `unstored` that triggers writing them to the file.
const MIN_VECTORS_PER_WRITE: usize = 256;

impl Vectors {
    /// Requests a vector for every text of a state that needs one.
    fn request_all(&mut self, state: &State, index: &mut Index) {
        index.assign_vectors_by_known_keys(|doc| needs_vector(state, doc));
        for doc in index.texts_without_vector() {
            self.request_vector(state, index, doc);
        }
    }

    /// Requests vectors for the texts that an operation touched, including texts restored by an undo.
    pub(super) fn want_keys(&mut self, state: &State, index: &mut Index, keys: &[Key]) {
        if !self.is_read {
            return;
        }
        for key in keys {
            match key {
                Key::Fact(id) => self.request_vector(state, index, DocId::Fact(*id)),
                Key::Passage(id) => self.request_vector(state, index, DocId::Passage(*id)),
                _ => {}
            }
        }
    }

    /// Requests a vector for a text that has none. Uses the vector of another text with the same words, if there is
    /// one.
    fn request_vector(&mut self, state: &State, index: &mut Index, doc: DocId) {
        if index.has_vector(doc) || !needs_vector(state, doc) {
            return;
        }
        let Some(text) = document_text(state.corpus(), doc) else { return };
        let hash = text_hash(&text);
        if index.assign_vector(doc, hash) {
            return;
        }
        let docs = self.requested.entry(hash).or_default();
        if docs.is_empty() {
            self.queue.push_back(hash);
        }
        self.pending += usize::from(docs.insert(doc));
    }

    /// Assigns a vector to the texts that requested it. Returns whether any text had requested it.
    fn assign(&mut self, hash: TextHash, vector: &[f32], index: &mut Index) -> bool {
        let docs = self.remove_requests(hash);
        if !docs.is_empty() {
            index.add_vector(hash, vector);
        }
        for &doc in &docs {
            index.assign_vector(doc, hash);
        }
        !docs.is_empty()
    }

    /// Removes and returns the texts that requested a vector.
    fn remove_requests(&mut self, hash: TextHash) -> BTreeSet<DocId> {
        let docs = self.requested.remove(&hash).unwrap_or_default();
        self.pending -= docs.len();
        docs
    }

    /// Uses the stored vectors if the current model computed them. If no model is loaded yet, uses the stored vectors
    /// of any model.
    fn use_stored(&mut self, stored: Option<StoredVectors>, model: Option<&str>, state: &State, index: &mut Index) {
        if let Some(stored) = stored.filter(|stored| model.is_none_or(|model| model == stored.model)) {
            index.add_vectors(stored.set);
            self.file = Some((stored.model, Arc::new(Mutex::new(stored.file))));
        }
        self.is_read = true;
        self.request_all(state, index);
    }

    /// Drops the vectors if another model computed them.
    fn discard_other_models(&mut self, model: &str, state: &State, index: &mut Index) {
        if self.file.as_ref().is_some_and(|(stored, _)| stored != model) {
            index.clear_vectors();
            *self = Self { is_read: true, ..Self::default() };
            self.request_all(state, index);
        }
    }

    /// Returns the number of texts that still need a vector.
    pub(super) fn pending(&self) -> usize {
        self.pending
    }

    /// Returns whether the stored vectors have been read.
    pub(super) fn are_read(&self) -> bool {
        self.is_read
    }

    /// Returns the next texts to encode.
    fn batch(&mut self, state: &State) -> Vec<(TextHash, String)> {
        let mut batch = Vec::new();
        while batch.len() < MAX_BATCH_SIZE
            && let Some(hash) = self.queue.pop_front()
        {
            let Some(docs) = self.requested.get(&hash) else { continue };
            match docs.iter().find_map(|doc| document_text(state.corpus(), *doc)) {
                Some(text) => batch.push((hash, text.into_owned())),
                // An undo removed the text. If the text is restored, its vector is requested again.
                None => drop(self.remove_requests(hash)),
            }
        }
        batch
    }

    /// Returns the file for the vectors of a model. Creates the file if there is none.
    fn file_of(&mut self, directory: &Path, model: &str) -> io::Result<Arc<Mutex<VectorFile>>> {
        if let Some((stored, file)) = &self.file
            && stored == model
        {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(Mutex::new(VectorFile::create(directory, model)?));
        self.file = Some((model.to_owned(), Arc::clone(&file)));
        Ok(file)
    }
}

/// Returns whether a search by meaning can find a text.
fn needs_vector(state: &State, doc: DocId) -> bool {
    let is_embedded = |fact: &Fact| Index::is_indexed(fact) && state.vocabulary().is_embedded(fact.predicate());
    match doc {
        DocId::Fact(id) => state.fact(id).is_some_and(|fact| is_embedded(fact)),
        DocId::Passage(_) => true,
    }
}

fn append(file: &Mutex<VectorFile>, set: &VectorSet) -> io::Result<()> {
    file.lock().unwrap_or_else(PoisonError::into_inner).append(set)
}

impl Worker {
    /// Returns the number of texts that still need a vector. Until the stored vectors are read, this is the number of
    /// all texts.
    pub(super) fn pending_vectors(&self) -> usize {
        match (&self.encoder, self.vectors.are_read()) {
            (None, _) => 0,
            (Some(_), true) => self.vectors.pending() + self.writes.unindexed(),
            (Some(_), false) => self.index.len() + self.writes.unindexed(),
        }
    }

    /// Uses the vectors that were read from the file.
    pub(super) fn take_stored_vectors(&mut self, stored: Option<StoredVectors>) {
        let model = match &self.model {
            ModelStatus::Ready { id } => Some(id.as_str()),
            _ => None,
        };
        self.vectors.use_stored(stored, model, &self.snapshot.state, &mut self.index);
        self.encode_more();
    }

    pub(super) fn take_encoded(&mut self, encoded: Encoded) {
        match encoded {
            Encoded::Ready(id) => {
                self.vectors.discard_other_models(&id, &self.snapshot.state, &mut self.index);
                self.model = ModelStatus::Ready { id };
                self.send_event(Event::Model(self.model.clone()));
                self.encode_more();
            }
            Encoded::NoModel(why) => {
                self.model = ModelStatus::None { why };
                self.send_event(Event::Model(self.model.clone()));
                self.answer_without_meaning();
            }
            Encoded::Questions(vectors) => {
                for (id, vector) in vectors {
                    let vector =
                        vector.map_err(|error| self.fail(format!("no vector computed for a question: {error}")));
                    self.take_question_vector(id, vector.ok());
                }
            }
            Encoded::Documents(vectors) => {
                self.vectors.encoding = false;
                for (hash, vector) in vectors {
                    match vector {
                        Ok(vector) => {
                            if self.vectors.assign(hash, &vector, &mut self.index) {
                                self.vectors.unstored.push(hash, &vector);
                            }
                        }
                        Err(error) => {
                            // Another attempt would also fail. Until the memory is opened again, the text is found only
                            // by keyword and graph search.
                            self.vectors.remove_requests(hash);
                            self.fail(format!("no vector computed for a text: {error}"));
                        }
                    }
                }
                let pending = self.vectors.pending();
                if pending == 0 || self.vectors.unstored.len() >= MIN_VECTORS_PER_WRITE {
                    self.store_vectors();
                }
                self.send_event(Event::Vectors { pending });
                self.encode_more();
            }
        }
    }

    /// Stores the new vectors. Uses a background thread, unless the memory is closing.
    pub(super) fn store_vectors(&mut self) {
        let ModelStatus::Ready { id } = &self.model else { return };
        // The owner of the campaign stores the vectors. Until the stored vectors are read, their file is unknown.
        let stores_vectors = self.storage.own().is_some() || self.storage.directory().is_some();
        if !stores_vectors || !self.vectors.is_read {
            return;
        }
        let set = std::mem::take(&mut self.vectors.unstored);
        if set.is_empty() {
            return;
        }
        let id = id.clone();
        if let Some(directory) = self.storage.directory() {
            let failure_message =
                |error: io::Error| format!("vectors not stored; the next opening recomputes them: {error}");
            match self.vectors.file_of(directory, &id) {
                Ok(file) if self.closing => {
                    if let Err(error) = append(&file, &set) {
                        tracing::warn!("{}", failure_message(error));
                    }
                }
                Ok(file) => {
                    self.run_in_background(move |internal| {
                        if let Err(error) = append(&file, &set) {
                            let _ = internal.send(Internal::Failed(failure_message(error)));
                        }
                    });
                }
                Err(error) => self.fail(failure_message(error)),
            }
        }
        self.record_model(&id);
    }

    /// Reads the stored vectors again if this program stores the vectors from now on, because another program has written
    /// to their file.
    pub(super) fn reread_vectors(&mut self) {
        let Some(directory) = self.storage.directory().map(Path::to_owned).filter(|_| self.encoder.is_some()) else {
            return;
        };
        (self.vectors.is_read, self.vectors.file) = (false, None);
        self.run_in_background(move |internal| {
            let stored = StoredVectors::read(&directory).map(Box::new);
            let _ = internal.send(Internal::StoredVectors(stored));
        });
    }

    /// Removes the vectors of removed texts from the file, if there are many. Called during closing, when all
    /// background threads have ended.
    pub(super) fn drop_unused_vectors(&mut self) {
        let Some((_, file)) = &self.vectors.file else { return };
        let result = file.lock().unwrap_or_else(PoisonError::into_inner).drop_unused(&self.index);
        if let Err(error) = result {
            tracing::warn!("the vectors of removed texts could not be deleted: {error}");
        }
    }

    /// Records in the journal which model computes the campaign's vectors.
    fn record_model(&mut self, id: &str) {
        // Writes nothing while the memory is closing. The model is then recorded after the next opening.
        if self.closing || self.vectors.recorded || self.snapshot.state.model() == Some(id) {
            return;
        }
        // Each program stores its own vectors if the campaign is in a server.
        if self.storage.own().is_none() {
            return;
        }
        self.vectors.recorded = true;
        let change = Change::Set(Setting::Engine(EngineSetting::Model(id.to_owned())));
        let operation = Operation::new(Author::Game, format!("vectors by {id}"), vec![change]);
        self.writes.push(Write::Own(Operation { recorded: now(), ..operation }));
    }

    /// Sends the next batch to the encoder if the encoder is idle.
    pub(super) fn encode_more(&mut self) {
        let is_ready = matches!(self.model, ModelStatus::Ready { .. });
        let can_encode = is_ready && self.vectors.is_read && !self.vectors.encoding;
        let Some(encoder) = self.encoder.as_ref().filter(|_| can_encode) else { return };
        let batch = self.vectors.batch(&self.snapshot.state);
        if batch.is_empty() {
            return;
        }
        match encoder.encode(batch) {
            Ok(()) => self.vectors.encoding = true,
            Err(rejected_batch) => {
                for (hash, _) in rejected_batch.into_iter().rev() {
                    self.vectors.queue.push_front(hash);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hearsay_model::{Author, Change, Operation, Passage, PassageId};

    use super::*;

    fn passages(texts: &[&str]) -> (State, Vec<PassageId>) {
        let passage = |(line, text): (usize, &&str)| Passage { line: line as u32, ..Passage::new(*text) };
        let passages: Vec<_> = texts.iter().enumerate().map(passage).collect();
        let ids = passages.iter().map(Passage::id).collect();
        let changes = passages.into_iter().map(|passage| Change::AddPassage(Arc::new(passage))).collect();
        (State::fold([Operation::new(Author::Dm, "say", changes)]).unwrap(), ids)
    }

    #[test]
    fn equal_texts_are_encoded_once() {
        let (state, ids) = passages(&["Aye.", "Nay.", "Aye."]);
        let (mut vectors, mut index) = (Vectors::default(), Index::new(state.corpus()));
        vectors.use_stored(None, None, &state, &mut index);
        // Requesting the same vectors again changes nothing.
        vectors.want_keys(&state, &mut index, &ids.iter().map(|id| Key::Passage(*id)).collect::<Vec<_>>());
        assert_eq!(vectors.pending(), 3);
        let mut batch = vectors.batch(&state);
        batch.sort_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(batch.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["Aye.", "Nay."]);
        assert!(vectors.assign(batch[0].0, &[1.0, 0.0], &mut index));
        assert_eq!(vectors.pending(), 1);
        assert!(index.has_vector(DocId::Passage(ids[0])) && index.has_vector(DocId::Passage(ids[2])));
        assert!(!vectors.assign(batch[0].0, &[1.0, 0.0], &mut index), "no text waits for this vector any more");
    }

    #[test]
    fn a_text_that_cannot_be_encoded_is_given_up() {
        let (state, _) = passages(&["Aye.", "Nay."]);
        let (mut vectors, mut index) = (Vectors::default(), Index::new(state.corpus()));
        vectors.use_stored(None, None, &state, &mut index);
        for (hash, _) in vectors.batch(&state) {
            vectors.remove_requests(hash);
        }
        assert_eq!(vectors.pending(), 0);
        assert!(vectors.batch(&state).is_empty());
    }

    #[test]
    fn removed_texts_are_not_encoded_until_they_return() {
        let (mut state, ids) = passages(&["Aye."]);
        let (mut vectors, mut index) = (Vectors::default(), Index::new(state.corpus()));
        vectors.use_stored(None, None, &state, &mut index);
        let revert = |at: u64| Operation::new(Author::Dm, "undo", vec![Change::Revert(hearsay_model::Position(at))]);
        state.apply(revert(1)).unwrap();
        assert!(vectors.batch(&state).is_empty());
        assert_eq!(vectors.pending(), 0);
        let touched = state.apply(revert(2)).unwrap().touched;
        vectors.want_keys(&state, &mut index, &touched);
        assert_eq!((vectors.pending(), vectors.batch(&state).len()), (1, 1));
        assert!(state.passage(ids[0]).is_some());
    }
}
