//! Settings of extraction with a language model.

use std::time::Duration;

use hearsay_model::Confidence;
use serde::{Deserialize, Serialize};

use super::LlmError;

/// All settings, each with its default. Without a language model nothing contacts a network: `enabled` is off unless
/// somebody turns it on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmSettings {
    /// Whether a language model is asked. Off by default: text leaves the program when it is on.
    pub enabled: bool,
    /// Where the server is: any that speaks OpenAI's protocol. By default `http://127.0.0.1:11434/v1`, which is where
    /// Ollama listens on the same machine.
    pub base_url: String,
    /// The name of the environment variable that has the key; by default `HEARSAY_LLM_KEY`. The key itself is no setting,
    /// so that it is in no file; nor is its host, so that no file says who gets it: that stands in the variable of the
    /// same name with `_HOST` behind it.
    pub key_env: String,
    /// The model's name there; by default `llama3.2`.
    pub model: String,
    /// How freely the model chooses its words, 0 to 2; by default 0.2. A server that wants none is asked without.
    pub temperature: f64,
    /// Of the calls that look for entities.
    pub entities: PhaseSettings,
    /// Of the calls that look for relations.
    pub relations: PhaseSettings,
    /// Of the calls that write.
    pub writer: PhaseSettings,
    /// Milliseconds that one answer may take; by default 60,000.
    pub timeout_ms: u64,
    /// Milliseconds that reaching the server may take; by default 5,000.
    pub connect_timeout_ms: u64,
    /// How often a call is tried again that failed for a reason that may pass; by default 3.
    pub retries: u32,
    /// Milliseconds before it is tried again the first time; each further wait is twice as long. By default 500.
    pub backoff_ms: u64,
    /// Milliseconds that a wait has at most; by default 30,000.
    pub backoff_most_ms: u64,
    /// Tokens that one text or one recap may cost; by default 100,000.
    pub run_tokens: u64,
    /// Tokens that all of them may cost until the program ends; by default 2,000,000.
    pub total_tokens: u64,
    /// Tokens that one answer may have; by default 4,096.
    pub answer_tokens: u32,
    /// Calls at the same time; by default 2.
    pub concurrency: usize,
    /// Turns of a conversation after which it is read; by default 5.
    pub after_turns: usize,
    /// Tokens of a conversation after which it is read; by default 2,000.
    pub after_tokens: usize,
    /// Characters that a part of a long text has at most; by default 12,000.
    pub part_chars: usize,
    /// Characters that two parts share, so that nothing is lost where they meet; by default 800.
    pub overlap_chars: usize,
    /// Passes over one part at most that look for entities. It ends before, when two in a row find nothing new. By
    /// default 6.
    pub entity_passes: usize,
    /// Characters that a recap may be written from; by default 24,000.
    pub recap_chars: usize,
}

/// What is different for one kind of call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhaseSettings {
    /// Another model.
    pub model: Option<String>,
    /// Another temperature.
    pub temperature: Option<f64>,
    /// Results below it are left out, and counted; 0.3, when nothing is said.
    pub min_confidence: Option<Confidence>,
}

/// Below this nothing is kept anyway: it is the floor of the policy.
const LEAST: f64 = 0.3;

impl PhaseSettings {
    pub(crate) fn least(&self) -> f64 {
        self.min_confidence.map_or(LEAST, Confidence::get)
    }
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            base_url: "http://127.0.0.1:11434/v1".to_owned(),
            key_env: "HEARSAY_LLM_KEY".to_owned(),
            model: "llama3.2".to_owned(),
            temperature: 0.2,
            entities: PhaseSettings::default(),
            relations: PhaseSettings::default(),
            writer: PhaseSettings::default(),
            timeout_ms: 60_000,
            connect_timeout_ms: 5_000,
            retries: 3,
            backoff_ms: 500,
            backoff_most_ms: 30_000,
            run_tokens: 100_000,
            total_tokens: 2_000_000,
            answer_tokens: 4_096,
            concurrency: 2,
            after_turns: 5,
            after_tokens: 2_000,
            part_chars: 12_000,
            overlap_chars: 800,
            entity_passes: 6,
            recap_chars: 24_000,
        }
    }
}

impl LlmSettings {
    /// The model that says which facts a text states: that of the second phase.
    pub fn facts_model(&self) -> &str {
        self.relations.model.as_deref().unwrap_or(&self.model)
    }

    /// Checks what a file cannot say by itself.
    ///
    /// # Errors
    /// When a value is out of range; the error names the setting and what it may be.
    pub fn check(&self) -> Result<(), LlmError> {
        let refuse = |what: String| Err(LlmError::Settings(what));
        let url = match reqwest::Url::parse(&self.base_url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
            _ => {
                return refuse(format!(
                    "base_url must be an address such as https://example.org/v1, not `{}`",
                    self.base_url
                ));
            }
        };
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            // What was written there is not repeated: it may be a key.
            return refuse(
                "base_url must have no user, password, query or fragment; the key belongs into the environment".into(),
            );
        }
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.key_env.is_empty() || !self.key_env.chars().all(name) {
            return refuse("key_env must be the name of an environment variable, not the key itself".into());
        }
        let models =
            [&self.entities, &self.relations, &self.writer].into_iter().filter_map(|phase| phase.model.as_ref());
        if models.chain([&self.model]).any(|model| model.trim().is_empty()) {
            return refuse("model must not be empty".into());
        }
        let phases = [&self.entities, &self.relations, &self.writer].into_iter().filter_map(|phase| phase.temperature);
        if let Some(wrong) = phases.chain([self.temperature]).find(|given| !(0.0..=2.0).contains(given)) {
            return refuse(format!("temperature must lie from 0 to 2, not {wrong}"));
        }
        let least = [
            ("timeout_ms", self.timeout_ms, 1),
            ("connect_timeout_ms", self.connect_timeout_ms, 1),
            ("answer_tokens", self.answer_tokens.into(), 64),
            ("concurrency", self.concurrency as u64, 1),
            ("after_turns", self.after_turns as u64, 1),
            ("after_tokens", self.after_tokens as u64, 1),
            ("part_chars", self.part_chars as u64, 200),
            ("entity_passes", self.entity_passes as u64, 1),
            ("recap_chars", self.recap_chars as u64, 200),
        ];
        if let Some((name, value, least)) = least.into_iter().find(|(_, value, least)| value < least) {
            return refuse(format!("{name} must be at least {least}, not {value}"));
        }
        if self.overlap_chars > self.part_chars / 2 {
            return refuse(format!(
                "overlap_chars must be at most half of part_chars ({}), not {}",
                self.part_chars / 2,
                self.overlap_chars
            ));
        }
        if self.retries > 20 || self.concurrency > 64 {
            return refuse("retries must be at most 20, concurrency at most 64".into());
        }
        Ok(())
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    pub(crate) fn phase(&self, phase: super::Phase) -> &PhaseSettings {
        match phase {
            super::Phase::Entities => &self.entities,
            super::Phase::Relations => &self.relations,
            super::Phase::Writing => &self.writer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_hold_and_are_off() {
        let settings = LlmSettings::default();
        assert!(settings.check().is_ok() && !settings.enabled);
        let written = toml::to_string(&settings).unwrap();
        assert_eq!(toml::from_str::<LlmSettings>(&written).unwrap(), settings);
        assert_eq!(toml::from_str::<LlmSettings>("").unwrap(), settings);
    }

    #[test]
    fn wrong_settings_are_named() {
        let check = |text: &str, expected: &str| {
            let error = match toml::from_str::<LlmSettings>(text) {
                Ok(settings) => settings.check().unwrap_err().to_string(),
                Err(error) => error.to_string(),
            };
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("modle = \"x\"", "modle");
        check("[entities]\nmin_confidence = 2", "confidence");
        check("temperature = 3.0", "temperature must lie from 0 to 2");
        check("temperature = nan", "temperature");
        check("base_url = \"ftp://x\"", "base_url");
        check("overlap_chars = 7000", "overlap_chars");
        check("concurrency = 0", "concurrency");
        check("[writer]\nmodel = \" \"", "model");
    }

    #[test]
    fn a_key_in_the_wrong_place_is_not_repeated() {
        let check = |settings: LlmSettings| {
            let error = settings.check().unwrap_err().to_string();
            assert!(!error.contains("sk-secret"), "{error}");
        };
        check(LlmSettings { base_url: "https://me:sk-secret@example.org/v1".into(), ..LlmSettings::default() });
        check(LlmSettings { base_url: "https://example.org/v1?key=sk-secret".into(), ..LlmSettings::default() });
        check(LlmSettings { key_env: "sk-secret".into(), ..LlmSettings::default() });
    }
}
