//! The encoder's thread. The thread encodes questions first, then sentences for extraction, then batches of documents.
//! Questions that wait at the same time are encoded together.

use std::{
    iter,
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

/// Maximum number of documents in a batch. The maximum is small, because a new question waits for the current batch.
pub(super) const MAX_BATCH_SIZE: usize = 8;

/// Maximum number of questions in a batch. The number is limited, so that the worker can answer the first questions
/// while later ones are encoded.
const MAX_QUESTION_BATCH_SIZE: usize = 32;

/// Maximum number of questions that wait for the encoder. Further questions are answered without their vectors. The
/// number is large, because questions whose deadline has passed also count until the encoder skips them.
const MAX_WAITING_QUESTIONS: usize = 4096;

/// A result of the encoder.
pub(crate) enum Encoded {
    /// The model with this id is loaded.
    Ready(String),
    /// The model could not be loaded, or failed. Contains the reason.
    NoModel(String),
    /// Vectors of questions, by the numbers of the questions.
    Questions(Vec<(u64, Result<Vec<f32>, EmbedError>)>),
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
        let (questions, question_queue) = bounded(MAX_WAITING_QUESTIONS);
        let (documents, document_queue) = bounded(1);
        let (sentences, sentence_queue) = bounded(1);
        let settings = settings.clone();
        let result_sender = internal.clone();
        let run = move || {
            let send_result = |encoded| result_sender.send(Internal::Encoded(encoded)).is_ok();
            let work = || {
                let options = EncoderOptions::with_threads(settings.threads);
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
                // Waiting questions are encoded together, because this is faster.
                let waiting = iter::once(question).chain(questions.try_iter());
                let needed = waiting.filter(|question| !question.is_abandoned()).take(MAX_QUESTION_BATCH_SIZE);
                let batch: Vec<(u64, String)> = needed.map(|question| (question.id, question.text)).collect();
                let encode_all = |texts: &[&str]| encoder.encode_questions(texts);
                if !batch.is_empty() && !send_result(Encoded::Questions(encode(&batch, encode_all))) {
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
                if !send_result(Encoded::Documents(encode(&batch, |texts| encoder.encode(texts)))) {
                    return;
                }
            }
        }
    }
}

/// Encodes a batch of texts with their keys by calling `encode_all`. If the batch fails, encodes each text alone, so
/// that one bad text does not affect the other texts.
fn encode<K: Copy>(
    batch: &[(K, String)],
    encode_all: impl Fn(&[&str]) -> Result<Vec<Vec<f32>>, EmbedError>,
) -> Vec<(K, Result<Vec<f32>, EmbedError>)> {
    let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
    let encode_alone = |text: &str| encode_all(&[text]).map(|mut vectors| vectors.pop().unwrap_or_default());
    match encode_all(&texts) {
        Ok(vectors) => batch.iter().map(|(key, _)| *key).zip(vectors.into_iter().map(Ok)).collect(),
        Err(_) => batch.iter().map(|(key, text)| (*key, encode_alone(text))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, time::Duration};

    use crossbeam_channel::unbounded;

    use super::*;

    fn question(id: u64, wait: Duration) -> Question {
        let (text, deadline) = (format!("Who met the baker on day {id} of the fair?"), Instant::now() + wait);
        Question { id, text, deadline, cancelled: Arc::default() }
    }

    #[test]
    fn waiting_questions_are_encoded_together() {
        let encoder = Encoder::open(None, EncoderOptions::with_threads(1)).unwrap();
        let (questions, question_queue) = unbounded();
        let long = Duration::from_secs(3600);
        questions.send(question(0, Duration::ZERO)).unwrap();
        for id in 1..=40 {
            questions.send(question(id, long)).unwrap();
        }
        let cancelled = question(41, long);
        cancelled.cancelled.store(true, Ordering::Relaxed);
        questions.send(cancelled).unwrap();
        // The loop ends when it has encoded the waiting questions.
        drop(questions);
        let ((_sentences, sentence_queue), (_documents, document_queue)) = (unbounded(), unbounded());
        let batches = RefCell::new(Vec::new());
        let send_result = |encoded| {
            let Encoded::Questions(batch) = encoded else { panic!("no question was encoded") };
            batches.borrow_mut().push(batch);
            true
        };
        serve_requests(&encoder, &question_queue, &sentence_queue, &document_queue, &send_result);
        let batches = batches.into_inner();
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [32, 8]);
        for (id, vector) in batches.into_iter().flatten() {
            let alone = encoder.encode(&[question(id, long).text.as_str()]).unwrap().remove(0);
            let vector = vector.unwrap();
            assert_eq!(vector.len(), alone.len());
            assert!(vector.iter().zip(&alone).all(|(one, other)| (one - other).abs() < 1e-5), "question {id}");
        }
    }

    #[test]
    fn one_bad_text_does_not_affect_the_others() {
        let encode_all = |texts: &[&str]| match texts.contains(&"bad") {
            true => Err(EmbedError::Inference { problem: "bad".to_owned() }),
            false => Ok(texts.iter().map(|text| vec![text.len() as f32]).collect()),
        };
        let batch = [(1, "one"), (2, "bad"), (3, "three")].map(|(key, text)| (key, text.to_owned()));
        let encoded: Vec<_> = encode(&batch, encode_all).into_iter().map(|(key, vector)| (key, vector.ok())).collect();
        assert_eq!(encoded, [(1, Some(vec![3.0])), (2, None), (3, Some(vec![5.0]))]);
    }
}
