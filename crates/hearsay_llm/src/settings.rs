//! Settings of extraction with a language model.

use std::time::Duration;

use hearsay_model::Confidence;
use serde::{Deserialize, Serialize};

use crate::{LlmError, Phase};

/// Settings of extraction with a language model. Every setting has a default. While `enabled` is `false` (the default),
/// no server is contacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmSettings {
    /// Whether a language model is used. The default is `false`. With `true`, text is sent to the server.
    pub enabled: bool,
    /// Address of the server, which must have an OpenAI-compatible API. The default is `http://127.0.0.1:11434/v1`, the
    /// address of Ollama on the same machine.
    pub base_url: String,
    /// Name of the environment variable that contains the key; by default `HEARSAY_LLM_KEY`. The variable with the same
    /// name and the suffix `_HOST` contains the host that may receive the key. The key and the host are not settings,
    /// so a settings file cannot contain the key or choose its receiver.
    pub key_env: String,
    /// Name of the model on the server; by default `llama3.2`.
    pub model: String,
    /// Sampling temperature of the model, from 0 to 2; by default 0.2. With a higher value, the model chooses its words
    /// more freely. If a server rejects the temperature, requests omit it.
    pub temperature: f64,
    /// Settings that replace the general settings in calls that look for entities.
    pub entities: PhaseSettings,
    /// Settings that replace the general settings in calls that look for relations and attributes.
    pub relations: PhaseSettings,
    /// Settings that replace the general settings in calls that write recaps.
    pub writer: PhaseSettings,
    /// Maximum time to wait for one answer, in milliseconds; by default 60,000.
    pub timeout_ms: u64,
    /// Maximum time to connect to the server, in milliseconds; by default 5,000.
    pub connect_timeout_ms: u64,
    /// Maximum number of times that a call is repeated after temporary failures; by default 3, at most 20.
    pub retries: u32,
    /// Waiting time before a failed call is repeated for the first time, in milliseconds; by default 500. Each further
    /// waiting time is twice as long.
    pub backoff_ms: u64,
    /// Maximum waiting time before a failed call is repeated, in milliseconds; by default 30,000.
    pub backoff_most_ms: u64,
    /// Maximum number of tokens for one text or one recap; by default 100,000.
    pub run_tokens: u64,
    /// Maximum number of tokens for all texts and recaps together, until the program ends; by default 2,000,000.
    pub total_tokens: u64,
    /// Maximum number of tokens of one answer; by default 4,096, at least 64.
    pub answer_tokens: u32,
    /// Maximum number of concurrent calls, from 1 to 64; by default 2.
    pub concurrency: usize,
    /// Number of turns (spoken lines) of a conversation that are read together; by default 5.
    pub after_turns: usize,
    /// Number of tokens after which the waiting turns of a conversation are read, even if there are fewer than
    /// `after_turns` turns; by default 2,000.
    pub after_tokens: usize,
    /// Maximum number of characters of a part of a long text; by default 12,000, at least 200.
    pub part_chars: usize,
    /// Number of characters that two neighbouring parts share, so that no statement is lost at the boundary; by default
    /// 800, at most half of `part_chars`.
    pub overlap_chars: usize,
    /// Maximum number of passes over one part that look for entities; by default 6. The passes end earlier if two
    /// consecutive passes find no new entities.
    pub entity_passes: usize,
    /// Maximum number of characters of the text from which a recap is written; by default 24,000, at least 200.
    pub recap_chars: usize,
}

/// Settings for one kind of call (for entities, for relations, or for recaps). These settings replace the general
/// settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhaseSettings {
    /// Name of the model for this kind of call; `None` for the model in [`LlmSettings::model`].
    pub model: Option<String>,
    /// Temperature for this kind of call, from 0 to 2; `None` for [`LlmSettings::temperature`].
    pub temperature: Option<f64>,
    /// Minimum confidence of an entity or fact; `None` means 0.3. Entities and facts with a lower confidence are
    /// refused and counted in [`RejectionCounts::unsure`](crate::RejectionCounts::unsure).
    pub min_confidence: Option<Confidence>,
}

/// Default minimum confidence. The policy drops facts with a lower confidence anyway.
const DEFAULT_MIN_CONFIDENCE: f64 = 0.3;

impl PhaseSettings {
    pub(crate) fn min_confidence_or_default(&self) -> f64 {
        self.min_confidence.map_or(DEFAULT_MIN_CONFIDENCE, Confidence::get)
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
    /// Returns the name of the model that extracts relations and attributes.
    pub fn facts_model(&self) -> &str {
        self.relations.model.as_deref().unwrap_or(&self.model)
    }

    /// Checks that all values are valid.
    ///
    /// # Errors
    /// Returns an error if a value is invalid. The message names the setting and the allowed values.
    pub fn check(&self) -> Result<(), LlmError> {
        let refuse = |message: String| Err(LlmError::Settings(message));
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
            // The message does not repeat the address, because it may contain a key.
            return refuse(
                "base_url must have no user, password, query or fragment; the key belongs in the environment".into(),
            );
        }
        let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.key_env.is_empty() || !self.key_env.chars().all(is_name_char) {
            return refuse("key_env must be the name of an environment variable, not the key itself".into());
        }
        let models =
            [&self.entities, &self.relations, &self.writer].into_iter().filter_map(|phase| phase.model.as_ref());
        if models.chain([&self.model]).any(|model| model.trim().is_empty()) {
            return refuse("model must not be empty".into());
        }
        let phases = [&self.entities, &self.relations, &self.writer].into_iter().filter_map(|phase| phase.temperature);
        if let Some(invalid) = phases.chain([self.temperature]).find(|temperature| !(0.0..=2.0).contains(temperature)) {
            return refuse(format!("temperature must be from 0 to 2, not {invalid}"));
        }
        let minimums = [
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
        if let Some((name, value, minimum)) = minimums.into_iter().find(|(_, value, minimum)| value < minimum) {
            return refuse(format!("{name} must be at least {minimum}, not {value}"));
        }
        if self.overlap_chars > self.part_chars / 2 {
            return refuse(format!(
                "overlap_chars must be at most half of part_chars ({}), not {}",
                self.part_chars / 2,
                self.overlap_chars
            ));
        }
        if self.retries > 20 || self.concurrency > 64 {
            return refuse("retries must be at most 20, and concurrency must be at most 64".into());
        }
        Ok(())
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    pub(crate) fn phase(&self, phase: Phase) -> &PhaseSettings {
        match phase {
            Phase::Entities => &self.entities,
            Phase::Relations => &self.relations,
            Phase::Writing => &self.writer,
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
        check("temperature = 3.0", "temperature must be from 0 to 2");
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
