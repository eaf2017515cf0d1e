//! Drafts: the language model writes them on its own thread, one after the other.

use std::{
    io,
    ops::ControlFlow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use hearsay_engine::{
    Waker,
    priority::{ThreadPriority, lower_priority},
};

use crate::{ChatPrompt, GenerationLimits, GenerationStats, LanguageModel, SpeechError};

/// Queue of drafts that wait for the language model.
#[derive(Debug, Clone)]
pub(crate) struct DraftQueue {
    jobs: Sender<Message>,
    /// Set when the thread must end.
    closing: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Message {
    Write(Job),
    Quit,
}

#[derive(Debug)]
struct Job {
    prompt: ChatPrompt,
    parts: Sender<DraftPart>,
    cancelled: Arc<AtomicBool>,
}

#[derive(Debug)]
enum DraftPart {
    Text(String),
    End(Result<GenerationStats, SpeechError>),
}

/// A draft that the language model writes. Dropping it stops the language model.
#[derive(Debug)]
pub(crate) struct Draft {
    parts: Receiver<DraftPart>,
    cancelled: Arc<AtomicBool>,
    /// Text so far.
    pub(crate) text: String,
    /// Result of the language model; `None` while it writes.
    pub(crate) end: Option<Result<GenerationStats, SpeechError>>,
}

impl DraftQueue {
    /// Starts the thread of a language model. `load` creates the language model on this thread, and `loaded` gets its
    /// name or the error.
    pub(crate) fn start<M: LanguageModel + 'static>(
        load: impl FnOnce() -> Result<M, SpeechError> + Send + 'static,
        loaded: Arc<OnceLock<Result<String, SpeechError>>>,
        limits: GenerationLimits,
        waker: Option<Waker>,
    ) -> io::Result<Self> {
        let (jobs, receiver) = unbounded();
        let closing = Arc::new(AtomicBool::new(false));
        let is_closing = Arc::clone(&closing);
        thread::Builder::new().name("hearsay-speech".to_owned()).spawn(move || {
            // The threads that candle starts inherit the priority.
            lower_priority(ThreadPriority::Low);
            let model = load();
            let _ = loaded.set(model.as_ref().map(|model| model.name().to_owned()).map_err(Clone::clone));
            match model {
                Ok(model) => write_drafts(model, &receiver, &limits, &is_closing, waker.as_ref()),
                Err(error) => refuse_drafts(&error, &receiver, waker.as_ref()),
            }
        })?;
        Ok(Self { jobs, closing })
    }

    /// Stops the language model, and ends its thread.
    pub(crate) fn end(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let _ = self.jobs.send(Message::Quit);
    }

    /// Puts a draft at the end of the queue.
    pub(crate) fn write(&self, prompt: ChatPrompt) -> Draft {
        let (sender, parts) = unbounded();
        let cancelled = Arc::new(AtomicBool::new(false));
        let job = Job { prompt, parts: sender, cancelled: Arc::clone(&cancelled) };
        // If the thread has ended, the draft finds its channel closed.
        let _ = self.jobs.send(Message::Write(job));
        Draft { parts, cancelled, text: String::new(), end: None }
    }
}

impl Draft {
    /// Takes the parts that have arrived.
    pub(crate) fn take_parts(&mut self) {
        while self.end.is_none() {
            match self.parts.try_recv() {
                Ok(DraftPart::Text(text)) => self.text.push_str(&text),
                Ok(DraftPart::End(end)) => self.end = Some(end),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.end = Some(Err(SpeechError::Stopped)),
            }
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Job {
    fn send(&self, part: DraftPart, waker: Option<&Waker>) {
        let _ = self.parts.send(part);
        waker.into_iter().for_each(Waker::wake);
    }
}

fn write_drafts(
    mut model: impl LanguageModel,
    jobs: &Receiver<Message>,
    limits: &GenerationLimits,
    is_closing: &AtomicBool,
    waker: Option<&Waker>,
) {
    while let Ok(Message::Write(job)) = jobs.recv() {
        let is_cancelled = || job.cancelled.load(Ordering::Relaxed) || is_closing.load(Ordering::Relaxed);
        if is_cancelled() {
            continue;
        }
        let mut emit = |text: &str| {
            if is_cancelled() {
                return ControlFlow::Break(());
            }
            if !text.is_empty() {
                job.send(DraftPart::Text(text.to_owned()), waker);
            }
            ControlFlow::Continue(())
        };
        let end = model.generate(&job.prompt, limits, &mut emit);
        job.send(DraftPart::End(end), waker);
    }
}

fn refuse_drafts(error: &SpeechError, jobs: &Receiver<Message>, waker: Option<&Waker>) {
    while let Ok(Message::Write(job)) = jobs.recv() {
        job.send(DraftPart::End(Err(error.clone())), waker);
    }
}
