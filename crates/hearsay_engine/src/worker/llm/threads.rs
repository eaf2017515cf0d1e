//! Threads that query the language model and wait for its answers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use hearsay_commands::{
    policy::Policy,
    reading::{Draft, DraftExtraction},
};
use hearsay_extract::{Lexicon, Text};
use hearsay_llm::{ApiKey, CancelHandle, Job, Llm, LlmError, LlmExtraction, LlmSettings, RunControl};
use hearsay_model::{State, Vocabulary};

use crate::{
    MemoryError,
    ticket::Responder,
    worker::{Internal, guarded, reading::language},
};

/// A job that is finished or has failed, with its outcome.
pub(crate) struct LlmResult {
    pub(crate) job: Job,
    pub(crate) outcome: Result<LlmExtraction, LlmError>,
}

/// A task for the threads that query the language model.
pub(super) enum Task {
    Read {
        job: Job,
        lexicon: Arc<Lexicon>,
        cancel: CancelHandle,
    },
    Draft {
        draft: Draft,
        lexicon: Arc<Lexicon>,
        vocabulary: Arc<Vocabulary>,
        policy: Policy,
        responder: Responder<DraftExtraction>,
    },
    Write(String, Responder<String>),
}

/// A task with the client for querying the model.
type LlmTask = (Task, Llm);

/// Threads that query the language model, and the channel for their tasks.
pub(super) struct LlmThreads {
    pub(super) llm: Llm,
    tasks: Option<Sender<LlmTask>>,
    threads: Vec<JoinHandle<()>>,
    /// Cancels the jobs that are being read.
    reading: CancelHandle,
    /// Cancels all tasks.
    all_tasks: CancelHandle,
}

impl LlmThreads {
    pub(super) fn start(
        settings: &LlmSettings,
        language_path: Option<&Path>,
        state: &State,
        internal: &Sender<Internal>,
    ) -> Result<Self, String> {
        let key = ApiKey::from_env(settings).map_err(|error| error.to_string())?;
        let language = language(language_path).map_err(|error| error.to_string())?;
        let vocabulary = state.vocabulary().as_ref().clone();
        let llm = Llm::new(settings.clone(), key, language, vocabulary).map_err(|error| error.to_string())?;
        let (tasks, inbox) = unbounded::<LlmTask>();
        let all_tasks = CancelHandle::new();
        let start_thread = |_| {
            let (inbox, internal, all_tasks) = (inbox.clone(), internal.clone(), all_tasks.clone());
            thread::Builder::new().name("hearsay-llm".into()).spawn(move || run(&inbox, &internal, &all_tasks))
        };
        let threads: Result<Vec<_>, _> = (0..settings.concurrency).map(start_thread).collect();
        let threads = threads.map_err(|error| format!("no thread could be started: {error}"))?;
        Ok(Self { llm, tasks: Some(tasks), threads, reading: CancelHandle::new(), all_tasks })
    }

    pub(super) fn send(&mut self, task: Task) {
        // Sending fails only if all threads have ended. The dropped responder then reports the error to the caller.
        if let Some(tasks) = &self.tasks {
            let _ = tasks.send((task, self.llm.clone()));
        }
    }

    pub(super) fn read(&mut self, job: Job, lexicon: Arc<Lexicon>) {
        let cancel = self.reading.clone();
        self.send(Task::Read { job, lexicon, cancel });
    }

    /// Cancels the jobs that are being read. Later jobs are not affected.
    pub(super) fn stop_reading(&mut self) {
        std::mem::take(&mut self.reading).cancel();
    }

    /// Cancels all tasks.
    pub(super) fn stop(&mut self) {
        self.reading.cancel();
        self.all_tasks.cancel();
    }

    /// Ends the threads. If `wait` is `true`, waits until the threads have ended.
    pub(super) fn end(&mut self, wait: bool) {
        self.stop();
        self.tasks = None;
        for thread in self.threads.drain(..).filter(|_| wait) {
            // A panic of the thread was already reported.
            let _ = thread.join();
        }
    }
}

fn run(inbox: &Receiver<LlmTask>, internal: &Sender<Internal>, all_tasks: &CancelHandle) {
    for (task, llm) in inbox {
        match task {
            Task::Read { job, lexicon, cancel } => {
                let control = RunControl { cancel, ..RunControl::default() };
                let read_job = || llm.extract_job_blocking(&lexicon, &job, &control);
                let outcome = catch_unwind(AssertUnwindSafe(read_job)).unwrap_or(Err(LlmError::ReadingPanicked));
                let _ = internal.send(Internal::LlmResult(Box::new(LlmResult { job, outcome })));
            }
            Task::Draft { draft, lexicon, vocabulary, policy, responder } if !responder.is_cancelled() => {
                responder.give(guarded(|| {
                    let watch = RunControl { cancel: all_tasks.clone(), ..RunControl::default() };
                    let extract = |text: &Text<'_>| Ok(llm.extract_blocking(&lexicon, text, &watch)?.extraction);
                    draft.extract_with(&policy, &vocabulary, extract).map_err(to_memory_error)
                }));
            }
            Task::Write(prompt, responder) if !responder.is_cancelled() => {
                responder.give(guarded(|| llm.writer().write_blocking(&prompt, all_tasks).map_err(to_memory_error)));
            }
            Task::Draft { .. } | Task::Write(..) => {}
        }
    }
}

fn to_memory_error(error: LlmError) -> MemoryError {
    match error {
        LlmError::Cancelled => MemoryError::Cancelled,
        error => MemoryError::Llm(error.to_string()),
    }
}
