//! Reads a sentence-transformers directory: its files and their settings.
//!
//! Files on disk and files compiled into the program are both handled as [`ModelFiles`].

use std::{
    borrow::Cow,
    fs, io,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{error::EmbedError, math::Activation, pooling::Pooling};

/// Contents of a model's files, each with its path for error messages.
pub(crate) struct ModelFiles {
    pub(crate) config: File,
    pub(crate) tokenizer: File,
    pub(crate) weights: File,
    pub(crate) modules: Option<File>,
    pub(crate) sentence_bert: Option<File>,
    pub(crate) pooling: Option<File>,
}

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Cow<'static, [u8]>,
}

/// Validated settings from the configuration files.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) bert: Config,
    pub(crate) pooling: Pooling,
    pub(crate) normalized: bool,
    pub(crate) lowercased: bool,
    pub(crate) max_tokens: usize,
}

/// Dimensions of a BERT model.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) vocab_size: usize,
    pub(crate) hidden_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) hidden_act: Activation,
    pub(crate) max_position_embeddings: usize,
    pub(crate) type_vocab_size: usize,
    pub(crate) layer_norm_eps: f64,
}

impl ModelFiles {
    pub(crate) fn read(dir: &Path) -> Result<Self, EmbedError> {
        let modules = read_optional(dir.join("modules.json"))?;
        let layout = Layout::read(modules.as_ref())?;
        let transformer = dir.join(&layout.transformer);
        Ok(Self {
            config: read_required(transformer.join("config.json"))?,
            tokenizer: read_required(transformer.join("tokenizer.json"))?,
            weights: read_required(transformer.join("model.safetensors"))?,
            sentence_bert: read_optional(transformer.join("sentence_bert_config.json"))?,
            pooling: read_optional(dir.join(&layout.pooling).join("config.json"))?,
            modules,
        })
    }

    /// Returns the default model that is compiled into the program.
    #[cfg(feature = "bundled-model")]
    pub(crate) fn bundled() -> Self {
        macro_rules! file {
            ($name:literal) => {
                File {
                    path: Path::new("(bundled)").join($name),
                    // `build.rs` sets this variable.
                    bytes: Cow::Borrowed(include_bytes!(concat!(env!("HEARSAY_BUNDLED_MODEL_DIR"), "/", $name))),
                }
            };
        }
        Self {
            config: file!("config.json"),
            tokenizer: file!("tokenizer.json"),
            weights: file!("model.safetensors"),
            modules: Some(file!("modules.json")),
            sentence_bert: Some(file!("sentence_bert_config.json")),
            pooling: Some(file!("1_Pooling/config.json")),
        }
    }

    pub(crate) fn settings(&self) -> Result<Settings, EmbedError> {
        let raw: RawConfig = parse_json(&self.config)?;
        let bert = raw.validated(&self.config.path)?;
        let layout = Layout::read(self.modules.as_ref())?;
        let pooling = match &self.pooling {
            Some(file) => parse_json::<RawPooling>(file)?.validated(&file.path, bert.hidden_size)?,
            None => Pooling::default(),
        };
        let (max_tokens, lowercased) = match &self.sentence_bert {
            Some(file) => {
                let raw: RawSentenceBert = parse_json(file)?;
                (raw.max_seq_length, raw.do_lower_case)
            }
            None => (None, false),
        };
        Ok(Settings {
            max_tokens: max_tokens.unwrap_or(bert.max_position_embeddings).min(bert.max_position_embeddings),
            pooling,
            normalized: layout.normalized,
            lowercased,
            bert,
        })
    }
}

/// Returns the path of the first required model file that a directory lacks; `None` if the directory has all of them.
pub(crate) fn missing_file(dir: &Path) -> Option<PathBuf> {
    // A damaged modules.json is ignored here, because loading reports it later.
    let transformer = read_optional(dir.join("modules.json"))
        .and_then(|modules| Layout::read(modules.as_ref()))
        .map(|layout| layout.transformer)
        .unwrap_or_default();
    ["config.json", "tokenizer.json", "model.safetensors"]
        .into_iter()
        .map(|name| transformer.join(name))
        .find(|file| !dir.join(file).is_file())
}

/// Subdirectories of the model's parts, and whether the model normalises its vectors. Read from `modules.json`.
#[derive(Debug, PartialEq)]
struct Layout {
    transformer: PathBuf,
    pooling: PathBuf,
    normalized: bool,
}

impl Layout {
    fn read(modules: Option<&File>) -> Result<Self, EmbedError> {
        let mut layout = Self { transformer: PathBuf::new(), pooling: PathBuf::from("1_Pooling"), normalized: true };
        let Some(file) = modules else {
            return Ok(layout);
        };
        layout.normalized = false;
        for module in parse_json::<Vec<RawModule>>(file)? {
            let path = PathBuf::from(module.path);
            // The path comes from an untrusted file and must stay inside the model's directory.
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(EmbedError::InvalidConfig {
                    path: file.path.clone(),
                    field: "path",
                    problem: format!("is {}, expected a path inside the model's directory", path.display()),
                });
            }
            // The type is the full name of a Python class. Its package differs between releases, so only the class name
            // counts.
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" => layout.transformer = path,
                "Pooling" => layout.pooling = path,
                "Normalize" => layout.normalized = true,
                _ => {
                    return Err(EmbedError::UnsupportedModel {
                        path: file.path.clone(),
                        found: format!("a module of type {}", module.kind),
                    });
                }
            }
        }
        Ok(layout)
    }
}

#[derive(Deserialize)]
struct RawModule {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct RawSentenceBert {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize)]
struct RawPooling {
    word_embedding_dimension: Option<usize>,
    /// Pooling mode in newer releases; older releases use the flags below.
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

impl RawPooling {
    fn validated(&self, path: &Path, dimension: usize) -> Result<Pooling, EmbedError> {
        if let Some(found) = self.word_embedding_dimension
            && found != dimension
        {
            return Err(EmbedError::InvalidConfig {
                path: path.to_owned(),
                field: "word_embedding_dimension",
                problem: format!("is {found}, expected the model's hidden_size of {dimension}"),
            });
        }
        let flags = [
            (self.pooling_mode_cls_token, "cls"),
            (self.pooling_mode_mean_tokens, "mean"),
            (self.pooling_mode_max_tokens, "max"),
            (self.pooling_mode_mean_sqrt_len_tokens, "mean_sqrt_len_tokens"),
            (self.pooling_mode_weightedmean_tokens, "weightedmean"),
            (self.pooling_mode_lasttoken, "lasttoken"),
        ];
        let mode = self.pooling_mode.clone().unwrap_or_else(|| {
            let set: Vec<&str> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
            set.join(" + ")
        });
        match mode.as_str() {
            "cls" => Ok(Pooling::Cls),
            "mean" => Ok(Pooling::Mean),
            "max" => Ok(Pooling::Max),
            "" => Err(EmbedError::InvalidConfig {
                path: path.to_owned(),
                field: "pooling_mode_mean_tokens",
                problem: "and all other pooling modes are false; exactly one mode must be true".to_owned(),
            }),
            other => Err(EmbedError::UnsupportedModel { path: path.to_owned(), found: format!("pooling by {other}") }),
        }
    }
}

/// The fields of `config.json` that this crate uses.
#[derive(Deserialize)]
struct RawConfig {
    model_type: Option<String>,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "default_type_vocab_size")]
    type_vocab_size: usize,
    #[serde(default = "default_hidden_act")]
    hidden_act: String,
    #[serde(default = "default_layer_norm_eps")]
    layer_norm_eps: f64,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

fn default_type_vocab_size() -> usize {
    2
}

fn default_hidden_act() -> String {
    "gelu".to_owned()
}

fn default_layer_norm_eps() -> f64 {
    1e-12
}

impl RawConfig {
    fn validated(self, path: &Path) -> Result<Config, EmbedError> {
        let unsupported = |found: String| EmbedError::UnsupportedModel { path: path.to_owned(), found };
        let invalid = |field, problem: String| EmbedError::InvalidConfig { path: path.to_owned(), field, problem };
        if let Some(kind) = self.model_type.filter(|kind| kind != "bert") {
            return Err(unsupported(format!("a model of type {kind}")));
        }
        if self.is_decoder {
            return Err(unsupported("a decoder".to_owned()));
        }
        if let Some(kind) = self.position_embedding_type.filter(|kind| kind != "absolute") {
            return Err(unsupported(format!("position embedding of type {kind}")));
        }
        let hidden_act = match self.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            other => return Err(unsupported(format!("the activation function {other}"))),
        };
        for (field, value) in [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
        ] {
            if value == 0 {
                return Err(invalid(field, "is 0, expected at least 1".to_owned()));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(invalid(
                "num_attention_heads",
                format!("is {}, expected a divisor of hidden_size, {}", self.num_attention_heads, self.hidden_size),
            ));
        }
        if !(self.layer_norm_eps > 0.0 && self.layer_norm_eps < 1.0) {
            return Err(invalid(
                "layer_norm_eps",
                format!("is {}, expected a small positive number", self.layer_norm_eps),
            ));
        }
        Ok(Config {
            vocab_size: self.vocab_size,
            hidden_size: self.hidden_size,
            num_hidden_layers: self.num_hidden_layers,
            num_attention_heads: self.num_attention_heads,
            intermediate_size: self.intermediate_size,
            hidden_act,
            max_position_embeddings: self.max_position_embeddings,
            type_vocab_size: self.type_vocab_size,
            layer_norm_eps: self.layer_norm_eps,
        })
    }
}

fn parse_json<T: DeserializeOwned>(file: &File) -> Result<T, EmbedError> {
    // Editors on Windows may add a byte order mark at the start.
    let bytes = file.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.bytes);
    serde_json::from_slice(bytes).map_err(|source| EmbedError::InvalidJson { path: file.path.clone(), source })
}

fn read_required(path: PathBuf) -> Result<File, EmbedError> {
    match read_optional(path.clone())? {
        Some(file) => Ok(file),
        None => Err(EmbedError::MissingFile { path }),
    }
}

fn read_optional(path: PathBuf) -> Result<Option<File>, EmbedError> {
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(File { path, bytes: Cow::Owned(bytes) })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EmbedError::UnreadableFile { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), bytes: Cow::Owned(text.as_bytes().to_vec()) }
    }

    /// Returns a model's configuration files, with `edit` applied to config.json.
    fn files(edit: impl FnOnce(&mut serde_json::Value)) -> ModelFiles {
        let mut config = serde_json::json!({
            "model_type": "bert", "vocab_size": 100, "hidden_size": 8, "num_hidden_layers": 1,
            "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 64
        });
        edit(&mut config);
        ModelFiles {
            config: file("config.json", &config.to_string()),
            tokenizer: file("tokenizer.json", ""),
            weights: file("model.safetensors", ""),
            modules: None,
            sentence_bert: None,
            pooling: None,
        }
    }

    fn check_error(files: &ModelFiles, expected: &[&str]) {
        let message = files.settings().unwrap_err().to_string();
        for part in expected {
            assert!(message.contains(part), "{message:?} should say {part:?}");
        }
    }

    #[test]
    fn defaults_of_a_bare_directory() {
        let settings = files(|_| ()).settings().unwrap();
        assert_eq!(settings.pooling, Pooling::Mean);
        assert!(settings.normalized);
        assert!(!settings.lowercased);
        assert_eq!(settings.max_tokens, 64);
    }

    #[test]
    fn the_settings_of_the_files_are_used() {
        let mut files = files(|_| ());
        files.modules = Some(file(
            "modules.json",
            r#"[{"path": "0_BERT", "type": "sentence_transformers.models.Transformer"},
                {"path": "2_Pool", "type": "sentence_transformers.models.pooling.Pooling"}]"#,
        ));
        files.pooling = Some(file("2_Pool/config.json", r#"{"pooling_mode_cls_token": true}"#));
        files.sentence_bert =
            Some(file("sentence_bert_config.json", r#"{"max_seq_length": 32, "do_lower_case": true}"#));
        let settings = files.settings().unwrap();
        assert_eq!(settings.pooling, Pooling::Cls);
        assert!(!settings.normalized, "modules.json lists no Normalize");
        assert!(settings.lowercased);
        assert_eq!(settings.max_tokens, 32);
        assert_eq!(
            Layout::read(files.modules.as_ref()).unwrap(),
            Layout { transformer: "0_BERT".into(), pooling: "2_Pool".into(), normalized: false }
        );

        files.pooling = Some(file("2_Pool/config.json", r#"{"pooling_mode": "max"}"#));
        files.sentence_bert = Some(file("s.json", r#"{"max_seq_length": 9999}"#));
        let settings = files.settings().unwrap();
        assert_eq!(settings.pooling, Pooling::Max);
        assert_eq!(settings.max_tokens, 64, "capped at max_position_embeddings");
    }

    #[test]
    fn unusable_configurations_are_named() {
        for (field, value, expected) in [
            ("model_type", serde_json::json!("mpnet"), "a model of type mpnet"),
            ("hidden_act", serde_json::json!("silu"), "activation function silu"),
            ("position_embedding_type", serde_json::json!("relative_key"), "relative_key"),
            ("is_decoder", serde_json::json!(true), "a decoder"),
            ("num_attention_heads", serde_json::json!(3), "`num_attention_heads` is 3"),
            ("num_attention_heads", serde_json::json!(0), "expected at least 1"),
            ("layer_norm_eps", serde_json::json!(-1.0), "`layer_norm_eps` is -1"),
            ("hidden_size", serde_json::json!("wide"), "invalid type"),
            ("vocab_size", serde_json::json!(-5), "line 1"),
        ] {
            check_error(&files(|config| config[field] = value), &["config.json", expected]);
        }
        check_error(&files(|config| *config = serde_json::json!({})), &["config.json", "missing field"]);
    }

    #[test]
    fn unusable_modules_and_poolings_are_named() {
        for (modules, expected) in [
            (r#"[{"path": "2_Dense", "type": "models.Dense"}]"#, "models.Dense is not supported"),
            (r#"[{"path": "../up", "type": "models.Pooling"}]"#, "inside the model's"),
            (r#"[{"path": "/abs", "type": "models.Pooling"}]"#, "inside the model's"),
            ("{", "modules.json does not contain the expected JSON"),
        ] {
            let mut files = files(|_| ());
            files.modules = Some(file("modules.json", modules));
            check_error(&files, &["modules.json", expected]);
        }
        for (pooling, expected) in [
            (r#"{"word_embedding_dimension": 9}"#, "`word_embedding_dimension` is 9"),
            (r#"{"pooling_mode_lasttoken": true}"#, "pooling by lasttoken is not supported"),
            (
                r#"{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}"#,
                "pooling by cls + max is not supported",
            ),
            (r#"{"pooling_mode_mean_tokens": false}"#, "exactly one mode must be true"),
            ("garbage", "expected value at line 1"),
        ] {
            let mut files = files(|_| ());
            files.pooling = Some(file("1_Pooling/config.json", pooling));
            check_error(&files, &["1_Pooling/config.json", expected]);
        }
    }
}
