//! Settings of a campaign directory: `hearsay.toml`.

pub(crate) mod server;
mod speech;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use hearsay_campaign::read_text_file;
use hearsay_commands::policy::Policy;
use hearsay_model::UndoRetention;
use hearsay_query::{ask::RecallSettings, review::ReviewSettings};
use hearsay_store::LoginLevel;
use serde::{Deserialize, Serialize};

use crate::MemoryError;
#[cfg(feature = "llm")]
use hearsay_llm::LlmSettings;

pub use speech::{SpeechServer, SpeechSettings};

/// Name of the settings file in a campaign directory.
pub const SETTINGS_FILE: &str = "hearsay.toml";

/// Maximum size of a settings file, in bytes (1 MiB).
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// All settings of a campaign. Every setting has a default. [`Settings::TEMPLATE`] documents the settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Policy that decides on proposed facts.
    pub policy: Policy,
    /// Settings for answering questions.
    pub recall: RecallSettings,
    /// Settings of the sentence encoder.
    pub model: ModelSettings,
    /// Settings for extracting facts from texts.
    pub extraction: ExtractionSettings,
    /// Settings of the review.
    pub review: ReviewSettings,
    /// Settings of the database.
    pub store: StoreSettings,
    /// Settings for the merging of duplicate entities.
    pub duplicates: DuplicateSettings,
    /// Settings of the language model that speaks for characters.
    pub speech: SpeechSettings,
}

/// Settings for the merging of duplicate entities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuplicateSettings {
    /// Whether the memory merges near-certain duplicates without asking the DM.
    pub merge_near_certain: bool,
}

/// Settings of the sentence encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// Whether the sentence encoder is used. Without the encoder, answers are ranked by keywords and graph only.
    pub enabled: bool,
    /// Directory of the model, relative to the campaign directory. If unset, the default directories are searched for a
    /// model.
    pub directory: Option<PathBuf>,
    /// Maximum number of threads that the encoder uses.
    pub threads: usize,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self { enabled: true, directory: None, threads: 2 }
    }
}

/// Method by which facts are extracted from texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractionEngine {
    /// The reading model and word patterns extract facts. The reading model must be in a directory next to the
    /// directory of the sentence encoder. Without a reading model, only the patterns extract facts.
    #[default]
    Model,
    /// Only word patterns extract facts, without the reading model.
    Patterns,
}

/// Settings for extracting facts from texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionSettings {
    /// Whether facts are extracted automatically from new texts, such as logged lines and imported documents. The
    /// policy decides on these facts.
    pub enabled: bool,
    /// Method by which facts are extracted from texts.
    pub engine: ExtractionEngine,
    /// File with additional words and patterns for the campaign, relative to the campaign directory.
    pub language: Option<PathBuf>,
    /// Settings of the language model. If the language model is enabled, it also extracts facts from the texts.
    pub llm: LlmSettings,
}

impl Default for ExtractionSettings {
    fn default() -> Self {
        Self { enabled: true, engine: ExtractionEngine::default(), language: None, llm: LlmSettings::default() }
    }
}

/// Placeholder for the language model settings when the feature `llm` is off. A settings file may then contain these
/// settings, but must not enable the language model.
#[cfg(not(feature = "llm"))]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmSettings {
    /// Whether a language model is enabled. Not supported without the feature `llm`.
    pub enabled: bool,
}

/// Settings of the database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// Directory of the database, relative to the campaign directory.
    pub directory: PathBuf,
    /// Whether several programs on this machine can have the campaign open at the same time.
    pub share: bool,
    /// When the memory closes, it writes a new snapshot of the state if at least this number of operations was recorded
    /// since the last snapshot.
    pub snapshot_after: u64,
    /// Maximum time in seconds that the memory waits for accepted changes when it closes. Changes that are not
    /// committed within this time fail.
    pub close_timeout_s: u64,
    /// Number of newest operations that can always be undone. From older operations, compaction removes the data that
    /// is no longer needed, such as reverted or replaced changes.
    pub undo_operations: u64,
    /// Number of latest sessions whose operations can all be undone. Operations after the oldest slot can also be
    /// undone.
    pub undo_sessions: usize,
    /// Address of the server that contains the campaign, such as `wss://campaigns.example.org:4801`; `None` if the
    /// database is in `directory`. The user and the password are in the environment variables `HEARSAY_STORE_USER` and
    /// `HEARSAY_STORE_PASSWORD`. If the server is on another machine, the variable `HEARSAY_STORE_HOST` must contain its
    /// host, so that a settings file cannot choose the receiver of the password. Requires the feature `remote`.
    pub endpoint: Option<String>,
    /// Namespace of the campaign in the server.
    pub namespace: String,
    /// Database of the campaign in the server.
    pub database: String,
    /// Level on which the user is defined in the server.
    pub login: LoginLevel,
    /// What happens to writes while there is no connection to the server.
    pub offline_writes: OfflineWrites,
}

/// What happens to writes while there is no connection to the server of the campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfflineWrites {
    /// Writes wait until the connection works again.
    #[default]
    Wait,
    /// Writes fail. A write that was sent before the connection was lost fails after a few seconds, and may be stored
    /// nevertheless.
    Fail,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let UndoRetention { operations: undo_operations, sessions: undo_sessions } = UndoRetention::default();
        Self {
            directory: ".hearsay".into(),
            share: true,
            snapshot_after: 1,
            close_timeout_s: 30,
            undo_operations,
            undo_sessions,
            endpoint: None,
            namespace: "hearsay".into(),
            database: "campaign".into(),
            login: LoginLevel::default(),
            offline_writes: OfflineWrites::default(),
        }
    }
}

impl StoreSettings {
    /// Returns the maximum time that closing waits for accepted changes.
    pub fn close_timeout(&self) -> Duration {
        Duration::from_secs(self.close_timeout_s)
    }
}

impl Settings {
    /// Text of a settings file with all defaults and their descriptions.
    pub const TEMPLATE: &str = include_str!("../data/hearsay.toml");

    /// Reads the settings of a campaign directory. Returns the defaults if there is no settings file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if it has an unknown key or a value out of range. The error
    /// names the file and the line.
    pub fn read(directory: &Path) -> Result<Self, MemoryError> {
        let path = directory.join(SETTINGS_FILE);
        let text = match read_text_file(&path, MAX_SETTINGS_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(MemoryError::Settings { path, message: error.to_string() }),
        };
        let invalid = |message: &str| Err(MemoryError::Settings { path: path.clone(), message: message.to_owned() });
        if let Err(problem) = server::check_for_credentials(&text) {
            return invalid(&problem);
        }
        let settings: Self = toml::from_str(&text)
            .map_err(|error| MemoryError::Settings { path: path.clone(), message: error.to_string() })?;
        if let Err(name) = settings.policy.check() {
            return invalid(&format!("policy.floor must not be greater than policy.{name}"));
        }
        if settings.recall.budget < 64 {
            return invalid("recall.budget must be at least 64 tokens");
        }
        if settings.model.threads == 0 {
            return invalid("model.threads must be at least 1");
        }
        if let Err(problem) = settings.speech.check() {
            return invalid(&format!("[speech]: {problem}"));
        }
        if let Err(problem) = server::check(&settings.store) {
            return invalid(&format!("[store]: {problem}"));
        }
        #[cfg(feature = "llm")]
        if let Err(error) = settings.extraction.llm.check() {
            return invalid(&format!("[extraction.llm]: {error}"));
        }
        #[cfg(not(feature = "llm"))]
        if settings.extraction.llm.enabled {
            return invalid("extraction.llm.enabled must be false: this program was built without the feature `llm`");
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hearsay_commands::policy::{StatementSource, TextOrigin};

    use super::*;

    #[test]
    fn the_template_documents_every_default() {
        let template: Settings = toml::from_str(Settings::TEMPLATE).unwrap();
        assert_eq!(template, Settings::default());
        let written: toml::Table = toml::from_str(&toml::to_string(&Settings::default()).unwrap()).unwrap();
        let template: toml::Table = toml::from_str(Settings::TEMPLATE).unwrap();
        documented("", &written, &template);
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_no_settings_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(SETTINGS_FILE);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = Settings::read(directory.path()).unwrap_err().to_string();
        assert!(error.contains("hearsay.toml") && error.contains("it is a FIFO"), "{error}");
    }

    fn documented(section: &str, written: &toml::Table, template: &toml::Table) {
        for (key, value) in written {
            let template_value = template.get(key).unwrap_or_else(|| panic!("{section}{key} is not in the template"));
            if let Some(written) = value.as_table() {
                documented(&format!("{section}{key}."), written, template_value.as_table().unwrap());
            }
        }
    }

    #[test]
    fn a_language_model_is_asked_for_by_name() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(SETTINGS_FILE), "[extraction.llm]\nenabled = true\n").unwrap();
        let read = Settings::read(directory.path());
        #[cfg(feature = "llm")]
        assert!(read.unwrap().extraction.llm.enabled);
        #[cfg(not(feature = "llm"))]
        assert!(read.unwrap_err().to_string().contains("feature `llm`"));
    }

    #[test]
    fn each_source_of_text_can_have_its_own_threshold() {
        let directory = tempfile::tempdir().unwrap();
        let text = "[policy]\ncanon_threshold = 0.9\n[policy.sources]\nlive = 0.8\n[review]\nmax_per_source = 5\n";
        fs::write(directory.path().join(SETTINGS_FILE), text).unwrap();
        let settings = Settings::read(directory.path()).unwrap();
        let threshold = |origin| settings.policy.record_threshold(StatementSource::World, Some(origin)).get();
        let origins = [TextOrigin::Live, TextOrigin::SessionImport, TextOrigin::CampaignText];
        assert_eq!(origins.map(threshold), [0.8, 0.9, 0.9]);
        assert_eq!(settings.review.max_per_source, 5);
    }

    #[test]
    fn bad_settings_name_file_and_line() {
        let check = |text: &str, expected: &[&str]| {
            let directory = tempfile::tempdir().unwrap();
            fs::write(directory.path().join(SETTINGS_FILE), text).unwrap();
            let error = Settings::read(directory.path()).unwrap_err().to_string();
            for part in expected.iter().chain(&["hearsay.toml"]) {
                assert!(error.contains(part), "{part} in {error}");
            }
        };
        check("[recall]\nbudgit = 5\n", &["line 2", "budgit", "budget"]);
        check("[policy]\nthreshold = 1.5\n", &["line 2", "from 0 to 1"]);
        check("[policy]\nfloor = 0.9\n", &["policy.floor must not be greater than policy.threshold"]);
        check("[policy]\nfloor = 0.5\n[policy.sources]\nlive = 0.4\n", &["policy.floor", "policy.sources.live"]);
        check("[policy.sources]\nsession_import = 95\n", &["line 2", "from 0 to 1"]);
        check("[policy.sources]\ntranscripts = 0.9\n", &["line 2", "transcripts", "session_import"]);
        check("[review]\nmax_per_source = -1\n", &["line 2", "max_per_source"]);
        check("[model]\nthreads = 0\n", &["threads"]);
        check("[speech]\ntemperature = 3\n", &["[speech]", "temperature must be from 0 to 2, not 3"]);
        let server = "server = { base_url = \"http://127.0.0.1:11434/v1\", model = \"llama3.2\" }";
        let both = format!("[speech]\nmodel = \"m.gguf\"\n{server}\n");
        check(&both, &["[speech]", "only one of `model` and `server` can be set"]);
        check("[store]\npassword = \"x\"\n", &["[store]: `password` must not be", "HEARSAY_STORE_PASSWORD"]);
        #[cfg(feature = "remote")]
        check("[store]\nendpoint = \"http://host\"\n", &["[store]", "endpoint must be an address such as `wss://"]);
        #[cfg(not(feature = "remote"))]
        check("[store]\nendpoint = \"ws://host\"\n", &["[store]", "feature `remote`"]);
        check("[", &["line 1"]);
    }
}
