//! The encoder's thread. It encodes questions first, then sentences for extraction, then batches of documents.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

use crossbeam_channel::{Receiver, Sender, bounded, select_biased};
use hearsay_embed::{EmbedError, Encoder, EncoderOptions, TextHash};

use super::Internal;
use crate::ModelSettings;

/// Maximum number of documents in a batch. It is small, because a new question waits for the current batch.
pub(super) const MAX_BATCH_SIZE: usize = 8;

/// A result of the encoder.
pub(crate) enum Encoded {
    /// The model with this id is loaded.
    Ready(String),
    /// There is no model, or it failed, for this reason.
    NoModel(String),
    /// The vector of the question with this number.
    Question(u64, Result<Vec<f32>, EmbedError>),
    /// Vectors of documents, by the hashes of their texts.
    Documents(Vec<(TextHash, Result<Vec<f32>, EmbedError>)>),
}

/// A question that waits for its vector.
pub(super) struct Question {
    pub(super) id: u64,
    pub(super) text: String,
    pub(super) deadline: Instant,
    pub(super) cancelled: Arc<AtomicBool>,
}

impl Question {
    /// Returns whether the caller no longer waits for the vector, because the request was cancelled or its deadline has
    /// passed.
    fn is_abandoned(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.deadline <= Instant::now()
    }
}

/// Channel for groups of sentences to encode. Each group has a reply channel. The reply is `None` if encoding fails.
pub(super) type SentenceSender = Sender<SentenceRequest>;

/// Sentences with their reply channel.
type SentenceRequest = (Vec<String>, Sender<Option<Vec<Vec<f32>>>>);

pub(super) struct EncoderThread {
    questions: Sender<Question>,
    documents: Sender<Vec<(TextHash, String)>>,
    sentences: SentenceSender,
    thread: Option<JoinHandle<()>>,
}

impl EncoderThread {
    /// Starts the thread, which first loads the model.
    pub(super) fn start(settings: &ModelSettings, internal: Sender<Internal>) -> Self {
        let (questions, question_queue) = bounded(64);
        let (documents, document_queue) = bounded(1);
        let (sentences, sentence_queue) = bounded(1);
        let settings = settings.clone();
        let result_sender = internal.clone();
        let run = move || {
            let send_result = |encoded| result_sender.send(Internal::Encoded(encoded)).is_ok();
            let work = || {
                let options = EncoderOptions { threads: settings.threads };
                match Encoder::open(settings.directory.as_deref(), options) {
                    Ok(encoder) => {
                        if send_result(Encoded::Ready(encoder.info().id.clone())) {
                            serve_requests(&encoder, &question_queue, &sentence_queue, &document_queue, &send_result);
                        }
                    }
                    Err(error) => {
                        send_result(Encoded::NoModel(error.to_string()));
                    }
                }
            };
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                send_result(Encoded::NoModel("the encoder panicked".into()));
            }
        };
        let thread = thread::Builder::new().name("hearsay-encoder".into()).spawn(run);
        let thread = thread.map_err(|error| internal.send(Internal::Encoded(Encoded::NoModel(error.to_string())))).ok();
        Self { questions, documents, sentences, thread }
    }

    /// Requests the vector of a question. Returns whether the encoder accepted the question.
    pub(super) fn ask(&self, question: Question) -> bool {
        self.questions.try_send(question).is_ok()
    }

    /// Returns a channel for requesting the vectors of sentences.
    pub(super) fn sentences(&self) -> SentenceSender {
        self.sentences.clone()
    }

    /// Sends a batch of documents. If another batch is already waiting, returns this batch as the error.
    pub(super) fn encode(&self, batch: Vec<(TextHash, String)>) -> Result<(), Vec<(TextHash, String)>> {
        self.documents.try_send(batch).map_err(|refused| refused.into_inner())
    }

    /// Ends the thread and waits until it has finished its current work.
    pub(super) fn stop(self) {
        let Self { questions, documents, sentences, thread } = self;
        drop((questions, documents, sentences));
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn serve_requests(
    encoder: &Encoder,
    questions: &Receiver<Question>,
    sentences: &Receiver<SentenceRequest>,
    documents: &Receiver<Vec<(TextHash, String)>>,
    send_result: &dyn Fn(Encoded) -> bool,
) {
    loop {
        // When the thread is stopped, all channels close, except the channel for sentences while a reader still uses
        // it. That reader then gets no reply.
        select_biased! {
            recv(questions) -> question => {
                let Ok(question) = question else { return };
                if !question.is_abandoned()
                    && !send_result(Encoded::Question(question.id, encoder.encode_one(&question.text)))
                {
                    return;
                }
            }
            recv(sentences) -> request => {
                let Ok((texts, reply)) = request else { return };
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let _ = reply.send(encoder.encode(&texts).ok());
            }
            recv(documents) -> batch => {
                let Ok(batch) = batch else { return };
                if !send_result(Encoded::Documents(encode(encoder, batch))) {
                    return;
                }
            }
        }
    }
}

/// Encodes a batch. If the batch fails, encodes each text alone, so that one bad text does not affect the other texts.
fn encode(encoder: &Encoder, batch: Vec<(TextHash, String)>) -> Vec<(TextHash, Result<Vec<f32>, EmbedError>)> {
    let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
    match encoder.encode(&texts) {
        Ok(vectors) => batch.iter().map(|(hash, _)| *hash).zip(vectors.into_iter().map(Ok)).collect(),
        Err(_) => batch.iter().map(|(hash, text)| (*hash, encoder.encode_one(text))).collect(),
    }
}
