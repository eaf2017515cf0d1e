//! Vectors: which texts want one, which are kept, which are made.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hearsay_embed::{TextHash, text_hash};
use hearsay_model::{Author, Change, Fact, Key, Operation, Setting, State};
use hearsay_recall::{DocId, Index, text_of};

use super::{
    Event, Internal, ModelStatus, Worker, Write,
    encoder::{BATCH, Encoded},
};
use crate::memory::now;

/// The texts that want a vector, and those that have one.
#[derive(Default)]
pub(super) struct Vectors {
    /// Texts without a vector, by hash.
    wanted: BTreeMap<TextHash, BTreeSet<DocId>>,
    /// How many those are.
    pending: usize,
    /// A text that has its vector, by hash: another with the same words takes it over.
    known: BTreeMap<TextHash, DocId>,
    /// Hashes to be encoded, in the order in which their texts came.
    queue: VecDeque<TextHash>,
    /// Vectors that were made and are to be kept.
    unkept: Vec<(TextHash, Vec<f32>)>,
    /// Whether the kept vectors of the model were read.
    kept_read: bool,
    /// Whether the model was recorded since opening.
    recorded: bool,
    /// Whether a batch is under way.
    encoding: bool,
}

/// How many vectors are written to the database at a time.
const KEEP: usize = 256;

impl Vectors {
    /// Wants a vector for everything in a state that is to have one.
    pub(super) fn want_all(&mut self, state: &State) {
        for fact in state.facts() {
            self.want_doc(state, None, DocId::Fact(fact.id()));
        }
        for (id, _) in state.passages() {
            self.want_doc(state, None, DocId::Passage(id));
        }
    }

    /// Wants vectors for what an operation touched, where it has none. What came back by an undo is among it.
    pub(super) fn want_keys(&mut self, state: &State, index: &mut Index, keys: &[Key]) {
        for key in keys {
            match key {
                Key::Fact(id) => self.want_doc(state, Some(index), DocId::Fact(*id)),
                Key::Passage(id) => self.want_doc(state, Some(index), DocId::Passage(*id)),
                _ => {}
            }
        }
    }

    /// Wants a vector for a text, unless it has one, or takes over that of another text with the same words.
    fn want_doc(&mut self, state: &State, index: Option<&mut Index>, doc: DocId) {
        let is_embedded = |fact: &Fact| Index::holds(fact) && state.vocabulary().is_embedded(fact.predicate());
        if let DocId::Fact(id) = doc
            && !state.fact(id).is_some_and(|fact| is_embedded(fact))
        {
            return;
        }
        let Some(text) = text_of(state, doc) else { return };
        let hash = text_hash(&text);
        if let Some(index) = index {
            if index.has_vector(doc) {
                return;
            }
            let known = self.known.get(&hash).and_then(|known| index.vector(*known)).map(<[f32]>::to_vec);
            if let Some(vector) = known {
                return index.set_vector(doc, &vector);
            }
        }
        let docs = self.wanted.entry(hash).or_default();
        if docs.is_empty() {
            self.queue.push_back(hash);
        }
        self.pending += usize::from(docs.insert(doc));
    }

    /// Gives the vector to the texts that want it. Whether any does.
    fn give(&mut self, hash: TextHash, vector: &[f32], index: &mut Index) -> bool {
        let docs = self.take(hash);
        for &doc in &docs {
            index.set_vector(doc, vector);
            self.known.insert(hash, doc);
        }
        !docs.is_empty()
    }

    /// The texts that wanted a vector, which they want no more.
    fn take(&mut self, hash: TextHash) -> BTreeSet<DocId> {
        let docs = self.wanted.remove(&hash).unwrap_or_default();
        self.pending -= docs.len();
        docs
    }

    pub(super) fn take_kept(&mut self, page: Vec<(TextHash, Vec<f32>)>, index: &mut Index) {
        for (hash, vector) in page {
            self.give(hash, &vector, index);
        }
    }

    pub(super) fn kept_are_read(&mut self) {
        self.kept_read = true;
    }

    /// Texts that still want a vector.
    pub(super) fn pending(&self) -> usize {
        self.pending
    }

    /// The next texts to encode.
    fn batch(&mut self, state: &State) -> Vec<(TextHash, String)> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(hash) = self.queue.pop_front()
        {
            let Some(docs) = self.wanted.get(&hash) else { continue };
            match docs.iter().find_map(|doc| text_of(state, *doc)) {
                Some(text) => batch.push((hash, text.into_owned())),
                // Undone meanwhile: nobody wants it until it comes back.
                None => drop(self.take(hash)),
            }
        }
        batch
    }
}

impl Worker {
    pub(super) fn take_encoded(&mut self, encoded: Encoded) {
        match encoded {
            Encoded::Ready(id) => {
                self.model = ModelStatus::Ready { id: id.clone() };
                self.tell(Event::Model(self.model.clone()));
                let (pages, done) = (self.internal.clone(), self.internal.clone());
                self.store.load_vectors(
                    &id,
                    move |page| pages.send(Internal::Page(page)).is_ok(),
                    move |result| drop(done.send(Internal::PagesDone(result))),
                );
            }
            Encoded::NoModel(why) => {
                self.model = ModelStatus::None { why };
                self.tell(Event::Model(self.model.clone()));
                self.answer_without_meaning();
            }
            Encoded::Question(id, vector) => {
                let vector = vector.map_err(|error| self.fail(format!("a question has no vector: {error}")));
                self.take_question_vector(id, vector.ok());
            }
            Encoded::Documents(vectors) => {
                self.vectors.encoding = false;
                for (hash, vector) in vectors {
                    match vector {
                        Ok(vector) => {
                            if self.vectors.give(hash, &vector, &mut self.index) {
                                self.vectors.unkept.push((hash, vector));
                            }
                        }
                        Err(error) => {
                            // Trying again would fail again: until it opens again, words and graph find the text.
                            self.vectors.take(hash);
                            self.fail(format!("a text has no vector: {error}"));
                        }
                    }
                }
                let pending = self.vectors.pending();
                if pending == 0 || self.vectors.unkept.len() >= KEEP {
                    self.keep_vectors();
                }
                self.tell(Event::Vectors { pending });
                self.encode_more();
            }
        }
    }

    pub(super) fn keep_vectors(&mut self) {
        let ModelStatus::Ready { id } = &self.model else { return };
        let vectors = std::mem::take(&mut self.vectors.unkept);
        if vectors.is_empty() {
            return;
        }
        let id = id.clone();
        let internal = self.internal.clone();
        self.store.put_vectors(&id, vectors, move |result| {
            if let Err(error) = result {
                let _ = internal.send(Internal::Failed(format!("vectors were not kept: {error}")));
            }
        });
        self.record_model(&id);
    }

    /// Records which model makes the campaign's vectors (decision 11), and drops those of another.
    fn record_model(&mut self, id: &str) {
        // At the end nothing is written any more: the next to open the campaign records it.
        if self.closing || self.vectors.recorded || self.world.state.model() == Some(id) {
            return;
        }
        self.vectors.recorded = true;
        if self.world.state.model().is_some() {
            self.store.clear_vectors(Some(id), |result| {
                if let Err(error) = result {
                    tracing::warn!("vectors of another model were not deleted: {error}");
                }
            });
        }
        let change = Change::Set(Setting::Model(id.to_owned()));
        let operation = Operation::new(Author::Game, format!("vectors by {id}"), vec![change]);
        self.writes.push(Write::Own(Operation { recorded: now(), ..operation }));
    }

    /// Hands the encoder its next batch, if it has none.
    pub(super) fn encode_more(&mut self) {
        let ready = matches!(self.model, ModelStatus::Ready { .. });
        let Some(encoder) = self.encoder.as_ref().filter(|_| ready && self.vectors.kept_read && !self.vectors.encoding)
        else {
            return;
        };
        let batch = self.vectors.batch(&self.world.state);
        if batch.is_empty() {
            return;
        }
        match encoder.encode(batch) {
            Ok(()) => self.vectors.encoding = true,
            Err(refused) => {
                for (hash, _) in refused.into_iter().rev() {
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
        let (mut vectors, mut index) = (Vectors::default(), Index::of(&state));
        vectors.want_all(&state);
        // Wanting again what is wanted changes nothing.
        vectors.want_keys(&state, &mut index, &ids.iter().map(|id| Key::Passage(*id)).collect::<Vec<_>>());
        assert_eq!(vectors.pending(), 3);
        let mut batch = vectors.batch(&state);
        batch.sort_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(batch.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["Aye.", "Nay."]);
        assert!(vectors.give(batch[0].0, &[1.0, 0.0], &mut index));
        assert_eq!(vectors.pending(), 1);
        assert!(index.has_vector(DocId::Passage(ids[0])) && index.has_vector(DocId::Passage(ids[2])));
        assert!(!vectors.give(batch[0].0, &[1.0, 0.0], &mut index), "nobody wants it any more");
    }

    #[test]
    fn a_text_that_cannot_be_encoded_is_given_up() {
        let (state, _) = passages(&["Aye.", "Nay."]);
        let mut vectors = Vectors::default();
        vectors.want_all(&state);
        for (hash, _) in vectors.batch(&state) {
            vectors.take(hash);
        }
        assert_eq!(vectors.pending(), 0);
        assert!(vectors.batch(&state).is_empty());
    }

    #[test]
    fn what_is_gone_is_not_encoded_and_is_wanted_when_it_is_back() {
        let (mut state, ids) = passages(&["Aye."]);
        let (mut vectors, mut index) = (Vectors::default(), Index::of(&state));
        vectors.want_all(&state);
        let void = |at: u64| Operation::new(Author::Dm, "undo", vec![Change::Void(hearsay_model::Position(at))]);
        state.apply(void(1)).unwrap();
        assert!(vectors.batch(&state).is_empty());
        assert_eq!(vectors.pending(), 0);
        let touched = state.apply(void(2)).unwrap().touched;
        vectors.want_keys(&state, &mut index, &touched);
        assert_eq!((vectors.pending(), vectors.batch(&state).len()), (1, 1));
        assert!(state.passage(ids[0]).is_some());
    }
}
