//! Speech: starts the language model, and begins replies.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use hearsay_engine::{SpeechServer, SpeechSettings, Ticket, Waker};
use hearsay_query::ask::Answer;

use crate::{GenerationLimits, LanguageModel, PendingReply, ReplyRequest, SpeechError, drafts::DraftQueue};

/// Time between two looks at a language model that is being loaded.
const LOADING_POLL: Duration = Duration::from_millis(10);

/// State of the language model.
#[derive(Debug, Clone)]
pub enum SpeechStatus {
    /// There is no language model. Templates write the replies.
    NoModel,
    /// The language model is being loaded. Replies wait until it is loaded.
    Loading,
    /// The language model can write.
    Ready {
        /// Name of the language model.
        name: String,
    },
    /// The language model could not be loaded. Templates write the replies.
    Failed(SpeechError),
}

/// Lets characters speak. A separate thread runs the language model, which writes the drafts one after the other.
///
/// Dropping this value stops the language model. The thread of the language model ends soon afterwards.
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

    /// Starts a thread for a language model. The function `load` creates the language model on this thread. `waker` is
    /// called after each new part of a draft.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start<M: LanguageModel + 'static>(
        load: impl FnOnce() -> Result<M, SpeechError> + Send + 'static,
        limits: GenerationLimits,
        waker: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let loaded = Arc::new(OnceLock::new());
        let queue = DraftQueue::start(load, Arc::clone(&loaded), limits, waker);
        let queue = queue.map_err(|error| SpeechError::Thread(error.to_string()))?;
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

    /// Blocks until the language model is loaded, or until loading fails. Calls `check` every few milliseconds, and
    /// stops waiting when `check` returns an error, for example because the user pressed Ctrl-C. Returns the name of
    /// the language model, or `None` if there is no language model.
    ///
    /// # Errors
    /// Returns the error of `check`, or the reason why the language model could not be loaded.
    pub fn wait_until_loaded<E: From<SpeechError>>(
        &self,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<String>, E> {
        loop {
            match self.status() {
                SpeechStatus::NoModel => return Ok(None),
                SpeechStatus::Ready { name } => return Ok(Some(name)),
                SpeechStatus::Failed(error) => return Err(error.into()),
                SpeechStatus::Loading => thread::sleep(LOADING_POLL),
            }
            check()?;
        }
    }

    /// Starts the language model that the settings name, in the background. If the settings name no language model,
    /// templates write the replies.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid, or if the thread cannot be started. Also returns an error if the
    /// settings name a language model that needs the feature `local` or `server`, and this program was built without
    /// that feature. If the file cannot be read, [`status`](Self::status) returns the error later.
    pub fn from_settings(settings: &SpeechSettings, waker: Option<Waker>) -> Result<Self, SpeechError> {
        settings.check().map_err(SpeechError::Settings)?;
        let limits = GenerationLimits::from_settings(settings);
        if let Some(server) = &settings.server {
            return Self::start_server_model(server, settings, limits, waker);
        }
        match settings.model.clone() {
            Some(model) => Self::start_local_model(model, settings, limits, waker),
            None => Ok(Self::without_model()),
        }
    }

    #[cfg(feature = "server")]
    fn start_server_model(
        server: &SpeechServer,
        settings: &SpeechSettings,
        limits: GenerationLimits,
        waker: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let model = crate::RemoteModel::new(server, settings)?;
        Self::start(move || Ok(model), limits, waker)
    }

    #[cfg(not(feature = "server"))]
    fn start_server_model(
        server: &SpeechServer,
        _: &SpeechSettings,
        _: GenerationLimits,
        _: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let name = format!("the server {}", server.base_url);
        Err(SpeechError::Settings(format!(
            "{name} cannot be used: this program was built without the feature `server`"
        )))
    }

    #[cfg(feature = "local")]
    fn start_local_model(
        model: PathBuf,
        settings: &SpeechSettings,
        limits: GenerationLimits,
        waker: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let options = crate::LocalModelOptions {
            temperature: settings.temperature,
            top_p: settings.top_p,
            repetition_penalty: settings.repetition_penalty,
            seed: settings.seed,
            prefix_cache_bytes: settings.prefix_cache_mb << 20,
        };
        Self::start(move || crate::LocalModel::load(model, options), limits, waker)
    }

    #[cfg(not(feature = "local"))]
    fn start_local_model(
        model: PathBuf,
        _: &SpeechSettings,
        _: GenerationLimits,
        _: Option<Waker>,
    ) -> Result<Self, SpeechError> {
        let model = model.display();
        Err(SpeechError::Settings(format!("model is {model}, but this program was built without the feature `local`")))
    }

    /// Begins a reply. `answer` is the answer of the memory to the words that were said to the character: see
    /// [`Memory::ask`](hearsay_engine::Memory::ask). Replies are written one after the other, in the order of the
    /// calls.
    pub fn reply(&self, answer: Ticket<Answer>, request: ReplyRequest) -> PendingReply {
        PendingReply::new(answer, request, self.running.as_ref().map(|running| running.queue.clone()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.queue.end();
    }
}
