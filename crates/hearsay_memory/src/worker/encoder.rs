//! The encoder's thread. Questions go before documents, which come in small batches.

use std::{
    thread::{self, JoinHandle},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded, never, select_biased};
use hearsay_embed::{EmbedError, Encoder, EncoderOptions, TextHash, find_model};

use super::Internal;
use crate::ModelSettings;

/// Documents in a batch: few, so that a question waits for few.
pub(super) const BATCH: usize = 8;

/// What the encoder has.
pub(crate) enum Encoded {
    /// The model is loaded: its id.
    Ready(String),
    /// There is no model, or it failed.
    NoModel(String),
    /// The vector of a question.
    Question(u64, Result<Vec<f32>, EmbedError>),
    /// Vectors of documents, by the hash of their text.
    Documents(Result<Vec<(TextHash, Vec<f32>)>, EmbedError>),
}

pub(super) struct EncoderThread {
    questions: Sender<(u64, String)>,
    documents: Sender<Vec<(TextHash, String)>>,
    thread: Option<JoinHandle<()>>,
}

impl EncoderThread {
    /// Starts the thread, which loads the model first.
    pub(super) fn start(settings: &ModelSettings, internal: Sender<Internal>) -> Self {
        let (questions, question_queue) = bounded(64);
        let (documents, document_queue) = bounded(1);
        let settings = settings.clone();
        let run = move || {
            let tell = |encoded| internal.send(Internal::Encoded(encoded)).is_ok();
            let options = EncoderOptions { threads: settings.threads };
            let loaded = find_model(settings.directory.as_deref()).and_then(|dir| Encoder::load(dir, options));
            match loaded {
                Ok(encoder) => {
                    if tell(Encoded::Ready(encoder.info().id.clone())) {
                        serve(&encoder, &question_queue, &document_queue, &tell);
                    }
                }
                Err(error) => {
                    tell(Encoded::NoModel(error.to_string()));
                }
            }
        };
        let thread = thread::Builder::new().name("hearsay-encoder".into()).spawn(run).ok();
        Self { questions, documents, thread }
    }

    /// Asks for the vector of a question. Whether the encoder has room for it.
    pub(super) fn ask(&self, id: u64, text: &str) -> bool {
        self.questions.try_send((id, text.to_owned())).is_ok()
    }

    /// Hands over a batch of documents. The batch comes back when the encoder has one already.
    pub(super) fn encode(&self, batch: Vec<(TextHash, String)>) -> Result<(), Vec<(TextHash, String)>> {
        self.documents.try_send(batch).map_err(|refused| refused.into_inner())
    }

    /// Ends the thread after what it is doing.
    pub(super) fn stop(self) {
        let Self { questions, documents, thread } = self;
        drop((questions, documents));
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn serve(
    encoder: &Encoder,
    questions: &Receiver<(u64, String)>,
    documents: &Receiver<Vec<(TextHash, String)>>,
    tell: &dyn Fn(Encoded) -> bool,
) {
    let none = never();
    let mut documents = documents;
    loop {
        select_biased! {
            recv(questions) -> question => {
                let Ok((id, text)) = question else { return };
                if !tell(Encoded::Question(id, encoder.encode_one(&text))) {
                    return;
                }
            }
            recv(documents) -> batch => match batch {
                Ok(batch) => {
                    let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
                    let vectors = encoder.encode(&texts);
                    let hashed = vectors.map(|vectors| batch.iter().map(|(hash, _)| *hash).zip(vectors).collect());
                    if !tell(Encoded::Documents(hashed)) {
                        return;
                    }
                }
                Err(_) => documents = &none,
            },
            default(Duration::from_secs(3600)) => {}
        }
    }
}
