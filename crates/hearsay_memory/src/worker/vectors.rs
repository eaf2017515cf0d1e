//! Vectors: which texts want one, which are kept, which are made.

use std::collections::{BTreeMap, VecDeque};

use hearsay_embed::{TextHash, text_hash};
use hearsay_model::{FactId, PassageId, State};
use hearsay_recall::{DocId, Index};

use super::{
    Event, Internal, ModelStatus, Worker,
    encoder::{BATCH, Encoded},
};

/// The texts that want a vector, and those that have one.
#[derive(Default)]
pub(super) struct Vectors {
    /// Texts without a vector, by hash.
    wanted: BTreeMap<TextHash, Vec<DocId>>,
    /// A text that has its vector, by hash: another with the same words takes it over.
    known: BTreeMap<TextHash, DocId>,
    /// Hashes to be encoded, in the order in which their texts came.
    queue: VecDeque<TextHash>,
    /// Vectors that were made and are to be kept.
    unkept: Vec<(TextHash, Vec<f32>)>,
    /// Whether the kept vectors of the model were read.
    kept_read: bool,
    /// Whether a batch is under way.
    encoding: bool,
}

/// How many vectors are written to the database at a time.
const KEEP: usize = 256;

impl Vectors {
    /// Wants a vector for everything in a state that is to have one.
    pub(super) fn want_all(&mut self, state: &State) {
        for fact in state.facts() {
            self.want_fact(state, fact.id());
        }
        for (id, _) in state.passages() {
            self.want_passage(state, id);
        }
    }

    fn want_fact(&mut self, state: &State, id: FactId) {
        let Some(fact) = state.fact(id) else { return };
        if Index::holds(fact) && state.vocabulary().is_embedded(fact.predicate()) {
            self.want(DocId::Fact(id), fact.statement());
        }
    }

    fn want_passage(&mut self, state: &State, id: PassageId) {
        if let Some(passage) = state.passage(id) {
            self.want(DocId::Passage(id), &passage.text);
        }
    }

    fn want(&mut self, doc: DocId, text: &str) {
        let hash = text_hash(text);
        let docs = self.wanted.entry(hash).or_default();
        if docs.is_empty() {
            self.queue.push_back(hash);
        }
        docs.push(doc);
    }

    /// Wants vectors for texts that are new in the index. Those with words that have one already take it over.
    pub(super) fn want_new(&mut self, state: &State, index: &mut Index, docs: &[DocId]) {
        for &doc in docs {
            let text = match doc {
                DocId::Fact(id) => state.fact(id).map(|fact| fact.statement()),
                DocId::Passage(id) => state.passage(id).map(|passage| passage.text.as_str()),
            };
            let known = text.and_then(|text| self.known.get(&text_hash(text)));
            match known.and_then(|known| index.vector(*known)).map(<[f32]>::to_vec) {
                Some(vector) => index.set_vector(doc, &vector),
                None => match doc {
                    DocId::Fact(id) => self.want_fact(state, id),
                    DocId::Passage(id) => self.want_passage(state, id),
                },
            }
        }
    }

    /// Gives the vector to the texts that want it. Whether any does.
    fn give(&mut self, hash: TextHash, vector: &[f32], index: &mut Index) -> bool {
        let Some(docs) = self.wanted.remove(&hash) else { return false };
        for &doc in &docs {
            index.set_vector(doc, vector);
            self.known.insert(hash, doc);
        }
        true
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
        self.wanted.values().map(Vec::len).sum()
    }

    /// The next texts to encode.
    fn batch(&mut self, state: &State) -> Vec<(TextHash, String)> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(hash) = self.queue.pop_front()
        {
            let Some(docs) = self.wanted.get(&hash) else { continue };
            let text = docs.iter().find_map(|doc| match doc {
                DocId::Fact(id) => state.fact(*id).map(|fact| fact.statement().to_owned()),
                DocId::Passage(id) => state.passage(*id).map(|passage| passage.text.clone()),
            });
            match text {
                Some(text) => batch.push((hash, text)),
                // Undone meanwhile: nobody wants it any more.
                None => drop(self.wanted.remove(&hash)),
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
            Encoded::Documents(Ok(vectors)) => {
                self.vectors.encoding = false;
                for (hash, vector) in vectors {
                    if self.vectors.give(hash, &vector, &mut self.index) {
                        self.vectors.unkept.push((hash, vector));
                    }
                }
                let pending = self.vectors.pending();
                if pending == 0 || self.vectors.unkept.len() >= KEEP {
                    self.keep_vectors();
                }
                self.tell(Event::Vectors { pending });
                self.encode_more();
            }
            Encoded::Documents(Err(error)) => {
                self.vectors.encoding = false;
                self.fail(format!("some texts have no vector: {error}"));
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
        let internal = self.internal.clone();
        self.store.put_vectors(id, vectors, move |result| {
            if let Err(error) = result {
                let _ = internal.send(Internal::Failed(format!("vectors were not kept: {error}")));
            }
        });
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
