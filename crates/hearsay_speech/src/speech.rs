//! The thread of the language model, and the drafts that it writes.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use hearsay_engine::{
    SpeechSettings, Ticket, Waker,
    priority::{ThreadPriority, lower_priority},
};
use hearsay_query::ask::Answer;

use crate::{ChatPrompt, GenerationLimits, GenerationStats, LanguageModel, PendingReply, ReplyRequest, SpeechError};

/// State of the language model.
#[derive(Debug, Clone)]
pub enum SpeechStatus {
    /// There is no language model. Templates write the replies.
    NoModel,
    /// The language model is being loaded. Replies wait for it.
    Loading,
    /// The language model can write.
    Ready {
        /// Name of the language model.
        name: String,
    },
    /// The language model could not be loaded. Templates write the replies.
    Failed(SpeechError),
}

/// Lets characters speak: a thread with a language model, which writes one draft after the other.
///
/// Dropping this value stops the language model. Its thread ends by itself soon afterwards.
#[derive(Debug)]
pub struct Speech {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    queue: DraftQueue,
    loaded: Arc<OnceLock<Result<String, SpeechError>>>,
}

impl Speech {
    /// Creates speech without a language model. Templates write the replies.
    pub fn without_model() -> Self {
        Self { running: None }
    }

    /// Starts the thread of a language model. `load` creates the language model on this thread. `waker` is called
    /// after each new part of a draft.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start<M: LanguageModel + 'static>(
        load: impl FnOnce() -> Result<M, SpeechError> + Send + 'static,
        limits: GenerationLimits,
        waker: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let (jobs, receiver) = unbounded();
        let loaded = Arc::new(OnceLock::new());
        let (loaded_on_thread, closing) = (Arc::clone(&loaded), Arc::new(AtomicBool::new(false)));
        let thread = std::thread::Builder::new().name("hearsay-speech".to_owned()).spawn(move || {
            // The threads that candle starts inherit the priority.
            lower_priority(ThreadPriority::Low);
            let model = load();
            let name = model.as_ref().map(|model| model.name().to_owned()).map_err(Clone::clone);
            let _ = loaded_on_thread.set(name);
            match model {
                Ok(model) => write_drafts(model, &receiver, waker.as_ref()),
                Err(error) => refuse_drafts(&error, &receiver, waker.as_ref()),
            }
        });
        thread.map_err(|error| SpeechError::Settings(format!("no thread could be started: {error}")))?;
        let queue = DraftQueue { jobs, limits, closing };
        Ok(Self { running: Some(Running { queue, loaded }) })
    }

    /// Returns the state of the language model.
    pub fn status(&self) -> SpeechStatus {
        match self.running.as_ref().map(|running| running.loaded.get()) {
            None => SpeechStatus::NoModel,
            Some(None) => SpeechStatus::Loading,
            Some(Some(Ok(name))) => SpeechStatus::Ready { name: name.clone() },
            Some(Some(Err(error))) => SpeechStatus::Failed(error.clone()),
        }
    }

    /// Starts the language model of the settings in the background. Without a language model in the settings, templates
    /// write the replies.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid, if this program was built without the feature `local` and the settings
    /// name a language model, or if the thread cannot be started. A file that cannot be read is no error here: see
    /// [`status`](Self::status).
    pub fn from_settings(settings: &SpeechSettings, waker: Option<Waker>) -> Result<Self, SpeechError> {
        settings.check().map_err(SpeechError::Settings)?;
        let Some(model) = settings.model.clone() else { return Ok(Self::without_model()) };
        #[cfg(feature = "local")]
        {
            let options = crate::LocalModelOptions {
                temperature: settings.temperature,
                top_p: settings.top_p,
                repetition_penalty: settings.repetition_penalty,
                seed: settings.seed,
                prefix_cache_bytes: settings.prefix_cache_mb << 20,
            };
            Self::start(
                move || crate::LocalModel::load(model, options),
                GenerationLimits::from_settings(settings),
                waker,
            )
        }
        #[cfg(not(feature = "local"))]
        {
            let _ = waker;
            let problem =
                format!("model is {}, but this program was built without the feature `local`", model.display());
            Err(SpeechError::Settings(problem))
        }
    }

    /// Begins a reply. `answer` is the answer of the memory to what was said to the character: see
    /// [`Memory::ask`](hearsay_engine::Memory::ask). Replies are written one after the other, in the order of the calls.
    pub fn reply(&self, answer: Ticket<Answer>, request: ReplyRequest) -> PendingReply {
        PendingReply::new(answer, request, self.running.as_ref().map(|running| running.queue.clone()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.queue.closing.store(true, Ordering::Relaxed);
        let _ = self.queue.jobs.send(Message::Quit);
    }
}

/// Queue of drafts that wait for the language model.
#[derive(Debug, Clone)]
pub(crate) struct DraftQueue {
    jobs: Sender<Message>,
    limits: GenerationLimits,
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
    limits: GenerationLimits,
    parts: Sender<DraftPart>,
    cancelled: Arc<AtomicBool>,
    closing: Arc<AtomicBool>,
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
    /// Puts a draft at the end of the queue.
    pub(crate) fn write(&self, prompt: ChatPrompt) -> Draft {
        let (sender, parts) = unbounded();
        let cancelled = Arc::new(AtomicBool::new(false));
        let job = Job {
            prompt,
            limits: self.limits.clone(),
            parts: sender,
            cancelled: Arc::clone(&cancelled),
            closing: Arc::clone(&self.closing),
        };
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
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.closing.load(Ordering::Relaxed)
    }

    fn send(&self, part: DraftPart, waker: Option<&Waker>) {
        let _ = self.parts.send(part);
        waker.into_iter().for_each(Waker::wake);
    }
}

fn write_drafts(mut model: impl LanguageModel, jobs: &Receiver<Message>, waker: Option<&Waker>) {
    while let Ok(Message::Write(job)) = jobs.recv() {
        if job.is_cancelled() {
            continue;
        }
        let mut emit = |text: &str| {
            if job.is_cancelled() {
                return ControlFlow::Break(());
            }
            if !text.is_empty() {
                job.send(DraftPart::Text(text.to_owned()), waker);
            }
            ControlFlow::Continue(())
        };
        let end = model.generate(&job.prompt, &job.limits, &mut emit);
        job.send(DraftPart::End(end), waker);
    }
}

fn refuse_drafts(error: &SpeechError, jobs: &Receiver<Message>, waker: Option<&Waker>) {
    while let Ok(Message::Write(job)) = jobs.recv() {
        job.send(DraftPart::End(Err(error.clone())), waker);
    }
}
